"""Operators on sequences (LoD) that 3.x no longer has, composed of those it has.

3.x keeps ``lod_reset``, which gives a tensor its lengths, and ``sequence_pool``: its sum of ones is
a sequence's length. Between the two all is arithmetic on the numbers of rows. A row is told by its
sequence and its place there, which ``where_index`` lists in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from compatload.frozen import frozen
from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import (
    assign,
    cast,
    elementwise,
    fill_constant,
    reduce_all,
    reshape,
    scale,
    slice_along,
    slice_first_axis,
    unsqueeze,
)

RULE = "CL165"

_MANY, _MATRIX = -1, 2
_SCATTERED = ("X", "Ids", "Updates")


@frozen
class _Rows:
    """The rows of sequences, one after another: the sequence of each, and its place there."""

    sequence: str
    place: str


@dataclass
class _Steps:
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
        sums, largest = self.tensor(FLOAT32, *dims), self.tensor(INT32, *dims)
        self.run(
            "sequence_pool",
            {"X": [ones]},
            {"Out": sums, "MaxIndex": largest},
            pooltype=("STRING", "SUM"),
            pad_value=("FLOAT", 0.0),
            is_test=("BOOLEAN", True),
        )
        whole = self.cast(sums, INT64, dims)
        columns = self.then(reshape, whole, [0, -1], kind=INT64, dims=(_MANY, _MANY))
        first = self.tensor(INT64, _MANY, 1)
        self.operators.append(slice_along(1, columns, first, 0, 1))
        return self.flat(first)

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

    def rows(self, lengths: str) -> _Rows:
        each = self.within(self.up_to(self.of_all("reduce_max", lengths)), lengths)
        found = self.tensor(INT64, _MANY, 2)
        self.run("where_index", {"Condition": [each]}, {"Out": found})
        parts = []
        for place in range(2):
            column = self.tensor(INT64, _MANY, 1)
            self.operators.append(slice_along(1, found, column, place, place + 1))
            parts.append(self.flat(column))
        return _Rows(*parts)

    def of_each(self, rows: _Rows, numbers: str) -> str:
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


def _unpad(steps: _Steps, operator: Any, result: str) -> None:
    padded = arguments(operator.inputs, "X")[0]
    lengths = steps.flat(arguments(operator.inputs, "Length")[0])
    rows = steps.rows(lengths)
    index = steps.pairs(rows.sequence, rows.place)
    kept = steps.like(result)
    steps.run("gather_nd", {"X": [padded], "Index": [index]}, {"Out": kept})
    if len(steps.program.shape(steps.block, padded) or ()) == _MATRIX:  # rows have an axis then
        kept = steps.then(reshape, kept, [-1, 1], kind=steps.kind(result), dims=(_MANY, 1))
    steps.with_lengths(kept, lengths, result)


def _row_of(steps: _Steps, source: str, value: str) -> str:
    """A row like those of ``source``, of a value or of a row of values."""
    row, blank = steps.like(source), steps.like(source)
    steps.operators.append(slice_first_axis(source, row, 0, 1))
    steps.zeros(row, blank)
    result = steps.like(source)
    steps.operators.append(elementwise("elementwise_add", blank, value, result))
    return result


def _pad(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(source)
    fixed = int(attribute(operator, "padded_length", -1))
    places = steps.up_to(steps.number(fixed) if fixed > 0 else steps.of_all("reduce_max", lengths))
    starts = steps.column(steps.starts(lengths))
    index = steps.of_two("elementwise_add", places, starts, _MANY, _MANY)
    filling = _row_of(steps, source, arguments(operator.inputs, "PadValue")[0])
    steps.filled(source, filling, index, steps.within(places, lengths), lengths, result)
    for told in arguments(operator.outputs, "Length"):
        steps.operators.append(assign(lengths, told))


def _concat(steps: _Steps, operator: Any, result: str) -> None:
    """Rows are sorted by their sequence, then by the tensor they come from, then by their place."""
    sources = arguments(operator.inputs, "X")
    each = [steps.lengths(one) for one in sources]
    total = each[0]
    for one in each[1:]:
        total = steps.of_two("elementwise_add", total, one, _MANY)
    count = steps.of_all("reduce_sum", total)
    keys = []
    for number, lengths in enumerate(each):
        rows = steps.rows(lengths)
        turn = steps.then(
            scale, rows.sequence, float(len(each)), float(number), kind=INT64, dims=(_MANY,)
        )
        wide = steps.of_two("elementwise_mul", turn, count, _MANY)
        keys.append(steps.of_two("elementwise_add", wide, rows.place, _MANY))
    sorted_keys, order = steps.tensor(INT64, _MANY), steps.tensor(INT64, _MANY)
    steps.run(
        "argsort",
        {"X": [steps.joined(INT64, keys, _MANY)]},
        {"Out": sorted_keys, "Indices": order},
        axis=("INT", 0),
        descending=("BOOLEAN", False),
    )
    both = steps.like(sources[0])
    steps.run("concat", {"X": list(sources)}, {"Out": both}, axis=("INT", 0))
    steps.regrouped(both, order, total, result)


def _reverse(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(source)
    rows = steps.rows(lengths)
    last = steps.then(scale, steps.ends(lengths), 1.0, -1.0, kind=INT64, dims=(_MANY,))
    places = steps.of_two("elementwise_sub", steps.of_each(rows, last), rows.place, _MANY)
    steps.regrouped(source, places, lengths, result)


def _expand_as(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(arguments(operator.inputs, "Y")[0])
    rows = steps.rows(lengths)
    steps.regrouped(source, rows.sequence, lengths, result)


def _reshape(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    narrow = int(attribute(operator, "new_dim", 1))
    lengths = steps.lengths(source)
    sizes, columns = steps.tensor(INT32, _MATRIX), steps.tensor(INT32, 1)
    steps.run("shape", {"Input": [source]}, {"Out": sizes})
    steps.operators.append(slice_first_axis(sizes, columns, 1, 2))
    width = steps.cast(columns, INT64, (1,))
    elements = steps.of_two("elementwise_mul", lengths, width, _MANY)
    fewer = steps.of_two("elementwise_floordiv", elements, steps.number(narrow), _MANY)
    dims = (_MANY, narrow)
    new = steps.then(reshape, source, [-1, narrow], kind=steps.kind(source), dims=dims)
    steps.with_lengths(new, fewer, result)


def _scatter(steps: _Steps, operator: Any, result: str) -> None:
    target, places, updates = (arguments(operator.inputs, one)[0] for one in _SCATTERED)
    rows = steps.rows(steps.lengths(places))
    index = steps.pairs(rows.sequence, steps.flat(places))
    added = steps.then(reshape, updates, [-1], kind=steps.kind(updates), dims=(_MANY,))
    inputs = {"X": [target], "Index": [index], "Updates": [added]}
    steps.run("scatter_nd_add", inputs, {"Out": result})


def _enumerate(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    window = int(attribute(operator, "win_size", 1))
    kind = steps.kind(source)
    lengths = steps.lengths(source)
    rows = steps.rows(lengths)
    ahead = steps.up_to(steps.number(window))
    dims = (_MANY, window)
    places = steps.of_two("elementwise_add", ahead, steps.column(rows.place), *dims)
    starts = steps.of_each(rows, steps.starts(lengths))
    index = steps.of_two("elementwise_add", places, steps.column(starts), *dims)
    within = steps.within(places, steps.of_each(rows, lengths))
    filling = steps.tensor(kind, 1, 1)
    value = int(attribute(operator, "pad_value", 0))
    steps.operators.append(fill_constant(filling, kind, [1, 1], value))
    columns = steps.tensor(kind, *dims, 1)
    steps.filled(source, filling, index, within, lengths, columns)
    new = steps.then(reshape, columns, [-1, window], kind=kind, dims=dims)
    steps.with_lengths(new, lengths, result)


def _erase(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(source)
    rows = steps.rows(lengths)
    tokens = steps.flat(source)
    kept = steps.of_two("equal", tokens, tokens, _MANY, kind=BOOL)  # all, where none is named
    for token in attribute(operator, "tokens", ()):
        other = steps.of_two("not_equal", tokens, steps.number(int(token)), _MANY, kind=BOOL)
        kept = steps.of_two("logical_and", kept, other, _MANY, kind=BOOL)
    found = steps.tensor(INT64, _MANY, 1)
    steps.run("where_index", {"Condition": [kept]}, {"Out": found})
    places = steps.flat(found)
    counted = steps.cast(kept, INT64, (_MANY,))
    none = steps.zeros(lengths, steps.tensor(INT64, _MANY))
    left = steps.tensor(INT64, _MANY)
    inputs = {"X": [none], "Ids": [rows.sequence], "Updates": [counted]}
    attributes = {"overwrite": ("BOOLEAN", False)}
    steps.run("scatter", inputs, {"Out": left}, **attributes)
    steps.regrouped(source, places, left, result)


def _slice(steps: _Steps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    offsets, lengths = (
        steps.flat(arguments(operator.inputs, one)[0]) for one in ("Offset", "Length")
    )
    rows = steps.rows(lengths)
    begins = steps.of_two("elementwise_add", steps.starts(steps.lengths(source)), offsets, _MANY)
    places = steps.of_two("elementwise_add", steps.of_each(rows, begins), rows.place, _MANY)
    steps.regrouped(source, places, lengths, result)


def _composed(
    compose: Callable[[_Steps, Any, str], None],
    slot: str,
    needed: tuple[str, ...],
    program: LegacyProgram,
    block: Any,
    operator: Any,
    position: str,
) -> list[Any] | None:
    if not all(arguments(operator.inputs, one) for one in needed):
        return None
    if any(program.levels(block, one) > 1 for slot in operator.inputs for one in slot.arguments):
        return None  # each operator means another of the levels
    result = arguments(operator.outputs, slot)
    if len(result) != 1:
        return None
    steps = _Steps(program, block, f"{result[0]}.rows")
    compose(steps, operator, result[0])
    program.record(RULE, f"{operator.type} became arithmetic on numbers of rows", position)
    return steps.operators


REPAIRS: dict[str, Any] = {
    name: partial(_composed, compose, slot, needed)
    for name, compose, slot, needed in (
        ("sequence_concat", _concat, "Out", ("X",)),
        ("sequence_enumerate", _enumerate, "Out", ("X",)),
        ("sequence_erase", _erase, "Out", ("X",)),
        ("sequence_expand_as", _expand_as, "Out", ("X", "Y")),
        ("sequence_pad", _pad, "Out", ("X", "PadValue")),
        ("sequence_reshape", _reshape, "Out", ("X",)),
        ("sequence_reverse", _reverse, "Y", ("X",)),
        ("sequence_scatter", _scatter, "Out", _SCATTERED),
        ("sequence_slice", _slice, "Out", ("X", "Offset", "Length")),
        ("sequence_unpad", _unpad, "Out", ("X", "Length")),
    )
}
