"""What a predictor's Config asks for decides its plan, and what is not followed is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compatload import inspect_artifact, plan_load
from compatload.artifact.model import Artifact, Operator, Program
from compatload.cli import main
from compatload.errors import UsageError
from compatload.faults.catalogue import load_rules
from compatload.faults.matching import matching_rules
from compatload.plan import Api, Plan, Step, Strategy
from compatload.runtime.detection import runtime_for
from compatload.runtime.predictor_config import PredictorConfig
from tests.fixtures.index import fixture, fixtures

DEFAULT = PredictorConfig()
PADDLEX = replace(DEFAULT, new_ir=True, memory_optim=True, optimization_level=3)


def saved(identity: str) -> Artifact:
    return inspect_artifact(fixture(identity).path)


def planned(identity: str, release: str, config: PredictorConfig | None) -> Plan:
    return plan_load(saved(identity), runtime_for(release), "predictor", config=config)


def step(identity: str, release: str, config: PredictorConfig) -> Step:
    return planned(identity, release, config).steps[0]


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
@pytest.mark.parametrize("identity", [one.identity for one in fixtures()])
def test_the_default_config_is_what_is_planned_for_without_one(identity: str, release: str) -> None:
    without, given = planned(identity, release, None), planned(identity, release, DEFAULT)
    bare = [replace(one, overrides=()) for one in given.steps]
    assert (bare, given.refusal) == (list(without.steps), without.refusal)
    assert not any(one.overrides for one in without.steps)


@pytest.mark.parametrize("release", ["3.0.0", "3.1.1", "3.2.2", "3.3.1"])
def test_a_legacy_program_stays_one(release: str) -> None:
    made = step("2.6.2/detector", release, PADDLEX)
    assert made.strategy is Strategy.NATIVE
    assert (made.options.new_ir, made.options.onednn) == (False, True)
    (told,) = (line for line in made.overrides if line.startswith("enable_new_ir"))
    assert told.startswith("enable_new_ir is switched off: Paddle would translate this legacy")
    assert "CL234" in made.rules


def test_2_6_has_no_new_ir() -> None:
    assert step("2.6.2/detector", "2.6.2", PADDLEX).options.new_ir


def test_a_remedy_that_is_a_legacy_program_takes_the_new_ir_away() -> None:
    made = step("3.3.1/detector", "3.3.1", PADDLEX)
    assert (made.strategy, made.target) == (Strategy.CONVERT, "legacy")
    assert (made.options.new_ir, made.options.onednn) == (False, True)


def test_a_pir_program_keeps_the_new_ir_and_loses_what_it_never_had() -> None:
    made = step("3.3.1/classifier", "3.3.1", PADDLEX)
    assert (made.strategy, made.options.new_ir) == (Strategy.NATIVE, True)
    assert made.overrides[0] == (
        "enable_memory_optim is switched off: memory optimisation of a PIR program [CL204]"
    )


def test_nothing_is_converted_or_left_out_for_onednn_where_it_is_off() -> None:
    made = planned("3.3.1/detector", "3.3.1", replace(PADDLEX, onednn=False)).steps
    assert [one.strategy for one in made] == [Strategy.NATIVE]
    assert made[0].rules == ("CL204",)


def test_nothing_is_converted_for_a_pass_that_the_caller_left_out() -> None:
    left_out = ("onednn_placement_pass", "conv_activation_onednn_fuse_pass")
    asked = replace(PADDLEX, deleted_passes=(*left_out, "matmul_activation_fuse_pass"))
    assert step("3.3.1/detector", "3.3.1", asked).strategy is Strategy.NATIVE


def test_a_legacy_program_without_passes_needs_nothing() -> None:
    made = step("2.6.2/v1_matmul", "3.3.1", replace(DEFAULT, ir_optim=False))
    assert (made.options.delete_passes, made.rules) == ((), ())


def test_the_device_is_that_of_the_config() -> None:
    plan = planned("2.6.2/classifier", "3.3.1", replace(DEFAULT, device="gpu:0"))
    assert plan.refusal
    assert plan.refusal.error == "DeviceUnavailableError"


def test_a_plan_with_a_config_goes_through_json() -> None:
    plan = planned("3.3.1/detector", "3.3.1", PADDLEX)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_a_config_goes_through_json() -> None:
    asked = replace(PADDLEX, deleted_passes=("inplace_pass",), threads=4)
    assert PredictorConfig.from_json(asked.to_json()) == asked
    assert PredictorConfig.from_json('{"schema": 1}') == DEFAULT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no object"),
        ("{}", "no object"),
        ("{" * 100_000, "characters"),
        ("[" * 10_000, "JSON"),
        ('{"schema": 1, "mkldnn": true}', "unknown fields: mkldnn"),
        ('{"schema": 1, "onednn": 1}', "onednn is 1, not true or false"),
        ('{"schema": 1, "threads": true}', "threads is True"),
        ('{"schema": 1, "deleted_passes": "a"}', "not a list of texts"),
        ('{"schema": 1, "precision": "fp4"}', "precision is not one of"),
    ],
)
def test_what_is_no_config_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        PredictorConfig.from_json(text)


def test_the_plan_verb_takes_a_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"schema": 1, "new_ir": true}', encoding="utf-8")
    model = str(fixture("2.6.2/detector").path)
    asked = ["plan", model, "--target", "3.3.1", "--config", str(file)]
    assert main([*asked, "--api", "predictor"]) == 0
    assert "enable_new_ir is switched off: " in capsys.readouterr().out
    assert main(asked) == 2
    assert "Pass --api predictor" in capsys.readouterr().err


def test_a_value_is_overwritten_where_onednn_made_it_alone() -> None:
    (rule,) = (one for one in load_rules() if one.id == "CL232")
    program = Program(
        operators=(
            Operator("pd_op.matmul", {"0": ("x",), "1": ("w",)}, {"0": ("y",)}, {}),
            Operator("pd_op.cos", {"0": ("y",)}, {"0": ("z",)}, {}),
            Operator("pd_op.add", {"0": ("z",), "1": ("y",)}, {"0": ("o",)}, {}, index=2),
        ),
        inputs=(),
        outputs=(),
    )
    artifact = replace(saved("3.3.1/classifier"), program=program)
    for onednn in (True, False):
        config = replace(DEFAULT, onednn=onednn)
        found = matching_rules(
            [rule], artifact, runtime_for("3.3.1"), Api.PREDICTOR, "cpu", config=config
        )
        assert bool(found) == onednn


@pytest.mark.parametrize(("executor", "stays"), [(None, False), (True, False), (False, True)])
def test_what_counts_elements_stays_out_of_the_new_executor(
    executor: bool | None, stays: bool
) -> None:
    artifact = saved("2.6.2/classifier")
    counted = Operator("size", {"Input": ("x",)}, {"Out": ("n",)}, {})
    program = replace(artifact.program, operators=(*artifact.program.operators, counted))
    config = replace(DEFAULT, new_executor=executor)
    plan = plan_load(
        replace(artifact, program=program), runtime_for("3.3.1"), "predictor", config=config
    )
    assert plan.steps[0].options.new_executor == stays
    assert ("CL235" in plan.steps[0].rules) != stays


@pytest.mark.parametrize(
    ("release", "onednn", "executor", "written", "stays"),
    [
        ("2.6.2", True, True, "x", False),
        ("2.6.2", True, None, "x", False),
        ("2.6.2", True, False, "x", True),
        ("2.6.2", False, True, "x", True),
        ("2.6.2", True, True, "y", True),
        ("3.3.1", True, True, "x", True),
    ],
)
def test_a_loop_that_writes_its_input_stays_out_of_the_new_executor(
    release: str, onednn: bool, executor: bool | None, written: str, stays: bool
) -> None:
    artifact = saved("2.6.2/classifier")
    (name,) = (spec.name for spec in artifact.inputs)
    results = {"Out": (name if written == "x" else written,)}
    loop = Operator("while", {"Condition": ("c",), "X": (name,)}, results, {}, sub_blocks=(1,))
    program = replace(artifact.program, operators=(*artifact.program.operators, loop))
    config = replace(DEFAULT, new_executor=executor, onednn=onednn)
    match = matching_rules(
        load_rules(Api.PREDICTOR),
        replace(artifact, program=program),
        runtime_for(release),
        Api.PREDICTOR,
        "cpu",
        config=config,
    )
    assert any(one.rule.id == "CL239" for one in match) != stays


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0"])
@pytest.mark.parametrize("onednn", [True, False])
@pytest.mark.parametrize("executor", [None, True, False])
@pytest.mark.parametrize("scaled", [True, False])
def test_passes_that_are_left_out_stay_out(
    executor: bool | None, onednn: bool, scaled: bool, release: str
) -> None:
    artifact = saved("2.6.2/classifier")
    last = next(one for one in artifact.program.operators if one.name.startswith("matmul"))
    times = Operator("scale", {"X": last.outputs["Out"]}, {"Out": ("n",)}, {"scale": 2.0})
    added = (times,) if scaled else ()
    program = replace(artifact.program, operators=(*artifact.program.operators, *added))
    config = replace(DEFAULT, new_executor=executor, onednn=onednn)
    plan = plan_load(
        replace(artifact, program=program), runtime_for(release), "predictor", config=config
    )
    leaves_out = bool(plan.steps[0].options.delete_passes)
    off = release == "2.6.2" and leaves_out and not onednn and executor is not False
    assert plan.steps[0].options.new_executor != off
    assert ("CL236" in plan.steps[0].rules) == off
    assert leaves_out or not scaled


@pytest.mark.parametrize(
    ("release", "precision", "left_out"),
    [
        ("3.1.1", "bfloat16", False),
        ("3.2.2", "bfloat16", True),
        ("3.3.1", "bfloat16", True),
        ("3.3.1", "float32", False),
    ],
)
def test_additions_are_not_in_bfloat16_from_3_2_on(
    release: str, precision: str, left_out: bool
) -> None:
    made = step("2.6.2/classifier", release, replace(DEFAULT, precision=precision))
    assert ("cpu_bfloat16_placement_pass" in made.options.delete_passes) == left_out
    assert ("CL631" in made.rules) == left_out


@pytest.mark.parametrize(
    ("how", "seen"), [("upscale_in_train", True), ("downgrade_in_infer", False), ("", False)]
)
def test_a_dropout_that_does_nothing_stands_between_no_activations(how: str, seen: bool) -> None:
    """CL209: the second of two activations behind a fully connected layer."""
    artifact = saved("2.6.2/classifier")
    chain = (
        Operator("gelu", {"X": ("h",)}, {"Out": ("a",)}, {}),
        Operator("dropout", {"X": ("a",)}, {"Out": ("b",)}, {"dropout_implementation": how}),
        Operator("relu", {"X": ("b",)}, {"Out": ("c",)}, {}),
    )
    program = replace(artifact.program, operators=(*artifact.program.operators, *chain))
    plan = plan_load(
        replace(artifact, program=program), runtime_for("3.3.1"), "predictor", config=DEFAULT
    )
    assert ("CL209" in plan.steps[0].rules) == seen
