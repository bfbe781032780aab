"""Values that share memory: wrong in Paddle's own loaders, right in compatload's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compatload.artifact.inspection import inspect_whole
from compatload.checking.check import check
from compatload.checking.settings import Settings
from compatload.checking.target import parse_target
from compatload.exporting.convert import convert
from compatload.faults.cl119_detached_and_overwritten import sharing
from compatload.faults.graph import Graph
from compatload.programs.pir_repairs import repaired
from tests.releases import python_of, releases, run_in, saved_by

SCRIPT = Path(__file__).with_name("shared_values.py")
# What paddle.jit.load itself gets wrong.
OF_LAYERS = {"detach_relu", "detach_exp", "detach_cos"}
# And what a predictor with oneDNN does, beside those.
OF_ONEDNN = {"unsqueeze_cos", "clone_pow", "cos_of_unsqueeze"}
PAIRS = [
    ("2.6.2", "2.6.2"),
    ("2.6.2", "3.3.1"),
    ("3.0.0", "3.0.0"),
    ("3.3.1", "3.0.0"),
    ("3.3.1", "3.3.1"),
    ("3.3.1", "2.6.2"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


def saved(release: str, folder: Path) -> Path:
    return saved_by(release, folder, SCRIPT, "save")


def told(release: str, errand: str, place: Path) -> Any:
    return json.loads(run_in(release, SCRIPT, errand, str(place)).splitlines()[-1])


@pytest.mark.parametrize("release", [one for one in releases() if not one.startswith("2.")])
def test_paddle_itself_is_wrong(release: str, folder: Path) -> None:
    wrong = told(release, "own", saved(release, folder))["wrong"]
    assert {name for name, ways in wrong.items() if "layer" in ways} >= OF_LAYERS
    assert {name for name, ways in wrong.items() if "oneDNN" in ways} >= OF_ONEDNN


@pytest.mark.parametrize(("saver", "loader"), PAIRS)
def test_compatload_is_right(saver: str, loader: str, folder: Path) -> None:
    found = told(loader, "safe", saved(saver, folder))
    assert found["wrong"] == {}
    if loader.startswith("3."):
        assert all("CL119" in found["rules"][f"{name} layer"] for name in OF_LAYERS)
        assert "CL119" not in found["rules"]["clone_pow layer"]
    if saver.startswith("3.") and loader.startswith("3."):
        assert all("CL232" in found["rules"][f"{name} oneDNN"] for name in OF_ONEDNN)
        assert "CL119" not in found["rules"]["detach_alone layer"]


def test_conversions_are_right_for_paddle_itself(folder: Path, tmp_path: Path) -> None:
    release = releases()[-1]
    source = saved(release, folder) / "detach_relu"
    for target in ("pir-v1", "legacy"):
        done = convert(source, tmp_path / target, to=target, interpreters=[python_of(release)])
        assert done.verification.outcome == "agrees"
        assert "[CL119]" in done.notes[0]
        assert not sharing(Graph(inspect_whole(str(tmp_path / target))))


def test_what_nobody_else_reads_stays_as_it_is(folder: Path) -> None:
    place = saved(releases()[-1], folder)
    for name in ("detach_alone", "unsqueeze_cos"):
        artifact = inspect_whole(str(place / name))
        assert repaired(artifact) == (artifact, ())
    artifact = inspect_whole(str(place / "detach_relu"))
    assert repaired(artifact, without=("CL119",))[0] is artifact
    assert repaired(artifact)[1] == ("CL119",)


@pytest.mark.parametrize(
    ("saver", "name", "target"),
    [("2.6.2", "loop.pdmodel", "2.6.2"), ("3.3.1", "detach_relu.json", "3.3.1")],
)
def test_check_tells_it(saver: str, name: str, target: str, folder: Path) -> None:
    program = saved(saver, folder) / name
    report = check([program], target=parse_target(target), settings=Settings())
    assert any(
        one.rule == "CL119" and "wrong numbers without an error" in one.message
        for one in report.findings
    )
