"""CL288: layer by a reshaped weight, reshaped in turn, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, PIR_ON_CPU, PRODUCTS

_RESHAPED = frozenset({"reshape"})
_ROWS = 2


def _is_reshaped(product: Operator, graph: Graph) -> bool:
    """Whether its weight was reshaped, and it is reshaped in turn and added to."""
    weight, after = graph.producer(operand(product, SECOND)), graph.sole_user(product)
    return (
        weight is not None
        and bare_name(weight) in _RESHAPED
        and after is not None
        and bare_name(after) in _RESHAPED
        and any(bare_name(user) in ADDITIONS for user in graph.users_of(after))
    )


def _misshaped(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those of rows, by a stored weight and with a stored bias, which keep two axes."""
    found = (one for one in graph.named(PRODUCTS) if _is_reshaped(one, graph))
    return tuple(one for one in found if _is_layer_of_rows(one, graph))


def _is_layer_of_rows(product: Operator, graph: Graph) -> bool:
    weight, after = graph.producer(operand(product, SECOND)), graph.sole_user(product)
    added = graph.sole_user(after) if after is not None else None
    bias = operand(added, SECOND) if added is not None else None
    return (
        len(graph.shape(operand(product, FIRST)) or ()) == _ROWS
        and weight is not None
        and graph.is_stored(operand(weight, FIRST))
        and graph.is_stored(bias)
        and len(graph.shape(bias) or ()) == 1
    )


RULE = Rule(
    id="CL288",
    title="layer by a reshaped weight, reshaped in turn, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(PRODUCTS, where=_is_reshaped),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass makes one layer of a product by a reshaped weight, the reshape of its rows and "
        "the addition of a bias, and leaves the rows as they are: [B * L, N] comes in the place "
        "of [B, L, N], without an error where nothing reads the axes. Projections whose weight "
        "is stored by heads ([D, heads, size]) are written so."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "matmul(x.reshape([-1, 6]), w.reshape([6, 4])).reshape([-1, 5, 4]) + b: 3.0.0, 3.3.1",
        ),
        Evidence("measured", "a weight that is stored as it is, or computed otherwise: right"),
        Evidence("measured", "x of three axes, or a bias of more than one: right"),
    ),
    parameters=("matmul_reshape_add_fuse_pass",),
    alone=(Alone(549, sees=_misshaped),),
)
