"""States of loops that are read beside what overwrites them (CL626)."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator
from compatload.faults.cl626_overwritten_beside_reader import makes_raced
from tests.faults import graphs

Step = tuple[str, tuple[str, ...], str]
X, S, T, U = "x", "s", "t", "u"
READ = ("multiply", (X, S), T)  # T = X · S
READER_ABOVE = [READ, ("assign", (T,), S)]
BESIDE = [READ, ("assign", (X,), S)]
BEHIND = [("assign", (X,), S), READ]
SECOND = [("assign", (X,), S), READ, ("assign", (U,), S)]
BY_ANOTHER = [READ, ("relu", (T,), U), ("assign", (U,), S)]


def seen(body: list[Step], *, fills: int = 0, loop: int = 1) -> bool:
    filling = Operator("fill_constant", {}, {"Out": (S,)}, {}, index=fills)
    owner = Operator("while", {}, {"Out": (S,)}, {}, index=loop, sub_blocks=(1,))
    inside = [
        Operator(name, {"X": read}, {"Out": (made,)}, {}, 1, place)
        for place, (name, read, made) in enumerate(body)
    ]
    return makes_raced(filling, graphs.graph([filling, owner, *inside], {S: (3,)}))


@pytest.mark.parametrize("body", [BESIDE, SECOND])
def test_what_does_not_wait_for_a_reader_is_seen(body: list[Step]) -> None:
    assert seen(body)


@pytest.mark.parametrize("body", [READER_ABOVE, BEHIND, BY_ANOTHER, []])
def test_what_waits_for_every_reader_is_not(body: list[Step]) -> None:
    assert not seen(body)


def test_what_is_filled_behind_the_loop_is_not() -> None:
    assert not seen(BESIDE, fills=2)
