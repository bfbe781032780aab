"""How a zoo file registers its networks: most are one function between two tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import paddle
from paddle import nn

from matrix.network import Input, Network

ZOO: dict[str, Network] = {}

IMAGE = Input((None, 3, 6, 6))
ROWS = Input((None, 6))
SEQUENCE = Input((None, None, 6))
POSITIVE = Input((None, 6), low=0.2, high=2.0)
WIDE = Input((None, 6), low=-4.0, high=4.0)
IDS = Input((None, 6), "int64", 0, 6)
FLAGS = Input((None, 6), "bool")
NAMES = ("x", "y", "z")


# Relatives of networks that are there anyway; only the full run includes them.
RARE = frozenset((Path(__file__).parent / "rare.txt").read_text(encoding="utf-8").split())


class Family:
    """Registers networks under one heading; ``family`` is its name in reports."""

    def __init__(self, family: str) -> None:
        self.family = family

    def op(
        self,
        name: str,
        compute: Callable[..., Any],
        *inputs: Input,
        shapes: Sequence[Sequence[tuple[int, ...]]] = (),
        before: Callable[[], Any] | None = None,
        tolerance: float = 1e-5,
        since: str = "2.6",
    ) -> None:
        """One function; ``before`` builds a layer that the first input goes through."""
        self.layer(
            name,
            lambda: _BY_INPUTS[len(inputs)](compute, before),
            *inputs,
            shapes=shapes,
            tolerance=tolerance,
            since=since,
        )

    def layer(
        self,
        name: str,
        build: Callable[[], Any],
        *inputs: Input,
        shapes: Sequence[Sequence[tuple[int, ...]]] = (),
        tolerance: float = 1e-5,
        since: str = "2.6",
        seeded: bool = True,
        savers: tuple[str, ...] = (),
        tier: str = "quick",
    ) -> None:
        """A layer; its inputs are called x, y and z in order."""
        if name in ZOO:
            raise ValueError(f"two networks are called {name}")
        ZOO[name] = Network(
            name=name,
            purpose=self.family,
            layer=build,
            inputs=dict(zip(NAMES, inputs)),
            shapes=tuple(tuple(one) for one in shapes) or _shapes(inputs),
            tolerance=tolerance,
            family=self.family,
            since=since,
            seeded=seeded,
            savers=savers,
            tier="full" if name in RARE else tier,
        )


def _shapes(inputs: Sequence[Input]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Unknown sizes are 1 and 4 at first, then 3 and 5: what is fixed by tracing would show."""
    dynamic = any(None in one.shape for one in inputs)
    choices = ((1, 4), (3, 5)) if dynamic else ((1, 4),)
    return tuple(tuple(_filled(one.shape, *sizes) for one in inputs) for sizes in choices)


def _filled(shape: tuple[int | None, ...], first: int, other: int) -> tuple[int, ...]:
    return tuple((other if axis else first) if n is None else n for axis, n in enumerate(shape))


class _Single(nn.Layer):
    """One function of one to three tensors, the first of which may go through a layer."""

    def __init__(self, compute: Callable[..., Any], before: Callable[[], Any] | None) -> None:
        super().__init__()
        # The functions hold no control flow; a lambda's source cannot always be found to convert.
        self.compute = paddle.jit.not_to_static(compute)
        self.before = before() if before else nn.Identity()


class _One(_Single):
    def forward(self, x: Any) -> Any:
        return self.compute(self.before(x))


class _Two(_Single):
    def forward(self, x: Any, y: Any) -> Any:
        return self.compute(self.before(x), y)


class _Three(_Single):
    def forward(self, x: Any, y: Any, z: Any) -> Any:
        return self.compute(self.before(x), y, z)


# to_static wants a signature of its own for every number of inputs.
_BY_INPUTS = {1: _One, 2: _Two, 3: _Three}


def convolution() -> Any:
    """What stands before an operator on images: fusions act on such pairs."""
    return nn.Conv2D(3, 4, 3, padding=1)


def linear() -> Any:
    """What stands before an operator on rows."""
    return nn.Linear(6, 6)
