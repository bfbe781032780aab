"""CL239: a value that was read is written again, oneDNN in 2.6's new executor."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU


def _writes_input(operator: Operator, graph: Graph) -> bool:
    inputs = {spec.name for spec in graph.artifact.inputs}
    return any(not inputs.isdisjoint(values) for values in operator.outputs.values())


# What a layer keeps, and writes again, is written by these.
_WRITING = frozenset({"assign"})


def _is_written_again(operator: Operator, graph: Graph) -> bool:
    written = operator.outputs.get("Out")
    return any(
        one.outputs.get("Out") == written
        and one.block == operator.block
        and one.index < operator.index
        for one in graph.named(_WRITING)
    )


RULE = Rule(
    id="CL239",
    title="a value that was read is written again, oneDNN in the new executor, 2.6",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle="<3.0",
            onednn=True,
            new_executor=True,
            operators=(
                OperatorPattern(frozenset({"while"}), where=_writes_input),
                OperatorPattern(_WRITING, where=_is_written_again),
            ),
        ),
    ),
    action=Action.WITHOUT_NEW_EXECUTOR,
    explanation=(
        "With enable_new_executor a predictor of 2.6 keeps what it made of a value for an operator "
        "of oneDNN's. Where a loop writes the input that such an operator in front of it has read, "
        "or a layer keeps a result twice (`self.kept = …`), what reads it later gets other "
        "numbers, without an error. The executor that Paddle takes by itself does not."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "`while abs(x).sum() > 1: x = x / 2`, and softmax or a linear layer in front: 2.6.2, "
            "PaddleX's Config, wrong from the second call on; not on 3.x",
        ),
        Evidence("measured", "the network kept_twice, PaddleX's Config, 2.6.2: wrong by 1.4"),
        Evidence("measured", "the same with a copy of x in front, or without oneDNN: right"),
    ),
)
