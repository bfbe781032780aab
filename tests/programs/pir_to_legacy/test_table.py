"""The table against the prototypes of Paddle 2.6.2, as its wheel gives them."""

from __future__ import annotations

import pytest

from compatload.operators.registry import legacy_operators, pir_operators
from compatload.programs.pir_to_legacy.families import conversions, find
from compatload.programs.pir_to_legacy.protos import (
    CoercionError,
    coerce,
    operator_proto,
    operator_versions,
)
from compatload.programs.pir_to_legacy.rules import Folded, OperatorRule

RULES = {name: entry for name, entry in conversions().items() if isinstance(entry, OperatorRule)}
RELEASES = ("3.0.0", "3.3.1")


def test_the_table_is_not_lost():
    assert len(conversions()) >= 380


@pytest.mark.parametrize("name", RULES)
def test_a_rule_names_only_what_2_6_has(name):
    rule = RULES[name]
    proto = operator_proto(rule.type)
    assert proto is not None
    for target in rule.inputs:
        if isinstance(target, Folded):
            assert target.attribute in proto.attributes
            assert {target.tensor, target.tensors} - {""} <= {*proto.inputs}
        elif target:
            assert target in proto.inputs
    assert {*rule.outputs} - {""} <= {*proto.outputs}
    assert {*rule.fixed} <= {*proto.attributes}
    assert {*rule.rename.values()} <= {*proto.attributes}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_a_place_for_every_operand(name, release):
    described = pir_operators(release).get(name)
    if described is None:
        pytest.skip("not in this release")
    assert len(RULES[name].inputs) >= sum(not operand.optional for operand in described.operands)


def test_the_table_names_operators_that_exist():
    known = {*pir_operators("3.0.0"), *pir_operators("3.3.1")}
    builtin = {name for name in conversions() if name.startswith("builtin.")}
    missing = {n for n in conversions() if n not in known and f"{n}_" not in known} - builtin
    # Nothing is gained by rules for operators that no release has.
    assert not missing


def test_prototypes_agree_with_the_registry_of_2_6_2():
    registry = legacy_operators("2.6.2")
    for name in {rule.type for rule in RULES.values()}:
        ours, theirs = operator_proto(name), registry[name]
        assert ours is not None
        assert {*ours.inputs} == {slot.name for slot in theirs.inputs}
        assert {*ours.outputs} == {slot.name for slot in theirs.outputs}
        for attribute, known in ours.attributes.items():
            described = theirs.attribute(attribute)
            assert described is not None
            assert described.type == known.type


def test_in_place_forms_are_found():
    assert find("pd_op.relu_") == (find("pd_op.relu")[0], True)
    assert find("pd_op.increment_")[1] is False
    assert find("pd_op.no_such_")[0] is None


def test_versions_are_those_of_2_6_2():
    assert operator_versions()["set_value"] == 4


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [(1.0, "INT", 1), ([2], "INT", 2), (3, "INTS", [3]), (1e60, "FLOAT", float("inf"))],
)
def test_values_take_the_type_of_their_attribute(value, kind, stored):
    assert coerce(value, kind) == stored


@pytest.mark.parametrize(("value", "kind"), [(2**40, "INT"), ("x", "FLOAT"), (0.5, "INTS")])
def test_values_that_do_not_fit_are_refused(value, kind):
    with pytest.raises(CoercionError):
        coerce(value, kind)
