"""Forms of operators that engines have and do not run, or compute wrongly (OpenVINO 2026.4.1;
onnxruntime 1.32.0, which runs what paddle2onnx 1.3.1 writes).

Each was seen in the zoo (``python -m matrix.engine_facts``), and none has been rewritten where it
stands here: sizes are free, or nobody has written it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, Optional

from compatload.artifact.model import Operator, Program
from compatload.engines.extensions import RECURRENT

# Whose results may be NaN where their operands are none.
_MAKING_NAN = frozenset({"elementwise_div", "elementwise_pow", "log", "pow", "sqrt"})

_CHANNELS_LAST = frozenset({"NHWC", "NDHWC"})

# In the names of what rewritings make.
_WRITTEN = ".compatload_"

# What is wrong with an operator, or None.
Flaw = Callable[[Operator, Program], Optional[str]]


def _always(why: str) -> Flaw:
    return lambda operator, program: why


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
    return "channels last" if _CHANNELS_LAST.intersection(layouts) else None


def _kept_axis(operator: Operator, _: Program) -> str | None:
    told = operator.attributes
    return "it does not follow keepdims" if told.get("keepdims") else None


def _listed(operator: Operator, name: str) -> bool:
    value: Any = operator.attributes.get(name) or ()
    return any(value) if isinstance(value, tuple) else bool(value)


def _sum_of_another_type(operator: Operator, _: Program) -> str | None:
    given, made = (operator.attributes.get(name, -1) for name in ("in_dtype", "out_dtype"))
    return "it does not follow out_dtype" if made not in (-1, given) else None


def _nearly_equal(operator: Operator, program: Program) -> str | None:
    kind = _dtype(operator, program)
    floating = kind is None or kind.startswith(("float", "bfloat"))
    if all(_WRITTEN in name for name in operator.outputs.get("Out", ())):
        return None  # a rewriting's own, beside which nearly is as good
    return "it takes numbers that are nearly equal for equal" if floating else None


def _exact_alone(operator: Operator, _: Program) -> str | None:
    return "it has the exact one only" if operator.attributes.get("approximate") else None


def _to_one_place(operator: Operator, _: Program) -> str | None:
    return "to one place" if operator.attributes.get("out_w") == 1 else None


def _windows(operator: Operator, program: Program) -> str | None:
    told: Any = operator.attributes
    if told.get("ceil_mode") and any(told.get("paddings", ())):
        return "it leaves out windows of padding alone"
    if told.get("pooling_type") == "max" and _may_be_nan(operator, program):
        return "it passes over NaN"
    return None


def _norm_of_powers(operator: Operator, _: Program) -> str | None:
    power: Any = operator.attributes.get("porder", 2.0)
    return None if power and abs(power) < inf else f"the norm of {power:g}"


def _measuring(operator: Operator, program: Program) -> str | None:
    told = operator.attributes
    stored = told.get("use_global_stats") or (
        told.get("is_test") and not told.get("trainable_statistics")
    )
    read = {*operator.inputs.get("Mean", ()), *operator.inputs.get("Variance", ())}
    made = (v for one in program.operators if one is not operator for v in _results(one))
    return None if stored and read.isdisjoint(made) else "it takes the stored mean and variance"


def _results(operator: Operator) -> Iterator[str]:
    for values in operator.outputs.values():
        yield from values


def _two_recurrent(operator: Operator, program: Program) -> str | None:
    return _recurrent(operator, program) or _last_state(operator, program)


def _pooled(operator: Operator, program: Program) -> str | None:
    told: Any = operator.attributes
    counted = not told.get("exclusive", True) and any(told.get("paddings", ()))
    if told.get("pooling_type") == "avg" and counted and told.get("ceil_mode"):
        return "it counts no padding where windows reach out"
    return _adaptive(operator, program)


def _may_be_nan(operator: Operator, program: Program) -> bool:
    source = next(iter(operator.inputs.get("X", ())), "")
    makers = (one for one in program.operators if source in one.outputs.get("Out", ()))
    return any(one.name in _MAKING_NAN for one in makers)


def _clipped(operator: Operator, _: Program) -> str | None:
    told = any(operator.inputs.get(slot) for slot in ("Min", "Max"))
    return "it does not follow bounds that are computed" if told else None


def _of_bytes(operator: Operator, program: Program) -> str | None:
    small = _dtype(operator, program) in ("int8", "uint8")
    return "it wraps numbers of a byte otherwise" if small else None


def _of_whole(operator: Operator, program: Program) -> str | None:
    whole = str(_dtype(operator, program)).startswith(("int", "uint"))
    return "it gives whole numbers for whole numbers" if whole else None


def _dtype(operator: Operator, program: Program) -> str | None:
    spec = program.variables.get(next(iter(operator.inputs.get("X", ())), ""))
    return None if spec is None else spec.dtype


def _in_double(operator: Operator, program: Program) -> str | None:
    return "it compares in float32" if _dtype(operator, program) == "float64" else None


def _power(operator: Operator, program: Program) -> str | None:
    return "it loses digits" if _dtype(operator, program) == "int64" else None


_OTHER_VALUES = _always("it hands on other values than Paddle does")

OF_OPENVINO: Mapping[str, Flaw] = {
    "arg_max": _kept_axis,
    "arg_min": _kept_axis,
    "batch_norm": _measuring,
    "bicubic_interp_v2": _channels_last,
    "bilinear_interp_v2": _channels_last,
    "clip": _clipped,
    "conditional_block": _OTHER_VALUES,
    "conv2d": _channels_last,
    "conv3d": _volume,
    "conv2d_transpose": _transposed,
    "depthwise_conv2d": _channels_last,
    "depthwise_conv2d_transpose": _transposed,
    "elementwise_pow": _power,
    "equal": _in_double,
    "inverse": _always("it loses digits"),
    "linear_interp_v2": _to_one_place,
    "lod_array_length": _OTHER_VALUES,
    "log": _of_whole,
    "max_pool2d_with_index": _masked_pool,
    "not_equal": _in_double,
    "nearest_interp_v2": _nearest,
    "pad3d": _padding,
    "pool2d": _pooled,
    "reduce_sum": _sum_of_another_type,
    "rnn": _recurrent,
    RECURRENT: _recurrent,
    "scale": _of_bytes,
    "softplus": _softplus,
    "strided_slice": _backwards,
    "tensor_array_to_tensor": _OTHER_VALUES,
}

OF_ONNXRUNTIME: Mapping[str, Flaw] = {
    "batch_norm": _measuring,
    "equal": _nearly_equal,
    "gelu": _exact_alone,
    "linear_interp_v2": _to_one_place,
    "not_equal": _nearly_equal,
    "p_norm": _norm_of_powers,
    "pad3d": _channels_last,
    "pool2d": _windows,
    "reduce_sum": _sum_of_another_type,
    "rnn": _two_recurrent,
    "round": _always("it rounds halves to even numbers"),
    "strided_slice": _backwards,
}


def flaws(program: Program, known: Mapping[str, Flaw]) -> Iterator[str]:
    """Operators of a program in such a form, with their places and the reason."""
    for operator in program.operators:
        flaw = known.get(operator.name)
        why = flaw(operator, program) if flaw else None
        if why:
            yield f"{operator.position}: {why}"
