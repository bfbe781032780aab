"""Activations and functions of one tensor, element by element."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, rule

_SAME = (
    "abs acos acosh angle asin asinh atan atanh ceil celu conj cos cosh elu erf erfinv exp "
    "expm1 floor gelu gumbel_softmax imag lgamma log log10 log1p log2 log_softmax logit logsigmoid "
    "maxout real reciprocal relu relu6 rsqrt selu sigmoid sign silu sin sinh softmax softplus "
    "softsign sqrt square stanh swish tan tanh tanh_shrink trunc as_complex as_real is_empty"
)

RULES: Mapping[str, Conversion] = {
    **{name: rule(name) for name in _SAME.split()},
    **{name: rule(name, "x", "out") for name in ("i0", "i0e", "i1", "i1e", "polygamma")},
    "gammaln": rule("lgamma"),
    "rint": rule("round"),
    "isnan": rule("isnan_v2"),
    "isinf": rule("isinf_v2"),
    "isfinite": rule("isfinite_v2"),
    "leaky_relu": rule("leaky_relu", rename={"negative_slope": "alpha"}),
    "mish": rule("mish", rename={"lambda": "threshold"}),
    "hardswish": rule("hard_swish", fixed={"threshold": 6.0, "scale": 6.0, "offset": 3.0}),
    "hardsigmoid": rule("hard_sigmoid"),
    "hardshrink": rule("hard_shrink"),
    "softshrink": rule("softshrink", rename={"threshold": "lambda"}),
    "hardtanh": rule("brelu"),
    "prelu": rule("prelu", "X Alpha"),
    "rrelu": rule("rrelu", "X", "Out Noise"),
}
