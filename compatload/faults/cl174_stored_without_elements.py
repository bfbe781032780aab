"""CL174: a stored tensor without elements, loaded as a layer."""

from __future__ import annotations

from compatload.faults.model import LAYER, LEGACY, PIR, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL174",
    title="a stored tensor without elements, loaded as a layer",
    when=(
        Condition(apis=LAYER, formats=PIR, emptied=True),
        Condition(paddle="<3.0", apis=LAYER, formats=LEGACY, emptied=True),
    ),
    action=Action.REFUSE,
    explanation=(
        "A buffer like `paddle.zeros([0])`; recurrent layers of static programs keep one for their "
        "dropout. Paddle saves it, and its layer asks for the place of a tensor that has no memory "
        "(`Tensor not initialized yet when DenseTensor::place() is called`). Programs and "
        "predictors do not ask."
    ),
    without="error",
    evidence=(
        Evidence("measured", "register_buffer('e', paddle.zeros([0])): jit.load of 2.6.2 to 3.3.1"),
        Evidence("measured", "nn.GRU in save_inference_model of 3.3.1: jit.load of the same"),
        Evidence("measured", "both by executors and predictors: right"),
    ),
    advice="Load it with safe_load(path, inference_only=True).",
    alone=(Alone(728, "error"),),
)
