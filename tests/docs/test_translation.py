"""What is in Chinese has the headings, the code, the tables and the links of the English page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, FENCE, ROOT, blocks_of

TRANSLATED = ("index.md", "start.md", *(f"how-to/{p.name}" for p in (DOCS / "how-to").iterdir()))
PAIRS = [
    (ROOT / "README.md", ROOT / "README.zh-CN.md"),
    *((DOCS / page, DOCS / "zh" / page) for page in TRANSLATED),
]
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SITE = "https://compatload.github.io/compatload/"


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def where_to(path: Path) -> list[str]:
    """Targets of the links, by what they are called in either language."""
    text = prose(path).replace(f"{SITE}zh/", SITE).replace("README.zh-CN.md", "README.md")
    return sorted(re.sub(r"^(\.\./)+", "", target) for target in LINK.findall(text))


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda path: path.name)
def test_both_say_the_same_things(english: Path, chinese: Path) -> None:
    assert HEADING.findall(prose(chinese)) == HEADING.findall(prose(english))
    ours, theirs = blocks_of(english), blocks_of(chinese)
    assert [(b.language, b.code, b.not_run) for b in theirs] == [
        (b.language, b.code, b.not_run) for b in ours
    ]
    rows = [re.findall(r"^\|.*\|$", prose(path), re.MULTILINE) for path in (english, chinese)]
    assert [row.count("|") for row in rows[1]] == [row.count("|") for row in rows[0]]
    assert where_to(chinese) == where_to(english)


def test_no_chinese_page_is_left_over() -> None:
    there = {str(path.relative_to(DOCS / "zh")) for path in (DOCS / "zh").rglob("*.md")}
    assert there == set(TRANSLATED)
