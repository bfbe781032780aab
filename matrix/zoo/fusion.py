"""Chains that the predictor's passes fuse, where more hangs on a value than they look at."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, ROWS, Family, convolution, linear

family = Family("fusion")

CHAINS = {
    "abs_sqrt": lambda x: paddle.sqrt(paddle.abs(x)),
    "gelu_relu": lambda x: F.relu(F.gelu(x)),
    "leaky_relu_tanh": lambda x: paddle.tanh(F.leaky_relu(x, 0.1)),
}
for name, chain in CHAINS.items():
    family.op(f"linear_{name}", chain, ROWS, before=linear)
family.op("convolution_gelu_relu", CHAINS["gelu_relu"], IMAGE, before=convolution)


class Read(nn.Layer):
    """Layers, and a function of them and an image that reads some value once more."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 1)
        self.norm = nn.BatchNorm2D(3)
        self.linear = nn.Linear(6, 6)
        self.heads = nn.Linear(6, 24)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _attention(net: Any, x: Any) -> Any:
    parts = net.heads(x.flatten(1, 2)).reshape([0, -1, 3, 2, 4]).transpose([2, 0, 3, 1, 4])
    q, k, v = parts[0], parts[1], parts[2]
    scores = F.softmax(paddle.matmul(q * 0.5, k.transpose([0, 1, 3, 2])), -1)
    return paddle.matmul(scores, v).transpose([0, 2, 1, 3])


READ = {
    # CL216
    "norm_relu_and_sum": lambda net, x: (lambda y: F.relu(y) + y)(net.norm(x)),
    # CL217
    "layer_doubled": lambda net, x: net.linear(x) * 2.0,
    "layer_relu_doubled": lambda net, x: F.relu(net.linear(x)) * 2.0 + 0.5,
    # CL218
    "convolution_product": lambda net, x: paddle.matmul(net.convolution(x), x[:, :1]),
    "convolution_softmax_product": lambda net, x: paddle.matmul(
        F.softmax(net.convolution(x)), x[:, :1]
    ),
    "convolution_layer_sigmoid": lambda net, x: F.sigmoid(net.linear(net.convolution(x))),
    # CL219
    "one_by_convolution": lambda net, x: paddle.ones([1]) / (paddle.abs(net.convolution(x)) + 1.0),
    # CL220
    "weight_read_twice": lambda net, x: (
        paddle.matmul(x, net.linear.weight) * 2.0 + net.linear.weight
    ),
    "product_read_twice": lambda net, x: (lambda y: y * 2.0 + paddle.exp(y))(
        paddle.matmul(x, net.linear.weight)
    ),
    # CL221
    "attention_by_slices": _attention,
    # CL222
    "number_without_dimensions": lambda net, x: net.convolution(x) + paddle.ones([]),
}
for name, compute in READ.items():
    family.layer(name, lambda compute=compute: Read(compute), IMAGE)
