"""What operands of an operator must be to each other."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator, Program, TensorSpec
from compatload.operators.operands import ALIKE, CONVOLUTIONS, RANKS, Operands, wrong_operand
from compatload.operators.registry import legacy_operators, pir_operators

IMAGE, FILTER = (-1, 3, 8, 8), (4, 3, 3, 3)
SCALE = {"begin_norm_axis": 1}


def told(
    name: str, attributes: dict[str, object], *shapes: tuple[int, ...], dtypes: str = ""
) -> list[str]:
    names = [f"%{number}" for number in range(1, len(shapes) + 1)]
    types = dtypes.split() or ["float32"] * len(shapes)
    operator = Operator(
        name, {str(place): (value,) for place, value in enumerate(names)}, {}, attributes
    )
    variables = {n: TensorSpec(n, *about) for n, *about in zip(names, types, shapes)}
    wrong = wrong_operand(operator, Operands(Program((operator,), (), (), variables)))
    return [wrong] if wrong else []


def test_operands_of_a_gradient_have_one_shape() -> None:
    assert told("pd_op.acos_grad", {}, (-1, 4), (2, 4)) == []
    assert told("pd_op.acos_grad", {}, (-1, 4), (4, 8)) == ["its operands are [-1, 4] and [4, 8]"]
    assert told("relu_grad", {}, (4,), (4, 1)) == ["its operands are [4] and [4, 1]"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [("float32", None), ("float64", "it makes float64 of float32"), ("complex64", None)],
)
def test_a_legacy_result_has_the_type_of_its_operand(made: str, expected: str | None) -> None:
    operator = Operator("relu", {"X": ("x",)}, {"Out": ("y",)}, {})
    variables = {"x": TensorSpec("x", "float32", (4,)), "y": TensorSpec("y", made, (4,))}
    found = wrong_operand(operator, Operands(Program((operator,), (), (), variables)))
    assert found == expected


@pytest.mark.parametrize(
    ("attributes", "shapes", "expected"),
    [
        ({}, (IMAGE, FILTER), None),
        ({"groups": 3}, (IMAGE, (3, 1, 3, 3)), None),
        ({"data_format": "NHWC"}, ((-1, 8, 8, 3), FILTER), None),
        ({}, ((-1, -1, 8, 8), FILTER), None),
        ({}, ((4,), FILTER), "its input has 1 axes, not 4"),
        ({}, (IMAGE, (4, 3)), "its filter has 2 axes, not 4"),
        ({}, ((-1, 5, 8, 8), FILTER), "its input has 5 channels, its filter takes 3"),
        ({"groups": -1}, (IMAGE, FILTER), "its groups are -1"),
    ],
)
def test_a_convolution_takes_what_its_filter_does(
    attributes: dict[str, object], shapes: tuple[tuple[int, ...], ...], expected: str | None
) -> None:
    found = told("pd_op.conv2d", {"groups": 1, **attributes}, *shapes)
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("name", "attributes", "shapes", "expected"),
    [
        ("batch_norm_", {}, (IMAGE, (3,), (3,), (3,), (3,)), None),
        ("batch_norm_", {}, (IMAGE, (3,), (3,), (4,), (3,)), "its Scale has 4 elements, not 3"),
        ("batch_norm_", {}, (IMAGE, (3, 1), (3,), (3,), (3,)), "its Mean has 2 axes, not 1"),
        ("layer_norm", SCALE, ((-1, 6), (6,), (6,)), None),
        ("layer_norm", SCALE, ((-1, 6), (6,), (7,)), "its Bias has 7 elements, not 6"),
        ("layer_norm", {"begin_norm_axis": 3}, ((-1, 6),), "it normalises from axis 3 on, of 2"),
        ("group_norm", {"groups": 0}, (IMAGE, (3,), (3,)), "its groups are 0"),
        ("embedding", {}, ((-1, 2), (9,)), "its W has 1 axes, not 2"),
        ("matmul", {}, ((-1, 4), (4, 5)), None),
        ("matmul", {"transpose_y": True}, ((-1, 4), (5, 4)), None),
        ("matmul", {}, ((-1, 4), (5, 4)), "it multiplies [4] columns by [5] rows"),
        ("matmul", {}, ((4,), (4,)), None),
    ],
)
def test_what_goes_with_what(
    name: str,
    attributes: dict[str, object],
    shapes: tuple[tuple[int, ...], ...],
    expected: str | None,
) -> None:
    assert told(f"pd_op.{name}", attributes, *shapes) == ([] if expected is None else [expected])


def test_both_operands_have_elements_of_one_type() -> None:
    assert told("pd_op.add", {}, (2,), (2,), dtypes="float32 int64") == [
        "its operands are float32 and int64"
    ]
    assert told("pd_op.add", {}, (2,), (2,), dtypes="float32 complex64") == []


def test_the_tables_name_operators_that_there_are() -> None:
    legacy, pir = legacy_operators("2.6.2"), pir_operators("3.3.1")
    assert {name for name in (*RANKS, *CONVOLUTIONS) if name not in legacy} == {"lp_pool2d"}
    assert [name for name in ALIKE if name not in legacy and name not in pir] == []


def test_a_legacy_result_has_the_sizes_of_its_operand() -> None:
    for made, expected in (((-1, 8), None), ((8,), "it makes [8] of [2, 8]")):
        operator = Operator("dropout", {"X": ("x",)}, {"Out": ("y",)}, {})
        variables = {"x": TensorSpec("x", "float32", (2, 8)), "y": TensorSpec("y", "float32", made)}
        found = wrong_operand(operator, Operands(Program((operator,), (), (), variables)))
        assert found == expected


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        ("int32", (1,), None),
        ("int64", (), None),
        ("float32", (1,), "its ShapeTensorList 's' holds float32"),
        ("int32", (2, 3), "its ShapeTensorList 's' has the shape [2, 3]"),
    ],
)
def test_a_tensor_of_several_tells_one_size(
    dtype: str, shape: tuple[int, ...], expected: str | None
) -> None:
    operator = Operator("fill_constant", {"ShapeTensorList": ("s",)}, {"Out": ("y",)}, {})
    variables = {"s": TensorSpec("s", dtype, shape)}
    found = wrong_operand(operator, Operands(Program((operator,), (), (), variables)))
    assert found == expected


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((-1, 1), None),
        ((), "its Ids have the shape []"),
        ((-1, 4), "its Ids have the shape [-1, 4]"),
    ],
)
def test_the_first_embedding_has_a_last_axis_of_one_place(
    shape: tuple[int, ...], expected: str | None
) -> None:
    operator = Operator("lookup_table", {"Ids": ("x",)}, {"Out": ("y",)}, {})
    found = wrong_operand(
        operator, Operands(Program((operator,), (), (), {"x": TensorSpec("x", "int64", shape)}))
    )
    assert found == expected
