"""CL162 and CL163: lists that branches append to, and choices between other element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from artifact.programs import ATTR_TYPES, operator, program, variable

from compatload.artifact.model import Artifact, ArtifactFiles, Format
from compatload.artifact.program_desc import decode
from compatload.artifact.program_proto import VARIABLE_NUMBERS
from compatload.programs.legacy_repairs.program import arguments, attribute, parsed
from compatload.programs.legacy_repairs.whole_programs import sound

FLOAT32, INT64 = 5, 3


def repaired(desc: Any, *, translated: bool = True) -> tuple[Any, frozenset[str]]:
    data = bytes(desc.SerializeToString())
    files = ArtifactFiles("m.pdmodel")
    artifact = Artifact("m", Format.LEGACY, files, decode(data).program, (), "==2.6.2")
    result, rules = sound(data, artifact, translated=translated)
    return parsed(result), rules


def types(operators: Sequence[Any]) -> list[str]:
    return [one.type for one in operators]


def listed() -> tuple[Any, Any]:
    """A branch appends to ``rows``, which is chosen between itself and itself, and copied."""
    desc, main = program()
    for name in ("rows", "chosen"):
        variable(main, name, kind=VARIABLE_NUMBERS["dense_tensor_array"])
    variable(main, "flag", (1,), dtype=0)
    variable(main, "mask", (1,), dtype=2)
    variable(main, "place", (1,), dtype=INT64)
    operator(main, "fill_constant", {}, {"Out": ["flag"]})
    operator(main, "fill_constant", {}, {"Out": ["place"]})
    told = {"Cond": ["flag"], "Input": ["x", "rows", "place"]}
    operator(main, "conditional_block", told, {"Out": ["rows"]}, sub_block=("BLOCK", 1))
    operator(main, "cast", {"X": ["flag"]}, {"Out": ["mask"]})
    choice = {"Mask": ["mask"], "X": ["rows", "rows"]}
    operator(main, "select_input", choice, {"Out": ["chosen"]})
    operator(main, "assign", {"X": ["chosen"]}, {"Out": ["rows"]})
    inner = desc.blocks.add(idx=1, parent_idx=0)
    operator(inner, "write_to_array", {"X": ["x"], "I": ["place"]}, {"Out": ["rows"]})
    return desc, main


def test_a_list_that_a_branch_appends_to_is_neither_chosen_nor_copied() -> None:
    desc, main = listed()
    made, rules = repaired(desc)
    assert rules == {"CL162"}
    before = [one for one in types(main.ops) if one not in {"select_input", "assign"}]
    assert types(made.blocks[0].ops) == before


def test_two_lists_are_a_choice_that_stays() -> None:
    desc, main = listed()
    variable(main, "others", kind=VARIABLE_NUMBERS["dense_tensor_array"])
    main.ops[-2].inputs[1].arguments[:] = ["rows", "others"]
    assert repaired(desc) == (desc, frozenset())


def chosen(*, of_a_branch: bool) -> tuple[Any, Any]:
    """A whole number or a float; the whole number is of the program itself, or of a branch."""
    desc, main = program()
    variable(main, "one", (1,), dtype=INT64)
    variable(main, "sum", (1,))
    variable(main, "chosen", (1,), dtype=INT64)
    variable(main, "mask", (1,), dtype=2)
    variable(main, "flag", (1,), dtype=0)
    operator(main, "fill_constant", {}, {"Out": ["flag"]})
    operator(main, "cast", {"X": ["flag"]}, {"Out": ["mask"]})
    operator(main, "reduce_sum", {"X": ["x"]}, {"Out": ["sum"]})
    if of_a_branch:
        owner = {"Cond": ["flag"], "Input": []}
        operator(main, "conditional_block", owner, {"Out": ["one"]}, sub_block=("BLOCK", 1))
        operator(desc.blocks.add(idx=1, parent_idx=0), "fill_constant", {}, {"Out": ["one"]})
    else:
        operator(main, "fill_constant", {}, {"Out": ["one"]})
    operator(main, "select_input", {"Mask": ["mask"], "X": ["sum", "one"]}, {"Out": ["chosen"]})
    return desc, main


def test_the_narrower_choice_is_cast_to_the_wider_type() -> None:
    made, rules = repaired(chosen(of_a_branch=False)[0])
    assert rules == {"CL163"}
    *_, casting, choice = made.blocks[0].ops
    assert (casting.type, choice.type) == ("cast", "select_input")
    assert arguments(choice.inputs, "X") == ("sum", *arguments(casting.outputs, "Out"))
    assert attribute(casting, "out_dtype") == FLOAT32
    declared = {one.name: one.type.dense_tensor.tensor.data_type for one in made.blocks[0].vars}
    assert declared["chosen"] == FLOAT32
    assert declared[arguments(casting.outputs, "Out")[0]] == FLOAT32


def test_what_a_branch_makes_is_cast_in_the_branch() -> None:
    made, _ = repaired(chosen(of_a_branch=True)[0])
    *_, branch, choice = made.blocks[0].ops
    *_, casting = made.blocks[1].ops
    assert (branch.type, casting.type) == ("conditional_block", "cast")
    assert arguments(branch.outputs, "Out") == ("one", *arguments(casting.outputs, "Out"))
    assert arguments(choice.inputs, "X")[1:] == arguments(casting.outputs, "Out")


@pytest.mark.parametrize(("translated", "rules"), [(True, {"CL163"}), (False, set())])
def test_what_a_branch_leaves_undefined_is_no_type_of_2_6(
    translated: bool, rules: set[str]
) -> None:
    desc, main = chosen(of_a_branch=False)
    made = next(one for one in main.ops if "sum" in one.outputs[0].arguments)
    made.type = "assign_value"
    made.inputs.clear()
    made.attrs.add(name="fp32_values", type=ATTR_TYPES["FLOATS"]).floats.append(1.77113e27)
    assert repaired(desc, translated=translated)[1] == rules


def test_choices_of_one_type_are_left_alone() -> None:
    desc, main = chosen(of_a_branch=False)
    next(one for one in main.vars if one.name == "one").type.dense_tensor.tensor.data_type = FLOAT32
    assert repaired(desc) == (desc, frozenset())
