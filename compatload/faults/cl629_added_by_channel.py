"""CL629: numbers of channels added to what a convolution of volumes made, one wide and high."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, KEEPING, LEGACY_ON_CPU, PIR_ON_CPU

_CONVOLUTIONS = frozenset({"conv3d"})
# What leaves a tensor as oneDNN has laid it out.
_KEEPING = KEEPING | {"mean", "reduce_mean", "reduce_sum", "scale", "softmax", "sum"}
_AXES, _UNKNOWN = 5, -1


def _adds_by_channel(addition: Operator, graph: Graph) -> bool:
    """What a run may find, too: sizes that nobody tells may be 1."""
    volume = graph.shape(operand(addition, FIRST)) or ()
    if len(volume) != _AXES or not set(volume[3:]) <= {1, _UNKNOWN} or volume[2] == 1:
        return False
    added = graph.shape(operand(addition, SECOND)) or ()
    axis = addition.attributes.get("axis", -1)
    before = axis if isinstance(axis, int) and axis >= 0 else _AXES - len(added)
    aligned = ((1,) * before + added + (1,) * _AXES)[:_AXES]
    return (
        aligned[1] != 1
        and aligned[2] == 1
        and graph.comes_of(addition, _CONVOLUTIONS, lambda user: bare_name(user) in _KEEPING)
    )


_PATTERNS = (OperatorPattern(ADDITIONS, where=_adds_by_channel),)


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(ADDITIONS)
        if _adds_by_channel(one, graph) and (graph.shape(operand(one, FIRST)) or ())[3:] == (1, 1)
    )


RULE = Rule(
    id="CL629",
    title="numbers of channels added to a convolution of volumes that is one wide and high",
    when=(
        replace(LEGACY_ON_CPU, operators=_PATTERNS),
        replace(PIR_ON_CPU, operators=_PATTERNS),
    ),
    action=Action.REWRITE,
    explanation=(
        "A bias is a number of each channel. Of `conv3d` to [N, C, T, 1, 1], as behind a mean over "
        "height and width or a last kernel as large as the image, oneDNN's layout is taken for the "
        "other one, and the numbers are added along T, in silence, with memory behind them where T "
        "is more than C. So are a gate `[N, C, 1, 1, 1]` and a vector behind an activation; PIR "
        "programs fold a bias into the convolution. What is added to is a copy that is no tensor "
        "of oneDNN's."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "Conv3D(3, 5, 1) of [1, 3, 6, 1, 1], legacy: off by 2.5"),
        Evidence("measured", "relu(conv3d(x)) + vector, + gate, PIR: 3.0.0 and 3.3.1"),
        Evidence("measured", "subtracted, multiplied, the vector first; T = 1, H = T, 2-D: right"),
        Evidence("measured", "a stream of MoViNet's (matrix.blind): 0.003"),
    ),
    module="compatload.programs.rewritings.own_operand",
    alone=(Alone(686, sees=_wrong),),
)
