"""A fully connected layer times a number."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer("layer_doubled", lambda: Read(lambda net, x: net.linear(x) * 2.0), IMAGE)
family.layer(
    "layer_relu_doubled", lambda: Read(lambda net, x: F.relu(net.linear(x)) * 2.0 + 0.5), IMAGE
)
family.layer(
    "layer_dropped_doubled",
    lambda: Read(lambda net, x: F.dropout(net.linear(x), training=False) * 2.0),
    IMAGE,
)
family.layer(
    "layer_dropped_two_scales",
    lambda: Read(
        lambda net, x: (lambda y: (y * 2.0) - (y * 0.5))(F.dropout(net.linear(x), training=False))
    ),
    IMAGE,
)
