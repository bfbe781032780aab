"""CL237: a concatenation that begins with a parameter, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_CONCAT = frozenset({"concat"})


def _begins_with_parameter(operator: Operator, graph: Graph) -> bool:
    return graph.is_stored(next(iter(graph.joined(operator)), None))


RULE = Rule(
    id="CL237",
    title="a concatenation that begins with a parameter, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_CONCAT, where=_begins_with_parameter),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "seqpool_cvm_concat_fuse_pass asks what made the first operand of a concatenation, and "
        "follows a null pointer where nothing did (SIGSEGV while the predictor is made)."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "concat([weight, x]) saved by 2.6.2: dies on 2.6.2 and 3.3.1"),
        Evidence("measured", "without the pass: right; with the parameter behind x: right"),
    ),
    parameters=("seqpool_cvm_concat_fuse_pass",),
    alone=(Alone(417),),
)
