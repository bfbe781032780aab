"""Attributes and optional inputs that a legacy program leaves out, written out.

1.x wrote neither what later releases added nor what was empty. Paddle's executor fills them in by
itself, and the backward operators that ``paddle.jit.load`` of 2.6 makes look them up as they
stand (``Cannot find attribute (use_global_stats)``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from compatload.artifact.program_proto import ATTR_FIELDS, message
from compatload.operators.registry import LegacyOperator, legacy_operators
from compatload.programs.legacy_repairs.program import set_attribute
from compatload.programs.pir_changes import Change, collected


def with_defaults(data: bytes, release: str) -> tuple[bytes, tuple[Change, ...]]:
    """A serialised ProgramDesc with the defaults of ``release``; the very bytes if none lacks."""
    known = legacy_operators(release)
    description = message("ProgramDesc")
    description.ParseFromString(data)
    changes: Counter[tuple[str, str]] = Counter()
    for block in description.blocks:
        for operator in block.ops:
            described = known.get(operator.type)
            if described is not None:
                for name in _fill_in(operator, described):
                    changes[operator.type, f"{name}, left out, is written at its default"] += 1
    if not changes:
        return data, ()
    return bytes(description.SerializeToString()), collected(changes)


def _fill_in(operator: Any, described: LegacyOperator) -> list[str]:
    """The attributes that ``operator`` gets, and its empty optional inputs."""
    present = {attribute.name for attribute in operator.attrs}
    missing: Mapping[str, tuple[str, object]] = {
        attribute.name: (attribute.type, attribute.default)
        for attribute in described.left_out(present)
        if attribute.type in ATTR_FIELDS
    }
    for name, (kind, value) in missing.items():
        set_attribute(operator, name, kind, value)
    slots = {slot.parameter for slot in operator.inputs}
    if missing:
        for slot in described.inputs:
            if slot.dispensable and slot.name not in slots:
                operator.inputs.add(parameter=slot.name)
    return list(missing)
