"""CL618: a tensor expanded to more axes, some of which keep their size, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.bounds import number
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU

_KEPT = -1


def _keeps_sizes(operator: Operator, graph: Graph) -> bool:
    source, sizes = operand(operator, FIRST), _sizes(operator, graph)
    dims = graph.shape(source)
    return (
        _KEPT in sizes
        and dims is not None
        and len(sizes) > len(dims)
        and graph.dtype(source) in IN_ONEDNN
    )


def _sizes(operator: Operator, graph: Graph) -> tuple[float | None, ...]:
    """The sizes it expands to, None for those that a run tells; none at all of one tensor."""
    if operator.inputs.get("Shape"):
        return ()
    if listed := operator.inputs.get("expand_shapes_tensor"):
        return tuple(number(graph, one) for one in listed)
    told = operator.attributes.get("shape")
    return told if isinstance(told, tuple) else ()


_EXPANDED = (OperatorPattern(frozenset({"expand_v2"}), where=_keeps_sizes),)

RULE = Rule(
    id="CL618",
    title=("a tensor expanded to more axes, some of which keep their size, oneDNN, legacy program"),
    when=(replace(LEGACY_ON_CPU, operators=_EXPANDED),),
    action=Action.REWRITE,
    explanation=(
        "`x.expand([batch, -1, -1])` of a matrix: Paddle takes sizes that are kept from the axes "
        "of the same number, of which the new ones come first. Its own kernel counts from the "
        "last one in the end; oneDNN takes what was told: `could not create a primitive "
        "descriptor for a binary operation`, since 3.1 `the value of the non-singleton dimension "
        "does not match`. The new axes are made by `unsqueeze2` before."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "expand(linear(x), [3, -1, -1]) and seven others, saved by 2.6.2: 2.6.2 to 3.3.1, and "
            "saved by 3.3.1 on 2.6.2; without oneDNN, of int64, with nothing but computed sizes, "
            "[-1, 4] of [N, 1]: right",
        ),
    ),
    module="compatload.programs.rewritings.axes_before",
    alone=(Alone(673, "error"),),
)
