"""The verb ``check``: exit codes, outputs, fixing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from compatload.cli import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
LOADS = "import paddle\n\nlayer = paddle.jit.load('m')  # as ever\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["check", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = ("--target", "paddle==3.3.1")
    assert run(capsys, FIXTURES / "3.3.1/classifier", *target)[0] == 0
    assert run(capsys, FIXTURES / "2.6.2/classifier", *target)[0] == 1
    assert run(capsys, tmp_path, *target)[0] == 3
    assert run(capsys, tmp_path / "nothing", *target)[0] == 3
    assert run(capsys, tmp_path, "--nothing-ok", *target)[0] == 0
    assert run(capsys, tmp_path / "nothing", "--nothing-ok", *target)[0] == 2
    assert run(capsys, tmp_path, "--target", "torch==2")[0] == 2
    assert run(capsys, tmp_path, "--cpu", "abacus", *target)[0] == 2
    assert run(capsys, tmp_path, "--ignore", "X1", *target)[0] == 2
    assert run(capsys, tmp_path, "--jobs", "0", *target)[0] == 2


def test_skipped_is_always_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.py").write_text("import paddle\npaddle.jit.load(\n")
    _, out, _ = run(capsys, tmp_path, "--target", "3.3.1")
    assert "checked 0, skipped 1 (" in out


def test_rules_can_be_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, FIXTURES / "2.6.2/classifier", "--target", "3.3.1", "--ignore", "cl101"
    )
    assert code == 0
    assert "1 suppressed" in out


def test_settings_of_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.compatload]\ntarget = "paddle==3.0.0"\n')
    shutil.copytree(FIXTURES / "3.3.1/group_norm", tmp_path / "m")
    code, out, _ = run(capsys, tmp_path)
    assert code == 1
    assert "paddle 3.0.0" in out


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit", "markdown"])
def test_outputs_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    place = tmp_path / "report"
    code, out, err = run(
        capsys,
        *(FIXTURES / "2.6.2/classifier", "--target", "3.3.1"),
        *("--format", form, "--output", place),
    )
    assert code == 1
    assert out == ""
    assert "checked 1" in err
    assert "CL101" in place.read_text()


def test_folders_in_processes(capsys: pytest.CaptureFixture[str]) -> None:
    alone = run(capsys, FIXTURES / "3.3.1", "--target", "3.0.0", "--format", "json", "--jobs", 1)
    shared = run(capsys, FIXTURES / "3.3.1", "--target", "3.0.0", "--format", "json", "--jobs", 2)
    assert alone == shared
    assert json.loads(alone[1])["checked"]["artifact"] >= 20


def test_diff_shows_and_fix_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "load.py"
    source.write_text(LOADS)
    _, out, _ = run(capsys, source, "--target", "3.3.1", "--diff")
    assert "+layer = safe_load('m')  # as ever" in out
    assert source.read_text() == LOADS
    code, out, err = run(capsys, source, "--target", "3.3.1", "--fix")
    assert code == 0
    assert "fixed 1" in err
    assert "CL305" not in out
    assert "layer = safe_load('m')  # as ever" in source.read_text()


def test_run_needs_an_installed_paddle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from compatload.checking import running
    from compatload.runtime.detection import runtime_for

    here = runtime_for("paddle==3.3.1")
    monkeypatch.setattr(running, "detect_runtime", lambda: replace(here, paddle=None))
    code, _, err = run(capsys, tmp_path, "--run")
    assert code == 2
    assert "needs an installed Paddle" in err
    monkeypatch.setattr(running, "detect_runtime", lambda: here)
    code, _, err = run(capsys, tmp_path, "--run", "--target", "3.0.0")
    assert code == 2
    assert "which is 3.3.1, not 3.0.0" in err
