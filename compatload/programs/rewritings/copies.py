"""Copies of an operator of a legacy program, with other operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.artifact.program_proto import message
from compatload.programs.legacy_repairs.program import set_arguments


def copied(operator: Any) -> Any:
    copy = message("OpDesc")
    copy.CopyFrom(operator)
    return copy


def filled(operator: Any, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> Any:
    """The operator with those names in its slots."""
    for slots, names in ((operator.inputs, inputs), (operator.outputs, outputs)):
        for slot, name in names.items():
            set_arguments(slots, slot, [name])
    return operator
