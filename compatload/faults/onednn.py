"""What faults of the predictor on a CPU share: conditions, operators, and how layers look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from packaging.version import Version

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import LEGACY, PIR, PREDICTOR, X86, Condition, OperatorPattern, Where
from compatload.operators.products import PRODUCTS as PRODUCTS
from compatload.operators.products import transposes_none

# A predictor on the CPU puts what it can into oneDNN by itself.
ON_CPU = Condition(apis=PREDICTOR, devices=frozenset({"cpu"}))
LEGACY_ON_CPU = replace(ON_CPU, runs_as=LEGACY)
PIR_ON_CPU = replace(ON_CPU, runs_as=PIR, paddle=">=3.0")
PIR_ON_CPU_TO_3_2 = replace(PIR_ON_CPU, paddle=">=3.0,<3.3")
PIR_ON_CPU_3_3 = replace(PIR_ON_CPU, paddle=">=3.3,<3.4")


def without_avx512(predictor: Condition) -> Condition:
    """The same where oneDNN is (x86 with AVX2), and AVX-512 is not: no CPU of Hygon or Zhaoxin
    has it."""
    return replace(
        predictor,
        architectures=X86,
        cpu_has=frozenset({"avx2"}),
        cpu_lacks=frozenset({"avx512f"}),
    )


# Puts operators of PIR programs into oneDNN; without it most of them are computed elsewhere.
PLACEMENT_PASS = ("onednn_placement_pass",)

_INTERPOLATED = ("nearest", "bilinear", "bicubic", "linear", "trilinear")
# Activations that oneDNN has operators for, and its passes fuse (PIR and legacy names).
FUSED_ACTIVATIONS = frozenset(
    {
        *("abs", "clip", "gelu", "hard_swish", "hardswish", "leaky_relu", "mish", "relu"),
        *("relu6", "sigmoid", "sqrt", "swish", "tanh"),
    }
)
# Convolutions and fully connected layers take in one that oneDNN has no operator for, too.
CONVOLUTIONS_ACTIVATIONS = FUSED_ACTIVATIONS | {"hard_sigmoid", "hardsigmoid"}
# Those whose activation a pass takes in.
ACTIVATED_CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d"})
CONVOLUTIONS = ACTIVATED_CONVOLUTIONS | {
    *("conv2d_transpose", "conv3d", "depthwise_conv2d_transpose"),
}
FILTER = ("1", "Filter")
PLAIN_CONVOLUTIONS = CONVOLUTIONS - {"depthwise_conv2d_transpose"}
RESHAPES = frozenset({"reshape", "reshape2"})
TRANSPOSITIONS = frozenset({"transpose", "transpose2"})
# Take an addition into the product before it, in PIR programs, legacy ones and those of 2.6.
ADDING_PASSES = (
    "matmul_elementwise_add_fuse_pass",
    "matmul_elementwise_add_onednn_fuse_pass",
    "matmul_elementwise_add_mkldnn_fuse_pass",
)
MATRIX_PRODUCTS = PRODUCTS | {"fc", "linear", "linear_v2", "mul"}
ADDITIONS = frozenset({"add", "elementwise_add"})
DIVISIONS = frozenset({"divide", "elementwise_div"})
BINARY = ADDITIONS | DIVISIONS | {"elementwise_mul", "elementwise_sub", "multiply", "subtract"}
# Operators of legacy programs → passes that go without them where oneDNN is not to run them: those
# that take an activation into one demand that oneDNN runs it, and end the load otherwise; a product
# that is fused has no other kernel in 2.6; a reshape that is taken into another operator runs there
# after all.
PASSES_OF: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("elementwise_add", "elementwise_mul", "elementwise_sub"),
        ("elementwise_act_onednn_fuse_pass",),
    ),
    **dict.fromkeys(
        ("matmul", "matmul_v2"),
        (
            "scale_matmul_fuse_pass",
            *ADDING_PASSES[1:],
            *("matmul_activation_mkldnn_fuse_pass", "matmul_activation_onednn_fuse_pass"),
            "matmul_transpose_reshape_mkldnn_fuse_pass",
            "matmul_transpose_reshape_onednn_fuse_pass",
            "reshape_transpose_matmul_mkldnn_fuse_pass",
            "reshape_transpose_matmul_onednn_fuse_pass",
        ),
    ),
    "conv2d": ("conv_activation_mkldnn_fuse_pass", "conv_activation_onednn_fuse_pass"),
    "reshape2": ("operator_reshape2_onednn_fuse_pass",),
}
NORMALISATION = frozenset({"batch_norm"})
# From this release on PIR programs divide outside of oneDNN, unless a factor is fused in.
_DIVIDED_ELSEWHERE = Version("3.3.0")
# And what has fewer axes is turned as well beside channels last.
TURNING = Version("3.0.0.dev0")
DROPOUT = frozenset({"dropout"})
# What leaves a tensor as oneDNN has laid it out, and more does, behind one convolution or another.
KEEPING = BINARY | CONVOLUTIONS_ACTIVATIONS | NORMALISATION | DROPOUT
# Whose result is no plain tensor, which what follows in oneDNN leaves as it is.
LAYING_OUT = CONVOLUTIONS | {"pool2d", "pool3d"}
FLOW = frozenset({"while", "if"})  # of PIR programs
# Where the CPU is told where the channels are.
LAYOUTS = ("data_format", "data_layout")
# Operators that are told where the channels of their operand are, and words for the last axis.
_LAID_OUT = (
    CONVOLUTIONS
    | NORMALISATION
    | {f"{kind}_interp{end}" for kind in _INTERPOLATED for end in ("", "_v2")}
    | {
        *("affine_channel", "channel_shuffle", "conv2d_bias", "conv3d_transpose", "group_norm"),
        *("lrn", "max_pool2d_with_index", "pixel_shuffle", "pixel_unshuffle", "pool2d"),
        *("pool3d", "prelu", "sync_batch_norm", "temporal_shift"),
    }
)
# What reads axes by their number, and finds others there.
_BY_AXES = frozenset(
    {
        *("concat", "flatten", "flatten_contiguous_range", "layer_norm", "matmul", "matmul_v2"),
        *("max", "min", "reduce_max", "reduce_sum", "reshape", "reshape2", "slice", "softmax"),
        *("split", "split_with_num", "stack", "sum", "transpose", "transpose2"),
    }
)
# What oneDNN's fused operators compute with.
IN_ONEDNN = frozenset({"float32", "bfloat16"})
CHANNELS = 1  # the axis after the batch


def is_channels_last(operator: Operator, graph: Graph) -> bool:
    told = (operator.attributes.get(name) for name in LAYOUTS)
    return not {"NHWC", "NDHWC"}.isdisjoint(told)


CHANNELS_LAST = (OperatorPattern(_LAID_OUT, where=is_channels_last),)


def binary_in_onednn(where: Where) -> tuple[Condition, ...]:
    """Sums, differences, products and quotients that oneDNN computes in a predictor, of those."""
    patterns = {
        names: (OperatorPattern(names, where=where),)
        for names in (BINARY, BINARY - DIVISIONS, DIVISIONS)
    }
    return (
        replace(LEGACY_ON_CPU, operators=patterns[BINARY]),
        replace(PIR_ON_CPU, operators=patterns[BINARY - DIVISIONS]),
        replace(PIR_ON_CPU_TO_3_2, operators=patterns[DIVISIONS]),
    )


def binary_of(graph: Graph, release: str) -> frozenset[str]:
    """The names of what ``binary_in_onednn`` means, in this program on this release."""
    return BINARY - DIVISIONS if divides_elsewhere(graph, release) else BINARY


def divides_elsewhere(graph: Graph, release: str) -> bool:
    return graph.artifact.format is Format.PIR and Version(release) >= _DIVIDED_ELSEWHERE


def misread(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Operators with channels last whose result goes, by others like them, into what reads axes."""
    between = _LAID_OUT | FUSED_ACTIVATIONS | ADDITIONS | {"scale", "assign", "combine"}
    return tuple(
        one
        for one in graph.named(_LAID_OUT)
        if is_channels_last(one, graph)
        and graph.leads(
            one,
            lambda user: bare_name(user) in _BY_AXES or _averages_channels(user, graph),
            lambda user: bare_name(user) in between,
        )
    )


