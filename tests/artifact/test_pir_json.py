"""PIR programs: decoded as the writers meant them, and refused where they contradict themselves."""

from __future__ import annotations

import json
import math
import pickle
import tracemalloc

import pytest
from artifact.pir_documents import (
    attribute,
    block,
    data,
    document,
    encode,
    fetch,
    nested,
    operator,
    parameter,
    region,
    tensor,
)
from fixtures.index import Fixture, fixtures
from hypothesis import given
from hypothesis import strategies as st

from compatload.artifact import pir_json
from compatload.artifact.model import Format, Operator, TensorSpec
from compatload.artifact.pir_values import ELEMENT_TYPES, attribute_value, full_name, tensor_type
from compatload.errors import DamagedArtifactError

SOUND = document(
    parameter(1, "b"),
    parameter(2, "a"),
    data(3),
    operator("1.add", (3, 1), (4,)),
    operator("1.scale", (4, 0), (5,), (attribute("bias", "0.a_f32", 0.5),)),
    fetch(5, 6),
)
PIR = [one for one in fixtures() if one.format == "pir"]


def test_a_program_is_decoded() -> None:
    decoded = pir_json.decode(encode(SOUND))
    assert decoded.format is Format.PIR
    assert (decoded.pir_version, decoded.trainable, decoded.saved_by) == (4, True, ">=3.3,<3.4")
    assert [spec.name for spec in decoded.parameters] == ["a", "b"]  # sorted, as weights are
    assert decoded.program.inputs == (TensorSpec("x", "float32", (2,)),)
    assert decoded.program.outputs == (TensorSpec("y", "float32", (2,)),)
    assert decoded.program.variables["%4"] == TensorSpec("%4", "float32", (2,))
    assert decoded.program.operator_counts == {
        "builtin.parameter": 2,
        "pd_op.add": 1,
        "pd_op.data": 1,
        "pd_op.fetch": 1,
        "pd_op.scale": 1,
    }
    scale = decoded.program.operators[4]
    assert scale == Operator(
        "pd_op.scale",
        {"0": ("%4",), "1": ("%0",)},
        {"0": ("%5",)},
        {"bias": 0.5, "stop_gradient": (True,)},
        0,
        4,
    )
    assert scale.position == "pd_op.scale (block 0, operator 4)"


@pytest.mark.parametrize("version", [1, 2, 3, 4, 0, 99])
def test_the_version_tells_the_release(version: int) -> None:
    decoded = pir_json.decode(encode(document(data(1), version=version)))
    assert decoded.pir_version == version
    assert (decoded.saved_by is None) == (version in (0, 99))


@pytest.mark.parametrize("one", PIR, ids=lambda one: one.identity)
def test_what_every_release_saved_is_decoded(one: Fixture) -> None:
    decoded = pir_json.decode((one.folder / "model.json").read_bytes())
    assert decoded.saved_by is not None
    major, minor = one.saved_by.split(".")[:2]
    assert decoded.saved_by.startswith(f">={major}.{minor},")
    names = [spec.name for spec in decoded.program.inputs]
    assert names == list(one.input_names())
    assert len(decoded.program.outputs) == one.record["methods"]["forward"]["outputs"]
    # No attribute keeps its JSON: every kind that the releases write is known.
    for each in decoded.program.operators:
        for value in each.attributes.values():
            assert not isinstance(value, dict), (each.position, value)


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_layout_of_the_text_does_not_matter(indent: int | None, newline: str) -> None:
    text = json.dumps(SOUND, indent=indent).replace("\n", newline)
    for prefix in ("", "\ufeff"):
        again = pir_json.decode((prefix + text).encode())
        assert again.program == pir_json.decode(encode(SOUND)).program


def test_the_order_of_keys_does_not_matter() -> None:
    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(item) for key, item in reversed(value.items())}
        return [turned(item) for item in value] if isinstance(value, list) else value

    assert pir_json.decode(encode(turned(SOUND))).program == pir_json.decode(encode(SOUND)).program


def test_the_last_of_equal_keys_counts_as_it_does_for_paddle() -> None:
    text = encode(SOUND).replace(b'"version":4', b'"version":1,"version":4')
    assert pir_json.decode(text).pir_version == 4


def test_blocks_are_numbered_and_owned() -> None:
    loop = operator(
        "1.while",
        (1, 1),
        (9,),
        regions=[region(operator("1.abs", (-1,), (5,)), operator("2.yield", (1, 5)), args=(-1,))],
    )
    decoded = pir_json.decode(encode(document(data(1), loop, operator("1.abs", (9,), (10,)))))
    assert [(o.name, o.block, o.index) for o in decoded.program.operators] == [
        ("pd_op.data", 0, 0),
        ("pd_op.while", 0, 1),
        ("pd_op.abs", 0, 2),
        ("pd_op.abs", 1, 0),
        ("cf.yield", 1, 1),
    ]
    assert decoded.program.operators[1].sub_blocks == (1,)
    assert decoded.program.has_control_flow


