"""A legacy program (ProgramDesc protobuf, or its text form): bytes in, DecodedProgram out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from compatload.artifact.deferred import DeferredMapping, DeferredOperator, DeferredValues
from compatload.artifact.model import (
    MOST_AXES,
    WITHOUT_OUTPUTS,
    Artifact,
    Block,
    DecodedProgram,
    Format,
    Operator,
    Program,
    TensorSpec,
)
from compatload.artifact.program_proto import (
    ATTR_FIELDS,
    ATTR_TYPES,
    DATA_TYPES,
    SCALAR_FIELDS,
    SCALAR_TYPES,
    VARIABLE_KINDS,
    message,
)
from compatload.collection import collection_paused
from compatload.errors import DamagedArtifactError

_MAX_SIZE = 2**48
_ATTR_NAMES = {number: name for name, number in ATTR_TYPES.items()}
_SCALAR_NAMES = {number: name for name, number in SCALAR_TYPES.items()}
_REPEATED = frozenset(
    ("INTS", "FLOATS", "BOOLEANS", "BLOCKS", "LONGS", "FLOAT64S", "VARS", "STRINGS", "SCALARS")
)

# Persistable variables of these kinds are never among the weights.
_WITHOUT_WEIGHTS = frozenset(
    number
    for number, kind in VARIABLE_KINDS.items()
    if kind in ("feed_minibatch", "fetch_list", "reader", "raw", "step_scopes")
)

_DENSE_TENSOR = 7
# Number of a variable's kind → where its element type and shape are kept.
_TENSOR_FIELDS = {_DENSE_TENSOR: "dense_tensor", 8: "selected_rows", 13: "tensor_array"}
_TENSOR_FIELDS.update({30: "sparse_coo", 31: "sparse_csr"})


def parse(data: bytes, path: str = "<memory>") -> Any:
    """The ProgramDesc message of ``data``.

    Raises:
        DamagedArtifactError: it is none, or a required field is missing.
    """
    return _complete(_parsed("ProgramDesc", data, path), path)


def _parsed(name: str, data: bytes, path: str) -> Any:
    from google.protobuf.message import DecodeError

    description = message(name)
    try:
        description.ParseFromString(data)
    except (DecodeError, ValueError, RecursionError) as error:
        raise _damaged(path, "it is no ProgramDesc protobuf") from error
    return description


def _complete(description: Any, path: str) -> Any:
    # Not every protobuf runtime asks for the required fields while parsing.
    if not description.IsInitialized():
        raise _damaged(path, "fields that a ProgramDesc must have are missing")
    if not description.blocks or not description.blocks[0].ops:
        raise _damaged(path, "it has no operators")
    return description


def parse_text(data: bytes, path: str = "<memory>") -> Any:
    """The ProgramDesc message of its text form (``.pbtxt``)."""
    from google.protobuf import text_format

    description = message("ProgramDesc")
    try:
        text_format.Parse(data.decode("utf-8"), description)
    except (text_format.ParseError, ValueError, RecursionError) as error:
        raise _damaged(path, f"it is no text form of a ProgramDesc ({error})") from error
    return _complete(description, path)


def binary(artifact: Artifact) -> bytes:
    """The program of a legacy artifact as protobuf, in whichever form it was saved."""
    if artifact.format is not Format.LEGACY_TEXT:
        return artifact.program_bytes
    return bytes(parse_text(artifact.program_bytes, artifact.path).SerializeToString())


def decode(data: bytes, path: str = "<memory>", *, text: bool = False) -> DecodedProgram:
    """Decode and check a legacy program.

    Raises:
        DamagedArtifactError: it is none, or it contradicts itself.
    """
    with collection_paused():
        return _decode(data, path, text)


def _decode(data: bytes, path: str, text: bool) -> DecodedProgram:
    if text:
        description = parse_text(data, path)
        data = description.SerializeToString()
    else:
        description = parse(data, path)
    survey = _survey(data, path)
    _check_numbers(survey, path)
    _check_arguments(survey, path)
    parents = _check_blocks(description, path)
    held = [{variable.name: variable for variable in block.vars} for block in description.blocks]
    for block, variables in zip(description.blocks, held):
        if len(variables) < len(block.vars):
            raise _damaged(path, f"block {block.idx} declares a variable twice")
        for name, variable in variables.items():
            kind = variable.type
            if kind.type != _DENSE_TENSOR:
                continue
            if not kind.HasField("dense_tensor"):
                raise _damaged(path, f"the variable {name!r:.80} does not say what it holds")
            if len(kind.dense_tensor.tensor.dims) > MOST_AXES:
                raise _damaged(path, f"the variable {name!r:.80} has too many axes")
    # The first block last: its names win, as they are the interface.
    declared: dict[str, Any] = {}
    for variables in reversed(held):
        declared.update(variables)
    operators = _operators(description, survey, _Layouts(data, declared))
    _check_sub_blocks(operators, parents, path)
    inputs = _interface(operators, "feed", held[0], path)
    outputs = _interface(operators, "fetch", held[0], path)
    program = Program(
        operators,
        inputs,
        outputs,
        DeferredValues(declared, _spec),
        DeferredMapping(partial(_blocks, description)),
        _lod_levels(inputs, held[0]),
    )
    told = _told(description, program, path, text=text)
    return told if outputs else replace(told, notes=(WITHOUT_OUTPUTS,))


def outline(data: bytes, path: str) -> DecodedProgram:
    """What a legacy program says of itself, apart from its operators: its ``program`` is empty.

    Raises:
        DamagedArtifactError: it is no ProgramDesc, or a parameter has an impossible shape.
    """
    return _told(_parsed("Outline", data, path), Program((), (), ()), path)


def _told(description: Any, program: Program, path: str, *, text: bool = False) -> DecodedProgram:
    saved_by, evidence = _release(description)
    form = "text form of a ProgramDesc" if text else "ProgramDesc protobuf"
    count = len(description.blocks)
    return DecodedProgram(
        Format.LEGACY_TEXT if text else Format.LEGACY,
        program,
        _parameters(description, path),
        saved_by,
        operator_versions={
            pair.op_name: pair.op_version.version for pair in description.op_version_map.pair
        },
        evidence=(f"{form} with {count} block{'s' if count > 1 else ''}", evidence),
    )


def _survey(data: bytes, path: str) -> Any:
    """Every name and number of the program, flat (see ``program_proto``)."""
    from google.protobuf.message import DecodeError

    survey = message("Survey")
    try:
        survey.ParseFromString(data)
    except (DecodeError, ValueError) as error:  # UnicodeDecodeError is a ValueError
        raise _damaged(path, "a name in it is no UTF-8") from error
    return survey


def _check_numbers(survey: Any, path: str) -> None:
    kinds = survey.blocks.vars.type
    tensors = [getattr(kinds, name) for name in _TENSOR_FIELDS.values()]
    for what, known, numbers in (
        ("attribute type", frozenset(_ATTR_NAMES), survey.blocks.ops.attrs.type),
        ("kind of variable", _KINDS, kinds.type),
        *(
            ("data type", _ELEMENTS, getattr(tensor, "tensor", tensor).data_type)
            for tensor in tensors
        ),
    ):
        unknown = set(numbers) - known
        if unknown:
            raise _damaged(path, f"{min(unknown)} is no {what}")
    for tensor in tensors:
        # Products of unknown sizes are stored as well: −3 is three times an unknown one.
        sizes = getattr(tensor, "tensor", tensor).dims
        if sizes and (max(sizes) >= _MAX_SIZE or min(sizes) <= -_MAX_SIZE):
            raise _damaged(path, "a variable has an impossible size")


# A variable's kind may also be a plain data type (in programs of very old releases).
# Stands for an argument that is not given.
_EMPTY = frozenset(("", "@EMPTY@"))


def _check_arguments(survey: Any, path: str) -> None:
    operators = survey.blocks.ops
    attributes = operators.attrs
    used = {*operators.inputs.arguments, *operators.outputs.arguments}
    used.update(attributes.var_name, attributes.vars_name)
    # Paddle looks a variable up by its name and follows what it finds, be it nothing.
    undeclared = used - _EMPTY - {*survey.blocks.vars.name}
    if undeclared:
        name = min(undeclared)
        raise _damaged(path, f"an operator uses the variable {name!r:.80}, which is not declared")


_ELEMENTS = frozenset(DATA_TYPES)
_KINDS = _ELEMENTS | frozenset(VARIABLE_KINDS)


def _check_blocks(description: Any, path: str) -> list[int]:
    """The parent of each block, -1 for the first; a parent stands before its children."""
    parents: list[int] = []
    for index, block in enumerate(description.blocks):
        if block.idx != index:
            raise _damaged(path, f"block {index} says that it is block {block.idx}")
        # A parent before its child leaves no room for a cycle.
        if not (0 <= block.parent_idx < index if index else block.parent_idx == -1):
            raise _damaged(path, f"block {index} has block {block.parent_idx} for its parent")
        if not -1 <= block.forward_block_idx < len(description.blocks):
            raise _damaged(path, f"block {index} belongs to no forward block")
        parents.append(block.parent_idx)
    return parents


class _Layouts:
    """What of a program's operators tells whether they are laid out alike."""

    def __init__(self, data: bytes, variables: Mapping[str, Any]) -> None:
        self._data = data
        self._variables = variables

    def of(self, operator: Operator) -> object:
        """Of an operator that overwrites a variable which lasts, also whether it is its own."""
        types, lasting = self._types
        inputs, outputs = operator.inputs, operator.outputs
        overwritten = [one for names in outputs.values() for one in names if one in lasting]
        return (
            self._written[operator.block][operator.index],
            tuple([(slot, *map(types.get, names)) for slot, names in inputs.items()]),
            tuple([(slot, *map(types.get, names)) for slot, names in outputs.items()]),
            *[any(one in names for names in inputs.values()) for one in overwritten],
        )

    @cached_property
    def _written(self) -> Sequence[Sequence[bytes]]:
        """Type and attributes of each operator of each block."""
        layout = message("Layout")
        layout.ParseFromString(self._data)
        layout.DiscardUnknownFields()
        return [[raw.SerializeToString() for raw in block.ops] for block in layout.blocks]

    @cached_property
    def _types(self) -> tuple[Mapping[str, int], frozenset[str]]:
        """A number for each variable, the same for those that are declared alike, and which keep
        their values between runs."""
        numbers: dict[bytes, int] = {}
        lasting = frozenset(name for name, one in self._variables.items() if one.persistable)
        types = {
            name: numbers.setdefault(one.type.SerializeToString(), len(numbers))
            for name, one in self._variables.items()
        }
        return {name: -1 - n if name in lasting else n for name, n in types.items()}, lasting


