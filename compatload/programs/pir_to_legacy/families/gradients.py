"""Gradients that a forward computes by itself (``paddle.grad``).

A gradient of 2.6 reads what its forward reads and gives, by the forward's slots, and the gradient
of what that gives, with ``@GRAD`` behind the slot. So its rule follows from the forward's: the
operands of PIR's gradient have the names of the forward's operands and results, whose slots that
rule knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compatload.artifact.program_proto import GRADIENT, OF_A_GRADIENT
from compatload.operators.registry import known_releases, pir_operators
from compatload.programs.pir_to_legacy.constants import single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.families.elementwise import ADD, DIVIDE, POWER
from compatload.programs.pir_to_legacy.families.indexing import (
    GATHER,
    SLICE,
    STRIDED_SLICE,
    bounds,
    cut,
)
from compatload.programs.pir_to_legacy.families.normalisation import P_NORM
from compatload.programs.pir_to_legacy.families.reduction import LOGSUMEXP, REDUCTIONS, covers_all
from compatload.programs.pir_to_legacy.families.shape import (
    EXPAND,
    STACK,
    into_result,
    turned,
)
from compatload.programs.pir_to_legacy.families.sorting import SORTED
from compatload.programs.pir_to_legacy.graph import Operation, TensorType
from compatload.programs.pir_to_legacy.protos import forward_of, operator_proto
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    OperatorRule,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import (
    binary,
    cast,
    finish,
    given,
    only_first_result,
    shape_output,
    unary,
)

_DIALECT = "pd_op."
# The forwards whose conversion is more than a rule, and the rule that their gradients follow.
_PLAIN: Mapping[str, OperatorRule] = {
    **REDUCTIONS,
    "add": ADD,
    "argsort": SORTED,
    "divide": DIVIDE,
    "elementwise_pow": POWER,
    "expand": EXPAND,
    "gather": GATHER,
    "logsumexp": LOGSUMEXP,
    "p_norm": P_NORM,
    "slice": SLICE,
    "strided_slice": STRIDED_SLICE,
    "stack": STACK,
}
# Those that leave every element as it is, in another shape.
_VIEWS = ("reshape", "flatten", "squeeze", "unsqueeze")


def gradient_of(name: str, table: Mapping[str, Conversion]) -> OperatorRule | None:
    """The rule of a gradient (``pd_op.exp_grad``), which its forward's in ``table`` tells; None
    where nothing does."""
    forward = forward_of(name)
    known = _PLAIN.get(forward[len(_DIALECT) :], table.get(forward))
    return _derived(name, forward, known) if isinstance(known, OperatorRule) else None


def _derived(name: str, forward: str, known: OperatorRule) -> OperatorRule | None:
    described = pir_operators(known_releases()[-1])
    own, its = described.get(name), described.get(forward)
    if own is None or its is None:
        return None
    read: dict[str, Any] = dict(zip((one.name for one in its.operands), known.inputs))
    made = dict(zip((one.name for one in its.results), known.outputs))
    gradients = {_of(one): slot and slot + GRADIENT for one, slot in made.items()}
    slots = {**made, **read, **gradients}
    type_ = _of(known.type)
    if operator_proto(type_) is None or any(one.name not in slots for one in own.operands):
        return None
    results = {_of(one): slot for one, slot in read.items() if isinstance(slot, str) and slot}
    return replace(
        known,
        type=type_,
        inputs=tuple(slots[one.name] for one in own.operands),
        outputs=tuple(
            results[one.name] + GRADIENT if one.name in results else "" for one in own.results
        ),
    )


def _of(name: str) -> str:
    return name + OF_A_GRADIENT


def _followed(operation: Operation) -> OperatorRule:
    found = gradient_of(operation.name.rstrip("_"), {})
    if found is None:
        raise ObstacleError("no legacy counterpart is known")
    return found


@special(None, operands=4)
def _reduction(operation: Operation, out: Emitter) -> None:
    """No axes means all of them, which 2.6 wants said. A sum may have got a type of its own."""
    followed, dtype = _followed(operation), operation.results[0].type.dtype
    index = followed.inputs.index(f"Out{GRADIENT}")
    gradient = given(operation, index)
    narrow = {index: (cast(out, out.name(gradient), gradient.type, dtype),)}
    apply(followed, operation, out, narrow, reduce_all=covers_all(operation))


@special(None, operands=4)
def _slice(operation: Operation, out: Emitter) -> None:
    apply(_followed(operation), operation, out, **cut(_as_of_forward(operation)))


def _as_of_forward(operation: Operation) -> Operation:
    """With the operands that the forward has: its second one is the gradient."""
    source, _, *others = operation.operands
    return replace(operation, operands=(source, *others))


@special("momentum epsilon data_format is_test use_global_stats trainable_statistics", operands=9)
def _batch_norm(operation: Operation, out: Emitter) -> None:
    """With statistics that are given, a product along the channels."""
    told = operation.attributes
    scale, variance, gradient = (given(operation, index) for index in (1, 4, 8))
    if variance.producer is not None and variance.producer.name in _FORWARDS:
        variance = given(variance.producer, 2)  # its result may be bound to one with epsilon
    if not (told.get("is_test") or told.get("use_global_stats")):
        raise ObstacleError("the gradient of a batch norm that measures is not known")
    only_first_result(operation, "it")
    shifted = {"scale": 1.0, "bias": told["epsilon"]}
    factor = unary(out, "scale", out.name(variance), variance.type, **shifted)
    factor = unary(out, "rsqrt", factor, variance.type)
    factor = binary(out, "elementwise_mul", factor, out.name(scale), variance.type)
    axis = -1 if told.get("data_format") == "NHWC" else 1
    inputs = {"X": out.name(gradient), "Y": factor}
    finish(out, "elementwise_mul", inputs, operation.results[0], axis=axis)


_FORWARDS = frozenset({"pd_op.batch_norm", "pd_op.batch_norm_"})
_SELECTED = rule("index_select_grad", "X Index Out@GRAD -", "X@GRAD")


@special(operands=4)
def _gather(operation: Operation, out: Emitter) -> None:
    """That of 2.6 is wrong along another axis than the first; a selection's is right."""
    source, places = given(operation, 0), given(operation, 1)
    axis = single(given(operation, 3))
    if not isinstance(axis, int):
        raise ObstacleError("axis of gather_grad is computed by the program")
    axis %= len(source.type.dims)
    if axis == 0:
        apply(_followed(operation), operation, out, axis=0)
    elif len(places.type.dims) == 1:
        apply(_SELECTED, operation, out, dim=axis)
    else:
        raise ObstacleError("Paddle 2.6 has its gradient for places of one dimension")


