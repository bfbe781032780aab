"""What operands of an operator must be to each other. Pure; no Paddle, no files.

Paddle infers types and shapes when a program is built, not when it is loaded: a kernel that gets a
filter of another rank, a scale of another length or numbers of another type reads beyond them.
Shapes and types are the declared ones, as far as the program declares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod

from compatload.artifact.model import Operator, Program, TensorSpec
from compatload.operators.gradients import function_of
from compatload.operators.products import transposes_first, transposes_second
from compatload.operators.registry import (
    PirOperand,
    known_releases,
    pir_operator,
    pir_operators,
)
from compatload.operators.shapes import is_last, other_sizes

_Shape = tuple[int, ...]
_NORM = {"Scale": 1, "Bias": 1}
# Operator → legacy slot → axes that it has; ``PIR_SLOTS`` tells how PIR calls operator and slot.
RANKS: Mapping[str, Mapping[str, int]] = {
    "batch_norm": {**_NORM, "Mean": 1, "Variance": 1},
    "layer_norm": _NORM,
    "group_norm": _NORM,
    "instance_norm": _NORM,
    **{name: {"X": 4} for name in ("pool2d", "max_pool2d_with_index", "lp_pool2d", "pad2d")},
    **{name: {"X": 4} for name in ("bilinear_interp_v2", "bicubic_interp_v2")},
    **{name: {"X": 4} for name in ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle")},
    **{name: {"X": 5} for name in ("pool3d", "max_pool3d_with_index", "pad3d")},
    "trilinear_interp_v2": {"X": 5},
    "linear_interp_v2": {"X": 3},
    "lookup_table_v2": {"W": 2},
    "rnn": {"Input": 3, "PreState": 3},
}
_PIR_NAMES: Mapping[str, str] = {
    "batch_norm": "batch_norm_",
    "bilinear_interp_v2": "bilinear_interp",
    "bicubic_interp_v2": "bicubic_interp",
    "trilinear_interp_v2": "trilinear_interp",
    "linear_interp_v2": "linear_interp",
    "lookup_table_v2": "embedding",
}
_PIR_SLOTS: Mapping[str, str] = {
    "W": "weight",
    "Input": "x",
    "PreState": "pre_state",
    "WeightList": "weight_list",
}
# Operators whose first two operands have elements of one type.
ALIKE = frozenset(
    (
        *("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div"),
        *("elementwise_max", "elementwise_min", "elementwise_mod", "elementwise_pow"),
        *("elementwise_floordiv", "elementwise_fmax", "elementwise_fmin", "matmul", "matmul_v2"),
        *("mul", "bmm", "less_than", "less_equal", "greater_than", "greater_equal", "equal"),
        *("not_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or"),
        *("pd_op.add", "pd_op.bmm", "pd_op.fmax", "pd_op.fmin", "pd_op.logical_and"),
        *("pd_op.logical_or", "pd_op.logical_xor", "pd_op.bitwise_and", "pd_op.bitwise_or"),
    )
)
#: Operators of PIR programs whose operands 3.x itself brings to the type of the last one (CL184).
BROUGHT_TO_LAST = frozenset(
    (
        *("matmul", "subtract", "multiply", "divide", "maximum", "minimum", "remainder"),
        *("elementwise_pow", "floor_divide", "less_than", "less_equal", "greater_than"),
        *("greater_equal", "equal", "not_equal"),
    )
)
# Legacy operators whose result has elements of the type that the first operand has. 3.x takes the
# declared types for true where it runs such a program.
RESULT_ALIKE: Mapping[str, str] = {
    **dict.fromkeys((name for name in sorted(ALIKE) if name.startswith("elementwise_")), "Out"),
    **dict.fromkeys(
        (
            *("abs", "assign", "ceil", "celu", "clip", "cos", "elu", "erf", "exp", "floor"),
            *("gelu", "hard_sigmoid", "hard_swish", "leaky_relu", "log", "log_softmax", "mish"),
            *("reciprocal", "relu", "relu6", "round", "rsqrt", "scale", "selu", "sigmoid", "sign"),
            *("silu", "sin", "softmax", "softplus", "softsign", "sqrt", "square", "swish", "tanh"),
        ),
        "Out",
    ),
    "batch_norm": "Y",
    "dropout": "Out",
}
# Gradients of functions of one tensor: kernels read all operands as far as the first one goes.
ALIKE_IN_SHAPE = frozenset(
    f"{dialect}{name}_grad"
    for dialect in ("", "pd_op.")
    for name in (
        *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "celu", "cos", "cosh"),
        *("elu", "erf", "exp", "expm1", "floor", "gelu", "hardshrink", "hardsigmoid", "hardswish"),
        *("hard_shrink", "hard_sigmoid", "hard_swish", "leaky_relu", "log", "log10", "log1p"),
        *("log2", "log_softmax", "logit", "logsigmoid", "mish", "reciprocal", "relu", "relu6"),
        *("round", "rsqrt", "selu", "sigmoid", "silu", "sin", "sinh", "softmax", "softplus"),
        *("softshrink", "softsign", "sqrt", "square", "stanh", "swish", "tan", "tanh"),
        *("tanh_shrink", "thresholded_relu"),
    )
)
# Convolution → axes of its input, and which axis of its filter counts input channels.
CONVOLUTIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("conv2d", "depthwise_conv2d"), (4, 1)),
    **dict.fromkeys(("conv2d_transpose", "depthwise_conv2d_transpose"), (4, 0)),
    "conv3d": (5, 1),
    "conv3d_transpose": (5, 0),
}
# Slots of legacy operators whose tensors tell sizes, places or counts of axes. Of the slots with
# several tensors each has one number.
_SIZE_EACH = frozenset(("SizeTensor", "expand_shapes_tensor", "repeat_times_tensor"))
_SIZE_EACH |= {"OffsetsTensor", "expand_times_tensor"}
SIZE_SLOTS = _SIZE_EACH | frozenset(
    (
        *("AxesTensor", "AxesTensorList", "AxisTensor", "AxisTensorList", "EndsTensor"),
        *("EndsTensorList", "KernelSizeTensor", "KernelSizeTensorList", "OutSize", "RepeatTimes"),
        *("SectionsTensorList", "Shape", "ShapeTensor", "ShapeTensorList", "ShiftsTensor"),
        *("StartsTensor", "StartsTensorList", "StepsTensorList", "StridesTensor"),
        *("StridesTensorList", "depth_tensor", "K"),
    )
)
_TOP, _TOPS = "K", "top_k"
_INTEGERS, _ONE = ("int32", "int64"), ((), (1,), (-1,))
_ELEMENTWISE = tuple(name for name in sorted(ALIKE) if name.startswith("elementwise_"))
# Rows of a recurrent layer's weights for each hidden unit.
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


_COMBINE = "builtin.combine"


class Operands:
    """Operands of a program's operators by their legacy names, with what is declared of them."""

    def __init__(self, program: Program) -> None:
        self._variables = program.variables
        self.carries = program.carries
        several = _COMBINE in program.operator_counts
        self._vectors = {
            one.outputs["0"][0]: tuple(value for (value,) in one.inputs.values())
            for one in (program.operators if several else ())
            if one.name == _COMBINE
        }

    def specs(self, operator: Operator, slot: str) -> Sequence[TensorSpec]:
        """Each value of a slot; a vector of PIR as its elements."""
        if operator.name.startswith("pd_op."):
            place = self.place(operator, _PIR_SLOTS.get(slot, slot.lower()))
            return self.at(operator, place) if place is not None else ()
        values = operator.inputs.get(slot, ())
        return [self._variables[value] for value in values if value in self._variables]

    def place(self, operator: Operator, name: str) -> str | None:
        """Where a PIR operator has its operand of that name."""
        return _places(operator.name, operator.arity).get(name)

    def at(self, operator: Operator, place: str) -> Sequence[TensorSpec]:
        """The value at a place of a PIR operator; a vector as its elements."""
        values = operator.inputs.get(place, ())
        if len(values) == 1:
            values = self._vectors.get(values[0], values)
        return [self._variables[value] for value in values if value in self._variables]

    def shape(self, operator: Operator, slot: str) -> _Shape | None:
        specs = self.specs(operator, slot)
        return specs[0].shape if specs else None

    def made(self, operator: Operator, slot: str) -> Sequence[TensorSpec]:
        """The results of a slot of a legacy operator."""
        values = operator.outputs.get(slot, ())
        return [self._variables[value] for value in values if value in self._variables]

    def all(self, operator: Operator) -> Sequence[TensorSpec]:
        values = (value for held in operator.inputs.values() for value in held)
        return [self._variables[value] for value in values if value in self._variables]


