"""CL161: a layer of Python in a PIR program gives way to the operators of its forward."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.errors import UnsafeArtifactError
from compatload.operators.admission import PYTHON_LAYER, UNSAFE
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import blocks_in, with_program

RULE = "CL161"


def written_out(artifact: Artifact) -> Artifact:
    """``artifact`` with programs, of all its methods, whose layers of Python are the operators of
    their forwards; itself without any.

    Raises UnsafeArtifactError where one is not what Paddle writes: of what has no forward, only
    the call of Python is left.
    """
    methods = {name: written_out(part) for name, part in artifact.method_artifacts.items()}
    if any(methods[name] is not part for name, part in artifact.method_artifacts.items()):
        artifact = replace(artifact, method_artifacts=methods)
    if artifact.format is not Format.PIR or PYTHON_LAYER not in artifact.program.operator_counts:
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    try:
        count = _write_out(document["program"]["regions"])
    except ValueError as error:
        raise UnsafeArtifactError(
            f"{artifact.path} does more than compute: {PYTHON_LAYER} {error}.",
            action="Do not load it.",
            artifact=artifact.path,
            rule=UNSAFE,
        ) from None
    told = f"{count} x a layer of Python is the operators of its forward [{RULE}]"
    return with_program(artifact, document, told)


def _write_out(regions: list[Any]) -> int:
    """Raises ValueError, which ends a sentence, where a layer is not of that form."""
    yielded: dict[int, int] = {}  # by what a layer results in
    count = 0
    for block in blocks_in(regions):
        written, waiting = [], block["ops"][::-1]
        while waiting:
            operator = waiting.pop()
            if operator_name(operator["#"]) != PYTHON_LAYER:
                written.append(operator)
                continue
            *operators, end = _forward(operator)
            results = [one["%"] for one in operator["O"]]
            values = [one["%"] for one in end["I"]]
            if operator_name(end["#"]) != "cf.yield" or len(results) != len(values):
                raise ValueError("yields no value for each of its results")
            yielded.update(zip(results, values))
            waiting += operators[::-1]
            count += 1
        block["ops"][:] = written
    for block in blocks_in(regions):
        for read in (one for operator in block["ops"] for one in operator.get("I", ())):
            while read["%"] in yielded:  # each of a value before it, as was checked
                read["%"] = yielded[read["%"]]
    return count


def _forward(operator: Any) -> list[Any]:
    regions = operator.get("regions", [])
    blocks = [block for region in regions for block in region["blocks"]]
    if len(blocks) != 1 or blocks[0]["args"] or not blocks[0]["ops"]:
        raise ValueError("has no forward of one block")
    return list(blocks[0]["ops"])
