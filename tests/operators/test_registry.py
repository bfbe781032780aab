"""The registries hold what the wheels say; figures and examples were read from the wheels."""

from __future__ import annotations

import subprocess
import sys

import pytest
from packaging.version import Version

from compatload.errors import UsageError
from compatload.operators.registry import (
    LegacyAttribute,
    LegacySlot,
    PirAttribute,
    PirOperand,
    PirResult,
    known_releases,
    legacy_operators,
    pir_operators,
    pir_version_of,
)
from compatload.releases import PIR_VERSIONS

# A release that got lost, or a table that was cut short, must fail a test.
PIR_COUNTS = {
    "3.0.0": 1541,
    "3.1.0": 1572,
    "3.1.1": 1583,
    "3.2.0": 1603,
    "3.2.1": 1603,
    "3.2.2": 1603,
    "3.3.0": 1624,
    "3.3.1": 1639,
}
LEGACY_COUNTS = {
    "2.6.0": 1204,
    "2.6.1": 1204,
    "2.6.2": 1204,
    "3.0.0": 1141,
    "3.1.0": 1157,
    "3.1.1": 1162,
    "3.2.0": 1180,
    "3.2.1": 1180,
    "3.2.2": 1180,
    "3.3.0": 1195,
    "3.3.1": 1209,
}


def test_every_release_is_there_with_all_its_operators():
    assert {item: len(pir_operators(item)) for item in known_releases("pir")} == PIR_COUNTS
    assert {item: len(legacy_operators(item)) for item in known_releases("legacy")} == LEGACY_COUNTS


@pytest.mark.parametrize("release", PIR_COUNTS)
def test_every_pir_operator_can_be_read(release):
    kinds = {
        attribute.type for item in pir_operators(release).values() for attribute in item.attributes
    }
    assert kinds == {
        None,
        "scalar",
        "0.a_array",
        *(f"0.a_{kind}" for kind in ("bool", "f32", "f64", "i32", "i64", "str")),
        *(f"0.a_array<0.a_{kind}>" for kind in ("f32", "i32", "i64", "str")),
        "0.a_array<scalar>",
        *(("0.a_array<0.a_f64>",) if Version(release) >= Version("3.3") else ()),
        *("1.a_dtype", "1.a_place", "1.a_intarray"),
    }


@pytest.mark.parametrize("release", LEGACY_COUNTS)
def test_every_legacy_operator_can_be_read(release):
    described = [item for item in legacy_operators(release).values() if item.described]
    assert len(described) > 700
    assert all(item.inputs or item.outputs or item.attributes for item in described)


@pytest.mark.parametrize(
    ("operator", "attribute", "types"),
    [
        ("pool2d", "strides", {"3.0.0": "0.a_array<0.a_i32>", "3.1.0": "0.a_array<0.a_i64>"}),
        ("kthvalue", "k", {"3.1.0": "0.a_i32", "3.1.1": "0.a_i64"}),
        ("leaky_relu", "negative_slope", {"3.2.2": "0.a_f32", "3.3.0": "0.a_f64"}),
        (
            "bilinear_interp",
            "scale",
            {"3.2.2": "0.a_array<0.a_f32>", "3.3.0": "0.a_array<0.a_f64>"},
        ),
        ("group_norm", "epsilon", {"3.3.0": "0.a_f32", "3.3.1": "0.a_f64"}),
        ("p_norm", "porder", {"3.0.0": "0.a_f32", "3.3.1": "0.a_f32"}),
    ],
)
def test_attribute_types_that_releases_changed(operator, attribute, types):
    for release, kind in types.items():
        found = pir_operators(release)[f"pd_op.{operator}"].attribute(attribute)
        assert found == PirAttribute(attribute, kind), release


def test_attributes_and_operators_that_releases_added():
    assert pir_operators("3.1.1")["pd_op.repeat_interleave"].attribute("output_size") is None
    assert pir_operators("3.2.0")["pd_op.repeat_interleave"].attribute("output_size") is not None
    assert "pd_op.masked_fill" not in pir_operators("3.0.0")
    assert "pd_op.masked_fill" in pir_operators("3.1.0")
    assert "pd_op.rms_norm" not in pir_operators("3.3.0")


