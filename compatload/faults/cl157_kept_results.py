"""CL157: a value that a layer keeps, computed anew before anything reads it, legacy program."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import owners_of_blocks
from compatload.faults.model import Action, Evidence, Rule

_UNSURE = -1


def kept_results(artifact: Artifact) -> frozenset[str]:
    """Stored values that the program computes in its main block before anything reads them."""
    stored = {one.name for one in artifact.parameters}
    operators = artifact.program.operators
    owners = owners_of_blocks(operators)
    written: dict[str, int] = {}
    first_read: dict[str, int] = {}
    for operator in operators:
        place = _in_main_block(operator, owners)
        for name in _values(operator.inputs) & stored:
            first_read[name] = min(place, first_read.get(name, place))
        for name in _values(operator.outputs) & stored:
            # What a branch or a loop writes, and what is written twice, may have been read between.
            written[name] = _UNSURE if operator.block or name in written else place
    results = {one.name for one in artifact.outputs}
    return frozenset(
        name
        for name, place in written.items()
        if place != _UNSURE and place < first_read.get(name, len(operators))
    ).difference(results)


def _in_main_block(operator: Operator, owners: dict[int, Operator]) -> int:
    while operator.block:
        operator = owners[operator.block]
    return operator.index


def _values(slots: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {name for names in slots.values() for name in names}


RULE = Rule(
    id="CL157",
    title="a value that a layer keeps for itself, legacy program",
    action=Action.REPAIR,
    explanation=(
        "A layer that was run before it was saved, and does `self.weights = softmax(x)` in its "
        "forward, stores that value beside its parameters, declared with the free sizes that it "
        "has in the program. The program computes it anew at each call. Releases with PIR refuse "
        "such a parameter (`Each dimension of shape for Parameter must be greater than 0`, `The "
        "meta data must be valid`); a predictor with memory optimisation fails (`The shape of "
        "node shouldn't be negative`), and that of 2.6 ends the process. What is computed is no "
        "parameter any more, and what is stored is declared with the sizes that it has."
    ),
    without="error",
    evidence=(
        Evidence("measured", "AutoInt and BERT4Rec of PaddleRec, run once and saved by 2.6.2"),
        Evidence("measured", "DeepSpeech 2 of PaddleSpeech, as a program: 3.3.1"),
        Evidence("measured", "enable_memory_optim of 2.6.2: Check failed: i >= 0, SIGABRT"),
        Evidence("measured", "predictors without it: right on 2.6.2 and 3.3.1"),
    ),
    module="compatload.programs.legacy_repairs.kept_results",
)
