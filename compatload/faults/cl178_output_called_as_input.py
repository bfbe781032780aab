"""CL178: an output with the name of an input, legacy program."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import Graph, values_of
from compatload.faults.model import (
    LAYER,
    LEGACY,
    PREDICTOR,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

_INTERFACE = frozenset({"feed", "fetch"})


def called_as_inputs(artifact: Artifact) -> Mapping[str, Operator]:
    """Outputs that are called as inputs, and what makes each of something else."""
    names = {one.name for one in artifact.inputs} & {one.name for one in artifact.outputs}
    if not names:
        return {}
    return {
        name: one
        for one in artifact.program.operators
        if one.block == 0 and one.name not in _INTERFACE
        for name in names & values_of(one.outputs) - values_of(one.inputs)
    }


def _sees(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(called_as_inputs(graph.artifact).values())


_BY_PREDICTOR = "the same by the predictor: wrong on 2.6.2, 3.0.0, 3.1.1 and 3.3.1"
RULE = Rule(
    id="CL178",
    title="an output with the name of an input, legacy program",
    action=Action.REPAIR,
    explanation=(
        "2.6 calls the outputs that it saves save_infer_model/scale_0.tmp_0 and so on, whatever "
        "the inputs are called: those of a model that is fed by another one's predictor bear such "
        "a name. A predictor then takes the output's memory for the input's, and the layer of 2.6 "
        "fails. The output gets another name."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "a - b * 2 of save_infer_model/scale_0.tmp_0 by jit.load of 2.6.2"),
        Evidence("measured", _BY_PREDICTOR),
        Evidence("measured", "the same by executors, and what 3.x saved: right"),
    ),
    module="compatload.programs.legacy_repairs.output_names",
    alone=(
        Alone(
            353,
            "error",
            Condition(paddle="<3.0", apis=LAYER, formats=LEGACY),
            sees=_sees,
        ),
        Alone(506, "wrong", Condition(apis=PREDICTOR, formats=LEGACY), sees=_sees),
    ),
)
