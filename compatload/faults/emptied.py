"""Which values a run may find without elements: masks that hold nowhere, pictures without a box.

What a program declares to have none is told by ``onednn.is_empty``. A batch of nothing, and slices
of an axis that turns out short, are not told here: any value may be such.
"""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand, owners_of_blocks

# What yields as many rows as it finds.
_FINDING = frozenset(
    {
        *("masked_select", "matrix_nms", "multiclass_nms", "multiclass_nms2", "multiclass_nms3"),
        *("nonzero", "where_index"),
    }
)
# Have elements whatever they are given.
_TOLD = frozenset({"is_empty", "numel", "shape", "shape64", "size"})
# As large as their first operand.
_AS_FIRST = frozenset(
    {
        *("expand_as", "expand_as_v2", "index_add", "index_put", "put_along_axis", "scatter"),
        *("scatter_nd_add", "set_value", "set_value_with_tensor"),
    }
)
# Have none only if none of their operands has any.
_JOINING = frozenset({"combine", "concat"})
_REDUCING = frozenset(
    {
        *("all", "any", "max", "mean", "min", "prod", "reduce_all", "reduce_any", "reduce_max"),
        *("reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "sum"),
    }
)
_BRANCHES = frozenset({"conditional_block", "if"})


def may_be_emptied(operator: Operator, graph: Graph) -> bool:
    """Whether it may be given nothing. What a branch reads from outside counts as not: that is how
    a program guards itself."""
    if graph.emptied is None:
        graph.emptied = _found(graph)
    return _is_given_none(operator, graph, graph.emptied)


def _found(graph: Graph) -> frozenset[str]:
    found: set[str] = set()
    if not graph.has(_FINDING):
        return frozenset()
    for operator in graph.operators:
        name = bare_name(operator)
        if name in _FINDING or (
            name not in _TOLD
            and not _is_of_all(operator, graph)
            and _is_given_none(operator, graph, found)
        ):
            found.update(value for values in operator.outputs.values() for value in values)
    return frozenset(found)


def _is_given_none(operator: Operator, graph: Graph, found: set[str] | frozenset[str]) -> bool:
    name = bare_name(operator)
    if name in _AS_FIRST:
        return operand(operator, FIRST) in found
    slots = (
        [one for one in FIRST if one in operator.inputs] if name == "concat" else operator.inputs
    )
    given = [
        value in found and not _is_guarded(value, operator, graph)
        for slot in slots
        for value in operator.inputs[slot]
    ]
    return bool(given) and (all(given) if name in _JOINING else any(given))


def _is_of_all(operator: Operator, graph: Graph) -> bool:
    """Whether it makes one number of whatever it is given."""
    results = operator.outputs.get("0") or operator.outputs.get("Out") or ()
    return bare_name(operator) in _REDUCING and all(graph.shape(one) == () for one in results)


def _is_guarded(value: str, reader: Operator, graph: Graph) -> bool:
    """Whether it comes from outside of the branch that reads it."""
    maker = graph.producer(value)
    if maker is None or maker.block == reader.block:
        return False
    block, owners = reader.block, owners_of_blocks(graph.operators)
    while block != maker.block and block in owners:
        if bare_name(owners[block]) in _BRANCHES:
            return True
        block = owners[block].block
    return False
