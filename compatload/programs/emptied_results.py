"""CL169 in PIR programs: branches give back nothing without elements."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format, Program
from compatload.faults.emptied import left_empty
from compatload.programs.pir_graph import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ProgramValues,
    Tensor,
    Writer,
    blocks_in,
    flags,
    rewrite,
    with_program,
)

RULE = "CL169"
_IF, _WRITTEN_IF = "pd_op.if", "1.if"
# Types that ``pad`` takes outside of oneDNN, whose own dies of nothing; others go through these.
_PADDED = frozenset({"0.t_i16", INT32, INT64, FLOAT64})
_HOLDING = {
    **dict.fromkeys(("0.t_bool", "0.t_i8", "0.t_ui8"), INT32),
    **dict.fromkeys(("0.t_f16", "0.t_bf16", FLOAT32), FLOAT64),
}
_NUMBER = Tensor(FLOAT32, (1,))


def full(artifact: Artifact) -> Artifact:
    """``artifact`` with a PIR program whose branches give back elements; itself where they do."""
    program = artifact.program
    if artifact.format is not Format.PIR or not any(one.name == _IF for one in program.operators):
        return artifact
    emptied = _emptied(program)
    if not emptied:
        return artifact
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    count = _filled(document, emptied)
    told = f"{count} x what a branch gives back has elements [{RULE}]"
    return with_program(artifact, document, told) if count else artifact


def filled(document: dict[str, Any]) -> None:
    """The same in a parsed program that Paddle has translated."""
    blocks = blocks_in(document["program"]["regions"])
    if any(one["#"] == _WRITTEN_IF for block in blocks for one in block["ops"]):
        program = pir_json.decode(json.dumps(document).encode()).program
        _filled(document, _emptied(program))


def _emptied(program: Program) -> frozenset[str]:
    def shape(value: str) -> tuple[int, ...] | None:
        spec = program.variables.get(value)
        return spec.shape if spec else None

    return left_empty(program.operators, shape)


def _filled(document: dict[str, Any], emptied: Collection[str]) -> int:
    """How many results of branches may have no elements; they have some now."""
    values = ProgramValues.of_program(document)
    count = 0

    def with_places(operator: Any) -> list[Any]:
        nonlocal count
        written = [operator]
        for place, result in enumerate(operator["O"] if operator["#"] == _WRITTEN_IF else ()):
            if f"%{result['%']}" in emptied:
                behind = _one_place_more(operator, place, values)
                written += behind
                count += bool(behind)
        return written

    rewrite(document, with_places)
    return count


def _one_place_more(branches: Any, place: int, values: ProgramValues) -> list[Any]:
    """Puts one place more along each axis of unknown size into what the branches give back, and
    returns what takes them off; nothing where they are no tensors of the same rank."""
    result = branches["O"][place]
    tensor = values.common(result["%"])
    ends = [region["blocks"][-1]["ops"] for region in branches["regions"]]
    given = [values.common(ops[-1]["I"][place]["%"]) for ops in ends]
    ranks = {None if one is None else len(one.dims) for one in (tensor, *given)}
    if tensor is None or len(ranks) != 1 or held(tensor) is None:
        return []
    axes = [
        axis
        for axis, sizes in enumerate(zip(*(one.dims for one in (tensor, *given) if one)))
        if min(sizes) < 1
    ]
    if not axes:
        return []
    told = {one["N"]: one["AT"]["D"] for one in branches.get("OA", ())}
    stops = [one["D"] for one in told.get("stop_gradient", ())][place : place + 1]
    like = {"#": _WRITTEN_IF, "I": [], "O": [result], "OA": [flags("stop_gradient", *stops)]}
    for ops in ends:
        writer = Writer(values, like)
        value = ops[-1]["I"][place]["%"]
        ops[-1]["I"][place]["%"] = padded(writer, value, axes)
        ops[-1:] = [*writer.operators, ops[-1]]
    wide = _larger(tensor, axes)
    branches["O"][place] = {"%": values.new(wide), "TT": wide.as_json()}
    writer = Writer(values, like)
    cut(writer, branches["O"][place]["%"], axes, tensor)
    return writer.operators


def held(tensor: Tensor) -> str | None:
    """The element type in which it can be padded."""
    return tensor.element if tensor.element in _PADDED else _HOLDING.get(tensor.element)


def _larger(tensor: Tensor, axes: Sequence[int]) -> Tensor:
    dims = (size + (axis in axes and size >= 0) for axis, size in enumerate(tensor.dims))
    return Tensor(str(held(tensor)), tuple(dims))


def padded(writer: Writer, value: int, axes: Sequence[int]) -> int:
    """The value with one place more at the end of each of these axes, in a type that is padded."""
    tensor = writer.values.tensor(value)
    wide = _larger(tensor, axes)
    value = writer.cast(value, wide.element)
    places = [
        {"#": "0.a_i32", "D": more}
        for axis in range(len(tensor.dims))
        for more in (0, int(axis in axes))
    ]
    operands = [value, writer.constant(0.0, _NUMBER)]
    return writer.emit("pad", operands, wide, [("paddings", "0.a_array", places)])


def cut(writer: Writer, value: int, axes: Sequence[int], tensor: Tensor, *, into: int = 0) -> None:
    """The value without the last place of these axes, as a result of what is written."""
    kept = tensor.with_element(writer.values.tensor(value).element)
    place = into if kept == tensor else None
    # oneDNN of 2.6 takes no slice that leaves nothing, and none by strides.
    by_strides = writer.target.startswith("2.")
    without = writer.sliced(value, axes, (0, -1), kept, by_strides=by_strides, into=place)
    if kept != tensor:
        writer.cast(without, tensor.element, into=into)
