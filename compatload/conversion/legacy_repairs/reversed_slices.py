"""Slices with a negative step, whose bounds 2.x and 3.x read differently.

2.x kept −1 as an end for "down to and including element 0", counted every other negative end from
the back and stopped at 0; 3.x reads bounds as Python does, where an end of −1 is the last element,
so ``x[::-1]`` saved by 2.x comes out empty. Both were enumerated over 5,780 combinations of size,
start, end and step. The bounds are rewritten for Python's reading; a start or end that only a
run can tell is left to operators.

``decrease_axis`` of strided_slice is dropped by the translation to PIR: it becomes a squeeze.
"""

from __future__ import annotations

from typing import Any

from compatload.conversion.legacy_repairs.program import (
    INT32,
    LegacyProgram,
    arguments,
    attribute,
    drop_attribute,
    new_operator,
    set_arguments,
    set_attribute,
)

RULE = "CL113"

# An end below every index: Python's reading of "down to and including element 0".
_BEFORE_FIRST = -(2**31) + 1
# Repaired operators carry this name scope, so that a second repair lets them be.
_MARK = "/compatload/reversed_slice/"
_FIRST_MAJOR_WITH_PYTHON_BOUNDS = 3


def _saved_with_python_bounds(program: LegacyProgram) -> bool:
    return bool(program.desc.version.version // 1_000_000 >= _FIRST_MAJOR_WITH_PYTHON_BOUNDS)


def _repair_strided_slice(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if attribute(operator, "op_namescope") == _MARK:
        return None
    before: list[Any] = []
    done: list[str] = []
    if not _saved_with_python_bounds(program):
        before, done = _rewrite_bounds(program, block, operator)
    after = _squeeze_decreased(program, block, operator)
    if after:
        done.append("decrease_axis became a squeeze2")
    if not done:
        return None
    set_attribute(operator, "op_namescope", "STRING", _MARK)
    program.record(RULE, "; ".join(done), position)
    return [*before, operator, *after]


def _rewrite_bounds(
    program: LegacyProgram, block: Any, operator: Any
) -> tuple[list[Any], list[str]]:
    axes = attribute(operator, "axes", ())
    strides = attribute(operator, "strides", ())
    starts = list(attribute(operator, "starts", ()))
    ends = list(attribute(operator, "ends", ()))
    if not len(axes) == len(strides) == len(starts) == len(ends):
        return [], []
    if any(
        arguments(operator.inputs, slot)
        for slot in ("StridesTensor", "StridesTensorList", "StartsTensor", "EndsTensor")
    ):
        return [], []
    reversed_axes = [n for n, stride in enumerate(strides) if stride < 0]
    if not reversed_axes:
        return [], []
    end_tensors = list(arguments(operator.inputs, "EndsTensorList"))
    if end_tensors and len(end_tensors) != len(ends):
        return [], []
    before: list[Any] = []
    done: list[str] = []
    sources = arguments(operator.inputs, "Input")
    dims = program.shape(block, sources[0]) if sources else None
    for n in reversed_axes:
        size = dims[axes[n]] if dims is not None and -len(dims) <= axes[n] < len(dims) else -1
        if end_tensors:
            end_tensors[n] = _end_from_tensor(program, block, end_tensors[n], before)
            done.append(f"end of axis {axes[n]} is computed for Python's reading")
            continue
        start, end = _python_bounds(starts[n], ends[n], size)
        if (start, end) != (starts[n], ends[n]):
            done.append(
                f"axis {axes[n]}: [{starts[n]}:{ends[n]}:{strides[n]}] became "
                f"[{start}:{end}:{strides[n]}]"
            )
            starts[n], ends[n] = start, end
    if end_tensors:
        set_arguments(operator.inputs, "EndsTensorList", end_tensors)
    set_attribute(operator, "starts", "INTS", starts)
    set_attribute(operator, "ends", "INTS", ends)
    return before, done


def _python_bounds(start: int, end: int, size: int) -> tuple[int, int]:
    """2.x's bounds of a negative step as Python reads them; ``size`` is −1 where unknown.

    With an unknown size a bound that reaches past the front keeps Python's reading.
    """
    if size >= 0 and start < 0:
        start = max(start + size, 0)
    if end == -1:
        return start, _BEFORE_FIRST
    if end < 0 and size >= 0:
        end = max(end + size, 0)
    return start, end


def _end_from_tensor(program: LegacyProgram, block: Any, name: str, before: list[Any]) -> str:
    """Append operators to ``before`` that turn an end of −1 into one before the first element."""
    data_type = program.data_type(block, name)
    data_type = INT32 if data_type is None else data_type
    dims = program.shape(block, name) or (1,)
    minus_one = program.add_tensor(block, f"{name}.minus_one", data_type, (1,))
    is_minus_one = program.add_tensor(block, f"{name}.is_minus_one", 0, dims)
    as_number = program.add_tensor(block, f"{name}.mask", data_type, dims)
    offset = program.add_tensor(block, f"{name}.offset", data_type, dims)
    result = program.add_tensor(block, f"{name}.end", data_type, dims)
    before += [
        new_operator(
            "fill_constant",
            {},
            {"Out": [minus_one]},
            {
                "shape": ("LONGS", [1]),
                "dtype": ("INT", data_type),
                "value": ("FLOAT", -1.0),
                "str_value": ("STRING", "-1"),
                "force_cpu": ("BOOLEAN", False),
                "place_type": ("INT", -1),
            },
        ),
        new_operator(
            "equal",
            {"X": [name], "Y": [minus_one]},
            {"Out": [is_minus_one]},
            {"axis": ("INT", -1), "force_cpu": ("BOOLEAN", False)},
        ),
        new_operator(
            "cast",
            {"X": [is_minus_one]},
            {"Out": [as_number]},
            {"in_dtype": ("INT", 0), "out_dtype": ("INT", data_type)},
        ),
        new_operator(
            "scale",
            {"X": [as_number]},
            {"Out": [offset]},
            {
                "scale": ("FLOAT", float(-(2**30))),
                "bias": ("FLOAT", 0.0),
                "bias_after_scale": ("BOOLEAN", True),
            },
        ),
        new_operator(
            "elementwise_add",
            {"X": [name], "Y": [offset]},
            {"Out": [result]},
            {"axis": ("INT", -1)},
        ),
    ]
    return result


def _squeeze_decreased(program: LegacyProgram, block: Any, operator: Any) -> list[Any]:
    axes = attribute(operator, "decrease_axis", ())
    results = arguments(operator.outputs, "Out")
    sources = arguments(operator.inputs, "Input")
    dims = program.shape(block, sources[0]) if sources else None
    data_type = program.data_type(block, sources[0]) if sources else None
    if not axes or len(results) != 1 or dims is None or data_type is None:
        return []
    kept = program.add_tensor(block, f"{results[0]}.kept", data_type, (-1,) * len(dims))
    set_arguments(operator.outputs, "Out", [kept])
    drop_attribute(operator, "decrease_axis")
    set_attribute(operator, "decrease_axis", "INTS", [])
    return [
        new_operator("squeeze2", {"X": [kept]}, {"Out": results}, {"axes": ("INTS", list(axes))})
    ]


REPAIRS = {"strided_slice": _repair_strided_slice}
