"""CL127, CL147, CL176: refused by name is what Paddle would fail with in every call, and nothing
else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import run_in

SCRIPT = Path(__file__).with_name("younger_kernels.py")
RUNNING = {"ceil_of_float", "cumsum_of_int64", "where_of_float"}
# Written with casts, or as nothing.
REWRITTEN = {*("ceil", "floor", "round", "index_select", "argsort", "ones_like")}
REWRITTEN |= {"take_along_axis", "put_along_axis"}
# What 3.1 brought for complex numbers.
OF_3_1 = {*("where", "less_than", "svd", "nonzero", "pow", "cumsum")}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("younger")
    run_in("3.3.1", SCRIPT, "save", str(folder))
    return folder


@pytest.mark.parametrize(("release", "running"), [("3.0.0", RUNNING), ("3.1.1", RUNNING | OF_3_1)])
def test_is_refused_exactly_where_it_fails(release: str, running: set[str], saved: Path) -> None:
    found = json.loads(run_in(release, SCRIPT, "load", str(saved)).splitlines()[-1])
    assert {name for name, told in found.items() if told == ["ok", "ok"]} == running | REWRITTEN
    refused = {tuple(told) for name, told in found.items() if name not in running | REWRITTEN}
    assert refused <= {("IncompatibleError", "RuntimeError")}
    assert bool(refused) == (release == "3.0.0")  # what is left is complex, which 3.1 brought


def test_what_legacy_programs_lack_in_2_6_is_computed_otherwise(tmp_path: Path) -> None:
    # Others 3.3.1 cannot trace into legacy programs: it misses methods, and knows fewer types.
    right = ("index_select", "argsort", "cumsum", "cumsum_of_int64", "where_of_float")
    refused = ("less_than", "svd")
    legacy = {"FLAGS_enable_pir_api": "0"}
    run_in("3.3.1", SCRIPT, "save", tmp_path, *right, *refused, environment=legacy, anew=True)
    found = json.loads(run_in("2.6.2", SCRIPT, "load", tmp_path, *right, *refused).splitlines()[-1])
    told = {name: first for name, (first, _) in found.items()}
    assert told == dict.fromkeys(right, "ok") | dict.fromkeys(refused, "IncompatibleError")
