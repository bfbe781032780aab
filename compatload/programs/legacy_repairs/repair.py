"""Apply every repair that a program needs for the Paddle that is to load it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from typing import Any

from google.protobuf.message import EncodeError
from packaging.version import InvalidVersion, Version

from compatload.artifact.model import MEMORY, Program
from compatload.artifact.program_desc import decode
from compatload.artifact.program_proto import VERSION_OF_2_6, message
from compatload.artifact.program_structure import require_sound
from compatload.errors import DamagedArtifactError, UsageError
from compatload.faults.catalogue import rules_of
from compatload.faults.model import Rule
from compatload.frozen import frozen
from compatload.programs.legacy_repairs import (
    as_in_pir,
    declared_types,
    dotted_equations,
    dropout_states,
    expanded_by_lists,
    first_versions,
    joined_axes,
    kept_outputs,
    kept_scales,
    listed_values,
    lists_made_again,
    lone_infos,
    mended_in_3_1,
    missing_attributes,
    missing_outputs,
    mistaken_kernels,
    newer_attributes,
    products_of_free_sizes,
    removed_operators,
    removed_sequences,
    repeated_from_the_end,
    reversed_slices,
    rounded_halves,
    second_gradients,
    shapes_of_gradients,
    traced_backwards,
    unread_attributes,
    untyped_values,
    weighted_losses,
    widened_scales,
    younger_kernels,
)
from compatload.programs.legacy_repairs.program import (
    LegacyChange,
    LegacyProgram,
    arguments,
    fill,
    new_operator,
    program_version,
)
from compatload.runtime.release import release_of

# The first release whose loaders translate a legacy program to PIR; older ones need less repair.
_FIRST_PIR_RELEASE = Version("3.0.0.dev0")
# From these on operators mean something else, and what a program tells that means what it did
# before: CL138, CL140 and CL176; CL122, CL129 and CL142.
_BEFORE = {"3.0": VERSION_OF_2_6, "3.1": program_version("3.0")}

# Given an operator, a repair returns what stands in its place, or None to leave it alone.
Repair = Callable[[LegacyProgram, Any, Any, str], "list[Any] | None"]

# What lets no gradient through, which the result's variable does not say where 2.6 saved it.
_DETACHING = frozenset({"share_data"})

# The repairs of each rule, by operator type. In this order: what an operator is rewritten to may
# itself need the later repairs.
Families = Mapping[str, Mapping[str, Repair]]


def _replacements(rule: Rule) -> Mapping[str, Repair]:
    """For a rule that says what each operator becomes."""

    def replaced(
        program: LegacyProgram, block: Any, operator: Any, position: str
    ) -> list[Any] | None:
        source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
        if len(source) != 1 or len(result) != 1:
            return None
        variable = program.variable(block, result[0])
        if operator.type in _DETACHING and variable is not None:
            variable.stop_gradient = True
        name = rule.becomes[operator.type]
        program.record(rule.id, f"{operator.type} became {name}", position)
        return [new_operator(name, {"X": source}, {"Out": result}, {})]

    return dict.fromkeys(rule.becomes, replaced)


_REPLACEMENTS: Families = {rule.id: _replacements(rule) for rule in rules_of("CL1") if rule.becomes}
_FAMILIES: Families = {
    removed_operators.RULE: removed_operators.REPAIRS,
    removed_sequences.RULE: removed_sequences.REPAIRS,
    first_versions.RULE: first_versions.REPAIRS,
    mistaken_kernels.RULE: mistaken_kernels.REPAIRS,
    **_REPLACEMENTS,
    kept_outputs.RULE: kept_outputs.REPAIRS,
    kept_scales.RULE: kept_scales.REPAIRS,
    listed_values.RULE: listed_values.REPAIRS,
    lists_made_again.RULE: lists_made_again.REPAIRS,
    dropout_states.RULE: dropout_states.REPAIRS,
    rounded_halves.RULE: rounded_halves.REPAIRS,
    second_gradients.RULE: second_gradients.REPAIRS,
    shapes_of_gradients.RULE: shapes_of_gradients.REPAIRS,
    traced_backwards.RULE: traced_backwards.REPAIRS,
    dotted_equations.RULE: dotted_equations.REPAIRS,
    repeated_from_the_end.RULE: repeated_from_the_end.REPAIRS,
    joined_axes.RULE: joined_axes.REPAIRS,
    products_of_free_sizes.RULE: products_of_free_sizes.REPAIRS,
    expanded_by_lists.RULE: expanded_by_lists.REPAIRS,
    mended_in_3_1.RULE: mended_in_3_1.REPAIRS,
    lone_infos.RULE: lone_infos.REPAIRS,
    weighted_losses.RULE: weighted_losses.REPAIRS,
    widened_scales.RULE: widened_scales.REPAIRS,
    unread_attributes.RULE: unread_attributes.REPAIRS,
    missing_attributes.RULE: missing_attributes.REPAIRS,
    reversed_slices.RULE: reversed_slices.REPAIRS,
    declared_types.RULE: declared_types.REPAIRS,
    missing_outputs.RULE: missing_outputs.REPAIRS,
}
# What only the translation to PIR gets wrong; a predictor that runs the legacy program does not.
_OF_TRANSLATION = frozenset(
    {
        *(mistaken_kernels.RULE, unread_attributes.RULE, missing_attributes.RULE),
        *(kept_scales.RULE, listed_values.RULE, lists_made_again.RULE),
        *(products_of_free_sizes.RULE, expanded_by_lists.RULE),
    }
)

# Operators, or their kernels, that 2.6 has lost already (each was tried under 2.6.2). Those it
# still has are left to it.
_LOST_BEFORE_PIR = frozenset(
    {"expand_as", "flatten", "isfinite", "one_hot", "pad2d", "squeeze", "unsqueeze"}
)
_FAMILIES_BEFORE_PIR: Families = {
    **{
        rule: {kind: one for kind, one in _FAMILIES[rule].items() if kind in _LOST_BEFORE_PIR}
        for rule in (removed_operators.RULE, first_versions.RULE)
    },
    shapes_of_gradients.RULE: shapes_of_gradients.REPAIRS,
    # paddle.jit.load of 2.6 appends a backward program as well.
    missing_outputs.RULE: missing_outputs.REPAIRS,
    **_REPLACEMENTS,
    kept_outputs.RULE: kept_outputs.REPAIRS,
    dropout_states.RULE: dropout_states.REPAIRS,
    repeated_from_the_end.RULE: repeated_from_the_end.REPAIRS,
    # Programs that 3.x saved.
    as_in_pir.RULE: as_in_pir.REPAIRS,
    untyped_values.RULE: untyped_values.REPAIRS,
    newer_attributes.RULE: newer_attributes.REPAIRS,
    mended_in_3_1.RULE: mended_in_3_1.REPAIRS,
    weighted_losses.RULE: weighted_losses.REPAIRS,
    reversed_slices.RULE: reversed_slices.REPAIRS_FOR_2_6,
    joined_axes.RULE: joined_axes.REPAIRS,
    younger_kernels.RULE: younger_kernels.REPAIRS,
}

# Hashes of programs that hang together: a service loads the same one again and again.
_SOUND: set[bytes] = set()
_MOST_SOUND = 1024


@frozen
class Repaired:
    """The program's bytes (the very same if nothing had to be done) and every change made."""

    data: bytes
    changes: tuple[LegacyChange, ...] = ()


