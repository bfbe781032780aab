"""What is the same in every verb: loudness, colours, completion, versions, notebooks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from compatload import __version__, inspect_artifact
from compatload.cli import VERBS, main
from compatload.loading.report import LoadReport
from compatload.plan import Api, Plan, Step, Strategy

FIXTURES = Path(__file__).parents[1] / "fixtures"


def completed(script: str, *words: str) -> list[str]:
    asked = " ".join(f"'{word}'" for word in words)
    code = (
        f"{script}\nCOMP_WORDS=({asked}) COMP_CWORD={len(words) - 1}\n"
        '_compatload; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_completion_in_a_real_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert completed(script, "compatload", "") == list(VERBS)
    assert completed(script, "compatload", "mi") == ["migrate"]
    assert completed(script, "compatload", "migrate", "--dr") == ["--dry-run"]
    assert "html" in completed(script, "compatload", "check", "--format", "")
    assert completed(script, "compatload", "completion", "z") == ["zsh"]
    assert completed(script, "compatload", "run", "-") == []
    for shell in ("zsh", "fish"):
        assert main(["completion", shell]) == 0
        assert "migrate" in capsys.readouterr().out


def test_a_verb_is_summed_up_by_the_head_of_its_module_and_imports_no_other() -> None:
    for verb, summary in VERBS.items():
        module = import_module(f"compatload.cli.{verb}")
        assert (module.__doc__ or "").splitlines()[0] == summary
    code = "import sys; from compatload.cli import parser; parser('rule'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name[15:] for name in done.stdout.split() if name.startswith("compatload.cli.")}
    assert imported & {*VERBS} == {"rule"}


def test_version_and_env_say_what_a_bug_report_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGS_enable_pir_api", "1")
    monkeypatch.setenv("SECRET", "nobody's business")
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"compatload {__version__} (")
    assert "addle" in line
    assert "python 3." in line
    assert main(["env"]) == 0
    told = capsys.readouterr().out
    assert f"compatload   {__version__}, with packaging " in told
    assert "environment  FLAGS_enable_pir_api=1" in told
    assert "SECRET" not in told


def test_quiet_and_verbose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = str(FIXTURES / "3.3.1/lstm"), str(tmp_path / "report")
    command = ["check", source, "--target", "3.3.1", "--output", page]
    assert main(command) == 0
    assert "checked 1" in capsys.readouterr().err
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*command, "-v"]) == 0


def test_sarif_is_relative_to_the_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    shutil.copytree(FIXTURES / "2.6.2/classifier", tmp_path / "models/one")
    monkeypatch.chdir(tmp_path / "models")
    assert main(["check", "one", "--target", "3.3.1", "--format", "sarif"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "models/one/model.pdmodel"


def test_no_colour_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    command = ["check", str(FIXTURES / "2.6.2/classifier"), "--target", "3.3.1", "--no-progress"]
    for value, coloured in (("1", False), ("", True)):  # empty stands for nothing asked
        monkeypatch.setenv("NO_COLOR", value)
        main(command)
        assert ("\x1b[" in capsys.readouterr().out) is coloured


def test_notebooks_show_tables() -> None:
    shown = inspect_artifact(FIXTURES / "2.6.2/classifier")._repr_html_()
    assert "<caption>" in shown
    assert "image: float32" in shown
    plan = Plan("<m>", "pir", "==3.3.1", "paddle 3.3.1", Api.LAYER, "cpu")
    step = Step(Strategy.NATIVE, "it is <native>", ("CL101",))
    shown = LoadReport(plan, step, (("first", "broke & fell"),), 0.5)._repr_html_()
    assert "&lt;m&gt;" in shown
    assert "first: broke &amp; fell" in shown
    assert "500 ms" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("verb", [["rule"], ["env"], ["cache", "list"], ["schema", "check"]])
def test_output_that_goes_nowhere_is_no_traceback(verb: list[str]) -> None:
    command = [sys.executable, "-m", "compatload", *verb]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("compatload: the output cannot be written: No space left")
    assert "Traceback" not in done.stderr
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")
