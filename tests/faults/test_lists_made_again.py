"""CL152: which lists of a loop are made outside of it, too."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Operator
from compatload.faults.cl152_list_made_again import COMBINE, made_again

LOOP = Operator("pd_op.while", {}, {}, {}, index=9, sub_blocks=(1,))
INNER_LOOP = Operator("pd_op.while", {}, {}, {}, block=1, index=9, sub_blocks=(2,))
BRANCH = Operator("pd_op.if", {}, {}, {}, block=1, index=8, sub_blocks=(2,))


def combined(result: str, *values: str, block: int = 0) -> Operator:
    return Operator(
        COMBINE, {str(n): (value,) for n, value in enumerate(values)}, {"0": (result,)}, {}, block
    )


def zeros(result: str, block: int = 0) -> Operator:
    return Operator("pd_op.full", {}, {"0": (result,)}, {"value": 0.0}, block)


def found(operators: Sequence[Operator]) -> list[tuple[str, int]]:
    return [(one.outputs["0"][0], depth) for one, depth in made_again(operators)]


def test_the_same_values_before_the_loop_and_in_it() -> None:
    before, inside = combined("%3", "%1", "%2"), combined("%4", "%1", "%2", block=1)
    assert found([before, inside, LOOP]) == [("%4", 1)]


def test_values_that_are_computed_alike() -> None:
    made = [zeros("%1"), zeros("%2", 1), combined("%3", "%1"), combined("%4", "%2", block=1), LOOP]
    assert found(made) == [("%4", 1)]


def test_other_values_or_another_order_are_another_list() -> None:
    before = combined("%3", "%1", "%2")
    others = [combined("%4", "%2", "%1", block=1), combined("%5", "%1", "%6", block=1)]
    assert found([before, *others, LOOP]) == []


def test_twice_in_one_round_is_no_matter() -> None:
    twice = [combined("%3", "%1", block=1), combined("%4", "%1", block=1)]
    assert found([*twice, LOOP]) == []
    assert found([*twice, combined("%5", "%1", block=2), LOOP, BRANCH]) == []


def test_a_branch_of_a_loop_is_in_it() -> None:
    made = [combined("%3", "%1"), combined("%4", "%1", block=2), LOOP, BRANCH]
    assert found(made) == [("%4", 1)]


def test_a_place_of_this_round_is_listed_again_in_a_branch_of_the_loop() -> None:
    def row(result: str, start: str, block: int) -> Operator:
        return Operator("slice", {"StartsTensorList": (start,)}, {"Out": (result,)}, {}, block)

    loop = Operator("while", {}, {}, {}, index=9, sub_blocks=(1,))
    branch = Operator("conditional_block", {}, {}, {}, block=1, index=8, sub_blocks=(2,))
    counted = Operator("increment", {"X": ("i",)}, {"Out": ("i",)}, {}, 1)
    rows = [row("r", "i", 1), row("s", "i", 2)]
    again = made_again([counted, *rows, loop, branch])
    assert [(one.outputs["Out"], depth) for one, depth in again] == [(("s",), 2)]
    assert made_again([row("r", "k", 1), row("s", "k", 2), loop, branch]) == ()


def test_a_loop_in_a_loop_is_told_apart_from_both_around_it() -> None:
    made = [combined("%3", "%1"), combined("%4", "%1", block=1), combined("%5", "%1", block=2)]
    assert found([*made, LOOP, INNER_LOOP]) == [("%4", 1), ("%5", 2)]


def test_without_a_loop_nothing_is() -> None:
    assert found([combined("%3", "%1"), combined("%4", "%1")]) == []


def test_lists_of_legacy_programs_are_slots_that_are_known() -> None:
    def joined(name: str, result: str, block: int) -> Operator:
        return Operator(name, {"X": ("a", "b")}, {"Out": (result,)}, {}, block)

    loop = Operator("while", {}, {}, {}, sub_blocks=(1,))
    again = made_again([joined("concat", "c", 0), joined("stack", "d", 1), loop])
    assert [(one.name, depth) for one, depth in again] == [("stack", 1)]
    assert made_again([joined("concat", "c", 0), joined("elementwise_add", "d", 1), loop]) == ()


def test_what_is_taken_apart_alike_is_a_list_too() -> None:
    def apart(result: str, sections: int, block: int) -> Operator:
        return Operator(
            "pd_op.split_with_num", {"0": ("%1",)}, {"0": (result,)}, {"num": sections}, block
        )

    assert found([apart("%2", 2, 0), apart("%3", 2, 1), LOOP]) == [("%3", 1)]
    assert found([apart("%2", 2, 0), apart("%3", 3, 1), LOOP]) == []
