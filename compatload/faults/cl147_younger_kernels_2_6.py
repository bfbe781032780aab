"""CL147: an operator of a legacy program of 3.x that 2.6 has no kernel for."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

_COMPLEX = frozenset({"complex64", "complex128"})
# Read out of the registries of 2.6.2 and 3.x: what 2.6 lacks of these on the CPU. Whole numbers,
# flags, halves and other operators of complex numbers are computed otherwise (CL176).
_OF_NUMBERS = (
    *("determinant", "elementwise_mod", "greater_equal", "greater_than", "inverse", "less_equal"),
    *("less_than", "lu", "lu_unpack", "matrix_power", "matrix_rank", "qr", "reduce_prod"),
    *("slogdeterminant", "svd", "triangular_solve", "where_index"),
)
_LACKING: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_OF_NUMBERS, _COMPLEX),
    **dict.fromkeys(("elementwise_add", "elementwise_sub"), frozenset({"bool"})),
}
# What yields flags, whatever is declared.
_FLAGS = frozenset({"reduce_all", "reduce_any"})
_NOWHERE = frozenset({"rms_norm"})


def _is_of_3(graph: Graph) -> bool:
    """Of what 2.6 saved, its own types may be wrong, and it runs what it saved."""
    return (graph.artifact.saved_by or "").lstrip("=~>").startswith("3")


def _lacks(operator: Operator, graph: Graph) -> bool:
    """Flags that are declared as such are computed in a wider type; others are found here."""
    if not _is_of_3(graph):
        return False
    read = [operand(operator, slots) for slots in ((*FIRST, "Condition"), SECOND)]
    makers = (graph.producer(value) for value in read)
    flags = any(maker is not None and maker.name in _FLAGS for maker in makers)
    declared = graph.dtype(read[0])
    dtype = "bool" if flags else declared
    return dtype in _LACKING[operator.name] and not declared == dtype == "bool"


def _is_younger(operator: Operator, graph: Graph) -> bool:
    return _is_of_3(graph)


RULE = Rule(
    id="CL147",
    title="an operator of a legacy program of 3.x that 2.6 has no kernel for",
    when=(
        Condition(
            paddle="<3.0",
            formats=LEGACY,
            devices=frozenset({"cpu"}),
            operators=(
                OperatorPattern(frozenset(_LACKING), where=_lacks),
                OperatorPattern(_NOWHERE, where=_is_younger),
            ),
        ),
    ),
    action=Action.REFUSE,
    explanation=(
        "3.x has determinants and decompositions of complex numbers. 2.6 loads the program, and "
        "every call says that there are no kernels which are registered in the operator."
    ),
    without="error",
    evidence=(
        Evidence("measured", "det and qr of complex64, saved by 3.3.1 as legacy: 2.6.2"),
        Evidence("measured", "the registries of 2.6.2 and 3.3.1"),
    ),
    advice="Load it with paddlepaddle>=3.2, or save it as a PIR program.",
    alone=(Alone(362, "error"),),
)
