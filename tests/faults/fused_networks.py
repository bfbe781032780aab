"""Small networks on which the passes of Paddle's predictor fail, or nearly; runs in a real Paddle.

    python fused_networks.py save FOLDER        every network, with what the layer computes
    python fused_networks.py load FOLDER        Paddle's own predictor on each: a JSON object

Next to each network that fails stand some that differ from it by little and do not.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

SHAPE = (2, 3, 6, 6)
TOLERANCE = 1e-5


class Network(nn.Layer):
    """Layers of all kinds, and one function of them and an image."""

    def __init__(self, compute):
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 1)
        self.spatial = nn.Conv2D(3, 3, 1)
        self.transposed = nn.Conv2DTranspose(3, 4, 1)
        self.linear = nn.Linear(6, 6)
        self.heads = nn.Linear(6, 24)
        self.wide = nn.Conv2D(3, 6, 1)
        self.spread = nn.Conv3D(3, 6, 1, bias_attr=False)
        self.norm = nn.BatchNorm2D(3)
        self.norm4 = nn.BatchNorm2D(4)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, image):
        return self.compute(self, image)


def times(value, factor=2.0):
    return value * factor


def product(of):
    return lambda n, x: paddle.matmul(of(n, x), x[:, :1])


def kept(op):
    """A convolution, an operator, a product that may misread it."""
    return product(lambda n, x: op(n.convolution(x)))


def square(y):
    return paddle.matmul(y, y, transpose_y=True)


def layer_then(op):
    return lambda n, x: op(n.linear(n.convolution(x)))


def twice(of, first, second):
    return lambda n, x: (lambda value: first(value) + second(value))(of(n, x))


def attention(n, x, mask=False, apart=False, turn=True, factor=None, transpose_y=False):
    parts = n.heads(x.reshape([-1, 18, 6])).reshape([-1, 18, 3, 2, 4])
    if apart:
        q, k, v = (parts[:, :, i].transpose([0, 2, 1, 3]) for i in range(3))
    else:
        turned = parts.transpose([2, 0, 3, 1, 4])
        q, k, v = turned[0], turned[1], turned[2]
    if factor == "before":
        q = q * 0.5
    if transpose_y:
        scores = paddle.matmul(q, k, transpose_y=True)
    else:
        scores = paddle.matmul(q, k.transpose([0, 1, 3, 2]))
    if factor == "after":
        scores = scores * 0.5
    if mask:
        scores = scores + x[0, 0, 0, 0]
    found = paddle.matmul(F.dropout(F.softmax(scores, -1), 0.1, training=n.training), v)
    return found.transpose([0, 2, 1, 3]) if turn else found


def weight(n):
    return n.linear.weight


def by_weight(n, x):
    return paddle.matmul(x, weight(n))


def bare(n, x):
    """A convolution without its bias."""
    return F.conv2d(x, n.convolution.weight)


def wide(n, x):
    """As many channels as columns, and no bias."""
    return F.conv2d(x, n.wide.weight)


def row(n, *shape):
    """The numbers of a bias of six, in another shape."""
    return n.wide.bias.reshape(shape) if shape else n.wide.bias


def turned(n, x):
    return n.convolution(x).flatten(2).transpose([0, 2, 1])


def joined(y):
    return paddle.concat([F.relu(y), y], 1)


def largest(n, x, padding):
    return F.max_pool2d(n.spatial(x), 3, 2, padding, ceil_mode=True)


def beside_nothing(compute):
    """An image, and what is computed of one without channels."""
    return lambda n, x: paddle.concat([compute(paddle.full([2, 0, 6, 6], 1.0)), n.spatial(x)], 1)


ACTIVATIONS = {
    "abs": paddle.abs,
    "exp": paddle.exp,
    "gelu": F.gelu,
    "relu": F.relu,
    "sigmoid": F.sigmoid,
    "tanh": paddle.tanh,
}


def both(of, first, second):
    """Two results of one value, in that order."""

    def compute(n, x):
        value = of(n, x)
        return [first(value), second(value)]

    return compute


def image_product(n, x):
    return paddle.matmul(x, n.linear.weight)


def rows_of_layer(n, x):
    return n.linear(x[:, 0])


def normal(y):
    return y * paddle.rsqrt((y**2).mean(-1, keepdim=True) + 0.1)


def by_variance(y):
    return (y - y.mean(-1, keepdim=True)) / paddle.sqrt(y.var(-1, keepdim=True) + 0.1)


def of_double(op):
    return lambda n, x: (lambda y: op(y, y.flip(3)))(image_product(n, x).astype("float64"))


def of_integers(op):
    return lambda n, x: (lambda y: op(y, y.flip(3)))((image_product(n, x) * 9).astype("int64"))


NETWORKS = {
    # CL216
    "norm_relu": lambda n, x: F.relu(n.norm(x)),
    "norm_relu_and_sum": twice(lambda n, x: n.norm(x), F.relu, lambda y: y),
    "norm_two_relus": twice(lambda n, x: n.norm(x), F.relu, lambda y: times(F.relu(y))),
    "convolution_norm_relu_and_sigmoid": twice(
        lambda n, x: n.norm4(n.convolution(x)), F.relu, F.sigmoid
    ),
    "norm_relu6_and_sum": twice(lambda n, x: n.norm(x), F.relu6, lambda y: y),
    "norm_relu_and_output": lambda n, x: (lambda y: [F.relu(y), y])(n.norm(x)),
    # CL217
    "layer_times": lambda n, x: times(n.linear(x)),
    "layer_times_one": lambda n, x: n.linear(x) * 1.0,
    "layer_plus": lambda n, x: n.linear(x) + 0.5,
    "layer_scaled_and_shifted": lambda n, x: paddle.scale(n.linear(x), 2.0, 0.5),
    "layer_negative": lambda n, x: -n.linear(x),
    "layer_relu_times": lambda n, x: times(F.relu(n.linear(x))),
    "layer_times_relu": lambda n, x: F.relu(times(n.linear(x))),
    "layer_gelu_times": lambda n, x: times(F.gelu(n.linear(x))),
    "layer_reshape_times": lambda n, x: times(n.linear(x).reshape([-1, 108])),
    "layer_read_twice_times": twice(lambda n, x: n.linear(x), times, paddle.exp),
    "layer_sum_times": lambda n, x: times(n.linear(x) + x),
    "layer_of_three_axes_times": lambda n, x: times(n.linear(x[:, 0])),
    "layer_of_two_axes_times": lambda n, x: times(n.linear(x[:, 0, 0])),
    "layer_of_five_axes_times": lambda n, x: times(n.linear(x.unsqueeze(1))),
    "product_times": lambda n, x: times(by_weight(n, x)),
    # CL218
    **{f"kept_{name}": kept(op) for name, op in ACTIVATIONS.items()},
    "kept": kept(lambda y: y),
    "kept_softmax": kept(F.softmax),
    "kept_pool": kept(lambda y: F.max_pool2d(y, 3, 1, 1)),
    "kept_split": kept(lambda y: paddle.split(y, 2, 1)[1]),
    "kept_concat": kept(lambda y: paddle.concat([y, y], 1)),
    "kept_factor": kept(times),
    "kept_division": kept(lambda y: y / (paddle.abs(y) + 1.0)),
    "kept_chain": kept(lambda y: F.softplus(F.softmax(times(paddle.exp(y)) + 1.0))),
    "kept_hard_sigmoid": kept(F.hardsigmoid),
    "exp_hard_sigmoid": kept(lambda y: F.hardsigmoid(paddle.exp(y))),
    "kept_norm": product(lambda n, x: n.norm4(paddle.exp(n.convolution(x)))),
    "kept_transposed": product(lambda n, x: n.transposed(x)),
    "plain_first_concat": product(lambda n, x: paddle.concat([x, n.convolution(x)], 1)),
    "plain_first_sum": product(lambda n, x: paddle.sin(x) + n.spatial(x)),
    "plain_first_product": product(lambda n, x: paddle.sin(x) * n.spatial(x)),
    "kept_first_product": product(lambda n, x: n.spatial(x) * paddle.sin(x)),
    "smaller_first_sum": product(lambda n, x: x[:, :1] + n.convolution(x)),
    "excited": product(lambda n, x: x * F.sigmoid(n.spatial(F.adaptive_avg_pool2d(x, 1)))),
    "order_by_sin": kept(paddle.sin),
    "order_by_slice": kept(lambda y: y[:, :2]),
    "order_by_slice_then_exp": kept(lambda y: paddle.exp(y[:, :2])),
    "order_by_silu": kept(F.silu),
    "order_by_pad": kept(lambda y: F.pad(y, [1, 1, 1, 1])[:, :, 1:7, 1:7]),
    "order_by_transpose": kept(lambda y: y.transpose([0, 1, 3, 2])),
    "order_by_sum": kept(lambda y: paddle.sum(y, 1, keepdim=True)),
    "one_place": lambda n, x: paddle.matmul(
        F.adaptive_avg_pool2d(n.convolution(x), 1), x[:, :1, :1]
    ),
    "convolution_by_weight": lambda n, x: by_weight(n, n.convolution(x)),
    "convolution_by_turned_weight": lambda n, x: paddle.matmul(
        n.convolution(x), weight(n), transpose_y=True
    ),
    "weight_by_convolution": lambda n, x: paddle.matmul(weight(n), n.convolution(x)),
    "convolution_layer": lambda n, x: n.linear(n.convolution(x)),
    "convolution_times_layer": lambda n, x: n.linear(times(n.convolution(x))),
    "convolution_plus_layer": lambda n, x: n.linear(n.convolution(x) + 0.5),
    **{f"convolution_layer_{name}": layer_then(op) for name, op in ACTIVATIONS.items()},
    "layer_sigmoid": lambda n, x: F.sigmoid(n.linear(x)),
    **{
        f"square_of_{name}_over_{axis}": lambda n, x, of=of, axis=axis: square(
            of(n.convolution(x), axis, keepdim=True)
        )
        for name, of in {"sum": paddle.sum, "mean": paddle.mean, "max": paddle.max}.items()
        for axis in (-1, 1, 2)
    },
    # CL219
    "one_by": lambda n, x: paddle.ones([1]) / (paddle.abs(n.convolution(x)) + 1.0),
    "row_by": lambda n, x: weight(n)[0] / (paddle.abs(x) + 1.0),
    "number_by": lambda n, x: 1.0 / (paddle.abs(n.linear(x)) + 1.0),
    "by_one": lambda n, x: n.convolution(x) / paddle.full([1], 2.0),
    "mean_by": lambda n, x: paddle.mean(n.spatial(x), -1, True) / (paddle.abs(x) + 1.0),
    "fewer_by_more": lambda n, x: (
        paddle.mean(n.spatial(x), [1, 2], True) / (paddle.mean(paddle.abs(x), 3, True) + 1.0)
    ),
    "more_by_fewer": lambda n, x: (
        paddle.mean(n.spatial(x), 3, True) / (paddle.mean(paddle.abs(x), [1, 2], True) + 1.0)
    ),
    "one_by_double": lambda n, x: paddle.cast(
        paddle.ones([1], "float64") / paddle.cast(paddle.abs(n.linear(x)) + 1.0, "float64"),
        "float32",
    ),
    # CL220
    "weight_twice": lambda n, x: times(by_weight(n, x)) + weight(n),
    "weight_turned_twice": lambda n, x: (
        times(paddle.matmul(x, weight(n), transpose_y=True)) + weight(n)
    ),
    "weight_in_layer": lambda n, x: n.linear(x) + times(by_weight(n, x)),
    "weight_twice_shifted": lambda n, x: paddle.scale(by_weight(n, x), 2.0, 0.5) + weight(n),
    "weight_first_twice": lambda n, x: times(paddle.matmul(weight(n), x)) + weight(n),
    "weight_relu_twice": lambda n, x: times(F.relu(by_weight(n, x))) + weight(n),
    "product_twice": twice(by_weight, times, paddle.exp),
    "product_two_factors": twice(by_weight, times, lambda y: times(y, 3.0)),
    "product_twice_shifted": twice(by_weight, lambda y: y + 0.5, paddle.exp),
    "product_of_images_twice": twice(
        lambda n, x: paddle.matmul(n.linear(x), x, transpose_y=True), times, paddle.exp
    ),
    "product_of_one_image_twice": twice(
        lambda n, x: (lambda y: paddle.matmul(y, y))(n.linear(x)), times, paddle.exp
    ),
    "product_by_first_weight_twice": twice(
        lambda n, x: paddle.matmul(weight(n), n.linear(x)), times, paddle.exp
    ),
    # CL221
    "attention": attention,
    "attention_factor_before": lambda n, x: attention(n, x, factor="before"),
    "attention_factor_after": lambda n, x: attention(n, x, factor="after"),
    "attention_masked": lambda n, x: attention(n, x, mask=True),
    "attention_apart": lambda n, x: attention(n, x, apart=True),
    "attention_not_turned": lambda n, x: attention(n, x, turn=False),
    "attention_transpose_y": lambda n, x: attention(n, x, transpose_y=True),
    # CL222
    "zero_axes_sum": lambda n, x: n.convolution(x) + paddle.ones([]),
    "zero_axes_relu": lambda n, x: n.convolution(x) + F.relu(paddle.full([], 0.5)).reshape([1]),
    "zero_axes_sin": lambda n, x: n.convolution(x) + paddle.sin(paddle.full([], 0.5)).reshape([1]),
    "zero_axes_mean": lambda n, x: n.convolution(x) * paddle.mean(x),
    "zero_axes_whole": lambda n, x: (
        n.convolution(x) + (paddle.full([], 3, "int64") + paddle.shape(x)[1:2]).astype("float32")
    ),
    # CL223
    "bare_gelu_relu": lambda n, x: F.relu(F.gelu(bare(n, x))),
    "bare_relu_hardsigmoid": lambda n, x: F.hardsigmoid(F.relu(bare(n, x))),
    "bare_hardsigmoid_sqrt": lambda n, x: paddle.sqrt(F.hardsigmoid(bare(n, x))),
    "bare_hardsigmoid_tanh": lambda n, x: paddle.tanh(F.hardsigmoid(bare(n, x))),
    "bare_tanh_relu": lambda n, x: F.relu(paddle.tanh(bare(n, x))),
    "bare_hardswish_tanh": lambda n, x: paddle.tanh(F.hardswish(bare(n, x))),
    "bare_three": lambda n, x: F.sigmoid(paddle.tanh(F.relu(bare(n, x)))),
    "bare_norm_relu_sigmoid": lambda n, x: F.sigmoid(F.relu(n.norm4(bare(n, x)))),
    "bare_one": lambda n, x: F.gelu(bare(n, x)),
    "bare_relu_exp": lambda n, x: paddle.exp(F.relu(bare(n, x))),
    "bare_exp_relu": lambda n, x: F.relu(paddle.exp(bare(n, x))),
    "bare_twice": twice(lambda n, x: F.gelu(bare(n, x)), F.relu, paddle.exp),
    "biased_gelu_relu": lambda n, x: F.relu(F.gelu(n.convolution(x))),
    "biased_norm_gelu_relu": lambda n, x: F.relu(F.gelu(n.norm4(n.convolution(x)))),
    # CL224, CL225
    "empty_slice": lambda n, x: paddle.concat([x[:, 0:0], n.spatial(x)], 1),
    "empty_relu": beside_nothing(F.relu),
    "empty_sum": beside_nothing(lambda e: e + e),
    "empty_scale": beside_nothing(lambda e: e * 2.0 + 1.0),
    "empty_softmax": beside_nothing(F.softmax),
    "empty_reshape": beside_nothing(lambda e: e.reshape([2, 0, 36]).reshape([2, 0, 6, 6])),
    "empty_transpose": beside_nothing(lambda e: e.transpose([0, 1, 3, 2]).transpose([0, 1, 3, 2])),
    # CL230
    "bare_plus_row": lambda n, x: wide(n, x) + row(n),
    "bare_plus_long_row": lambda n, x: wide(n, x) + row(n, 1, 6),
    "bare_plus_column": lambda n, x: wide(n, x) + row(n, 1, 6, 1),
    "bare_plus_channels": lambda n, x: wide(n, x) + row(n, 1, 6, 1, 1),
    "bare_plus_channels_short": lambda n, x: wide(n, x) + row(n, 6, 1, 1),
    "bare_plus_row_at_its_place": lambda n, x: wide(n, x) + row(n, 1, 1, 1, 6),
    "bare_plus_rows": lambda n, x: wide(n, x) + n.linear.weight,
    "bare_plus_wider_row": lambda n, x: bare(n, x) + row(n),
    "bare_plus_one": lambda n, x: wide(n, x) + row(n)[:1],
    "bare_plus_one_by_one": lambda n, x: wide(n, x) + row(n)[:1].reshape([1, 1]),
    "bare_plus_none": lambda n, x: wide(n, x) + row(n)[0],
    "bare_plus_equal_row": lambda n, x: wide(n, x) + paddle.full([6], 0.7),
    "bare_plus_computed_row": lambda n, x: wide(n, x) + paddle.sin(row(n)),
    "bare_plus_row_of_input": lambda n, x: wide(n, x) + x[0, 0, 0],
    "row_plus_bare": lambda n, x: row(n) + wide(n, x),
    "bare_plus_row_relu": lambda n, x: F.relu(wide(n, x) + row(n)),
    "bare_relu_plus_row": lambda n, x: F.relu(wide(n, x)) + row(n),
    "bare_norm_plus_row": lambda n, x: n.norm4(bare(n, x)) + row(n),
    "bare_and_plus_row": lambda n, x: (lambda y: F.relu(y) + (y + row(n)))(wide(n, x)),
    "biased_plus_row": lambda n, x: n.wide(x) + row(n),
    "transposed_plus_row": lambda n, x: F.conv2d_transpose(x, n.transposed.weight) + row(n),
    "transposed_plus_long_row": lambda n, x: (
        F.conv2d_transpose(x[:, :, :, :4], n.transposed.weight) + n.transposed.bias.reshape([1, 4])
    ),
    "spread_plus_channels": lambda n, x: (
        n.spread(x.unsqueeze(2)) + n.wide.bias.reshape([1, 6, 1, 1])
    ),
    "spread_plus_row": lambda n, x: n.spread(x.unsqueeze(2)) + row(n),
    # CL231
    "turned_and_joined": lambda n, x: joined(turned(n, x).reshape([-1, 36, 2, 2])),
    "turned_and_stacked": lambda n, x: paddle.stack([turned(n, x).reshape([-1, 36, 2, 2])] * 2, 1),
    "turned_and_joined_by_zeros": lambda n, x: joined(turned(n, x).reshape([0, 0, 2, 2])),
    "turned_and_relu": lambda n, x: F.relu(turned(n, x).reshape([-1, 36, 2, 2])),
    "layer_and_joined": lambda n, x: joined(n.linear(n.convolution(x)).reshape([-1, 36, 2, 2])),
    # CL232
    "cosine_and_value": both(image_product, paddle.cos, times),
    "value_and_cosine": both(image_product, times, paddle.cos),
    "cosine_and_again": both(image_product, paddle.cos, paddle.atan),
    "cosine_of_layer": both(rows_of_layer, paddle.cos, times),
    "cosine_of_fused_layer": both(lambda n, x: n.linear(x), paddle.cos, times),
    "cosine_of_activated_layer": both(lambda n, x: F.relu(n.linear(x)), paddle.cos, times),
    "cosine_of_gelu_of_layer": both(lambda n, x: F.gelu(n.linear(x)), paddle.cos, times),
    "cosine_of_convolution": both(lambda n, x: n.wide(x), paddle.cos, times),
    "cosine_of_activated_convolution": both(lambda n, x: F.relu(n.wide(x)), paddle.cos, times),
    "cosine_of_pooled_convolution": both(
        lambda n, x: F.adaptive_avg_pool2d(n.wide(x), 1), paddle.cos, times
    ),
    "cosine_of_turned_convolution": both(
        lambda n, x: n.wide(x).transpose([0, 2, 3, 1]), paddle.cos, times
    ),
    "cosine_of_part": both(
        lambda n, x: paddle.split(image_product(n, x), 3, 1)[1], paddle.cos, times
    ),
    "cosine_of_sine": both(lambda n, x: paddle.sin(image_product(n, x)), paddle.cos, times),
    "cosine_of_shape": both(
        lambda n, x: F.relu(image_product(n, x)).reshape([0, -1]), paddle.cos, times
    ),
    "cosine_in_double": both(
        lambda n, x: image_product(n, x).astype("float64") + 0.5, paddle.cos, times
    ),
    "cosine_alone": lambda n, x: paddle.cos(image_product(n, x)) + 0.5,
    "power_and_value": both(image_product, lambda y: y**2, times),
    "exp_and_value": both(image_product, paddle.exp, times),
    "silu_and_value": both(image_product, F.silu, times),
    "quotient_and_value": both(image_product, lambda y: y / (y.sum() + 9.0), paddle.atan),
    "product_over_quotient": both(
        lambda n, x: (lambda y: y / (y + 3.0))(n.linear(x)), paddle.cos, times
    ),
    "where_and_value": both(image_product, lambda y: paddle.where(y > 0, y, y * 0.0), times),
    "running_sum_and_value": both(image_product, lambda y: paddle.cumsum(y, -1), times),
    "shape_and_value": both(image_product, lambda y: paddle.cos(y.reshape([0, -1])), times),
    "by_its_norm": lambda n, x: normal(image_product(n, x)),
    "by_its_norm_and_value": both(image_product, normal, times),
    "by_its_variance": lambda n, x: by_variance(image_product(n, x)),
    # CL270, CL271
    "distance_of_integers": of_integers(lambda a, b: (a - b).abs()),
    "difference_of_integers": of_integers(lambda a, b: a - b),
    "relu_of_double_sum": of_double(lambda a, b: F.relu(a - b)),
    "sigmoid_of_double_product": of_double(lambda a, b: F.sigmoid(a * b)),
    "quotient_of_double": of_double(lambda a, b: F.relu(a / (b * b + 1.0))),
    "cosine_of_double_sum": of_double(lambda a, b: paddle.cos(a + b)),
    "relu_and_double_sum": of_double(lambda a, b: (lambda y: [F.relu(y), y])(a - b)),
    # CL272, CL273
    "single_number": lambda n, x: image_product(n, x)[0, 0, 0, 0],
    "relu_of_single_number": lambda n, x: F.relu(image_product(n, x)[0, 0, 0, 0]),
    "single_of_double": lambda n, x: image_product(n, x).astype("float64")[0, 0, 0, 0],
    "sum_of_all": lambda n, x: image_product(n, x).sum(),
    "row_of_single_numbers": lambda n, x: image_product(n, x)[0, 0, 0, :1],
    # CL233
    "zeros_twice": lambda n, x: [n.linear(x), paddle.zeros_like(x), paddle.zeros_like(x)],
    "cosine_twice": both(image_product, paddle.cos, paddle.cos),
    "relu_twice": both(image_product, F.relu, F.relu),
    "layer_twice": lambda n, x: [n.linear(x), n.linear(x)],
    "rows_of_layer_twice": lambda n, x: [rows_of_layer(n, x), rows_of_layer(n, x)],
    "best_twice": both(image_product, lambda y: y.argmax(-1), lambda y: y.argmax(-1)),
    "best_of_two_axes": both(image_product, lambda y: y.argmax(-1), lambda y: y.argmax(1)),
    "cast_twice": both(image_product, *[lambda y: y.astype("float64")] * 2),
    "reshape_twice": both(image_product, *[lambda y: y.reshape([0, -1])] * 2),
    # CL627
    "norm_of_weight": lambda n, x: F.layer_norm(weight(n), 6)[0] + x,
    "norm_of_weight_and_input": lambda n, x: F.layer_norm(x + weight(n)[0], 6),
    # CL268, CL269
    "largest_padded_less_last": lambda n, x: largest(n, x, [1, 0]),
    "largest_padded_more_last": lambda n, x: largest(n, x, [0, 1]),
    # CL231
    "widened_and_turned": lambda n, x: times(
        (n.linear(x) * x).unsqueeze(1).transpose([0, 2, 1, 3, 4]).unsqueeze(0), 1.5
    ),
    # CL226
    "pad_channels_last": lambda n, x: times(F.pad(n.spatial(x), [1, 1, 2, 0], data_format="NHWC")),
    "pad_channels_first": lambda n, x: times(F.pad(n.spatial(x), [1, 1, 2, 0])),
    "pad_by_reflection": lambda n, x: times(
        F.pad(n.spatial(x), [1, 1, 1, 0], mode="reflect", data_format="NHWC")
    ),
    "pad_squeezed": lambda n, x: F.relu(
        F.pad(F.relu(n.spatial(x)).unsqueeze(1), [1, 1, 2, 0, 0, 0], data_format="NDHWC").squeeze(1)
    ),
    "pad_not_squeezed": lambda n, x: F.relu(
        F.pad(F.relu(n.spatial(x)).unsqueeze(1), [1, 1, 2, 0, 0, 0], data_format="NDHWC")
    ),
}


def fill(net):
    generator = np.random.RandomState(3)
    for name, tensor in sorted(net.state_dict().items()):
        values = generator.rand(*tensor.shape) - 0.4 + ("_variance" in name) * 0.9
        tensor.set_value(values.astype("float32"))


def save(folder):
    image = (np.random.RandomState(0).rand(*SHAPE) - 0.3).astype("float32")
    for name, compute in NETWORKS.items():
        net = Network(compute)
        fill(net)
        net.eval()
        outputs = net(paddle.to_tensor(image))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        spec = [paddle.static.InputSpec([None, *SHAPE[1:]], "float32", "image")]
        paddle.jit.save(net, str(folder / name / "model"), input_spec=spec)
        np.savez(folder / name / "io.npz", image, *(one.numpy() for one in outputs))


def outcome(folder):
    """What Paddle's own predictor makes of it: ok, wrong or error."""
    from paddle import inference

    with np.load(folder / "io.npz") as io:
        image, *expected = io.values()
    (program,) = (path for path in folder.iterdir() if path.suffix in (".json", ".pdmodel"))
    try:
        config = inference.Config(str(program), str(folder / "model.pdiparams"))
        config.disable_glog_info()
        predictor = inference.create_predictor(config)
        predictor.get_input_handle("image").copy_from_cpu(image)
        predictor.run()
        names = predictor.get_output_names()
        found = [predictor.get_output_handle(name).copy_to_cpu() for name in names]
    except Exception:
        traceback.print_exc()
        return "error"
    for one, other in zip(found, expected):
        if one.shape != other.shape:
            return "wrong"
        if not np.abs(one - other).max() <= TOLERANCE * np.abs(other).max():
            return "wrong"
    return "ok"


def load(folder):
    """Each in a process of its own, since some die."""
    told = {}
    for one in sorted(path for path in folder.iterdir() if path.is_dir()):
        place = one / "outcome"
        place.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            place.write_text(outcome(one), encoding="utf-8")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        told[one.name] = "crash" if status else place.read_text(encoding="utf-8")
    return told


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save(Path(sys.argv[2]))
    else:
        print("\n" + json.dumps(load(Path(sys.argv[2]))))
