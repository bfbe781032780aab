"""CL642: a value that a legacy program writes twice, and memory optimisation."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY_PREDICTOR, Action, Evidence, OperatorPattern, Rule

# What a layer keeps, and writes again, is written by these.
_WRITING = frozenset({"assign"})


def _is_written_again(operator: Operator, graph: Graph) -> bool:
    (written,) = operator.outputs.get("Out") or (None,)
    return any(
        one is not operator
        and one.block == operator.block
        and one.index < operator.index
        and any(written in values for values in one.outputs.values())
        for one in graph.named(_WRITING)
    )


RULE = Rule(
    id="CL642",
    title="a value that is written twice, and memory optimisation, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(_WRITING, where=_is_written_again),),
        ),
    ),
    action=Action.DISABLE_MEMORY_OPTIM,
    explanation=(
        "memory_optimize_pass counts the life of a value from one place where it is written, and "
        "gives its memory to others before its last use: a layer that keeps a result in an "
        "attribute twice (`self.kept = …`) gives wrong numbers in silence, or ends the process."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "2.6.2: the network kept_twice with enable_memory_optim is wrong by 1.4 with PaddleX's "
            "Config, and ends the process without enable_new_executor (2026-11-30)",
        ),
    ),
)
