"""Files from which paddle.jit.save left an addition out: told and made good, and no others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact
from compatload.checking.check import check
from compatload.checking.finding import ModelVerdict, Severity, Way
from compatload.checking.settings import Settings
from compatload.checking.target import parse_target
from compatload.errors import DamagedArtifactError
from compatload.exporting.convert import convert
from compatload.faults.cl118_lost_additions import LostAddition, lost_additions
from compatload.faults.graph import Graph
from compatload.programs.lost_additions import restored
from tests.releases import python_of, releases, run_in, saved_by

SAVED_SUMS = Path(__file__).with_name("saved_sums.py")
# Outputs that lost something, by the layers of saved_sums.py: constant, and where it may belong.
LOST = {
    "sum": [(0.5, (0,))],
    "sum_and_product": [(0.5, (1,))],
    "two_sums": [(-0.25, (0, 1)), (0.5, (0, 1))],
    "input_and_sum": [(0.5, (0, 1))],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sums")


def place_of(release: str, folder: Path) -> Path:
    return saved_by(release, folder, SAVED_SUMS)


def only(models: Sequence[ModelVerdict]) -> ModelVerdict:
    (model,) = models
    return model


def found(artifact: Artifact) -> list[LostAddition]:
    return list(lost_additions(Graph(artifact)))


@pytest.mark.parametrize("release", releases())
def test_files_that_are_wrong_are_found_and_no_others(release: str, folder: Path) -> None:
    place = place_of(release, folder)
    same = json.loads((place / "said").read_text(encoding="utf-8"))
    wrong = {} if release.startswith("2.") else LOST
    assert {name for name, right in same.items() if not right} == wrong.keys()
    for name in same:
        lost = found(inspect_whole(str(place / name)))
        assert [(one.constant, one.columns) for one in lost] == wrong.get(name, [])
        assert {one.input for one in lost} <= {"x"}
        assert {one.sum.name for one in lost} <= {"pd_op.scale"}


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize("name", ["sum", "sum_and_product"])
def test_what_was_lost_is_computed_again(release: str, name: str, folder: Path) -> None:
    """Saved by the newest; through all three functions, and converted for Paddle's own loaders."""
    model = place_of(releases()[-1], folder) / name
    lines = run_in(release, SAVED_SUMS, str(model), name).splitlines()
    told = json.loads(lines[-1])
    assert told["right"] == {"layer": True, "program": True, "predictor": True, "served": True}
    assert all("CL118" in rules for rules in told["rules"].values())
    assert told["without the rule"] is False


def test_conversions_hold_what_was_lost(folder: Path, tmp_path: Path) -> None:
    release = releases()[-1]
    model = place_of(release, folder) / "sum"
    done = convert(model, tmp_path / "sum", to="legacy", interpreters=[python_of(release)])
    assert done.verification.outcome == "agrees"
    assert "[CL118]" in done.notes[0]
    result = inspect_whole(str(tmp_path / "sum"))
    assert [spec.name for spec in result.outputs] == ["fetch_name_0"]
    assert not found(result)


@pytest.mark.parametrize("name", ["two_sums", "input_and_sum"])
def test_what_cannot_be_told_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    model = place_of(releases()[-1], folder) / name
    with pytest.raises(DamagedArtifactError, match="which of the outputs 0, 1 it belongs") as told:
        restored(inspect_whole(str(model)))
    assert told.value.rule == "CL118"
    assert "x + 0.5, pd_op.scale (block 0, operator" in told.value.problem
    with pytest.raises(DamagedArtifactError):
        convert(model, tmp_path / name, to="legacy", verify=False)
    assert not list(tmp_path.iterdir())


def test_check_tells_it_and_what_to_do(folder: Path) -> None:
    release = releases()[-1]
    place = place_of(release, folder)
    target = parse_target(release)
    report = check([place / "sum.json"], target=target, settings=Settings())
    (finding,) = [one for one in report.findings if one.rule == "CL118"]
    assert finding.severity is Severity.ERROR
    assert "give wrong numbers without an error" in finding.message
    assert "pd_op.scale (block 0, operator 2)" in finding.message
    assert "compatload.safe_load" in finding.action
    report = check([place / "two_sums.json"], target=target, settings=Settings())
    assert only(report.models).way is Way.NONE
    assert {one.action for one in report.findings} == {
        "Save the model again with compatload.safe_save, in the Paddle that is to load it."
    }


def test_nothing_lost_is_the_very_same(folder: Path) -> None:
    artifact = inspect_whole(str(place_of(releases()[-1], folder) / "scaled"))
    assert restored(artifact) is artifact


def test_no_fixture_lost_anything() -> None:
    fixtures = Path(__file__).parents[1] / "fixtures"
    programs = sorted(fixtures.glob("3.*/*/*.json"))
    checked = 0
    for path in programs:
        if (path.parent / f"{path.stem}.pdiparams").exists():
            assert not found(inspect_whole(str(path)))
            checked += 1
    assert checked > 20
