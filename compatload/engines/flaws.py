"""Forms of operators that engines have and do not run, or compute wrongly (OpenVINO 2026.4.1;
onnxruntime 1.32.0, which runs what paddle2onnx 1.3.1 writes).

Each was seen in the zoo (``python -m matrix.engine_facts``), and none has been rewritten where it
stands here: sizes are free, or nobody has written it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, Optional

from compatload.artifact.model import Operator
from compatload.engines.engine import LARGEST_INT32
from compatload.engines.extensions import RECURRENT
from compatload.faults.cl259_not_a_number import LOSING
from compatload.faults.graph import Graph, operand, result
from compatload.faults.undefined import undefined

_CHANNELS_LAST = frozenset({"NHWC", "NDHWC"})

# In the names of what rewritings make.
_WRITTEN = ".compatload_"

# What ends a program, or says what type its result has.
_HANDING_OUT = frozenset({"fetch", "cast"})

# What is wrong with an operator, or None.
Flaw = Callable[[Operator, Graph], Optional[str]]


def _always(why: str) -> Flaw:
    return lambda operator, graph: why


def _any_of(*several: Flaw) -> Flaw:
    """What the first of them says that says anything."""
    return lambda operator, graph: next(
        (why for flaw in several if (why := flaw(operator, graph))), None
    )


def _softplus(operator: Operator, _: Graph) -> str | None:
    """Those that are left are its own, or have a beta of 0."""
    told = operator.attributes
    return None if told.get("beta", 1.0) == 1.0 else "a beta of 0"


def _recurrent(operator: Operator, _: Graph) -> str | None:
    lengths = operator.inputs.get("SequenceLength")
    return "it does not follow the lengths of sequences" if lengths else None


def _nearest(operator: Operator, _: Graph) -> str | None:
    scales: Any = operator.attributes.get("scale") or ()
    if any(0 < scale < 1 and (1 / scale) % 1 for scale in scales):
        return "it rounds up where a size becomes smaller"
    return None


def _transposed(operator: Operator, _: Graph) -> str | None:
    if operator.attributes.get("padding_algorithm") == "SAME":
        return "paddings that follow from sizes"
    if any(_listed(operator, name) for name in ("output_padding", "output_size")):
        return "it does not follow output_padding and output_size"
    return None


def _masked_pool(operator: Operator, graph: Graph) -> str | None:
    return "it has no places of the maxima" if _is_used(operator, "Mask", graph) else None


def _last_state(operator: Operator, graph: Graph) -> str | None:
    layers: Any = operator.attributes.get("num_layers", 1)
    used = layers > 1 and _is_used(operator, "State", graph)
    return "it has the states of the last layer only" if used else None


def _is_used(operator: Operator, slot: str, graph: Graph) -> bool:
    """Whether anything reads an output of an operator, or it is one of the program's."""
    return any(graph.users_of(operator, slot))


def _padding(operator: Operator, _: Graph) -> str | None:
    return "no circular mode" if operator.attributes.get("mode") == "circular" else None


def _adaptive(operator: Operator, _: Graph) -> str | None:
    told: Any = operator.attributes.get("ksize") or ()
    parts = tuple(told)
    if operator.attributes.get("adaptive") and parts[:1] == (1,) and {*parts} != {1}:
        return "it takes one row of parts for one part"
    return None


def _backwards(operator: Operator, _: Graph) -> str | None:
    steps: Any = operator.attributes.get("strides") or ()
    return "negative steps" if min(steps, default=1) < 0 else None


def _volume(operator: Operator, _: Graph) -> str | None:
    told = operator.attributes
    if told.get("data_format", "NCDHW") not in ("NCDHW", "NCHW", "AnyLayout"):
        return "channels last"
    explicit = told.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
    return None if explicit else "paddings that follow from sizes"


def _channels_last(operator: Operator, _: Graph) -> str | None:
    layouts = (operator.attributes.get(name) for name in ("data_format", "data_layout"))
    return "channels last" if _CHANNELS_LAST.intersection(layouts) else None


def _kept_axis(operator: Operator, _: Graph) -> str | None:
    told = operator.attributes
    return "it does not follow keepdims" if told.get("keepdims") else None


