"""What blocks of a branch or a loop yield are copies, which oneDNN does not make (CL294).

So is what the first round of a loop gets: all rounds read alike.
"""

from __future__ import annotations

from compatload.programs.pir_graph import FLOAT32, Writer


def pir(writer: Writer) -> None:
    for region in writer.original["regions"]:
        for block in region["blocks"]:
            *computed, ending = block["ops"]
            copies = Writer(writer.values, ending)
            for read in ending["I"]:
                read["%"] = _plain(copies, read["%"])
            block["ops"][:] = [*computed, *copies.operators, ending]
    writer.keep(writer.name, I=[{"%": _plain(writer, one)} for one in writer.operands])


def _plain(writer: Writer, value: int) -> int:
    tensor = writer.values.common(value)
    return writer.copy(value) if tensor is not None and tensor.element == FLOAT32 else value
