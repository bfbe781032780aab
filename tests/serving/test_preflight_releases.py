"""Preflights in real releases: crashes, hangs and wrong numbers are found in a child process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.store.cache import VARIABLE
from tests.releases import done_in, releases

WORKER = Path(__file__).with_name("preflight_worker.py")
# Each child imports Paddle, for which a busy machine takes a while.
SECONDS = 900


def serve(release: str, model: str, folder: Path, **options: object) -> dict[str, object]:
    """What preflight_worker.py says; the test fails if the worker itself dies."""
    result = done_in(
        *(release, WORKER, model, folder, json.dumps(options)),
        seconds=SECONDS,
        environment={VARIABLE: str(folder / "cache")},
    )
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    assert lines, f"status {result.returncode}: {result.stderr[-2000:]}"
    told: dict[str, object] = json.loads(lines[-1])
    return told


def only(*wanted: str) -> list[str]:
    return [release for release in releases() if release in wanted]


@pytest.mark.parametrize("release", only("3.3.0", "3.3.1"))
def test_a_crash_is_survived_and_the_next_step_serves(release: str, tmp_path: Path) -> None:
    told = serve(release, "Fused", tmp_path, disabled_rules=["CL202"])
    assert told["attempts"] == [["native", "killed by SIGSEGV"]]
    assert told["step"] == "native, without fusions"
    assert told["difference"] < 1e-5
    assert told["warned"] == ["FallbackWarning"]
    assert any("killed by SIGSEGV" in line for line in told["log"])
    assert told["searched"]
    # Paid for once a machine: another process goes by the verdict, and says so as well.
    again = serve(release, "Fused", tmp_path, disabled_rules=["CL202"])
    assert not again["searched"]
    assert (again["step"], again["attempts"]) == (told["step"], told["attempts"])
    assert any("killed by SIGSEGV" in line for line in again["log"])


WRONG = [
    (release, model, rule)
    for release in releases()
    for model, rule, where in (
        ("TwoActivations", "CL209", ("2.6.2", "3.3.1")),
        ("Nearest", "CL207", ("3.0.0",)),
        ("Nearest", "CL208", ("2.6.2",)),
    )
    if release in where
]


@pytest.mark.parametrize(("release", "model", "rule"), WRONG)
def test_wrong_numbers_are_found_before_they_are_served(
    release: str, model: str, rule: str, tmp_path: Path
) -> None:
    told = serve(release, model, tmp_path, disabled_rules=[rule])
    assert told["attempts"][0][0] == "native"
    assert any(word in told["attempts"][0][1] for word in ("differs by", "NaN"))
    assert told["step"] != "native"
    assert told["difference"] < 1e-5


@pytest.mark.parametrize("release", only("3.0.0"))
def test_a_hang_is_found(release: str, tmp_path: Path) -> None:
    told = serve(release, "Padded", tmp_path, disabled_rules=["CL213"], preflight_timeout=8)
    assert told["attempts"][0] == ["native", "no end within 8 seconds"]
    assert told["step"] == "native, without oneDNN"
    assert told["difference"] == 0


@pytest.mark.parametrize("release", releases())
def test_a_good_model_keeps_its_fastest_step(release: str, tmp_path: Path) -> None:
    told = serve(release, "Lookup", tmp_path, preflight=True)
    assert told["searched"]
    assert told["step"] == "native"
    assert told["attempts"] == []
    assert told["warned"] == []
    assert told["notes"] == ["first run in a child process, compared with the plain executor"]
    assert told["difference"] < 1e-6


@pytest.mark.parametrize("release", only("3.3.1"))
def test_inputs_can_be_given_where_none_can_be_made(release: str, tmp_path: Path) -> None:
    told = serve(release, "Picky", tmp_path, preflight=True)
    assert str(told["error"]).startswith("LoadError")
    assert "sample_inputs" in str(told["error"])
    told = serve(release, "Picky", tmp_path, preflight=True, give_samples=True)
    assert told["step"] == "native"
    assert told["difference"] < 1e-5


@pytest.mark.parametrize("release", only("3.3.1"))
def test_without_being_asked_nothing_is_tried(release: str, tmp_path: Path) -> None:
    told = serve(release, "TwoActivations", tmp_path)
    assert not told["searched"]
    assert told["attempts"] == []
    assert told["difference"] < 1e-5
