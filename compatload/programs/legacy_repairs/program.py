"""A legacy program while it is being repaired: its message, its names, and what was changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from packaging.version import Version

from compatload.artifact.inspection import artifact_of
from compatload.artifact.model import MEMORY, ArtifactFiles
from compatload.artifact.program_desc import decode
from compatload.artifact.program_proto import ATTR_FIELDS, ATTR_TYPES, VARIABLE_NUMBERS, message
from compatload.faults.cl151_recurrent_in_loop import RECURRENT, STATE
from compatload.faults.cl152_list_made_again import made_again
from compatload.faults.graph import Graph
from compatload.frozen import frozen

_PLAIN_TYPES = {int: "INT", float: "FLOAT", str: "STRING", bool: "BOOLEAN"}
_TYPE_NAMES = {number: name for name, number in ATTR_TYPES.items()}
_DENSE_TENSOR = VARIABLE_NUMBERS["dense_tensor"]
#: In the names of all variables that repairs declare, but for the converter's.
MADE = ".compatload_"

# VarType.Type numbers of the element types that repairs create.
BOOL, INT32, INT64, FLOAT16, FLOAT32, FLOAT64 = 0, 2, 3, 4, 5, 6
UINT8, BFLOAT16 = 20, 22


@frozen
class LegacyChange:
    """One repair: the rule behind it, where it was made (``"round (block 0, operator 3)"``)."""

    rule: str
    description: str
    position: str


@dataclass
class LegacyProgram:
    """A ProgramDesc message under repair.

    ``target`` is the Paddle that will load it; ``translated``: it will be translated to PIR.
    ``changes`` collects what was done; an empty list means that the message was not touched. By
    place (block and name): ``retyped`` has the element types before and after a correction,
    ``lengths`` the block and the name of the lengths of sequences that a repair made.
    """

    desc: Any
    target: Version
    translated: bool = True
    changes: list[LegacyChange] = field(default_factory=list)
    retyped: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    lengths: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)

    # Most programs need no repair: what only repairs ask for is gathered when the first one does.

    @cached_property
    def _variables(self) -> dict[int, dict[str, Any]]:
        return {
            block.idx: {variable.name: variable for variable in block.vars}
            for block in self.desc.blocks
        }

    @cached_property
    def names(self) -> set[str]:
        """Of all variables, those that repairs have declared among them."""
        names = {name for variables in self._variables.values() for name in variables}
        for block in self.desc.blocks:
            for operator in block.ops:
                for slot in (*operator.inputs, *operator.outputs):
                    names.update(slot.arguments)
        return names

    @cached_property
    def read_by_loops(self) -> frozenset[str]:
        """What any `while` reads that stands outside of it."""
        loops = (one for block in self.desc.blocks for one in block.ops if one.type == "while")
        return frozenset(name for loop in loops for slot in loop.inputs for name in slot.arguments)

    @cached_property
    def written_once(self) -> frozenset[str]:
        """Names that a single operator of the program writes, as it was given."""
        operators = (one for block in self.desc.blocks for one in block.ops)
        written = Counter(
            name for one in operators for slot in one.outputs for name in slot.arguments
        )
        return frozenset(name for name, times in written.items() if times == 1)

    @cached_property
    def constants(self) -> Mapping[str, Any]:
        """What a `fill_constant` of plain attributes alone writes, by name, as it was given."""
        found = (
            copied(one)
            for block in self.desc.blocks
            for one in block.ops
            if one.type == "fill_constant" and not any(slot.arguments for slot in one.inputs)
        )
        named = ((name, one) for one in found for name in arguments(one.outputs, "Out"))
        return {name: one for name, one in named if name in self.written_once}

    @cached_property
    def sure(self) -> Graph:
        """What alone writes what it writes, as the program was given: of other names, nothing is
        known."""
        data = self.desc.SerializeToString()
        given = artifact_of(decode(data, MEMORY), ArtifactFiles(MEMORY), (), data)
        return Graph(
            given,
            [
                one
                for one in given.program.operators
                if self.written_once.issuperset(v for vs in one.outputs.values() for v in vs)
            ],
        )

    @cached_property
    def dropout_states(self) -> frozenset[str]:
        """What loops take as the state of a recurrent network's dropout."""
        networks = (one for block in self.desc.blocks for one in block.ops if one.type in RECURRENT)
        states = (name for one in networks for name in arguments(one.outputs, STATE))
        return self.read_by_loops.intersection(states)

    @cached_property
    def lists_made_again(self) -> Mapping[tuple[int, str], int]:
        """Block and first result of what takes such a list, and in how many loops it lies."""
        operators = decode(self.desc.SerializeToString(), MEMORY).program.operators
        return {
            (one.block, next(value for values in one.outputs.values() for value in values)): depth
            for one, depth in made_again(operators)
            if any(one.outputs.values())
        }

    def is_saved_since(self, release: str) -> bool:
        """Whether ``release`` (``"3.1"``) or a later one saved it, as it tells."""
        return bool(self.desc.version.version >= program_version(release))

    def is_loaded_since(self, release: str) -> bool:
        """Whether that one or a later one will load it."""
        return self.target >= _first_of(release)

    def crosses(self, release: str) -> bool:
        """Whether one side of that release saved it, and the other will load it."""
        return self.is_saved_since(release) is not self.is_loaded_since(release)

    def fresh_name(self, stem: str) -> str:
        """A variable name that the program does not use yet."""
        name = f"{stem}{MADE}{self._numbers[stem]}"
        while name in self.names:
            self._numbers[stem] += 1
            name = f"{stem}{MADE}{self._numbers[stem]}"
        self.names.add(name)
        return name

    def place(self, block: Any, name: str) -> tuple[int, str]:
        """Where ``name`` as ``block`` means it is declared: looked up through its parents; block -1
        if nowhere."""
        number = block.idx
        while number >= 0 and name not in self._variables[number]:
            number = self.desc.blocks[number].parent_idx
        return number, name

    def variable(self, block: Any, name: str) -> Any | None:
        """The VarDesc that ``name`` means inside ``block``."""
        number, _ = self.place(block, name)
        return self._variables[number][name] if number >= 0 else None

    def shape(self, block: Any, name: str) -> tuple[int, ...] | None:
        """The declared shape of a dense tensor (−1: unknown), or None if it declares none."""
        variable = self.variable(block, name)
        if variable is None or not variable.type.HasField("dense_tensor"):
            return None
        return tuple(variable.type.dense_tensor.tensor.dims)

    def count_from_the_start(self, block: Any, operator: Any, axis: str, value: str) -> str | None:
        """Has an axis that counts from the end of ``value`` count from its start; what became of
        it, or None if nothing did."""
        counted, shape = attribute(operator, axis, 0), self.shape(block, value)
        if counted >= 0 or not shape:
            return None
        place = counted + len(shape)
        set_attribute(operator, axis, attribute_type(operator, axis) or "INT", place)
        return f"axis {counted} became {place}"

    def data_type(self, block: Any, name: str) -> int | None:
        """The VarType.Type number of a dense tensor's elements."""
        variable = self.variable(block, name)
        if variable is None or not variable.type.HasField("dense_tensor"):
            return None
        return int(variable.type.dense_tensor.tensor.data_type)

    def levels(self, block: Any, name: str) -> int:
        """On how many levels a dense tensor is declared to hold sequences (LoD)."""
        variable = self.variable(block, name)
        if variable is None or not variable.type.HasField("dense_tensor"):
            return 0
        return int(variable.type.dense_tensor.lod_level)

    def set_data_type(self, block: Any, name: str, data_type: int) -> None:
        """Correct a declared element type; ``retyped`` keeps its place → (old, new)."""
        variable = self.variable(block, name)
        if variable is not None and variable.type.HasField("dense_tensor"):
            tensor = variable.type.dense_tensor.tensor
            self.retyped[self.place(block, name)] = (int(tensor.data_type), data_type)
            tensor.data_type = data_type

    def add_tensor(self, block: Any, stem: str, data_type: int, dims: Iterable[int]) -> str:
        """Declare a new intermediate tensor in ``block`` and return its name."""
        name = self.fresh_name(stem)
        self.declare(block, name, data_type, dims)
        return name

    def declare(self, block: Any, name: str, data_type: int, dims: Iterable[int]) -> None:
        """Declare an intermediate tensor in ``block`` by a name that it has not declared."""
        variable = block.vars.add(name=name, persistable=False)
        variable.type.type = _DENSE_TENSOR
        variable.type.dense_tensor.tensor.data_type = data_type
        variable.type.dense_tensor.tensor.dims.extend(dims)
        self._variables[block.idx][name] = variable
        self.names.add(name)

    def record(self, rule: str, description: str, position: str) -> None:
        self.changes.append(LegacyChange(rule, description, position))


