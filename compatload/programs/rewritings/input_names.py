"""An input gets a name that nothing else has (CL177)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    copied,
    declare_like,
    rename,
)
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_graph import Writer

_ENDING = ".input"


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    (name,) = arguments(operator.outputs, "Out")
    variable = program.variable(block, name)
    if variable is None:
        return None
    fresh = program.fresh_name(name + _ENDING)
    declare_like(block, variable, fresh)
    feed = copied(operator)
    rename(feed.outputs, {name: fresh})
    return [feed, assign(fresh, name)]


def pir(writer: Writer) -> None:
    changed = [
        {**one, "AT": {**one["AT"], "D": one["AT"]["D"] + _ENDING}} if one["N"] == "name" else one
        for one in writer.original["A"]
    ]
    writer.keep(writer.name, A=changed)
