"""CL257: outer product with a transposed operand, oneDNN, 3.x."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU, PRODUCTS, TRANSPOSITIONS
from compatload.operators.products import transposes_second


def summed(product: Operator, graph: Graph) -> tuple[str, int] | None:
    """The second operand and its axis that a product goes along, if it is transposed, by itself or
    by an operator before, which passes take in."""
    second = operand(product, SECOND)
    shape, maker = graph.shape(second) or (), graph.producer(second)
    if second is None or len(shape) < 2 or graph.dtype(second) == "float64":
        return None
    if transposes_second(product):
        return second, len(shape) - 1
    transposed = maker is not None and bare_name(maker) in TRANSPOSITIONS
    return (second, len(shape) - 2) if transposed else None


def is_of_one(product: Operator, graph: Graph) -> bool:
    place = summed(product, graph)
    return place is not None and (graph.shape(place[0]) or ())[place[1]] == 1


def _turns_itself(product: Operator, graph: Graph) -> bool:
    return transposes_second(product) and is_of_one(product, graph)


def _is_turned_column(operator: Operator, graph: Graph) -> bool:
    """Whether a transposition of nothing but the last two axes makes the operand of such a product,
    which does not turn it once more."""
    turned = result(operator)
    return exchanges_last_two(operator) and any(
        operand(user, SECOND) == turned and not transposes_second(user) and is_of_one(user, graph)
        for user in graph.users_of(operator)
        if bare_name(user) in PRODUCTS
    )


def exchanges_last_two(operator: Operator) -> bool:
    order = operator.attributes.get("perm", operator.attributes.get("axis"))
    if not isinstance(order, tuple) or len(order) < 2:
        return False
    axes = range(len(order))
    return order == (*axes[:-2], axes[-1], axes[-2])


HAS = frozenset({"avx512f"})
_OUTER = (
    OperatorPattern(PRODUCTS, where=_turns_itself),
    OperatorPattern(TRANSPOSITIONS, where=_is_turned_column),
)


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(PRODUCTS) if _turns_itself(one, graph))


def _wrong_now_and_then(graph: Graph, release: str) -> tuple[Operator, ...]:
    """It depends on what was in memory before: right in all of 300 runs of the zoo's."""
    return tuple(one for one in graph.named(PRODUCTS) if is_of_one(one, graph))


RULE = Rule(
    id="CL257",
    title="outer product with a transposed operand, oneDNN, 3.x",
    when=(
        replace(LEGACY_ON_CPU, paddle=">=3.0", cpu_has=HAS, operators=_OUTER),
        replace(PIR_ON_CPU, cpu_has=HAS, operators=_OUTER),
    ),
    action=Action.REWRITE,
    explanation=(
        "Of a matrix with one column, strides do not tell whether it is transposed. oneDNN 3 takes "
        "it for the other and reads what was in memory before: other numbers at each run, up to "
        "1e37 or NaN, without an error. Attention masks are made so: matmul(mask, mask, "
        "transpose_y=True). The column is reshaped in place of being transposed, which has the "
        "same numbers in the same order, so oneDNN stays on; 2.6 is right, and so are CPUs "
        "without AVX-512, whose kernels are others."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(x, x, transpose_y=True), x of [B, 6, 1]: 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(x, transpose(x)), which a pass makes the same: both"),
        Evidence(
            "measured", "outer_transposed and four more on an AMD EPYC without AVX-512: right"
        ),
        Evidence("measured", "not transposed, or the first operand alone: right on both"),
    ),
    module="compatload.programs.rewritings.reshaped",
    alone=(Alone(599, sees=_wrong), Alone(733, sees=_wrong_now_and_then, by_data=True)),
)
