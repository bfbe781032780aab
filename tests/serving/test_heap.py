"""Memory that is freed stays in the process: counted in page faults, in a process of its own."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_MEGABYTES = 8
# What a predictor does: a few large tensors, written to, all of them free again at its end.
_CALLS = f"""
import resource, sys, threading
sys.path.insert(0, sys.argv[1])
import numpy
from compatload.serving.heap import keep_freed_memory
if sys.argv[2] == "kept":
    keep_freed_memory()
def call():
    for block in [numpy.empty({_MEGABYTES} << 20, "uint8") for _ in range(int(sys.argv[3]))]:
        block[::4096] = 1
def calls():
    for _ in range(3):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        call()
    print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 10)
thread = threading.Thread(target=calls)
thread.start()
thread.join()
"""


def faults(way: str, blocks: int) -> float:
    """Page faults of one call, in a thread as those of a pool are."""
    command = [sys.executable, "-c", _CALLS, str(ROOT), way, str(blocks)]
    # numpy asks for huge pages, of which a few faults would fill a block.
    environment = {"NUMPY_MADVISE_HUGEPAGE": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


@pytest.mark.parametrize("blocks", [4, 40])  # a thread's heap has pieces of 64 MB
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that is told")
def test_freed_memory_is_used_again(blocks: int) -> None:
    pages = blocks * _MEGABYTES * 256
    assert faults("as it is", blocks) > pages / 20
    assert faults("kept", blocks) < pages / 100
