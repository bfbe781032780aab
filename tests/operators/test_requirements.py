"""What an operator must have: sound programs have it, and each way of lacking it is seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compatload.artifact import pir_json, program_desc
from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, ArtifactFiles, DecodedProgram
from compatload.artifact.program_proto import ATTR_FIELDS, ATTR_TYPES
from compatload.errors import DamagedArtifactError
from compatload.operators.requirements import flaws
from tests.fixtures.index import fixture, fixtures

SAVED = sorted({(one.saved_by, one.name) for one in fixtures()})


@pytest.mark.parametrize(("release", "name"), SAVED)
def test_what_releases_saved_has_no_flaw(release: str, name: str) -> None:
    one = fixture(f"{release}/{name}")
    artifact = inspect_whole(one.folder / str(one.record["prefix"]))
    for part in (artifact, *artifact.method_artifacts.values()):
        assert list(flaws(part)) == []


def told(decoded: DecodedProgram) -> list[str]:
    version = decoded.pir_version
    files = ArtifactFiles("<memory>")
    return list(flaws(Artifact("", decoded.format, files, decoded.program, (), None, version)))


def changed_pir(name: str, change: Callable[[dict[str, Any]], object], at: str) -> list[str]:
    """The flaws of a program saved by 3.3.1 after a change to its first operator ``at``."""
    document = json.loads((fixture(f"3.3.1/{name}").folder / "model.json").read_bytes())
    operators = document["program"]["regions"][0]["blocks"][0]["ops"]
    change(next(one for one in operators if one["#"] == at))
    return told(pir_json.decode(json.dumps(document).encode()))


def attribute(operator: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one["AT"] for one in operator["A"] if one["N"] == name)
    return found


PIR_CHANGES: dict[str, tuple[str, Callable[[dict[str, Any]], object], str]] = {
    "no attribute": ("1.conv2d", lambda one: one["A"].pop(0), "lacks the attribute 'strides'"),
    "another kind": (
        "1.conv2d",
        lambda one: attribute(one, "groups").update({"#": "0.a_i64"}),
        "'groups' is 0.a_i64, not 0.a_i32",
    ),
    "other elements": (
        "1.conv2d",
        lambda one: attribute(one, "strides").update(D=[{"#": "0.a_i64", "D": 1}] * 2),
        "'strides' is 0.a_array<0.a_i64>",
    ),
    "an empty list": (
        "1.conv2d",
        lambda one: attribute(one, "dilations").update(D=[]),
        "'dilations' has 0 elements, not 2",
    ),
    "no groups": (
        "1.conv2d",
        lambda one: attribute(one, "groups").update(D=0),
        "its groups are 0",
    ),
    "one operand": ("1.conv2d", lambda one: one["I"].pop(), "has 1 operands, not 2"),
    "an absent operand": ("1.conv2d", lambda one: one["I"][0].update({"%": 0}), "is missing"),
    "no result": ("1.relu", lambda one: one["O"].append(dict(one["O"][0], **{"%": 9999})), "2 res"),
    "a column twice": (
        "1.fetch",
        lambda one: attribute(one, "col").update(D=1),
        "the columns of all pd_op.fetch are [1]",
    ),
}


@pytest.mark.parametrize("case", PIR_CHANGES)
def test_what_a_pir_operator_lacks_is_told(case: str) -> None:
    at, change, expected = PIR_CHANGES[case]
    (flaw, *_) = changed_pir("classifier", change, at)
    assert expected in flaw


def test_a_number_that_passes_read_as_a_float_is_one() -> None:
    (flaw,) = changed_pir(
        "transformer", lambda one: attribute(one, "bias").update({"#": "0.a_f64"}), "1.scale"
    )
    assert "'bias' is 0.a_f64" in flaw


def test_nothing_has_more_axes_than_a_tensor() -> None:
    program = (fixture("2.6.2/classifier").folder / "model.pdmodel").read_bytes()
    description = program_desc.parse(program)
    variables = [one for one in description.blocks[0].vars if not one.persistable]
    made = next(one for one in variables if one.type.dense_tensor.tensor.dims)
    made.type.dense_tensor.tensor.dims.extend([2] * 10)
    with pytest.raises(DamagedArtifactError, match="has too many axes"):
        program_desc.decode(description.SerializeToString())


def changed_legacy(change: Callable[[Any], object], at: str) -> list[str]:
    description = program_desc.parse(
        (fixture("2.6.2/classifier").folder / "model.pdmodel").read_bytes()
    )
    change(next(one for one in description.blocks[0].ops if one.type == at))
    return told(program_desc.decode(description.SerializeToString()))


def without(operator: Any, name: str) -> None:
    kept = [one for one in operator.attrs if one.name != name]
    del operator.attrs[:]
    operator.attrs.extend(kept)


def retyped(operator: Any, name: str, kind: str) -> None:
    found = next(one for one in operator.attrs if one.name == name)
    found.type = ATTR_TYPES[kind]
    setattr(found, ATTR_FIELDS[kind], 1)


def emptied(operator: Any, name: str) -> None:
    del next(one for one in operator.attrs if one.name == name).ints[:]


LEGACY_CHANGES: dict[str, tuple[str, Callable[[Any], object], str]] = {
    "no column": ("fetch", lambda one: without(one, "col"), "columns of all fetch are [-1]"),
    "an attribute of another type": (
        "conv2d",
        lambda one: retyped(one, "groups", "BOOLEAN"),
        "'groups' is BOOLEAN, not INT",
    ),
    "no dilations": ("conv2d", lambda one: emptied(one, "dilations"), "'dilations' has 0 elements"),
    "no input": (
        "conv2d",
        lambda one: one.inputs[0].ClearField("arguments"),
        "is missing",
    ),
    "a slot that nobody knows": (
        "batch_norm",
        lambda one: setattr(one.inputs[0], "parameter", "Scame"),
        "no release knows its input 'Scame'",
    ),
    "two values for one": (
        "conv2d",
        lambda one: one.inputs[0].arguments.extend(list(one.inputs[0].arguments)),
        "holds 2 values, not one",
    ),
}


@pytest.mark.parametrize("case", LEGACY_CHANGES)
def test_what_a_legacy_operator_lacks_is_told(case: str) -> None:
    at, change, expected = LEGACY_CHANGES[case]
    (flaw, *_) = changed_legacy(change, at)
    assert expected in flaw
