"""Convolutions, pools and interpolations in layouts and forms that OpenVINO reads otherwise."""

from __future__ import annotations

import struct
from typing import Any

from compatload.engines.rewriting.builder import Builder, Form, UnsuitableError, rewrite
from compatload.programs.legacy_repairs.program import arguments, set_arguments, set_attribute

_LAST, _FIRST = (0, 3, 1, 2), (0, 2, 3, 1)


def _copy(b: Builder) -> Any:
    """The operator once more, to be changed, in the place of the one that it was."""
    copy = type(b.operator)()
    copy.CopyFrom(b.operator)
    b.emitted.append(copy)
    return copy


def _channels_last(told: str, operand: str, result: str) -> Form:
    """Turned round, as the same operator with channels first, and turned back."""

    def form(b: Builder) -> dict[str, str]:
        x = b.given(operand)
        if b.attribute(told, "NCHW") != "NHWC" or len(b.dims(x)) != 4:
            raise UnsuitableError("channels are first")
        turned = b.transpose(x, _LAST)
        copy = _copy(b)
        found = b.program.add_tensor(b.block, b.operator.type, b.type_of(x), (-1,) * 4)
        set_arguments(copy.inputs, operand, [turned])
        set_arguments(copy.outputs, result, [found])
        set_attribute(copy, told, "STRING", "NCHW")
        return {result: b.transpose(found, _FIRST)}

    return form


def _single(number: float) -> float:
    """As the kernel computes: in 32 bits."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def _nearest(b: Builder) -> str:
    """To known sizes, of which one is smaller than what is there: OpenVINO rounds up there."""
    x = b.given()
    if arguments(b.operator.inputs, "SizeTensor") or b.has("OutSize") or b.has("Scale"):
        raise UnsuitableError("computed sizes")
    if b.attribute("align_corners", False):
        raise UnsuitableError("aligned corners")
    rank = len(b.dims(x))
    names = ("out_d", "out_h", "out_w")[5 - rank :]
    layout = b.attribute("data_layout", "NCHW")
    axes = range(1, rank - 1) if layout.endswith("C") else range(2, rank)
    scales = tuple(b.attribute("scale", ())) or (0.0,) * (rank - 2)
    if len(scales) == 1:
        scales = scales * (rank - 2)
    wanted = []
    for axis, name, scale in zip(axes, names, scales):
        size = b.size(x, axis)
        target = int(size * scale) if scale > 0 else b.attribute(name, -1)
        ratio = _single(1 / _single(scale)) if scale > 0 else _single(size / target)
        wanted.append((axis, size, target, ratio))
    if rank == 4 and all(target >= size for _, size, target, _ in wanted):
        raise UnsuitableError("it is right as it is")
    for axis, size, target, ratio in wanted:
        places = [min(int(_single(ratio * place)), size - 1) for place in range(target)]
        x = b.gather(x, places, axis)
    return x


def _output_padding(b: Builder) -> dict[str, str]:
    """What is added at the end is less cut off there."""
    more = tuple(b.attribute("output_padding", ()))
    paddings = tuple(b.attribute("paddings", (0, 0)))
    if not any(more) or tuple(b.attribute("output_size", ())):
        raise UnsuitableError("it is right as it is")
    if b.attribute("padding_algorithm", "EXPLICIT") != "EXPLICIT":
        raise UnsuitableError("paddings that follow from sizes")
    if len(paddings) == 2:
        paddings = (paddings[0], paddings[0], paddings[1], paddings[1])
    cut = [paddings[0], paddings[1] - more[0], paddings[2], paddings[3] - more[1]]
    if min(cut) < 0:
        raise UnsuitableError("nothing is cut off")
    copy = _copy(b)
    result = b.result("Output")
    found = b.program.add_tensor(b.block, b.operator.type, b.type_of(result), b.dims(result))
    set_arguments(copy.outputs, "Output", [found])
    set_attribute(copy, "output_padding", "INTS", [])
    set_attribute(copy, "paddings", "INTS", cut)
    return {"Output": found}


def _adaptive(b: Builder) -> str:
    """One row of means (or maxima) of equal parts, which OpenVINO takes for one of all."""
    x, wanted = b.given(), tuple(b.attribute("ksize", ()))
    if not b.attribute("adaptive", False) or len(wanted) != 2 or wanted[0] != 1 or wanted[1] == 1:
        raise UnsuitableError("it is right as it is")
    if b.attribute("data_format", "NCHW") != "NCHW" or b.size(x, 3) % wanted[1]:
        raise UnsuitableError("uneven parts")
    kind = "mean" if b.attribute("pooling_type", "max") == "avg" else "max"
    rows = b.reduce(kind, x, (2,), keep=True)
    count, channels = b.length(x, 0), b.length(x, 1)
    parts = b.reshape(rows, [count, channels, 1, wanted[1], b.size(x, 3) // wanted[1]])
    return b.reduce(kind, parts, (4,), keep=False)


_INTERPOLATIONS = ("bilinear_interp_v2", "bicubic_interp_v2", "bilinear_interp")
_FORMS: dict[str, Form] = {
    "conv2d": _channels_last("data_format", "Input", "Output"),
    "depthwise_conv2d": _channels_last("data_format", "Input", "Output"),
    "conv2d_transpose": _output_padding,
    "depthwise_conv2d_transpose": _output_padding,
    "nearest_interp_v2": _nearest,
    "pool2d": _adaptive,
    **dict.fromkeys(_INTERPOLATIONS, _channels_last("data_layout", "X", "Out")),
}
REWRITES = {name: rewrite(form) for name, form in _FORMS.items()}
