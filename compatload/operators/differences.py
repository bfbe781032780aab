"""What one release's PIR operators expect otherwise than another's. Pure; no Paddle, no files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compatload.frozen import frozen
from compatload.operators.registry import PirOperator, pir_operators


@frozen
class Difference:
    """``part`` is ``operator``, ``attribute``, ``operands`` or ``results``; ``name`` the
    attribute's; ``before`` and ``after`` are None where there is none."""

    operator: str
    part: str
    name: str
    before: str | None
    after: str | None


def differences(older: str, newer: str) -> tuple[Difference, ...]:
    """Everything a program has to follow on its way from one release to the other, by operator."""
    before, after = pir_operators(older), pir_operators(newer)
    found: list[Difference] = []
    for name in sorted({*before, *after}):
        first, second = before.get(name), after.get(name)
        if first is not None and second is not None:
            found += _within(first, second)
        else:
            found.append(Difference(name, "operator", "", _known(first), _known(second)))
    return tuple(found)


def _within(first: PirOperator, second: PirOperator) -> Iterator[Difference]:
    kinds = [{item.name: item.type for item in operator.attributes} for operator in (first, second)]
    for name in [*kinds[0], *(name for name in kinds[1] if name not in kinds[0])]:
        if any(name not in known for known in kinds) or kinds[0][name] != kinds[1][name]:
            before, after = (_type(known, name) for known in kinds)
            yield Difference(first.name, "attribute", name, before, after)
    for part in ("operands", "results"):
        names = [[item.name for item in getattr(known, part)] for known in (first, second)]
        if names[0] != names[1]:
            before, after = (", ".join(item) for item in names)
            yield Difference(first.name, part, "", before, after)


def _known(operator: PirOperator | None) -> str | None:
    return None if operator is None else ", ".join(item.name for item in operator.operands)


def _type(kinds: dict[str, str | None], name: str) -> str | None:
    return (kinds[name] or "any") if name in kinds else None


def as_table(found: Sequence[Difference]) -> str:
    """Rows of Markdown; gradients, which no saved inference program has, are left out."""
    rows = ["| operator | part | before | after |", "|---|---|---|---|"]
    for item in found:
        if "_grad" in item.operator:
            continue
        part = f"`{item.name}`" if item.name else item.part
        cells = [_cell(item.before), _cell(item.after)]
        rows.append(f"| {item.operator.partition('.')[2]} | {part} | {cells[0]} | {cells[1]} |")
    return "\n".join(rows) if len(rows) > 2 else "Nothing."


def _cell(text: str | None) -> str:
    if text is None:
        return "—"
    return (
        text.replace("0.a_", "").replace("1.a_", "").replace("<", " of ").replace(">", "") or "none"
    )
