"""CL287: layer applied twice to one value, otherwise each time, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, LEGACY_ON_CPU, PRODUCTS, layers

_BY_MATRIX = PRODUCTS | {"mul"}


def _applied(graph: Graph) -> Mapping[tuple[str | None, str | None], list[Operator]]:
    """The layers' products, by what they are of and by what."""
    found: dict[tuple[str | None, str | None], list[Operator]] = {}
    for product, _ in layers(graph):
        if bare_name(product) in _BY_MATRIX:
            place = operand(product, FIRST), operand(product, SECOND)
            found.setdefault(place, []).append(product)
    return found


def _followed(product: Operator, graph: Graph) -> tuple[str | None, str | None]:
    """The bias that is added, and the activation that the layer takes in."""
    added = graph.sole_user(product)
    after = graph.sole_user(added) if added is not None else None
    active = bare_name(after) if after is not None else None
    bias = operand(added, SECOND) if added is not None else None
    return bias, active if active in FUSED_ACTIVATIONS else None


def _is_applied_otherwise(product: Operator, graph: Graph) -> bool:
    place = operand(product, FIRST), operand(product, SECOND)
    readers = graph.users.get(place[0] or "", ())
    alike = [one for one in readers if operand(one, SECOND) == place[1]]
    if len(alike) < 2:  # of nearly all, which every load asks about
        return False
    several = _applied(graph).get(place, ())
    return len({_followed(one, graph) for one in several}) > 1


def _mistaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    """All but the first that is computed."""
    return tuple(
        one
        for several in _applied(graph).values()
        for one in several[1:]
        if _followed(one, graph) != _followed(several[0], graph)
    )


RULE = Rule(
    id="CL287",
    title="layer applied twice to one value, otherwise each time, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(_BY_MATRIX, where=_is_applied_otherwise),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "What oneDNN has made ready for a fully connected layer is kept under the names of its "
        "operand and its weight. Where both are the same a second time, with another bias or "
        "another activation behind (`fc(x), relu(fc(x))`), the first is run twice, without an "
        "error. Without the pass these layers run outside of oneDNN. PIR programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x), relu(linear(x)), saved by 2.6.2: 1.08 on 2.6.2, 3.3.1"),
        Evidence("measured", "linear(x, w, a), linear(x, w, b): 1.09 on both"),
        Evidence("measured", "of two values, or the same twice: right"),
    ),
    parameters=("fc_onednn_pass", "fc_mkldnn_pass"),
    alone=(Alone(551, sees=_mistaken),),
)
