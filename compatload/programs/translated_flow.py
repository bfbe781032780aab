"""What Paddle's translator writes, and no executor of Paddle carries out.

It picks parts of a list (``split``, ``chunk``) where they are read. In the body of a loop that is
too late: nothing there keeps the list, and the second turn finds no memory. And it stores whatever
goes to a persistable variable, as weight_norm's weight does at each call; ``Executor.run`` takes a
program that stores parameters for one that initialises them, and asks outputs for the name of a
parameter. Pure Python; seen in 3.0.0 to 3.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.programs.pir_graph import blocks_in, results_of

_PICK, _STORE, _PARAMETER = "0.slice", "0.set_parameter", "p"


def straighten(document: dict[str, Any]) -> None:
    """Picks parts of lists where the lists are made; stores no parameter that nothing reads."""
    regions = document["program"]["regions"]
    _pick_early(regions)
    _store_what_is_read(regions)


def _pick_early(regions: list[Any]) -> None:
    everywhere = {result["%"] for one in _operators(regions) for result in results_of(one)}
    late: dict[int, list[Any]] = {}
    for block in blocks_in(regions):
        made = {result["%"] for operator in block["ops"] for result in results_of(operator)}
        kept: list[Any] = []
        for operator in block["ops"]:
            whole = operator["I"][0]["%"] if operator["#"] == _PICK else None
            if whole is not None and whole in everywhere and whole not in made:
                late.setdefault(whole, []).append(operator)
            else:
                kept.append(operator)
        block["ops"] = kept
    if not late:
        return
    for block in blocks_in(regions):
        block["ops"] = [
            one
            for operator in block["ops"]
            for one in (operator, *(p for r in results_of(operator) for p in late.get(r["%"], ())))
        ]


def _store_what_is_read(regions: list[Any]) -> None:
    read = {item["%"] for operator in _operators(regions) for item in operator.get("I", ())}
    unread = {
        operator["A"][3]
        for operator in _operators(regions)
        if operator["#"] == _PARAMETER and operator["O"]["%"] not in read
    }
    for block in blocks_in(regions):
        block["ops"] = [one for one in block["ops"] if _stored(one) not in unread]


def _stored(operator: Any) -> str | None:
    return operator["A"][0]["AT"]["D"] if operator["#"] == _STORE else None


def _operators(regions: list[Any]) -> Iterator[Any]:
    for block in blocks_in(regions):
        yield from block["ops"]
