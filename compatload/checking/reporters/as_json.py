"""The whole report as JSON; ``schema`` in it says which fields to expect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from operator import methodcaller

from compatload.checking.finding import CheckReport


def render(report: CheckReport) -> str:
    return text_of(report.parts())


def text_of(told: object, *, ascii_only: bool = True) -> str:
    """As ``json.dumps`` has it, which holds every bracket of thousands of models as a string.

    What has a ``to_dict`` becomes plain data when its turn comes.
    """
    become = methodcaller("to_dict")
    encoder = json.JSONEncoder(indent=2, ensure_ascii=ascii_only, default=become)
    return "".join(_joined(encoder.iterencode(told))) + "\n"


def _joined(pieces: Iterator[str]) -> Iterator[str]:
    while some := "".join(islice(pieces, 4096)):
        yield some
