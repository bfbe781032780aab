"""Operators whose results and blocks follow from their operands.

Paddle rebuilds these as the file says, without asking whether it fits, and dies later where it
does not. Every rule here holds in each of the thousands of programs that real releases saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compatload.artifact.model import Operator
from compatload.artifact.pir_values import TensorType


@dataclass(frozen=True)
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
    return list(shape.results) == [tuple(shape.operands)]


def _split(shape: Shape) -> bool:
    return list(shape.operands) == [tuple(shape.results)]


def _fetch(shape: Shape) -> bool:
    return len(shape.operands) == 1 and shape.results == shape.operands


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
    )


FITS: Mapping[str, Callable[[Shape], bool]] = {
    "builtin.combine": _combine,
    "builtin.split": _split,
    "pd_op.fetch": _fetch,
    "pd_op.if": _if,
    "pd_op.while": _while,
}
