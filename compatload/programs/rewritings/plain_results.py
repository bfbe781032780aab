"""What blocks of a branch or a loop yield are copies, which oneDNN does not make (CL294)."""

from __future__ import annotations

from compatload.programs.pir_graph import FLOAT32, Writer


def pir(writer: Writer) -> None:
    for region in writer.original["regions"]:
        for block in region["blocks"]:
            *computed, ending = block["ops"]
            copies = Writer(writer.values, ending)
            for read in ending["I"]:
                tensor = writer.values.common(read["%"])
                if tensor is not None and tensor.element == FLOAT32:
                    read["%"] = copies.copy(read["%"])
            block["ops"][:] = [*computed, *copies.operators, ending]
    writer.keep(writer.name)
