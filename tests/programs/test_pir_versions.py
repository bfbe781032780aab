"""PIR conversion, against what the releases themselves saved for the same models.

``pir_programs/<release>.json.gz`` holds small programs as each release wrote them. A program of
one release, converted, must be what the other release wrote, wherever both use the same
operators: nothing here is compared with compatload's own output.
"""

from __future__ import annotations

import copy
import gc
import gzip
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from compatload.errors import ConversionError, DamagedArtifactError
from compatload.operators.registry import pir_operators, pir_version_of
from compatload.programs import pir_versions
from compatload.programs.pir_versions import (
    Change,
    convert_pir,
    convert_pir_bytes,
    operator_name,
    releases_that_wrote,
)

HERE = Path(__file__).resolve().parent / "pir_programs"
RELEASES = ("3.0.0", "3.1.1", "3.2.2", "3.3.0", "3.3.1")
COUNTS = {"3.0.0": 49, "3.1.1": 47, "3.2.2": 51, "3.3.0": 50, "3.3.1": 53}
PROGRAMS = {
    release: json.loads(gzip.decompress((HERE / f"{release}.json.gz").read_bytes()))
    for release in RELEASES
}
PAIRS = [(a, b) for a in RELEASES for b in RELEASES if a != b]
# Newer releases have an operator for these where older ones spelled it out.
WRITTEN_OTHERWISE = ("masked_fill", "median", "divide_trunc", "slogdet_pair")
# No 3.2 or older can do it.
INEXPRESSIBLE = {"antialias"}


def text(release: str, name: str) -> bytes:
    return PROGRAMS[release][name].encode()


def program(release: str, name: str) -> Any:
    return json.loads(PROGRAMS[release][name])


def operators(converted: Any) -> list[Any]:
    found, waiting = [], list(converted["program"]["regions"])
    while waiting:
        for block in waiting.pop(0)["blocks"]:
            for operator in block["ops"]:
                found.append(operator)
                waiting += operator.get("regions", ())
    return found


def one(converted: Any, name: str) -> Any:
    (found,) = [item for item in operators(converted) if item["#"] == name]
    return found


def attribute(operator: Any, name: str) -> Any:
    (found,) = [item["AT"] for item in operator["A"] if item["N"] == name]
    return found


def comparable(value: Any) -> Any:
    """Numbers at float32's precision, attributes by name, notes on source code left out.

    What was a float32 attribute in one release is the nearest double of it in a file, so 0.01
    stands there as 0.009999999776482582.
    """
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if not isinstance(value, dict):
        return value
    new = {key: comparable(item) for key, item in value.items()}
    if new.get("#") in ("0.a_f32", "0.a_f64") and "D" in new:
        (new["D"],) = struct.unpack("f", struct.pack("f", new["D"]))
    if isinstance(new.get("A"), list) and new["#"] != "p":
        named = (item for item in new["A"] if item["N"] != "struct_name")
        new["A"] = sorted(named, key=lambda item: item["N"])
    return new


def test_all_programs_are_there():
    assert {release: len(found) for release, found in PROGRAMS.items()} == COUNTS


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_converted_is_what_the_other_release_saved(source, target):
    compared = 0
    for name in PROGRAMS[source].keys() & PROGRAMS[target].keys():
        if name.startswith(WRITTEN_OTHERWISE):
            continue
        converted, _ = convert_pir(program(source, name), target)
        # A NaN is spelled readably by the converter and unreadably by Paddle.
        expected = json.loads(PROGRAMS[target][name].replace('"VD":"NaN"', '"VD":"NAN"'))
        assert comparable(converted) == comparable(expected), name
        compared += 1
    assert compared >= 40


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_there_and_back(source, target):
    for name in PROGRAMS[source].keys() - INEXPRESSIBLE:
        if name.startswith(WRITTEN_OTHERWISE):
            continue
        there, _ = convert_pir(program(source, name), target)
        back, _ = convert_pir(there, source)
        expected = json.loads(PROGRAMS[source][name].replace('"VD":"NaN"', '"VD":"NAN"'))
        assert comparable(back) == comparable(expected), name


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_reads_its_own_programs_as_they_are(release):
    for name in PROGRAMS[release]:
        converted, changes = convert_pir_bytes(text(release, name), release)
        if name == "full_nan":
            assert [change.count for change in changes] == [1]
            assert converted == text(release, name).replace(b'"VD":"NaN"', b'"VD":"NAN"')
        else:
            assert (converted, changes) == (text(release, name), ()), name


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_bytes_and_objects_give_the_same(source, target):
    for name in PROGRAMS[source].keys() - INEXPRESSIBLE:
        converted, changes = convert_pir(program(source, name), target)
        data, told = convert_pir_bytes(text(source, name), target)
        assert json.loads(data) == converted, name
        assert told == changes, name


