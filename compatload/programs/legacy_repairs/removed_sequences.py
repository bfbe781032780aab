"""Operators on sequences (LoD) that 3.x no longer has, composed of those it has.

3.x keeps ``lod_reset``, which gives a tensor its lengths, and ``sequence_pool``: its sum of ones is
a sequence's length. Between the two all is arithmetic on the numbers of rows. A row is told by its
sequence and its place there, which ``where_index`` lists in order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BOOL,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
)
from compatload.programs.legacy_repairs.sequence_steps import SequenceSteps
from compatload.programs.legacy_repairs.standard_operators import (
    assign,
    elementwise,
    fill_constant,
    reshape,
    scale,
    slice_first_axis,
)

RULE = "CL165"

_MANY, _MATRIX = -1, 2
_SCATTERED = ("X", "Ids", "Updates")


def _unpad(steps: SequenceSteps, operator: Any, result: str) -> None:
    padded = arguments(operator.inputs, "X")[0]
    lengths = steps.flat(arguments(operator.inputs, "Length")[0])
    rows = steps.rows(lengths)
    index = steps.pairs(rows.sequence, rows.place)
    kept = steps.like(result)
    steps.run("gather_nd", {"X": [padded], "Index": [index]}, {"Out": kept})
    if len(steps.program.shape(steps.block, padded) or ()) == _MATRIX:  # rows have an axis then
        kept = steps.then(reshape, kept, [-1, 1], kind=steps.kind(result), dims=(_MANY, 1))
    steps.with_lengths(kept, lengths, result)


def _row_of(steps: SequenceSteps, source: str, value: str) -> str:
    """A row like those of ``source``, of a value or of a row of values."""
    row, blank = steps.like(source), steps.like(source)
    steps.operators.append(slice_first_axis(source, row, 0, 1))
    steps.zeros(row, blank)
    result = steps.like(source)
    steps.operators.append(elementwise("elementwise_add", blank, value, result))
    return result


def _pad(steps: SequenceSteps, operator: Any, result: str) -> None:
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


def _concat(steps: SequenceSteps, operator: Any, result: str) -> None:
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


def _reverse(steps: SequenceSteps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(source)
    rows = steps.rows(lengths)
    last = steps.then(scale, steps.ends(lengths), 1.0, -1.0, kind=INT64, dims=(_MANY,))
    places = steps.of_two("elementwise_sub", steps.of_each(rows, last), rows.place, _MANY)
    steps.regrouped(source, places, lengths, result)


def _expand_as(steps: SequenceSteps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    lengths = steps.lengths(arguments(operator.inputs, "Y")[0])
    rows = steps.rows(lengths)
    steps.regrouped(source, rows.sequence, lengths, result)


def _reshape(steps: SequenceSteps, operator: Any, result: str) -> None:
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


def _scatter(steps: SequenceSteps, operator: Any, result: str) -> None:
    target, places, updates = (arguments(operator.inputs, one)[0] for one in _SCATTERED)
    rows = steps.rows(steps.lengths(places))
    index = steps.pairs(rows.sequence, steps.flat(places))
    added = steps.then(reshape, updates, [-1], kind=steps.kind(updates), dims=(_MANY,))
    inputs = {"X": [target], "Index": [index], "Updates": [added]}
    steps.run("scatter_nd_add", inputs, {"Out": result})


def _enumerate(steps: SequenceSteps, operator: Any, result: str) -> None:
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


def _erase(steps: SequenceSteps, operator: Any, result: str) -> None:
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


def _slice(steps: SequenceSteps, operator: Any, result: str) -> None:
    source = arguments(operator.inputs, "X")[0]
    offsets, lengths = (
        steps.flat(arguments(operator.inputs, one)[0]) for one in ("Offset", "Length")
    )
    rows = steps.rows(lengths)
    begins = steps.of_two("elementwise_add", steps.starts(steps.lengths(source)), offsets, _MANY)
    places = steps.of_two("elementwise_add", steps.of_each(rows, begins), rows.place, _MANY)
    steps.regrouped(source, places, lengths, result)


def _composed(
    compose: Callable[[SequenceSteps, Any, str], None],
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
    steps = SequenceSteps(program, block, f"{result[0]}.rows")
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
