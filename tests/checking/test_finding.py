"""Reports: exit codes, counts and the line that is always there."""

from __future__ import annotations

import pytest

from compatload.checking.finding import CheckReport, ExitCode, Finding, Severity, Skipped


def finding(severity: Severity = Severity.ERROR, **changes: object) -> Finding:
    values: dict[str, object] = {
        "rule": "CL301",
        "severity": severity,
        "path": "a.py",
        "message": "wrong",
        "action": "do",
        "target": "paddle 3.3.1",
        "line": 3,
        "column": 5,
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (CheckReport("t", checked={"source": 1}), ExitCode.COMPATIBLE),
        (CheckReport("t", (finding(Severity.NOTE),), checked={"source": 1}), ExitCode.COMPATIBLE),
        (CheckReport("t", (finding(Severity.WARNING),)), ExitCode.INCOMPATIBLE),
        (CheckReport("t", (finding(),), checked={"source": 1}), ExitCode.INCOMPATIBLE),
        (CheckReport("t", skipped=(Skipped("x", "why", unsafe=True),)), ExitCode.INCOMPATIBLE),
        (CheckReport("t", skipped=(Skipped("x", "why"),)), ExitCode.NOTHING_RECOGNISED),
        (CheckReport("t", passed_over=7), ExitCode.NOTHING_RECOGNISED),
    ],
)
def test_exit_code(report: CheckReport, code: ExitCode) -> None:
    assert report.exit_code is code


def test_summary_always_counts_and_gives_reasons() -> None:
    skipped = (Skipped("b", "too large"), Skipped("a", "too large"), Skipped("c", "binary"))
    report = CheckReport("paddle 3.3.1", (finding(),), skipped, {"source": 4}, 2, 1)
    assert report.summary == (
        "checked 4, skipped 3 (binary: 1; too large: 2), passed over 2 of other kinds, "
        "1 suppressed; 1 errors for paddle 3.3.1"
    )


def test_skipped_never_reads_as_clean() -> None:
    clean = CheckReport("t", checked={"source": 1})
    partly = CheckReport("t", skipped=(Skipped("x", "why"),), checked={"source": 1})
    nothing = CheckReport("t")
    assert clean.summary == "checked 1, skipped 0; nothing found for t"
    assert "nothing found in what was checked" in partly.summary
    assert "nothing recognised" in nothing.summary


def test_location_leaves_out_what_is_unknown() -> None:
    assert finding().location == "a.py:3:5"
    assert finding(line=None, column=None).location == "a.py"


def test_to_dict_has_a_schema_version_and_every_field() -> None:
    data = CheckReport("t", (finding(),), (Skipped("x", "why"),), {"source": 1}).to_dict()
    assert data["schema"] == 1
    assert data["exit_code"] == 1
    assert set(data["findings"][0]) == set(Finding.__dataclass_fields__)  # type: ignore[index]
