"""What a ``paddle.inference.Config`` asks of a predictor, as plain data: read here or elsewhere.

As JSON (``compatload plan --config FILE``) every field may be left out: ``{"schema": 1,
"new_ir": true, "memory_optim": true}``. Reading is strict, as for runtimes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen

SCHEMA = 1
# All that a Config is asked for would fit ten times.
MAXIMUM_BYTES = 1 << 16
_ACTION = "Give an object of the fields in docs/configs.md, or leave --config out."


@frozen
class PredictorConfig:
    """The default is what ``paddle.inference.Config()`` asks for: measured on 2.6.2, 3.0.0, 3.1.1,
    3.2.2, 3.3.0 and 3.3.1, where oneDNN is on without being asked for.

    Args:
        new_ir: ``enable_new_ir``: 3.x translates a legacy program to PIR before its passes. A PIR
            program runs as one, whatever this says.
        new_executor, optimization_level: None where nobody knows; no release tells, and what is
            read from a Config may have the new executor.
        deleted_passes: those that are known; 3.x does not tell, and keeps them all the same.
        precision: ``float32``, ``bfloat16``, ``int8`` or ``float16``.
        threads: of the CPU math library.
        in_memory: the Config holds the model's bytes.
    """

    device: str = "cpu"
    onednn: bool = True
    ir_optim: bool = True
    memory_optim: bool = False
    new_ir: bool = False
    new_executor: bool | None = False
    optimization_level: int | None = None
    deleted_passes: tuple[str, ...] = ()
    precision: str = "float32"
    tensorrt: bool = False
    cinn: bool = False
    threads: int | None = None
    in_memory: bool = False

    def runs(self, name: str) -> bool:
        """Whether a pass may run: oneDNN's do with oneDNN alone, and none that was deleted."""
        return name not in self.deleted_passes and (self.onednn or not is_onednn_pass(name))

    def to_json(self) -> str:
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str | bytes) -> PredictorConfig:
        """The Config that ``to_json`` told. Raises UsageError for anything else."""
        if len(text) > MAXIMUM_BYTES:
            raise _unusable(f"the text has {len(text)} characters")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _unusable(f"it is not JSON ({error})") from error
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise _unusable(f"it is no object with schema {SCHEMA}")
        return cls.from_dict({key: value for key, value in data.items() if key != "schema"})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PredictorConfig:
        """Raises UsageError for unknown fields and wrong types."""
        unknown = sorted(set(data) - set(_KINDS))
        if unknown:
            raise _unusable(f"it has unknown fields: {', '.join(unknown)}")
        for name, value in data.items():
            if not _is(value, _KINDS[name]):
                raise _unusable(f"{name} is {value!r}, not {_KINDS[name]}")
        if data.get("precision", PRECISIONS[0]) not in PRECISIONS:
            raise _unusable(f"precision is not one of {', '.join(PRECISIONS)}")
        passes = tuple(data.get("deleted_passes", ()))
        return cls(**{**data, "deleted_passes": passes})


PRECISIONS = ("float32", "bfloat16", "int8", "float16")

# Passes that oneDNN brings along under a name that does not say so: what `enable_mkldnn` adds to
# `pass_builder().all_passes()`, 2.6.2 to 3.3.1, and those of its passes for PIR that a rule names.
_ONEDNN_PASSES = frozenset(
    {
        *("batch_norm_act_fuse_pass", "scale_matmul_fuse_pass", "self_attention_fuse_pass"),
        *("conv2d_bias_fuse_pass", "conv2d_transpose_bias_fuse_pass", "conv3d_bias_fuse_pass"),
        *("fc_activation_fuse_pass", "matmul_activation_fuse_pass"),
    }
)


def is_onednn_pass(name: str) -> bool:
    """Whether a pass of a predictor on the CPU runs only where oneDNN is on."""
    return "onednn" in name or "mkldnn" in name or name in _ONEDNN_PASSES


_TRUTH, _TEXT, _NUMBER = "true or false", "a text", "a whole number"
_TEXTS = "a list of texts"
_KINDS = {
    "device": _TEXT,
    **dict.fromkeys(("onednn", "ir_optim", "memory_optim", "new_ir"), _TRUTH),
    "new_executor": f"{_TRUTH}, or null",
    "optimization_level": f"{_NUMBER}, or null",
    "deleted_passes": _TEXTS,
    "precision": _TEXT,
    **dict.fromkeys(("tensorrt", "cinn", "in_memory"), _TRUTH),
    "threads": f"{_NUMBER}, or null",
}


def _is(value: object, kind: str) -> bool:
    if kind.endswith("or null"):
        return value is None or _is(value, kind.rpartition(",")[0])
    if kind == _NUMBER:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == _TEXTS:
        return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)
    return isinstance(value, bool if kind == _TRUTH else str)


def _unusable(reason: str) -> UsageError:
    return UsageError(f"this is no predictor's Config: {reason}", action=_ACTION)
