"""An operator computes in float64 whatever it is given and gives, lists among it (CL630)."""

from __future__ import annotations

from typing import Any

from compatload.programs.pir_graph import FLOAT32, FLOAT64, Tensor, Writer


def pir(writer: Writer) -> None:
    written = [_wide(writer, one["%"]) for one in writer.original["I"]]
    results: list[dict[str, Any]] = []
    narrowed: list[tuple[int, int, list[Tensor]]] = []
    for place, result in enumerate(writer.original["O"]):
        tensors = writer.values.tensors(result["%"])
        if not any(one.element == FLOAT32 for one in tensors):
            results.append(result)
            continue
        wide = [_widened(one) for one in tensors]
        results.append(writer.values.made_alike(result["TT"], wide))
        narrowed.append((place, results[-1]["%"], tensors))
    writer.keep(writer.name, I=[{"%": one} for one in written], O=results)
    for place, value, tensors in narrowed:
        if not writer.values.is_list(value):
            writer.cast(value, tensors[0].element, into=place)
            continue
        parts = writer.taken_apart(value, [_widened(one) for one in tensors])
        casts = [writer.cast(part, one.element) for part, one in zip(parts, tensors)]
        writer.joined(casts, into=place)


def _widened(tensor: Tensor) -> Tensor:
    return tensor.with_element(FLOAT64) if tensor.element == FLOAT32 else tensor


def _wide(writer: Writer, value: int) -> int:
    """The value in float64, if it is of float32, or a list of such; else itself."""
    tensors = writer.values.tensors(value)
    if not any(one.element == FLOAT32 for one in tensors):
        return value
    if not writer.values.is_list(value):
        return writer.cast(value, FLOAT64)
    parts = writer.taken_apart(value, tensors)
    return writer.joined(
        [writer.cast(one, _widened(of).element) for one, of in zip(parts, tensors)]
    )
