"""What repairs write about sequences (LoD): their lengths, ends and rows, in operators of all
releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compatload.frozen import frozen
from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import (
    cast,
    elementwise,
    fill_constant,
    reduce_all,
    reshape,
    scale,
    slice_along,
    unsqueeze,
)

_MANY = -1


@frozen
class SequenceRows:
    """The rows of sequences, one after another: the sequence of each, and its place there."""

    sequence: str
    place: str


@dataclass
class SequenceSteps:
    """Operators that follow each other in ``block``, and the names of the tensors between."""

    program: LegacyProgram
    block: Any
    stem: str
    operators: list[Any] = field(default_factory=list)

    def tensor(self, kind: int, *dims: int) -> str:
        return self.program.add_tensor(self.block, self.stem, kind, dims)

    def then(self, make: Callable[..., Any], *operands: Any, kind: int, dims: Sequence[int]) -> str:
        """What ``make`` (of :mod:`standard_operators`) makes of its first operand and the others,
        which stand behind the result."""
        source, *others = operands
        result = self.tensor(kind, *dims)
        self.operators.append(make(source, result, *others))
        return result

    def of_two(self, name: str, one: str, other: str, *dims: int, kind: int = INT64) -> str:
        result = self.tensor(kind, *dims)
        self.operators.append(elementwise(name, one, other, result))
        return result

    def number(self, value: int) -> str:
        result = self.tensor(INT64, 1)
        self.operators.append(fill_constant(result, INT64, [1], value))
        return result

    def run(
        self,
        name: str,
        inputs: Mapping[str, Sequence[str]],
        outputs: Mapping[str, str],
        **attributes: tuple[str, Any],
    ) -> None:
        named = {slot: [one] for slot, one in outputs.items()}
        self.operators.append(new_operator(name, inputs, named, attributes))

    def cast(self, name: str, kind: int, dims: Sequence[int]) -> str:
        result = self.tensor(kind, *dims)
        self.operators.append(cast(name, self.kind(name), result, kind))
        return result

    def flat(self, name: str) -> str:
        """Whole numbers, as a vector of int64."""
        dims = self.program.shape(self.block, name) or (_MANY,)
        whole = name if self.kind(name) == INT64 else self.cast(name, INT64, dims)
        return self.then(reshape, whole, [-1], kind=INT64, dims=(_MANY,))

    # Of sequences.

    def lengths(self, name: str) -> str:
        """How many rows each sequence of a tensor has.

        Those that were composed here are known. The pooling wants as many rows as sequences, which
        empty ones may not have.
        """
        block, known = self.program.lengths.get(self.program.place(self.block, name), (-1, ""))
        # Another block would read what nothing hands in.
        if block == self.block.idx and name in self.program.written_once:
            return known
        dims = self.program.shape(self.block, name) or (_MANY, 1)
        # What fill_any_like makes of a sequence has no lengths in PIR. No NaN outlives a bool.
        numbers = self.cast(self.cast(name, BOOL, dims), FLOAT32, dims)
        ones = self.then(scale, numbers, 0.0, 1.0, kind=FLOAT32, dims=dims)
        sums = self.tensor(FLOAT32, *dims)
        self.summed(ones, dims, sums)
        whole = self.cast(sums, INT64, dims)
        columns = self.then(reshape, whole, [0, -1], kind=INT64, dims=(_MANY, _MANY))
        first = self.tensor(INT64, _MANY, 1)
        self.operators.append(slice_along(1, columns, first, 0, 1))
        return self.flat(first)

    def summed(self, source: str, dims: Sequence[int], result: str) -> None:
        """The sum of each sequence's rows."""
        largest = self.tensor(INT32, *dims)
        self.run(
            "sequence_pool",
            {"X": [source]},
            {"Out": result, "MaxIndex": largest},
            pooltype=("STRING", "SUM"),
            pad_value=("FLOAT", 0.0),
            is_test=("BOOLEAN", True),
        )

    def ends(self, lengths: str) -> str:
        """Where each sequence ends; the next begins there."""
        result = self.tensor(INT64, _MANY)
        self.run("cumsum", {"X": [lengths]}, {"Out": result}, axis=("INT", 0))
        return result

    def starts(self, lengths: str) -> str:
        return self.of_two("elementwise_sub", self.ends(lengths), lengths, _MANY)

    def column(self, name: str) -> str:
        return self.then(unsqueeze, name, [1], kind=INT64, dims=(_MANY, 1))

    def up_to(self, stop: str) -> str:
        """``[[0, 1, 2, …]]``, below the one number ``stop``."""
        row = self.tensor(INT64, _MANY)
        bounds = {"Start": [self.number(0)], "End": [stop], "Step": [self.number(1)]}
        self.run("range", bounds, {"Out": row})
        return self.then(unsqueeze, row, [0], kind=INT64, dims=(1, _MANY))

    def of_all(self, reduction: str, lengths: str) -> str:
        """One number: how many rows the longest has (``reduce_max``), or all (``reduce_sum``)."""
        number = self.tensor(INT64)
        self.operators.append(reduce_all(reduction, lengths, number))
        return self.then(reshape, number, [1], kind=INT64, dims=(1,))

    def within(self, places: str, lengths: str) -> str:
        """For each sequence and place, whether a row stands there."""
        dims = (_MANY, _MANY)
        return self.of_two("less_than", places, self.column(lengths), *dims, kind=BOOL)

    def rows(self, lengths: str) -> SequenceRows:
        each = self.within(self.up_to(self.of_all("reduce_max", lengths)), lengths)
        found = self.tensor(INT64, _MANY, 2)
        self.run("where_index", {"Condition": [each]}, {"Out": found})
        parts = []
        for place in range(2):
            column = self.tensor(INT64, _MANY, 1)
            self.operators.append(slice_along(1, found, column, place, place + 1))
            parts.append(self.flat(column))
        return SequenceRows(*parts)

    def of_each(self, rows: SequenceRows, numbers: str) -> str:
        """The number of each row's sequence."""
        return self.picked(numbers, rows.sequence, self.tensor(INT64, _MANY))

    def picked(self, source: str, rows: str, result: str) -> str:
        attributes = {"axis": ("INT", 0)}
        self.run("gather", {"X": [source], "Index": [rows]}, {"Out": result}, **attributes)
        return result

    def joined(self, kind: int, parts: Sequence[str], *dims: int, axis: int = 0) -> str:
        result = self.tensor(kind, *dims)
        self.run("concat", {"X": list(parts)}, {"Out": result}, axis=("INT", axis))
        return result

    def filled(
        self, source: str, filling: str, index: str, within: str, lengths: str, result: str
    ) -> None:
        """For each place the row that ``index`` says, and ``filling`` where none is ``within``: it
        stands behind all rows."""
        dims, count = (_MANY, _MANY), self.of_all("reduce_sum", lengths)
        beyond = self.of_two("elementwise_sub", index, count, *dims)
        kept = self.of_two("elementwise_mul", beyond, self.cast(within, INT64, dims), *dims)
        chosen = self.of_two("elementwise_add", kept, count, *dims)
        both = self.like(source)
        self.run("concat", {"X": [source, filling]}, {"Out": both}, axis=("INT", 0))
        places = self.then(unsqueeze, chosen, [2], kind=INT64, dims=(*dims, 1))
        self.run("gather_nd", {"X": [both], "Index": [places]}, {"Out": result})

    def zeros(self, like: str, result: str) -> str:
        attributes = {"value": ("FLOAT", 0.0), "dtype": ("INT", -1)}
        self.run("fill_any_like", {"X": [like]}, {"Out": result}, **attributes)
        return result

    def pairs(self, sequences: str, places: str) -> str:
        """Two numbers for each row."""
        columns = [self.column(sequences), self.column(places)]
        return self.joined(INT64, columns, _MANY, 2, axis=1)

    def regrouped(self, source: str, places: str, lengths: str, result: str) -> None:
        """The rows of ``source`` at these places, as sequences of ``lengths``."""
        self.with_lengths(self.picked(source, places, self.like(source)), lengths, result)

    def with_lengths(self, source: str, lengths: str, result: str) -> None:
        """``source`` as sequences of ``lengths``."""
        bounds = self.joined(INT64, [self.number(0), self.ends(lengths)], _MANY)
        inputs = {"X": [source], "Y": [self.cast(bounds, INT32, (_MANY,))]}
        self.run("lod_reset", inputs, {"Out": result}, append=("BOOLEAN", False))
        place = self.program.place(self.block, result)
        self.program.lengths[place] = (self.block.idx, lengths)

    def kind(self, name: str) -> int:
        """The type of its elements; a program that does not tell means float32."""
        known = self.program.data_type(self.block, name)
        return FLOAT32 if known is None else known

    def like(self, name: str) -> str:
        """A tensor of ``name``'s elements and of any number of its rows."""
        dims = self.program.shape(self.block, name) or (_MANY, 1)
        return self.tensor(self.kind(name), _MANY, *dims[1:])