@special("target_shape", operands=2)
def _expand_as(operation: Operation, out: Emitter) -> None:
    """That of 2.6 reads sizes from an attribute, which are unknown there."""
    source, gradient = given(operation, 0), given(operation, 1)
    inputs = {"X": out.name(source), "Out@GRAD": out.name(gradient)}
    sizes = TensorType("int32", (len(gradient.type.dims),))
    inputs["Shape"] = out.emit_new("shape", {"Input": out.name(gradient)}, "Out", sizes)
    outputs = {"X@GRAD": out.define(operation.results[0], "expand_v2_grad")}
    out.emit("expand_v2_grad", inputs, outputs)


@special(None, operands=5)
def _strided_slice(operation: Operation, out: Emitter) -> None:
    names = ("starts", "ends", "strides")
    known = bounds(_as_of_forward(operation), names)
    if min(known.get("strides", [-1])) < 0 or len(known) < len(names):
        raise ObstacleError("its bounds are computed by the program, or it goes backwards")
    overrides: dict[str, Any] = {**known, "infer_flags": [1] * len(known["strides"])}
    apply(_followed(operation), operation, out, **overrides)


@special(operands=3)
def _view(operation: Operation, out: Emitter) -> None:
    """That of 2.6 reads the shape from an output of the forward that PIR does not have."""
    source, gradient, result = given(operation, 0), given(operation, 1), operation.results[0]
    dims = source.type.dims
    inputs, told = {"X": out.name(gradient)}, {"shape": [*dims]}
    if dims.count(-1) > 1 or 0 in dims:
        sizes = TensorType("int32", (len(dims),))
        inputs["Shape"] = out.emit_new("shape", {"Input": out.name(source)}, "Out", sizes)
    outputs = {"Out": out.define(result, "reshape2"), **shape_output(out, gradient.type)}
    out.emit("reshape2", inputs, outputs, told)


@special("perm")
def _transpose(operation: Operation, out: Emitter) -> None:
    perm = operation.attributes.get("perm", [])
    back = sorted(range(len(perm)), key=lambda axis: perm[axis] % len(perm))
    turned(operation, back, out)


@special(operands=2)
def _cast(operation: Operation, out: Emitter) -> None:
    into_result(operation, 1, out)


@special("axis", operands=2)
def _split(operation: Operation, out: Emitter) -> None:
    """The parts' gradients, one behind the other."""
    axis = operation.operand(1)
    known = operation.attributes.get("axis") if axis is None else single(axis)
    if not isinstance(known, int):
        raise ObstacleError("axis of concat is computed by the program")
    outputs = {"Out": out.define(operation.results[0], "concat")}
    out.emit("concat", {"X": out.names(given(operation, 0))}, outputs, {"axis": known})


RULES: Mapping[str, Conversion] = {
    **{_of(name): _reduction for name in REDUCTIONS if name not in ("all", "any")},
    **{_of(name): _view for name in _VIEWS},
    "batch_norm_grad": _batch_norm,
    "cast_grad": _cast,
    "expand_as_grad": _expand_as,
    "gather_grad": _gather,
    "slice_grad": _slice,
    "split_grad": _split,
    "strided_slice_grad": _strided_slice,
    "split_with_num_grad": _split,
    "transpose_grad": _transpose,
    "unbind_grad": STACK,
}