@cache
def program_version(release: str) -> int:
    """What the first programs of a release (``"3.1"``) tell: 3001000."""
    major, minor = release.split(".")
    return 1_000_000 * int(major) + 1000 * int(minor)


@cache
def _first_of(release: str) -> Version:
    return Version(f"{release}.dev0")


def parsed(data: bytes) -> Any:
    """The ProgramDesc that a program's bytes are, to be changed."""
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    return desc


def declare_like(block: Any, variable: Any, name: str) -> Any:
    """Declares another variable in ``block``, and gives it: it differs by its name, and nothing is
    stored for it."""
    block.vars.add().CopyFrom(variable)
    block.vars[-1].name = name
    block.vars[-1].persistable = False
    return block.vars[-1]


def begin_with(block: Any, operators: Iterable[Any]) -> None:
    """Puts operators in front of a program's own, behind those that feed it."""
    own = list(block.ops)
    begins = next((place for place, one in enumerate(own) if one.type != "feed"), len(own))
    fill(block, [*own[:begins], *operators, *own[begins:]])


def fill(block: Any, operators: Iterable[Any]) -> None:
    """Gives a block these operators, its own among them: repeated fields cannot be spliced."""
    copies = [copied(one) for one in operators]
    del block.ops[:]
    block.ops.extend(copies)


