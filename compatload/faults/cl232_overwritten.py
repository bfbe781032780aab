"""CL232: value of oneDNN's overwritten before it is read again, PIR program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    CONVOLUTIONS,
    DROPOUT,
    FUSED_ACTIVATIONS,
    PIR_ON_CPU,
    is_downscaling,
)

# Operators that may leave their result in the memory of an operand (those that the registries of
# 3.0.0 to 3.3.1 list with an underscore as well) and that oneDNN does not run, with the first
# release where both hold. What changes the type, or nothing but the shape, never was seen to.
IN_PLACE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("acos", "acosh", "addmm", "asin", "asinh", "atan", "atanh", "baddbmm", "bce_loss"),
            *("ceil", "copysign", "cos", "cosh", "cross_entropy_with_softmax", "cumprod"),
            *("cumsum", "digamma", "erf", "erfinv", "expm1", "exponential", "fill"),
            *("fill_diagonal", "fill_diagonal_tensor", "floor", "floor_divide", "gammaincc"),
            *("gammaln", "hardtanh", "i0", "increment", "index_add", "index_put", "lerp"),
            *("lgamma", "log", "log10", "log1p", "log2", "logit", "polygamma", "pow"),
            *("put_along_axis", "reciprocal", "remainder", "renorm", "rsqrt", "scatter"),
            *("set_value", "set_value_with_tensor", "sigmoid_cross_entropy_with_logits", "sin"),
            *("sinh", "square", "tan", "thresholded_relu", "tril", "triu", "trunc", "where"),
        ),
        "3.0",
    ),
    **dict.fromkeys(("index_elementwise_put", "masked_fill"), "3.1"),
    **dict.fromkeys(("index_elementwise_put_with_tensor", "rint"), "3.1.1"),
    "silu": "3.2",
    **dict.fromkeys(("divide", "dropout"), "3.3"),
}
# What gives a value of oneDNN's another shape or another name, and leaves it where it is.
VIEWS = frozenset({"assign", "share_data", "unsqueeze"})


def overwritten_operand(operator: Operator) -> str | None:
    """The operand whose memory the result may be given: the first of ``where`` is its condition."""
    return operand(operator, SECOND if bare_name(operator) == "where" else FIRST)


def overwrites(operator: Operator, graph: Graph) -> bool:
    """Whether something reads, afterwards, what lies in the memory that it may compute in.

    What is computed alike twice (``x - mean(x)``, by a variance and beside it) is one by then. A
    dropout that does not scale writes the same numbers.
    """
    value = overwritten_operand(operator)
    if value is None or (bare_name(operator) in DROPOUT and not is_downscaling(operator)):
        return False
    return graph.is_read_after(operator, value, VIEWS) or any(
        graph.is_read_after(operator, twin, VIEWS) for twin in graph.twins(value)
    )


# What oneDNN runs in float32 and what then, of other dtypes, computes in place.
_IN_PLACE_ELSEWHERE = frozenset(
    {
        *(
            "abs",
            "add",
            "bitwise_and",
            "bitwise_not",
            "bitwise_or",
            "bitwise_xor",
            "clip",
            "divide",
        ),
        *("elu", "exp", "leaky_relu", "logical_and", "logical_not", "logical_or", "logical_xor"),
        *("multiply", "relu", "relu6", "round", "scale", "sigmoid", "softmax", "sqrt", "subtract"),
        "tanh",
    }
)


def _overwrites_cast(operator: Operator, graph: Graph) -> bool:
    """The same of a value that a cast, which oneDNN runs, has made of float32."""
    value = overwritten_operand(operator)
    if value is None or graph.dtype(value) == "float32" or not overwrites(operator, graph):
        return False
    maker = graph.producer(graph.alias_set(value, VIEWS)[0])
    return maker is not None and bare_name(maker) == "cast"


_OVERWRITING = (
    OperatorPattern(frozenset(IN_PLACE), where=overwrites),
    OperatorPattern(_IN_PLACE_ELSEWHERE, where=_overwrites_cast),
)


_ACTIVATIONS = FUSED_ACTIVATIONS | {"elu", "exp", "log_softmax", "prelu", "round", "softplus"}
_ELEMENTWISE = frozenset({"add", "multiply", "subtract", "divide", "scale"}) | _ACTIVATIONS
# What leaves the order that a convolution has given to its first operand. Turned back for a
# reader outside of oneDNN, a value gets memory of its own.
_IN_ORDER = _ELEMENTWISE | {
    *("batch_norm", "bilinear_interp", "clip", "concat", "layer_norm", "pool2d", "softmax"),
    *("split", "split_with_num"),
}
# What oneDNN runs in PIR programs, or did until it computed in place; tried one by one before a
# cosine.
_IN_ONEDNN = (
    CONVOLUTIONS
    | _IN_ORDER
    | {
        *("bmm", "flatten", "matmul", "max", "mean", "min", "pad", "pad3d", "slice", "sum"),
        "transpose",
    }
)
_RESHAPING = frozenset({"reshape", "squeeze"})
_LIST_TAKEN_APART = "builtin.split"
_IMAGE = 4  # dimensions


def _overwritten(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Operators that compute in the memory of one of oneDNN's values that is read later."""
    found = overwriting(graph, release)
    return (
        *(
            one
            for one, value in found
            if _is_of_onednn(value, graph, release) and not _is_replaced(one, value, graph)
        ),
        *(one for one in graph.named(_IN_PLACE_ELSEWHERE) if _overwrites_cast(one, graph)),
    )


