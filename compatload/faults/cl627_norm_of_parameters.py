"""CL627: a norm of what depends on no input, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Cause, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, PIR_ON_CPU

_NORMS = frozenset({"layer_norm", "batch_norm"})


def _is_folded(norm: Operator, graph: Graph) -> bool:
    source = operand(norm, FIRST)
    return (
        source is not None and graph.dtype(source) in IN_ONEDNN and graph.is_computed_once(source)
    )


RULE = Rule(
    id="CL627",
    title="a norm of what depends on no input, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_NORMS, where=_is_folded),)),),
    action=Action.REWRITE,
    explanation=(
        "`self.norm(self.table.weight)`, the relative positions of DeBERTa or learned queries: the "
        "predictor computes the norm once, as it is made, and asks for its mean and variance, too, "
        "for which oneDNN's kernels take no memory: `Tensor holds no memory. Call "
        "Tensor::mutable_data firstly`. Without oneDNN it asks for what a batch_norm leaves to its "
        "gradient: `The type of data we are trying to retrieve (uint8) does not match`. Such a "
        "norm computes in float64, once, which oneDNN leaves to Paddle."
    ),
    without="error",
    evidence=(
        Evidence("measured", "layer_norm of a parameter, of [:5] of it, or of twice it: 3.0.0 on"),
        Evidence("measured", "batch_norm of a parameter: the same; group_norm, softmax: right"),
        Evidence("measured", "batch_norm of a parameter, disable_mkldnn(), 3.0.0 to 3.3.1"),
        Evidence("measured", "PaddleNLP's deberta_v2, 3.3.1: the same"),
    ),
    module="compatload.programs.rewritings.norm_in_double",
    cause=Cause.PASSES,
    alone=(Alone(475),),
)
