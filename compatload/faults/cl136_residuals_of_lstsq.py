"""CL136: residuals of least squares, between 3.0 and 3.1."""

from __future__ import annotations

from packaging.version import Version

from compatload.artifact.model import Operator
from compatload.faults.cl132_quantised_as_it_runs import is_from, is_from_before
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule

_MENDED = Version("3.1.0.dev0"), 2  # the version of PIR that 3.1 writes
# Its residuals are the same in every release.
_OF_FULL_RANK = "gels"


def _tells_residuals(operator: Operator, graph: Graph) -> bool:
    told = next(iter(operator.outputs.get("Residuals", operator.outputs.get("1", ()))), None)
    if told is None or not graph.users.get(told):
        return False
    if operator.attributes.get("driver", _OF_FULL_RANK) == _OF_FULL_RANK:
        return False
    shape = graph.shape(operand(operator, FIRST)) or (-1, -1)
    rows, columns = shape[-2:]
    return min(rows, columns) < 0 or rows > columns


def _before(operator: Operator, graph: Graph) -> bool:
    return is_from_before(graph, *_MENDED) and _tells_residuals(operator, graph)


def _since(operator: Operator, graph: Graph) -> bool:
    return is_from(graph, *_MENDED) and _tells_residuals(operator, graph)


_LSTSQ = frozenset({"lstsq"})
RULE = Rule(
    id="CL136",
    title="residuals of least squares, between 3.0 and 3.1",
    when=(
        Condition(paddle=">=3.1", operators=(OperatorPattern(_LSTSQ, where=_before),)),
        Condition(paddle="<3.1", operators=(OperatorPattern(_LSTSQ, where=_since),)),
    ),
    action=Action.REFUSE,
    explanation=(
        "`paddle.linalg.lstsq` with any driver but gels returns the residuals of more rows than "
        "columns up to 3.0, and an empty tensor from 3.1 on. In silence."
    ),
    without="wrong",
    evidence=(Evidence("measured", "4 x 2, gelsy: (2,) on 2.6.2 and 3.0.0, (0,) on 3.1.1, 3.3.1"),),
    advice="Compute them, ((y - x @ solution) ** 2).sum(-2), and save the model again.",
    alone=(Alone(633),),
)
