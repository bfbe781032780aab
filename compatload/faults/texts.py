"""What there is to say about a rule, whatever table it stands in."""

from __future__ import annotations

from functools import cache

from compatload.faults.artifacts import ARTIFACT_RULES
from compatload.faults.catalogue import load_rules
from compatload.faults.exporting import EXPORT_RULES
from compatload.faults.limitations import LIMITATIONS, Limitation
from compatload.faults.model import Evidence
from compatload.faults.sources import SOURCE_RULES
from compatload.frozen import frozen


@frozen
class RuleText:
    """Title, explanation, the one thing to do, and how it is known."""

    id: str
    title: str
    explanation: str
    fix: str
    evidence: tuple[str, ...]


@cache
def rule_texts() -> dict[str, RuleText]:
    """Every rule that a report can name, by id."""
    rules = (*load_rules(), *ARTIFACT_RULES, *EXPORT_RULES)
    texts = [
        RuleText(rule.id, rule.title, rule.explanation, rule.advice, _evidence(rule.evidence))
        for rule in rules
    ]
    texts += [
        RuleText(rule.id, rule.title, rule.explanation, rule.fix, _evidence(rule.evidence))
        for rule in SOURCE_RULES
    ]
    texts += [
        RuleText(row.id, row.title, row.explanation, row.fix, _measured(row)) for row in LIMITATIONS
    ]
    return {text.id: text for text in texts}


def _evidence(evidence: tuple[Evidence, ...]) -> tuple[str, ...]:
    return tuple(f"{entry.kind}: {entry.reference}" for entry in evidence)


def _measured(row: Limitation) -> tuple[str, ...]:
    """One line a measured program: where it fails, and in which use."""
    lines = [f"program: matrix/limitations/cases/{row.case}.py"]
    for variant, measured in row.measured.items():
        uses = (
            ("called with full_graph=True", measured.full_graph),
            ("called with full_graph=False", measured.traced),
            ("exported", measured.exported),
            ("exported with full_graph=False", measured.exported_traced or {}),
        )
        told = [
            f"{use}: {happens} on paddle{specifier}"
            for use, outcomes in uses
            for happens, specifier in outcomes.items()
        ]
        head = f"measured ({variant})" if variant else "measured"
        lines.append(f"{head}: {'; '.join(told) or 'ok everywhere'}")
        if told:
            refused = measured.refused
            becomes = f"refused on paddle{refused}" if refused else "saved as it is"
            lines.append(f"{head}: {becomes} by compatload.safe_save")
    return tuple(lines)
