"""Lengths of lists that the kind of an operator fixes. Pure; no Paddle, no files.

Kernels read ``strides[1]`` of a convolution without asking how many there are, and so do Paddle's
passes. Lengths follow from the operator's definition: two for what works on images, three for
volumes, one for each axis in a permutation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from compatload.artifact.model import Operator, Program, TensorSpec

_Lengths = Mapping[str, tuple[int, ...]]


def _spatial(axes: int, *, either: Sequence[str] = (), also: _Lengths | None = None) -> _Lengths:
    """Of an operator that slides a window along ``axes`` axes: one number an axis, paddings one or
    two; ``either`` are lists that may be empty as well."""
    windows = ("ksize", "kernel_size", "kernel_sizes", "strides", "dilations")
    lengths: dict[str, tuple[int, ...]] = dict.fromkeys(windows, (axes,))
    lengths["paddings"] = (axes, 2 * axes)
    return {**lengths, **dict.fromkeys(either, (0, axes)), **(also or {})}


_OF_TRANSPOSED = ("output_padding", "output_size")
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
    **dict.fromkeys(("conv3d", "fused_conv3d", "pool3d", "max_pool3d_with_index"), _spatial(3)),
    **dict.fromkeys(("conv3d_transpose", "unpool3d"), _spatial(3, either=_OF_TRANSPOSED)),
    "pad2d": {"paddings": (4,)},
    "pad3d": {"paddings": (0, 6)},
    "im2sequence": {"kernels": (2,), "strides": (2,), "paddings": (4,)},
}
# Operator → the attribute that gives each axis of its first input a place.
PERMUTATIONS: Mapping[str, str] = {
    **dict.fromkeys(("transpose", "transpose2", "fused_transpose"), "axis"),
    "pd_op.transpose": "perm",
}
# Operator → lists with an element for each of ``axes``, empty where a tensor tells them.
PAIRED: Mapping[str, tuple[str, ...]] = {
    "slice": ("starts", "ends"),
    "strided_slice": ("starts", "ends", "strides"),
}
# Attributes that count axes. Nothing has more than 64 of them, from either end.
AXES = ("axis", "axes", "dim", "start_axis", "stop_axis", "begin_norm_axis", "x_num_col_dims")
_MOST_AXES = 64
# PIR operator → operands with an element for each of ``axes``.
PAIRED_OPERANDS: Mapping[str, tuple[str, ...]] = {
    "pd_op.slice": ("1", "2"),
    "pd_op.strided_slice": ("1", "2", "3"),
}
# Operator → its attribute with the shape that its input is to get, and slots with tensors of it.
SHAPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "expand_v2": ("shape", ("Shape", "expand_shapes_tensor")),
}
# Convolution → axes of its input, and which axis of its filter counts input channels.
CONVOLUTIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("conv2d", "depthwise_conv2d"), (4, 1)),
    **dict.fromkeys(("conv2d_transpose", "depthwise_conv2d_transpose"), (4, 0)),
    "conv3d": (5, 1),
    "conv3d_transpose": (5, 0),
}


def wrong_extents(program: Program) -> Iterator[str]:
    """Lists of another length than the operator has, axes that nothing has, and convolutions of
    what does not fit."""
    concerned = program.operator_counts.keys() & _concerned()
    variables: Mapping[str, TensorSpec] = program.variables if concerned else {}
    for operator in program.operators:
        wrong = _wrong_axes(operator)
        if wrong is None and operator.name in concerned:
            wrong = _wrong(operator, operator.name.rpartition(".")[2], variables)
        if wrong:
            yield f"{operator.position}: {wrong}"


@cache
def _concerned() -> frozenset[str]:
    bare = {*LENGTHS, *PAIRED, *CONVOLUTIONS, *SHAPES}
    return frozenset((*bare, *(f"pd_op.{name}" for name in bare), *PERMUTATIONS))


def _wrong_axes(operator: Operator) -> str | None:
    attributes = operator.attributes
    for name in AXES:
        if name in attributes:
            value = attributes[name]
            for axis in value if isinstance(value, tuple) else (value,):
                if type(axis) is int and not -_MOST_AXES <= axis <= _MOST_AXES:
                    return f"its {name!r} is {axis}"
    return None


def _wrong(operator: Operator, bare: str, variables: Mapping[str, TensorSpec]) -> str | None:
    attributes = operator.attributes
    for attribute, allowed in LENGTHS.get(bare, {}).items():
        value = attributes.get(attribute)
        if isinstance(value, tuple) and len(value) not in allowed:
            return f"its {attribute!r} has {len(value)} elements, not {allowed[0]}"
    permutation = PERMUTATIONS.get(operator.name)
    if permutation is not None:
        return _wrong_permutation(attributes.get(permutation), _first(operator, variables))
    axes = attributes.get("axes")
    for attribute in PAIRED.get(bare, ()):
        value = attributes.get(attribute)
        if (
            isinstance(value, tuple)
            and isinstance(axes, tuple)
            and len(value) not in (0, len(axes))
        ):
            return f"its {attribute!r} has {len(value)} elements for {len(axes)} axes"
    for place in PAIRED_OPERANDS.get(operator.name, ()):
        (value,) = operator.inputs.get(place, ("",))
        shape = variables[value].shape if value in variables else None
        if shape and isinstance(axes, tuple) and shape[0] not in (-1, len(axes)):
            return f"its operand {place} has {shape[0]} elements for {len(axes)} axes"
    if bare in SHAPES:
        return _wrong_shape(operator, SHAPES[bare], variables)
    if bare in CONVOLUTIONS:
        return _wrong_convolution(operator, *CONVOLUTIONS[bare], variables)
    return None


def _wrong_shape(
    operator: Operator, told: tuple[str, tuple[str, ...]], variables: Mapping[str, TensorSpec]
) -> str | None:
    attribute, tensors = told
    sizes, shape = operator.attributes.get(attribute), _first(operator, variables)
    if any(operator.inputs.get(slot) for slot in tensors) or shape is None:
        return None
    if isinstance(sizes, tuple) and len(sizes) < len(shape):
        return f"its {attribute!r} has {len(sizes)} axes for a value of {len(shape)}"
    return None


def _first(operator: Operator, variables: Mapping[str, TensorSpec]) -> tuple[int, ...] | None:
    slots = operator.inputs
    values = slots.get("X") or slots.get("0") or ()
    return variables[values[0]].shape if values and values[0] in variables else None


def _wrong_permutation(order: object, shape: tuple[int, ...] | None) -> str | None:
    if not isinstance(order, tuple) or not all(type(axis) is int for axis in order):
        return "its permutation is no list of integers"
    count = len(order)
    if sorted(axis + count if axis < 0 else axis for axis in order) != list(range(count)):
        return f"{list(order[:8])} is no permutation"
    if shape is not None and len(shape) != count:
        return f"its permutation has {count} axes for a value of {len(shape)}"
    return None


def _wrong_convolution(
    operator: Operator, rank: int, counted: int, variables: Mapping[str, TensorSpec]
) -> str | None:
    slots = operator.inputs
    values = [(slots.get(name) or slots.get(place) or ("",))[0] for name, place in _OPERANDS]
    shapes = [variables[value].shape if value in variables else None for value in values]
    for what, shape in zip(("input", "filter"), shapes):
        if shape is not None and len(shape) != rank:
            return f"its {what} has {len(shape)} axes, not {rank}"
    groups = operator.attributes.get("groups", 1)
    if type(groups) is not int or groups < 1:
        return f"its groups are {groups!r}"
    if shapes[0] is None or shapes[1] is None:
        return None
    last = str(operator.attributes.get("data_format", "")).endswith("C")
    channels, taken = shapes[0][-1 if last else 1], shapes[1][counted]
    wanted = taken * groups if counted else taken
    if channels > 0 and wanted > 0 and channels != wanted:
        return f"its input has {channels} channels, its filter takes {wanted}"
    return None


_OPERANDS = (("Input", "0"), ("Filter", "1"))
