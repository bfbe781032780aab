"""Indices and float64: sums that are multiplied or widened, what is turned, shuffled, multiplied as
matrices."""

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


def _places(x: Any) -> Any:
    return (x[:, 0] * 9.0).astype("int64")


def _double(x: Any) -> Any:
    return x.astype("float64")


def _four(x: Any) -> Any:
    return paddle.concat([x, x[:, 1:2]], 1)


def _shuffled(x: Any) -> Any:
    return paddle.reshape(
        paddle.transpose(paddle.reshape(x, [-1, 2, 2, 6, 6]), [0, 2, 1, 3, 4]), [-1, 4, 6, 6]
    )


# Beside each a convolution, so that there are parameters.
for name, compute in {
    "sum_of_places_twice": lambda x: (_places(x) + _places(x * 0.5)) * 2,
    "product_of_places_widened": lambda x: (_places(x) * _places(x * 0.5)).unsqueeze(1) + 1,
    "places_turned_and_widened": lambda x: _places(x).transpose([0, 2, 1]).unsqueeze(1),
    "places_turned_and_reshaped": lambda x: _places(x).transpose([0, 2, 1]).reshape([-1, 36]),
    "places_squeezed_and_turned": lambda x: (
        (_places(x).unsqueeze(1) + 1).squeeze(1).transpose([0, 2, 1])
    ),
    "quotient_of_float64_twice": lambda x: _double(x) / (_double(x * x) + 1.0) * 3.0,
    "channels_of_float64_shuffled": lambda x: _shuffled(_double(_four(x))),
    "channels_of_places_shuffled": lambda x: _shuffled((_four(x) * 9.0).astype("int64")),
    "relu_of_float64_product": lambda x: F.relu(
        paddle.matmul(_double(x), _double(x * 0.5), transpose_y=True)
    ),
    "float64_product_times_number": lambda x: (
        paddle.matmul(_double(x), _double(x * 0.5), transpose_y=True) * 0.5
    ),
    "relu_of_float64_softplus": lambda x: F.relu(F.softplus(_double(x))),
    "heads_of_float64": lambda x: paddle.reshape(
        paddle.transpose(paddle.matmul(_double(x), _double(x * 0.5)), [0, 2, 1, 3]), [0, 6, 18]
    ),
}.items():
    family.layer(
        name,
        lambda compute=compute: Read(lambda net, x: (compute(x), net.convolution(x))),
        IMAGE,
    )
family.layer(
    "relu_of_float64_convolution",
    lambda: Read(
        lambda net, x: F.relu(
            F.conv2d(_double(x), _double(net.convolution.weight), _double(net.convolution.bias))
        )
    ),
    IMAGE,
)
