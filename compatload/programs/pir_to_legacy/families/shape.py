"""Shapes: what moves, joins and cuts tensors without computing on their elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compatload.programs.pir_to_legacy.constants import constant, parts, single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import (
    convert,
    finish,
    given,
    shape_output,
    with_axes_before,
)

_MAX_ELEMENTS = 1 << 20  # of a list
_AXES = {
    "axes": Folded("axes", "AxesTensor", "AxesTensorList"),
    "squeezed": Folded("axes"),
    "axis": Folded("axis", "AxisTensor"),
}


@special(operands=_MAX_ELEMENTS)
def _combine(operation: Operation, out: Emitter) -> None:
    """A list of tensors is no variable of its own in a legacy program."""
    names: tuple[str, ...] = ()
    for value in operation.operands:
        if value is None:
            raise ObstacleError("a list with an absent element")
        names += out.names(value)
    out.bind(operation.results[0], names)


@special()
def _take_apart(operation: Operation, out: Emitter) -> None:
    vector = operation.operand(0)
    names = () if vector is None else out.names(vector)
    if len(names) != len(operation.results):
        raise ObstacleError(
            f"{len(operation.results)} tensors are taken from a list of {len(names)}"
        )
    for value, name in zip(operation.results, names):
        out.bind(value, (name,))


@special()
def _broadcast_tensors(operation: Operation, out: Emitter) -> None:
    """The operator of 2.6 wants two at least."""
    names = out.optional(operation, 0)
    if len(names) == 1:
        (target,) = out.define(operation.results[0], "broadcast")
        out.emit("assign", {"X": names[0]}, {"Out": target})
    else:
        apply(rule("broadcast_tensors"), operation, out)


@special("index")
def _pick(operation: Operation, out: Emitter) -> None:
    vector = operation.operand(0)
    names = () if vector is None else out.names(vector)
    index = operation.attributes.get("index")
    if not isinstance(index, int) or not 0 <= index < len(names):
        raise ObstacleError(f"element {index!r} of a list of {len(names)}")
    out.bind(operation.results[0], (names[index],))


@special()
def _shape(operation: Operation, out: Emitter) -> None:
    """2.6 gives shapes in int32; from 3.1 on PIR has them in int64."""
    result = operation.results[0]
    if result.type.dtype == "int32":
        apply(rule("shape", "Input"), operation, out)
        return
    narrow = TensorType("int32", result.type.dims)
    sizes = out.emit_new("shape", {"Input": out.operand(operation, 0)}, "Out", narrow)
    convert(out, sizes, "int32", result.type.dtype, out.define(result, "shape")[0])


@special("dtype")
def _cast(operation: Operation, out: Emitter) -> None:
    into_result(operation, 0, out)


def into_result(operation: Operation, index: int, out: Emitter) -> None:
    """Makes the result of an operand, in the result's data type."""
    value, result = given(operation, index), operation.results[0]
    (target,) = out.define(result, "cast")
    convert(out, out.name(value), value.type.dtype, result.type.dtype, target)


@special(None)
def _transpose(operation: Operation, out: Emitter) -> None:
    """A perm may count from the end; 2.6 wants it counted from the start. One of no axes, which
    2.6 does not take, leaves all as it is."""
    perm = operation.attributes.get("perm", [])
    turned(operation, [axis + len(perm) if axis < 0 else axis for axis in perm], out)


_TRANSPOSE = rule("transpose2", rename={"perm": "axis"})


def turned(operation: Operation, axes: Sequence[int], out: Emitter) -> None:
    """Makes the result of the first operand, with its axes in that order."""
    if axes:
        apply(_TRANSPOSE, operation, out, axis=list(axes))
    else:
        finish(out, "assign", {"X": out.operand(operation, 0)}, operation.results[0])


EXPAND = rule(
    "expand_v2",
    "X shape",
    folded={"shape": Folded("shape", "Shape", "expand_shapes_tensor")},
)


@special(None, operands=2)
def _expand(operation: Operation, out: Emitter) -> None:
    """Where sizes are kept, oneDNN takes new axes for the first of the old ones (CL618)."""
    source, shape = given(operation, 0), given(operation, 1)
    lacking = len(operation.results[0].type.dims) - len(source.type.dims)
    told = constant(shape) or [single(part) for part in parts(shape) or ()]
    if lacking > 0 and -1 in told:
        apply(EXPAND, operation, out, {0: (with_axes_before(out, source, lacking),)})
    else:
        apply(EXPAND, operation, out)


_SPLIT = rule(
    "split",
    "X sections axis",
    folded={**_AXES, "sections": Folded("sections", "", "SectionsTensorList")},
)
_SPLIT_EVENLY = rule("split", "X axis", folded=_AXES)


@special(None, operands=3)
def _split(operation: Operation, out: Emitter) -> None:
    """2.6 wants the axis counted from the start."""
    evenly = operation.name.endswith("_with_num")
    source, axis = operation.operand(0), operation.operand(1 if evenly else 2)
    known = None if axis is None else single(axis)
    overrides = {}
    if known is not None and known < 0 and source is not None:
        overrides["axis"] = known + len(source.type.dims)
    apply(_SPLIT_EVENLY if evenly else _SPLIT, operation, out, **overrides)


