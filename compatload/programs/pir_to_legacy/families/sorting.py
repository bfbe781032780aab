"""Sorting, searching and counting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import Operation, TensorType
from compatload.programs.pir_to_legacy.rules import Conversion, Folded, apply, rule, special
from compatload.programs.pir_to_legacy.steps import binary, finish, given, transpose, unary

SORTED = rule("argsort", "X", "Out Indices", ignored="stable")


# More than any axis is long, and so small that a place times it fits into 64 bits.
_PLACES = 2.0**31


@special(None)
def _argsort(operation: Operation, out: Emitter) -> None:
    """Only places of equal numbers tell a stable sort, which 2.6 has not got."""
    source, (values, places) = given(operation, 0), operation.results[:2]
    if not (operation.attributes.get("stable") and places.uses and source.type.dims):
        apply(SORTED, operation, out)
        return
    axis = operation.attributes.get("axis", -1) % len(source.type.dims)
    descending = bool(operation.attributes.get("descending"))
    found = _stable_places(out, out.name(source), source.type, axis, descending=descending)
    unread = out.temporary(places.type, "argsort")
    told = {"axis": axis, "descending": descending}
    sorted_ = {"Out": out.define(values, "argsort"), "Indices": unread}
    out.emit("argsort", {"X": out.name(source)}, sorted_, told)
    finish(out, "assign", {"X": found}, places)


def _stable_places(out: Emitter, x: str, type_: TensorType, axis: int, *, descending: bool) -> str:
    """Places by rank, and by place among equal ones: no two of these keys are equal."""
    last = len(type_.dims) - 1
    order = [at for at in range(last + 1) if at != axis] + [axis]
    if axis != last:
        x = transpose(out, x, type_, order)
        type_ = replace(type_, dims=tuple(type_.dims[at] for at in order))
    whole = replace(type_, dtype="int64")
    ordered, unread = out.temporary(type_, "argsort"), out.temporary(whole, "argsort")
    out.emit("argsort", {"X": x}, {"Out": ordered, "Indices": unread}, {"axis": last})
    # How many are smaller; of the largest first, how many are not larger, from below.
    inputs, told = {"SortedSequence": ordered, "Values": x}, {"right": descending}
    rank = out.emit_new("searchsorted", inputs, "Out", whole, told)
    rank = unary(out, "scale", rank, whole, scale=-_PLACES if descending else _PLACES, bias=0.0)
    ones = unary(out, "fill_any_like", rank, whole, value=1.0)
    place = unary(out, "cumsum", ones, whole, axis=last)
    key = binary(out, "elementwise_add", rank, place, whole)
    places, unread = out.temporary(whole, "argsort"), out.temporary(whole, "argsort")
    out.emit("argsort", {"X": key}, {"Out": unread, "Indices": places}, {"axis": last})
    if axis == last:
        return places
    return transpose(out, places, whole, [order.index(at) for at in range(last + 1)])


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
