"""CL227: nearest interpolation of a single place, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, is_single_place

RULE = Rule(
    id="CL227",
    title="nearest interpolation of a single place, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.0",
            operators=(
                OperatorPattern(
                    frozenset({"nearest_interp", "nearest_interp_v2"}), where=is_single_place
                ),
            ),
        ),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "An image of one by one lies in memory alike in every order, oneDNN takes it for one "
        "of channels last and writes beyond its buffer: other numbers, a hang, or a process "
        "that dies later of something else. 2.6 is right, and so is what a convolution made."
    ),
    without="crash",
    evidence=(Evidence("measured", "interpolate(adaptive_avg_pool2d(x, 1)), 3.0.0 and 3.3.1"),),
    alone=(Alone(435),),
)
