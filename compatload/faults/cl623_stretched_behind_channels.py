"""CL623: what is computed of four axes, and of fewer ones that stretch the third, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    BINARY,
    DIVISIONS,
    IN_ONEDNN,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PIR_ON_CPU_TO_3_2,
)

_AXES = 4
_FEWEST = 2
_UNKNOWN = -1
_DIVIDED_ELSEWHERE = Version("3.3.0")  # than in oneDNN, in PIR programs (CL219)
_Sizes = tuple[int, ...]


def of_fewer_axes(operator: Operator, graph: Graph) -> tuple[_Sizes, _Sizes] | None:
    """The sizes of the operand of fewer axes, and of the one of four; None without such two."""
    shapes = [graph.sure_shape(operand(operator, slots)) for slots in (FIRST, SECOND)]
    few, many = sorted((one or () for one in shapes), key=len)
    if not _FEWEST <= len(few) < _AXES == len(many):
        return None
    if operator.attributes.get("axis", -1) != -1:
        return None
    return few, many


def _pairs(few: _Sizes, many: _Sizes) -> Iterator[tuple[int, int, bool]]:
    """Both sizes along each axis, and whether the third one is meant, which is stretched."""
    for axis, (one, other) in enumerate(zip((1,) * (len(many) - len(few)) + few, many)):
        yield one, other, axis == _AXES - 2


def _may_be_stretched(operator: Operator, graph: Graph) -> bool:
    """Whether a run may stretch the third axis of the one, and nothing else: a batch of one."""
    sizes = of_fewer_axes(operator, graph)
    if sizes is None or graph.dtype(operand(operator, FIRST)) not in IN_ONEDNN:
        return False
    return all(
        other in (1, _UNKNOWN) and one != 1 and one != other
        if is_third
        else _UNKNOWN in (one, other) or one == other
        for one, other, is_third in _pairs(*sizes)
    )


def _stretched(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those that surely do."""
    pir = graph.artifact.format is Format.PIR
    elsewhere = pir and Version(release) >= _DIVIDED_ELSEWHERE
    found = []
    for one in graph.named(BINARY - DIVISIONS if elsewhere else BINARY):
        sizes = of_fewer_axes(one, graph)
        if _may_be_stretched(one, graph) and sizes and _UNKNOWN not in (*sizes[0], *sizes[1]):
            found.append(one)
    return tuple(found)


def _patterns(names: frozenset[str]) -> tuple[OperatorPattern, ...]:
    return (OperatorPattern(names, where=_may_be_stretched),)


RULE = Rule(
    id="CL623",
    title="four axes, of which fewer ones stretch the third, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_patterns(BINARY)),
        replace(PIR_ON_CPU, operators=_patterns(BINARY - DIVISIONS)),
        replace(PIR_ON_CPU_TO_3_2, operators=_patterns(DIVISIONS)),
    ),
    action=Action.REWRITE,
    explanation=(
        "`[1, 4, 1, 16] * [4, 5, 16]`: oneDNN lays the result out as it takes the first operand, "
        "of which a batch of one and a height of one leave open where its channels are, and "
        "refuses to turn it back: `could not create a primitive descriptor for a reorder "
        "primitive`, in PIR programs `std::exception`. A batch of two is right, so a model that "
        "was tried with more than one picture fails with one. The operand of fewer axes gets "
        "those that it lacks."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "972 pairs of shapes, + and *, 2.6.2 and 3.3.1: 16 fail, [1, A, 1, C] with [A, B, C] "
            "and [1, 1, 1, C] with [B, C], either way round",
        ),
        Evidence("measured", "with operands of as many axes, five axes, a batch of two: right"),
        Evidence("measured", "FEDformer's Fourier block (matrix.blind), a batch of one: all"),
    ),
    module="compatload.programs.rewritings.of_as_many_axes",
    alone=(Alone(677, sees=_stretched), Alone(680, by_data=True)),
)
