"""Inputs made from an input specification, the same ones every time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compatload.frozen import frozen

# What an unknown dimension becomes: (the first one, any other). Tried in this order: a
# convolutional network wants room, a sequence model not too much of it.
SIZES = ((2, 32), (3, 48), (1, 64), (7, 40), (2, 8), (3, 5), (1, 224), (2, 2), (1, 1))
# Further ones, on which the code of a model decides otherwise: one, fewer than a window has, no
# whole number of windows, higher than wide and wider than high.
EDGES = (
    *((1, 1), (2, 1), (1, 2), (2, 3), (3, 4), (1, 5), (2, 9), (5, 17), (2, 33), (1, 75)),
    *((2, 9, 5), (2, 5, 9), (1, 40, 32), (1, 32, 40), (2, 33, 65), (2, 65, 33)),
)


@frozen
class InputShape:
    """One input: dtype as numpy names it, and a shape with -1 for what is unknown."""

    name: str | None
    dtype: str
    shape: tuple[int, ...]

    @property
    def is_dynamic(self) -> bool:
        return any(size < 0 for size in self.shape)

    def resolved(self, first: int, *others: int) -> tuple[int, ...]:
        """With the last of ``others`` for the last axis, and so on; again from the last on."""
        return tuple(
            size if size >= 0 else (first if axis == 0 else others[-left % len(others)])
            for axis, (size, left) in enumerate(zip(self.shape, range(len(self.shape), 0, -1)))
        )


def candidates(shapes: Sequence[InputShape]) -> Iterator[tuple[int, int]]:
    """Sizes to try for unknown dimensions; one pair is enough where all are known."""
    yield from SIZES if any(shape.is_dynamic for shape in shapes) else SIZES[:1]


def sample(shapes: Sequence[InputShape], sizes: Sequence[int], seed: int) -> list[Any]:
    """Arrays for every input: numbers in [0, 1), integers 0 or 1 (valid as any index)."""
    import numpy

    random = numpy.random.default_rng(seed)
    arrays = []
    for shape in shapes:
        resolved = shape.resolved(*sizes)
        if shape.dtype == "bool":
            arrays.append(random.random(resolved) < 0.5)
        elif shape.dtype.startswith(("int", "uint")):
            arrays.append(random.integers(0, 2, resolved).astype(shape.dtype))
        else:  # numpy has no bfloat16: Paddle casts
            dtype = "float32" if shape.dtype == "bfloat16" else shape.dtype
            arrays.append(random.random(resolved).astype(dtype))
    return [numpy.asarray(array) for array in arrays]  # of no axes, numpy draws numbers
