from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from matrix.environments import EnvironmentUnavailableError, describe, ensure, home
from matrix.versions import Entry


def entry(**changed: object) -> Entry:
    values: dict[str, object] = {
        "id": "9.9.9",
        "release": Version("9.9.9"),
        "distribution": "paddlepaddle",
        "pythons": ("3.11",),
        **changed,
    }
    return Entry(**values)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPATLOAD_MATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COMPATLOAD_MATRIX_ENVS", raising=False)


def tool(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_home_is_where_the_variable_says(tmp_path: Path) -> None:
    assert home() == tmp_path / "home"


@pytest.mark.parametrize("with_uv", [True, False])
def test_a_missing_interpreter_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_uv: bool
) -> None:
    if with_uv:
        tool(tmp_path / "bin", "uv", "exit 2")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/nowhere")
    with pytest.raises(EnvironmentUnavailableError, match=r"no interpreter of 2\.4"):
        ensure(entry(pythons=("2.4",)))


def test_a_release_that_cannot_be_installed_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        'case "$1$2" in pipinstall) printf "long story\\n  no such release\\n" >&2; exit 1;; esac'
    )
    tool(tmp_path / "bin", "uv", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin:/bin")
    with pytest.raises(EnvironmentUnavailableError, match=r"^9\.9\.9: no such release$"):
        ensure(entry())
    assert not (home() / "envs/9.9.9/.complete").exists()


def test_a_home_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COMPATLOAD_MATRIX_HOME", str(tmp_path / "file"))
    with pytest.raises(EnvironmentUnavailableError, match=r"9\.9\.9: Not a directory"):
        ensure(entry())


def test_a_checkout_that_is_installed_is_no_part_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = entry(distribution="pytest")
    before = describe(here, Path(sys.prefix))
    metadata = tmp_path / "made_up.egg-info/PKG-INFO"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: made_up\nVersion: 1.0\n")
    monkeypatch.chdir(tmp_path)
    assert describe(here, Path(sys.prefix)) == before