def _operators(description: Any, survey: Any, layouts: _Layouts) -> tuple[Operator, ...]:
    attributes = survey.blocks.ops.attrs
    flat = not attributes.block_idx and not attributes.blocks_idx
    layout = layouts.of
    return tuple(
        DeferredOperator(
            raw.type,
            index,
            number,
            () if flat else sub_blocks(raw),
            partial(_detail, raw),
            None,
            layout,
        )
        for index, block in enumerate(description.blocks)
        for number, raw in enumerate(block.ops)
    )


def sub_blocks(raw: Any) -> tuple[int, ...]:
    """The blocks that an operator of a message owns."""
    found: list[int] = []
    for attribute in raw.attrs:
        if attribute.type == ATTR_TYPES["BLOCK"]:
            found.append(attribute.block_idx)
        elif attribute.type == ATTR_TYPES["BLOCKS"]:
            found.extend(attribute.blocks_idx)
    return tuple(found)


def _check_sub_blocks(operators: Iterable[Operator], parents: list[int], path: str) -> None:
    for operator in operators:
        for sub_block in operator.sub_blocks:
            if not 0 < sub_block < len(parents):
                raise _damaged(path, f"{operator.position} runs a block that is not there")
            # An operator that ran a block it stands in would never end.
            ancestor = operator.block
            while ancestor != -1:
                if ancestor == sub_block:
                    raise _damaged(path, f"{operator.position} contains itself")
                ancestor = parents[ancestor]


