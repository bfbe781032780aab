"""Search chains of operators for numbers that a predictor gets wrong and no rule knows of.

    python -m matrix.chains 2.6.2                       every pair of operators after a convolution
    python -m matrix.chains 3.3.1 --loader 2.6.2        saved by one release, loaded by another
    python -m matrix.chains 3.3.1 --head linear --count 500
    python -m matrix.chains 3.3.1 --fork                 both of the pair read the convolution
    python -m matrix.chains 3.3.1 --free                 of images of any height and width
    python -m matrix.chains 3.3.1 --length 3 --kept --count 2000 --apis predictor served
    python -m matrix.chains 3.3.1 --caller paddle --chain chain:bare.gelu.relu

Each chain is saved by a real Paddle, loaded through ``safe_create_predictor`` (or other ways, or
Paddle's own calls), run at each size and again, and compared with what the layer computed: some
together in a process, and what fails in one of its own. What is not ok
is told, one line each; counts go to ``matrix/results/chains.json``. The order is drawn with
``--seed``, so that a search that is cut short is a sample. Exit status: 0 all ok, 1 one is not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matrix.calls import LOADERS
from matrix.cells import CALLERS, Result
from matrix.environments import Environment, ensure, home
from matrix.pool import Worker, WorkerError
from matrix.progress import progress, say
from matrix.results import RESULTS
from matrix.versions import entries

COUNTS = RESULTS / "chains.json"
SECONDS = 60.0
TOGETHER = 20


@dataclass
class Search:
    """Chains that wait, and what came of the others; ``None``: no such network can be saved."""

    waiting: Iterator[str]
    until: float
    found: dict[str, Result | None] = field(default_factory=dict)

    def take(self) -> str | None:
        return next(self.waiting, None) if time.monotonic() < self.until else None


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    by_id = {entry.id: entry for entry in entries()}
    saver, loader = ensure(by_id[asked.saver]), ensure(by_id[asked.loader or asked.saver])
    flags = by_id[asked.saver].flags
    names = asked.chain or drawn(saver, asked)
    search = Search(iter(names), time.monotonic() + 60 * asked.minutes)
    title = f"{saver.id} → {loader.id}"
    with progress(title, len(names)) as advance, ThreadPoolExecutor(asked.jobs) as threads:
        works = [
            threads.submit(work, search, saver, flags, loader, asked, advance)
            for _ in range(asked.jobs)
        ]
        for one in works:
            one.result()
    counts = Counter(r.outcome if r else "cannot be saved" for r in search.found.values())
    failed = {n: r for n, r in sorted(search.found.items()) if r and r.outcome != "ok"}
    for name, result in failed.items():
        print(f"{name}  {result.outcome}  {result.error or result.difference}  {result.rules}")
    say(f"{title}, {asked.caller}: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    if not asked.chain:
        begin = (asked.head or "no head") + (" forked" if asked.fork else "")
        begin += f" length {asked.length}" * (asked.length != 2) + " kept" * asked.kept
        begin += " free" * asked.free
        begin += f" seed {asked.seed}" * (asked.seed != 0)
        record(f"{title}, {begin}, {asked.caller}", counts, sorted(failed))
    return 1 if failed else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.chains", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = [entry.id for entry in entries()]
    parser.add_argument("saver", choices=known, metavar="RELEASE")
    parser.add_argument("--loader", choices=known, metavar="RELEASE", help="default: the saver")
    parser.add_argument("--caller", choices=CALLERS, default="compatload")
    parser.add_argument("--head", default="conv", help="the first operator; '' for none")
    parser.add_argument("--length", type=int, default=2, help="operators after it")
    parser.add_argument("--fork", action="store_true", help="the last two read the same value")
    parser.add_argument("--kept", action="store_true", help="values on the way are outputs too")
    parser.add_argument("--free", action="store_true", help="images of any height and width")
    parser.add_argument("--apis", nargs="+", choices=LOADERS, default=["predictor"])
    parser.add_argument("--count", type=int, default=None, help="at most so many chains")
    parser.add_argument("--chain", nargs="+", metavar="NAME", help="these only, not recorded")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no chain later")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(arguments)


def drawn(saver: Environment, asked: argparse.Namespace) -> list[str]:
    """Chains in an order that the seed decides."""
    told = ("head", "length", "fork", "kept", "free", "count", "seed")
    wanted = {name: getattr(asked, name) for name in told}
    with Worker(saver.python, "save", home(), log=_log(saver)) as worker:
        names: list[str] = worker.ask({"do": "chains", "wanted": wanted, "timeout": SECONDS})[
            "chains"
        ]
    return names


def work(
    search: Search,
    saver: Environment,
    flags: Sequence[str],
    loader: Environment,
    asked: argparse.Namespace,
    advance: Callable[[], None],
) -> None:
    """Save and load chains, some together, until none waits."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Worker(saver.python, "save", home(), log=_log(saver), flags=flags) as saves,
        Worker(loader.python, asked.caller, home(), log=_log(loader)) as loads,
    ):
        while names := [one for one in (search.take() for _ in range(TOGETHER)) if one]:
            try:
                found = tried(names, Path(folder), saves, loads, asked)
            except WorkerError as error:
                found = dict.fromkeys(names, Result("crash", error=str(error)))
            search.found.update(found)
            for _ in names:
                advance()


def tried(
    names: Sequence[str], folder: Path, saves: Worker, loads: Worker, asked: argparse.Namespace
) -> dict[str, Result | None]:
    """What came of each chain; None if its operators do not fit one another."""
    shutil.rmtree(folder, ignore_errors=True)
    folders = {name: folder / str(number) for number, name in enumerate(names)}
    requests = [{"do": "save", "network": n, "folder": str(f)} for n, f in folders.items()]
    saved = [not raw.get("error") for raw in ask(saves, requests)]
    found: dict[str, Result | None] = dict.fromkeys(names)
    for api in asked.apis:
        loaded = [name for name, fits in zip(names, saved) if fits]
        requests = [
            {"do": "load", "api": api, "caller": asked.caller, "again": True, "folder": str(f)}
            for f in map(folders.__getitem__, loaded)
        ]
        for name, request, raw in zip(loaded, requests, ask(loads, requests)):
            result = Result.from_dict(raw)
            if result.outcome != "ok":
                result = Result.from_dict(*ask(loads, [request]))
            known = found[name]
            if known is None or known.outcome == "ok":
                found[name] = result
    return found


def ask(worker: Worker, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What one process answers as far as it lives."""
    several = [{**one, "timeout": SECONDS} for one in requests]
    seconds = SECONDS * len(several)
    answers: list[dict[str, Any]] = worker.ask(
        {"do": "several", "requests": several, "timeout": seconds}
    )["answers"]
    return answers


def record(what: str, counts: Counter[str], failed: Sequence[str]) -> None:
    """Put the counts of one search beside those of the others."""
    known = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    when = time.strftime("%Y-%m-%d", time.gmtime())
    known[what] = {"when": when, **dict(sorted(counts.items())), "not ok": list(failed)}
    text = json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False)
    COUNTS.write_text(text + "\n", encoding="utf-8")


def _log(environment: Environment) -> Path:
    return home() / f"logs/{environment.id}-chains.log"


if __name__ == "__main__":
    sys.exit(main())
