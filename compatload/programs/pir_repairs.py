"""Repairs of PIR programs that Paddle runs to a wrong result, in the order they are made in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Callable

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.faults.catalogue import rules_of
from compatload.faults.graph import Graph
from compatload.faults.model import Rule
from compatload.programs import (
    emptied_results,
    kept_outputs,
    lists_made_again,
    loop_beginnings,
    lost_additions,
    python_layers,
    unreadable_numbers,
)
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import blocks_in, with_program


def _replaced(rule: Rule, artifact: Artifact) -> Artifact:
    """``artifact`` with other operators in the place of those that the rule names, if it sees any.

    Legacy programs are repaired with all else (``legacy_repairs``).
    """
    if artifact.format is not Format.PIR or rule.sees is None:
        return artifact
    if rule.becomes.keys().isdisjoint(artifact.program.operator_counts):
        return artifact
    if not rule.sees(Graph(artifact), ""):
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    changes: Counter[str] = Counter()
    for block in blocks_in(document["program"]["regions"]):
        for operator in block["ops"]:
            name = operator_name(operator["#"])
            if name in rule.becomes:
                operator["#"] = rule.becomes[name].replace("pd_op.", "1.")
                changes[f"{name} became {rule.becomes[name]}"] += 1
    told = (f"{count} x {what} [{rule.id}]" for what, count in changes.items())
    return with_program(artifact, document, *told)


_REPAIRS: Mapping[str, Callable[[Artifact], Artifact]] = {
    python_layers.RULE: python_layers.written_out,
    lost_additions.RULE: lost_additions.restored,
    **{rule.id: partial(_replaced, rule) for rule in rules_of("CL1") if rule.becomes},
    kept_outputs.RULE: kept_outputs.separate,
    lists_made_again.RULE: lists_made_again.distinct,
    loop_beginnings.RULE: loop_beginnings.copied,
    emptied_results.RULE: emptied_results.full,
    unreadable_numbers.RULE: unreadable_numbers.readable,
}
#: Those that a legacy program does not need.
OF_PIR_ALONE = (emptied_results.RULE,)


def repaired(artifact: Artifact, without: Collection[str] = ()) -> tuple[Artifact, tuple[str, ...]]:
    """The artifact, repaired but for the rules in ``without``, and the rules that changed it.

    The very same artifact where nothing had to be done, or where it is no PIR program.

    Raises DamagedArtifactError where it cannot be told what the program should be, and
    UnsafeArtifactError where a layer of Python is not what Paddle writes.
    """
    followed: set[str] = set()
    methods = {}
    for name, part in artifact.method_artifacts.items():
        methods[name], rules = repaired(part, without)
        followed.update(rules)
    if followed:
        artifact = replace(artifact, method_artifacts=methods)
    for rule, repair in _REPAIRS.items():
        if rule in without:
            continue
        before, artifact = artifact, repair(artifact)
        if artifact is not before:
            followed.add(rule)
    return artifact, tuple(rule for rule in _REPAIRS if rule in followed)