@cache
def _operands(name: str, arity: tuple[int, int]) -> Sequence[PirOperand]:
    """The operands of a PIR operator with so many, or as the newest release has them."""
    if not name.startswith("pd_op."):
        return ()
    known = pir_operator(name, arity) or pir_operators(known_releases()[-1]).get(name)
    return known.operands if known else ()


@cache
def _places(name: str, arity: tuple[int, int]) -> Mapping[str, str]:
    return {operand.name: str(place) for place, operand in enumerate(_operands(name, arity))}


def wrong_operand(operator: Operator, values: Operands) -> str | None:
    """An operand that an operator of its kind does not take."""
    if operator.name in ALIKE:
        wrong = _unlike(values.all(operator)[:2])
        if wrong:
            return wrong
    if operator.name in RESULT_ALIKE:
        wrong = _other_result(operator, values)
        if wrong:
            return wrong
    if not SIZE_SLOTS.isdisjoint(operator.inputs):
        wrong = _size_tensors(operator, values)
        if wrong:
            return wrong
    wrong = _whole_lists(operator, values)
    if wrong:
        return wrong
    if operator.name in ALIKE_IN_SHAPE:
        return _unlike_in_shape(values.all(operator))
    name = _legacy_names().get(function_of(operator.name))
    if name is None:
        return None
    found = (check(operator, values) for check in (_ranks, *_CHECKS.get(name, ())))
    return next((one for one in found if one), None)


