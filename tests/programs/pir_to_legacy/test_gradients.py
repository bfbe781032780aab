"""Gradients that a forward computes, as operators of 2.6."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Parameter
from compatload.errors import ConversionError
from compatload.operators.registry import legacy_operators, pir_operators
from compatload.programs.pir_to_legacy.convert import pir_to_legacy
from compatload.programs.pir_to_legacy.families import find
from compatload.programs.pir_to_legacy.protos import operator_proto
from compatload.programs.pir_to_legacy.rules import OperatorRule

GRADIENTS = [name for name in pir_operators("3.3.1") if name.endswith("_grad")]
FOUND = {name: find(name)[0] for name in GRADIENTS}
DERIVED = {
    name: rule
    for name, rule in FOUND.items()
    if isinstance(rule, OperatorRule) and rule.type.endswith("_grad")
}


def slots(operator, side):
    return {slot.parameter: list(slot.arguments) for slot in getattr(operator, side)}


def converted(recipe, decode, value):
    recipe.fetch(value)
    return decode(pir_to_legacy(recipe.program(), []).program).blocks[0].ops[2:-1]


def test_most_gradients_are_known():
    assert len(DERIVED) >= 200


@pytest.mark.parametrize("name", DERIVED)
def test_a_derived_rule_names_what_its_forward_has(name):
    rule = DERIVED[name]
    assert rule.type in legacy_operators("2.6.2")
    forward = operator_proto(rule.type.removesuffix("_grad"))
    proto = operator_proto(rule.type)
    assert forward is not None
    assert proto is not None
    assert {*proto.outputs} == {f"{slot}@GRAD" for slot in forward.inputs}
    assert {one for one in rule.inputs if isinstance(one, str)} - {""} <= {*proto.inputs}
    assert {*rule.outputs} - {""} <= {*proto.outputs}


def test_slots_are_those_of_the_forward(recipe, kinds, decode):
    x, y = recipe.data("x"), recipe.data("y")
    first, _ = recipe.add("1.multiply_grad", [x, y, x], [kinds([-1, 4])] * 2)
    (operator,) = converted(recipe, decode, first)
    assert operator.type == "elementwise_mul_grad"
    assert slots(operator, "inputs") == {"X": ["x"], "Y": ["y"], "Out@GRAD": ["x"]}
    assert {*slots(operator, "outputs")} == {"X@GRAD"}  # what nobody reads is left out


def test_a_gradient_in_place_gets_a_place_of_its_own(recipe, kinds, decode):
    x, y = recipe.data("x"), recipe.data("y")
    (operator,) = converted(recipe, decode, recipe.add("1.relu_grad_", [x, y], [kinds([-1, 4])]))
    assert operator.type == "relu_grad"
    assert slots(operator, "outputs") == {"X@GRAD": ["out"]}


def test_views_are_reshaped_back(recipe, kinds, decode):
    x, y = recipe.data("x", [-1, -1]), recipe.data("y", [-1])
    value = recipe.add("1.flatten_grad", [x, y], [kinds([-1, -1])])
    shape, reshaped = converted(recipe, decode, value)
    assert (shape.type, reshaped.type) == ("shape", "reshape2")
    assert slots(shape, "inputs") == {"Input": ["x"]}
    assert slots(reshaped, "inputs") == {"X": ["y"], "Shape": slots(shape, "outputs")["Out"]}


def test_a_transposition_is_turned_back(recipe, kinds, decode, attributes):
    x = recipe.data("x", [2, 3, 4])
    recipe.data("y")
    value = recipe.add("1.transpose_grad", [x], [kinds([4, 2, 3])], {"perm": [1, 2, -3]})
    (operator,) = converted(recipe, decode, value)
    assert attributes(operator)["axis"] == [2, 0, 1]


def test_gathered_along_another_axis_than_the_first(recipe, kinds, decode, attributes):
    x, places = recipe.data("x"), recipe.data("places", [3], "i64")
    value = recipe.add("1.gather_grad", [x, places, x, recipe.full(-1, "i32")], [kinds([-1, 4])])
    (operator,) = [one for one in converted(recipe, decode, value) if one.type.endswith("_grad")]
    assert (operator.type, attributes(operator)["dim"]) == ("index_select_grad", 1)


def test_sums_over_every_axis_say_so(recipe, kinds, decode, attributes):
    x, y = recipe.data("x"), recipe.data("y", [])
    told = {"keepdim": False, "reduce_all": False}
    value = recipe.add("1.sum_grad", [x, y, recipe.ints()], [kinds([-1, 4])], told)
    (operator,) = [one for one in converted(recipe, decode, value) if one.type.endswith("_grad")]
    assert (operator.type, attributes(operator)["reduce_all"]) == ("reduce_sum_grad", True)


def test_a_norm_with_a_wide_epsilon_is_not_given_it_twice(recipe, kinds, decode, attributes):
    x = recipe.data("x", [2, 4, 3, 3])
    told = {"is_test": True, "epsilon": 0.01, "data_format": "NCHW"}
    kept = [recipe.parameter(name, [4]) for name in ("mean", "variance", "scale", "bias")]
    _, _, scale, bias = kept
    kinds_ = [kinds([2, 4, 3, 3]), *[kinds([4])] * 4, kinds([-1])]
    y, *statistics, space = recipe.add("1.batch_norm_", [x, *kept], kinds_, told)
    read = [x, scale, bias, *statistics, space, y]
    slope, *_ = recipe.add(
        "1.batch_norm_grad", read, [kinds([2, 4, 3, 3]), *[kinds([4])] * 2], told
    )
    weights = [
        Parameter(name, "float32", (4,), 0, 16) for name in ("bias", "mean", "scale", "variance")
    ]
    recipe.fetch(slope)
    program = decode(pir_to_legacy(recipe.program(), weights).program)
    shifts = [one for one in program.blocks[0].ops if one.type == "scale"]
    assert [slots(one, "inputs")["X"] for one in shifts] == [["variance"]] * 2


def test_operands_of_another_release_are_refused(recipe, kinds):
    x = recipe.data("x")
    recipe.fetch(recipe.add("1.multiply_grad", [x, x], [kinds([-1, 4])] * 2)[0])
    with pytest.raises(ConversionError) as caught:
        pir_to_legacy(recipe.program(), [])
    assert "another release" in caught.value.obstacles[0]


def test_places_from_the_end_are_counted_from_the_start(recipe, kinds, decode):
    x, places = recipe.data("x", [2, 4]), recipe.data("places", [2, 1], "i64")
    read = [x, places, x]
    value = recipe.add("1.take_along_axis_grad", read, [kinds([2, 4])], {"axis": 1})
    (gradient,) = [one for one in converted(recipe, decode, value) if one.type.endswith("_grad")]
    assert slots(gradient, "inputs")["Index"] != ["places"]


@pytest.mark.parametrize("name", ["matmul_double_grad", "einsum_grad", "set_value_grad"])
def test_what_nothing_tells_is_refused_by_name(recipe, kinds, name):
    x = recipe.data("x")
    recipe.fetch(recipe.add(f"1.{name}", [x, x, x], [kinds([-1, 4])]))
    with pytest.raises(ConversionError) as caught:
        pir_to_legacy(recipe.program(), [])
    assert any(name in one for one in caught.value.obstacles)
