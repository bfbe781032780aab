"""Every output, with findings that are hard to write down."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from compatload.checking.finding import CheckReport, Finding, Severity, Skipped
from compatload.checking.reporters import REPORTERS, render, text
from compatload.errors import UsageError
from compatload.faults.texts import rule_texts

# From the npm package @microsoft/jest-sarif 1.0.0-beta.0 (MIT), which ships the published schema.
SARIF_SCHEMA = Path(__file__).with_name("sarif-2.1.0-rtm.5.json")


def finding(rule: str, severity: Severity, path: str, **position: int) -> Finding:
    message = '100% wrong:\n<a> & "b" | `c`, ü\x01'
    return Finding(rule, severity, path, message, "do, this: now", "paddle 3.3.1", **position)


EMPTY = CheckReport("paddle 3.3.1")
CLEAN = CheckReport("paddle 3.3.1", checked={"source": 3})
FULL = CheckReport(
    "paddle 3.3.1",
    (
        finding(
            "CL301", Severity.ERROR, "a b/ü,x:1.py", line=3, column=5, end_line=3, end_column=9
        ),
        finding("CL303", Severity.WARNING, "/abs/|a|.py", line=1, column=1),
        finding("CL305", Severity.NOTE, "C:\\x.py", line=7, column=2, end_line=8, end_column=1),
        finding("CL101", Severity.ERROR, "model.pdmodel"),
        finding("CL999", Severity.ERROR, "of another version"),
    ),
    (Skipped("big.py", "larger than 4 MiB"), Skipped("a.tar!../x", "leads out", unsafe=True)),
    {"source": 3, "artifact": 1},
    passed_over=5,
    suppressed=2,
)
REPORTS = {"empty": EMPTY, "clean": CLEAN, "full": FULL}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("form", REPORTERS)
def test_every_output_counts_and_names_what_was_skipped(form: str, report: CheckReport) -> None:
    output = render(report, form)
    assert output.endswith("\n")
    output.encode("utf-8")
    for entry in report.skipped:
        assert entry.reason in output
    if form != "json":
        assert f"checked {report.checked_total}, skipped {len(report.skipped)}" in output


def test_an_unknown_output_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="sarif"):
        render(CLEAN, "yaml")


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_sarif_is_valid(report: CheckReport) -> None:
    schema = json.loads(SARIF_SCHEMA.read_text("utf-8"))
    document = json.loads(render(report, "sarif"))
    jsonschema.Draft4Validator(schema).validate(document)
    run = document["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == [f.rule for f in report.findings]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_the_schema_catches_what_is_wrong() -> None:
    schema = json.loads(SARIF_SCHEMA.read_text("utf-8"))
    document = json.loads(render(FULL, "sarif"))
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(schema).validate(document)


def test_sarif_explains_its_rules() -> None:
    rules = json.loads(render(FULL, "sarif"))["runs"][0]["tool"]["driver"]["rules"]
    explained = {rule["id"]: rule for rule in rules}
    assert explained["CL301"]["shortDescription"]["text"] == rule_texts()["CL301"].title
    assert explained["CL999"] == {"id": "CL999"}


def test_json_is_the_report() -> None:
    assert json.loads(render(FULL, "json")) == FULL.to_dict()


def test_github_commands_stay_on_their_lines() -> None:
    lines = render(FULL, "github").splitlines()
    assert len(lines) == len(FULL.findings) + len(FULL.skipped) + 1
    command = re.compile(r"::(error|warning|notice) file=[^,:]+(,\w+=[^,:]+)*::.+")
    assert all(command.fullmatch(line) for line in lines[:-1])
    assert lines[0].startswith("::error file=a b/ü%2Cx%3A1.py,line=3,endLine=3,col=5,endColumn=9,")
    assert "100%25 wrong:%0A" in lines[0]
    assert lines[2].startswith("::notice ")


def test_junit_counts_what_it_holds() -> None:
    root = ElementTree.fromstring(render(FULL, "junit"))
    (suite,) = root.findall("testsuite")
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == 7
    assert int(suite.attrib["failures"]) == len(suite.findall(".//failure")) == 4
    assert int(suite.attrib["skipped"]) == len(suite.findall(".//skipped")) == 1
    assert int(suite.attrib["errors"]) == len(suite.findall(".//error")) == 1


def test_junit_of_a_clean_check_has_a_test_that_passed() -> None:
    root = ElementTree.fromstring(render(CLEAN, "junit"))
    assert root.attrib["tests"] == "1"
    assert root.attrib["failures"] == "0"


def test_markdown_rows_have_five_cells() -> None:
    rows = [line for line in render(FULL, "markdown").splitlines() if " CL" in line]
    assert len(rows) == 5
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows)


def test_text_with_colours_says_the_same() -> None:
    plain = render(FULL, "text")
    coloured = text.render(FULL, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_text_lets_no_control_characters_through() -> None:
    report = CheckReport("t", skipped=(Skipped("\x1b[31m\nok\r.py", "why"),))
    assert set(render(report, "text")) & set("\x1b\r\x01") == set()
    assert len(render(report, "text").splitlines()) == 2


def test_every_rule_can_be_explained() -> None:
    for rule, words in rule_texts().items():
        assert re.fullmatch(r"CL\d{3}", rule)
        assert words.title
        assert words.explanation
        assert words.evidence
