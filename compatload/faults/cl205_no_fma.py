"""CL205: oneDNN on a CPU with AVX2 but without FMA."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import X86, Action, Alone, Evidence, Rule
from compatload.faults.onednn import MATRIX_PRODUCTS, ON_CPU, PLAIN_CONVOLUTIONS

_COMPUTED = PLAIN_CONVOLUTIONS | MATRIX_PRODUCTS


def _computed_by_onednn(graph: Graph, release: str) -> tuple[Operator, ...]:
    return graph.named(_COMPUTED)


RULE = Rule(
    id="CL205",
    title="oneDNN on a CPU with AVX2 but without FMA",
    when=(
        replace(
            ON_CPU, architectures=X86, cpu_has=frozenset({"avx2"}), cpu_lacks=frozenset({"fma"})
        ),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN takes AVX2 to imply FMA and ends in SIGILL on CPUs such as some Zhaoxin ones."
    ),
    without="crash",
    evidence=(Evidence("measured", "emulated Haswell without FMA, 2.6.2 … 3.3.1"),),
    alone=(Alone(410, sees=_computed_by_onednn),),
)
