"""CL152 in PIR programs: a list in a loop has a value that none outside has."""

from __future__ import annotations

from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.faults.cl152_list_made_again import made_again
from compatload.programs.pir_graph import ProgramValues, Writer, rewrite, with_program

RULE = "CL152"


def distinct(artifact: Artifact) -> Artifact:
    """``artifact`` with a PIR program that makes no list again in a loop; itself without any."""
    if artifact.format is not Format.PIR:
        return artifact
    again = made_again(artifact.program.operators)
    if not again:
        return artifact
    depths = {int(one.outputs["0"][0].lstrip("%")): depth for one, depth in again}
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    count = _copied(document, depths)
    told = f"{count} x a value of a list is copied [{RULE}]"
    return with_program(artifact, document, told) if count else artifact


def _copied(document: Any, depths: dict[int, int]) -> int:
    """Copies a value of each of these lists, once for each loop that it lies in: what is copied
    alike in a loop and around it is made one again."""
    values = ProgramValues.of_program(document)
    count = 0

    def of_copies(operator: Any) -> list[Any]:
        nonlocal count
        results = operator.get("O", ())  # one, of a parameter
        first = results[0]["%"] if isinstance(results, list) and results else 0
        depth = depths.get(first, 0)
        tensors = (one for one in operator["I"] if values.common(one["%"])) if depth else ()
        writer = Writer(values, operator)
        if (tensor := next(iter(tensors), None)) is not None:
            for _ in range(depth):
                tensor["%"] = writer.copy(tensor["%"])
            count += 1
        return [*writer.operators, operator]

    rewrite(document, of_copies)
    return count
