"""Worker processes as their parent sees them."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 120
# What a process that answers one request is given for its start; a hang is waited for that long.
FRESH_SECONDS = 60
# A worker kills a cell that takes too long; past this margin the worker itself is at fault.
MARGIN_SECONDS = 30


class WorkerError(Exception):
    """A worker cannot start, or died itself; the message is one line."""


def environment(home: Path) -> dict[str, str]:
    """What a worker's process is given: one thread, no flags of Paddle's, no cache: what
    an earlier cell converted must not stand for what this one would."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGS_", "COMPATLOAD_"))}
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        **kept,
        **one_thread,
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "0",
        "COMPATLOAD_CACHE": "off",
        "COMPATLOAD_MATRIX_PACKAGES": str(home / "packages"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@dataclass(frozen=True)
class _Running:
    process: subprocess.Popen[str]
    requests: IO[str]
    answers: IO[str]


class Worker:
    """One worker of one environment for one errand: ``save``, or the caller of cells.

    Its process starts with the first request. ``flags`` are Paddle's, as ``NAME=value``.
    """

    def __init__(
        self, python: str, errand: str, home: Path, *, log: Path, flags: Iterable[str] = ()
    ) -> None:
        self._command = [python, "-m", "matrix.worker", errand]
        self._environment = {**environment(home), **dict(flag.split("=", 1) for flag in flags)}
        self._home = home
        self._log = log
        self._running: _Running | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The worker's answer.

        Raises:
            WorkerError: it could not start, died, or fell silent.
        """
        running = self._running or self._start()
        try:
            running.requests.write(json.dumps(request) + "\n")
            running.requests.flush()
        except OSError as error:
            raise self._dead() from error
        return self._receive(running, float(request["timeout"]) + MARGIN_SECONDS)

    def ask_fresh(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer of a process that does nothing else; None if it died or took too long."""
        try:
            done = subprocess.run(
                [*self._command, "--once"],
                input=json.dumps(request) + "\n",
                capture_output=True,
                text=True,
                env=self._environment,
                cwd=self._home,
                timeout=float(request["timeout"]) + FRESH_SECONDS,
                check=False,
            )
            answer: dict[str, Any] = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return None
        return answer

    def stop(self) -> None:
        """End the worker's process, if it has one."""
        if self._running is not None:
            self._running.process.kill()
            self._running.process.wait()
            self._running.requests.close()
            self._running.answers.close()
            self._running = None

    def _start(self) -> _Running:
        try:
            process = self._process()
        except OSError as error:  # no interpreter, no space for its log
            raise WorkerError(f"no worker could be started: {error.strerror}") from error
        if process.stdin is None or process.stdout is None:  # both were asked for
            raise WorkerError("the worker has no pipes")
        self._running = _Running(process, process.stdin, process.stdout)
        self._receive(self._running, START_SECONDS)
        return self._running

    def _process(self) -> subprocess.Popen[str]:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("a", encoding="utf-8") as log:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self._environment,
                cwd=self._home,
            )

    def _receive(self, running: _Running, seconds: float) -> dict[str, Any]:
        if not select.select([running.answers], [], [], seconds)[0]:
            self.stop()
            raise WorkerError(f"the worker said nothing for {seconds:g} s")
        line = running.answers.readline()
        if not line:
            raise self._dead()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _dead(self) -> WorkerError:
        self.stop()
        text = self._log.read_text(encoding="utf-8", errors="replace").strip()
        last = text.splitlines()[-1:] or ["it said nothing"]
        return WorkerError(f"the worker died: {last[0][:200]}")