def test_what_is_not_persistable_is_not_among_the_weights() -> None:
    flagged = parameter(1, "seen", (0, 1, 0))
    plain = {**parameter(3, "w")}
    assert [s.name for s in pir_json.decode(encode(document(flagged, plain))).parameters] == ["w"]
    named = {**parameter(2, "lstm.state__non_persistable_deepcopy_1")}
    del named["OA"]  # not written where trainable is false
    del plain["OA"]
    decoded = pir_json.decode(encode(document(named, plain, trainable=False)))
    assert [spec.name for spec in decoded.parameters] == ["w"]
    # Paddle follows the flags of a program that says it has them (SIGSEGV).
    with pytest.raises(DamagedArtifactError):
        pir_json.decode(encode(document(plain)))


def test_persistable_data_is_stored_and_no_input() -> None:
    stored = data(1, "moment")
    stored["OA"].append(attribute("persistable", "0.a_array", [{"#": "0.a_bool", "D": True}]))
    decoded = pir_json.decode(encode(document(stored, data(2))))
    assert [spec.name for spec in decoded.parameters] == ["moment"]
    assert [spec.name for spec in decoded.program.inputs] == ["x"]


def test_outputs_stand_in_the_order_of_columns() -> None:
    first, second = fetch(1, 2, column=1), fetch(1, 3, column=0)
    first["A"][0]["AT"]["D"] = "later"
    decoded = pir_json.decode(encode(document(data(1), first, second)))
    assert [spec.name for spec in decoded.program.outputs] == ["y", "later"]


VALUES = [
    ({"#": "0.a_bool", "D": True}, True),
    ({"#": "0.a_i32", "D": -3}, -3),
    ({"#": "0.a_i64", "D": 2**40}, 2**40),
    ({"#": "0.a_f32", "D": 0.5}, 0.5),
    ({"#": "0.a_f32", "D": 1}, 1.0),
    ({"#": "0.a_f64", "VD": "INF"}, math.inf),
    ({"#": "0.a_f64", "VD": "-INF"}, -math.inf),
    ({"#": "0.a_str", "D": "same"}, "same"),
    ({"#": "0.a_c64", "D": [1.0, 2]}, 1 + 2j),
    ({"#": "0.a_type", "D": {"#": "0.t_f32"}}, "float32"),
    ({"#": "1.a_dtype", "D": "int64"}, "int64"),
    ({"#": "1.a_intarray", "D": [-1, 4]}, (-1, 4)),
    ({"#": "1.a_scalar", "D": ["float32", 1.5]}, 1.5),
    ({"#": "1.a_scalar", "D": ["complex64", 1.5, 2]}, 1.5 + 2j),
    ({"#": "1.a_place", "D": [1, 0, ""]}, (1, 0, "")),
    ({"#": "0.a_array", "D": [{"#": "0.a_i32", "D": 1}, {"#": "0.a_i32", "D": 2}]}, (1, 2)),
    ({"#": "9.a_future", "D": {"k": [1]}}, {"k": (1,)}),
]


@pytest.mark.parametrize(("raw", "value"), VALUES, ids=lambda v: str(v)[:40])
def test_attributes_are_plain_values(raw: dict, value: object) -> None:
    assert attribute_value(raw) == value


def test_nan_is_spelled_out() -> None:
    assert math.isnan(attribute_value({"#": "0.a_f32", "VD": "NaN"}))


WRONG_VALUES = [
    {"#": "0.a_bool", "D": 1},
    {"#": "0.a_i32", "D": 2**31},
    {"#": "0.a_i32", "D": True},
    {"#": "0.a_i64", "D": 1.5},
    {"#": "0.a_f32", "D": "1"},
    {"#": "0.a_f64", "D": 1e400},
    {"#": "0.a_f64", "VD": "HUGE"},
    {"#": "0.a_str", "D": 1},
    {"#": "0.a_array", "D": {"#": "0.a_bool"}},
    {"#": "1.a_intarray", "D": [1.0]},
    {"#": "1.a_scalar", "D": []},
    {"#": "0.a_bool"},
    {"#": 7},
    {},
]


