"""A page of one table to sort, filter and open: everything in one file, nothing from a network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from compatload.faults.texts import rule_texts
from compatload.frozen import frozen


@frozen
class Column:
    """``facet``: its values can be chosen from; ``state``: shown in the row's colour."""

    name: str
    facet: bool = False
    state: bool = False


@frozen
class Item:
    """One thing said of a row. ``state``: ``ok``, ``note``, ``warning`` or ``error``."""

    state: str
    kind: str
    rule: str
    where: str
    text: str
    action: str


@frozen
class Row:
    """``cells`` as the columns stand; ``details`` are names and texts, seen when it is opened.

    ``sorts``: numbers to sort by, for the columns that are no words, by the column's number.
    """

    state: str
    cells: tuple[str, ...]
    details: tuple[tuple[str, str], ...] = ()
    items: tuple[Item, ...] = ()
    sorts: Mapping[int, float] | None = None


def table_page(
    title: str, summary: str, columns: Sequence[Column], rows: Iterable[Row], rules: Iterable[str]
) -> str:
    """The page; ``rules`` are told in full below the table."""
    texts = rule_texts()
    told = {
        one: [texts[one].title, texts[one].explanation, texts[one].fix]
        for one in sorted(set(rules))
        if one in texts
    }
    data = {
        "title": title,
        "summary": summary,
        "columns": [vars(column) for column in columns],
        "rows": [{**vars(row), "items": [vars(item) for item in row.items]} for row in rows],
        "rules": told,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # A file's name may hold "</script>", and what no UTF-8 can.
    safe = text.replace("<", "\\u003c").encode("utf-8", "replace").decode()
    return _template().replace("@DATA@", safe)


@cache
def _template() -> str:
    return files(__package__).joinpath("table.html").read_text(encoding="utf-8")
