"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A head and its rows; bars inside fields are kept from ending them."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(one.replace("|", "\\|") for one in row) + " |" for row in rows]
    return "\n".join(lines)
