"""CL303: names of legacy program files written into the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"pdmodel|__model__"),)

# The whole of a path's last part: "x.pdmodel", ".pdmodel", "{}.pdmodel", "dir/__model__".
_LEGACY_NAME = re.compile(r"\.pdmodel$|^pdmodel$|(^|[/\\])__model__$")
_PIR_NAME = re.compile(r"\.?json$")


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if not applies("CL303", target):
        return
    both = {scope for node, scope in source.strings if _PIR_NAME.search(str(node.value))}
    for node, scope in source.strings:
        text = str(node.value)
        # Prose has spaces; a function that also knows .json deals with both formats.
        if _LEGACY_NAME.search(text) and " " not in text and scope not in both:
            yield found(
                "CL303",
                source,
                node,
                target,
                f"{_short(text)!r} names a legacy program; {target} saves and looks for .json.",
            )


def _short(text: str) -> str:
    return text if len(text) <= 60 else "…" + text[-59:]
