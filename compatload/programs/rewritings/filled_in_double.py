"""A number is filled in float64, which oneDNN has no kernels for, and cast (CL616)."""

from __future__ import annotations

from compatload.programs.pir_graph import FLOAT64, Writer


def pir(writer: Writer) -> None:
    number = writer.result(0)
    wide = number.with_element(FLOAT64)
    value = writer.values.new(wide)
    attributes = [
        {**one, "AT": {**one["AT"], "D": wide.data_type}} if one["N"] == "dtype" else one
        for one in writer.original["A"]
    ]
    writer.keep(writer.name, A=attributes, O=[{"%": value, "TT": wide.as_json()}])
    writer.cast(value, number.element, into=0)
