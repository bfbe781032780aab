"""CL129: a trace whose first axis is the later one, legacy program, between 3.0 and 3.1."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import LEGACY, Action, Alone, Evidence, Rule
from compatload.faults.origin import across

TRACE = frozenset({"trace"})


def is_backwards(operator: Operator, graph: Graph) -> bool:
    """Whether its first axis is the later one, and it traces another diagonal than the main one."""
    shape = graph.shape(operand(operator, FIRST))
    held = [operator.attributes.get(name) for name in ("axis1", "axis2")]
    axes = [one for one in held if isinstance(one, int)]
    if shape is None or len(axes) != 2 or not operator.attributes.get("offset"):
        return False
    first, second = (axis + len(shape) if axis < 0 else axis for axis in axes)
    return first > second


_LATER, _EARLIER = across("3.1", TRACE, is_backwards)

RULE = Rule(
    id="CL129",
    title="a trace whose first axis is the later one, legacy program, between 3.0 and 3.1",
    action=Action.REPAIR,
    explanation=(
        "Up to 3.0 trace takes the earlier of its axes for rows, in whatever order they are given; "
        "since 3.1 it takes the first one, as numpy does, and an offset of 1 is another diagonal. "
        "The axes are given in their order, which all releases read alike, with the offset that "
        "means the same diagonal."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured", "trace(x, 1, 1, 0) of 4 x 6: 46 on 2.6.2 and 3.0.0, 39 on 3.1.0, 3.3.1"
        ),
    ),
    module="compatload.programs.legacy_repairs.traced_backwards",
    alone=(
        Alone(541, when=replace(_LATER, formats=LEGACY)),
        Alone(766, when=replace(_EARLIER, formats=LEGACY, paddle=">=3.0,<3.1")),
    ),
)
