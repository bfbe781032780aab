"""The append-only record of finished cells, which a killed run is resumed from.

One JSON object a line: ``{"key": …, "code": …, "result": {…}}``. A key names the cell and the
saved network and environment that its result depends on, ``code`` the code, so a line is either
right or never asked for. The last line may have been cut short by a kill; anything unreadable is
passed over and runs again.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from types import TracebackType

from matrix.cells import Result


class Journal:
    """Finished cells by key. Appends are whole lines, flushed one by one (``sync``: to disk).

    ``unwritten`` says why records could not be written, if any could not.
    """

    def __init__(self, path: Path, *, sync: bool = True) -> None:
        self.path = path
        self._sync = sync
        self.unwritten: str | None = None
        self._lock = threading.Lock()
        self._results = _read(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        _end_last_line(path)
        self._stream = path.open("a", encoding="utf-8")

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):  # a full disk; ``unwritten`` tells it
            self._stream.close()

    def __len__(self) -> int:
        return len(self._results)

    def get(self, key: str, code: str | None) -> Result | None:
        """What came of it under that code (None: under any), or None if it was not run so."""
        known = self._results.get(key)
        return known[1] if known and code in (None, known[0]) else None

    def add(self, key: str, code: str, result: Result) -> None:
        """Record a finished cell; the last record of a key counts.

        A disk that is full does not stop a run: the record is then kept in memory only.
        """
        line = {"key": key, "code": code, "result": result.to_dict()}
        with self._lock:
            self._results[key] = (code, result)
            try:
                self._stream.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._stream.flush()
                if self._sync:
                    os.fsync(self._stream.fileno())
            except OSError as error:
                self.unwritten = str(error)


def _read(path: Path) -> dict[str, tuple[str, Result]]:
    found: dict[str, tuple[str, Result]] = {}
    if not path.exists():
        return found
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                raw = json.loads(line)
                result = Result.from_dict(raw["result"])
                found[str(raw["key"])] = (str(raw["code"]), result)
            except (ValueError, KeyError, TypeError):
                continue
    return found


def _end_last_line(path: Path) -> None:
    """A line cut short must not swallow the next one."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb+") as stream:
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) != b"\n":
            stream.write(b"\n")
