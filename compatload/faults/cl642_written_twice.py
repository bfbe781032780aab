"""CL642: a value that a legacy program writes twice, and memory optimisation."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY_PREDICTOR, Action, Evidence, OperatorPattern, Rule

# What a layer keeps, and writes again, is written by these.
WRITING = frozenset({"assign"})


def is_written_again(operator: Operator, graph: Graph) -> bool:
    (written,) = operator.outputs.get("Out") or (None,)
    return any(
        one is not operator
        and one.block == operator.block
        and one.index < operator.index
        and any(written in values for values in one.outputs.values())
        for one in graph.named(WRITING)
    )


RULE = Rule(
    id="CL642",
    title="a value that is written twice, and memory optimisation, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(WRITING, where=is_written_again),),
        ),
    ),
    action=Action.DISABLE_MEMORY_OPTIM,
    explanation=(
        "A layer that keeps a result in an attribute twice (`self.kept = …`) writes one variable "
        "twice, whose sizes a file does not tell. memory_optimize_pass asks for them: 2.6 ends the "
        "process (SIGABRT), 3.x says `The shape of node shouldn't be negative`."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured",
            "the network kept_twice, saved by 2.6.2, with the Configs of PaddleClas, Detection, "
            "Seg, PaddleNLP and PaddleOCR 2.10: crash in 2.6.2, error in 3.3.1 (2026-11-30)",
        ),
    ),
)
