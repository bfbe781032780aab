"""CL211: operator with channels last, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, Rule, Sight
from compatload.faults.onednn import (
    BINARY,
    CHANNELS_LAST,
    KEEPING,
    LEGACY_ON_CPU,
    PLAIN_CONVOLUTIONS,
    TRANSPOSITIONS,
    TURNING,
    is_channels_last,
    misread,
    of_other_ranks,
)

_IMAGE = 3

_TURNED_BY = frozenset({"reshape", "reshape2"})


def _broadcast(*, fits: bool) -> Sight:
    """What computes with a convolution of channels last and with something of as many axes, of
    which oneDNN turns those of the first: in 2.6 always, in 3.x beside what was reshaped, as the
    biases of layers are. Where sizes happen to fit, 2.6 is right, and 3.x gives other numbers."""

    def sees(graph: Graph, release: str) -> tuple[Operator, ...]:
        turns_less = Version(release) >= TURNING
        if fits and not turns_less:
            return ()
        return tuple(
            one
            for one in graph.named(BINARY)
            if (other := _smaller(one, graph)) is not None
            and (not turns_less or _is_reshaped(other, graph))
            and _fits(graph.shape(other) or (), graph.shape(result(one)) or (), turns_less) == fits
            and any(_leads(conv, one, graph) for conv in graph.named(PLAIN_CONVOLUTIONS))
        )

    return sees


def _smaller(operator: Operator, graph: Graph) -> str | None:
    """The one operand that is repeated along some axis, if it has as many axes as the result."""
    whole = graph.shape(result(operator))
    values = operand(operator, FIRST), operand(operator, SECOND)
    others = [value for value in values if graph.shape(value) != whole]
    if len(others) != 1 or whole is None or len(whole) < _IMAGE:
        return None
    return others[0] if len(graph.shape(others[0]) or ()) == len(whole) else None


def _is_reshaped(value: str, graph: Graph) -> bool:
    maker = graph.producer(value)
    return maker is not None and bare_name(maker) in _TURNED_BY


def _fits(smaller: Sequence[int], whole: Sequence[int], turns_less: bool) -> bool:
    """Whether sizes, taken as they stand, can be repeated to those with channels first; 2.6 finds
    out otherwise, but for a cube."""
    turned = (whole[0], whole[-1], *whole[1:-1])
    can_be = all(one == 1 or one == other for one, other in zip(smaller, turned) if one >= 0)
    return can_be and (turns_less or len({*whole[1:]}) == 1)


def _leads(convolution: Operator, goal: Operator, graph: Graph) -> bool:
    return is_channels_last(convolution, graph) and graph.leads(
        convolution, lambda user: user is goal, lambda user: bare_name(user) in KEEPING
    )


def _behind_a_transpose(graph: Graph, release: str) -> tuple[Operator, ...]:
    """A slope for each channel, whose operand oneDNN has turned."""
    return tuple(
        one
        for one in graph.named(frozenset({"prelu"}))
        if is_channels_last(one, graph)
        and one.attributes.get("mode") == "channel"
        and (maker := graph.producer(operand(one, FIRST))) is not None
        and bare_name(maker) in TRANSPOSITIONS
    )


RULE = Rule(
    id="CL211",
    title="operator with channels last, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=CHANNELS_LAST),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The bias that follows such a convolution is added along the wrong axis: 3.x returns "
        "other numbers without an error, 2.6 cannot create the operator. What pools, resizes, pads "
        "or normalises is refused, or what follows takes the axes for those of channels first."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "saved by 2.6.2: difference 0.82 on 3.3.1, an error on 2.6.2"),
        Evidence(
            "measured",
            "the bias of a layer's convolution (1 x 1 x 1 x 8 beside 6 x 6 x 8): an error on 2.6.2 "
            "and 3.3.1, 6 x 6 x 6: wrong on 3.3.1; of static programs (by axis=3): right on both",
        ),
        Evidence("measured", "prelu of each channel behind a transpose: an error on both"),
        Evidence("measured", "pool, interpolate, pad: an error on 2.6.2 and 3.3.1"),
        Evidence(
            "measured",
            "x.sum() * weight of one axis beside a pool: `could not reshape a memory descriptor`; "
            "x * weight of one axis: right on 2.6.2, an error on 3.0.0 and 3.3.1",
        ),
        Evidence("measured", "batch_norm and concat, slice, softmax: wrong on 2.6.2 and 3.3.1"),
    ),
    alone=(
        Alone(426, "error", sees=_broadcast(fits=False)),
        Alone(510, "wrong", sees=_broadcast(fits=True)),
        Alone(732, "error", sees=_behind_a_transpose),
        Alone(511, sees=misread),
        Alone(727, "error", sees=of_other_ranks),
    ),
)
