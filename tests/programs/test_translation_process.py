"""A translator that dies, hangs or cannot start ends in a documented error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compatload.errors import ConversionError
from compatload.programs.translation_process import legacy_to_pir

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts as interpreters")


def interpreter(folder: Path, script: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -SEGV $$", "was killed by SIGSEGV"),
        ("echo 'out of luck' >&2; exit 3", "ended with status 3"),
        ("echo '[1]' > outcome.json", "ended with status 0"),
    ],
)
def test_a_death_is_told(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(ConversionError, match=said):
        legacy_to_pir(b"", interpreter=interpreter(tmp_path, script))


def test_its_last_words_are_the_obstacle(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        legacy_to_pir(b"", interpreter=interpreter(tmp_path, "echo 'out of luck' >&2; exit 3"))
    assert caught.value.obstacles == ("out of luck",)


def test_a_translator_that_hangs_is_killed(tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match=r"within 0\.2 seconds"):
        legacy_to_pir(b"", interpreter=interpreter(tmp_path, "exec sleep 60"), timeout=0.2)


def test_an_interpreter_that_is_not_there_is_named() -> None:
    with pytest.raises(ConversionError, match="/no/such/python"):
        legacy_to_pir(b"", interpreter="/no/such/python")
