"""What verbs print for programs is what their schemas say."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from fixtures.index import fixture

from compatload.cli import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
MODEL = str(fixture("2.6.2/classifier").path)
LOOSE = str(fixture("2.6.2/directory_loose").path)
PIR = str(fixture("3.3.1/two_methods").path)


@pytest.mark.parametrize(
    "command",
    [
        ("inspect", MODEL, "--json"),
        ("inspect", LOOSE, "--json"),
        ("inspect", PIR, "--json"),
        ("env", "--json"),
        ("plan", MODEL, "--target", "paddle==3.3.1", "--json"),
        ("plan", PIR, "--target", "paddle==2.6.2", "--cpu", "nehalem", "--json"),
        ("plan", MODEL, "--target", "paddle==3.4.0", "--json"),
        (
            *("check", str(FIXTURES / "3.0.0"), MODEL + ".pdmodel", __file__),
            *("--target", "3.3.1", "--jobs", "1", "--format", "json"),
        ),
        ("convert", PIR, "{tmp}/m", "--to", "legacy", "--no-verify", "--json"),
        (
            *("migrate", str(FIXTURES / "3.3.1"), "{tmp}/out", "--to", "paddle==2.6.2"),
            *("--no-verify", "--jobs", "1", "--format", "json"),
        ),
    ],
    ids=lambda command: " ".join(part.rpartition("/")[2] for part in command[:4]),
)
def test_output_follows_its_schema(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", command[0]]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    main([part.replace("{tmp}", str(tmp_path)) for part in command])
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)
