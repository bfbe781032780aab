"""A norm computes in float64, with all that it reads and yields (CL627)."""

from __future__ import annotations

from typing import Any

from compatload.programs.pir_graph import FLOAT64, Writer


def pir(writer: Writer) -> None:
    given = [  # a scale or a bias may be absent
        value if writer.values.common(value) is None else writer.cast(value, FLOAT64)
        for value in writer.operands
    ]
    wide: dict[int, Any] = {}
    for index, kept in enumerate(writer.original["O"]):
        if writer.values.common(kept["%"]) is not None:
            computed = writer.result(index).with_element(FLOAT64)
            wide[index] = {"%": writer.values.new(computed), "TT": computed.as_json()}
    results = [wide.get(index, kept) for index, kept in enumerate(writer.original["O"])]
    writer.keep(writer.name, I=[{"%": one} for one in given], O=results)
    for index, result in wide.items():
        writer.cast(result["%"], writer.result(index).element, into=index)
