"""Words of which an operator knows a few. Pure; no Paddle, no files.

A kernel that does not know the word goes on without computing anything, and what reads its result
follows a null pointer (``pad2d`` with another mode: SIGSEGV on 3.3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from compatload.artifact.model import Operator
from compatload.operators.gradients import attributes_of, function_of

_LAYOUTS = ("NCHW", "NHWC", "NCDHW", "NDHWC", "NCL", "NLC", "NCW", "NWC", "NC", "ANY", "AnyLayout")
# Attributes that mean the same in every operator.
ANYWHERE: Mapping[str, frozenset[str]] = {
    "padding_algorithm": frozenset(("EXPLICIT", "SAME", "VALID")),
    "pooling_type": frozenset(("max", "avg", "lp")),
    "interp_method": frozenset(("linear", "nearest", "bilinear", "bicubic", "trilinear")),
    "dropout_implementation": frozenset(("downgrade_in_infer", "upscale_in_train")),
    "padding_mode": frozenset(("zeros", "border", "reflection")),
    "code_type": frozenset(("encode_center_size", "decode_center_size")),
    "data_format": frozenset(_LAYOUTS),
    "data_layout": frozenset(_LAYOUTS),
}
_IMAGE = frozenset(("NCHW", "NHWC", "AnyLayout"))
_VOLUME = frozenset(("NCDHW", "NDHWC", "NCHW", "NHWC", "AnyLayout"))
_IMAGE_OPERATORS = (
    *("conv2d", "depthwise_conv2d", "conv2d_transpose", "depthwise_conv2d_transpose"),
    *("pool2d", "pixel_shuffle", "pixel_unshuffle"),
)
_INPLACE = "_"
# Bare name of the operator in either format → attribute → the words that it knows there.
BY_OPERATOR: Mapping[str, Mapping[str, frozenset[str]]] = {
    **{name: {"data_format": _IMAGE} for name in _IMAGE_OPERATORS},
    **{name: {"data_format": _VOLUME} for name in ("conv3d", "conv3d_transpose", "pool3d")},
    "group_norm": {"data_layout": frozenset(_LAYOUTS)},
    "pad2d": {
        "mode": frozenset(("constant", "reflect", "edge", "replicate")),
        "data_format": _IMAGE,
    },
    "pad3d": {
        "mode": frozenset(("constant", "reflect", "replicate", "circular")),
        "data_format": frozenset(("NCDHW", "NDHWC")),
    },
    "grid_sampler": {"mode": frozenset(("bilinear", "nearest"))},
    "grid_sample": {"mode": frozenset(("bilinear", "nearest"))},
    "prelu": {"mode": frozenset(("all", "channel", "element"))},
    "rnn": {"mode": frozenset(("LSTM", "GRU", "RNN_TANH", "RNN_RELU"))},
    "dropout": {"mode": frozenset(("downgrade_in_infer", "upscale_in_train"))},
}


def unknown_word(operator: Operator) -> str | None:
    """What an attribute says that its operator does not know."""
    for name, known in _words(operator.name):
        value = operator.attributes.get(name)
        word = value.decode("latin-1") if isinstance(value, bytes) else value
        if isinstance(word, str) and word not in known:
            return f"its {name!r} is {word!r:.40}"
    return None


@cache
def _words(name: str) -> Sequence[tuple[str, frozenset[str]]]:
    bare = function_of(name).rpartition(".")[2]
    known = {**ANYWHERE, **BY_OPERATOR.get(bare.removesuffix(_INPLACE), {})}
    return [(key, known[key]) for key in known.keys() & attributes_of(name)]
