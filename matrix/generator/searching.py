"""Saves and loads drawn models by the thousand, in one process a release.

What was saved lies under ``generated/<seed>/<release>/<number>`` in the matrix's home, what came of
loads in a journal beside it: a search that is cut short goes on from there.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from matrix.artifacts import source_digest
from matrix.calls import LOADERS
from matrix.cells import Result
from matrix.environments import Environment, home
from matrix.execution import CODE
from matrix.generator.description import Description
from matrix.journal import Journal
from matrix.pool import Worker, WorkerError

# So many numbers of each release are made, and then loaded, by one process a release.
TOGETHER = 60
MAKE_SECONDS = 15.0
# Most take a twentieth of a second. What hangs is waited for once more, and then by Paddle alone.
LOAD_SECONDS = 10.0
ALONE_SECONDS = 20.0
OWN = ("matrix/generator/*.py", "matrix/zoo/steps.py", "matrix/saving.py", "matrix/network.py")
APIS = tuple(LOADERS)
# Paddle's other APIs know one program a file.
OF_METHODS = ("jit",)


@dataclass(frozen=True)
class Model:
    """A drawn model as a release has saved it; ``refused``: why there is none."""

    saver: str
    number: int
    folder: Path
    function: str
    name: str = ""
    digest: str = ""
    operators: Mapping[str, int] = field(default_factory=dict)
    refused: str = ""

    @property
    def description(self) -> Description:
        return Description.parse(self.name)


@dataclass(frozen=True, order=True)
class Load:
    """A model of a release, loaded by another through an API, by whose call."""

    saver: str
    number: int
    loader: str
    api: str
    caller: str = "compatload"


class Search:
    """One seed: its models, and what came of their loads."""

    def __init__(
        self,
        seed: int,
        environments: Mapping[str, Environment],
        loads: int,
        *,
        kept: str = "",
        wanted: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """``kept``: of what earlier code loaded, ``right`` is not loaded again, or ``all``;
        ``wanted``: by format the operators whose makers alone are drawn, the ``dresses`` and the
        ``ways``, as the seed began."""
        self.seed = seed
        self.kept = kept
        self.environments = environments
        self.loads = loads
        self.models: dict[tuple[str, int], Model] = {}
        self.results: dict[Load, Result] = {}
        self.folder = home() / "generated" / str(seed)
        self.wanted = _as_begun(self.folder / "wanted.json", wanted)
        self._known: set[str] = set()
        self._code = {caller: source_digest(patterns) for caller, patterns in CODE.items()}
        self._open = ExitStack()
        self._journal = self._open.enter_context(Journal(self.folder / "journal.jsonl", sync=False))
        self._workers: dict[tuple[str, str], Worker] = {}

    def __enter__(self) -> Search:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def run(
        self,
        count: int,
        until: float,
        advance: Callable[[], None],
        after: Callable[[Search], None],
    ) -> None:
        """Make ``count`` models of each release, and load them, as long as time lasts; ``after``
        is called now and then."""
        for start in range(0, count, TOGETHER):
            if time.monotonic() >= until:
                return
            numbers = range(start, min(start + TOGETHER, count))
            made = [model for saver in self.environments for model in self.make(saver, numbers)]
            self.load([load for model in made for load in self.drawn_loads(model)])
            after(self)
            for _ in range(len(numbers) * len(self.environments)):
                advance()

    def make(self, saver: str, numbers: Iterable[int]) -> list[Model]:
        """The models of those numbers that are unlike every earlier one of their release."""
        waiting = [n for n in numbers if not (self._place(saver, n) / "made.json").exists()]
        requests = [
            {
                "do": "make",
                "seed": self.seed,
                "number": n,
                "folder": str(self._place(saver, n)),
                "wanted": self.wanted.get("legacy" if saver.startswith("2.") else "pir", ()),
                "dresses": self.wanted.get("dresses", ()),
                "ways": self.wanted.get("ways", ()),
            }
            for n in waiting
        ]
        for number, raw in zip(waiting, self._ask(saver, "save", requests, MAKE_SECONDS)):
            if "error" in raw:  # it died, and wrote nothing
                _note(self._place(saver, number), {"refused": f"died: {raw['error']}"})
        new = []
        for number in numbers:
            folder = self._place(saver, number)
            raw = json.loads((folder / "made.json").read_text(encoding="utf-8"))
            known = f"{saver} {raw.get('digest')}"
            if "name" in raw and known in self._known:
                raw = {"function": raw["function"], "refused": "made before"}
            self._known.add(known)
            model = Model(saver, number, folder, raw.pop("function", ""), **raw)
            self.models[saver, number] = model
            new += [] if model.refused else [model]
        return new

    def _place(self, saver: str, number: int) -> Path:
        return self.folder / saver / str(number)

    def drawn_loads(self, model: Model) -> Iterator[Load]:
        """Some of the ways to load it, another sample for each model."""
        every = [
            Load(model.saver, model.number, loader, api)
            for loader in self.environments
            for api in APIS
            if model.description.way != "methods" or api in OF_METHODS
        ]
        chance = random.Random(f"{self.seed}/{model.saver}/{model.number}")  # noqa: S311
        yield from chance.sample(every, min(self.loads, len(every)))

    def load(self, loads: Iterable[Load]) -> None:
        """Find out what comes of each; a failure counts that a process of its own has seen."""
        by_worker: dict[tuple[str, str], list[Load]] = {}
        for load in loads:
            known = self._journal.get(self._key(load), self._code[load.caller])
            if not known and self.kept:
                known = self._before(load)
            if known:
                self.results[load] = known
            else:
                by_worker.setdefault((load.loader, load.caller), []).append(load)
        for (loader, caller), several in by_worker.items():
            requests = [self.request(load) for load in several]
            results = self._ask(loader, caller, requests, LOAD_SECONDS)
            for load, request, raw in zip(several, requests, results):
                result = Result.from_dict(raw)
                if result.outcome != "ok":
                    result = self.alone(loader, caller, request)
                self._journal.add(self._key(load), self._code[caller], result)
                self.results[load] = result

    def _before(self, load: Load) -> Result | None:
        """What came of it under any code, if that is kept."""
        known = self._journal.get(self._key(load), None)
        right = known is not None and (known.outcome == "ok" or load.caller == "paddle")
        return known if right or self.kept == "all" else None

    def alone(self, loader: str, caller: str, request: Mapping[str, Any]) -> Result:
        """What a process says that loads nothing else."""
        (raw,) = self._ask(loader, caller, [request], ALONE_SECONDS)
        return Result.from_dict(raw)

    def request(self, load: Load, folder: Path | None = None) -> dict[str, Any]:
        place = folder or self._place(load.saver, load.number)
        asked = {"do": "load", "folder": str(place), "api": load.api, "caller": load.caller}
        return {**asked, "again": True}

    def saved(self, saver: str, description: Description, folder: Path) -> bool:
        """Whether that release saves a model of that description."""
        shutil.rmtree(folder, ignore_errors=True)
        request = {"do": "save", "network": description.name, "folder": str(folder)}
        (raw,) = self._ask(saver, "save", [request], MAKE_SECONDS)
        return not raw.get("error")

    def _key(self, load: Load) -> str:
        digest = self.models[load.saver, load.number].digest
        ids = (self.environments[load.loader].digest, digest)
        return "/".join((load.saver, str(load.number), load.loader, load.api, load.caller, *ids))

    def _ask(
        self, release: str, errand: str, requests: Sequence[Mapping[str, Any]], seconds: float
    ) -> list[dict[str, Any]]:
        if not requests:
            return []
        several = [{**one, "timeout": seconds} for one in requests]
        request = {"do": "several", "requests": several, "timeout": seconds * len(several)}
        worker = self._worker(release, errand)
        try:
            answers: list[dict[str, Any]] = worker.ask(request)["answers"]
        except WorkerError:  # one that dies of old age gets one successor
            answers = worker.ask(request)["answers"]
        return answers

    def _worker(self, release: str, errand: str) -> Worker:
        if (release, errand) not in self._workers:
            log = home() / f"logs/{release}-generated-{errand}.log"
            worker = Worker(self.environments[release].python, errand, home(), log=log)
            self._workers[release, errand] = self._open.enter_context(worker)
        return self._workers[release, errand]


def _note(folder: Path, record: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made.json").write_text(json.dumps(record) + "\n", encoding="utf-8")


def _as_begun(
    path: Path, wanted: Mapping[str, Sequence[str]] | None
) -> Mapping[str, Sequence[str]]:
    """A seed that goes on draws from what it drew from at first."""
    if path.exists():
        known: Mapping[str, Sequence[str]] = json.loads(path.read_text(encoding="utf-8"))
        return known
    if wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(wanted) + "\n", encoding="utf-8")
    return wanted or {}
