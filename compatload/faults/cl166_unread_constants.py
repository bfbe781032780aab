"""CL166: constants that nothing reads, legacy program in a predictor."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import Graph, values_of
from compatload.faults.model import (
    LEGACY,
    PREDICTOR,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

# What takes nothing and makes the same each time.
_MAKERS = frozenset({"fill_constant", "assign_value", "eye"})
# Kinds of attributes that are names of variables.
_TELLING = frozenset({"VAR", "VARS"})


def _told(operator: Operator, attribute: str) -> tuple[str, ...]:
    value = operator.attributes.get(attribute)
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def unread(artifact: Artifact) -> frozenset[str]:
    """Constants that no operator reads, no output gives and nothing stores."""
    program = artifact.program
    if _MAKERS.isdisjoint(program.operator_counts):
        return frozenset()
    made: set[str] = set()
    kept = set().union(*(block.persistable for block in program.blocks.values()))
    for one in program.operators:
        read = values_of(one.inputs)
        kept |= read
        constant = one.name in _MAKERS and not read
        (made if constant else kept).update(values_of(one.outputs))
    # Few programs have any left, and of no others need attributes be looked at.
    for one in program.operators if made - kept else ():
        kept.update(*(_told(one, name) for name, kind in one.kinds.items() if kind in _TELLING))
    return frozenset(made - kept)


def _making_them(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = unread(graph.artifact)
    return tuple(one for one in graph.named(_MAKERS) if found & values_of(one.outputs))


RULE = Rule(
    id="CL166",
    title="constants that nothing reads, legacy program in a predictor",
    action=Action.REPAIR,
    explanation=(
        "A constant that no operator reads stands alone in the graph of a predictor: the pass that "
        "looks for a difference of squares follows a null pointer while the model is loaded "
        "(`MarkPDNodesInGraph`). Paddle leaves such constants out where it saves a program, but "
        "not with `skip_prune_program=True`. They are left out."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "one fill_constant that nothing reads: 2.6.2, 3.0.0, 3.2.2 and 3.3.1"),
        Evidence("measured", "the same as a layer: right"),
    ),
    module="compatload.programs.legacy_repairs.unread_constants",
    alone=(Alone(480, "crash", when=Condition(formats=LEGACY, apis=PREDICTOR), sees=_making_them),),
)
