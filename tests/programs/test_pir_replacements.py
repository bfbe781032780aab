"""What stands in for operators that a release lacks.

That the numbers agree is proven on the real releases (``matrix/pir/prove.py``, and
``test_pir_on_real_paddle.py`` where environments are given); here the form is checked against
the registries of every release.
"""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from compatload.errors import ConversionError
from compatload.operators.registry import known_releases, pir_operators
from compatload.programs.pir_attributes import fit_attributes
from compatload.programs.pir_replacements import RENAMED, REPLACEMENTS
from compatload.programs.pir_versions import convert_pir, operator_name

HERE = Path(__file__).resolve().parent / "pir_programs"
NEWEST = json.loads(gzip.decompress((HERE / "3.3.1.json.gz").read_bytes()))
OLDEST = json.loads(gzip.decompress((HERE / "3.0.0.json.gz").read_bytes()))
REPLACED = [
    *("masked_fill", "masked_fill_broadcast", "masked_fill_dynamic"),
    *("median", "median_all", "median_integer", "divide_trunc", "divide_trunc_integer"),
    *("slogdet_pair", "fused_rms_norm"),
]


def block(converted: Any) -> list[Any]:
    found: list[Any] = converted["program"]["regions"][0]["blocks"][0]["ops"]
    return found


def names(converted: Any) -> list[str]:
    return [item["#"].partition(".")[2] for item in block(converted)]


def hand_made(name: str, attributes: list[Any], operands: list[Any], results: list[Any]) -> Any:
    """A program of 3.3.1 around one operator that no CPU build can export."""
    program = json.loads(NEWEST["relu"])
    data = next(item for item in block(program) if item["#"] == "1.data")
    inputs, number = [], 100
    for kind in operands:
        if kind is None:
            inputs.append({"%": 0})
            continue
        number += 1
        feed = copy.deepcopy(data)
        feed["O"] = [{"%": number, "TT": kind}]
        inputs.append({"%": number})
        block(program).insert(0, feed)
    outputs = [{"%": 200 + index, "TT": kind} for index, kind in enumerate(results)]
    operator = {"#": f"1.{name}", "A": attributes, "I": inputs, "O": outputs, "OA": []}
    block(program).append(operator)
    return program


def tensor(*dims: int, element: str = "0.t_f32") -> Any:
    return {"#": "0.t_dtensor", "D": [{"#": element}, list(dims), "NCHW", [], 0]}


def check_form(converted: Any, release: str) -> None:
    """Every operator is in the registry, fits it, and uses values that exist."""
    table = pir_operators(release)
    defined = {0}
    for operator in block(converted):
        name = operator_name(operator["#"])
        if name != "builtin.parameter":
            known = table[name]
            assert fit_attributes(known, operator["A"], release).attributes is None, name
            if known.described:
                assert len(operator["I"]) == len(known.operands), name
                assert len(operator["O"]) == len(known.results), name
            assert {item["%"] for item in operator["I"]} <= defined, name
        results = operator["O"] if isinstance(operator["O"], list) else [operator["O"]]
        new = {item["%"] for item in results}
        assert not new & (defined - {0}), name
        defined |= new


@pytest.mark.parametrize("release", known_releases())
@pytest.mark.parametrize("name", REPLACED)
def test_replacements_are_well_formed_in_every_release(name, release):
    converted, _ = convert_pir(json.loads(NEWEST[name]), release)
    check_form(converted, release)
    # Results keep their numbers: what comes after uses them.
    source = block(json.loads(NEWEST[name]))
    assert [item["I"] for item in block(converted) if item["#"] == "1.fetch"] == [
        item["I"] for item in source if item["#"] == "1.fetch"
    ]


def test_how_each_is_written():
    def written(name: str, release: str) -> list[str]:
        before = names(json.loads(NEWEST[name]))
        return [
            item
            for item in names(convert_pir(json.loads(NEWEST[name]), release)[0])
            if item not in before
        ]

    assert written("masked_fill", "3.0.0") == ["full_int_array", "expand", "where"]
    assert "where" in written("masked_fill_dynamic", "3.0.0")
    assert written("divide_trunc", "3.2.2") == ["divide", "trunc"]
    assert written("divide_trunc_integer", "3.2.2") == ["divide"]
    assert written("median", "3.1.1") == ["nanmedian", "isnan", "any", "full_like", "where"]
    assert written("slogdet_pair", "3.2.2")[0] == "slogdet"
    assert written("fused_rms_norm", "3.2.2") == ["rms_norm"]


def test_the_old_fused_rms_norm_gets_its_new_name():
    for release in ("3.3.0", "3.3.1"):
        converted, _ = convert_pir(json.loads(OLDEST["fused_rms_norm"]), release)
        assert "fused_rms_norm_quant" in names(converted)
        assert "rms_norm" not in names(converted)


def test_nothing_is_replaced_where_the_operator_exists():
    for name in REPLACED:
        converted, changes = convert_pir(json.loads(NEWEST[name]), "3.3.1")
        assert (converted, changes) == (json.loads(NEWEST[name]), ())


