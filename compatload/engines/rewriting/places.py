"""Operators that move values: where each comes from is known beforehand, or follows from sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from compatload.engines.rewriting.builder import Builder, Form, Made, Size, UnsuitableError, rewrite
from compatload.programs.legacy_repairs.program import BOOL, INT32, INT64, arguments

_MOST_PLACES = 1 << 20
_MOST_STEPS = 256


def _pieces(b: Builder, slot: str) -> dict[str, list[str]]:
    """One piece of each place of an axis, without that axis."""
    x = b.given()
    axis = b.axis(x, b.attribute("axis", 0))
    count = len(arguments(b.operator.outputs, slot))
    dims = [1 if place == axis else size for place, size in enumerate(b.dims(x))]
    told = {"axis": axis, "num": count, "sections": []}
    parts = b.emit_several("split", {"X": x}, "Out", [(b.type_of(x), dims)] * count, told)
    return {slot: [b.squeeze(part, (axis,)) for part in parts]}


def _last(b: Builder, x: str, axes: Sequence[int]) -> str:
    """Those axes behind all others."""
    rank = len(b.dims(x))
    return b.transpose(x, [*(one for one in range(rank) if one not in axes), *axes])


def _diagonal_of(b: Builder, *, ordered: bool = False) -> str:
    x, offset = b.given("Input"), b.attribute("offset", 0)
    axes = [b.axis(x, b.attribute(name, place)) for place, name in enumerate(("axis1", "axis2"))]
    axes = sorted(axes) if ordered else axes
    rows, columns = (b.size(x, one) for one in axes)
    turned = _last(b, x, axes)
    rank = len(b.dims(turned))
    before = [b.length(turned, place) for place in range(rank - 2)]
    flat = b.reshape(turned, [*before, rows * columns])
    places = [row * columns + row + offset for row in range(rows) if 0 <= row + offset < columns]
    return b.gather(flat, places, rank - 2)


def _trace(b: Builder) -> str:
    """To a legacy program the earlier axis is that of the rows (CL129)."""
    return b.reduce("sum", _diagonal_of(b, ordered=True), (-1,), keep=False)


def _on_diagonal(b: Builder, x: str, offset: int, padding: float) -> str:
    """A matrix in place of the last axis."""
    rank, length = len(b.dims(x)), b.size(x, -1)
    size = length + abs(offset)
    around = b.scale(b.slice(x, rank - 1, 0, 1), 0, padding)
    extended = b.concat([x, around], rank - 1)
    first = (max(-offset, 0), max(offset, 0))
    taken = {(first[0] + one, first[1] + one): one for one in range(length)}
    places = [taken.get(place, length) for place in product(range(size), range(size))]
    flat = b.gather(extended, places, rank - 1)
    before = [b.length(x, place) for place in range(rank - 1)]
    return b.reshape(flat, [*before, size, size])


def _diag(b: Builder) -> str:
    x, offset = b.given(), b.attribute("offset", 0)
    if len(b.dims(x)) == 1:
        return _on_diagonal(b, x, offset, b.attribute("padding_value", 0.0))
    rows, columns = b.size(x, 0), b.size(x, 1)
    places = [row * columns + row + offset for row in range(rows) if 0 <= row + offset < columns]
    return b.gather(b.reshape(x, [-1]), places, 0)


def _diag_embed(b: Builder) -> str:
    x = b.given("Input")
    found = _on_diagonal(b, x, b.attribute("offset", 0), 0.0)
    rank = len(b.dims(found))
    places = [b.axis(found, b.attribute(name, one)) for name, one in (("dim1", -2), ("dim2", -1))]
    others = iter(range(rank - 2))
    order = [
        rank - 2 + places.index(place) if place in places else next(others) for place in range(rank)
    ]
    return b.transpose(found, order)


def _repeat(b: Builder) -> str:
    if b.has("RepeatsTensor"):
        raise UnsuitableError("computed numbers")
    x, times = b.given(), b.attribute("Repeats", 1)
    axis = b.axis(x, b.attribute("dim", 0))
    return b.gather(x, [one for one in range(b.size(x, axis)) for _ in range(times)], axis)


def _sample_index(b: Builder) -> str:
    named = {"Input": b.given("X"), "Index": b.given("Index")}
    dims = b.dims(named["Index"])
    return b.emit("take_along_axis", named, b.type_of(named["Input"]), dims, "Result", {"Axis": 1})


def _cross(b: Builder) -> str:
    x, y = b.given("X"), b.given("Y")
    dims, axis = b.dims(x), b.attribute("dim", 9)
    axis = dims.index(3) if axis == 9 else b.axis(x, axis)

    def turned(name: str, by: int) -> str:
        return b.gather(name, [(place + by) % 3 for place in range(3)], axis)

    first = b.multiply(turned(x, 1), turned(y, 2))
    return b.subtract(first, b.multiply(turned(x, 2), turned(y, 1)))


def _pad(b: Builder) -> str:
    x, value = b.given(), float(b.attribute("pad_value", 0.0))
    paddings = b.attribute("paddings")
    if paddings is None or min(paddings) < 0:
        raise UnsuitableError("negative paddings")
    for axis in range(len(b.dims(x))):
        parts = []
        for count in paddings[2 * axis : 2 * axis + 2]:
            one = b.scale(b.slice(x, axis, 0, 1), 0, value)
            parts.append(b.gather(one, [0] * count, axis) if count else "")
        x = b.concat([part for part in (parts[0], x, parts[1]) if part], axis)
    return x


def _crop(b: Builder) -> str:
    if any(b.has(slot) for slot in ("Shape", "ShapeTensor", "Offsets", "OffsetsTensor")):
        raise UnsuitableError("computed places")
    x, shape = b.given(), b.attribute("shape", ())
    offsets = b.attribute("offsets", ()) or (0,) * len(shape)
    for axis, (size, offset) in enumerate(zip(shape, offsets)):
        if size >= 0:
            x = b.slice(x, axis, offset, offset + size)
        elif offset or b.dims(x)[axis] >= 0:
            x = b.slice(x, axis, offset, (1 << 31) - 1)
    return x


def _backwards(b: Builder) -> str:
    """A slice with a negative step, of which OpenVINO makes nothing."""
    listed = ("StartsTensor", "EndsTensor", "StridesTensor")
    if any(b.has(slot) or b.has(f"{slot}List") for slot in listed):
        raise UnsuitableError("computed places")
    x = b.given("Input")
    names = ("axes", "starts", "ends", "strides")
    axes, starts, ends, steps = (b.attribute(name, ()) for name in names)
    if min(steps, default=1) > 0 or b.attribute("decrease_axis", ()):
        raise UnsuitableError("forwards")
    for axis, start, end, step in zip(axes, starts, ends, steps):
        size = b.size(x, axis)
        start += size if start < 0 else 0
        # As Paddle reads it: −1 is the place before the first one.
        end += size if end < 0 and not (end == -1 and step < 0) else 0
        start = min(max(start, -1 if step < 0 else 0), size - 1 if step < 0 else size)
        end = min(max(end, -1 if step < 0 else 0), size)
        x = b.gather(x, list(range(start, end, step)), axis)
    return x


def _lower_indices(upper: bool) -> Form:
    def form(b: Builder) -> Made:
        rows = b.attribute("rows", b.attribute("row", 0))
        columns, offset = b.attribute("cols", b.attribute("col", 0)), b.attribute("offset", 0)
        if rows * columns > _MOST_PLACES:
            raise UnsuitableError("too many")
        inside = [
            place
            for place in product(range(rows), range(columns))
            if (place[1] >= place[0] + offset if upper else place[1] <= place[0] + offset)
        ]
        kind = b.attribute("dtype", INT64)
        listed = b.whole_numbers([place[0] for place in inside] + [p[1] for p in inside], kind)
        return {slot: b.reshape(listed, [2, len(inside)]) for slot in ("out", "Out")}

    return form


def _triangle(b: Builder) -> str:
    """Of known sizes; OpenVINO takes matrices only, and the diagonal as a small number."""
    x, diagonal, lower = b.given(), int(b.attribute("diagonal", 0)), b.attribute("lower", True)
    sizes = [b.size(x, -2), b.size(x, -1)]
    if sizes[0] * sizes[1] > _MOST_PLACES:
        raise UnsuitableError("too many")
    inside = [
        int(column <= row + diagonal if lower else column >= row + diagonal)
        for row, column in product(*map(range, sizes))
    ]
    # paddle2onnx writes no constants of bools.
    told = {"shape": sizes, "dtype": INT32, "int32_values": inside}
    mask = b.cast(b.emit("assign_value", {}, INT32, sizes, attributes=told), BOOL)
    return b.where(mask, x, b.filled(x, 0))


def _chosen(b: Builder) -> str:
    """Where the mask has fewer axes than what it chooses from, and a size is free, OpenVINO takes
    all of Y (2026.4.1)."""
    mask, x = b.given("Condition"), b.given("X")
    fewer = len(b.dims(x)) - len(b.dims(mask))
    if fewer <= 0:
        raise UnsuitableError("it is right as it is")
    return b.where(b.unsqueeze(mask, range(fewer)), x, b.given("Y"))


def _like_itself(b: Builder) -> str:
    """A type that is not told is that of the operand."""
    x = b.given()
    if b.attribute("dtype", -1) >= 0:
        raise UnsuitableError("it is right as it is")
    return b.filled(x, b.attribute("value", 0.0))


def _circular(b: Builder) -> str:
    if b.attribute("mode", "constant") != "circular" or b.has("Paddings"):
        raise UnsuitableError("it is right as it is")
    x, paddings = b.given(), b.attribute("paddings", ())
    first = 1 if b.attribute("data_format", "NCDHW") == "NDHWC" else 2
    for number in range(3):  # the last axis first
        axis = first + 2 - number
        before, after = paddings[2 * number : 2 * number + 2]
        parts = [x]
        if before:
            parts.insert(0, b.slice(x, axis, -before, (1 << 31) - 1))
        if after:
            parts.append(b.slice(x, axis, 0, after))
        x = b.concat(parts, axis) if len(parts) > 1 else x
    return x


def _shifted_in_time(b: Builder) -> str:
    _require_channels_first(b)
    x, length = b.given(), b.attribute("seg_num", 1)
    count, channels, height, width = _sizes(b, x)
    total = b.size(x, 1)
    first = int(total * b.attribute("shift_ratio", 0.25))
    if not isinstance(count, int) and not isinstance(height, int):
        raise UnsuitableError("two free sizes")
    parts = b.reshape(x, [-1, length, total, height, width])
    nothing = b.scale(b.slice(parts, 1, 0, 1), 0)
    later = b.concat([nothing, b.slice(parts, 1, 0, length - 1)], 1)
    sooner = b.concat([b.slice(parts, 1, 1, length), nothing], 1)
    joined = b.concat(
        [
            b.slice(later, 2, 0, first),
            b.slice(sooner, 2, first, 2 * first),
            b.slice(parts, 2, 2 * first, total),
        ],
        2,
    )
    return b.reshape(joined, [-1, channels, height, width])


def _sizes(b: Builder, x: str) -> list[Size]:
    return [b.length(x, axis) for axis in range(len(b.dims(x)))]


def _require_channels_first(b: Builder) -> None:
    if b.attribute("data_format", "NCHW") not in ("NCHW", "AnyLayout"):
        raise UnsuitableError("channels last")


def _pixel_shuffle(b: Builder) -> str:
    _require_channels_first(b)
    x, factor = b.given(), b.attribute("upscale_factor", 1)
    count, channels, height, width = _sizes(b, x)
    left = b.by(channels, factor * factor)
    split = b.reshape(x, [count, left, factor, factor, height, width])
    turned = b.transpose(split, (0, 1, 4, 2, 5, 3))
    return b.reshape(turned, [count, left, b.times(height, factor), b.times(width, factor)])


def _pixel_unshuffle(b: Builder) -> str:
    _require_channels_first(b)
    x, factor = b.given(), b.attribute("downscale_factor", 1)
    count, channels, height, width = _sizes(b, x)
    height, width = b.by(height, factor), b.by(width, factor)
    split = b.reshape(x, [count, channels, height, factor, width, factor])
    turned = b.transpose(split, (0, 1, 3, 5, 2, 4))
    return b.reshape(turned, [count, b.times(channels, factor * factor), height, width])


def _channel_shuffle(b: Builder) -> str:
    _require_channels_first(b)
    x, groups = b.given(), b.attribute("groups", 1)
    each = b.size(x, 1) // groups
    places = [group * each + one for one in range(each) for group in range(groups)]
    return b.gather(x, places, 1)


def _maxout(b: Builder) -> str:
    x, groups = b.given(), b.attribute("groups", 1)
    axis = b.axis(x, b.attribute("axis", 1))
    left = b.size(x, axis) // groups
    found = b.gather(x, range(0, left * groups, groups), axis)
    for one in range(1, groups):
        other = b.gather(x, range(one, left * groups, groups), axis)
        found = b.binary("elementwise_max", found, other)
    return found


def _product_so_far(b: Builder) -> str:
    x = b.given()
    axis = b.axis(x, b.attribute("dim", -1))
    size = b.size(x, axis)
    if size > _MOST_STEPS:
        raise UnsuitableError("too many")
    parts = [b.slice(x, axis, 0, 1)]
    for place in range(1, size):
        parts.append(b.multiply(parts[-1], b.slice(x, axis, place, place + 1)))
    return b.concat(parts, axis)


def _multiplex(b: Builder) -> str:
    """Row i of the operand that Ids names."""
    operands, ids = arguments(b.operator.inputs, "X"), b.given("Ids")
    dims = b.dims(operands[0])
    rows = b.length(operands[0], 0)
    stacked = b.emit(
        "stack",
        {"X": operands},
        b.type_of(operands[0]),
        (len(operands), *dims),
        "Y",
        {"axis": 0},
    )
    if not isinstance(rows, int):
        raise UnsuitableError("a free number of rows")
    flat = b.cast(b.reshape(ids, [rows]), INT64)
    places = b.add(b.scale(flat, rows), b.whole_numbers(range(rows)))
    merged = b.reshape(stacked, [len(operands) * rows, *dims[1:]])
    return b.emit(
        "gather", {"X": merged, "Index": places}, b.type_of(merged), dims, attributes={"axis": 0}
    )


_FORMS: dict[str, Form] = {
    "channel_shuffle": _channel_shuffle,
    "crop_tensor": _crop,
    "cross": _cross,
    "cumprod": _product_so_far,
    "diag_embed": _diag_embed,
    "diag_v2": _diag,
    "diagonal": _diagonal_of,
    "fill_any_like": _like_itself,
    "index_sample": _sample_index,
    "maxout": _maxout,
    "multiplex": _multiplex,
    "pad": _pad,
    "pad3d": _circular,
    "pixel_shuffle": _pixel_shuffle,
    "pixel_unshuffle": _pixel_unshuffle,
    "repeat_interleave": _repeat,
    "strided_slice": _backwards,
    "temporal_shift": _shifted_in_time,
    "trace": _trace,
    "tril_indices": _lower_indices(upper=False),
    "triu_indices": _lower_indices(upper=True),
    "tril_triu": _triangle,
    "unbind": lambda b: _pieces(b, "Out"),
    "where": _chosen,
    "unstack": lambda b: _pieces(b, "Y"),
}
REWRITES = {name: rewrite(form) for name, form in _FORMS.items()}
