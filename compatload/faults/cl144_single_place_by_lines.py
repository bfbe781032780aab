"""CL144: linear interpolation to a single place, saved by 3.3, before it."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand, result
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.origin import across

_BY_LINES = frozenset(
    {"linear_interp", "linear_interp_v2", "trilinear_interp", "trilinear_interp_v2"}
)


def single_places(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """The axes of which one place is made. Channels, wherever they are, stay as many."""
    return [
        axis for axis, (old, new) in enumerate(zip(before, after)) if axis and new == 1 and old != 1
    ]


def _is_to_one_place(operator: Operator, graph: Graph) -> bool:
    told = operator.attributes
    if told.get("align_corners", True) or told.get("align_mode", 1) != 0:
        return False
    before, after = graph.shape(operand(operator, FIRST)), graph.shape(result(operator))
    if before is None or after is None or len(before) != len(after):
        return False
    return bool(single_places(before, after))


OLDER, YOUNGER = across("3.3", _BY_LINES, _is_to_one_place)

RULE = Rule(
    id="CL144",
    title="linear interpolation to a single place, saved by 3.3, before it",
    when=(YOUNGER,),
    action=Action.REFUSE,
    explanation=(
        "Linear and trilinear interpolation to one place, with align_mode 0 and without "
        "align_corners, takes the first number up to 3.2, and what is in the middle from 3.3 on. "
        "In silence. Bilinear interpolation takes the first one everywhere."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "6 numbers to 1: 1.0 on 2.6.2 and 3.2.2, 12.5 on 3.3.0 and 3.3.1"),
    ),
    advice="Write the mean, or a slice, in place of the interpolation, and save the model again.",
    alone=(Alone(563),),
)
