"""Large programs: what is told at once, and what only the first look at operators tells."""

from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.loading import legacy_program, pir_program
from compatload import DamagedArtifactError, inspect_artifact
from compatload.artifact.deferred import DeferredProgram
from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Program
from compatload.artifact.pir_json import parse
from compatload.artifact.program_proto import message

MAKERS = {"legacy": legacy_program, "pir": pir_program}


@pytest.fixture(scope="module", params=sorted(MAKERS))
def prefix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return MAKERS[request.param](tmp_path_factory.mktemp("large") / "model")


def program_file(prefix: str) -> Path:
    return next(
        path for suffix in (".json", ".pdmodel") if (path := Path(prefix + suffix)).exists()
    )


def is_undecoded(artifact: object) -> bool:
    program = getattr(artifact, "program")  # noqa: B009 (of any artifact)
    return isinstance(program, DeferredProgram) and "operators" not in vars(program)


def test_operators_are_decoded_on_first_use(prefix: str) -> None:
    artifact, whole = inspect_artifact(prefix), inspect_whole(prefix)
    assert is_undecoded(artifact)
    assert artifact.format is whole.format
    assert artifact.saved_by == whole.saved_by
    assert artifact.parameters == whole.parameters
    assert artifact.evidence == whole.evidence
    assert artifact.notes == whole.notes == ()
    assert is_undecoded(artifact)
    assert artifact.inputs == whole.inputs
    assert not is_undecoded(artifact)
    assert artifact.program.operator_counts == whole.program.operator_counts
    assert artifact == whole
    assert whole == artifact


def test_a_deferred_program_is_pickled_as_a_plain_one(prefix: str) -> None:
    program = inspect_artifact(prefix).program
    again = pickle.loads(pickle.dumps(program))
    assert type(again) is Program
    assert program == again
    assert program != replace(again, inputs=())
    assert repr(program).startswith("Program(operators=(")


def test_a_small_program_is_decoded_at_once(tmp_path: Path) -> None:
    from tests.fixtures.index import fixture

    artifact = inspect_artifact(fixture("3.3.1/classifier").path)
    assert type(artifact.program) is Program


def test_a_large_program_that_is_cut_short_is_told_at_once(prefix: str, tmp_path: Path) -> None:
    data = program_file(prefix).read_bytes()
    damaged = copied(prefix, tmp_path, data[:-1000])
    with pytest.raises(DamagedArtifactError):
        inspect_artifact(damaged)


def test_damage_among_operators_is_told_on_the_first_look_and_on_every_other(
    prefix: str, tmp_path: Path
) -> None:
    path = program_file(prefix)
    if path.suffix == ".json":
        data = path.read_bytes().replace(b'"1.matmul"', b'"1.matmul', 1)
    else:
        program = message("ProgramDesc")
        program.ParseFromString(path.read_bytes())
        program.blocks[0].ops[7].inputs[0].arguments[0] = "nowhere"
        data = program.SerializeToString()
    artifact = inspect_artifact(copied(prefix, tmp_path, data))
    for _ in range(2):
        with pytest.raises(DamagedArtifactError):
            artifact.inputs  # noqa: B018
    with pytest.raises(DamagedArtifactError):
        inspect_whole(artifact.path)


def test_a_parameter_that_hides_from_the_outline_is_found_on_the_first_look(
    tmp_path: Path,
) -> None:
    prefix = pir_program(tmp_path / "model")
    path = Path(f"{prefix}.json")
    document = parse(path.read_bytes())
    operators = document["program"]["regions"][0]["blocks"][0]["ops"]
    hidden = json.loads(json.dumps(next(op for op in operators if op["#"] == "p")))
    hidden["A"][-1] = "hidden"
    hidden["O"]["%"] = 9_000_000
    text = json.dumps(document, separators=(",", ":"), sort_keys=True)
    inserted = json.dumps(hidden, separators=(",", ":"), sort_keys=True).replace(
        '{"#":"p"', '{"#" :"p"'
    )
    path.write_text(text.replace('"ops":[', f'"ops":[{inserted},', 1))
    artifact = inspect_artifact(prefix)
    with pytest.raises(DamagedArtifactError, match="differs from what it holds"):
        artifact.outputs  # noqa: B018


@pytest.mark.parametrize("change", ["indented", "no outputs"])
def test_what_an_outline_cannot_tell_is_decoded_at_once(change: str, tmp_path: Path) -> None:
    prefix = pir_program(tmp_path / "model")
    path = Path(f"{prefix}.json")
    document = parse(path.read_bytes())
    if change == "indented":
        path.write_text(json.dumps(document, indent=1))
    else:
        block = document["program"]["regions"][0]["blocks"][0]
        block["ops"] = [op for op in block["ops"] if op["#"] != "1.fetch"]
        path.write_text(json.dumps(document, separators=(",", ":"), sort_keys=True))
    artifact = inspect_artifact(prefix)
    assert type(artifact.program) is Program
    assert bool(artifact.notes) == (change == "no outputs")


def copied(prefix: str, folder: Path, data: bytes) -> str:
    suffix = program_file(prefix).suffix
    (folder / f"model{suffix}").write_bytes(data)
    shutil.copy(f"{prefix}.pdiparams", folder / "model.pdiparams")
    return str(folder / "model")
