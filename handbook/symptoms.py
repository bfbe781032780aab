"""What people see (``symptoms.toml``), with what the matrix knows of each message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import tomllib

from matrix.cells import Cell, Result
from matrix.results import RESULTS, read
from matrix.versions import entries

FILE = Path(__file__).with_name("symptoms.toml")
GROUPS = ("load", "versions", "predictor", "files", "call", "export")


@dataclass(frozen=True)
class Remedy:
    """What helps, in both languages, and the line of Python that does it."""

    en: str
    zh: str
    code: str


@dataclass(frozen=True)
class Symptom:
    """A message of Paddle's and what to do; ``cell``, ``export`` or ``script`` produces it."""

    id: str
    group: str
    message: str
    cause: str
    cause_zh: str
    do: str
    cell: str = ""
    export: str = ""
    full_graph: bool = True
    script: str = ""
    release: str = ""
    flags: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    hint: str = ""
    without: str = ""

    @property
    def own_cell(self) -> Cell:
        return Cell.parse(f"{self.cell}/paddle")


@dataclass(frozen=True)
class Seen:
    """Where the matrix has met a message: how often, saved by, loaded by, through."""

    cells: int
    savers: tuple[str, ...]
    loaders: tuple[str, ...]
    apis: tuple[str, ...]
    # Of the symptom's own cell through compatload.
    rules: tuple[str, ...]
    helped: bool


@cache
def symptoms() -> tuple[Symptom, ...]:
    """All of them, in the order of the file."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))["symptom"]
    return tuple(Symptom(**{**one, "rules": tuple(one.get("rules", ()))}) for one in raw)


@cache
def remedies() -> dict[str, Remedy]:
    """By the name that ``do`` gives."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))["do"]
    return {name: Remedy(**one) for name, one in raw.items()}


def seen(symptom: Symptom) -> Seen | None:
    """What the committed run of the matrix has of it; None for what is no load of the matrix."""
    if not symptom.cell:
        return None
    met = [c for c, error in _failures() if symptom.message in error]
    own = _results().get(replace(symptom.own_cell, caller="compatload"))
    order = [entry.id for entry in entries()]

    def sorted_releases(found: set[str]) -> tuple[str, ...]:
        return tuple(sorted(found, key=lambda one: order.index(one) if one in order else -1))

    return Seen(
        len(met),
        sorted_releases({cell.saver for cell in met}),
        sorted_releases({cell.loader for cell in met}),
        tuple(sorted({cell.api for cell in met})),
        tuple(sorted(own.rules)) if own else (),
        own is not None and own.outcome == "ok",
    )


@cache
def _results() -> dict[Cell, Result]:
    return read(RESULTS / "full")


@cache
def _failures() -> tuple[tuple[Cell, str], ...]:
    return tuple(
        (cell, result.error)
        for cell, result in _results().items()
        if cell.caller == "paddle" and result.error
    )
