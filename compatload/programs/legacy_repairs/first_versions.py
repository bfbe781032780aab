"""First-version operators, which 3.x can no longer translate, as their second version.

Each rewrite keeps the first version's result, also where both versions differ (a factor in
interpolation that does not divide evenly, the trailing 1 of ids in a lookup, tiling).
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    drop_attribute,
    drop_slot,
    new_operator,
    rename_attribute,
    rename_slot,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import (
    cast,
    flatten,
    reshape,
    scale,
    slice_first_axis,
    squeeze,
)

RULE = "CL111"

_SPATIAL_RANK = {
    "linear_interp": 1,
    "bilinear_interp": 2,
    "nearest_interp": 2,
    "bicubic_interp": 2,
    "trilinear_interp": 3,
}


def _renamed(program: LegacyProgram, operator: Any, kind: str, position: str) -> None:
    program.record(RULE, f"{operator.type} became {kind}", position)
    operator.type = kind


def _rename(kind: str) -> Any:
    """A repair for operators whose slots and attributes did not change with the version."""

    def apply(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any]:
        _renamed(program, operator, kind, position)
        return [operator]

    return apply


def _interpolate(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """v1 derives the sampling ratio from the sizes, v2 from the factor: give v2 the sizes where
    the factor does not divide evenly."""
    rank = _SPATIAL_RANK[operator.type]
    sources = arguments(operator.inputs, "X")
    if len(sources) != 1:
        return None
    factor = float(attribute(operator, "scale", 0.0) or 0.0)
    sized = any(arguments(operator.inputs, slot) for slot in ("OutSize", "SizeTensor"))
    before: list[Any] = []
    set_attribute(operator, "scale", "FLOATS", [])
    if sized:
        drop_slot(operator.inputs, "Scale")
    elif arguments(operator.inputs, "Scale"):
        pass
    elif factor > 0 and factor.is_integer():
        set_attribute(operator, "scale", "FLOATS", [factor] * rank)
    elif factor > 0:
        size = _scaled_size(program, block, operator, sources[0], rank, factor, before)
        set_arguments(operator.inputs, "OutSize", [size])
    _renamed(program, operator, f"{operator.type}_v2", position)
    return [*before, operator]


def _scaled_size(
    program: LegacyProgram,
    block: Any,
    operator: Any,
    source: str,
    rank: int,
    factor: float,
    before: list[Any],
) -> str:
    """Append operators that compute ``int(size × factor)`` of the spatial dimensions."""
    first = 1 if attribute(operator, "data_layout", "NCHW") in ("NHWC", "NDHWC", "NWC") else 2
    names = {
        step: program.add_tensor(block, f"{source}.{step}", data_type, dims)
        for step, data_type, dims in (
            ("shape", INT32, (rank + 2,)),
            ("size", INT32, (rank,)),
            ("size_float", FLOAT32, (rank,)),
            ("size_scaled", FLOAT32, (rank,)),
            ("out_size", INT32, (rank,)),
        )
    }
    before += [
        new_operator("shape", {"Input": [source]}, {"Out": [names["shape"]]}, {}),
        slice_first_axis(names["shape"], names["size"], first, first + rank),
        cast(names["size"], INT32, names["size_float"], FLOAT32),
        scale(names["size_float"], names["size_scaled"], factor),
        cast(names["size_scaled"], FLOAT32, names["out_size"], INT32),
    ]
    return names["out_size"]


def _matmul(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    results = arguments(operator.outputs, "Out")
    factors = [arguments(operator.inputs, slot) for slot in ("X", "Y")]
    if len(results) != 1 or any(len(names) != 1 for names in factors):
        return None
    ranks = [len(program.shape(block, names[0]) or ()) for names in factors]
    if ranks[0] < 2 or ranks[1] < 2 or attribute(operator, "head_number", 1) != 1:
        # Vectors are read differently by v1; 3.x still translates matmul itself.
        return None
    rename_attribute(operator, "transpose_X", "trans_x")
    rename_attribute(operator, "transpose_Y", "trans_y")
    for name in ("trans_x", "trans_y"):
        set_attribute(operator, name, "BOOLEAN", bool(attribute(operator, name, False)))
    factor = float(attribute(operator, "alpha", 1.0))
    drop_attribute(operator, "alpha")
    _renamed(program, operator, "matmul_v2", position)
    if factor == 1.0:
        return [operator]
    data_type = program.data_type(block, results[0])
    product = program.add_tensor(
        block,
        f"{results[0]}.product",
        FLOAT32 if data_type is None else data_type,
        program.shape(block, results[0]) or (),
    )
    set_arguments(operator.outputs, "Out", [product])
    return [operator, scale(product, results[0], factor)]


def _without_trailing_one(
    program: LegacyProgram, block: Any, operator: Any, slot: str
) -> list[Any] | None:
    """Squeeze the last axis of the ids, which v1 wants to be 1; None if it is not."""
    ids = arguments(operator.inputs, slot)
    if len(ids) != 1:
        return None
    dims = program.shape(block, ids[0])
    if not dims or dims[-1] not in (1, -1):
        return None
    data_type = program.data_type(block, ids[0])
    flat = program.add_tensor(
        block, f"{ids[0]}.flat", INT64 if data_type is None else data_type, dims[:-1]
    )
    set_arguments(operator.inputs, slot, [flat])
    return [squeeze(ids[0], flat, [-1])]


def _lookup_table(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    before = _without_trailing_one(program, block, operator, "Ids")
    if before is None:
        return None
    _renamed(program, operator, "lookup_table_v2", position)
    return [*before, operator]


def _one_hot(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    before = _without_trailing_one(program, block, operator, "X")
    if before is None:
        return None
    _renamed(program, operator, "one_hot_v2", position)
    return [*before, operator]


def _expand(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any]:
    """v1's expand repeats, as tile does now."""
    rename_attribute(operator, "expand_times", "repeat_times")
    rename_slot(operator.inputs, "ExpandTimes", "RepeatTimes")
    rename_slot(operator.inputs, "expand_times_tensor", "repeat_times_tensor")
    _renamed(program, operator, "tile", position)
    return [operator]


