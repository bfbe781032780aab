"""A selftest's report for people: a table, what differs, what is here, one verdict."""

from __future__ import annotations

from compatload.faults.catalogue import load_rules
from compatload.runtime.release import inferred_from
from compatload.selftest.outcome import OWN, PADDLE, counted, failures, rows
from compatload.selftest.running import Report

_HEAD = ("saved by", "loaded as", "Paddle alone", "compatload")
# So many of each are shown; the record has them all.
_SHOWN = 12


def table(report: Report) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows: how many networks are right, of how many."""
    told = []
    for (saved, how), cells in sorted(rows(report.bundle, report.asked).items()):
        by = {caller: [c for c in cells if c.caller == caller] for caller in (PADDLE, OWN)}
        right = (counted(report.results, by[caller]) for caller in (PADDLE, OWN))
        told.append((saved, how, *(f"{ok} of {tried}" for ok, tried in right)))
    return _HEAD, told


def plain(report: Report) -> str:
    """The table with spaces."""
    head, told = table(report)
    widths = [max(len(row[column]) for row in (head, *told)) for column in range(len(head))]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *told))
    return "\n".join(lines)


def findings(report: Report) -> list[str]:
    """What is said below the table, the verdict last."""
    version = report.runtime.paddle.version if report.runtime.paddle else ""
    inferred = inferred_from(version)
    about = f"which stands for {version}" if inferred else "as measured by the matrix"
    told = [
        f"compared with {report.release} ({about}): {len(report.differences)} of "
        f"{report.compared} otherwise"
    ]
    for one in report.differences[:_SHOWN]:
        cell = one.cell
        told.append(
            f"  {cell.network}, {cell.api.value}, {cell.caller}: {one.expected} there, "
            f"{one.found.outcome} here {one.found.told}".rstrip()
        )
    if len(report.differences) > _SHOWN:
        told.append(f"  and {len(report.differences) - _SHOWN} more, in the record")
    titles = {rule.id: rule.title for rule in load_rules()}
    present = [fact.rule for fact in report.facts if fact.present]
    gone = [fact.rule for fact in report.facts if not fact.present]
    told.append(f"faults that are here, and worked around: {', '.join(present) or 'none'}")
    told += [f"not here, and not worked around: {rule}, {titles[rule]}" for rule in gone]
    failed = failures(report.results)
    for cell in failed[:_SHOWN]:
        ran = report.results[cell]
        told.append(
            f"not right: {cell.network}, {cell.api.value}, {cell.config}: {ran.outcome} {ran.told}"
        )
    return [*told, verdict(report)]


def verdict(report: Report) -> str:
    """One line."""
    where = f"{report.runtime.describe()}, on {report.device}"
    failed, tried = len(failures(report.results)), sum(c.caller == OWN for c in report.results)
    if not report.complete:
        where = f"not finished ({len(report.results)} of {len(report.asked)}): {where}"
    if failed:
        return f"{failed} of {tried} are not right with compatload: {where}"
    return f"all {tried} are right with compatload: {where}"
