"""CL230: addition to a convolution along another axis, oneDNN, PIR program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CHANNELS, CONVOLUTIONS, PIR_ON_CPU, PLACEMENT_PASS

_ADD = frozenset({"add"})
_TRANSPOSED = frozenset({"conv2d_transpose", "depthwise_conv2d_transpose"})


def _is_unlike_bias(operator: Operator, graph: Graph) -> bool:
    """Whether a convolution's result gets one row, or as many numbers on an axis after the first,
    where that has fewer axes, and so does not lie along the channels."""
    maker = graph.producer(operand(operator, FIRST))
    first, second = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    if maker is None or bare_name(maker) not in CONVOLUTIONS:
        return False
    if first is None or second is None or len(second) >= len(first):
        return False
    return len(second) == 1 or (len(second) > 1 and 1 < second[CHANNELS] == prod(second))


def _fitting(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Additions along other axes than the channels that a convolution takes for its bias, of as
    many elements as a bias has, so that nothing refuses them."""
    return tuple(added for added, fits in _taken(graph) if fits is True)


def _unfit(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same of as many elements as no bias has."""
    return tuple(added for added, fits in _taken(graph) if fits is False)


def _taken(graph: Graph) -> Iterator[tuple[Operator, bool | None]]:
    for one in graph.named(CONVOLUTIONS):
        after = graph.sole_user(one)
        if after is not None:
            yield after, _takes(one, after, graph)


def _takes(convolution: Operator, after: Operator, graph: Graph) -> bool | None:
    """Whether a bias would be as long; None if it is not taken, or as right in one place as in
    the other."""
    made, value = operand(after, FIRST), operand(after, SECOND)
    whole, shape, maker = graph.shape(made), graph.shape(value), graph.producer(value)
    if bare_name(after) not in _ADD or made not in convolution.outputs.get("0", ()):
        return None
    if (
        not whole
        or not shape
        or len(shape) >= len(whole)
        or not graph.is_computed_once(value or "")
    ):
        return None
    last = convolution.attributes.get("data_format") in ("NHWC", "NDHWC")
    channels = whole[-1] if last else whole[1]
    if len(shape) == 1 and shape[0] != channels:
        return False
    if len(shape) > 1 and (
        bare_name(convolution) in _TRANSPOSED or not shape[1] == prod(shape) == channels
    ):
        return None
    equal = maker is not None and bare_name(maker) == "full"
    return None if equal or channels == 1 or (last and len(shape) == 1) else True


RULE = Rule(
    id="CL230",
    title="addition to a convolution along another axis, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_ADD, where=_is_unlike_bias),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes what is added to a convolution without a bias for its bias, by the "
        "number of its elements alone: a row as wide as there are channels is added to the "
        "channels in silence, any other row or number ends in `std::exception`. Legacy "
        "programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "conv2d(x) + w, 4 channels, x and w 4 wide: 0.17, 3.0.0, 3.3.1"),
        Evidence("measured", "the same 6 wide, and w of one element: an error on both"),
        Evidence("measured", "w of (1, 4) and (1, 4, 1); depthwise, 3d; transposed for (4,)"),
    ),
    parameters=(
        "conv2d_bias_fuse_pass",
        "conv2d_transpose_bias_fuse_pass",
        "conv3d_bias_fuse_pass",
        *PLACEMENT_PASS,
    ),
    alone=(
        Alone(440, "error", sees=_unfit),
        Alone(570, "wrong", sees=_fitting),
    ),
)
