"""What a PIR program's JSON holds: its blocks, operators, results and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_DIALECTS = {"builtin": "0", "pd_op": "1", "cf": "2", "custom_op": "3"}


def blocks(holder: Any) -> Iterator[dict[str, Any]]:
    """Every block, of all regions."""
    for region in holder.get("regions", ()) if isinstance(holder, dict) else ():
        for block in region.get("blocks", ()):
            yield block
            for operator in block.get("ops", ()):
                yield from blocks(operator)


def operators(document: Any) -> list[tuple[list[Any], int]]:
    """Every operator, as the list that it stands in and its place there."""
    found = [block["ops"] for block in blocks(document.get("program")) if "ops" in block]
    return [(ops, place) for ops in found for place in range(len(ops))]


def results(operator: Any) -> list[Any]:
    """What an operator makes; a parameter has one result that is no list."""
    out = operator.get("O", [])
    return out if isinstance(out, list) else [out]


def values(document: Any) -> list[tuple[int, str]]:
    """Ids of all results, and what each of them is."""
    found = []
    for ops, place in operators(document):
        kind = "a parameter" if name_of(ops[place]) == "p" else "another value"
        for result in results(ops[place]):
            if isinstance(result, dict) and "%" in result:
                found.append((result["%"], kind))
    return found or [(1, "another value")]


def name_of(operator: Any) -> str:
    """``1.conv2d``."""
    return str(operator.get("#", "nothing"))


def short_name(name: str) -> str:
    """``1.conv2d`` for ``pd_op.conv2d``, as files write it."""
    dialect, _, rest = name.partition(".")
    return f"{_DIALECTS.get(dialect, dialect)}.{rest}"
