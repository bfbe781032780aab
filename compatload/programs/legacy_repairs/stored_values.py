"""What a legacy program does with the values stored beside it, made right (CL154, CL157)."""

from __future__ import annotations

from collections.abc import Collection

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs import kept_results, loops_of_parameters

_REPAIRS = {
    kept_results.RULE: kept_results.computed_anew,
    loops_of_parameters.RULE: loops_of_parameters.begun_with_copies,
}


def sound(
    data: bytes, artifact: Artifact, without: Collection[str] = ()
) -> tuple[bytes, frozenset[str]]:
    """``data``, a program of ``artifact``, and the rules behind what was changed in it."""
    rules = set()
    for rule, repaired in _REPAIRS.items():
        if rule in without:
            continue
        before, data = data, repaired(data, artifact)
        if data is not before:
            rules.add(rule)
    return data, frozenset(rules)
