"""CL640: an output in bfloat16, which the handles of a predictor do not give."""

from __future__ import annotations

from compatload.faults.graph import takes_bfloat16
from compatload.faults.model import (
    PREDICTOR,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

_OUTPUTS = (OperatorPattern(frozenset({"fetch"}), where=takes_bfloat16),)
# Nonsense, and memory beyond the output.
_READ_AS_FLOAT32 = Condition(apis=PREDICTOR, paddle=">=3.0", operators=_OUTPUTS)

RULE = Rule(
    id="CL640",
    title="an output in bfloat16, read by the handles of a predictor",
    when=(Condition(apis=PREDICTOR, paddle="<3.0", operators=_OUTPUTS), _READ_AS_FLOAT32),
    action=Action.REWRITE,
    explanation=(
        "NumPy has no bfloat16. `copy_to_cpu` of 2.6 ends in `Unsupported data type`; that of 3.x "
        "reads the numbers as if they had 32 bits, and gives nonsense. The output is given in "
        "float32, which holds each number of bfloat16 as it is. Layers, programs and "
        "`inference_only` give bfloat16."
    ),
    without="error",
    evidence=(
        Evidence("measured", "bfloat16 as output of 3.0.0, 3.3.0, 3.3.1: wrong by 5, or by 1e30"),
        Evidence("measured", "Linear(6, 4)(x).astype('bfloat16') in 2.6.2: error"),
    ),
    module="compatload.programs.rewritings.fetched_in_single",
    cause=Cause.KERNELS,
    advice="For bfloat16, load it with safe_load(path, inference_only=True).",
    alone=(Alone(739, "wrong", when=_READ_AS_FLOAT32), Alone(755, "error")),
)
