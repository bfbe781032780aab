"""What a network to be saved is: how to build it, what it takes, what it is for.

Imports no Paddle, so that a list of networks can be handled anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Input:
    """One input: its shape (None: dynamic), dtype, and the range its values are drawn from."""

    shape: tuple[int | None, ...]
    dtype: str = "float32"
    low: float = -1.0
    high: float = 1.0

    def spec(self, name: str) -> Any:
        """The ``paddle.static.InputSpec`` of this input."""
        import paddle

        return paddle.static.InputSpec(list(self.shape), self.dtype, name)


@dataclass(frozen=True)
class Network:
    """A network, its inputs in order, and the shapes (one tuple an input) it is run at.

    Args:
        layer: builds it; called inside a real Paddle.
        methods: further methods to save with it, and their own inputs; run at the same shapes.
        family: the heading it is reported under.
        since: the oldest release that has what it is made of.
        seeded: fill weights from NumPy (the same in every release) instead of Paddle's own
            initialisers, which deep networks need to stay in range.
        savers: the releases that save it; empty for all.
        tier: ``quick`` or ``full``: the smallest run that includes it.
    """

    name: str
    purpose: str
    layer: Callable[[], Any]
    inputs: Mapping[str, Input]
    shapes: tuple[tuple[tuple[int, ...], ...], ...]
    methods: Mapping[str, Mapping[str, Input]] = field(default_factory=dict)
    tolerance: float = 1e-5
    family: str = ""
    since: str = "2.6"
    seeded: bool = True
    savers: tuple[str, ...] = ()
    tier: str = "quick"
