"""Convolutions, pooling, padding and what rearranges images."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    rule,
    special,
)

_OUTPUT_SIZE = {"output_size": Folded("output_size")}
_KERNEL = {"kernel_size": "ksize"}
_MAX_POOL = {"pooling_type": "max"}
_MAX_POOL_WITH_INDEX = rule(
    "max_pool2d_with_index", "X", "Out Mask", rename=_KERNEL, neutral={"ceil_mode": False}
)


@special(None, operands=4)
def _deformable(operation: Operation, out: Emitter) -> None:
    """Without a mask 2.6 has an operator of its own for it."""
    if operation.operand(3) is None:
        apply(rule("deformable_conv_v1", "Input Offset Filter", "Output"), operation, out)
    else:
        apply(rule("deformable_conv", "Input Offset Filter Mask", "Output"), operation, out)


@special(None)
def _max_pool_with_index(operation: Operation, out: Emitter) -> None:
    """2.6 knows no ceil mode with positions; without them an ordinary pool has it."""
    if operation.attributes.get("ceil_mode") and not operation.results[1].uses:
        apply(rule("pool2d", "X", "Out", rename=_KERNEL, fixed=_MAX_POOL), operation, out)
    else:
        apply(_MAX_POOL_WITH_INDEX, operation, out)


RULES: Mapping[str, Conversion] = {
    "conv2d": rule("conv2d", "Input Filter", "Output"),
    "depthwise_conv2d": rule("depthwise_conv2d", "Input Filter", "Output"),
    "conv3d": rule("conv3d", "Input Filter", "Output"),
    "conv2d_transpose": rule(
        "conv2d_transpose", "Input Filter output_size", "Output", folded=_OUTPUT_SIZE
    ),
    "depthwise_conv2d_transpose": rule(
        "depthwise_conv2d_transpose", "Input Filter output_size", "Output", folded=_OUTPUT_SIZE
    ),
    "conv3d_transpose": rule("conv3d_transpose", "Input Filter", "Output"),
    "deformable_conv": _deformable,
    "pool2d": rule("pool2d", "X ksize", folded={"ksize": Folded("ksize")}),
    "pool3d": rule("pool3d", rename=_KERNEL),
    "max_pool2d_with_index": _max_pool_with_index,
    "max_pool3d_with_index": rule(
        "max_pool3d_with_index", "X", "Out Mask", rename=_KERNEL, neutral={"ceil_mode": False}
    ),
    "unpool": rule(
        "unpool",
        "X Indices output_size",
        folded=_OUTPUT_SIZE,
        rename={"padding": "paddings"},
        fixed={"unpooling_type": "max"},
    ),
    "unpool3d": rule("unpool3d", "X Indices"),
    "unfold": rule("unfold", "X", "Y"),
    "fold": rule("fold", "X", "Y"),
    "pad": rule("pad", "X pad_value", folded={"pad_value": Folded("pad_value")}),
    "pad3d": rule(
        "pad3d",
        "X paddings",
        folded={"paddings": Folded("paddings", "Paddings")},
        rename={"pad_value": "value"},
    ),
    "pixel_shuffle": rule("pixel_shuffle"),
    "pixel_unshuffle": rule("pixel_unshuffle"),
    "channel_shuffle": rule("channel_shuffle"),
    "shuffle_channel": rule("shuffle_channel"),
    "temporal_shift": rule("temporal_shift"),
    "affine_channel": rule("affine_channel", "X Scale Bias"),
    "grid_sample": rule("grid_sampler", "X Grid", "Output"),
    "affine_grid": rule(
        "affine_grid",
        "Theta output_shape",
        "Output",
        folded={"output_shape": Folded("output_shape", "OutputShape")},
    ),
    "correlation": rule("correlation", "Input1 Input2", "Output"),
}
