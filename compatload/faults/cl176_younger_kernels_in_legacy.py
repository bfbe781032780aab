"""CL176: a legacy program of 3.x with operators of a type that 2.6 computes in a wider one."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL176",
    title="an operator of a legacy program of 3.x, of a type that 2.6 has no kernel for",
    action=Action.REPAIR,
    explanation=(
        "3.x has kernels that 2.6 lacks: sums of flags and of bytes, argsort of int16, gather of "
        "bool, round of whole numbers, tile of int8. 2.6 loads the program, and every call says "
        "that there are no kernels which are registered in the operator. They are computed in a "
        "wider type that holds every value, and cast back, as PIR programs are written for 2.6."
    ),
    without="error",
    evidence=(
        Evidence("measured", "the registries of 2.6.2 and 3.3.1"),
        Evidence("measured", "x + x of bool, of int8, round of int64, saved by 3.2.2: 2.6.2"),
        Evidence("measured", "allclose, argsort, gather, index_select, tile, topk of 3.3.1: 2.6.2"),
    ),
    module="compatload.programs.legacy_repairs.younger_kernels",
    alone=(
        Alone(
            731,
            when=Condition(paddle="<3.0", formats=LEGACY),
            sees="compatload.programs.sights:younger_kernels",
        ),
    ),
)
