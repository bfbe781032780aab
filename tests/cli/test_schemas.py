"""What verbs print for programs is what their schemas say."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fixtures.index import fixture

from compatload.cli import VERBS, main, parser
from compatload.cli.schema import SCHEMAS
from compatload.serving.bench import BenchComparison, ServingWay, TimedWay

FIXTURES = Path(__file__).parents[1] / "fixtures"
RECORDS = Path(__file__).parents[2] / "matrix" / "results" / "selftest"
MODEL = str(fixture("2.6.2/classifier").path)
LOOSE = str(fixture("2.6.2/directory_loose").path)
PIR = str(fixture("3.3.1/two_methods").path)


def schema_of(verb: str, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["schema", verb]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


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
        ("demo", "--json"),
        ("cache", "list", "--json"),
        ("cache", "path", "--json"),
        ("cache", "clear", "--json"),
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
    schema = schema_of(command[0], capsys)
    main([part.replace("{tmp}", str(tmp_path)) for part in command])
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


def test_records_of_selftests_follow_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    records = sorted(RECORDS.glob("*.json"))
    assert records
    schema = schema_of("selftest", capsys)
    for record in records:
        jsonschema.validate(json.loads(record.read_text(encoding="utf-8")), schema)


def test_a_comparison_follows_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    ways = (
        TimedWay(ServingWay("paddle", 1), ((0.1, 0.2), (0.1,))),
        TimedWay(ServingWay("openvino", 2), (), "no"),
    )
    found = BenchComparison("model", "paddle 3.3.1", "a cpu", {}, ("x: 1x3",), ways)
    jsonschema.validate(json.loads(json.dumps(found.to_dict())), schema_of("bench", capsys))


def test_every_verb_that_prints_for_programs_has_one() -> None:
    (verbs,) = (
        one for one in parser(*VERBS)._actions if one.dest == argparse.SUPPRESS and one.choices
    )
    told = {
        name for name, verb in dict(verbs.choices or {}).items() if "json" in verb.format_help()
    }
    assert told == set(SCHEMAS)
