"""What is completed in the JSON that Paddle's translator leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compatload.errors import ConversionError
from compatload.programs.translated_flow import straighten
from compatload.programs.translated_program import StoredType, finish, spell_nan


def value(number: int, element: str = "0.t_f32", tag: str = "0.t_dtensor") -> dict[str, Any]:
    return {"%": number, "TT": {"#": tag, "D": [{"#": element}, [2], "NCHW", [], 0]}}


def named(name: str, kind: str, data: Any) -> dict[str, Any]:
    return {"AT": {"#": kind, "D": data}, "N": name}


def column(kind: str, name: str, number: int, result: dict[str, Any]) -> dict[str, Any]:
    return {
        "#": kind,
        "A": [named("name", "0.a_str", name), named("col", "0.a_i32", number)],
        "I": [],
        "O": [result],
        "OA": [],
    }


def parameter(name: str, result: dict[str, Any]) -> dict[str, Any]:
    return {"#": "p", "A": [0, 1, 0, name], "DA": [], "O": result, "OA": [1, 0, 1], "QA": []}


def finished(*operators: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    program = {"program": {"regions": [{"blocks": [{"ops": list(operators)}]}]}}
    options.setdefault("stored", {})
    result = finish(program, **options)
    return list(result["program"]["regions"][0]["blocks"][0]["ops"])


def test_inputs_stand_in_the_order_of_their_columns() -> None:
    done = finished(column("1.feed", "second", 1, value(1)), column("1.feed", "first", 0, value(2)))
    assert [one["#"] for one in done] == ["1.data", "1.data"]
    assert [one["A"][0]["AT"]["D"] for one in done] == ["first", "second"]


def test_outputs_are_named_by_their_place() -> None:
    done = finished(column("1.fetch", "b", 1, value(1)), column("1.fetch", "a", 0, value(2)))
    assert [one["O"][0]["%"] for one in done] == [2, 1]
    assert [one["A"][0]["AT"]["D"] for one in done] == ["fetch_name_0", "fetch_name_1"]


def test_parameters_are_sorted_and_statistics_do_not_learn() -> None:
    norm = {
        "#": "1.batch_norm_",
        "A": [],
        "I": [{"%": 9}, {"%": 1}, {"%": 2}],
        "O": [],
        "OA": [],
    }
    done = finished(parameter("w", value(3)), parameter("mean", value(1)), norm)
    assert [one["A"][3] for one in done[:2]] == ["mean", "w"]
    assert [one["OA"] for one in done[:2]] == [[1, 1, 0], [1, 0, 1]]


def test_what_the_model_says_of_a_parameter_outranks_its_use() -> None:
    (frozen,) = finished(parameter("w", value(1)), trainable={"w": False})
    assert frozen["OA"] == [1, 1, 0]


def test_a_stored_tensor_that_nobody_reads_is_declared_again() -> None:
    done = finished(parameter("w", value(4)), stored={"a": StoredType(3, (5,))})
    assert [one["A"][3] for one in done] == ["a", "w"]
    assert done[0]["O"] == {
        "%": 5,
        "TT": {"#": "0.t_dtensor", "D": [{"#": "0.t_i64"}, [5], "NCHW", [], 0]},
    }
    assert done[0]["OA"] == [1, 1, 0]


def test_nan_is_spelt_as_paddle_reads_it() -> None:
    named = {"N": '"VD":"NaN"', "AT": {"#": "0.a_f32", "VD": "NaN"}}
    program = json.dumps(named, separators=(",", ":")).encode()
    assert json.loads(spell_nan(program)) == {**named, "AT": {"#": "0.a_f32", "VD": "NAN"}}


def test_an_input_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(ConversionError, match="'x'"):
        finished(column("1.feed", "x", 0, value(1, tag="1.t_tensor_array")))


def operator(kind: str, reads: list[int], makes: list[int], **more: Any) -> dict[str, Any]:
    results = [value(number) for number in makes]
    return {"#": kind, "A": [], "I": [{"%": one} for one in reads], "O": results, "OA": [], **more}


def straightened(*operators: dict[str, Any]) -> list[dict[str, Any]]:
    program = {"program": {"regions": [{"blocks": [{"ops": list(operators)}]}]}}
    straighten(program)
    return list(program["program"]["regions"][0]["blocks"][0]["ops"])


def test_a_part_is_picked_where_its_list_is_made_and_not_in_the_loop() -> None:
    body = [operator("0.slice", [1], [3]), operator("1.relu", [3], [4])]
    loop = operator("1.while", [2], [5], regions=[{"blocks": [{"ops": body}]}])
    done = straightened(operator("1.split", [0], [1]), operator("1.full", [], [2]), loop)
    assert [one["#"] for one in done] == ["1.split", "0.slice", "1.full", "1.while"]
    assert [one["#"] for one in done[-1]["regions"][0]["blocks"][0]["ops"]] == ["1.relu"]


def test_a_part_of_a_list_of_the_same_block_stays() -> None:
    done = straightened(
        operator("1.split", [0], [1]), operator("1.relu", [0], [2]), operator("0.slice", [1], [3])
    )
    assert [one["#"] for one in done] == ["1.split", "1.relu", "0.slice"]


@pytest.mark.parametrize("read", [True, False])
def test_a_parameter_is_stored_if_something_reads_it(read: bool) -> None:
    store = operator("0.set_parameter", [2], [])
    store["A"] = [named("parameter_name", "0.a_str", "w")]
    done = straightened(
        parameter("w", value(1)), operator("1.relu", [1] if read else [], [2]), store
    )
    assert ("0.set_parameter" in [one["#"] for one in done]) is read


@pytest.mark.parametrize(
    ("kind", "written"),
    [("0.a_f32", "0.a_f64"), ("0.a_f64", "0.a_f64"), ("0.a_c64", "0.a_c64")],
)
def test_numbers_are_written_as_paddle_saves_them(kind: str, written: str) -> None:
    made = {"#": "1.full", "A": [named("value", kind, 0.5)], "I": [], "O": [value(1)], "OA": []}
    (done,) = finished(made)
    assert done["A"] == [named("value", written, 0.5)]
