"""CL165: operators on sequences (LoD) that 3.x no longer has, legacy program."""

from __future__ import annotations

from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

REMOVED = frozenset(
    {
        *("sequence_concat", "sequence_enumerate", "sequence_erase", "sequence_expand_as"),
        *("sequence_pad", "sequence_reshape", "sequence_reverse", "sequence_scatter"),
        *("sequence_slice", "sequence_unpad"),
    }
)

RULE = Rule(
    id="CL165",
    title="operators on sequences (LoD) that 3.x no longer has",
    action=Action.REPAIR,
    explanation=(
        "`sequence_pad`, `sequence_unpad`, `sequence_concat`, `sequence_reverse`, "
        "`sequence_expand_as`, `sequence_reshape`, `sequence_scatter`, `sequence_slice`, "
        "`sequence_enumerate` and `sequence_erase` are in no release of 3.x: its translator says "
        "that they should have a corresponding OpInfo, predictors end in a SystemError. 3.x still "
        "pools sequences and gives tensors lengths (`sequence_pool`, `lod_reset`): the numbers of "
        "rows are computed between these, and the rows gathered by them."
    ),
    without="error",
    evidence=(
        Evidence("measured", "each of the ten, saved by 2.6.2, in 3.0.0, 3.1.1, 3.2.2 and 3.3.1"),
        Evidence("measured", "the registries of 2.6.2 and of every 3.x"),
    ),
    module="compatload.programs.legacy_repairs.removed_sequences",
    alone=(
        Alone(
            339,
            when=Condition(paddle=">=3.0", formats=LEGACY, operators=(OperatorPattern(REMOVED),)),
        ),
    ),
)
