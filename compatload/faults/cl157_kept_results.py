"""CL157: a value that a layer keeps, computed anew before anything reads it, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import owners_of_blocks, place_in_main_block, values_of
from compatload.faults.model import Action, Evidence, Rule
from compatload.frozen import frozen


@frozen
class KeptResults:
    """``computed``: stored values that the program computes in its main block before anything reads
    them. ``free``: those that are declared without the sizes that they are stored with."""

    computed: frozenset[str]
    free: frozenset[str]


def what_is_kept(artifact: Artifact) -> KeptResults | None:
    """None where there are none, as in nearly all programs."""
    variables = artifact.program.variables
    stored = frozenset(one.name for one in artifact.parameters)
    free = frozenset(name for name in stored if -1 in (variables[name].shape or ()))
    computed = _computed_before_they_are_read(artifact, stored)
    return KeptResults(computed, free) if computed or free else None


def _computed_before_they_are_read(artifact: Artifact, stored: frozenset[str]) -> frozenset[str]:
    operators = artifact.program.operators
    writers: dict[str, list[Operator]] = {}
    for operator in operators:
        for name in values_of(operator.outputs) & stored:
            writers.setdefault(name, []).append(operator)
    results = {one.name for one in artifact.outputs}
    # What a branch or a loop writes, and what is written twice, may have been read between; and
    # statistics are brought up to date by what reads them.
    once = {
        name: writer
        for name, (writer, *others) in writers.items()
        if not others and not writer.block and name not in values_of(writer.inputs) | results
    }
    if not once:
        return frozenset()
    owners = owners_of_blocks(operators)
    read_before = {
        name
        for operator in operators
        for name in values_of(operator.inputs) & once.keys()
        if place_in_main_block(operator, owners) <= once[name].index
    }
    return frozenset(once) - read_before


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
