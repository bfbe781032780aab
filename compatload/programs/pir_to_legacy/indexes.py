"""Indexes below zero, which count from the end: 3.x takes them everywhere, 2.6 hardly anywhere.

2.6 says that an index must not be below zero, `take_along_axis` reads what lies before its tensor,
and `put_along_axis` writes there. What may be below zero gets the size of its axis added first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from compatload.programs.pir_to_legacy.constants import constant, single
from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import DataType, Operation, TensorType, Value
from compatload.programs.pir_to_legacy.steps import binary, cast

# Of a value's id, whether it is surely not below zero (``faults.bounds`` knows).
FromZero = Callable[[int], bool]
_Axes = Callable[[Operation, Value], "Sequence[int] | None"]


def _first(operation: Operation, index: Value) -> Sequence[int]:
    return (0,)


def _told(operation: Operation, index: Value) -> Sequence[int] | None:
    axis = operation.attributes.get("axis", 0)
    return (axis,) if isinstance(axis, int) else None


def _given(operation: Operation, index: Value) -> Sequence[int] | None:
    value = operation.operand(2)
    axis = 0 if value is None else single(value)
    return (axis,) if isinstance(axis, int) else None


def _each(operation: Operation, index: Value) -> Sequence[int] | None:
    """The last axis of the index holds a place on each of these."""
    count = index.type.dims[-1] if index.type.dims else -1
    return range(count) if count > 0 else None


# PIR operator whose second operand holds places in the first → on which axes of it.
_AXES: Mapping[str, _Axes] = {
    "pd_op.gather": _given,
    "pd_op.gather_nd": _each,
    "pd_op.scatter_nd_add": _each,
    **dict.fromkeys(("pd_op.scatter", "pd_op.scatter_"), _first),
    **dict.fromkeys(("pd_op.index_select", "pd_op.index_add", "pd_op.index_add_"), _told),
    **dict.fromkeys(
        ("pd_op.take_along_axis", "pd_op.put_along_axis", "pd_op.put_along_axis_"), _told
    ),
}


@contextmanager
def counted_from_start(operation: Operation, out: Emitter, from_zero: FromZero) -> Iterator[None]:
    """While an operator is converted that takes places, its second operand counts from 0."""
    index, source = operation.operand(1), operation.operand(0)
    axes = _axes(operation, index) if index is not None and source is not None else None
    if index is None or source is None or axes is None or _is_from_zero(index, from_zero):
        yield
        return
    known = out.names(index)
    out.bind(index, (_shifted(out, source, index, axes),))
    try:
        yield
    finally:
        out.bind(index, known)


def _axes(operation: Operation, index: Value) -> Sequence[int] | None:
    find = _AXES.get(operation.name)
    source = operation.operand(0)
    axes = find(operation, index) if find and index.type.kind == "dense" else None
    if axes is None or source is None:
        return None
    rank = len(source.type.dims)
    if not all(-rank <= axis < rank for axis in axes):
        return None  # of a number, or damaged
    return [axis % rank for axis in axes]


def _is_from_zero(index: Value, from_zero: FromZero) -> bool:
    known = constant(index)
    if known is None:
        return from_zero(index.id)
    return min(known if isinstance(known, list) else [known], default=0) >= 0


def _shifted(out: Emitter, source: Value, index: Value, axes: Sequence[int]) -> str:
    name, type_ = out.name(index), index.type
    # Of a number without dimensions all others are, too: a sum would get one.
    shape = (len(axes),) if type_.dims else ()
    sizes = _sizes(out, source, TensorType(type_.dtype, shape), axes)
    one = TensorType(type_.dtype, shape[:1] and (1,))
    told = {"shape": [*one.dims], "dtype": DataType(one.dtype), "value": 0.0, "str_value": "0"}
    zero = out.emit_new("fill_constant", {}, "Out", one, told)
    flags = replace(type_, dtype="bool")
    below = binary(out, "less_than", name, zero, flags)
    counted = binary(out, "elementwise_mul", cast(out, below, flags, type_.dtype), sizes, type_)
    return binary(out, "elementwise_add", name, counted, type_)


def _sizes(out: Emitter, source: Value, type_: TensorType, axes: Sequence[int]) -> str:
    """The sizes of those axes, as numbers of the type of the index."""
    sizes = [source.type.dims[axis] for axis in axes]
    if min(sizes) >= 0:
        kind = "int32_values" if type_.dtype == "int32" else "int64_values"
        told = {"shape": [*type_.dims], "dtype": DataType(type_.dtype), kind: sizes}
        return out.emit_new("assign_value", {}, "Out", type_, told)
    all_sizes = TensorType("int32", (len(source.type.dims),))
    every = out.emit_new("shape", {"Input": out.name(source)}, "Out", all_sizes)
    of_them = replace(type_, dtype="int32")
    cut = {"axes": [0], "starts": [axes[0]], "ends": [axes[-1] + 1]}
    cut["decrease_axis"] = [] if type_.dims else [0]
    part = out.emit_new("slice", {"Input": every}, "Out", of_them, cut)
    return cast(out, part, of_them, type_.dtype)