@cache
def _legacy_names() -> Mapping[str, str]:
    """The legacy name of each operator that is looked at, in either format."""
    return {
        name: legacy
        for legacy in (*RANKS, *_CHECKS)
        for name in (legacy, *(f"pd_op.{pir}" for pir in _pir_names(legacy)))
    }


def _pir_names(legacy: str) -> tuple[str, str]:
    """Of the operator, and of what its gradient is called by, which is not in place."""
    name = _PIR_NAMES.get(legacy, legacy)
    return name, name.removesuffix("_")


#: How two operands of several types are told: their types follow.
UNLIKE = "its operands are "


def _unlike(specs: Sequence[TensorSpec]) -> str | None:
    types = [spec.dtype for spec in specs]
    # Paddle promotes real to complex numbers itself.
    if len(types) < 2 or None in types or any(str(one).startswith("complex") for one in types):
        return None
    return None if types[0] == types[1] else f"{UNLIKE}{types[0]} and {types[1]}"


def _other_result(operator: Operator, values: Operands) -> str | None:
    """A declared result of another type, or with other sizes, than such an operator makes."""
    taken = values.specs(operator, "X")[:1]
    for made in values.made(operator, RESULT_ALIKE[operator.name]) if taken else ():
        types = [taken[0].dtype, made.dtype]
        # Paddle promotes real to complex numbers itself.
        known = None not in types and not any(str(one).startswith("complex") for one in types)
        if known and types[0] != types[1]:
            return f"it makes {types[1]} of {types[0]}"
        # A branch may declare anew, with other sizes, what stands in the block around it, and a
        # loop changes those of what it carries.
        sized = operator.block == 0 and operator.name not in ALIKE and not values.carries(operator)
        if sized and other_sizes(taken[0].shape, made.shape):
            return f"it makes {list(made.shape or ())} of {list(taken[0].shape or ())}"
    return None


