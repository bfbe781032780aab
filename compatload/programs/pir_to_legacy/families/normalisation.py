"""Normalisation and dropout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import filled, finish, given, unary

_VARIANCE, _SCALE, _BIAS = 2, 3, 4
_LARGEST_EPSILON = 0.0010000001  # 0.001 in single precision
_LAYOUT = {"data_format": "data_layout"}
_BATCH_NORM = rule(
    "batch_norm",
    "X Mean Variance Scale Bias",
    "Y MeanOut VarianceOut SavedMean SavedVariance",
    rename=_LAYOUT,
)
# Where it measures its statistics as it runs, 2.6 wants that place as well.
_MEASURING = replace(_BATCH_NORM, outputs=(*_BATCH_NORM.outputs, "ReserveSpace"))


@special(None, operands=5)
def _batch_norm(operation: Operation, out: Emitter) -> None:
    """The running statistics are updated in place: output and input are one variable.

    A synchronised one computes the same where a single process runs it. 2.6 reads a scale and a
    bias that are absent (SIGSEGV), so that it gets ones and zeros; it takes no epsilon above
    0.001, so that the variance is given with it.
    """
    for result, operand in ((1, 1), (2, 2)):
        value = operation.operand(operand)
        if value is not None and result < len(operation.results):
            out.bind(operation.results[result], out.names(value))
    operands, made = list(operation.operands), {}
    mean = given(operation, 1)
    for index, number in ((_SCALE, 1.0), (_BIAS, 0.0)):
        if operands[index] is None:
            operands[index], made[index] = mean, (filled(out, number, mean.type),)
    told = operation.attributes
    measures, overrides = told.get("trainable_statistics"), {}
    if told.get("epsilon", 0.0) > _LARGEST_EPSILON:
        if measures or not told.get("is_test", told.get("use_global_stats")):
            raise ObstacleError("Paddle 2.6 measures with an epsilon of 0.001 at most")
        variance = given(operation, _VARIANCE)
        shift = {"scale": 1.0, "bias": told["epsilon"]}
        shifted = unary(out, "scale", out.name(variance), variance.type, **shift)
        made[_VARIANCE], overrides = (shifted,), {"epsilon": 0.0}
        out.bind(operation.results[_VARIANCE], (shifted,))
    rule_ = (
        _MEASURING if measures or any(one.uses for one in operation.results[5:]) else _BATCH_NORM
    )
    apply(rule_, replace(operation, operands=tuple(operands)), out, made, **overrides)


P_NORM = rule("p_norm")


@special(None)
def _p_norm(operation: Operation, out: Emitter) -> None:
    """2.6 has no axis in a single number, the norm of which is its size; along an axis that it has
    not, 3.x gives 0."""
    source, told = given(operation, 0), operation.attributes
    if source.type.dims or not told.get("porder", 2.0):
        apply(P_NORM, operation, out)
    elif told.get("asvector"):
        finish(out, "abs", {"X": out.name(source)}, operation.results[0])
    else:
        finish(out, "fill_any_like", {"X": out.name(source)}, operation.results[0], value=0.0)


RULES: Mapping[str, Conversion] = {
    "batch_norm": _batch_norm,
    "batch_norm_": _batch_norm,
    "sync_batch_norm_": _batch_norm,
    "layer_norm": rule("layer_norm", "X Scale Bias", "Y Mean Variance"),
    "group_norm": rule("group_norm", "X Scale Bias", "Y Mean Variance", rename=_LAYOUT),
    "instance_norm": rule("instance_norm", "X Scale Bias", "Y SavedMean SavedVariance"),
    "norm": rule("norm", "X", "Out Norm"),
    "lrn": rule("lrn", "X", "Out MidOut"),
    "p_norm": _p_norm,
    "spectral_norm": rule("spectral_norm", "Weight U V"),
    "clip_by_norm": rule("clip_by_norm"),
    "renorm": rule("renorm"),
    "squared_l2_norm": rule("squared_l2_norm"),
    "l1_norm": rule("l1_norm"),
    "dropout": rule(
        "dropout",
        "X Seed p",
        "Out Mask",
        folded={"p": Folded("dropout_prob")},
        rename={"mode": "dropout_implementation"},
        ignored="seed fix_seed",
    ),
}
