"""What is predicted of networks that the predictor's passes spoil, beside what Paddle does."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Artifact
from compatload.checking.judgement import judge
from compatload.checking.prediction import predict
from compatload.checking.target import parse_target
from compatload.plan import Api
from compatload.runtime.cpu import detect_cpu
from compatload.runtime.detection import runtime_for
from compatload.runtime.named_cpus import named_cpu
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("fused_networks.py")
SECONDS = 600


@cache
def saved(release: str, folder: Path) -> Path:
    run_in(release, SCRIPT, "save", str(folder), seconds=SECONDS)
    return folder


@cache
def artifact(folder: Path) -> Artifact:
    return inspect_artifact(folder / "model")


def pairs() -> list[tuple[str, str]]:
    """2.6.2 reads only what it saved; the others read everything that is not newer."""
    known = releases()
    return [
        (saver, loader)
        for saver in known
        for loader in known
        if saver == loader or saver.startswith("2.")
    ]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fused")


@pytest.mark.parametrize(("saver", "loader"), pairs())
def test_every_network_does_what_was_predicted(saver: str, loader: str, root: Path) -> None:
    folder = saved(saver, root / saver)
    seen = json.loads(run_in(loader, SCRIPT, "load", str(folder), seconds=SECONDS).splitlines()[-1])
    runtime = runtime_for(f"paddle=={loader}", cpu=detect_cpu())
    told = {name: predict(artifact(folder / name), runtime, Api.PREDICTOR) for name in seen}
    wrong = {
        name: (outcome, told[name].outcome.value, told[name].rule)
        for name, outcome in seen.items()
        if told[name].outcome.value != outcome
    }
    assert wrong == {}


@pytest.mark.skipif("2.6.2" not in releases(), reason="2.6.2 is not among the releases")
def test_the_cpu_decides_what_attention_does(root: Path) -> None:
    path = saved("2.6.2", root / "2.6.2") / "attention" / "model"
    attention = artifact(path.parent)
    for cpu, outcome in {"x86-64-v3": "crash", "hygon-dhyana": "crash", "x86-64-v4": "ok"}.items():
        for release, expected in {"2.6.2": outcome, "3.0.0": "ok"}.items():
            told = predict(attention, runtime_for(release, cpu=named_cpu(cpu)), Api.PREDICTOR)
            assert told.outcome.value == expected, (cpu, release)
            assert told.rule == ("CL221" if expected == "crash" else None)
    # Where no CPU is named, it is no error: a load crashes on some machines only.
    for name, severities in {None: ["warning"], "hygon-dhyana": ["error"], "x86-64-v4": []}.items():
        _, findings = judge(attention, parse_target("2.6.2", cpu=name), str(path))
        assert [finding.severity.value for finding in findings] == severities, name
