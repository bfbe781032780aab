"""CL249: bytes scaled or added in oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl248_bytes_in_onednn_pir import is_of_bytes
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, LEGACY_ON_CPU

RULE = Rule(
    id="CL249",
    title="bytes scaled or added in oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.0",
            operators=(OperatorPattern(ADDITIONS | {"scale"}, where=is_of_bytes),),
        ),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL248: a product that does not fit stays at the largest byte, from 3.0 on. These "
        "operators are left out of the list that oneDNN may take."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "3 x of uint8 and of int8, saved by 2.6.2: 3.0.0, 3.1.1 and 3.3.1"),
        Evidence("measured", "the same on 2.6.2: right"),
    ),
    alone=(Alone(568, by_data=True),),
)
