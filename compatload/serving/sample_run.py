"""Try a freshly loaded model on a sample before anybody is served by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compatload.errors import IncompatibleError
from compatload.frozen import frozen


@frozen
class OutputShape:
    """What callers rely on in one output: its dtype and number of dimensions."""

    dtype: str
    dimensions: int
    finite: bool


def sample_outputs(model: Any, sample: Sequence[Any]) -> tuple[OutputShape, ...]:
    """Run ``model`` once and describe each tensor that it returns."""
    return tuple(_describe(leaf) for leaf in _leaves(model(*sample)))


def require_successor(
    outputs: tuple[OutputShape, ...], before: tuple[OutputShape, ...], path: str
) -> None:
    """Raise IncompatibleError unless ``outputs`` can take the place of ``before``."""
    if [(one.dtype, one.dimensions) for one in outputs] != [
        (one.dtype, one.dimensions) for one in before
    ]:
        raise IncompatibleError(
            f"{path} returns {_words(outputs)} for the sample; the model in service returns "
            f"{_words(before)}",
            action="Serve a model with another interface under a handle of its own.",
            artifact=path,
        )
    if all(one.finite for one in before) and not all(one.finite for one in outputs):
        raise IncompatibleError(
            f"{path} returns NaN or infinity for the sample, where the model in service does not",
            action="Check the new weights.",
            artifact=path,
        )


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, (list, tuple)):
        for item in structure:
            yield from _leaves(item)
    elif isinstance(structure, dict):
        for key in sorted(structure):
            yield from _leaves(structure[key])
    else:
        yield structure


def _describe(leaf: Any) -> OutputShape:
    import numpy as np

    array = np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)
    finite = bool(np.isfinite(array).all()) if array.dtype.kind in "fc" else True
    return OutputShape(str(array.dtype), array.ndim, finite)


def _words(outputs: tuple[OutputShape, ...]) -> str:
    return ", ".join(f"{one.dtype} of {one.dimensions} dimensions" for one in outputs) or "nothing"
