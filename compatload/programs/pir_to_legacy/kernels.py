"""Operators meet a dtype that 2.6 has no kernel for: they compute in a wider one, or it is said.

3.x computes `roll` of booleans, `sqrt` of integers, convolutions in bfloat16. 2.6.2 loads a program
with such an operator and then refuses every call. Casts into a dtype that has a kernel and holds
every value of the first, and back, give what 3.x gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from compatload.programs.pir_to_legacy import complex_numbers
from compatload.programs.pir_to_legacy.legacy import (
    EmittedBlock,
    EmittedOperator,
    Variable,
    made_operator,
)
from compatload.programs.pir_to_legacy.protos import DATA_TYPE_NUMBERS, operator_proto

# By whose dtype Paddle looks for a kernel: the first of these slots that an operator has.
DECIDING = ("X", "Input", "x", "input", "W", "SortedSequence", "Condition")
# Says where, whatever the dtype of the rest.
FLAGS = frozenset({"Condition", "Mask"})
# By that of the result instead, which an attribute tells.
BY_RESULT = frozenset({"fill_any_like", "fill_constant_batch_size_like"})
# What holds every value of a dtype, the nearest first. Nothing whole becomes a fraction on the way:
# 1 / 0 would come back as some number.
_WIDER: Mapping[str, tuple[str, ...]] = {
    "bool": ("uint8", "int8", "int32", "int64"),
    "int8": ("int16", "int32", "int64"),
    "uint8": ("int16", "int32", "int64"),
    "int16": ("int32", "int64"),
    "int32": ("int64",),
    "float16": ("float32",),
    "bfloat16": ("float32",),
    "float32": ("float64",),
    "complex64": ("complex128",),
}
_WHOLE = frozenset({"bool", "int8", "uint8", "int16", "int32", "int64"})
# Compared with tolerances, whole numbers are fractions in 3.x, too.
_CLOSENESS = frozenset({"allclose", "isclose"})
_ROUNDING = frozenset({"round", "floor", "ceil", "trunc"})
# How many boxes an image has: kernels of 2.6 take int32, those of 3.x int64 as well.
_COUNTS, _COUNTED = ("RoisNum", "MultiLevelRoIsNum"), "int32"
# 3.x gives results of seven dimensions here.
_SIX_DIMENSIONS = frozenset({"expand_as_v2", "expand_v2", "tile", "unsqueeze2"})


def fit(blocks: Sequence[EmittedBlock]) -> list[str]:
    """Rewrites the operators that 2.6 has no kernel for; what cannot be, one line each."""
    obstacles = []
    for block in blocks:
        operators: list[EmittedOperator] = []
        for operator in block.operators:
            try:
                *casts, operator = _counting(operator, block, blocks)
                operators += [*casts, *_fitted(operator, block, blocks)]
            except LookupError as reason:
                obstacles.append(f"{operator.origin}: {reason.args[0]}")
        block.operators[:] = operators
    return obstacles


def _counting(
    operator: EmittedOperator, block: EmittedBlock, blocks: Sequence[EmittedBlock]
) -> list[EmittedOperator]:
    """The operator behind casts of what it counts with."""
    counts = {slot: operator.inputs[slot] for slot in _COUNTS if slot in operator.inputs}
    if not counts:
        return [operator]
    casts: list[EmittedOperator] = []

    def narrowed(name: str) -> str:
        variable = _variable(name, block, blocks)
        if variable is None or variable.dtype not in _WIDER[_COUNTED]:
            return name
        place = _declared(f"{name}.as_{_COUNTED}", _COUNTED, variable, block, blocks)
        casts.append(_cast(name, place, variable.dtype, _COUNTED, operator))
        return place

    told = {slot: tuple(map(narrowed, names)) for slot, names in counts.items()}
    return [*casts, replace(operator, inputs={**operator.inputs, **told})]


def _fitted(
    operator: EmittedOperator, block: EmittedBlock, blocks: Sequence[EmittedBlock]
) -> list[EmittedOperator]:
    """What stands for an operator; LookupError if nothing can."""
    if operator.type in _SIX_DIMENSIONS:
        result = _variable(operator.outputs["Out"][0], block, blocks)
        if result is not None and len(result.dims) > 6:
            raise LookupError(f"Paddle 2.6 has {operator.type} for six dimensions at most")
    dtype = _deciding(operator, block, blocks)
    results = [_variable(name, block, blocks) for name in operator.output_names()]
    wanted = computed_in(operator.type, dtype, results[0].dtype if results and results[0] else "")
    if not wanted:
        return [operator]
    if wanted == dtype:
        return [made_operator("assign", operator.inputs, operator.outputs, {}, operator.origin)]
    if wanted == complex_numbers.PART.get(dtype):
        return complex_numbers.in_parts(
            operator, dtype, block, partial(_variable, block=block, blocks=blocks)
        )
    return _cast_around(operator, dtype, wanted, unread_slots(operator.type), block, blocks)


def computed_in(name: str, dtype: str, result: str) -> str:
    """The dtype that operator ``name`` of ``dtype`` (whose first result is of dtype ``result``) is
    computed in by 2.6: ``""`` where that needs no change, ``dtype`` itself where the numbers are
    the result already, that of the parts of complex numbers where those are computed each.
    LookupError if there is none."""
    proto = operator_proto(name)
    if proto is None or not dtype or not proto.kernels or dtype in proto.kernels:
        return ""
    if name in _ROUNDING and dtype in _WHOLE - {"bool"}:
        return dtype
    if dtype in complex_numbers.PART and name in complex_numbers.COMPUTED:
        return complex_numbers.PART[dtype]
    wider = _WIDER.get(dtype, ())
    if dtype in _WHOLE and result and result not in _WHOLE:
        wider = (result, *wider)  # as 3.x promotes them
    elif dtype in _WHOLE - {"bool"} and name in _CLOSENESS:
        wider = ("float64",)
    wanted = next((one for one in wider if one in proto.kernels), None)
    # 3.x makes int64 of a rounded bool, and says bool.
    if wanted is None or (name in _ROUNDING and dtype == "bool"):
        raise LookupError(f"Paddle 2.6 has no kernel of {name} for {dtype}")
    return wanted


def unread_slots(name: str) -> frozenset[str]:
    """Results such as XShape, which have no numbers."""
    proto = operator_proto(name)
    outputs = proto.outputs.items() if proto is not None else ()
    return frozenset(slot for slot, one in outputs if one.intermediate)


def _deciding(
    operator: EmittedOperator, block: EmittedBlock, blocks: Sequence[EmittedBlock]
) -> str:
    names = [name for slot in DECIDING for name in operator.inputs.get(slot, ())]
    if operator.type in BY_RESULT:
        names = [*operator.output_names()]
    variable = _variable(names[0], block, blocks) if names else None
    return variable.dtype if variable is not None else ""


def _variable(name: str, block: EmittedBlock, blocks: Sequence[EmittedBlock]) -> Variable | None:
    """The tensor of that name, as this block sees it."""
    at: EmittedBlock | None = block
    while at is not None:
        found = at.variables.get(name)
        if found is not None:
            return found if found.kind == "dense_tensor" else None
        at = blocks[at.parent] if at.parent >= 0 else None
    return None


def _declared(
    stem: str, dtype: str, like: Variable, block: EmittedBlock, blocks: Sequence[EmittedBlock]
) -> str:
    """The name of a new tensor."""
    while _variable(stem, block, blocks) is not None:
        stem += "_"
    block.declare(Variable(stem, dtype=dtype, dims=like.dims))
    return stem


def _cast(
    source: str, target: str, old: str, new: str, operator: EmittedOperator
) -> EmittedOperator:
    numbers = map(DATA_TYPE_NUMBERS.get, (old, new))
    attributes = dict(zip(("in_dtype", "out_dtype"), numbers))
    slots = {"X": (source,)}, {"Out": (target,)}
    return made_operator("cast", *slots, attributes, operator.origin)


def _cast_around(
    operator: EmittedOperator,
    dtype: str,
    wanted: str,
    unread: Collection[str],
    block: EmittedBlock,
    blocks: Sequence[EmittedBlock],
) -> list[EmittedOperator]:
    before: list[EmittedOperator] = []
    after: list[EmittedOperator] = []

    def inner(name: str, *, is_result: bool) -> str:
        variable = _variable(name, block, blocks)
        if variable is None or variable.dtype != dtype:
            return name
        stem = f"{name}.{'of' if is_result else 'as'}_{wanted}"
        place = _declared(stem, wanted, variable, block, blocks)
        if is_result:
            after.append(_cast(place, name, wanted, dtype, operator))
        else:
            before.append(_cast(name, place, dtype, wanted, operator))
        return place

    told = {}
    if operator.type in BY_RESULT:
        told["dtype"] = (operator.attributes["dtype"][0], DATA_TYPE_NUMBERS[wanted])
    computed = replace(
        operator,
        attributes={**operator.attributes, **told},
        inputs={
            slot: names
            if slot in FLAGS and sum(map(bool, operator.inputs.values())) > 1
            else tuple(inner(name, is_result=False) for name in names)
            for slot, names in operator.inputs.items()
        },
        outputs={
            slot: names if slot in unread else tuple(inner(name, is_result=True) for name in names)
            for slot, names in operator.outputs.items()
        },
    )
    return [*before, computed, *after]
