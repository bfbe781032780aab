"""What blocks of a branch or a loop yield are copies, which oneDNN does not make (CL294)."""

from __future__ import annotations

from compatload.programs.pir_graph import NotExpressibleError, Tensor, Writer

_FLOAT32 = "0.t_f32"


def pir(writer: Writer) -> None:
    for region in writer.original["regions"]:
        for block in region["blocks"]:
            *computed, ending = block["ops"]
            copies = Writer(writer.values, ending)
            for read in ending["I"]:
                tensor = _tensor(writer, read["%"])
                if tensor is not None and tensor.element == _FLOAT32:
                    read["%"] = copies.emit("assign", [read["%"]], tensor)
            block["ops"][:] = [*computed, *copies.operators, ending]
    writer.keep(writer.name)


def _tensor(writer: Writer, value: int) -> Tensor | None:
    try:
        return writer.values.tensor(value)
    except NotExpressibleError:
        return None
