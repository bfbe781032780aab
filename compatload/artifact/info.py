"""The content of a ``.pdiparams.info``: for each variable, its properties."""

from __future__ import annotations

import pickle
from collections.abc import Mapping


def write_info(info: Mapping[str, object]) -> bytes:
    """A clean protocol 2 pickle of what ``audit_info`` found, for Paddle to read."""
    return pickle.dumps(dict(info), protocol=2)
