"""Lengths of lists that the kind of an operator fixes. Pure; no Paddle, no files.

Kernels read ``strides[1]`` of a convolution without asking how many there are, and so do Paddle's
passes. Lengths follow from the operator's definition: two for what works on images, three for
volumes, one for each axis in a permutation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import prod

from compatload.artifact.model import MOST_AXES, Operator, TensorSpec
from compatload.operators.gradients import attributes_of, function_of

_Lengths = Mapping[str, tuple[int, ...]]


def _spatial(axes: int, *, either: Sequence[str] = (), also: _Lengths | None = None) -> _Lengths:
    """Of an operator that slides a window along ``axes`` axes: one number an axis, paddings one or
    two; ``either`` are lists that may be empty as well."""
    windows = ("ksize", "kernel_size", "kernel_sizes", "strides", "dilations")
    lengths: dict[str, tuple[int, ...]] = dict.fromkeys(windows, (axes,))
    lengths["paddings"] = (axes, 2 * axes)
    return {**lengths, **dict.fromkeys(either, (0, axes)), **(also or {})}


_FRACTIONAL = {"fractional_max_pool2d": 2, "fractional_max_pool3d": 3}
_OF_TRANSPOSED = ("output_padding", "output_size")
# Operators that resize, and how many axes at most: kernels read a scale for each.
_RESIZED = {
    "linear_interp": 1,
    **dict.fromkeys(("bilinear_interp", "bicubic_interp"), 2),
    **dict.fromkeys(("nearest_interp", "trilinear_interp"), 3),
}
# Bare name of the operator in either format → attribute → how many elements it may have.
LENGTHS: Mapping[str, _Lengths] = {
    **dict.fromkeys(
        (
            *("conv2d", "depthwise_conv2d", "fused_conv2d", "fused_conv2d_add_act"),
            *("deformable_conv", "deformable_conv_v1"),
            *("pool2d", "lp_pool2d", "max_pool2d_with_index", "max_pool2d_v2", "unfold"),
        ),
        _spatial(2),
    ),
    **dict.fromkeys(
        ("conv2d_transpose", "depthwise_conv2d_transpose", "conv2d_transpose_bias", "unpool"),
        _spatial(2, either=_OF_TRANSPOSED),
    ),
    "fold": _spatial(2, also={"output_sizes": (2,)}),
    **{name: {"output_size": (axes,)} for name, axes in _FRACTIONAL.items()},
    **dict.fromkeys(("conv3d", "fused_conv3d", "pool3d", "max_pool3d_with_index"), _spatial(3)),
    **dict.fromkeys(("conv3d_transpose", "unpool3d"), _spatial(3, either=_OF_TRANSPOSED)),
    "pad2d": {"paddings": (4,)},
    "pad3d": {"paddings": (0, 6)},
    "im2sequence": {"kernels": (2,), "strides": (2,), "paddings": (4,)},
    **{
        name + form: {"scale": tuple(range(axes, -1, -1))}
        for name, axes in _RESIZED.items()
        for form in ("", "_v2")
    },
}
# Operator → the attribute that gives each axis of its first input a place.
PERMUTATIONS: Mapping[str, str] = {
    **dict.fromkeys(("transpose", "transpose2", "fused_transpose"), "axis"),
    "pd_op.transpose": "perm",
}
# Operator → lists with an element for each of ``axes``, empty where a tensor tells them.
PAIRED: Mapping[str, tuple[str, ...]] = {
    "slice": ("starts", "ends"),
    "strided_slice": ("starts", "ends", "strides", "infer_flags"),
    **dict.fromkeys(
        ("set_value", "set_value_", "set_value_with_tensor", "set_value_with_tensor_"),
        ("starts", "ends", "steps"),
    ),
}
# Operator → the attributes of which one lists its elements.
CONSTANTS: Mapping[str, tuple[str, ...]] = {
    "pd_op.full_int_array": ("value",),
    "pd_op.assign_value": ("values",),
    "pd_op.assign_value_": ("values",),
    "assign_value": (
        *("bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values", "values"),
    ),
}
_FILLED = "fill_constant"
# Sizes of windows are added and multiplied in 32 bits; no tensor has as many places on an axis.
_WIDEST = 1 << 24
_SIZES = ("ksize", "kernel_size", "kernel_sizes")
_STEPS = ("strides", "dilations", *_SIZES)
# Where it is on, a pool is as large as what it pools, whatever its size says.
_WHOLE = "global_pooling"
_DEFORMED = {"groups": 1, "deformable_groups": 1, "im2col_step": 1}
_CLASSED, _POOLED = {"num_classes": 1}, {"pooled_height": 1, "pooled_width": 1}
# Operator → attributes that divide by, or allocate for, a number, and the smallest sound one.
SMALLEST: Mapping[str, Mapping[str, int]] = {
    "split_with_num": {"num": 1},
    "pixel_shuffle": {"upscale_factor": 1},
    "pixel_unshuffle": {"downscale_factor": 1},
    "channel_shuffle": {"groups": 1},
    "shuffle_channel": {"group": 1},
    "temporal_shift": {"seg_num": 1},
    "maxout": {"groups": 1},
    "kthvalue": {"k": 1},
    "split": {"num": 0},
    "shard_index": {"index_num": 1, "nshards": 1},
    "correlation": {"kernel_size": 1, "stride1": 1, "stride2": 1},
    **dict.fromkeys(("deformable_conv", "deformable_conv_v1"), _DEFORMED),
    **dict.fromkeys(("hsigmoid_loss", "hierarchical_sigmoid"), _CLASSED),
    **dict.fromkeys(("roi_align", "roi_pool"), _POOLED),
    "graph_sample_neighbors": {"sample_size": -1},
    "spectral_norm": {"power_iters": 0},
    "matrix_power": {"n": -_WIDEST},
    "distribute_fpn_proposals": {"min_level": 0, "max_level": 0},
}
# Elementwise operators align the second operand with an axis of the first, -1 for the last ones.
_ELEMENTWISE, _LAST = "elementwise_", -1
# Attributes that count axes. No older operator numbers more than 64, from either end.
AXES = ("axis", "axes", "dim", "start_axis", "stop_axis", "begin_norm_axis", "x_num_col_dims")
_MOST_NUMBERED = 64
# Added and multiplied in 32 bits, too.
_MOST_COUNTED = 1 << 30
# Attributes that count places along an axis; what a view begins at counts elements.
_MARGINS = ("paddings", "offset", "offsets")
_VIEWS = frozenset({"as_strided", "tensor_unfold", "view_slice"})
# Operators that join axes; from one that the operand lacks, kernels count below nothing.
# Those of the first kind name the axis behind which they join, or the number of them all.
_BEHIND = "axis"
JOINED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("flatten", "flatten_", "flatten_contiguous_range"), ("start_axis", "stop_axis", _BEHIND)
    ),
    "flatten2": (_BEHIND,),
}
# More than any machine holds; Paddle computes constants of that shape while it loads.
_MOST_ELEMENTS = 1 << 40
# PIR operator → operands with an element for each of ``axes``.
PAIRED_OPERANDS: Mapping[str, tuple[str, ...]] = {
    "pd_op.slice": ("1", "2"),
    "pd_op.strided_slice": ("1", "2", "3"),
    **dict.fromkeys(("pd_op.set_value", "pd_op.set_value_"), ("1", "2", "3")),
    **dict.fromkeys(
        ("pd_op.set_value_with_tensor", "pd_op.set_value_with_tensor_"), ("2", "3", "4")
    ),
    "pd_op.slice_grad": ("2", "3"),
    "pd_op.strided_slice_grad": ("2", "3", "4"),
}
# Operator → its attribute with the shape that its input is to get, and slots with tensors of it.
SHAPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "expand_v2": ("shape", ("Shape", "expand_shapes_tensor")),
}


def wrong_extent(operator: Operator, variables: Mapping[str, TensorSpec]) -> str | None:
    """A list of another length than the operator has, or an axis that nothing has."""
    wrong = _wrong_axes(operator)
    name = function_of(operator.name)
    if wrong is None and name in _concerned():
        wrong = _wrong(operator, name.rpartition(".")[2], variables)
    return wrong or _wrong_margins(operator)


@cache
def _concerned() -> frozenset[str]:
    bare = {*LENGTHS, *PAIRED, *SHAPES, *SMALLEST, *JOINED}
    both = (*bare, *(f"pd_op.{name}" for name in bare))
    return frozenset((*both, *PERMUTATIONS, *CONSTANTS, _FILLED))


def _wrong_axes(operator: Operator) -> str | None:
    if _has_shape(operator.name):
        sizes = operator.attributes.get("shape")
        if isinstance(sizes, tuple) and len(sizes) > MOST_AXES:
            return f"its 'shape' has {len(sizes)} axes"
        if isinstance(sizes, tuple) and _elements(sizes) > _MOST_ELEMENTS:
            return f"its 'shape' is {list(sizes)}"
    for name in _axes_of(operator.name):
        value = operator.attributes.get(name)
        for axis in value if isinstance(value, tuple) else (value,):
            least = _LAST if operator.name.startswith(_ELEMENTWISE) else -_MOST_NUMBERED
            if type(axis) is int and not least <= axis <= _MOST_NUMBERED:
                return f"its {name!r} is {axis}"
    return None


def _wrong_margins(operator: Operator) -> str | None:
    for name in _margins_of(operator.name):
        value = operator.attributes.get(name)
        for places in value if isinstance(value, tuple) else (value,):
            if type(places) is int and not -_WIDEST <= places <= _WIDEST:
                return f"its {name!r} is {places}"
    return None


def _elements(sizes: tuple[object, ...]) -> int:
    return prod(size for size in sizes if type(size) is int and size > 0)


@cache
def _margins_of(name: str) -> Sequence[str]:
    if function_of(name).rpartition(".")[2] in _VIEWS:
        return ()
    known = attributes_of(name)
    return [margin for margin in _MARGINS if not known or margin in known]


@cache
def _has_shape(name: str) -> bool:
    return "shape" in attributes_of(name)


@cache
def _axes_of(name: str) -> Sequence[str]:
    return [axis for axis in AXES if axis in attributes_of(name)]


def _wrong(operator: Operator, bare: str, variables: Mapping[str, TensorSpec]) -> str | None:
    return (
        _wrong_lengths(operator, bare)
        or _too_small(operator, bare)
        or _wrong_slice(operator, bare, variables)
        or _wrong_permutation(operator, variables)
        or _wrong_shape(operator, bare, variables)
        or _wrong_join(operator, bare, variables)
        or _wrong_constant(operator, variables)
    )


def _wrong_lengths(operator: Operator, bare: str) -> str | None:
    for attribute, allowed in LENGTHS.get(bare, {}).items():
        value = operator.attributes.get(attribute)
        if not isinstance(value, tuple):
            continue
        if len(value) not in allowed:
            return f"its {attribute!r} has {len(value)} elements, not {allowed[0]}"
        if attribute in _SIZES and operator.attributes.get(_WHOLE) is True:
            continue  # 1.x writes -1
        least = 1 if attribute in _STEPS or bare in _FRACTIONAL else -_WIDEST
        if not all(least <= number <= _WIDEST for number in value):
            return f"its {attribute!r} are {list(value)}"
    return None


def _too_small(operator: Operator, bare: str) -> str | None:
    for attribute, smallest in SMALLEST.get(bare, {}).items():
        value = operator.attributes.get(attribute, smallest)
        if type(value) is not int or not smallest <= value <= _MOST_COUNTED:
            return f"its {attribute!r} is {value!r}"
    return None


def _wrong_slice(operator: Operator, bare: str, variables: Mapping[str, TensorSpec]) -> str | None:
    if bare not in PAIRED or "axes" not in attributes_of(operator.name):
        return None
    attributes = operator.attributes
    axes = attributes.get("axes")
    left_out = attributes.get("decrease_axis", attributes.get("decrease_axes"))
    if not isinstance(axes, tuple):
        return "it has no axes"
    for attribute in PAIRED[bare]:
        value = attributes.get(attribute)
        count = len(value) if isinstance(value, tuple) else 0
        name = attribute.capitalize()
        told = any(operator.inputs.get(name + kind) for kind in ("Tensor", "TensorList"))
        pir = operator.name.startswith("pd_op.")
        if count != len(axes) and (count or not (told or pir)):
            return f"its {attribute!r} has {count} elements for {len(axes)} axes"
    if isinstance(left_out, tuple) and not set(left_out).issubset(axes):
        return f"its 'decrease_axis' {list(left_out)} is not among its axes"
    for place in PAIRED_OPERANDS.get(operator.name, ()):
        (value,) = operator.inputs.get(place, ("",))
        shape = variables[value].shape if value in variables else None
        if shape and shape[0] not in (-1, len(axes)):
            return f"its operand {place} has {shape[0]} elements for {len(axes)} axes"
    return None


def _wrong_shape(operator: Operator, bare: str, variables: Mapping[str, TensorSpec]) -> str | None:
    if operator.name == _FILLED:
        sizes = operator.attributes.get("shape")
        told = any(operator.inputs.get(slot) for slot in ("ShapeTensor", "ShapeTensorList"))
        unknown = isinstance(sizes, tuple) and min(sizes, default=0) < 0
        return f"nothing tells the sizes of its 'shape' {sizes}" if unknown and not told else None
    if bare not in SHAPES:
        return None
    attribute, tensors = SHAPES[bare]
    sizes, shape = operator.attributes.get(attribute), _first(operator, variables)
    if any(operator.inputs.get(slot) for slot in tensors) or shape is None:
        return None
    count = len(sizes) if isinstance(sizes, tuple) else 0
    if count < len(shape) and not operator.name.startswith("pd_op."):
        return f"its {attribute!r} has {count} axes for a value of {len(shape)}"
    return None


def _wrong_join(operator: Operator, bare: str, variables: Mapping[str, TensorSpec]) -> str | None:
    shape = _first(operator, variables) if bare in JOINED else None
    count = max(len(shape), 1) if shape is not None else _MOST_NUMBERED
    for name in JOINED.get(bare, ()):
        axis = operator.attributes.get(name)
        if type(axis) is int and not -count <= axis < count + (name == _BEHIND):
            return f"its {name!r} is {axis} for a value of {list(shape or ())}"
    return None


def _wrong_constant(operator: Operator, variables: Mapping[str, TensorSpec]) -> str | None:
    if operator.name not in CONSTANTS:
        return None
    told = operator.attributes.get("shape")
    if isinstance(told, tuple) and any(type(size) is int and size < 0 for size in told):
        return f"its 'shape' is {list(told)}"
    listed = [operator.attributes.get(name) for name in CONSTANTS[operator.name]]
    count = max((len(value) for value in listed if isinstance(value, tuple)), default=0)
    shape = operator.attributes.get("shape")
    if not isinstance(shape, tuple):  # a list of numbers is as long as its value
        (made, *_) = operator.outputs.get("0") or ("",)
        shape = variables[made].shape if made in variables else None
    if shape is not None and min(shape, default=0) >= 0 and prod(shape) != count:
        return f"it lists {count} elements for a value of {list(shape)}"
    return None


def _first(operator: Operator, variables: Mapping[str, TensorSpec]) -> tuple[int, ...] | None:
    slots = operator.inputs
    values = slots.get("X") or slots.get("0") or ()
    return variables[values[0]].shape if values and values[0] in variables else None


def _wrong_permutation(operator: Operator, variables: Mapping[str, TensorSpec]) -> str | None:
    attribute = PERMUTATIONS.get(function_of(operator.name))
    if attribute is None:
        return None
    order, shape = operator.attributes.get(attribute), _first(operator, variables)
    if not isinstance(order, tuple) or not all(type(axis) is int for axis in order):
        return "its permutation is no list of integers"
    count = len(order)
    if not order and operator.name == "pd_op.transpose":
        return None  # of no axes all stay where they are
    if sorted(axis + count if axis < 0 else axis for axis in order) != list(range(count)):
        return f"{list(order[:8])} is no permutation"
    if shape is not None and len(shape) != count:
        return f"its permutation has {count} axes for a value of {len(shape)}"
    return None
