"""What once killed or stopped a process no longer does."""

from __future__ import annotations

import pytest

from tests.attacks.campaign import BAD, ENDINGS, told, tried
from tests.attacks.deaths import kept, read_death
from tests.releases import releases

# Operators whose kernels take these numbers for granted; the preflight is for them.
MOST_AT_RUN = 5


@pytest.mark.parametrize("release", releases())
def test_no_kept_death_happens_again(release: str) -> None:
    mine = [str(path) for path in kept() if read_death(path).release == release]
    lines = tried(release, {"deaths": mine})
    assert len(lines) == len(mine)
    assert [told(line) for line in lines if line["outcome"] in BAD] == []
    at_run = [told(line) for line in lines if line["outcome"] in ENDINGS]
    assert len(at_run) <= MOST_AT_RUN, at_run


def test_deaths_are_kept() -> None:
    assert len(kept()) >= 40
