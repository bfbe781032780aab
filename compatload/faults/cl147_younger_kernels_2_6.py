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

_BYTES = frozenset({"int8", "uint8"})
_WHOLE = _BYTES | {"int16", "int32", "int64"}
_COMPLEX = frozenset({"complex64", "complex128"})
# Read out of the registries of 2.6.2 and 3.x: what 2.6 lacks of these on the CPU.
_LACKING: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("elementwise_add", "elementwise_sub"), _BYTES | {"bool"}),
    **dict.fromkeys(("elementwise_max", "elementwise_min", "elementwise_mod"), _BYTES | {"int16"}),
    "elementwise_mul": _BYTES | {"int16"},
    **dict.fromkeys(("round", "floor", "ceil"), _WHOLE),
    "where_index": _COMPLEX | _BYTES,
    "roll": _BYTES | {"int16", "bool"},
    "tril_triu": _BYTES | {"int16"},
}
# What yields flags, whatever is declared.
_FLAGS = frozenset({"reduce_all", "reduce_any"})
_BY_RESULT = frozenset({"fill_any_like"})
_NOWHERE = frozenset({"rms_norm"})


def _is_of_3(graph: Graph) -> bool:
    """Of what 2.6 saved, its own types may be wrong, and it runs what it saved."""
    return (graph.artifact.saved_by or "").lstrip("=~>").startswith("3")


def _lacks(operator: Operator, graph: Graph) -> bool:
    if not _is_of_3(graph):
        return False
    read = [operand(operator, slots) for slots in ((*FIRST, "Condition"), SECOND)]
    makers = (graph.producer(value) for value in read)
    flags = any(maker is not None and maker.name in _FLAGS for maker in makers)
    dtype = "bool" if flags else graph.dtype(read[0])
    return dtype in _LACKING[operator.name]


def _is_filled(operator: Operator, graph: Graph) -> bool:
    results = operator.outputs.get("Out", ())
    return _is_of_3(graph) and any(graph.dtype(one) == "int8" for one in results)


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
                OperatorPattern(_BY_RESULT, where=_is_filled),
                OperatorPattern(_NOWHERE, where=_is_younger),
            ),
        ),
    ),
    action=Action.REFUSE,
    explanation=(
        "3.x adds flags and bytes, and rounds whole numbers. 2.6 loads "
        "the program, and every call says that there are no kernels which are registered in the "
        "operator. PIR programs are written otherwise for 2.6 instead."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x + x of bool, of int8, round of int64, saved by 3.2.2: 2.6.2"),
        Evidence("measured", "x + x of int32 and float32: right; the registry of 2.6.2 for others"),
    ),
    advice="Load it with paddlepaddle>=3.2, or save it as a PIR program.",
    alone=(Alone(362, "error"),),
)
