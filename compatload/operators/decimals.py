"""Numbers as float32 has them, and the number that a float32 stands for."""

from __future__ import annotations

import struct

_DIGITS = range(6, 10)  # the fewest and the most that tell one float32 from another


def as_float32(number: float) -> float | None:
    """The nearest float32, as a number; None beyond them all."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except (OverflowError, struct.error):
        return None


def shortest_decimal(number: float) -> float:
    """The shortest decimal whose float32 this is: 1.3 for 1.2999999523162842.

    The number itself where it is no float32, infinite, or not a number.
    """
    for digits in _DIGITS:
        told = float(f"{number:.{digits}g}")
        rounded = as_float32(told)
        if rounded is None:
            return number
        if rounded == number:
            return told
    return number
