"""CL225: slice or activation without elements, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, is_empty

# What oneDNN computes element by element, and refuses to from 3.1 on where there is none.
_ACTIVATIONS = frozenset(
    {
        *("abs", "elu", "exp", "gelu", "hard_swish", "leaky_relu", "relu", "relu6", "sigmoid"),
        *("prelu", "round", "sqrt", "swish", "tanh"),
    }
)
# What it refuses, or dies of, in every release.
_JOINING = frozenset({"slice", "concat", "sum", "add_n"})


def _is_computed_at_run(operator: Operator, graph: Graph) -> bool:
    """Whether a result has no elements, and is not put in as a constant before it runs."""
    given = operand(operator, FIRST)
    return is_empty(operator, graph) and given is not None and not graph.is_computed_once(given)


RULE = Rule(
    id="CL225",
    title="slice, sum, concat or activation without elements, oneDNN, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_JOINING, where=is_empty),)),
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.1",
            operators=(OperatorPattern(_ACTIVATIONS, where=_is_computed_at_run),),
        ),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL224 in legacy programs, where only the slice is concerned, and from 3.1 on "
        "activations: they are left out of the list that oneDNN may take."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x[:, 0:0] saved by 2.6.2: an error on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "relu of (3, 0), and eleven others: 3.1.1 to 3.3.1, not 2.6.2, 3.0.0"),
        Evidence("measured", "relu of a constant (2, 0, 6, 6): no error on 3.3.1, it is folded"),
    ),
    alone=(Alone(434),),
)
