"""A program as the first of Paddle's passes leaves it to those that fuse."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Operator

_KEPT = "upscale_in_train"


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
        given, made = _given(inputs), _made(one)
        if _is_nothing(one) and given in blocks and made not in read_elsewhere:
            instead[made] = given
        else:
            kept.append(one if inputs == dict(one.inputs) else _reading(one, inputs))
    return tuple(kept)


def _is_nothing(operator: Operator) -> bool:
    if operator.name.rpartition(".")[2] != "dropout":
        return False
    return _KEPT in (operator.attributes.get(name) for name in ("dropout_implementation", "mode"))


def _reading(one: Operator, inputs: dict[str, tuple[str, ...]]) -> Operator:
    return Operator(
        *(one.name, inputs, one.outputs, one.attributes, one.block, one.index, one.sub_blocks),
        kinds=one.kinds,
    )


def _given(inputs: dict[str, tuple[str, ...]]) -> str:
    return next(iter(inputs.get("X") or inputs.get("0") or ("",)))


def _made(operator: Operator) -> str:
    return next(iter(operator.outputs.get("Out") or operator.outputs.get("0") or ("",)))