@pytest.mark.parametrize("element", ["0.t_f32", "0.t_f16", "0.t_f64"])
@pytest.mark.parametrize("scaled", [True, False])
def test_rms_norm(element, scaled):
    attributes = [
        {"AT": {"#": "0.a_array", "D": [{"#": "0.a_i64", "D": 4}]}, "N": "normalized_shape"},
        {"AT": {"#": "0.a_f64", "D": 1e-06}, "N": "epsilon"},
    ]
    x, scale = tensor(-1, 3, 4, element=element), tensor(4, element=element)
    inverse = tensor(-1, 3, element="0.t_f32")
    program = hand_made("rms_norm", attributes, [x, scale if scaled else None], [x, inverse])
    converted, changes = convert_pir(program, "3.0.0")
    check_form(converted, "3.0.0")
    assert [item.operator for item in changes] == ["", "pd_op.rms_norm"]
    # A newer release of the same number has the name for nothing, an older one for another thing.
    check_form(convert_pir(program, "3.3.0")[0], "3.3.0")
    assert convert_pir(program, "3.3.1")[1] == ()


@pytest.mark.parametrize("transpose", [True, False])
def test_linear(transpose):
    attributes = [{"AT": {"#": "0.a_bool", "D": transpose}, "N": "transpose_weight"}]
    program = hand_made(
        "linear_v2", attributes, [tensor(3, 4), tensor(4, 4), tensor(4)], [tensor(3, 4)]
    )
    converted, _ = convert_pir(program, "3.2.2")
    check_form(converted, "3.2.2")
    (product,) = [item for item in block(converted) if item["#"] == "1.matmul"]
    assert {item["N"]: item["AT"]["D"] for item in product["A"]} == {
        "transpose_x": False,
        "transpose_y": transpose,
    }


def test_integers_have_no_nan_to_hand_on():
    attributes = [
        {"AT": {"#": "1.a_intarray", "D": [1]}, "N": "axis"},
        {"AT": {"#": "0.a_bool", "D": False}, "N": "keepdim"},
        {"AT": {"#": "0.a_str", "D": "min"}, "N": "mode"},
    ]
    integers = tensor(3, 4, element="0.t_i64")
    results = [tensor(3, element="0.t_i64"), tensor(3, element="0.t_i64")]
    converted, _ = convert_pir(hand_made("median", attributes, [integers], results), "3.1.1")
    check_form(converted, "3.1.1")
    assert names(converted)[-1] == "nanmedian"


def test_in_place_forms_become_plain_ones():
    program = hand_made("silu_", [], [tensor(3, 4)], [tensor(3, 4)])
    converted, _ = convert_pir(program, "3.0.0")
    assert names(converted)[-1] == "silu"
    assert names(convert_pir(program, "3.3.1")[0])[-1] == "silu_"


def test_values_of_other_types_are_an_obstacle():
    vector = {"#": "0.t_vec", "D": [tensor(3, 4)]}
    program = hand_made("trunc_divide", [], [tensor(3, 4), tensor(3, 4)], [vector])
    with pytest.raises(ConversionError, match="a result is no dense tensor"):
        convert_pir(program, "3.0.0")
    program = hand_made(
        "linear_v2",
        [{"AT": {"#": "0.a_bool", "D": False}, "N": "transpose_weight"}],
        [tensor(3, 4, element="0.t_c64"), tensor(4, 4), tensor(4)],
        [tensor(3, 4)],
    )
    converted, _ = convert_pir(program, "3.0.0")  # matmul takes any type; only its own is needed
    check_form(converted, "3.0.0")
    program = hand_made("masked_fill", [], [vector, tensor(1), tensor(1)], [tensor(3, 4)])
    with pytest.raises(ConversionError, match="an operand is no dense tensor"):
        convert_pir(program, "3.0.0")


@pytest.mark.parametrize(("element", "written"), [("0.t_c64", "equal"), ("0.t_f32", "logical_and")])
def test_only_floats_are_compared_otherwise(element, written):
    operands = [tensor(3, 4, element=element)] * 2
    program = hand_made("equal", [], operands, [tensor(3, 4, element="0.t_bool")])
    converted, _ = convert_pir(program, "3.0.0")
    names = {item["#"].partition(".")[2] for item in block(converted)}
    assert {"logical_and", "logical_or"} & names == ({written} - {"equal"})


def test_another_operator_of_the_same_name_is_told():
    program = hand_made("relu", [], [tensor(3), tensor(3)], [tensor(3)])
    with pytest.raises(ConversionError) as caught:
        convert_pir(program, "3.0.0")
    (obstacle,) = caught.value.obstacles
    assert obstacle.endswith(
        "Paddle 3.0.0 knows it with 1 operands and 1 results, the file has 2 and 1"
    )


def test_everything_in_the_tables_exists_in_some_release():
    known = set().union(*(pir_operators(release) for release in known_releases()))
    assert set(REPLACEMENTS) | set(RENAMED) <= known
