"""The pages that people wrote, and the blocks of code in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Written by the matrix's own programs, which have tests of their own.
MADE = {
    *("configs.md", "findings.md", "limitation-dresses.md", "limitations.md"),
    *("pir-differences.md", "predictions.md"),
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: (\S.*) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """Code of a page; ``not_run`` is the reason that the page gives, empty where it is run."""

    page: str
    number: int
    language: str
    code: str
    not_run: str = ""

    @property
    def id(self) -> str:
        return f"{self.page}-{self.number}"


def pages() -> tuple[Path, ...]:
    """English ones; the Chinese have the same code (test_translation)."""
    written = (path for path in sorted(DOCS.rglob("*.md")) if path.name not in MADE)
    return (ROOT / "README.md", *(path for path in written if "zh" not in path.parts))


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = []
    for number, fence in enumerate(FENCE.finditer(text)):
        reason = NOT_RUN.search(text, 0, fence.start())
        found.append(
            Block(
                str(path.relative_to(ROOT)),
                number,
                fence[1],
                fence[2],
                reason[1] if reason else "",
            )
        )
    return found


@cache
def blocks() -> tuple[Block, ...]:
    return tuple(block for path in pages() for block in blocks_of(path))
