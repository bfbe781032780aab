"""CL207: nearest interpolation by anything but a whole factor, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU_TO_3_2, PLACEMENT_PASS

_NEAREST = frozenset({"nearest_interp"})
_COMPUTED_SIZES = ("OutSize", "SizeTensor", "Scale")


def may_not_be_whole(operator: Operator, graph: Graph) -> bool:
    """Whether an interpolation's scale is absent, empty, or has a part that is no number >= 1."""
    factors = [one for one in _scale(operator) if isinstance(one, (int, float))]
    return not factors or any(not (one >= 1 and one % 1 == 0) for one in factors)


def not_whole(operators: tuple[Operator, ...], graph: Graph) -> tuple[Operator, ...]:
    """Those by a factor that is not whole, or that the file does not tell.

    A size that is computed (OutSize and the like) keeps legacy operators out of oneDNN.
    """
    return tuple(
        one
        for one in operators
        if not any(one.inputs.get(slot) for slot in _COMPUTED_SIZES) and not _is_whole(one, graph)
    )


def _is_whole(operator: Operator, graph: Graph) -> bool:
    if factors := _factors(operator):
        return all(factor % 1 == 0 for factor in factors)
    sizes = _sizes(operator, graph)
    return sizes is not None and all(wanted % size == 0 for size, wanted in sizes)


def _sizes(operator: Operator, graph: Graph) -> list[tuple[int, int]] | None:
    """The size of each axis before and after, or None if only a run tells them."""
    wanted = [operator.attributes.get(name) for name in ("out_h", "out_w")]
    shape = graph.shape(operand(operator, FIRST)) or ()
    layout = operator.attributes.get("data_layout", operator.attributes.get("data_format"))
    sizes = shape[1:3] if layout == "NHWC" else shape[2:4]
    known = [
        (size, out)
        for size, out in zip(sizes, wanted)
        if isinstance(out, int) and min(size, out) > 0
    ]
    return known if len(known) == len(wanted) else None


def _factors(operator: Operator) -> list[float]:
    return [one for one in _scale(operator) if isinstance(one, (int, float)) and one > 0]


def _scale(operator: Operator) -> tuple[object, ...]:
    value = operator.attributes.get("scale")
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _seen(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = not_whole(graph.named(_NEAREST), graph)
    return tuple(one for one in found if _factors(one) or _sizes(one, graph) is not None)


def _of_a_run(graph: Graph, release: str) -> tuple[Operator, ...]:
    return not_whole(graph.named(_NEAREST), graph)


RULE = Rule(
    id="CL207",
    title="nearest interpolation by anything but a whole factor, oneDNN, PIR program",
    when=(
        replace(PIR_ON_CPU_TO_3_2, operators=(OperatorPattern(_NEAREST, where=may_not_be_whole),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "oneDNN takes the pixel whose centre is nearest, Paddle the one at floor(i / factor): "
        "they agree for whole factors only. The numbers are wrong without an error."
    ),
    without="wrong",
    evidence=(Evidence("measured", "3.0.0 and 3.2.2: 8×8 to 12×12, 4×4, 7×9, factor 0.5"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(540, sees=_seen), Alone(668, sees=_of_a_run, by_data=True)),
)
