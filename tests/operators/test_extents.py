"""Lengths and shapes that an operator's kind fixes."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator, TensorSpec
from compatload.operators.extents import LENGTHS, PERMUTATIONS, wrong_extent
from compatload.operators.registry import legacy_operators, pir_operators

IMAGE = (-1, 3, 8, 8)


def told(name: str, attributes: dict[str, object], *shapes: tuple[int, ...]) -> list[str]:
    names = [f"%{number}" for number in range(1, len(shapes) + 1)]
    operator = Operator(
        name, {str(place): (value,) for place, value in enumerate(names)}, {}, attributes
    )
    variables = {n: TensorSpec(n, "float32", shape) for n, shape in zip(names, shapes)}
    wrong = wrong_extent(operator, variables)
    return [wrong] if wrong else []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ((0, 2, 3, 1), None),
        ((0, -1, 1, 2), None),
        ((0, 1, 2), "its permutation has 3 axes for a value of 4"),
        ((0, 1, 1, 2), "[0, 1, 1, 2] is no permutation"),
        ((0, 1, 2, 9), "[0, 1, 2, 9] is no permutation"),
        (None, "its permutation is no list of integers"),
    ],
)
def test_a_permutation_names_each_axis_once(order: object, expected: str | None) -> None:
    assert told("pd_op.transpose", {"perm": order}, IMAGE) == ([expected] if expected else [])


def test_a_permutation_of_no_axes_is_one_of_3_x() -> None:
    assert told("pd_op.transpose", {"perm": ()}, IMAGE) == []
    assert told("transpose2", {"axis": ()}, IMAGE) == [
        "its permutation has 0 axes for a value of 4"
    ]


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_window_has_a_size_for_each_axis(length: int) -> None:
    (flaw,) = told("pd_op.pool2d", {"strides": (1,) * length}, IMAGE)
    assert flaw == f"its 'strides' has {length} elements, not 2"


def test_a_shape_has_no_more_axes_than_a_tensor() -> None:
    for name in ("reshape2", "pd_op.full"):
        assert told(name, {"shape": (1,) * 9}) == []
        assert told(name, {"shape": (1,) * 10}) == ["its 'shape' has 10 axes"]


def test_nothing_is_split_into_a_negative_number_of_parts() -> None:
    assert told("split", {"num": 0}) == []
    assert told("split", {"num": -1}) == ["its 'num' is -1"]


def test_slices_have_a_bound_for_each_axis() -> None:
    assert told("slice", {"axes": (1, 2), "starts": (0, 0), "ends": (3, 3)}) == []
    assert told("slice", {"axes": (1, 2), "ends": (3, 3)}) == [
        "its 'starts' has 0 elements for 2 axes"
    ]
    assert told("slice", {"axes": (1, 2), "starts": (0,), "ends": (3, 3)}) == [
        "its 'starts' has 1 elements for 2 axes"
    ]


def test_the_tables_name_operators_and_attributes_that_there_are() -> None:
    legacy, pir = legacy_operators("2.6.2"), pir_operators("3.3.1")
    for name, lengths in LENGTHS.items():
        kinds = [
            table[key] for table, key in ((legacy, name), (pir, f"pd_op.{name}")) if key in table
        ]
        assert kinds, name
        attributes = {one.name for kind in kinds for one in kind.attributes}
        assert attributes & lengths.keys(), name
    for name, attribute in PERMUTATIONS.items():
        known = pir[name] if name.startswith("pd_op.") else legacy[name]
        assert known.attribute(attribute), name


@pytest.mark.parametrize(("name", "axes"), [("pd_op.bilinear_interp", 2), ("nearest_interp_v2", 3)])
def test_a_resize_has_a_scale_for_each_axis_at_most(name: str, axes: int) -> None:
    assert told(name, {"scale": (2.0,) * axes}, IMAGE) == []
    (flaw,) = told(name, {"scale": (2.0,) * (axes + 1)}, IMAGE)
    assert flaw == f"its 'scale' has {axes + 1} elements, not {axes}"


def test_no_window_is_wider_than_a_tensor() -> None:
    assert told("conv2d", {"paddings": (1 << 20, 0)}, IMAGE) == []
    assert told("conv2d", {"paddings": (2**31 - 1, 1)}, IMAGE) == [
        "its 'paddings' are [2147483647, 1]"
    ]


def test_a_pool_of_everything_needs_no_size() -> None:
    """1.x writes -1; without the flag nothing tells how large it is."""
    pool = {"ksize": (-1, -1), "global_pooling": True}
    assert told("pool2d", pool, IMAGE) == []
    assert told("pool2d", {**pool, "global_pooling": False}, IMAGE) == ["its 'ksize' are [-1, -1]"]
