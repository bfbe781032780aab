"""CL173: a fully connected layer of a static program over several free sizes."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    LEGACY,
    PYTHON,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)


def _is_of_free_sizes(operator: Operator, graph: Graph) -> bool:
    shape = graph.shape(operand(operator, FIRST))
    kept = operator.attributes.get("x_num_col_dims", 1)
    return (
        shape is not None
        and isinstance(kept, int)
        and sum(size is None or size < 0 for size in shape[:kept]) > 1
    )


_LAYERS = OperatorPattern(frozenset({"mul"}), where=_is_of_free_sizes)

RULE = Rule(
    id="CL173",
    title="a fully connected layer of a static program over several free sizes",
    action=Action.REPAIR,
    explanation=(
        "`paddle.static.nn.fc(x, 8, num_flatten_dims=2)` of rows of any length. The translation to "
        "PIR writes the sizes that stay into a shape, where only one may be free: `Expected "
        "unk_dim_idx == -1`. The operator `mul` becomes the product of matrices that it is."
    ),
    without="error",
    evidence=(
        Evidence("measured", "fc over [-1, -1, 4], [-1, 2, -1, 4], saved by 2.6.2: 3.0.0, 3.3.1"),
        Evidence("measured", "over [-1, 5, 4]: right; predictors, which do not translate: right"),
    ),
    module="compatload.programs.legacy_repairs.products_of_free_sizes",
    alone=(
        Alone(
            725,
            "error",
            when=Condition(paddle=">=3.0", apis=PYTHON, formats=LEGACY, operators=(_LAYERS,)),
        ),
    ),
)
