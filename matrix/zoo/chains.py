"""Chains of operators by name: ``chain:conv.relu.mean1`` is a convolution, relu, a mean.

A chain may end in a fork: in ``chain:conv.relu+mean1``, relu and the mean both read the
convolution, and both are outputs; ``chain:conv!.relu`` gives back the convolution as well, and
``chain:free:conv.relu`` is saved for images of any height and width. What passes fuse are chains;
what they forget is who else reads a value, and what kernels keep is what the first sizes were.
These are too many to be networks of the zoo; ``matrix.chains`` searches them, and one that fails
becomes a network with a name of its own.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import paddle
from paddle import nn

from matrix.network import Input, Network
from matrix.zoo import CHAIN
from matrix.zoo.steps import STEPS as FIRST
from matrix.zoo.steps import Weights
from matrix.zoo.typical import STEPS as TYPICAL

IMAGE = Input((None, 4, 6, 4))
# Other numbers of one size show what is kept from a run before.
SHAPES = (((1, 4, 6, 4),), ((3, 4, 6, 4),), ((1, 4, 6, 4),))
# The first may be divided by two, and others not.
FREE = "free:"
FREE_SHAPES = (((1, 4, 6, 4),), ((2, 4, 9, 7),), ((1, 4, 5, 8),), ((1, 4, 6, 4),))
# float32 through three layers, added up by oneDNN in another order.
TOLERANCE = 1e-4
KEPT = "!"  # behind the name of a step whose value is an output as well
STEPS = {**FIRST, **TYPICAL}


class _Chain(nn.Layer):
    """``steps`` one after the other, ``fork`` on what comes of them: a result for each of it, and
    for each step whose name ends with ``KEPT``."""

    def __init__(self, steps: Sequence[str], fork: Sequence[str]) -> None:
        super().__init__()
        self.given: list[Any] = []
        self.kind = "float32"
        weighted = [
            (STEPS[name.rstrip(KEPT)], Weights(self, n), name.endswith(KEPT))
            for n, name in enumerate([*steps, *fork])
        ]
        self.steps, self.fork = weighted[: len(steps)], weighted[len(steps) :]
        self.compute = paddle.jit.not_to_static(self._through)
        with paddle.no_grad():
            self._through(paddle.zeros(SHAPES[0][0]))  # makes the parameters

    def forward(self, x: Any) -> Any:
        return self.compute(x)

    def _through(self, x: Any) -> Any:
        self.given[:] = [x]
        self.kind = "float32"
        outputs = []
        for step, weights, kept in self.steps:
            x = step(weights, x)
            outputs += [x] if kept else []
        last = [step(weights, x) for step, weights, _ in self.fork] or [x]
        return (*outputs, *last) if outputs or self.fork else x


def chain(name: str) -> Network:
    """The network of that name; KeyError for a step that is none."""
    told = name.removeprefix(CHAIN)
    free = told.startswith(FREE)
    *steps, last = told.removeprefix(FREE).split(".")
    fork = last.split("+") if "+" in last else []
    steps += [] if fork else [last]
    unknown = [step for step in (*steps, *fork) if step.rstrip(KEPT) not in STEPS]
    if unknown:
        raise KeyError(f"no such steps: {', '.join(unknown)}")
    return Network(
        name=name,
        purpose="a chain of operators",
        layer=lambda: _Chain(steps, fork),
        inputs={"x": Input((None, 4, None, None)) if free else IMAGE},
        shapes=FREE_SHAPES if free else SHAPES,
        tolerance=TOLERANCE,
        family="chains",
    )


def chains(
    head: str,
    length: int,
    *,
    fork: bool = False,
    kept: bool = False,
    free: bool = False,
    count: int | None = None,
    seed: int = 0,
) -> list[str]:
    """The name of every chain that begins with ``head`` (may be empty) and goes on for so long, in
    an order that the seed decides; of ``count`` a sample.

    ``fork``: the last two steps are side by side; ``kept``: what the others compute are outputs,
    one in three of them; ``free``: of images of any size.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    every = len(STEPS) ** length
    names = [*STEPS]
    told = []
    for number in chance.sample(range(every), min(every, every if count is None else count)):
        steps = [names[number // len(names) ** place % len(names)] for place in range(length)]
        steps = [head, *steps] if head else steps
        if fork:
            steps = [*steps[:-2], "+".join(steps[-2:])]
        if kept:
            steps = [one + KEPT * (chance.random() < 1 / 3) for one in steps[:-1]] + steps[-1:]
        told.append(CHAIN + FREE * free + ".".join(steps))
    return told
