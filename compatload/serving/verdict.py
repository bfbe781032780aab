"""What a preflight found, and how it is written down. A file that says it is checked like any."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compatload.frozen import frozen

_LAYOUT = 1
_MOST_STEPS = 64
_LONGEST = 2000
#: No verdict that is written here comes near this.
MAXIMUM_BYTES = 1 << 18


@frozen
class Verdict:
    """``step`` is the number of the first step of the plan that computes what it should, or None.

    ``rejected`` are the steps before it, each with what it did; ``notes`` say how it was compared.
    """

    step: int | None
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class UnreadableVerdictError(ValueError):
    """A text is no verdict on this plan."""


def to_json(verdict: Verdict) -> str:
    return json.dumps(
        {
            "layout": _LAYOUT,
            "step": verdict.step,
            "rejected": [[title, cause[:_LONGEST]] for title, cause in verdict.rejected],
            "notes": [note[:_LONGEST] for note in verdict.notes],
        }
    )


def from_json(text: bytes, steps: int) -> Verdict:
    """The verdict on a plan of ``steps`` steps; UnreadableVerdictError for anything else."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableVerdictError(f"it is not JSON ({error})") from error
    if not isinstance(said, dict) or said.get("layout") != _LAYOUT:
        raise UnreadableVerdictError("it has another layout")
    step, rejected, notes = (said.get(name) for name in ("step", "rejected", "notes"))
    if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
        raise UnreadableVerdictError("its step is no number")
    if step is not None and not 0 <= step < steps:
        raise UnreadableVerdictError(f"its step {step} is none of the plan's {steps}")
    if not isinstance(rejected, list) or not all(_is_pair(each) for each in rejected):
        raise UnreadableVerdictError("its rejected steps are no list of pairs")
    if len(rejected) != (steps if step is None else step) or len(rejected) > _MOST_STEPS:
        raise UnreadableVerdictError("its rejected steps are not those before the accepted one")
    if not isinstance(notes, list) or not _are_texts(notes) or len(notes) > _MOST_STEPS:
        raise UnreadableVerdictError("its notes are no list of texts")
    return Verdict(step, tuple((title, cause) for title, cause in rejected), tuple(notes))


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and _are_texts(value)


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) and len(value) <= _LONGEST for value in values)
