"""The command line: what it prints, what it returns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.index import fixture

from compatload.cli import main
from tests.releases import releases, run_in

MODEL = str(fixture("2.6.2/classifier").path)
ROOT = Path(__file__).resolve().parents[2]


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", MODEL]) == 0
    text = capsys.readouterr().out
    assert "saved by    paddle ==2.6.2" in text
    assert "image: float32 [? × 3 × 16 × 16]" in text


def test_inspect_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", MODEL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "legacy"
    assert found["operators"]["conv2d"] == 1


def test_plan_for_a_release_that_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", MODEL, "--target", "paddle==3.3.1"]) == 0
    assert "1. translate [CL101" in capsys.readouterr().out


def test_plan_refuses_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["plan", MODEL, "--target", "paddle==3.3.1", "--cpu", "nehalem", "--json"]
    assert main(arguments) == 1
    assert json.loads(capsys.readouterr().out)["refusal"]["rule"] == "CL501"


def test_plan_for_a_recorded_runtime(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "--json"]) == 0
    record = tmp_path / "here.json"
    record.write_text(capsys.readouterr().out)
    assert main(["plan", MODEL, "--runtime", str(record)]) == 1
    assert "no Paddle is installed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["inspect", "/no/such/model"], 3),
        (["plan", MODEL, "--target", "tensorflow==2"], 2),
        (["plan", MODEL, "--cpu", "nehalem"], 2),
        (["plan", MODEL, "--target", "paddle==3.3.1", "--cpu", "z80"], 2),
        (["plan", MODEL, "--runtime", "/no/such/file"], 2),
        (["rule", "CL000"], 2),
    ],
)
def test_errors_are_two_lines(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert len(capsys.readouterr().err.strip().splitlines()) == 2


def test_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "cl202"]) == 0
    assert "SIGSEGV" in capsys.readouterr().out
    assert main(["rule"]) == 0
    assert "CL501" in capsys.readouterr().out


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(verb in text for verb in ("inspect", "env", "plan", "demo", "rule"))


def test_module_and_import_are_cheap() -> None:
    code = (
        "import sys, compatload; "
        "assert not {'paddle', 'numpy', 'google.protobuf'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("release", releases())
def test_demo(release: str) -> None:
    said = run_in(release, "-m", "compatload", "demo")
    assert "largest difference from what Paddle 2.6.2 computed" in said
    assert ("to load model not exists" in said) == (release != "2.6.2")
