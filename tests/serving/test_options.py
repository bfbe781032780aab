"""What may be asked of a layer for inference, and what a plan goes on with."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import compatload
from compatload.artifact.model import TensorSpec
from compatload.engines.known import ENGINES as OTHERS
from compatload.errors import UsageError
from compatload.options import PoolOptions
from compatload.plan import Strategy
from compatload.runtime.detection import runtime_for
from compatload.serving.options import (
    ENGINES,
    InferenceOptions,
    available_processors,
    split_options,
)
from compatload.serving.shapes import renamed, shaped
from compatload.serving.steps import with_further_steps
from tests.fixtures.index import fixture


def test_every_engine_can_be_asked_for_and_reported() -> None:
    """Options do not import the engines for their names."""
    assert ("paddle", *OTHERS, "auto") == ENGINES
    assert {Strategy(name).value for name in OTHERS} == set(OTHERS)
    typed = str(PoolOptions.__annotations__["engine"])
    assert ", ".join(ENGINES) in typed.replace("'", "").replace('"', "")


@pytest.mark.parametrize(
    "asked",
    [{"threads": 0}, {"pool_size": 0}, {"pool_size": True}, {"threads": "2"}, {"tensorrt": "fp8"}],
)
def test_nonsense_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(asked))):
        InferenceOptions(**asked)


def test_other_keywords_are_left_for_the_loader() -> None:
    options, rest = split_options({"threads": 3, "model_filename": "a"})
    assert options == InferenceOptions(threads=3)
    assert rest == {"model_filename": "a"}


def test_processors_are_shared_by_the_pool() -> None:
    assert InferenceOptions(threads=5, pool_size=3).math_threads == 5
    assert InferenceOptions(pool_size=10_000).math_threads == 1
    assert InferenceOptions().math_threads == available_processors()


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no /proc")
def test_what_paddle_sets_itself_is_not_what_the_user_asked_for() -> None:
    script = (
        "import os; from compatload.serving.options import available_processors as n; "
        "a = n(); os.environ['OMP_NUM_THREADS'] = '77'; print(a, n())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    processors = str(len(os.sched_getaffinity(0)))
    for started_with, expected in (({}, processors), ({"OMP_NUM_THREADS": "7,2"}, "7")):
        told = subprocess.run(
            [sys.executable, "-c", script],
            env={**environment, **started_with},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.split()
        assert told[0] == told[1]
        assert int(told[0]) <= int(expected)
        assert expected != "7" or told[0] == "7"


def _plan(identity: str, release: str, **more: object):
    artifact = compatload.inspect_artifact(str(fixture(identity).path))
    return with_further_steps(
        compatload.plan_load(artifact, runtime_for(release), "predictor", **more)
    )


def test_a_plan_goes_from_fast_to_plain() -> None:
    plan = _plan("3.3.1/classifier", "3.3.1")
    assert [step.title for step in plan.steps] == [
        "native",
        "native, without fusions",
        "native, without oneDNN",
        "native, as saved",
        "layer",
    ]
    fast, unfused, own, saved, layer = plan.steps
    assert "conv_activation_onednn_fuse_pass" in unfused.options.delete_passes
    assert unfused.options.onednn
    assert not own.options.onednn
    assert not saved.options.ir_optim
    assert not saved.options.onednn
    assert layer.strategy is Strategy.LAYER
    # What a rule asks for is asked for in each of them.
    assert all(not step.options.memory_optim for step in (fast, unfused, own, saved))


def test_a_refusal_stays_one() -> None:
    plan = _plan("3.3.1/classifier", "3.3.1", device="gpu:0")
    assert plan.refusal is not None
    assert plan.steps == ()


def test_shapes_are_those_of_the_model() -> None:
    image, size = TensorSpec("x", "float32", (-1, 3, -1, -1)), TensorSpec("size", "int32", None)
    (one, other) = shaped((image, size), {"x": (2, 3, 8, 9)})
    assert one.shape == (2, 3, 8, 9)
    assert other is size
    assert shaped((image,), None) == (image,)
    assert renamed((image, size), ("feed_0", "feed_1"), {"size": [2]}) == {"feed_1": (2,)}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("y", (1,)),
        ("x", (1, 4, 8, 8)),
        ("x", (1, 3, 8)),
        ("x", (0, 3, 8, 8)),
        ("x", (1.0, 3, 8, 8)),
    ],
)
def test_other_shapes_are_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match=name):
        shaped((TensorSpec("x", "float32", (-1, 3, -1, -1)),), {name: shape})
