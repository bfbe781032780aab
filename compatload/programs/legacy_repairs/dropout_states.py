"""CL151: a recurrent network in a loop has a state of its own, which the loop does not take."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl151_recurrent_in_loop import RECURRENT, STATE
from compatload.programs.legacy_repairs.program import (
    UINT8,
    LegacyProgram,
    arguments,
    set_arguments,
)

RULE = "CL151"
_WITH_BLOCKS = frozenset({"conditional_block", "while"})


def _with_own_state(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    states = arguments(operator.outputs, STATE)
    if not block.idx or program.dropout_states.isdisjoint(states):
        return None
    program.record(RULE, f"{operator.type} has a state of its own", position)
    own = program.add_tensor(block, states[0], UINT8, ())
    set_arguments(operator.outputs, STATE, (own,))
    return [operator]


def _without_states(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """What a loop or branch takes and gives, without states of networks."""
    changed = False
    for slots in (operator.inputs, operator.outputs):
        for slot in slots:
            kept = [name for name in slot.arguments if name not in program.dropout_states]
            if len(kept) < len(slot.arguments):
                set_arguments(slots, slot.parameter, kept)
                changed = True
    if not changed:
        return None
    program.record(RULE, f"{operator.type} takes no state of a network", position)
    return [operator]


REPAIRS = {
    **dict.fromkeys(_WITH_BLOCKS, _without_states),
    **dict.fromkeys(RECURRENT, _with_own_state),
}
