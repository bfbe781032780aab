"""What a target may be called, and which measured release stands for it."""

from __future__ import annotations

import pytest

from compatload.checking.target import parse_target
from compatload.errors import UsageError
from compatload.releases import MEASURED


@pytest.mark.parametrize(
    "text", ["paddle==3.3.1", "3.3.1", "paddlepaddle == 3.3.1", "paddlepaddle-gpu===3.3.1"]
)
def test_names_of_one_release(text: str) -> None:
    assert str(parse_target(text)) == "paddle 3.3.1"


@pytest.mark.parametrize("text", ["torch==2.0", "paddle", "paddle>=3", "", "paddle==x y", "==3"])
def test_what_is_no_release_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"paddle==3\.3\.1"):
        parse_target(text)


def test_without_a_target_the_newest_measured_release() -> None:
    assert str(parse_target(None).version) == MEASURED[-1]


@pytest.mark.parametrize(
    ("target", "stands_for"),
    [("3.0.0", "3.0.0"), ("3.1.5", "3.1.1"), ("3.10.0", "3.3.1"), ("2.5.0", "2.6.0")],
)
def test_the_newest_release_not_after_it_stands_for_a_target(target: str, stands_for: str) -> None:
    assert parse_target(target).measured == stands_for
