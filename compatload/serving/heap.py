"""Freed memory that stays in the process between two calls of a predictor."""

from __future__ import annotations

import platform
from functools import cache

# Just below the largest block by which glibc lets its thresholds grow (32 MiB where a long has 8
# bytes).
_LARGEST_BLOCK = 31 << 20
# A thread's heap comes in pieces of this size.
_HEAP_PIECE = 64 << 20
_M_TOP_PAD = -2


@cache
def keep_freed_memory() -> None:
    """Let glibc keep the memory that predictors free, for the process.

    A predictor of a PIR program allocates its tensors anew on each call. At first glibc gives
    blocks of 128 kB and more back to the system at once, and each call takes a page fault for every
    4 kB: MobileNetV3 20 ms instead of 16 (3.0.0 and 3.3.1, one thread). It learns from the largest
    block that was ever freed, so one of 31 MB is freed here; nothing is written to it. Threads of
    a pool have heaps made of pieces of 64 MB, and a piece that is wholly free is given back: by
    chance of its layout a model of 100 MB took 3,000 page faults a call in every second process
    (3.0.0 and 3.2.2). With 64 MB to spare at the top no piece is. It is address space, and becomes
    memory only when it is used. This lasts as long as the process and holds for all of its
    threads, each of which keeps what it needed at its largest call; elsewhere than with glibc
    nothing happens.
    """
    if platform.libc_ver()[0] == "glibc":
        import ctypes  # as numpy, Paddle has imported it

        import numpy

        numpy.empty(_LARGEST_BLOCK, "uint8")
        # Afterwards: from here on it learns no more.
        ctypes.CDLL(None).mallopt(_M_TOP_PAD, _HEAP_PIECE)
