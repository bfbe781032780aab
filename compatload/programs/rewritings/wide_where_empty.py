"""An operator computes in float64 whatever it is given and gives, lists among it (CL630)."""

from __future__ import annotations

from compatload.programs.pir_graph import FLOAT32, FLOAT64, Writer
from compatload.programs.rewritings.otherwise_typed import computed_in


def pir(writer: Writer) -> None:
    computed_in(writer, {FLOAT32: FLOAT64})
