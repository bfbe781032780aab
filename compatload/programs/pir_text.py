"""Rewrites a ``.json`` program without parsing it as a whole.

Paddle writes objects with their keys in order and without white space, so operators and their
attributes can be found in the text. Equal attributes, of which a program has many, are parsed
once. ``{"`` cannot stand inside a JSON string (there the quote would be escaped, or end the string
before a "#"), so the patterns meet the structure only, never a string's content. A file that is
written in another way is recognised, and left to the parser.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Any

from compatload.operators.registry import (
    OperatorTable,
    PirOperator,
    known_releases,
    pir_operators,
    pir_version_of,
)
from compatload.programs.pir_attributes import Fitted, fit_attributes
from compatload.programs.pir_changes import (
    PARAMETER,
    Change,
    collected,
    operator_name,
    takes,
)
from compatload.programs.pir_graph import ProgramValues
from compatload.programs.pir_replacements import Replacements

_HEAD = re.compile(
    r'\{"base_code":\{"magic":"pir","trainable":(?:true|false),"version":(\d{1,9})\},'
    r'"program":\{"regions":\['
)
_TAIL = "]}]}]}}"
_OPERATOR = re.compile(r'\{"#":"([^"\\]+)","A":\[')
_ATTRIBUTES_END = re.compile(r'\],"(?:DA|I)":')
_DECODER = json.JSONDecoder()

# What a hostile file may raise while a part of it is looked at; the parser then says what is wrong.
_MALFORMED = (
    *(AttributeError, IndexError, KeyError, TypeError),
    *(ValueError, OverflowError, RecursionError),
)


class _ParseItError(Exception):
    """The file has to be parsed: to rewrite it, or to say what stands in the way and where."""


def rewrite(
    data: bytes, table: OperatorTable[PirOperator]
) -> tuple[bytes, tuple[Change, ...]] | None:
    """The program for the release of ``table`` and what changed, or None: parse the file."""
    try:
        return _Rewriting(data.decode(), table).run()
    except (*_MALFORMED, _ParseItError):
        return None


class _Rewriting:
    def __init__(self, text: str, table: OperatorTable[PirOperator]) -> None:
        self._text = text
        self._table = table
        self._changes: Counter[tuple[str, str]] = Counter()
        head = _HEAD.match(text)
        if head is None or not text.rstrip().endswith(_TAIL):
            raise _ParseItError
        self._head = head
        self._replacements = Replacements(lambda: ProgramValues.of_text(text), table, int(head[1]))
        self._seen: dict[str, tuple[Fitted, str]] = {}

    def run(self) -> tuple[bytes, tuple[Change, ...]]:
        text, head = self._text, self._head
        written, number = int(head[1]), pir_version_of(self._table.release)
        if written != number:
            self._changes["", f"PIR version {written} becomes {number}"] += 1
        pieces = [text[: head.start(1)], str(number)]
        done = head.end(1)
        found = 0
        for match in _OPERATOR.finditer(text, head.end()):
            found += 1
            if match[1] == PARAMETER:
                continue
            name = operator_name(match[1])
            looked_at = name in _signatures_that_changed() or self._replacements.changes(name)
            if name in self._table and not looked_at:
                start, end, new = self._attributes(name, match.start(), match.end() - 1)
            else:
                start, end, new = self._operator(name, match.start())
            if new is not None:
                pieces += (text[done:start], new)
                done = end
        # Every "A" must have been the attributes of an operator seen above; otherwise somebody
        # else wrote this file, and its keys stand in another order.
        if found != text.count('"A"'):
            raise _ParseItError
        pieces.append(text[done:])
        return "".join(pieces).encode(), collected(self._changes)

    def _attributes(self, name: str, operator: int, start: int) -> tuple[int, int, str | None]:
        """Where the operator's attributes stand, and what to write there (None: no change)."""
        ending = _ATTRIBUTES_END.search(self._text, start)
        if ending is None:
            raise _ParseItError
        end = ending.start() + 1
        key = self._text[operator:end]
        if key not in self._seen:
            attributes = json.loads(self._text[start:end])
            fitted = fit_attributes(self._table[name], attributes, self._table.release)
            if fitted.obstacles:
                raise _ParseItError
            self._seen[key] = fitted, _dump(fitted.attributes)
        fitted, new = self._seen[key]
        for change in fitted.changes:
            self._changes[name, change] += 1
        return start, end, None if fitted.attributes is None else new

    def _operator(self, name: str, start: int) -> tuple[int, int, str | None]:
        """Where the whole operator stands, and what to write there (None: no change)."""
        operator, end = _DECODER.raw_decode(self._text, start)
        if "regions" in operator:
            raise _ParseItError
        known = self._table.get(name)
        changes = self._replacements.changes(name)
        if known is not None and takes(known, operator) and not changes:
            fitted = fit_attributes(known, operator["A"], self._table.release)
            if fitted.obstacles:
                raise _ParseItError
            for change in fitted.changes:
                self._changes[name, change] += 1
            if fitted.attributes is None:
                return start, end, None
            return start, end, _dump({**operator, "A": fitted.attributes})
        replaced = self._replacements.replace(name, operator)
        if isinstance(replaced, str):
            raise _ParseItError
        self._changes[name, replaced.what] += 1
        return start, end, ",".join(map(_dump, replaced.operators))


@cache
def _signatures_that_changed() -> frozenset[str]:
    """Operators whose operands or results differ between releases, in number or in order."""
    signatures: dict[str, set[object]] = {}
    for release in known_releases():
        for name, operator in pir_operators(release).items():
            signatures.setdefault(name, set()).add((operator.operands, operator.results))
    return frozenset(name for name, known in signatures.items() if len(known) > 1)


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
