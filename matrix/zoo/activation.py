"""Activations, after a convolution, as networks have them."""

from typing import Any

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, WIDE, Family, convolution, linear

family = Family("activation")

AFTER_CONVOLUTION = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "elu": lambda x: F.elu(x, 0.7),
    "selu": F.selu,
    "celu": lambda x: F.celu(x, 0.8),
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
    "silu": F.silu,
    "swish": F.swish,
    "mish": F.mish,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "hardsigmoid_slope": lambda x: F.hardsigmoid(x, slope=0.2, offset=0.4),
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 0.6),
    "hardshrink": lambda x: F.hardshrink(x, 0.3),
    "softshrink": lambda x: F.softshrink(x, 0.3),
    "tanhshrink": F.tanhshrink,
    "thresholded_relu": lambda x: F.thresholded_relu(x, 0.2),
    "softplus": lambda x: F.softplus(x, beta=1.5, threshold=10.0),
    "softsign": F.softsign,
    "sigmoid": F.sigmoid,
    "log_sigmoid": F.log_sigmoid,
    "tanh": F.tanh,
    "softmax_channels": lambda x: F.softmax(x, axis=1),
    "maxout": lambda x: F.maxout(x, 2, axis=1),
    "glu": lambda x: F.glu(x, axis=1),
}
for name, function in AFTER_CONVOLUTION.items():
    family.op(name, function, IMAGE, before=convolution)


def prelu(channels: int) -> Any:
    import paddle

    convolve = paddle.nn.Conv2D(3, 4, 3, padding=1)
    return paddle.nn.Sequential(convolve, paddle.nn.PReLU(channels))


family.layer("prelu", lambda: prelu(1), IMAGE)
family.layer("prelu_channels", lambda: prelu(4), IMAGE)
family.op("softmax", F.softmax, WIDE, before=linear)
family.op("log_softmax", F.log_softmax, WIDE, before=linear)
family.op("leaky_relu_rows", lambda x: F.leaky_relu(x, 0.2), WIDE)
family.op("dropout_downscale", lambda x: F.dropout(x, 0.3, training=False), WIDE, before=linear)
family.op("alpha_dropout", lambda x: F.alpha_dropout(x, 0.3, training=False), WIDE)
