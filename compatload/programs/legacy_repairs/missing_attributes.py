"""Attributes that 3.x requires of an operator and that 2.x did not have, or had in another type.

The table was derived by translating every operator of the 2.6.2 registry with each 3.x wheel
(``isa<pir::Int32Attribute>`` and the like) and comparing the attributes of both registries; the
values are those that reproduce the behaviour of the older release.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    INT32,
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import assign_value, fill_constant

RULE = "CL112"

# operator → attribute → (AttrType name, value of the older release).
_ADDED: dict[str, dict[str, tuple[str, Any]]] = {
    "fake_channel_wise_quantize_abs_max": {"round_type": ("INT", 1)},
    "fake_channel_wise_quantize_dequantize_abs_max": {"round_type": ("INT", 1)},
    "fake_quantize_abs_max": {"round_type": ("INT", 1)},
    "fake_quantize_dequantize_abs_max": {"round_type": ("INT", 1)},
    "fused_rotary_position_embedding": {"rotary_emb_base": ("FLOAT", 10000.0)},
    "nanmedian": {"mode": ("STRING", "avg")},
    "repeat_interleave": {"output_size": ("LONG", -1)},
    "round": {"decimals": ("INT", 0)},
    "thresholded_relu": {"value": ("FLOAT", 0.0)},
    "truncated_gaussian_random": {"a": ("FLOAT", -2.0), "b": ("FLOAT", 2.0)},
    "weight_dequantize": {"group_size": ("INT", -1)},
    "weight_only_linear": {"group_size": ("INT", -1)},
    "weight_quantize": {"group_size": ("INT", -1)},
}

# operator → attribute → (AttrType name of the older release, of 3.x).
_RETYPED: dict[str, dict[str, tuple[str, str]]] = {
    "histogram": {"min": ("INT", "FLOAT"), "max": ("INT", "FLOAT")},
}


def _complete(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    done: list[str] = []
    for name, (kind, value) in _ADDED.get(operator.type, {}).items():
        if attribute_type(operator, name) is None:
            set_attribute(operator, name, kind, value)
            done.append(f"added {name}={value!r}")
    for name, (old, new) in _RETYPED.get(operator.type, {}).items():
        if attribute_type(operator, name) == old:
            set_attribute(operator, name, new, attribute(operator, name))
            done.append(f"{name} is now {new}")
    if not done:
        return None
    program.record(RULE, "; ".join(done), position)
    return [operator]


def _with_lengths(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """3.x asks lod_reset for lengths by attribute where a tensor gives them, which it then reads,
    and for a tensor where an attribute does."""
    lengths, tensor = attribute(operator, "target_lod", ()), arguments(operator.inputs, "Y")
    if bool(lengths) == bool(tensor):
        return None
    if tensor:
        set_attribute(operator, "target_lod", "INTS", [0])
        program.record(RULE, "added target_lod=[0], which is not read beside Y", position)
        return [operator]
    name = program.add_tensor(block, "lod_reset.lengths", INT32, [len(lengths)])
    set_arguments(operator.inputs, "Y", [name])
    program.record(RULE, "its lengths became a tensor", position)
    return [assign_value(name, INT32, [len(lengths)], lengths), operator]


def _without_values(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """3.x looks for the values of a constant that has none."""
    result, shape = arguments(operator.outputs, "Out"), attribute(operator, "shape", ())
    if 0 not in shape or len(result) != 1:
        return None
    program.record(RULE, "a constant without elements became fill_constant", position)
    return [fill_constant(result[0], int(attribute(operator, "dtype")), shape, 0)]


REPAIRS = {
    **dict.fromkeys((*_ADDED, *_RETYPED), _complete),
    "lod_reset": _with_lengths,
    "assign_value": _without_values,
}
