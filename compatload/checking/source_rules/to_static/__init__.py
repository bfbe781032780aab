"""CL4xx: code that conversion to a static graph does not carry over, on the target.

What counts as converted is in ``converted``, what counts as a Tensor in ``tensors``; the other
modules look for the rows of ``compatload.rules.to_static``. Only what was measured to fail on the
target (or on the release that stands for it) is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.to_static import (
    branches,
    calls,
    loops,
    outputs,
    programs,
    shapes,
)
from compatload.checking.source_rules.to_static.converted import converted_functions
from compatload.checking.source_rules.to_static.sighting import Sighting, reported
from compatload.checking.source_rules.to_static.tensors import Tensors
from compatload.checking.target import Target

TRIGGER = re.compile(rb"to_static|Layer\b")

_IN_FUNCTIONS = (loops.sightings, branches.sightings, calls.sightings, outputs.sightings)


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    functions = converted_functions(source)
    for function in functions:
        tensors = Tensors(function, source)
        for sightings in _IN_FUNCTIONS:
            for sighting in sightings(function, tensors):
                yield from reported(sighting, function.use, source, target)
    for look in (shapes.sightings, programs.sightings):
        for sighting, use in look(source):
            yield from reported(sighting, use, source, target)


__all__ = ["TRIGGER", "Sighting", "find"]
