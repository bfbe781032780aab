"""Operators that 2.6 has under another name, or that others of 2.6 compute."""

from typing import Any

import paddle
from paddle import _C_ops, nn
from paddle.nn import functional

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import ROWS, Family

family = Family("counterparts")
_WHOLE = Input((None, 6), "int32", -50, 50)
_LONG = Input((None, 6), "int64", -50, 50)
_BYTES = Input((None, 6), "uint8", 0, 250)


def _left_shifted(x: Any) -> Any:
    return paddle.bitwise_left_shift(x, paddle.abs(x) % 40)


def _incomplete_gamma(x: Any) -> Any:
    order, limit = 10.0 * paddle.abs(x), 100.0 * paddle.abs(x.flip([1]))
    return paddle.gammaincc(order, limit), paddle.gammainc(3.0 * limit, limit + 0.25 * order)


def _incomplete_gamma_below_zero(x: Any) -> Any:
    return _C_ops.gammaincc(x, x.flip([1]))


def _right_shifted(x: Any) -> Any:
    return paddle.bitwise_right_shift(x * 1000, paddle.abs(x) % 40)


def _long_shifted_both_ways(x: Any) -> Any:
    places = x % 70
    return paddle.bitwise_left_shift(x, places) + paddle.bitwise_right_shift(x * 100000, places)


def _bytes_shifted(x: Any) -> Any:
    places = paddle.cast(paddle.cast(x, "int32") % 9, "uint8")
    moved = paddle.bitwise_right_shift(x, places), paddle.bitwise_left_shift(x, places)
    return paddle.stack(moved)


def _sign_of_other_shape(x: Any) -> Any:
    return paddle.copysign(x, paddle.mean(x, axis=1, keepdim=True) * paddle.to_tensor([[[1.0]]]))


def _sign_of_whole_numbers(x: Any) -> Any:
    return paddle.copysign(x, 7 - x)


def _share_of_right_answers(x: Any) -> Any:
    label = paddle.argmin(x, axis=1, keepdim=True)
    return paddle.metric.accuracy(functional.softmax(x), label, k=5)


def _printed(x: Any) -> Any:
    print(x)
    return paddle.tanh(x)


def _renumbered_nodes(x: Any) -> Any:
    neighbours = paddle.concat([x + 3, x * 2 + 11])
    counts = paddle.full_like(x, 2, dtype="int32")
    return list(paddle.geometric.reindex_graph(x, neighbours, counts))


def _transduced(x: Any) -> Any:
    lines = paddle.reshape(x, [1, 4, 3, 2])
    label = paddle.to_tensor([[1, 1]], dtype="int32")
    lengths = paddle.to_tensor([4], dtype="int32"), paddle.to_tensor([2], dtype="int32")
    return functional.rnnt_loss(lines, label, *lengths, reduction="none")


def _loss_of_boxes(x: Any) -> Any:
    return paddle.vision.ops.yolo_loss(
        x,
        paddle.to_tensor([[[0.3, 0.4, 0.3, 0.5]], [[0.6, 0.5, 0.2, 0.2]]]),
        paddle.to_tensor([[1], [0]], dtype="int32"),
        anchors=[10, 13, 16, 30],
        anchor_mask=[0, 1],
        class_num=2,
        ignore_thresh=0.7,
        downsample_ratio=8,
    )


def _positions_added(x: Any) -> Any:
    return _C_ops.add_position_encoding(paddle.reshape(x, [1, -1, 6]), 0.5, 2.0)


def _aligned(x: Any) -> Any:
    lengths = paddle.full([1, 1], 6, dtype="int64")
    return _C_ops.ctc_align(x[:1] % 3, lengths, 0, True, 0)[0]


def _decoded_path(x: Any) -> Any:
    length = paddle.full([1], 4, dtype="int64")
    emission = paddle.reshape(x[:4], [1, 4, 6])
    return _C_ops.crf_decoding(emission, paddle.full([8, 6], 0.1) * x[0], None, length)


def _solved_by_factors(x: Any) -> Any:
    square = paddle.matmul(x, x, transpose_y=True) + paddle.eye(3)
    factors, pivots = paddle.linalg.lu(square)
    return [paddle.linalg.lu_solve(x, factors, pivots, trans) for trans in ("N", "T")]


_NEW = {"since": "3.0"}
_FIVE = {"since": "3.0", "shapes": [[(5, 6)], [(7, 6)]]}
computed(family, _left_shifted, _WHOLE, **_NEW)
computed(family, _incomplete_gamma, ROWS, **_NEW)
computed(family, _incomplete_gamma_below_zero, ROWS, **_NEW)
computed(family, _right_shifted, _WHOLE, **_NEW)
computed(family, _long_shifted_both_ways, _LONG, **_NEW)
computed(family, _bytes_shifted, _BYTES, **_NEW)
computed(family, _sign_of_other_shape, Input((None, 3, 6)), **_NEW)
computed(family, _sign_of_whole_numbers, _WHOLE, **_NEW)
computed(family, _share_of_right_answers, ROWS, **_NEW)
computed(family, _printed, ROWS, **_NEW)
computed(family, _renumbered_nodes, Input((3,), "int64", 0, 9), **_NEW)
computed(family, _transduced, Input((24,)), **_NEW)
computed(family, _loss_of_boxes, Input((2, 14, 4, 4)), **_NEW)
computed(family, _positions_added, ROWS, **_NEW)
computed(family, _aligned, _LONG, **_NEW)
computed(family, _decoded_path, ROWS, **_FIVE)
computed(family, _solved_by_factors, Input((None, 3, 6)), **_NEW)


class NormalisedSum(nn.Layer):
    """A fused sum of a bias and a residual, normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([6])
        self.shift = self.create_parameter([6], is_bias=True)
        self.bias = self.create_parameter([6])

    def forward(self, x: Any) -> Any:
        return paddle.incubate.nn.functional.fused_layer_norm(
            x, self.scale, self.shift, 1e-5, bias=self.bias, residual=paddle.tanh(x)
        )[0]


family.layer("normalised_sum", NormalisedSum, ROWS, since="3.0")
