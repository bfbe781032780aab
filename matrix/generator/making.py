"""Which functions make which operators, read in the source of the installed Paddle."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from functools import cache
from typing import Any

from matrix.generator.functions import functions, resolved

# A function of the engine, of its C++ half, or an operator by its name in a static program.
MADE = (
    re.compile(r"\b(?:_C_ops|_pir_ops|_legacy_C_ops)\.(\w+)"),
    re.compile(r"""\b(?:op_)?type\s*=\s*f?['"](\w+)['"]"""),
    re.compile(r"""\bop_name\s*=\s*['"](\w+)['"]"""),
    re.compile(r"""LayerHelper\(\s*['"](\w+)['"]"""),
)
DEPTH = 3


def makers(wanted: Collection[str]) -> list[str]:
    """Functions of which each is the nearest to one of those operators; all if none is known."""
    bare = {name.rpartition(".")[2].rstrip("_") for name in wanted}
    nearest: dict[str, tuple[int, list[str]]] = {}
    for name in sorted(functions()):
        for operator, depth in made_by(name).items():
            if operator in bare:
                known = nearest.get(operator, (depth, []))
                if depth < known[0]:
                    known = (depth, [])
                if depth == known[0]:
                    nearest[operator] = (depth, [*known[1], name])
    found = {one for _, several in nearest.values() for one in several}
    return sorted(found) or sorted(functions())


@cache
def made_by(name: str) -> dict[str, int]:
    """By operator, after how many calls of other functions it is named."""
    found: dict[str, int] = {}
    waiting = _bodies(name)
    seen = {*map(id, waiting)}
    for depth in range(DEPTH):
        following: list[Any] = []
        for one in waiting:
            for operator in named(one):
                found.setdefault(operator, depth)
            for other in _called(one):
                if id(other) not in seen:
                    seen.add(id(other))
                    following.append(other)
        waiting = following
    return found


def _bodies(name: str) -> list[Any]:
    try:
        one = resolved(name)
    except AttributeError:  # a sign that methods have
        return []
    return [one, inspect.unwrap(one.forward)] if hasattr(one, "forward") else [inspect.unwrap(one)]


@cache
def named(function: Any) -> frozenset[str]:
    """The operators that the source of a function names."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # written in C
        return frozenset()
    return frozenset(one.rstrip("_") for mark in MADE for one in mark.findall(source))


def _called(function: Any) -> list[Any]:
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    known = (function.__globals__.get(one) for one in code.co_names)
    return [
        inspect.unwrap(one)
        for one in known
        if inspect.isfunction(one) and one.__module__.startswith("paddle")
    ]
