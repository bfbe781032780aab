"""CL420: the program of a layer that the default tracer converted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.to_static.converted import TO_STATIC, asked_use
from compatload.checking.source_rules.to_static.sighting import Sighting, Use

_PROGRAMS = ("forward.main_program", "forward.concrete_program")


def sightings(source: PythonSource) -> Iterator[tuple[Sighting, Use]]:
    """``layer.forward.main_program`` in a file that converts, and never with full_graph=True."""
    calls = [c for c, scope in source.calls if source.resolve(c.func, scope) in TO_STATIC]
    if not calls or any(asked_use(call) is Use.FULL_GRAPH for call in calls):
        return
    if b"main_program" not in source.data and b"concrete_program" not in source.data:
        return
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and f"{node.value.attr}.{node.attr}" in _PROGRAMS
        ):
            yield Sighting("CL420", node), Use.TRACED
