"""The page of a report: one file, nothing from a network, and it works in a real browser.

The browser's part runs where there is one: apt-get install chromium, pip install playwright
axe-playwright-python.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from compatload.checking.check import check
from compatload.checking.finding import CheckReport, Finding, Severity, Skipped
from compatload.checking.reporters import render

FIXTURES = Path(__file__).parents[2] / "fixtures"
HOSTILE = "</script><script>alert(1)</script>\udcff<img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def report() -> CheckReport:
    found = check([FIXTURES / "2.6.2", FIXTURES / "3.3.1"], target="paddle==3.3.1")
    hostile = Finding("CL001", Severity.ERROR, HOSTILE, HOSTILE, "Do <b>that</b>.", "x")
    return CheckReport(
        target=found.target,
        findings=(*found.findings, hostile),
        skipped=(Skipped("far.bin", "too large"), Skipped("evil.zip", "a bomb", unsafe=True)),
        checked=found.checked,
        models=found.models,
    )


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v or "" for name, v in attributes if name in ("src", "href", "action")]


def test_one_file_that_holds_all_and_asks_for_nothing(report: CheckReport) -> None:
    page = render(report, "html")
    seen = _Seen()
    seen.feed(page)
    assert seen.links == ["data:,"]
    assert "img" not in seen.tags
    assert seen.tags.count("script") == 2
    held = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert held
    data = json.loads(held[1])
    assert len(data["rows"]) == len(report.models) + 3
    said = {item["text"] for row in data["rows"] for item in row["items"]}
    assert {f.message for f in report.findings} - said == {HOSTILE}  # its bytes are no UTF-8
    assert data["rules"]["CL101"][0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright: Any = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    path = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_in_a_browser(
    report: CheckReport, browser: Any, tmp_path: Path, scheme: str, width: int
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(report, "html"), encoding="utf-8")
    page = browser.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True
    )
    wrong: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append("a dialog"))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    rows = page.locator("tbody tr[data-row]")
    everything = len(report.models) + 3
    assert (wrong, rows.count()) == ([], everything)

    page.get_by_label("find").fill("CL201")
    few = rows.count()
    assert 0 < few < everything
    assert page.get_by_role("status").inner_text() == f"{few} of {everything} shown"
    page.get_by_label("find").fill("")
    page.get_by_label("result").select_option("unsafe")
    assert rows.count() == 1
    page.get_by_label("result").select_option("")

    if width > 700:  # on narrow screens the heads are for readers of screens only
        page.get_by_role("button", name="where", exact=True).click()
        assert page.locator("th[aria-sort=descending]").inner_text().startswith("where")
    first = rows.first.locator("button")
    first.focus()
    page.keyboard.press("Enter")
    assert page.locator("tr.more").count() == 1
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wrong == []
    assert asked == [path.as_uri()]
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright")
    violations = axe.Axe().run(page).response["violations"]
    assert [(one["id"], [n["html"] for n in one["nodes"]][:2]) for one in violations] == []
    page.close()
