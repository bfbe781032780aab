"""Each rule and the cell that shows it: fails without the rule, is ok with it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compatload.rules.catalogue import LOAD_RULES
from matrix.cells import Cell
from matrix.environments import ensure
from matrix.execution import Job, Options, execute
from matrix.journal import Journal
from matrix.report import RULES, latest
from matrix.results import RESULTS, read
from matrix.run import failure
from matrix.saved_zoo import save_zoo
from matrix.versions import TIERS, entries

SHOWN: dict[str, Any] = {
    rule: found["shown"] for rule, found in json.loads(RULES.read_text()).items() if found["shown"]
}
IDS = frozenset(rule.id for rule in LOAD_RULES)
# Rules that act in cells which are ok without them, too: training (CL110), a Config that asks for
# memory optimisation (CL204), attributes and descriptions that a translation fills in where it can
# (CL108, CL112). Tests of loading show them; REPORT.md says "not reproduced by a cell".
NOT_BY_A_CELL = frozenset({"CL108", "CL110", "CL112", "CL204"})


@cache
def results() -> dict[Cell, Any]:
    return read(RESULTS / latest())


def test_only_rules_that_there_are_have_evidence() -> None:
    assert set(SHOWN) <= IDS


def test_every_rule_that_acts_is_shown_or_named() -> None:
    acting = {rule for result in results().values() for rule in result.rules}
    assert acting - set(SHOWN) == NOT_BY_A_CELL


@pytest.mark.parametrize("rule", sorted(SHOWN))
def test_the_committed_evidence_is_of_the_committed_cells(rule: str) -> None:
    for one in SHOWN[rule]:
        told = results()[Cell.parse(one["cell"])]
        assert told.outcome == "ok"
        assert rule in told.rules
        assert one["without"]["outcome"] in ("wrong", "error", "crash", "hang")


@pytest.mark.parametrize("rule", sorted(SHOWN))
def test_a_cell_fails_without_the_rule_and_is_ok_with_it(rule: str, tmp_path: Path) -> None:
    cell = Cell.parse(SHOWN[rule][0]["cell"])
    # A real model is saved by nobody here: it stands for the release that it was published with.
    needed = {cell.saver, cell.loader, "2.6.2"}
    table = [entry for entry in entries() if entry.id in needed]
    environments = {entry.id: ensure(entry) for entry in table}
    patterns = [f"{cell.saver}/{cell.model}/*"]
    artifacts = save_zoo(table, environments, {}, 1, TIERS, patterns)
    outcomes = []
    for without in ((), (rule,)):
        with Journal(tmp_path / f"{len(without)}.jsonl") as journal:
            options = Options(1, 20.0, without)
            job = Job(environments, {}, artifacts, journal, options)
            (result,) = execute(job, [cell]).values()
            outcomes.append((result.outcome, failure(result)))
    assert outcomes[0] == ("ok", False)
    assert outcomes[1][1], outcomes[1]
