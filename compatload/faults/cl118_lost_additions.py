"""CL118: an addition that paddle.jit.save left out, PIR program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, Rule
from compatload.frozen import frozen


@frozen
class LostAddition:
    """``sum`` computes ``input + constant`` for nobody; one of ``columns`` should return it.

    ``columns`` are the outputs, counted from 0, that return the input itself instead.
    """

    sum: Operator
    input: str
    constant: float
    columns: tuple[int, ...]

    @property
    def told(self) -> str:
        """``"x + 0.5, pd_op.scale (block 0, operator 2)"``."""
        sign = "-" if self.constant < 0 else "+"
        return f"{self.input} {sign} {abs(self.constant):g}, {self.sum.position}"


def lost_additions(graph: Graph) -> tuple[LostAddition, ...]:
    """Sums that nobody reads, of inputs that are outputs of a PIR program as well.

    ``paddle.jit.save`` leaves out what no output depends on, but for this: a file that holds such
    a sum was wrong from the beginning (3.0.0 to 3.3.1), and tells by how much.
    """
    inputs = {
        value: str(one.attributes.get("name", value))
        for one in graph.operators
        if one.name == "pd_op.data"
        for values in one.outputs.values()
        for value in values
    }
    columns: dict[str, set[int]] = {}  # of outputs, by the input that they are
    for one in graph.operators:
        if one.name == "pd_op.fetch" and not one.block:
            value = operand(one, FIRST)
            if value in inputs:
                columns.setdefault(value, set()).add(_column(one))
    return tuple(
        LostAddition(one, inputs[value], constant, tuple(sorted(columns[value])))
        for one in (graph.operators if columns else ())
        if one.name == "pd_op.scale" and not one.block
        if (value := operand(one, FIRST)) in columns
        if (constant := _constant(one)) and not any(graph.users_of(one))
    )


def _constant(operator: Operator) -> float:
    bias = operator.attributes.get("bias")
    return float(bias) if isinstance(bias, (int, float)) else 0.0


def _column(fetch: Operator) -> int:
    column = fetch.attributes.get("col")
    return column if isinstance(column, int) else 0


def _left_out(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one.sum for one in lost_additions(graph))


RULE = Rule(
    id="CL118",
    title="an addition that paddle.jit.save left out, PIR program",
    action=Action.REPAIR,
    explanation=(
        "From 3.0 on paddle.jit.save takes an output that is an input plus a constant (`x + 0.5`) "
        "for a renaming: the file returns the input, and holds a sum that nobody reads. Nothing "
        "else that nobody reads is in such files. The output becomes the sum again; where two "
        "outputs might be meant the model is refused."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "return x + 0.5, saved and loaded by 3.0.0, 3.1.1, 3.2.2 and 3.3.1"),
        Evidence("measured", "none of 1,152 other files of the zoo holds such a sum"),
    ),
    module="compatload.programs.lost_additions",
    alone=(Alone(610, when=Condition(paddle=">=3.0", formats=PIR), sees=_left_out),),
)
