"""Where an unknown size comes from, and which sums of a product may be larger than it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.model import Operator, Parameter
from compatload.checking.prediction import Outcome, predict
from compatload.faults import (
    cl256_product_added_to_wider,
    cl257_transposed_outer_product,
    cl286_outer_product_of_a_run,
)
from compatload.faults.matching import found, matching_rules
from compatload.faults.sizes import origin
from compatload.plan import Api
from compatload.runtime.detection import runtime_for
from tests.faults.graphs import graph, program

X = (-1, -1, 4)


def test_sizes_are_followed_through_what_keeps_them() -> None:
    followed = program(
        ("x = data", {}),
        ("e = embedding x t", {}),
        ("n = layer_norm e", {}),
        ("p = matmul n w", {}),
        ("h = reshape p", {"shape": (0, 0, 2, 2)}),
        ("v = transpose h", {"perm": (0, 2, 1, 3)}),
        ("s = add b v", {}),
        x=(-1, -1),
        e=X,
        n=X,
        p=X,
        h=(-1, -1, 2, 2),
        v=(-1, 2, -1, 2),
        b=(1, 1, 2),
        s=(-1, 2, -1, 2),
    )
    assert origin(followed, "s", 0) == ("x", 0)
    assert origin(followed, "s", 2) == ("x", 1)
    assert origin(followed, "v", 2) == ("x", 1)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("y = slice x", {}),
        ("y = matmul x w", {"transpose_x": True}),
        ("y = reshape x", {"shape": (-1, 3, 4)}),
    ],
)
def test_sizes_of_what_changes_them_are_its_own(line: str, told: dict[str, object]) -> None:
    changed = program(("x = data", {}), (line, told), x=X, y=X, w=(4, 4))
    assert origin(changed, "y", 1) == ("y", 1)


def test_a_result_named_as_its_operand_ends_the_search() -> None:
    assert origin(program(("x = relu x", {}), x=X), "x", 1) == ("x", 1)


@pytest.mark.parametrize(
    ("line", "told", "axes", "comes_from"),
    [
        ("y = slice x", {"axes": (2,), "decrease_axis": ()}, 3, 1),
        ("y = slice x", {"axes": (0,), "decrease_axis": (0,)}, 2, 2),
        ("y = split x", {"axis": -1}, 3, 1),
        ("y = split x", {"axis": 1}, 3, None),
        ("y = unbind x", {"axis": 2}, 2, 1),
        ("y = reshape x", {"shape": (0, -1, 2, 2)}, 4, None),
    ],
)
def test_a_cut_leaves_the_other_axes(
    line: str, told: dict[str, object], axes: int, comes_from: int | None
) -> None:
    cut = program(("x = data", {}), (line, told), x=X, y=(-1,) * axes)
    assert origin(cut, "y", 1) == (("y", 1) if comes_from is None else ("x", comes_from))


def test_a_size_that_is_left_over_is_the_only_unknown_one() -> None:
    one = program(
        ("x = data", {}), ("y = reshape x", {"shape": (-1, 2, 2)}), x=(-1, 4), y=(-1, 2, 2)
    )
    assert origin(one, "y", 0) == ("x", 0)
    two = program(("x = data", {}), ("y = reshape x", {"shape": (-1, 2, 2)}), x=X, y=(-1, 2, 2))
    assert origin(two, "y", 0) == ("y", 0)


def test_a_size_that_is_told_as_another_ones_is_that() -> None:
    measured = Operator("shape", {"Input": ("x",)}, {"Out": ("s",)}, {}, index=1)
    read = {"axes": (0,), "starts": (1,), "ends": (2,)}
    cut = Operator("slice", {"Input": ("s",)}, {"Out": ("n",)}, read, index=2)
    slots = {"X": ("w",), "ShapeTensor": ("n", "m")}
    told = Operator("reshape2", slots, {"Out": ("y",)}, {"shape": (-1, -1)}, index=3)
    shapes = {"x": X, "s": (3,), "n": (), "w": (-1,), "y": (-1, -1)}
    found = graph([measured, cut, told], shapes)
    assert origin(found, "y", 0) == ("x", 1)
    assert origin(found, "y", 1) == ("y", 1)


def test_sizes_of_1_are_doubted_where_paddle_miscounts_and_stay_sizes() -> None:
    """The product of `[N, 1, L, 9]` and `[4, 9, 9]` is declared with a batch of 1."""
    product = program(
        ("p = matmul x w", {}), ("y = relu p", {}), x=(-1, 1, -1, 9), w=(4, 9, 9), p=(-1, 1, -1, 9),
        y=(-1, 1, -1, 9),
    )  # fmt: skip
    assert product.shape("y") == (-1, 1, -1, 9)
    assert product.sure_shape("y") == (-1, -1, -1, 9)
    assert product.sure_shape("x") == (-1, 1, -1, 9)


@pytest.mark.parametrize(
    ("before", "other", "shape", "wide"),
    [
        ("q = relu x", "x", X, False),  # a residual
        ("q = slice x", "x", X, True),
        ("q = relu x", "y", X, True),  # another input, which may be longer
        ("q = relu x", "y", (1, 1, 4), False),
        ("q = relu x", "y", (2, -1, -1, 4), True),
    ],
)
def test_only_sums_that_may_be_larger_lose_the_pass(
    before: str, other: str, shape: tuple[int, ...], wide: bool
) -> None:
    summed = program(
        ("x = data", {}),
        ("w = parameter", {}),
        ("y = data", {}),
        (before, {}),
        ("p = matmul q w", {}),
        (f"s = add p {other}", {}),
        *(("f = fetch s", {}),),
        x=X,
        w=(4, 4),
        y=shape,
        q=X,
        p=X,
    )
    in_pir = cl256_product_added_to_wider.RULE.when[1]
    assert bool(found(in_pir.operators, summed)) is wide


@pytest.mark.parametrize(
    ("before", "shape", "told", "outer"),
    [
        ("q = relu x", (-1, 6, 1), {"transpose_y": True}, True),
        ("q = relu x", (-1, 6, 1), {}, False),
        ("q = relu x", (-1, 1, 6), {}, False),
        ("q = transpose x", (-1, 1, 6), {}, True),
        ("q = relu x", (-1, 6, 4), {"transpose_y": True}, False),
        ("q = relu x", (-1, 6, -1), {"transpose_y": True}, False),
        ("q = slice x", (-1, 6, -1), {"transpose_y": True}, True),
    ],
)
def test_outer_products_are_seen_by_the_axis_they_go_along(
    before: str, shape: tuple[int, ...], told: dict[str, object], outer: bool
) -> None:
    multiplied = program(
        *(("x = data", {}), (before, {}), ("p = matmul x q", told), ("f = fetch p", {})),
        x=X,
        q=shape,
    )
    in_pir = (
        cl257_transposed_outer_product.RULE.when[1],
        cl286_outer_product_of_a_run.RULE.when[1],
    )
    assert any(found(one.operators, multiplied) for one in in_pir) is outer


@pytest.mark.parametrize(
    ("cpu", "outcome", "by_larger"),
    [
        ("hygon-dhyana", Outcome.OK, False),
        ("x86-64-v4", Outcome.WRONG, False),
        (None, Outcome.WRONG, True),
    ],
)
def test_an_outer_product_is_wrong_where_the_cpu_has_avx_512(
    cpu: str | None, outcome: Outcome, by_larger: bool
) -> None:
    outer = program(
        ("x = data", {}),
        ("y = matmul x x", {"transpose_y": True}),
        x=(2, 6, 1),
        y=(2, 6, 6),
    ).artifact
    outer = replace(outer, pir_version=1, parameters=(Parameter("w", "float32", (1,), 0),))
    runtime = runtime_for("3.3.1", cpu=cpu)
    larger = None if cpu else runtime_for("3.3.1", cpu="x86-64-v4")
    told = predict(outer, runtime, Api.PREDICTOR, larger=larger)
    assert (told.outcome, told.by_larger_cpu) == (outcome, by_larger)
    rules = (cl257_transposed_outer_product.RULE,)
    followed = matching_rules(rules, outer, runtime, Api.PREDICTOR, "cpu")
    assert bool(followed) == (cpu == "x86-64-v4")
