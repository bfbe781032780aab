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
_REFUSING = BINARY | FUSED_ACTIVATIONS | {"add_n", "scale", "stack", "sum"}
_REFUSING_SINCE_3 = frozenset({"reshape2"})
_FULL = frozenset({"fill_constant"})
_ALONE = FUSED_ACTIVATIONS | {"scale"}  # read nothing else


def _readers(number: Operator, graph: Graph) -> tuple[Operator, ...]:
    """What reads it, alone or in a list; nothing of a number that a loop writes, and goes on
    with."""
    users = [*graph.users_of(number)]
    users += [user for one in users if bare_name(one) == "combine" for user in graph.users_of(one)]
    written = any(result(number) in user.outputs.get("Out", ()) for user in users)
    return () if written else tuple(users)


def _is_refused(operator: Operator, graph: Graph) -> bool:
    names = _REFUSING | _REFUSING_SINCE_3 | {"reshape"}
    return any(bare_name(user) in names for user in _readers(operator, graph))


def _seen(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Constants of no dimensions that an operator of oneDNN reads: in a branch or a loop, where one
    that stands before it is all that the operator reads."""
    refusing = _REFUSING | (_REFUSING_SINCE_3 if Version(release) >= Version("3.0") else set())
    return tuple(
        one
        for one in graph.named(_FULL)
        if not one.inputs.get("ShapeTensor")
        and not one.inputs.get("ShapeTensorList")
        and one.attributes.get("shape") == ()
        and graph.dtype(next(iter(one.outputs.get("Out", ())), None)) == "float32"
        and any(_refuses(user, one, refusing) for user in _readers(one, graph))
    )


def _refuses(user: Operator, number: Operator, refusing: frozenset[str]) -> bool:
    if user.block == 0:
        return bare_name(user) in refusing
    return user.block != number.block and bare_name(user) in _ALONE


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
        Evidence(
            "measured", "added to others in a branch or a loop, or written by the loop: right"
        ),
        Evidence("measured", "relu(t * 2) of it in a branch: an error on 2.6.2 and 3.3.1"),
    ),
    alone=(Alone(431, sees=_seen),),
)
