"""CL233: outputs computed alike, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl232_overwritten import is_layer_of_images, runs_in_onednn
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU

_FETCH = frozenset({"fetch"})
# Two of these are not found to be alike.
_NOT_SEEN_ALIKE = frozenset({"cast", "reshape"})


def _is_twin(fetch: Operator, graph: Graph) -> bool:
    return operand(fetch, FIRST) in graph.output_twins


def _named_like_another(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Outputs that are computed like another one, by what keeps the name that is fetched."""
    found = (one for one in graph.named(_FETCH) if _is_twin(one, graph))
    return tuple(one for one in found if _keeps_name(operand(one, FIRST), graph, release))


def _keeps_name(value: str | None, graph: Graph, release: str) -> bool:
    """Whether no reordering stands before the fetch, and the pass sees that two are alike."""
    maker = graph.producer(value)
    if maker is None or bare_name(maker) in _NOT_SEEN_ALIKE:
        return False
    return is_layer_of_images(maker, value, graph) or not runs_in_onednn(
        maker, value, graph, release
    )


RULE = Rule(
    id="CL233",
    title="outputs computed alike, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_FETCH, where=_is_twin),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "Of two outputs that are computed by the same operators from the same values (two "
        "states of zeros, for one) the pass computes one, and the name of the other is lost: "
        "`The variable named fetch_name_0 is not found`."
    ),
    without="error",
    evidence=(
        Evidence("measured", "return zeros_like(x), zeros_like(x): 3.0.0 and 3.3.1"),
        Evidence("measured", "relu(x) twice, or any that oneDNN computes last: right"),
    ),
    parameters=("common_subexpression_elimination_pass",),
    alone=(Alone(441, sees=_named_like_another),),
)
