"""CL159: which values are set in a branch behind a number, and what they were before."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.cl159_set_in_branch import set_in_branches


def _operator(
    name: str, inputs: dict[str, str], out: str, block: int = 0, sub: int = 0
) -> Operator:
    return Operator(
        name,
        {slot: (value,) for slot, value in inputs.items()},
        {"Out": (out,)},
        {},
        block=block,
        sub_blocks=(sub,) if sub else (),
    )


def _program(*inside: Operator, read: str = "set") -> tuple[Operator, ...]:
    return (
        _operator("fill_constant", {}, "set"),
        _operator("conditional_block", {"Cond": "c", "Input": "y"}, "set", sub=1),
        _operator("conditional_block", {"Cond": "n", "Input": read}, "other", sub=2),
        *inside,
        _operator("assign", {"X": read}, "other", block=2),
    )


def test_the_other_branch_reads_what_was_there_before() -> None:
    (found,) = set_in_branches(_program(_operator("set_value", {"Input": "y"}, "set", block=1)))
    assert (found.value, found.before) == ("set", "y")
    assert [one.outputs["Out"] for one in found.others] == [("other",)]


def test_items_set_twice_were_one_value_before() -> None:
    first = _operator("set_value", {"Input": "y"}, "first", block=1)
    second = _operator("set_value", {"Input": "first"}, "set", block=1)
    (found,) = set_in_branches(_program(first, second))
    assert found.before == "y"


def test_what_is_computed_in_the_branch_was_not_there_before() -> None:
    computed = _operator("relu", {"X": "y"}, "first", block=1)
    setting = _operator("set_value", {"Input": "first"}, "set", block=1)
    assert set_in_branches(_program(computed, setting)) == ()


def test_a_value_that_is_set_in_its_own_memory_is_left_alone() -> None:
    assert set_in_branches(_program(_operator("set_value", {"Input": "set"}, "set", block=1))) == ()
    around = _operator("set_value", {"Input": "b"}, "set", block=1)
    back = _operator("set_value", {"Input": "set"}, "b", block=1)
    assert set_in_branches(_program(around, back)) == ()


def test_other_readers_than_branches_leave_it_as_it_is() -> None:
    setting = _operator("set_value", {"Input": "y"}, "set", block=1)
    reader = _operator("relu", {"X": "set"}, "z")
    assert set_in_branches((*_program(setting), reader)) == ()
