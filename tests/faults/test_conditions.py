"""Which operators a rule is about, in programs of a few operators."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.model import Operator, TensorSpec
from compatload.faults.catalogue import load_rules
from compatload.faults.cl207_nearest_not_whole_pir import may_not_be_whole, not_whole
from compatload.faults.graph import Graph
from compatload.faults.matching import found
from compatload.faults.model import OperatorPattern
from tests.faults.graphs import chain, graph, program

CONV, MATMUL = frozenset({"conv2d"}), frozenset({"matmul_v2"})
RULES = {rule.id: rule for rule in load_rules()}


def matches(pattern: OperatorPattern, *names: str) -> bool:
    return bool(found([pattern], graph(chain(*names))))


def concerns(rule: str, program: Graph) -> bool:
    """Whether the first condition of a rule finds an operator."""
    return bool(found(RULES[rule].when[0].operators, program))


def test_feeds_means_the_very_next_operator() -> None:
    pattern = OperatorPattern(CONV, feeds=MATMUL)
    assert matches(pattern, "conv2d", "matmul_v2")
    assert not matches(pattern, "conv2d", "relu", "matmul_v2")


def test_a_chain_may_lead_through_named_types() -> None:
    pattern = OperatorPattern(CONV, feeds=MATMUL, through=frozenset({"relu"}))
    assert matches(pattern, "conv2d", "relu", "relu", "matmul_v2")
    assert not matches(pattern, "conv2d", "relu", "exp", "matmul_v2")


def test_a_convolution_reaches_a_product_through_all_but_what_reorders() -> None:
    assert concerns("CL218", graph(chain("conv2d", "pd_op.exp_", "concat", "matmul_v2")))
    assert not concerns("CL218", graph(chain("conv2d", "exp", "reshape2", "matmul_v2")))


def test_a_loop_of_values_ends() -> None:
    first, second = chain("conv2d", "assign")
    loop = Operator("assign", second.outputs, first.outputs, {}, index=2)
    assert not concerns("CL218", graph((first, second, loop)))


@pytest.mark.parametrize(
    ("name", "made", "expected"),
    [
        ("reduce_sum", (-1, 4, 6, 1), True),
        ("reduce_sum", (-1, 4, 6), True),
        ("reduce_sum", (-1, 4, 1, 5), False),
        ("reduce_sum", (-1, 4), False),
        ("reshape2", (-1, 4, 6, 1), False),
    ],
)
def test_a_reduction_of_the_last_axis_alone_does_not_reorder(
    name: str, made: tuple[int, ...], expected: bool
) -> None:
    shapes = {"v1": (-1, 4, 6, 5), "v2": made}
    assert concerns("CL218", graph(chain("conv2d", name, "matmul_v2"), shapes)) is expected


@pytest.mark.parametrize(
    ("first", "second", "widened"),
    [
        ((1, 3, 3, 1), (32,), True),
        ((1,), (2, 4), True),
        ((-1, 4), (-1, 4), False),
        ((-1, 4, 6), (4, 1), False),
        ((2, 4), (), False),
    ],
)
def test_an_operand_is_widened_where_the_other_is_larger(
    first: tuple[int, ...], second: tuple[int, ...], widened: bool
) -> None:
    divide = Operator("elementwise_div", {"X": ("x",), "Y": ("y",)}, {"Out": ("out",)}, {})
    assert concerns("CL219", graph((divide,), {"x": first, "y": second})) is widened


def test_two_activations_follow_a_convolution() -> None:
    assert concerns("CL223", graph(chain("conv2d", "gelu", "relu")))
    assert concerns("CL223", graph(chain("conv2d", "batch_norm", "gelu", "relu")))
    assert not concerns("CL223", graph(chain("conv2d", "gelu")))
    assert not concerns("CL223", graph(chain("conv2d", "gelu", "exp", "relu")))
    assert not concerns("CL223", graph(chain("conv2d", "exp", "gelu", "relu")))


@pytest.mark.parametrize(
    ("slot", "shape", "empty"),
    [
        ("Out", (1, 0, 4), True),
        ("Out", (-1, 4), False),
        ("Out", (), False),
        ("XShape", (0, 4), False),
    ],
)
def test_a_result_may_be_empty(slot: str, shape: tuple[int, ...], empty: bool) -> None:
    cut = Operator("slice", {"Input": ("x",)}, {slot: ("out",)}, {})
    assert concerns("CL225", graph((cut,), {"out": shape})) is empty


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((-1, 4, 1, 1), True), ((2, 4, 1), True), ((-1, 4, 1, 2), False), ((1, 1), False)],
)
def test_an_image_may_have_one_place(shape: tuple[int, ...], expected: bool) -> None:
    nearest = Operator("nearest_interp_v2", {"X": ("x",)}, {"Out": ("out",)}, {})
    assert concerns("CL227", graph((nearest,), {"x": shape})) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [(("conv2d",), False), (("conv2d", "relu"), False), (("conv2d", "exp"), True), ((), True)],
)
def test_one_place_that_a_convolution_made_is_right(
    before: tuple[str, ...], expected: bool
) -> None:
    program = graph(chain(*before, "nearest_interp_v2"), {f"v{len(before)}": (1, 4, 1, 1)})
    assert concerns("CL227", program) is expected


def test_one_place_that_a_convolution_made_of_a_parameter_is_not() -> None:
    stored = Operator("builtin.parameter", {}, {"0": ("v0",)}, {})
    operators = chain("conv2d", "nearest_interp")
    assert concerns("CL228", graph((stored, *operators), {"v1": (1, 4, 1, 1)}))


@pytest.mark.parametrize(
    ("shape", "axis", "expected"),
    [
        ((-1, 3, 6), 2, False),
        ((-1, 3, 6), -1, False),
        ((-1, 3, 6), 1, True),
        ((2, 6), 1, False),
        (None, 1, True),
        ((), 0, True),
    ],
)
def test_the_last_axis_only(shape: tuple[int, ...] | None, axis: int, expected: bool) -> None:
    norm = Operator("pd_op.layer_norm", {"0": ("a",)}, {"0": ("b",)}, {"begin_norm_axis": axis})
    shapes = {} if shape is None else {"a": shape}
    assert concerns("CL214", graph((norm,), shapes)) is expected


@pytest.mark.parametrize(
    ("weight", "bias", "expected"),
    [("w", "b", False), ("%0", "%0", False), ("w", "%0", True), ("%0", "b", True)],
)
def test_a_weight_or_a_bias_alone(weight: str, bias: str, expected: bool) -> None:
    inputs = {"0": ("a",), "1": (weight,), "2": (bias,)}
    norm = Operator("pd_op.layer_norm", inputs, {"0": ("c",)}, {"begin_norm_axis": 1})
    assert concerns("CL251", graph((norm,), {"a": (2, 6)})) is expected
    slots = {"X": ("a",), "Scale": (weight,), "Bias": (bias,)}
    given = {slot: value for slot, value in slots.items() if value != ("%0",)}
    norm = Operator("layer_norm", given, {"Y": ("c",)}, {"begin_norm_axis": 1})
    assert concerns("CL250", graph((norm,), {"a": (2, 6)})) is expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"scale": (2.0, 2.0)}, False),
        ({"scale": 3.0}, False),
        ({"scale": (1.5, 2.0)}, True),
        ({"scale": (0.5,)}, True),
        ({"scale": ()}, True),
        ({}, True),
    ],
)
def test_whole_factors_only(attributes: dict[str, object], expected: bool) -> None:
    nearest = Operator("pd_op.nearest_interp", {"0": ("a",)}, {"0": ("b",)}, attributes)
    assert concerns("CL207", graph((nearest,))) is expected


@pytest.mark.parametrize("scale", [float("inf"), float("nan"), 1.5, 0.0])
def test_a_scale_that_is_no_whole_number_is_seen(scale: float) -> None:
    operator = Operator("nearest_interp", {}, {}, {"scale": (scale,)})
    assert may_not_be_whole(operator, graph([operator]))
    assert not_whole((operator,), graph([operator]))


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ({"0": ("y",)}, False),
        ({"0": ("y",), "1": ("cache",), "2": ("shape",)}, True),
        ({"Out": ("y",), "InnerCache": (), "XShape": ()}, False),
        ({"Out": ("y",), "InnerCache": ("cache",)}, True),
    ],
)
def test_einsum_may_keep_its_operands(results: dict[str, tuple[str, ...]], expected: bool) -> None:
    einsum = Operator("einsum", {"Operands": ("x",)}, results, {})
    assert concerns("CL274", graph((einsum,))) is expected


@pytest.mark.parametrize(
    ("dtype", "expected"), [("float32", False), ("int64", True), ("float64", True)]
)
def test_a_sum_that_is_not_of_float32_may_lose_its_activation(dtype: str, expected: bool) -> None:
    program = graph(chain("subtract", "abs"), {"v0": (2, 3)})
    program.artifact.program.variables["v0"] = TensorSpec("v0", dtype, (2, 3))
    assert concerns("CL271", program) is expected


@pytest.mark.parametrize(("shape", "expected"), [((), True), ((1,), False)])
def test_a_single_number_has_no_dimensions(shape: tuple[int, ...], expected: bool) -> None:
    cut = Operator("slice", {"Input": ("x",)}, {"Out": ("y",)}, {})
    assert concerns("CL272", graph((cut,), {"y": shape})) is expected


@pytest.mark.parametrize(
    ("made", "by_tensor"),
    [
        ("shape64", True),
        ("concat", True),  # of a shape's beginning and of numbers: one tensor on 2.6
        ("cast", True),
        ("full_int_array", False),
        ("stack", False),  # of sizes, which 2.6 gets one by one
    ],
)
def test_a_layer_is_reshaped_by_one_tensor(made: str, by_tensor: bool) -> None:
    built = program((f"s = {made} x", {}), ("y = reshape x s", {}), x=(2, 6), s=(3,))
    assert concerns("CL619", built) is by_tensor


@pytest.mark.parametrize(
    ("length", "joined", "expected"),
    [
        (-1, "p y", True),  # what earlier calls gave: nothing in the first
        (4, "p y", False),
        (-1, "p q", False),  # two inputs, of which each may be the longer
    ],
)
def test_a_cache_may_be_empty(length: int, joined: str, expected: bool) -> None:
    built = program(
        *(("past = data", {}), ("x = data", {}), ("w = parameter", {}), ("y = matmul x w", {})),
        *(("s = full_int_array", {"value": (0,)}), ("e = full_int_array", {"value": (1,)})),
        ("p = slice past s e", {"axes": (0,), "decrease_axis": (0,)}),
        ("q = transpose x", {}),
        *((f"j = combine {joined}", {}), ("a = full", {"value": 1.0}), ("k = concat j a", {})),
        past=(2, -1, length, 6),
        x=(-1, 3, 6),
        y=(-1, 3, 6),
        p=(-1, length, 6),
        q=(-1, 3, 6),
    )
    assert concerns("CL630", built) is expected


@pytest.mark.parametrize("name", ["multiply", "elementwise_mul", "expand", "expand_v2"])
def test_a_product_of_what_a_run_may_not_find(name: str) -> None:
    mask = Operator("where_index", {"Condition": ("mask",)}, {"Out": ("at",)}, {})
    rows = Operator("gather_nd", {"X": ("x",), "Index": ("at",)}, {"Out": ("rows",)}, {}, index=1)
    product = Operator(name, {"X": ("rows",), "Y": ("number",)}, {"Out": ("y",)}, {}, index=2)
    shapes = {"rows": (-1, 6), "number": (), "y": (-1, 6)}
    patterns = [one for condition in RULES["CL225"].when for one in condition.operators]
    assert found(patterns, graph([mask, rows, product], shapes))
    assert not found(patterns, graph([replace(product, index=0)], shapes))


@pytest.mark.parametrize("shape", [(), (4,)])
def test_a_number_is_turned_and_given_axes(shape: tuple[int, ...]) -> None:
    lines = (("t = transpose x", {"perm": ()}), ("y = reshape t sizes", {}))
    assert concerns("CL231", program(*lines, x=shape, t=shape, y=(1, 1))) is (shape == ())


@pytest.mark.parametrize(
    ("name", "types", "expected"),
    [
        ("matmul", ("float64", "float32"), True),
        ("less_than", ("float32", "int64"), True),
        ("matmul", ("float32", "float32"), False),
        ("multiply", ("float32", "complex64"), False),
        ("add", ("float64", "float32"), False),  # damaged: no release computes it
    ],
)
def test_operands_are_brought_to_the_last_type(
    name: str, types: tuple[str, str], expected: bool
) -> None:
    built = program((f"z = {name} x y", {}))
    for operand, dtype in zip("xy", types):
        built.artifact.program.variables[operand] = TensorSpec(operand, dtype, (2, 2))
    assert concerns("CL184", built) is expected


@pytest.mark.parametrize("reads", ["rows turned", "turned rows"])
@pytest.mark.parametrize("read_elsewhere", [False, True])
def test_a_gram_matrix_loses_what_was_reshaped(reads: str, read_elsewhere: bool) -> None:
    lines = [
        ("rows = reshape x sizes", {}),
        ("turned = transpose rows", {"perm": (0, 2, 1)}),
        (f"y = matmul {reads}", {}),
        *([("z = relu rows", {})] if read_elsewhere else []),
    ]
    assert concerns("CL258", program(*lines)) is not read_elsewhere


@pytest.mark.parametrize("flag", ["transpose_y", "trans_y"])
@pytest.mark.parametrize("turned", [True, False])
def test_no_other_operator_is_made_of_a_product_by_a_transposed_weight(
    flag: str, turned: bool
) -> None:
    lines = (
        ("w = parameter", {}),
        ("y = matmul x w", {flag: turned}),
        ("z = add y wide", {}),
    )
    built = program(*lines, x=(-1, 4), w=(4, 4), y=(-1, 4), wide=(3, 1, 1), z=(3, -1, 4))
    assert concerns("CL256", built) is turned
