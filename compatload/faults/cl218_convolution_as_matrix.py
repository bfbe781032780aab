"""CL218: convolution multiplied as a matrix, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import Version

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    BINARY,
    CONVOLUTIONS,
    CONVOLUTIONS_ACTIVATIONS,
    DIVISIONS,
    FUSED_ACTIVATIONS,
    LEGACY_ON_CPU,
    NORMALISATION,
    ON_CPU,
    PRODUCTS,
    is_bias,
    is_by_weight,
    is_smaller,
    layers,
)
from compatload.frozen import frozen

# Operators after which the channels are no longer last in memory, or no longer there. Those that
# reorder were tried between a convolution and a product, and so was what does not (concat, exp …).
_REORDERING = frozenset(
    {
        *("flatten", "flatten2", "flatten_contiguous_range", "reshape", "reshape2"),
        *("transpose", "transpose2", "squeeze", "squeeze2", "shape", "shape64"),
    }
)
# These reorder as well, but for those over the last axis alone.
_REDUCTIONS = frozenset(
    {
        *("max", "mean", "min", "sum"),
        *("reduce_max", "reduce_mean", "reduce_min", "reduce_sum"),
    }
)
_MULTIPLICATIONS = PRODUCTS | {"bmm"}
# What leaves the memory of its first operand in oneDNN's order; tried one by one. Of what was
# tried, cast, log, pow, rsqrt, sin, square, silu, slices, pads, reductions … put it right again.
_KEEPING = frozenset(
    {
        *("abs", "clip", "elu", "exp", "gelu", "hard_swish", "hardswish", "leaky_relu", "mish"),
        *("prelu", "relu", "relu6", "round", "scale", "sigmoid", "softplus", "sqrt", "swish"),
        *("tanh", "batch_norm", "layer_norm", "log_softmax", "softmax", "concat", "split"),
        *("split_with_num", "pool2d", "nearest_interp", "nearest_interp_v2"),
    }
)
_KEEPING_LEGACY = _KEEPING | {"dropout"}
_KEEPING_PIR = _KEEPING | {"bilinear_interp"}
# oneDNN has no operator for it, but a convolution takes it in.
_WITHIN_CONVOLUTION = CONVOLUTIONS_ACTIVATIONS - FUSED_ACTIVATIONS
_AFTER_LAYER = CONVOLUTIONS_ACTIVATIONS - {"relu"}
_DIVISION_RIGHT_SINCE = Version("3.3")


def _reaches_product(convolution: Operator, graph: Graph) -> bool:
    """Whether a result goes into a product, through what may leave the channels where they are."""
    return graph.leads(
        convolution,
        lambda user: bare_name(user) in _MULTIPLICATIONS,
        lambda user: (
            bare_name(user) not in _REORDERING | _REDUCTIONS
            or (bare_name(user) in _REDUCTIONS and _may_reduce_last(user, graph))
        ),
    )


def _may_reduce_last(operator: Operator, graph: Graph) -> bool:
    """Whether the result may be the first operand without its last axis, by their shapes."""
    shape = graph.shape(operand(operator, FIRST))
    made = graph.shape(next((v for vs in operator.outputs.values() for v in vs), None))
    return shape is None or made is None or made in (shape[:-1], (*shape[:-1], 1))


def _products_after(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Products that read memory which a convolution left with its channels last."""
    order = _Order.of(graph, release)
    return tuple(
        one
        for one in (graph.named(_MULTIPLICATIONS | {"mul"}) if order else ())
        if order and not order.is_layer(one) and order.is_misread(one)
    )


