"""Sizes and numbers at which an engine may compute otherwise than at usual ones.

OpenVINO computes int64 in 32 bits and int32 partly in float32, and gives asin(-1) as asin(1);
onnxruntime takes odd sizes of transposed convolutions for even ones. What is done about that:
docs/how-to/service.md.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from compatload.artifact.model import TensorSpec
from compatload.engines.engine import EXACT_IN_FLOAT32, LARGEST_INT32
from compatload.trials.comparison import ENGINE, disagreement
from compatload.trials.sampling import InputShape, sample

Run = Callable[[Mapping[str, Any]], list[Any]]
# Inputs by name, and outputs.
Usual = tuple[Mapping[str, Any], Sequence[Any]]
# The first size of a batch, height and width: the first that Paddle takes is compared.
_ODD = ((1, 45, 37), (3, 5, 7), (1, 1, 1))
_SEED = 22
# Ends of domains, halves, and what is large for a byte or an exponential.
_FRACTIONS = (
    (-1.0, 0.0, 1.0, -0.5, 0.5),
    (1.5, -1.5, 2.5, -2.5, 3.5),
    (300.5, -300.5, 20.0, -20.0, 100.0),
)
_BEYOND_FLOAT32 = (1e200, -1e200, 1e-200)
# By what whole numbers go up to where an engine computes these otherwise than Paddle.
_WHOLE = {
    EXACT_IN_FLOAT32: (16_777_217, 123_456_789, 987_654_321, -123_456_789, LARGEST_INT32),
    LARGEST_INT32: ((1 << 40) + 3, 1_700_000_000_000, (1 << 31) + 1, -(1 << 33) - 5),
}
# Wide enough for what a usual run takes, too narrow for a length of some thousand millions.
_MORE_MEMORY = 4 << 30
_SECONDS = 20


def within_limits() -> None:
    """From here on the process ends where numbers that are lengths would take all memory, or all
    time."""
    with suppress(ImportError, OSError, ValueError):  # another system than Linux
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _MORE_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if hasattr(signal, "alarm"):
        signal.alarm(_SECONDS)


def usual(paddle: Run, inputs: Sequence[TensorSpec]) -> Usual | None:
    """The first inputs of odd sizes that Paddle takes, by name, and what it gives."""
    shapes = [InputShape(spec.name, spec.dtype or "float32", spec.shape or ()) for spec in inputs]
    for sizes in _ODD:
        arrays = dict(zip((spec.name for spec in inputs), sample(shapes, sizes, _SEED)))
        with suppress(Exception):
            return arrays, paddle(arrays)
    return None


def problem_at_edges(paddle: Run, engine: Run, known: Usual, allowed: float = ENGINE) -> str:
    """What an engine computes otherwise at odd sizes and for numbers at ends, or ``""``.

    Where Paddle does not take such numbers, or gives what is no number, nothing is compared.
    ``allowed``: by how much numbers may differ, by the largest of an output.
    """
    arrays, expected = known
    shapes = ", ".join(str([*array.shape]) for array in arrays.values())
    found = _against(engine, arrays, expected, allowed)
    if found:
        return f"for inputs of odd sizes, of shapes {shapes}: {found}"
    for told, others in _with_fractions(arrays):
        found = _difference(paddle, engine, others, allowed)
        if found:
            return f"for inputs such as {told}, of shapes {shapes}: {found}"
    return ""


def largest_whole(paddle: Run, engine: Run, known: Usual, allowed: float = ENGINE) -> int | None:
    """Up to which whole numbers an engine computes what Paddle does; None: all that Paddle takes.
    Each input is tried alone: places in a table beside it stay small."""
    arrays, _ = known
    for most, numbers in _WHOLE.items():
        wide_enough = ("int64",) if most == LARGEST_INT32 else ("int32", "int64")
        for name, array in arrays.items():
            if array.dtype.name not in wide_enough:
                continue
            others = {**arrays, name: _with(array, numbers)}
            if _difference(paddle, engine, others, allowed):
                return most
    return None


def _with_fractions(arrays: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    types = {array.dtype.name for array in arrays.values()}
    if not any(name.startswith("float") for name in types):
        return
    for numbers in (*_FRACTIONS, *([_BEYOND_FLOAT32] if types <= {"float64"} else [])):
        told = ", ".join(f"{number:g}" for number in numbers[:3])
        yield told, {name: _with(array, numbers) for name, array in arrays.items()}


def _with(array: Any, numbers: Sequence[float]) -> Any:
    """A copy with each number in one place: equal ones would be sorted in some order. Of whole
    numbers where fractions are asked for, the same."""
    if array.dtype.kind == "f" or all(isinstance(one, int) for one in numbers):
        array = array.copy()
        flat = array.reshape(-1)
        count = min(flat.size, len(numbers))
        flat[:count] = numbers[:count]
    return array


def _difference(paddle: Run, engine: Run, arrays: Mapping[str, Any], allowed: float) -> str | None:
    try:
        expected = paddle(arrays)
    except Exception:  # Paddle does not take these
        return None
    return _against(engine, arrays, expected, allowed)


def _against(
    engine: Run, arrays: Mapping[str, Any], expected: Sequence[Any], allowed: float
) -> str | None:
    import numpy

    fractions = (array for array in expected if array.dtype.kind in "fc")
    if not all(numpy.isfinite(array).all() for array in fractions):
        return None
    try:
        return disagreement(engine(arrays), expected, allowed)
    except RuntimeError as error:
        return f"it raises {str(error)[:200]}"