def test_what_paddle_wrote_is_never_parsed_as_a_whole(monkeypatch):
    monkeypatch.setattr(pir_versions, "_parse", lambda data: pytest.fail("parsed as a whole"))
    for name in PROGRAMS["3.3.1"].keys() - INEXPRESSIBLE:
        data, _ = convert_pir_bytes(text("3.3.1", name), "3.0.0")
        assert data.startswith(b'{"base_code":{"magic":"pir","trainable":true,"version":1}')


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda data: json.dumps(json.loads(data), indent=4).encode(),
        lambda data: json.dumps(json.loads(data)).encode(),
        lambda data: json.dumps(dict(reversed(json.loads(data).items()))).encode(),
        lambda data: data.replace(b'{"#":"1.pool2d","A":', b'{ "#":"1.pool2d","A":'),
        lambda data: data.replace(b'"A":[]', b'"A" : [ ]'),
    ],
    ids=["indented", "spaced", "reordered", "one space", "space after a key"],
)
def test_files_that_paddle_would_write_otherwise(rewrite):
    for name in ("max_pool2d_ceil", "if"):
        data = text("3.3.1", name)
        rewritten = rewrite(data)
        assert json.loads(rewritten) == json.loads(data)
        converted, changes = convert_pir_bytes(rewritten, "3.0.0")
        expected, expected_changes = convert_pir_bytes(data, "3.0.0")
        assert json.loads(converted) == json.loads(expected)
        assert changes == expected_changes


def test_an_operator_with_keys_in_another_order_is_not_overlooked():
    data = program("3.3.1", "max_pool2d_ceil")
    blocks = data["program"]["regions"][0]["blocks"]
    blocks[0]["ops"] = [dict(reversed(item.items())) for item in blocks[0]["ops"]]
    compact = json.dumps(data, separators=(",", ":")).encode()
    converted, _ = convert_pir_bytes(compact, "3.0.0")
    strides = attribute(one(json.loads(converted), "1.pool2d"), "strides")
    assert {item["#"] for item in strides["D"]} == {"0.a_i32"}


def test_text_that_looks_like_an_operator_is_left_alone():
    data = program("3.3.1", "max_pool2d_ceil")
    trap = '{"#":"1.pool2d","A":[{"AT":{"#":"0.a_i64","D":1},"N":"strides"}],"I":['
    pool = one(data, "1.pool2d")
    pool["A"].append({"AT": {"#": "0.a_str", "D": trap}, "N": "struct_name"})
    raw = json.dumps(data, separators=(",", ":")).encode()
    converted, changes = convert_pir_bytes(raw, "3.0.0")
    assert attribute(one(json.loads(converted), "1.pool2d"), "struct_name")["D"] == trap
    assert json.loads(converted) == convert_pir(data, "3.0.0")[0]
    assert changes == convert_pir(data, "3.0.0")[1]


@pytest.mark.parametrize("name", sorted(PROGRAMS["3.3.1"]))
def test_the_source_object_is_never_altered(name):
    source = program("3.3.1", name)
    before = copy.deepcopy(source)
    for target in RELEASES:
        if name not in INEXPRESSIBLE or target.startswith("3.3"):
            convert_pir(source, target)
    assert source == before


def test_changes_tell_what_was_done():
    _, changes = convert_pir(program("3.3.1", "max_pool2d_ceil"), "3.0.0")
    assert changes == (
        Change("", "PIR version 4 becomes 1"),
        Change("pd_op.pool2d", "paddings: an array of i64 becomes an array of i32"),
        Change("pd_op.pool2d", "strides: an array of i64 becomes an array of i32"),
    )