def _is_replaced(operator: Operator, value: str, graph: Graph) -> bool:
    """Whether all that takes the value later writes each of its items anew, as what follows
    ``y[mask] = 0`` does."""
    later = [
        one
        for one in graph.users.get(value, ())
        if one.block == operator.block and one.index > operator.index
    ]
    return bool(later) and all(
        bare_name(one) == "set_value_with_tensor"
        and operand(one, FIRST) == value
        and graph.shape(operand(one, SECOND)) == graph.shape(value)
        for one in later
    )


def overwriting(graph: Graph, release: str) -> Iterator[tuple[Operator, str]]:
    """What computes in place there, and the value whose memory that is."""
    for one in graph.named(_in_place(release)):
        value = overwritten_operand(one)
        if (
            value is not None
            and is_of_known_size(value, graph)
            and overwrites(one, graph)
            and not _is_kept_for_others(value, one, graph)
            and not graph.is_computed_once(value)  # made as the predictor is: a pass folds it
        ):
            yield one, graph.alias_set(value, VIEWS)[0]


def is_of_known_size(value: str, graph: Graph) -> bool:
    """The pass compares sizes, of which the first may be free (``[-1, 8]``), and no other."""
    return all(size >= 0 for size in (graph.shape(value) or ())[1:])


def _is_kept_for_others(value: str, operator: Operator, graph: Graph) -> bool:
    """Whether it is unsqueezed, and read later under its own name, which the pass sees, or under
    that of what is computed alike, which is one by then."""
    maker = graph.producer(value)
    if maker is None or bare_name(maker) != "unsqueeze":
        return False
    names = (value, *graph.twins(value))
    return any(user.index > operator.index for one in names for user in graph.users.get(one, ()))


@cache
def _in_place(release: str) -> frozenset[str]:
    """The operators that compute in place there, outside of oneDNN."""
    return frozenset(name for name, since in IN_PLACE.items() if Version(since) <= Version(release))


def _is_of_onednn(value: str | None, graph: Graph, release: str) -> bool:
    """Whether oneDNN computes a value, and leaves it in an order that others read as it is; of what
    a loop carries, whether it does so before the loop and in each round."""
    ends = graph.carried.get(value or "", ())
    if ends:
        return all(one not in graph.carried and _is_of_onednn(one, graph, release) for one in ends)
    maker = graph.producer(value)
    if maker is not None and bare_name(maker) == "if":
        return any(
            (one := graph.producer(given)) and runs_in_onednn(one, given, graph, release)
            for given in graph.yielded(maker)
        )
    if maker is not None and maker.name == _LIST_TAKEN_APART:
        maker = graph.producer(operand(maker, FIRST))
    return (
        maker is not None
        and (runs_in_onednn(maker, value, graph, release) or _is_reshaped(maker, graph))
        and not _has_own_order(value, graph)
        and not is_layer_of_images(maker, value, graph)
    )


