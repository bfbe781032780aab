"""A parameter that nothing reads, for a Paddle that insists on one (rule CL210).

Legacy programs need none; but one that shares its weights file with such a PIR program must say
what is in it (``load_combine`` fails otherwise).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from compatload.artifact import pir_json
from compatload.artifact.info import write_info
from compatload.artifact.model import Parameter
from compatload.artifact.params import record_header
from compatload.artifact.program_proto import message

_UNUSED = Parameter("compatload_unused_0", "float32", (1,))
# As ProgramDesc numbers them.
_DENSE_TENSOR, _FLOAT32 = 7, 5


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


def legacy_with_unused_parameter(program: bytes, info: Mapping[str, object]) -> tuple[bytes, bytes]:
    """A parameterless legacy program with the same parameter, and a ``.pdiparams.info``.

    ``info`` is what that file says by now, of other methods.
    """
    description = message("ProgramDesc")
    description.ParseFromString(program)
    variable = description.blocks[0].vars.add(name=_UNUSED.name, persistable=True)
    variable.type.type = _DENSE_TENSOR
    variable.type.dense_tensor.tensor.data_type = _FLOAT32
    variable.type.dense_tensor.tensor.dims.extend(_UNUSED.shape)
    flags = {"structured_name": _UNUSED.name, "stop_gradient": False, "trainable": True}
    return bytes(description.SerializeToString()), write_info({**info, _UNUSED.name: flags})


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