def of_other_ranks(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What oneDNN computes of tensors with more and with fewer axes, anywhere in a program with
    channels last: it turns the axes of both. Of a number and a vector in all releases; since 3.0 of
    what has three axes and more, and fewer, but not of numbers."""
    if not any(is_channels_last(one, graph) for one in graph.named(_LAID_OUT)):
        return ()
    turns_more = Version(release) >= TURNING

    def is_of_both(operator: Operator) -> bool:
        values = operand(operator, FIRST), operand(operator, SECOND)
        shapes = [graph.shape(value) for value in values]
        if None in shapes or graph.dtype(values[0]) != "float32":
            return False
        fewer, more = sorted(len(shape or ()) for shape in shapes)
        if turns_more and 0 < fewer < more and more > 2:
            return not _is_bias(operator, graph, more)
        return (fewer, more) == (0, 1)

    return tuple(filter(is_of_both, graph.named(BINARY)))


def _is_bias(operator: Operator, graph: Graph, rank: int) -> bool:
    """Whether it adds a parameter to a convolution or a product along the last axis, which it tells
    by its number, as static programs do: one pass makes one operator of both."""
    maker = graph.producer(operand(operator, FIRST))
    return (
        bare_name(operator) in ADDITIONS
        and operator.attributes.get("axis") == rank - 1
        and maker is not None
        and bare_name(maker) in CONVOLUTIONS | {"mul"}
        and graph.is_stored(operand(operator, SECOND))
    )


def _averages_channels(operator: Operator, graph: Graph) -> bool:
    """Whether it is a mean over the last axis, of which PIR programs take another one."""
    before = graph.shape(operand(operator, FIRST)) or ()
    after = graph.shape(result(operator)) or ()
    return (
        graph.artifact.format is Format.PIR
        and bare_name(operator) == "mean"
        and before[-1:] != after[-1:]
    )


def is_downscaling(operator: Operator) -> bool:
    """Whether it is a dropout that scales when nothing is trained; others are taken away."""
    told = (operator.attributes.get(name) for name in ("dropout_implementation", "mode"))
    return bare_name(operator) in DROPOUT and "downgrade_in_infer" in told


def factor_in_legacy(operator: Operator, graph: Graph) -> float | None:
    """The number that it multiplies by, alone, where a pass has made a ``scale`` of each dropout
    that scales when nothing is trained."""
    if bare_name(operator) not in DROPOUT:
        return graph.factor(operator)
    if not is_downscaling(operator):
        return None
    rate = operator.attributes.get("dropout_prob", operator.attributes.get("p"))
    return 1.0 - rate if isinstance(rate, (int, float)) else 0.5  # a tensor tells it


def layers(graph: Graph) -> Iterator[tuple[Operator, Operator]]:
    """Products with a stored weight, each with the addition of its bias."""
    for product in graph.named(PRODUCTS | {"bmm", "mul"}):
        added = bias_of(product, graph)
        if added is not None:
            yield product, added


def bias_of(product: Operator, graph: Graph) -> Operator | None:
    """The addition of its bias, where nothing else reads the product of a stored weight."""
    added = graph.sole_user(product) if is_by_weight(product, graph) else None
    return added if added is not None and is_bias(added, graph) else None


def is_by_weight(product: Operator, graph: Graph) -> bool:
    weight = operand(product, SECOND)
    return (
        graph.is_stored(weight)
        and len(graph.shape(weight) or (0, 0)) == 2
        and transposes_none(product)
    )


def is_bias(added: Operator, graph: Graph) -> bool:
    bias = operand(added, SECOND)
    maker = graph.producer(bias)
    constant = maker is not None and bare_name(maker) in ("full", "fill_constant")
    return (
        bare_name(added) in ADDITIONS
        and len(graph.shape(bias) or ()) == 1
        and (graph.is_stored(bias) or constant)
    )


def is_smaller(first: tuple[int, ...] | None, second: tuple[int, ...] | None) -> bool:
    """Whether it surely has fewer elements, whatever the unknown sizes are (unless one)."""
    if first is None or second is None:
        return False
    unknown = first.count(-1), second.count(-1)
    known = tuple(prod(size for size in shape if size != -1) for shape in (first, second))
    if unknown[0] == unknown[1]:
        return known[0] < known[1]
    return unknown[0] < unknown[1] and known[0] <= known[1]


def is_empty(operator: Operator, graph: Graph) -> bool:
    """Whether a result has no elements."""
    # In legacy programs XShape keeps an operand's shape, behind a zero.
    slots = (values for slot, values in operator.outputs.items() if slot != "XShape")
    return any(0 in (graph.shape(value) or ()) for values in slots for value in values)


def takes_nothing(operator: Operator, graph: Graph) -> bool:
    """Whether what it takes together has no elements, and its result does: a sum of nothing is a
    number. (Its axes, a tensor as well, are often none.)"""
    both = (FIRST, SECOND) if bare_name(operator) in PRODUCTS | {"bmm", "mul"} else (FIRST,)
    read = (graph.shape(operand(operator, slots)) or () for slots in both)
    return not is_empty(operator, graph) and any(0 in shape for shape in read)


def is_single_place(operator: Operator, graph: Graph) -> bool:
    """Whether the first operand is of one size after its channels, and no convolution's memory."""
    return _has_single_place(operator, graph) and not is_of_convolution(operator, graph)


def is_single_place_in_pir(operator: Operator, graph: Graph) -> bool:
    """The same; what is computed while the predictor is made is no convolution's memory. (Of a
    legacy program all of it is, the interpolation as well.)"""
    once = graph.is_computed_once(operand(operator, FIRST) or "")
    return is_single_place(operator, graph) or (once and _has_single_place(operator, graph))


def _has_single_place(operator: Operator, graph: Graph) -> bool:
    shape = graph.shape(operand(operator, FIRST)) or ()
    return len(shape) > CHANNELS + 1 and all(size == 1 for size in shape[CHANNELS + 1 :])


# What leaves the channels last, where a convolution has put them.
_IN_ORDER = CONVOLUTIONS_ACTIVATIONS | ADDITIONS | NORMALISATION | {"pool2d"}
_LONGEST_CHAIN = 8  # of what a convolution is followed by and takes in


def is_laid_out(value: str, graph: Graph) -> bool:
    """Whether it may still be as a convolution has laid it out."""
    waiting, seen = [value], {value}
    while waiting:
        maker = graph.producer(waiting.pop())
        name = bare_name(maker) if maker is not None else ""
        if maker is None or name in LAYING_OUT:
            return maker is not None
        if name in FLOW:
            before = {*graph.yielded(maker)}
        elif name in KEEPING or name == "scale":
            before = {one for values in maker.inputs.values() for one in values}
        else:
            continue
        waiting += before - seen
        seen |= before
    return False


def is_of_convolution(operator: Operator, graph: Graph) -> bool:
    """Whether the first operand is made by a convolution, or a short chain behind one."""
    for _ in range(_LONGEST_CHAIN):
        maker = graph.producer(operand(operator, FIRST))
        if maker is None or bare_name(maker) in CONVOLUTIONS:
            return maker is not None
        if bare_name(maker) not in _IN_ORDER:
            return False
        operator = maker
    return False
