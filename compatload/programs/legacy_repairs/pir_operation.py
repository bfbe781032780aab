"""An operator of a legacy program as the operation of a PIR program, which is written for 2.6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compatload.artifact.program_proto import DATA_TYPES
from compatload.faults.bounds import bounds, number
from compatload.operators.registry import (
    PirOperand,
    PirOperator,
    legacy_operators,
    pir_operators,
    pir_version_of,
)
from compatload.programs.legacy_repairs.pir_names import pir_name
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_to_legacy import kernels
from compatload.programs.pir_to_legacy.convert import write
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import (
    DataType,
    Operation,
    PirBlock,
    Place,
    TensorType,
    Value,
)
from compatload.programs.pir_to_legacy.legacy import (
    EmittedBlock,
    EmittedOperator,
    tensor_variable,
)
from compatload.programs.pir_to_legacy.protos import DATA_TYPE_NUMBERS


def written(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """What 2.6 has for an operator of 3.x; None where that is the operator itself, or nothing."""
    told = _Operation(program, block, operator)
    try:
        emitted = told.emitted()
    except (ObstacleError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None  # as it is, 2.6 says what is wrong
    made = [_described(one) for one in emitted.operators]
    if len(made) == 1 and _says_the_same(made[0], operator):
        return None
    _declare(program, block, emitted)
    return [*made, *(assign(place, name) for name, place in told.overwritten.items())]


def fitted(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """What computes an operator in types that 2.6 has kernels for; None where those are its own, or
    there are none."""
    emitted = EmittedBlock(0, -1)
    slots = [
        {slot.parameter: tuple(slot.arguments) for slot in several}
        for several in (operator.inputs, operator.outputs)
    ]
    names = {name for each in slots for given in each.values() for name in given}
    for name in names:
        type_ = _type_of(program, block, name)
        if type_ is not None:
            emitted.declare(tensor_variable(name, type_))
    attributes = {
        one.name: (kind, attribute(operator, one.name))
        for one in operator.attrs
        if (kind := attribute_type(operator, one.name)) is not None
    }
    given = EmittedOperator(operator.type, slots[0], slots[1], attributes)
    emitted.operators.append(given)
    if kernels.fit([emitted]) or emitted.operators == [given]:
        return None
    _declare(program, block, emitted)
    return [_described(one) for one in emitted.operators]


class _Operation:
    """A legacy operator as PIR's, while it is written for 2.6.

    ``overwritten``: results that the operator reads as well, and where they are written first.
    """

    def __init__(self, program: LegacyProgram, block: Any, operator: Any) -> None:
        self._program = program
        self._block = block
        self._operator = operator
        self._name = pir_name(operator.type)
        self._names: dict[int, str] = {}
        release = _release(program)
        self._out = Emitter(program.names, {}, pir_version_of(release))
        self.overwritten: dict[str, str] = {}
        name = f"pd_op.{self._name.bare or operator.type}"
        if name == "pd_op.matrix_rank" and arguments(operator.inputs, "TolTensor"):
            name = "pd_op.matrix_rank_tol"
        self._pir: PirOperator = pir_operators(release)[name]
        described = legacy_operators(release)[operator.type]
        self._inputs = self._name.inputs or tuple(one.name for one in described.inputs)
        self._outputs = self._name.outputs or tuple(one.name for one in described.outputs)

    def emitted(self) -> EmittedBlock:
        """What 2.6 reads. Raises ObstacleError, or what a conversion meets where the operator is
        not what it is called."""
        beyond = self._inputs[len(self._pir.operands) :]
        if any(arguments(self._operator.inputs, slot) for slot in beyond):
            raise ObstacleError("it is told by a tensor what PIR tells by an attribute")
        operands = tuple(
            self._operand(one, slot) for one, slot in zip(self._pir.operands, self._slots())
        )
        operation = Operation(
            self._pir.name, operands, (), dict(self._attributes()), {}, (), PirBlock(0), 0
        )
        operation.results = tuple(self._results(operation))
        write(operation, self._out, self._is_from_zero)
        if len(self._out.blocks) > 1:
            raise ObstacleError("it has blocks of its own")
        if obstacles := kernels.fit(self._out.blocks):
            raise ObstacleError("; ".join(obstacles))
        return self._out.block

    def _slots(self) -> Iterator[str]:
        yield from self._inputs
        while True:  # what is an operand of PIR's alone is told by an attribute
            yield ""

    def _value(self, names: Sequence[str], *, is_list: bool = False) -> Value:
        """A value that these variables hold, declared as the program does."""
        types = tuple(map(self._type, names))
        value = Value(len(self._names) + 1, types, is_list)
        self._names[value.id] = names[0]
        self._out.bind(value, tuple(names))
        for name, one in zip(names, types):
            self._out.block.declare(tensor_variable(name, one))
        return value

    def _type(self, name: str) -> TensorType:
        type_ = _type_of(self._program, self._block, name)
        if type_ is None:
            raise ObstacleError(f"{name} is no tensor")
        return type_

    def _operand(self, described: PirOperand, slot: str) -> Value | None:
        names = arguments(self._operator.inputs, slot)
        if not names and described.mutable_attribute:
            return _constant(attribute(self._operator, self._renamed(described.name)))
        if not names:
            return None
        if described.type.startswith("vector"):
            listed = self._value(names, is_list=True)
            each = tuple(self._value([name]) for name in names)
            listed.producer = Operation("builtin.combine", each, (listed,), {}, {}, (), _NOWHERE, 0)
            return listed
        value = self._value(names)
        filled = number(self._program.sure, names[0])
        if filled is not None and described.mutable_attribute:
            value.producer = _filled(filled, value)
        return value

    def _renamed(self, name: str) -> str:
        wanted = self._name.renamed.get(name, name).lower()
        names = (one.name for one in self._operator.attrs)
        return next((one for one in names if one.lower() == wanted), wanted)

    def _attributes(self) -> Iterator[tuple[str, Any]]:
        for described in self._pir.attributes:
            told = attribute(self._operator, self._renamed(described.name))
            if described.type == "1.a_dtype":
                kind = DATA_TYPES[told][0] if told in DATA_TYPES else ""
                yield described.name, DataType(kind)
            elif described.type == "1.a_place":
                yield described.name, Place(0)
            elif told is not None:
                yield described.name, list(told) if isinstance(told, tuple) else told

    def _results(self, operation: Operation) -> Iterator[Value]:
        read = {name for slot in self._operator.inputs for name in slot.arguments}
        for index, (_, slot) in enumerate(zip(self._pir.results, self._outputs)):
            names = arguments(self._operator.outputs, slot)
            if len(names) > 1:
                raise ObstacleError("it gives a list")
            if not names:
                yield Value(-index - 1, (TensorType("", ()),), False, operation, index)
                continue
            value = self._value(names)
            if names[0] in read:
                self.overwritten[names[0]] = self._out.temporary(value.type, names[0])
                self._out.bind(value, (self.overwritten[names[0]],))
            value.producer, value.index, value.uses = operation, index, [operation]
            yield value

    def _is_from_zero(self, value: int) -> bool:
        return bounds(self._program.sure, self._names.get(value)).from_zero


_NOWHERE = PirBlock(0)


def _type_of(program: LegacyProgram, block: Any, name: str) -> TensorType | None:
    dims, dtype = program.shape(block, name), program.data_type(block, name)
    if dims is None or dtype not in DATA_TYPES:
        return None
    return TensorType(DATA_TYPES[dtype][0], dims)


def _constant(told: Any) -> Value | None:
    """What stands for an attribute that PIR has as an operand."""
    if told is None:
        return None
    several = isinstance(told, tuple)
    shape = (len(told),) if several else (1,)
    dtype = "int64" if several or isinstance(told, int) else "float32"
    value = Value(0, (TensorType(dtype, shape),), False)
    value.producer = _filled(told, value)
    return value


def _filled(told: Any, value: Value) -> Operation:
    """What makes a constant of a number, or of several."""
    name = "pd_op.full_int_array" if isinstance(told, tuple) else "pd_op.full"
    attributes = {"value": told, "shape": [*value.type.dims]}
    return Operation(name, (), (value,), attributes, {}, (), _NOWHERE, 0)


def _release(program: LegacyProgram) -> str:
    """The release that saved it, ``"3.1.1"``."""
    number = int(program.desc.version.version)
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"


def _described(one: EmittedOperator) -> Any:
    return new_operator(one.type, one.inputs, one.outputs, one.attributes)


def _says_the_same(made: Any, operator: Any) -> bool:
    """Whether it differs by nothing but attributes that the operator leaves to their defaults, and
    by slots that are empty."""
    told = {one.name: attribute(made, one.name) for one in made.attrs}
    known = {one.name: attribute(operator, one.name) for one in operator.attrs}
    both = ((told[name], value) for name, value in known.items() if name in told)
    return (
        made.type == operator.type
        and _filled_slots(made.inputs) == _filled_slots(operator.inputs)
        # 2.6 reads no whole number from a float.
        and all(one == other and type(one) is type(other) for one, other in both)
    )


def _filled_slots(slots: Any) -> Mapping[str, Sequence[str]]:
    return {slot.parameter: [*slot.arguments] for slot in slots if slot.arguments}


def _declare(program: LegacyProgram, block: Any, emitted: EmittedBlock) -> None:
    for name, variable in emitted.variables.items():
        if program.variable(block, name) is None:
            program.declare(block, name, DATA_TYPE_NUMBERS[variable.dtype], variable.dims)
