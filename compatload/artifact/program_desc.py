"""A legacy program (ProgramDesc protobuf, or its text form): bytes in, DecodedProgram out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from compatload.artifact.model import DecodedProgram, Format, Operator, Program, TensorSpec
from compatload.artifact.program_proto import (
    ATTR_FIELDS,
    ATTR_TYPES,
    DATA_TYPES,
    SCALAR_FIELDS,
    SCALAR_TYPES,
    VARIABLE_KINDS,
    message,
)
from compatload.errors import DamagedArtifactError

_MAX_RANK = 64
_ATTR_NAMES = {number: name for name, number in ATTR_TYPES.items()}
_SCALAR_NAMES = {number: name for name, number in SCALAR_TYPES.items()}
_REPEATED = frozenset(
    ("INTS", "FLOATS", "STRINGS", "BOOLEANS", "BLOCKS", "LONGS", "FLOAT64S", "VARS", "SCALARS")
)

# Persistable variables of these kinds are never among the weights.
_WITHOUT_WEIGHTS = frozenset(("feed_minibatch", "fetch_list", "reader", "raw", "step_scopes"))

# Where a variable's kind keeps its element type and shape.
_TENSOR_FIELDS = {
    "dense_tensor": "dense_tensor",
    "dense_tensor_array": "tensor_array",
    "selected_rows": "selected_rows",
    "sparse_coo": "sparse_coo",
    "sparse_csr": "sparse_csr",
}


def parse(data: bytes, path: str = "<memory>") -> Any:
    """The ProgramDesc message of ``data``.

    Raises:
        DamagedArtifactError: it is none, or a required field is missing.
    """
    description = message("ProgramDesc")
    try:
        description.ParseFromString(data)
    except (DecodeError, ValueError, RecursionError) as error:
        raise _damaged(path, "it is no complete ProgramDesc protobuf") from error
    if not description.blocks:
        raise _damaged(path, "it has no blocks")
    return description


def parse_text(data: bytes, path: str = "<memory>") -> Any:
    """The ProgramDesc message of its text form (``.pbtxt``)."""
    description = message("ProgramDesc")
    try:
        text_format.Parse(data.decode("utf-8"), description)
    except (text_format.ParseError, ValueError, RecursionError) as error:
        raise _damaged(path, f"it is no text form of a ProgramDesc ({error})") from error
    if not description.IsInitialized() or not description.blocks:
        raise _damaged(path, "required fields are missing")
    return description


def decode(data: bytes, path: str = "<memory>", *, text: bool = False) -> DecodedProgram:
    """Decode and check a legacy program.

    Raises:
        DamagedArtifactError: it is none, or it contradicts itself.
    """
    description = parse_text(data, path) if text else parse(data, path)
    try:
        return _Decoder(description, path, text).result()
    except UnicodeDecodeError as error:
        raise _damaged(path, "a name in it is no UTF-8") from error


class _Decoder:
    def __init__(self, description: Any, path: str, text: bool) -> None:
        self.description = description
        self.path = path
        self.text = text
        self.block_count = len(description.blocks)
        self.parents: list[int] = []

    def result(self) -> DecodedProgram:
        self.check_blocks()
        blocks = self.description.blocks
        variables = [self.variables(block) for block in blocks]
        operators: list[Operator] = []
        for index, block in enumerate(blocks):
            for number, raw in enumerate(block.ops):
                operators.append(self.operator(raw, index, number))
        self.check_ownership(operators)
        every: dict[str, TensorSpec] = {}
        for specs in reversed(variables):  # block 0 last: its names win
            every.update(specs)
        inputs, outputs = self.interface(operators, variables[0])
        saved_by, evidence = self.release()
        pairs = self.description.op_version_map.pair
        form = "text form of a ProgramDesc" if self.text else "ProgramDesc protobuf"
        return DecodedProgram(
            Format.LEGACY_TEXT if self.text else Format.LEGACY,
            Program(tuple(operators), inputs, outputs, every),
            self.parameters(),
            saved_by,
            operator_versions={pair.op_name: pair.op_version.version for pair in pairs},
            evidence=(f"{form} of {self.block_count} blocks", evidence),
        )

    def release(self) -> tuple[str | None, str]:
        number = self.description.version.version
        if not self.description.HasField("version"):
            return None, "no version field"
        if number <= 0:
            return None, f"version field is {number}: a development build"
        major, rest = divmod(number, 1_000_000)
        release = f"{major}.{rest // 1000}.{rest % 1000}"
        return f"=={release}", f"version field is {number}: Paddle {release}"

    def check_blocks(self) -> None:
        for index, block in enumerate(self.description.blocks):
            if block.idx != index:
                raise _damaged(self.path, f"block {index} says that it is block {block.idx}")
            # A parent before its child leaves no room for a cycle.
            if not -1 <= block.parent_idx < max(index, 1) or (index and block.parent_idx < 0):
                raise _damaged(
                    self.path, f"block {index} has no block {block.parent_idx} for its parent"
                )
            if index == 0 and block.parent_idx != -1:
                raise _damaged(self.path, "block 0 has a parent")
            if not -1 <= block.forward_block_idx < self.block_count:
                raise _damaged(self.path, f"block {index} belongs to no forward block")
            self.parents.append(block.parent_idx)

    def check_ownership(self, operators: Iterable[Operator]) -> None:
        for operator in operators:
            for sub_block in operator.sub_blocks:
                # An operator that ran the block it stands in would never end.
                ancestor = operator.block
                while ancestor != -1:
                    if ancestor == sub_block:
                        raise _damaged(self.path, f"{operator.position} contains itself")
                    ancestor = self.parents[ancestor]

    def variables(self, block: Any) -> dict[str, TensorSpec]:
        specs: dict[str, TensorSpec] = {}
        for variable in block.vars:
            name = variable.name
            if name in specs:
                raise _damaged(self.path, f"it declares the variable {name!r} twice")
            specs[name] = self.spec(variable)
        return specs

    def spec(self, variable: Any) -> TensorSpec:
        kind = VARIABLE_KINDS.get(variable.type.type)
        if kind is None:
            raise _damaged(
                self.path, f"the variable {variable.name!r} is of kind {variable.type.type}"
            )
        tensor_field = _TENSOR_FIELDS.get(kind)
        if tensor_field is None or not variable.type.HasField(tensor_field):
            return TensorSpec(variable.name, None, None)
        tensor = getattr(variable.type, tensor_field)
        tensor = getattr(tensor, "tensor", tensor)
        element = DATA_TYPES.get(tensor.data_type)
        shape = tuple(tensor.dims)
        if element is None or len(shape) > _MAX_RANK or any(size < -1 for size in shape):
            raise _damaged(
                self.path,
                f"the variable {variable.name!r} has data type {tensor.data_type} and shape "
                f"{list(shape[:_MAX_RANK])}",
            )
        return TensorSpec(variable.name, element[0], shape)

    def parameters(self) -> tuple[TensorSpec, ...]:
        found = {}
        for variable in self.description.blocks[0].vars:
            kind = VARIABLE_KINDS[variable.type.type]
            if not variable.persistable or kind in _WITHOUT_WEIGHTS:
                continue
            found[variable.name] = self.spec(variable)
        return tuple(found[name] for name in sorted(found))

    def operator(self, raw: Any, block: int, number: int) -> Operator:
        attributes: dict[str, object] = {}
        sub_blocks: list[int] = []
        for attribute in raw.attrs:
            kind = _ATTR_NAMES.get(attribute.type)
            if kind is None:
                raise _damaged(
                    self.path,
                    f"an attribute of {raw.type!r} is of the unknown type {attribute.type}",
                )
            attributes[attribute.name] = value = _value(attribute, kind)
            if kind == "BLOCK":
                sub_blocks.append(attribute.block_idx)
            elif kind == "BLOCKS":
                sub_blocks.extend(value)  # type: ignore[arg-type]
        operator = Operator(
            raw.type,
            {slot.parameter: tuple(slot.arguments) for slot in raw.inputs},
            {slot.parameter: tuple(slot.arguments) for slot in raw.outputs},
            attributes,
            block,
            number,
            tuple(sub_blocks),
        )
        if any(not 0 < index < self.block_count for index in sub_blocks):
            raise _damaged(self.path, f"{operator.position} runs a block that is not there")
        return operator

    def interface(
        self, operators: Iterable[Operator], variables: dict[str, TensorSpec]
    ) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
        ends: dict[str, list[tuple[int, TensorSpec]]] = {"feed": [], "fetch": []}
        for operator in operators:
            if operator.block != 0 or operator.name not in ends:
                continue
            slots = operator.outputs if operator.name == "feed" else operator.inputs
            names = slots.get("Out" if operator.name == "feed" else "X", ())
            if len(names) != 1 or names[0] not in variables:
                raise _damaged(self.path, f"{operator.position} names no variable")
            column = operator.attributes.get("col", 0)
            if not isinstance(column, int):
                raise _damaged(self.path, f"{operator.position} has no column")
            ends[operator.name].append((column, variables[names[0]]))
        feeds, fetches = (
            tuple(spec for _, spec in sorted(ends[name], key=lambda pair: pair[0]))
            for name in ("feed", "fetch")
        )
        return feeds, fetches


def _value(attribute: Any, kind: str) -> object:
    value = getattr(attribute, ATTR_FIELDS[kind])
    if kind == "SCALARS":
        return tuple(_scalar(item) for item in value)
    if kind == "SCALAR":
        return _scalar(value)
    if kind == "STRING":
        return _text(value)
    if kind == "STRINGS":
        return tuple(_text(item) for item in value)
    return tuple(value) if kind in _REPEATED else value


def _scalar(scalar: Any) -> object:
    kind = _SCALAR_NAMES.get(scalar.type)
    if kind is None:
        return None
    value = getattr(scalar, SCALAR_FIELDS[kind])
    return complex(value.r, value.i) if kind == "COMPLEX128" else value


def _text(value: bytes) -> str | bytes:
    # Paddle keeps binary data in some strings; those stay bytes.
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


def _damaged(path: str, why: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"{path} is damaged: {why}.", action="Fetch or save the model again.", artifact=path
    )
