"""CL182: float16 or bfloat16 that a CPU has no kernel for."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.cl171_bfloat16_of_onednn import OF_2_6 as BY_CL171
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import (
    LAYER,
    PREDICTOR,
    PROGRAM,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import CONVOLUTIONS
from compatload.operators.halves import HALVES, boundaries, lacking, of_onednn

_FORMS = (Format.LEGACY, Format.PIR)
_ELSEWHERE = CONVOLUTIONS  # CL181
# Have kernels in float16 that say no: "float16 can only be used on GPU", and, once a predictor has
# put the operator into oneDNN, "Ref tensor type (float16) is not supported by oneDNN".
_IN_NAME_ONLY = {
    Format.LEGACY: frozenset({"reduce_sum", "bilinear_interp_v2", "nearest_interp_v2"}),
    Format.PIR: frozenset({"bilinear_interp", "nearest_interp"}),
}
# oneDNN's kernels in bfloat16 that give something else (softplus: off by 0.9), or end in an error:
# prelu looks for a slope in float32, and of pad3d there is none for most ways to pad.
_NOT_BY_ONEDNN = frozenset({"pad3d", "prelu", "softplus"})


def _lacking(form: Format, kind: str, release: str, by_onednn: bool) -> frozenset[str]:
    names = lacking(form, kind, release)
    if kind == "float16":
        return names | _IN_NAME_ONLY[form]
    # Layers of 2.6 do not look at oneDNN's kernels; CL171 knows those.
    computed = of_onednn(form) - _NOT_BY_ONEDNN if by_onednn else BY_CL171
    return names - _ELSEWHERE - computed


def _pattern(release: str, by_onednn: bool) -> OperatorPattern:
    known = {
        form: {kind: _lacking(form, kind, release, by_onednn) for kind in HALVES} for form in _FORMS
    }

    def has_none(operator: Operator, graph: Graph) -> bool:
        name, names = bare_name(operator), known[graph.artifact.format.family]
        return any(
            name in names.get(graph.dtype(value) or "", ())
            for slots in (operator.inputs, operator.outputs)
            for values in slots.values()
            for value in values
        )

    return OperatorPattern(
        frozenset().union(*(names for kinds in known.values() for names in kinds.values())),
        where=has_none,
    )


_CPU = Condition(devices=frozenset({"cpu"}))


def _conditions(since: str, until: str) -> tuple[Condition, ...]:
    """For releases from the one on and before the other (``""``: all)."""
    paddle = ",".join(
        [*([f">={since}.dev0"] if since else []), *([f"<{until}.dev0"] if until else [])]
    )
    by_onednn = _pattern(since or "2.6.0", by_onednn=True)
    condition = replace(_CPU, paddle=paddle, operators=(by_onednn,))
    if since and since >= "3":
        return (condition,)
    own = _pattern(since or "2.6.0", by_onednn=False)
    return (
        replace(condition, apis=PREDICTOR),
        replace(condition, apis=LAYER | PROGRAM, operators=(own,)),
    )


_SINCE = ("", *boundaries())

RULE = Rule(
    id="CL182",
    title="float16 or bfloat16 that a CPU has no kernel for",
    when=tuple(
        condition
        for since, until in zip(_SINCE, (*_SINCE[1:], ""))
        for condition in _conditions(since, until)
    ),
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
    of_general_passes=True,
    alone=(Alone(757, "error"),),
)
