from __future__ import annotations

import pytest

from compatload.errors import ConversionError
from compatload.programs.pir_to_legacy.convert import pir_to_legacy


def slots(operator, side):
    return {slot.parameter: list(slot.arguments) for slot in getattr(operator, side)}


def branch(recipe, kinds, x, name):
    inner = recipe.inner()
    y = inner.add(name, [x], [kinds([-1, 4])])
    inner.add("2.yield", [y])
    return inner


def test_branches_are_blocks_of_their_own_and_one_is_selected(recipe, kinds, decode, attributes):
    x, flag = recipe.data("x"), recipe.data("flag", [], "bool")
    regions = [branch(recipe, kinds, x, "1.relu")]
    recipe.ops.append({"#": "1.relu", "A": [], "I": [{"%": x}], "O": [], "OA": []})
    regions.append(branch(recipe, kinds, x, "1.tanh"))
    recipe.ops.pop()
    recipe.fetch(recipe.add("1.if", [flag], [kinds([-1, 4])], {}, regions))
    program = decode(pir_to_legacy(recipe.program(), []).program)
    outer, if_true, if_false = program.blocks
    assert [o.type for o in if_true.ops] == ["relu", "assign"]
    assert [o.type for o in if_false.ops] == ["tanh", "assign"]
    assert if_true.parent_idx == if_false.parent_idx == 0
    blocks = [o for o in outer.ops if o.type == "conditional_block"]
    assert [slots(o, "inputs")["Input"] for o in blocks] == [["x"], ["x"]]
    select = next(o for o in outer.ops if o.type == "select_input")
    # A mask of one takes the second: the branch of a true condition.
    assert slots(select, "inputs")["X"] == [
        slots(blocks[1], "outputs")["Out"][0],
        slots(blocks[0], "outputs")["Out"][0],
    ]


def loop(recipe, kinds, yielded):
    """A loop that carries two tensors, -1 and -2, and yields ``yielded`` of them."""
    flag, x, y = recipe.data("flag", [], "bool"), recipe.data("x"), recipe.data("y")
    inner = recipe.inner()
    again = inner.add("1.logical_not", [flag], [kinds([], "bool")])
    inner.add("2.yield", [again, *yielded])
    results = [kinds([-1, 4])] * 2
    first, second = recipe.add("1.while", [flag, x, y], results, {}, [inner])
    arguments = [{"#": n, "TT": kinds([-1, 4])} for n in (-1, -2)]
    recipe.fetch(first, "a", 0)
    recipe.fetch(second, "b", 1)
    program = recipe.program()
    operations = program["program"]["regions"][0]["blocks"][0]["ops"]
    owner = next(op for op in operations if op["#"] == "1.while")
    owner["regions"][0]["blocks"][0]["args"] = arguments
    return program


def test_a_swap_goes_through_copies(recipe, kinds, decode):
    program = decode(pir_to_legacy(loop(recipe, kinds, [-2, -1]), []).program)
    outer, body = program.blocks
    owner = next(o for o in outer.ops if o.type == "while")
    carried = slots(owner, "outputs")["Out"][:2]
    assigns = [
        (slots(o, "inputs")["X"][0], slots(o, "outputs")["Out"][0])
        for o in body.ops
        if o.type == "assign"
    ]
    values = {name: name for name in carried}
    for source, target in assigns:
        values[target] = values.get(source, source)
    assert values[carried[0]] == carried[1]
    assert values[carried[1]] == carried[0]


def test_a_loop_names_what_its_body_reads(recipe, kinds, decode):
    program = decode(pir_to_legacy(loop(recipe, kinds, [-1, -2]), []).program)
    owner = next(o for o in program.blocks[0].ops if o.type == "while")
    assert "flag" in slots(owner, "inputs")["X"]
    assert slots(owner, "inputs")["Condition"][0] not in slots(owner, "inputs")["X"]


def test_a_loop_that_yields_too_little_is_an_obstacle(recipe, kinds):
    with pytest.raises(ConversionError, match="yields 2 values, 3 are expected"):
        pir_to_legacy(loop(recipe, kinds, [-1]), [])
