"""An operator computes in another element type than its operands and results are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.programs.pir_graph import DATA_TYPES, Tensor, Writer

# Element types, and those that are computed in instead.
Types = Mapping[str, str]


def computed_in(writer: Writer, types: Types, *, by_copy: bool = False) -> None:
    """Casts before and behind it, also of what lists hold; ``by_copy`` casts copies of results."""
    written = [_cast(writer, one["%"], types) for one in writer.original["I"]]
    results: list[dict[str, Any]] = []
    changed: list[tuple[int, int, list[Tensor]]] = []
    for place, result in enumerate(writer.original["O"]):
        tensors = writer.values.tensors(result["%"])
        if not any(one.element in types for one in tensors):
            results.append(result)
            continue
        typed = [_typed(one, types) for one in tensors]
        results.append(writer.values.made_alike(result["TT"], typed))
        changed.append((place, results[-1]["%"], tensors))
    told = [_told(one, types) for one in writer.original["A"]]
    writer.keep(writer.name, I=[{"%": one} for one in written], O=results, A=told)
    for place, value, tensors in changed:
        if not writer.values.is_list(value):
            read = writer.copy(value) if by_copy else value
            writer.cast(read, tensors[0].element, into=place)
            continue
        parts = writer.taken_apart(value, [_typed(one, types) for one in tensors])
        casts = [writer.cast(part, one.element) for part, one in zip(parts, tensors)]
        writer.joined(casts, into=place)


def _told(attribute: dict[str, Any], types: Types) -> dict[str, Any]:
    """An attribute that says of which type the result is, of the other type."""
    names = {DATA_TYPES[one]: DATA_TYPES[other] for one, other in types.items()}
    value = attribute["AT"]
    if value["#"] != "1.a_dtype" or value["D"] not in names:
        return attribute
    return {**attribute, "AT": {**value, "D": names[value["D"]]}}


def _typed(tensor: Tensor, types: Types) -> Tensor:
    return tensor.with_element(types.get(tensor.element, tensor.element))


def _cast(writer: Writer, value: int, types: Types) -> int:
    """The value as it is computed with, or a list of such; itself where it is that already."""
    tensors = writer.values.tensors(value)
    if not any(one.element in types for one in tensors):
        return value
    if not writer.values.is_list(value):
        return writer.cast(value, types[tensors[0].element])
    parts = writer.taken_apart(value, tensors)
    return writer.joined(
        [writer.cast(one, _typed(of, types).element) for one, of in zip(parts, tensors)]
    )
