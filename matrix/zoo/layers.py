"""Layers that the networks of several faults are made of."""

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import ROWS, Family


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


class Converted(nn.Layer):
    """A layer, and a function of it and of an input that is converted with it: no lambda."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.compute = compute

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


class Forked(nn.Layer):
    """A layer and a weight, and a function of them and of an input."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.convolution = nn.Conv2D(3, 4, 1)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)

    def product(self, x: Any) -> Any:
        return paddle.matmul(x, self.linear.weight)


class Computed(nn.Layer):
    """A function that is converted with its control flow, of a layer's output or of an input."""

    def __init__(self, compute: Any, layer: bool = False) -> None:
        super().__init__()
        self.compute = compute
        self.linear = nn.Linear(6, 6) if layer else nn.Identity()

    def forward(self, x: Any) -> Any:
        return self.compute(self.linear(x))


# Rows to index: more than one at either size.
TWO_SIZES = [[(2, 6)], [(5, 6)]]


def computed(
    family: Family, compute: Any, *inputs: Input, layer: bool = False, **more: Any
) -> None:
    """Registers a function under its own name; of rows, unless inputs are given."""
    if not inputs:
        inputs, more = (ROWS,), {"shapes": TWO_SIZES, **more}
    name = compute.__name__.lstrip("_")
    family.layer(name, lambda: Computed(compute, layer), *inputs, **more)


class Found(nn.Layer):
    """All rows but the first three, of which a batch of two has none."""

    def __init__(self, compute: Callable[[Any, Any], Any], parts: Callable[[], Any] | None) -> None:
        super().__init__()
        self.compute = compute
        self.part = parts() if parts else None

    def forward(self, x: Any) -> Any:
        return self.compute(self.part, x[paddle.arange(x.shape[0]) >= 3])


def found(
    family: Family,
    name: str,
    compute: Callable[[Any, Any], Any],
    sizes: tuple[int, ...],
    parts: Callable[[], Any] | None = None,
    **more: Any,
) -> None:
    """Registers what is computed of rows of that size, of which the first call finds none."""
    shapes = tuple(((rows, *sizes),) for rows in (2, 5))
    family.layer(
        f"{name}_of_none",
        lambda: Found(compute, parts),
        Input((None, *sizes)),
        shapes=shapes,
        **more,
    )
