"""Legacy programs that 3.3.1 saved (``FLAGS_enable_pir_api=0``), with what only 3.x writes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.errors import UnsupportedOperatorError
from compatload.planning import plan_load
from compatload.programs.legacy_repairs.program import parsed
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.legacy_repairs.reversed_slices import end_of_2_6
from compatload.runtime.detection import runtime_for
from matrix.cells import APIS
from tests.releases import done_in

ROOT = Path(__file__).resolve().parents[2]
SAVED = ROOT / "tests/fixtures/legacy-3.3.1"
REPAIRED = {
    "2.6.2": {
        "index_select": "CL125",
        "negative_step": "CL113",
        **dict.fromkeys(("lp_pool2d", "sign_of_other_shape", "traced_backwards"), "CL138"),
        **dict.fromkeys(("slope_of_places_from_the_end", "young_sorted_places"), "CL138"),
    },
    "3.3.1": {"bilinear_by_0_7": "CL123"},
}


def program(name: str) -> bytes:
    return (SAVED / name / "model.pdmodel").read_bytes()


@pytest.mark.parametrize("release", REPAIRED)
def test_they_run_there(release: str) -> None:
    done = done_in(release, "-m", "tests.loading.saved_by_3_as_legacy", SAVED)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(told) == 8 * len(APIS), done.stderr
    for name, _, outcome, rules, error in told:
        assert outcome == "ok", error
        assert REPAIRED[release].get(name) in (None, *rules)


@pytest.mark.parametrize(("name", "rule"), REPAIRED["2.6.2"].items())
def test_a_repair_for_2_6_is_made_once(name: str, rule: str) -> None:
    repaired = repair(program(name), "2.6.2")
    assert rule in {change.rule for change in repaired.changes}
    assert not repair(repaired.data, "2.6.2").changes
    assert not repair(program(name), "3.3.1", translated=False).changes


def test_what_a_release_lacks_is_refused_unless_it_is_trusted(tmp_path: Path) -> None:
    saved = parsed(program("lp_pool2d"))
    pool = next(one for one in saved.blocks[0].ops if one.type == "lp_pool2d")
    pool.type = "standard_gamma"
    shutil.copytree(SAVED / "lp_pool2d", tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.pdmodel").write_bytes(saved.SerializeToString())
    artifact = inspect_artifact(str(tmp_path / "model"))
    plan = plan_load(artifact, runtime_for("paddle==2.6.2"), "layer")
    assert plan.refusal
    assert plan.refusal.error == UnsupportedOperatorError.__name__
    assert plan_load(artifact, runtime_for("paddle==3.0.0"), "layer").refusal is None
    trusted = plan_load(
        artifact,
        runtime_for("paddle==2.6.2"),
        "layer",
        trusted_operators=("standard_gamma",),
    )
    assert trusted.refusal is None


@pytest.mark.parametrize(
    ("end", "stride", "size", "becomes"),
    [
        (-1, 1, -1, -1),
        (3, -1, -1, 3),
        (-(2**31), -1, -1, -1),
        (-2, -1, 6, 4),
        (-9, -1, 6, -1),
        (-1, -1, 6, 5),
        (-1, -1, -1, None),
        (-2, -1, -1, -2),
    ],
)
def test_an_end_as_2_6_reads_it(end: int, stride: int, size: int, becomes: int | None) -> None:
    assert end_of_2_6(end, stride, size) == becomes