def test_changes_are_counted():
    _, changes = convert_pir(program("3.3.1", "avg_pool3d"), "3.0.0")
    (pooled,) = [item for item in changes if item.what.startswith("strides")]
    assert (pooled.operator, pooled.count) == ("pd_op.pool3d", 1)


def test_nested_blocks_are_converted():
    for name in ("while", "if"):
        converted, _ = convert_pir(program("3.3.1", name), "3.0.0")
        slope = attribute(one(converted, "1.leaky_relu"), "negative_slope")
        assert slope["#"] == "0.a_f32"


def test_added_attributes_are_left_out_only_where_they_say_nothing():
    source = program("3.2.2", "repeat_interleave")
    converted, _ = convert_pir(source, "3.1.1")
    repeat = one(converted, "1.repeat_interleave")
    assert "output_size" not in {item["N"] for item in repeat["A"]}
    attribute(one(source, "1.repeat_interleave"), "output_size")["D"] = 8
    with pytest.raises(ConversionError) as caught:
        convert_pir(source, "3.1.1")
    assert caught.value.obstacles == (
        "pd_op.repeat_interleave (block 0, operator 2): output_size: Paddle 3.1.1 has no such "
        "attribute, and its value 8 matters",
    )


def test_attributes_that_are_missing_are_added():
    converted, changes = convert_pir(program("3.1.1", "repeat_interleave"), "3.3.1")
    added = attribute(one(converted, "1.repeat_interleave"), "output_size")
    assert added == {"#": "0.a_i64", "D": -1}
    assert any("output_size: added with -1" in item.what for item in changes)


def test_a_missing_attribute_without_a_known_default_is_an_obstacle():
    source = program("3.3.1", "max_pool2d_ceil")
    pool = one(source, "1.pool2d")
    pool["A"] = [item for item in pool["A"] if item["N"] != "ceil_mode"]
    with pytest.raises(ConversionError, match=r"ceil_mode: Paddle 3\.0\.0 needs this"):
        convert_pir(source, "3.0.0")


def test_every_obstacle_is_listed_with_its_position():
    source = program("3.3.1", "if")
    attribute(one(source, "1.leaky_relu"), "negative_slope")["D"] = 1e300
    attribute(one(source, "1.softplus"), "beta")["#"] = "0.a_str"
    one(source, "1.greater_than")["#"] = "3.my_operator"
    for convert in (convert_pir, lambda data, to: convert_pir_bytes(json.dumps(data).encode(), to)):
        with pytest.raises(ConversionError) as caught:
            convert(source, "3.0.0")
        listed = caught.value.obstacles
        assert len(listed) == 3
        assert any(
            item.startswith("3.my_operator (block 0, operator ")
            and item.endswith("Paddle 3.0.0 has no such operator")
            for item in listed
        )
        assert any("pd_op.softplus (block 1, operator 0): beta: str" in item for item in listed)
        assert any(
            "block 2, operator 0): negative_slope: 1e+300 is beyond" in item for item in listed
        )
        assert "PIR version 4" in str(caught.value)


def test_the_saver_is_named_where_it_is_known():
    with pytest.raises(
        ConversionError, match=r"program \(Paddle 3\.3\.1\) cannot .* Paddle 3\.0\.0"
    ):
        convert_pir(program("3.3.1", "antialias"), "3.0.0", source="3.3.1")


@pytest.mark.parametrize(
    ("value", "fits"),
    [(2**31 - 1, True), (-(2**31), True), (2**31, False), (-(2**31) - 1, False)],
)
def test_integers_that_do_not_fit(value, fits):
    source = program("3.3.1", "kthvalue")
    attribute(one(source, "1.kthvalue"), "k")["D"] = value
    if fits:
        converted, _ = convert_pir(source, "3.1.0")
        assert attribute(one(converted, "1.kthvalue"), "k") == {"#": "0.a_i32", "D": value}
    else:
        with pytest.raises(ConversionError, match=f"k: {value} is beyond a 32-bit integer"):
            convert_pir(source, "3.1.0")


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (3.4028234663852886e38, True),
        (-3.4028235e38, True),  # rounds to the largest float32
        (3.4028235677973366e38, False),  # rounds to infinity
        (1e-60, True),
        (0, True),
    ],
)
def test_floats_that_do_not_fit(value, fits):
    source = program("3.3.1", "leaky_relu_slope")
    attribute(one(source, "1.leaky_relu"), "negative_slope")["D"] = value
    if fits:
        converted, _ = convert_pir(source, "3.2.2")
        new = attribute(one(converted, "1.leaky_relu"), "negative_slope")
        assert new == {"#": "0.a_f32", "D": value}
    else:
        with pytest.raises(ConversionError, match="is beyond a 32-bit float"):
            convert_pir(source, "3.2.2")


