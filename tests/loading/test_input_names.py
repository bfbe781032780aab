"""CL177, CL178, CL229: inputs that are called as Paddle calls outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import run_in

SCRIPT = Path(__file__).with_name("input_names.py")


@pytest.mark.parametrize(
    ("saver", "loader", "wrong"),
    [
        ("3.3.1", "3.3.1", {"output_0"}),
        ("2.6.2", "2.6.2", None),
        ("2.6.2", "3.3.1", None),
        ("3.3.1", "2.6.2", None),
    ],
)
def test_inputs_may_have_any_name(
    saver: str, loader: str, wrong: set[str] | None, tmp_path: Path
) -> None:
    run_in(saver, SCRIPT, "save", tmp_path)
    found = json.loads(run_in(loader, SCRIPT, "load", tmp_path).splitlines()[-1])
    assert len(found) == 3
    assert {told for one in found.values() for told in (one["layer"], one["predictor"])} == {0.0}
    if wrong is not None:
        assert {name for name, one in found.items() if one["paddle"] != 0.0} == wrong
