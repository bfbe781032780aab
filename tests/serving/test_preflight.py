"""Verdicts in the cache: one search a machine, whatever state the cache is in."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import compatload
from compatload.errors import LoadError, UsageError
from compatload.loading.request import Request
from compatload.plan import Api
from compatload.runtime.detection import runtime_for
from compatload.serving.options import InferenceOptions
from compatload.serving.preflight import Preflight, is_dangerous
from compatload.serving.steps import with_further_steps
from compatload.serving.verdict import Verdict
from compatload.store.cache import OFF, VARIABLE
from tests.fixtures.index import fixture

ROOT = Path(__file__).resolve().parents[2]
FOUND = Verdict(1, (("native", "killed by SIGSEGV"),), ("compared",))
SEARCHES: list[str] = []


@dataclass(frozen=True)
class Counted(Preflight):
    """A preflight whose search is counted instead of made; all that keeps its verdict is real."""

    def _find_out(self) -> Verdict:
        SEARCHES.append(self.artifact.path)
        return FOUND


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SEARCHES.clear()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))


def make(identity: str = "3.3.1/classifier", release: str = "3.3.1", **options: object) -> Counted:
    path = str(fixture(identity).path)
    artifact, runtime = compatload.inspect_artifact(path), runtime_for(release)
    plan = with_further_steps(compatload.plan_load(artifact, runtime, "predictor"))
    request = Request(path, Api.PREDICTOR, pooled=True)
    return Counted(artifact, runtime, plan, InferenceOptions(**options), request)


def test_is_searched_for_once() -> None:
    assert [make().verdict() for _ in range(3)] == [FOUND] * 3
    assert len(SEARCHES) == 1


def test_everything_that_decides_has_a_verdict_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    base = make()
    others = [
        make("3.3.1/detector"),
        make(release="3.3.0"),
        make(threads=7),
        replace(base, request=replace(base.request, disabled_rules=("CL202",))),
        replace(base, plan=replace(base.plan, steps=base.plan.steps[1:])),
        replace(base, runtime=replace(base.runtime, numpy="9.9")),
        replace(base, runtime=replace(base.runtime, cpu=replace(base.runtime.cpu, name="Other"))),
        make(sample_inputs=[_image(0.5)]),
        make(sample_inputs=[_image(0.25)]),
    ]
    for each in (base, *others):
        each.verdict()
    assert len(SEARCHES) == 1 + len(others)
    monkeypatch.setenv("FLAGS_use_mkldnn", "1")
    base.verdict()
    assert len(SEARCHES) == 2 + len(others)
    # Paddle sets this one when it is imported, and the runtime says then that it was.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    replace(base, runtime=replace(base.runtime, imported=True)).verdict()
    assert len(SEARCHES) == 2 + len(others)


def _image(value: float):
    import numpy

    return numpy.full((1, 3, 32, 32), value, "float32")


@pytest.mark.parametrize(
    "damage",
    [b"", b"[]", b'{"layout": 1, "step": 99, "rejected": [], "notes": []}', b"\xff" * 1000],
)
def test_an_altered_verdict_is_not_believed(damage: bytes, tmp_path: Path) -> None:
    make().verdict()
    (file,) = (tmp_path / "cache" / "entries").glob("*/verdict.json")
    file.write_bytes(damage)
    assert make().verdict() == FOUND
    assert len(SEARCHES) == 2


def test_a_verdict_of_another_layout_is_searched_for_again(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Foreign(Counted):
        def _find_out(self) -> Verdict:
            SEARCHES.append("foreign")
            return Verdict(0, (("native", "rejected and accepted"),))

    foreign = Foreign(**{name: getattr(make(), name) for name in make().__dataclass_fields__})
    foreign.verdict()
    # Whole as an entry of the cache, and no verdict on this plan.
    assert make().verdict() == FOUND
    assert ["foreign", make().artifact.path] == SEARCHES


def test_an_unusable_cache_costs_one_search_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "cache"))
    # Other options than elsewhere: this process keeps the verdict as long as it lasts.
    assert [make(threads=3).verdict() for _ in range(2)] == [FOUND] * 2
    assert len(SEARCHES) == 1
    assert "for this process only" in caplog.text


def test_a_cache_that_vanishes_is_made_again(tmp_path: Path) -> None:
    import shutil

    make().verdict()
    shutil.rmtree(tmp_path / "cache")
    assert make().verdict() == FOUND
    assert len(SEARCHES) == 2


def test_without_a_cache_each_load_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, OFF)
    assert [make().verdict() for _ in range(2)] == [FOUND] * 2
    assert len(SEARCHES) == 2


def test_an_error_is_raised_as_it_is_and_not_kept() -> None:
    @dataclass(frozen=True)
    class Failing(Counted):
        def _find_out(self) -> Verdict:
            SEARCHES.append("failing")
            raise LoadError("no inputs", action="Pass sample_inputs.")

    failing = Failing(**{name: getattr(make(), name) for name in make().__dataclass_fields__})
    for _ in range(2):
        with pytest.raises(LoadError, match="no inputs"):
            failing.verdict()
    assert SEARCHES == ["failing"] * 2


def test_sample_inputs_must_be_those_of_the_model() -> None:
    with pytest.raises(UsageError, match="sample_inputs has 2 arrays"):
        make(sample_inputs=[_image(0), _image(1)]).verdict()
    with pytest.raises(UsageError, match="sample_inputs"):
        make(sample_inputs={"other": _image(0)}).verdict()


_WORKER = """
import sys, time, pathlib
sys.path[:0] = [{root!r}, {tests!r}]
from serving import test_preflight as here
class Slow(here.Counted):
    def _find_out(self):
        with open({log!r}, "a") as log:
            log.write("searched\\n")
        time.sleep(1)
        return here.FOUND
base = here.make()
print(Slow(**{{n: getattr(base, n) for n in base.__dataclass_fields__}}).verdict() == here.FOUND)
"""


def test_eight_workers_at_once_search_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = _WORKER.format(root=str(ROOT), tests=str(ROOT / "tests"), log=str(log))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script], env=dict(os.environ), stdout=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    told = [worker.communicate(timeout=120)[0].strip() for worker in workers]
    assert told == ["True"] * 8
    assert log.read_text() == "searched\n"


def test_danger_is_a_rule_that_is_not_followed() -> None:
    artifact = compatload.inspect_artifact(str(fixture("3.3.1/detector").path))
    runtime = runtime_for("3.3.1")
    assert not is_dangerous(artifact, runtime, "cpu", ())
    assert not is_dangerous(artifact, runtime, "cpu", ("CL204",))  # an error, no crash
    names = {operator.name.rpartition(".")[2] for operator in artifact.program.operators}
    assert is_dangerous(artifact, runtime, "cpu", ("CL202",)) is ("leaky_relu" in names)