def repair(
    data: bytes,
    target_version: str,
    *,
    translated: bool = True,
    without: Collection[str] = (),
    decoded: Program | None = None,
    path: str = MEMORY,
) -> Repaired:
    """Make a serialised ProgramDesc fit for the Paddle release ``target_version``. Idempotent.

    Args:
        translated: the program will be translated to PIR, as ``paddle.jit.load`` does even in
            legacy mode; without it, repairs of what only the translation gets wrong are left out
            (they would keep a predictor from fusing quantised operators).
        without: rules whose repairs are left out, to see what happens without them.
        decoded: what these very bytes decode to, where that is known; they are decoded otherwise.
        path: where they come from, for messages.

    Raises DamagedArtifactError where ``data`` is no ProgramDesc or does not hang together,
    UsageError where ``target_version`` is no version.
    """
    try:
        target = release_of(target_version)
    except InvalidVersion as error:
        raise UsageError(
            f"{target_version!r} is not a Paddle version.",
            action="Give a release such as '3.3.1'.",
        ) from error
    if decoded is None:
        decoded = decode(data, path).program
    digest = sha256(data).digest()
    if digest not in _SOUND:
        require_sound(decoded, path)
        if len(_SOUND) < _MOST_SOUND:
            _SOUND.add(digest)
    by_rule = _FAMILIES if target >= _FIRST_PIR_RELEASE else _FAMILIES_BEFORE_PIR
    left_out = {*without, *(() if translated else _OF_TRANSLATION)}
    families = [family for rule, family in by_rule.items() if rule not in left_out]
    present = decoded.operator_counts.keys()
    if all(family.keys().isdisjoint(present) for family in families):
        return Repaired(data)
    description = message("ProgramDesc")
    description.ParseFromString(data)  # of its own, to be changed; it was checked when decoded
    program = LegacyProgram(description, target, translated)
    for family in families:
        for block in program.desc.blocks:
            if not family.keys().isdisjoint(operator.type for operator in block.ops):
                repair_block(program, block, family)
    if program.retyped:
        declared_types.declare_onwards(program)
    if not program.changes:
        return Repaired(data)
    for release, told in _BEFORE.items():
        if program.is_saved_since(release) and not program.is_loaded_since(release):
            program.desc.version.version = told  # and it is not repaired again
    return Repaired(serialised(program.desc), tuple(program.changes))


def serialised(desc: Any) -> bytes:
    try:
        return bytes(desc.SerializeToString())
    except (EncodeError, UnicodeEncodeError, ValueError) as error:
        raise DamagedArtifactError(
            "The program cannot be written again after its repair.",
            action="Copy the model again from its source.",
        ) from error


def repair_block(program: LegacyProgram, block: Any, family: Mapping[str, Repair]) -> None:
    """Rewrite one block's operators in place; the message is touched only where one changes."""
    operators: list[Any] = []
    changed = False
    for index, operator in enumerate(block.ops):
        apply = family.get(operator.type)
        replacement = None
        if apply is not None:
            position = f"{operator.type} (block {block.idx}, operator {index})"
            replacement = _applied(apply, program, block, operator, position)
        operators.extend([operator] if replacement is None else replacement)
        changed = changed or replacement is not None
    if changed:
        fill(block, operators)


def _applied(
    apply: Repair, program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    try:
        return apply(program, block, operator, position)
    except (OverflowError, ValueError) as error:  # what no field of the message can hold
        raise DamagedArtifactError(
            f"{position} has impossible values ({error}).",
            action="Copy the model again from its source.",
        ) from error
