"""Adds operators to a saved PIR program: new values, their types, operators as files write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact
from compatload.frozen import frozen

BOOL = "0.t_bool"
INT32, INT64 = "0.t_i32", "0.t_i64"
FLOAT16, BFLOAT16 = "0.t_f16", "0.t_bf16"
FLOAT32, FLOAT64 = "0.t_f32", "0.t_f64"
_CPU = [1, 0, ""]
_UNDEFINED_PLACE = [0, 0, ""]
_DENSE = "0.t_dtensor"

# Element type of a value → name of the data type in an attribute.
DATA_TYPES: Mapping[str, str] = {
    "0.t_bool": "bool",
    "0.t_i8": "int8",
    "0.t_ui8": "uint8",
    "0.t_i16": "int16",
    "0.t_i32": "int32",
    "0.t_i64": "int64",
    "0.t_f16": "float16",
    "0.t_bf16": "bfloat16",
    "0.t_f32": "float32",
    "0.t_f64": "float64",
}

_LEARNING = frozenset({"0.t_f16", "0.t_bf16", "0.t_f32", "0.t_f64", "0.t_c64", "0.t_c128"})
_LIST = "0.t_vec"


class NotExpressibleError(Exception):
    """Why an operator cannot be written with the operators that are there."""


@frozen
class Tensor:
    """Element type (``0.t_f32``) and dimensions (−1: unknown) of a dense tensor."""

    element: str
    dims: tuple[int, ...]

    @property
    def data_type(self) -> str:
        return DATA_TYPES[self.element]

    @property
    def floating(self) -> bool:
        return self.element in ("0.t_f16", "0.t_bf16", "0.t_f32", "0.t_f64")

    def with_element(self, element: str) -> Tensor:
        return Tensor(element, self.dims)

    def as_json(self) -> dict[str, Any]:
        return {"#": _DENSE, "D": [{"#": self.element}, list(self.dims), "NCHW", [], 0]}


class ProgramValues:
    """The types of all values of a program, and numbers for new ones.

    ``types`` maps a value to its type, or to where the type stands in ``text``.
    """

    def __init__(self, types: dict[int, Any], text: str = "") -> None:
        self._types = types
        self._text = text
        self._last = max(types, default=0)

    @classmethod
    def of_program(cls, program: Mapping[str, Any]) -> ProgramValues:
        return cls(dict(_walk(program["program"]["regions"])))

    @classmethod
    def of_text(cls, text: str) -> ProgramValues:
        """From a program in the form in which Paddle writes it."""
        return cls({int(match[1]): match.end() for match in _DEFINITION.finditer(text)}, text)

    def tensor(self, value: int) -> Tensor:
        return _tensor(self._kind(value))

    def dense(self, value: int) -> Tensor:
        """The same of any element type, complex ones among them."""
        kind = self._kind(value)
        if not kind or kind["#"] != _DENSE:
            raise NotExpressibleError("an operand is no dense tensor")
        return Tensor(kind["D"][0]["#"], tuple(kind["D"][1]))

    def _kind(self, value: int) -> Any:
        kind = self._types.get(value)
        return _DECODER.raw_decode(self._text, kind)[0] if isinstance(kind, int) else kind

    def is_list(self, value: int) -> bool:
        return bool((self._kind(value) or {}).get("#") == _LIST)

    def tensors(self, value: int) -> list[Tensor]:
        """What a value is, or those of a list; none where it is neither, or no operand is given.

        Raises NotExpressibleError as ``tensor`` does for one of a list.
        """
        kind = self._kind(value)
        if kind and kind["#"] == _LIST:
            return [_tensor(one) for one in kind["D"]]
        return [_tensor(kind)] if kind and kind["#"] == _DENSE else []

    def made_alike(self, kind: Mapping[str, Any], tensors: Sequence[Tensor]) -> dict[str, Any]:
        """A new result: a list where ``kind`` is one."""
        types = [one.as_json() for one in tensors]
        told = {"#": _LIST, "D": types} if kind["#"] == _LIST else types[0]
        return {"%": self._numbered(told), "TT": told}

    def common(self, value: int) -> Tensor | None:
        """What a value is; None where it is complex, or no dense tensor."""
        try:
            return self.tensor(value)
        except NotExpressibleError:
            return None

    def new(self, tensor: Tensor) -> int:
        return self._numbered(tensor.as_json())

    def _numbered(self, kind: dict[str, Any]) -> int:
        self._last += 1
        self._types[self._last] = kind
        return self._last


def _tensor(kind: Any) -> Tensor:
    if not kind or kind["#"] != _DENSE or kind["D"][0]["#"] not in DATA_TYPES:
        raise NotExpressibleError("an operand is no dense tensor of a common type")
    return Tensor(kind["D"][0]["#"], tuple(kind["D"][1]))


_DEFINITION = re.compile(r'"[%#]":(-?\d{1,18}),"TT":')
_DECODER = json.JSONDecoder()


def _walk(regions: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    for block in blocks_in(regions):
        for argument in (*block.get("args", ()), *block.get("kwargs", ())):
            yield argument["#"], argument["TT"]
        for operator in block["ops"]:
            for result in results_of(operator):
                yield result["%"], result["TT"]


def with_program(artifact: Artifact, document: Mapping[str, Any], *notes: str) -> Artifact:
    """``artifact`` with another PIR program, given as parsed JSON, and what was done to it."""
    data = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    return replace(
        artifact,
        program=pir_json.decode(data, artifact.files.program).program,
        program_bytes=data,
        notes=(*artifact.notes, *notes),
    )


def blocks_in(regions: Sequence[Any]) -> Iterator[Any]:
    """Every block, those of loops and branches among them."""
    waiting = list(regions)
    while waiting:
        for block in waiting.pop()["blocks"]:
            yield block
            for operator in block["ops"]:
                waiting += operator.get("regions", ())


def results_of(operator: Mapping[str, Any]) -> list[Any]:
    """What an operator makes: a list, but for a parameter's one."""
    results = operator["O"]
    return results if isinstance(results, list) else [results]


