"""CL222: number without dimensions, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import BINARY, FUSED_ACTIVATIONS, LEGACY_ON_CPU

_FLOAT32 = 5  # in the framework's VarType
# What of oneDNN was seen to refuse such a number, by its names in both formats.
_REFUSING = BINARY | FUSED_ACTIVATIONS | {"scale"}
_REFUSING_SINCE_3 = frozenset({"reshape2"})
_FULL = frozenset({"fill_constant"})


def _is_read_by(names: frozenset[str], operator: Operator, graph: Graph) -> bool:
    """Whether one of these reads it, and neither in a branch or a loop, which compute elsewhere,
    nor after a loop that writes it."""
    users = (*graph.users_of(operator),)
    if any(result(operator) in user.outputs.get("Out", ()) for user in users):
        return False
    return any(user.block == 0 and bare_name(user) in names for user in users)


def _is_refused(operator: Operator, graph: Graph) -> bool:
    return _is_read_by(_REFUSING | _REFUSING_SINCE_3 | {"reshape"}, operator, graph)


def _seen(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Constants of no dimensions that an operator of oneDNN reads."""
    since_3 = _REFUSING_SINCE_3 if Version(release) >= Version("3.0") else frozenset()
    return tuple(
        one
        for one in graph.named(_FULL)
        if not one.inputs.get("ShapeTensor")
        and not one.inputs.get("ShapeTensorList")
        and one.attributes.get("shape") == ()
        and graph.dtype(next(iter(one.outputs.get("Out", ())), None)) == "float32"
        and _is_read_by(_REFUSING | since_3, one, graph)
    )


def _numbers(names: frozenset[str], dtype: object) -> OperatorPattern:
    attributes = (("shape", ()), ("dtype", dtype))
    return OperatorPattern(names, attributes, where=_is_refused)


RULE = Rule(
    id="CL222",
    title="number without dimensions, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(_numbers(_FULL, _FLOAT32), _numbers(frozenset({"full"}), "float32")),
        ),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The operators of oneDNN that read such a constant (sums, products, activations, "
        "scale; on 3.x reshape, too) cannot describe it: `could not reshape a memory "
        "descriptor`."
    ),
    without="error",
    evidence=(
        Evidence("measured", "conv2d(x) + paddle.ones([]), 2.6.2 → 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "relu and scale of paddle.full([], 0.5): the same"),
        Evidence("measured", "read in a branch or a loop: right, 8 models, 2.6.2 to 3.3.1"),
    ),
    alone=(Alone(431, sees=_seen),),
)
