"""CL137: which operators compute each row by itself, of rows that a run may not find."""

from __future__ import annotations

import pytest

from compatload.faults.cl137_found_no_rows import RULE
from compatload.faults.graph import bare_name
from compatload.faults.matching import conditions_for, found
from compatload.plan import Api
from tests.faults.graphs import program

Line = tuple[str, dict[str, object]]
CHOSEN: tuple[Line, ...] = (("at = nonzero mask", {}), ("rows = gather_nd x at", {}))
SHAPES = {"mask": (-1,), "x": (-1, 6), "at": (-1, 1), "rows": (-1, 6)}


def rewritten(
    release: str, *lines: Line, api: Api = Api.LAYER, **shapes: tuple[int, ...]
) -> set[str]:
    """The operators that are given a row more in that release."""
    made = program(*CHOSEN, *lines, **{**SHAPES, **shapes})
    conditions = conditions_for(RULE, release, api)
    patterns = [pattern for condition in conditions for pattern in condition.operators]
    return {bare_name(one) for one in found(patterns, made)}


IN_2_6, IN_3_0, NEWER = "2.6.2", "3.0.0", "3.3.1"


@pytest.mark.parametrize("release", [IN_2_6, IN_3_0])
@pytest.mark.parametrize(
    ("axis", "by_row"), [((1,), True), ((-1,), True), ((0,), False), ((), False)]
)
def test_reductions_along_other_axes(release: str, axis: tuple[int, ...], by_row: bool) -> None:
    line: Line = ("y = mean rows", {"axis": axis})
    assert rewritten(release, line, y=(-1,)) == ({"mean"} if by_row else set())


@pytest.mark.parametrize(("axis", "by_row"), [(1, True), (-1, True), (0, False), (-3, False)])
def test_a_new_axis_before_the_rows_is_none_of_theirs(axis: int, by_row: bool) -> None:
    lines: tuple[Line, ...] = (
        ("both = combine rows rows", {}),
        ("y = stack both", {"axis": axis}),
    )
    assert rewritten(IN_2_6, *lines, y=(-1, 2, 6)) == ({"stack"} if by_row else set())


def test_what_has_a_number_of_rows_is_not_stretched() -> None:
    line: Line = ("y = add rows other", {})
    assert rewritten(IN_2_6, line, other=(1, 6), y=(-1, 6)) == {"add"}
    assert rewritten(IN_2_6, line, other=(6,), y=(-1, 6)) == {"add"}
    assert rewritten(IN_2_6, line, other=(5, 6), y=(5, 6)) == set()


def test_rows_that_are_counted_elsewhere_may_be_one() -> None:
    others: tuple[Line, ...] = (
        ("there = nonzero other_mask", {}),
        ("others = gather_nd x there", {}),
    )
    shapes = {"other_mask": (-1,), "there": (-1, 1), "others": (-1, 6), "y": (-1, 4)}
    line: Line = ("y = maximum rows others", {})
    assert rewritten(IN_2_6, *others, line, **{**shapes, "others": (-1, 1)}) == set()
    alike: tuple[Line, ...] = (("others = gather_nd x at", {}), line)
    assert rewritten(IN_2_6, *alike, **{**shapes, "others": (-1, 1)}) == {"maximum"}


def test_products_of_batches() -> None:
    line: Line = ("y = matmul rows rows", {"transpose_y": True})
    shapes = {"x": (-1, 5, 6), "rows": (-1, 5, 6), "y": (-1, 5, 5)}
    assert rewritten(IN_3_0, line, **shapes) == {"matmul"}
    by_weight: Line = ("y = matmul rows w", {})
    assert rewritten(IN_3_0, by_weight, w=(6, 4), y=(-1, 4)) == set()
    assert rewritten(IN_2_6, by_weight, w=(6, 4), y=(-1, 4)) == {"matmul"}


def test_averages_of_all_rows_stay_in_layers() -> None:
    line: Line = ("y = batch_norm_ rows", {"is_test": True})
    for release in (IN_2_6, IN_3_0, NEWER):
        assert rewritten(release, line, y=(-1, 6)) == set()
    for release in (IN_3_0, NEWER):
        assert rewritten(release, line, api=Api.PREDICTOR, y=(-1, 6)) == {"batch_norm"}
    trained: Line = ("y = batch_norm_ rows", {"is_test": False})
    assert rewritten(NEWER, trained, api=Api.PREDICTOR, y=(-1, 6)) == set()


def test_a_sum_of_all_is_one_in_every_release() -> None:
    line: Line = ("y = sum rows", {})
    assert rewritten(NEWER, line, y=()) == {"sum"}
    assert rewritten(NEWER, line, y=(6,)) == set()


def test_what_a_release_computes_is_not_written_otherwise_for_another_one() -> None:
    lines: tuple[Line, ...] = (("best = topk rows", {"axis": 1}), ("y = mean rows", {"axis": (1,)}))
    shapes = {"best": (-1, 2), "y": (-1,)}
    assert rewritten(IN_3_0, *lines, **shapes) == {"topk", "mean"}
    assert rewritten(NEWER, *lines, **shapes) == {"topk"}
