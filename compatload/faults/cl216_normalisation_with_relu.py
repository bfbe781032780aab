"""CL216: batch normalisation fused with relu, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, NORMALISATION, ON_CPU


def _loses_a_reader(operator: Operator, graph: Graph, others: frozenset[str]) -> bool:
    values = operator.outputs.get("Y") or operator.outputs.get("0") or ()
    readers = [bare_name(one) for value in values for one in graph.users.get(value, ())]
    if "relu" not in readers or len(readers) < 2:
        return False
    return not others or not others.isdisjoint(readers)


def _read_twice(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Batch normalisation that relu reads, and something else, which the pass takes it from."""
    return tuple(
        one for one in graph.named(NORMALISATION) if _loses_a_reader(one, graph, frozenset())
    )


def _fetched(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same where it is an output of the model, reached through a ``scale`` by nothing."""
    outputs = frozenset({"fetch", "scale"})
    return tuple(one for one in graph.named(NORMALISATION) if _loses_a_reader(one, graph, outputs))


RULE = Rule(
    id="CL216",
    title="batch normalisation fused with relu, oneDNN",
    when=(replace(ON_CPU, operators=(OperatorPattern(NORMALISATION, feeds=frozenset({"relu"})),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "In legacy programs the pass takes the normalised value away, whoever else reads it: "
        "no predictor is made, or it dies. And the operator that it makes hands on what is "
        "not a number, of which Paddle's relu makes 0: networks that overflow somewhere "
        "return other numbers. Where a convolution stands before, the normalisation is folded "
        "into that anyway, so little is lost."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "y = batch_norm(x); relu(y) + y: an error on 2.6.2, 3.0.0 and 3.3.1; SIGSEGV "
            "where y is an output; relu(batch_norm(log(-1))) is NaN in place of 0",
        ),
        Evidence(
            "measured",
            "PaddleClas RedNet26 saved by 2.6.2: difference 0.88 on 2.6.2, 3.0.0 and 3.3.1, "
            "1e-6 without the pass; its random weights overflow",
        ),
        Evidence("measured", "the same saved and loaded by 3.3.1: 0.88, and 9e-7 without it"),
    ),
    parameters=("batch_norm_act_fuse_pass",),
    alone=(
        Alone(420, "crash", LEGACY_ON_CPU, _fetched),
        Alone(428, "error", LEGACY_ON_CPU, _read_twice),
    ),
)
