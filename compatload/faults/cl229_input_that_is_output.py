"""CL229: input that is an output, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.inputs import called
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL229",
    title="input that is an output, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            paddle=">=3.1",
            operators=(
                OperatorPattern(frozenset({"data"}), feeds=frozenset({"fetch"})),
                called(r"fetch_name_\d+"),
            ),
        ),
    ),
    action=Action.AS_LEGACY,
    explanation=(
        "An output that nothing computes (a network of dropout alone, for one) has the input's "
        "name, and an input called fetch_name_0 has an output's: the predictor refuses it, `More "
        "than one shadow output`. In a legacy program outputs have other names."
    ),
    without="error",
    evidence=(
        Evidence("measured", "alpha_dropout saved by 3.0.0 and 3.3.1: 3.2.2, 3.3.0, 3.3.1"),
        Evidence("measured", "an input called fetch_name_0, saved by 3.3.1: 3.1.1, 3.2.2, 3.3.1"),
    ),
    alone=(Alone(437),),
)
