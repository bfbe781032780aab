"""CL202: leaky_relu fused into a oneDNN convolution, 3.3."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, NORMALISATION, PIR_ON_CPU_3_3, PLAIN_CONVOLUTIONS

_LEAKY = frozenset({"leaky_relu"})
_ACTIVATED = PLAIN_CONVOLUTIONS - {"conv2d_transpose"}
# What stands between a convolution and its activation without keeping them from being fused.
_FOLDED = ADDITIONS | NORMALISATION


def _after_convolutions(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(_LEAKY) if _follows_convolution(one, graph))


def _follows_convolution(operator: Operator, graph: Graph) -> bool:
    seen: set[tuple[int, int]] = set()
    pending = [operator]
    while pending:
        one = pending.pop()
        if (one.block, one.index) in seen:
            continue
        seen.add((one.block, one.index))
        if bare_name(one) in _ACTIVATED:
            return True
        if one is operator or bare_name(one) in _FOLDED:
            # What something else reads is not fused.
            pending += (made for made in graph.producers_of(one) if graph.sole_user(made) is one)
    return False


RULE = Rule(
    id="CL202",
    title="leaky_relu fused into a oneDNN convolution, 3.3",
    when=(replace(PIR_ON_CPU_3_3, operators=(OperatorPattern(_LEAKY),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "3.3 made the slope a double; the pass that fuses an activation into a convolution "
        "still reads it as a float and dereferences a null pointer (SIGSEGV)."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "3.3.0 and 3.3.1: convolution (and batch norm), then leaky_relu"),
    ),
    parameters=("conv_activation_onednn_fuse_pass",),
    alone=(Alone(421, sees=_after_convolutions),),
)