def _size_tensors(operator: Operator, values: Operands) -> str | None:
    """Of a legacy operator: sizes that tensors tell are integers, one in each of several."""
    for slot in SIZE_SLOTS.intersection(operator.inputs):
        if slot == _TOP and not operator.name.startswith(_TOPS):
            continue  # the keys of an attention
        for spec in values.specs(operator, slot):
            if spec.dtype not in _INTEGERS:
                return f"its {slot} {spec.name!r} holds {spec.dtype}"
            one_each = slot.endswith("List") or slot in _SIZE_EACH
            if (
                one_each
                and operator.block == 0
                and spec.shape is not None
                and spec.shape not in _ONE
            ):
                return f"its {slot} {spec.name!r} has the shape {list(spec.shape)}"
    return None


@cache
def _lists(name: str, arity: tuple[int, int]) -> Mapping[str, str]:
    """The operands of a PIR operator that are lists of axes or sizes, by their places."""
    listed = enumerate(_operands(name, arity))
    return {str(place): one.name for place, one in listed if one.type == "intarray"}


def _whole_lists(operator: Operator, values: Operands) -> str | None:
    """Of a PIR operator: axes and sizes are integers, in a row."""
    for place, name in _lists(operator.name, operator.arity).items():
        for spec in values.at(operator, place):
            if spec.dtype not in _INTEGERS or len(spec.shape or ()) > 1:
                shape = [*spec.shape] if spec.shape is not None else ""
                return f"its {name} holds {spec.dtype}{shape}"
    return None


def _unlike_in_shape(specs: Sequence[TensorSpec]) -> str | None:
    shapes = [spec.shape for spec in specs if spec.shape is not None]
    for one, other in zip(shapes, shapes[1:]):
        if other_sizes(one, other):
            return f"its operands are {list(one)} and {list(other)}"
    return None


def _ranks(operator: Operator, values: Operands) -> str | None:
    name = _legacy_names()[function_of(operator.name)]
    for slot, rank in RANKS.get(name, {}).items():
        for spec in values.specs(operator, slot):
            if spec.shape is not None and len(spec.shape) != rank:
                return f"its {slot} has {len(spec.shape)} axes, not {rank}"
    return None


def _channels(operator: Operator, values: Operands) -> str | None:
    """Of a normalisation: a scale, a bias … for each channel."""
    shape = values.shape(operator, "X")
    if shape is None or len(shape) < 2:
        return None
    channels = shape[-1 if is_last(operator) else 1]
    return _lengths(operator, values, ("Scale", "Bias", "Mean", "Variance"), channels)


def _normalised(operator: Operator, values: Operands) -> str | None:
    """Of a layer norm: a scale and a bias for each element that is normalised together."""
    shape, axis = values.shape(operator, "X"), operator.attributes.get("begin_norm_axis", 1)
    if shape is None:
        return None
    if type(axis) is not int or not 0 < axis <= len(shape):
        return f"it normalises from axis {axis!r} on, of {len(shape)}"
    sizes = shape[axis:]
    together = prod(sizes) if all(size > 0 for size in sizes) else -1
    return _lengths(operator, values, ("Scale", "Bias"), together)


def _lengths(operator: Operator, values: Operands, slots: Sequence[str], wanted: int) -> str | None:
    for slot in slots:
        shape = values.shape(operator, slot)
        if shape and len(shape) == 1 and shape[0] > 0 and wanted > 0 and shape[0] != wanted:
            return f"its {slot} has {shape[0]} elements, not {wanted}"
    return None


def _convolution(operator: Operator, values: Operands) -> str | None:
    rank, counted = CONVOLUTIONS[function_of(operator.name).rpartition(".")[2]]
    image, kernel = (_shape_at(operator, values, *names) for names in _CONVOLVED)
    for what, shape in (("input", image), ("filter", kernel)):
        if shape is not None and len(shape) != rank:
            return f"its {what} has {len(shape)} axes, not {rank}"
    wrong = _groups(operator, values)
    if wrong or image is None or kernel is None:
        return wrong
    groups = operator.attributes.get("groups", 1)
    assert isinstance(groups, int)  # noqa: S101 - asked just now
    if counted and kernel[0] == 0:
        return f"its filter has the shape {list(kernel)}"
    channels, taken = image[-1 if is_last(operator) else 1], kernel[counted]
    wanted = taken * groups if counted else taken
    if channels > 0 and wanted > 0 and channels != wanted:
        return f"its input has {channels} channels, its filter takes {wanted}"
    return None


