"""The values inside a PIR document: names, types and attributes, checked and made plain.

Each function takes a piece of the JSON and raises KeyError, TypeError or ValueError where it does
not have the layout that Paddle writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Optional

from compatload.artifact.model import MOST_AXES

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

# How the writer spells what JSON has no number for (key ``VD`` in place of ``D``). It writes "NaN"
# and reads only "NAN", which converted programs therefore say.
_SPELLED = {"NaN": math.nan, "NAN": math.nan, "INF": math.inf, "-INF": -math.inf}

# Blocks, types and attributes inside one another; real programs stay below ten.
MAX_DEPTH = 48
_SIZE_LIMIT = 2**63


# Names of data types in attributes: those of elements, and two more.
_DTYPES = frozenset((*ELEMENT_TYPES.values(), "Undefined(ALL_DTYPE)", "pstring"))

_LAYOUTS = frozenset(
    (
        *("NCHW", "NHWC", "NCDHW", "NDHWC", "ONEDNN", "STRIDED"),
        *("SPARSE_COO", "SPARSE_CSR", "PSTRING_UNION", "Undefined(AnyLayout)"),
    )
)


def attribute_values(raw: Mapping[str, Any]) -> dict[str, object]:
    """All attributes of one operator of the document, those of its results included."""
    attributes: dict[str, object] = {}
    for key in _ATTRIBUTE_KEYS:
        if key not in raw:
            continue
        held = array(raw[key])
        if len(held) > 1 and len({attribute["N"] for attribute in held}) < len(held):
            raise ValueError("an attribute stands there twice")
        for attribute in held:
            name, value = attribute["N"], attribute["AT"]
            if name.__class__ is not str or len(attribute) != 2:
                raise ValueError("an attribute has a name and a value")
            check = _ATTRIBUTES.get(value["#"])
            if check is not None and "D" in value:  # as in attribute_value, without a call
                attributes[name] = check(value["D"])
            else:
                attributes[name] = attribute_value(value)
    return attributes


_ATTRIBUTE_KEYS = ("A", "OA", "DA", "QA")


def attribute_value(raw: Mapping[str, Any], depth: int = 0) -> object:
    """A plain Python value for ``{"#": kind, "D": data}``.

    Arrays become tuples, data types and element types their names (``"float32"``), places
    ``(kind, device, name)``; kinds of other dialects than these two keep their JSON.
    """
    kind = raw["#"]
    check = _ATTRIBUTES.get(kind)
    if check is not None:
        return check(raw["D"]) if "D" in raw else _SPELLED[raw["VD"]]
    if depth > MAX_DEPTH:
        raise ValueError("attributes nested too deeply")
    if kind == "0.a_array":
        return tuple([attribute_value(item, depth + 1) for item in array(raw["D"])])
    if string(kind).startswith(("0.", "1.")):
        raise ValueError("no such kind of attribute")
    return _frozen(raw.get("D"), depth)


def attribute_kind(raw: Mapping[str, Any]) -> str:
    """How ``{"#": kind, "D": data}`` is written; an array tells its elements, if they are alike:
    ``0.a_array<0.a_i32>``, or ``0.a_array<>`` where it has none."""
    kind: str = raw["#"]
    if kind != "0.a_array":
        return kind
    elements = {item["#"] for item in raw["D"]}
    return f"{kind}<{elements.pop() if len(elements) == 1 else ', '.join(sorted(elements))}>"


def type_name(raw: Mapping[str, Any]) -> str:
    """``"float32"`` for an element type, the bare kind for any other type."""
    kind = string(raw["#"]).rpartition(".")[2]
    return ELEMENT_TYPES.get(kind, kind)


def _frozen(data: Any, depth: int = 0) -> object:
    if depth > MAX_DEPTH:
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


def integer(value: Any) -> int:
    if type(value) is not int or not -(2**63) <= value < 2**64:
        raise TypeError("an integer is wanted")
    return value


def _small_integer(value: Any) -> int:
    # Paddle would cut the rest off in silence.
    if type(value) is not int or not -(2**31) <= value < 2**31:
        raise TypeError("an integer of 32 bits is wanted")
    return value


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError("true or false is wanted")
    return value


def string(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("a string is wanted")
    return value


def array(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError("an array is wanted")
    return value


def _dtype(value: Any) -> str:
    if value not in _DTYPES:
        raise ValueError("no such data type")
    return string(value)


def _layout(value: Any) -> str:
    if value not in _LAYOUTS:
        raise ValueError("no such layout")
    return string(value)


def _place(value: Any) -> tuple[int, int, str]:
    kind, device, name = array(value)
    return _small_integer(kind), _small_integer(device), string(name)


def _integers(value: Any) -> tuple[int, ...]:
    return tuple(integer(item) for item in array(value))


def _complex(value: Any) -> complex:
    real, imaginary = array(value)
    return complex(_number(real), _number(imaginary))


def _scalar(value: Any) -> object:
    dtype, *parts = array(value)
    if _dtype(dtype).startswith("complex"):
        return _complex(parts)
    (part,) = parts
    return _finite(part)


_ATTRIBUTES: Mapping[str, Callable[[Any], object]] = {
    "0.a_bool": _boolean,
    "0.a_i32": _small_integer,
    "0.a_i64": integer,
    "0.a_index": integer,
    "0.a_f32": _number,
    "0.a_f64": _number,
    "0.a_str": string,
    "0.a_tensorname": string,
    "0.a_type": type_name,
    "0.a_c64": _complex,
    "0.a_c128": _complex,
    "1.a_dtype": _dtype,
    "1.a_layout": _layout,
    "1.a_place": _place,
    "1.a_intarray": _integers,
    "1.a_scalar": _scalar,
}

# Types with one element type and shape, at these places of their data.
_TENSOR_TYPES = frozenset(
    (
        "0.t_dtensor",
        "1.t_selected_rows",
        "1.t_dense_tensor_array",
        "1.t_sparse_coo_tensor",
        "1.t_sparse_csr_tensor",
    )
)


# Types without a shape, of control flow. An element by itself is the type of no value.
_OTHER_TYPES = frozenset(("0.t_stack", "0.t_inlet", "0.t_outlet"))

VECTOR = "0.t_vec"
# Types of one tensor that is no dense one, as operators call them.
NO_DENSE = {
    "1.t_selected_rows": "selected_rows",
    "1.t_dense_tensor_array": "tensor_array",
    "1.t_sparse_coo_tensor": "sparse_coo",
    "1.t_sparse_csr_tensor": "sparse_csr",
}

_ELEMENTS = {f"0.{kind}": name for kind, name in ELEMENT_TYPES.items()}

# dtype and shape; both are None for what is no single tensor.
TensorType = tuple[Optional[str], Optional[tuple[int, ...]]]


def tensor_type(raw: Mapping[str, Any], depth: int = 0) -> TensorType:
    """dtype and shape of a type: of a tensor with known elements, a vector, or another."""
    kind = raw["#"]
    if kind in _TENSOR_TYPES:
        element, shape, *rest = raw["D"]
        if rest != _PLAIN and kind == DENSE:
            _check_rest(*rest)
        if shape.__class__ is not list or len(shape) > MOST_AXES:
            raise ValueError("no such shape")
        unknown = False
        for size in shape:
            if size.__class__ is not int or not -_SIZE_LIMIT < size < _SIZE_LIMIT:
                raise ValueError("no such shape")
            unknown = unknown or size < -1
        if unknown:
            # Paddle multiplies sizes without asking whether they are known: −1 × 3 is written as −3
            # (reshape inside instance_norm, saved by 3.3.1).
            shape = [max(size, -1) for size in shape]
        return _ELEMENTS[element["#"]], tuple(shape)
    if kind == VECTOR:
        if depth > MAX_DEPTH:
            raise ValueError("types nested too deeply")
        for item in array(raw["D"]):
            tensor_type(item, depth + 1)
    elif kind not in _OTHER_TYPES and string(kind).startswith(("0.", "1.")):
        raise ValueError("no such type")
    return None, None


# Layout, level-of-detail data and offset of a dense tensor, as almost every tensor has them.
DENSE = "0.t_dtensor"
_PLAIN = ["NCHW", [], 0]


def _check_rest(layout: Any, levels: Any, offset: Any) -> None:
    _layout(layout)
    integer(offset)
    for level in array(levels):
        if len(level) < 2 or level[0] != 0 or _integers(level) != tuple(sorted(level)):
            raise ValueError("no such level-of-detail data")


@lru_cache(maxsize=4096)
def full_name(name: Any) -> str:
    """``"pd_op.conv2d"`` for ``"1.conv2d"``; numbers of no known dialect stay."""
    number, dot, bare = string(name).partition(".")
    return f"{DIALECTS.get(number, number)}.{bare}" if dot else number
