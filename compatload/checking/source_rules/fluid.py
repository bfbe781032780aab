"""CL309: paddle.fluid, which is gone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource
from compatload.checking.reach import Reach
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"fluid"),)
_FAILURES = ("ImportError", "ModuleNotFoundError")


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    """Imports of it, and attributes reached through ``import paddle`` alone."""
    if not applies("CL309", target):
        return
    reach = Reach(source, target)
    told: set[ast.AST] = set()
    for statement in source.imports:
        if _is_fluid(statement.name) and statement.node not in told:
            told.add(statement.node)
            if reach.caught(statement.node, *_FAILURES):
                continue
            yield found(
                "CL309", source, statement.node, target, f"{target} has no {statement.name}."
            )
    if told:
        return  # what the import gave is used all over the file
    for reference in source.references():
        if (
            _is_fluid(reference.name)
            and not reach.caught(reference.node, "AttributeError")
            and not reach.asked_for(reference.node, "fluid")
        ):
            yield found(
                "CL309", source, reference.node, target, f"{target} has no {reference.name}."
            )


def _is_fluid(name: str) -> bool:
    return name == "paddle.fluid" or name.startswith("paddle.fluid.")
