"""CL303: names of legacy program files written into the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import PythonValues
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.source_rules.flags import legacy_asked
from compatload.checking.source_rules.imports import works_with_paddle
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"pdmodel|__model__"),)

# The whole of a path's last part: "x.pdmodel", ".pdmodel", "{}.pdmodel", "dir/__model__".
_PROSE_OR_URL = re.compile(r" |://")
_LEGACY_NAME = re.compile(r"\.pdmodel$|^pdmodel$|(^|[/\\])__model__$")
# The same of a PIR program: a bare suffix, or a file with a program's usual name.
_SUFFIX = re.compile(r"^(\{\})?\.?json$")
_PIR_NAME = re.compile(r"(?P<stem>[^/\\]*)\.json$")
_USUAL_STEMS = frozenset({"inference", "model", "__model__"})


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if not applies("CL303", target) or not works_with_paddle(source):
        return
    values = PythonValues(source, target)
    if legacy_asked(source, values):
        return
    legacy = [
        (node, scope, str(node.value))
        for node, scope in source.strings
        # Prose has spaces, and what lies behind a URL was put there by somebody.
        if _LEGACY_NAME.search(str(node.value)) and not _PROSE_OR_URL.search(str(node.value))
    ]
    stems = {_stem(text) for _, _, text in legacy} | _USUAL_STEMS
    both = _scopes_with_both(source, stems) if legacy else set()
    if b"OldIrGuard" in source.data:
        both |= _scopes_with_guard(source, values)
    for node, scope, text in legacy:
        if scope not in both:
            yield found(
                "CL303",
                source,
                node,
                target,
                f"{_short(text)!r} names a legacy program; {target} saves and looks for .json.",
            )


def _scopes_with_both(source: PythonSource, stems: set[str]) -> set[Scope]:
    """Functions and the like that know the PIR program's name, too. Other .json files are others'
    business: a label list says nothing of the program."""
    both = set()
    for node, scope in source.strings:
        text = str(node.value)
        match = _PIR_NAME.search(text)
        if _SUFFIX.match(text) or (match is not None and match["stem"] in stems):
            both.add(scope)
    return both


def _scopes_with_guard(source: PythonSource, values: PythonValues) -> set[Scope]:
    """Functions in which Paddle goes back to legacy programs for a while."""
    return {
        scope
        for call, scope in source.calls
        if values.mentions(call.func, lambda name: name.endswith("OldIrGuard"), scope)
    }


def _stem(text: str) -> str:
    return re.split(r"[/\\]", text)[-1].rpartition(".")[0]


def _short(text: str) -> str:
    return text if len(text) <= 60 else "…" + text[-59:]
