"""CL287: layer applied twice to one value, otherwise each time, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Cause, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PRODUCTS, layers

_BY_MATRIX = PRODUCTS | {"mul"}


def _applied(graph: Graph) -> Mapping[tuple[str | None, str | None], list[Operator]]:
    """The layers' products, by what they are of and by what."""
    found: dict[tuple[str | None, str | None], list[Operator]] = {}
    for product, _ in layers(graph):
        if bare_name(product) in _BY_MATRIX:
            place = operand(product, FIRST), operand(product, SECOND)
            found.setdefault(place, []).append(product)
    return found


def _followed(product: Operator, graph: Graph) -> tuple[object, ...]:
    """The bias that is added, and what a pass may take into the layer: what reads it alone."""
    added = graph.sole_user(product)
    if added is None:
        return ()
    after = graph.sole_user(added)
    how = () if after is None else (bare_name(after), *sorted(map(str, after.attributes.items())))
    return operand(added, SECOND), *how


def _is_applied_otherwise(product: Operator, graph: Graph) -> bool:
    """Whether it is not the first of its value and its weight, and something else follows it."""
    place = operand(product, FIRST), operand(product, SECOND)
    readers = graph.users.get(place[0] or "", ())
    alike = [one for one in readers if operand(one, SECOND) == place[1]]
    if len(alike) < 2:  # of nearly all, which every load asks about
        return False
    first, *others = _applied(graph).get(place, (product,))
    again = any(one is product for one in others)
    return again and _followed(product, graph) != _followed(first, graph)


RULE = Rule(
    id="CL287",
    title="layer applied twice to one value, otherwise each time, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(_BY_MATRIX, where=_is_applied_otherwise),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "What oneDNN has made ready for a fully connected layer is kept under the names of its "
        "operand and its weight. Where both are the same a second time, with another bias or "
        "another activation, factor or addend behind (`fc(x), relu(fc(x))`), the first is run "
        "twice, without an error. All but the first read a copy of the weight, which has a name "
        "of its own. PIR programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x), relu(linear(x)), saved by 2.6.2: 1.08 on 2.6.2, 3.3.1"),
        Evidence("measured", "linear(x, w, a), linear(x, w, b): 1.09 on both"),
        Evidence("measured", "linear(x) * 2, linear(x); leaky_relu by 0.1 and by 0.5: wrong too"),
        Evidence("measured", "of two values, or the same twice: right"),
    ),
    module="compatload.programs.rewritings.own_weight",
    cause=Cause.PASSES,
    alone=(Alone(551),),
)
