"""Between which numbers a value surely lies, whatever a program is fed with, as far as it is told.

What is too large or too small for its type is no part of it: ``exp`` is above zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.frozen import frozen

_DEEPEST = 60  # operators on the way up from what is asked about


@frozen
class Bounds:
    """From ``least`` to ``most``; ``above`` and ``below``: the end itself is not reached."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False
    below: bool = False

    @property
    def positive(self) -> bool:
        return self.least > 0 or (self.least == 0 and self.above)

    @property
    def from_zero(self) -> bool:
        return self.least >= 0

    @property
    def nonzero(self) -> bool:
        return self.positive or self.most < 0 or (self.most == 0 and self.below)

    def within(self, least: float, most: float) -> bool:
        return least <= self.least and self.most <= most


ANYTHING = Bounds()
_POSITIVE = Bounds(0.0, math.inf, above=True)
_FROM_ZERO = Bounds(0.0)
_SHARE = Bounds(0.0, 1.0, above=True)
_FLAG = Bounds(0.0, 1.0)
_AROUND_ZERO = Bounds(-1.0, 1.0)

# What lies there whatever it is computed of.
_RANGES: Mapping[str, Bounds] = {
    **dict.fromkeys(("exp", "numel", "shape", "size", "softplus"), _POSITIVE),
    **dict.fromkeys(
        ("abs", "square", "relu", "p_norm", "frobenius_norm", "var", "std"), _FROM_ZERO
    ),
    **dict.fromkeys(
        ("argmax", "arg_max", "argmin", "arg_min", "nonzero", "where_index", "searchsorted"),
        _FROM_ZERO,
    ),
    **dict.fromkeys(("softmax",), _SHARE),
    **dict.fromkeys(("hard_sigmoid", "hardsigmoid", "one_hot", "one_hot_v2"), _FLAG),
    **dict.fromkeys(("cos", "erf", "sign", "sin", "softsign", "tanh"), _AROUND_ZERO),
    "sigmoid": Bounds(0.0, 1.0, above=True, below=True),
    "relu6": Bounds(0.0, 6.0),
    "cosh": Bounds(1.0),
    "log_softmax": Bounds(-math.inf, 0.0),
}
# What takes its numbers over from all of its operands, or leaves them between the same ends.
_KEEPING = frozenset(
    {
        *("assign", "bilinear_interp", "bilinear_interp_v2", "cast", "combine"),
        *("concat", "dropout", "expand", "expand_as", "expand_as_v2", "expand_v2", "flatten"),
        *("flatten_contiguous_range", "flip", "gather", "gather_nd", "index_select", "max", "mean"),
        *("meshgrid", "min", "nearest_interp", "nearest_interp_v2", "reduce_max", "reduce_mean"),
        *("reduce_min", "repeat_interleave", "reshape", "reshape2", "roll", "share_data", "slice"),
        *("split", "split_with_num", "squeeze", "squeeze2", "stack", "strided_slice", "sort"),
        *("take_along_axis", "tile", "transpose", "transpose2", "unbind", "unsqueeze"),
        *("unsqueeze2", "unstack", "amax", "amin", "reduce_amax", "reduce_amin", "topk"),
        "top_k_v2",
    }
)
# Those that read their sizes, places or axes from the operands after the first.
_OF_FIRST = _KEEPING - {"combine", "concat", "meshgrid", "stack"}
# What also tells the places of its numbers, as its second result or in this slot.
_WITH_PLACES = frozenset(
    {"topk", "top_k_v2", "argsort", "kthvalue", "mode", "cummax", "cummin", "max_pool2d_with_index"}
)
_PLACES = ("1", "Indices", "indices", "Mask")
# Sums and products of many: of what is above zero or not below, so are they.
_OF_MANY = frozenset({"sum", "reduce_sum", "cumsum", "cumprod", "prod", "reduce_prod", "add_n"})
_OF_PAIRS = frozenset({"matmul", "matmul_v2", "bmm", "mul", "conv2d", "einsum"})


def bounds(graph: Graph, value: str | None, depth: int = 0) -> Bounds:
    """Where a value lies."""
    if value is None:
        return ANYTHING
    if value not in graph.bounds:
        graph.bounds[value] = ANYTHING  # of what a loop carries, while it is looked for
        maker = graph.producer(value)
        if graph.dtype(value) == "bool":
            graph.bounds[value] = _FLAG
        elif maker is not None and depth < _DEEPEST:
            graph.bounds[value] = _of_result(graph, maker, value, depth + 1)
    return graph.bounds[value]


