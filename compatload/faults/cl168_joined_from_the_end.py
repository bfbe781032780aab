"""CL168: tensors of a list that are joined along an axis that counts from the end."""

from __future__ import annotations

from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

_JOINED = OperatorPattern(
    frozenset({"tensor_array_to_tensor"}),
    where=lambda one, _: (
        int(str(one.attributes.get("axis", 0))) < 0 and not one.attributes.get("use_stack", False)
    ),
)

RULE = Rule(
    id="CL168",
    title="tensors of a list joined along an axis that counts from the end",
    action=Action.REPAIR,
    explanation=(
        "`for t in range(x.shape[1]): rows.append(x[:, t])`, then `paddle.concat(rows, -1)`: the "
        "kernel takes the axis for a place in an array, and writes before it (`double free or "
        "corruption`, SIGSEGV). The axis is counted from the start."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "concat(rows, -1) of rows of a loop, saved by 2.6.2 and 3.3.1: 2.6.2"),
        Evidence("measured", "concat(rows, 1), stack(rows, -1): right"),
    ),
    module="compatload.programs.legacy_repairs.joined_axes",
    alone=(Alone(685, when=Condition(formats=LEGACY, operators=(_JOINED,))),),
)
