"""Outputs from which ``paddle.jit.save`` left an addition out, put back (CL118). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact
from compatload.errors import DamagedArtifactError
from compatload.faults.cl118_lost_additions import LostAddition, lost_additions
from compatload.faults.graph import Graph
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import with_program

RULE = "CL118"
_OUTPUT = "pd_op.fetch"


def restored(artifact: Artifact) -> Artifact:
    """``artifact`` with a program that returns what was lost; itself where nothing was.

    Raises DamagedArtifactError where it cannot be told which of several outputs lost it.
    """
    lost = lost_additions(Graph(artifact))
    if not lost:
        return artifact
    columns = [column for one in lost for column in one.columns]
    if len(columns) != len(lost) or len(set(columns)) != len(lost):
        raise DamagedArtifactError(
            f"{artifact.path} returns an input as it came in and computes "
            f"{'; '.join(one.told for one in lost)} for nobody: paddle.jit.save left that out, and "
            f"which of the outputs {', '.join(map(str, sorted(set(columns))))} it belongs to "
            "cannot be told.",
            action="Save the model again with compatload.safe_save.",
            artifact=artifact.path,
            rule=RULE,
        )
    told = (f"output {one.columns[0]} is {one.told} again [{RULE}]" for one in lost)
    return with_program(artifact, _rewritten(artifact, lost), *told)


def _rewritten(artifact: Artifact, lost: Sequence[LostAddition]) -> dict[str, Any]:
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    sums = {one.columns[0]: next(iter(one.sum.outputs.values()))[0] for one in lost}
    for operator in document["program"]["regions"][0]["blocks"][0]["ops"]:
        if operator_name(operator["#"]) != _OUTPUT:
            continue
        attributes: dict[str, Any] = {one["N"]: one["AT"] for one in operator["A"]}
        column = attributes["col"]["D"] if "col" in attributes else 0
        if column in sums:
            operator["I"][0]["%"] = int(sums[column].lstrip("%"))
            # The name is that of the input; Paddle names an output of its own so.
            attributes.get("name", {})["D"] = f"fetch_name_{column}"
    return document
