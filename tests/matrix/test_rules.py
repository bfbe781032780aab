"""Each rule and the cell that shows it: fails without the rule, is ok with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest

from compatload.faults.catalogue import load_rules
from compatload.runtime.cpu import detect_cpu
from matrix.cells import Cell, Result
from matrix.environments import ensure, home
from matrix.execution import Job, Options
from matrix.journal import Journal
from matrix.pool import Worker
from matrix.report import RULES, latest
from matrix.results import RESULTS, read, read_further
from matrix.run import failure
from matrix.saved_zoo import networks, save_zoo
from matrix.versions import TIERS, entries

Ask = Callable[..., Result]
SECONDS = 8.0  # for one cell
# For one that hangs without its rule: what takes a fraction of a second with it, for certain.
HANG_SECONDS = 3.0

SHOWN: dict[str, Any] = {
    rule: found["shown"] for rule, found in json.loads(RULES.read_text()).items() if found["shown"]
}
IDS = frozenset(rule.id for rule in load_rules())
# Rules that act in cells which are ok without them, too: training (CL110), a Config that asks for
# memory optimisation (CL204), descriptions that a translation fills in where it can (CL112), a
# pass that dies of a null pointer now and then (CL237), damage that was none (CL280), constants
# computed at every run (CL266), what a loop writes over (CL605; other CPUs make other numbers of
# either). Tests of loading show them; REPORT.md says "not reproduced by a cell".
NOT_BY_A_CELL = frozenset({"CL110", "CL112", "CL204", "CL237", "CL266", "CL274", "CL280", "CL605"})


# Networks of PaddleClas, PaddleSeg, PaddleDetection and PaddleNLP.
PACKAGED = "matrix/zoo/models.py"


@cache
def results() -> dict[Cell, Result]:
    return read(RESULTS / latest())


@cache
def further() -> dict[Cell, Result]:
    return read_further(RESULTS / "extra")


def test_only_rules_that_there_are_have_evidence() -> None:
    assert set(SHOWN) <= IDS


def test_every_rule_that_acts_is_shown_or_named() -> None:
    acting = {rule for result in results().values() for rule in result.rules}
    assert acting - set(SHOWN) == NOT_BY_A_CELL


@pytest.mark.parametrize("rule", sorted(SHOWN))
def test_the_committed_evidence_is_of_the_committed_cells(rule: str) -> None:
    for one in SHOWN[rule]:
        told = {**further(), **results()}[Cell.parse(one["cell"])]
        assert told.outcome == "ok"
        assert rule in told.rules
        assert one["without"]["outcome"] in ("wrong", "error", "crash", "hang")


def test_the_first_evidence_of_a_rule_needs_no_packages_but_paddle() -> None:
    entry = next(entry for entry in entries() if entry.id == "3.3.1")
    listing = networks({entry.id: ensure(entry)})
    for rule, shown in SHOWN.items():
        model = Cell.parse(shown[0]["cell"]).model
        assert model.startswith("fixture:") or listing[model]["file"] != PACKAGED, (rule, model)


# Two threads race: now and then the fault does not show.
BY_CHANCE = frozenset({"CL626"})
TIMES_BY_CHANCE = 6


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Answers for a cell with rules left out; a release's worker is started once for all."""
    cells = [Cell.parse(shown[0]["cell"]) for shown in SHOWN.values()]
    # A real model is saved by nobody here: its inputs are described by a release that reads it.
    needed = {"2.6.2", *(i for cell in cells for i in (cell.saver, cell.loader))}
    table = [entry for entry in entries() if entry.id in needed]
    environments = {entry.id: ensure(entry) for entry in table}
    patterns = [f"{cell.saver}/{cell.model}/*" for cell in cells]
    artifacts = save_zoo(table, environments, {}, 1, TIERS, patterns)
    folder = tmp_path_factory.mktemp("rules")
    with Journal(folder / "journal.jsonl") as journal, ExitStack() as stack:
        job = Job(environments, {}, artifacts, journal, Options(1, SECONDS))
        workers = {
            loader: stack.enter_context(
                Worker(environments[loader].python, "compatload", home(), log=folder / loader)
            )
            for loader in {cell.loader for cell in cells}
        }

        def one(cell: Cell, *without: str, seconds: float = SECONDS) -> Result:
            request = {**job.request(cell), "without": list(without), "timeout": seconds}
            return Result.from_dict(workers[cell.loader].ask(request))

        yield one


@pytest.mark.parametrize("rule", sorted(SHOWN))
def test_a_cell_fails_without_the_rule_and_is_ok_with_it(rule: str, ask: Ask) -> None:
    shown = SHOWN[rule][0]
    cell = Cell.parse(shown["cell"])
    assert ask(cell).outcome == "ok"
    if not may_show(rule):
        pytest.skip(f"the CPU of this machine does not have the fault of {rule}")
    hangs = shown["without"]["outcome"] == "hang"
    seconds = HANG_SECONDS if hangs else SECONDS
    times = TIMES_BY_CHANCE if rule in BY_CHANCE else 1
    assert any(failure(ask(cell, rule, seconds=seconds)) for _ in range(times))


def may_show(rule: str) -> bool:
    """Whether this CPU has what the rule says that it has (AVX-512, for CL257), and lacks what it
    lacks (the same, for CL221)."""
    (known,) = (one for one in load_rules() if one.id == rule)
    features = detect_cpu().features
    return not known.when or any(
        condition.cpu_has <= features
        and (not condition.cpu_lacks or not condition.cpu_lacks <= features)
        for condition in known.when
    )


def test_only_rules_about_cpus_may_go_unshown() -> None:
    about_cpus = {
        rule.id
        for rule in load_rules()
        if rule.when and all(one.cpu_has or one.cpu_lacks for one in rule.when)
    }
    assert {rule for rule in SHOWN if not may_show(rule)} <= about_cpus
