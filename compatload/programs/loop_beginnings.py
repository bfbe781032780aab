"""CL154: loops of PIR programs begin with copies of what is needed again."""

from __future__ import annotations

from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.faults.cl154_loop_of_parameter import LOOP, begun_with_needed
from compatload.faults.graph import Graph
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import ProgramValues, Writer, rewrite, with_program

RULE = "CL154"


def copied(artifact: Artifact) -> Artifact:
    """``artifact`` with a program whose loops free nothing that is needed; itself if none does."""
    if artifact.format is not Format.PIR or LOOP not in artifact.program.operator_counts:
        return artifact
    needed = {int(value.lstrip("%")) for value in begun_with_needed(Graph(artifact))}
    if not needed:
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    values = ProgramValues.of_program(document)

    def begun_with_copies(operator: Any) -> list[Any]:
        writer = Writer(values, operator)
        for begun in operator["I"] if operator_name(operator["#"]) == LOOP else ():
            if begun["%"] in needed:
                begun["%"] = writer.copy(begun["%"])
        return [*writer.operators, operator]

    rewrite(document, begun_with_copies)
    told = f"{len(needed)} x a loop begins with a copy [{RULE}]"
    return with_program(artifact, document, told)
