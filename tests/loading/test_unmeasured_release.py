"""A Paddle that nobody measured: 3.3.1 under the name of a release that is still to come."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from compatload.store.cache import VARIABLE
from tests.fixtures.index import fixture
from tests.releases import python_of

ROOT = Path(__file__).resolve().parents[2]
FUSED = str(fixture("3.3.1/detector").path)  # its leaky_relu kills a predictor of 3.3.1 (CL202)
SECONDS = 600
SAID = "paddlepaddle 3.4.0 (cpu) has not been measured; what holds for 3.3.1 is taken to hold"

PREDICTOR = """
import json, os, sys
import compatload
predictor = compatload.safe_create_predictor(sys.argv[1], **json.loads(sys.argv[2]))
report = compatload.load_report(predictor)
print(json.dumps({"step": report.step.title, "rules": report.rules, "notes": report.notes,
    "attempts": report.attempts, "recalled": report.recalled, "told": report.to_dict()}))
sys.stdout.flush()
os._exit(0)
"""
PADDLE_ALONE = """
import sys, paddle
from paddle.inference import Config, create_predictor
predictor = create_predictor(Config(sys.argv[1] + ".json", sys.argv[1] + ".pdiparams"))
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return sham_of("3.3.1", tmp_path / "site")


def sham_of(release: str, sham: Path) -> Path:
    """A folder with a release's files, which call themselves 3.4.0."""
    python = python_of(release)
    (real,) = Path(python).parents[1].glob("lib/python*/site-packages")
    (sham / "paddle" / "version").mkdir(parents=True)
    for entry in (real / "paddle").iterdir():
        if entry.name not in ("version", "__pycache__"):
            (sham / "paddle" / entry.name).symlink_to(entry)
    about = (real / "paddle/version/__init__.py").read_text("utf-8")
    assert f"'{release}'" in about
    (sham / "paddle/version/__init__.py").write_text(
        about.replace(f"'{release}'", "'3.4.0'"), "utf-8"
    )
    (sham / "paddlepaddle-3.4.0.dist-info").mkdir()
    (sham / "paddlepaddle-3.4.0.dist-info/METADATA").write_text(
        "Metadata-Version: 2.1\nName: paddlepaddle\nVersion: 3.4.0\n", "utf-8"
    )
    return sham


def run(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python_of("3.3.1"), "-W", "ignore", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "GLOG_minloglevel": "3",
            "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]),
            VARIABLE: str(site.parent / "cache"),
        },
    )


def made(site: Path, **options: object) -> dict[str, object]:
    done = run(site, "-c", PREDICTOR, FUSED, json.dumps(options))
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, f"status {done.returncode}: {done.stderr[-2000:]}"
    told: dict[str, object] = json.loads(lines[-1])
    return told


def test_paddle_alone_dies_of_it(site: Path) -> None:
    assert run(site, "-c", PADDLE_ALONE, FUSED).returncode < 0


def test_a_predictor_is_planned_as_for_its_neighbour_and_tried_first(site: Path) -> None:
    first = made(site)
    assert "CL202" in first["rules"]
    assert first["attempts"] == []
    assert SAID in first["notes"]
    assert any("child process" in note for note in first["notes"])
    assert first["told"]["inferred_from"] == "3.3.1"
    # The verdict is kept.
    again = made(site)
    assert again["step"] == first["step"]
    assert again["recalled"]
    assert SAID in again["notes"]


def test_what_the_neighbour_does_not_tell_is_found_in_the_child(site: Path) -> None:
    """Without the rule, as if 3.4.0 had a fault that 3.3.1 has not."""
    told = made(site, disabled_rules=["CL201", "CL202"])
    assert told["attempts"][0] == ["native", "killed by SIGSEGV"]
    assert told["step"] == "native, without oneDNN"


def test_it_is_not_tried_where_the_caller_says_so(site: Path) -> None:
    told = made(site, preflight=False)
    assert SAID in told["notes"]
    assert not any("child process" in note for note in told["notes"])


def test_plan_and_check_say_what_they_infer_from(site: Path) -> None:
    planned = run(site, "-m", "compatload", "plan", FUSED, "--api", "predictor")
    assert SAID in planned.stdout
    assert "CL202" in planned.stdout
    judged = run(site, "-m", "compatload", "check", Path(FUSED).parent, "--target", "3.4.0")
    assert "paddle 3.4.0 (which has not been measured; what holds for 3.3.1 is" in judged.stdout
    assert "CL202" in judged.stdout
