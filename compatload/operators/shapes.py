"""Whether results have the shapes that their operators make. Pure; no Paddle, no files.

A PIR file declares the type of every result, and Paddle's passes believe it: a value that was
exchanged for another one of its kind ends a pass in an assertion. Kernels infer shapes anew, so
only operators are looked at whose shapes follow from their operands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import prod
from typing import Optional

from compatload.artifact.model import Operator, Program, TensorSpec

_Shape = tuple[int, ...]
_UNARY = (
    *("relu", "relu6", "gelu", "sigmoid", "silu", "swish", "tanh", "exp", "log", "sqrt", "rsqrt"),
    *("square", "abs", "ceil", "floor", "round", "sin", "cos", "erf", "leaky_relu", "elu", "selu"),
    *("celu", "mish", "hardswish", "hardsigmoid", "softplus", "softsign", "softmax", "log_softmax"),
    *("scale", "cast", "clip", "dropout", "layer_norm", "batch_norm_", "group_norm"),
    *("instance_norm", "flip", "roll", "logical_not", "reciprocal", "sign", "assign"),
)
_BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "floor_divide"),
    *("elementwise_pow", "less_than", "less_equal", "greater_than", "greater_equal", "equal"),
    *("not_equal", "logical_and", "logical_or", "logical_xor"),
)


def other_sizes(one: _Shape | None, other: _Shape | None) -> bool:
    """Whether two declared shapes cannot be of one tensor; unknown sizes may be any."""
    if one is None or other is None:
        return False
    return len(one) != len(other) or any(a != b and min(a, b) >= 0 for a, b in zip(one, other))


def is_last(operator: Operator) -> bool:
    """Whether channels are the last axis."""
    layout = operator.attributes.get("data_layout", operator.attributes.get("data_format", ""))
    text = layout.decode("latin-1") if isinstance(layout, bytes) else str(layout)
    return text.endswith("C") and len(text) > 2


def wrong_shape(operator: Operator, program: Program) -> str | None:
    """A result of a PIR program that is declared to be other than its operator makes it.

    Sizes may be declared as unknown where the operands tell them: Paddle leaves those of a loaded
    layer as they were when it saves it again with sizes that are given, and of what a loop changes.
    """
    if operator.name not in _CHECKS:
        return None
    variables = program.variables
    operands = [_shape(variables, value) for (value,) in operator.inputs.values()]
    results = [_shape(variables, value) for (value,) in operator.outputs.values()]
    count, check = _CHECKS[operator.name]
    made = results[0] if results else None
    if made is None or len(operands) < count or None in operands[:count]:
        return None
    wanted = check(operator, [shape for shape in operands[:count] if shape is not None])
    if wanted is None or not other_sizes(made, wanted):
        return None
    return f"its result is {list(made)}, and should be {list(wanted)}"


def _shape(variables: Mapping[str, TensorSpec], value: str) -> _Shape | None:
    return variables[value].shape if value in variables else None


def _same(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    return operands[0]


def _same_or_flat(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    """Of `cumsum(x)` without an axis there is one row."""
    (shape,) = operands
    return (-1 if -1 in shape else prod(shape),) if operator.attributes.get("flatten") else shape


def _broadcast(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    pairs = zip_longest(reversed(operands[0]), reversed(operands[1]), fillvalue=1)
    # An unknown size beside a known one may be that one or 1.
    sizes = [other if one == 1 else one if other in (1, one) else -1 for one, other in pairs]
    return tuple(reversed(sizes))


def _as_said(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    said = operator.attributes.get("shape")
    # A size that a loop changes is written down as it is before the loop, and as unknown.
    return (-1,) * len(said) if isinstance(said, tuple) else None


def _turned(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    order, shape = operator.attributes.get("perm"), operands[0]
    if not isinstance(order, tuple) or sorted(_positive(order)) != list(range(len(shape))):
        return None
    return tuple(shape[axis] for axis in order)


def _positive(order: tuple[int, ...]) -> list[int]:
    return [axis + len(order) if axis < 0 else axis for axis in order]


def _product(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    one, other = (
        (*shape[:-2], shape[-1], shape[-2])
        if len(shape) > 1 and operator.attributes.get(f"transpose_{letter}")
        else shape
        for shape, letter in zip(operands, "xy")
    )
    if len(one) < 2 and len(other) < 2:
        return None  # a number, whose shape releases write in two ways
    if len(one) < 2:
        return (*other[:-2], other[-1])
    if len(other) < 2:
        return one[:-1]
    batch = _broadcast(operator, (one[:-2], other[:-2])) or ()
    if len(one) != len(other):
        # Paddle writes down the longer operand's, and a 1 of them for what stretches it.
        longer = max(one, other, key=len)
        batch = tuple(-1 if size == 1 else size for size in longer[:-2])
    return (*batch, one[-2], other[-1])


def _convolved(operator: Operator, operands: Sequence[_Shape]) -> _Shape | None:
    image, kernel = operands
    if len(image) != len(kernel) or len(image) < 3:
        return None
    window = (-1,) * (len(image) - 2)
    if str(operator.attributes.get("data_format", "")).endswith("C"):
        return (image[0], *window, kernel[0])
    return (image[0], kernel[0], *window)


# Operator → how many operands decide, and what they make.
_Check = Callable[[Operator, Sequence[_Shape]], Optional[_Shape]]
_CHECKS: Mapping[str, tuple[int, _Check]] = {
    **{f"pd_op.{name}": (1, _same) for name in _UNARY},
    **{f"pd_op.{name}": (2, _broadcast) for name in _BINARY},
    "pd_op.cumsum": (1, _same_or_flat),
    "pd_op.data": (0, _as_said),
    "pd_op.transpose": (1, _turned),
    **{f"pd_op.{name}": (2, _convolved) for name in ("conv2d", "conv3d", "depthwise_conv2d")},
    "pd_op.matmul": (2, _product),
}
