"""Places in a program where the predictor's passes, most of them oneDNN's, are known to fail.

Sights as in ``sightings``. Each condition was found by trying small networks on 2.6.2, 3.0.0,
3.2.2 and 3.3.1: what a pass looks at decides, and that is often less than one would think.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

from packaging.version import Version

from compatload.artifact.model import Artifact, Format, Operator
from compatload.checking.native.links import Wiring, named
from compatload.frozen import frozen
from compatload.rules.links import FIRST, SECOND, operand
from compatload.rules.matching import bare_name
from compatload.rules.onednn import CONVOLUTIONS, REDUCTIONS
from compatload.rules.predictor import FUSED_ACTIVATIONS

_PRODUCTS = frozenset({"bmm", "matmul", "matmul_v2", "mul"})
_ADDITIONS = frozenset({"add", "elementwise_add"})
_DIVISIONS = frozenset({"divide", "elementwise_div"})
_BINARY = _ADDITIONS | _DIVISIONS | {"elementwise_mul", "elementwise_sub", "multiply", "subtract"}
_NORMALISATION = frozenset({"batch_norm"})
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
_WITHIN_CONVOLUTION = frozenset({"hard_sigmoid", "hardsigmoid"})
_AFTER_LAYER = (FUSED_ACTIVATIONS - {"relu"}) | _WITHIN_CONVOLUTION
_DIVISION_RIGHT_SINCE = Version("3.3")
# Operators of oneDNN that were seen to refuse a number without dimensions.
_REFUSING = _BINARY | FUSED_ACTIVATIONS | {"scale"}
_REFUSING_SINCE_3 = frozenset({"reshape2"})
_ATTENTION_AXES = 5


def normalisation_read_twice(*, fetched: bool) -> Callable[[Artifact, str], tuple[Operator, ...]]:
    """Batch normalisation that relu reads, and something else: the pass takes the value away from
    that. ``fetched``: it is an output of the model, reached through a ``scale`` by nothing."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        found = named(artifact, _NORMALISATION)
        links = Wiring(artifact) if found else None
        return tuple(one for one in found if links and _loses_a_reader(one, links, fetched=fetched))

    return sees


def _loses_a_reader(operator: Operator, links: Wiring, *, fetched: bool) -> bool:
    values = operator.outputs.get("Y") or operator.outputs.get("0") or ()
    readers = [bare_name(one) for value in values for one in links.readers.get(value, ())]
    if "relu" not in readers or len(readers) < 2:
        return False
    return not fetched or any(name in ("fetch", "scale") for name in readers)


