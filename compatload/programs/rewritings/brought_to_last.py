"""The first operand is brought to the type of the second, as Paddle 3 does itself (CL184)."""

from __future__ import annotations

from compatload.programs.pir_graph import Writer


def pir(writer: Writer) -> None:
    first, second = writer.operands
    own = writer.cast(first, writer.values.tensor(second).element)
    writer.keep(writer.name, I=[{"%": one} for one in (own, second)])
