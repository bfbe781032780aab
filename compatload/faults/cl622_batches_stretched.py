"""CL622: a matrix product whose batches a run may stretch, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.sizes import origin

# As PIR programs that are converted have it, too.
_MAPPED = frozenset({"matmul", "matmul_v2"})
_OF_1X = "matmul"
_MATRIX = 2  # axes
_UNKNOWN = -1


def _may_be_stretched(product: Operator, graph: Graph) -> bool:
    """Whether its operands are declared with the same batches, of which one may be another one."""
    if product.name == _OF_1X:
        return False
    values = operand(product, FIRST), operand(product, SECOND)
    first, second = (graph.declared(value) for value in values)
    if first is None or second is None or len(first) != len(second):
        return False
    batches = len(first) - _MATRIX
    return first[:batches] == second[:batches] and any(
        _may_differ(graph, values, axis) for axis in range(batches)
    )


def _may_differ(graph: Graph, values: tuple[str | None, str | None], axis: int) -> bool:
    """Whether no size is declared, nor both are taken over from one place."""
    if _UNKNOWN not in ((graph.sure_shape(value) or ())[axis] for value in values):
        return False
    first, second = (origin(graph, value, axis) for value in values if value is not None)
    return first != second


def _stretched(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Products of a product that is declared without what stretches it, by what is not."""
    return tuple(
        one
        for one in graph.named(_MAPPED)
        if _may_be_stretched(one, graph)
        and any(
            bare_name(maker) in _MAPPED and graph.is_stretched(maker)
            for maker in _makers(one, graph)
        )
    )


def _makers(product: Operator, graph: Graph) -> list[Operator]:
    found = (graph.producer(operand(product, slots)) for slots in (FIRST, SECOND))
    return [one for one in found if one is not None]


RULE = Rule(
    id="CL622",
    title="matrix product whose batches a run may stretch, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(_MAPPED, where=_may_be_stretched),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "A pass replaces matmul_v2 by matmul of 1.x, which stretches no batch, where both operands "
        "are declared with the same ones. Sizes that only a run tells look alike (`[N, 5, 4]` and "
        "`[K, 4, 5]`, K = 1), and 2.6 declares the product of `[N, 1, L, 9]` and `[4, 9, 9]` as "
        "`[N, 1, L, 9]`: `The batch size of the two matrices should be equal`. The pass is left "
        "out, unless both sizes come from one place."
    ),
    without="error",
    evidence=(
        Evidence("measured", "four products of [N, 5, 4] and [K, 4, 5], K = 1: 2.6.2 and 3.3.1"),
        Evidence("measured", "a biaffine parser's scores (matrix.blind): 2.6.2 and 3.3.1"),
        Evidence("measured", "saved by 3.3.1, as a PIR program: right"),
        Evidence("measured", "an encoder of four layers without the pass: 6 to 13 % slower"),
    ),
    parameters=("gpu_cpu_map_matmul_v2_to_matmul_pass",),
    alone=(Alone(676, sees=_stretched), Alone(679, by_data=True)),
)
