"""CL293: filter that something else reads, with a batch normalisation behind, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand
from compatload.faults.model import (
    LEGACY,
    PREDICTOR,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import ADDITIONS, CONVOLUTIONS, FILTER, NORMALISATION

_SCALE = ("3", "Scale")


def _normalised(convolution: Operator, graph: Graph) -> list[Operator]:
    """What follows a convolution up to its normalisation; nothing where none is behind."""
    after = graph.sole_user(convolution)
    chain = [] if after is None else [after]
    if after is not None and bare_name(after) in ADDITIONS:
        chain += [one for one in (graph.sole_user(after),) if one is not None]
    return chain if chain and bare_name(chain[-1]) in NORMALISATION else []


def _is_shared_and_normalised(convolution: Operator, graph: Graph) -> bool:
    filters = operand(convolution, FILTER)
    several = len(graph.users.get(filters or "", ())) > 1  # false of nearly all
    return several and graph.is_stored(filters) and bool(_normalised(convolution, graph))


def _folded(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those with a bias that is stored as it is added, and a normalisation of their own."""
    found = (one for one in graph.named(CONVOLUTIONS) if _is_shared_and_normalised(one, graph))
    return tuple(one for one in found if _is_folded(_normalised(one, graph), graph))


def _is_folded(chain: list[Operator], graph: Graph) -> bool:
    *added, norm = chain
    scales = graph.users.get(operand(norm, _SCALE) or "", ())
    return len(scales) == 1 and all(graph.is_stored(operand(one, SECOND)) for one in added)


_SHARED = (OperatorPattern(CONVOLUTIONS, where=_is_shared_and_normalised),)

RULE = Rule(
    id="CL293",
    title="shared filter with a batch normalisation behind, legacy program",
    when=(Condition(apis=PREDICTOR, runs_as=LEGACY, operators=_SHARED),),
    action=Action.REWRITE,
    explanation=(
        "A pass folds a batch normalisation into the filter of the convolution before it, in "
        "place: whoever else reads that filter gets the folded one, without an error. Heads of "
        "detectors that share convolutions and have a normalisation for each level are such. "
        "Each of these convolutions gets a copy of its filter. PIR programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "bn(conv(x)), relu(bn2(conv(pool(x)))): 0.66 on 2.6.2 and 3.3.1"),
        Evidence("measured", "bn(conv(x)), conv(pool(x)); bn(conv(x)), sum(filter): wrong on both"),
        Evidence("measured", "one normalisation for both, or a bias saved by 2.6.2: right"),
    ),
    module="compatload.programs.rewritings.own_weight",
    cause=Cause.PASSES,
    alone=(Alone(553, sees=_folded),),
)
