"""CL604: attention's result, turned back and added without a projection, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDING_PASSES,
    ADDITIONS,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
    RESHAPES,
    TRANSPOSITIONS,
)


def _turned_product(added: Operator, graph: Graph) -> tuple[Operator, ...]:
    """Reshape, transpose and product, of which an addition takes the result; empty: it does not."""
    for slots in (FIRST, SECOND):
        name, found = operand(added, slots), []
        for kinds in (RESHAPES, TRANSPOSITIONS, PRODUCTS):
            maker = graph.producer(name) if name is not None else None
            if maker is None or bare_name(maker) not in kinds:
                break
            found.append(maker)
            name = operand(maker, FIRST)
        else:
            return tuple(found)
    return ()


def _adds_turned_product(added: Operator, graph: Graph) -> bool:
    return bool(_turned_product(added, graph))


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Legacy programs are fused where the operators declare what only training reads."""
    legacy = graph.artifact.format is not Format.PIR
    return tuple(
        one
        for one in graph.named(ADDITIONS)
        if (found := _turned_product(one, graph))
        and (not legacy or all(maker.outputs.get("XShape") for maker in found[:2]))
    )


_FUSED = (OperatorPattern(ADDITIONS, where=_adds_turned_product),)

RULE = Rule(
    id="CL604",
    title="attention's result, turned back and added without a projection, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_FUSED),
        replace(PIR_ON_CPU, operators=_FUSED),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "One pass takes the transpose and the reshape after a matrix product into it, the next "
        "one the addition after them. oneDNN then adds before it transposes, and each number is "
        "added to another place. Recognisers of text (SVTR) do this: attention without a "
        "projection at its end, and the residual. With a layer between the two there is no fault."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "x + (a @ w).transpose([0, 2, 1, 3]).reshape([0, 32, 16]): 3.6"),
        Evidence("measured", "the same on 3.0.0 and 3.3.1 (PIR), on 2.6.2 with declared XShape"),
        Evidence("measured", "without the reshape, or with relu or linear before the sum: right"),
    ),
    parameters=ADDING_PASSES,
    alone=(Alone(644, sees=_wrong),),
)
