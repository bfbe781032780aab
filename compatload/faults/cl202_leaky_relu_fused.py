"""CL202: leaky_relu fused into a oneDNN convolution, 3.3."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl209_two_activations_after_layer import is_layer
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, NORMALISATION, PIR_ON_CPU_3_3, PLAIN_CONVOLUTIONS

_LEAKY = frozenset({"leaky_relu"})
_ACTIVATED = PLAIN_CONVOLUTIONS - {"conv2d_transpose"}
# What stands between a convolution and its activation without keeping them from being fused.
_FOLDED = ADDITIONS | NORMALISATION


def _fused(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(_LEAKY)
        if _follows_convolution(one, graph) or _follows_product(one, graph)
    )


def _follows_product(operator: Operator, graph: Graph) -> bool:
    """And an addition, with which a pass makes no fully connected layer of it."""
    for addition in graph.producers_of(operator):
        if bare_name(addition) not in ADDITIONS or graph.sole_user(addition) is not operator:
            continue
        for product in graph.producers_of(addition):
            if bare_name(product) == "matmul" and graph.sole_user(product) is addition:
                return not is_layer(product, addition, graph)
    return False


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
    title="leaky_relu fused into a convolution or a product, oneDNN, 3.3",
    when=(replace(PIR_ON_CPU_3_3, operators=(OperatorPattern(_LEAKY),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "3.3 made the slope a double; the passes that fuse an activation into a convolution or a "
        "product still read it as a float and dereference a null pointer (SIGSEGV)."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "3.3.0 and 3.3.1: convolution (and batch norm), then leaky_relu"),
        Evidence(
            "measured",
            "the same behind matmul and an addition, but for a stored weight with a row for a bias",
        ),
    ),
    parameters=("conv_activation_onednn_fuse_pass", "matmul_activation_fuse_pass"),
    alone=(Alone(421, sees=_fused),),
)
