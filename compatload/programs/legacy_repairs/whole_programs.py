"""Repairs that look at a legacy program as a whole, with the weights that belong to it."""

from __future__ import annotations

from collections.abc import Collection

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs import (
    kept_results,
    loops_of_parameters,
    set_in_branch,
    sizes_of_other_ranks,
    sizes_read_twice,
)

_REPAIRS = {
    set_in_branch.RULE: set_in_branch.read_as_before,
    kept_results.RULE: kept_results.computed_anew,
    loops_of_parameters.RULE: loops_of_parameters.begun_with_copies,
    sizes_of_other_ranks.RULE: sizes_of_other_ranks.as_vectors,
    sizes_read_twice.RULE: sizes_read_twice.copied,
}
# What only the translation to PIR gets wrong.
_OF_TRANSLATION = frozenset({sizes_read_twice.RULE, sizes_of_other_ranks.RULE})


def sound(
    data: bytes, artifact: Artifact, *, translated: bool, without: Collection[str] = ()
) -> tuple[bytes, frozenset[str]]:
    """``data``, a program of ``artifact``, and the rules behind what was changed in it.

    ``translated``: it will be translated to PIR.
    """
    left_out = {*without, *(() if translated else _OF_TRANSLATION)}
    rules = set()
    for rule, repaired in _REPAIRS.items():
        if rule in left_out:
            continue
        before, data = data, repaired(data, artifact)
        if data is not before:
            rules.add(rule)
    return data, frozenset(rules)
