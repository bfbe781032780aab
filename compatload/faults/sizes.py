"""Where a size that only a run can tell comes from: two from one place are the same."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, Place, bare_name, operand
from compatload.faults.onednn import BINARY, FUSED_ACTIVATIONS, PRODUCTS, RESHAPES, TRANSPOSITIONS

# What leaves every size of its first operand as it is.
_KEEPING = FUSED_ACTIVATIONS | {
    *("assign", "batch_norm", "cast", "dropout", "layer_norm", "scale", "share_data", "silu"),
    "softmax",
}
_EMBEDDING = frozenset({"embedding", "lookup_table_v2"})


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
    if name in RESHAPES:
        told = numbers(graph, maker, ("shape",))
        return (first, axis) if axis < len(told) and told[axis] == 0 else None
    return None


def _adds_last(maker: Operator, name: str) -> bool:
    """Whether only the last axis of a result is not the first operand's."""
    turned = any(maker.attributes.get(key) for key in ("transpose_x", "trans_x"))
    return name in _EMBEDDING or (name in PRODUCTS and not turned)


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
