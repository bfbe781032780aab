"""The whole report as JSON; ``schema`` in it says which fields to expect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from operator import methodcaller

from compatload.checking.finding import CheckReport


def render(report: CheckReport) -> str:
    return "".join(pieces(report))


def pieces(report: CheckReport) -> Iterator[str]:
    """What ``render`` returns, a part at a time."""
    return pieces_of(report.parts())


def pieces_of(told: object, *, ascii_only: bool = True) -> Iterator[str]:
    """As ``json.dumps`` has it, which holds every bracket of thousands of models as a string.

    What has a ``to_dict`` becomes plain data when its turn comes.
    """
    become = methodcaller("to_dict")
    encoder = json.JSONEncoder(indent=2, ensure_ascii=ascii_only, default=become)
    brackets = encoder.iterencode(told)
    while some := "".join(islice(brackets, 4096)):
        yield some
    yield "\n"
