"""What `compatload selftest` measured decides a plan, before what is inferred."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.plan import Plan, Step
from compatload.planning import plan_load
from compatload.runtime.detection import runtime_for
from compatload.runtime.model import Fact, Runtime
from tests.fixtures.index import fixture

LEAKY = inspect_artifact(str(fixture("3.3.1/detector").path))
LEGACY = inspect_artifact(str(fixture("2.6.2/detector").path))


def runtime(*facts: Fact, release: str = "3.4.0") -> Runtime:
    return replace(runtime_for(f"paddle=={release}"), measured=facts)


def rules(plan: Plan) -> set[str]:
    return {rule for step in plan.steps for rule in step.rules}


def test_a_fault_that_is_gone_is_not_worked_around() -> None:
    inferred = plan_load(LEAKY, runtime(), "predictor")
    assert {"CL201", "CL202"} <= rules(inferred)
    plan = plan_load(LEAKY, runtime(Fact("CL202", "cpu", False)), "predictor")
    assert "CL202" not in rules(plan)
    assert "CL201" in rules(plan)
    assert plan.measured == ("-CL202",)
    assert "measured here by `compatload selftest`: no CL202" in plan.explain()


def test_a_fault_that_is_there_says_that_it_was_measured() -> None:
    plan = plan_load(LEAKY, runtime(Fact("CL202", "cpu", True)), "predictor")
    assert plan.steps == plan_load(LEAKY, runtime(), "predictor").steps
    assert "measured here by `compatload selftest`: CL202" in plan.explain()
    assert Plan.from_dict(plan.to_dict()) == plan


def test_a_fault_that_nobody_knew_of_this_release_is_worked_around() -> None:
    assert "CL202" not in rules(plan_load(LEAKY, runtime(release="3.2.2"), "predictor"))
    seen = runtime(Fact("CL202", "cpu", True), release="3.2.2")
    plan = plan_load(LEAKY, seen, "predictor")
    assert "CL202" in rules(plan)
    assert "conv_activation_onednn_fuse_pass" in plan.steps[-1].options.delete_passes


@pytest.mark.parametrize("device", ["gpu", "xpu"])
def test_another_device_says_nothing(device: str) -> None:
    plan = plan_load(LEAKY, runtime(Fact("CL202", device, False)), "predictor")
    assert "CL202" in rules(plan)
    assert plan.measured == ()


def test_what_does_not_concern_the_model_is_not_told() -> None:
    assert plan_load(LEAKY, runtime(Fact("CL221", "cpu", False)), "predictor").measured == ()


def test_a_format_and_a_refusal_are_never_measured_away() -> None:
    for release, artifact, rule in (("2.6.2", LEAKY, "CL103"), ("3.0.0", LEAKY, "CL104")):
        plan = plan_load(artifact, runtime(Fact(rule, "cpu", False), release=release), "layer")
        assert rule in rules(plan)


def test_a_legacy_program_loads_natively_where_it_was_seen_to() -> None:
    here = runtime(Fact("CL101", "cpu", False))
    steps: tuple[Step, ...] = plan_load(LEGACY, here, "layer").steps
    assert steps[0].title == "native"


def test_a_runtime_with_facts_goes_through_json() -> None:
    one = runtime(Fact("CL202", "cpu", False))
    assert Runtime.from_json(one.to_json()) == one
    assert "measured" not in runtime().to_dict()
