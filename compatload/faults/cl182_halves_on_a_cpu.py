"""CL182: float16 or bfloat16 that a CPU has no kernel for."""

from __future__ import annotations

from packaging.version import Version

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import (
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import CONVOLUTIONS
from compatload.operators.halves import HALVES, OLDEST, boundaries, lacking, of_onednn

_FORMS = (Format.LEGACY, Format.PIR)
_OF_ONEDNN_SINCE = Version("3.0.0.dev0")
# Have kernels in float16 that say no: "float16 can only be used on GPU", and, once a predictor has
# put the operator into oneDNN, "Ref tensor type (float16) is not supported by oneDNN".
_IN_NAME_ONLY = {
    Format.LEGACY: frozenset({"reduce_sum", "bilinear_interp_v2", "nearest_interp_v2"}),
    Format.PIR: frozenset({"bilinear_interp", "nearest_interp"}),
}
# oneDNN's kernels in bfloat16 that give something else (softplus: off by 0.9), or end in an error:
# layer_norm and prelu look for weights in float32, and of pad3d there is none for most ways to pad.
_NOT_BY_ONEDNN = frozenset({"layer_norm", "pad3d", "prelu", "softplus"})


def _lacking(form: Format, kind: str, release: str) -> frozenset[str]:
    names = lacking(form, kind, release)
    if kind == "float16":
        return names | _IN_NAME_ONLY[form]
    # Layers of 2.6 do not look at oneDNN's kernels, and its predictors not always.
    if Version(release) < _OF_ONEDNN_SINCE:
        return names
    return names - CONVOLUTIONS - (of_onednn(form) - _NOT_BY_ONEDNN)  # CL181 has those


def _pattern(release: str) -> OperatorPattern:
    known = {form: {kind: _lacking(form, kind, release) for kind in HALVES} for form in _FORMS}

    def has_none(operator: Operator, graph: Graph) -> bool:
        if not graph.halves:
            return False
        name, names = bare_name(operator), known[graph.artifact.format.family]
        return any(
            value in graph.halves and name in names[graph.halves[value]]
            for slots in (operator.inputs, operator.outputs)
            for values in slots.values()
            for value in values
        )

    return OperatorPattern(
        frozenset().union(*(names for kinds in known.values() for names in kinds.values())),
        where=has_none,
    )


def _condition(since: str, until: str) -> Condition:
    """For releases from the one on and before the other (``""``: all)."""
    limits = ((">=", since), ("<", until))
    return Condition(
        paddle=",".join(f"{sign}{release}.dev0" for sign, release in limits if release),
        devices=frozenset({"cpu"}),
        operators=(_pattern(since or OLDEST),),
    )


_SINCE = ("", *boundaries())

RULE = Rule(
    id="CL182",
    title="float16 or bfloat16 that a CPU has no kernel for",
    when=tuple(map(_condition, _SINCE, (*_SINCE[1:], ""))),
    action=Action.REWRITE,
    explanation=(
        "A model that was saved in half precision on a GPU (automatic mixed precision, O2, "
        "`layer.to(dtype='float16')`) asks for kernels that a CPU has for few operators: Paddle "
        "loads it, and every call ends in `There are no kernels which are registered in …` or "
        "`kernel output args (0) defs should equal op outputs`. Those operators compute in "
        "float32, and give the half precision that they were asked for."
    ),
    without="error",
    evidence=(
        Evidence("measured", "the kernel registries of 2.6.0 to 3.3.1, float16 and bfloat16"),
        Evidence(
            "measured",
            "87 functions in float16 and bfloat16, alone and behind matmul, saved by 2.6.2: 232 "
            "of 248 and 71 of 231 are an error in layers of 3.3.1 (2026-11-30)",
        ),
    ),
    module="compatload.programs.rewritings.single_precision",
    cause=Cause.KERNELS,
    alone=(Alone(757, "error"),),
)
