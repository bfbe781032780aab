"""A program as the first of Paddle's passes leaves it to those that fuse."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand, result

_KEPT = "upscale_in_train"


def simplified(artifact: Artifact) -> Graph:
    """The graph that passes find which fuse, where a predictor runs the program as legacy."""
    return Graph(artifact, without_dropouts(artifact.program.operators))


def without_dropouts(operators: Sequence[Operator]) -> tuple[Operator, ...]:
    """The operators of a program that a predictor runs as legacy, without the dropouts that compute
    nothing when nothing is trained.

    ``simplify_with_basic_ops_pass`` takes them away before any other pass looks for what it fuses
    (Paddle, CpuPassStrategy): a layer and an activation behind one stand side by side then. Those
    that a block reads, or that read an input, stay (CL284).
    """
    if not any(_is_nothing(one) for one in operators):
        return tuple(operators)
    blocks = {
        value: one.block for one in operators for values in one.outputs.values() for value in values
    }
    read_elsewhere = {
        value
        for one in operators
        for values in one.inputs.values()
        for value in values
        if one.sub_blocks or blocks.get(value, one.block) != one.block
    }
    instead: dict[str, str] = {}
    kept = []
    for one in operators:
        inputs = {
            slot: tuple(instead.get(value, value) for value in values)
            for slot, values in one.inputs.items()
        }
        read = one if inputs == dict(one.inputs) else _reading(one, inputs)
        given, made = operand(read, FIRST), result(one)
        is_gone = _is_nothing(one) and given in blocks and made not in read_elsewhere
        if is_gone and given is not None and made is not None:
            instead[made] = given
        else:
            kept.append(read)
    return tuple(kept)


def _is_nothing(operator: Operator) -> bool:
    if bare_name(operator) != "dropout":
        return False
    return _KEPT in (operator.attributes.get(name) for name in ("dropout_implementation", "mode"))


def _reading(one: Operator, inputs: dict[str, tuple[str, ...]]) -> Operator:
    return Operator(
        *(one.name, inputs, one.outputs, one.attributes, one.block, one.index, one.sub_blocks),
        kinds=one.kinds,
    )
