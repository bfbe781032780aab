"""CL225: slice without elements, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, is_empty

RULE = Rule(
    id="CL225",
    title="slice without elements, oneDNN, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(frozenset({"slice"}), where=is_empty),)),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL224 in legacy programs, where only the slice is concerned: it is left out of "
        "the list that oneDNN may take."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x[:, 0:0] saved by 2.6.2: an error on 2.6.2, 3.0.0 and 3.3.1"),
    ),
    alone=(Alone(434),),
)
