"""``compatload convert`` and ``compatload cache``, without Paddle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixtures.index import fixture

from compatload.cli import main
from compatload.store.cache import VARIABLE, ConversionCache

MODEL = str(fixture("3.3.1/classifier").path)


def test_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["convert", MODEL, str(tmp_path / "m"), "--to", "pir-v1", "--no-verify"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "as Paddle 3.0.0 writes it" in text
    assert f"wrote {tmp_path / 'm.json'}" in text
    assert "numbers not compared: verify=False" in text


def test_convert_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["convert", MODEL, str(tmp_path / "m"), "--to", "legacy", "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["target_format"] == "legacy"
    assert told["verification"]["asked"] is True
    assert {Path(path).suffix for path in told["files"]} == {".pdiparams", ".pdmodel", ".info"}


@pytest.mark.parametrize(
    ("source", "to", "code"),
    [
        (MODEL, "pir-v9", 2),
        ("/no/such/model", "legacy", 3),
        (str(fixture("2.6.2/classifier").path), "pir-v1", 1),  # no Paddle here
    ],
)
def test_what_cannot_be_done(
    source: str, to: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", source, str(tmp_path / "m"), "--to", to]) == code
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
    assert list(tmp_path.iterdir()) == []


def test_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    assert main(["cache", "path"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'cache'}\n"
    assert main(["cache", "list"]) == 0
    assert "nothing is cached" in capsys.readouterr().out
    about = {"model": "m", "for": "paddle 2.6.2"}
    ConversionCache().get_or_create("ab", lambda place: (place / "x").write_text("1"), about=about)
    assert main(["cache", "list"]) == 0
    assert "for paddle 2.6.2, model m" in capsys.readouterr().out
    assert main(["cache", "list", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["key"], entry["about"]) == ("ab", about)
    assert main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": 1}
    assert ConversionCache().entries() == ()
