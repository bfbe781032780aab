"""CL112: attributes that 2.x did not have."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LAYER, LEGACY, Action, Alone, Condition, Evidence, Rule

# What the backward program that jit.load of 2.6 appends looks up, and 1.x did not write.
_BACKWARD_ATTRIBUTES = (("batch_norm", "use_global_stats"), ("lookup_table", "is_sparse"))
_BACKWARD_INPUTS = (("expand", "expand_times_tensor"),)


def _lack_for_backward(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.operators
        if any(one.name == name and key not in one.attributes for name, key in _BACKWARD_ATTRIBUTES)
        or any(one.name == name and slot not in one.inputs for name, slot in _BACKWARD_INPUTS)
    )


def _sizes(operator: Operator) -> Sequence[object]:
    sizes = operator.attributes.get("shape")
    return sizes if isinstance(sizes, (list, tuple)) else ()


def _without_values(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = graph.named(frozenset({"assign_value"}))
    return tuple(one for one in found if 0 in _sizes(one))


RULE = Rule(
    id="CL112",
    title="attributes that 2.x did not have",
    action=Action.REPAIR,
    explanation=(
        "3.x requires attributes that older operators lack (`decimals` of round, for one), or "
        "wants them in another type. They get the value that keeps the older behaviour."
    ),
    without="error",
    evidence=(
        Evidence("measured", "round saved by 2.6.2, all 3.x: `isa<pir::Int32Attribute>`"),
        Evidence("measured", "a constant of no elements saved by 2.6.2, 3.3.1: no `**_values`"),
    ),
    module="compatload.programs.legacy_repairs.missing_attributes",
    alone=(
        Alone(
            370, when=Condition(paddle="<3.0", apis=LAYER, formats=LEGACY), sees=_lack_for_backward
        ),
        Alone(
            646, when=Condition(paddle=">=3.0", apis=LAYER, formats=LEGACY), sees=_without_values
        ),
    ),
)
