"""CL630: what a run found nothing of, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl224_no_elements_pir import DYING, OF_3_0, REFUSING
from compatload.faults.emptied import may_be_emptied
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CONVOLUTIONS, PIR_ON_CPU

# These take most of a model's time, and far more of it in float64.
HEAVY = CONVOLUTIONS | {"batch_norm"}
# `builtin.split` takes a list apart.
_OF_LISTS = "builtin."
_WIDENED = (REFUSING | DYING | OF_3_0) - HEAVY


def _is_given_nothing(operator: Operator, graph: Graph) -> bool:
    if operator.name.startswith(_OF_LISTS):
        return False
    read = (one for values in operator.inputs.values() for one in values)
    return may_be_emptied(operator, graph) and any(_is_float(one, graph) for one in read)


def _is_float(value: str, graph: Graph) -> bool:
    maker = graph.producer(value)
    if maker is None or bare_name(maker) != "combine":
        return graph.dtype(value) == "float32"
    return any(graph.dtype(one) == "float32" for values in maker.inputs.values() for one in values)


RULE = Rule(
    id="CL630",
    title="what a run found nothing of, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_WIDENED, where=_is_given_nothing),)),),
    action=Action.REWRITE,
    explanation=(
        "A mask that holds nowhere and a picture without a box leave tensors without elements, of "
        "which oneDNN describes no memory (CL224): `std::exception`, SIGSEGV in `concat` of what "
        "is all empty, SIGFPE in a sort behind a slice, and a slice that keeps the axis which it "
        "is to take off, in silence. What such a tensor may reach computes in float64, which "
        "oneDNN leaves to Paddle; all else, and convolutions behind it, stay in oneDNN. Where "
        "nothing reaches one of those, `inference_only` computes the call without oneDNN."
    ),
    without="error",
    evidence=(
        Evidence("measured", "51 operators of x[mask], nothing in it, 3.3.1: 24 errors, 3 deaths"),
        Evidence("measured", "e[:, 2] - e[:, 0] of boxes, none left: shape [0, 1], 3.3.1"),
        Evidence(
            "measured", "concat([past[0], linear(x)], 1), past (2, 1, 0, 6): the same, 3.0.0, 3.3.1"
        ),
        Evidence("measured", "concat([y, sin(y)]) of y = x[mask], nothing in it: SIGSEGV, 3.3.1"),
        Evidence(
            "measured", "r / (r * r + 1) of r = x[mask], so computed, inplace_pass: 0.19, 3.3.1"
        ),
        Evidence("measured", "distribute_fpn_proposals, a level without boxes, times 2: 3.3.1"),
    ),
    # It takes casts of one value for one, and has r * r of r / (r * r + 1) overwrite r.
    parameters=("inplace_pass",),
    module="compatload.programs.rewritings.wide_where_empty",
    alone=(Alone(689, "error", by_data=True),),
)
