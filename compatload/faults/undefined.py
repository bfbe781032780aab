"""Where a program may make NaN of numbers that are none, and what such values go into.

An input that holds NaN, and overflow, are no part of it. What is divided by what surely is not
zero, and roots of what surely is not below it, make none: norms, softmax, and whatever adds an
epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from compatload.artifact.model import Operator
from compatload.faults.bounds import bounds, exponent, number
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand

_FLOATS = frozenset({"bfloat16", "float16", "float32", "float64"})
_ENDLESS = frozenset({"full", "full_like", "fill_any_like", "fill_constant"})
# What takes a number that is endless on to where it meets others.
_CARRYING = frozenset(
    {
        *("assign", "cast", "elementwise_add", "add", "expand", "expand_as", "expand_as_v2"),
        *("expand_v2", "full_like", "fill_any_like", "masked_fill", "reshape", "reshape2"),
        *(
            "scale",
            "set_value",
            "set_value_with_tensor",
            "squeeze",
            "squeeze2",
            "tile",
            "unsqueeze",
        ),
        *("unsqueeze2", "where"),
    }
)
_OF_ROWS = frozenset({"softmax", "log_softmax"})


def undefined(graph: Graph) -> frozenset[int]:
    """The operators (``id``) that are given what may be NaN by then."""
    if graph.undefined is None:
        graph.undefined = _reached(graph)
    return graph.undefined


def _reached(graph: Graph) -> frozenset[int]:
    waiting = [one for one in graph.named(_MAKERS) if _MAKING[bare_name(one)](one, graph)]
    waiting += _of_endless_rows(graph)
    found: set[int] = set()
    passed = {id(one) for one in waiting}
    while waiting:
        maker = waiting.pop()
        for values in maker.outputs.values():
            for value in values:
                if graph.dtype(value) not in (None, *_FLOATS):
                    continue  # a comparison, a place: no number that may be NaN
                for user in graph.users.get(value, ()):
                    if _replaces(user, value, graph):
                        continue
                    found.add(id(user))
                    if id(user) not in passed:
                        passed.add(id(user))
                        waiting.append(user)
    return frozenset(found)


def _replaces(user: Operator, value: str, graph: Graph) -> bool:
    """Whether it puts other numbers in the place of NaN, as ``nan_to_num`` does."""
    condition = graph.producer(operand(user, ("0", "Condition")))
    if bare_name(user) != "where" or condition is None:
        return False
    if bare_name(condition) == "logical_not":
        condition = graph.producer(operand(condition, FIRST)) or condition
    asks = bare_name(condition) in ("isnan", "isnan_v2", "isfinite", "isfinite_v2")
    return asks and operand(condition, FIRST) == value


def _divides(operator: Operator, graph: Graph) -> bool:
    divisor = operand(operator, SECOND)
    if bounds(graph, divisor).nonzero or bounds(graph, operand(operator, FIRST)).nonzero:
        return False
    return _is_float(operator, graph) and _is_of_a_run(divisor, graph)


def _roots(operator: Operator, graph: Graph) -> bool:
    source = operand(operator, FIRST)
    return not bounds(graph, source).from_zero and _is_of_a_run(source, graph)


def _logs_one_more(operator: Operator, graph: Graph) -> bool:
    source = operand(operator, FIRST)
    return not bounds(graph, source).least >= -1 and _is_of_a_run(source, graph)


def _turns_back(operator: Operator, graph: Graph) -> bool:
    source = operand(operator, FIRST)
    return not bounds(graph, source).within(-1.0, 1.0) and _is_of_a_run(source, graph)


def _turns_back_from_one(operator: Operator, graph: Graph) -> bool:
    source = operand(operator, FIRST)
    return not bounds(graph, source).least >= 1 and _is_of_a_run(source, graph)


def _raises(operator: Operator, graph: Graph) -> bool:
    power, source = exponent(graph, operator), operand(operator, FIRST)
    if power is not None and power == int(power):
        return False
    return (
        _is_float(operator, graph)
        and not bounds(graph, source).from_zero
        and _is_of_a_run(source, graph)
    )


def _is_nan(operator: Operator, graph: Graph) -> bool:
    return math.isnan(_filled(operator, graph) or 0.0)


def _filled(operator: Operator, graph: Graph) -> float | None:
    told = number(graph, next(iter(operator.outputs.values()), ("",))[0])
    return number(graph, operand(operator, SECOND)) if told is None else told


def _is_float(operator: Operator, graph: Graph) -> bool:
    results = (value for values in operator.outputs.values() for value in values)
    return all(graph.dtype(value) in _FLOATS for value in results)


def _is_of_a_run(value: str | None, graph: Graph) -> bool:
    """Whether it is another at each run: what parameters alone make is what somebody has seen."""
    return value is not None and not graph.is_computed_once(value)


def _of_endless_rows(graph: Graph) -> list[Operator]:
    """Softmax of what a mask puts minus infinity into: of a whole row of it, NaN is made. A mask
    of a triangle leaves something in each row."""
    rows = graph.named(_OF_ROWS)
    if not rows:
        return []
    endless = [one for one in graph.named(_ENDLESS) if math.isinf(_filled(one, graph) or 0.0)]
    return [row for row in rows if any(_leads_to(one, row, graph) for one in endless)]


def _leads_to(endless: Operator, row: Operator, graph: Graph) -> bool:
    return graph.leads(endless, lambda user: user is row, _carries)


def _carries(operator: Operator) -> bool:
    return bare_name(operator) in _CARRYING


_MAKING: Mapping[str, Callable[[Operator, Graph], bool]] = {
    **dict.fromkeys(("divide", "elementwise_div"), _divides),
    **dict.fromkeys(("sqrt", "rsqrt", "log", "log2", "log10"), _roots),
    **dict.fromkeys(("acos", "asin", "atanh"), _turns_back),
    **dict.fromkeys(("pow", "elementwise_pow"), _raises),
    **dict.fromkeys(("full", "fill_constant"), _is_nan),
    "acosh": _turns_back_from_one,
    "log1p": _logs_one_more,
}
_MAKERS = frozenset(_MAKING)
