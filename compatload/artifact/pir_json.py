"""A PIR program (``.json``): bytes in, :class:`DecodedProgram` out.

The layout, as Paddle 3.0–3.3 write it: regions hold blocks, blocks hold arguments (``#`` is a
negative value id) and operators. An operator has a name ``#``, attributes ``A`` and ``OA``,
operands ``I``, results ``O`` (``%`` is the value id, ``TT`` the type) and regions; a parameter is
packed as ``p``. Names carry a number for their dialect. Paddle reads the file with nlohmann's JSON
parser, which is strict where Python's is not; what it refuses is refused here.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from compatload.artifact.model import DecodedProgram, Format, Operator, Program, TensorSpec
from compatload.errors import DamagedArtifactError

DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf", "3": "custom_op", "4": "pd_dist"}

# PIR element type → numpy-style name.
ELEMENT_TYPES = {
    "t_bool": "bool",
    "t_i8": "int8",
    "t_ui8": "uint8",
    "t_i16": "int16",
    "t_i32": "int32",
    "t_i64": "int64",
    "t_ui16": "uint16",
    "t_ui32": "uint32",
    "t_ui64": "uint64",
    "t_f16": "float16",
    "t_bf16": "bfloat16",
    "t_f32": "float32",
    "t_f64": "float64",
    "t_c64": "complex64",
    "t_c128": "complex128",
    "t_f8e4m3fn": "float8_e4m3fn",
    "t_f8e5m2": "float8_e5m2",
    "t_index": "index",
}

# ``base_code.version`` → the releases that write it.
RELEASES = {1: ">=3.0,<3.1", 2: ">=3.1,<3.2", 3: ">=3.2,<3.3", 4: ">=3.3,<3.4"}

# How the writer spells what JSON has no number for (key ``VD`` in place of ``D``).
_SPELLED = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}

# Blocks, types and attributes inside one another; real programs stay below ten.
_MAX_DEPTH = 48
_MAX_RANK = 64

_PARAMETER_ATTRIBUTES = ("is_distributed", "is_parameter", "need_clip", "parameter_name")
_PARAMETER_RESULT_ATTRIBUTES = ("persistable", "stop_gradient", "trainable")

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONG_NUMBER = re.compile(rb"[0-9]{400}")


def parse(data: bytes, path: str = "<memory>") -> dict[str, Any]:
    """The JSON document, checked as strictly as Paddle's own parser does, and its header.

    Raises:
        DamagedArtifactError: no JSON, or no PIR program.
    """
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
    document = parse(data, path)
    base = document["base_code"]
    version = base.get("version")
    trainable = base.get("trainable", True)
    if type(version) is not int or version < 0 or type(trainable) is not bool:
        raise _damaged(path, "its header (base_code) has no usable version")
    decoder = _Decoder(path)
    try:
        regions = document["program"]["regions"]
        decoder.regions(regions, depth=0)
        return decoder.result(version, trainable)
    except RecursionError:
        raise _damaged(path, "it is nested too deeply") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise _damaged(path, f"{decoder.position} does not have the layout of PIR") from error


@dataclass
class _Decoder:
    path: str
    blocks: list[list[Operator]] = field(default_factory=list)
    values: dict[int, TensorSpec] = field(default_factory=dict)
    parameters: dict[str, TensorSpec] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    position: str = "the program"

    def regions(self, regions: list[Any], depth: int) -> tuple[int, ...]:
        """Decode regions; the indices of their blocks."""
        if depth > _MAX_DEPTH:
            raise _damaged(self.path, "its blocks are nested too deeply")
        if type(regions) is not list:
            raise TypeError("regions")
        return tuple(
            self.block(block, depth) for region in regions for block in _list(region["blocks"])
        )

    def block(self, block: Mapping[str, Any], depth: int) -> int:
        index = len(self.blocks)
        operators: list[Operator] = []
        self.blocks.append(operators)
        for argument in [*_list(block["args"]), *_list(block.get("kwargs", []))]:
            self.define(argument["#"], argument["TT"])
        for number, operator in enumerate(_list(block["ops"])):
            self.position = f"operator {number} of block {index}"
            operators.append(self.operator(operator, index, number, depth))
        return index

    def operator(self, raw: Mapping[str, Any], block: int, number: int, depth: int) -> Operator:
        if raw["#"] == "p":
            return self.parameter(raw, block, number)
        name = _full_name(raw["#"])
        inputs = {
            str(slot): (self.used(operand["%"]),) for slot, operand in enumerate(_list(raw["I"]))
        }
        # A region sees the values before its operator, never the operator's own results.
        sub_blocks = self.regions(raw["regions"], depth + 1) if "regions" in raw else ()
        outputs = {
            str(slot): (self.define(result["%"], result["TT"]),)
            for slot, result in enumerate(_list(raw["O"]))
        }
        attributes = {}
        for key in ("A", "OA", "DA", "QA"):
            for attribute in _list(raw.get(key, [])):
                attributes[_string(attribute["N"])] = attribute_value(attribute["AT"])
        return Operator(name, inputs, outputs, attributes, block, number, sub_blocks)

    def parameter(self, raw: Mapping[str, Any], block: int, number: int) -> Operator:
        values = _list(raw["A"])
        name = _string(values[3])
        value = self.define(raw["O"]["%"], raw["O"]["TT"])
        spec = self.values[raw["O"]["%"]]
        if spec.dtype is None or spec.shape is None:
            raise TypeError("a parameter is a dense tensor")
        if name in self.declared:
            raise _damaged(self.path, f"it declares the parameter {name!r} twice")
        self.declared.add(name)
        flags = _list(raw.get("OA", []))
        # Buffers that are no part of the state (persistable is 0) are not among the weights.
        if not flags or flags[0]:
            self.parameters[name] = TensorSpec(name, spec.dtype, spec.shape)
        attributes: dict[str, object] = dict(zip(_PARAMETER_ATTRIBUTES, values))
        attributes.update(
            (key, (bool(flag),)) for key, flag in zip(_PARAMETER_RESULT_ATTRIBUTES, flags)
        )
        return Operator("builtin.parameter", {}, {"0": (value,)}, attributes, block, number)

    def used(self, value: Any) -> str:
        if value == 0 and type(value) is int:  # an absent optional operand
            return "%0"
        if type(value) is not int or value not in self.values:
            raise _damaged(
                self.path, f"{self.position} uses the value {value!r} before it is defined"
            )
        return f"%{value}"

    def define(self, value: Any, raw_type: Any) -> str:
        name = f"%{value}"
        if type(value) is not int:
            raise TypeError("a value id is an integer")
        if value == 0:
            return name
        if value in self.values:
            raise _damaged(self.path, f"{self.position} defines the value {value} again")
        self.values[value] = _spec(name, raw_type)
        return name

    def result(self, version: int, trainable: bool) -> DecodedProgram:
        operators = tuple(operator for block in self.blocks for operator in block)
        program = Program(
            operators,
            tuple(self.interface(operators, _INPUTS)),
            tuple(self.interface(operators, _OUTPUTS)),
            {spec.name: spec for spec in self.values.values()},
        )
        saved_by = RELEASES.get(version)
        evidence = [f"base_code.version is {version}"]
        evidence.append(f"written by Paddle {saved_by}" if saved_by else "no release writes it")
        return DecodedProgram(
            Format.PIR,
            program,
            tuple(self.parameters[name] for name in sorted(self.parameters)),
            saved_by,
            version,
            trainable,
            evidence=('JSON with base_code.magic "pir"', ", ".join(evidence)),
        )

    def interface(
        self, operators: tuple[Operator, ...], kinds: Mapping[str, str]
    ) -> list[TensorSpec]:
        found: list[tuple[Any, TensorSpec]] = []
        for operator in operators:
            key = kinds.get(operator.name)
            if key is None or operator.block != 0:
                continue
            name = operator.attributes.get(key)
            slot = operator.outputs or operator.inputs
            (value,) = slot["0"]
            spec = self.values[int(value[1:])]
            column = operator.attributes.get("col", len(found))
            found.append((column, TensorSpec(_string(name), spec.dtype, spec.shape)))
        return [spec for _, spec in sorted(found, key=lambda pair: _integer(pair[0]))]


# Operators that make up a program's interface → the attribute with the name.
_INPUTS = {"pd_op.data": "name", "pd_op.feed": "name"}
_OUTPUTS = {"pd_op.fetch": "name", "builtin.shadow_output": "output_name"}


def attribute_value(raw: Mapping[str, Any], depth: int = 0) -> object:
    """A plain Python value for ``{"#": kind, "D": data}``.

    Arrays become tuples, data types and element types their names (``"float32"``), places
    ``(kind, device, name)``; kinds that this table does not know keep their JSON.
    """
    if depth > _MAX_DEPTH:
        raise ValueError("attributes nested too deeply")
    kind = _string(raw["#"]).partition(".")[2]
    if "VD" in raw:
        return _SPELLED[raw["VD"]]
    if kind == "a_array":
        return tuple(attribute_value(item, depth + 1) for item in _list(raw["D"]))
    if kind == "a_type":
        return type_name(raw["D"])
    data = raw.get("D")
    check = _ATTRIBUTES.get(kind)
    return check(data) if check else _frozen(data, depth)


def type_name(raw: Mapping[str, Any]) -> str:
    """``"float32"`` for an element type, the bare kind for any other type."""
    kind = _string(raw["#"]).rpartition(".")[2]
    return ELEMENT_TYPES.get(kind, kind)


def _frozen(data: Any, depth: int = 0) -> object:
    if depth > _MAX_DEPTH:
        raise ValueError("attributes nested too deeply")
    if isinstance(data, list):
        return tuple(_frozen(item, depth + 1) for item in data)
    if isinstance(data, dict):
        return {key: _frozen(value, depth + 1) for key, value in data.items()}
    return _finite(data)


def _finite(value: Any) -> Any:
    # 1e999 is infinite for Python and an error for Paddle's parser.
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is out of range")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError("a number is wanted")
    return float(_finite(value))


def _integer(value: Any) -> int:
    if type(value) is not int or not -(2**63) <= value < 2**64:
        raise TypeError("an integer is wanted")
    return value


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError("true or false is wanted")
    return value


def _string(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("a string is wanted")
    return value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError("an array is wanted")
    return value


def _integers(value: Any) -> tuple[int, ...]:
    return tuple(_integer(item) for item in _list(value))


def _complex(value: Any) -> complex:
    real, imaginary = _list(value)
    return complex(_number(real), _number(imaginary))


def _scalar(value: Any) -> object:
    dtype, *parts = _list(value)
    if _string(dtype).startswith("complex"):
        return _complex(parts)
    (part,) = parts
    return _finite(part)


_ATTRIBUTES: Mapping[str, Any] = {
    "a_bool": _boolean,
    "a_i32": _integer,
    "a_i64": _integer,
    "a_index": _integer,
    "a_f32": _number,
    "a_f64": _number,
    "a_str": _string,
    "a_tensorname": _string,
    "a_dtype": _string,
    "a_layout": _string,
    "a_intarray": _integers,
    "a_c64": _complex,
    "a_c128": _complex,
    "a_scalar": _scalar,
}

_TENSOR_TYPES = ("t_dtensor", "t_selected_rows", "t_dense_tensor_array", "t_sparse_coo_tensor")


def _spec(name: str, raw: Mapping[str, Any]) -> TensorSpec:
    kind = _string(raw["#"]).rpartition(".")[2]
    data = raw.get("D")
    if kind not in ("t_dtensor", "t_selected_rows", "t_dense_tensor_array"):
        return TensorSpec(name, None, None)  # a vector, a stack, nothing, sparse
    shape = _list(_list(data)[1])
    if len(shape) > _MAX_RANK:
        raise ValueError("too many dimensions")
    if any(_integer(dimension) < -1 for dimension in shape):
        raise ValueError("a dimension below -1")
    return TensorSpec(name, type_name(_list(data)[0]), tuple(shape))


def _full_name(name: Any) -> str:
    number, dot, bare = _string(name).partition(".")
    return f"{DIALECTS.get(number, number)}.{bare}" if dot else number


def _damaged(path: str, why: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"{path} is damaged: {why}.", action="Fetch or save the model again.", artifact=path
    )
