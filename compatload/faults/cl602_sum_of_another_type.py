"""CL602: sums of another type than what they add, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU

_SUMS = frozenset({"reduce_sum", "sum"})


def _is_of_another_type(total: Operator, graph: Graph) -> bool:
    given, made = graph.dtype(operand(total, FIRST)), graph.dtype(result(total))
    return given in IN_ONEDNN and made not in (None, given)


def _mistaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = (one for one in graph.named(_SUMS) if _is_of_another_type(one, graph))
    return tuple(
        one for one in found if _is_to_the_end(one, graph) and not _is_cast_back(one, graph)
    )


def _is_cast_back(total: Operator, graph: Graph) -> bool:
    """Whether floats are added in a wider type, and nobody sees the sum in it."""
    users = graph.users_of(total)
    return (
        graph.dtype(result(total)) == "float64"
        and bool(users)
        and all(bare_name(one) == "cast" for one in users)
    )


def _is_to_the_end(total: Operator, graph: Graph) -> bool:
    """Whether it adds all axes or the last ones: oneDNN computes no others."""
    rank = len(graph.shape(operand(total, FIRST)) or ())
    maker = graph.producer(operand(total, ("1",)))
    axes = (maker or total).attributes.get("value" if maker else "dim")
    if total.attributes.get("reduce_all") or not isinstance(axes, (list, tuple)) or not axes:
        return True
    return {axis % rank for axis in axes} == {*range(rank - len(axes), rank)}


_PATTERNS = (OperatorPattern(_SUMS, where=_is_of_another_type),)

RULE = Rule(
    id="CL602",
    title="sum of another type than what it adds, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_PATTERNS), replace(PIR_ON_CPU, operators=_PATTERNS)),
    action=Action.REWRITE,
    explanation=(
        "Paddle casts what `sum(x, dtype='int64')` adds, oneDNN adds it as it is and yields "
        "float32: another number, in another type, in silence. The sum gets what is cast before."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "sum(x, dtype='int64') of floats: -7.29 in float32 for -10, 2.6.2, 3.0.0 and 3.3.1",
        ),
        Evidence("measured", "int32, float64, nansum, all axes or the last ones: the same"),
        Evidence("measured", "axis=1 of three: right"),
    ),
    module="compatload.programs.rewritings.cast_first",
    alone=(Alone(642, sees=_mistaken),),
)
