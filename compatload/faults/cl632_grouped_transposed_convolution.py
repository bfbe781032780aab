"""CL632: a transposed convolution in groups and a normalisation, PIR program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand
from compatload.faults.model import PIR_PREDICTOR, Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import NORMALISATION

_TRANSPOSED = frozenset({"conv2d_transpose"})


def _is_normalised(operator: Operator, graph: Graph) -> bool:
    """In groups of several channels: the filter is ``[in, out / groups, height, width]``."""
    groups = operator.attributes.get("groups", 1)
    user = graph.sole_user(operator)
    if not isinstance(groups, int) or groups < 2 or user is None:
        return False
    sizes = graph.shape(operand(operator, SECOND)) or ()
    return bare_name(user) in NORMALISATION and sizes[:2] != (groups, 1)


def _is_even(operator: Operator, graph: Graph) -> bool:
    """Whether it has as many channels as it makes: no size tells that the weights do not fit."""
    sizes = graph.shape(operand(operator, SECOND)) or (0, 0)
    return sizes[0] == sizes[1] * int(str(operator.attributes.get("groups", 1)))


def _normalised(graph: Graph) -> Iterator[Operator]:
    return (one for one in graph.named(_TRANSPOSED) if _is_normalised(one, graph))


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in _normalised(graph) if not _is_even(one, graph))


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in _normalised(graph) if _is_even(one, graph))


RULE = Rule(
    id="CL632",
    title="a transposed convolution in groups and a normalisation, PIR program",
    when=(replace(PIR_PREDICTOR, operators=(OperatorPattern(_TRANSPOSED, where=_is_normalised),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass that folds the normalisation into the weights multiplies their first axis, which "
        "has the channels that go in, by factors of those that come out: other numbers without an "
        "error where both are as many, else `Broadcast dimension mismatch` as the predictor is "
        "made. The pass is left out."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "batch_norm(Conv2DTranspose(4, 4, 2, groups=2, bias_attr=False)(x)): 0.08 on 3.0.0, "
            "3.2.2 and 3.3.1; of 4 and 8, or 8 and 4 channels: an error",
        ),
        Evidence("measured", "one group, each channel a group, with a bias, legacy: right"),
    ),
    parameters=("conv2d_transpose_bn_fuse_pass",),
    alone=(Alone(697, "error", sees=_refused), Alone(698, "wrong", sees=_wrong)),
)
