"""Operators of programs that 3.x saved, of a dtype that 2.6 has no kernel for (CL176)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.program_proto import DATA_TYPES
from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, copied, rename
from compatload.programs.legacy_repairs.standard_operators import assign, cast

RULE = "CL176"
_WRITTEN_SINCE = 3_000_000
# Read out of the registries of 2.6.2 and 3.x: what has kernels of further types since.
_YOUNGER = frozenset(
    {
        *("allclose", "argsort", "bilinear_interp", "ceil", "cumsum", "dropout", "elementwise_add"),
        *("elementwise_max", "elementwise_min", "elementwise_mod", "elementwise_mul"),
        *("elementwise_sub", "fill_any_like", "flatten2", "floor", "gather", "grad_add"),
        *("index_select", "isinf_v2", "masked_select", "nearest_interp", "pad", "pool2d", "pool3d"),
        *("put_along_axis", "reshape", "roll", "round", "size", "take_along_axis", "tile"),
        *("top_k_v2", "tril_triu", "unpool", "unpool3d", "where", "where_index"),
    }
)


def _computed_wider(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if program.desc.version.version < _WRITTEN_SINCE:
        return None  # its own types may be wrong, and 2.6 runs what 2.6 saved
    from compatload.programs.pir_to_legacy.kernels import BY_RESULT, DECIDING, computed_in

    results = [name for slot in operator.outputs for name in slot.arguments]
    given = [name for slot in DECIDING for name in arguments(operator.inputs, slot)]
    deciding = (results if operator.type in BY_RESULT else given)[:1]
    if not deciding or not results:
        return None
    dtype = _dtype(program, block, deciding[0])
    try:
        wanted = computed_in(operator.type, dtype, _dtype(program, block, results[0]))
    except LookupError:
        return None  # CL147
    if not wanted or dtype.startswith("complex"):
        return None
    program.record(RULE, f"{operator.type} of {dtype} is computed in {wanted}", position)
    if wanted == dtype:
        return [assign(deciding[0], results[0])]
    return _cast_around(program, block, operator, dtype, wanted)


def _dtype(program: LegacyProgram, block: Any, name: str) -> str:
    number = program.data_type(block, name)
    return DATA_TYPES[number][0] if number in DATA_TYPES else ""


def _cast_around(
    program: LegacyProgram, block: Any, operator: Any, dtype: str, wanted: str
) -> list[Any]:
    from compatload.programs.pir_to_legacy.kernels import BY_RESULT, FLAGS, unread_slots
    from compatload.programs.pir_to_legacy.protos import DATA_TYPE_NUMBERS

    old, new = DATA_TYPE_NUMBERS[dtype], DATA_TYPE_NUMBERS[wanted]
    computed = copied(operator)
    casts: tuple[list[Any], list[Any]] = ([], [])
    several = sum(bool(slot.arguments) for slot in operator.inputs) > 1
    kept = ({*FLAGS} if several else frozenset(), unread_slots(operator.type))
    for slots, around, left, to_result in zip(
        (computed.inputs, computed.outputs), casts, kept, (False, True), strict=True
    ):
        for slot in slots:
            for name in () if slot.parameter in left else {*slot.arguments}:
                if program.data_type(block, name) != old:
                    continue
                place = program.add_tensor(
                    block, f"{name}.{wanted}", new, program.shape(block, name) or ()
                )
                rename([slot], {name: place})
                around.append(
                    cast(place, new, name, old) if to_result else cast(name, old, place, new)
                )
    if operator.type in BY_RESULT:
        for one in computed.attrs:
            if one.name == "dtype":
                one.i = new
    return [*casts[0], computed, *casts[1]]


REPAIRS = dict.fromkeys(_YOUNGER, _computed_wider)
