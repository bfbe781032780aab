"""CL153: which lists are emptied as a run begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.artifact.program_proto import VARIABLE_NUMBERS, message
from compatload.programs.legacy_repairs.lists_kept import emptied
from compatload.programs.legacy_repairs.program import arguments, new_operator

FEED = new_operator("feed", {"X": ["feed"]}, {"Out": ["x"]}, {})
WRITE = new_operator("write_to_array", {"X": ["x"], "I": ["i"]}, {"Out": ["list"]}, {})
LOOP = new_operator("while", {"X": ["x", "list"]}, {"Out": ["list"]}, {})


def program(*operators: Any, kind: str = "dense_tensor_array") -> bytes:
    desc = message("ProgramDesc")
    block = desc.blocks.add(idx=0, parent_idx=-1)
    for name, one in {"x": "dense_tensor", "i": "dense_tensor", "list": kind}.items():
        variable = block.vars.add(name=name, persistable=False)
        variable.type.type = VARIABLE_NUMBERS[one]
    block.ops.extend(operators)
    return bytes(desc.SerializeToString())


def operators(data: bytes) -> Sequence[Any]:
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    return list(desc.blocks[0].ops)


def test_a_list_that_a_loop_fills_is_emptied_behind_the_feeds() -> None:
    for filling in (WRITE, LOOP):
        first, second, third = operators(emptied(program(FEED, filling)))
        assert [first.type, second.type, third.type] == ["feed", "assign", filling.type]
        assert arguments(second.outputs, "Out") == ("list",)
        assert arguments(second.inputs, "X") == ("list/empty",)


def test_what_is_made_anew_or_no_list_is_left_alone() -> None:
    made = new_operator("lod_tensor_to_array", {"X": ["x"]}, {"Out": ["list"]}, {})
    for data in (program(FEED, made, WRITE), program(FEED), program(LOOP, kind="dense_tensor")):
        assert emptied(data) is data


def test_a_second_time_nothing_is_done() -> None:
    once = emptied(program(FEED, WRITE))
    assert emptied(once) is once
