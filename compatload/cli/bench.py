"""Time a model on this machine, by each engine and number of threads, side by side."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from compatload.artifact.inspection import inspect_artifact
from compatload.engines.known import ENGINES
from compatload.errors import UsageError
from compatload.serving.bench import BenchComparison, ServingWay, TimedWay, bench
from compatload.serving.options import available_processors

_ENGINES = ("paddle", *ENGINES)
_BARS = " ▁▂▃▄▅▆▇█"
_COLUMNS = 40

EXIT_CODES = "exit codes: 0 measured, 1 no engine runs it, 2 usage, 3 no model there"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="prefix, file or directory of the model")
    parser.add_argument("--engine", action="append", choices=_ENGINES, help="only this one")
    parser.add_argument("--threads", metavar="N,N", help="default: 1, and all processors")
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="[NAME=]1x3x224x224",
        help="of an input, in all calls; engines are timed compiled for it, too",
    )
    parser.add_argument("--turns", type=int, default=5, help="of each way (default 5)")
    parser.add_argument("--json", metavar="FILE", help="write every time of every call there")


def run(arguments: argparse.Namespace) -> int:
    threads = _numbers(arguments.threads) or _usual_threads()
    if arguments.turns < 1:
        raise UsageError(f"--turns {arguments.turns}", action="Give a number from 1.")
    ways = [ServingWay(engine, n) for engine in arguments.engine or _ENGINES for n in threads]
    shapes = _shapes(arguments.path, arguments.shape)
    if shapes:  # Paddle's predictors gain nothing by them.
        fixed = tuple(shapes.items())
        ways += [replace(one, shapes=fixed) for one in ways if one.engine != "paddle"]
    found = bench(arguments.path, ways, shapes=shapes, turns=arguments.turns)
    if arguments.json:
        try:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump(found.to_dict(), file, indent=1)
        except OSError as error:
            raise UsageError(
                f"{arguments.json} cannot be written: {error}", action="Name another file."
            ) from error
    print(told(found))
    return 0


def _usual_threads() -> tuple[int, ...]:
    return tuple(sorted({1, available_processors()}))


def _numbers(text: str | None) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in (text or "").split(",") if part)
    except ValueError:
        found = (0,)
    if min(found, default=1) < 1:
        raise UsageError(f"--threads {text}", action="Give whole numbers from 1: --threads 1,4.")
    return found


def _shapes(path: str, asked: Sequence[str]) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for text in asked:
        name, _, sizes = text.rpartition("=")
        try:
            shape = tuple(int(size) for size in sizes.split("x"))
        except ValueError:
            shape = (0,)
        if min(shape) < 1:
            raise UsageError(f"--shape {text}", action="Write it as NAME=1x3x224x224.")
        shapes[name or _only_input(path)] = shape
    return shapes


def _only_input(path: str) -> str:
    names = [spec.name for spec in inspect_artifact(path).inputs]
    if len(names) != 1:
        raise UsageError(
            f"{path} has {len(names)} inputs: {', '.join(names)}",
            action="Name each: --shape NAME=1x3x224x224.",
        )
    return names[0]


def told(found: BenchComparison) -> str:
    """The comparison in words, with a picture of every way's calls on one scale."""
    titles = [f", {ENGINES[name].title} {release}" for name, release in found.engines.items()]
    lines = [
        f"{found.path}, inputs {', '.join(found.shapes)}",
        f"{found.runtime}{''.join(titles)}, {found.cpu}",
        "",
    ]
    timed = [one for one in found.ways if one.seconds]
    calls = [1000 * taken for one in timed for turn in one.seconds for taken in turn]
    least, most = min(calls), sorted(calls)[int(0.98 * (len(calls) - 1))]
    width = max(len(one.way.name) for one in found.ways)
    scale = f"{least:.3g} ms".ljust(_COLUMNS - 8) + f"{most:.3g} ms"
    lines.append(f"{'':{width}}  {'median':>10}  {'calls/s':>8}  {scale}")
    for one in timed:
        each = one.milliseconds
        picture = histogram(one, least, most)
        lines.append(f"{one.way.name:{width}}  {each:>7.3g} ms  {1000 / each:>8.4g}  {picture}")
    lines += [f"{one.way.name:{width}}  {one.refused}" for one in found.ways if one.refused]
    best = found.fastest
    if best is not None:
        lines += ["", "The fastest one that is right here:", "", f"    {best.way.code(found.path)}"]
        lines += [f"    # {note}" for note in best.notes]
    return "\n".join(lines)


def histogram(one: TimedWay, least: float, most: float) -> str:
    """How many calls took how long, from left to right on a logarithmic scale."""
    from math import log

    spread = log(most / least) or 1.0
    counts = [0] * _COLUMNS
    for turn in one.seconds:
        for taken in turn:
            place = int(log(max(1000 * taken, least) / least) / spread * (_COLUMNS - 1))
            counts[min(place, _COLUMNS - 1)] += 1
    tallest = max(counts)
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // tallest)] for count in counts).rstrip()
