"""Where an unknown size comes from, and which sums of a product may be larger than it."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator
from compatload.faults import cl256_product_added_to_wider
from compatload.faults.graph import Graph
from compatload.faults.matching import found
from compatload.faults.sizes import origin
from tests.faults.graphs import graph

X = (-1, -1, 4)


def made(number: int, line: str, **attributes: object) -> Operator:
    result, _, rest = line.partition(" = ")
    name, *read = rest.split()
    inputs = {str(slot): (value,) for slot, value in enumerate(read)}
    return Operator(f"pd_op.{name}", inputs, {"0": (result,)}, attributes, index=number)


def program(*lines: tuple[str, dict[str, object]], **shapes: tuple[int, ...]) -> Graph:
    return graph([made(n, line, **told) for n, (line, told) in enumerate(lines)], shapes)


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
