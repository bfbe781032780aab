"""A legacy program in the making: blocks of variables and operators, checked and serialised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compatload.artifact import program_proto
from compatload.programs.pir_to_legacy.graph import TensorType
from compatload.programs.pir_to_legacy.protos import (
    BOOKKEEPING,
    DATA_TYPE_NUMBERS,
    OperatorProto,
    VariableValue,
    coerce,
    operator_proto,
    operator_versions,
)


@dataclass
class Variable:
    """``kind`` is one of Paddle's variable kinds (``dense_tensor``, ``step_scopes`` …)."""

    name: str
    kind: str = "dense_tensor"
    dtype: str = ""
    dims: tuple[int, ...] = ()
    persistable: bool = False
    is_parameter: bool = False
    stop_gradient: bool = False
    need_check_feed: bool = False


@dataclass
class EmittedOperator:
    """Slots map to variable names; attributes are ``name → (type, value)``. ``origin`` is the
    position of the PIR operation it stands for."""

    type: str
    inputs: dict[str, tuple[str, ...]]
    outputs: dict[str, tuple[str, ...]]
    attributes: dict[str, tuple[str, Any]]
    origin: str = ""
    disposable: bool = False  # only worth keeping while something reads its outputs

    def input_names(self) -> Iterator[str]:
        for names in self.inputs.values():
            yield from names
        for kind, value in self.attributes.values():
            if kind == "VAR":
                yield value
            elif kind == "VARS":
                yield from value

    def output_names(self) -> Iterator[str]:
        for names in self.outputs.values():
            yield from names


@dataclass
class EmittedBlock:
    """``parent`` is −1 for the outermost block."""

    index: int
    parent: int
    variables: dict[str, Variable] = field(default_factory=dict)
    operators: list[EmittedOperator] = field(default_factory=list)

    def declare(self, variable: Variable) -> None:
        self.variables.setdefault(variable.name, variable)


def tensor_variable(name: str, type_: TensorType) -> Variable:
    """A temporary for a PIR value of that type."""
    kind = "dense_tensor_array" if type_.kind == "array" else "dense_tensor"
    return Variable(name, kind, type_.dtype, type_.dims)


def make_operator(
    type_: str,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Sequence[str]],
    attributes: Mapping[str, Any],
    origin: str = "",
) -> tuple[EmittedOperator | None, list[str]]:
    """The operator with all attributes typed and defaults filled in, or what stands in the way."""
    proto = operator_proto(type_)
    if proto is None:
        return None, [f"Paddle 2.6 has no operator {type_}"]
    problems = [*_slot_problems(proto, inputs, outputs)]
    typed: dict[str, tuple[str, Any]] = {}
    for name, value in attributes.items():
        known = proto.attributes.get(name)
        if known is None:
            problems.append(f"{type_} has no attribute {name}")
        elif isinstance(value, VariableValue):
            if known.takes_variable:
                typed[name] = ("VARS", value.names) if value.several else ("VAR", value.names[0])
            else:
                problems.append(f"attribute {name} of {type_} is computed by the program")
        else:
            try:
                typed[name] = known.type, coerce(value, known.type)
            except (ValueError, KeyError) as error:
                problems.append(f"attribute {name} of {type_}: {error}")
    for name, known in proto.attributes.items():
        if name in typed or name in attributes:
            continue
        if known.has_default:
            typed[name] = known.type, coerce(known.default, known.type)
        else:
            problems.append(f"{type_} needs the attribute {name}")
    if problems:
        return None, problems
    # What is absent stands there, empty: the backward operators of 2.6 look it up.
    slots = {slot: tuple(names) for slot, names in inputs.items()}
    results = {slot: tuple(names) for slot, names in outputs.items() if names}
    return EmittedOperator(type_, slots, results, typed, origin), []


def made_operator(
    type_: str,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Sequence[str]],
    attributes: Mapping[str, Any],
    origin: str = "",
) -> EmittedOperator:
    """As `make_operator`; LookupError says what stands in the way."""
    operator, problems = make_operator(type_, inputs, outputs, attributes, origin)
    if operator is None:
        raise LookupError("; ".join(problems))
    return operator


