"""Every verb says what it has to say, whatever encoding its output has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fixtures.index import fixture

from compatload.cli import VERBS, encoding, main

ROOT = Path(__file__).resolve().parents[2]
MODEL = str(fixture("2.6.2/classifier").path)
C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
ASCII = {"PYTHONIOENCODING": "ascii"}
TARGET = ("--target", "paddle==3.3.1")
COMMANDS: list[tuple[str, ...]] = [
    ("--help",),
    ("inspect", MODEL),
    ("env",),
    ("plan", MODEL, *TARGET),
    ("check", MODEL + ".pdmodel", *TARGET, "--format", "markdown"),
    ("rule", "CL113"),
    ("run", "--help"),
    ("convert", "/no/such/modèle→", "3.3.1", "x"),
]


def said(*arguments: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "compatload", *arguments],
        capture_output=True,
        timeout=120,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_ascii_cannot_hold_is_written_in_it(command: tuple[str, ...]) -> None:
    done = said(*command, **ASCII)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2, 3)
    assert (done.stdout + done.stderr).isascii()


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "cp1252"}, C_LOCALE], ids=["cp", "C"])
def test_other_encodings(variables: dict[str, str]) -> None:
    assert b"2.6.2 -> 3.0.0" in said("rule", "CL113", **variables).stdout


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "run"])
def test_help_of_every_verb(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    told = " ".join(capsys.readouterr().out.split())
    told.encode("ascii", "compatload")
    assert "exit codes: " in told


def test_check_tells_its_own_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert "3 nothing recognised" in " ".join(capsys.readouterr().out.split())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a name is always text")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    source = os.fsencode(tmp_path) + b"/caf\xe9.py"
    with open(source, "w", encoding="utf-8") as file:
        file.write("import paddle.fluid\n")
    for variables in (ASCII, {"PYTHONIOENCODING": "utf-8"}, C_LOCALE):
        done = said("check", str(tmp_path), *TARGET, **variables)
        assert b"Traceback" not in done.stderr, done.stderr
        assert done.returncode == 1
        found = said("check", str(tmp_path), *TARGET, "--format", "json", **variables)
        assert json.loads(found.stdout)["findings"]
        found = said("check", str(tmp_path), *TARGET, "--format", "junit", **variables)
        assert ElementTree.fromstring(found.stdout).iter("failure")
        written = tmp_path.parent / "report.txt"
        more = ("--format", "markdown", "--output", str(written))
        assert said("check", str(tmp_path), *TARGET, *more, **variables).returncode == 1
        assert written.read_text("utf-8")


def test_what_the_user_chose_stays() -> None:
    done = said("rule", "CL113", PYTHONIOENCODING="ascii:replace")
    assert b"2.6.2 ? 3.0.0" in done.stdout


def test_signs_have_plain_ones() -> None:
    encoding.suit_any_encoding()
    assert "a → b…".encode("ascii", "compatload") == b"a -> b..."
    assert "\udce9×".encode("cp1252", "compatload") == b"\\udce9\xd7"
    assert "文".encode("latin-1", "compatload") == b"\\u6587"
