"""CL180: gradients of gradients that 3.x neither translates nor runs."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL180",
    title="gradients of gradients, legacy program in 3.x",
    action=Action.REPAIR,
    explanation=(
        "What `paddle.grad` makes of another gradient (the residual of a physics-informed "
        "network, say) is an operator such as `sin_double_grad` or `sigmoid_grad_grad`. The "
        "translator of 3.x knows that of tanh, relu, elu, celu, square and of matrix products; "
        "that of leaky_relu ends 3.3 there. With any other no layer is loaded, and a predictor, "
        "which runs the legacy program, ends at that of sigmoid and of a quotient. They are put "
        "together from operators that every release has."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured",
            "sigmoid_grad_grad and elementwise_div_grad_grad in a predictor of 3.3.1: SIGSEGV",
        ),
        Evidence(
            "measured",
            "jit.load of 3.3.1: sin, cos, log, pow, softplus, sqrt, rsqrt, abs, a product, "
            "a difference are not translated",
        ),
    ),
    module="compatload.programs.legacy_repairs.second_gradients",
)
