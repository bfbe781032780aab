"""Inputs for a first run: given, or made from the model's signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compatload.artifact.model import TensorSpec
from compatload.errors import UsageError
from compatload.trials.sampling import SIZES, InputShape, sample

# Seeds of the sets of inputs; numbers of the second lie around 0, for what negative ones do.
_SEEDS = (20, 21)


def given_samples(
    values: Sequence[Any] | Mapping[str, Any], inputs: Sequence[TensorSpec]
) -> dict[str, Any]:
    """What a caller gave, as arrays by the names of the inputs."""
    import numpy

    names = [spec.name for spec in inputs]
    named = dict(values) if isinstance(values, Mapping) else dict(zip(names, values))
    if len(values) != len(names) or set(named) != set(names):
        raise UsageError(
            f"sample_inputs has {len(values)} arrays; the model's inputs are {', '.join(names)}",
            action="Give one array for each, in this order or by name.",
        )
    return {
        name: value.numpy() if hasattr(value, "numpy") else numpy.asarray(value)
        for name, value in named.items()
    }


def size_choices(inputs: Sequence[TensorSpec]) -> tuple[tuple[int, int], ...]:
    """Sizes for unknown dimensions, in the order in which they are worth trying."""
    dynamic = any(size < 0 for spec in inputs for size in spec.shape or ())
    return SIZES if dynamic else SIZES[:1]


def made_samples(inputs: Sequence[TensorSpec], sizes: tuple[int, int]) -> list[dict[str, Any]]:
    """Two sets of arrays: numbers in [0, 1) and around 0; integers 0 or 1, valid as any index."""
    import numpy

    shapes = [InputShape(spec.name, spec.dtype or "float32", spec.shape or ()) for spec in inputs]
    names = [spec.name for spec in inputs]
    sets = [dict(zip(names, sample(shapes, sizes, seed))) for seed in _SEEDS]
    for name, array in sets[1].items():
        if array.dtype.kind == "f":
            sets[1][name] = numpy.asarray(4 * array - 2, array.dtype)
    return sets
