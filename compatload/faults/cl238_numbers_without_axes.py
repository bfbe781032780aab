"""CL238: squeeze or flatten of a number without dimensions, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU

_SQUEEZE = frozenset({"squeeze", "squeeze2"})
_FLATTEN = frozenset({"flatten", "flatten_contiguous_range"})


def _is_of_number(operator: Operator, graph: Graph) -> bool:
    value = operand(operator, FIRST)
    return graph.shape(value) == () and graph.dtype(value) in IN_ONEDNN


def _failing(graph: Graph, release: str) -> tuple[Operator, ...]:
    names = _SQUEEZE | _FLATTEN if Version(release) >= Version("3.0") else _SQUEEZE
    return tuple(one for one in graph.named(names) if _is_of_number(one, graph))


_SHAPED = (OperatorPattern(_SQUEEZE | _FLATTEN, where=_is_of_number),)

RULE = Rule(
    id="CL238",
    title="squeeze or flatten of a number without dimensions, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_SHAPED), replace(PIR_ON_CPU, operators=_SHAPED)),
    action=Action.REWRITE,
    explanation=(
        "oneDNN describes no tensor without dimensions. Its squeeze, and since 3.0 its flatten, "
        "want to bring one into another order: `could not create a primitive descriptor for a "
        "reorder primitive`, `std::exception` in PIR programs. The number is copied, or gets its "
        "axis otherwise, which oneDNN does."
    ),
    without="error",
    evidence=(
        Evidence("measured", "squeeze(x.sum()), squeeze(asin(x)) of x of shape []: 2.6.2, 3.0.0"),
        Evidence("measured", "the same and flatten: 3.3.1; unsqueeze, reshape, transpose: right"),
    ),
    module="compatload.programs.rewritings.plain_numbers",
    alone=(Alone(469, sees=_failing),),
)