def _interface(
    operators: Iterable[Operator], kind: str, variables: dict[str, Any], path: str
) -> tuple[TensorSpec, ...]:
    """What ``feed`` operators write, or ``fetch`` operators read, in the order of columns."""
    found: list[tuple[int, TensorSpec]] = []
    for operator in operators:
        if operator.name != kind or operator.block != 0:
            continue
        names = operator.outputs.get("Out", ()) if kind == "feed" else operator.inputs.get("X", ())
        column = operator.attributes.get("col", 0)
        if len(names) != 1 or names[0] not in variables or type(column) is not int:
            raise _damaged(path, f"{operator.position} names no variable")
        found.append((column, _checked_spec(variables[names[0]], path)))
    return tuple(spec for _, spec in sorted(found, key=lambda pair: pair[0]))


def _lod_levels(inputs: Iterable[TensorSpec], variables: Mapping[str, Any]) -> dict[str, int]:
    kinds = {spec.name: variables[spec.name].type for spec in inputs}
    levels = {
        name: int(kind.dense_tensor.lod_level)
        for name, kind in kinds.items()
        if kind.type == _DENSE_TENSOR
    }
    return {name: level for name, level in levels.items() if level > 0}


def _parameters(description: Any, path: str) -> tuple[TensorSpec, ...]:
    """The persistable tensors of the first block, sorted: the order of combined weights."""
    found = [
        _checked_spec(variable, path)
        for variable in description.blocks[0].vars
        if variable.persistable and variable.type.type not in _WITHOUT_WEIGHTS
    ]
    return tuple(sorted(found, key=lambda spec: spec.name))


