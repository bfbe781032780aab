"""What is planned for machines and releases that are not at hand, from the files alone."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.index import fixture, fixtures

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Artifact, Operator, Program
from compatload.faults.catalogue import load_rules
from compatload.faults.matching import Match, matching_rules
from compatload.plan import Api, Plan, Strategy
from compatload.planning import plan_load, predictor_options
from compatload.runtime.detection import runtime_for
from compatload.runtime.model import Runtime

RUNTIMES = sorted((Path(__file__).parent / "runtimes").glob("*.json"))


def saved(identity: str) -> Artifact:
    return inspect_artifact(fixture(identity).path)


def plan(identity: str, target: str, api: str = "layer", **options: str) -> Plan:
    return plan_load(saved(identity), runtime_for(target, **options), api)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("identity", "target", "api", "strategy"),
    [
        ("2.6.2/classifier", "2.6.2", "layer", Strategy.NATIVE),
        ("2.6.2/classifier", "3.3.1", "layer", Strategy.TRANSLATE),
        ("2.6.2/classifier", "3.3.1", "program", Strategy.TRANSLATE),
        ("2.6.2/classifier", "3.3.1", "predictor", Strategy.NATIVE),
        ("3.3.1/classifier", "3.3.1", "layer", Strategy.NATIVE),
        ("3.0.0/classifier", "3.3.1", "layer", Strategy.NATIVE),
        ("3.3.1/classifier", "3.0.0", "layer", Strategy.CONVERT),
        ("3.3.1/classifier", "2.6.2", "predictor", Strategy.CONVERT),
        ("3.3.1/group_norm", "3.3.0", "layer", Strategy.CONVERT),
    ],
)
def test_first_step(identity: str, target: str, api: str, strategy: Strategy) -> None:
    made = plan(identity, target, api)
    assert made.refusal is None
    assert made.steps[0].strategy is strategy
    assert made.steps[0].strategy is Strategy.NATIVE or made.steps[0].rules


@pytest.mark.parametrize(
    ("target", "cpu", "error"),
    [
        ("3.3.1", "sandy-bridge", "CpuUnsupportedError"),
        ("3.0.0", "nehalem", "CpuUnsupportedError"),
        ("2.6.2", "nehalem", "CpuUnsupportedError"),
        ("2.6.2", "sandy-bridge", None),
        ("3.3.1", "hygon-dhyana", None),
        ("2.6.2", "hygon-dhyana", None),
    ],
)
def test_cpus_that_a_wheel_does_not_run_on(target: str, cpu: str, error: str | None) -> None:
    refusal = plan("2.6.2/classifier", target, cpu=cpu).refusal
    assert (refusal.error if refusal else None) == error


def test_no_onednn_without_fma() -> None:
    step = plan("2.6.2/classifier", "3.3.1", "predictor", cpu="zhaoxin").steps[0]
    assert not step.options.onednn
    assert "CL205" in step.rules


def test_the_crash_of_leaky_relu_is_planned_around() -> None:
    """First as a legacy program, whose passes are others; as it is, without those that crash."""
    made = plan("3.3.1/detector", "3.3.1", "predictor")
    as_legacy, native = made.steps
    assert made.needed == (native,)
    assert (as_legacy.strategy, as_legacy.target) == (Strategy.CONVERT, "legacy")
    assert set(as_legacy.options.delete_passes).isdisjoint(native.options.delete_passes)
    # Without placement more is computed in place: the pass that does so goes with it.
    assert set(native.options.delete_passes) == {
        "onednn_placement_pass",
        "conv_activation_onednn_fuse_pass",
        "matmul_activation_fuse_pass",
        "inplace_pass",
    }
    for step in (as_legacy, native):
        assert step.options.onednn
        assert {"CL201", "CL202"} <= set(step.rules)


def test_a_legacy_program_has_its_own_faults() -> None:
    as_legacy = plan("3.3.1/detector", "3.3.1", "predictor").steps[0]
    # Nearest interpolation by no whole factor is wrong in oneDNN, for legacy programs (CL208).
    assert "CL208" not in as_legacy.rules
    options = plan("3.3.1/detector", "3.3.1", "predictor", cpu="zhaoxin").steps[0].options
    assert not options.onednn


def test_an_operator_is_kept_from_onednn_by_the_name_that_it_will_have() -> None:
    artifact = saved("3.3.1/detector")
    operators = tuple(
        Operator(
            *(one.name, one.inputs, one.outputs, {**one.attributes, "scale": (1.5, 1.5)}),
            kinds=one.kinds,
        )
        if one.name == "pd_op.nearest_interp"
        else one
        for one in artifact.program.operators
    )
    whole = artifact.program
    program = Program(operators, whole.inputs, whole.outputs, whole.variables)
    artifact = replace(artifact, program=program)
    made = plan_load(artifact, runtime_for("paddle==2.6.2"), "predictor")
    assert "CL208" in made.steps[0].rules
    allowed = made.steps[0].options.onednn_operators or ()
    assert {"conv2d", "elementwise_add", "fused_conv2d"} <= set(allowed)
    assert {"nearest_interp", "nearest_interp_v2"}.isdisjoint(allowed)


def test_passes_that_demand_onednn_are_left_out_with_the_operator() -> None:
    rule = next(one for one in load_rules() if one.id == "CL225")
    options = predictor_options((Match(rule, ()),), saved("2.6.2/detector"))
    assert "matmul_v2" not in (options.onednn_operators or ("matmul_v2",))
    assert "matmul_activation_onednn_fuse_pass" in options.delete_passes
    assert "conv_activation_onednn_fuse_pass" not in options.delete_passes


def test_nothing_is_converted_where_onednn_is_complete() -> None:
    (native,) = plan("3.0.0/detector", "3.2.2", "predictor").steps
    assert native.strategy is Strategy.NATIVE
    (layer,) = plan("3.3.1/detector", "3.3.1", "layer").steps
    assert layer.strategy is Strategy.NATIVE


def fetching_an_input(identity: str) -> Artifact:
    """The same, with an output that is an input as it is (CL229)."""
    artifact = saved(identity)
    whole = artifact.program
    data = next(one for one in whole.operators if one.name == "pd_op.data")
    (image,) = data.outputs["0"]
    last = [one for one in whole.operators if one.name == "pd_op.fetch"][-1]
    named = {"name": "fetched", "col": last.attributes["col"] + 1}
    fetch = Operator("pd_op.fetch", {"0": (image,)}, {"0": ("fetched",)}, named, kinds=last.kinds)
    program = Program((*whole.operators, fetch), whole.inputs, whole.outputs, whole.variables)
    return replace(artifact, program=program)


def test_a_fetched_input_leaves_only_the_legacy_program() -> None:
    artifact = fetching_an_input("3.0.0/classifier")
    (step,) = plan_load(artifact, runtime_for("3.3.1"), "predictor").steps
    assert (step.strategy, step.target) == (Strategy.CONVERT, "legacy")
    assert "CL229" in step.rules
    assert step.options.onednn
    (native,) = plan_load(artifact, runtime_for("3.0.0"), "predictor").steps
    assert native.strategy is Strategy.NATIVE
    assert "CL229" not in native.rules


def test_a_fetched_input_does_so_without_onednn_too() -> None:
    artifact = fetching_an_input("3.3.1/classifier")
    (step,) = plan_load(artifact, runtime_for("3.3.1", cpu="zhaoxin"), "predictor").steps
    assert (step.strategy, step.target) == (Strategy.CONVERT, "legacy")
    assert not step.options.onednn


def test_rules_can_be_switched_off() -> None:
    made = plan_load(
        saved("3.3.1/detector"), runtime_for("3.3.1"), "predictor", disabled_rules=["CL202"]
    )
    assert made.steps[-1].options.delete_passes == ("onednn_placement_pass", "inplace_pass")
    made = plan_load(
        saved("3.3.1/detector"), runtime_for("3.3.1"), "predictor", disabled_rules=["CL232"]
    )
    assert "inplace_pass" not in made.steps[-1].options.delete_passes


def test_a_device_that_is_not_there() -> None:
    made = plan_load(saved("2.6.2/classifier"), runtime_for("3.3.1"), "layer", device="gpu:0")
    assert made.refusal is not None
    assert made.refusal.error == "DeviceUnavailableError"
    assert plan_load(saved("2.6.2/classifier"), runtime_for("3.3.1"), "layer", device="auto").steps


@pytest.mark.parametrize("record", RUNTIMES, ids=lambda path: path.stem)
def test_every_recorded_runtime_gets_steps_or_a_reason(record: Path) -> None:
    runtime = Runtime.from_json(record.read_text(encoding="utf-8"))
    for one in fixtures(saved_by=("2.6.2", "3.3.1"), names=("classifier", "detector")):
        for api in ("layer", "program", "predictor"):
            made = plan_load(inspect_artifact(one.path), runtime, api, device="auto")
            assert bool(made.steps) != bool(made.refusal)
            if made.refusal:
                assert made.refusal.action
            assert made.explain()
            json.dumps(made.to_dict())
            assert pickle.loads(pickle.dumps(made)) == made


def test_an_unknown_api() -> None:
    with pytest.raises(ValueError, match="torch"):
        plan_load(saved("2.6.2/classifier"), runtime_for("3.3.1"), "torch")


def test_a_slot_whose_name_lost_a_bit(tmp_path: Path) -> None:
    folder = fixture("2.6.2/classifier").folder
    program = (folder / "model.pdmodel").read_bytes()
    assert b"\n\x05Scale" in program
    (tmp_path / "model.pdmodel").write_bytes(program.replace(b"\n\x05Scale", b"\n\x05Scame"))
    (tmp_path / "model.pdiparams").write_bytes((folder / "model.pdiparams").read_bytes())
    artifact = inspect_artifact(tmp_path / "model")
    refusal = plan_load(artifact, runtime_for("2.6.2"), "layer").refusal
    assert refusal is not None
    assert refusal.error == "DamagedArtifactError"
    assert "batch_norm" in refusal.problem
    assert "Scame" in refusal.problem


@pytest.mark.parametrize("target", ["3.4.0", "3.3.2", "9.9", "0.0.0", "3.3.1.post1"])
@pytest.mark.parametrize("api", ["layer", "program", "predictor"])
def test_an_unmeasured_release_is_planned_for_as_its_neighbour(target: str, api: str) -> None:
    for identity in ("3.3.1/detector", "2.6.2/lstm"):
        found = plan(identity, f"paddle=={target}", api)
        assert found.steps == plan(identity, "paddle==3.3.1", api).steps
        measured = target == "3.3.1.post1"
        assert found.inferred_from == (None if measured else "3.3.1")
        assert ("is taken to hold" in found.explain()) is not measured
        assert Plan.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize("target", ["2.5.2", "2.5.1", "2.4.0", "1.8.5"])
def test_a_release_older_than_the_oldest_is_refused_by_name(target: str) -> None:
    refusal = plan("2.6.2/lstm", f"paddle=={target}").refusal
    assert refusal is not None
    assert refusal.rule == "CL507"
    assert refusal.problem == f"paddle {target} is older than the oldest that is supported, 2.6.0"
    assert refusal.action.startswith("Upgrade")


def test_numpy_2_with_2_6_is_refused_only_where_paddle_came_first() -> None:
    runtime = replace(runtime_for("2.6.2"), numpy="2.4.6")
    artifact = saved("2.6.2/lstm")
    fresh = plan_load(artifact, runtime, "layer")
    assert fresh.refusal is None
    assert len(fresh.notes) == 1
    assert "CL503" in fresh.notes[0]
    assert fresh.notes[0] in fresh.explain()
    late = plan_load(artifact, replace(runtime, imported=True, zlib_late=True), "layer")
    assert late.refusal is not None
    assert (late.refusal.rule, late.refusal.error) == ("CL503", "NumpyUnsupportedError")
    in_time = plan_load(artifact, replace(runtime, imported=True), "layer")
    assert in_time.steps == fresh.steps


@pytest.mark.parametrize(
    ("target", "api", "refused"),
    [
        ("3.0.0", "layer", True),
        ("3.3.1", "program", True),
        ("3.3.1", "predictor", False),
        ("2.6.2", "layer", False),
    ],
)
def test_what_the_translator_does_not_know_is_refused_where_it_translates(
    target: str, api: str, refused: bool
) -> None:
    artifact = inspect_artifact(fixture("2.6.2/classifier").path)
    slots = dict.fromkeys(("Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"), ("x",))
    results = {"RpnRois": ("rois",), "RpnRoiProbs": ("probabilities",)}
    proposals = Operator("generate_proposals", slots, results, {})
    program = replace(artifact.program, operators=(*artifact.program.operators, proposals))
    rules = [rule for rule in load_rules(Api(api)) if rule.id == "CL131"]
    found = matching_rules(
        rules, replace(artifact, program=program), runtime_for(target), Api(api), "cpu"
    )
    assert bool(found) == refused
