"""docs/uses.md: every claim of the table of uses, asked again of three releases."""

from __future__ import annotations

from compatload.checking.source_rules.uses_table import uses
from matrix.uses_proved import PAGE, RELEASES, cell

TEXT = PAGE.read_text("utf-8")


def test_every_claim_of_the_table_was_asked_again_and_stands() -> None:
    columns = [c for c in uses().columns if c.partition(" ")[0] in RELEASES]
    count = len(uses().answers)
    for column in columns:
        assert f"| {column} | {count} | {count} | 0 |" in TEXT
    for use in uses().answers:
        cells = " | ".join(cell(uses().answer(use, column)) for column in columns)
        assert f"| `{use}` | {cells} |" in TEXT


def test_what_to_write_instead_goes() -> None:
    assert "| NO |" not in TEXT.partition("## Instead")[2]
