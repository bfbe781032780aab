"""CL623: what is computed of four axes, and of fewer ones that stretch the third, oneDNN."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import IN_ONEDNN, binary_in_onednn, binary_of

_AXES = 4
_FEWEST = 2
_THIRD = 2
_UNKNOWN = -1
_Sizes = tuple[int, ...]


def _sizes(operator: Operator, graph: Graph) -> tuple[_Sizes, _Sizes] | None:
    """Of the operand of fewer axes, by as many, and of the one of four; None without such two."""
    shapes = [graph.sure_shape(operand(operator, slots)) for slots in (FIRST, SECOND)]
    few, many = sorted((one or () for one in shapes), key=len)
    if not _FEWEST <= len(few) < _AXES == len(many) or operator.attributes.get("axis", -1) != -1:
        return None
    return (1,) * (_AXES - len(few)) + few, many


def _may_be_stretched(operator: Operator, graph: Graph) -> bool:
    """Whether a run may stretch the third axis of the one, and nothing else: a batch of one."""
    sizes = _sizes(operator, graph)
    if sizes is None or graph.dtype(operand(operator, FIRST)) not in IN_ONEDNN:
        return False
    pairs = [*zip(*sizes)]
    one, other = pairs.pop(_THIRD)
    return (
        other in (1, _UNKNOWN)
        and one not in (1, other)
        and all(_UNKNOWN in pair or len({*pair}) == 1 for pair in pairs)
    )


def _stretched(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those that surely do."""
    return tuple(
        one
        for one in graph.named(binary_of(graph, release))
        if _may_be_stretched(one, graph)
        and not any(_UNKNOWN in sizes for sizes in _sizes(one, graph) or ())
    )


RULE = Rule(
    id="CL623",
    title="four axes, of which fewer ones stretch the third, oneDNN",
    when=binary_in_onednn(_may_be_stretched),
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
