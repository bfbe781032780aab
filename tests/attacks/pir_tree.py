"""What a PIR program's JSON holds: its blocks, operators, results and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_DIALECTS = {"builtin": "0", "pd_op": "1", "cf": "2", "custom_op": "3"}


def blocks(holder: Any) -> Iterator[dict[str, Any]]:
    """Every block, of all regions."""
    for region in _listed(holder, "regions"):
        for block in _listed(region, "blocks"):
            if isinstance(block, dict):
                yield block
                for operator in _listed(block, "ops"):
                    yield from blocks(operator)


def _listed(holder: Any, key: str) -> list[Any]:
    """A list of a document that may have been damaged before."""
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def operators(document: Any) -> list[tuple[list[Any], int]]:
    """Every operator, as the list that it stands in and its place there."""
    program = document.get("program") if isinstance(document, dict) else None
    found = [ops for block in blocks(program) if (ops := _listed(block, "ops"))]
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
