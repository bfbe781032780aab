"""Where a size that only a run can tell comes from: two from one place are the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, Place, bare_name, operand
from compatload.faults.onednn import BINARY, FUSED_ACTIVATIONS, PRODUCTS, RESHAPES, TRANSPOSITIONS
from compatload.operators.products import transposes_first

# What leaves every size of its first operand as it is.
_KEEPING = FUSED_ACTIVATIONS | {
    *("assign", "batch_norm", "cast", "dropout", "layer_norm", "scale", "share_data", "silu"),
    "softmax",
}
_TAKING_APART = frozenset({"unbind", "unstack"})
_CUTTING = _TAKING_APART | {"slice", "split", "split_with_num"}
_UNKNOWN = -1
_EMBEDDING = frozenset({"embedding", "lookup_table_v2"})
_STARTS_OF_A_RUN = ("StartsTensor", "StartsTensorList")
_ENDS_OF_A_RUN = ("EndsTensor", "EndsTensorList")


def origin(graph: Graph, value: str, axis: int) -> Place:
    """The value and axis that a size is taken over from, as far as operators are known to do so."""
    place, passed = (value, axis), set[Place]()
    while place not in passed:  # a legacy program may name a result as its operand
        passed.add(place)
        maker = graph.producer(place[0])
        place = graph.origins.get(place) or (maker and _before(graph, maker, place)) or place
    graph.origins.update(dict.fromkeys(passed, place))
    return place


def _before(graph: Graph, maker: Operator, place: Place) -> Place | None:
    name, first, axis = bare_name(maker), operand(maker, FIRST), place[1]
    if name in _EMBEDDING:
        first = operand(maker, ("0", "Ids"))
    shapes = [graph.shape(value) for value in (place[0], first)]
    if first is None or shapes[0] is None or shapes[1] is None:
        return None
    whole, shape = shapes[0], shapes[1]
    if name in BINARY:
        return _of_two(graph, maker, axis - len(whole))
    added = 1 if name in _EMBEDDING else 0
    kept = len(whole) if name in _KEEPING else len(whole) - 1 if _adds_last(maker, name) else 0
    if axis < kept and len(whole) == len(shape) + added:
        return first, axis
    if name in TRANSPOSITIONS:
        order = numbers(graph, maker, ("perm", "axis"))
        return (first, order[axis]) if axis < len(order) else None
    if name in _CUTTING:
        kept_from = _uncut(maker, name, axis, len(shape))
        return None if kept_from is None else (first, kept_from)
    return _before_reshape(graph, maker, axis, (first, shape)) if name in RESHAPES else None


def _uncut(maker: Operator, name: str, axis: int, axes: int) -> int | None:
    """The axis of what is cut, where it is none of those that are cut."""
    told = maker.attributes.get("axes" if name == "slice" else "axis")
    dropped = maker.attributes.get("decrease_axis", ())
    if isinstance(told, (int, float)):
        told = (int(told),)
    if not isinstance(told, tuple) or not isinstance(dropped, tuple):
        return None
    cut = {one % axes for one in told}
    dropped = cut if name in _TAKING_APART else {one % axes for one in dropped}
    left = [one for one in range(axes) if one not in dropped]
    return left[axis] if axis < len(left) and left[axis] not in cut else None


def _before_reshape(
    graph: Graph, maker: Operator, axis: int, source: tuple[str, tuple[int, ...]]
) -> Place | None:
    """A size that is told as one of another value, or left over where all others stay together."""
    first, shape = source
    listed = maker.inputs.get("ShapeTensor", ())
    if axis < len(listed):
        return _told(graph, listed[axis])
    told = numbers(graph, maker, ("shape",))
    if axis >= len(told):
        return None
    if told[axis] == 0:
        return first, axis
    whole = [size or shape[place] for place, size in enumerate(told) if place < len(shape) or size]
    if len(whole) < len(told) or whole[axis] != _UNKNOWN:
        return None
    alone = whole.count(_UNKNOWN) == 1 and shape.count(_UNKNOWN) == 1
    return (first, shape.index(_UNKNOWN)) if alone and prod(whole) == prod(shape) else None


def _told(graph: Graph, size: str) -> Place | None:
    """The place that a size is read from: `paddle.shape(x)[0]`."""
    cut = graph.producer(size)
    if cut is None or bare_name(cut) != "slice":
        return None
    measured, starts = graph.producer(operand(cut, FIRST)), cut.attributes.get("starts")
    if measured is None or bare_name(measured) != "shape" or not isinstance(starts, tuple):
        return None
    value = operand(measured, FIRST)
    dims = graph.shape(value)
    if value is None or dims is None or len(starts) != 1 or cut.inputs.get("StartsTensorList"):
        return None
    return (value, starts[0]) if 0 <= starts[0] < len(dims) else None


def _adds_last(maker: Operator, name: str) -> bool:
    """Whether only the last axis of a result is not the first operand's."""
    return name in _EMBEDDING or (name in PRODUCTS and not transposes_first(maker))


def _of_two(graph: Graph, maker: Operator, from_end: int) -> Place | None:
    """The operand that has a size there which is not stretched."""
    for slots in (FIRST, SECOND):
        value = operand(maker, slots)
        shape = graph.shape(value) or ()
        if value is not None and len(shape) >= -from_end and shape[from_end] != 1:
            return value, len(shape) + from_end
    return None


def numbers(
    graph: Graph, maker: Operator, names: Sequence[str], slots: Sequence[str] = SECOND
) -> Sequence[int]:
    """A list that an operator is told as an attribute, or by a constant of a PIR program."""
    constant = graph.producer(operand(maker, slots))
    several = [maker.attributes.get(name) for name in names]
    several += [constant.attributes.get("value")] if constant is not None else []
    return next((told for told in several if isinstance(told, tuple)), ())


def told_bounds(graph: Graph, cut: Operator) -> tuple[Sequence[int], Sequence[int]]:
    """The starts and the ends of a slice, each nothing where only a run tells it."""
    starts = () if operand(cut, _STARTS_OF_A_RUN) else numbers(graph, cut, ("starts",))
    ends = () if operand(cut, _ENDS_OF_A_RUN) else numbers(graph, cut, ("ends",), ("2",))
    return starts, ends
