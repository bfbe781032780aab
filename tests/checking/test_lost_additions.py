"""Files from which paddle.jit.save left an addition out: told, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from releases import releases, run_in

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact
from compatload.checking.check import check
from compatload.checking.finding import Severity
from compatload.checking.lost_additions import LostAddition, lost_additions
from compatload.checking.settings import Settings
from compatload.checking.target import parse_target

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


def found(artifact: Artifact) -> list[LostAddition]:
    return list(lost_additions(artifact))


@pytest.mark.parametrize("release", releases())
def test_files_that_are_wrong_are_found_and_no_others(release: str, folder: Path) -> None:
    place = folder / release
    place.mkdir()
    same = json.loads(run_in(release, SAVED_SUMS, str(place)).splitlines()[-1])
    wrong = {} if release.startswith("2.") else LOST
    assert {name for name, right in same.items() if not right} == wrong.keys()
    for name in same:
        lost = found(inspect_whole(str(place / name)))
        assert [(one.constant, one.columns) for one in lost] == wrong.get(name, [])
        assert {one.input for one in lost} <= {"x"}
        assert {one.sum.name for one in lost} <= {"pd_op.scale"}


def test_check_says_what_is_lost_and_what_to_do(folder: Path) -> None:
    release = releases()[-1]
    place = folder / "told"
    place.mkdir()
    run_in(release, SAVED_SUMS, str(place))
    report = check([place / "sum.json"], target=parse_target(release), settings=Settings())
    (finding,) = [one for one in report.findings if one.rule == "CL421"]
    assert finding.severity is Severity.ERROR
    assert "Output 0 of forward is its input 'x'" in finding.message
    assert "x + 0.5, pd_op.scale (block 0, operator 2)" in finding.message
    assert "compatload.safe_save" in finding.action


def test_no_fixture_lost_anything() -> None:
    fixtures = Path(__file__).parents[1] / "fixtures"
    programs = sorted(fixtures.glob("3.*/*/*.json"))
    checked = 0
    for path in programs:
        if (path.parent / f"{path.stem}.pdiparams").exists():
            assert not found(inspect_whole(str(path)))
            checked += 1
    assert checked > 20
