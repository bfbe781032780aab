"""CL282: squeezed and turned, oneDNN, PIR."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, PIR_ON_CPU, PRODUCTS

_SQUEEZED = frozenset({"squeeze"})


def _is_concerned(operator: Operator, graph: Graph) -> bool:
    """Whether it is taken into a transpose, and what it is of is read elsewhere, or the result
    goes where the axis that is still declared matters."""
    value, user = operand(operator, FIRST), graph.sole_user(operator)
    if value is None or user is None or bare_name(user) != "transpose":
        return False
    last = (graph.shape(value) or (0,))[-1]
    return len(graph.users.get(value, ())) > 1 or any(
        bare_name(one) == "combine" or (bare_name(one) in PRODUCTS and _is_misled(one, last, graph))
        for one in graph.users_of(user)
    )


def _is_misled(product: Operator, last: int, graph: Graph) -> bool:
    """Whether it becomes a layer although the last size is another's, or something else."""
    added = graph.sole_user(product)
    rows = (graph.shape(operand(product, SECOND)) or (0,))[0]
    return added is None or bare_name(added) not in ADDITIONS or rows == last


def _misshaped(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What is read by a list or elsewhere; of products only 3.3 looks at the shape."""
    found = (one for one in graph.named(_SQUEEZED) if _is_concerned(one, graph))
    refuses = Version(release) >= Version("3.3")
    return tuple(one for one in found if refuses or _is_listed_or_shared(one, graph))


def _is_listed_or_shared(operator: Operator, graph: Graph) -> bool:
    turned = graph.sole_user(operator)
    listed = turned is not None and any(
        bare_name(user) == "combine" for user in graph.users_of(turned)
    )
    return listed or len(graph.users.get(operand(operator, FIRST) or "", ())) > 1


RULE = Rule(
    id="CL282",
    title="squeezed and turned, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_SQUEEZED, where=_is_concerned),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes a squeeze into the transpose after it, whose operator then takes the "
        "axis away from the tensor that it is given: whatever reads that afterwards finds one "
        "axis less. The program declares that axis still, which a list of tensors, a product or "
        "a layer refuses. Legacy programs are right."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "y = sigmoid(a(x)); y.squeeze(1).transpose([0, 2, 1]), b(y): an error on 3.3.1",
        ),
        Evidence("measured", "y.squeeze(2).transpose([0, 2, 1]) twice in a concat; @ w * 2: 3.3.1"),
        Evidence("measured", "an input that is squeezed, or nothing else reads it: right"),
    ),
    parameters=("squeeze_transpose_onednn_fuse_pass",),
    alone=(Alone(453, sees=_misshaped),),
)
