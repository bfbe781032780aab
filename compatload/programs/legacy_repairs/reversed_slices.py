"""Slices with a negative step, whose bounds 2.x and 3.x read differently.

2.x kept −1 as an end for "down to and including element 0", counted every other negative end from
the back and stopped at 0; 3.x reads bounds as Python does, where an end of −1 is the last element,
so ``x[::-1]`` saved by 2.x comes out empty. Both were enumerated over 5,780 combinations of size,
start, end and step. The bounds are rewritten for Python's reading; a start or end that only a
run can tell is left to operators.

``decrease_axis`` of strided_slice is dropped by the translation to PIR: it becomes a squeeze.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Callable

from compatload.errors import UnsupportedOperatorError
from compatload.programs.legacy_repairs.program import (
    BOOL,
    INT32,
    LegacyProgram,
    arguments,
    attribute,
    drop_attribute,
    new_operator,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import (
    assign_value,
    cast,
    elementwise,
    fill_constant,
    scale,
    slice_along,
    slice_first_axis,
    squeeze,
)

RULE = "CL113"

# An end below every index: Python's reading of "down to and including element 0".
_BEFORE_FIRST = -(2**31) + 1
_LAST = 2**31 - 1
# Of an axis, what is sliced, and what declares tensors like that; the last yields the new one.
_Make = Callable[[int, str, Callable[[str], str]], list[Any]]
# Added to −1 at run time, with room left to add a size.
_FAR = -(2**30)
# Repaired operators carry this name scope, so that a second repair lets them be.
_MARK = "/compatload/reversed_slice/"
_WITH_PYTHON_BOUNDS = "3.0"


def _repair_strided_slice(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if attribute(operator, "op_namescope") == _MARK:
        return None
    before: list[Any] = []
    done: list[str] = []
    if not program.is_saved_since(_WITH_PYTHON_BOUNDS):
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
    """Operators to put before the slice, and what was done, for bounds that are or may be read
    backwards."""
    axes = attribute(operator, "axes", ())
    strides = attribute(operator, "strides", ())
    starts, ends = (list(attribute(operator, name, ())) for name in ("starts", "ends"))
    computed_strides = _has(operator, "Strides")
    if not _has(operator, "Ends") and not computed_strides:
        if not len(axes) == len(strides) == len(starts) == len(ends):
            return [], []
        front = _with_other_front(program, block, operator, starts, _without_first, -1)
        left_out = ["the first element is left out"] if front else []
        constants = _rewrite_constants(program, block, operator, starts, ends)
        return front, left_out + constants
    if not computed_strides and all(stride > 0 for stride in strides):
        return [], []
    before: list[Any] = []
    if not _has(operator, "Ends"):
        set_arguments(operator.inputs, "EndsTensorList", _as_tensors(program, block, ends, before))
    whole = arguments(operator.inputs, "EndsTensor")
    each = arguments(operator.inputs, "EndsTensorList")
    if whole:
        steps = _backward_steps(program, block, operator, None, before)
        result = _end_before_first(program, block, whole[0], steps, before)
        set_arguments(operator.inputs, "EndsTensor", [result])
    elif len(each) == len(axes):
        results = [
            _end_before_first(
                program, block, name, _backward_steps(program, block, operator, n, before), before
            )
            for n, name in enumerate(each)
        ]
        set_arguments(operator.inputs, "EndsTensorList", results)
    else:
        return [], []
    return before, ["ends are computed for Python's reading"]


def _has(operator: Any, bound: str) -> bool:
    return any(
        arguments(operator.inputs, f"{bound}{suffix}") for suffix in ("Tensor", "TensorList")
    )


def _with_other_front(
    program: LegacyProgram, block: Any, operator: Any, starts: list[int], make: _Make, by: int
) -> list[Any]:
    """Operators that ``make`` what is sliced where 2.x and 3.x end at other places: it has ``by``
    elements more in front. What is counted from the back stays as it is."""
    axes, strides, ends = (attribute(operator, name, ()) for name in ("axes", "strides", "ends"))
    sizes = _sizes(program, block, operator, axes)
    before: list[Any] = []
    for n, axis in enumerate(axes):
        (source,) = arguments(operator.inputs, "Input")
        kind, dims = program.data_type(block, source), program.shape(block, source)
        ends_elsewhere = is_counted_from_the_back(ends[n], strides[n], sizes[n])
        if not ends_elsewhere or _has(operator, "Starts") or kind is None or dims is None:
            continue
        before += make(axis, source, partial(program.add_tensor, block, data_type=kind, dims=dims))
        set_arguments(operator.inputs, "Input", arguments(before[-1].outputs, "Out"))
        if starts[n] >= 0:
            moved = starts[n] + by
            starts[n] = min(moved, _LAST) if moved >= 0 else _BEFORE_FIRST
    if before:
        set_attribute(operator, "starts", "INTS", starts)
    return before


def is_counted_from_the_back(end: int, stride: int, size: int) -> bool:
    """Whether a slice goes backwards to such an end, of an unknown number of elements: 2.x stops
    before element 0 there, however far the end reaches, and 3.x does not."""
    return stride < 0 and size < 0 and _BEFORE_FIRST < end < -1


def _without_first(axis: int, source: str, tensor: Callable[[str], str]) -> list[Any]:
    """By steps of 1, and no ``slice``: oneDNN takes that, and fails where nothing is left."""
    bounds = {"axes": axis, "starts": 1, "ends": _LAST, "strides": 1, "infer_flags": 1}
    attributes = {name: ("INTS", [value]) for name, value in bounds.items()}
    attributes["decrease_axis"] = ("INTS", [])
    slots = {"Input": [source]}, {"Out": [tensor(f"{source}.rest")]}
    return [new_operator("strided_slice", *slots, attributes)]


def _with_first_twice(axis: int, source: str, tensor: Callable[[str], str]) -> list[Any]:
    first, twice = tensor(f"{source}.first"), tensor(f"{source}.twice")
    joined = {"X": [first, source]}, {"Out": [twice]}, {"axis": ("INT", axis)}
    return [slice_along(axis, source, first, 0, 1), new_operator("concat", *joined)]


def _rewrite_constants(
    program: LegacyProgram, block: Any, operator: Any, starts: list[int], ends: list[int]
) -> list[str]:
    axes = attribute(operator, "axes", ())
    strides = attribute(operator, "strides", ())
    sizes = _sizes(program, block, operator, axes)
    done: list[str] = []
    for n, stride in enumerate(strides):
        if stride >= 0:
            continue
        start, end = _python_bounds(starts[n], ends[n], sizes[n])
        if (start, end) != (starts[n], ends[n]):
            done.append(
                f"axis {axes[n]}: [{starts[n]}:{ends[n]}:{stride}] became [{start}:{end}:{stride}]"
            )
            starts[n], ends[n] = start, end
    if done and not _has(operator, "Starts"):
        set_attribute(operator, "starts", "INTS", starts)
    if done:
        set_attribute(operator, "ends", "INTS", ends)
    return done


def _python_bounds(start: int, end: int, size: int) -> tuple[int, int]:
    """2.x's bounds of a negative step as Python reads them; ``size`` is −1 where unknown.

    With an unknown size a start that reaches past the front keeps Python's reading.
    """
    if size >= 0 and start < 0:
        start = max(start + size, 0)
    if end == -1:
        return start, _BEFORE_FIRST
    if end < 0 and size >= 0:
        end = max(end + size, 0)
    return start, end


def _as_tensors(
    program: LegacyProgram, block: Any, values: list[int], before: list[Any]
) -> list[str]:
    names = []
    for value in values:
        name = program.add_tensor(block, "strided_slice.end", INT32, (1,))
        before.append(fill_constant(name, INT32, [1], value))
        names.append(name)
    return names


def _backward_steps(
    program: LegacyProgram, block: Any, operator: Any, number: int | None, before: list[Any]
) -> str:
    """A tensor of 1 where the step is negative and 0 elsewhere, for axis ``number`` or for all."""
    strides = attribute(operator, "strides", ())
    whole = arguments(operator.inputs, "StridesTensor")
    each = arguments(operator.inputs, "StridesTensorList")
    count = 1 if number is not None else len(strides)
    if not whole and number is not None and number < len(each):
        return _is_negative(program, block, each[number], 1, before)
    if whole and number is None:
        return _is_negative(program, block, whole[0], count, before)
    if whole and number is not None:
        name = program.add_tensor(block, f"{whole[0]}.step", INT32, (1,))
        before.append(slice_first_axis(whole[0], name, number, number + 1))
        return _is_negative(program, block, name, 1, before)
    if each:
        joined = program.add_tensor(block, "strided_slice.steps", INT32, (count,))
        before.append(new_operator("concat", {"X": each}, {"Out": [joined]}, {"axis": ("INT", 0)}))
        return _is_negative(program, block, joined, count, before)
    known = [int(stride < 0) for stride in (strides if number is None else [strides[number]])]
    name = program.add_tensor(block, "strided_slice.backwards", INT32, (count,))
    before.append(assign_value(name, INT32, [count], known))
    return name


def _is_negative(
    program: LegacyProgram, block: Any, name: str, count: int, before: list[Any]
) -> str:
    data_type = _integer_type(program, block, name)
    zero = program.add_tensor(block, f"{name}.zero", data_type, (1,))
    flag = program.add_tensor(block, f"{name}.is_negative", BOOL, (count,))
    result = program.add_tensor(block, f"{name}.backwards", INT32, (count,))
    before += [
        fill_constant(zero, data_type, [1], 0),
        elementwise("less_than", name, zero, flag),
        cast(flag, BOOL, result, INT32),
    ]
    return result


def _end_before_first(
    program: LegacyProgram, block: Any, name: str, backwards: str, before: list[Any]
) -> str:
    """``name``, with −1 turned into an end before the first element where ``backwards`` is 1."""
    data_type = _integer_type(program, block, name)
    dims = program.shape(block, backwards) or (1,)
    minus_one = program.add_tensor(block, f"{name}.minus_one", data_type, (1,))
    flag = program.add_tensor(block, f"{name}.is_minus_one", BOOL, dims)
    as_number, both, moved, result = (
        program.add_tensor(block, f"{name}.{part}", INT32, dims)
        for part in ("mask", "reversed", "offset", "end")
    )
    before += [
        fill_constant(minus_one, data_type, [1], -1),
        elementwise("equal", name, minus_one, flag),
        cast(flag, BOOL, as_number, INT32),
        elementwise("elementwise_mul", as_number, backwards, both),
        scale(both, moved, float(_FAR)),
    ]
    source = name
    if data_type != INT32:
        source = program.add_tensor(block, f"{name}.int32", INT32, dims)
        before.append(cast(name, data_type, source, INT32))
    before.append(elementwise("elementwise_add", source, moved, result))
    return result


def _integer_type(program: LegacyProgram, block: Any, name: str) -> int:
    found = program.data_type(block, name)
    return INT32 if found is None else found


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
    return [squeeze(kept, results[0], list(axes))]


def end_of_2_6(end: int, stride: int, size: int) -> int | None:
    """Going backwards, an end of −1 means "before the first element" to 2.6, where 3.x counts it
    from the end and takes any number below −size for that place. None where nobody can tell."""
    if stride > 0 or end >= 0:
        return end
    if size >= 0:
        return end + size if end + size >= 0 else -1
    if end <= _BEFORE_FIRST:
        return -1
    return None if end == -1 else end


def _repair_for_2_6(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    axes, strides, ends = (attribute(operator, name, ()) for name in ("axes", "strides", "ends"))
    known = len(axes) == len(strides) == len(ends)
    done = attribute(operator, "op_namescope") == _MARK or not program.is_saved_since(
        _WITH_PYTHON_BOUNDS
    )
    if done or not known or _has(operator, "Ends") or _has(operator, "Strides"):
        return None
    sizes = _sizes(program, block, operator, axes)
    rewritten = list(map(end_of_2_6, ends, strides, sizes))
    if None in rewritten:
        raise UnsupportedOperatorError(
            f"{position} goes backwards to the last element of an unknown number, which 2.6 "
            "has no way to say.",
            action="Load it in Paddle 3, or save it with a known size.",
            rule=RULE,
        )
    starts = list(attribute(operator, "starts", ()))
    before: list[Any] = []
    if len(starts) == len(ends):
        before = _with_other_front(program, block, operator, starts, _with_first_twice, 1)
    if rewritten == list(ends) and not before:
        return None
    set_attribute(operator, "ends", "INTS", rewritten)
    set_attribute(operator, "op_namescope", "STRING", _MARK)
    program.record(RULE, f"ends {list(ends)} became {rewritten}, as 2.6 reads them", position)
    return [*before, operator]


def _sizes(program: LegacyProgram, block: Any, operator: Any, axes: Sequence[int]) -> list[int]:
    """How many elements the input has along each axis; −1 where only a run can tell."""
    sources = arguments(operator.inputs, "Input")
    dims = (program.shape(block, sources[0]) if sources else None) or ()
    return [dims[axis] if -len(dims) <= axis < len(dims) else -1 for axis in axes]


def _repair_set_value(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """What is set backwards (``x[::-1] = …``) ends before the first element as well."""
    ends, steps = (list(attribute(operator, name, ())) for name in ("ends", "steps"))
    backwards = [n for n, (end, step) in enumerate(zip(ends, steps)) if step < 0 and end == -1]
    if not backwards or program.is_saved_since(_WITH_PYTHON_BOUNDS) or len(ends) != len(steps):
        return None
    for n in backwards:
        ends[n] = _BEFORE_FIRST
    set_attribute(operator, "ends", "LONGS", ends)
    program.record(RULE, "what is set backwards ends before the first element", position)
    return [operator]


REPAIRS = {"strided_slice": _repair_strided_slice, "set_value": _repair_set_value}
REPAIRS_FOR_2_6 = {"strided_slice": _repair_for_2_6}
