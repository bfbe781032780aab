"""CL136: residuals of least squares, between 3.0 and 3.1."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.origin import across

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


RULE = Rule(
    id="CL136",
    title="residuals of least squares, between 3.0 and 3.1",
    when=across("3.1", frozenset({"lstsq"}), _tells_residuals),
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
