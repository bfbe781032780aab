"""CL124: factor of an interpolation that 3.3 reads as another number, older PIR program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, OperatorPattern, Rule
from compatload.operators.decimals import shortest_decimal

_INTERPOLATIONS = frozenset(
    f"{kind}_interp" for kind in ("linear", "bilinear", "bicubic", "nearest", "trilinear")
)
_IN_DOUBLE_PRECISION = 4  # the version of files that keep such factors as float64


def _is_widened(operator: Operator, graph: Graph) -> bool:
    scale = operator.attributes.get("scale")
    factors = scale if isinstance(scale, (list, tuple)) else ()
    return (graph.artifact.pir_version or 0) < _IN_DOUBLE_PRECISION and any(
        isinstance(one, float) and one > 0 and shortest_decimal(one) != one for one in factors
    )


RULE = Rule(
    id="CL124",
    title="factor of an interpolation that 3.3 reads as another number, older PIR program",
    when=(
        Condition(
            paddle=">=3.3",
            formats=PIR,
            operators=(OperatorPattern(_INTERPOLATIONS, where=_is_widened),),
        ),
    ),
    action=Action.CONVERT,
    explanation=(
        "As CL123, for PIR programs that 3.0 to 3.2 saved: Paddle widens the float32 when it "
        "reads the file. The program is rewritten with the decimal that was meant."
    ),
    without="wrong",
    evidence=(Evidence("measured", "interpolate(scale_factor=1.3), saved by 3.0.0: 3.3.1"),),
    alone=(Alone(535),),
)
