"""Repairs of PIR programs that Paddle runs to a wrong result, in the order they are made in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Callable

from compatload.artifact.model import Artifact
from compatload.programs import kept_outputs, lost_additions, shared_memory

_REPAIRS: Mapping[str, Callable[[Artifact], Artifact]] = {
    lost_additions.RULE: lost_additions.restored,
    shared_memory.RULE: shared_memory.copied,
    kept_outputs.RULE: kept_outputs.separate,
}


def repaired(artifact: Artifact, without: Collection[str] = ()) -> tuple[Artifact, tuple[str, ...]]:
    """The artifact, repaired but for the rules in ``without``, and the rules that changed it.

    The very same artifact where nothing had to be done, or where it is no PIR program.

    Raises DamagedArtifactError where it cannot be told what the program should be.
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