def test_infinite_values_stay_infinite():
    converted, _ = convert_pir(program("3.3.1", "pad_infinite"), "3.0.0")
    assert attribute(one(converted, "1.pad3d"), "pad_value") == {"#": "0.a_f32", "VD": "-INF"}


def test_nan_is_spelled_as_readers_want_it():
    for release in RELEASES:
        assert b'"VD":"NaN"' in text(release, "full_nan")
        converted, _ = convert_pir_bytes(text(release, "full_nan"), release)
        assert b"NaN" not in converted
        assert b'"VD":"NAN"' in converted


def test_empty_arrays_have_no_element_type():
    source = program("3.3.1", "bilinear")
    attribute(one(source, "1.bilinear_interp"), "scale")["D"] = []
    converted, _ = convert_pir(source, "3.0.0")
    assert attribute(one(converted, "1.bilinear_interp"), "scale") == {"#": "0.a_array", "D": []}


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("3.3.1", "group_norm", ("3.3.1",)),
        ("3.3.0", "group_norm", ("3.3.0",)),
        ("3.3.1", "relu", ("3.3.0", "3.3.1")),
        ("3.1.1", "kthvalue", ("3.1.1",)),
        ("3.1.1", "full_nan", ("3.1.0", "3.1.1")),
        ("3.2.2", "relu", ("3.2.0", "3.2.1", "3.2.2")),
        ("3.0.0", "relu", ("3.0.0",)),
    ],
)
def test_releases_of_one_number_are_told_apart_by_content(release, name, expected):
    assert releases_that_wrote(program(release, name)) == expected


def test_a_development_build_is_converted_by_content():
    source = program("3.3.1", "max_pool2d_ceil")
    source["base_code"]["version"] = 0
    assert releases_that_wrote(source) == ()
    converted, _ = convert_pir(source, "3.0.0")
    assert comparable(converted) == comparable(program("3.0.0", "max_pool2d_ceil"))


def test_a_newer_release_than_any_known_counts_as_the_newest():
    converted, _ = convert_pir(program("3.0.0", "group_norm"), "3.9.0")
    assert converted["base_code"]["version"] == pir_version_of("3.3.1")
    assert attribute(one(converted, "1.group_norm"), "epsilon")["#"] == "0.a_f64"


def test_blocks_nested_deeper_than_python_can_recurse():
    source = program("3.3.1", "if")
    branch = one(source, "1.if")
    slope = {"A": [{"AT": {"#": "0.a_f64", "D": 0.5}, "N": "negative_slope"}], "#": "1.leaky_relu"}
    inner: Any = {**slope, "I": [{"%": 1}], "O": [{"%": 2, "TT": {"#": "NULL"}}], "OA": []}
    for depth in range(5000):
        block = {"#": f"block_{depth}", "args": [], "ops": [inner]}
        inner = {**branch, "regions": [{"#": "region", "blocks": [block]}]}
    source["program"]["regions"][0]["blocks"][0]["ops"] = [inner]
    converted, changes = convert_pir(source, "3.0.0")
    assert Change("pd_op.leaky_relu", "negative_slope: f64 becomes f32") in changes
    block = converted["program"]["regions"][0]["blocks"][0]
    while "regions" in block["ops"][0]:
        block = block["ops"][0]["regions"][0]["blocks"][0]
    assert block["ops"][0]["A"][0]["AT"]["#"] == "0.a_f32"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\x80\x02}",
        b'{"base_code":{"magic":"pir"}}',
        b'{"base_code":{"magic":"onnx","version":1},"program":{"regions":[]}}',
        b'{"base_code":{"magic":"pir","version":true},"program":{"regions":[]}}',
        b'{"base_code":{"magic":"pir","version":"4"},"program":{"regions":[]}}',
        b'{"base_code":{"magic":"pir","version":4},"program":{"regions":[{}]}}',
        b'{"base_code":{"magic":"pir","version":4},"program":{"regions":[{"blocks":[{"ops":7}]}]}}',
        b'{"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[',
        b'{"base_code":{"magic":"pir","version":4},"program":' + b"[" * 100000,
        b'{"base_code":{"magic":"pir","version":NaN},"program":{"regions":[]}}',
        b'{"base_code":{"magic":"pir","version":4,"x":1e999},"program":{"regions":[]}}',
        b'{"base_code":[],"program":{"regions":[]}}',
        b'{"base_code":{"magic":"pir","version":4,"x":"\\ud800"},"program":{"regions":[]}}',
    ],
)
def test_what_is_no_program_is_refused(data):
    with pytest.raises(DamagedArtifactError, match="no PIR program"):
        convert_pir_bytes(data, "3.0.0")


