"""A release that comes is one entry in compatload/releases.py, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "3.3.1" / "detector"
LAST = '    Release("3.3.1", pir_version=4),\n'


@pytest.fixture(params=[4, 5])
def number(request: pytest.FixtureRequest) -> int:
    """The PIR version that the release which is to come writes."""
    assert isinstance(request.param, int)
    return request.param


@pytest.fixture
def package(tmp_path: Path, number: int) -> Path:
    """A copy of compatload that knows 3.4.0, which nobody measured."""
    return _with_entry(tmp_path, f'pir_version={number}, operators="3.3.1", measured=False')


def _with_entry(folder: Path, about: str) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    copy = shutil.copytree(ROOT / "compatload", folder / "package" / "compatload", ignore=ignored)
    table = copy / "releases.py"
    text = table.read_text("utf-8")
    assert LAST in text
    table.write_text(text.replace(LAST, f'{LAST}    Release("3.4.0", {about}),\n'), "utf-8")
    return copy.parent


def run(package: Path, *arguments: object, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "compatload", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package), "COMPATLOAD_CACHE": "off"},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def planned(package: Path, target: str, model: Path = FIXTURE) -> dict[str, object]:
    told: dict[str, object] = json.loads(
        run(package, "plan", model, "--api", "predictor", "--target", target, "--json")
    )
    return told


def test_it_is_planned_for_as_its_neighbour(package: Path) -> None:
    plan, neighbour = planned(package, "paddle==3.4.0"), planned(package, "paddle==3.3.1")
    assert plan["steps"] == neighbour["steps"]
    assert (plan["inferred_from"], neighbour["inferred_from"]) == ("3.3.1", None)
    told = run(package, "plan", FIXTURE, "--target", "3.4.0")
    assert "3.4.0 (cpu) has not been measured; what holds for 3.3.1 is taken to hold" in told


def test_it_is_checked_as_its_neighbour(package: Path) -> None:
    def findings(target: str) -> list[object]:
        told = json.loads(
            run(package, "check", FIXTURE, "--target", target, "--format", "json", status=1)
        )
        assert ("taken to hold" in told["target"]) is (target == "3.4.0")
        return [one["rule"] for one in told["findings"]]

    assert findings("3.4.0") == findings("3.3.1") != []


def test_its_files_are_converted_to_and_from(package: Path, number: int, tmp_path: Path) -> None:
    new, back = tmp_path / "new" / "m", tmp_path / "back" / "m"
    told = run(package, "convert", FIXTURE, new, "--to", "paddle==3.4.0")
    assert "note: paddle 3.4.0 has not been measured; what holds for 3.3.1 is" in told
    assert version(new) == number
    run(package, "convert", new, back, "--to", "paddle==3.3.1")
    assert version(back) == 4
    said = run(package, "inspect", new)
    assert (">=3.4,<3.5" if number == 5 else ">=3.3,<3.5") in said
    strategies = [one["strategy"] for one in _steps(planned(package, "3.3.1", new))]
    assert strategies[-1] == ("native" if number == 4 else "convert")
    assert _steps(planned(package, "3.4.0", new))[-1]["strategy"] == "native"


def test_files_of_a_version_that_nobody_knows_are_refused(
    package: Path, number: int, tmp_path: Path
) -> None:
    run(package, "convert", FIXTURE, tmp_path / "m", "--to", "paddle==3.4.0")
    program = tmp_path / "m.json"
    text = program.read_text("utf-8")
    program.write_text(text.replace(f'"version":{number}', '"version":9'), "utf-8")
    told = run(package, "plan", tmp_path / "m", "--target", "3.4.0", status=1)
    assert "CL105" in told
    assert "version 9" in told
    assert f"{number} (paddle " in told
    assert "3.4.0)" in told


def test_once_measured_it_stands_for_itself(tmp_path: Path) -> None:
    package = _with_entry(tmp_path, 'pir_version=4, operators="3.3.1"')
    assert planned(package, "3.4.0")["inferred_from"] is None
    assert planned(package, "3.4.7")["inferred_from"] == "3.4.0"


def _steps(plan: dict[str, object]) -> list[dict[str, object]]:
    steps = plan["steps"]
    assert isinstance(steps, list)
    return steps


def version(prefix: Path) -> int:
    program = json.loads(prefix.with_suffix(".json").read_text("utf-8"))
    number = program["base_code"]["version"]
    assert isinstance(number, int)
    return number
