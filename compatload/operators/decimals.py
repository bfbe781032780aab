"""The number that a float32 stands for."""

from __future__ import annotations

import struct

_DIGITS = range(6, 10)  # the fewest and the most that tell one float32 from another


def shortest_decimal(number: float) -> float:
    """The shortest decimal whose float32 this is: 1.3 for 1.2999999523162842.

    The number itself where it is no float32, infinite, or not a number.
    """
    for digits in _DIGITS:
        told = float(f"{number:.{digits}g}")
        try:
            if struct.unpack("f", struct.pack("f", told))[0] == number:
                return told
        except OverflowError:
            return number
    return number
