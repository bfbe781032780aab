"""Sorting, searching and counting."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import Conversion, Folded, apply, rule, special

_SORTED = rule("argsort", "X", "Out Indices", ignored="stable")


@special(None)
def _argsort(operation: Operation, out: Emitter) -> None:
    """Only places of equal numbers tell a stable sort, which 2.6 has not got (CL141)."""
    if operation.attributes.get("stable") and operation.results[1].uses:
        raise ObstacleError("argsort of Paddle 2.6 is not stable")
    apply(_SORTED, operation, out)


RULES: Mapping[str, Conversion] = {
    "argsort": _argsort,
    "topk": rule("top_k_v2", "X k", "Out Indices", folded={"k": Folded("k", "K")}),
    "kthvalue": rule("kthvalue", "X", "Out Indices"),
    "mode": rule("mode", "X", "Out Indices"),
    "searchsorted": rule("searchsorted", "SortedSequence Values"),
    "unique": rule("unique", "X", "Out Indices Index Counts"),
    "unique_consecutive": rule("unique_consecutive", "X", "Out Index Counts"),
    "bincount": rule("bincount", "X Weights minlength", folded={"minlength": Folded("minlength")}),
    "histogram": rule("histogram", neutral={"density": False}),
}
