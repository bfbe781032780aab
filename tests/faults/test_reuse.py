"""Who reads a value after an operator, and which values are computed alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.model import Operator
from compatload.faults import cl232_overwritten, cl233_outputs_alike
from compatload.faults.graph import Graph
from compatload.faults.matching import found as found_by
from compatload.faults.model import Rule
from compatload.operators.registry import pir_operators
from compatload.releases import PIR_VERSIONS
from tests.faults.graphs import graph


def program(*lines: str, block: int = 0) -> list[Operator]:
    """``"b = cos a"`` and the like, one after the other; what has no name is ``_``."""
    operators = []
    for index, line in enumerate(lines):
        made, _, rest = line.partition(" = ")
        name, *read = rest.split()
        inputs = {str(slot): (value,) for slot, value in enumerate(read)}
        operators.append(Operator(f"pd_op.{name}", inputs, {"0": (made,)}, {}, block, index))
    return operators


def found_in(rule: Rule, operators: tuple[Operator, ...]) -> list[str]:
    return [one.position for one in found_by(rule.when[0].operators, graph(operators))]


def overwriting(*operators: Operator) -> list[str]:
    return found_in(cl232_overwritten.RULE, operators)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("y = matmul x w", "z = cos y", "f = fetch y"), 1),
        (("y = matmul x w", "z = cos_ y", "s = add z y"), 1),
        (("y = matmul x w", "s = scale y", "z = cos y"), 0),
        (("y = matmul x w", "z = cos y", "f = fetch z"), 0),
        (("y = matmul x w", "z = exp y", "f = fetch y"), 0),
        (("z = cos x", "f = fetch x"), 0),  # nobody knows of the memory of what was fed
        (("y = matmul x w", "z = where c y o", "f = fetch y"), 1),
        (("c = matmul x w", "z = where c y o", "f = fetch c"), 0),
        (("y = matmul x w", "a = cos y", "b = sin y", "c = tan y"), 2),
        (("y = matmul x w", "u = unsqueeze y", "z = cos y", "f = fetch u"), 1),
        (("y = matmul x w", "u = assign_ y", "v = unsqueeze u", "z = cos v", "f = fetch y"), 1),
        (("y = matmul x w", "u = unsqueeze y", "z = cos u", "f = fetch z"), 0),
        (("y = matmul x w", "u = reshape y", "z = cos y", "f = fetch u"), 0),
    ],
)
def test_an_operator_overwrites_what_is_read_after_it(lines: tuple[str, ...], found: int) -> None:
    assert len(overwriting(*program(*lines))) == found


def test_what_a_loop_carries_is_overwritten_like_any_other_value() -> None:
    *outer, loop = program("y = matmul x w", "c = less_than n m", "r = while c y")
    for lines, found in (
        (("t = cos %-1", "s = scale %-1", "u = subtract s t", "_ = yield d u"), 1),
        (("s = scale %-1", "t = cos %-1", "u = subtract s t", "_ = yield d u"), 0),
    ):
        whole = (*outer, replace(loop, sub_blocks=(1,)), *program(*lines, block=1))
        assert len(overwriting(*whole)) == found
        told = cl232_overwritten.RULE.alone[0].sees
        assert callable(told)
        assert len(told(graph(whole, {"y": (2, 3), "u": (2, 3)}), "3.3.1")) == found


def test_what_is_computed_in_a_loop_may_be_read_again_by_the_same_operator() -> None:
    outer = program("y = matmul x w")
    assert overwriting(*outer, *program("z = cos y", block=1))
    assert overwriting(*program("y = matmul x w", "z = cos y"), *program("s = add y y", block=1))


def test_every_operator_that_is_named_was_in_place_in_some_release() -> None:
    last = max(releases[-1] for releases in PIR_VERSIONS.values())
    table = pir_operators(last)
    unknown = {f"pd_op.{name}_" for name in cl232_overwritten.IN_PLACE} - set(table)
    assert unknown == set()


def twins(*lines: str) -> int:
    return len(found_in(cl233_outputs_alike.RULE, tuple(program(*lines))))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("a = cos x", "b = cos x", "f = fetch a", "g = fetch b"), 2),
        (("a = cos x", "b = cos x", "c = sin a", "d = sin b", "f = fetch c", "g = fetch d"), 2),
        (("a = cos x", "b = cos w", "f = fetch a", "g = fetch b"), 0),
        (("a = cos x", "b = sin x", "f = fetch a", "g = fetch b"), 0),
        (("a = add x w", "b = add w x", "f = fetch a", "g = fetch b"), 0),
        (("a = cos x", "f = fetch a", "g = fetch a"), 0),  # one value, not two that are alike
        (("a = cos x", "b = cos x", "f = fetch a", "s = add a b"), 0),
    ],
)
def test_outputs_are_twins_where_the_same_is_computed(lines: tuple[str, ...], found: int) -> None:
    assert twins(*lines) == found


def test_attributes_tell_values_apart_but_not_where_the_source_had_them() -> None:
    def pair(**attributes: object) -> Graph:
        one = Operator(
            "pd_op.argmax", {"0": ("x",)}, {"0": ("a",)}, {"axis": 1, "struct_name": "/"}
        )
        other = Operator("pd_op.argmax", {"0": ("x",)}, {"0": ("b",)}, {"axis": 1, **attributes})
        return graph((one, other))

    assert pair(struct_name="/Other/").alike(("a", "b"))
    assert not pair(axis=0).alike(("a", "b"))


def test_another_result_of_the_same_operator_is_no_twin() -> None:
    one = Operator("pd_op.topk", {"0": ("x",)}, {"0": ("a",), "1": ("i",)}, {})
    other = Operator("pd_op.topk", {"0": ("x",)}, {"0": ("b",), "1": ("j",)}, {})
    values = graph((one, other))
    assert values.alike(("a", "b"))
    assert not values.alike(("a", "j"))
    assert not values.alike(("a", "i"))


def test_values_that_were_never_made_are_alike_only_to_themselves() -> None:
    values = graph(())
    assert not values.alike(("x", "x"))
    assert not values.alike(("x", "y"))
    assert values.last_uses(("x",)) == {}


def test_long_programs_of_views_are_walked_once() -> None:
    count = 3000
    lines = ["y = matmul x w", *(f"v{i} = assign y" for i in range(count))]
    lines += [f"z{i} = cos v{i}" for i in reversed(range(count))]
    assert len(overwriting(*program(*lines))) == count - 1  # the last one overwrites it for nobody


def test_long_programs_of_twins_are_walked_once() -> None:
    lines = ["a0 = cos x", "b0 = cos x"]
    for step in range(300):  # each step is read twice: 2 ** 300 ways through them
        lines += [f"{side}{step + 1} = add {side}{step} {side}{step}" for side in "ab"]
    assert graph(program(*lines)).alike(("a300", "b300"))
