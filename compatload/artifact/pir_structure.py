"""Operators whose results and blocks follow from their operands.

Paddle rebuilds these as the file says, without asking whether it fits, and dies later where it
does not. Every rule here holds in each of the thousands of programs that real releases saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compatload.artifact.model import Operator
from compatload.artifact.pir_values import TensorType
from compatload.frozen import frozen

# A tensor's type, or those of a vector of tensors.
_Value = Any


@frozen
class Shape:
    """What is to fit together: types of operands and results (a tuple each for a vector), and the
    operators of each block that belongs to the operator."""

    operands: Sequence[TensorType | tuple[TensorType, ...]]
    results: Sequence[TensorType | tuple[TensorType, ...]]
    blocks: Sequence[Sequence[Operator]]
    arguments: Sequence[int]  # how many arguments each block takes

    @property
    def yields(self) -> list[int]:
        """How many values each block gives back; -1 where it does not end in a yield."""
        return [
            len(block[-1].inputs) if block and block[-1].name == "cf.yield" else -1
            for block in self.blocks
        ]


def _combine(shape: Shape) -> bool:
    return _same(shape.results, [tuple(shape.operands)])


def _split(shape: Shape) -> bool:
    return _same(shape.operands, [tuple(shape.results)])


def _fetch(shape: Shape) -> bool:
    return len(shape.operands) == 1 and _same(shape.results, shape.operands)


def _same(one: Sequence[_Value], other: Sequence[_Value]) -> bool:
    """Whether types agree as far as both are known.

    A loop variable that grows has its first shape outside the loop and an unknown size inside, and
    Paddle writes both down (limitation 5, saved by 3.3.1).
    """
    return len(one) == len(other) and all(map(_agree, one, other))


def _agree(one: _Value, other: _Value) -> bool:
    if _is_vector(one) or _is_vector(other):
        return _is_vector(one) and _is_vector(other) and _same(one, other)
    (dtype, sizes), (other_dtype, other_sizes) = one, other
    if dtype != other_dtype or sizes is None or other_sizes is None:
        return bool(one == other)
    return len(sizes) == len(other_sizes) and all(
        size == known or -1 in (size, known) for size, known in zip(sizes, other_sizes)
    )


def _is_vector(value: _Value) -> bool:
    return not value or isinstance(value[0], tuple)


def _if(shape: Shape) -> bool:
    count = len(shape.results)
    return len(shape.operands) == 1 and shape.yields == [count, count]


def _while(shape: Shape) -> bool:
    # The condition first, then what goes round: as many come in, go round and come out.
    count = len(shape.results)
    return (
        len(shape.operands) == count + 1
        and list(shape.arguments) == [count]
        and shape.yields == [count + 1]
        and all(one[0] == other[0] for one, other in zip(shape.operands[1:], shape.results))
    )


FITS: Mapping[str, Callable[[Shape], bool]] = {
    "builtin.combine": _combine,
    "builtin.split": _split,
    "pd_op.fetch": _fetch,
    "pd_op.if": _if,
    "pd_op.while": _while,
}
