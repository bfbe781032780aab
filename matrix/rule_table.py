"""What shows each rule: a cell that fails without it, an emulated CPU, or only a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from compatload.faults.catalogue import load_rules
from compatload.faults.model import Rule
from matrix.cells import Cell, Result
from matrix.markdown import table

Cells = Mapping[Cell, Result]
HEAD = ("rule", "cells", "of them Paddle's own call fails", "for example", "without the rule")


def rule_table(
    cells: Cells,
    shown: Mapping[str, Any],
    x86: Sequence[Mapping[str, Any]] = (),
    further: Cells = MappingProxyType({}),
) -> str:
    """A row for every rule that decides about loads.

    Args:
        shown: what ``matrix.evidence`` wrote.
        x86: the rows of CPUs.
        further: cells of entries beside the releases, for rules that no release shows.
    """
    acting = {**_acting(further), **_acting(cells)}
    every = {**further, **cells}
    return table(
        HEAD, [_row(rule, acting.get(rule.id, []), every, shown, x86) for rule in _rules()]
    )


def _acting(cells: Cells) -> dict[str, list[Cell]]:
    acting: dict[str, list[Cell]] = {}
    for cell, result in sorted(cells.items()):
        for rule in result.rules:
            acting.setdefault(rule, []).append(cell)
    return acting


def _rules() -> list[Rule]:
    return sorted(load_rules(), key=lambda rule: rule.id)


def _row(
    rule: Rule,
    acted: Sequence[Cell],
    cells: Cells,
    shown: Mapping[str, Any],
    x86: Sequence[Mapping[str, Any]],
) -> list[str]:
    mended = [cell for cell in acted if _own_fails(cells, cell)]
    row = [f"{rule.id} {rule.title}", f"{len(acted):,}", f"{len(mended):,}"]
    if evidence := shown.get(rule.id, {}).get("shown"):
        without = evidence[0]["without"]
        said = without.get("error") or f"difference {without.get('difference')}"
        return [*row, f"`{evidence[0]['cell']}`", f"{without['outcome']}: `{said}`"]
    example = f"`{(mended or acted)[0].id}`" if acted else ""
    if rows := _on_cpus(rule.id, x86):
        return [*row, example, f"shown by the CPUs {', '.join(rows)}"]
    measured = [one.reference for one in rule.evidence if one.kind == "measured"]
    if measured:
        return [*row, example, f"not reproduced by a cell; measured elsewhere: {measured[0]}"]
    return [*row, example, f"from a report, not reproduced: {rule.evidence[0].reference}"]


def _own_fails(cells: Cells, cell: Cell) -> bool:
    own = Cell(cell.saver, cell.model, cell.loader, cell.api, "paddle")
    return own in cells and cells[own].outcome not in ("ok", "not run")


def _on_cpus(rule: str, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Rows where a load was refused by that rule, or failed once it was left out."""
    return [
        str(row["row"])
        for row in rows
        if any(
            (cell["outcome"] == "refused" and cell.get("rule") == rule)
            or (cell["way"] == f"compatload without {rule}" and cell["outcome"] != "ok")
            for cell in row["cells"]
        )
    ]