def _expand_as(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """v1 tiles X until it has the target's shape; broadcasting does the same where every
    dimension is 1 or equal."""
    sources, targets = (arguments(operator.inputs, slot) for slot in ("X", "target_tensor"))
    if len(sources) != 1 or len(targets) != 1:
        return None
    dims, goal = program.shape(block, sources[0]), program.shape(block, targets[0])
    if dims is None or goal is None or len(dims) != len(goal):
        return None
    if all(size in (1, wanted) for size, wanted in zip(dims, goal)):
        rename_slot(operator.inputs, "target_tensor", "Y")
        set_attribute(operator, "target_shape", "INTS", list(goal))
        _renamed(program, operator, "expand_as_v2", position)
        return [operator]
    if any(size <= 0 or wanted % size for size, wanted in zip(dims, goal)) or -1 in goal:
        return None
    drop_slot(operator.inputs, "target_tensor")
    times = [wanted // size for size, wanted in zip(dims, goal)]
    set_attribute(operator, "repeat_times", "INTS", times)
    _renamed(program, operator, "tile", position)
    return [operator]


def _top_k(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any]:
    set_attribute(operator, "axis", "INT", -1)
    set_attribute(operator, "largest", "BOOLEAN", True)
    set_attribute(operator, "sorted", "BOOLEAN", True)
    _renamed(program, operator, "top_k_v2", position)
    return [operator]


def _flatten(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """To a matrix: everything before ``axis`` by everything from it on."""
    axis = int(attribute(operator, "axis", 1))
    sources = arguments(operator.inputs, "X")
    results = arguments(operator.outputs, "Out")
    if len(sources) != 1 or len(results) != 1 or axis < 0:
        return None
    before: list[Any] = []
    source = sources[0]
    if axis > 1:
        data_type = program.data_type(block, source)
        rows = program.add_tensor(
            block, f"{source}.rows", FLOAT32 if data_type is None else data_type, (-1, -1)
        )
        before.append(flatten(source, rows, 0, axis - 1))
        source = rows
    shape = [1, -1] if axis == 0 else [0, -1]
    program.record(RULE, f"{operator.type} became reshape2", position)
    return [*before, reshape(source, results[0], shape)]


def _crop(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """v1 may take the size from another tensor, Y."""
    shape = tuple(attribute(operator, "shape", ()))
    models = arguments(operator.inputs, "Y")
    if models:
        shape = program.shape(block, models[0]) or ()
        if not shape or min(shape) < 0:
            return None
        drop_slot(operator.inputs, "Y")
    set_attribute(operator, "shape", "INTS", list(shape))
    if not attribute(operator, "offsets", ()):
        set_attribute(operator, "offsets", "INTS", [0] * len(shape))
    _renamed(program, operator, "crop_tensor", position)
    return [operator]


REPAIRS = {
    **dict.fromkeys(_SPATIAL_RANK, _interpolate),
    "crop": _crop,
    "expand": _expand,
    "expand_as": _expand_as,
    "flatten": _flatten,
    "flatten2": _flatten,
    "lookup_table": _lookup_table,
    "matmul": _matmul,
    "one_hot": _one_hot,
    "reshape": _rename("reshape2"),
    "squeeze": _rename("squeeze2"),
    "top_k": _top_k,
    "transpose": _rename("transpose2"),
    "unsqueeze": _rename("unsqueeze2"),
}