_SHAPE = Folded("shape", "Shape", "ShapeTensor", with_dimension=True)
_RESHAPE = rule("reshape2", "X shape", folded={"shape": _SHAPE})


@special(None, operands=2)
def _reshape(operation: Operation, out: Emitter) -> None:
    """That of a bias may be left without a reader (``elementwise._add``)."""
    apply(_RESHAPE, operation, out)
    source = operation.operand(0)
    if source is not None and source.producer is not None:
        out.block.operators[-1].disposable = source.producer.name == "builtin.parameter"


_SQUEEZE = rule("squeeze2", "X squeezed", folded=_AXES)
_MOST_AXES = 6  # that squeeze2 of 2.6 takes


@special(None, operands=2)
def _squeeze(operation: Operation, out: Emitter) -> None:
    """One of more axes is reshaped."""
    source, result = given(operation, 0), operation.results[0]
    dims = result.type.dims
    if len(source.type.dims) <= _MOST_AXES:
        apply(_SQUEEZE, operation, out)
    elif dims.count(-1) > 1:
        raise ObstacleError(f"Paddle 2.6 squeezes {_MOST_AXES} axes at most")
    else:
        outputs = {"Out": out.define(result, "reshape2"), **shape_output(out, source.type)}
        out.emit("reshape2", {"X": out.name(source)}, outputs, {"shape": [*dims]})


STACK = rule("stack", "X", "Y")


@special(None)
def _stack(operation: Operation, out: Emitter) -> None:
    """One that puts a shape together has no reader where its parts are read instead."""
    apply(STACK, operation, out)
    out.block.operators[-1].disposable = parts(operation.results[0]) is not None


_REPEATED = rule(
    "repeat_interleave", rename={"repeats": "Repeats", "axis": "dim"}, ignored="output_size"
)
_REPEATED_BY_TENSOR = rule(
    "repeat_interleave", "X RepeatsTensor", rename={"axis": "dim"}, ignored="output_size"
)


@special(None, operands=2)
def _repeat_interleave(operation: Operation, out: Emitter) -> None:
    """2.6 dies of an axis that counts from the end."""
    overrides: dict[str, Any] = {}
    source, axis = operation.operand(0), operation.attributes.get("axis")
    if isinstance(axis, int) and axis < 0 and source is not None:
        overrides["dim"] = axis + len(source.type.dims)
    by_tensor = len(operation.operands) > 1
    apply(_REPEATED_BY_TENSOR if by_tensor else _REPEATED, operation, out, **overrides)


RULES: Mapping[str, Conversion] = {
    "builtin.combine": _combine,
    "builtin.split": _take_apart,
    "builtin.slice": _pick,
    "reshape": _reshape,
    "flatten": rule("flatten_contiguous_range"),
    "squeeze": _squeeze,
    "unsqueeze": rule("unsqueeze2", "X axes", folded=_AXES),
    "transpose": _transpose,
    "expand": _expand,
    "expand_as": rule("expand_as_v2", "X Y"),
    "broadcast_tensors": _broadcast_tensors,
    "tile": rule(
        "tile",
        "X times",
        folded={"times": Folded("repeat_times", "RepeatTimes", "repeat_times_tensor")},
    ),
    "concat": rule("concat", "X axis", folded=_AXES),
    "stack": _stack,
    "unstack": rule("unstack", "X", "Y"),
    "unbind": rule("unbind"),
    "split": _split,
    "split_with_num": _split,
    "meshgrid": rule("meshgrid"),
    "flip": rule("flip"),
    "reverse": rule("reverse", "X axis", folded={"axis": Folded("axis")}),
    "roll": rule("roll", "X shifts", folded={"shifts": Folded("shifts", "ShiftsTensor")}),
    "crop": rule(
        "crop_tensor",
        "X shape offsets",
        folded={
            "shape": Folded("shape", "Shape", "ShapeTensor"),
            "offsets": Folded("offsets", "Offsets", "OffsetsTensor"),
        },
    ),
    "tril": rule("tril_triu", fixed={"lower": True}),
    "triu": rule("tril_triu", fixed={"lower": False}),
    "diag": rule("diag_v2"),
    "diag_embed": rule("diag_embed", "Input"),
    "diagonal": rule("diagonal", "Input"),
    "repeat_interleave": _repeat_interleave,
    "repeat_interleave_with_tensor_index": _repeat_interleave,
    "shape": _shape,
    "shape64": _shape,
    "numel": rule("size", "Input"),
    "cast": _cast,
    "assign": rule("assign"),
    "share_data": rule("assign"),
    "as_strided": rule("as_strided", "input", "out"),
    "frame": rule("frame"),
    "overlap_add": rule("overlap_add"),
    "fill_diagonal": rule("fill_diagonal"),
    "fill_diagonal_tensor": rule("fill_diagonal_tensor", "X Y"),
    "npu_identity": rule("assign", ignored="format"),
}
