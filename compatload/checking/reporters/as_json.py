"""The whole report as JSON; ``schema`` in it says which fields to expect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from compatload.checking.finding import CheckReport


def render(report: CheckReport) -> str:
    return text_of(report.to_dict())


def text_of(told: object, *, ascii_only: bool = True) -> str:
    """As ``json.dumps`` has it, which holds every bracket of thousands of models as a string."""
    encoder = json.JSONEncoder(indent=2, ensure_ascii=ascii_only)
    return "".join(_joined(encoder.iterencode(told))) + "\n"


def _joined(pieces: Iterator[str]) -> Iterator[str]:
    while some := "".join(islice(pieces, 4096)):
        yield some
