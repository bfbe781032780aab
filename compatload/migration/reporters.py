"""A migration's report for people: lines for a terminal, and a page."""

from __future__ import annotations

from collections.abc import Iterator

from compatload.checking.reporters.text import safe
from compatload.migration.report import FAILED, MigrationReport, ModelMigration
from compatload.pages.table import Column, Item, Row, table_page

_COLUMNS = (
    Column("model"),
    Column("outcome", facet=True, state=True),
    Column("before", facet=True),
    Column("after", facet=True),
    Column("verified", facet=True),
    Column("largest difference"),
    Column("seconds"),
)


def as_text(report: MigrationReport) -> str:
    """A line a model, and what to do about those that failed."""
    lines = []
    for model in report.models:
        states = " → ".join(one.told for one in (model.before, model.after) if one)
        told = "; ".join(part for part in (states, _verified(model)) if part)
        lines.append(safe(f"{model.path}: {model.outcome}{f': {told}' if told else ''}"))
        if model.problem:
            rule = f"[{model.rule}] " if model.rule else ""
            lines += [safe(f"    {rule}{model.problem}"), safe(f"    {model.action}")]
    lines += [safe(f"{entry.path}: skipped: {entry.reason}") for entry in report.skipped]
    return "\n".join([*lines, report.summary]) + "\n"


def as_html(report: MigrationReport) -> str:
    """One file, without a network."""
    rules = {model.rule for model in report.models if model.rule}
    rules |= {
        rule
        for m in report.models
        for state in (m.before, m.after)
        if state
        for rule in state.rules
    }
    title = f"compatload migrate to {report.release}{' (dry run)' if report.dry_run else ''}"
    return table_page(title, report.summary, _COLUMNS, _rows(report), rules)


def _rows(report: MigrationReport) -> Iterator[Row]:
    for model in report.models:
        failed = model.outcome == FAILED
        state = "error" if failed else "ok" if model.is_native else "warning"
        items: tuple[Item, ...] = ()
        if model.problem:
            items = (
                Item(state, "failed", model.rule or "", model.path, model.problem, model.action),
            )
        difference = "" if model.difference is None else f"{model.difference:.3g}"
        yield Row(
            state=state,
            cells=(
                model.path,
                model.outcome,
                model.before.told if model.before else "",
                model.after.told if model.after else "",
                "agrees" if model.verification == "agrees" else "not run" if not failed else "",
                difference,
                "before" if model.resumed else f"{model.seconds:.2f}",
            ),
            details=tuple(_details(model)),
            items=items,
            sorts={5: -1.0 if model.difference is None else model.difference, 6: model.seconds},
        )
    for entry in report.skipped:
        state = "error" if entry.unsafe else "note"
        item = Item(state, "skipped", "", entry.path, entry.reason, "")
        yield Row(state, (entry.path, "skipped", "", "", "", "", ""), items=(item,))


def _details(model: ModelMigration) -> Iterator[tuple[str, str]]:
    yield "source", model.source
    if model.before and model.before.saved_by:
        yield "saved by", f"paddle {model.before.saved_by}"
    if model.files:
        yield "files", ", ".join(model.files)
    if model.verification:
        yield "verified", _verified(model)
    yield from (("changed", change) for change in model.changes)


def _verified(model: ModelMigration) -> str:
    if model.verification != "agrees":
        return model.verification
    ran = ", ".join(dict.fromkeys(model.paddle))
    return f"agrees in paddle {ran}, largest difference {model.difference:.3g}"
