"""CL154: loops of PIR programs begin with copies of parameters."""

from __future__ import annotations

from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.faults.cl154_loop_of_parameter import LOOP, of_parameters
from compatload.faults.graph import Graph
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import ProgramValues, Writer, rewrite, with_program

RULE = "CL154"


def copied(artifact: Artifact) -> Artifact:
    """``artifact`` with a program whose loops free no parameter; itself where none does."""
    if artifact.format is not Format.PIR or LOOP not in artifact.program.operator_counts:
        return artifact
    graph = Graph(artifact)
    loops = of_parameters(graph)
    if not loops:
        return artifact
    read = {value for one in loops for values in one.inputs.values() for value in values}
    stored = {int(value.lstrip("%")) for value in read if graph.is_stored(value)}
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    values = ProgramValues.of_program(document)

    def begun_with_copies(operator: Any) -> list[Any]:
        writer = Writer(values, operator)
        for begun in operator["I"] if operator_name(operator["#"]) == LOOP else ():
            if begun["%"] in stored:
                begun["%"] = writer.copy(begun["%"])
        return [*writer.operators, operator]

    rewrite(document, begun_with_copies)
    return with_program(artifact, document, f"{len(loops)} x a loop begins with a copy [{RULE}]")
