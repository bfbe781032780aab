"""CL308: Paddle's version compared as text."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

from packaging.version import InvalidVersion, Version

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import VERSIONS
from compatload.checking.source_rules.finding import found
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"__version__|full_version"),)

_ORDERINGS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    for node, scope in source.comparisons:
        text = compared_with(node, scope, source)
        if text is None:
            continue
        wrong = _disagree(node, scope, source, text, target)
        yield found(
            "CL308",
            source,
            node,
            target,
            f"Paddle's version is compared with {text!r} as text"
            + (f", which gives the wrong answer for {target}." if wrong else "."),
            severity="error" if wrong else "note",
            fixable=_version(text) is not None,
        )


def is_fixable(node: ast.Compare, scope: Scope, source: PythonSource) -> bool:
    """Whether both sides are versions, so that comparing them as such works."""
    text = compared_with(node, scope, source)
    return text is not None and _version(text) is not None


def compared_with(node: ast.Compare, scope: Scope, source: PythonSource) -> str | None:
    """The text that Paddle's version is ordered against, or None if it is no such comparison."""
    if len(node.ops) != 1 or type(node.ops[0]) not in _ORDERINGS:
        return None
    for version, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        if (
            source.resolve(version, scope) in VERSIONS
            and isinstance(other, ast.Constant)
            and isinstance(other.value, str)
        ):
            return other.value
    return None


def _disagree(
    node: ast.Compare, scope: Scope, source: PythonSource, text: str, target: Target
) -> bool:
    """Whether text and version order differently for the target."""
    compare = _ORDERINGS[type(node.ops[0])]
    release = _version(text)
    if release is None:
        return False
    if source.resolve(node.left, scope) in VERSIONS:
        return compare(str(target.version), text) != compare(target.version, release)
    return compare(text, str(target.version)) != compare(release, target.version)


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