def _of_result(graph: Graph, maker: Operator, value: str, depth: int) -> Bounds:
    name = bare_name(maker)
    if name in _RANGES:
        return _RANGES[name]
    if name in _WITH_PLACES and any(value in maker.outputs.get(slot, ()) for slot in _PLACES):
        return _FROM_ZERO

    def of(slots: tuple[str, ...]) -> Bounds:
        return bounds(graph, operand(maker, slots), depth)

    if name in _OF_FIRST:
        return of(FIRST)
    if name in _KEEPING:
        return _together(bounds(graph, one, depth) for one in _joined(maker))
    if name in _OF_MANY:
        return _signed(bounds(graph, one, depth) for one in _joined(maker))
    if name in _OF_PAIRS:
        return _signed((of(FIRST), of(SECOND)))
    compute = _COMPUTED.get(name)
    return compute(graph, maker, of) if compute else ANYTHING


Of = Callable[["tuple[str, ...]"], Bounds]


def _joined(maker: Operator) -> Sequence[str]:
    """What an operator puts together: a list in one slot, or an operand each."""
    if bare_name(maker) == "combine":
        return [one for values in maker.inputs.values() for one in values]
    return next((maker.inputs[slot] for slot in FIRST if maker.inputs.get(slot)), ())


def _together(several: Iterable[Bounds]) -> Bounds:
    """Where all of them lie."""
    known = list(several)
    if not known:
        return ANYTHING
    least, most = min(one.least for one in known), max(one.most for one in known)
    return Bounds(
        least,
        most,
        all(one.above for one in known if one.least == least),
        all(one.below for one in known if one.most == most),
    )


def _signed(several: Iterable[Bounds]) -> Bounds:
    known = list(several)
    if known and all(one.positive for one in known):
        return _POSITIVE
    return _FROM_ZERO if known and all(one.from_zero for one in known) else ANYTHING


def number(graph: Graph, value: str | None) -> float | None:
    """The one number that a value is filled with."""
    maker = graph.producer(value)
    if maker is None or bare_name(maker) not in (
        "full",
        "fill_constant",
        "assign_value",
        "constant",
    ):
        return None
    for name in ("str_value", "value", "fp32_values", "values"):
        told = maker.attributes.get(name)
        several = told if isinstance(told, tuple) else (told,)
        try:
            numbers = {float(one) for one in several if one not in (None, "")}
        except (TypeError, ValueError):
            continue
        if len(numbers) == 1:
            return numbers.pop()
    return None


def _of_number(told: float | None) -> Bounds:
    return ANYTHING if told is None or math.isnan(told) else Bounds(told, told)


