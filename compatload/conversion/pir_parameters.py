"""A parameter that nothing reads, for a Paddle that insists on one (rule CL210)."""

from __future__ import annotations

import json
import struct

from compatload.artifact import pir_json
from compatload.artifact.model import Parameter
from compatload.conversion.pir_to_legacy.files import record_header

_UNUSED = Parameter("compatload_unused_0", "float32", (1,))


def with_unused_parameter(program: bytes) -> tuple[bytes, bytes]:
    """A parameterless PIR program with one float32 parameter of shape [1], and its weights.

    Raises DamagedArtifactError if ``program`` is no PIR program.
    """
    tree = pir_json.parse(program)
    operators = tree["program"]["regions"][0]["blocks"][0]["ops"]
    data_type = {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCHW", [], 0]}
    parameter = {
        "#": "p",
        "A": [0, 1, 1, _UNUSED.name],
        "DA": [],
        "O": {"%": _largest_value(tree) + 1, "TT": data_type},
        "OA": [1, 0, 1],
        "QA": [],
    }
    operators.insert(0, parameter)
    weights = record_header(_UNUSED) + struct.pack("<f", 0.0)
    return json.dumps(tree, separators=(",", ":")).encode(), weights


def _largest_value(tree: object) -> int:
    """The largest value id of a program, found without recursion."""
    largest = 0
    pending = [tree]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            identity = item.get("%")
            if isinstance(identity, int):
                largest = max(largest, identity)
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return largest
