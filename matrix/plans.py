"""Holds the plans that compatload makes today against those that the cells were run with.

    python -m matrix.plans            how many cells have another plan now, and which
    python -m matrix.plans --list     only their names, one a line

What comes of a cell depends on its saved network, the release, and what the plan does. A change of
the rules leaves most plans as they were; the others are the cells that have to be run again
(``--stale`` of ``matrix.run``). Repairs of a program are decided while it is rewritten and are no
part of this. The saved networks must lie where the matrix keeps them; nothing is run.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compatload.faults.catalogue import load_rules
from compatload.faults.model import Action
from compatload.plan import Plan
from compatload.planning import plan_load
from compatload.runtime.detection import runtime_for
from matrix.cells import Cell, Result
from matrix.machines import Machines, machines_of
from matrix.predictions import APIS, at_hand
from matrix.report import latest
from matrix.results import RESULTS, read

_REPAIRS = {rule.id for rule in load_rules() if rule.action is Action.REPAIR}


@dataclass(frozen=True)
class Steps:
    """What a cell went through, or would: strategies in order, and the rules of the last."""

    strategies: tuple[str, ...]
    rules: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="matrix.plans", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="names of cells, for --only")
    asked = parser.parse_args(arguments)
    folder = RESULTS / latest()
    cells = {cell: one for cell, one in read(folder).items() if cell.caller == "compatload"}
    count, changed = 0, []
    for cell, before, now in compared(cells, machines_of(folder)):
        count += 1
        if before != now:
            changed.append((cell, before, now))
    if asked.list:
        print("\n".join(cell.id for cell, *_ in changed))
        return 1 if changed else 0
    for (before, now), several in Counter((b, n) for _, b, n in changed).most_common():
        print(f"{several:6,} cells: {shown(before)} → {shown(now)}")
    print(f"{count:,} plans, {count - len(changed):,} as they were run")
    if not count:
        print("no saved network is here: run python -m matrix.run first", file=sys.stderr)
        return 2
    return 1 if changed else 0


def compared(
    cells: Mapping[Cell, Result], machines: Machines
) -> Iterator[tuple[Cell, Steps, Steps]]:
    """Each cell that was run and whose network is here: what it went through, and would now."""
    for cell, result, artifact in at_hand(cells):
        runtime = runtime_for(f"paddle=={cell.loader}", cpu=machines.of(cell))
        before = gone_through(result)
        plan = plan_load(artifact, runtime, APIS[cell.api])
        yield cell, before, planned(plan, len(before.strategies))


def gone_through(result: Result) -> Steps:
    strategies = tuple(step.removeprefix("failed: ") for step in result.steps)
    return Steps(strategies, tuple(rule for rule in result.rules if rule not in _REPAIRS))


def planned(plan: Plan, steps: int) -> Steps:
    """As many steps of a plan as were gone through; of a refusal, its rule."""
    if plan.refusal is not None:
        return Steps((), (plan.refusal.rule,) if plan.refusal.rule else ())
    taken = plan.steps[: max(steps, 1)]
    return Steps(tuple(step.strategy.value for step in taken), taken[-1].rules)


def shown(steps: Steps) -> str:
    return f"{', '.join(steps.strategies) or 'refused'} ({', '.join(steps.rules) or 'no rule'})"


if __name__ == "__main__":
    sys.exit(main())
