"""What a gradient must be to the function that it is of, and constants that are places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from compatload.artifact.model import Operator, TensorSpec
from compatload.operators.choices import unknown_word
from compatload.operators.extents import wrong_extent
from compatload.operators.gradients import function_of, missing_operand, wrong_gradient
from compatload.operators.indices import wrong_indices
from compatload.operators.operands import Operands, wrong_operand
from matrix.derive_gradients import DATA, written

SHAPES: Mapping[str, tuple[int, ...]] = {
    "x": (2, 4, 6, 6),
    "rows": (3, 6),
    "rows@GRAD": (3, 6),
    "columns": (3,),
    "filter": (8, 4, 3, 3),
    "y": (2, 8, 6, 6),
    "number": (),
    "one": (1,),
    "indices": (5,),
}
VALUES = {name: TensorSpec(name, "float32", shape) for name, shape in SHAPES.items()}


def operator(
    name: str, inputs: Mapping[str, str], outputs: Mapping[str, str] = {}, **attributes: Any
) -> Operator:
    slots = [{slot: (one,) for slot, one in held.items()} for held in (inputs, outputs)]
    return Operator(name, slots[0], slots[1], attributes, 0, 0)


class Program:
    """As much of a program as operands are asked for."""

    def __init__(self, *operators: Operator) -> None:
        self.operators = operators
        self.variables = VALUES
        self.operator_counts = {one.name: 1 for one in operators}

    def carries(self, operator: Operator) -> bool:
        return False


def wrong(one: Operator) -> str | None:
    values: Any = Program(one)
    return (
        wrong_extent(one, VALUES)
        or wrong_gradient(one, VALUES)
        or wrong_operand(one, Operands(values))
        or unknown_word(one)
    )


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("conv2d_grad", "conv2d"),
        ("pd_op.softmax_grad", "pd_op.softmax"),
        ("pd_op.batch_norm_double_grad", "pd_op.batch_norm"),
        ("pd_op.relu_grad_", "pd_op.relu"),
        ("elementwise_add_grad_grad", "elementwise_add"),
        ("conv2d", "conv2d"),
        ("pd_op.relu_", "pd_op.relu_"),
    ],
)
def test_the_function_of_a_gradient(name: str, function: str) -> None:
    assert function_of(name) == function


ROWS = {"Out": "rows", "Out@GRAD": "rows@GRAD"}
IMAGE = {"Input": "x", "Filter": "filter", "Output@GRAD": "y"}
SOUND = [
    operator("softmax_grad", ROWS, {"X@GRAD": "rows"}, axis=-1),
    operator("softmax_grad", ROWS, {"X@GRAD": "rows"}, axis=1),
    operator("reduce_mean_grad", {"X": "rows", "Out@GRAD": "columns"}, dim=(1,)),
    operator("reduce_mean_grad", {"X": "rows", "Out@GRAD": "one"}, {"X@GRAD": "rows"}, dim=(0,)),
    operator("stack_grad", {"Y@GRAD": "x"}, axis=3),
    operator("unbind_grad", {"Out@GRAD": "columns"}, {"X@GRAD": "rows"}, axis=1),
    operator("conv2d_grad", IMAGE, {"Input@GRAD": "x"}, strides=(1, 1), groups=1),
    operator("bilinear_interp_v2_grad", {"X": "x", "Out@GRAD": "y"}, out_h=6, out_w=6),
    operator("einsum_grad", {"Operands": "rows"}, equation="ij->ji"),
    operator("assign_grad", {"X": "number", "X@GRAD": "one"}),
    operator("cross_grad", {"X": "rows", "Y": "rows", "Out@GRAD": "rows"}, dim=9),
    operator("diagonal_grad", {"Input": "x", "Out@GRAD": "columns"}, axis1=-2, axis2=-1),
    operator("kthvalue_grad", {"X": "columns", "Out@GRAD": "one"}, axis=0, keepdim=False),
    operator("group_norm", {"X": "x"}, groups=3),
    operator("sparse_attention", {"Q": "x", "K": "x", "V": "x"}),
    operator("as_strided", {"Input": "x"}, dims=(2,), stride=(1,), offset=20_000_000),
    operator("shard_index", {"X": "rows"}, index_num=20_000_000, nshards=2),
]


@pytest.mark.parametrize("one", SOUND, ids=lambda one: one.name)
def test_sound_gradients(one: Operator) -> None:
    assert wrong(one) is None


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (operator("softmax_grad", ROWS, axis=2), "axis"),
        (operator("log_softmax_grad", ROWS, axis=-3), "axis"),
        (operator("reduce_max_grad", {"X": "rows"}, dim=(2,)), "dim"),
        (operator("renorm_grad", {"X": "rows", "Out@GRAD": "rows"}, axis=-1), "axis"),
        (operator("renorm", {"X": "rows"}, axis=2), "axis"),
        (operator("fft_c2c", {"X": "rows"}, axes=()), "axes"),
        (operator("fft_c2c_grad", {"Out@GRAD": "rows"}, axes=(0, 0)), "axes"),
        (operator("fill_diagonal_tensor", {"X": "rows"}, dim1=0, dim2=2), "dim2"),
        (operator("relu_grad", {"Out": "rows", "Out@GRAD": "columns"}), "gradient of Out"),
        (operator("matmul_v2_grad", {"X": "rows"}, {"X@GRAD": "x"}), "gradient of X"),
        (operator("slice_grad", {"Input": "rows"}, axes=(1,), starts=(), ends=(2,)), "starts"),
        (operator("transpose2_grad", {"X": "x"}, axis=(0, 1, 1, 2)), "permutation"),
        (operator("diagonal_grad", {"Input": "x"}, axis1=-1, axis2=3), "axis1"),
        (operator("conv2d_grad", IMAGE, strides=(1,)), "strides"),
        (operator("conv2d_grad", IMAGE, strides=(0, 1)), "strides"),
        (operator("conv2d_grad", IMAGE, groups=0), "groups"),
        (operator("conv2d_grad", IMAGE, groups=2), "channels"),
        (operator("pixel_shuffle_grad", {"X": "x"}, upscale_factor=0), "upscale_factor"),
        (operator("pad3d_grad", {}, mode="x"), "mode"),
        (operator("group_norm_grad", {"X": "x"}, groups=3), "groups"),
        (operator("kthvalue_grad", {"X": "rows", "Out@GRAD": "columns"}, keepdim=True), "keepdim"),
        (operator("nearest_interp_v2_grad", {"X": "x", "Out@GRAD": "y"}, out_w=9), "out_w"),
        (operator("expand_v2_grad", {"X": "columns", "Out@GRAD": "rows"}, shape=(3, 7)), "shape"),
        (operator("einsum", {"Operands": "rows"}, equation="max"), "equation"),
        (operator("einsum_grad", {"Operands": "rows"}, equation="ij,jk->ik"), "operands"),
        (operator("hierarchical_sigmoid", {"PathTable": "x"}, num_classes=2), "paths"),
        (operator("assign_value", {}, shape=(-2,), int32_values=(1, 2)), "shape"),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_gradients_that_kernels_read_beyond(one: Operator, said: str) -> None:
    assert said in (wrong(one) or "")


def test_no_program_goes_without_these() -> None:
    assert missing_operand(operator("conv2d_grad", {"Input": "x", "Filter": "filter"})) == (
        "its input 'Output@GRAD' is missing"
    )
    assert missing_operand(operator("conv2d_grad", IMAGE)) is None
    assert missing_operand(operator("relu", {})) is None


def test_what_they_need_is_what_the_registries_tell() -> None:
    assert DATA.read_text(encoding="utf-8") == written()
    assert json.loads(DATA.read_text(encoding="utf-8"))["softmax_grad"] == ["Out", "Out@GRAD"]


def indices(numbers: tuple[int, ...], **more: str) -> list[str]:
    made = operator("assign_value", {}, {"Out": "indices"}, int64_values=numbers)
    inputs = {"X": "rows", "Src_index": "indices", "Dst_index": "one", **more}
    program: Any = Program(made, operator("graph_send_recv", inputs))
    return list(wrong_indices(program))


def test_constants_are_places_of_what_they_are_read_with() -> None:
    assert indices((0, 2)) == []
    assert "says 3" in indices((0, 3))[0]
    assert "says -1" in indices((-1,))[0]


def test_places_of_a_result_of_another_size_are_its_own() -> None:
    made = operator("assign_value", {}, {"Out": "indices"}, int64_values=(0, 5))
    for told, free in (((10,), True), ((0,), False), (None, False)):
        slots = {"X": "rows", "Src_index": "one", "Dst_index": "indices"}
        sent = operator("graph_send_recv", slots, **({"out_size": told} if told else {}))
        program: Any = Program(made, sent)
        assert bool(list(wrong_indices(program))) is not free


def test_what_is_written_again_is_no_constant() -> None:
    made = operator("assign_value", {}, {"Out": "indices"}, int64_values=(7,))
    again = operator("increment", {"X": "indices"}, {"Out": "indices"})
    sent = operator("graph_send_recv", {"X": "rows", "Src_index": "indices"})
    program: Any = Program(made, again, sent)
    assert not list(wrong_indices(program))


def test_lengths_may_be_as_long_as_there_are_places() -> None:
    for longest in (3, 4):
        told = operator("assign_value", {}, {"Out": "indices"}, int32_values=(longest, 1))
        layer = operator("rnn", {"Input": "rows", "SequenceLength": "indices"})
        program: Any = Program(told, layer)
        assert bool(list(wrong_indices(program))) is (longest > 3)
