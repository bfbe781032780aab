"""CL101: legacy program, and PIR is on."""

from __future__ import annotations

from compatload.faults.model import LEGACY, PYTHON, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL101",
    title="legacy program, and PIR is on",
    when=(Condition(paddle=">=3.0", apis=PYTHON, formats=LEGACY, pir_mode=True),),
    action=Action.TRANSLATE,
    explanation=(
        "With PIR on, which is the default since 3.0, paddle.jit.load and "
        "paddle.static.load_inference_model look for a .json file only, and the flag is read "
        "once, when paddle is imported. The program is translated to PIR in memory, by "
        "Paddle's own translator, and loaded from there: no flag changes."
    ),
    without="error",
    evidence=(
        Evidence("measured", "2.6.2 → 3.0.0, 3.1.1, 3.2.2, 3.3.1, every model"),
        Evidence("thread", "PaddlePaddle/Paddle/issues/71996"),
        Evidence("thread", "PaddlePaddle/Paddle/issues/75145"),
        Evidence("thread", "PaddlePaddle/Paddle/issues/75300"),
    ),
    alone=(Alone(220),),
)