def _filled(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _of_number(number(graph, next(iter(maker.outputs.values()), (None,))[0]))


def _filled_like(graph: Graph, maker: Operator, of: Of) -> Bounds:
    told = maker.attributes.get("value")
    if isinstance(told, (int, float)):
        return _of_number(float(told))
    return _of_number(number(graph, operand(maker, SECOND)))


def _scaled(graph: Graph, maker: Operator, of: Of) -> Bounds:
    told, bias = maker.attributes.get("scale"), maker.attributes.get("bias", 0.0)
    if told is None:
        told = number(graph, operand(maker, SECOND))
    if maker.inputs.get("ScaleTensor") or not isinstance(told, (int, float)):
        return ANYTHING
    if not isinstance(bias, (int, float)):
        return ANYTHING
    after = maker.attributes.get("bias_after_scale", True)
    source, factor = of(FIRST), Bounds(float(told), float(told))
    added = Bounds(float(bias), float(bias))
    if after:
        return _plus(_times(source, factor), added)
    return _times(_plus(source, added), factor)


def _plus(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(
        one.least + other.least if -math.inf not in (one.least, other.least) else -math.inf,
        one.most + other.most if math.inf not in (one.most, other.most) else math.inf,
        one.above or other.above,
        one.below or other.below,
    )


def _minus(one: Bounds) -> Bounds:
    return Bounds(-one.most, -one.least, one.below, one.above)


def _times(one: Bounds, other: Bounds) -> Bounds:
    """Ends that are open stay so only where the sign tells."""
    if one.least == one.most and one.least < 0:
        one, other = _minus(one), _minus(other)
    if one.least == one.most and one.least > 0:
        one, other = other, one
    if other.least == other.most and other.least > 0:
        factor = other.least
        return Bounds(one.least * factor, one.most * factor, one.above, one.below)
    if other.least == other.most and other.least < 0:
        return _minus(_times(one, _minus(other)))
    if one.positive and other.positive:
        return _POSITIVE
    ends = [_product(a, b) for a in (one.least, one.most) for b in (other.least, other.most)]
    return Bounds(min(ends), max(ends))


def _product(one: float, other: float) -> float:
    return 0.0 if 0.0 in (one, other) else one * other


def _added(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _plus(of(FIRST), of(SECOND))


def _subtracted(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _plus(of(FIRST), _minus(of(SECOND)))


def _multiplied(graph: Graph, maker: Operator, of: Of) -> Bounds:
    if operand(maker, FIRST) == operand(maker, SECOND):
        return _times(*[of(FIRST)] * 2) if of(FIRST).from_zero else _FROM_ZERO
    return _times(of(FIRST), of(SECOND))


def _divided(graph: Graph, maker: Operator, of: Of) -> Bounds:
    source, divisor = of(FIRST), of(SECOND)
    if divisor.least == divisor.most != 0:
        return _times(source, Bounds(1 / divisor.least, 1 / divisor.least))
    if divisor.positive:
        return _signed((source,))
    return _FROM_ZERO if source.from_zero and divisor.from_zero else ANYTHING


def _raised(graph: Graph, maker: Operator, of: Of) -> Bounds:
    power = exponent(graph, maker)
    if of(FIRST).positive:
        return _POSITIVE
    even = power is not None and power > 0 and power % 2 == 0
    return _FROM_ZERO if even or (of(FIRST).from_zero and power is not None) else ANYTHING


def exponent(graph: Graph, maker: Operator) -> float | None:
    """The number that a power is raised to."""
    for name in ("y", "factor"):
        told = maker.attributes.get(name)
        if isinstance(told, (int, float)) and not maker.inputs.get("FactorTensor"):
            return float(told)
    return number(graph, operand(maker, SECOND))


def _clipped(graph: Graph, maker: Operator, of: Of) -> Bounds:
    source = of(FIRST)
    ends = []
    for name, slots in (("min", ("1", "Min")), ("max", ("2", "Max"))):
        told = maker.attributes.get(name)
        if operand(maker, slots) is not None:
            ends.append(of(slots))
        else:
            ends.append(_of_number(float(told)) if isinstance(told, (int, float)) else ANYTHING)
    return _smaller(_larger(source, ends[0]), ends[1])


def _larger(one: Bounds, other: Bounds) -> Bounds:
    least = max(one.least, other.least)
    above = any(each.above for each in (one, other) if each.least == least)
    return Bounds(least, max(one.most, other.most), above)


def _smaller(one: Bounds, other: Bounds) -> Bounds:
    return _minus(_larger(_minus(one), _minus(other)))


def _largest(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _larger(of(FIRST), of(SECOND))


def _smallest(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _smaller(of(FIRST), of(SECOND))


def _chosen(graph: Graph, maker: Operator, of: Of) -> Bounds:
    legacy = "Condition" in maker.inputs
    return _together((of(("X",)), of(("Y",))) if legacy else (of(("1",)), of(("2",))))


def _rooted(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _POSITIVE if of(FIRST).positive else _FROM_ZERO


def _logarithm(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _FROM_ZERO if of(FIRST).least >= 1 else ANYTHING


def _one_more(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _FROM_ZERO if of(FIRST).from_zero else ANYTHING


def _exponential_unit(graph: Graph, maker: Operator, of: Of) -> Bounds:
    share = maker.attributes.get("alpha", 1.0)
    if not isinstance(share, (int, float)) or share < 0:
        return ANYTHING
    return Bounds(-float(share), math.inf, above=True)


def _turned(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return _POSITIVE if of(FIRST).positive else ANYTHING


def _less_one(graph: Graph, maker: Operator, of: Of) -> Bounds:
    return Bounds(-1.0, math.inf, above=True)


def _counted(graph: Graph, maker: Operator, of: Of) -> Bounds:
    """arange, of which a start that is not below zero is looked for."""
    start = number(graph, operand(maker, ("0", "Start")))
    step = number(graph, operand(maker, ("2", "Step")))
    if start is None or step is None or step <= 0:
        return ANYTHING
    return Bounds(start)


_COMPUTED: Mapping[str, Callable[[Graph, Operator, Of], Bounds]] = {
    **dict.fromkeys(("full", "fill_constant", "assign_value", "constant"), _filled),
    **dict.fromkeys(("full_like", "fill_any_like", "fill_constant_batch_size_like"), _filled_like),
    **dict.fromkeys(("add", "elementwise_add"), _added),
    **dict.fromkeys(("subtract", "elementwise_sub"), _subtracted),
    **dict.fromkeys(("multiply", "elementwise_mul"), _multiplied),
    **dict.fromkeys(("divide", "elementwise_div"), _divided),
    **dict.fromkeys(("pow", "elementwise_pow"), _raised),
    **dict.fromkeys(("maximum", "elementwise_max"), _largest),
    **dict.fromkeys(("minimum", "elementwise_min"), _smallest),
    **dict.fromkeys(("sqrt",), _rooted),
    **dict.fromkeys(("rsqrt",), lambda graph, maker, of: _POSITIVE),
    **dict.fromkeys(("log", "log2", "log10"), _logarithm),
    **dict.fromkeys(("range", "arange"), _counted),
    "log1p": _one_more,
    "reciprocal": _turned,
    "expm1": _less_one,
    "elu": _exponential_unit,
    "scale": _scaled,
    "clip": _clipped,
    "where": _chosen,
}
