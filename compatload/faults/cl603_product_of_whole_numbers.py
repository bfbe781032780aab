"""CL603: matrix products of whole or complex numbers, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import PRODUCTS

# matmul and mul have kernels for real numbers of 32 and 64 bits; matmul_v2 has these, too.
_OF_MATMUL_V2 = frozenset({"int32", "int64", "complex64", "complex128"})


def _has_no_older_kernel(operator: Operator, graph: Graph) -> bool:
    return graph.dtype(operand(operator, FIRST)) in _OF_MATMUL_V2


def _mapped(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those that the passes find: of two different tensors."""
    return tuple(
        one
        for one in graph.named(PRODUCTS)
        if _has_no_older_kernel(one, graph) and operand(one, FIRST) != operand(one, SECOND)
    )


RULE = Rule(
    id="CL603",
    title="matrix product of whole or complex numbers, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(PRODUCTS, where=_has_no_older_kernel),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "Passes replace matmul_v2 by matmul and mul of 1.x, which have kernels for real numbers "
        "only: the first run ends in an error."
    ),
    without="error",
    evidence=(
        Evidence("measured", "outer(x, y) of int64, saved by 2.6.2: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(x, y) of int32, saved by 3.3.1: 2.6.2"),
    ),
    parameters=("gpu_cpu_map_matmul_v2_to_matmul_pass", "gpu_cpu_map_matmul_v2_to_mul_pass"),
    alone=(Alone(643, "error", sees=_mapped),),
)
