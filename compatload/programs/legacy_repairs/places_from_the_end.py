"""Places and axes that count from the end, of programs that 3.x saved, for 2.6 (CL138)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compatload.faults.bounds import bounds, number
from compatload.frozen import frozen
from compatload.programs.legacy_repairs.program import (
    BOOL,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    drop_slot,
    new_operator,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import (
    assign_value,
    cast,
    elementwise,
    fill_constant,
    slice_along,
    squeeze,
)

RULE = "CL138"
AXIS = "its axis counts from the start"
PLACES = "its places count from the start"
_WRITTEN_SINCE = 3_000_000


@frozen
class _Places:
    """``places`` in ``source``: along the axis that an attribute tells, or (``of_each``) along the
    first axes, one for each number of a place."""

    source: str = "X"
    places: str = "Index"
    axis: str = ""
    of_each: bool = False


_KINDS: Mapping[str, _Places] = {
    "gather": _Places(axis="axis"),
    "gather_nd": _Places(of_each=True),
    "index_add": _Places(axis="axis"),
    "index_select": _Places(axis="dim"),
    "put_along_axis": _Places("Input", axis="Axis"),
    "scatter": _Places(places="Ids"),
    "scatter_nd_add": _Places(of_each=True),
    "take_along_axis": _Places("Input", axis="Axis"),
}


def _from_the_start(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    kind = _KINDS[operator.type]
    source = arguments(operator.inputs, kind.source)
    places = arguments(operator.inputs, kind.places)
    rank = len(program.shape(block, source[0]) or ()) if source else 0
    if program.desc.version.version < _WRITTEN_SINCE or not rank or not places:
        return None
    done = {AXIS: _with_axis(program, block, operator, rank)} if operator.type == "gather" else {}
    axes = _axes(program, block, operator, kind, rank)
    done[PLACES] = _with_places(program, block, operator, kind, axes)
    changes = {what: steps for what, steps in done.items() if steps is not None}
    for what in changes:
        program.record(RULE, what, position)
    return [*(one for steps in changes.values() for one in steps), operator] if changes else None


def _with_axis(program: LegacyProgram, block: Any, gather: Any, rank: int) -> list[Any] | None:
    """What computes an axis that counts from the start, which is set; None where it does."""
    axis = _axis(program, gather, "axis")
    if axis is None:
        return _with_computed_axis(program, block, gather, rank)
    if not -rank <= axis < 0:
        return None
    drop_slot(gather.inputs, "Axis")
    set_attribute(gather, "axis", "INT", axis + rank)
    return []


def _with_computed_axis(
    program: LegacyProgram, block: Any, gather: Any, rank: int
) -> list[Any] | None:
    (told,) = arguments(gather.inputs, "Axis")
    kind, dims = program.data_type(block, told), program.shape(block, told)
    if kind not in (INT32, INT64) or dims is None or bounds(program.sure, told).from_zero:
        return None
    size, more, axis = (
        program.add_tensor(block, f"{told}.{part}", kind, dims)
        for part in ("rank", "more", "from_the_start")
    )
    set_arguments(gather.inputs, "Axis", [axis])
    return [
        fill_constant(size, kind, dims, rank),
        elementwise("elementwise_add", told, size, more),
        elementwise("elementwise_mod", more, size, axis),
    ]


def _axis(program: LegacyProgram, operator: Any, name: str) -> int | None:
    """The axis of an attribute, or of the constant that stands for it."""
    told = arguments(operator.inputs, "Axis")
    constant = number(program.sure, told[0]) if told else attribute(operator, name, 0)
    return None if constant is None else int(constant)


def _axes(
    program: LegacyProgram, block: Any, operator: Any, kind: _Places, rank: int
) -> Sequence[int]:
    """Of the source, those along which places are counted; none where that is not known."""
    if kind.of_each:
        index = program.shape(block, arguments(operator.inputs, kind.places)[0])
        return range(index[-1]) if index and 0 < index[-1] <= rank else ()
    axis = _axis(program, operator, kind.axis) if kind.axis else 0
    return (axis % rank,) if axis is not None and -rank <= axis < rank else ()


def _with_places(
    program: LegacyProgram, block: Any, operator: Any, kind: _Places, axes: Sequence[int]
) -> list[Any] | None:
    """What adds the size of its axis to a place below zero; None where none is, or who knows."""
    (source, *_), (told, *_) = (
        arguments(operator.inputs, slot) for slot in (kind.source, kind.places)
    )
    type_, dims = program.data_type(block, told), program.shape(block, told)
    if not axes or type_ not in (INT32, INT64) or dims is None:
        return None
    if bounds(program.sure, told).from_zero:
        return None
    width = [len(axes)] if dims else []
    zero, size = (
        program.add_tensor(block, f"{told}.{part}", type_, width) for part in ("zero", "size")
    )
    below = program.add_tensor(block, f"{told}.below", BOOL, dims)
    flag, more, counted = (
        program.add_tensor(block, f"{told}.{part}", type_, dims)
        for part in ("flag", "more", "from_the_start")
    )
    set_arguments(operator.inputs, kind.places, [counted])
    return [
        *_sizes(program, block, source, axes, size, type_, width),
        fill_constant(zero, type_, width, 0),
        elementwise("less_than", told, zero, below),
        cast(below, BOOL, flag, type_),
        elementwise("elementwise_mul", flag, size, more),
        elementwise("elementwise_add", told, more, counted),
    ]


def _sizes(
    program: LegacyProgram,
    block: Any,
    source: str,
    axes: Sequence[int],
    result: str,
    type_: int,
    width: Sequence[int],
) -> list[Any]:
    """The sizes of these neighbouring axes, as numbers of that type."""
    dims = program.shape(block, source) or ()
    sizes = [dims[axis] for axis in axes]
    if min(sizes) >= 0:
        if width:
            return [assign_value(result, type_, width, sizes)]
        return [fill_constant(result, type_, (), sizes[0])]
    every = program.add_tensor(block, f"{source}.sizes", INT32, [len(dims)])
    part = program.add_tensor(block, f"{source}.part", INT32, [len(axes)])
    steps = [
        new_operator("shape", {"Input": [source]}, {"Out": [every]}, {}),
        slice_along(0, every, part, axes[0], axes[-1] + 1),
    ]
    if not width:
        alone = program.add_tensor(block, f"{source}.size", INT32, ())
        steps.append(squeeze(part, alone, [0]))
        part = alone
    return [*steps, cast(part, INT32, result, type_)]


REPAIRS = dict.fromkeys(_KINDS, _from_the_start)