def _listed(operator: Operator, name: str) -> bool:
    value: Any = operator.attributes.get(name) or ()
    return any(value) if isinstance(value, tuple) else bool(value)


def _sum_of_another_type(operator: Operator, _: Graph) -> str | None:
    given, made = (operator.attributes.get(name, -1) for name in ("in_dtype", "out_dtype"))
    return "it does not follow out_dtype" if made not in (-1, given) else None


def _nearly_equal(operator: Operator, graph: Graph) -> str | None:
    kind = _dtype(operator, graph)
    floating = kind is None or kind.startswith(("float", "bfloat"))
    if all(_WRITTEN in name for name in operator.outputs.get("Out", ())):
        return None  # a rewriting's own, beside which nearly is as good
    return "it takes numbers that are nearly equal for equal" if floating else None


def _exact_alone(operator: Operator, _: Graph) -> str | None:
    return "it has the exact one only" if operator.attributes.get("approximate") else None


def _to_one_place(operator: Operator, _: Graph) -> str | None:
    sizes = (operator.attributes.get(name) for name in ("out_h", "out_w"))
    return "to one place" if 1 in sizes else None


def _windows(operator: Operator, graph: Graph) -> str | None:
    told: Any = operator.attributes
    if told.get("ceil_mode") and any(told.get("paddings", ())):
        return "it leaves out windows of padding alone"
    return _window_of_nan(operator, graph)


def _norm_of_powers(operator: Operator, _: Graph) -> str | None:
    power: Any = operator.attributes.get("porder", 2.0)
    return None if power and abs(power) < inf else f"the norm of {power:g}"


def _of_several_images(operator: Operator, graph: Graph) -> str | None:
    images = (graph.shape(operand(operator, ("X",))) or (-1,))[0]
    return None if images == 1 else "it takes all boxes for those of one image"


def _measuring(operator: Operator, graph: Graph) -> str | None:
    told = operator.attributes
    stored = told.get("use_global_stats") or (
        told.get("is_test") and not told.get("trainable_statistics")
    )
    read = (operand(operator, (slot,)) for slot in ("Mean", "Variance"))
    stored = stored and all(map(graph.is_stored, read))
    return None if stored else "it takes the stored mean and variance"


def _pooled(operator: Operator, graph: Graph) -> str | None:
    told: Any = operator.attributes
    counted = not told.get("exclusive", True) and any(told.get("paddings", ()))
    if told.get("pooling_type") == "avg" and counted and told.get("ceil_mode"):
        return "it counts no padding where windows reach out"
    return _adaptive(operator, graph) or _window_of_nan(operator, graph)


def _window_of_nan(operator: Operator, graph: Graph) -> str | None:
    return _of_nan(operator, graph) if operator.attributes.get("pooling_type") == "max" else None


def _of_nan(operator: Operator, graph: Graph) -> str | None:
    """Whether the program may make NaN before it, as CL259 tells of oneDNN."""
    return "it makes a number of NaN" if id(operator) in undefined(graph) else None


def _clipped(operator: Operator, graph: Graph) -> str | None:
    told = any(operator.inputs.get(slot) for slot in ("Min", "Max"))
    return "it does not follow bounds that are computed" if told else _of_nan(operator, graph)


def _of_bytes(operator: Operator, graph: Graph) -> str | None:
    small = _dtype(operator, graph) in ("int8", "uint8")
    return "it wraps numbers of a byte otherwise" if small else None


def _of_whole(operator: Operator, graph: Graph) -> str | None:
    whole = str(_dtype(operator, graph)).startswith(("int", "uint"))
    return "it gives whole numbers for whole numbers" if whole else None


def _loop(operator: Operator, graph: Graph) -> str | None:
    states = set(operator.outputs.get("Out", ()))
    if any(map(graph.is_stored, states)):
        return "a state that begins as a parameter"
    assigned = (one for one in graph.inside(operator) if one.name == "assign")
    if any(operand(one, ("X",)) in states for one in assigned):
        return "a state that takes the place of another"
    return None


def _scaled(operator: Operator, graph: Graph) -> str | None:
    factor: Any = operator.attributes.get("scale", 1.0)
    if _dtype(operator, graph) == "int64" and abs(factor) > LARGEST_INT32:
        return "it computes whole numbers in 32 bits"
    return _of_bytes(operator, graph)


