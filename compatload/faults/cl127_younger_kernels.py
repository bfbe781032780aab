"""CL127: a dtype for which older releases have no kernel on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule

_COMPLEX = frozenset({"complex64", "complex128"})
_WHOLE = frozenset({"uint8", "int8", "int16", "int32", "int64"})
_HALF = frozenset({"float16", "bfloat16"})
_COMPARED = ("less_than", "less_equal", "greater_than", "greater_equal")

# Read out of the kernel registries of 3.0.0 to 3.3.1, by the names of PIR and of legacy programs:
# what the release of that name brought. No release took a kernel away.
_OF_3_1: Mapping[str, frozenset[str]] = {
    **dict.fromkeys((*_COMPARED, "svd", "lu", "lu_unpack", "matrix_power", "where"), _COMPLEX),
    **dict.fromkeys(("elementwise_pow", "remainder", "elementwise_mod"), _COMPLEX),
    **dict.fromkeys(("nonzero", "where_index", "frobenius_norm", "cumsum", "lu_solve"), _COMPLEX),
    **dict.fromkeys(("matrix_rank", "matrix_rank_tol", "matrix_rank_atol_rtol"), _COMPLEX),
    "index_select": frozenset({"bool"}),
    "round": _COMPLEX | {"int32", "int64"},
    "tile": frozenset({"uint8", "int8", "int16"}),
}
_OF_3_2: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("ceil", "floor"), _WHOLE | _HALF),
    **dict.fromkeys(("pool2d", "pool3d"), frozenset({"float16"})),
    **dict.fromkeys(("put_along_axis", "take_along_axis"), frozenset({"int16"})),
    "argsort": _HALF | {"uint8", "int16"},
    "cumsum": frozenset({"uint8", "int8"}),
    **dict.fromkeys(("full_like", "fill_any_like"), frozenset({"int8"})),
}
# What decides: the second operand, the result, or else the first operand.
_BY_SECOND = frozenset({"where"})
_POOLS = frozenset({"pool2d", "pool3d"})
_BY_RESULT = frozenset({"full_like", "fill_any_like"})

# The PIR version of the file in which each came, and what is lacking before: it is computed in a
# type that every release has, where a younger file is written for an older release.
WIDENED: Mapping[int, Mapping[str, frozenset[str]]] = {
    2: {"pd_op." + name: kinds - _COMPLEX for name, kinds in _OF_3_1.items() if kinds - _COMPLEX},
    # Pools are written with other attributes there, too.
    3: {"pd_op." + name: kinds for name, kinds in _OF_3_2.items() if name not in _POOLS},
}


def _deciding(operator: Operator, graph: Graph) -> str | None:
    name = bare_name(operator)
    if name in _BY_RESULT:
        return graph.dtype(next((v for vs in operator.outputs.values() for v in vs), None))
    slots = ("1", "X") if name in _BY_SECOND else FIRST
    return graph.dtype(operand(operator, slots))


def _pattern(kernels: Mapping[str, frozenset[str]], came: int = 0) -> OperatorPattern:
    """Without what is rewritten where the file is of that version, or of any if there is none."""

    def has_none(operator: Operator, graph: Graph) -> bool:
        kind, name = _deciding(operator, graph), bare_name(operator)
        is_younger = came > 0 and (graph.artifact.pir_version or 0) >= came
        is_rewritten = is_younger and kind in WIDENED[came].get(f"pd_op.{name}", ())
        # CL182 has those in half precision.
        return kind in kernels[name] - _HALF and not is_rewritten

    return OperatorPattern(frozenset(kernels), where=has_none)


_CPU = frozenset({"cpu"})
_IN_3_0 = Condition(paddle=">=3.0,<3.1", devices=_CPU)
_BEFORE_3_2 = Condition(paddle=">=3.0,<3.2", devices=_CPU)

RULE = Rule(
    id="CL127",
    title="an operator that has no kernel for its dtype on this CPU",
    when=(
        replace(_IN_3_0, operators=(_pattern(_OF_3_1, 2),)),
        replace(_BEFORE_3_2, operators=(_pattern(_OF_3_2, 3),)),
    ),
    action=Action.REFUSE,
    explanation=(
        "3.1 and 3.2 brought kernels that 3.0 and 3.1 lack: ceil and floor of whole numbers, "
        "comparisons, where and powers of complex ones, tile of int8. Paddle loads the program "
        "and every call ends in an error. A PIR program is written with casts to a type that "
        "every release has; what is complex, and legacy programs, are refused."
    ),
    without="error",
    evidence=(
        Evidence("measured", "the kernel registries of 3.0.0, 3.1.1, 3.2.2, 3.3.0 and 3.3.1"),
        Evidence("measured", "ceil of int64, saved by 3.3.1: `kernel output args (0)` on 3.0.0"),
        Evidence("measured", "ones_like to int8, saved by 3.3.0: the same on 3.0.0 and 3.1.1"),
    ),
    advice="Load it with paddlepaddle>=3.2, or cast to float32 around the operator and save again.",
    alone=(
        Alone(355, "error", replace(_IN_3_0, operators=(_pattern(_OF_3_1),))),
        Alone(354, "error", replace(_BEFORE_3_2, operators=(_pattern(_OF_3_2),))),
    ),
)
