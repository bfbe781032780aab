"""CL120 in PIR programs: outputs are copies of what assignments yield."""

from __future__ import annotations

from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.faults.cl120_kept_output import ENDS, KEEPING
from compatload.faults.graph import bare_name
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import ProgramValues, blocks_in, flags, with_program

RULE = "CL120"


def separated(document: Any) -> int:
    """Gives a parsed program copies where an assignment yields an output, or what a block yields.

    Returns how many there are.
    """
    values = None
    count = 0
    for block in blocks_in(document["program"]["regions"]):
        assigned = {
            operator["O"][0]["%"]: operator["O"][0]["TT"]
            for operator in block["ops"]
            if _name(operator) in KEEPING
        }
        if not assigned:
            continue
        values = values or ProgramValues.of_program(document)
        written: list[Any] = []
        for operator in block["ops"]:
            for read in operator["I"] if _name(operator) in ENDS else ():
                if read["%"] in assigned:
                    written.append(_copy(read["%"], assigned[read["%"]], values))
                    read["%"] = written[-1]["O"][0]["%"]
                    count += 1
            written.append(operator)
        block["ops"][:] = written
    return count


def _name(operator: Any) -> str:
    return operator_name(operator["#"]).rpartition(".")[2].rstrip("_")


def _copy(value: int, kind: Any, values: ProgramValues) -> dict[str, Any]:
    result = values.new(values.dense(value))
    return {
        "#": "1.assign",
        "A": [],
        "I": [{"%": value}],
        "O": [{"%": result, "TT": kind}],
        "OA": [flags("stop_gradient", False)],
    }


def separate(artifact: Artifact) -> Artifact:
    """``artifact`` with a PIR program whose outputs no assignment yields; itself without any."""
    operators = artifact.program.operators
    if artifact.format is not Format.PIR or not any(bare_name(one) in KEEPING for one in operators):
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    count = separated(document)
    told = f"{count} x an output of an assignment is a copy of it [{RULE}]"
    return with_program(artifact, document, told) if count else artifact
