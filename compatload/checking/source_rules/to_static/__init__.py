"""CL4xx: code that conversion to a static graph does not carry over, on the target.

What counts as converted is in ``converted``, what counts as a Tensor in ``tensors``; the other
modules look for the rows of ``compatload.faults.limitations``. Only what was measured to fail on
the target (or on the release that stands for it) is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.to_static import (
    branches,
    calls,
    defaults,
    loops,
    outputs,
    programs,
    shapes,
    sizes,
)
from compatload.checking.source_rules.to_static.converted import converted_functions
from compatload.checking.source_rules.to_static.sighting import Sighting, Use, reported
from compatload.checking.source_rules.to_static.tensors import Tensors
from compatload.checking.target import Target

# A file must convert something, or hold Layers, and show the surface of at least one row.
_SURFACES = (
    rb"\bwhile\b[^\n]*:|\bin range\((?!len\(|self\.|\d)",  # loops
    rb"\.numpy\(|\.tolist\(|set_state_dict|set_dict|load_dict",
    rb"super\(\)\.forward|register_hook|not_to_static|main_program|concrete_program",
    # One branch of row 1: a statement, no argument of a call.
    rb"^[ \t]+\w+ *= *(?:True|False)[ \t]*(?:#[^\n]*)?\r?$",
    # one branch of row 2: a name for a name, beside the else
    rb"else *:[^\n]*\n[ \t]+\w+ *= *[A-Za-z_]\w*\s*?\n",
    rb"^[ \t]+\w+ *= *[A-Za-z_]\w*\s*?\n[ \t]*else *:",
    # an output that is a sum (row 21), a chained comparison (row 24)
    rb"^[ \t]+(?:return|\w+ *=)[^\n]*\w *[-+] *[\w.]+ *(?:\s*?$|,|\)|\]|\})|\.scale\(",
    rb"return[^\n]* [-+] [\w.]*[\[(]|return (?:self\.)?\w+\(\w+\)$|^[ \t]+\w+ *[-+]= *\d",
    rb"^[ \t]+(?:el)?(?:if|while)\b[^\n]*[<>]=?[^\n<>=]+[<>]",
    rb"isinstance\([^\n]*Tensor|\btype\(\w+\) |\bmath\.|\bnp\.|\bnumpy\.",
    rb"def \w+\([^)]*\*\w|[\[(][^\n]* for \w+ in |\bsum\(|\bzip\(|\.(?:insert|extend)\(",
    rb"\bint\([^\n]*\d\.\d|\b(?:min|max|round|divmod|any|all)\(",  # rows 39 and 40
    rb"def forward\(\s*(?!self\b)\w",  # row 41
)
# Rows 1, 2, 25 to 27, 31 and 34 are seen in branches: deeper than the body of a method.
_IN_BRANCHES = (
    rb"\w+ *= *(?:None|\d+\.?\d*|[\"'][^\n]*)\s*$|raise\b|return\b|self\.\w+ *=",
    rb"\w+ *=[^\n]*(?:astype|cast|squeeze|flatten|sum|mean|max|min|prod)\(|\w+ *=[^\n]* [<>] ",
)
_DEEP = rb"^(?: {12,}|\t{3,})(?:" + rb"|".join(_IN_BRANCHES) + rb")"
_ANYWHERE = rb"^[ \t]+(?:" + rb"|".join(_IN_BRANCHES) + rb")|[= ][A-Z]\w*\("
_SURFACE = re.compile(rb"|".join((*_SURFACES, _ANYWHERE)), re.MULTILINE)
# Seen without looking for Tensors: keyword-only parameters. And what the file says elsewhere.
_OTHER_SURFACES = (rb"[(,]\s*\*\s*,", rb"\bdataclass\b", rb"to_static|jit\.save", _DEEP)
_ANY_SURFACE = re.compile(rb"|".join((*_SURFACES, *_OTHER_SURFACES)), re.MULTILINE)
TRIGGERS = (re.compile(rb"to_static|Layer\b"), _ANY_SURFACE)

_IN_FUNCTIONS = (
    *(loops.sightings, branches.sightings, calls.sightings, outputs.sightings),
    sizes.sightings,
)


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    for sighting, use in sightings(source):
        yield from reported(sighting, use, source, target)


def sightings(source: PythonSource) -> Iterator[tuple[Sighting, Use]]:
    """Every row that is seen in a file, whatever it means for a target."""
    functions = converted_functions(source)
    for function in functions:
        if _SURFACE.search(source.text_of(function.node)) is None:
            continue  # most functions: looking for Tensors in them costs as much as parsing
        tensors = Tensors(function, source)
        for look_inside in _IN_FUNCTIONS:
            for sighting in look_inside(function, tensors):
                yield sighting, function.use
    for look in (shapes.sightings, programs.sightings):
        yield from look(source)
    yield from defaults.sightings(source, functions)


__all__ = ["TRIGGERS", "Sighting", "Use", "find", "sightings"]
