"""When a rule applies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.model import (
    Artifact,
    ArtifactFiles,
    Format,
    Operator,
    Program,
)
from compatload.faults.matching import matching_rules
from compatload.faults.model import Condition, OperatorPattern, Rule
from compatload.plan import Api
from compatload.runtime.detection import runtime_for
from compatload.runtime.model import Runtime


def operator(name: str, reads: str = "a", writes: str = "b", **attributes: object) -> Operator:
    return Operator(name, {"0": (reads,)}, {"Out": (writes,)}, attributes)


def artifact(*operators: Operator) -> Artifact:
    program = Program(operators=operators, inputs=(), outputs=())
    return Artifact("m", Format.PIR, ArtifactFiles("m.json"), program, (), None, pir_version=4)


def applies(condition: Condition, runtime: Runtime | None = None, *operators: Operator) -> bool:
    rule = Rule("CL999", "", "", (), when=(condition,))
    place = runtime or runtime_for("3.3.1")
    return bool(matching_rules([rule], artifact(*operators), place, Api.PREDICTOR, "cpu"))


@pytest.mark.parametrize(
    ("version", "specifier", "expected"),
    [
        ("3.10.0", ">=3.2.0", True),
        ("3.0.0rc1", ">=3.0", True),
        ("3.0.0.dev20250101", ">=3.0", True),
        ("2.6.2.post120", "<3.0", True),
        ("3.3.1", ">=3.3,<3.4", True),
        ("3.4.0", ">=3.3,<3.4", True),  # nobody measured it: as 3.3.1
        ("0.0.0", ">=3.0", True),
    ],
)
def test_releases_are_compared_as_versions(version: str, specifier: str, expected: bool) -> None:
    runtime = runtime_for("3.3.1")
    assert runtime.paddle is not None
    runtime = replace(runtime, paddle=replace(runtime.paddle, version=version))
    assert applies(Condition(paddle=specifier), runtime) is expected


def test_a_cpu_that_is_unknown_lacks_nothing() -> None:
    runtime = runtime_for("3.3.1")
    unknown = replace(runtime, cpu=replace(runtime.cpu, features=frozenset()))
    condition = Condition(cpu_lacks=frozenset({"avx2"}))
    assert not applies(condition, unknown)
    assert applies(condition, runtime_for("3.3.1", cpu="nehalem"))


def test_one_missing_instruction_set_is_enough() -> None:
    condition = Condition(cpu_lacks=frozenset({"avx2", "avx"}))
    assert applies(condition, runtime_for("3.3.1", cpu="sandy-bridge"))


def test_in_place_operators_and_dialects_do_not_matter() -> None:
    condition = Condition(operators=(OperatorPattern(frozenset({"relu"})),))
    assert applies(condition, None, operator("pd_op.relu_"))
    assert applies(condition, None, operator("relu"))
    assert not applies(condition, None, operator("pd_op.relu6"))


def test_an_operator_that_feeds_another() -> None:
    acts = frozenset({"abs", "sqrt"})
    condition = Condition(operators=(OperatorPattern(acts, feeds=acts),))
    assert applies(condition, None, operator("abs", "x", "y"), operator("sqrt", "y", "z"))
    assert not applies(condition, None, operator("abs", "x", "y"), operator("sqrt", "x", "z"))


@pytest.mark.parametrize(
    ("release", "format_", "runs_as"),
    [
        ("2.6.2", Format.PIR, "legacy"),
        ("2.6.2", Format.LEGACY, "legacy"),
        ("3.3.1", Format.PIR, "pir"),
        ("3.3.1", Format.LEGACY, "legacy"),
    ],
)
def test_what_runs_is_not_always_what_was_saved(
    release: str, format_: Format, runs_as: str
) -> None:
    model = replace(artifact(), format=format_)
    for kind in ("legacy", "pir"):
        condition = Condition(runs_as=frozenset({kind}))
        rule = Rule("CL999", "", "", (), when=(condition,))
        found = matching_rules([rule], model, runtime_for(release), Api.PREDICTOR, "cpu")
        assert bool(found) is (kind == runs_as)