def copied(operator: Any) -> Any:
    copy = message("OpDesc")
    copy.CopyFrom(operator)
    return copy


def new_operator(
    kind: str,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Sequence[str]],
    attributes: Mapping[str, tuple[str, Any]],
) -> Any:
    """An OpDesc; ``attributes`` maps a name to (AttrType name, value)."""
    operator = message("OpDesc")
    operator.type = kind
    for slot, names in inputs.items():
        operator.inputs.add(parameter=slot, arguments=names)
    for slot, names in outputs.items():
        operator.outputs.add(parameter=slot, arguments=names)
    for name, (attribute_type, value) in attributes.items():
        set_attribute(operator, name, attribute_type, value)
    return operator


def typed(value: Any) -> tuple[str, Any]:
    """An attribute as ``new_operator`` takes it, of a plain number, text or list; a pair of a type
    and a value as it is."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, list):
        return ("FLOATS" if value and isinstance(value[0], float) else "INTS"), value
    return _PLAIN_TYPES[type(value)], value


def arguments(slots: Any, name: str) -> tuple[str, ...]:
    """Variable names in slot ``name`` of ``operator.inputs`` or ``operator.outputs``."""
    return tuple(
        argument for slot in slots if slot.parameter == name for argument in slot.arguments
    )


def rename(slots: Any, names: Mapping[str, str]) -> None:
    """Gives other variables to slots, by the names of those that they have."""
    for slot in slots:
        slot.arguments[:] = [names.get(name, name) for name in slot.arguments]


def set_arguments(slots: Any, name: str, names: Sequence[str]) -> None:
    """Fill slot ``name``, which is added where it is missing."""
    for slot in slots:
        if slot.parameter == name:
            del slot.arguments[:]
            slot.arguments.extend(names)
            return
    slots.add(parameter=name, arguments=names)


def rename_slot(slots: Any, old: str, new: str) -> None:
    for slot in slots:
        if slot.parameter == old:
            slot.parameter = new


def drop_slot(slots: Any, name: str) -> None:
    for index in reversed(range(len(slots))):
        if slots[index].parameter == name:
            del slots[index]


def attribute(operator: Any, name: str, default: Any = None) -> Any:
    """Plain value of an attribute (text decoded, lists as tuples).

    ``default`` if it is absent or, where that is not None, of another kind than it: a number, a
    text or a list.
    """
    for candidate in operator.attrs:
        if candidate.name == name:
            value = _plain(candidate, default)
            return value if default is None or _kind(value) is _kind(default) else default
    return default


def _kind(value: Any) -> type:
    return float if isinstance(value, (bool, int, float)) else type(value)


def attribute_type(operator: Any, name: str) -> str | None:
    """AttrType name of an attribute, or None if it is absent or of no known type."""
    for candidate in operator.attrs:
        if candidate.name == name:
            return _TYPE_NAMES.get(candidate.type)
    return None


def set_attribute(operator: Any, name: str, kind: str, value: Any) -> None:
    """Set an attribute, replacing one of that name whatever its type was."""
    drop_attribute(operator, name)
    added = operator.attrs.add(name=name, type=ATTR_TYPES[kind])
    if kind == "SCALARS":
        for number_type, field_name, number in value:
            scalar = added.scalars.add(type=number_type)
            setattr(scalar, field_name, number)
    elif isinstance(value, (list, tuple)):
        getattr(added, ATTR_FIELDS[kind]).extend(map(_encoded, value))
    else:
        setattr(added, ATTR_FIELDS[kind], _encoded(value))


def rename_attribute(operator: Any, old: str, new: str) -> None:
    for candidate in operator.attrs:
        if candidate.name == old:
            candidate.name = new


def drop_attribute(operator: Any, name: str) -> None:
    for index in reversed(range(len(operator.attrs))):
        if operator.attrs[index].name == name:
            del operator.attrs[index]


def _encoded(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _plain(candidate: Any, default: Any) -> Any:
    kind = _TYPE_NAMES.get(candidate.type)
    if kind is None or kind in ("SCALAR", "SCALARS"):
        return default
    value = getattr(candidate, ATTR_FIELDS[kind])
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (bool, int, float, str)):
        return value
    return tuple(v.decode(errors="replace") if isinstance(v, bytes) else v for v in value)
