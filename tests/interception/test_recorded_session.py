"""The terminal session that ``record_session`` has recorded, in the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interception import record_session
from tests.interception.test_paddleocr_3 import FAULT


@pytest.mark.parametrize("page", record_session.PAGES, ids=lambda page: page.parts[-3])
def test_the_pages_show_the_recorded_session(page: Path) -> None:
    said = record_session.text()
    assert FAULT in said
    assert "Quarterlyreport2026" in said
    assert f"{record_session.START}{said}{record_session.END}" in page.read_text(encoding="utf-8")
