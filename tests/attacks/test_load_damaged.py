"""Damaged artifacts in real Paddles: no process dies, no weights that do not fit are loaded."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.attacks.campaign import BAD, ENDINGS, told, tried
from tests.attacks.cases import CALLS, attack
from tests.releases import releases

SEED = 2026
# In all, divided among the releases of this run: a small part of what a campaign tries.
CASES = 2000
# Of its 60,000 artifacts at most 5 may die when they are run.
MOST_AT_RUN = 1


@pytest.mark.parametrize("release", releases())
def test_damaged_artifacts_end_in_documented_errors(release: str) -> None:
    number = releases().index(release)
    task = {
        "numbers": list(range(number, CASES, len(releases()))),
        "seed": SEED,
        "releases": releases(),
        "calls": list(CALLS),
    }
    lines = tried(release, task)
    assert len(lines) == len(task["numbers"])
    # What a case before it has left behind may end a process, too: each is tried again alone.
    ended = [
        line["number"] for line in lines if line["outcome"] in ENDINGS or line["outcome"] in BAD
    ]
    alone = tried(release, {**task, "numbers": ended, "apart": True})
    assert [told(line) for line in alone if line["outcome"] in BAD] == []
    at_run = [told(line) for line in alone if line["outcome"] in ENDINGS]
    assert len(at_run) <= MOST_AT_RUN, at_run
    # What is cut short or of another model: a check only tells of it.
    wrong = [line for line in lines if line["must_fail"] and line["call"] != "check"]
    assert [told(line) for line in wrong if line["outcome"] != "refused"] == []
    # Generators that damage nothing, or everything, would pass the lines above.
    counted = Counter(line["outcome"] for line in lines)
    assert counted["refused"] > len(lines) // 3
    assert counted["ran"] > len(lines) // 20


def test_a_case_is_the_same_every_time() -> None:
    for number in range(200):
        first, second = (attack(SEED, number, releases(), list(CALLS)) for _ in range(2))
        assert first == second
    assert (
        len({attack(SEED, number, releases(), list(CALLS)).case.cause for number in range(200)})
        > 100
    )
