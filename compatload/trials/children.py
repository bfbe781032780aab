"""The parent's side of a child process: how it starts, what it may print, and how it ended.

Whatever ends the parent ends the child and all that it started (see ``tether``); what it prints is
read as it comes and kept shortened, so it costs neither disk nor memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from compatload.frozen import frozen

# What is kept of a child's output: its first words, and its last.
HEAD, TAIL = 4 << 10, 16 << 10
_LONGEST_LINE = 500
_POLL = 0.02
# How long a guard may take to kill its group, and an ended group's output to arrive.
_GRACE = 0.5
_ROOT = str(Path(__file__).resolve().parents[2])
_TETHER = str(Path(__file__).with_name("tether.py"))


@frozen
class End:
    """How a child ended: ``status`` is negative for a signal, and None if its time was up.

    ``said`` is what it printed, on both streams; the middle of a long text is left out.
    """

    status: int | None
    said: str = ""

    @property
    def how(self) -> str:
        """``killed by SIGSEGV`` or ``ended with status 3``."""
        if self.status is None:
            return "killed when its time was up"
        if self.status >= 0:
            return f"ended with status {self.status}"
        return f"killed by {signal_name(-self.status)}"

    @property
    def last_line(self) -> str:
        """The last line that says anything, or ``""``."""
        return next(iter(reversed(self._lines())), "")

    @property
    def telling_line(self) -> str:
        """The last line that names an error, else the last line."""
        said = [line for line in self._lines() if not set(line) <= set("-=*^~ ")]
        named = [line for line in said if "Error" in line.split(":")[0]]
        return next(iter(reversed(named or said)), "")

    def _lines(self) -> list[str]:
        lines = (line.strip() for line in self.said.splitlines())
        return [line[:_LONGEST_LINE] for line in lines if line]


def signal_name(number: int) -> str:
    """``SIGSEGV``, or ``signal 99`` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Child:
    """A process that calls ``function`` (``package.module:name``) with ``arguments``.

    Leaving the context ends it, with everything that it started.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        function: str,
        *arguments: str,
        interpreter: str = sys.executable,
        options: Sequence[str] = (),
        directory: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own code in a Python the caller names
            [interpreter, *options, _TETHER, _ROOT, function, *arguments],
            cwd=directory,
            env=None if environment is None else dict(environment),
            stdin=subprocess.PIPE,  # held open for as long as this process lives, never written to
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self._process.stdout is not None  # noqa: S101 - for the type checker
        self._output = Output(self._process.stdout)

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def has_ended(self) -> bool:
        if self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        # Left unreaped, so that nobody else can get its number before its group is killed.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, flags) is not None
        except ChildProcessError:  # somebody else has reaped it
            return self._process.poll() is not None

    def wait(self, timeout: float) -> End:
        """How it ended; it is killed after ``timeout`` seconds."""
        until = time.monotonic() + timeout
        while not self.has_ended():
            if time.monotonic() > until:
                self.end()
                return End(None, self._output.text())
            time.sleep(_POLL)
        return self.end()

    def end(self) -> End:
        """How it ended, for which it is killed if it is still there."""
        process = self._process
        if process.stdin is not None and not process.stdin.closed:
            process.stdin.close()  # its guard kills the group, and leaves nobody unreaped
            until = time.monotonic() + _GRACE
            while not self.has_ended() and time.monotonic() < until:
                time.sleep(_POLL / 4)
            self._kill_group()
            process.wait()
            self._output.close()
        return End(process.returncode, self._output.text())

    def _kill_group(self) -> None:
        if not hasattr(os, "killpg"):
            self._process.kill()
            return
        # Nobody is left, which macOS calls not permitted.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def run(
    function: str,
    *arguments: str,
    timeout: float,
    interpreter: str = sys.executable,
    options: Sequence[str] = (),
    directory: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> End:
    """Start a :class:`Child` and wait for its end, ``timeout`` seconds at most.

    Raises:
        OSError: it cannot be started.
    """
    with Child(
        function,
        *arguments,
        interpreter=interpreter,
        options=options,
        directory=directory,
        environment=environment,
    ) as child:
        return child.wait(timeout)


class Output:
    """What a child prints, read as it comes; the head and the tail of it are kept."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._head, self._tail, self._dropped = b"", b"", 0
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while piece := os.read(stream.fileno(), 1 << 16):
                room = HEAD - len(self._head)
                self._head += piece[:room]
                tail = self._tail + piece[room:]
                self._dropped += max(len(tail) - TAIL, 0)
                self._tail = tail[-TAIL:]

    def close(self) -> None:
        """Wait for what is still to come; one that left the group may hold the stream open."""
        self._thread.join(_GRACE)

    def text(self) -> str:
        cut = f"\n… {self._dropped} bytes left out …\n".encode() if self._dropped else b""
        return (self._head + cut + self._tail).decode(errors="replace")
