"""Try every cell in child processes, and write down what was found as it is found."""

from __future__ import annotations

import errno
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.errors import PaddleNotFoundError, UsageError
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.planning import choose_device
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Fact, Runtime
from compatload.selftest.bundle import OWN as BUNDLE
from compatload.selftest.bundle import Bundle, Network, read_bundle, unpack
from compatload.selftest.outcome import (
    OK,
    OWN,
    PADDLE,
    Cell,
    CellDifference,
    CellRun,
    cells_of,
    compared,
    differences,
    elsewhere,
    facts,
    failures,
    reference,
    suspected,
    to_repeat,
)
from compatload.selftest.trial import NO_ROOM
from compatload.store.cache import OFF, VARIABLE
from compatload.store.measured import SCHEMA, keep, machine_key
from compatload.trials.children import Child

CELL_S = 30.0
# The part of a cell's time that Paddle's own call gets where it was seen to hang: most of the time
# of a run would go there.
_OF_A_HANG = 0.2
_POLL = 0.2
# How long a process may take until its first answer: the import of Paddle.
_START_S = 120.0
_FUNCTION = "compatload.selftest.trial:main"

Found = Callable[["Report"], object]


@frozen
class Report:
    """What was found so far. ``release`` is the measured one that it is compared with."""

    runtime: Runtime
    device: str
    bundle: Bundle
    release: str
    asked: tuple[Cell, ...]
    results: Mapping[Cell, CellRun]
    seconds: float

    @property
    def complete(self) -> bool:
        return len(self.results) == len(self.asked)

    @property
    def facts(self) -> tuple[Fact, ...]:
        kind = self.device.partition(":")[0]
        return facts(self.bundle, self.results, self.release, kind, elsewhere(self.runtime))

    @property
    def differences(self) -> tuple[CellDifference, ...]:
        return differences(self.bundle, self.results, self.release, elsewhere(self.runtime))

    @property
    def compared(self) -> int:
        return compared(self.bundle, self.results, self.release, elsewhere(self.runtime))

    def to_dict(self) -> dict[str, Any]:
        """The record, as plain data."""
        return {
            "schema": SCHEMA,
            "compatload": __version__,
            "machine": machine_key(self.runtime),
            "runtime": self.runtime.to_dict(),
            "device": self.device,
            "bundle": self.bundle.digest,
            "compared_with": self.release,
            "complete": self.complete,
            "seconds": round(self.seconds, 1),
            "facts": [asdict(fact) for fact in self.facts],
            "cells": [
                [cell.network, cell.api.value, cell.config, cell.caller, *_told(ran)]
                for cell, ran in self.results.items()
            ],
        }


def _told(ran: CellRun) -> list[Any]:
    return [ran.outcome, list(ran.rules), ran.told]


