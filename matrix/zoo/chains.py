"""Chains of operators by name: ``chain:conv.relu.mean1`` is a convolution, relu, a mean.

A chain may end in a fork: in ``chain:conv.relu+mean1``, relu and the mean both read the
convolution, and both are outputs. What passes fuse are chains; what they forget is who else reads
a value. These are too many to be networks of the zoo; ``matrix.chains`` searches them, and one that
fails becomes a network with a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input, Network
from matrix.zoo import CHAIN

IMAGE = Input((None, 4, 6, 4))
SHAPES = (((1, 4, 6, 4),), ((3, 4, 6, 4),))
# float32 through three layers, added up by oneDNN in another order.
TOLERANCE = 1e-4

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

    def __call__(self, name: str, *shape: int) -> Any:
        known = f"step{self._step}_{name}"
        if known not in self._owner._parameters:
            self._owner.add_parameter(known, self._owner.create_parameter([*shape]))
        return getattr(self._owner, known)


def _channels(x: Any) -> int:
    if len(x.shape) != len(IMAGE.shape):
        raise ValueError("no image any more")
    return int(x.shape[1])


def _last(x: Any) -> int:
    return int(x.shape[-1])


def _convolution(size: int, *, bias: bool = True, filters: int = 4) -> Step:
    def step(w: Weights, x: Any) -> Any:
        weight = w("weight", filters, _channels(x), size, size)
        return F.conv2d(x, weight, w("bias", filters) if bias else None, padding=size // 2)

    return step


def _depthwise(w: Weights, x: Any) -> Any:
    weight = w("weight", _channels(x), 1, 3, 3)
    return F.conv2d(x, weight, padding=1, groups=_channels(x))


def _transposed(w: Weights, x: Any) -> Any:
    return F.conv2d_transpose(x, w("weight", _channels(x), 4, 2, 2), w("bias", 4), stride=2)


def _batch_norm(w: Weights, x: Any) -> Any:
    count = _channels(x)
    mean, spread = w("mean", count), paddle.abs(w("spread", count)) + 0.5
    return F.batch_norm(x, mean, spread, w("weight", count), w("bias", count))


def _group_norm(w: Weights, x: Any) -> Any:
    return F.group_norm(x, 1 if _channels(x) % 2 else 2)


def _image(compute: Callable[[Any], Any]) -> Step:
    def step(w: Weights, x: Any) -> Any:
        _channels(x)
        return compute(x)

    return step


def _any(compute: Callable[[Any], Any]) -> Step:
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
    "swap": lambda x: paddle.transpose(x, [0, *_backwards(x)]),
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
    "conv": _convolution(3),
    "conv1": _convolution(1),
    "bare": _convolution(3, bias=False),
    "depthwise": _depthwise,
    "transposed": _transposed,
    "linear": lambda w, x: F.linear(x, w("weight", _last(x), 6), w("bias", 6)),
    "matmul": lambda w, x: paddle.matmul(x, w("weight", _last(x), 6)),
    "conv_one": _convolution(3, filters=1),
    "bare_one": _convolution(3, bias=False, filters=1),
    "linear_one": lambda w, x: F.linear(x, w("weight", _last(x), 1), w("bias", 1)),
    "matmul_one": lambda w, x: paddle.matmul(x, w("weight", _last(x), 1)),
    "by_vector": lambda w, x: paddle.matmul(x, w("weight", _last(x))),
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "layer_norm": lambda w, x: F.layer_norm(
        x, [_last(x)], w("weight", _last(x)), w("bias", _last(x))
    ),
    "prelu": lambda w, x: F.prelu(x, w("weight", _channels(x))),
    "plus_row": lambda w, x: x + w("row", _last(x)),
    "plus_channels": lambda w, x: x + w("channels", 1, _channels(x), 1, 1),
    "times_channels": lambda w, x: x * w("channels", 1, _channels(x), 1, 1),
}
STEPS: dict[str, Step] = {
    **_WITH_WEIGHTS,
    **_WITH_OTHERS,
    **{
        name: _any(compute)
        for name, compute in {**_ACTIVATIONS, **_ARITHMETIC, **_SHAPING, **_REDUCTIONS}.items()
    },
    **{name: _image(compute) for name, compute in _OF_IMAGES.items()},
}


def _backwards(x: Any) -> list[int]:
    return [*range(len(x.shape) - 1, 0, -1)]


class _Chain(nn.Layer):
    """``steps`` one after the other, ``fork`` on what comes of them: a result for each of it."""

    def __init__(self, steps: Sequence[str], fork: Sequence[str]) -> None:
        super().__init__()
        self.given: list[Any] = []
        weighted = [(STEPS[name], Weights(self, n)) for n, name in enumerate([*steps, *fork])]
        self.steps, self.fork = weighted[: len(steps)], weighted[len(steps) :]
        self.compute = paddle.jit.not_to_static(self._through)
        with paddle.no_grad():
            self._through(paddle.zeros(SHAPES[0][0]))  # makes the parameters

    def forward(self, x: Any) -> Any:
        return self.compute(x)

    def _through(self, x: Any) -> Any:
        self.given[:] = [x]
        for step, weights in self.steps:
            x = step(weights, x)
        return tuple(step(weights, x) for step, weights in self.fork) if self.fork else x


def chain(name: str) -> Network:
    """The network of that name; KeyError for a step that is none."""
    *steps, last = name.removeprefix(CHAIN).split(".")
    fork = last.split("+") if "+" in last else []
    steps += [] if fork else [last]
    unknown = [step for step in (*steps, *fork) if step not in STEPS]
    if unknown:
        raise KeyError(f"no such steps: {', '.join(unknown)}")
    return Network(
        name=name,
        purpose="a chain of operators",
        layer=lambda: _Chain(steps, fork),
        inputs={"x": IMAGE},
        shapes=SHAPES,
        tolerance=TOLERANCE,
        family="chains",
    )


def chains(head: str, length: int, *, fork: bool = False) -> list[str]:
    """The name of every chain that begins with ``head`` (may be empty) and goes on for so long.

    ``fork``: the last two steps are side by side.
    """
    begin = [head] if head else []
    every = product(STEPS, repeat=length)
    if fork:
        every = ((*steps[:-2], "+".join(steps[-2:])) for steps in every)
    return [CHAIN + ".".join([*begin, *steps]) for steps in every]
