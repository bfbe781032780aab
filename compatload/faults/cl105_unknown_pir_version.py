"""CL105: PIR program of a format version nobody knows."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, Rule
from compatload.releases import PIR_VERSIONS, known_pir_versions


def _of_an_older(graph: Graph, release: str) -> tuple[Operator, ...]:
    is_older = (graph.artifact.pir_version or 0) < min(PIR_VERSIONS)
    return graph.operators[:1] if is_older else ()


RULE = Rule(
    id="CL105",
    title="PIR program of a format version nobody knows",
    when=(Condition(formats=PIR, pir_unknown=True),),
    action=Action.REFUSE,
    explanation=(
        "Paddle has no bounds on base_code.version: it reads a file of a newer one as if it were "
        f"its own, and fails at one of an older. Known are {known_pir_versions()}."
    ),
    without="wrong",
    evidence=(Evidence("measured", "an edited 99 loads silently on 3.3.1; 0 ends in `map::at`"),),
    advice="Update compatload, or save the model again with one of these releases.",
    alone=(Alone(240, "error", sees=_of_an_older), Alone(241)),
)
