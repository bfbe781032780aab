"""What a gradient must be to the function that it is of. Pure; no Paddle, no files.

Paddle infers no shape of a gradient: what the function itself would have refused, an axis that its
value has not or a gradient of another shape, the gradient's kernel reads beyond its operands by (of
2,600 gradients with one thing changed 300 ended 2.6.2 or 3.3.1).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

from compatload.artifact.model import Operator, TensorSpec
from compatload.artifact.program_proto import GRADIENT, OF_A_GRADIENT
from compatload.operators.registry import attribute_names, pir_operator
from compatload.operators.shapes import is_last, other_sizes

_PIR, _IN_PLACE = "pd_op.", "_"
_TIMES = ("_double", "_triple")
# Attributes that count axes of what a function takes.
_AXES = ("axis", "axes", "Axis", "axis1", "axis2", "dim", "dim1", "dim2")
# Functions that ask nothing of their axes themselves; of the first, none stands there twice.
_FFT = frozenset({"fft_c2c", "fft_r2c", "fft_c2r"})
_UNASKED = _FFT | {"renorm", "fill_diagonal_tensor"}
# Functions whose gradients count axes from the front alone.
_FROM_FRONT = frozenset({"renorm", "put_along_axis", "take_along_axis"})
# What an attribute says where nobody has given an axis.
_UNGIVEN = {"cross": 9}
# Functions of two axes, which are others.
_TWO = (("axis1", "axis2"), ("dim1", "dim2"))
# Functions that keep the axis that they reduce where they are told so.
_KEEPING = frozenset({"mode", "kthvalue"})
# Functions whose gradients may read tensors that all have fewer axes.
_OF_MORE_AXES = frozenset({"unbind", "unstack", "squeeze", "squeeze2", "slice", "set_value"})
_Shape = tuple[int, ...]
_Specs = Mapping[str, Sequence[TensorSpec]]


@cache
def function_of(name: str) -> str:
    """``pd_op.conv2d`` of ``pd_op.conv2d_grad``; the name itself of what is no gradient."""
    own = name.removesuffix(_IN_PLACE)
    while own.endswith(OF_A_GRADIENT):
        own = own.removesuffix(OF_A_GRADIENT)
        for times in _TIMES:
            own = own.removesuffix(times)
    return name if own == name.removesuffix(_IN_PLACE) else own


@cache
def attributes_of(name: str) -> frozenset[str]:
    """Attributes of an operator in any known release; a legacy gradient, which none describes, has
    those of its function."""
    own = attribute_names(name)
    return own if own or name.startswith(_PIR) else attribute_names(function_of(name))


@cache
def _needed() -> Mapping[str, Sequence[str]]:
    """``matrix.derive_gradients`` wrote it."""
    path = resources.files("compatload.operators") / "data" / "gradients.json"
    found: Mapping[str, Sequence[str]] = json.loads(path.read_bytes())
    return found


def missing_operand(operator: Operator) -> str | None:
    """The slot of a legacy gradient that no program goes without."""
    for slot in _needed().get(operator.name, ()):
        if not operator.inputs.get(slot):
            return f"its input {slot!r} is missing"
    return None


def wrong_gradient(operator: Operator, variables: Mapping[str, TensorSpec]) -> str | None:
    """An axis that nothing which a gradient reads has, or a gradient shaped unlike its value."""
    function = function_of(operator.name)
    bare = function.rpartition(".")[2].removesuffix(_IN_PLACE)
    if function == operator.name and bare not in _UNASKED:
        return None
    taken, made = _taken_and_made(operator, variables)
    if function == operator.name:
        return _wrong_axis(operator, bare, taken, made)
    return (
        _wrong_axis(operator, bare, taken, made)
        or _unlike_value(operator, taken, made)
        or _wrong_size(operator, bare, taken)
    )


def _taken_and_made(
    operator: Operator, variables: Mapping[str, TensorSpec]
) -> tuple[_Specs, _Specs]:
    """What it reads and makes, by the names of the function's operands and results; of these and of
    those the gradients have one ending in either format."""
    named: list[_Specs] = []
    is_pir = operator.name.startswith(_PIR)
    known = pir_operator(operator.name, operator.arity) if is_pir else None
    operands = [one.name for one in known.operands] if known is not None else []
    results = [one.name for one in known.results] if known is not None else []
    for slots, names in ((operator.inputs, operands), (operator.outputs, results)):
        found: dict[str, Sequence[TensorSpec]] = {}
        for slot, values in slots.items():
            name = (
                names[int(slot)] if is_pir and slot.isdigit() and int(slot) < len(names) else slot
            )
            if is_pir and name.endswith(OF_A_GRADIENT):
                name = name.removesuffix(OF_A_GRADIENT) + GRADIENT
            found[name] = [variables[one] for one in values if one in variables]
        named.append(found)
    return named[0], named[1]


def _wrong_axis(operator: Operator, bare: str, taken: _Specs, made: _Specs) -> str | None:
    looked_at = (taken, made) if bare in _OF_MORE_AXES else (taken,)
    shapes = [one.shape for specs in looked_at for each in specs.values() for one in each]
    known = [len(shape) for shape in shapes if shape is not None]
    if not known:
        return None
    count = max(1, *known)
    least = 0 if bare in _FROM_FRONT and function_of(operator.name) != operator.name else -count
    for name in _AXES:
        value = operator.attributes.get(name)
        axes = value if isinstance(value, tuple) else (value,)
        if _UNGIVEN.get(bare) == value:
            continue
        if any(type(axis) is int and not least <= axis < count for axis in axes):
            return f"its {name!r} is {value}, and nothing that it reads has more than {count}"
        if bare in _FFT and isinstance(value, tuple) and len(set(axes)) != max(1, len(axes)):
            return f"its {name!r} is {list(value)}"
    for pair in _TWO:
        one, other = (operator.attributes.get(name) for name in pair)
        if type(one) is int and type(other) is int and one % count == other % count:
            return f"its {' and '.join(map(repr, pair))} are {one} and {other}"
    return None


def _unlike_value(operator: Operator, taken: _Specs, made: _Specs) -> str | None:
    if operator.block:  # declared anew there, with other sizes
        return None
    for name, values in taken.items():
        if name.endswith(GRADIENT):
            continue
        for gradients in (taken.get(name + GRADIENT, ()), made.get(name + GRADIENT, ())):
            if len(gradients) != len(values):
                continue
            for value, gradient in zip(values, gradients):
                if _differ(value.shape, gradient.shape):
                    shapes = [list(one.shape or ()) for one in (gradient, value)]
                    return f"its gradient of {name} is {shapes[0]}, of a value of {shapes[1]}"
    return None


def _differ(one: _Shape | None, other: _Shape | None) -> bool:
    """2.6 declares a number as one element along an axis, too."""
    return other_sizes(one, other) and not {one, other} <= {(), (1,)}


def _wrong_size(operator: Operator, bare: str, taken: _Specs) -> str | None:
    """Attributes that say how large the function's result was, of which there is a gradient."""
    results = [specs for name, specs in taken.items() if name.endswith(GRADIENT)]
    shapes = [one.shape for specs in results[:1] for one in specs[:1]]
    if bare in _KEEPING:
        rank = max(
            (len(one.shape) for each in taken.values() for one in each if one.shape), default=0
        )
        wanted = rank if operator.attributes.get("keepdim") is True else rank - 1
        known = [shape for shape in shapes if shape is not None and (wanted or shape != (1,))]
        if any(len(shape) != max(wanted, 0) for shape in known):
            return f"its 'keepdim' is {operator.attributes.get('keepdim')}, of {shapes[0]}"
    for name, places in _SIZED.get(bare.removesuffix("_v2"), {}).items():
        value = operator.attributes.get(name)
        sizes = value if isinstance(value, tuple) else (value,)
        for shape in (shape for shape in shapes if shape is not None):
            for size, have in zip(sizes, _at(shape, places, is_last(operator))):
                if type(size) is int and size > 0 and have > 0 and size != have:
                    return f"its {name!r} is {value}, of a result of {list(shape)}"
    return None


def _at(shape: _Shape, places: Sequence[int], last: bool) -> Iterator[int]:
    """Sizes by place from the end; all of them where no place is named."""
    moved = [place - 1 if last else place for place in places] or range(-len(shape), 0)
    yield from (shape[place] for place in moved if -len(shape) <= place)


# Function → attribute → the axes of its result, counted from the end, that have those sizes.
_INTERPOLATED = {"out_w": (-1,), "out_h": (-2,), "out_d": (-3,)}
_POOLED = {"pooled_width": (-1,), "pooled_height": (-2,)}
_SIZED: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    **{f"{kind}_interp": _INTERPOLATED for kind in ("bilinear", "bicubic", "nearest", "trilinear")},
    "linear_interp": {"out_w": (-1,)},
    **dict.fromkeys(("roi_align", "roi_pool"), _POOLED),
    "expand": {"shape": ()},
    "expand_as": {"target_shape": ()},
}