def test_a_pir_operator_in_full():
    operator = pir_operators("3.3.1")["pd_op.layer_norm"]
    assert operator.operands == (
        PirOperand("x", "dense"),
        PirOperand("scale", "dense", optional=True),
        PirOperand("bias", "dense", optional=True),
    )
    assert operator.attributes == (
        PirAttribute("epsilon", "0.a_f32"),
        PirAttribute("begin_norm_axis", "0.a_i32"),
    )
    assert operator.results == (
        PirResult("out", "dense"),
        PirResult("mean", "dense", optional=True, intermediate=True),
        PirResult("variance", "dense", optional=True, intermediate=True),
    )


def test_operands_that_were_attributes_once():
    operands = pir_operators("3.0.0")["pd_op.reshape"].operands
    assert operands == (
        PirOperand("x", "dense"),
        PirOperand("shape", "intarray", mutable_attribute=True),
    )
    assert pir_operators("3.0.0")["pd_op.concat"].operands[0].type == "vector<dense>"


def test_operators_without_a_description():
    loop = pir_operators("3.3.1")["pd_op.while"]
    assert not loop.described
    assert not legacy_operators("2.6.2")["conv2d_grad"].described


def test_a_legacy_operator_in_full():
    operator = legacy_operators("2.6.2")["reshape2"]
    assert operator.inputs == (
        LegacySlot("X"),
        LegacySlot("Shape", dispensable=True),
        LegacySlot("ShapeTensor", duplicable=True, dispensable=True),
    )
    assert operator.outputs == (LegacySlot("Out"), LegacySlot("XShape", intermediate=True))
    assert operator.attribute("shape") == LegacyAttribute("shape", "INTS", default=())
    assert operator.attribute("use_mkldnn") == LegacyAttribute("use_mkldnn", "BOOLEAN", True, False)
    assert operator.attribute("nothing") is None


def test_defaults_of_legacy_attributes():
    operators = legacy_operators("2.6.2")
    slope = operators["leaky_relu"].attribute("alpha")
    assert slope is not None
    assert slope.default == pytest.approx(0.02)
    assert operators["conv2d"].attribute("strides").default == (1, 1)
    assert operators["conv2d"].attribute("use_cudnn").extra


@pytest.mark.parametrize(
    ("asked", "release", "exact"),
    [
        ("3.0.0", "3.0.0", True),
        ("3.3.1", "3.3.1", True),
        ("3.3.1+cu126", "3.3.1", True),
        ("3.0.0rc1", "3.0.0", False),
        ("3.1.7", "3.1.1", False),
        ("3.10.0", "3.3.1", False),
        ("4.0", "3.3.1", False),
        ("0.0.0", "3.3.1", False),  # a development build
        ("2.6.2", "3.0.0", False),
    ],
)
def test_versions_that_are_not_on_file_are_told(asked, release, exact):
    table = pir_operators(asked)
    assert (table.release, table.exact) == (release, exact)


def test_legacy_tables_reach_back_to_2_6():
    table = legacy_operators("2.5.1")
    assert (table.release, table.exact) == ("2.6.0", False)


def test_what_is_no_version_is_refused():
    with pytest.raises(UsageError, match="'newest' is no version"):
        pir_operators("newest")


def test_pir_numbers():
    written = {release: number for number, releases in PIR_VERSIONS.items() for release in releases}
    assert tuple(written) == known_releases("pir")
    assert {pir_version_of(item) for item in ("3.1.0", "3.1.1")} == {2}
    assert pir_version_of("3.9.0") == 4


def test_a_table_is_a_mapping():
    table = pir_operators("3.3.1")
    assert table.get("pd_op.no_such") is None
    assert 17 not in table
    assert table["pd_op.relu"] is table["pd_op.relu"]
    with pytest.raises(KeyError):
        table["pd_op.no_such"]


def test_importing_opens_no_table():
    code = (
        "import sys; import compatload.operators.registry as r;"
        "assert r._steps.cache_info().currsize == 0; assert 'paddle' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
