"""CL108: operator that two releases of one PIR version describe differently."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import (
    PIR,
    PROGRAM,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

# From the registries of the wheels (compatload.operators); a test keeps both in step.
DIFFERENT_IN_3_1 = frozenset(
    {
        *("fp8_quant_blockwise", "index_elementwise_get", "index_elementwise_put"),
        *("index_elementwise_put_with_tensor", "kthvalue", "moe_gate_dispatch_and_quant", "rint"),
    }
)
DIFFERENT_IN_3_3 = frozenset(
    {
        *("add_group_norm_silu", "depthwise_conv2d_bias", "depthwise_conv3d_bias"),
        *("fp8_quant_blockwise", "group_norm", "group_norm_silu_xpu", "linear_v2", "moe_permute"),
        *("moe_unpermute", "nansum", "rms_norm", "std", "var"),
    }
)
# Whose attributes are of other types in 3.1, 3.2 or 3.3. Paddle raises those of forwards in older
# files to what it expects, and forgets these.
GRADIENTS = frozenset(
    {
        *("bicubic_interp_grad", "bilinear_interp_grad", "expand_as_grad", "group_norm_grad"),
        *("kthvalue_grad", "leaky_relu_grad", "linear_interp_grad", "logit_grad"),
        *("lp_pool2d_grad", "nearest_interp_grad", "pad3d_grad", "pool2d_grad", "pool3d_grad"),
        *("rms_norm_grad", "softplus_grad", "trilinear_interp_grad"),
    }
)
_PIR_IN_3 = Condition(paddle=">=3.0", formats=PIR)

RULE = Rule(
    id="CL108",
    title="operator that two releases of one PIR version describe differently",
    when=(
        Condition(paddle=">=3.1,<3.2", formats=PIR, operators=(OperatorPattern(DIFFERENT_IN_3_1),)),
        Condition(paddle=">=3.3,<3.4", formats=PIR, operators=(OperatorPattern(DIFFERENT_IN_3_3),)),
        Condition(paddle=">=3.1", formats=PIR, operators=(OperatorPattern(GRADIENTS),)),
    ),
    action=Action.CONVERT,
    explanation=(
        "3.1.0 and 3.1.1, and 3.3.0 and 3.3.1, write the same version number and expect "
        "different attributes. What the file holds decides: attributes that do not fit are "
        "rewritten, and a file that fits is left as it is. So are gradients of older files "
        "(`paddle.grad` in a forward), which Paddle itself does not raise to its own version."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "3.3.0 → 3.3.1, group_norm: layer fails, program SIGSEGV"),
        Evidence("measured", "3.3.1 → 3.3.0, group_norm: every loader fails"),
        Evidence("measured", "3.0.0 → 3.3.1, pool2d_grad: MUST be pir::Int64Attribute"),
    ),
    parameters=("pir",),
    advice="Convert it once with `compatload convert MODEL TARGET --to paddle==RELEASE`.",
    alone=(
        Alone(
            330,
            "crash",
            replace(_PIR_IN_3, apis=PROGRAM),
            "compatload.programs.sights:scalar_first",
        ),
        Alone(331, "error", _PIR_IN_3, "compatload.programs.sights:unfit"),
        Alone(332, "wrong", _PIR_IN_3, "compatload.programs.sights:unread"),
    ),
)
