from __future__ import annotations

import pytest

from compatload.artifact.model import Operator, Program, TensorSpec
from compatload.rules.matching import OperatorIndex
from compatload.rules.model import OperatorPattern

CONV, MATMUL = frozenset({"conv2d"}), frozenset({"matmul_v2"})


def chain(*names: str) -> list[Operator]:
    """Operators, each of which reads what the one before it yields."""
    return [
        Operator(name, {"X": (f"v{number}",)}, {"Out": (f"v{number + 1}",)}, {}, index=number)
        for number, name in enumerate(names)
    ]


def matches(pattern: OperatorPattern, *names: str) -> bool:
    return bool(OperatorIndex(Program(tuple(chain(*names)), (), ())).matching([pattern]))


def test_feeds_means_the_very_next_operator() -> None:
    pattern = OperatorPattern(CONV, feeds=MATMUL)
    assert matches(pattern, "conv2d", "matmul_v2")
    assert not matches(pattern, "conv2d", "relu", "matmul_v2")


def test_a_chain_may_lead_through_named_types() -> None:
    pattern = OperatorPattern(CONV, feeds=MATMUL, through=frozenset({"relu"}))
    assert matches(pattern, "conv2d", "relu", "relu", "matmul_v2")
    assert not matches(pattern, "conv2d", "relu", "exp", "matmul_v2")


def test_a_chain_may_lead_through_all_but_named_types() -> None:
    pattern = OperatorPattern(CONV, feeds=MATMUL, unless_through=frozenset({"reshape2"}))
    assert matches(pattern, "conv2d", "pd_op.exp_", "concat", "matmul_v2")
    assert not matches(pattern, "conv2d", "exp", "reshape2", "matmul_v2")


def test_a_loop_of_values_ends() -> None:
    first, second = chain("conv2d", "assign")
    loop = Operator("assign", second.outputs, first.outputs, {}, index=2)
    pattern = OperatorPattern(CONV, feeds=MATMUL, unless_through=frozenset({"reshape2"}))
    assert not OperatorIndex(Program((first, second, loop), (), ())).matching([pattern])


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
    variables = {"x": TensorSpec("x", "float32", first), "y": TensorSpec("y", "float32", second)}
    pattern = OperatorPattern(frozenset({"elementwise_div"}), widened=True)
    index = OperatorIndex(Program((divide,), (), (), variables))
    assert bool(index.matching([pattern])) is widened


def test_a_chain_may_have_to_go_on() -> None:
    activations = frozenset({"relu", "gelu"})
    pattern = OperatorPattern(
        CONV, feeds=activations, through=frozenset({"batch_norm"}), then=activations
    )
    assert matches(pattern, "conv2d", "gelu", "relu")
    assert matches(pattern, "conv2d", "batch_norm", "gelu", "relu")
    assert not matches(pattern, "conv2d", "gelu")
    assert not matches(pattern, "conv2d", "gelu", "exp", "relu")
    assert not matches(pattern, "conv2d", "exp", "gelu", "relu")


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
    reshape = Operator("reshape2", {"X": ("x",)}, {slot: ("out",)}, {})
    variables = {"out": TensorSpec("out", "float32", shape)}
    index = OperatorIndex(Program((reshape,), (), (), variables))
    pattern = OperatorPattern(frozenset({"reshape2"}), empty=True)
    assert bool(index.matching([pattern])) is empty


@pytest.mark.parametrize(
    ("name", "made", "found"),
    [
        ("reduce_sum", (-1, 4, 6, 1), True),
        ("reduce_sum", (-1, 4, 6), True),
        ("reduce_sum", (-1, 4, 1, 5), False),
        ("reduce_sum", (-1, 4), False),
        ("reshape2", (-1, 4, 6, 1), False),
    ],
)
def test_a_chain_may_lead_over_the_last_axis(name: str, made: tuple[int, ...], found: bool) -> None:
    pattern = OperatorPattern(
        CONV,
        feeds=MATMUL,
        unless_through=frozenset({"reshape2"}),
        on_last_axis=frozenset({"reduce_sum"}),
    )
    variables = {
        "v1": TensorSpec("v1", "float32", (-1, 4, 6, 5)),
        "v2": TensorSpec("v2", "float32", made),
    }
    program = Program(tuple(chain("conv2d", name, "matmul_v2")), (), (), variables)
    assert bool(OperatorIndex(program).matching([pattern])) is found


@pytest.mark.parametrize(
    ("shape", "found"),
    [((-1, 4, 1, 1), True), ((2, 4, 1), True), ((-1, 4, 1, 2), False), ((1, 1), False)],
)
def test_an_image_may_have_one_place(shape: tuple[int, ...], found: bool) -> None:
    nearest = Operator("nearest_interp_v2", {"X": ("x",)}, {"Out": ("out",)}, {})
    program = Program((nearest,), (), (), {"x": TensorSpec("x", "float32", shape)})
    pattern = OperatorPattern(frozenset({"nearest_interp_v2"}), single_place=True)
    assert bool(OperatorIndex(program).matching([pattern])) is found


@pytest.mark.parametrize(
    ("before", "found"),
    [(("conv2d",), False), (("conv2d", "relu"), False), (("conv2d", "exp"), True), ((), True)],
)
def test_an_operand_may_not_come_from_a_convolution(before: tuple[str, ...], found: bool) -> None:
    pattern = OperatorPattern(
        frozenset({"nearest_interp_v2"}), unless_after=CONV, through=frozenset({"relu"})
    )
    assert matches(pattern, *before, "nearest_interp_v2") is found
