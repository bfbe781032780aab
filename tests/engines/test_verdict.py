"""What is kept of a trial, and what is told of it."""

from __future__ import annotations

import pytest

from compatload.serving.engine_verdict import EngineVerdict, from_json, to_json

FOUND = EngineVerdict("", "the plain executor", "", 1e-6, {"openvino": 1.0, "paddle": 2.0}, "1x3")


def test_what_is_written_is_read() -> None:
    assert from_json(to_json(FOUND).encode()) == FOUND


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"null", b"{}", b"[" * 100_000, to_json(FOUND).replace('"1x3"', "3").encode()],
)
def test_anything_else_is_no_verdict(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)


def test_the_fastest_is_told_first() -> None:
    assert FOUND.fastest() == "openvino"
    assert FOUND.told().startswith("openvino 1 ms, paddle 2 ms a call")
    slower = EngineVerdict(compared="x", milliseconds={"openvino": 3.0, "paddle": 2.0})
    assert slower.fastest() == "paddle"


def test_where_nothing_could_be_timed() -> None:
    alone = EngineVerdict(doubt="no Paddle is installed")
    assert alone.fastest() is None
    assert alone.told() == "nothing was compared, since no Paddle is installed"