def _blocks(description: Any) -> dict[int, Block]:
    return {
        block.idx: Block(
            block.parent_idx,
            {variable.name: variable.type.type for variable in block.vars},
            frozenset(variable.name for variable in block.vars if variable.persistable),
        )
        for block in description.blocks
    }


def _spec(variable: Any) -> TensorSpec:
    kind = variable.type
    field = _TENSOR_FIELDS.get(kind.type)
    if field is None or not kind.HasField(field):
        return TensorSpec(variable.name, None, None)
    tensor = getattr(kind, field)
    tensor = getattr(tensor, "tensor", tensor)
    return TensorSpec(variable.name, DATA_TYPES[tensor.data_type][0], tuple(tensor.dims))


def _checked_spec(variable: Any, path: str) -> TensorSpec:
    spec = _spec(variable)
    shape = spec.shape
    if not shape or (min(shape) >= -1 and len(shape) <= MOST_AXES):
        return spec
    if len(shape) > MOST_AXES or variable.persistable:
        raise _damaged(path, f"{spec.name!r} has the impossible shape {list(shape[:MOST_AXES])}")
    # Products of unknown sizes come out below −1; they are unknown as well.
    return TensorSpec(spec.name, spec.dtype, tuple(max(size, -1) for size in shape))


def _release(description: Any) -> tuple[str | None, str]:
    number = description.version.version
    if not description.HasField("version"):
        return None, "no version field"
    if number <= 0:
        return None, f"version field is {number}: a development build"
    major, rest = divmod(number, 1_000_000)
    release = f"{major}.{rest // 1000}.{rest % 1000}"
    return f"=={release}", f"version field is {number}: Paddle {release}"


def _detail(raw: Any, field: str) -> Mapping[str, Any]:
    if field == "attributes":
        return DeferredValues({one.name: one for one in raw.attrs}, attribute_value)
    if field == "kinds":
        return _kinds(raw)
    slots = getattr(raw, field)
    held = {slot.parameter: tuple(slot.arguments) for slot in slots}
    if len(held) < len(slots):  # Paddle takes both
        raise _damaged("the program", f"an operator {raw.type!r:.60} has one of its slots twice")
    return held


def _kinds(raw: Any) -> dict[str, str]:
    kinds = {attribute.name: _ATTR_NAMES[attribute.type] for attribute in raw.attrs}
    if len(kinds) < len(raw.attrs):
        raise _damaged("the program", f"an operator {raw.type!r:.60} has an attribute twice")
    for attribute in raw.attrs:
        kind = _ATTR_NAMES[attribute.type]
        if kind not in _REPEATED and not attribute.HasField(ATTR_FIELDS[kind]):
            where = f"{attribute.name!r:.60} of an operator {raw.type!r:.60}"
            raise _damaged("the program", f"the attribute {where} has no value of its type")
    return kinds


def attribute_value(attribute: Any) -> object:
    """The plain Python value of an ``OpAttr`` message; sequences are tuples.

    Strings that are no UTF-8 stay bytes: Paddle keeps binary data in some of them.
    """
    kind = _ATTR_NAMES[attribute.type]
    value = getattr(attribute, ATTR_FIELDS[kind])
    convert = _CONVERSIONS.get(kind)
    if kind in _REPEATED:
        return tuple(map(convert, value)) if convert else tuple(value)
    return convert(value) if convert else value


def _scalar(scalar: Any) -> object:
    kind = _SCALAR_NAMES.get(scalar.type)
    if kind is None:
        return None
    value = getattr(scalar, SCALAR_FIELDS[kind])
    return complex(value.r, value.i) if kind == "COMPLEX128" else value


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


_CONVERSIONS: dict[str, Callable[[Any], object]] = {
    "STRING": _text,
    "STRINGS": _text,
    "SCALAR": _scalar,
    "SCALARS": _scalar,
}


def _damaged(path: str, why: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"{path} is damaged: {why}.", action="Fetch or save the model again.", artifact=path
    )
