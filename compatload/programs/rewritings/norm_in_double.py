"""A norm computes in float64, with all that it reads and yields (CL627)."""

from __future__ import annotations

from typing import Any

from compatload.programs.pir_graph import FLOAT64, Writer


def pir(writer: Writer) -> None:
    given = [
        writer.cast(value, FLOAT64) if _is_floating(writer, value) else value
        for value in writer.operands
    ]
    wide: dict[int, Any] = {}
    for index, kept in enumerate(writer.original["O"]):
        # All of them: bytes that a batch norm keeps for training get no memory as they are.
        if writer.values.common(kept["%"]) is not None:
            computed = writer.result(index).with_element(FLOAT64)
            wide[index] = {"%": writer.values.new(computed), "TT": computed.as_json()}
    results = [wide.get(index, kept) for index, kept in enumerate(writer.original["O"])]
    writer.keep(writer.name, I=[{"%": one} for one in given], O=results)
    for index, result in wide.items():
        writer.cast(result["%"], writer.result(index).element, into=index)


def _is_floating(writer: Writer, value: int) -> bool:
    """Not what is absent, as a scale or a bias may be."""
    tensor = writer.values.common(value)
    return tensor is not None and tensor.floating
