"""Verdicts in files: read back as they were written, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compatload.serving.verdict import UnreadableVerdictError, Verdict, from_json, to_json

GOOD = Verdict(1, (("native", "killed by SIGSEGV"),), ("compared",))


@pytest.mark.parametrize("verdict", [GOOD, Verdict(0), Verdict(None, (("native", "x"),) * 3)])
def test_survives_being_written(verdict: Verdict) -> None:
    assert from_json(to_json(verdict).encode(), 3) == verdict


@pytest.mark.parametrize(
    "change",
    [
        {"step": 3},
        {"step": -1},
        {"step": True},
        {"step": "1"},
        {"step": None},
        {"layout": 2},
        {"rejected": []},
        {"rejected": [["native", 1]]},
        {"rejected": {"native": "x"}},
        {"rejected": [["native", "x" * 5000]]},
        {"notes": "abc"},
        {"notes": [1]},
    ],
)
def test_anything_else_is_no_verdict(change: dict[str, object]) -> None:
    said = {**json.loads(to_json(GOOD)), **change}
    with pytest.raises(UnreadableVerdictError):
        from_json(json.dumps(said).encode(), 3)


@given(st.binary(max_size=300) | st.text().map(str.encode))
def test_noise_is_told_as_such(noise: bytes) -> None:
    with pytest.raises(UnreadableVerdictError):
        from_json(noise, 3)


@pytest.mark.parametrize("text", [b"[" * 200_000, b'{"layout": 1' + b"0" * 200_000 + b"}", b""])
def test_deep_and_long_text(text: bytes) -> None:
    with pytest.raises(UnreadableVerdictError):
        from_json(text, 3)
