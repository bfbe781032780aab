"""CL272: a single number taken out of a tensor, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, LEGACY_ON_CPU

_SLICE = frozenset({"slice"})
_SLOGDET = frozenset({"slogdet", "slogdeterminant"})
_MATRIX = 2  # axes of one
_SHOWING = frozenset({"fetch", "stack", "concat"})
_COMPUTING = FUSED_ACTIVATIONS | {"scale"}
_LONGEST = 16  # slices of slices


def _has_no_dimensions(operator: Operator, graph: Graph) -> bool:
    number = result(operator)
    none = graph.shape(number) == () or _axes_of_slices(operator, graph) == 0
    return none and graph.dtype(number) == "float32"


def _axes_of_slices(operator: Operator, graph: Graph) -> int | None:
    """How many axes slices leave of what slogdet yields, which is declared like its operand: it
    yields signs and logarithms (a first axis of two), and the axes of the batch."""
    dropped = 0
    for _ in range(_LONGEST):
        maker = graph.producer(operand(operator, FIRST))
        axes = operator.attributes.get("decrease_axis")
        dropped += len(axes) if isinstance(axes, Sequence) else 0
        if maker is None or bare_name(maker) not in _SLICE | _SLOGDET:
            return None
        if bare_name(maker) in _SLOGDET:
            shape = graph.shape(operand(maker, FIRST))
            return None if shape is None else 1 + len(shape) - _MATRIX - dropped
        operator = maker
    return None


def told(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those whose shape is seen: by who fetches it, or what is computed of nothing else."""
    found = graph.named(_SLICE)
    return tuple(one for one in found if _has_no_dimensions(one, graph) and _is_seen(one, graph))


def _is_seen(operator: Operator, graph: Graph) -> bool:
    return graph.leads(
        operator,
        lambda user: bare_name(user) in _SHOWING,
        lambda user: bare_name(user) in _COMPUTING,
    )


SINGLE = (OperatorPattern(_SLICE, where=_has_no_dimensions),)

RULE = Rule(
    id="CL272",
    title="a single number taken out of a tensor, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=SINGLE),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "oneDNN describes no tensor without dimensions: what `x[0, 0]` yields has one, of one "
        "element. So has what is computed of it; stack and concat refuse it beside others."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x)[0, 0] has shape [1]: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "slogdet(m)[1], declared as [4, 4] sliced: the same, 3.0.0, 3.3.1"),
    ),
    alone=(Alone(574, sees=told),),
)
