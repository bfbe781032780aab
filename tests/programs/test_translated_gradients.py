"""What the translator leaves untold of gradients, told as paddle.jit.save of 3.x would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.programs.translated_gradients import differentiable

LINEAR = Path(__file__).resolve().parents[1] / "fixtures" / "2.6.2" / "classifier" / "model"
FLOATS = {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [2, 3], "NCHW", [], 0]}
LIST = {"#": "0.t_vec", "D": [FLOATS, FLOATS, FLOATS]}


def stops(*flags: bool) -> dict[str, Any]:
    data = [{"#": "0.a_bool", "D": one} for one in flags]
    return {"AT": {"#": "0.a_array", "D": data}, "N": "stop_gradient"}


PERSISTS = {"AT": {"#": "0.a_array", "D": [{"#": "0.a_bool", "D": False}]}, "N": "persistable"}


def parameter(value: int, stopped: bool) -> dict[str, Any]:
    flags = [1, int(stopped), int(not stopped)]
    return {"#": "p", "A": [0, 1, 1, f"w{value}"], "O": {"%": value, "TT": FLOATS}, "OA": flags}


def operator(name: str, operands: tuple[int, ...], *results: int, **more: Any) -> dict[str, Any]:
    kind = more.pop("kind", FLOATS)
    made = [{"%": one, "TT": kind} for one in results]
    return {"#": name, "A": [], "I": [{"%": one} for one in operands], "O": made, "OA": [], **more}


def picked(whole: int, index: int, result: int) -> dict[str, Any]:
    place = [{"AT": {"#": "0.a_i32", "D": index}, "N": "index"}]
    return operator("0.slice", (whole,), result, A=place, OA=[PERSISTS, stops(False)])


def region(*operators: dict[str, Any], arguments: tuple[int, ...] = ()) -> dict[str, Any]:
    args = [{"#": one, "TT": FLOATS} for one in arguments]
    return {"blocks": [{"args": args, "ops": list(operators)}]}


def made(*operators: dict[str, Any]) -> list[dict[str, Any]]:
    document = {"program": {"regions": [region(*operators)]}}
    differentiable(document)
    ops: list[dict[str, Any]] = document["program"]["regions"][0]["blocks"][0]["ops"]
    return ops


def flags(operator: dict[str, Any]) -> list[bool]:
    (told,) = (one["AT"]["D"] for one in operator["OA"] if one["N"] == "stop_gradient")
    return [one["D"] for one in told]


def test_a_list_of_what_learns_lets_gradients_through() -> None:
    *_, combined = made(parameter(1, False), operator("0.combine", (1, 1), 2, kind=LIST))
    assert flags(combined) == [False]


def test_a_shape_of_a_weight_lets_them_through_whatever_the_translator_says() -> None:
    told = operator("1.reshape", (1,), 2, OA=[stops(True)])
    *_, shaped = made(parameter(1, False), told)
    assert flags(shaped) == [False]


def test_what_no_operand_learns_stops_and_what_the_program_stopped_stays_so() -> None:
    of_buffer = operator("1.scale", (1,), 3, OA=[PERSISTS, stops(False)])
    detached = operator("1.assign", (2,), 4, OA=[PERSISTS, stops(True)])
    *_, scaled, copied = made(parameter(1, True), parameter(2, False), of_buffer, detached)
    assert flags(scaled) == [True]
    assert flags(copied) == [True]


def test_parts_of_a_list_are_one_split() -> None:
    parts = (picked(2, 2, 3), picked(2, 0, 4), picked(2, 2, 5))
    _, whole, split, last = made(
        parameter(1, False),
        operator("1.split_with_num", (1,), 2, kind=LIST, OA=[PERSISTS, stops(False)]),
        *parts,
        operator("1.add", (3, 5), 6),
    )
    assert [split["#"], split["I"], len(split["O"])] == ["0.split", [{"%": 2}], 3]
    third = split["O"][2]["%"]
    assert last["I"] == [{"%": third}, {"%": third}]
    assert flags(split) == [False] * 3
    assert flags(whole) == flags(last) == [False]
    numbers = [one["%"] for one in split["O"]]
    assert len({1, 2, 6, *numbers}) == 6


def test_a_part_that_no_list_has_is_left() -> None:
    _, _, part = made(parameter(1, False), operator("1.rnn", (1,), 2, kind=LIST), picked(2, 3, 3))
    assert part["#"] == "0.slice"


def test_branches_and_loops_yield_what_learns() -> None:
    branch = operator("1.scale", (1,), 3)
    chosen = operator("1.if", (2,), 5, regions=[region(branch, operator("2.yield", (3,)))])
    body = region(operator("1.add", (7, 1), 8), operator("2.yield", (2, 8)), arguments=(7,))
    carried = operator("1.while", (2, 6), 9, regions=[body])
    body = region(operator("1.scale", (10,), 11), operator("2.yield", (2, 11)), arguments=(10,))
    counted = operator("1.while", (2, 6), 12, regions=[body])
    *_, one, _, other, number = made(
        parameter(1, False),
        operator("1.full", (), 2),
        chosen,
        operator("1.full", (), 6),
        carried,
        counted,
    )
    assert flags(one) == [False]
    assert flags(other) == [False]
    assert flags(number) == [True]


def test_two_branches_that_something_is_chosen_of_are_one() -> None:
    then = region(operator("1.scale", (1,), 5), operator("2.yield", (5,)))
    otherwise = region(operator("1.tanh", (1,), 7), operator("2.yield", (7,)))
    program = (
        parameter(1, False),
        operator("1.data", (), 2),
        operator("1.if", (2,), 6, regions=[then, region(operator("2.yield", (1,)))]),
        operator("1.logical_not", (2,), 3),
        operator("1.if", (3,), 8, regions=[otherwise, region(operator("2.yield", (1,)))]),
        operator("1.cast", (2,), 4),
        operator("1.select_input", (4, 8, 6), 9),
        operator("1.scale", (9,), 10),
    )
    *_, whole, _, last = made(*program)
    assert [whole["#"], whole["I"], [one["%"] for one in whole["O"]]] == ["1.if", [{"%": 2}], [9]]
    bodies = [one["blocks"][0]["ops"] for one in whole["regions"]]
    assert [[one["#"] for one in body] for body in bodies] == [
        ["1.scale", "2.yield"],
        ["1.tanh", "2.yield"],
    ]
    assert [body[-1]["I"] for body in bodies] == [[{"%": 5}], [{"%": 7}]]
    assert flags(whole) == flags(last) == [False]


@pytest.mark.parametrize("between", ["1.set_value_", "1.increment_"])
def test_branches_stay_two_where_something_happens_between_them(between: str) -> None:
    regions = [region(operator("1.scale", (1,), 5), operator("2.yield", (5,)))]
    others = [region(operator("1.tanh", (1,), 7), operator("2.yield", (7,)))]
    *_, select = made(
        parameter(1, False),
        operator("1.data", (), 2),
        operator("1.if", (2,), 6, regions=regions),
        operator(between, (2,), 11),
        operator("1.logical_not", (2,), 3),
        operator("1.if", (3,), 8, regions=others),
        operator("1.cast", (2,), 4),
        operator("1.select_input", (4, 8, 6), 9),
    )
    assert select["#"] == "1.select_input"


def test_a_loop_hands_on_copies_but_of_a_condition_that_is_read_after_it() -> None:
    def loop(*behind: Any) -> list[str]:
        body = region(
            operator("1.add", (7, 1), 8),
            operator("1.less_than", (8, 1), 10),
            operator("1.assign_out_", (8, 7), 11),
            operator("1.assign_out_", (10, 2), 12),
            operator("2.yield", (12, 11)),
            arguments=(7,),
        )
        carried = operator("1.while", (2, 1), 9, regions=[body])
        _, _, made_loop, *_ = made(parameter(1, False), operator("1.data", (), 2), carried, *behind)
        return [one["#"] for one in made_loop["regions"][0]["blocks"][0]["ops"]][2:4]

    assert loop() == ["1.assign", "1.assign"]
    assert loop(operator("1.cast", (2,), 13)) == ["1.assign", "1.assign_out_"]


def test_caches_of_einsum_have_the_types_of_its_operands_and_parts() -> None:
    results = [{"%": 3, "TT": FLOATS}, *({"%": one, "TT": {"#": "NULL"}} for one in (4, 5))]
    *_, product, first, second = made(
        parameter(1, False),
        operator("0.combine", (1, 1, 1), 2, kind=LIST),
        operator("1.einsum", (2,), O=results),
    )
    _, caches, shapes = (one["TT"] for one in product["O"])
    assert shapes == LIST
    assert [one["D"][1] for one in caches["D"]] == [[], [], []]
    assert [[one["#"], one["I"], len(one["O"])] for one in (first, second)] == [
        ["0.split", [{"%": 4}], 3],
        ["0.split", [{"%": 5}], 3],
    ]


def test_buffers_do_not_learn() -> None:
    info = {
        "w": {"stop_gradient": False, "trainable": True},
        "frozen": {"stop_gradient": True, "trainable": False},
        "buffer": {"structured_name": "k", "stop_gradient": True},
        "told_nothing": {"structured_name": "n"},
    }
    artifact = replace(inspect_artifact(LINEAR), info=info)
    assert artifact.trainable_parameters == {"w": True, "frozen": False, "buffer": False}
