"""CL277: turned beside another change of shape, not of float32, oneDNN, PIR."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, PIR_ON_CPU

_TURNED = frozenset({"transpose"})
_AFTER = frozenset({"unsqueeze", "reshape"})
_OF_KERNEL = frozenset({*IN_ONEDNN, "int8", "uint8"})


def _is_plain(operator: Operator, graph: Graph) -> bool:
    """Whether it is turned where oneDNN has no operator for its numbers."""
    return graph.dtype(operand(operator, FIRST)) not in {None, *_OF_KERNEL}


def _is_beside(operator: Operator, graph: Graph) -> bool:
    return _is_plain(operator, graph) and (
        _is_squeezed(operator, graph)
        or any(bare_name(user) in _AFTER for user in graph.users_of(operator))
    )


def _is_squeezed(operator: Operator, graph: Graph) -> bool:
    maker = graph.producer(operand(operator, FIRST))
    return maker is not None and bare_name(maker) == "squeeze"


def _taken(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Transpositions that a pass puts together with what is before or after them alone."""
    plain = (one for one in graph.named(_TURNED) if _is_plain(one, graph))
    return tuple(one for one in plain if _is_taken(one, graph))


def _is_taken(operator: Operator, graph: Graph) -> bool:
    maker, user = graph.producer(operand(operator, FIRST)), graph.sole_user(operator)
    if maker is not None and bare_name(maker) == "squeeze" and _numbers(maker, graph):
        return graph.sole_user(maker) is operator
    if user is None or bare_name(user) not in _AFTER:
        return False
    told = _numbers(user, graph)
    return bool(told) and (bare_name(user) == "unsqueeze" or 0 not in told)


def _numbers(operator: Operator, graph: Graph) -> tuple[int, ...]:
    """The axes or sizes that it is told by a constant."""
    told = graph.producer(operand(operator, SECOND))
    value = told.attributes.get("value") if told is not None else None
    return tuple(value) if isinstance(value, (list, tuple)) else ()


RULE = Rule(
    id="CL277",
    title="turned beside another change of shape, not of float32, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_TURNED, where=_is_beside),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The passes put a transpose together with the squeeze before it, or the unsqueeze or "
        "reshape after it, as an operator of oneDNN's, which integers and float64 do not have: "
        "`Ctx should have corresponding OpInfo pd_op.fused_transpose`."
    ),
    without="error",
    evidence=(
        Evidence("measured", "i.transpose([0, 2, 1]).unsqueeze(1) of int64: 3.0.0 and 3.3.1"),
        Evidence("measured", "reshape([-1, 12]) after it, squeeze before it, of float64: the same"),
    ),
    parameters=(
        "squeeze_transpose_onednn_fuse_pass",
        "operator_unsqueeze_onednn_fuse_pass",
        "operator_reshape_onednn_fuse_pass",
    ),
    alone=(Alone(456, sees=_taken),),
)
