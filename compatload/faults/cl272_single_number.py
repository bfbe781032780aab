"""CL272: a single number taken out of a tensor, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, LEGACY_ON_CPU

_SLICE = frozenset({"slice"})
_SHOWING = frozenset({"fetch", "stack", "concat"})
_LONGEST = 16


def _has_no_dimensions(operator: Operator, graph: Graph) -> bool:
    number = result(operator)
    return graph.shape(number) == () and graph.dtype(number) == "float32"


def told(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those whose shape is seen: by who fetches it, or what is computed of nothing else."""
    found = graph.named(_SLICE)
    return tuple(one for one in found if _has_no_dimensions(one, graph) and _is_seen(one, graph))


def _is_seen(operator: Operator, graph: Graph) -> bool:
    waiting, steps = [operator], 0
    while waiting and steps < _LONGEST:
        steps += 1
        for user in graph.users_of(waiting.pop()):
            if bare_name(user) in _SHOWING:
                return True
            if bare_name(user) in FUSED_ACTIVATIONS | {"scale"}:
                waiting.append(user)
    return False


SINGLE = (OperatorPattern(_SLICE, where=_has_no_dimensions),)

RULE = Rule(
    id="CL272",
    title="a single number taken out of a tensor, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=SINGLE),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "oneDNN describes no tensor without dimensions: what `x[0, 0]` yields has one, of one "
        "element. So has what is computed of it; stack and concat refuse it beside others."
    ),
    without="wrong",
    evidence=(Evidence("measured", "linear(x)[0, 0] has shape [1]: 2.6.2, 3.0.0 and 3.3.1"),),
    alone=(Alone(574, sees=told),),
)
