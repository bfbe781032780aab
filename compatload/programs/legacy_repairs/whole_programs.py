"""Repairs that look at a legacy program as a whole, with the weights that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from compatload.artifact.model import Artifact, Operator
from compatload.faults.cl154_loop_of_parameter import begun_by_loops
from compatload.faults.cl157_kept_results import what_is_kept
from compatload.faults.cl158_sizes_read_twice import read_twice
from compatload.faults.cl159_set_in_branch import set_in_branches
from compatload.faults.cl160_sizes_of_other_ranks import without_dimensions
from compatload.faults.cl162_list_in_branch import same_lists
from compatload.faults.cl163_choice_of_types import of_other_known_types, of_other_types
from compatload.faults.cl166_unread_constants import unread
from compatload.faults.cl170_loop_over_read import written_over
from compatload.faults.cl178_output_called_as_input import called_as_inputs
from compatload.programs.legacy_repairs import (
    choices_of_types,
    kept_results,
    lists_in_branches,
    loops_of_parameters,
    loops_over_read,
    output_names,
    python_layers,
    set_in_branch,
    sizes_of_other_ranks,
    sizes_read_twice,
    unread_constants,
)
from compatload.programs.legacy_repairs.program import parsed


def _of_operators(see: Callable[[Sequence[Operator]], Any]) -> Callable[[Artifact], Any]:
    return lambda artifact: see(artifact.program.operators)


def _has_python_layers(artifact: Artifact) -> bool:
    return python_layers.LAYER in artifact.program.operator_counts


# What an artifact has of each, and what mends the program of that.
_REPAIRS: Mapping[str, tuple[Callable[[Artifact], Any], Callable[[Any, Artifact, Any], None]]] = {
    lists_in_branches.RULE: (_of_operators(same_lists), lists_in_branches.kept_as_one),
    choices_of_types.RULE: (of_other_types, choices_of_types.of_one_type),
    set_in_branch.RULE: (_of_operators(set_in_branches), set_in_branch.read_as_before),
    kept_results.RULE: (what_is_kept, kept_results.computed_anew),
    loops_of_parameters.RULE: (begun_by_loops, loops_of_parameters.begun_with_copies),
    loops_over_read.RULE: (written_over, loops_over_read.written_elsewhere),
    sizes_of_other_ranks.RULE: (without_dimensions, sizes_of_other_ranks.as_vectors),
    sizes_read_twice.RULE: (_of_operators(read_twice), sizes_read_twice.copied),
    output_names.RULE: (called_as_inputs, output_names.called_otherwise),
    unread_constants.RULE: (unread, unread_constants.left_out),
    # The last, since it gives operators other places.
    python_layers.RULE: (_has_python_layers, python_layers.written_out),
}
# What is asked instead where the program runs as it is.
_SEEN_UNTRANSLATED = {choices_of_types.RULE: of_other_known_types}
# What only the translation to PIR gets wrong.
_OF_TRANSLATION = frozenset({sizes_read_twice.RULE, sizes_of_other_ranks.RULE, python_layers.RULE})


def sound(
    data: bytes, artifact: Artifact, *, translated: bool, without: Collection[str] = ()
) -> tuple[bytes, frozenset[str]]:
    """``data``, a program of ``artifact``, and the rules behind what was changed in it; the very
    same where nothing was.

    ``translated``: it will be translated to PIR.
    """
    left_out = {*without, *(() if translated else _OF_TRANSLATION)}
    sees = {rule: see for rule, (see, _) in _REPAIRS.items()}
    if not translated:
        sees |= _SEEN_UNTRANSLATED
    found = {rule: see(artifact) for rule, see in sees.items() if rule not in left_out}
    rules = frozenset(rule for rule, seen in found.items() if seen)
    if not rules:
        return data, rules
    desc = parsed(data)
    for rule in (rule for rule in found if rule in rules):
        _REPAIRS[rule][1](desc, artifact, found[rule])
    return bytes(desc.SerializeToString()), rules
