"""What the children of these tests do."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def sleep(told: str) -> None:
    """With a grandchild; tells the numbers of both."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _tell(told, os.getpid(), other.pid)
    time.sleep(60)


def hold(told: str) -> None:
    """In native code that lets nothing of Python run, as a Paddle that hangs."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _tell(told, os.getpid(), other.pid)
    ctypes.PyDLL(None).sleep(60)


def print_on(told: str) -> None:
    """Whether or not anybody reads it."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _tell(told, os.getpid(), other.pid)
    while True:
        try:
            os.write(1, b"words " * 1000)
        except OSError:
            time.sleep(0.01)


def print_much(megabytes: str) -> None:
    print("first words", flush=True)
    piece = b"x" * 1023 + b"\n"
    for _ in range(int(megabytes)):
        os.write(1, piece * 1024)
    print("ValueError: last words", file=sys.stderr)
    sys.exit(3)


def leave_one_behind(told: str) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _tell(told, os.getpid(), other.pid)


def die(name: str) -> None:
    os.kill(os.getpid(), getattr(signal, name))


def read_input() -> int:
    return len(sys.stdin.read())


def _tell(told: str, *numbers: int) -> None:
    whole = Path(told + ".part")
    whole.write_text(" ".join(map(str, numbers)))
    whole.rename(told)
