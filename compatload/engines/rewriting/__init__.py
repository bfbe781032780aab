"""Operators that OpenVINO lacks, or computes otherwise, written as equal ones that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from packaging.version import Version

from compatload.artifact.program_desc import parse
from compatload.engines.extensions import RECURRENT
from compatload.engines.rewriting import elementwise, images, places, reductions
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    declare_like,
    fill,
    set_arguments,
)
from compatload.programs.legacy_repairs.repair import Repair, repair_block, serialised
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.target import LEGACY_RELEASE


def _renamed(program: LegacyProgram, _: Any, operator: Any, position: str) -> list[Any] | None:
    """Layers that the reader takes for an LSTM, for an extension."""
    if attribute(operator, "mode", "LSTM") == "LSTM":
        return None
    operator.type = RECURRENT
    program.record("engine", "rnn", position)
    return [operator]


_REWRITES: Mapping[str, Repair] = {
    **elementwise.REWRITES,
    **reductions.REWRITES,
    **places.REWRITES,
    **images.REWRITES,
    "rnn": _renamed,
}
# What an operator is rewritten to may itself be rewritten.
_ROUNDS = 3
# It takes no older programs, whatever is in them.
_OLDEST = 2_000_000


def _copy_stored_outputs(program: LegacyProgram) -> None:
    """Anchors, say, that a model hands out as they are stored: OpenVINO loses those."""
    block = program.desc.blocks[0]
    operators: list[Any] = []
    for number, operator in enumerate(block.ops):
        given = arguments(operator.inputs, "X") if operator.type == "fetch" else ()
        variable = program.variable(block, given[0]) if len(given) == 1 else None
        if variable is not None and variable.persistable:
            name = program.fresh_name(given[0])
            declare_like(block, variable, name)
            operators.append(assign(given[0], name))
            set_arguments(operator.inputs, "X", [name])
            program.record("engine", "output that is stored", f"fetch (block 0, {number})")
        operators.append(operator)
    if len(operators) > len(block.ops):
        fill(block, operators)


def rewritten(data: bytes, path: str, own: Collection[str] = ()) -> tuple[bytes, tuple[str, ...]]:
    """A legacy program and what was changed in it; the very same bytes where nothing was.

    ``own`` are operators that are left as they are.

    Raises DamagedArtifactError where an operator has impossible values.
    """
    program = LegacyProgram(parse(data, path), Version(LEGACY_RELEASE))
    rewrites = {name: way for name, way in _REWRITES.items() if name not in own}
    for _ in range(_ROUNDS):
        before = len(program.changes)
        for block in program.desc.blocks:
            if not rewrites.keys().isdisjoint(operator.type for operator in block.ops):
                repair_block(program, block, rewrites)
        if len(program.changes) == before:
            break
    _copy_stored_outputs(program)
    if program.desc.version.version < _OLDEST:
        program.desc.version.version = _OLDEST
    elif not program.changes:
        return data, ()
    counted = Counter(change.description for change in program.changes)
    return serialised(program.desc), tuple(f"{n} × {what}" for what, n in sorted(counted.items()))
