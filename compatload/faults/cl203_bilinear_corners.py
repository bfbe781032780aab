"""CL203: bilinear interpolation with align_corners or align_mode 1, oneDNN, 3.0 to 3.2."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU_TO_3_2, PLACEMENT_PASS

_BILINEAR = frozenset({"bilinear_interp"})
_ROUNDING = 1e-6  # of a factor in single precision


def _is_by_a_fraction(operator: Operator, graph: Graph) -> bool:
    """Whether a factor is told that gives no whole size, which is rounded down: Paddle computes
    with the factor, oneDNN with the sizes."""
    told = operator.attributes.get("scale")
    factors = told if isinstance(told, (list, tuple)) else ()
    sizes = _height_and_width(operator, graph.shape(operand(operator, FIRST)))
    if len(sizes) != len(factors):
        sizes = (-1,) * len(factors)
    return any(
        isinstance(factor, float) and not _is_whole(size, factor)
        for size, factor in zip(sizes, factors)
    )


def _is_whole(size: int, factor: float) -> bool:
    result = factor * size if size > 0 else factor
    return abs(result - round(result)) <= _ROUNDING * result


def _is_to_one(operator: Operator, graph: Graph) -> bool:
    """Whether one row or one column is left of several, or of nobody knows how many."""
    return any(after == 1 != before for before, after in _sizes(operator, graph))


def _sizes(operator: Operator, graph: Graph) -> list[tuple[int, int]]:
    """The height and the width, before and after."""
    shapes = (graph.shape(operand(operator, FIRST)), graph.shape(result(operator)))
    return list(zip(*(_height_and_width(operator, shape) for shape in shapes)))


def _height_and_width(operator: Operator, shape: tuple[int, ...] | None) -> tuple[int, ...]:
    last = operator.attributes.get("data_format") == "NHWC"
    return (shape or ())[1:3] if last else (shape or ())[2:4]


def _surely(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(_BILINEAR)
        if one.attributes.get("align_corners")
        or one.attributes.get("align_mode") == 1
        or any(after == 1 < before for before, after in _sizes(one, graph))
        or (-1 not in (graph.shape(operand(one, FIRST)) or (-1,)) and _is_by_a_fraction(one, graph))
    )


RULE = Rule(
    id="CL203",
    title="bilinear interpolation by corners, align_mode 1, a fraction or to one place, 3.0 to 3.2",
    when=(
        replace(
            PIR_ON_CPU_TO_3_2,
            operators=(
                OperatorPattern(_BILINEAR, (("align_corners", True),)),
                OperatorPattern(_BILINEAR, (("align_mode", 1),)),
                OperatorPattern(_BILINEAR, where=_is_by_a_fraction),
                OperatorPattern(_BILINEAR, where=_is_to_one),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The oneDNN kernel ignores both attributes, and computes with sizes in place of the factor "
        "where that gives no whole size (1.3); for one row or column it takes the middle, and "
        "Paddle the first: other numbers without an error. Without the placement pass the "
        "operator runs outside oneDNN."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "3.0.0 and 3.2.2: differences of 0.7 to 2.8"),
        Evidence("measured", "interpolate(x, size=[1, 1]), 2x4 to 1x2, 4x4 to 8x1: 0.4 to 1.9"),
        Evidence("measured", "interpolate(x, scale_factor=1.3): 0.6 to 1.0 on 3.0.0, 3.1.1, 3.2.2"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(530, sees=_surely),),
)
