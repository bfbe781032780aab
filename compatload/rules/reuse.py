"""CL232 and CL233: what passes of the PIR predictor do to values that are read, or made, twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.rules.links import FIRST, SECOND
from compatload.rules.model import Action, Evidence, OperatorPattern, Rule
from compatload.rules.onednn import PIR_IN_ONEDNN

# Operators that may leave their result in the memory of an operand (those that the registries of
# 3.0.0 to 3.3.1 list with an underscore as well) and that oneDNN does not run, with the first
# release where both hold. What changes the type, or nothing but the shape, never was seen to.
IN_PLACE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("acos", "acosh", "addmm", "asin", "asinh", "atan", "atanh", "baddbmm", "bce_loss"),
            *("ceil", "copysign", "cos", "cosh", "cross_entropy_with_softmax", "cumprod"),
            *("cumsum", "digamma", "erf", "erfinv", "expm1", "exponential", "fill"),
            *("fill_diagonal", "fill_diagonal_tensor", "floor", "floor_divide", "gammaincc"),
            *("gammaln", "hardtanh", "i0", "increment", "index_add", "index_put", "lerp"),
            *("lgamma", "log", "log10", "log1p", "log2", "logit", "polygamma", "pow"),
            *("put_along_axis", "reciprocal", "remainder", "renorm", "rsqrt", "scatter"),
            *("set_value", "set_value_with_tensor", "sigmoid_cross_entropy_with_logits", "sin"),
            *("sinh", "square", "tan", "thresholded_relu", "tril", "triu", "trunc", "where"),
        ),
        "3.0",
    ),
    **dict.fromkeys(("index_elementwise_put", "masked_fill"), "3.1"),
    **dict.fromkeys(("index_elementwise_put_with_tensor", "rint"), "3.1.1"),
    "silu": "3.2",
    **dict.fromkeys(("divide", "dropout"), "3.3"),
}
# What gives a value of oneDNN's another shape or another name, and leaves it where it is.
VIEWS = frozenset({"assign", "share_data", "unsqueeze"})
OVERWRITING = (
    OperatorPattern(frozenset(IN_PLACE) - {"where"}, overwrites=FIRST, views=VIEWS),
    # The first is the condition.
    OperatorPattern(frozenset({"where"}), overwrites=SECOND, views=VIEWS),
)
OUTPUT_WITH_TWIN = OperatorPattern(frozenset({"fetch"}), alike=True)

REUSE_RULES = (
    Rule(
        id="CL232",
        title="value of oneDNN's overwritten before it is read again, PIR program",
        when=(replace(PIR_IN_ONEDNN, onednn=True, operators=OVERWRITING),),
        action=Action.DELETE_PASSES,
        explanation=(
            "A value of oneDNN's that goes to an operator outside of it gets a second name and "
            "keeps its memory, unless it has to be put in another order. The pass sees one reader "
            "of that name and lets it compute in place. Whatever reads the value afterwards reads "
            "the result instead, in silence: of `y = x @ w; cos(y) + y` the second `y` is the "
            "cosine. Norms from squares and position encodings have this form. Without the pass "
            "the predictor is as fast."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "y = x @ w, cos(y) + y: 0.68 of the scale, 3.0.0 to 3.3.1"),
            Evidence("measured", "y * rsqrt(mean(pow(y, 2))), and y: wrong on 3.0.0 and 3.3.1"),
            Evidence("measured", "y.unsqueeze(1), cos(y): the first is the cosine, 3.0.0 to 3.3.1"),
            Evidence("measured", "RT-DETR's sine and cosine of one product: 0.69, 3.1.1, 3.2.2"),
            Evidence("measured", "ResNet-50, MobileNetV3 without it, 3.2.2: +0.9 % and +0.0 %"),
        ),
        parameters=("inplace_pass",),
    ),
    Rule(
        id="CL233",
        title="outputs computed alike, PIR program",
        when=(replace(PIR_IN_ONEDNN, operators=(OUTPUT_WITH_TWIN,)),),
        action=Action.DELETE_PASSES,
        explanation=(
            "Of two outputs that are computed by the same operators from the same values (two "
            "states of zeros, for one) the pass computes one, and the name of the other is lost: "
            "`The variable named fetch_name_0 is not found`."
        ),
        without="error",
        evidence=(
            Evidence("measured", "return zeros_like(x), zeros_like(x): 3.0.0 and 3.3.1"),
            Evidence("measured", "relu(x) twice, or any that oneDNN computes last: right"),
        ),
        parameters=("common_subexpression_elimination_pass",),
    ),
)

# What looks at one reader of a value, or at one maker.
REUSE_PASSES = tuple(name for rule in REUSE_RULES for name in rule.parameters)
