"""Freed memory that stays in the process between two calls of a predictor."""

from __future__ import annotations

import platform
from functools import cache

# Just below the largest block by which glibc lets its thresholds grow (32 MiB where a long has 8
# bytes).
_LARGEST_BLOCK = 31 << 20


@cache
def keep_freed_memory() -> None:
    """Let glibc keep freed blocks of up to 31 MB, and up to 62 MB of them, for the process.

    A predictor of a PIR program allocates its tensors anew on each call. At first glibc gives
    blocks of 128 kB and more back to the system at once, and each call takes a page fault for every
    4 kB: MobileNetV3 20 ms instead of 16 (3.0.0 and 3.3.1, one thread). It learns from the largest
    block that was ever freed, so one is freed here; nothing is written to it. This lasts as long as
    the process and holds for all of its threads; elsewhere than with glibc nothing happens.
    """
    if platform.libc_ver()[0] == "glibc":
        import numpy  # Paddle has imported it

        numpy.empty(_LARGEST_BLOCK, "uint8")