def layer_times_number(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """A fully connected layer of four or more axes, and relu or not, times a number."""
    links = Wiring(artifact)
    return tuple(
        scaled
        for product, last in _layers(artifact, links)
        if len(links.shape(operand(product, FIRST)) or ()) > 3
        if (scaled := _past_relu(last, links)) is not None
        and links.factor(scaled) not in (None, 1.0)
    )


def _past_relu(operator: Operator, links: Wiring) -> Operator | None:
    reader = links.sole_reader(operator)
    return links.sole_reader(reader) if reader and bare_name(reader) == "relu" else reader


def _layers(artifact: Artifact, links: Wiring) -> Iterator[tuple[Operator, Operator]]:
    """Products with a stored weight, each with the addition of its bias."""
    for product in named(artifact, _PRODUCTS):
        if not _is_by_weight(product, links):
            continue
        added = links.sole_reader(product)
        if added is not None and _is_bias(added, links):
            yield product, added


def _is_by_weight(product: Operator, links: Wiring) -> bool:
    weight = operand(product, SECOND)
    turned = ("trans_x", "trans_y", "transpose_x", "transpose_y", "transpose_X", "transpose_Y")
    return (
        links.is_stored(weight)
        and len(links.shape(weight) or (0, 0)) == 2
        and not any(product.attributes.get(name) for name in turned)
    )


def _is_bias(added: Operator, links: Wiring) -> bool:
    bias = operand(added, SECOND)
    maker = links.makes(bias)
    constant = maker is not None and bare_name(maker) in ("full", "fill_constant")
    return (
        bare_name(added) in _ADDITIONS
        and len(links.shape(bias) or ()) == 1
        and (links.is_stored(bias) or constant)
    )


def product_read_twice(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """A product that is multiplied by a number, and read otherwise, too."""
    links = Wiring(artifact)
    return tuple(one for one in _scaled_products(artifact, links) if len([*links.after(one)]) > 1)


def weight_read_twice(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """One with a stored weight, where it is the weight that is read otherwise, too."""
    links = Wiring(artifact)
    return tuple(
        one
        for one in _scaled_products(artifact, links)
        if (weight := operand(one, SECOND)) is not None
        and links.is_stored(weight)
        and len(links.readers.get(weight, ())) > 1
    )


def _scaled_products(artifact: Artifact, links: Wiring) -> Iterator[Operator]:
    """Those that the pass finds: of two different tensors, the first of which is no weight."""
    for one in named(artifact, frozenset({"matmul", "matmul_v2"})):
        first = operand(one, FIRST)
        if first == operand(one, SECOND) or links.is_stored(first):
            continue
        if any(links.factor(after) not in (None, 1.0) for after in links.after(one)):
            yield one


def smaller_by_larger(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Divisions whose first operand has fewer elements; float64 is none of oneDNN's."""
    found = named(artifact, _DIVISIONS)
    links = Wiring(artifact) if found else None
    return tuple(
        one
        for one in found
        if links
        and links.dtype(operand(one, FIRST)) != "float64"
        and _is_smaller(links.shape(operand(one, FIRST)), links.shape(operand(one, SECOND)))
    )


def _is_smaller(first: tuple[int, ...] | None, second: tuple[int, ...] | None) -> bool:
    """Whether it surely is, whatever the unknown sizes are (unless they are one)."""
    if first is None or second is None:
        return False
    unknown = first.count(-1), second.count(-1)
    known = tuple(prod(size for size in shape if size != -1) for shape in (first, second))
    if unknown[0] == unknown[1]:
        return known[0] < known[1]
    return unknown[0] < unknown[1] and known[0] <= known[1]


def number_without_dimensions(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Constants of no dimensions that an operator of oneDNN reads."""
    refusing = _REFUSING | (_REFUSING_SINCE_3 if Version(release) >= Version("3.0") else set())
    found = [
        one
        for one in named(artifact, frozenset({"fill_constant"}))
        if not one.inputs.get("ShapeTensor")
        and not one.inputs.get("ShapeTensorList")
        and one.attributes.get("shape") == ()
    ]
    links = Wiring(artifact) if found else None
    return tuple(
        one
        for one in found
        if links
        and links.dtype(next(iter(one.outputs.get("Out", ())), None)) == "float32"
        and any(bare_name(after) in refusing for after in links.after(one))
    )


def attention_by_slices(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Attention whose queries, keys and values are slices of one turned tensor of five axes."""
    found = named(artifact, frozenset({"softmax"}))
    links = Wiring(artifact) if found else None
    return tuple(one for one in found if links and _is_sliced_attention(one, links))


def _is_sliced_attention(softmax: Operator, links: Wiring) -> bool:
    scores = _passing(operand(softmax, FIRST), links, frozenset({"scale"}))
    after = links.sole_reader(softmax)
    if after is not None and bare_name(after) == "dropout":
        after = links.sole_reader(after, "Out")
    if scores is None or after is None or not _are_products(scores, after):
        return False
    turned = links.sole_reader(after)
    keys = links.makes(operand(scores, SECOND))
    if turned is None or keys is None:
        return False
    if (bare_name(turned), bare_name(keys)) != ("transpose2", "transpose2"):
        return False
    slices = (
        _passing(operand(scores, FIRST), links, frozenset({"scale"})),
        links.makes(operand(keys, FIRST)),
        links.makes(operand(after, SECOND)),
    )
    sources = {operand(one, FIRST) if one and bare_name(one) == "slice" else None for one in slices}
    (source,) = sources if len(sources) == 1 else (None,)
    maker = links.makes(source)
    return (
        maker is not None
        and bare_name(maker) == "transpose2"
        and len(links.shape(source) or ()) == _ATTENTION_AXES
    )


def _are_products(*operators: Operator) -> bool:
    return all(bare_name(one) in ("matmul", "matmul_v2") for one in operators)


def _passing(value: str | None, links: Wiring, names: frozenset[str]) -> Operator | None:
    """What makes a value, if need be before an operator of these types."""
    maker = links.makes(value)
    return links.makes(operand(maker, FIRST)) if maker and bare_name(maker) in names else maker


def convolution_times_matrix(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Products that read memory which a convolution left with its channels last."""
    order = _Order.of(artifact, release)
    return tuple(
        one
        for one in (named(artifact, _PRODUCTS) if order else ())
        if order and not order.is_layer(one) and order.is_misread(one)
    )


def layer_after_convolution(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Layers that read such memory, and whose activation the pass cannot make for it."""
    order = _Order.of(artifact, release)
    return tuple(
        after
        for product, last in (_layers(artifact, order.links) if order else ())
        if order
        and order.is_misread(product)
        and (after := order.links.sole_reader(last)) is not None
        and bare_name(after) in _AFTER_LAYER
    )


@frozen
class _Order:
    """Which values of a program lie in oneDNN's order, by what is known of its operators."""

    links: Wiring
    pir: bool
    divides: bool
    known: dict[str, bool]

    @classmethod
    def of(cls, artifact: Artifact, release: str) -> _Order | None:
        """None where there is no convolution, or no product."""
        if not named(artifact, CONVOLUTIONS) or not named(artifact, _PRODUCTS):
            return None
        pir = artifact.format is Format.PIR
        divides = not pir or Version(release) < _DIVISION_RIGHT_SINCE
        return cls(Wiring(artifact), pir, divides, {})

    def is_layer(self, product: Operator) -> bool:
        """Whether it becomes a fully connected layer, which puts its input in order."""
        if bare_name(product) == "mul":
            return True
        if not _is_by_weight(product, self.links):
            return False
        if not self.pir:
            return True
        # A factor before is taken into the product, which then is no layer's any more.
        before = self.links.makes(operand(product, FIRST))
        if before is not None and self.links.factor(before) not in (None, 1.0):
            return False
        added = self.links.sole_reader(product)
        return added is not None and _is_bias(added, self.links)

    def is_misread(self, product: Operator) -> bool:
        return any(
            self.keeps(value) and not self._is_same_either_way(value)
            for slots in (FIRST, SECOND)
            if (value := operand(product, slots)) is not None
        )

    def _is_same_either_way(self, value: str) -> bool:
        """One channel, or one place, lies in memory alike whichever comes last."""
        shape = self.links.shape(value) or ()
        return len(shape) > 2 and (shape[1] == 1 or all(size == 1 for size in shape[2:]))

    def keeps(self, value: str) -> bool:
        """Whether a value lies in the order that a convolution gave it, or what came of it.

        Programs are deep: the makers of a value are gone through without recursion.
        """
        waiting, opened = [value], set[str]()
        while waiting:
            one = waiting[-1]
            maker = self.links.makes(one)
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
        if name in _BINARY:
            found = [operand(maker, FIRST), operand(maker, SECOND)]
        elif name in (_KEEPING_PIR if self.pir else _KEEPING_LEGACY):
            found = [self._listed_first(maker)]
        elif name in REDUCTIONS and self._reduces_last(maker):
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
        if name not in _BINARY:
            return any(self.known[value] for value in values)
        if len(values) != 2 or (name in _DIVISIONS and not self.divides):
            return False
        first, second = values
        if self.known[first]:
            return True
        if not self.known[second]:
            return False
        # The operands change places where the first is smaller; a sum is taken into a convolution.
        shapes = self.links.shape(first), self.links.shape(second)
        summed = self.pir and name in _ADDITIONS and self._is_convolution(second)
        return summed or _is_smaller(*shapes) or self._is_same_either_way(first)

    def _reduces_last(self, maker: Operator) -> bool:
        """Whether a sum, mean or extreme is over the last axis alone."""
        given = self.links.makes(operand(maker, SECOND))
        names = ("dim", "axis") if given is None else ("value",)
        attributes = maker.attributes if given is None else given.attributes
        axes = next(filter(None, map(attributes.get, names)), ())
        rank = len(self.links.shape(operand(maker, FIRST)) or ())
        return axes in ((-1,), (rank - 1,)) and not maker.attributes.get("reduce_all")

    def _listed_first(self, maker: Operator) -> str | None:
        """The first operand; of a list that PIR made into one value, the first of that list."""
        value = operand(maker, FIRST)
        before = self.links.makes(value)
        if before is not None and bare_name(before) == "combine":
            return operand(before, FIRST)
        return value

    def _is_convolution(self, value: str | None) -> bool:
        """A convolution with the bias and the normalisation that it takes in."""
        for _ in range(3):
            maker = self.links.makes(value)
            if maker is None:
                return False
            if bare_name(maker) in CONVOLUTIONS:
                return True
            if bare_name(maker) not in _ADDITIONS | _NORMALISATION:
                return False
            value = operand(maker, FIRST)
        return False
