"""The formats that this Paddle does not write, each held against the layer's own outputs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from compatload.errors import ExportError
from compatload.exporting.loaders import tried
from compatload.exporting.other_formats import PROGRAMS, alone, load_converted, write_beside
from compatload.exporting.side_by_side import Interpreter
from compatload.exporting.verification import Samples, compared
from compatload.runtime.release import release_of


def write_others(
    staged: str,
    others: Sequence[str],
    samples: Sequence[Samples],
    tolerance: float,
    configs: Mapping[str, Any],
    known: Sequence[Interpreter],
) -> None:
    """Write them beside what was saved.

    Raises ExportError where one cannot be written, or computes something else.
    """
    translating = _translating(known)
    for other in others:
        if other in PROGRAMS and os.path.exists(staged + PROGRAMS[other]):
            continue
        path = translating.path if translating else None
        for program in write_beside(staged, other, path):
            if translating is not None and program.endswith(PROGRAMS["pir"]):
                differs = _there(program, translating, samples[0])
            else:
                with alone(program) as prefix:
                    differs = compared(prefix, samples, tolerance, configs, load_converted).differs
            if differs:
                raise ExportError(
                    f"what was converted for {other} is not what the layer computes: {differs}",
                    action="Leave that format out, and report the model's code.",
                    artifact=staged,
                    rule="CL453",
                )


def _translating(known: Sequence[Interpreter]) -> Interpreter | None:
    """The first of the caller's Pythons whose Paddle translates legacy programs."""
    others = [one for one in known if one.path != sys.executable]
    return next((one for one in others if release_of(one.release).major >= 3), None)


def _there(program: str, interpreter: Interpreter, samples: Samples) -> str:
    """A PIR program where it is at home: not all of it can be run in 2.6."""
    found = tried(program, interpreter.release, interpreter, samples) if samples.steady else ()
    wrong = [one for one in found if not one.agrees and one.loader != "predictor"]
    return "; ".join(f"{one.loader} of {one.release} {one.told}" for one in wrong)
