"""Variables whose declared element type is not the one that their operator yields.

2.x recorded some wrongly and looked at the tensor itself when it ran; the translation to PIR
believes the declaration and picks a kernel of the wrong type for whatever reads the variable
(``Expected dtype() == phi::CppTypeToDataType<T>::Type()``). Found by comparing declared and actual
types of every intermediate of 460 models under 2.6.2.
"""

from __future__ import annotations

from typing import Any

from compatload.faults.declared import PRESERVING, WITH_A_POINT
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
    "crf_decoding": {"ViterbiPath": INT64},
    "edit_distance": {"SequenceNum": INT64},
    "kthvalue": {"Indices": INT64},
    "mode": {"Indices": INT64},
    "reduce_all": {"Out": BOOL},
    "reduce_any": {"Out": BOOL},
    "top_k": {"Indices": INT64},
    "top_k_v2": {"Indices": INT64},
    "viterbi_decode": {"Scores": "Input"},
}

_WHOLE = (INT32, INT64)
# matrix_rank yields 32-bit integers before it, and 64-bit ones since, whatever is declared.
_WITH_LONG_RANKS = "3.1"


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


def declare_points(program: LegacyProgram) -> None:
    """Correct what is declared whole and has a point, where other operators shall be put in."""
    for block in program.desc.blocks:
        for operator in block.ops:
            if operator.type in WITH_A_POINT:
                _declare_point(program, block, operator, "")
    declare_onwards(program)


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
    source, result = PRESERVING.get(operator.type, ("", ""))
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
    if len(results) != 1 or program.data_type(block, results[0]) != INT32:
        return None
    counted = INT64 if program.is_loaded_since(_WITH_LONG_RANKS) else INT32
    wanted = INT64 if program.is_saved_since(_WITH_LONG_RANKS) else INT32
    if counted == wanted == INT32:
        return None
    if wanted == INT64:
        program.set_data_type(block, results[0], INT64)
    if counted == wanted:
        program.record(RULE, "its result is declared in 64-bit integers", position)
        return [operator]
    rank = program.add_tensor(
        block, f"{results[0]}.rank", counted, program.shape(block, results[0]) or ()
    )
    set_arguments(operator.outputs, "Out", [rank])
    program.record(RULE, "its result is cast to the integers of the release at home", position)
    return [operator, cast(rank, counted, results[0], wanted)]


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
    **dict.fromkeys(WITH_A_POINT, _declare_point),
}
