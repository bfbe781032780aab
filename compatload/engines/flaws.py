"""Forms of operators that OpenVINO has and does not run, or computes wrongly (2026.4.1).

Each was seen in the zoo (``python -m matrix.openvino_facts``), and none has been rewritten where it
stands here: sizes are free, or nobody has written it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Optional

from compatload.artifact.model import Operator, Program
from compatload.engines.extensions import RECURRENT

# What is wrong with an operator, or None.
Flaw = Callable[[Operator, Program], Optional[str]]


def _recurrent(operator: Operator, _: Program) -> str | None:
    lengths = operator.inputs.get("SequenceLength")
    return "it does not follow the lengths of sequences" if lengths else None


def _nearest(operator: Operator, _: Program) -> str | None:
    scales: Any = operator.attributes.get("scale") or ()
    if any(0 < scale < 1 and (1 / scale) % 1 for scale in scales):
        return "it rounds up where a size becomes smaller"
    return None


def _transposed(operator: Operator, _: Program) -> str | None:
    if any(_listed(operator, name) for name in ("output_padding", "output_size")):
        return "it does not follow output_padding and output_size"
    return None


def _masked_pool(operator: Operator, program: Program) -> str | None:
    masks = set(operator.outputs.get("Mask", ()))
    read = any(masks & set(names) for one in program.operators for names in one.inputs.values())
    kept = masks & {spec.name for spec in program.outputs}
    return "it has no places of the maxima" if read or kept else None


def _padding(operator: Operator, _: Program) -> str | None:
    return "no circular mode" if operator.attributes.get("mode") == "circular" else None


def _adaptive(operator: Operator, _: Program) -> str | None:
    sizes: Any = operator.attributes.get("ksize") or ()
    if operator.attributes.get("adaptive") and tuple(sizes)[:1] == (1,) and max(sizes) > 1:
        return "it takes one row of parts for one part"
    return None


def _backwards(operator: Operator, _: Program) -> str | None:
    steps: Any = operator.attributes.get("strides") or ()
    return "negative steps" if min(steps, default=1) < 0 else None


def _volume(operator: Operator, _: Program) -> str | None:
    told = operator.attributes
    if told.get("data_format", "NCDHW") not in ("NCDHW", "NCHW", "AnyLayout"):
        return "channels last"
    explicit = told.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
    return None if explicit else "paddings that follow from sizes"


def _channels_last(operator: Operator, _: Program) -> str | None:
    layouts = (operator.attributes.get(name) for name in ("data_format", "data_layout"))
    return "channels last" if "NHWC" in layouts else None


def _kept_axis(operator: Operator, _: Program) -> str | None:
    told = operator.attributes
    return "it does not follow keepdims" if told.get("keepdims") else None


def _listed(operator: Operator, name: str) -> bool:
    value: Any = operator.attributes.get(name) or ()
    return any(value) if isinstance(value, tuple) else bool(value)


FLAWS: Mapping[str, Flaw] = {
    "arg_max": _kept_axis,
    "arg_min": _kept_axis,
    "bicubic_interp_v2": _channels_last,
    "bilinear_interp_v2": _channels_last,
    "conv2d": _channels_last,
    "conv3d": _volume,
    "conv2d_transpose": _transposed,
    "depthwise_conv2d": _channels_last,
    "depthwise_conv2d_transpose": _transposed,
    "max_pool2d_with_index": _masked_pool,
    "nearest_interp_v2": _nearest,
    "pad3d": _padding,
    "pool2d": _adaptive,
    "rnn": _recurrent,
    RECURRENT: _recurrent,
    "strided_slice": _backwards,
}
