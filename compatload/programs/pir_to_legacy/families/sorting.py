"""Sorting, searching and counting."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, Folded, rule

RULES: Mapping[str, Conversion] = {
    "argsort": rule("argsort", "X", "Out Indices", ignored="stable"),
    "topk": rule("top_k_v2", "X k", "Out Indices", folded={"k": Folded("k", "K")}),
    "kthvalue": rule("kthvalue", "X", "Out Indices"),
    "mode": rule("mode", "X", "Out Indices"),
    "searchsorted": rule("searchsorted", "SortedSequence Values"),
    "unique": rule("unique", "X", "Out Indices Index Counts"),
    "unique_consecutive": rule("unique_consecutive", "X", "Out Index Counts"),
    "bincount": rule("bincount", "X Weights minlength", folded={"minlength": Folded("minlength")}),
    "histogram": rule("histogram", neutral={"density": False}),
}
