"""How outputs are compared. Needs NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def difference(actual: Sequence[Any], expected: Sequence[Any]) -> float:
    """Largest ``|a − b| / max(1, |b|)`` over all leaves.

    Infinite where number, shape, dtype, or the place of a NaN or infinity differ;
    integers and booleans must be equal.
    """
    if len(actual) != len(expected):
        return float("inf")
    pairs = zip(actual, expected)
    return max((_leaf_difference(np.asarray(a), np.asarray(b)) for a, b in pairs), default=0.0)


def _leaf_difference(actual: np.ndarray, expected: np.ndarray) -> float:
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    actual, expected = _numbers(actual), _numbers(expected)
    if actual.dtype.kind not in "fc":
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(actual)):
        return float("inf")
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        return float("inf")
    a, b = actual[finite].astype("complex128"), expected[finite].astype("complex128")
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b)), initial=0.0))


def _numbers(leaf: np.ndarray) -> np.ndarray:
    """As it is, but for bfloat16, whose bits Paddle gives as uint16."""
    if leaf.dtype.name != "uint16":
        return leaf
    return (leaf.astype("uint32") << 16).view("float32")


def agrees(actual: Sequence[Any], expected: Sequence[Any], tolerance: float = 1e-5) -> bool:
    """Whether the leaves are the same within ``tolerance``."""
    return difference(actual, expected) <= tolerance
