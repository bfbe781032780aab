"""Operators meet dtypes that 2.6.2 has no kernel for."""

from __future__ import annotations

import pytest

from compatload.programs.pir_to_legacy.kernels import fit
from compatload.programs.pir_to_legacy.legacy import EmittedBlock, EmittedOperator, Variable

POLAR = ["exp", "cos", "sin", "elementwise_mul", "elementwise_mul", "complex"]


def block(type_: str, dtype: str, made: str) -> EmittedBlock:
    variables = {n: Variable(n, dtype=d, dims=(2,)) for n, d in (("x", dtype), ("y", made))}
    operator = EmittedOperator(type_, {"X": ("x",)}, {"Out": ("y",)}, {}, origin="here")
    return EmittedBlock(0, -1, variables, [operator])


@pytest.mark.parametrize(
    ("type_", "dtype", "made", "expected"),
    [
        ("roll", "float32", "float32", ["roll"]),
        ("roll", "bool", "bool", ["cast", "roll", "cast"]),
        ("sqrt", "int32", "float32", ["cast", "sqrt"]),
        ("conv2d", "bfloat16", "bfloat16", ["cast", "conv2d", "cast"]),
        ("round", "int64", "int64", ["assign"]),
        ("reduce_sum", "float16", "float16", ["cast", "reduce_sum", "cast"]),
        ("unbind", "int16", "int16", ["cast", "unbind", "cast"]),
        ("sqrt", "complex64", "complex64", ["abs", "log", "angle", "scale", "scale", *POLAR]),
        ("cumsum", "complex64", "complex64", ["real", "cumsum", "imag", "cumsum", "complex"]),
        ("reciprocal", "complex128", "complex128", ["fill_any_like", "elementwise_div"]),
    ],
)
def test_it_computes_in_a_wider_dtype(
    type_: str, dtype: str, made: str, expected: list[str]
) -> None:
    one = block(type_, dtype, made)
    assert fit([one]) == []
    assert [operator.type for operator in one.operators] == expected
    assert one.operators[-1].outputs == {"Out": ("y",)}


@pytest.mark.parametrize(
    ("type_", "dtype"),
    # Of a whole number's reciprocal nothing whole can be made: 1 / 0 comes back as some number.
    [("inverse", "complex64"), ("reciprocal", "int32"), ("round", "bool")],
)
def test_what_cannot_be_is_said(type_: str, dtype: str) -> None:
    told = fit([block(type_, dtype, dtype)])
    assert told == [f"here: Paddle 2.6 has no kernel of {type_} for {dtype}"]


@pytest.mark.parametrize(("rank", "told"), [(6, 0), (7, 1)])
def test_what_has_more_dimensions_than_2_6_takes_is_said(rank: int, told: int) -> None:
    one = block("tile", "float32", "float32")
    one.variables["y"] = Variable("y", dtype="float32", dims=(2,) * rank)
    expected = ["here: Paddle 2.6 has tile for six dimensions at most"]
    assert fit([one]) == expected[:told]


def test_what_says_where_stays_true_or_false() -> None:
    names = {"Condition": "where", "X": "x", "Y": "x"}
    one = block("where", "bool", "bool")
    one.variables["where"] = Variable("where", dtype="bool", dims=(2,))
    inputs = {slot: (name,) for slot, name in names.items()}
    one.operators[:] = [EmittedOperator("where", inputs, {"Out": ("y",)}, {}, origin="here")]
    assert fit([one]) == []
    computed = next(operator for operator in one.operators if operator.type == "where")
    assert computed.inputs["Condition"] == ("where",)
    assert computed.inputs["X"] != ("x",)
