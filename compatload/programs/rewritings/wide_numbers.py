"""A tensor is filled with a number that is written in double precision (CL261)."""

from __future__ import annotations

from compatload.programs.pir_attributes import with_wide_number
from compatload.programs.pir_graph import Writer


def pir(writer: Writer) -> None:
    writer.keep(writer.name, A=with_wide_number(writer.original["A"]))
