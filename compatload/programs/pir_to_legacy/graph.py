"""A PIR JSON program as a graph of values and operations. Checks structure, knows no operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compatload.errors import DamagedArtifactError
from compatload.frozen import frozen

ABSENT = 0  # the id of an optional operand that was not given
_MAX_NESTING = 64  # regions inside regions; Paddle's own programs need a handful

_DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf", "3": "custom_op", "4": "pd_dist"}
_INFINITIES = {"NaN": float("nan"), "INF": float("inf"), "-INF": float("-inf")}
_ELEMENT_TYPES = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "ui8": "uint8",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}


@frozen
class TensorType:
    """``kind`` is ``"dense"``, ``"array"`` (a tensor array) or ``"other"``; −1: unknown size."""

    dtype: str
    dims: tuple[int, ...]
    kind: str = "dense"


@frozen
class DataType:
    """The value of a dtype attribute; ``name`` is ``""`` where it was left undefined."""

    name: str


@frozen
class Place:
    """The value of a place attribute; kind 1 is the CPU, 0 leaves the choice to Paddle."""

    kind: int


@dataclass(eq=False)
class Value:
    """One value: a single tensor has one entry in ``types``, a vector any number."""

    id: int
    types: tuple[TensorType, ...]
    is_vector: bool
    producer: Operation | None = None
    index: int = 0
    uses: list[Operation] = field(default_factory=list)

    @property
    def type(self) -> TensorType:
        return self.types[0] if self.types else TensorType("", (), "other")

    def declare(self, dtype: str) -> None:
        """Where another type was declared than the kernel gives."""
        self.types = tuple(replace(one, dtype=dtype) for one in self.types)

    def forget_sizes_of_none(self) -> None:
        """Where they were miscounted: a size of 0 is one that is not known."""
        known = (replace(one, dims=tuple(size or -1 for size in one.dims)) for one in self.types)
        self.types = tuple(known)


@dataclass(eq=False)
class Operation:
    """One operation; an absent optional operand is None."""

    name: str
    operands: tuple[Value | None, ...]
    results: tuple[Value, ...]
    attributes: Mapping[str, Any]
    result_attributes: Mapping[str, Any]
    regions: tuple[PirBlock, ...]
    block: PirBlock
    index: int

    @property
    def position(self) -> str:
        """Where it stands, for messages: ``"pd_op.conv2d (block 0, operator 12)"``."""
        return f"{self.name} (block {self.block.index}, operator {self.index})"

    def operand(self, index: int) -> Value | None:
        return self.operands[index] if index < len(self.operands) else None


@dataclass(eq=False)
class PirBlock:
    """A straight run of operations. ``index`` counts blocks in the order they stand in the file."""

    index: int
    arguments: tuple[Value, ...] = ()
    operations: list[Operation] = field(default_factory=list)


def read_graph(program: Mapping[str, Any]) -> PirBlock:
    """The outermost block of a PIR program as ``json.load`` gives it.

    Raises:
        DamagedArtifactError: the structure is not that of a PIR program.
    """
    regions = _sequence(_mapping(_mapping(program).get("program")).get("regions"))
    if len(regions) != 1:
        raise _damaged(f"expected one region, found {len(regions)}")
    return _Reader().block(_only_block(regions[0]), {}, 0)


def _damaged(what: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"The PIR program is damaged: {what}.", action="Save or copy the model again."
    )


def _mapping(candidate: object) -> Mapping[str, Any]:
    if not isinstance(candidate, Mapping):
        raise _damaged(f"an object was expected, found {type(candidate).__name__}")
    return candidate


def _sequence(candidate: object) -> Sequence[Any]:
    if not isinstance(candidate, (list, tuple)):
        raise _damaged(f"a list was expected, found {type(candidate).__name__}")
    return candidate


def _integer(candidate: object) -> int:
    if isinstance(candidate, bool) or not isinstance(candidate, int):
        raise _damaged(f"an integer was expected, found {type(candidate).__name__}")
    if not -(2**63) <= candidate < 2**63:
        raise _damaged("an integer does not fit into 64 bits")
    return candidate


def _text(candidate: object) -> str:
    if not isinstance(candidate, str):
        raise _damaged(f"a name was expected, found {type(candidate).__name__}")
    return candidate


def _only_block(region: object) -> Mapping[str, Any]:
    blocks = _sequence(_mapping(region).get("blocks"))
    if len(blocks) != 1:
        raise _damaged(f"expected one block in a region, found {len(blocks)}")
    return _mapping(blocks[0])


def _qualified(name: str) -> str:
    """``1.conv2d`` as ``pd_op.conv2d``."""
    dialect, dot, rest = name.partition(".")
    return f"{_DIALECTS.get(dialect, dialect)}.{rest}" if dot else name


def _tensor_type(described: object) -> TensorType:
    described = _mapping(described)
    name = _text(described.get("#")).partition(".")[2]
    if name == "t_dtensor":
        kind = "dense"
    elif name in ("t_dense_tensor_array", "t_dtensorarray"):
        kind = "array"
    else:
        return TensorType("", (), "other")
    content = _sequence(described.get("D"))
    if len(content) < 2:
        raise _damaged("a tensor type lacks its shape")
    element = _text(_mapping(content[0]).get("#")).partition(".t_")[2]
    # Products of unknown sizes stand in some files as −2, −3 …
    dims = tuple(max(_integer(size), -1) for size in _sequence(content[1]))
    return TensorType(_ELEMENT_TYPES.get(element, element), dims, kind)


def _value(described: object, producer: Operation | None, index: int) -> Value:
    described = _mapping(described)
    number = _integer(described["%"] if "%" in described else described.get("#"))
    kind = _mapping(described.get("TT"))
    if _text(kind.get("#")).partition(".")[2] == "t_vec":
        types = tuple(_tensor_type(item) for item in _sequence(kind.get("D", [])))
        return Value(number, types, True, producer, index)
    return Value(number, (_tensor_type(kind),), False, producer, index)


def _attributes(described: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in _sequence(described):
        entry = _mapping(entry)
        found[_text(entry.get("N"))] = attribute_value(entry.get("AT"))
    return found


def attribute_value(described: object, nesting: int = 0) -> Any:
    """A PIR attribute as a plain Python value, :class:`DataType` or :class:`Place`."""
    described = _mapping(described)
    if nesting > _MAX_NESTING:
        raise _damaged("attributes are nested too deeply")
    kind = _text(described.get("#")).partition(".a_")[2]
    content = described.get("D")
    if kind == "array":
        return [attribute_value(item, nesting + 1) for item in _sequence(content)]
    if kind == "intarray":
        return [_integer(item) for item in _sequence(content)]
    if kind == "dtype":
        name = _text(content)
        return DataType("" if name.lower().startswith("undefined") else name)
    if kind == "place":
        place = _sequence(content)
        return Place(_integer(place[0]) if place else 0)
    if content is None and "VD" in described:
        return _INFINITIES.get(str(described["VD"]), float("nan"))
    return content


class _Reader:
    def __init__(self) -> None:
        self._blocks = 0

    def block(
        self, described: Mapping[str, Any], outer: Mapping[int, Value], depth: int
    ) -> PirBlock:
        if depth > _MAX_NESTING:
            raise _damaged("control flow is nested too deeply")
        block = PirBlock(self._blocks)
        self._blocks += 1
        arguments = _sequence(described.get("args", []))
        block.arguments = tuple(
            _value(argument, None, index) for index, argument in enumerate(arguments)
        )
        scope = dict(outer)
        scope.update((argument.id, argument) for argument in block.arguments)
        for entry in _sequence(described.get("ops")):
            operation = self._operation(_mapping(entry), block, scope, depth)
            block.operations.append(operation)
            for result in operation.results:
                if result.id in scope or result.id == ABSENT:
                    raise _damaged(f"value %{result.id} is defined twice")
                scope[result.id] = result
        return block

    def _operation(
        self, entry: Mapping[str, Any], block: PirBlock, scope: Mapping[int, Value], depth: int
    ) -> Operation:
        index = len(block.operations)
        if entry.get("#") == "p":
            return _parameter(entry, block, index)
        operands = tuple(
            _operand(_mapping(operand), scope) for operand in _sequence(entry.get("I", []))
        )
        operation = Operation(
            name=_qualified(_text(entry.get("#"))),
            operands=operands,
            results=(),
            attributes=_attributes(entry.get("A", [])),
            result_attributes=_attributes(entry.get("OA", [])),
            regions=(),
            block=block,
            index=index,
        )
        for operand in operands:
            if operand is not None:
                operand.uses.append(operation)
        operation.results = tuple(
            _value(result, operation, position)
            for position, result in enumerate(_sequence(entry.get("O", [])))
        )
        operation.regions = tuple(
            self.block(_only_block(region), scope, depth + 1)
            for region in _sequence(entry.get("regions", []))
        )
        return operation


def _operand(described: Mapping[str, Any], scope: Mapping[int, Value]) -> Value | None:
    number = _integer(described.get("%"))
    if number == ABSENT:
        return None
    if number not in scope:
        raise _damaged(f"value %{number} is used before it is defined")
    return scope[number]


def _parameter(entry: Mapping[str, Any], block: PirBlock, index: int) -> Operation:
    """``builtin.parameter`` in its short form: attributes and results stand in fixed order."""
    given = _sequence(entry.get("A"))
    flags = _sequence(entry.get("OA", []))
    if not given:
        raise _damaged("a parameter has no name")
    operation = Operation(
        name="builtin.parameter",
        operands=(),
        results=(),
        attributes={"parameter_name": _text(given[-1])},
        result_attributes=dict(zip(("persistable", "stop_gradient", "trainable"), flags)),
        regions=(),
        block=block,
        index=index,
    )
    operation.results = (_value(entry.get("O"), operation, 0),)
    return operation


def operations(block: PirBlock) -> Iterator[Operation]:
    """Every operation of a block and of the blocks inside it, in the order of the file."""
    pending: list[Operation | PirBlock] = [block]
    while pending:
        item = pending.pop()
        if isinstance(item, PirBlock):
            pending.extend(reversed(item.operations))
        else:
            yield item
            pending.extend(reversed(item.regions))
