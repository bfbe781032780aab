"""Batch normalisation whose value is read beside relu."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer(
    "norm_relu_and_sum", lambda: Read(lambda net, x: (lambda y: F.relu(y) + y)(net.norm(x))), IMAGE
)
family.layer(
    "norm_dropped_relu_and_half",
    lambda: Read(
        lambda net, x: (lambda y: F.relu(y) + y * 0.5)(F.dropout(net.norm(x), training=False))
    ),
    IMAGE,
)
