"""Which values a run may find without elements: masks that hold nowhere, pictures without a box,
what earlier calls gave where there was none, slices that end where they begin.

What a program declares to have none is told by ``onednn.is_empty``. A batch of nothing, and slices
of an axis that turns out short, are not told here: any value may be such.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from compatload.artifact.model import Operator
from compatload.faults.bounds import number
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.sizes import told_bounds

# The shape of a value as it is declared, if it is known.
Shape = Callable[[str], "tuple[int, ...] | None"]

# What yields as many rows as it finds.
_FINDING = frozenset(
    {
        *("masked_select", "matrix_nms", "multiclass_nms", "multiclass_nms2", "multiclass_nms3"),
        *("nonzero", "where_index", "distribute_fpn_proposals"),
    }
)
# Have elements whatever they are given.
_TOLD = frozenset({"is_empty", "numel", "shape", "shape64", "size"})
# As large as they are told: of the size of nothing they are nothing.
_MADE_BY_SIZE = frozenset(
    {"arange", "expand", "fill_constant", "full_with_tensor", "range", "tile"}
)
# As large as their first operand.
_AS_FIRST = frozenset(
    {
        *("expand_as", "expand_as_v2", "index_add", "index_put", "put_along_axis", "scatter"),
        *("scatter_nd_add", "set_value", "set_value_with_tensor"),
    }
)
# Have none only if none of their operands has any.
_JOINING = frozenset({"combine", "concat"})
_JOINED = frozenset({"concat"})
# What moves numbers, or computes each from its own: what comes of an input alone is still that.
_ALONE = frozenset(
    {
        *("assign", "assign_value", "cast", "combine", "concat", "expand", "expand_v2", "flatten"),
        *("fill_constant", "full_int_array"),
        *("flatten_contiguous_range", "gather", "full", "index_select", "parameter", "reshape"),
        *("reshape2", "scale", "slice", "split", "split_with_num", "squeeze", "squeeze2", "stack"),
        *("strided_slice", "tile", "transpose", "transpose2", "unbind", "unsqueeze", "unsqueeze2"),
        *("add", "elementwise_add", "elementwise_mul", "elementwise_sub", "multiply", "subtract"),
    }
)
_GIVEN = frozenset({"data", "feed"})
_REDUCING = frozenset(
    {
        *("all", "any", "max", "mean", "min", "prod", "reduce_all", "reduce_any", "reduce_max"),
        *("reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "sum"),
    }
)
_BRANCHES = frozenset({"conditional_block", "if"})
# Of legacy programs: what is made within has its name outside.
_OWNERS = frozenset({"conditional_block", "while"})
_FLOWS, _YIELD, _CHOSEN = frozenset({"if", "while"}), "yield", "select_input"
_SLICING = frozenset({"slice", "strided_slice"})
_CUTTING = frozenset({"slice"})
# What a legacy program keeps of an operand's shape, behind a zero.
_KEPT_SHAPE = "XShape"


def may_be_emptied(operator: Operator, graph: Graph) -> bool:
    """Whether it may be given nothing, or takes nothing. What a branch reads from outside counts as
    not: that is how a program guards itself."""
    if graph.emptied is None:
        graph.emptied = _found(graph)
    if bare_name(operator) in _CUTTING and not graph.emptied.isdisjoint(_results(operator)):
        return True
    return _is_given_none(operator, graph, graph.emptied)


def caches(graph: Graph) -> frozenset[str]:
    """Inputs that computed values are joined to, along an axis of any length: what earlier calls
    gave. The first call has none."""
    if graph.caches is None:
        graph.caches = _caches(graph)
    return graph.caches


def _caches(graph: Graph) -> frozenset[str]:
    found: set[str] = set()
    for joint in graph.named(_JOINED):
        values = graph.joined(joint)
        sources = [_inputs_behind(value, graph) for value in values]
        if None not in sources:
            continue  # nothing is computed there: two inputs, of which each may be the longer
        axis = _axis(joint, graph)
        for value, inputs in zip(values, sources):
            shape = graph.shape(value) or ()
            if inputs and -len(shape) <= axis < len(shape) and shape[axis] == -1:
                found |= inputs
    return frozenset(found)


def _inputs_behind(value: str, graph: Graph) -> frozenset[str] | None:
    """The inputs that a value is moved from; None if it is computed."""
    found: set[str] = set()
    waiting, seen = [value], {value}
    while waiting:
        one = waiting.pop()
        maker = graph.producer(one)
        if maker is None or bare_name(maker) in _GIVEN:
            if not graph.is_stored(one):
                found.add(one)
            continue
        if bare_name(maker) not in _ALONE:
            return None
        read = {other for values in maker.inputs.values() for other in values} - seen
        seen |= read
        waiting += read
    return frozenset(found)


def _axis(joint: Operator, graph: Graph) -> int:
    told = joint.attributes.get("axis")
    if told is None:  # PIR keeps it in an operator of its own
        told = number(graph, operand(joint, ("1",)))
    return int(told) if isinstance(told, (int, float)) else 0


def _found(graph: Graph) -> frozenset[str]:
    found = {*caches(graph)}
    for cut in graph.named(_CUTTING):
        if _takes_none(cut, graph):
            found.update(_results(cut))
    if not found and not graph.has(_FINDING):
        return frozenset()
    counts: set[str] = set()
    for operator in graph.operators:
        name = bare_name(operator)
        if name not in _MADE_BY_SIZE and _reads(operator, found if name in _TOLD else counts):
            counts.update(value for values in operator.outputs.values() for value in values)
        if (
            name in _FINDING
            or (name in _MADE_BY_SIZE and _reads(operator, counts))
            or (
                name not in _TOLD
                and not _is_of_all(operator, graph.shape)
                and _is_given_none(operator, graph, found)
            )
        ):
            found.update(value for values in operator.outputs.values() for value in values)
    return frozenset(found)


def _takes_none(cut: Operator, graph: Graph) -> bool:
    """Whether it ends where it begins, and does not declare so (CL224)."""
    ends = zip(*told_bounds(graph, cut))
    return not any(0 in (graph.shape(one) or ()) for one in _results(cut)) and any(
        start >= end and (start < 0) == (end < 0) for start, end in ends
    )


def left_empty(operators: Sequence[Operator], shape: Shape) -> frozenset[str]:
    """What branches give back that may have no elements, whoever guards it; in legacy programs
    what is chosen of two branches. ``operators`` are all of a program."""
    ends = {one.block: one for one in operators if bare_name(one) == _YIELD}
    found: set[str] = set()
    for one in operators:
        found.update(value for value in _results(one) if 0 in (shape(value) or ()))
    count = -1
    while count < len(found):
        count = len(found)
        for one in operators:
            found.update(_emptied(one, found, shape, ends))
    named = _BRANCHES if ends else {_CHOSEN}
    return frozenset(v for one in operators if bare_name(one) in named for v in _results(one)) & (
        found
    )


def _emptied(
    operator: Operator,
    found: Collection[str],
    shape: Shape,
    ends: Mapping[int, Operator],
) -> Iterator[str]:
    """Of an operator's results those that may have no elements."""
    name = bare_name(operator)
    if name in _FLOWS and ends:
        for block in operator.sub_blocks:
            yielded = [v for values in ends[block].inputs.values() for v in values]
            results = (*_results(operator),)
            # A loop yields its condition, too, and first.
            for value, result in zip(yielded[len(yielded) - len(results) :], results):
                if value in found:
                    yield result
    elif name == _CHOSEN:
        if any(value in found for value in operator.inputs.get("X", ())):
            yield from _results(operator)
    elif (
        name in _FINDING
        or (operator.block and name in _SLICING and _is_of_unknown_size(operator, shape))
        or (
            name not in _TOLD
            and not _is_of_all(operator, shape)
            and name not in _OWNERS
            and (all if name in _JOINING else any)(one in found for one in _deciding(operator))
        )
    ):
        yield from _results(operator)


