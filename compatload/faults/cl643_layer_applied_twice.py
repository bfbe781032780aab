"""CL643: linear layer applied twice to one value, otherwise each time, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Cause, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, MATRIX_PRODUCTS, bias_of


def _alike(product: Operator, graph: Graph) -> Iterator[Operator]:
    """The layers of the same value and weight, in order, itself among them."""
    weight = operand(product, SECOND)
    for one in graph.users.get(operand(product, FIRST) or "", ()):
        if bare_name(one) in MATRIX_PRODUCTS and operand(one, SECOND) == weight:
            yield one


def _behind(product: Operator, graph: Graph) -> tuple[object, ...]:
    """What a pass may take into the layer: what reads it alone, and how."""
    added = bias_of(product, graph)
    after = graph.sole_user(added) if added is not None else None
    return () if after is None else (bare_name(after), *sorted(map(str, after.attributes.items())))


def _is_otherwise(product: Operator, graph: Graph) -> bool:
    """Whether it is not the first one, and something else follows it."""
    if bias_of(product, graph) is None:
        return False
    first = next((one for one in _alike(product, graph) if bias_of(one, graph)), product)
    return first is not product and _behind(first, graph) != _behind(product, graph)


RULE = Rule(
    id="CL643",
    title="linear layer applied twice to one value, otherwise each time, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(MATRIX_PRODUCTS, where=_is_otherwise),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "As CL292, of layers: what oneDNN has made ready is kept under the names of value and "
        "weight. Where both are the same a second time, with another activation, factor or "
        "addend, the first is run twice, without an error: `linear(x), tanh(linear(x))`. The "
        "second reads a copy of the weight. PIR programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x), tanh(linear(x)), saved by 2.6.2: 1.6 on 2.6.2 to 3.3.1"),
        Evidence("measured", "linear(x) * 2, linear(x); leaky_relu by 0.1 and 0.5: the same"),
        Evidence("measured", "two biases without an activation, no bias, x and x * 2: right"),
    ),
    module="compatload.programs.rewritings.own_weight",
    cause=Cause.PASSES,
    alone=(Alone(774, "wrong"),),
)
