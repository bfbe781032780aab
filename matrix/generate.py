"""Make models from Paddle's own signatures, save and load them everywhere, and sort what fails.

    python -m matrix.generate --count 500 --seed 1                 500 of each release
    python -m matrix.generate --count 5000 --seed 1 --minutes 30   as far as that goes
    python -m matrix.generate --count 500 --seed 1 --releases 2.6.2 3.3.1 --loads 6
    python -m matrix.generate --count 200 --seed 2 --untried       what no committed seed has tried
    python -m matrix.generate --count 450 --seed 3 --dress loop branch   all of them in one of these
    python -m matrix.generate --count 450 --seed 4 --way legacy          all saved in this way
    python -m matrix.generate --name 'made:{…}' --releases 2.6.2 3.3.1      one model, everywhere

Every model is loaded through ``--loads`` ways of every loader, drawn for each, and run at each size
and again. What fails is tried in a process of its own, by Paddle alone at home and abroad, and
shrunk. With ``--report``, ``matrix/results/generated.json`` and ``docs/generated.md`` are written.
Exit status: 0 nothing is compatload's fault, 1 something is.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence

from matrix.environments import ensure
from matrix.generator import causes, coverage, report, shrinking
from matrix.generator.description import Description
from matrix.generator.searching import APIS, Load, Search
from matrix.progress import progress, say
from matrix.releases import REPRESENTATIVES
from matrix.versions import entries


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    by_id = {entry.id: entry for entry in entries()}
    environments = {one: ensure(by_id[one]) for one in asked.releases}
    wanted = dict(coverage.untried(report.seeds().values())) if asked.untried else {}
    if asked.dress:
        wanted["dresses"] = asked.dress
    if asked.way:
        wanted["ways"] = asked.way
    with Search(asked.seed, environments, asked.loads, kept=asked.kept, wanted=wanted) as search:
        if asked.name:
            return tell(search, Description.parse(asked.name))
        until = time.monotonic() + 60 * asked.minutes
        with progress("models", asked.count * len(asked.releases)) as advance:
            search.run(asked.count, until, advance, causes.ask_paddle)
        return judge(search, asked)


def judge(search: Search, asked: argparse.Namespace) -> int:
    """Tell what came of it, shrink what is compatload's fault, write the report if asked to."""
    loads = [load for load in search.results if load.caller == "compatload"]
    counts = Counter(causes.cause(load, search.results) for load in loads)
    made = [model for model in search.models.values() if not model.refused]
    say(f"seed {asked.seed}: {len(made)} models, {len(loads)} loads")
    for name in causes.CAUSES:
        say(f"  {counts[name]:7d} {name}")
    least = {}
    failures = causes.groups(search)
    for number, failure in enumerate(failures):
        model = search.models[failure.load.saver, failure.load.number]
        if failure.cause in causes.FAILS and number < asked.shrink:
            fails = shrinking.alike(search, failure.load, search.folder / "least")
            least[failure] = shrinking.least(model.description, fails).name
        print(report.line(failure, least.get(failure, model.name), search))
    if asked.report:
        report.write(search, failures, least, counts)
    return 1 if any(counts[name] for name in causes.FAILS) else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.generate", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = [entry.id for entry in entries()]
    parser.add_argument("--count", type=int, default=100, help="models of each release")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--releases", nargs="+", choices=known, default=[*REPRESENTATIVES], metavar="RELEASE"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="make no model later")
    parser.add_argument("--loads", type=int, default=2, help="ways in which a model is loaded")
    parser.add_argument(
        "--kept",
        choices=("right", "all"),
        default="",
        help="what earlier code loaded right, or all that it loaded, is not loaded again",
    )
    parser.add_argument(
        "--untried",
        action="store_true",
        help="draw only functions that make operators which no committed seed has tried",
    )
    parser.add_argument(
        "--dress",
        nargs="+",
        default=[],
        metavar="NAME",
        help="what stands around the calls: draw of these alone",
    )
    parser.add_argument(
        "--way",
        nargs="+",
        default=[],
        metavar="NAME",
        help="how a model is saved: draw of these alone (a release without them: layer)",
    )
    parser.add_argument("--shrink", type=int, default=30, help="at most so many failures")
    parser.add_argument("--report", action="store_true", help="write the committed report")
    parser.add_argument("--name", help="a model by its name; tells what comes of it everywhere")
    return parser.parse_args(arguments)


def tell(search: Search, description: Description) -> int:
    """What comes of one model in every pair of the releases, one line a load."""
    failed = 0
    for saver in search.environments:
        folder = search.folder / saver / "named"
        if not search.saved(saver, description, folder):
            print(f"{saver}: cannot be saved")
            continue
        for loader in search.environments:
            for api in APIS:
                for caller in ("paddle", "compatload"):
                    load = Load(saver, 0, loader, api, caller)
                    result = search.alone(loader, caller, search.request(load, folder))
                    failed += caller == "compatload" and result.outcome != "ok"
                    shown = "" if result.outcome == "ok" else causes.said(result)
                    rules = " ".join((*result.steps, *result.rules))
                    print(f"{saver} {loader} {api} {caller}: {result.outcome}  {shown}  {rules}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
