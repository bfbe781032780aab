"""CL298: values that are multiplied either way, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Alone,
    Cause,
    Evidence,
    OperatorPattern,
    Rule,
    Sight,
)
from compatload.faults.onednn import PRODUCTS
from compatload.operators.products import transposes_none


def _is_either_way(product: Operator, graph: Graph) -> bool:
    """Whether its first operand is a second one elsewhere, and its second one a first one."""
    first, second = operand(product, FIRST), operand(product, SECOND)
    if first is None or second is None or first == second:
        return False
    return _is_operand(first, SECOND, graph) and _is_operand(second, FIRST, graph)


def _is_operand(value: str, slots: tuple[str, ...], graph: Graph) -> bool:
    users = graph.users.get(value, ())
    return len(users) > 1 and any(
        bare_name(one) in PRODUCTS and operand(one, slots) == value for one in users
    )


def _mistaken(*, by_weight: bool) -> Sight:
    """Those by a stored matrix as it is are computed by another operator; passes look at a
    program's first block."""

    def sees(graph: Graph, release: str) -> tuple[Operator, ...]:
        products = (one for one in graph.named(PRODUCTS) if one.block == 0)
        found = [one for one in products if _is_either_way(one, graph)]
        return tuple(one for one in found if _is_by_weight(found, graph) == by_weight)

    return sees


def _is_by_weight(products: list[Operator], graph: Graph) -> bool:
    return any(graph.is_stored(operand(one, SECOND)) for one in products) and all(
        transposes_none(one) for one in products
    )


RULE = Rule(
    id="CL298",
    title="values that are multiplied either way, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(PRODUCTS, where=_is_either_way),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "A pass takes a product's operands for first and second if they are so in any product: "
        "with `a @ b` and `b @ a` (or `a @ c` and `d @ a` …) it finds each product twice, once "
        "with its operands exchanged, and replaces what it has replaced. The process dies, or "
        "the operands stay exchanged, without an error. Kalman filters are such (`P @ H.t()`, "
        "`H @ P`). The first operand of each is a copy."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured",
            "matmul(p @ h.t(), h @ p @ h.t()): SIGSEGV, std::bad_alloc or "
            "basic_string on 2.6.2 and 3.3.1",
        ),
        Evidence("measured", "w @ p + p @ w, w stored: wrong on 2.6.2 and 3.3.1"),
        Evidence("measured", "a Kalman filter saved by 2.6.2 and 3.3.1: SIGSEGV on 2.6.2"),
    ),
    module="compatload.programs.rewritings.own_operand",
    cause=Cause.PASSES,
    alone=(
        Alone(466, sees=_mistaken(by_weight=False)),
        Alone(556, "wrong", sees=_mistaken(by_weight=True)),
    ),
)
