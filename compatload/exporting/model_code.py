"""The Python code that a layer is made of, and what is known of exporting such code.

The classes of the layer and its sublayers are looked at, and the functions that their code calls by
name, outside of Paddle itself.
"""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from compatload.checking.python_source import PythonSource, UnparsableError
from compatload.checking.source_rules.to_static import sightings
from compatload.checking.source_rules.to_static.sighting import exported_outcome
from compatload.checking.target import Target
from compatload.faults.limitations import LIMITATIONS
from compatload.frozen import frozen

_LIMITATIONS = {row.id: row for row in LIMITATIONS}
_MOST_FUNCTIONS = 500
_LOOP = re.compile(r"^\s*(for|while)\b", re.MULTILINE)
_UPDATE = re.compile(r"\.update\(")
_GROWTH = re.compile(
    r"\.(extend|insert|pop|remove)\(|\bdel \w+\[|[\w'\"]\] ?= ?[^=]|\+= \[|\bunbind\(|\bnonlocal\b"
)
_ASSIGNING = re.compile(r"^\s*while\b.*:=", re.MULTILINE)
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


@frozen
class CodeLine:
    """A line of the model's own code."""

    file: str
    line: int

    def __str__(self) -> str:
        text = linecache.getline(self.file, self.line).strip()
        return f"{self.file}:{self.line}" + (f" ({text})" if text else "")


@frozen
class Expectation:
    """What exporting a line was measured to do: ``error``, ``wrong`` or ``crash``."""

    rule: str
    happens: str
    place: CodeLine

    @property
    def title(self) -> str:
        return _LIMITATIONS[self.rule].title

    @property
    def fix(self) -> str:
        return _LIMITATIONS[self.rule].fix


def expectations(layer: Any, target: Target) -> list[Expectation]:
    """Limitations that the code of a layer shows and that the release has."""
    found: dict[tuple[str, int], Expectation] = {}
    for file, spans in _code_of(layer).items():
        try:
            source = PythonSource(file, Path(file).read_bytes())
            seen = list(sightings(source))
        except (OSError, UnparsableError, RecursionError):
            continue  # nothing is expected of code that cannot be read
        for sighting, _ in seen:
            happens = exported_outcome(sighting, target.measured)
            line = getattr(sighting.node, "lineno", 0)
            if happens != "ok" and any(first <= line <= last for first, last in spans):
                place = CodeLine(file, line)
                found[sighting.rule, line] = Expectation(sighting.rule, happens, place)
    return list(found.values())


def _code_of(layer: Any) -> dict[str, list[tuple[int, int]]]:
    """File → line spans of the classes, and of the functions that they call."""
    spans: dict[str, list[tuple[int, int]]] = {}
    classes = list(_classes(layer))
    for one in (*classes, *_called(_methods(layer, classes))):
        try:
            lines, first = inspect.getsourcelines(one)
            file = inspect.getsourcefile(one)
        except (OSError, TypeError):
            continue
        if file is not None:
            spans.setdefault(file, []).append((first, first + len(lines) - 1))
    return spans


def _methods(layer: Any, classes: Sequence[type]) -> list[Any]:
    """Functions of the classes, which may stand elsewhere; or the function that is saved itself."""
    own = [one for kind in classes for one in vars(kind).values() if inspect.isfunction(one)]
    return own if classes else [inspect.unwrap(layer)] if inspect.isfunction(layer) else []


def _called(functions: Sequence[Any]) -> Iterator[Any]:
    """Those, and the functions of modules that their code names, and so on."""
    waiting, seen = list(functions), set(functions)
    while waiting and len(seen) < _MOST_FUNCTIONS:
        function = waiting.pop()
        yield function
        for name in function.__code__.co_names:
            other = function.__globals__.get(name)
            if not inspect.isfunction(other) or other in seen:
                continue
            if not _is_of_paddle(other.__module__ or ""):
                seen.add(other)
                waiting.append(other)


def grows_lists(texts: Iterable[str]) -> bool:
    """Whether its code changes a list, a dict or a name from outside in a loop, or takes the parts
    of a Tensor, in a way that Paddle may die of (CL436, CL408)."""
    return any(
        _UPDATE.search(text) or (_LOOP.search(text) and _GROWTH.search(text)) for text in texts
    )


def assigns_in_conditions(texts: Iterable[str]) -> bool:
    """Whether its code has a loop whose condition assigns a name (CL461)."""
    return any(_ASSIGNING.search(text) for text in texts)


def texts_of(layer: Any) -> tuple[str, ...]:
    """The code of its classes, and of the functions that they call."""
    found: list[str] = []
    for file, spans in _code_of(layer).items():
        lines = linecache.getlines(file)
        found += ("".join(lines[first - 1 : last]) for first, last in spans)
    return tuple(found)


def _classes(layer: Any) -> Iterator[type]:
    if not hasattr(layer, "sublayers"):
        return
    seen: set[type] = set()
    for part in layer.sublayers(include_self=True):
        for kind in type(part).__mro__:
            if kind not in seen and not _is_of_paddle(kind.__module__):
                seen.add(kind)
                yield kind


def _is_of_paddle(module: str) -> bool:
    return module.partition(".")[0] in ("paddle", "builtins", "typing", "numpy")


def lines_of_error(error: BaseException) -> list[CodeLine]:
    """Lines of the model's own code that an error passed through, the innermost first.

    Paddle rewrites the code that it converts and tells the original lines in the error's text;
    where it does not, the traceback tells.
    """
    told = [(match["file"], int(match["line"])) for match in _FRAME.finditer(str(error))]
    frames = [(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)]
    for places in (told, frames):
        own = [CodeLine(*place) for place in reversed(places) if is_own(place[0])]
        if own:
            return own
    return []


def is_own(file: str) -> bool:
    path = Path(file)
    outside = {"paddle", "compatload", "numpy", "decorator"} & set(path.parts[-8:-1])
    return path.is_file() and not outside and not _is_generated(path)


def _is_generated(path: Path) -> bool:
    """Paddle keeps the code that it made in files of its own, beside temporary files."""
    return "dy2static" in str(path) or path.name.startswith("tmp")
