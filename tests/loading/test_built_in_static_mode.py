"""Programs that static mode builds of what no eager kernel takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("built_in_static_mode.py")
GIVES = {
    "norm of a number": [["float32", 0.5], ["float32", 0.0]],  # the sum of nothing (CL139)
    "product of what is found": [["float32", [[4.25]]], ["float32", [[0.5]]]],
    "product of two types": [  # the second's (CL184)
        ["float32", [[0.625, 0.625]]],
        ["float64", [[0.625], [0.625]]],
    ],
}
SAVED_BY = {"product of what is found": "2.6.2"}


@pytest.mark.parametrize("name", GIVES)
def test_it_gives_the_same_in_every_release(name: str, tmp_path: Path) -> None:
    run_in(SAVED_BY.get(name, "3.3.1"), SCRIPT, "save", tmp_path, name)
    for release in releases():
        found = json.loads(run_in(release, SCRIPT, "load", tmp_path, name).splitlines()[-1])
        assert found == [GIVES[name]] * 3, release
