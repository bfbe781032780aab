"""How one PIR operator becomes one legacy operator, as data, and the code that applies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Callable, Union

from compatload.artifact.program_proto import GRADIENT, OF_A_GRADIENT
from compatload.frozen import frozen
from compatload.programs.pir_to_legacy.constants import constant, parts, single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType, Value
from compatload.programs.pir_to_legacy.protos import (
    OperatorProto,
    VariableValue,
    operator_proto,
)
from compatload.programs.pir_to_legacy.steps import listed_sizes

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NO_NAMES: Mapping[int, tuple[str, ...]] = MappingProxyType({})
# What a required attribute is set to where a variable is read in its stead.
_UNREAD: Mapping[str, Any] = {"FLOAT": 0.0, "INT": 0, "LONG": 0, "INTS": [], "LONGS": []}
# Attributes that say nothing about the result.
_MEANINGLESS = frozenset({"struct_name", "place", "stop_gradient", "op_callstack", "op_role"})


@frozen
class Folded:
    """An operand that a legacy operator prefers as an attribute.

    A computed one goes to the slot ``tensor`` (one variable) or ``tensors`` (a list), or stands in
    the attribute by name where the operator's proto allows that. ``with_dimension``: known parts of
    such a list have one, as 2.6 itself writes them.
    """

    attribute: str
    tensor: str = ""
    tensors: str = ""
    with_dimension: bool = False


@frozen
class OperatorRule:
    """``inputs`` and ``outputs`` name the legacy slot of each PIR operand and result, in order
    (``""``: has no counterpart). Attributes keep their names but for ``rename``; ``fixed`` are
    always set; ``ignored`` are PIR attributes without a counterpart and without an effect, and
    ``neutral`` those that are without effect at the given value only."""

    type: str
    inputs: tuple[str | Folded, ...] = ("X",)
    outputs: tuple[str, ...] = ("Out",)
    rename: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    fixed: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    ignored: frozenset[str] = frozenset()
    neutral: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@frozen
class Special:
    """A conversion that needs code. What it does not know of an operation it must not ignore:
    ``attributes`` (None: the rule that it applies checks them) and the number of ``operands``."""

    emit: Callable[[Operation, Emitter], None]
    attributes: frozenset[str] | None
    operands: int

    def check(self, operation: Operation) -> None:
        """Raises `ObstacleError` if the operation says more than this conversion understands."""
        if self.attributes is not None:
            unknown = {*operation.attributes} - self.attributes - _MEANINGLESS
            if unknown:
                raise ObstacleError(f"unknown attributes: {', '.join(sorted(unknown))}")
        if any(value is not None for value in operation.operands[self.operands :]):
            raise ObstacleError(f"more operands than the {self.operands} known")


Conversion = Union[OperatorRule, Special]


def special(
    attributes: str | None = "", operands: int = 1
) -> Callable[[Callable[[Operation, Emitter], None]], Special]:
    """Makes a function a `Special`; ``attributes`` are names in one string."""
    known = None if attributes is None else frozenset(attributes.split())
    return lambda emit: Special(emit, known, operands)


def rule(
    type_: str,
    inputs: str = "X",
    outputs: str = "Out",
    *,
    folded: Mapping[str, Folded] = _NOTHING,
    rename: Mapping[str, str] = _NOTHING,
    fixed: Mapping[str, Any] = _NOTHING,
    ignored: str = "",
    neutral: Mapping[str, Any] = _NOTHING,
) -> OperatorRule:
    """The rule in the short form of the tables: slots in one string, ``-`` for none; a word that
    is a key of ``folded`` stands for that folded operand."""
    operands = tuple(folded.get(word, "" if word == "-" else word) for word in inputs.split())
    results = tuple("" if word == "-" else word for word in outputs.split())
    return OperatorRule(
        type_, operands, results, rename, fixed, frozenset(ignored.split()), neutral
    )


def apply(
    rule: OperatorRule,
    operation: Operation,
    out: Emitter,
    operands: Mapping[int, tuple[str, ...]] = _NO_NAMES,
    **overrides: Any,
) -> None:
    """Emits the legacy operator of ``rule``; ``overrides`` are attributes that win over all, and
    ``operands`` the variables to read in place of those of an operand."""
    proto = operator_proto(rule.type)
    if proto is None:
        raise ObstacleError(f"Paddle 2.6 has no operator {rule.type}")
    if rule.type.endswith(OF_A_GRADIENT) and len(operation.operands) != len(rule.inputs):
        raise ObstacleError("it has the operands of another release")
    inputs: dict[str, tuple[str, ...]] = {}
    attributes: dict[str, Any] = dict(rule.fixed)
    attributes.update(_attributes(rule, operation, proto))
    for index, value in enumerate(operation.operands):
        target = rule.inputs[index] if index < len(rule.inputs) else ""
        if value is None:
            if isinstance(target, str) and target:
                inputs.setdefault(target, ())
            continue
        if index >= len(rule.inputs):
            raise ObstacleError(f"operand {index} has no counterpart in {rule.type}")
        if index in operands:
            slot = target.tensor if isinstance(target, Folded) else target
            inputs[slot] = operands[index]
        elif isinstance(target, Folded):
            fold(target, value, proto, inputs, attributes, out)
        elif target:
            inputs[target] = inputs.get(target, ()) + out.names(value)
    attributes.update(overrides)
    outputs = results(rule.type, rule.outputs, operation, out)
    outputs.update(_intermediates(proto, operation, outputs, out))
    out.emit(rule.type, inputs, outputs, attributes)


def meaningful(operation: Operation) -> dict[str, Any]:
    """Its attributes but for those that say nothing about the result."""
    told = operation.attributes.items()
    return {name: value for name, value in told if name not in _MEANINGLESS}


def results(
    type_: str, slots: tuple[str, ...], operation: Operation, out: Emitter
) -> dict[str, tuple[str, ...]]:
    """Declares the results of an operation and gives them by slot; of a gradient those that are
    read, since some may be of an operand that is absent."""
    found: dict[str, tuple[str, ...]] = {}
    for index, value in enumerate(operation.results):
        slot = slots[index] if index < len(slots) else ""
        if slot.endswith(GRADIENT) and not value.uses:
            continue
        if slot:
            found[slot] = found.get(slot, ()) + out.define(value, type_)
        elif value.uses:
            raise ObstacleError(f"result {index} has no counterpart in {type_}")
    return found


def _attributes(rule: OperatorRule, operation: Operation, proto: OperatorProto) -> dict[str, Any]:
    found = {}
    for name, value in operation.attributes.items():
        target = rule.rename.get(name, name)
        if name in rule.ignored or (name in _MEANINGLESS and target not in proto.attributes):
            continue
        if name in rule.neutral:
            if value != rule.neutral[name]:
                raise ObstacleError(
                    f"{rule.type} of Paddle 2.6 knows no {name} ({value!r} is asked)"
                )
            continue
        found[target] = value
    return found


def fold(
    target: Folded,
    value: Value,
    proto: OperatorProto,
    inputs: dict[str, tuple[str, ...]],
    attributes: dict[str, Any],
    out: Emitter,
) -> None:
    """Puts an operand into an attribute if it is constant, else into the slot meant for it."""
    known = constant(value)
    listed = parts(value) if target.tensors else None
    described = proto.attributes[target.attribute]
    if known is not None:
        attributes[target.attribute] = known
    elif listed is not None:
        # 2.6 writes what it knows into the attribute and −1 for the rest; its passes read that.
        names = listed_sizes(out, listed) if target.with_dimension else map(out.name, listed)
        inputs[target.tensors] = tuple(names)
        attributes[target.attribute] = [_or_unknown(single(part)) for part in listed]
    elif value.is_vector and target.tensors:
        inputs[target.tensors] = out.names(value)
        attributes[target.attribute] = [-1] * len(value.types)
    elif not value.is_vector and target.tensor:
        inputs[target.tensor] = (out.name(value),)
        if not described.has_default:
            attributes[target.attribute] = _UNREAD[described.type]
    elif described.takes_variable:
        attributes[target.attribute] = VariableValue(out.names(value), value.is_vector)
    else:
        raise ObstacleError(f"{target.attribute} of {proto.name} is computed by the program")


def _or_unknown(number: Any) -> Any:
    return -1 if number is None else number


def _intermediates(
    proto: OperatorProto,
    operation: Operation,
    given: Mapping[str, tuple[str, ...]],
    out: Emitter,
) -> dict[str, tuple[str, ...]]:
    """Outputs that only a backward pass reads: PIR leaves them out, 2.6 wants them declared."""
    first = operation.operand(0)
    source = first.type if first is not None else TensorType("float32", ())
    found: dict[str, tuple[str, ...]] = {}
    for slot, described in proto.outputs.items():
        if not described.intermediate or described.several or slot in given:
            continue
        # XShape carries the input's shape behind a zero.
        dims = (0, *source.dims) if slot == "XShape" else ()
        found[slot] = (out.temporary(TensorType(source.dtype, dims), proto.name),)
    return found