def _shape_at(operator: Operator, values: Operands, legacy: str, pir: str) -> _Shape | None:
    return values.shape(operator, pir if operator.name.startswith("pd_op.") else legacy)


_CONVOLVED = (("Input", "input"), ("Filter", "filter"))


def _flattened_product(operator: Operator, values: Operands) -> str | None:
    """Of ``mul``: matrices of which each is a tensor with some of its axes taken together."""
    shapes, axes = (values.shape(operator, "X"), values.shape(operator, "Y")), []
    for shape, name in zip(shapes, ("x_num_col_dims", "y_num_col_dims")):
        count = operator.attributes.get(name, 1)
        if type(count) is not int or (shape is not None and not 0 < count < len(shape)):
            return f"its {name!r} is {count!r} for a value of {shape and list(shape)}"
        axes.append(count)
    if shapes[0] is None or shapes[1] is None:
        return None
    return _unequal(shapes[0][axes[0] :], shapes[1][: axes[1]])


def _product(operator: Operator, values: Operands) -> str | None:
    one, other = values.shape(operator, "X"), values.shape(operator, "Y")
    if not one or not other or len(one) < 2 or len(other) < 2:
        return None
    if 0 in (*one, *other):
        return None  # of nothing: Paddle asks no more of it
    columns = one[-2 if transposes_first(operator) else -1]
    rows = other[-1 if transposes_second(operator) else -2]
    return _unequal((columns,), (rows,))


def _unequal(one: _Shape, other: _Shape) -> str | None:
    if min((*one, *other)) < 0 or prod(one) == prod(other):
        return None
    return f"it multiplies {list(one)} columns by {list(other)} rows"


def _aligned(operator: Operator, values: Operands) -> str | None:
    """Of legacy elementwise operators: the axes of Y stand beside those of X from ``axis`` on, or
    at its end; sizes are alike, or one of them is 1."""
    one, other = values.shape(operator, "X"), values.shape(operator, "Y")
    axis = operator.attributes.get("axis", -1)
    if one is None or other is None or type(axis) is not int:
        return None
    if axis < 0 or len(other) > len(one):
        pairs = list(zip(reversed(one), reversed(other)))
    else:
        while other and other[-1] == 1:
            other = other[:-1]
        if axis + len(other) > len(one):
            return f"its Y has {len(other)} axes from {axis} on, its X {len(one)}"
        pairs = list(zip(one[axis:], other))
    if any(first != second and min(first, second) > 1 for first, second in pairs):
        return f"it takes {list(one)} and {list(other)} together"
    return None


def _groups(operator: Operator, values: Operands) -> str | None:
    groups = operator.attributes.get("groups", 1)
    if type(groups) is not int or groups < 1:
        return f"its groups are {groups!r}"
    return None


def _shared_out(operator: Operator, values: Operands) -> str | None:
    """Of the gradient of what takes channels in groups: as many in each."""
    if function_of(operator.name) == operator.name:
        return None
    shape = values.shape(operator, "X") or values.shape(operator, "Input")
    if shape is None or len(shape) < 2:
        return None
    channels = shape[-1 if is_last(operator) else 1]
    for name in ("groups", "deformable_groups"):
        groups = operator.attributes.get(name, 1)
        if type(groups) is int and groups > 0 and channels > 0 and channels % groups:
            return f"its {name!r} is {groups}, of {channels} channels"
    return None


def _paths(operator: Operator, values: Operands) -> str | None:
    """Of a hierarchical sigmoid: a table of paths and the codes along them, or neither."""
    told = [bool(operator.inputs.get(slot)) for slot in ("PathTable", "PathCode")]
    return None if told[0] == told[1] else "it has a table or codes of paths, not both"


