"""CL638: a transposed convolution of a computed size, and its bias, legacy program, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, LEGACY_ON_CPU

_TRANSPOSED = frozenset({"conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose"})
_VARIABLES = frozenset({"VAR", "VARS"})


def _is_of_computed_size(operator: Operator, graph: Graph) -> bool:
    """Legacy programs name the size by an attribute, PIR programs give it as an operand."""
    if operator.kinds.get("output_size") in _VARIABLES:
        return True
    maker = graph.producer(operand(operator, ("2",)))
    return maker is not None and bare_name(maker) != "full_int_array"


def _may_be_joined(operator: Operator, graph: Graph) -> bool:
    user = graph.sole_user(operator)
    is_added = user is not None and bare_name(user) in ADDITIONS
    return is_added and _is_of_computed_size(operator, graph)


def _is_joined(operator: Operator, graph: Graph) -> bool:
    """With what is surely a bias: a parameter of one axis."""
    user = graph.sole_user(operator)
    if user is None or not _may_be_joined(operator, graph):
        return False
    bias = operand(user, SECOND)
    is_first = operand(user, FIRST) in operator.outputs.get("Output", ())
    return is_first and graph.is_stored(bias) and len(graph.shape(bias) or ()) == 1


def _joined(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(_TRANSPOSED) if _is_joined(one, graph))


RULE = Rule(
    id="CL638",
    title="a transposed convolution of a computed size, and its bias, legacy program, oneDNN",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(_TRANSPOSED, where=_may_be_joined),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "`Conv2DTranspose(4, 2, 3, 2)(x, output_size=2 * paddle.shape(x)[2:])`. The pass that "
        "takes the bias in copies the operator for no block, and looks for the variable of the "
        "size there: the process dies as the predictor is created. The pass is left out."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "of 3.3.1, converted: SIGSEGV on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "as 2.6.2 saves it, which reshapes the bias first: right"),
    ),
    parameters=("conv_transpose_bias_mkldnn_fuse_pass",),
    alone=(Alone(726, "crash", sees=_joined),),
)
