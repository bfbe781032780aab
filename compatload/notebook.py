"""Small HTML tables, as notebooks show them in place of a ``repr``."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def table(caption: str, rows: Iterable[tuple[str, object]]) -> str:
    """Names and values; what is empty is left out, sequences stand line by line."""
    lines = []
    for name, value in rows:
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        told = "<br>".join(escape(str(one)) for one in values if one not in (None, ""))
        if told:
            lines.append(
                f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
                f'<td style="text-align:left">{told}</td></tr>'
            )
    return f"<table><caption>{escape(caption)}</caption><tbody>{''.join(lines)}</tbody></table>"