def runs_in_onednn(operator: Operator, result: str | None, graph: Graph, release: str) -> bool:
    return (
        bare_name(operator) in _IN_ONEDNN - _in_place(release) and graph.dtype(result) == "float32"
    )


def _is_reshaped(operator: Operator, graph: Graph) -> bool:
    """Whether oneDNN gives a value another shape: a known one without 0, which says that a size
    stays. A transpose takes that in."""
    if bare_name(operator) not in _RESHAPING or graph.dtype(result(operator)) != "float32":
        return False
    before, shape = (graph.producer(operand(operator, slots)) for slots in (FIRST, SECOND))
    is_taken_in = (
        before is not None
        and bare_name(before) == "transpose"
        and graph.sole_user(before) is operator
    )
    if is_taken_in or shape is None or bare_name(shape) != "full_int_array":
        return False
    told = shape.attributes.get("value")
    return bare_name(operator) == "squeeze" or (isinstance(told, tuple) and 0 not in told)


def _has_own_order(value: str | None, graph: Graph) -> bool:
    """Whether a value is an image as a convolution leaves it: turned back for others."""
    seen: set[str | None] = set()
    while (maker := graph.producer(value)) is not None and value not in seen:
        seen.add(value)
        shape = graph.shape(value) or ()
        if len(shape) < _IMAGE or shape[1] == 1 or all(size == 1 for size in shape[2:]):
            return False
        if bare_name(maker) in CONVOLUTIONS:
            return True
        if bare_name(maker) not in _IN_ORDER:
            return False
        value = operand(maker, FIRST)
    return False


def is_layer_of_images(maker: Operator, value: str | None, graph: Graph) -> bool:
    """Whether a fully connected layer, fused, yields four dimensions: these are turned back."""
    if bare_name(maker) == "relu":
        value = operand(maker, FIRST)
        maker = graph.producer(value) or maker
    product = graph.producer(operand(maker, FIRST))
    return (
        bare_name(maker) == "add"
        and len(graph.shape(value) or ()) == _IMAGE
        and len(graph.shape(operand(maker, SECOND)) or ()) == 1
        and product is not None
        and bare_name(product) == "matmul"
        and graph.is_stored(operand(product, SECOND))
    )


RULE = Rule(
    id="CL232",
    title="value of oneDNN's overwritten before it is read again, PIR program",
    when=(replace(PIR_ON_CPU, onednn=True, operators=_OVERWRITING),),
    action=Action.DELETE_PASSES,
    explanation=(
        "A value of oneDNN's that goes to an operator outside of it gets a second name and "
        "keeps its memory, unless it has to be put in another order. The pass sees one reader "
        "of that name and lets it compute in place. Whatever reads the value afterwards reads "
        "the result instead, in silence: of `y = x @ w; cos(y) + y` the second `y` is the "
        "cosine. Norms from squares and position encodings have this form. Without the pass "
        "the predictor is as fast."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "y = x @ w, cos(y) + y: 0.68 of the scale, 3.0.0 to 3.3.1"),
        Evidence("measured", "y * rsqrt(mean(pow(y, 2))), and y: wrong on 3.0.0 and 3.3.1"),
        Evidence("measured", "y.unsqueeze(1), cos(y): the first is the cosine, 3.0.0 to 3.3.1"),
        Evidence("measured", "RT-DETR's sine and cosine of one product: 0.69, 3.1.1, 3.2.2"),
        Evidence(
            "measured", "y = cast(x, 'float64') or to int64; y, y + 1: the first is y + 1, 3.3.1"
        ),
        Evidence(
            "measured",
            "y = linear(x); exp(y) + y without the placement pass, which other rules leave out: "
            "46 on 3.0.0, 3.2.2 and 3.3.1",
        ),
        Evidence("measured", "(x - x.mean()) / sqrt(x.var()): wrong on 3.0.0 and 3.3.1"),
        Evidence("measured", "y = y - cos(y) in a loop over y = linear(x): wrong on 3.0.0, 3.3.1"),
        Evidence("measured", "y = x.reshape([-1, 8]); square(y), tanh(y): wrong on 3.0.0, 3.3.1"),
        Evidence("measured", "ResNet-50, MobileNetV3 without it, 3.2.2: +0.9 % and +0.0 %"),
    ),
    parameters=("inplace_pass",),
    alone=(Alone(571, sees=_overwritten),),
)
