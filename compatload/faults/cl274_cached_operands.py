"""CL274: einsum that keeps its operands, and memory optimisation, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Evidence,
    OperatorPattern,
    Rule,
)


def _keeps_operands(operator: Operator, graph: Graph) -> bool:
    """Whether it has its results for training: a file of 2.6's own has them no more."""
    return any(values for slot, values in operator.outputs.items() if slot not in ("Out", "0"))


RULE = Rule(
    id="CL274",
    title="einsum that keeps its operands, and memory optimisation, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(frozenset({"einsum"}), where=_keeps_operands),),
        ),
    ),
    action=Action.DISABLE_MEMORY_OPTIM,
    explanation=(
        "The inner cache of einsum lies in the memory of its operands, and memory_optimize_pass "
        "gives it that of other values. What exports of 2.6 leave out, a program converted from "
        "PIR has, so that it can be trained."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "five einsums of 3.0.0 and 3.3.1 converted for 2.6.2, inference_only"),
        Evidence("measured", "the same without memory optimisation, or without the cache: right"),
    ),
)
