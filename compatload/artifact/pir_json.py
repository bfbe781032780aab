"""A PIR program (``.json``): bytes in, :class:`DecodedProgram` out.

The layout, as Paddle 3.0–3.3 write it: regions hold blocks, blocks hold arguments (``#`` is a
negative value id) and operators. An operator has a name ``#``, attributes ``A`` and ``OA``,
operands ``I``, results ``O`` (``%`` is the value id, ``TT`` the type) and regions; a parameter is
packed as ``p``. Names carry a number for their dialect. Paddle reads the file with nlohmann's JSON
parser, which is strict where Python's is not; what it refuses is refused here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from marshal import dumps
from typing import Any, NoReturn

from compatload.artifact.deferred import DeferredMapping, DeferredOperator, DeferredValues
from compatload.artifact.model import (
    SEVERAL,
    WITHOUT_OUTPUTS,
    DecodedProgram,
    Format,
    Operator,
    Program,
    TensorSpec,
)
from compatload.artifact.pir_structure import FITS, Shape
from compatload.artifact.pir_values import (
    DENSE,
    MAX_DEPTH,
    NO_DENSE,
    VECTOR,
    TensorType,
    array,
    attribute_kind,
    attribute_values,
    full_name,
    integer,
    string,
    tensor_type,
)
from compatload.collection import collection_paused
from compatload.errors import DamagedArtifactError
from compatload.releases import PIR_VERSIONS, known_pir_versions, writers

_PARAMETER_ATTRIBUTES = ("is_distributed", "is_parameter", "need_clip", "parameter_name")
_PARAMETER_RESULT_ATTRIBUTES = ("persistable", "stop_gradient", "trainable")
# How Paddle names them; the flag itself is not written when a program is saved as not trainable.
_NOT_PERSISTABLE = "__non_persistable"

# The attribute that says where in Python an operator comes from; it is the last one.
_ORIGIN = "struct_name"
# Of marshal, in which equal bytes are equal values (later ones tell shared objects apart).
_BY_VALUE = 2

# Names inside a block, inside an operator, and those of them that must be there.
_REGION_KEYS = frozenset(("#", "blocks"))
_BLOCK_KEYS = frozenset(("#", "args", "ops"))
_OPERATOR_KEYS = frozenset(("#", "A", "I", "O", "OA", "DA", "QA", "regions"))
_REQUIRED_KEYS = frozenset(("#", "A", "I", "O"))
_PARAMETER_KEYS = frozenset(("#", "A", "DA", "O", "QA"))

_ABSENT: TensorType = (None, None)

# Objects, arrays and commas of one document; a sound one has six bytes or more for each, so that
# these are 100 MB of it. Of crafted ones a parser makes 2 GB at most; bytes alone bound nothing.
_MOST_NODES = 16_000_000

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONG_NUMBER = re.compile(rb"[0-9]{400}")


def parse(data: bytes, path: str = "<memory>") -> dict[str, Any]:
    """The JSON document, checked as strictly as Paddle's own parser does, and its header.

    Raises:
        DamagedArtifactError: no JSON, or no PIR program.
    """
    if has_too_many_nodes(data):
        raise _damaged(path, f"it has more than {_MOST_NODES} objects and values")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
        _refuse_long_numbers(data)
        document = json.loads(text, parse_constant=_refuse_constant)
        if _SURROGATE.search(data):
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise _damaged(path, "it is nested too deeply") from None
    except ValueError as error:  # covers JSONDecodeError and UnicodeError
        raise _damaged(path, f"it is no valid JSON ({error})") from error
    if isinstance(document, dict):
        base = document.get("base_code")
        if isinstance(base, dict) and base.get("magic") == "pir":
            return document
    raise _damaged(path, 'it lacks the mark of a PIR program (base_code.magic is "pir")')


def has_too_many_nodes(data: bytes) -> bool:
    """Whether parsing it would take more memory than any program is worth."""
    if len(data) <= _MOST_NODES:
        return False
    return sum(data.count(mark) for mark in (b"{", b"[", b",")) > _MOST_NODES


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _refuse_long_numbers(data: bytes) -> None:
    # Turning a long run of digits into an int takes quadratic time on Pythons without a limit.
    if not hasattr(sys, "set_int_max_str_digits") and _LONG_NUMBER.search(data):
        raise ValueError("a number is too long")


def decode(data: bytes, path: str = "<memory>") -> DecodedProgram:
    """Decode and check a PIR program.

    Raises:
        DamagedArtifactError: it is not one, or it contradicts itself.
    """
    with collection_paused():
        return _decode(data, path)


def outline(header: dict[str, Any], stored: Iterable[object], path: str) -> DecodedProgram:
    """What a program says of itself, apart from its operators: its ``program`` is empty.

    Args:
        header: the document without operators.
        stored: those of its operators that may declare a parameter.

    Raises:
        DamagedArtifactError: it does not have the layout of PIR.
    """
    with _as_damage(header, path):
        version, decoder = _decoded(header, path)
        for raw in stored:
            decoder.operator(raw, 0, 0, 0)  # type: ignore[arg-type]
        return decoder.told(version, Program((), (), ()))


def _decode(data: bytes, path: str) -> DecodedProgram:
    document = parse(data, path)
    with _as_damage(document, path):
        version, decoder = _decoded(document, path)
        program = decoder.program()
        told = decoder.told(version, program)
        return told if program.outputs else replace(told, notes=(WITHOUT_OUTPUTS,))


def _decoded(document: dict[str, Any], path: str) -> tuple[int, _Decoder]:
    base = document["base_code"]
    version, trainable = base.get("version"), base.get("trainable")
    if type(version) is not int or version < 0 or type(trainable) is not bool:
        raise _damaged(path, "its header (base_code) lacks version or trainable")
    decoder = _Decoder(path, trainable)
    regions = decoder.regions(document["program"]["regions"])
    if [len(region) for region in regions] != [1]:
        raise _damaged(path, "it does not have one main block")
    return version, decoder


@contextmanager
def _as_damage(document: dict[str, Any], path: str) -> Iterator[None]:
    """Whatever goes wrong with a layout that is not as expected, as a DamagedArtifactError."""
    try:
        yield
    except DamagedArtifactError as error:  # it is a ValueError, too
        version = document["base_code"].get("version")
        unknown = type(version) is int and version not in PIR_VERSIONS
        raise _of_unknown(error, version) if unknown else error from error.__cause__
    except _LAYOUT_ERRORS as error:
        raise _damaged(path, "it does not have the layout of PIR") from error


def _of_unknown(error: DamagedArtifactError, version: int) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"{error.problem} It says that it is of PIR version {version}; known are "
        f"{known_pir_versions()}.",
        action="Update compatload, or save the model again with one of these releases.",
        artifact=error.artifact,
    )


_LAYOUT_ERRORS = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class _Decoder:
    """Checks every block, value, type and attribute; builds what a look at the program needs."""

    def __init__(self, path: str, trainable: bool) -> None:
        self.path = path
        self.trainable = trainable
        flags = {"OA"} if trainable else frozenset()
        self.required = _REQUIRED_KEYS | flags
        self.required_of_parameter = _PARAMETER_KEYS | flags
        self.layouts: set[tuple[str, ...]] = set()  # keys of operators that were found sound
        self.blocks: list[list[Operator]] = []
        self.arguments: list[int] = []  # of each block
        self.types: dict[int, TensorType] = {}
        self.type_ids: dict[int, object] = {0: None}  # equal for values of the same declared type
        # What was decoded once is not decoded again: it recurs in most operators of a program.
        self.known_types: dict[bytes, tuple[TensorType, int]] = {}
        self.vectors: dict[int, tuple[TensorType, ...]] = {}
        self.empty: set[int] = set()  # lists of nothing
        self.kinds: dict[int, str] = {}  # of those that are no dense tensor
        self.visible: set[int] = {0}  # 0 stands for an absent optional operand
        self.defined: list[int] = []  # what became visible, in order
        self.parameters: list[TensorSpec] = []
        self.declared: set[str] = set()

    def regions(self, regions: Any, depth: int = 0) -> list[list[int]]:
        """Check regions; the indices of the blocks of each."""
        if depth > MAX_DEPTH:
            raise _damaged(self.path, "its blocks are nested too deeply")
        for region in array(regions):
            _check_keys(region, _REGION_KEYS, _REGION_KEYS)
            string(region["#"])
        return [
            [self.block(block, depth) for block in array(region["blocks"])] for region in regions
        ]

    def block(self, block: Mapping[str, Any], depth: int) -> int:
        index = len(self.blocks)
        operators: list[Operator] = []
        self.blocks.append(operators)
        self.arguments.append(len(block["args"]))
        before = len(self.defined)
        try:
            _check_keys(block, _BLOCK_KEYS | {"kwargs"}, _BLOCK_KEYS)
            string(block["#"])
            for argument in array(block["args"]):
                self.define(argument["#"], argument["TT"])
            for argument in array(block.get("kwargs", [])):
                # The writer repeats the plain arguments here.
                if argument["#"] not in self.visible:
                    self.define(argument["#"], argument["TT"])
            for raw in array(block["ops"]):
                operators.append(self.operator(raw, index, len(operators), depth))
        except DamagedArtifactError:
            raise
        except _LAYOUT_ERRORS as error:
            where = f"operator {len(operators)} of block {index}"
            raise _damaged(self.path, f"{where} does not have the layout of PIR") from error
        if depth:  # what a sub-block defines is not seen after it
            self.visible.difference_update(self.defined[before:])
            del self.defined[before:]
        return index

    def operator(self, raw: Mapping[str, Any], block: int, number: int, depth: int) -> Operator:
        if raw["#"] == "p":
            return self.parameter(raw, block, number)
        keys = tuple(raw)
        if keys not in self.layouts:
            _check_keys(raw, _OPERATOR_KEYS, self.required)
            self.layouts.add(keys)
        name = full_name(raw["#"])
        if name == _PARAMETER:  # Paddle's reader follows pointers that only the short form sets
            raise ValueError("a parameter is written in its short form")
        operands = tuple([operand["%"] for operand in array(raw["I"])])
        for value in operands:
            if value.__class__ is not int or value not in self.visible:
                raise _damaged(
                    self.path,
                    f"operator {number} of block {block} ({name:.60}) uses the value "
                    f"{value!r:.40} before it is defined",
                )
        if self.empty and name != _ASSERTION and not self.empty.isdisjoint(operands):
            raise _damaged(self.path, f"operator {number} of block {block} reads a list of nothing")
        # A region sees the values before its operator, never the operator's own results.
        sub_blocks: tuple[int, ...] = ()
        if "regions" in raw:
            regions = self.regions(raw["regions"], depth + 1)
            sub_blocks = tuple(index for region in regions for index in region)
        results = tuple([self.define(result["%"], result["TT"]) for result in array(raw["O"])])
        if name in FITS and not FITS[name](self.shape(operands, results, sub_blocks)):
            raise _damaged(
                self.path,
                f"operands, results and blocks of operator {number} of block {block} ({name}) do "
                "not fit together",
            )
        if name == "pd_op.fetch":  # what was given to the caller stands for nothing any more
            self.visible.difference_update(results)
        attributes = attribute_values(raw)
        ids = self.type_ids
        if name == "builtin.combine":  # whose type may say less than those of its operands
            ids[results[0]] = tuple([ids[one] for one in operands])
        if name == "pd_op.data" and _is_stored(attributes):
            (value,) = results
            self.parameters.append(TensorSpec(string(attributes["name"]), *self.types[value]))
        return DeferredOperator(
            name,
            block,
            number,
            sub_blocks,
            partial(_detail, operands, results, raw["A"]),
            attributes,
            partial(_layout, raw, operands, results, ids),
            (len(operands), len(results)),
        )

    def shape(
        self, operands: Sequence[int], results: Sequence[int], sub_blocks: Sequence[int]
    ) -> Shape:
        def types(values: Sequence[int]) -> list[TensorType | tuple[TensorType, ...]]:
            return [self.vectors.get(one, self.types.get(one, _ABSENT)) for one in values]

        return Shape(
            types(operands),
            types(results),
            [self.blocks[index] for index in sub_blocks],
            [self.arguments[index] for index in sub_blocks],
        )

    def parameter(self, raw: Mapping[str, Any], block: int, number: int) -> Operator:
        keys = tuple(raw)
        if keys not in self.layouts:
            _check_keys(raw, _OPERATOR_KEYS, self.required_of_parameter)
            self.layouts.add(keys)
        *flags, name = raw["A"]
        result_flags = raw.get("OA", ())
        if len(flags) != 3 or len(result_flags) not in (0, 3) or name.__class__ is not str:
            raise ValueError("a parameter has three flags and a name")
        if any(flag.__class__ is not int for flag in (*flags, *result_flags)):
            raise TypeError("the flags of a parameter are integers")
        value = self.define(raw["O"]["%"], raw["O"]["TT"])
        dtype, shape = self.types[value]
        if dtype is None:
            raise TypeError("a parameter is a tensor")
        if name in self.declared:
            raise _damaged(self.path, f"it declares the parameter {name!r} twice")
        self.declared.add(name)
        # Buffers that are no part of the state (persistable is 0) are not among the weights.
        if result_flags[0] if result_flags else _NOT_PERSISTABLE not in name:
            self.parameters.append(TensorSpec(name, dtype, shape))
        attributes = attribute_values({"DA": raw["DA"], "QA": raw["QA"]}) if _has_more(raw) else {}
        attributes.update(zip(_PARAMETER_ATTRIBUTES, (*flags, name)))
        for key, flag in zip(_PARAMETER_RESULT_ATTRIBUTES, result_flags):
            attributes[key] = (bool(flag),)
        detail = partial(_detail, (), (value,), ())
        return DeferredOperator(
            *(_PARAMETER, block, number, ()), detail, attributes, _all_alike, (0, 1)
        )

    def define(self, value: Any, raw_type: Any) -> int:
        if value.__class__ is not int:
            raise TypeError("a value id is an integer")
        key = dumps(raw_type, _BY_VALUE)
        known = self.known_types.get(key)
        if known is None:
            known = self.known_types[key] = tensor_type(raw_type), len(self.known_types)
        tensor, alike = known
        if value in self.types:
            raise _damaged(self.path, f"it defines the value {value} twice")
        if value:
            self.types[value] = tensor
            self.type_ids[value] = alike
            self.visible.add(value)
            self.defined.append(value)
            if raw_type["#"] != DENSE:
                self.define_other(value, tensor, raw_type)
        return value

    def define_other(self, value: int, tensor: TensorType, raw_type: Any) -> None:
        kind = raw_type["#"]
        if tensor[0] is None and kind == VECTOR:
            self.vectors[value] = tuple(tensor_type(item) for item in raw_type["D"])
            if not self.vectors[value]:
                self.empty.add(value)
            self.kinds[value] = SEVERAL
        elif kind != "NULL":
            self.kinds[value] = NO_DENSE.get(kind, kind)

    def interface(self, kinds: Mapping[str, str]) -> tuple[TensorSpec, ...]:
        """Inputs or outputs, by column where they have one, else in order."""
        found: list[tuple[int, TensorSpec]] = []
        for operator in self.blocks[0]:
            key = kinds.get(operator.name)
            if key is None or (kinds is _INPUTS and _is_stored(operator.attributes)):
                continue
            ((value,),) = (operator.outputs or operator.inputs).values()
            name = string(operator.attributes[key])
            column = integer(operator.attributes.get("col", len(found)))
            found.append((column, TensorSpec(name, *self.types[int(value[1:])])))
        return tuple(spec for _, spec in sorted(found, key=lambda pair: pair[0]))

    def program(self) -> Program:
        if not self.blocks[0]:
            raise _damaged(self.path, "it has no operators")
        return Program(
            tuple(operator for block in self.blocks for operator in block),
            self.interface(_INPUTS),
            self.interface(_OUTPUTS),
            DeferredValues(DeferredMapping(partial(_named, self.types)), cache(self.spec)),
        )

    def spec(self, value: int) -> TensorSpec:
        kind = self.kinds.get(value)
        return TensorSpec(f"%{value}", *((kind, None) if kind else self.types[value]))

    def told(self, version: int, program: Program) -> DecodedProgram:
        saved_by = writers(version)
        release = f"Paddle {saved_by} writes it" if saved_by else "no known release writes it"
        return DecodedProgram(
            Format.PIR,
            program,
            tuple(sorted(self.parameters, key=lambda spec: spec.name)),
            saved_by,
            version,
            self.trainable,
            evidence=(
                'JSON with base_code.magic "pir"',
                f"base_code.version is {version}: {release}",
            ),
        )


def _has_more(raw: Mapping[str, Any]) -> bool:
    """Whether a parameter has attributes of distribution or quantisation; hardly any does."""
    return bool(raw["DA"] != [] or raw["QA"] != [])


def _check_keys(
    raw: Mapping[str, Any], allowed: AbstractSet[str], required: AbstractSet[str] = frozenset()
) -> None:
    # A name that is misspelt would be overlooked, and Paddle follows what it then does not find.
    if not required <= raw.keys() <= allowed:
        raise KeyError("other keys than Paddle writes")


def _is_stored(attributes: Mapping[str, object]) -> bool:
    """Whether a ``data`` operator is no input but a stored variable (of an optimizer, say)."""
    return attributes.get("persistable") == (True,)


def _detail(
    operands: tuple[int, ...],
    results: tuple[int, ...],
    attributes: Sequence[Mapping[str, Any]],
    field: str,
) -> dict[str, Any]:
    if field == "kinds":
        return {one["N"]: attribute_kind(one["AT"]) for one in attributes}
    values = operands if field == "inputs" else results
    return {str(slot): (f"%{value}",) for slot, value in enumerate(values)}


def _all_alike(parameter: Operator) -> object:
    return parameter.name


def _layout(
    raw: Mapping[str, Any],
    operands: tuple[int, ...],
    results: tuple[int, ...],
    type_ids: Mapping[int, object],
    _: Operator,
) -> object:
    """Name and attributes of an operator, but for its origin, and the types of its values."""
    held = raw["A"]
    has_origin = held and held[-1]["N"] == _ORIGIN and held[-1]["AT"]["#"] == "0.a_str"
    if has_origin:
        held = held[:-1]
    key = dumps((raw["#"], held, *map(raw.get, ("OA", "DA", "QA"))), _BY_VALUE)
    types = ([type_ids[value] for value in values] for values in (operands, results))
    return (key, bool(has_origin), *map(tuple, types))


def _named(values: Iterable[int]) -> dict[str, int]:
    return {f"%{value}": value for value in values}


# Operators that make up a program's interface → the attribute with the name.
_INPUTS = {"pd_op.data": "name", "pd_op.feed": "name"}
_ASSERTION = "pd_op.assert"  # of which nothing need be told but that it does not hold
_PARAMETER = "builtin.parameter"
_OUTPUTS = {"pd_op.fetch": "name", "builtin.shadow_output": "output_name"}


def _damaged(path: str, why: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"{path} is damaged: {why}.", action="Fetch or save the model again.", artifact=path
    )
