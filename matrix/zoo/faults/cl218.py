"""A convolution multiplied as a matrix."""

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer(
    "convolution_product",
    lambda: Read(lambda net, x: paddle.matmul(net.convolution(x), x[:, :1])),
    IMAGE,
)
family.layer(
    "convolution_softmax_product",
    lambda: Read(lambda net, x: paddle.matmul(F.softmax(net.convolution(x)), x[:, :1])),
    IMAGE,
)
family.layer(
    "convolution_layer_sigmoid",
    lambda: Read(lambda net, x: F.sigmoid(net.linear(net.convolution(x)))),
    IMAGE,
)