def _equation(operator: Operator, values: Operands) -> str | None:
    """Of an einsum: a letter for each axis of each operand."""
    told = operator.attributes.get("equation", "")
    text = told.decode("latin-1") if isinstance(told, bytes) else str(told)
    left, _, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    pir = operator.name.startswith("pd_op.")
    operands = values.at(operator, "0") if pir else values.specs(operator, "Operands")
    if pir and len(operands) != len(terms):
        operands = ()  # a list that no operator of this block puts together
    letters = [term.replace("...", "") for term in (*terms, right)]
    if not all(one.isalpha() or not one for one in letters) or set(letters[-1]) - set(left):
        return f"its equation is {text!r:.40}"
    if operands and len(terms) != len(operands):
        return f"its equation {text!r:.40} is of {len(terms)} operands, not {len(operands)}"
    for term, spec in zip(terms, operands):
        named, rank = len(term.replace("...", "")), len(spec.shape or ())
        fewer = named < rank and "..." not in term and not (spec.shape == (1,) and not named)
        if spec.shape is not None and (named > rank or fewer):
            return f"its equation {text!r:.40} has {term!r} for an operand of {rank} axes"
    return None


def _recurrent(operator: Operator, values: Operands) -> str | None:
    """Of a recurrent layer: two weights and two biases for each layer and direction."""
    attributes = operator.attributes
    mode = attributes.get("mode", "")
    gates = _GATES.get(mode.decode("latin-1") if isinstance(mode, bytes) else str(mode))
    layers, hidden = attributes.get("num_layers"), attributes.get("hidden_size")
    if gates is None or type(layers) is not int or type(hidden) is not int:
        return f"it is no recurrent layer: mode {mode!r}, {layers!r} layers of {hidden!r}"
    if layers < 1 or hidden < 1:
        return f"it has {layers} layers of {hidden} units"
    count = layers * (2 if attributes.get("is_bidirec") else 1)
    weights = [spec.shape for spec in values.specs(operator, "WeightList")]
    if len(weights) != 4 * count:
        return f"it has {len(weights)} weights, not {4 * count}"
    for place, shape in enumerate(weights):
        rank = 2 if place < 2 * count else 1
        if shape is not None and (len(shape) != rank or shape[0] != gates * hidden):
            return f"its weight {place} has shape {list(shape)}"
        if shape is not None and rank == 2 and place % 2 and shape[1] != hidden:
            return f"its weight {place} has shape {list(shape)}"
    for spec in values.specs(operator, "PreState"):
        if spec.shape and (spec.shape[0] not in (-1, count) or spec.shape[-1] not in (-1, hidden)):
            return f"its state has shape {list(spec.shape)}"
    return None


def _embedded(operator: Operator, values: Operands) -> str | None:
    """Of a legacy embedding: one axis more than it has for the numbers of the rows."""
    rows = values.shape(operator, "Ids")
    for made in values.made(operator, "Out"):
        if rows is not None and made.shape is not None and len(made.shape) != len(rows) + 1:
            return f"it makes {len(made.shape)} axes of {len(rows)}"
    return None


def _looked_up(operator: Operator, values: Operands) -> str | None:
    """Of the first embedding: the numbers of the rows stand along a last axis of one place."""
    rows = values.shape(operator, "Ids")
    if rows is not None and (not rows or rows[-1] not in (1, -1)):
        return f"its Ids have the shape {list(rows)}"
    return None


_CHECKS: Mapping[str, Sequence[Callable[[Operator, Operands], str | None]]] = {
    "batch_norm": (_channels,),
    "instance_norm": (_channels,),
    "group_norm": (_channels, _groups, _shared_out),
    **dict.fromkeys(("deformable_conv", "deformable_conv_v1"), (_shared_out,)),
    "hierarchical_sigmoid": (_paths,),
    "einsum": (_equation,),
    "layer_norm": (_normalised,),
    "rnn": (_recurrent,),
    **dict.fromkeys(CONVOLUTIONS, (_convolution,)),
    **dict.fromkeys(_ELEMENTWISE, (_aligned,)),
    "mul": (_flattened_product,),
    "lookup_table": (_looked_up,),
    "lookup_table_v2": (_embedded,),
    "matmul": (_product,),
    "matmul_v2": (_product,),
}
