"""Programs in which a plan has some operators written otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from compatload.artifact import pir_json, program_desc
from compatload.artifact.model import Artifact, Format, Operator
from compatload.artifact.program_proto import message
from compatload.faults.catalogue import load_rules
from compatload.faults.graph import Graph
from compatload.faults.matching import conditions_for, found
from compatload.faults.model import PREDICTOR, Condition
from compatload.faults.simplified import simplified
from compatload.plan import Api
from compatload.programs.legacy_repairs.declared_types import declare_points
from compatload.programs.legacy_repairs.program import LegacyProgram, fill
from compatload.programs.legacy_repairs.repair import serialised
from compatload.programs.pir_graph import (
    NotExpressibleError,
    ProgramValues,
    Writer,
    rewrite,
    with_program,
)
from compatload.runtime.release import release_of


def rewritten(artifact: Artifact, rules: Collection[str], version: str, api: Api) -> Artifact:
    """``artifact`` with the operators of these rules as their modules write them, for an API of
    Paddle ``version``, in every method."""
    methods = {
        name: rewritten(part, rules, version, api)
        for name, part in artifact.method_artifacts.items()
    }
    if methods:
        artifact = replace(artifact, method_artifacts=methods)
    for rule in load_rules():
        if rule.id not in rules:
            continue
        operators = _concerned(artifact, conditions_for(rule, version, api))
        if not operators:  # another method has them
            continue
        change = _in_pir if artifact.format is Format.PIR else _in_legacy
        artifact = change(artifact, operators, import_module(rule.module), rule.id, version)
    return artifact


def _concerned(artifact: Artifact, conditions: Sequence[Condition]) -> tuple[Operator, ...]:
    """The operators that a rule is about: of a legacy program those of a predictor, which leaves
    some out, and where the rule is about layers as well, those of a layer."""
    every = (one for condition in conditions for one in condition.operators)
    patterns = tuple(dict.fromkeys(every))
    if artifact.format is Format.PIR:
        return found(patterns, Graph(artifact))
    operators = found(patterns, simplified(artifact))
    if all(condition.apis == PREDICTOR for condition in conditions):
        return operators
    known = {(one.block, one.index) for one in operators}
    more = found(patterns, Graph(artifact))
    return (*operators, *(one for one in more if (one.block, one.index) not in known))


def _told(count: int, rule: str) -> str:
    return f"{count} x operators written otherwise [{rule}]"


def _in_pir(
    artifact: Artifact, operators: Sequence[Operator], way: ModuleType, rule: str, version: str
) -> Artifact:
    results = {next(iter(one.outputs.values()))[0] for one in operators}
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    values = ProgramValues.of_program(document)
    rewrite(document, lambda operator: _as_written(operator, values, way, results, version))
    return with_program(artifact, document, _told(len(operators), rule))


def _as_written(
    operator: Any, values: ProgramValues, way: ModuleType, results: Collection[str], version: str
) -> list[Any]:
    made = operator["O"]
    if not isinstance(made, list) or not made or f"%{made[0]['%']}" not in results:
        return [operator]
    writer = Writer(values, operator, version)
    try:
        way.pir(writer)
    except NotExpressibleError:
        return [operator]
    return writer.operators


def _in_legacy(
    artifact: Artifact, operators: Sequence[Operator], way: ModuleType, rule: str, version: str
) -> Artifact:
    description = message("ProgramDesc")
    description.ParseFromString(program_desc.binary(artifact))
    program = LegacyProgram(description, release_of(version))
    declare_points(program)
    places = {(one.block, one.index) for one in operators}
    for block in description.blocks:
        if not any(number == block.idx for number, _ in places):
            continue
        written: list[Any] = []
        for index, operator in enumerate(block.ops):
            instead = None
            if (block.idx, index) in places:
                instead = way.legacy(program, block, operator)
            written += [operator] if instead is None else instead
        fill(block, written)
    data = serialised(description)
    decoded = program_desc.decode(data, artifact.path)
    return replace(
        artifact,
        format=Format.LEGACY,
        program=decoded.program,
        program_bytes=data,
        notes=(*artifact.notes, _told(len(operators), rule)),
    )
