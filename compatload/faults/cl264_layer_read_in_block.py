"""CL264: oneDNN's value read in a block, without the placement pass, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU

#: A plan follows it where the placement pass is left out.
RULE = Rule(
    id="CL264",
    title="oneDNN's value read in a block, without the placement pass, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(frozenset({"if", "while"})),)),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "Without the placement pass, which other rules leave out, fused layers stay in oneDNN and "
        "what a loop or branch does with their results does not: the run ends with an error of no "
        "text. Such a program runs without oneDNN as a whole."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "y = relu(linear(x)), a while_loop that adds y, the pass deleted: std::exception on "
            "3.0.0 and 3.3.1; with it, or without oneDNN, right",
        ),
    ),
)