@pytest.mark.parametrize("raw", WRONG_VALUES, ids=str)
def test_attributes_of_another_type_are_damage(raw: dict) -> None:
    scale = operator("1.scale", (1,), (2,), ({"AT": raw, "N": "bias"},))
    with pytest.raises(DamagedArtifactError, match="operator 1 of block 0"):
        pir_json.decode(encode(document(data(1), scale)).replace(b"Infinity", b"1e400"))


@pytest.mark.parametrize("kind", sorted(ELEMENT_TYPES))
def test_every_element_type_is_known(kind: str) -> None:
    assert tensor_type(tensor(kind[2:], (-1, 3))) == (ELEMENT_TYPES[kind], (-1, 3))


@pytest.mark.parametrize(
    "raw",
    [
        tensor("f32", (-(2**63),)),
        tensor("f32", (2**63,)),
        tensor("f99"),
        tensor("f32", (1,) * 65),
        {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCHW", [[]], 0]},
        {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCHW", None, 0]},
        {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCWH", [], 0]},
        {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCHW", []]},
        {"#": "0.t_dtensar", "D": []},
        {"#": "0.t_dtensor", "D": []},
        {"#": "0.t_dtensor"},
        {"#": "0.t_vec", "D": [tensor("f99")]},
        {"#": "0.t_vec", "D": 1},
        {"#": None},
    ],
    ids=lambda raw: str(raw)[:50],
)
def test_impossible_types_are_damage(raw: dict) -> None:
    broken = data(1)
    broken["O"][0]["TT"] = raw
    with pytest.raises(DamagedArtifactError):
        pir_json.decode(encode(document(broken)))


def test_level_of_detail_of_a_type() -> None:
    raw = {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [-1], "NHWC", [[0, 2, 5]], 0]}
    assert tensor_type(raw) == ("float32", (-1,))


def test_a_newer_version_with_another_layout_says_so() -> None:
    text = encode(document({**data(1), "new": 1}, version=5))
    with pytest.raises(
        DamagedArtifactError, match=r"PIR version 5; known are 1 \(paddle 3\.0\.0\), 2"
    ) as caught:
        pir_json.decode(text)
    assert "Update compatload" in caught.value.action


def test_a_program_without_outputs_is_noted() -> None:
    assert "no outputs" in pir_json.decode(encode(document(data(1)))).notes[0]
    assert pir_json.decode(encode(SOUND)).notes == ()


def test_other_types_have_no_shape() -> None:
    assert tensor_type({"#": "NULL"}) == (None, None)
    assert tensor_type({"#": "0.t_vec", "D": [tensor(), tensor()]}) == (None, None)


def test_names_carry_their_dialect() -> None:
    assert full_name("1.conv2d") == "pd_op.conv2d"
    assert full_name("2.yield") == "cf.yield"
    assert full_name("7.new") == "7.new"


def loop(
    inputs: tuple[int, ...] = (1, 1),
    outputs: tuple[int, ...] = (9,),
    args: tuple[int, ...] = (-1,),
    yields: tuple[int, ...] = (1, -1),
) -> dict:
    """Data, and a loop over it that a test bends out of shape."""
    body = region(operator("2.yield", yields), args=args)
    return document(data(1), operator("1.while", inputs, outputs, regions=[body]))


def loop_of(kind: dict) -> dict:
    """The same, whose result has another type than what goes round."""
    content = loop()
    content["program"]["regions"][0]["blocks"][0]["ops"][1]["O"][0]["TT"] = kind
    return content


def branches(*yields: tuple[int, ...], results: tuple[int, ...] = (9,)) -> dict:
    regions = [region(operator("2.yield", values)) for values in yields]
    return document(data(1), operator("1.if", (1,), results, regions=regions))


def combined(*items: dict, operands: tuple[int, ...] = (1, 1)) -> dict:
    made = operator("0.combine", operands, (2,))
    made["O"][0]["TT"] = {"#": "0.t_vec", "D": list(items)}
    return document(data(1), made)


def split(*items: dict) -> dict:
    content = combined(tensor(), tensor())
    made = operator("0.split", (2,), tuple(range(3, 3 + len(items))))
    for result, item in zip(made["O"], items):
        result["TT"] = item
    content["program"]["regions"][0]["blocks"][0]["ops"].append(made)
    return content


@pytest.mark.parametrize(
    "sound",
    [
        loop(),
        branches((1,), (1,)),
        branches((), (), results=()),
        combined(tensor(), tensor()),
        split(tensor(), tensor()),
    ],
    ids=["loop", "branches", "branches without results", "combine", "split"],
)
def test_what_fits_together_is_accepted(sound: dict) -> None:
    assert pir_json.decode(encode(sound)).program.operators


DEFECTS = {
    "value used before it is defined": document(operator("1.abs", (1,), (2,)), data(1)),
    "value of nowhere": document(operator("1.abs", (77,), (1,))),
    "value defined twice": document(data(1), data(1)),
    "parameter declared twice": document(parameter(1, "w"), parameter(2, "w")),
    "value of a finished block": document(
        data(1),
        operator(
            "1.if",
            (1,),
            (),
            regions=[region(operator("1.abs", (1,), (5,)), operator("2.yield"))] * 1
            + [region(operator("2.yield"))],
        ),
        operator("1.abs", (5,), (6,)),
    ),
    "result of an operator inside it": document(
        data(1), operator("1.while", (1,), (2,), regions=[region(operator("1.abs", (2,), (3,)))])
    ),
    "loop with too few operands": loop(inputs=(1,)),
    "loop with too many results": loop(outputs=(8, 9)),
    "loop with too many arguments": loop(args=(-1, -2)),
    "loop whose result is an element": loop_of({"#": "0.t_f64", "D": []}),
    "loop whose result has other elements": loop_of(tensor("f64")),
    "loop that gives back too little": loop(yields=(1,)),
    "branches that give back too little": branches((1,), ()),
    "three branches": branches((1,), (1,), (1,)),
    "combination of another length": combined(tensor()),
    "combination of another type": combined(tensor(), tensor("i64")),
    "parts of another type": split(tensor(), tensor("f32", (3,))),
    "output of another type": document(
        data(1), {**fetch(1, 2), "O": [{"%": 2, "TT": tensor("f32", (3,))}]}
    ),
    "branch without an end": document(
        data(1), operator("1.if", (1,), (), regions=[region(operator("1.abs", (1,), (2,)))] * 2)
    ),
    "loop without a body": document(data(1), operator("1.while", (1,), (2,))),
    "loop with an empty region": document(
        data(1), operator("1.while", (1,), (2,), regions=[{"#": "r", "blocks": []}])
    ),
    "if with one branch": document(
        data(1), operator("1.if", (1,), (2,), regions=[region(operator("2.yield"))])
    ),
    "no operators": document(),
    "misspelt key of an operator": document({**data(1), "OB": []}),
    "flags of results missing": document({k: v for k, v in data(1).items() if k != "OA"}),
    "misspelt key of a parameter": document(
        {("qA" if k == "QA" else k): v for k, v in parameter(1, "w").items()}
    ),
    "misspelt key of the header": {
        **SOUND,
        "base_code": {"magic": "pir", "tsainable": True, "version": 4},
    },
    "misspelt data type": document(
        data(1), operator("1.cast", (1,), (2,), (attribute("dtype", "1.a_dtype", "floet32"),))
    ),
    "misspelt kind of attribute": document(
        data(1), operator("1.abs", (1,), (2,), (attribute("x", "0.a_boal", True),))
    ),
    "attribute with a third key": document(
        {**data(1), "A": [{**attribute("n", "0.a_str", ""), "x": 1}]}
    ),
    "parameter without quantisation attributes": document({**parameter(1, "w"), "QA": None}),
    "block without a name": {
        **SOUND,
        "program": {"regions": [{"#": "region_0", "blocks": [{"args": [], "ops": [data(1)]}]}]},
    },
    "region whose name is a number": {
        **SOUND,
        "program": {"regions": [{**region(data(1)), "#": 0}]},
    },
    "no region": {**SOUND, "program": {"regions": []}},
    "two main blocks": {
        **SOUND,
        "program": {"regions": [{"#": "region_0", "blocks": [block(), block()]}]},
    },
    "no program": {"base_code": SOUND["base_code"]},
    "program is a list": {**SOUND, "program": []},
    "version is text": document(data(1), version="4"),
    "version is negative": document(data(1), version=-1),
    "version is true": document(data(1), version=True),
    "trainable is a number": document(data(1), trainable=1),
    "operator is a number": document(7),
    "operator without name": document({"A": [], "I": [], "O": []}),
    "operands are no list": document({**operator("1.abs"), "I": {"%": 0}}),
    "value id is a float": document({**operator("1.abs"), "I": [{"%": 0.0}]}),
    "value id is true": document({**operator("1.abs"), "O": [{"%": True, "TT": tensor()}]}),
    "input without a name": document(operator("1.data", (), (1,))),
    "output of two values": document(data(1), fetch(1, 2) | {"O": [], "I": [{"%": 1}] * 2}),
    "parameter without a name": document({**parameter(1, "w"), "A": [0, 1, 1]}),
    "parameter that is no tensor": document(
        {**parameter(1, "w"), "O": {"%": 1, "TT": {"#": "NULL"}}}
    ),
    "blocks nested too deeply": nested(60),
}


@pytest.mark.parametrize("defect", sorted(DEFECTS))
def test_contradictions_are_damage(defect: str) -> None:
    with pytest.raises(DamagedArtifactError, match=r"m\.json is damaged"):
        pir_json.decode(encode(DEFECTS[defect]), "m.json")


TEXTS = {
    "not JSON": b"{",
    "no UTF-8": encode(SOUND).replace(b'"x"', b'"\xff"'),
    "UTF-16": json.dumps(SOUND).encode("utf-16"),
    "half a surrogate": encode(SOUND).replace(b'"x"', b'"\\ud800"'),
    "NaN as a number": encode(SOUND).replace(b"0.5", b"NaN"),
    "Infinity as a number": encode(SOUND).replace(b"0.5", b"-Infinity"),
    "bytes behind": encode(SOUND) + b"{}",
    "zeros behind": encode(SOUND) + b"\0" * 8,
    "a control character": encode(SOUND).replace(b'"x"', b'"\x01"'),
    "brackets": b"[" * 1_000_000,
    "objects": b'{"a":' * 1_000_000,
    "a million digits": encode(SOUND).replace(b'"version":4', b'"version":' + b"9" * 1_000_000),
    "a list": b'["magic","pir"]',
    "other JSON": b'{"model_type":"llama"}',
    "another magic": encode(SOUND).replace(b'"pir"', b'"rip"'),
}


@pytest.mark.parametrize("defect", sorted(TEXTS))
def test_text_that_paddle_would_not_parse_is_damage(defect: str) -> None:
    with pytest.raises(DamagedArtifactError, match=r"m\.json is damaged"):
        pir_json.decode(TEXTS[defect], "m.json")


def test_nesting_within_reason_is_accepted() -> None:
    assert len(pir_json.decode(encode(nested(20))).program.operators) > 40


def test_a_whole_surrogate_pair_is_a_character() -> None:
    text = encode(SOUND).replace(b'"x"', b'"\\ud83d\\ude00"')
    assert pir_json.decode(text).program.inputs[0].name == "\U0001f600"


def test_a_decoded_program_survives_pickling() -> None:
    decoded = pir_json.decode(encode(SOUND))
    again = pickle.loads(pickle.dumps(decoded))
    assert again == decoded
    assert type(again.program.operators[4]) is Operator


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def paths(value: object, here: tuple = ()) -> list[tuple]:
    """The way to every place of a document."""
    found = [here]
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        found += paths(item, (*here, key))
    return found


@given(st.data())
def test_any_value_in_any_place_is_accepted_or_damage(draw: st.DataObject) -> None:
    changed = json.loads(encode(SOUND))
    way = draw.draw(st.sampled_from(paths(changed)[1:]))
    place = changed
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = draw.draw(json_values)
    try:
        decoded = pir_json.decode(json.dumps(changed).encode())
    except DamagedArtifactError:
        return
    for each in decoded.program.operators:
        assert each.inputs is not None
        assert each.outputs is not None
    assert decoded.program.variables is not None
    assert [*decoded.program.variables]


@given(st.binary(max_size=100))
def test_any_bytes_are_damage(data: bytes) -> None:
    with pytest.raises(DamagedArtifactError):
        pir_json.decode(data)


def test_products_of_unknown_sizes_are_unknown() -> None:
    """Paddle writes −1 × 3 as −3 (reshape inside instance_norm, saved by 3.3.1)."""
    assert tensor_type(tensor("f32", (-3, 4))) == ("float32", (-1, 4))


def test_more_nodes_than_any_program_has_are_not_parsed() -> None:
    """80 MB of ``{},`` took 2 GB of memory."""
    data = b'{"base_code":{"magic":"pir"},"program":[' + b"{}," * (8 << 20) + b"{}]}"
    tracemalloc.start()
    try:
        with pytest.raises(DamagedArtifactError, match="more than 16000000 objects"):
            pir_json.decode(data)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_of_a_list_of_nothing_only_an_assertion_may_tell() -> None:
    nothing = operator("0.combine", (), (2,))
    nothing["O"][0]["TT"] = {"#": "0.t_vec", "D": []}
    assertion = operator("1.assert", (1, 2), (), (attribute("summarize", "0.a_i64", 20),))
    decoded = pir_json.decode(encode(document(data(1), nothing, assertion)), "m.json")
    assert [one.name for one in decoded.program.operators][-1] == "pd_op.assert"
    read = operator("1.add_n", (2,), (3,))
    with pytest.raises(DamagedArtifactError, match="reads a list of nothing"):
        pir_json.decode(encode(document(data(1), nothing, read)), "m.json")
