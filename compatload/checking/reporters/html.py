"""A page for people: a table of files and models to sort and filter, and what was found there."""

from __future__ import annotations

from collections.abc import Iterator

from compatload.checking.finding import CheckReport, Finding, ModelVerdict, Severity
from compatload.pages.table import Column, Item, Row, table_page

_COLUMNS = (
    Column("where"),
    Column("kind", facet=True),
    Column("result", facet=True, state=True),
    Column("saved by", facet=True),
    Column("loads", facet=True),
    Column("rules"),
)
_CLEAN, _SKIPPED, _UNSAFE = "nothing found", "skipped", "unsafe"


def render(report: CheckReport) -> str:
    rules = {finding.rule for finding in report.findings}
    rules |= {rule for model in report.models for one in model.loaders for rule in one.rules}
    return table_page(
        f"compatload check for {report.target}", report.summary, _COLUMNS, _rows(report), rules
    )


def _rows(report: CheckReport) -> Iterator[Row]:
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(finding.path, []).append(finding)
    for model in report.models:
        yield _row(model.path, model, found.pop(model.path, []))
    for path, findings in found.items():
        yield _row(path, None, findings)
    for entry in report.skipped:
        result = _UNSAFE if entry.unsafe else _SKIPPED
        state = "error" if entry.unsafe else "note"
        item = Item(state, result, "", entry.path, entry.reason, "")
        yield Row(state, (entry.path, "skipped", result, "", "", ""), items=(item,))


def _row(path: str, model: ModelVerdict | None, findings: list[Finding]) -> Row:
    worst = min((finding.severity for finding in findings), key=lambda one: one.rank, default=None)
    rules = ", ".join(dict.fromkeys(finding.rule for finding in findings))
    details: tuple[tuple[str, str], ...] = ()
    cells = ("source" if path.endswith(".py") else "file", "", "")
    if model is not None:
        cells = (f"{model.format} program", model.saved_by or "unknown", model.way.value)
        details = tuple(_loaders(model))
    kind, saved_by, way = cells
    return Row(
        state=worst.value if worst else "ok",
        cells=(path, kind, worst.value if worst else _CLEAN, saved_by, way, rules),
        details=details,
        items=tuple(map(_item, findings)),
    )


def _loaders(model: ModelVerdict) -> Iterator[tuple[str, str]]:
    for one in model.loaders:
        places = f", {', '.join(one.places)}" if one.places else ""
        why = f" ({one.rule}{places})" if one.rule else ""
        steps = f"; compatload: {', then '.join(one.steps)}" if one.steps else ""
        yield one.api, f"Paddle alone: {one.alone}{why}{steps}"
    for line in (*model.obstacles, *model.ran):
        yield "run" if line in model.ran else "obstacle", line


def _item(finding: Finding) -> Item:
    state = "note" if finding.severity is Severity.NOTE else finding.severity.value
    where = finding.location
    return Item(state, finding.severity.value, finding.rule, where, finding.message, finding.action)
