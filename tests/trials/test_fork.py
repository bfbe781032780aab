"""What a fork of a process tells of how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# In a process of its own: the one that runs the tests has threads.
CODE = """
import json, os, signal, sys, time
from compatload.trials.fork import end_of

def failing():
    print("before it")
    raise ValueError("this")

def noisy():
    os.write(1, b"word " * (1 << 20))

acts = [
    lambda: print("said"),
    failing,
    lambda: os.kill(os.getpid(), signal.SIGSEGV),
    lambda: os._exit(7),
    lambda: time.sleep(60),
    noisy,
]
ends = [end_of(act, 1.0) for act in acts]
print(json.dumps([[end.status, end.last_line, len(end.said)] for end in ends]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_every_way_to_end_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, cwd=ROOT
    )
    *ends, noisy = json.loads(done.stdout)
    assert [(status, last) for status, last, _ in ends] == [
        (0, "said"),
        (1, "ValueError: this"),
        (-signal.SIGSEGV, ""),
        (7, ""),
        (None, ""),
    ]
    assert noisy[0] == 0
    assert noisy[2] < 64 << 10
