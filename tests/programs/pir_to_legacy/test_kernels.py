"""Operators meet dtypes that 2.6.2 has no kernel for."""

from __future__ import annotations

import pytest

from compatload.programs.pir_to_legacy.kernels import fit
from compatload.programs.pir_to_legacy.legacy import EmittedBlock, EmittedOperator, Variable


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
    [("sqrt", "complex64"), ("reciprocal", "int32"), ("round", "bool")],
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
