"""What counts as rounding and what as another result."""

from __future__ import annotations

import numpy as np
import pytest

from compatload.trials.comparison import allowance, disagreement, relative_difference

EXPECTED = np.linspace(-3, 3, 101, dtype="float32")


def _bits(array: np.ndarray) -> np.ndarray:
    """As bfloat16, whose bits Paddle gives as uint16."""
    return (array.view("uint32") >> 16).astype("uint16")


def _with(place: int, value: float) -> np.ndarray:
    changed = EXPECTED.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (EXPECTED, EXPECTED),
        (EXPECTED + np.float32(1e-5), EXPECTED),
        (_with(3, np.nan), _with(3, np.nan)),
        (_with(3, -np.inf), _with(3, -np.inf)),
        (np.zeros((0, 3), "float32"), np.zeros((0, 3), "float32")),
        (np.array([True, False]), np.array([True, False])),
        (np.full(3, np.nan, "float32"), np.full(3, np.nan, "float32")),
        (np.float32(2.0).reshape(()), np.float32(2.0).reshape(())),
        (EXPECTED.astype("float16"), EXPECTED.astype("float16") * np.float16(1.01)),
        (_bits(EXPECTED) + np.uint16(1), _bits(EXPECTED)),
        (_bits(_with(3, np.nan)), _bits(_with(3, np.nan))),
        (np.arange(1000) + (np.arange(1000) == 7), np.arange(1000)),
    ],
)
def test_rounding(actual: np.ndarray, expected: np.ndarray) -> None:
    assert disagreement([actual], [expected]) is None


@pytest.mark.parametrize(
    ("actual", "words"),
    [
        (_with(3, 9.0), "differs by 11.8"),
        (EXPECTED * np.float32(1.01), "differs by 0.03"),
        (_with(3, np.nan), "NaN in 1 places"),
        (_with(3, np.inf), "differs by inf"),
        (EXPECTED[:50], "shape"),
        (EXPECTED * np.complex64(1.01), "complex64 instead of float32"),
        (EXPECTED.astype("float64"), "float64 instead of float32"),
    ],
)
def test_another_result(actual: np.ndarray, words: str) -> None:
    found = disagreement([EXPECTED, actual], [EXPECTED, EXPECTED])
    assert found is not None
    assert words in found
    assert found.startswith("output 1 ")


def test_integers_and_counts() -> None:
    assert "2 of 10 places" in str(disagreement([np.arange(10) // 8], [np.zeros(10, int)]))
    assert "1 outputs instead of 2" in str(disagreement([EXPECTED], [EXPECTED, EXPECTED]))


def test_bfloat16_is_compared_as_numbers() -> None:
    other = _bits(EXPECTED * np.float32(1.1))
    assert "differs by 0.29" in str(disagreement([other], [_bits(EXPECTED)]))
    off = relative_difference(_bits(EXPECTED), other)
    assert off == pytest.approx(0.1, rel=0.1)
    assert allowance(other) > allowance(EXPECTED)
