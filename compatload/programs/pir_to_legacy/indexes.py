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
from compatload.programs.pir_to_legacy.steps import binary, cast, computed_sizes, filled

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


def _given_last(operation: Operation, index: Value) -> Sequence[int] | None:
    value = operation.operand(3)
    axis = None if value is None else single(value)
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
    # Their gradients, which read places as they do.
    "pd_op.gather_grad": _given_last,
    "pd_op.gather_nd_grad": _each,
    "pd_op.index_select_grad": _told,
    "pd_op.take_along_axis_grad": _told,
    "pd_op.put_along_axis_grad": _told,
}


@contextmanager
def counted_from_start(operation: Operation, out: Emitter, from_zero: FromZero) -> Iterator[None]:
    """While an operator is converted that takes places, its second operand counts from 0."""
    find = _AXES.get(operation.name)
    source, index = operation.operand(0), operation.operand(1)
    axes = None
    if find and source is not None and index is not None and index.type.kind == "dense":
        axes = _from_start(find(operation, index), len(source.type.dims))
    if axes is None or source is None or index is None or _is_from_zero(index, from_zero):
        yield
        return
    known = out.names(index)
    out.bind(index, (_shifted(out, source, index, axes),))
    try:
        yield
    finally:
        out.bind(index, known)


def _from_start(axes: Sequence[int] | None, rank: int) -> Sequence[int] | None:
    if axes is None or not all(-rank <= axis < rank for axis in axes):
        return None  # not known, of a number, or damaged
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
    zero = filled(out, 0, TensorType(type_.dtype, shape[:1] and (1,)))
    flags = replace(type_, dtype="bool")
    below = binary(out, "less_than", name, zero, flags)
    counted = binary(out, "elementwise_mul", cast(out, below, flags, type_.dtype), sizes, type_)
    return binary(out, "elementwise_add", name, counted, type_)


def _sizes(out: Emitter, source: Value, type_: TensorType, axes: Sequence[int]) -> str:
    """The sizes of those axes, as numbers of the type of the index."""
    sizes = [source.type.dims[axis] for axis in axes]
    if min(sizes) >= 0:
        holder = "int32_values" if type_.dtype == "int32" else "int64_values"
        told = {"shape": [*type_.dims], "dtype": DataType(type_.dtype), holder: sizes}
        return out.emit_new("assign_value", {}, "Out", type_, told)
    here, rank = range(axes[0], axes[-1] + 1), len(source.type.dims)
    part, kind = computed_sizes(out, out.name(source), rank, here, alone=not type_.dims)
    return cast(out, part, kind, type_.dtype)
