"""Constants of a file that kernels take for places, unasked. Pure; no Paddle, no files.

What a caller gives is his own affair; a number that stands in the file is the file's. Kernels of
graphs, of losses along paths and of regions read where it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from compatload.artifact.model import Operator, Program
from compatload.frozen import frozen
from compatload.operators.gradients import function_of
from compatload.operators.operands import Operands

_PIR = "pd_op."
_MAKERS: Mapping[str, tuple[str, ...]] = {
    "assign_value": ("int32_values", "int64_values", "values"),
    "pd_op.assign_value": ("values",),
    "pd_op.assign_value_": ("values",),
    "pd_op.full_int_array": ("value",),
    "pd_op.full": ("value",),
    "fill_constant": ("value",),
}


@frozen
class _Places:
    """The operand ``slot`` (``pir`` there) holds places along an axis of the operand ``of``, or
    below the attribute of that name; ``counts`` may be as many as there are places."""

    slot: str
    pir: str
    of: tuple[str, str] | str
    axis: int = 0
    counts: bool = False


def _graph(source: str, target: str) -> tuple[_Places, ...]:
    return (
        _Places("Src_index", "src_index", ("X", source)),
        _Places("Dst_index", "dst_index", ("X", target)),
    )


_LABELS = (
    _Places("Label", "label", ("Logits", "logits"), -1),
    _Places("LogitsLength", "logits_length", ("Logits", "logits"), 0, counts=True),
    _Places("LabelLength", "labels_length", ("Label", "label"), -1, counts=True),
)
_TRANSDUCED = (
    _Places("label", "label", ("input", "input"), -1),
    _Places("input_lengths", "input_lengths", ("input", "input"), 1, counts=True),
    _Places("label_lengths", "label_lengths", ("label", "label"), 1, counts=True),
)
_UV = (
    _Places("src_index", "src_index", ("x", "x")),
    _Places("dst_index", "dst_index", ("y", "y")),
)
_REGIONS = (_Places("RoisNum", "boxes_num", ("ROIs", "boxes"), 0, counts=True),)
_CLASSES = (_Places("Label", "label", "num_classes"),)
_STEPS = (_Places("SequenceLength", "sequence_length", ("Input", "x"), 0, counts=True),)
PLACES: Mapping[str, tuple[_Places, ...]] = {
    **dict.fromkeys(("graph_send_recv", "send_u_recv"), _graph("x", "x")),
    **dict.fromkeys(("graph_send_ue_recv", "send_ue_recv"), _graph("x", "x")),
    **dict.fromkeys(("graph_send_uv", "send_uv"), _UV),
    **dict.fromkeys(("hierarchical_sigmoid", "hsigmoid_loss"), _CLASSES),
    **dict.fromkeys(("roi_align", "roi_pool"), _REGIONS),
    "warpctc": _LABELS,
    "warprnnt": _TRANSDUCED,
    "rnn": _STEPS,
}
# Where it is given, results have that many rows, and places are below it.
_OUT_SIZE = ("Out_size", "out_size")
_PATHS = ("PathTable", "path")


def wrong_indices(program: Program) -> Iterator[str]:
    """Constants that say places which the operand that they are places of has not."""
    present = [name for name in program.operator_counts if _bare(name) in PLACES]
    if not present:
        return
    known, written = _constants(program)
    values = Operands(program)
    for operator in program.operators:
        for places in PLACES.get(_bare(operator.name), ()):
            if _are_free(operator, places, values):
                continue
            limit = _limit(operator, places, values)
            for name in _held(operator, places.slot, places.pir, values):
                maker = known.get(name) if written[name] == 1 else None
                wrong = _outside(maker, limit, places.counts)
                if wrong is not None:
                    slot = places.pir if operator.name.startswith(_PIR) else places.slot
                    yield f"{operator.position}: its {slot!r} says {wrong}, of {limit} places"


def _constants(program: Program) -> tuple[Mapping[str, Operator], Mapping[str, int]]:
    """What makes each constant, and how many operators write each value."""
    known: dict[str, Operator] = {}
    written: Counter[str] = Counter()
    for operator in program.operators:
        made = [value for values in operator.outputs.values() for value in values]
        written.update(made)
        if operator.name in _MAKERS:
            known.update(dict.fromkeys(made, operator))
    return known, written


def _are_free(operator: Operator, places: _Places, values: Operands) -> bool:
    """Whether something else says how many places there are: a size of the result, paths of one's
    own through classes."""
    if places.pir == "dst_index":
        told = operator.attributes.get("out_size")
        sizes = told if isinstance(told, tuple) else ()
        sized = any(type(size) is int and size > 0 for size in sizes)
        is_gradient = function_of(operator.name) != operator.name
        return sized or is_gradient or bool(_held(operator, *_OUT_SIZE, values))
    return isinstance(places.of, str) and bool(_held(operator, *_PATHS, values))


def _bare(name: str) -> str:
    return function_of(name).rpartition(".")[2]


def _held(operator: Operator, slot: str, pir: str, values: Operands) -> Sequence[str]:
    place = values.place(operator, pir) if operator.name.startswith(_PIR) else slot
    return operator.inputs.get(place or "", ())


def _limit(operator: Operator, places: _Places, values: Operands) -> int | None:
    if isinstance(places.of, str):
        told = operator.attributes.get(places.of)
        return told if type(told) is int else None
    pir = operator.name.startswith(_PIR)
    shape = values.shape(operator, places.of[1 if pir else 0])
    if shape is None or not -len(shape) <= places.axis < len(shape) or shape[places.axis] < 0:
        return None
    return shape[places.axis]


def _outside(maker: Operator | None, limit: int | None, counts: bool) -> int | None:
    """A number of a constant that is no place."""
    for name in _MAKERS.get(maker.name, ()) if maker is not None else ():
        value = maker.attributes.get(name) if maker is not None else None
        for number in value if isinstance(value, tuple) else (value,):
            if not isinstance(number, (int, float)):
                continue
            beyond = limit is not None and (number > limit or (number == limit and not counts))
            if number < 0 or beyond:
                return int(number)
    return None
