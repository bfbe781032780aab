"""CL174: a stored tensor without elements, loaded as a layer."""

from __future__ import annotations

from collections.abc import Sequence

from compatload.artifact.model import Parameter
from compatload.faults.model import LAYER, PIR, Action, Alone, Condition, Evidence, Rule


def _is_any_empty(stored: Sequence[Parameter]) -> bool:
    return any(0 in (one.shape or ()) for one in stored)


def _is_first_empty(stored: Sequence[Parameter]) -> bool:
    """Files hold them in the order of their names."""
    return len(stored) > 0 and min(stored, key=lambda one: one.name).shape == (0,)


RULE = Rule(
    id="CL174",
    title="a stored tensor without elements, loaded as a layer",
    when=(
        Condition(paddle="<3.0", apis=LAYER, stores=_is_any_empty),
        Condition(paddle=">=3.0", apis=LAYER, formats=PIR, stores=_is_first_empty),
    ),
    action=Action.REFUSE,
    explanation=(
        "A buffer like `paddle.zeros([0])`; recurrent layers of static programs keep one for their "
        "dropout. Paddle saves it, and its layer asks for the place of a tensor that has no memory "
        "(`Tensor not initialized yet when DenseTensor::place() is called`): 2.6 of any, 3.x of "
        "the first in the file, if that has one axis. Programs and predictors do not ask."
    ),
    without="error",
    evidence=(
        Evidence("measured", "buffers of zeros([0]): jit.load of 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "of zeros([0, 4]): an error on 2.6.2, right on 3.0.0 to 3.3.1"),
        Evidence("measured", "nn.GRU in save_inference_model of 3.3.1: jit.load of the same"),
        Evidence("measured", "nn.GRU behind a convolution, whose name comes before: right on 3.x"),
        Evidence("measured", "both by executors and predictors: right"),
    ),
    advice="Load it with safe_load(path, inference_only=True).",
    alone=(Alone(728, "error"),),
)
