"""Crowds of processes that do the same at once, and are killed in the middle of it.

One process imports what they need and does it once; then they are its forks, so that a moment at
which they are killed lies in what they do, and not in an import.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]
_PARENT = """
import os, sys
defined = {}
exec(sys.argv[1], defined)
act = defined["act"]
act()
print(flush=True)
for line in sys.stdin:
    crowd = []
    for _ in range(int(line)):
        child = os.fork()
        if not child:
            os.dup2(2, 1)
            act()
            os._exit(0)
        crowd.append(child)
    print(*crowd, flush=True)
    sys.stdin.readline()  # a number is not given to another process before it is waited for
    print(*(os.waitpid(child, 0)[1] for child in crowd), flush=True)
"""


class Crowd:
    """Processes that call ``act``, a function that ``code`` defines."""

    def __init__(self, code: str) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _PARENT, code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self._line()

    def __enter__(self) -> Crowd:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._parent.communicate(timeout=60)

    def took(self, count: int) -> float:
        """Seconds until ``count`` have come to their end."""
        started = time.perf_counter()
        self._asked(count)
        assert self._asked("") == [0] * count
        return time.perf_counter() - started

    def killed(self, count: int, after: float) -> int:
        """How many of ``count`` were still there to be killed after so many seconds."""
        numbers = self._asked(count)
        time.sleep(after)
        for number in numbers:
            os.kill(number, signal.SIGKILL)
        return self._asked("").count(signal.SIGKILL)

    def _asked(self, what: object) -> list[int]:
        assert self._parent.stdin is not None
        print(what, file=self._parent.stdin, flush=True)
        return [int(word) for word in self._line().split()]

    def _line(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline()
