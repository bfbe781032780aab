"""CL169: which results of branches may have no elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compatload.artifact.model import Operator
from compatload.faults.emptied import left_empty

Shapes = Mapping[str, tuple[int, ...]]
COUNTED = Operator("pd_op.nonzero", {"0": ("%1",)}, {"0": ("%2",)}, {})


def branches(condition: str, results: Sequence[str], block: int = 0) -> Operator:
    made = {str(place): (one,) for place, one in enumerate(results)}
    return Operator("pd_op.if", {"0": (condition,)}, made, {}, block, 9, (block + 1, block + 2))


def given_back(block: int, *values: str) -> Operator:
    return Operator("cf.yield", {str(n): (one,) for n, one in enumerate(values)}, {}, {}, block)


def made(name: str, source: str, result: str, block: int = 0) -> Operator:
    return Operator(f"pd_op.{name}", {"0": (source,)}, {"0": (result,)}, {}, block)


def found(operators: Sequence[Operator], shapes: Shapes | None = None) -> set[str]:
    return {*left_empty(operators, (shapes or {}).get)}


def test_what_is_declared_so_in_one_branch() -> None:
    ends = [given_back(1, "%3", "%5"), given_back(2, "%4", "%6")]
    operators = [made("full", "%0", "%3", 1), *ends, branches("%1", ["%7", "%8"])]
    assert found(operators, {"%3": (0, 4)}) == {"%7"}


def test_what_is_computed_of_what_is_found() -> None:
    doubled = made("scale", "%2", "%3", 1)
    ends = [given_back(1, "%3"), given_back(2, "%4")]
    assert found([COUNTED, doubled, *ends, branches("%1", ["%7"])]) == {"%7"}
    assert found([doubled, *ends, branches("%1", ["%7"])]) == set()


def test_one_number_of_nothing_is_a_number() -> None:
    total = made("sum", "%2", "%3", 1)
    operators = [COUNTED, total, given_back(1, "%3"), given_back(2, "%4"), branches("%1", ["%7"])]
    assert found(operators, {"%3": ()}) == set()
    assert found(operators, {"%3": (4,)}) == {"%7"}


def test_a_branch_within_a_branch() -> None:
    inner = Operator("pd_op.if", {"0": ("%1",)}, {"0": ("%5",)}, {}, 1, 3, (3, 4))
    ends = [given_back(3, "%2"), given_back(4, "%4"), given_back(1, "%5"), given_back(2, "%6")]
    assert found([COUNTED, *ends, inner, branches("%1", ["%7"])]) == {"%5", "%7"}


def test_a_loop_hands_on_what_it_is_given() -> None:
    loop = Operator("pd_op.while", {"0": ("%1",), "1": ("%2",)}, {"0": ("%5",)}, {}, 0, 3, (5,))
    ends = [given_back(5, "%8", "%2"), given_back(1, "%5"), given_back(2, "%6")]
    assert found([COUNTED, *ends, loop, branches("%1", ["%7"])]) == {"%7"}


def test_pieces_of_unknown_size_in_a_branch() -> None:
    shapes = {"%3": (-1, 4)}
    for block, emptied in ((1, {"%7"}), (0, set())):
        piece = made("slice", "%1", "%3", block)
        ends = [given_back(1, "%3"), given_back(2, "%4")]
        assert found([piece, *ends, branches("%1", ["%7"])], shapes) == emptied


def test_what_is_joined_with_something() -> None:
    ends = [given_back(1, "%4"), given_back(2, "%6")]
    for parts, emptied in ((("%2", "%2"), {"%7"}), (("%2", "%9"), set())):
        joined = Operator("builtin.combine", dict(zip("01", zip(parts))), {"0": ("%3",)}, {}, 1)
        operators = [COUNTED, joined, made("concat", "%3", "%4", 1), *ends]
        assert found([*operators, branches("%1", ["%7"])]) == emptied


def test_a_legacy_program_chooses() -> None:
    where = Operator("where_index", {"Condition": ("x",)}, {"Out": ("places",)}, {}, 1)
    owner = Operator("conditional_block", {"Input": ("places",)}, {"Out": ("n",)}, {}, 0, 1, (1,))
    chosen = Operator("select_input", {"X": ("other", "places")}, {"Out": ("y",)}, {})
    assert found([where, owner, chosen]) == {"y"}
    assert found([owner, chosen]) == set()
