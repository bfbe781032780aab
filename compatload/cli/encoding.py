"""Output that any encoding can hold, and that goes somewhere."""

from __future__ import annotations

import codecs
import io
import os
import sys

_NAME = "compatload"
_PLAIN = {"→": "->", "…": "...", "×": "x", "–": "-", "—": "-", "−": "-", "·": "*"}
# What Python itself chose; what a user chose (PYTHONIOENCODING=ascii:replace) stays.
_CHOSEN_BY_PYTHON = ("strict", "surrogateescape", "backslashreplace")


def with_standard_streams() -> None:
    """What the caller closed (``>&-``), and Python has None for, goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def suit_any_encoding() -> None:
    """What standard output and error cannot encode is written in ASCII from now on."""
    codecs.register_error(_NAME, _plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _CHOSEN_BY_PYTHON:
            stream.reconfigure(errors=_NAME)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(one) or ascii(one)[1:-1] for one in text), error.end