def _layers_after(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Layers that read such memory, and whose activation the pass cannot make for it."""
    order = _Order.of(graph, release)
    return tuple(
        after
        for product, last in (layers(graph) if order else ())
        if order
        and order.is_misread(product)
        and (after := graph.sole_user(last)) is not None
        and bare_name(after) in _AFTER_LAYER
    )


@frozen
class _Order:
    """Which values of a program lie in oneDNN's order, by what is known of its operators."""

    graph: Graph
    pir: bool
    divides: bool
    known: dict[str, bool]

    @classmethod
    def of(cls, graph: Graph, release: str) -> _Order | None:
        """None where there is no convolution, or no product."""
        if not graph.named(CONVOLUTIONS) or not graph.named(_MULTIPLICATIONS | {"mul"}):
            return None
        pir = graph.artifact.format is Format.PIR
        divides = not pir or Version(release) < _DIVISION_RIGHT_SINCE
        return cls(graph, pir, divides, {})

    def is_layer(self, product: Operator) -> bool:
        """Whether it becomes a fully connected layer, which puts its input in order."""
        if bare_name(product) == "mul":
            return True
        if not is_by_weight(product, self.graph):
            return False
        if not self.pir:
            return True
        # A factor before is taken into the product, which then is no layer's any more.
        before = self.graph.producer(operand(product, FIRST))
        if before is not None and self.graph.factor(before) not in (None, 1.0):
            return False
        added = self.graph.sole_user(product)
        return added is not None and is_bias(added, self.graph)

    def is_misread(self, product: Operator) -> bool:
        return any(
            self.keeps(value) and not self._is_same_either_way(value)
            for slots in (FIRST, SECOND)
            if (value := operand(product, slots)) is not None
        )

    def _is_same_either_way(self, value: str) -> bool:
        """One channel, or one place, lies in memory alike whichever comes last."""
        shape = self.graph.shape(value) or ()
        return len(shape) > 2 and (shape[1] == 1 or all(size == 1 for size in shape[2:]))

    def keeps(self, value: str) -> bool:
        """Whether a value lies in the order that a convolution gave it, or what came of it.

        Programs are deep: the makers of a value are gone through without recursion.
        """
        waiting, opened = [value], set[str]()
        while waiting:
            one = waiting[-1]
            maker = self.graph.producer(one)
            wanted = [] if maker is None or one in self.known else self._decisive(maker)
            # What leads back to itself is in a loop, which no convolution's memory comes through.
            self.known.update((other, False) for other in wanted if other in opened)
            opened.add(one)
            missing = [other for other in wanted if other not in self.known]
            if missing:
                waiting += missing
                continue
            if one not in self.known:
                self.known[one] = maker is not None and self._is_kept(maker)
            opened.discard(one)
            waiting.pop()
        return self.known[value]

    def _decisive(self, maker: Operator) -> list[str]:
        """The operands of an operator that its result's order may depend on."""
        name = bare_name(maker)
        if name in BINARY:
            found = [operand(maker, FIRST), operand(maker, SECOND)]
        elif name in (_KEEPING_PIR if self.pir else _KEEPING_LEGACY):
            found = [self._listed_first(maker)]
        elif name in _REDUCTIONS and self._reduces_last(maker):
            found = [operand(maker, FIRST)]
        else:
            found = []
        return [value for value in found if value is not None]

    def _is_kept(self, maker: Operator) -> bool:
        name = bare_name(maker)
        if name in CONVOLUTIONS:
            return True
        if name in _WITHIN_CONVOLUTION:
            return self._is_convolution(operand(maker, FIRST))
        values = self._decisive(maker)
        if name not in BINARY:
            return any(self.known[value] for value in values)
        if len(values) != 2 or (name in DIVISIONS and not self.divides):
            return False
        first, second = values
        if self.known[first]:
            return True
        if not self.known[second]:
            return False
        # The operands change places where the first is smaller; a sum is taken into a convolution.
        shapes = self.graph.shape(first), self.graph.shape(second)
        summed = self.pir and name in ADDITIONS and self._is_convolution(second)
        return summed or is_smaller(*shapes) or self._is_same_either_way(first)

    def _reduces_last(self, maker: Operator) -> bool:
        """Whether a sum, mean or extreme is over the last axis alone."""
        given = self.graph.producer(operand(maker, SECOND))
        names = ("dim", "axis") if given is None else ("value",)
        attributes = maker.attributes if given is None else given.attributes
        axes = next(filter(None, map(attributes.get, names)), ())
        rank = len(self.graph.shape(operand(maker, FIRST)) or ())
        return axes in ((-1,), (rank - 1,)) and not maker.attributes.get("reduce_all")

    def _listed_first(self, maker: Operator) -> str | None:
        """The first operand; of a list that PIR made into one value, the first of that list."""
        value = operand(maker, FIRST)
        before = self.graph.producer(value)
        if before is not None and bare_name(before) == "combine":
            return operand(before, FIRST)
        return value

    def _is_convolution(self, value: str | None) -> bool:
        """A convolution with the bias and the normalisation that it takes in."""
        for _ in range(3):
            maker = self.graph.producer(value)
            if maker is None:
                return False
            if bare_name(maker) in CONVOLUTIONS:
                return True
            if bare_name(maker) not in ADDITIONS | NORMALISATION:
                return False
            value = operand(maker, FIRST)
        return False


RULE = Rule(
    id="CL218",
    title="convolution multiplied as a matrix, oneDNN",
    when=(replace(ON_CPU, operators=(OperatorPattern(CONVOLUTIONS, where=_reaches_product),)),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "A convolution leaves its result with the channels last in memory, and the product "
        "reads it as if they were not. Leaving the product alone out of oneDNN is not enough: "
        "the passes for PIR put it back, and those of 2.6 then refuse its activation."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(conv2d(x), conv2d(x)): 0.73 on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "the same saved by 3.3.1: 0.97 on 3.0.0 and 3.3.1"),
        Evidence("measured", "y = conv2d(x).sum(-1, keepdim=True); y @ y.T: 51, all releases"),
    ),
    alone=(
        Alone(429, "error", LEGACY_ON_CPU, _layers_after),
        Alone(591, "wrong", sees=_products_after),
    ),
)