def _results(operator: Operator) -> Iterator[str]:
    for slot, values in operator.outputs.items():
        if slot != _KEPT_SHAPE:
            yield from values


def _is_of_unknown_size(piece: Operator, shape: Shape) -> bool:
    return any(-1 in (shape(value) or ()) for value in _results(piece))


def _is_given_none(operator: Operator, graph: Graph, found: set[str] | frozenset[str]) -> bool:
    name = bare_name(operator)
    if name in _AS_FIRST:
        return operand(operator, FIRST) in found
    given = [
        value in found and not _is_guarded(value, operator, graph) for value in _deciding(operator)
    ]
    return bool(given) and (all(given) if name in _JOINING else any(given))


def _reads(operator: Operator, values: Collection[str]) -> bool:
    return any(one in values for several in operator.inputs.values() for one in several)


def _deciding(operator: Operator) -> Iterator[str]:
    """The operands that decide how large its results are."""
    name = bare_name(operator)
    if name in _AS_FIRST:
        first = operand(operator, FIRST)
        slots = [slot for slot, values in operator.inputs.items() if first in values]
    elif name == "concat":
        slots = [one for one in FIRST if one in operator.inputs]
    else:
        slots = [*operator.inputs]
    for slot in slots:
        yield from operator.inputs[slot]


def _is_of_all(operator: Operator, shape: Shape) -> bool:
    """Whether it makes one number of whatever it is given."""
    results = operator.outputs.get("0") or operator.outputs.get("Out") or ()
    return bare_name(operator) in _REDUCING and all(shape(one) == () for one in results)


def _is_guarded(value: str, reader: Operator, graph: Graph) -> bool:
    """Whether it comes from outside of the branch that reads it."""
    maker = graph.producer(value)
    if maker is None or maker.block == reader.block:
        return False
    block, owners = reader.block, graph.owners
    while block != maker.block and block in owners:
        if bare_name(owners[block]) in _BRANCHES:
            return True
        block = owners[block].block
    return False
