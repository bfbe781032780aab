"""Whether two runs of a model agree, and by how much they may differ, for each purpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# All are relative to the largest number of an output.
# A conversion computes by the same operators, in the same release.
CONVERTED = 1e-5
# What safe_save wrote, beside the layer: other kernels may sum in another order.
EXPORTED = 1e-4
# Another release, or a predictor's passes. Measured with oneDNN: 1e-7 to 3e-5; the known wrong
# results differ by 1e-2 and more.
ELSEWHERE = 1e-3
# Another engine, whose float32 is nobody's excuse.
ENGINE = 1e-4
# The same of a program that computes in 16 bits on the way: each engine rounds at other places, and
# some in none. Measured, networks of 20 to 60 layers in float16: 4e-4 to 2e-3.
ENGINE_IN_16_BITS = 1e-2
# Of 16 bits releases round the last one differently: on a CPU 3.2 is the first whose cast to
# float16 does not cut it off, 3.0 for bfloat16 (measured).
_HALF_PRECISION = 3e-2
# They have 3 digits where 32 bits have 7.
_HALF_SLACK = 50.0
# Choices between nearly equal numbers, as of argmax, may fall otherwise in so many places.
_OTHER_CHOICES = 0.01


def disagreement(
    actual: Sequence[Any], expected: Sequence[Any], allowed: float = ELSEWHERE
) -> str | None:
    """What differs between two lists of arrays, in words; None if nothing that matters does.

    ``allowed`` is for numbers of 32 and 64 bits.
    """
    if len(actual) != len(expected):
        return f"{len(actual)} outputs instead of {len(expected)}"
    for number, (left, right) in enumerate(zip(actual, expected)):
        found = _in_one(left, right, allowed)
        if found:
            return f"output {number} {found}"
    return None


def _in_one(actual: Any, expected: Any, share: float) -> str | None:
    import numpy

    if actual.shape != expected.shape:
        return f"has shape {actual.shape} instead of {expected.shape}"
    if actual.dtype != expected.dtype:
        return f"is {actual.dtype} instead of {expected.dtype}"
    if not expected.size:
        return None
    share = allowance(expected, share)
    actual, expected = _numbers(actual), _numbers(expected)
    if expected.dtype.kind not in "fc":
        others = int(numpy.count_nonzero(actual != expected))
        if others > _OTHER_CHOICES * expected.size:
            return f"differs in {others} of {expected.size} places"
        return None
    if not numpy.array_equal(numpy.isnan(actual), numpy.isnan(expected)):
        count = int(numpy.count_nonzero(numpy.isnan(actual) != numpy.isnan(expected)))
        return f"is NaN in {count} places more or less"
    finite = numpy.isfinite(expected)
    if not numpy.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        return "is infinite elsewhere"
    if not finite.any():
        return None
    wide = expected[finite].astype("complex128" if expected.dtype.kind == "c" else "float64")
    worst = float(numpy.abs(actual[finite] - wide).max())
    allowed = share * float(numpy.abs(wide).max())
    # Not "worst > allowed": an infinite or NaN difference must not pass.
    if not worst <= allowed + 1e-6:
        return f"differs by {worst:.3g} (up to {allowed:.1g} would be rounding)"
    return None


def relative_difference(expected: Any, found: Any) -> float | None:
    """The largest difference by the largest expected value; None if they cannot be compared."""
    import numpy

    if expected.shape != found.shape or expected.dtype != found.dtype:
        return None
    if not expected.size:
        return 0.0
    expected, found = _numbers(expected), _numbers(found)
    if expected.dtype.kind not in "fc":
        return 0.0 if numpy.array_equal(expected, found) else float("inf")
    wide = "complex128" if expected.dtype.kind == "c" else "float64"
    one, other = expected.astype(wide), found.astype(wide)
    same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    off = numpy.abs(numpy.where(same, 0, one - other))
    scale = numpy.abs(one[numpy.isfinite(one)]).max(initial=1e-6)
    largest = off.max() / scale
    return float("inf") if numpy.isnan(largest) else float(largest)


def allowance(array: Any, share: float = ELSEWHERE) -> float:
    """By how much numbers of this dtype may differ where those of 32 bits may by ``share``."""
    return max(share, _HALF_PRECISION) if _is_half(array) else share


def slack(array: Any) -> float:
    """How many times as much numbers of this dtype differ where they differ by rounding alone."""
    return _HALF_SLACK if _is_half(array) else 1.0


def _is_half(array: Any) -> bool:
    return array.dtype.name in ("float16", "uint16")


def _numbers(array: Any) -> Any:
    """As it is, but for bfloat16: NumPy has none, and Paddle gives its bits as uint16."""
    if array.dtype.name != "uint16":
        return array
    return (array.astype("uint32") << 16).view("float32")
