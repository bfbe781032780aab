"""CL133: outputs of which some are scaled by 1 as they are saved and some are not, in 2.6."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import LAYER, LEGACY, Action, Alone, Condition, Evidence, Rule

# What 2.x calls the copy that it makes of an output, by a scale of 1.
COPY = "save_infer_model/scale_"


def _fetched(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The outputs that are no copies, and stand before others that are."""
    found = graph.named(frozenset({"fetch"}))
    bare = [one for one in found if not (operand(one, FIRST) or "").startswith(COPY)]
    copies = [_place(one) for one in found if one not in bare]
    return tuple(one for one in bare if _place(one) < max(copies, default=0))


def _place(output: Operator) -> int:
    place = output.attributes.get("col")
    return place if isinstance(place, int) else 0


RULE = Rule(
    id="CL133",
    title="outputs of which some are scaled by 1 as they are saved and some are not, in 2.6",
    action=Action.REPAIR,
    explanation=(
        "2.x copies outputs by a scale of 1 when it saves them, but no bools. paddle.jit.load of "
        "2.6 takes the copies first and the other outputs after them: `(x > 0, x * 2)` comes back "
        "as `(x * 2, x > 0)`. The copies get another name, and all outputs their order."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured", "a bool output before a float one, layer on 2.6.2; the program: right"
        ),
    ),
    module="compatload.programs.legacy_repairs.output_order",
    alone=(Alone(632, when=Condition(paddle="<3.0", apis=LAYER, formats=LEGACY), sees=_fetched),),
)
