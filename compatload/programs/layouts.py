"""The layout that a program leaves its thread with is the one that it found (CL156)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Format
from compatload.artifact.program_proto import message
from compatload.faults.cl156_layout_left_behind import CHANNELS_LAST
from compatload.faults.onednn import LAYOUTS
from compatload.programs.legacy_repairs.program import (
    INT32,
    LegacyProgram,
    attribute,
    begin_with,
    fill,
    new_operator,
)
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import NotExpressibleError, ProgramValues, Writer, blocks_in
from compatload.runtime.release import release_of

RULE = "CL156"

_KEPT = "NCHW"
_INPUTS = frozenset({"pd_op.data", "pd_op.feed"})


def kept(data: bytes, form: Format, version: str) -> bytes:
    """A program for Paddle ``version`` that names channels first before it names channels last;
    the very same where it never does the latter."""
    if CHANNELS_LAST.encode() not in data:
        return data
    return _pir(data) if form is Format.PIR else _legacy(data, version)


def _legacy(data: bytes, version: str) -> bytes:
    """What is put before is a ``shape``, which no pass takes in: of an input, so that nothing
    which passes join has one more user."""
    description = message("ProgramDesc")
    description.ParseFromString(data)
    program = LegacyProgram(description, release_of(version))
    changed = False
    for block in description.blocks:
        operators = list(block.ops)
        place = _first([_told_legacy(one) for one in operators])
        if place is None:
            continue
        feeds = [one for one in operators if one.type == "feed"]
        slots = feeds[0].outputs if feeds else operators[place].inputs
        read = next(name for slot in slots for name in slot.arguments)
        size = program.add_tensor(block, f"{read}.size", INT32, (-1,))
        says = {LAYOUTS[0]: ("STRING", _KEPT)}
        shape = new_operator("shape", {"Input": [read]}, {"Out": [size]}, says)
        if feeds:
            begin_with(block, [shape])
        else:
            fill(block, [*operators[:place], shape, *operators[place:]])
        changed = True
    return bytes(description.SerializeToString()) if changed else data


def _first(layouts: Sequence[str]) -> int | None:
    """The place of the first operator of a block that tells one, if that is channels last."""
    place = next((number for number, told in enumerate(layouts) if told), None)
    return place if place is not None and layouts[place] == CHANNELS_LAST else None


def _told_legacy(operator: Any) -> str:
    return next(filter(None, (attribute(operator, name, "") for name in LAYOUTS)), "")


def _pir(data: bytes) -> bytes:
    """An input says it; a block without one has the operand copied, and the copy says it."""
    document = pir_json.parse(data)
    values = None
    changed = False
    for block in blocks_in(document["program"]["regions"]):
        place = _first([_told_pir(one) for one in block["ops"]])
        if place is None:
            continue
        says = {"N": LAYOUTS[0], "AT": {"#": "0.a_str", "D": _KEPT}}
        inputs = (one for one in block["ops"][:place] if operator_name(one["#"]) in _INPUTS)
        if (first := next(inputs, None)) is not None:
            first["A"].append(says)
        else:
            values = values or ProgramValues.of_program(document)
            writer = Writer(values, block["ops"][place])
            try:
                block["ops"][place]["I"][0]["%"] = writer.copy(writer.operands[0])
            except NotExpressibleError:
                continue
            writer.operators[0]["A"].append(says)
            block["ops"][place:place] = writer.operators
        changed = True
    if not changed:
        return data
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def _told_pir(operator: Any) -> str:
    if operator_name(operator["#"]) == "builtin.parameter":
        return ""
    named = {one["N"]: one["AT"]["D"] for one in operator["A"] if one["N"] in LAYOUTS}
    return next((str(named[name]) for name in LAYOUTS if name in named), "")
