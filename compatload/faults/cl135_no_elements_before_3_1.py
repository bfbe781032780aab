"""CL135: operators that older kernels do not compute of a tensor without elements."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.bounds import number
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import is_empty
from compatload.operators.products import transposes_first

INTERPOLATIONS = frozenset(
    f"{name}_interp" for name in ("bicubic", "bilinear", "linear", "nearest", "trilinear")
)
# By the names of PIR and of legacy programs: each was run with no elements on 2.6.2 and all 3.x.
FAILING = frozenset(
    {
        *("mean", "max", "min", "amax", "amin", "prod", "logsumexp", "argmax", "argmin", "topk"),
        *("reduce_mean", "reduce_max", "reduce_min", "reduce_amax", "reduce_amin", "reduce_prod"),
        *("arg_max", "arg_min", "top_k_v2", "mode", "median", "dist", "lerp", "frobenius_norm"),
        *("histogram", "expand_as", "expand_as_v2", "inverse", "lu", "addmm", "conv2d", "nms"),
        *("batch_norm", "instance_norm", "cross_entropy_with_softmax"),
        "softmax_with_cross_entropy",
    }
).union(INTERPOLATIONS, (f"{name}_v2" for name in INTERPOLATIONS))
_SUMS = frozenset({"sum", "reduce_sum"})
_PRODUCTS = frozenset({"matmul", "matmul_v2"})
_TRANSFORMS = frozenset({"fft_c2c", "fft_r2c", "fft_c2r"})
# These take a batch of none, and die (SIGFPE) where another axis has no size.
_SHUFFLES = frozenset({"pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "nanmedian"})
OF_2_6 = frozenset(
    {
        *("all", "any", "reduce_all", "reduce_any", "p_norm", "stack", "solve"),
        *("index_put", "put_along_axis", "take_along_axis", "svd", "qr", "eigh", "send_u_recv"),
        *("send_ue_recv", "send_uv"),
    }
)
JOINING = frozenset(
    {
        *("add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "atan2"),
        *("remainder", "floor_divide", "elementwise_pow", "heaviside", "nextafter", "equal"),
        *("not_equal", "less_than", "less_equal", "greater_than", "greater_equal"),
        *("logical_and", "logical_or", "logical_xor"),
    }
)


def _is_empty(operator: Operator, graph: Graph) -> bool:
    return 0 in (graph.shape(operand(operator, (*FIRST, "Input"))) or ())


def _has_elements(operator: Operator, graph: Graph) -> bool:
    """Whether it makes some of nothing; what has none is filled on the way to 2.6."""
    results = [one for several in operator.outputs.values() for one in several]
    read = [graph.shape(one) or () for one in results if one in graph.users]
    return any(0 not in shape or -1 in shape for shape in read)


def _joins_none(operator: Operator, graph: Graph) -> bool:
    """Whether operands of several shapes have none, of which 2.6 asks for memory."""
    first, second = (graph.shape(operand(operator, slots)) or () for slots in (FIRST, SECOND))
    return first != second and 0 in (*first, *second)


def _sums_otherwise(operator: Operator, graph: Graph) -> bool:
    """3.0 gives such a sum the type of what is summed."""
    results = (value for values in operator.outputs.values() for value in values)
    source = graph.dtype(operand(operator, FIRST))
    return _is_empty(operator, graph) and any(graph.dtype(one) != source for one in results)


def _multiplies_otherwise(product: Operator, graph: Graph) -> bool:
    """3.0 leaves a sum of no products as memory was, and joins the shapes of two batches."""
    first, second = (graph.shape(operand(product, slots)) or () for slots in (FIRST, SECOND))
    if 0 not in first:
        return False
    return (
        first[-1 - (transposes_first(product) and len(first) > 1)] == 0
        or min(len(first), len(second)) > 2
    )


def _has_no_points(operator: Operator, graph: Graph) -> bool:
    """Nor does it go to any: of one frequency alone there come none."""
    axes = operator.attributes.get("axes")
    results = (value for values in operator.outputs.values() for value in values)
    shapes = [graph.shape(one) or () for one in (operand(operator, FIRST), *results)]
    return isinstance(axes, (list, tuple)) and any(
        shape[axis] == 0 for shape in shapes for axis in axes if -len(shape) <= axis < len(shape)
    )


def _has_no_places(operator: Operator, graph: Graph) -> bool:
    return 0 in (graph.shape(operand(operator, FIRST)) or ())[1:]


def _joins_nothing(operator: Operator, graph: Graph) -> bool:
    """Along any axis but the first one 3.0 dies of it (SIGSEGV)."""
    axis = number(graph, operand(operator, ("1", "AxisTensor")))
    return is_empty(operator, graph) and (axis or operator.attributes.get("axis", 0)) != 0


_ALIKE = (
    OperatorPattern(frozenset({"allclose", "isclose"}), where=_joins_none),
    OperatorPattern(FAILING, where=_is_empty),
    OperatorPattern(_TRANSFORMS, where=_has_no_points),
    OperatorPattern(_SHUFFLES, where=_has_no_places),
)
_IN_3_0 = Condition(
    paddle=">=3.0,<3.1",
    formats=PIR,
    operators=(
        *_ALIKE,
        OperatorPattern(frozenset({"cummax", "cummin"}), where=_is_empty),
        OperatorPattern(_SUMS, where=_sums_otherwise),
        OperatorPattern(frozenset({"concat"}), where=_joins_nothing),
        OperatorPattern(_PRODUCTS, where=_multiplies_otherwise),
    ),
)


def _and_makes_some(pattern: OperatorPattern) -> OperatorPattern:
    def both(operator: Operator, graph: Graph) -> bool:
        asked = pattern.where is None or pattern.where(operator, graph)
        return asked and _has_elements(operator, graph)

    return replace(pattern, where=both)


_IN_2_6 = Condition(
    paddle="<3.0",
    formats=PIR,
    operators=tuple(
        _and_makes_some(one)
        for one in (
            *_ALIKE,
            OperatorPattern(OF_2_6 | _SUMS | _PRODUCTS, where=_is_empty),
            OperatorPattern(JOINING, where=_joins_none),
            OperatorPattern(frozenset({"concat", "add_n"}), where=is_empty),
        )
    ),
)

# 3.1.0 left these out.
_IN_3_1_0 = Condition(
    paddle=">=3.1,<3.1.1",
    formats=PIR,
    operators=(
        OperatorPattern(
            frozenset(
                {
                    *("bilinear_interp", "nearest_interp", "conv2d", "instance_norm"),
                    "cross_entropy_with_softmax",
                }
            ),
            where=_is_empty,
        ),
    ),
)

RULE = Rule(
    id="CL135",
    title="a tensor without elements that older kernels do not compute with",
    when=(_IN_2_6, _IN_3_0, _IN_3_1_0),
    action=Action.REFUSE,
    explanation=(
        "Paddle 3.1 made some forty operators take tensors without elements. Before, most of them "
        "say that the tensor must not be empty, shuffles of pixels and channels die, and 3.0 has "
        "other numbers of a matrix product and another type of a sum, without an error. What has "
        "no elements whatever is fed is filled, on the way to 2.6, and not computed."
    ),
    without="error",
    evidence=(
        Evidence("measured", "110 functions of a tensor without elements, 2.6.2 to 3.3.1, eagerly"),
        Evidence(
            "measured", "x + y of (0, 3) and (3,), nine others: `meta data`, 2.6.2; s + s: right"
        ),
        Evidence("measured", "the losses of 3.3.1 of an empty batch on 3.0.0: `must not empty`"),
    ),
    advice="Load it with paddlepaddle>=3.1.1, or save it with sizes that are not zero.",
    alone=(Alone(358, "error"),),
)