def takes_gradient(kind: Mapping[str, Any]) -> bool:
    """Whether values of that type can take one: some element is no integer and no bool."""
    details = kind.get("D") or ({"#": ""},)
    if kind["#"] == _LIST:
        return any(map(takes_gradient, details))
    return details[0]["#"] in _LEARNING


def rewrite(document: Any, written: Callable[[Any], Iterable[Any]]) -> None:
    """Puts what ``written`` gives for it in the place of each operator of a parsed program."""
    for block in blocks_in(document["program"]["regions"]):
        block["ops"][:] = [one for operator in block["ops"] for one in written(operator)]


@dataclass
class Writer:
    """Collects the operators that stand in for one operator of the file.

    ``stop_gradient`` is what the replaced operator said of its first result; values on the way
    to it say the same, so that a loaded layer can still be trained. ``target`` is the Paddle that
    will load it, where what is written depends on that.
    """

    values: ProgramValues
    original: Mapping[str, Any]
    target: str = ""
    operators: list[dict[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of the replaced operator, without its dialect."""
        return str(self.original["#"]).partition(".")[2]

    @property
    def operands(self) -> list[int]:
        return [item["%"] for item in self.original["I"]]

    def result(self, index: int) -> Tensor:
        kind = self.original["O"][index]["TT"]
        if kind["#"] != _DENSE or kind["D"][0]["#"] not in DATA_TYPES:
            raise NotExpressibleError("a result is no dense tensor of a common type")
        return Tensor(kind["D"][0]["#"], tuple(kind["D"][1]))

    def attribute(self, name: str) -> Any:
        """Data of an attribute of the replaced operator."""
        for item in self.original["A"]:
            if item["N"] == name:
                return item["AT"]["D"]
        raise NotExpressibleError(f"the file has no attribute {name}")

    def emit(
        self,
        name: str,
        operands: Sequence[int],
        result: Tensor,
        attributes: Sequence[tuple[str, str, Any]] = (),
        *,
        into: int | None = None,
    ) -> int:
        """Adds an operator with one result, a new value or the original's ``into``-th one."""
        written = [attribute(*item) for item in attributes]
        return self._add(name, operands, result, written, into)

    def _add(
        self,
        name: str,
        operands: Sequence[int],
        result: Tensor,
        attributes: Sequence[Any],
        into: int | None = None,
    ) -> int:
        if into is None:
            value = self.values.new(result)
            output = {"%": value, "TT": result.as_json()}
        else:
            output = self.original["O"][into]
            value = output["%"]
        self.operators.append(
            {
                "#": f"1.{name}",
                "A": list(attributes),
                "I": [{"%": operand} for operand in operands],
                "O": [output],
                "OA": [flags("stop_gradient", self._stops(result))],
            }
        )
        return value

    def keep(self, name: str, **changes: Any) -> None:
        """Adds the original operator under another name, its results where ``changes`` says."""
        self.operators.append({**self.original, "#": f"1.{name}", **changes})

    def constant(self, value: float, like: Tensor, dims: tuple[int, ...] = (1,)) -> int:
        """A tensor of one element, on the CPU as Paddle puts such constants."""
        one = Tensor(like.element, dims)
        number = {"#": "0.a_f64", **({"VD": "NAN"} if math.isnan(value) else {"D": float(value)})}
        attributes = [
            attribute("shape", "1.a_intarray", [*dims]),
            {"AT": number, "N": "value"},
            attribute("dtype", "1.a_dtype", one.data_type),
            attribute("place", "1.a_place", _CPU),
        ]
        return self._add("full", [], one, attributes)

    def integers(self, values: Sequence[int]) -> int:
        """What reductions and shapes take as their mutable attribute."""
        attributes = [
            ("value", "0.a_array", [{"#": "0.a_i64", "D": value} for value in values]),
            ("dtype", "1.a_dtype", "int64"),
            ("place", "1.a_place", _CPU),
        ]
        return self.emit("full_int_array", [], Tensor(INT64, (len(values),)), attributes)

    def copy(self, value: int) -> int:
        return self.emit("assign", [value], self.values.dense(value))

    def taken_apart(self, value: int, tensors: Sequence[Tensor]) -> list[int]:
        """The values of a list, which are of these types."""
        parts = [self.values.new(one) for one in tensors]
        results = [{"%": part, "TT": one.as_json()} for part, one in zip(parts, tensors)]
        told = [flags("stop_gradient", *map(self._stops, tensors))]
        self.operators.append(
            {"#": "0.split", "A": [], "I": [{"%": value}], "O": results, "OA": told}
        )
        return parts

    def joined(self, values: Sequence[int], *, into: int | None = None) -> int:
        """A list of them, a new value or the original's ``into``-th one."""
        tensors = [self.values.tensor(one) for one in values]
        made = {"#": _LIST, "D": []}
        result = self.values.made_alike(made, tensors) if into is None else self.original["O"][into]
        operands = [{"%": one} for one in values]
        told = [flags("stop_gradient", False)]
        self.operators.append({"#": "0.combine", "A": [], "I": operands, "O": [result], "OA": told})
        return int(result["%"])

    def with_axes_in_front(self, value: int, axes: int) -> int:
        """The value with so many axes more, of size 1."""
        tensor = self.values.tensor(value)
        wide = Tensor(tensor.element, (*(1,) * axes, *tensor.dims))
        return self.emit("unsqueeze", [value, self.integers(range(axes))], wide)

    def cast(self, value: int, element: str, *, into: int | None = None) -> int:
        """The value itself where it is of that type, and no result of the original's."""
        tensor = self.values.tensor(value)
        if tensor.element == element and into is None:
            return value
        new = tensor.with_element(element)
        return self.emit("cast", [value], new, [("dtype", "1.a_dtype", new.data_type)], into=into)

    def sliced(
        self,
        value: int,
        axes: Sequence[int],
        bounds: tuple[int, int],
        result: Tensor,
        *,
        by_strides: bool = False,
        into: int | None = None,
    ) -> int:
        """The places between the same two bounds of each of these axes, which all stay."""
        told = bounds if not by_strides else (*bounds, 1)
        ends = [self.integers([bound] * len(axes)) for bound in told]
        if by_strides:
            places = ("axes", "0.a_array", [{"#": "0.a_i32", "D": axis} for axis in axes])
            return self.emit("strided_slice", [value, *ends], result, [places], into=into)
        attributes = [
            ("axes", "0.a_array", [{"#": "0.a_i64", "D": axis} for axis in axes]),
            ("infer_flags", "0.a_array", [{"#": "0.a_i64", "D": 1} for _ in axes]),
            ("decrease_axis", "0.a_array", []),
        ]
        return self.emit("slice", [value, *ends], result, attributes, into=into)

    def summed(self, value: int, axis: int, result: Tensor, *, into: int | None = None) -> int:
        """The sum over an axis, which it takes off."""
        attributes = [
            ("dtype", "1.a_dtype", "Undefined(ALL_DTYPE)"),
            ("keepdim", "0.a_bool", False),
        ]
        return self.emit("sum", [value, self.integers([axis])], result, attributes, into=into)

    def filled_like(self, value: int, number: float) -> int:
        tensor = self.values.tensor(value)
        attributes = [
            ("dtype", "1.a_dtype", tensor.data_type),
            ("place", "1.a_place", _UNDEFINED_PLACE),
        ]
        return self.emit("full_like", [value, self.constant(number, tensor)], tensor, attributes)

    def _stops(self, result: Tensor) -> bool:
        if result.element not in _LEARNING:
            return True
        for item in self.original.get("OA", ()):
            if item["N"] == "stop_gradient" and item["AT"]["D"]:
                return bool(item["AT"]["D"][0]["D"])
        return False


def attribute(name: str, kind: str, data: Any) -> dict[str, Any]:
    """As files write it."""
    return {"AT": {"#": kind, "D": data}, "N": name}


def flags(name: str, *values: bool) -> dict[str, Any]:
    """An attribute that says something of each result."""
    return attribute(name, "0.a_array", [{"#": "0.a_bool", "D": value} for value in values])
