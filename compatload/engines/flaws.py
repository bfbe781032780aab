"""Forms of operators that engines have and do not run, or compute wrongly (OpenVINO 2026.4.1;
onnxruntime 1.32.0, which runs what paddle2onnx 1.3.1 writes).

Each was seen in the zoo (``python -m matrix.engine_facts``), and none has been rewritten where it
stands here: sizes are free, or nobody has written it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Optional

from compatload.artifact.model import Operator, Program
from compatload.engines.extensions import RECURRENT

# What is wrong with an operator, or None.
Flaw = Callable[[Operator, Program], Optional[str]]


def _softplus(operator: Operator, _: Program) -> str | None:
    """Those that are left are its own, or have a beta of 0."""
    told = operator.attributes
    return None if told.get("beta", 1.0) == 1.0 else "a beta of 0"


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
    return "it has no places of the maxima" if _is_used(operator, "Mask", program) else None


def _last_state(operator: Operator, program: Program) -> str | None:
    layers: Any = operator.attributes.get("num_layers", 1)
    used = layers > 1 and _is_used(operator, "State", program)
    return "it has the states of the last layer only" if used else None


def _is_used(operator: Operator, slot: str, program: Program) -> bool:
    """Whether anything reads an output of an operator, or it is one of the program's."""
    found = set(operator.outputs.get(slot, ()))
    read = any(found & set(names) for one in program.operators for names in one.inputs.values())
    return read or bool(found & {spec.name for spec in program.outputs})


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


OF_OPENVINO: Mapping[str, Flaw] = {
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
    "softplus": _softplus,
    "strided_slice": _backwards,
}

OF_ONNXRUNTIME: Mapping[str, Flaw] = {
    "rnn": _last_state,
}


def flaws(program: Program, known: Mapping[str, Flaw]) -> Iterator[str]:
    """Operators of a program in such a form, with their places and the reason."""
    for operator in program.operators:
        flaw = known.get(operator.name)
        why = flaw(operator, program) if flaw else None
        if why:
            yield f"{operator.position}: {why}"
