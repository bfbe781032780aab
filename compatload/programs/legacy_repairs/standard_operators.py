"""Operators that repairs are composed of, with every attribute that a release may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    LegacyProgram,
    new_operator,
)


def cast(source: str, source_type: int, result: str, result_type: int) -> Any:
    return new_operator(
        "cast",
        {"X": [source]},
        {"Out": [result]},
        {"in_dtype": ("INT", source_type), "out_dtype": ("INT", result_type)},
    )


def assign(source: str, result: str) -> Any:
    return new_operator("assign", {"X": [source]}, {"Out": [result]}, {})


def scale(source: str, result: str, factor: float, bias: float = 0.0) -> Any:
    return new_operator(
        "scale",
        {"X": [source]},
        {"Out": [result]},
        {
            "scale": ("FLOAT", factor),
            "bias": ("FLOAT", bias),
            "bias_after_scale": ("BOOLEAN", True),
        },
    )


def fill_constant(result: str, data_type: int, shape: Sequence[int], value: float) -> Any:
    return new_operator(
        "fill_constant",
        {},
        {"Out": [result]},
        {
            "shape": ("LONGS", shape),
            "dtype": ("INT", data_type),
            "value": ("FLOAT", value),
            "str_value": ("STRING", f"{value:g}" if data_type > 3 else str(int(value))),
            "force_cpu": ("BOOLEAN", False),
            "place_type": ("INT", -1),
        },
    )


_HOLDERS = {
    BOOL: ("bool_values", "INTS", 2, "i"),
    INT32: ("int32_values", "INTS", 2, "i"),
    INT64: ("int64_values", "LONGS", 2, "i"),
    FLOAT32: ("fp32_values", "FLOATS", 3, "r"),
    FLOAT64: ("fp64_values", "FLOAT64S", 3, "r"),
}


def assign_value(
    result: str, data_type: int, shape: Sequence[int], numbers: Sequence[float]
) -> Any:
    """The numbers stand in two attributes: 2.6 reads the one, 3.x the other (and fills it from the
    first where 2.x has saved the program)."""
    holder, kind, scalar, field = _HOLDERS[data_type]
    return new_operator(
        "assign_value",
        {},
        {"Out": [result]},
        {
            "shape": ("INTS", shape),
            "dtype": ("INT", data_type),
            holder: (kind, numbers),
            "values": ("SCALARS", [(scalar, field, one) for one in numbers]),
        },
    )


def holder_of_2_6(data_type: int) -> tuple[str, str] | None:
    """Name and kind of the attribute in which 2.6 looks for an assigned value."""
    return _HOLDERS[data_type][:2] if data_type in _HOLDERS else None


def elementwise(kind: str, left: str, right: str, result: str, axis: int = -1) -> Any:
    """``elementwise_add`` and its kin, and comparisons."""
    return new_operator(
        kind, {"X": [left], "Y": [right]}, {"Out": [result]}, {"axis": ("INT", axis)}
    )


def where(condition: str, first: str, second: str, result: str) -> Any:
    inputs = {"Condition": [condition], "X": [first], "Y": [second]}
    return new_operator("where", inputs, {"Out": [result]}, {})


def reshape(source: str, result: str, shape: Sequence[int]) -> Any:
    return new_operator("reshape2", {"X": [source]}, {"Out": [result]}, {"shape": ("INTS", shape)})


def squeeze(source: str, result: str, axes: Sequence[int]) -> Any:
    return new_operator("squeeze2", {"X": [source]}, {"Out": [result]}, {"axes": ("INTS", axes)})


def unsqueeze(source: str, result: str, axes: Sequence[int]) -> Any:
    return new_operator("unsqueeze2", {"X": [source]}, {"Out": [result]}, {"axes": ("INTS", axes)})


def with_axes_in_front(program: LegacyProgram, block: Any, name: str, axes: int) -> Any | None:
    """The ``unsqueeze2`` that gives a tensor so many axes more; None where the program does not say
    what it is."""
    kind, dims = program.data_type(block, name), program.shape(block, name)
    if kind is None or dims is None:
        return None
    wide = program.add_tensor(block, f"{name}.of_more_axes", kind, (*(1,) * axes, *dims))
    return unsqueeze(name, wide, list(range(axes)))


def flatten(source: str, result: str, start: int, stop: int) -> Any:
    return new_operator(
        "flatten_contiguous_range",
        {"X": [source]},
        {"Out": [result]},
        {"start_axis": ("INT", start), "stop_axis": ("INT", stop)},
    )


def slice_first_axis(source: str, result: str, start: int, end: int) -> Any:
    return slice_along(0, source, result, start, end)


def slice_along(axis: int, source: str, result: str, start: int, end: int) -> Any:
    return new_operator(
        "slice",
        {"Input": [source]},
        {"Out": [result]},
        {
            "axes": ("INTS", [axis]),
            "starts": ("INTS", [start]),
            "ends": ("INTS", [end]),
            "infer_flags": ("INTS", [1]),
            "decrease_axis": ("INTS", []),
        },
    )


def slice_to(source: str, result: str, end: str) -> Any:
    """As much of the first axis as the one number ``end`` says."""
    return new_operator(
        "slice",
        {"Input": [source], "EndsTensorList": [end]},
        {"Out": [result]},
        {
            "axes": ("INTS", [0]),
            "starts": ("INTS", [0]),
            "ends": ("INTS", [-1]),
            "infer_flags": ("INTS", [-1]),
            "decrease_axis": ("INTS", []),
        },
    )


def reduce_all(kind: str, source: str, result: str, axes: Sequence[int] = ()) -> Any:
    """``reduce_any`` and its kin over every axis, or over these alone."""
    return new_operator(
        kind,
        {"X": [source]},
        {"Out": [result]},
        {
            "dim": ("INTS", list(axes)),
            "keep_dim": ("BOOLEAN", False),
            "reduce_all": ("BOOLEAN", not axes),
        },
    )
