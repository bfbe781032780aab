"""Every saved network in the other format: the command finds what is refused."""

from __future__ import annotations

import pytest

from matrix.artifacts import Artifact, fixtures
from matrix.conversions import refusal
from tests.releases import python_of


@pytest.mark.parametrize("one", fixtures(["3.3.1"]), ids=lambda one: str(one.model))
def test_fixtures_of_pir_are_written_as_legacy(one: Artifact) -> None:
    assert refusal(one, []) is None


def test_what_cannot_be_written_is_told() -> None:
    one = fixtures(["2.6.2"])[0]
    assert "Paddle 3 itself translates a legacy program to PIR" in str(refusal(one, []))
    assert refusal(one, [str(python_of("3.3.1"))]) is None