def selftest(
    device: str = "cpu",
    *,
    bundle: Path = BUNDLE,
    networks: Sequence[str] = (),
    found: Found | None = None,
    timeout: float = CELL_S,
) -> Report:
    """Try the bundle in the Paddle that is installed here.

    Args:
        networks: ids (``2.6.2/linear``) of those to try; all if none is given.
        found: called with what is known each time something was found.
        timeout: seconds after which a cell hangs.

    Raises:
        UsageError: no Paddle is installed, the device is not there, or the bundle is none.
        PaddleNotFoundError: it cannot be imported.
        OSError: there is no room for the bundle's files.
    """
    read = read_bundle(bundle)
    runtime = detect_runtime()
    if runtime.paddle is None:
        raise UsageError("no Paddle is installed here.", action="Install one, or name its Python.")
    device, unavailable = choose_device(runtime, device, Api.LAYER)
    if unavailable:
        raise UsageError(unavailable.problem, action=unavailable.action)
    asked = tuple(cell for cell in cells_of(read) if not networks or cell.network in networks)
    if not asked:
        raise UsageError(f"no network {', '.join(networks)}", action="Leave --network out.")
    release = reference(read, runtime.paddle.version)
    results: dict[Cell, CellRun] = {}
    started = time.monotonic()

    def report() -> Report:
        seconds = time.monotonic() - started
        return Report(runtime, device, read, release, asked, dict(results), seconds)

    with tempfile.TemporaryDirectory(prefix="compatload-selftest-") as folder:
        unpack(bundle, Path(folder))
        # What compatload loads takes as long as two times what Paddle does.
        own = [one for one in asked if one.caller == OWN]
        alone = [one for one in asked if one.caller == PADDLE]
        parts = (alone, own[: len(own) // 2], own[len(own) // 2 :])
        workers = [
            _Worker(Path(folder), cells, read, name=str(number))
            for number, cells in enumerate(parts)
            if cells
        ]
        _work(workers, results, device, timeout, lambda: found(report()) if found else None)
        _try_again(Path(folder), read, report(), results, timeout)
        _try_others(Path(folder), read, report(), results, timeout)
    if found is not None:
        found(report())
    return report()


def _work(
    workers: Sequence[_Worker],
    results: dict[Cell, CellRun],
    device: str,
    timeout: float,
    found: Callable[[], object],
) -> None:
    try:
        while sum(worker.go_on(results, device, timeout) for worker in workers) < len(workers):
            found()
            time.sleep(_POLL)
    except OSError:
        found()  # what was answered before there was no room
        raise
    finally:
        for worker in workers:
            worker.end()


def _try_again(
    folder: Path, bundle: Bundle, report: Report, results: dict[Cell, CellRun], timeout: float
) -> None:
    """A fault that seems to be gone is looked for once more, and what compatload failed at, which
    a busy machine may be to blame for."""
    cells = to_repeat(bundle, results, report.release, elsewhere(report.runtime))
    failed = failures(results)
    again: dict[Cell, CellRun] = {}
    workers = [_Worker(folder, cells, bundle, PADDLE), _Worker(folder, failed, bundle, OWN)]
    _work(workers, again, report.device, timeout, lambda: None)
    results.update({cell: replace(again[cell], times=2) for cell in cells})
    results.update({cell: _after(results[cell], again[cell]) for cell in failed})


def _after(first: CellRun, second: CellRun) -> CellRun:
    return replace(second, told=second.told or f"at first {first.outcome} {first.told}".rstrip())


def _try_others(
    folder: Path, bundle: Bundle, report: Report, results: dict[Cell, CellRun], timeout: float
) -> None:
    """Where compatload fails, follow the rules that help in other releases, and keep what helps."""
    kind = report.device.partition(":")[0]
    more = suspected(bundle, results, kind)
    failed = failures(results)
    if not (more and failed):
        return
    known = {fact.rule: fact for fact in (*report.facts, *more)}
    record = {**report.to_dict(), "facts": [asdict(fact) for fact in known.values()]}
    cache = folder / "cache"
    keep(report.runtime, kind, record, cache)
    again: dict[Cell, CellRun] = {}
    worker = _Worker(folder, failed, bundle, OWN, str(cache))
    _work([worker], again, report.device, timeout, lambda: None)
    results.update({c: _after(results[c], ran) for c, ran in again.items() if ran.outcome == OK})


class _Worker:
    """Cells, in one process after another; ``name`` is that of its files."""

    def __init__(
        self, folder: Path, cells: Sequence[Cell], bundle: Bundle, name: str, cache: str = OFF
    ) -> None:
        self._folder, self._name, self._bundle = folder, name, bundle
        self._cache = cache
        self._cells = list(cells)
        self._networks = {one.id: one for one in bundle.networks}
        self._child: Child | None = None
        self._given: list[Cell] = []
        self._read = 0
        self._until = 0.0
        self._file = folder / f"{name}.jsonl"

    def go_on(self, results: dict[Cell, CellRun], device: str, timeout: float) -> bool:
        """Take what has come, start what is to be started; whether nothing is left."""
        if self._child is None:
            if not self._cells:
                return True
            self._start(device, timeout)
            return False
        ended = self._child.has_ended()
        if self._take(results):
            self._until = time.monotonic() + timeout + _START_S
        late = time.monotonic() > self._until
        if not (ended or late):
            return False
        end = self._child.end()
        self._take(results)
        self._child = None
        if end.status == NO_ROOM:
            raise OSError(errno.ENOSPC, end.telling_line)
        # Once something was answered Paddle can be imported: what ended this process is something
        # else, such as a machine without memory.
        if not results and not (self._file.exists() and self._file.stat().st_size):
            raise PaddleNotFoundError(
                f"paddle is installed but cannot be imported: {end.how}: {end.telling_line}",
                action="Make `import paddle` work in this Python first (`compatload env`).",
            )
        if self._given:  # it died, and took the cell with it that it was at
            told = end.telling_line if end.status and end.status > 0 else end.how
            results[self._given[0]] = CellRun("hang" if late else "crash", told)
            self._cells.remove(self._given[0])
        return not self._cells

    def end(self) -> None:
        if self._child is not None:
            self._child.end()

    def _start(self, device: str, timeout: float) -> None:
        fork = hasattr(os, "fork") and device == "cpu"
        self._given = self._cells[:] if fork else self._cells[:1]
        self._file.unlink(missing_ok=True)
        self._read = 0
        job = self._folder / f"{self._name}.json"
        asked = {
            "fork": fork,
            "device": device,
            "results": str(self._file),
            "cells": [
                {**self._described(cell), "timeout": self._time(cell, timeout)}
                for cell in self._given
            ],
        }
        job.write_text(json.dumps(asked), encoding="utf-8")
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "GLOG_minloglevel": "3",
            VARIABLE: self._cache,  # what an earlier selftest found must not decide this one
        }
        self._child = Child(_FUNCTION, str(job), options=["-W", "ignore"], environment=environment)
        self._until = time.monotonic() + timeout + _START_S

    def _time(self, cell: Cell, timeout: float) -> float:
        awaited = cell.caller == PADDLE and self._networks[cell.network].hangs
        return timeout * _OF_A_HANG if awaited else timeout

    def _described(self, cell: Cell) -> dict[str, Any]:
        network: Network = self._networks[cell.network]
        folder = self._folder / network.saved_by / network.name
        suffix = "json" if network.format == "pir" else "pdmodel"
        weights = folder / "model.pdiparams"
        return {
            "api": cell.api.value,
            "caller": cell.caller,
            "calls": self._bundle.configs[cell.config],
            "folder": str(folder),
            "prefix": str(folder / "model"),
            "program": str(folder / f"model.{suffix}"),
            "weights": str(weights) if weights.exists() else "",
            "sets": network.sets,
            "inputs": network.inputs,
            "outputs": network.outputs,
        }

    def _take(self, results: dict[Cell, CellRun]) -> bool:
        """Read the answers that have come; whether there were any."""
        try:
            lines = self._file.read_text(encoding="utf-8").split("\n")[1:-1]
        except FileNotFoundError:
            return False
        new = lines[self._read :]
        for line in new:
            told = json.loads(line)
            cell = self._given.pop(0)
            self._cells.remove(cell)
            rules = tuple(told.get("rules", ()))
            results[cell] = CellRun(told["outcome"], told["told"], rules)
        self._read = len(lines)
        return bool(new)
