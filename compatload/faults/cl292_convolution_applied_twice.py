"""CL292: convolution applied twice to one value, otherwise each time, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Cause, Evidence, OperatorPattern, Rule, Sight
from compatload.faults.onednn import (
    ACTIVATED_CONVOLUTIONS,
    CONVOLUTIONS,
    CONVOLUTIONS_ACTIVATIONS,
    FILTER,
    LEGACY_ON_CPU,
    NORMALISATION,
)

_RESULT = ("0", "Output")
# What decides how a convolution is computed.
_HOW = ("strides", "paddings", "padding_algorithm", "dilations", "groups", "output_padding")


def _first_alike(convolution: Operator, graph: Graph) -> Operator:
    """The first convolution of the same operand by the same filter."""
    filters = operand(convolution, FILTER)
    for one in graph.users.get(operand(convolution, FIRST) or "", ()):
        if bare_name(one) in CONVOLUTIONS and operand(one, FILTER) == filters:
            return one
    return convolution


def _is_applied_again(convolution: Operator, graph: Graph) -> bool:
    return _first_alike(convolution, graph) is not convolution


def _taken_in(convolution: Operator, graph: Graph) -> str | None:
    """The operator that passes take into it first; no addition, whose other operand decides."""
    after = graph.sole_user(convolution)
    if after is None or bare_name(convolution) not in ACTIVATED_CONVOLUTIONS:
        return None
    return bare_name(after) if bare_name(after) in _TAKEN_IN else None


_TAKEN_IN = CONVOLUTIONS_ACTIVATIONS | NORMALISATION


def _fits(first: Operator, again: Operator, graph: Graph) -> bool:
    """Whether the first, run again, gives as many numbers as are expected."""
    results = (
        next(one.outputs[slot][0] for slot in _RESULT if slot in one.outputs)
        for one in (first, again)
    )
    shapes = {graph.shape(value) for value in results}
    taken = {_taken_in(one, graph) for one in (first, again)}
    return len(shapes) == 1 and NORMALISATION.isdisjoint(taken)


def _mistaken(*, fits: bool) -> Sight:
    def sees(graph: Graph, release: str) -> tuple[Operator, ...]:
        pairs = ((_first_alike(one, graph), one) for one in graph.named(CONVOLUTIONS))
        return tuple(
            one
            for first, one in pairs
            if _is_otherwise(first, one, graph) and _fits(first, one, graph) == fits
        )

    return sees


def _is_otherwise(first: Operator, again: Operator, graph: Graph) -> bool:
    return _taken_in(first, graph) != _taken_in(again, graph) or any(
        first.attributes.get(name) != again.attributes.get(name) for name in _HOW
    )


RULE = Rule(
    id="CL292",
    title="convolution applied twice to one value, otherwise each time, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(CONVOLUTIONS, where=_is_applied_again),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "What oneDNN has made ready for a convolution is kept under the names of its operand and "
        "its filter. Where both are the same a second time, with another activation, bias, "
        "stride, padding or dilation, the first is run twice, without an error, or its memory "
        "does not fit: `could not create a primitive descriptor for a reorder primitive`. The "
        "second reads a copy of the filter, under a name of its own. PIR programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "conv(x), relu(conv(x)) without a bias: 2.67 on 2.6.2 and 3.3.1"),
        Evidence("measured", "the same with a bias, saved by 3.3.1, on 2.6.2: 3.31"),
        Evidence("measured", "of two dilations: 1.0 on both; of two strides: an error on both"),
        Evidence("measured", "with a bias, saved by 2.6.2, which fuses none there: right"),
    ),
    module="compatload.programs.rewritings.own_weight",
    cause=Cause.PASSES,
    alone=(Alone(464, "error", sees=_mistaken(fits=False)), Alone(552, sees=_mistaken(fits=True))),
)
