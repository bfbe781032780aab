"""A load that is known from before is a short cut, and never anything else, in real releases."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.index import fixture

from compatload import inspect_artifact, plan_load
from compatload.artifact.files import identify
from compatload.errors import ArtifactNotFoundError, UnsafeArtifactError
from compatload.loading import recall
from compatload.loading.recall import Memory
from compatload.loading.request import Request
from compatload.plan import Api, Plan
from compatload.runtime.detection import runtime_for
from tests.releases import python_of, releases, run_in

SCRIPT = Path(__file__).with_name("recalled_loads.py")
CHECKS = re.findall(r"^def check_(\w+)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("release", releases())
def test_recalled_loads(release: str, check: str, tmp_path: Path) -> None:
    assert run_in(release, SCRIPT, check, str(tmp_path)).strip().endswith("ok")


def test_a_known_load_needs_neither_plan_nor_rules_nor_repairs(tmp_path: Path) -> None:
    """They take a tenth of a second to import, which a service feels when it starts."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import compatload; "
        "compatload.safe_load(sys.argv[2]); "
        "print([n for n in ('compatload.planning', 'compatload.faults.catalogue', "
        "'compatload.programs.legacy_repairs', 'filelock') if n in sys.modules])"
    )
    root, model = SCRIPT.parents[2], fixture("2.6.2/classifier").path
    for expected in (False, True):
        done = subprocess.run(
            [python_of(releases()[0]), "-c", code, str(root), model],
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
            env={**os.environ, "COMPATLOAD_CACHE": str(tmp_path / "cache")},
        )
        assert (done.stdout.strip().splitlines()[-1] == "[]") == expected, done.stdout


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
@pytest.mark.parametrize("model", ["2.6.2/detector", "3.3.1/classifier"])
@pytest.mark.parametrize("api", list(Api))
def test_a_plan_survives_json(release: str, model: str, api: Api) -> None:
    import json

    plan = plan_load(inspect_artifact(fixture(model).path), runtime_for(release), api)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_a_refusal_survives_json() -> None:
    runtime = replace(runtime_for("3.3.1"), paddle=None)
    plan = plan_load(inspect_artifact(fixture("2.6.2/detector").path), runtime, Api.LAYER)
    assert plan.refusal
    assert Plan.from_dict(plan.to_dict()) == plan


def test_what_cannot_be_located_is_not_known(tmp_path: Path) -> None:
    memory = Memory(Request(tmp_path / "nothing", Api.LAYER), runtime_for("3.3.1"))
    assert memory.known is None


def test_identify_takes_regular_files_only(tmp_path: Path) -> None:
    with pytest.raises(UnsafeArtifactError):
        identify(str(tmp_path))
    with pytest.raises(ArtifactNotFoundError):
        identify(str(tmp_path / "nothing"))


def test_a_program_is_hashed_again_only_when_it_was_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"one")
    recall._digests.clear()
    first = recall._digest(b"one", identify(str(path)))
    assert first == recall._digest(b"one", identify(str(path)))
    assert not recall._digests  # too soon after it was written to be told from a second change
    time.sleep(0.15)
    assert recall._digest(b"one", identify(str(path))) == first
    assert len(recall._digests) == 1
    monkeypatch.setattr(recall.hashlib, "sha256", None)  # it is not called again
    assert recall._digest(b"one", identify(str(path))) == first
    monkeypatch.undo()
    before = identify(str(path))
    path.write_bytes(b"two")
    os.utime(path, ns=(before.mtime_ns, before.mtime_ns))
    assert identify(str(path)) != before
    assert recall._digest(b"two", before) != first


def test_a_program_exchanged_after_it_was_read_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"one")
    read = identify(str(path))
    path.write_bytes(b"another")
    time.sleep(0.15)
    recall._digests.clear()
    assert recall._digest(b"one", read) == hashlib.sha256(b"one").hexdigest()
    assert not recall._digests
