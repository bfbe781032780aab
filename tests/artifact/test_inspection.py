"""The whole inspection, on what real releases saved."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from artifact.pir_documents import data, document, encode, fetch
from artifact.programs import program
from fixtures.index import EXPECTED, Fixture, fixture, fixtures

from compatload.artifact.inspection import inspect_artifact, inspect_bytes
from compatload.artifact.model import Format, TensorSpec
from compatload.errors import (
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
    UnsupportedFormatError,
    UsageError,
    WeightsMismatchError,
)

EVERY = fixtures()
DATA = Path(__file__).parent / "data"
LEGACY = fixture("2.6.2/classifier").folder
PIR = fixture("3.3.1/classifier").folder


def test_no_fixture_got_lost() -> None:
    assert len(EVERY) == sum(EXPECTED.values())


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.identity)
def test_every_fixture_is_inspected(one: Fixture) -> None:
    artifact = inspect_artifact(one.path)
    assert artifact.format.value == one.format
    recorded = one.record["methods"]["forward"]["inputs"]
    assert [
        {"name": spec.name, "dtype": spec.dtype, "shape": list(spec.shape or ())}
        for spec in artifact.inputs
    ] == [{key: entry[key] for key in ("name", "dtype", "shape")} for entry in recorded]
    assert len(artifact.outputs) == one.record["methods"]["forward"]["outputs"]
    assert set(artifact.methods) | {"forward"} == set(one.methods)
    for parameter in artifact.parameters:
        with open(parameter.file, "rb") as file:
            assert parameter.offset + parameter.nbytes <= os.fstat(file.fileno()).st_size
    assert all(identity.is_unchanged() for identity in artifact.identities)
    assert artifact.program_bytes == Path(artifact.files.program).read_bytes()
    assert artifact.evidence
    assert pickle.loads(pickle.dumps(artifact)) == artifact
    again = json.loads(json.dumps(artifact.to_dict(), allow_nan=False))
    assert again["operators"] == artifact.program.operator_counts
    assert len(again["parameters"]) == len(artifact.parameters)


def copy(folder: Path, target: Path) -> Path:
    shutil.copytree(folder, target, dirs_exist_ok=True)
    return target / "model"


def test_info_is_audited_and_at_hand(tmp_path: Path) -> None:
    artifact = inspect_artifact(LEGACY / "model")
    assert artifact.info
    assert {"trainable", "stop_gradient"} <= {key for one in artifact.info.values() for key in one}
    path = copy(LEGACY, tmp_path)
    mark = tmp_path / "mark"
    command = f"cposix\nsystem\n(X{len(f'touch {mark}'):c}\0\0\0touch {mark}tR."
    (tmp_path / "model.pdiparams.info").write_bytes(b"\x80\x02" + command.encode("latin-1"))
    with pytest.raises(UnsafeArtifactError, match=r"posix\.system"):
        inspect_artifact(path)
    assert not mark.exists()
    trusted = inspect_artifact(path, trusted=["posix.system"])
    assert trusted.info is None
    assert not mark.exists()


def test_both_side_by_side(tmp_path: Path) -> None:
    path = copy(PIR, tmp_path)
    shutil.copy(LEGACY / "model.pdmodel", tmp_path)
    assert inspect_artifact(path).format is Format.PIR
    assert inspect_artifact(path, prefer="legacy").format is Format.LEGACY
    assert "side by side" in inspect_artifact(path).notes[0]


def test_the_other_one_is_taken_where_only_its_weights_fit(tmp_path: Path) -> None:
    path = copy(PIR, tmp_path)
    shutil.copy(fixture("2.6.2/detector").folder / "model.pdmodel", tmp_path)
    artifact = inspect_artifact(path, prefer="legacy")
    assert artifact.format is Format.PIR
    assert any("does not fit" in note and "belong to another" in note for note in artifact.notes)
    shutil.copy(fixture("2.6.2/lstm").folder / "model.pdiparams", tmp_path)
    with pytest.raises(WeightsMismatchError, match=r"model\.pdmodel wants"):
        inspect_artifact(path, prefer="legacy")


def test_weights_that_are_not_there(tmp_path: Path) -> None:
    path = copy(PIR, tmp_path)
    (tmp_path / "model.pdiparams").unlink()
    with pytest.raises(ArtifactNotFoundError, match=r"model\.pdiparams is missing"):
        inspect_artifact(path)


def test_a_program_without_parameters_needs_no_weights() -> None:
    for release in ("2.6.2", "3.3.1"):
        artifact = inspect_artifact(fixture(f"{release}/no_parameters").path)
        assert artifact.parameters == ()
        assert artifact.files.parameters == ()


def test_a_damaged_method_is_reported(tmp_path: Path) -> None:
    path = copy(fixture("3.3.1/two_methods").folder, tmp_path)
    assert set(inspect_artifact(path).method_artifacts) == {"project"}
    weights = tmp_path / "model.project.pdiparams"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(DamagedArtifactError, match=r"project\.pdiparams is cut short"):
        inspect_artifact(path)


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
@pytest.mark.parametrize("kind", ["apart", "combined"])
def test_three_methods_as_every_release_saves_them(release: str, kind: str) -> None:
    """2.6.2 chains the names (m.second.third); combine_params=True writes one file for all."""
    artifact = inspect_artifact(DATA / "methods" / release / kind / "m")
    assert set(artifact.methods) == {"second", "third"}
    parts = {"forward": artifact, **artifact.method_artifacts}
    for name, width in (("forward", 2), ("second", 3), ("third", 2)):
        assert [spec.shape for spec in parts[name].outputs] == [(-1, width)]
        assert (4, width) in {parameter.shape for parameter in parts[name].parameters}
    notes = [note for part in parts.values() for note in part.notes]
    # 3.0 lists all parameters in each program then, so its files fit by themselves.
    assert bool([n for n in notes if "combine_params" in n]) == (
        kind == "combined" and release != "3.0.0"
    )


def test_loose_variables_that_lead_out_of_the_folder(tmp_path: Path) -> None:
    description, block = program()
    block.vars[3].name = "../w"
    block.ops[1].inputs[1].arguments[0] = "../w"
    (tmp_path / "__model__").write_bytes(description.SerializeToString())
    with pytest.raises(UnsafeArtifactError, match="outside"):
        inspect_artifact(tmp_path)


def test_loose_variables_are_found(tmp_path: Path) -> None:
    artifact = inspect_artifact(fixture("2.6.2/directory_loose").path)
    assert not artifact.files.parameters_combined
    assert len(artifact.files.parameters) == len(artifact.parameters) > 1


def test_the_text_form_is_read(tmp_path: Path) -> None:
    from google.protobuf import text_format

    description, block = program()
    for name in ("w", "b"):
        next(v for v in block.vars if v.name == name).persistable = False
    (tmp_path / "m.pbtxt").write_text(text_format.MessageToString(description))
    artifact = inspect_artifact(tmp_path / "m.pbtxt")
    assert artifact.format is Format.LEGACY_TEXT
    assert artifact.inputs == (TensorSpec("x", "float32", (-1, 2)),)


def test_memory_buffers() -> None:
    for folder, name in ((LEGACY, "model.pdmodel"), (PIR, "model.json")):
        program_bytes = (folder / name).read_bytes()
        weights = (folder / "model.pdiparams").read_bytes()
        artifact = inspect_bytes(program_bytes, weights)
        assert artifact.parameters == tuple(
            type(p)(p.name, p.dtype, p.shape, "<memory>", p.offset, p.nbytes)
            for p in inspect_artifact(folder / "model").parameters
        )
        assert artifact.program_bytes is program_bytes
        with pytest.raises(DamagedArtifactError, match="cut short"):
            inspect_bytes(program_bytes, weights[:-1])
        with pytest.raises(ArtifactNotFoundError, match="no weights were given"):
            inspect_bytes(program_bytes)
    assert inspect_bytes(encode(document(data(1), fetch(1, 2)))).outputs
    with pytest.raises(UnsupportedFormatError):
        inspect_bytes(b"\x80\x02}.")
    with pytest.raises(DamagedArtifactError):
        inspect_bytes(b"")


def test_names_of_its_own(tmp_path: Path) -> None:
    shutil.copy(LEGACY / "model.pdmodel", tmp_path / "program.bin")
    shutil.copy(LEGACY / "model.pdiparams", tmp_path / "values.bin")
    artifact = inspect_artifact(
        tmp_path, model_filename="program.bin", params_filename="values.bin"
    )
    assert len(artifact.parameters) == len(inspect_artifact(LEGACY / "model").parameters)


def test_paths_of_every_type() -> None:
    path = PIR / "model"
    assert inspect_artifact(str(path)).path == str(path)
    assert inspect_artifact(os.fsencode(path)).path == str(path)
    for wrong in (None, 7, [str(path)]):
        with pytest.raises(UsageError, match="path is wanted"):
            inspect_artifact(wrong)


def test_a_newer_version_is_inspected_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(encode(document(data(1), fetch(1, 2), version=99)))
    artifact = inspect_artifact(tmp_path / "m")
    assert (artifact.pir_version, artifact.saved_by) == (99, None)


def test_a_pir_program_needs_no_protobuf() -> None:
    """Importing protobuf takes longer than all of the rest."""
    code = (
        "import sys; from compatload.artifact.inspection import inspect_artifact;"
        f"inspect_artifact({str(PIR / 'model')!r});"
        "assert not [m for m in sys.modules if m.startswith(('google.protobuf', 'paddle'))]"
    )
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, timeout=60)


def test_a_loop_variable_that_grows_is_no_damage(tmp_path: Path) -> None:
    """3.3.1 writes two shapes for it: one outside the loop, an unknown size inside (row 5)."""
    shutil.copy(DATA / "growing_loop.json", tmp_path / "model.json")
    assert inspect_artifact(tmp_path / "model").program.has_control_flow


def test_a_pir_parameter_has_its_sizes(tmp_path: Path) -> None:
    """A legacy program may declare what a layer computed and kept without them (CL157)."""
    folder = Path(shutil.copytree(PIR, tmp_path / "model"))
    program = folder / "model.json"
    document = json.loads(program.read_text(encoding="utf-8"))
    block = document["program"]["regions"][0]["blocks"][0]
    parameter = next(one for one in block["ops"] if one["#"] == "p")
    parameter["O"]["TT"]["D"][1][0] = -1
    program.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(DamagedArtifactError, match="which has no size"):
        inspect_artifact(folder / "model")
