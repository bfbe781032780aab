"""Operators that chains are made of, each with the parameters that it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

RANK = 4  # of an image

Step = Callable[["Weights", Any], Any]


class Weights:
    """The parameters of one step, made when it first asks for them."""

    def __init__(self, owner: nn.Layer, step: int) -> None:
        self._owner = owner
        self._step = step

    @property
    def start(self) -> Any:
        """What the chain is computed of."""
        return self._owner.given[0]

    @property
    def kind(self) -> str:
        """The dtype that parameters have."""
        return str(getattr(self._owner, "kind", "float32"))

    @kind.setter
    def kind(self, kind: str) -> None:
        self._owner.kind = kind

    def __call__(self, name: str, *shape: int) -> Any:
        known = f"step{self._step}_{name}"
        if known not in self._owner._parameters:
            self._owner.add_parameter(
                known, self._owner.create_parameter([*shape], dtype=self.kind)
            )
        return getattr(self._owner, known)


def channels(x: Any) -> int:
    if len(x.shape) != RANK:
        raise ValueError("no image any more")
    return int(x.shape[1])


def last(x: Any) -> int:
    return int(x.shape[-1])


def convolution(size: int, *, bias: bool = True, filters: int = 4) -> Step:
    def step(w: Weights, x: Any) -> Any:
        weight = w("weight", filters, channels(x), size, size)
        return F.conv2d(x, weight, w("bias", filters) if bias else None, padding=size // 2)

    return step


def _depthwise(w: Weights, x: Any) -> Any:
    weight = w("weight", channels(x), 1, 3, 3)
    return F.conv2d(x, weight, padding=1, groups=channels(x))


def _transposed(w: Weights, x: Any) -> Any:
    return F.conv2d_transpose(x, w("weight", channels(x), 4, 2, 2), w("bias", 4), stride=2)


def _batch_norm(w: Weights, x: Any) -> Any:
    count = channels(x)
    mean, spread = w("mean", count), paddle.abs(w("spread", count)) + 0.5
    return F.batch_norm(x, mean, spread, w("weight", count), w("bias", count))


def _group_norm(w: Weights, x: Any) -> Any:
    return F.group_norm(x, 1 if channels(x) % 2 else 2)


def of_image(compute: Callable[[Any], Any]) -> Step:
    def step(w: Weights, x: Any) -> Any:
        channels(x)
        return compute(x)

    return step


def of_any(compute: Callable[[Any], Any]) -> Step:
    return lambda w, x: compute(x)


_ACTIVATIONS = {
    **{name: getattr(F, name) for name in ("relu", "gelu", "sigmoid", "hardswish", "hardsigmoid")},
    **{name: getattr(F, name) for name in ("relu6", "swish", "mish", "elu", "softplus")},
    **{name: getattr(paddle, name) for name in ("tanh", "exp", "abs", "cos")},
    "leaky": lambda x: F.leaky_relu(x, 0.1),
    "sqrt": lambda x: paddle.sqrt(paddle.abs(x) + 0.1),
    "clip": lambda x: paddle.clip(x, -0.3, 0.4),
}
_ARITHMETIC = {
    "times": lambda x: x * 2.0,
    "plus": lambda x: x + 0.5,
    "square": lambda x: x * x,
    "double": lambda x: x + x,
    "power": lambda x: paddle.pow(x, 2.0),
    "residual": lambda x: F.relu(x) + x,
    "gate": lambda x: x * F.sigmoid(x),
    "by": lambda x: x / (paddle.abs(x) + 1.0),
    "one_by": lambda x: 1.0 / (paddle.abs(x) + 1.0),
    "where": lambda x: paddle.where(x > 0, x, x * 0.1),
    "in_double": lambda x: paddle.cast(paddle.sin(paddle.cast(x, "float64")), "float32"),
}
_SHAPING = {
    "swap": lambda x: paddle.transpose(x, [0, *backwards(x)]),
    "rows": lambda x: paddle.reshape(x, [0, 0, -1]),
    "flatten": lambda x: paddle.flatten(x, 1),
    "concat": lambda x: paddle.concat([x, x], 1),
    "split": lambda x: paddle.split(x, 2, 1)[0],
    "slice": lambda x: x[:, 1:],
    "first": lambda x: x[:1],
    "unsqueeze": lambda x: paddle.unsqueeze(x, 1),
    "stack": lambda x: paddle.stack([x, x], 1),
}
_REDUCTIONS = {
    "softmax": F.softmax,
    "softmax1": lambda x: F.softmax(x, 1),
    "log_softmax": F.log_softmax,
    "mean1": lambda x: paddle.mean(x, 1, keepdim=True),
    "sum_last": lambda x: paddle.sum(x, -1, keepdim=True),
    "product": lambda x: paddle.matmul(x, x, transpose_y=True),
}
_OF_IMAGES = {
    "channels_last": lambda x: paddle.transpose(x, [0, 2, 3, 1]),
    "max_pool": lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True),
    "average": lambda x: F.avg_pool2d(x, 3, 1, 1),
    "global": lambda x: F.adaptive_avg_pool2d(x, 1),
    "pad": lambda x: F.pad(x, [1, 1, 1, 0]),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "shuffle": lambda x: F.pixel_shuffle(x, 2),
}


def _wider(w: Weights, x: Any) -> Any:
    """Numbers that a value is stretched to: along what has one, or by one more axis."""
    sizes = [5 if size == 1 else 1 for size in x.shape[1:]]
    return w("wider", *([1] if 5 in sizes else [3, 1]), *sizes)


# What is narrower, equal or wider than the value, by how it was made.
_WITH_OTHERS: dict[str, Step] = {
    "plus_wider": lambda w, x: x + _wider(w, x),
    "wider_plus": lambda w, x: _wider(w, x) + x,
    "wider_minus": lambda w, x: _wider(w, x) - x,
    "times_wider": lambda w, x: x * _wider(w, x),
    "wider_by": lambda w, x: _wider(w, x) / (paddle.abs(x) + 1.0),
    "by_wider": lambda w, x: x / (paddle.abs(_wider(w, x)) + 1.0),
    "max_wider": lambda w, x: paddle.maximum(x, _wider(w, x)),
    "plus_start": lambda w, x: x + w.start,
    "start_plus": lambda w, x: w.start + x,
    "start_minus": lambda w, x: w.start - x,
    "times_start": lambda w, x: x * w.start,
    "start_by": lambda w, x: w.start / (paddle.abs(x) + 1.0),
    "learnt_plus": lambda w, x: F.relu(w("learnt", 1, *x.shape[1:])) + x,
}
_WITH_WEIGHTS: dict[str, Step] = {
    "conv": convolution(3),
    "conv1": convolution(1),
    "bare": convolution(3, bias=False),
    "depthwise": _depthwise,
    "transposed": _transposed,
    "linear": lambda w, x: F.linear(x, w("weight", last(x), 6), w("bias", 6)),
    "matmul": lambda w, x: paddle.matmul(x, w("weight", last(x), 6)),
    "conv_one": convolution(3, filters=1),
    "bare_one": convolution(3, bias=False, filters=1),
    "linear_one": lambda w, x: F.linear(x, w("weight", last(x), 1), w("bias", 1)),
    "matmul_one": lambda w, x: paddle.matmul(x, w("weight", last(x), 1)),
    "by_vector": lambda w, x: paddle.matmul(x, w("weight", last(x))),
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "layer_norm": lambda w, x: F.layer_norm(x, [last(x)], w("weight", last(x)), w("bias", last(x))),
    "prelu": lambda w, x: F.prelu(x, w("weight", channels(x))),
    "plus_row": lambda w, x: x + w("row", last(x)),
    "plus_channels": lambda w, x: x + w("channels", 1, channels(x), 1, 1),
    "times_channels": lambda w, x: x * w("channels", 1, channels(x), 1, 1),
}
STEPS: dict[str, Step] = {
    **_WITH_WEIGHTS,
    **_WITH_OTHERS,
    **{
        name: of_any(compute)
        for name, compute in {**_ACTIVATIONS, **_ARITHMETIC, **_SHAPING, **_REDUCTIONS}.items()
    },
    **{name: of_image(compute) for name, compute in _OF_IMAGES.items()},
}


def backwards(x: Any) -> list[int]:
    return [*range(len(x.shape) - 1, 0, -1)]
