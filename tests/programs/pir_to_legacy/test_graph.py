from __future__ import annotations

import copy
import random

import pytest

from compatload.errors import CompatLoadError, DamagedArtifactError
from compatload.programs.pir_to_legacy.convert import pir_to_legacy
from compatload.programs.pir_to_legacy.graph import attribute_value, operations, read_graph


def test_positions_name_operator_and_block(recipe, kinds):
    recipe.fetch(recipe.add("1.relu", [recipe.data("x")], [kinds([-1, 4])]))
    positions = [operation.position for operation in operations(read_graph(recipe.program()))]
    assert positions[1] == "pd_op.relu (block 0, operator 1)"


def test_unknown_products_of_sizes_are_unknown_sizes(recipe, kinds):
    recipe.add("1.relu", [recipe.data("x")], [kinds([-3, 4])])
    assert read_graph(recipe.program()).operations[1].results[0].type.dims == (-1, 4)


def test_an_absent_operand_is_none(recipe, kinds):
    recipe.add("1.relu", [0], [kinds([1])])
    assert read_graph(recipe.program()).operations[0].operands == (None,)


@pytest.mark.parametrize(("spelled", "number"), [("INF", float("inf")), ("-INF", float("-inf"))])
def test_infinities_are_spelled(spelled, number):
    assert attribute_value({"#": "0.a_f64", "VD": spelled}) == number


@pytest.mark.parametrize(
    "program",
    [
        {},
        {"program": 3},
        {"program": {"regions": []}},
        {"program": {"regions": [{"blocks": [{"ops": [{"#": 5}]}]}]}},
        {"program": {"regions": [{"blocks": [{"ops": [{"#": "p", "A": []}]}]}]}},
        {"program": {"regions": [{"blocks": [{"ops": [{"#": "1.relu", "I": [{"%": 9}]}]}]}]}},
    ],
)
def test_what_is_no_program_is_damaged(program):
    with pytest.raises(DamagedArtifactError):
        read_graph(program)


def test_a_value_defined_twice_is_damage(recipe, kinds):
    recipe.data("x")
    recipe.ops.append(copy.deepcopy(recipe.ops[0]))
    with pytest.raises(DamagedArtifactError, match="defined twice"):
        read_graph(recipe.program())


def test_deep_control_flow_is_refused(recipe):
    ops: list[object] = []
    for _ in range(70):
        region = {"blocks": [{"args": [], "ops": ops}]}
        ops = [{"#": "1.if", "A": [], "I": [], "O": [], "regions": [region]}]
    with pytest.raises(DamagedArtifactError, match="nested too deeply"):
        read_graph({"program": {"regions": [{"blocks": [{"args": [], "ops": ops}]}]}})


def places(node, path=()):
    """Every place inside nested lists and objects."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in list(items):
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def test_damage_anywhere_is_a_documented_error(recipe, kinds):
    x = recipe.data("x")
    y = recipe.add("1.reshape", [x, recipe.ints(2, -1)], [kinds([2, -1])])
    z = recipe.add("1.scale", [y, recipe.full(2.0)], [kinds([2, -1])], {"bias": 0.5})
    recipe.fetch(recipe.add("1.transpose", [z], [kinds([-1, 2])], {"perm": [1, 0]}))
    program = recipe.program()
    everywhere = list(places(program))
    generator = random.Random(5)
    outcomes = set()
    for replacement in (None, -7, "x", [], {}, 3.5, 2**80, True):
        for path in generator.sample(everywhere, 60):
            damaged = copy.deepcopy(program)
            node = damaged
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = replacement
            try:
                pir_to_legacy(damaged, [])
                outcomes.add("converted")
            except CompatLoadError as error:
                outcomes.add(type(error).__name__)
    assert "DamagedArtifactError" in outcomes
