"""CL172: put_along_axis in a way that 2.6.0 does not know."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule, Where

_KNOWN = frozenset({"assign", "add", "mul", "multiply"})
_PUT = frozenset({"put_along_axis"})


def _told(operator: Operator, name: str, usual: object) -> object:
    """Legacy programs write it with a capital, PIR without."""
    attributes = operator.attributes
    return attributes.get(name, attributes.get(name.lower(), usual))


def _is_reduced(operator: Operator, graph: Graph) -> bool:
    return _told(operator, "Reduce", "assign") not in _KNOWN


def _leaves_out(operator: Operator, graph: Graph) -> bool:
    """Whether what stood there is not counted in, where it is not written over anyway."""
    reduce = _told(operator, "Reduce", "assign")
    return reduce in _KNOWN - {"assign"} and not _told(operator, "Include_self", True)


def _where(seen: Where) -> Condition:
    return Condition(paddle="<2.6.1", operators=(OperatorPattern(_PUT, where=seen),))


_REDUCED, _LEFT_OUT = _where(_is_reduced), _where(_leaves_out)

RULE = Rule(
    id="CL172",
    title="put_along_axis in a way that 2.6.0 does not know",
    when=(_REDUCED, _LEFT_OUT),
    action=Action.REFUSE,
    explanation=(
        "2.6.1 brought `amax`, `amin` and `mean`, and `include_self=False`. 2.6.0 loads such a "
        "program; calls of the first three say that only the default reduce op is known, and what "
        "stood there is counted in, in silence. It is the only operator of 2.6 whose attributes "
        "changed between these two."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "six ways, with and without include_self, of 2.6.2 and 3.3.1: 2.6.0"),
        Evidence("measured", "attributes of all 804 operators of 2.6.0, 2.6.1 and 2.6.2"),
    ),
    advice="Load it with paddlepaddle>=2.6.1.",
    alone=(Alone(723, "error", when=_REDUCED), Alone(724, "wrong", when=_LEFT_OUT)),
)
