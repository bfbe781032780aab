"""CL161: layers of Python (``paddle.autograd.PyLayer``) in programs."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL161",
    title="layers of Python (paddle.autograd.PyLayer) in programs",
    action=Action.REPAIR,
    explanation=(
        "Paddle saves a `PyLayer` as its forward, a block of operators; 3.x adds the number of a "
        "Python function for gradients, whichever the process that loads it has under that "
        "number. 2.6 cannot read that of 3.x, and the process dies where 3.x translates that of "
        "2.6 to PIR. The operators of the forward take its place, and nothing of Python is left: "
        "what is trained after it was loaded gets the gradients of these operators. To have "
        "Python's, of a PIR file that you trust, disable this rule and give "
        "trusted_operators=('pd_op.pylayer',)."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured", "2.6.2 → 3.0.0 and 3.3.1, layer and program: SIGSEGV in OpTranscriber"
        ),
        Evidence("measured", "2.6.2 → 3.0.0 and 3.3.1, predictor, which translates nothing: right"),
        Evidence("measured", "saved by 3.0.0, 3.2.2 and 3.3.1, loaded by 3.x: outputs are right"),
        Evidence("measured", "3.3.1 → 2.6.2 so written, layer, program and predictor: right"),
    ),
    module="compatload.programs.legacy_repairs.python_layers",
)