def _dtype(operator: Operator, graph: Graph) -> str | None:
    return graph.dtype(operand(operator, ("X",)))


def _in_double(operator: Operator, graph: Graph) -> str | None:
    return "it compares in float32" if _dtype(operator, graph) == "float64" else None


def _power(operator: Operator, graph: Graph) -> str | None:
    return "it loses digits" if _dtype(operator, graph) == "int64" else None


def reads_double(operator: Operator, graph: Graph) -> str | None:
    """Of what computes; what only hands numbers out, or makes another type of them, may, and what
    a rewriting makes wide of float32 itself: differences of nearly equal numbers are exact."""
    if operator.name in _HANDING_OUT:
        return None
    read = (value for values in operator.inputs.values() for value in values)
    is_double = any(graph.dtype(one) == "float64" and _WRITTEN not in one for one in read)
    return "it computes float64 in float32" if is_double else None


def _rounded(operator: Operator, graph: Graph) -> str | None:
    """A cast there and back is left out, and the digits that it costs are kept."""
    made = graph.dtype(result(operator))
    return "it does not round to bfloat16" if made == "bfloat16" else None


_OTHER_VALUES = _always("it hands on other values than Paddle does")

OF_OPENVINO: Mapping[str, Flaw] = {
    **dict.fromkeys(LOSING, _of_nan),
    "arg_max": _kept_axis,
    "arg_min": _kept_axis,
    "batch_norm": _any_of(_channels_last, _measuring),
    "bicubic_interp_v2": _channels_last,
    "bilinear_interp_v2": _any_of(_channels_last, _to_one_place),
    "cast": _rounded,
    "clip": _clipped,
    "conditional_block": _OTHER_VALUES,
    "conv2d": _channels_last,
    "conv3d": _volume,
    "conv2d_transpose": _any_of(_transposed, _channels_last),
    "depthwise_conv2d": _channels_last,
    "depthwise_conv2d_transpose": _any_of(_transposed, _channels_last),
    "elementwise_pow": _power,
    "equal": _in_double,
    "inverse": _always("it loses digits"),
    "linear_interp_v2": _to_one_place,
    "lod_array_length": _OTHER_VALUES,
    "log": _of_whole,
    "matrix_nms": _always("it fails where an image has no detections"),
    "max_pool2d_with_index": _masked_pool,
    "not_equal": _in_double,
    "nearest_interp_v2": _nearest,
    "pad3d": _padding,
    "pool2d": _any_of(_channels_last, _pooled),
    "reduce_sum": _sum_of_another_type,
    "roi_align": _of_several_images,
    "rnn": _recurrent,
    RECURRENT: _recurrent,
    "scale": _scaled,
    "softplus": _softplus,
    "strided_slice": _backwards,
    "tensor_array_to_tensor": _OTHER_VALUES,
    "while": _loop,
}

OF_ONNXRUNTIME: Mapping[str, Flaw] = {
    "batch_norm": _any_of(_channels_last, _measuring),
    "bilinear_interp_v2": _to_one_place,
    "conv2d_transpose": _any_of(_transposed, _channels_last),
    "depthwise_conv2d_transpose": _any_of(_transposed, _channels_last),
    "equal": _nearly_equal,
    "gelu": _exact_alone,
    "linear_interp_v2": _to_one_place,
    "multiclass_nms3": _always("it finds other boxes"),
    "not_equal": _nearly_equal,
    "p_norm": _norm_of_powers,
    "pad3d": _channels_last,
    "pool2d": _any_of(_channels_last, _windows),
    "reduce_sum": _sum_of_another_type,
    "rnn": _any_of(_recurrent, _last_state),
    "roi_align": _of_several_images,
    "round": _always("it rounds halves to even numbers"),
    "strided_slice": _backwards,
}


def flaws(graph: Graph, known: Mapping[str, Flaw], any_: Flaw | None = None) -> Iterator[str]:
    """Operators of a program in such a form, with their places and the reason; ``any_`` is asked
    of each."""
    for operator in graph.operators:
        asked = (flaw for flaw in (known.get(operator.name), any_) if flaw is not None)
        why = next((why for flaw in asked if (why := flaw(operator, graph))), None)
        if why:
            yield f"{operator.position}: {why}"
