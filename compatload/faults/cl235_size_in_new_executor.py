"""CL235: the number of elements of a value of oneDNN's, in the new executor."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

RULE = Rule(
    id="CL235",
    title="number of elements (size), oneDNN, legacy program in the new executor",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.0",
            onednn=True,
            new_executor=True,
            operators=(OperatorPattern(frozenset({"numel", "size"})),),
        ),
    ),
    action=Action.WITHOUT_NEW_EXECUTOR,
    explanation=(
        "With enable_new_executor a predictor of 3.x does not hand the value that is counted to "
        "the operator: `Tensor holds no memory`. The executor that Paddle takes by itself does. "
        "std and var count as well."
    ),
    without="error",
    evidence=(
        Evidence("measured", "paddle.numel and std saved by 2.6.2: 3.0.0, 3.2.2, 3.3.1; not 2.6.2"),
        Evidence("measured", "the same without oneDNN: right"),
    ),
)
