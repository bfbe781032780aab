"""CL231: turned, reshaped and joined, oneDNN, PIR program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, FUSED_ACTIVATIONS, PIR_ON_CPU, PRODUCTS

_TURNED = frozenset({"transpose"})
# A new axis is taken into a product of two tensors as well.
_CHANGED = _TURNED | {"multiply"}
_IN_LAYER = ADDITIONS | FUSED_ACTIVATIONS | {"scale"}


def _is_joined(operator: Operator, graph: Graph) -> bool:
    return any(
        _turns_number(operator, graph)
        or _is_listed(one, graph)
        or _is_in_reshaped_layer(one, graph)
        or any(True for _ in _made_again(one, graph))
        for one in _taken_by(operator, graph)
    )


def _turns_number(operator: Operator, graph: Graph) -> bool:
    """oneDNN brings a number into its own shape, and into no other."""
    return bare_name(operator) in _TURNED and graph.shape(operand(operator, FIRST)) == ()


def _taken_by(operator: Operator, graph: Graph) -> Iterator[Operator]:
    """The users of one of `_CHANGED` that a pass takes into it."""
    taken = {"reshape", "unsqueeze"} if bare_name(operator) in _TURNED else {"unsqueeze"}
    return (one for one in graph.users_of(operator) if bare_name(one) in taken)


def _made_again(operator: Operator, graph: Graph) -> Iterator[Operator]:
    """What reads it and takes in another one, for which the shapes of its operands are looked at
    anew."""
    for user in graph.users_of(operator):
        if bare_name(user) in _CHANGED and any(True for _ in _taken_by(user, graph)):
            yield user


def _is_in_reshaped_layer(operator: Operator, graph: Graph, *, stored: bool = False) -> bool:
    """Whether a fully connected layer reads it that a pass makes anew, for the reshape after it; a
    product with what is not ``stored`` in the file is none."""
    return any(
        bare_name(user) in PRODUCTS
        and (not stored or graph.is_stored(operand(user, SECOND)))
        and graph.leads(user, lambda one: bare_name(one) == "reshape", _is_of_layer)
        for user in graph.users_of(operator)
    )


def _is_of_layer(operator: Operator) -> bool:
    return bare_name(operator) in _IN_LAYER


def _is_listed(operator: Operator, graph: Graph) -> bool:
    return any(bare_name(user) == "combine" for user in graph.users_of(operator))


def _reshapes(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Reshapes by numbers alone, between a transpose and a list of tensors."""
    shaped = (graph.sole_user(one) for one in graph.named(_TURNED))
    return tuple(
        one
        for one in shaped
        if one is not None
        and bare_name(one) == "reshape"
        and _is_by_numbers(graph.producer(operand(one, SECOND)))
        and _is_listed(one, graph)
    )


def _misshaped(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What is read by a list or a reshaped layer with the shape of before."""
    found = []
    for one in graph.named(_CHANGED):
        after = graph.sole_user(one)
        if after is None or not _is_by_numbers(graph.producer(operand(after, SECOND))):
            continue
        if _turns_number(one, graph):
            found.append(one)
            continue
        widened = bare_name(after) == "unsqueeze"
        turned = bare_name(one) in _TURNED and (widened or bare_name(after) == "reshape")
        if (turned or widened) and (
            (widened and _is_listed(after, graph))
            or _is_in_reshaped_layer(after, graph, stored=True)
            or (widened and _is_refused(one, after, graph))
        ):
            found.append(one)
    return tuple(found)


def _is_refused(operator: Operator, widened: Operator, graph: Graph) -> bool:
    """Whether what is made again takes the shape from before it was widened for a wrong one."""
    shape, value = graph.shape(result(operator)), result(widened)
    for user in _made_again(widened, graph):
        others = {operand(user, slots) for slots in (FIRST, SECOND)} - {None, value}
        if bare_name(user) in _TURNED or any(_is_unlike(shape, graph.shape(o)) for o in others):
            return True
    return False


def _is_unlike(one: Sequence[int] | None, other: Sequence[int] | None) -> bool:
    """Whether they cannot be broadcast together, as far as they are known."""
    pairs = zip(reversed(one or ()), reversed(other or ()))
    return any(first != second and min(first, second) > 1 for first, second in pairs)


def _is_by_numbers(shape: Operator | None) -> bool:
    """Whether no size of a shape is that of the operand, which a zero stands for."""
    sizes = shape.attributes.get("value") if shape is not None else None
    return isinstance(sizes, (list, tuple)) and 0 not in sizes


RULE = Rule(
    id="CL231",
    title="turned, reshaped and joined, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_CHANGED, where=_is_joined),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes a reshape into the transpose before it and leaves the result with the "
        "old shape, which a list of tensors (concat, stack) refuses: `The type … of outputs "
        "must be equal to type … of inputs`. RT-DETR's encoder does this. So it is with an "
        "unsqueeze after a transpose or a product of two tensors, and with a fully connected "
        "layer that is reshaped in turn, as in attention by shifted windows; or with a product "
        "that takes in an unsqueeze of its own: `Broadcast dimension mismatch`. A number that is "
        "turned, and given axes, is `std::exception`."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "concat([y, y]) of y = x.transpose([0, 2, 1]).reshape([-1, 9, 2, 2]): 3.2.2, 3.3.1",
        ),
        Evidence("measured", "linear(x.transpose(…).reshape(…)).reshape(…): 3.0.0 and 3.3.1"),
        Evidence("measured", "y = (x * w).unsqueeze(1); concat([y, y]): 3.0.0 and 3.3.1"),
        Evidence("measured", "Mamba's (dt * x).unsqueeze(-1) * b, which is unsqueezed: 3.3.1"),
        Evidence("measured", "RT-DETR saved by 3.3.1: 3.0.0, 3.1.1 and 3.2.2"),
        Evidence("measured", "tensordot(x, y, []) of numbers, bfloat16: 3.0.0 and 3.3.1"),
        Evidence("measured", "reshape to [0, 0, -1], or relu before the concat: right"),
    ),
    parameters=("operator_reshape_onednn_fuse_pass", "operator_unsqueeze_onednn_fuse_pass"),
    alone=(Alone(439, sees=_reshapes), Alone(457, sees=_misshaped)),
)
