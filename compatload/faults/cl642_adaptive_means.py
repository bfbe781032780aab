"""CL642: adaptive means of images of unknown size, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl268_windows_reaching_out import image_sizes, window
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU


def _may_not_divide(pooling: Operator, graph: Graph) -> bool:
    """Whether it makes several places of an axis of unknown size."""
    sizes, places = image_sizes(pooling, graph), window(pooling, graph)
    return (
        bool(pooling.attributes.get("adaptive"))
        and graph.dtype(operand(pooling, FIRST)) in IN_ONEDNN
        and (
            len(sizes) != len(places)
            or any(size < 0 and count != 1 for size, count in zip(sizes, places))
        )
    )


_POOLINGS = (OperatorPattern(frozenset({"pool2d"}), where=_may_not_divide),)

RULE = Rule(
    id="CL642",
    title="adaptive means of images of unknown size, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_POOLINGS),
        replace(PIR_ON_CPU, operators=_POOLINGS),
    ),
    action=Action.REWRITE,
    explanation=(
        "oneDNN's windows are all of one size and Paddle's are not, so oneDNN gets an adaptive "
        "mean only where the image divides into as many places. That is asked at the first call, "
        "and the answer is kept: after an image that divides, others get other numbers, without "
        "an error (pyramids of poolings in PSPNet and the like: 24 x 24, then 31 x 45). Such "
        "means compute in float64, which oneDNN leaves to Paddle."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "adaptive_avg_pool2d(conv(x), 3), 12 x 12 and then 16 x 23: 2.6.2, 3.0.0, 3.3.1; the "
            "other way round: right",
        ),
        Evidence("measured", "adaptive_avg_pool1d(x, 11), 143 places and then 136: the same"),
        Evidence("measured", "one place, sizes that are known, maxima: right"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(Alone(773, "wrong", by_data=True),),
)
