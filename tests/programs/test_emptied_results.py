"""CL169: branches of a PIR program give back one place more."""

from __future__ import annotations

from typing import Any

from compatload.programs.emptied_results import filled
from compatload.programs.pir_graph import attribute, blocks_in, flags

_PLACE = [0, 0, ""]


def tensor(element: str, *sizes: int) -> dict[str, Any]:
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{element}"}, list(sizes), "NCHW", [], 0]}


def operator(name: str, reads: list[int], result: int, kind: Any, told: Any = ()) -> dict[str, Any]:
    return {
        "#": name,
        "A": list(told),
        "I": [{"%": one} for one in reads],
        "O": [{"%": result, "TT": kind}],
        "OA": [flags("stop_gradient", False)],
    }


def data(name: str, result: int, kind: Any) -> dict[str, Any]:
    told = [attribute("name", "0.a_str", name), attribute("shape", "1.a_intarray", kind["D"][1])]
    told += [attribute("dtype", "1.a_dtype", "float32"), attribute("place", "1.a_place", _PLACE)]
    return operator("1.data", [], result, kind, told)


def region(*operators: Any) -> dict[str, Any]:
    return {"#": "region", "blocks": [{"#": "block", "args": [], "ops": list(operators)}]}


def given_back(value: int) -> dict[str, Any]:
    return {"#": "2.yield", "A": [], "I": [{"%": value}], "O": [], "OA": []}


def program(element: str, rows: int) -> dict[str, Any]:
    """``full([rows, 4]) if x else y``, an output."""
    kind = tensor(element, -1, 4)
    empty = operator("1.full", [], 3, tensor(element, rows, 4))
    branches = operator("1.if", [1], 4, kind)
    branches["regions"] = [region(empty, given_back(3)), region(given_back(2))]
    end = operator("0.shadow_output", [4], 5, kind, [attribute("output_name", "0.a_str", "out")])
    end["O"] = []
    whole = region(data("x", 1, tensor("bool")), data("y", 2, kind), branches, end)
    return {
        "base_code": {"magic": "pir", "version": 1, "trainable": True},
        "program": {"regions": [whole]},
    }


def names(document: dict[str, Any]) -> list[list[str]]:
    return [
        [one["#"] for one in block["ops"]] for block in blocks_in(document["program"]["regions"])
    ]


def test_one_place_more_within_and_one_less_behind() -> None:
    document = program("i64", 0)
    filled(document)
    outer, *inner = names(document)
    assert outer[2:] == [
        "1.if",
        "1.full_int_array",
        "1.full_int_array",
        "1.slice",
        "0.shadow_output",
    ]
    assert sorted(inner) == [
        ["1.full", "1.full", "1.pad", "2.yield"],
        ["1.full", "1.pad", "2.yield"],
    ]
    (whole,) = document["program"]["regions"]
    made = {one["#"]: one for one in whole["blocks"][0]["ops"]}
    padded = made["1.if"]["O"][0]
    assert padded["TT"] == tensor("i64", -1, 4)
    assert made["1.slice"]["I"][0]["%"] == padded["%"] != 4
    assert made["1.slice"]["O"][0] == {"%": 4, "TT": tensor("i64", -1, 4)}
    (axes,) = (one["AT"]["D"] for one in made["1.slice"]["A"] if one["N"] == "axes")
    assert [one["D"] for one in axes] == [0]


def test_a_type_that_cannot_be_padded_goes_through_one_that_holds_it() -> None:
    for element in ("f32", "bool", "ui8"):
        document = program(element, 0)
        filled(document)
        outer, *inner = names(document)
        assert outer[-2:] == ["1.cast", "0.shadow_output"]
        assert all(ops[-4:] == ["1.cast", "1.full", "1.pad", "2.yield"] for ops in inner)


def test_what_has_elements_stays() -> None:
    document = program("f32", 3)
    before = names(document)
    filled(document)
    assert names(document) == before
