"""Variables whose declared element type is not the one that their operator yields.

2.x recorded some wrongly and looked at the tensor itself when it ran; the translation to PIR
believes the declaration and picks a kernel of the wrong type for whatever reads the variable
(``Expected dtype() == phi::CppTypeToDataType<T>::Type()``). Found by comparing declared and actual
types of every intermediate of 460 models under 2.6.2.
"""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import cast

RULE = "CL114"

# operator → output slot → element type, or the input slot whose type it has.
_YIELDED: dict[str, dict[str, int | str]] = {
    "bincount": {"Out": INT64},
    "kthvalue": {"Indices": INT64},
    "mode": {"Indices": INT64},
    "reduce_all": {"Out": BOOL},
    "reduce_any": {"Out": BOOL},
    "top_k": {"Indices": INT64},
    "top_k_v2": {"Indices": INT64},
    "viterbi_decode": {"Scores": "Input"},
}

# What makes numbers with a point of whole ones, and is declared to make whole ones.
_WITH_A_POINT = ("exp", "expm1", "log", "log10", "log1p", "log2")

_ARITHMETIC = tuple(
    f"elementwise_{name}" for name in ("add", "div", "max", "min", "mul", "pow", "sub")
)
# Operators that hand their input's element type on: type → (input slot, output slot).
_PRESERVING = {
    **dict.fromkeys(
        (
            *("abs", "assign", "clip", "cos", "cumprod", "cumsum", "diag_v2", "dropout", "erf"),
            *("exp", "expand_v2", "flatten_contiguous_range", "flip", "floor", "gather"),
            *("gather_nd", "gelu", "index_select", "leaky_relu", "log_softmax", "p_norm", "pad"),
            *("pad3d", "pow", "reciprocal", "reduce_max", "reduce_mean", "reduce_min"),
            *("reduce_prod", "reduce_sum", "relu", "repeat_interleave", "reshape2", "roll"),
            *("round", "rsqrt", "scale", "sigmoid", "sign", "silu", "sin", "softmax", "softplus"),
            *("split", "sqrt", "square", "squeeze2", "swish", "tanh", "tile", "transpose2"),
            *("tril_triu", "unbind", "unsqueeze2", *_ARITHMETIC),
        ),
        ("X", "Out"),
    ),
    "concat": ("X", "Out"),
    "diagonal": ("Input", "Out"),
    "select_input": ("X", "Out"),
    "stack": ("X", "Y"),
    "unstack": ("X", "Y"),
    "where": ("X", "Out"),
    "slice": ("Input", "Out"),
    "strided_slice": ("Input", "Out"),
}

_WHOLE = (INT32, INT64)
# matrix_rank yields 32-bit integers up to 3.0, 64-bit ones from 3.1 on.
_FIRST_WITH_LONG_RANK = Version("3.1.0.dev0")


def _declare(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    done: list[str] = []
    if arguments(operator.inputs, "Weights"):  # of bincount, which then adds these
        return None
    for slot, source in _YIELDED[operator.type].items():
        wanted = source if isinstance(source, int) else _type_of(program, block, operator, source)
        for name in arguments(operator.outputs, slot):
            found = program.data_type(block, name)
            if wanted is None or found is None or found == wanted:
                continue
            program.set_data_type(block, name, wanted)
            done.append(f"{name} was declared with element type {found}, yields {wanted}")
    if not done:
        return None
    program.record(RULE, "; ".join(done), position)
    return [operator]


def _type_of(program: LegacyProgram, block: Any, operator: Any, slot: str) -> int | None:
    names = arguments(operator.inputs, slot)
    return program.data_type(block, names[0]) if len(names) == 1 else None


def declare_onwards(program: LegacyProgram) -> None:
    """Correct what operators make of a corrected variable without changing its element type, out
    of branches and loops as well."""
    operators = [(block, one) for block in program.desc.blocks for one in block.ops]
    known = -1
    while known != len(program.retyped):
        known = len(program.retyped)
        for block, operator in operators:
            _declare_result(program, block, operator)


def _declare_result(program: LegacyProgram, block: Any, operator: Any) -> None:
    source, result = _PRESERVING.get(operator.type, ("", ""))
    corrected = [
        program.retyped[place]
        for name in arguments(operator.inputs, source)
        if (place := program.place(block, name)) in program.retyped
    ]
    for target in arguments(operator.outputs, result) if corrected else ():
        found, wanted = corrected[0]
        if program.data_type(block, target) == found:
            program.set_data_type(block, target, wanted)


def _keep_rank_type(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    results = arguments(operator.outputs, "Out")
    if program.target < _FIRST_WITH_LONG_RANK or len(results) != 1:
        return None
    if program.data_type(block, results[0]) != INT32:
        return None
    rank = program.add_tensor(
        block, f"{results[0]}.rank", INT64, program.shape(block, results[0]) or ()
    )
    set_arguments(operator.outputs, "Out", [rank])
    program.record(RULE, "its result is cast back to 32-bit integers", position)
    return [operator, cast(rank, INT64, results[0], INT32)]


def _declare_point(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    results = arguments(operator.outputs, "Out")
    source = _type_of(program, block, operator, "X")
    if source is None or len(results) != 1 or program.data_type(block, results[0]) not in _WHOLE:
        return None
    program.set_data_type(block, results[0], FLOAT32 if source in _WHOLE else source)
    program.record(RULE, f"{results[0]} was declared with whole numbers, yields float32", position)
    return [operator]


REPAIRS = {
    **dict.fromkeys(_YIELDED, _declare),
    "matrix_rank": _keep_rank_type,
    **dict.fromkeys(_WITH_A_POINT, _declare_point),
}
