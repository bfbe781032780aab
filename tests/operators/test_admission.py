"""Which programs may be handed to Paddle."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, Operator, Program
from compatload.errors import (
    CompatLoadError,
    IncompatibleError,
    UnsafeArtifactError,
    UnsupportedOperatorError,
)
from compatload.operators.admission import require_admissible
from compatload.planning import plan_load
from compatload.runtime.detection import runtime_for
from tests.fixtures.index import fixture


def saved(identity: str = "3.3.1/classifier") -> Artifact:
    return inspect_whole(fixture(identity).path)


def with_operators(artifact: Artifact, operators: Sequence[Operator]) -> Artifact:
    whole = artifact.program
    program = Program(tuple(operators), whole.inputs, whole.outputs, whole.variables, whole.blocks)
    # Other bytes than those of a program that was let in before.
    return replace(artifact, program=program, program_bytes=repr(program).encode())


def with_operator(artifact: Artifact, operator: Operator) -> Artifact:
    return with_operators(artifact, (operator, *artifact.program.operators))


def refused(artifact: Artifact, *trusted: str) -> CompatLoadError | None:
    try:
        require_admissible(artifact, trusted)
    except CompatLoadError as error:
        return error
    return None


def custom(name: str, **attributes: object) -> Operator:
    return Operator(name, {}, {}, attributes, 0, 99)


def test_what_reaches_outside_is_named_with_its_place_and_what_it_does() -> None:
    error = refused(with_operator(saved(), custom("pd_op.save_combine")))
    assert isinstance(error, UnsafeArtifactError)
    assert error.rule == "CL004"
    assert "pd_op.save_combine (block 0, operator 99) (writes files)" in error.problem
    assert "trusted_operators=('pd_op.save_combine',)" in error.action
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("name", ["custom_op.my_relu", "pd_op.relu66", "builtin.a_array"])
def test_what_nobody_knows_is_refused(name: str) -> None:
    error = refused(with_operator(saved(), custom(name)))
    assert isinstance(error, UnsupportedOperatorError)
    assert error.rule == "CL009"
    assert name.removeprefix("custom_op.") in error.action


def test_custom_operators_are_let_in_by_their_exact_name() -> None:
    artifact = with_operator(saved(), custom("custom_op.my_relu"))
    assert refused(artifact, "my_relu") is None
    assert refused(artifact, "my_relu6") is not None
    assert refused(artifact, "custom_op.my_relu") is not None
    plans = [
        plan_load(artifact, runtime_for("3.3.1"), "layer", trusted_operators=names)
        for names in ((), ("my_relu",))
    ]
    assert [plan.refusal is None for plan in plans] == [False, True]


def test_operators_of_a_second_method_count_as_well() -> None:
    method = with_operator(saved(), custom("pd_op.save_combine"))
    error = refused(replace(saved(), method_artifacts={"second": method}))
    assert isinstance(error, UnsafeArtifactError)
    assert "of method 'second'" in error.problem


@pytest.mark.parametrize("server", [(), ("10.0.0.1:8000",)])
def test_an_attribute_may_tell_an_operator_to_reach_outside(server: tuple[str, ...]) -> None:
    """Every sparse embedding is saved with ``remote_prefetch``: it asks those that are named."""
    looked_up = custom("lookup_table_v2", remote_prefetch=True, epmap=server)
    error = refused(with_operator(saved("2.6.2/classifier"), looked_up))
    assert isinstance(error, UnsafeArtifactError) is bool(server)


def test_an_operator_that_the_release_lacks_is_refused_before_paddle_sees_it() -> None:
    """3.0 had it, 3.1 has not any more; programs of older versions are handed over as they are."""
    artifact = saved("3.0.0/classifier")
    image = next(one for one in artifact.program.operators if one.name == "pd_op.data")
    (value,) = image.outputs["0"]
    dispatch = Operator(
        "pd_op.moe_dispatch",
        {"0": (value,), "1": (value,)},
        {str(place): (f"%{9000 + place}",) for place in range(5)},
        {"moe_topk": 1, "group_moe": False, "topk_only_mode": False},
        *(0, 99),
        kinds={"moe_topk": "0.a_i32", "group_moe": "0.a_bool", "topk_only_mode": "0.a_bool"},
    )
    operators = list(artifact.program.operators)
    artifact = with_operators(artifact, [*operators[:-1], dispatch, operators[-1]])
    assert plan_load(artifact, runtime_for("3.0.0"), "layer").refusal is None
    refusal = plan_load(artifact, runtime_for("3.3.1"), "layer").refusal
    assert refusal is not None
    assert (refusal.error, refusal.rule) == ("UnsupportedOperatorError", "CL009")
    assert "pd_op.moe_dispatch (block 0, operator 99)" in refusal.problem
    assert "paddle 3.3.1 lacks" in refusal.problem


@pytest.mark.parametrize("version", [0, 5, 99])
def test_a_version_of_pir_that_nobody_knows_is_refused(version: int) -> None:
    for identity in ("3.0.0/classifier", "3.3.1/dict_output"):  # what the newest knows, and not
        artifact = saved(identity)
        told = replace(artifact, pir_version=version, program_bytes=b"%d" % version)
        error = refused(told)
        assert isinstance(error, IncompatibleError)
        assert error.rule == "CL105"
        assert f"of version {version}, which nobody knows" in str(error)
        plan = plan_load(told, runtime_for("3.3.1"), "layer")
        assert plan.refusal is not None
        assert plan.refusal.rule == "CL105"
