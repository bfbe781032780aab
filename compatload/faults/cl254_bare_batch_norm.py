"""CL254: batch norm without a scale or a bias, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, NORMALISATION, PIR_ON_CPU

_ABSENT = ((), ("%0",))


def _is_bare(operator: Operator, graph: Graph) -> bool:
    slots = operator.inputs
    scale, bias = (
        slots.get(old, slots.get(new, ())) for old, new in (("Scale", "3"), ("Bias", "4"))
    )
    return scale in _ABSENT or bias in _ABSENT


_BARE = (OperatorPattern(NORMALISATION, where=_is_bare),)
_LEGACY = replace(LEGACY_ON_CPU, operators=_BARE)
_PIR = replace(PIR_ON_CPU, operators=_BARE)

RULE = Rule(
    id="CL254",
    title="batch norm without a scale or a bias, oneDNN",
    when=(_LEGACY, _PIR),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "`batch_norm(x, mean, variance)` has neither; oneDNN reads them all the same. Predictors "
        "of legacy programs die of it, those of PIR programs say that only a dense tensor has a "
        "shape."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "saved by 2.6.2: SIGSEGV on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "saved by 3.3.1: an error on 3.0.0 and 3.3.1"),
    ),
    alone=(Alone(443, "crash", _LEGACY), Alone(444, "error", _PIR)),
)
