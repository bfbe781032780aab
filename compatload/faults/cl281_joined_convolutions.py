"""CL281: convolutions that are read elsewhere or activated, joined and activated, legacy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    CONVOLUTIONS_ACTIVATIONS,
    LEGACY_ON_CPU,
    NORMALISATION,
)

CONCAT = frozenset({"concat"})
_CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d"})
# What a convolution takes in before the passes that this is about.
_TAKEN_IN = ADDITIONS | NORMALISATION
_LONGEST_CHAIN = 4


def is_activated(concat: Operator, graph: Graph) -> bool:
    user = graph.sole_user(concat)
    return (
        user is not None
        and bare_name(user) in CONVOLUTIONS_ACTIVATIONS
        and all(any(_of_convolution(value, graph)) for value in graph.joined(concat))
    )


def _of_convolution(value: str, graph: Graph) -> Iterator[Operator]:
    """The operators that a convolution takes in on the way to a value, the last one first, and the
    convolution; nothing if none is there."""
    chain: list[Operator] = []
    waiting = [value]
    while waiting and len(chain) < _LONGEST_CHAIN:
        maker = graph.producer(waiting.pop())
        if maker is None:
            continue
        name = bare_name(maker)
        if name in _CONVOLUTIONS:
            yield from (*chain, maker)
            return
        if name in _TAKEN_IN | CONVOLUTIONS_ACTIVATIONS:
            chain.append(maker)
            waiting += [
                one for slots in (SECOND, FIRST) if (one := operand(maker, slots)) is not None
            ]


def are_taken_in(concat: Operator, graph: Graph) -> bool:
    """Whether each convolution has something to take in: a bias, an activation, a residual."""
    return all(len(list(_of_convolution(value, graph))) > 1 for value in graph.joined(concat))


def _changed(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those of which no convolution has a bias."""
    return tuple(
        one
        for one in graph.named(CONCAT)
        if _is_changed(one, graph)
        and not any(
            bare_name(maker) in ADDITIONS
            for value in graph.joined(one)
            for maker in _of_convolution(value, graph)
        )
    )


def _is_changed(concat: Operator, graph: Graph) -> bool:
    """Whether the activation takes the place of another one, or reaches who reads a convolution
    elsewhere."""
    return is_activated(concat, graph) and any(
        len(graph.users.get(value, ())) > 1
        or any(bare_name(one) in CONVOLUTIONS_ACTIVATIONS for one in _of_convolution(value, graph))
        for value in graph.joined(concat)
    )


RULE = Rule(
    id="CL281",
    title="convolutions with an activation, joined and activated again, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(CONCAT, where=_is_changed),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass gives the activation after a concatenation of convolutions to each of them: in "
        "the place of one that they have already, and for whoever else reads them, without an "
        "error."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "y = c(x); relu(concat([y, d(x)])), y * 2, no biases: 1.0 on all"),
        Evidence("measured", "sigmoid(concat([relu(c(x)), d(x)])): 0.33 on 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "with biases, saved by 2.6.2: right; converted from PIR: 0.48"),
    ),
    parameters=("conv_activation_mkldnn_fuse_pass", "conv_activation_onednn_fuse_pass"),
    alone=(Alone(545, sees=_changed),),
)
