"""CL119: values of ``detach()``, which lie in the memory of what they were taken from. Pure.

Paddle writes ``share_data_``, and what lets operators compute in place does not know that the two
share: of ``d = y.detach(); return relu(y), d`` the second output is the first one, through
``paddle.jit.load``, ``load_inference_model`` and predictors, in every release from 3.0 on.
"""

from __future__ import annotations

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format, Operator
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import blocks_in, with_program
from compatload.rules.links import FIRST, Links, operand
from compatload.rules.matching import bare_name

RULE = "CL119"
_SHARED = frozenset({"share_data", "pd_op.share_data_"})
_COPY = "1.assign"
_NOT_OF_A_RUN = frozenset({"data", "feed", "parameter"})


def sharing(artifact: Artifact) -> tuple[Operator, ...]:
    """Operators whose result shares memory with a value that somebody else reads as well.

    What was fed and what was stored stays after the run, so it counts as read.
    """
    if _SHARED.isdisjoint(artifact.program.operator_counts):
        return ()
    links = Links(artifact.program.operators)
    return tuple(
        one
        for one in artifact.program.operators
        if one.name in _SHARED and _is_read_elsewhere(operand(one, FIRST), links)
    )


def _is_read_elsewhere(value: str | None, links: Links) -> bool:
    maker = links.makes(value)
    if value is None or maker is None or bare_name(maker) in _NOT_OF_A_RUN:
        return True
    return len(links.readers[value]) > 1


def copied(artifact: Artifact) -> Artifact:
    """``artifact`` with a PIR program in which such values have memory of their own.

    Itself where there are none; legacy programs are repaired with all else (``legacy_repairs``).
    """
    if artifact.format is not Format.PIR or not sharing(artifact):
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    count = 0
    for block in blocks_in(document["program"]["regions"]):
        for operator in block["ops"]:
            if operator_name(operator["#"]) in _SHARED:
                operator["#"] = _COPY
                count += 1
    return with_program(
        artifact, document, f"{count} x detach() copies instead of sharing memory [{RULE}]"
    )
