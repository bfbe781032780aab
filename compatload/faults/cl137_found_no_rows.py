"""CL137: operators that older kernels do not compute of what a run found nothing of."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.bounds import number
from compatload.faults.cl135_no_elements_before_3_1 import (
    FAILING,
    INTERPOLATIONS,
    JOINING,
    OF_2_6,
)
from compatload.faults.cl630_found_nothing import HEAVY
from compatload.faults.emptied import may_be_emptied
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import (
    PIR,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
    Where,
)
from compatload.faults.onednn import PIR_ON_CPU

_UNKNOWN = -1
_REDUCING = frozenset(
    {
        *("all", "amax", "amin", "any", "argmax", "argmin", "cummax", "cummin", "frobenius_norm"),
        *("logsumexp", "max", "mean", "median", "min", "mode", "p_norm", "prod", "sum", "topk"),
    }
)
# A zero more changes nothing, whatever they take together.
_SUMMING = frozenset({"any", "sum"})
_ALONG_AN_AXIS = frozenset(
    {"concat", "gather", "cross_entropy_with_softmax", "put_along_axis", "stack", "take_along_axis"}
)
_GATHERING = frozenset({"gather"})
# In predictors alone: a layer that is trained takes the average of all rows.
_AVERAGING = frozenset({"batch_norm"})
_OF_PICTURES = HEAVY | INTERPOLATIONS | {"instance_norm"}
# Nothing lies in a box of no size, which is kept, behind all others.
_OF_BOXES = frozenset({"nms"})
_CUMULATED = frozenset({"cummax", "cummin"})
# Of matrices, which the last two axes are.
_OF_MATRICES = frozenset({"eigh", "eigvalsh", "lu", "qr", "svd"})
_ROW_BY_ROW = _REDUCING | _ALONG_AN_AXIS | _OF_PICTURES | _OF_BOXES | _OF_MATRICES
_PRODUCTS = frozenset({"matmul"})
#: Along every axis of unknown size, not the first alone.
ELEMENTWISE = JOINING | {"add_n", "lerp"}
# Where rows are counted: what they pass on has as many.
_CHOOSING = frozenset({"gather", "gather_nd", "index_select"})


def _read(operator: Operator, graph: Graph) -> list[str]:
    """What it reads, and what lists hold that it reads."""
    found: list[str] = []
    for values in operator.inputs.values():
        for value in values:
            maker = graph.producer(value)
            listed = maker is not None and bare_name(maker) == "combine"
            found += graph.joined(operator) if listed else [value]
    return found


def _is_given_no_rows(operator: Operator, graph: Graph) -> bool:
    """Whether a run may find none, in all that has an axis of unknown size, and it computes of
    each row by itself."""
    if not may_be_emptied(operator, graph) or graph.emptied is None:
        return False
    each = bare_name(operator) in ELEMENTWISE
    read = [(value, graph.shape(value) or ()) for value in _read(operator, graph)]
    rows = [value for value, shape in read if _UNKNOWN in (shape if each else shape[:1])]
    return (
        bool(rows)
        and graph.emptied.issuperset(rows)
        and _is_by_row(operator, rows, graph)
        and (len(rows) == 1 or len({_counted(value, graph) for value in rows}) == 1)
    )


def _counted(value: str, graph: Graph) -> str:
    """What has decided how many rows there are: of two such a run may find one and several, which
    are stretched."""
    emptied = graph.emptied or frozenset()
    way: dict[str, None] = {}
    while value not in way and value not in graph.counted:
        way[value] = None
        maker = graph.producer(value)
        if maker is None:
            break
        if bare_name(maker) in _CHOOSING:
            value = operand(maker, SECOND) or value
            continue
        read = (one for values in maker.inputs.values() for one in values)
        value = next((one for one in read if one in emptied), value)
    source = graph.counted.get(value, value)
    graph.counted.update(dict.fromkeys(way, source))
    return source


def _is_by_row(operator: Operator, rows: list[str], graph: Graph) -> bool:
    name = bare_name(operator)
    rank = len(graph.shape(rows[0]) or ())
    if name in _PRODUCTS:
        return _multiplies_rows(operator, rows, graph)
    if name in ELEMENTWISE | _ALONG_AN_AXIS and not _are_stretched(operator, rows, graph):
        return False
    if name in ELEMENTWISE:
        made = [graph.shape(one) or () for values in operator.outputs.values() for one in values]
        return all(len(shape) == rank for shape in (*made, *(graph.shape(r) or () for r in rows)))
    if name in _CUMULATED | _OF_BOXES:  # what comes behind changes nothing
        return True
    if name in _OF_MATRICES:
        return rank > 2
    if name in _REDUCING | _ALONG_AN_AXIS:
        axes = _axes(operator, graph)
        if name in _SUMMING and (not axes or any(axis % rank == 0 for axis in axes)):
            sums = graph.shape(next(iter(operator.outputs.values()))[0])
            return sums is not None and _UNKNOWN not in sums[:1]
        return bool(axes) and all(axis % (rank + (name == "stack")) for axis in axes)
    averages = name in _AVERAGING and not operator.attributes.get("is_test")
    return name in _OF_PICTURES and not averages


def _are_stretched(operator: Operator, rows: list[str], graph: Graph) -> bool:
    """Whether all else that has as many axes has one row: of several there is none more."""
    rank = len(graph.shape(rows[0]) or ())
    others = (graph.shape(one) or () for one in _read(operator, graph) if one not in rows)
    return all(len(shape) < rank or shape[0] == 1 for shape in others)


def _multiplies_rows(product: Operator, rows: list[str], graph: Graph) -> bool:
    first, second = operand(product, FIRST), operand(product, SECOND)
    ranks = [len(graph.shape(one) or ()) for one in (first, second)]
    if rows == [first]:
        turned = product.attributes.get("transpose_x") and ranks[0] < 3
        return ranks[0] > 1 and not turned and ranks[1] <= max(2, ranks[0] - 1)
    return len(rows) == 2 and ranks[0] == ranks[1] > 2


def _axes(operator: Operator, graph: Graph) -> tuple[int, ...]:
    """The axes that it takes together; none where it takes all, or does not tell."""
    attributes = operator.attributes
    if bare_name(operator) in _GATHERING:
        axis = number(graph, operand(operator, ("2",)))
        return () if axis is None else (int(axis),)
    if attributes.get("flatten") or attributes.get("reduce_all") or attributes.get("asvector"):
        return ()
    maker = graph.producer(operand(operator, SECOND))
    told = attributes.get("axis", maker.attributes.get("value") if maker else None)
    axes = told if isinstance(told, (list, tuple)) else (told,)
    return tuple(int(axis) for axis in axes if isinstance(axis, (int, float)))


def _is_of_two_shapes(operator: Operator, graph: Graph) -> bool:
    shapes = {graph.shape(value) for value in _read(operator, graph)}
    return len(shapes) > 1 and _is_given_no_rows(operator, graph)


def _is_total(operator: Operator, graph: Graph) -> bool:
    made = graph.shape(next(iter(operator.outputs.values()))[0])
    return made == () and _is_given_no_rows(operator, graph)


def _is_stretched_twice(operator: Operator, graph: Graph) -> bool:
    """Whether neither operand is as large as the result."""
    made = graph.shape(next(iter(operator.outputs.values()))[0])
    both = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    return made not in both and _is_given_no_rows(operator, graph)


def _is_of_batches(product: Operator, graph: Graph) -> bool:
    both = (graph.shape(operand(product, slots)) or () for slots in (FIRST, SECOND))
    return min(map(len, both)) > 2 and _is_given_no_rows(product, graph)


def _in(paddle: str, *patterns: tuple[frozenset[str], Where]) -> Condition:
    return Condition(
        paddle=paddle,
        formats=PIR,
        operators=tuple(OperatorPattern(names, where=where) for names, where in patterns),
    )


_OF_LAYERS = (_ROW_BY_ROW | {"lerp"}) - _AVERAGING
_OTHERWISE = frozenset({"add_n", "concat", "eigvalsh", "stack"})
# In layers as well, up to 3.3.1.
_MISSHAPEN = _GATHERING | {"topk"}
_IN_ANY = _in("", (_MISSHAPEN, _is_given_no_rows), (_SUMMING, _is_total))
_IN_ONEDNN = replace(PIR_ON_CPU, operators=(OperatorPattern(HEAVY, where=_is_given_no_rows),))
_IN_3_0 = _in(
    ">=3.0,<3.1.1",
    ((FAILING & _OF_LAYERS) | _CUMULATED | {"concat"}, _is_given_no_rows),
    (_PRODUCTS, _is_of_batches),
    (JOINING, _is_stretched_twice),
)
_IN_2_6 = _in(
    "<3.0",
    (
        ((FAILING | OF_2_6) & _OF_LAYERS) | _CUMULATED | _OTHERWISE | _PRODUCTS | _SUMMING,
        _is_given_no_rows,
    ),
    (JOINING, _is_of_two_shapes),
)

RULE = Rule(
    id="CL137",
    title="rows of which a run finds none, before 3.1",
    when=(_IN_2_6, _IN_3_0, _IN_ANY, _IN_ONEDNN),
    action=Action.REWRITE,
    explanation=(
        "A mask that holds nowhere and a picture without a box leave no rows. What Paddle 3.1 and "
        "later compute of those, older kernels refuse, as they do of what is stored so (CL135): "
        "`must not be empty`, `The meta data must be valid`; 3.0 gives a product of two such "
        "batches the axes of both. Operators that compute each row by itself compute one more, of "
        "zeros, which is taken off behind them. So do convolutions in predictors, which oneDNN has "
        "no memory for, and in every release `gather` and `topk`, whose results are misshapen, and "
        "sums of all, which are any number in predictors."
    ),
    without="error",
    evidence=(
        Evidence("measured", "attention of x[mask], nothing in it, 3.3.0 to 3.0.0: two axes more"),
        Evidence("measured", "topk of the same: shape [0, -1]; gather, axis 1: [2, 6, 0], 3.3.1"),
        Evidence("measured", "convolutions, predictors of 3.3.1: `layout should be ONEDNN`"),
        Evidence("measured", "sum of the same, predictors of 3.1.0 to 3.3.0: any number, at times"),
        Evidence("measured", "conv2d, instance_norm, interpolate, cross_entropy: 3.1.0 as well"),
        Evidence("measured", "normalize of the same, 3.0.0 to 2.6.2: `dims of Input(X)`"),
    ),
    module="compatload.programs.rewritings.one_row_more",
    cause=Cause.KERNELS,
    alone=(Alone(762, "error", by_data=True),),
)