@pytest.mark.parametrize("release", ["3.0.0", "3.3.1"])
def test_damaged_files_end_in_documented_errors_or_in_json(release):
    data = text(release, "transformer_layer")
    for cut in range(0, len(data), 997):
        for damaged in (data[:cut], data[:cut] + b"\x00" + data[cut + 1 :]):
            try:
                convert_pir_bytes(damaged, "3.2.2")
            except (DamagedArtifactError, ConversionError):
                continue
            # In-place rewriting leaves what it does not look at to the reader; a file that was
            # cut is never taken for a whole one.
            assert damaged.endswith(b"]}]}]}}")


@pytest.mark.parametrize("number", [10**400, "1", None, [], {}, True])
def test_attributes_of_impossible_types(number):
    source = program("3.3.1", "leaky_relu_slope")
    attribute(one(source, "1.leaky_relu"), "negative_slope")["D"] = number
    with pytest.raises((ConversionError, DamagedArtifactError)):
        convert_pir(source, "3.2.2")
    with pytest.raises((ConversionError, DamagedArtifactError)):
        convert_pir_bytes(json.dumps(source, separators=(",", ":")).encode(), "3.2.2")


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    found, waiting = [], [value]
    while waiting:
        item = waiting.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item))
        for key in keys:
            found.append((item, key))
            if isinstance(item[key], (dict, list)):
                waiting.append(item[key])
    return found


@pytest.mark.parametrize("name", ["if", "masked_fill_dynamic", "median", "slogdet_pair", "lstm"])
def test_any_value_in_any_place_ends_in_a_documented_error_or_a_program(name):
    chance = random.Random(name)
    values = [None, True, -1, 2**70, 1e308, "", "1.median", [], [[]], {}, {"#": 1}]
    refused = 0
    for _ in range(400):
        damaged = program("3.3.1", name)
        container, key = chance.choice(places(damaged))
        container[key] = chance.choice(values)
        data = json.dumps(damaged, separators=(",", ":")).encode()
        for convert, given in ((convert_pir_bytes, data), (convert_pir, damaged)):
            try:
                convert(given, "3.0.0")
            except (ConversionError, DamagedArtifactError):
                refused += 1
    assert refused > 100


def test_the_collector_is_put_back():
    assert gc.isenabled()
    with pytest.raises(DamagedArtifactError):
        convert_pir_bytes(b"{}", "3.0.0")
    assert gc.isenabled()
    gc.disable()
    try:
        convert_pir_bytes(text("3.3.1", "relu"), "3.0.0")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_names_of_operators():
    assert operator_name("1.conv2d") == "pd_op.conv2d"
    assert operator_name("2.yield") == "cf.yield"
    assert operator_name("p") == "builtin.parameter"
    assert operator_name("3.mine") == "3.mine"


@pytest.mark.parametrize("release", RELEASES)
def test_registries_describe_what_releases_write(release):
    """Attributes, operands and results in real files are those of the release's registry."""
    table = pir_operators(release)
    seen = 0
    for name in PROGRAMS[release]:
        for operator in operators(program(release, name)):
            known = table[operator_name(operator["#"])]
            if not known.described or not known.name.startswith("pd_op."):
                continue
            names = {item["N"] for item in operator["A"]} - {"struct_name"}
            assert names == {item.name for item in known.attributes}, known.name
            assert len(operator["I"]) == len(known.operands), known.name
            assert len(operator["O"]) == len(known.results), known.name
            seen += 1
    assert seen > 350
