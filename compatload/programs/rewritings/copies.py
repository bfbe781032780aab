"""Operators that read others in the place of their operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    copied,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import assign, cast
from compatload.programs.pir_graph import Writer


def filled(operator: Any, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> Any:
    """The operator with those names in its slots."""
    for slots, names in ((operator.inputs, inputs), (operator.outputs, outputs)):
        for slot, name in names.items():
            set_arguments(slots, slot, [name])
    return operator


def by_copy(
    program: LegacyProgram,
    block: Any,
    operator: Any,
    slot: str,
    made: str,
    stem: str,
    *,
    cast_first: bool = False,
) -> list[Any] | None:
    """A copy of what ``slot`` holds, called ``stem`` after the result in ``made`` and of its type
    with ``cast_first``, and the operator on it; None where the program does not say what they are
    of."""
    (source,), (result,) = arguments(operator.inputs, slot), arguments(operator.outputs, made)
    kind, dims = program.data_type(block, source), program.shape(block, source)
    wanted = program.data_type(block, result) if cast_first else kind
    if kind is None or wanted is None or dims is None:
        return None
    own = program.add_tensor(block, f"{result}.{stem}", wanted, dims)
    copy = cast(source, kind, own, wanted) if cast_first else assign(source, own)
    return [copy, filled(copied(operator), {slot: own}, {})]


def by_copy_in_pir(writer: Writer, place: int) -> None:
    """The same of the operand at ``place``."""
    operands = writer.operands
    operands[place] = writer.copy(operands[place])
    writer.keep(writer.name, I=[{"%": one} for one in operands])