def _slot_problems(
    proto: OperatorProto,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    for word, given, known in (
        ("input", inputs, proto.inputs),
        ("output", outputs, proto.outputs),
    ):
        for slot, names in given.items():
            if slot not in known:
                yield f"{proto.name} has no {word} {slot}"
            elif len(names) > 1 and not known[slot].several:
                yield f"{word} {slot} of {proto.name} takes one variable, {len(names)} are given"
        for slot, described in known.items():
            if not given.get(slot) and not described.optional and not described.several:
                yield f"{proto.name} needs the {word} {slot}"


def serialise(blocks: Sequence[EmittedBlock]) -> bytes:
    """The ProgramDesc of these blocks, as Paddle 2.6.2 writes one."""
    program = program_proto.message("ProgramDesc")
    for block in blocks:
        _write_block(program.blocks.add(), block)
    program.version.version = program_proto.VERSION_OF_2_6
    for name, version in sorted(operator_versions().items()):
        pair = program.op_version_map.pair.add(op_name=name)
        pair.op_version.version = version
    data: bytes = program.SerializeToString(deterministic=True)
    return data


def _write_block(message: Any, block: EmittedBlock) -> None:
    message.idx = block.index
    message.parent_idx = block.parent
    message.forward_block_idx = -1
    for name in sorted(block.variables):
        _write_variable(message.vars.add(), block.variables[name])
    for operator in block.operators:
        _write_operator(message.ops.add(), operator)


def _write_variable(message: Any, variable: Variable) -> None:
    message.name = variable.name
    message.type.type = program_proto.VARIABLE_NUMBERS[variable.kind]
    if variable.kind in ("dense_tensor", "dense_tensor_array"):
        described = (
            message.type.dense_tensor
            if variable.kind == "dense_tensor"
            else message.type.tensor_array
        )
        described.tensor.data_type = DATA_TYPE_NUMBERS.get(
            variable.dtype, DATA_TYPE_NUMBERS["float32"]
        )
        described.tensor.dims.extend(variable.dims)
        described.lod_level = 0
    message.persistable = variable.persistable
    message.need_check_feed = variable.need_check_feed
    message.is_parameter = variable.is_parameter
    message.stop_gradient = variable.stop_gradient


def _write_operator(message: Any, operator: EmittedOperator) -> None:
    message.type = operator.type
    for target, slots in ((message.inputs, operator.inputs), (message.outputs, operator.outputs)):
        for slot in sorted(slots):
            target.add(parameter=slot).arguments.extend(slots[slot])
    bookkeeping = {name: (kind, coerce(value, kind)) for name, kind, value in BOOKKEEPING}
    attributes = {**bookkeeping, **operator.attributes}
    for name in sorted(attributes):
        kind, value = attributes[name]
        attribute = message.attrs.add(name=name, type=program_proto.ATTR_TYPES[kind])
        _write_attribute(attribute, kind, value)


def _scalar_kind(number: complex) -> tuple[str, str]:
    for type_, kind in ((bool, "BOOLEAN"), (int, "LONG"), (complex, "COMPLEX128")):
        if isinstance(number, type_):
            return kind, program_proto.SCALAR_FIELDS[kind]
    return "FLOAT64", program_proto.SCALAR_FIELDS["FLOAT64"]


def _write_attribute(attribute: Any, kind: str, value: Any) -> None:
    field_name = program_proto.ATTR_FIELDS[kind]
    if kind == "SCALARS":
        for number in value:
            scalar_kind, scalar_field = _scalar_kind(number)
            scalar = attribute.scalars.add(type=program_proto.SCALAR_TYPES[scalar_kind])
            if isinstance(number, complex):
                scalar.c.r, scalar.c.i = number.real, number.imag
            else:
                setattr(scalar, scalar_field, number)
    elif isinstance(value, (list, tuple)):
        getattr(attribute, field_name).extend(value)
    else:
        setattr(attribute, field_name, value)
