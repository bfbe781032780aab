"""CL601: items of a constant that are assigned while others read it, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl241_changed_in_loop import FOLDING_PASS
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    PIR_PREDICTOR,
    Action,
    Alone,
    Cause,
    Evidence,
    OperatorPattern,
    Rule,
)

_ASSIGNING = frozenset({"set_value", "set_value_with_tensor"})


def _is_read_by_others(operator: Operator, graph: Graph) -> bool:
    """Whether it computes in the memory of a constant that something else reads before."""
    value = operand(operator, FIRST)
    others = [one for one in graph.users.get(value or "", ()) if one is not operator]
    return (
        operator.name.endswith("_")
        and value is not None
        and bool(others)
        and not graph.is_stored(value)  # a state of its own
        and graph.is_computed_once(value)
        # What reads it behind, as multi_label_margin_loss does, finds what was written into it.
        and not any(one.block == operator.block and one.index > operator.index for one in others)
    )


RULE = Rule(
    id="CL601",
    title="items of a constant that are assigned while others read it, PIR program",
    when=(
        replace(PIR_PREDICTOR, operators=(OperatorPattern(_ASSIGNING, where=_is_read_by_others),)),
    ),
    action=Action.REWRITE,
    explanation=(
        f"Paddle's {FOLDING_PASS[0]} computes once what depends on no input, and keeps it, also "
        "what `set_value_` writes into. Of `q = paddle.zeros([4, 4]); y = q * x; q[0] = x[0]` the "
        "second run finds the row of the first in `q`; where what is written is a constant, too, "
        "the first run does. In silence, on every release. It writes into a copy."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "zeros, eye, full, arange; q[0] = x[0], q[:] = q - x: 3.0.0, 3.3.1"),
        Evidence("measured", "q[0] = 5.0: wrong from the first run on; the pass left out: right"),
        Evidence("measured", "nothing else reads q: right"),
        Evidence("measured", "multi_label_margin_loss, 3.2.2, 3.3.0, read later: right by itself"),
    ),
    module="compatload.programs.rewritings.own_operand",
    cause=Cause.PASSES,
    alone=(Alone(641),),
)
