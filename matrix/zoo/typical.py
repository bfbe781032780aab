"""Further operators of chains: what typical networks put between their layers."""

from __future__ import annotations

import math
from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.steps import Step, Weights, channels, convolution, last, of_any, of_image


def _rank(x: Any, *allowed: int) -> None:
    if len(x.shape) not in allowed:
        raise ValueError(f"not of {allowed} axes")


def _even(x: Any, axis: int) -> int:
    size = int(x.shape[axis])
    if size < 2 or size % 2:
        raise ValueError("cannot be halved")
    return size


def _turn(x: Any) -> Any:
    once = paddle.to_tensor([[[0.8, 0.1, 0.0], [0.0, 0.9, 0.1]]])
    return paddle.tile(once, [paddle.shape(x)[0], 1, 1])


def _ranked(compute: Any, *allowed: int) -> Step:
    def step(w: Weights, x: Any) -> Any:
        _rank(x, *allowed)
        return compute(x)

    return step


_ACTIVATIONS = {
    **{name: getattr(F, name) for name in ("silu", "selu", "celu", "log_sigmoid", "softsign")},
    **{name: getattr(F, name) for name in ("tanhshrink", "hardshrink", "softshrink", "hardtanh")},
    **{name: getattr(paddle, name) for name in ("sin", "erf", "square", "floor", "sign", "neg")},
    **{name: getattr(paddle, name) for name in ("expm1", "ceil", "round")},
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
    "log": lambda x: paddle.log(paddle.abs(x) + 0.1),
    "rsqrt": lambda x: paddle.rsqrt(paddle.abs(x) + 0.1),
    "reciprocal": lambda x: paddle.reciprocal(paddle.abs(x) + 0.5),
    "leaky_strong": lambda x: F.leaky_relu(x, 0.5),
    "elu_low": lambda x: F.elu(x, 0.3),
    "softplus_beta": lambda x: F.softplus(x, beta=2.0, threshold=3.0),
    "hardsigmoid_own": lambda x: F.hardsigmoid(x, slope=0.2, offset=0.4),
    "clip_below": lambda x: paddle.clip(x, min=0.1),
    "relu_squared": lambda x: paddle.square(F.relu(x)),
}
# Written out, which passes look for.
_BY_HAND = {
    "gelu_by_hand": lambda x: x * 0.5 * (1.0 + paddle.erf(x / math.sqrt(2.0))),
    "gelu_tanh_by_hand": lambda x: (
        0.5 * x * (1.0 + paddle.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * paddle.pow(x, 3))))
    ),
    "hardswish_by_hand": lambda x: x * F.relu6(x + 3.0) / 6.0,
    "mish_by_hand": lambda x: x * paddle.tanh(F.softplus(x)),
    "gate_after": lambda x: F.sigmoid(x) * x,
    "norm_by_hand": lambda x: (
        (x - x.mean(-1, keepdim=True))
        / paddle.sqrt((x - x.mean(-1, keepdim=True)).pow(2).mean(-1, keepdim=True) + 1e-5)
    ),
    "rms_by_hand": lambda x: x * paddle.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6),
    "normalise": lambda x: F.normalize(x, axis=-1),
    "softmax_by_hand": lambda x: paddle.exp(x) / paddle.exp(x).sum(-1, keepdim=True),
    "minus_mean": lambda x: x - x.mean(-1, keepdim=True),
    "per_sum": lambda x: x / (paddle.abs(x).sum(1, keepdim=True) + 1e-3),
}
_ARITHMETIC = {
    "scale": lambda x: paddle.scale(x, 2.0, 0.5),
    "scale_after": lambda x: paddle.scale(x, 2.0, 0.5, bias_after_scale=False),
    "minus_from": lambda x: 1.0 - x,
    "over": lambda x: x / 3.0,
    "cube": lambda x: paddle.pow(x, 3.0),
    "square_minus": lambda x: x * x - x,
    "as_int": lambda x: paddle.cast(paddle.cast(x * 4.0, "int32"), "float32"),
    "as_long": lambda x: paddle.cast(x * 4.0, "int64").astype("float32"),
    "as_bool": lambda x: paddle.cast(x > 0.1, "float32"),
    "masked": lambda x: x * paddle.cast(x > 0.0, "float32"),
    "as_double": lambda x: paddle.cast(paddle.cast(x, "float64") * 2.0, "float32"),
    "not_large": lambda x: paddle.where(paddle.logical_not(x > 0.2), x, paddle.full_like(x, 0.3)),
    "mod": lambda x: paddle.mod(x, paddle.full([1], 0.7)),
    "largest": lambda x: paddle.maximum(x, paddle.zeros([1])),
    "smallest": lambda x: paddle.minimum(x, paddle.full([1], 0.4)),
    "by_number": lambda x: x * paddle.full([], 1.5),
    "plus_number": lambda x: x + paddle.full([1], 1.5),
    "plus_two": lambda x: F.relu(x) + paddle.tanh(x),
    "times_two": lambda x: F.sigmoid(x) * paddle.tanh(x),
    "minus_two": lambda x: F.relu(x) - paddle.abs(x),
}


def _reversed(x: Any) -> list[int]:
    return [0, *range(len(x.shape) - 1, 0, -1)]


def _sum_and_turned(x: Any) -> Any:
    """What is squeezed and turned is read otherwise as well."""
    total = paddle.sum(x, 1, keepdim=True)
    less = paddle.squeeze(total, [1])
    turned = paddle.transpose(less, _reversed(less))
    return x * total + paddle.sum(turned * 0.5)


_SHAPING = {
    "expand": lambda x: paddle.expand(x.unsqueeze(1), [-1, 2, *x.shape[1:]]),
    "tile": lambda x: paddle.tile(x, [1, *[1] * (len(x.shape) - 2), 2]),
    "roll": lambda x: paddle.roll(x, 1, 1),
    "flip": lambda x: paddle.flip(x, [1]),
    "flip_last": lambda x: x[..., ::-1],
    "gather": lambda x: paddle.gather(x, paddle.to_tensor([1, 0, 1]), axis=1),
    "pick": lambda x: paddle.index_select(x, paddle.to_tensor([1, 0]), axis=-1),
    "halves": lambda x: paddle.concat(paddle.split(x, [1, -1], 1)[::-1], 1),
    "last_halves": lambda x: paddle.concat(paddle.chunk(x, 2, -1)[::-1], -1),
    "turned_halves": lambda x: paddle.concat(
        [-x[..., _even(x, -1) // 2 :], x[..., : x.shape[-1] // 2]], -1
    ),
    "gated_halves": lambda x: F.glu(x, axis=-1),
    "joined": lambda x: paddle.concat([x, F.relu(x)], -1),
    "joined_first": lambda x: paddle.concat([F.sigmoid(x), x], 1),
    "each_second": lambda x: x[..., ::2],
    "last_row": lambda x: x[:, -1],
    "second": lambda x: x[:, 1:2],
    "squeezed": lambda x: paddle.squeeze(x[:, :1], 1),
    "squeeze_end": lambda x: paddle.squeeze(x[..., :1], -1),
    "squeeze_sum": lambda x: paddle.squeeze(paddle.sum(x, 1, keepdim=True), [1]),
    "squeeze_any": lambda x: paddle.squeeze(paddle.unsqueeze(x, 1), 1),
    "unsqueeze_before_last": lambda x: paddle.unsqueeze(x, -2),
    "unsqueeze_last": lambda x: paddle.unsqueeze(x, -1),
    "unsqueeze_two": lambda x: paddle.unsqueeze(x, [1, 2]),
    "unstack": lambda x: paddle.unstack(x, 1)[1],
    "unbind": lambda x: paddle.add_n(paddle.unbind(x, 1)),
    "stack_last": lambda x: paddle.stack([x, x * 2.0], -1),
    "cumsum": lambda x: paddle.cumsum(x, -1),
    "cumprod": lambda x: paddle.cumprod(x, 1),
    "sort": lambda x: paddle.sort(x, -1),
    "topk": lambda x: paddle.topk(x, 2, -1)[0],
    "argsorted": lambda x: paddle.take_along_axis(x, paddle.argsort(x, 1), 1),
    "one_hot": lambda x: F.one_hot(paddle.argmax(x, -1), int(x.shape[-1])),
    "argmax": lambda x: paddle.cast(paddle.argmax(x, 1, keepdim=True), "float32"),
    "triu": lambda x: paddle.triu(x) if len(x.shape) > 1 else x,
    "six": lambda x: paddle.reshape(x, [-1, 2, 2, 2, 3, 4]),
    "seven": lambda x: paddle.reshape(x, [-1, 2, 2, 2, 3, 2, 2]),
    "eight": lambda x: paddle.reshape(x, [-1, 2, 2, 2, 3, 2, 2, 1]),
    "sum_and_turned": _sum_and_turned,
    "turn_last": lambda x: paddle.transpose(
        x, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
    ),
    "same_order": lambda x: paddle.transpose(x, [*range(len(x.shape))]),
    "reshape_same": lambda x: paddle.reshape(x, [-1, *x.shape[1:]]),
    "rows_of_batch": lambda x: paddle.reshape(x, [-1, x.shape[-1]]),
    "flat_last": lambda x: paddle.flatten(x, -2),
    "halved_last": lambda x: paddle.reshape(x, [-1, *x.shape[1:-1], 2, _even(x, -1) // 2]),
}
_REDUCTIONS = {
    "mean_all": lambda x: paddle.mean(x, [*range(1, len(x.shape))], keepdim=True),
    "mean_last": lambda x: paddle.mean(x, -1),
    "sum1": lambda x: paddle.sum(x, 1),
    "max1": lambda x: paddle.max(x, 1, keepdim=True),
    "max_last": lambda x: paddle.max(x, -1),
    "min_last": lambda x: paddle.min(x, -1, keepdim=True),
    "prod1": lambda x: paddle.prod(x, 1, keepdim=True),
    "norm_last": lambda x: paddle.norm(x, 2, -1, keepdim=True),
    "spread": lambda x: paddle.std(x, -1, keepdim=True),
    "logsumexp": lambda x: paddle.logsumexp(x, -1, keepdim=True),
    "any": lambda x: paddle.cast(paddle.any(x > 0.5, -1, keepdim=True), "float32"),
    "gram": lambda x: paddle.matmul(x, x, transpose_x=True),
    "gram_turned": lambda x: paddle.matmul(
        x, paddle.transpose(x, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2])
    ),
    "weighted": lambda x: F.softmax(x, -1) * x,
    "attended": lambda x: paddle.matmul(F.softmax(paddle.matmul(x, x, transpose_y=True), -1), x),
    "einsum": lambda x: paddle.einsum("b...d,b...d->b...", x, x),
    "softmax_first": lambda x: F.softmax(x, 1) * 3.0,
}
_OF_IMAGES = {
    "instance_norm": F.instance_norm,
    "mean23": lambda x: paddle.mean(x, [2, 3]),
    "mean23_kept": lambda x: paddle.mean(x, [2, 3], keepdim=True),
    "max23": lambda x: paddle.max(x, [2, 3], keepdim=True),
    "adaptive2": lambda x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_max": lambda x: F.adaptive_max_pool2d(x, [3, 2]),
    "average_outside": lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False),
    "max_same": lambda x: F.max_pool2d(x, 3, 1, 1),
    "bicubic": lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"),
    "to_size": lambda x: F.interpolate(x, size=[5, 7], mode="bilinear"),
    "nearest_size": lambda x: F.interpolate(x, size=[5, 7], mode="nearest"),
    "aligned": lambda x: F.interpolate(x, size=[5, 7], mode="bilinear", align_corners=True),
    "unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "unfold": lambda x: F.unfold(x, 2, 2),
    "reflect": lambda x: F.pad(x, [1, 1, 1, 1], mode="reflect"),
    "replicate": lambda x: F.pad(x, [1, 0, 1, 0], mode="replicate"),
    "response": lambda x: F.local_response_norm(x, 3),
    "channels_mixed": lambda x: paddle.reshape(
        paddle.transpose(
            paddle.reshape(x, [-1, 2, _even(x, 1) // 2, *x.shape[2:]]), [0, 2, 1, 3, 4]
        ),
        [-1, *x.shape[1:]],
    ),
    "channels_shuffled": lambda x: F.channel_shuffle(x, 2),
    "channels_back": lambda x: paddle.transpose(x, [0, 3, 1, 2]),
    "heads": lambda x: paddle.transpose(x, [0, 2, 1, 3]),
    "heads_joined": lambda x: paddle.reshape(
        paddle.transpose(x, [0, 2, 1, 3]), [0, 0, x.shape[1] * x.shape[3]]
    ),
    "tokens": lambda x: paddle.transpose(paddle.flatten(x, 2), [0, 2, 1]),
    "squeezed_image": lambda x: paddle.squeeze(F.adaptive_avg_pool2d(x, 1), [2, 3]),
    "windows": lambda x: paddle.reshape(
        paddle.transpose(
            paddle.reshape(x, [-1, x.shape[1], _even(x, 2) // 2, 2, _even(x, 3) // 2, 2]),
            [0, 2, 4, 3, 5, 1],
        ),
        [-1, 4, x.shape[1]],
    ),
    "rows_joined": lambda x: paddle.reshape(
        paddle.transpose(x, [0, 2, 1, 3]), [-1, x.shape[1] * x.shape[2], x.shape[3]]
    ),
    "rows_apart": lambda x: paddle.reshape(
        paddle.transpose(x, [0, 2, 1, 3]), [-1, x.shape[1], x.shape[3]]
    ),
    "heads_free": lambda x: paddle.reshape(
        paddle.transpose(x, [0, 2, 1, 3]), [0, -1, x.shape[1] * x.shape[3]]
    ),
    "heads_flat": lambda x: paddle.flatten(paddle.transpose(x, [0, 2, 1, 3]), 2),
    "grid": lambda x: F.grid_sample(x, F.affine_grid(_turn(x), paddle.shape(x))),
}
_OF_RANK_3 = {
    "split_heads": lambda x: paddle.transpose(
        paddle.reshape(x, [0, 0, 2, _even(x, -1) // 2]), [0, 2, 1, 3]
    ),
    "time_first": lambda x: paddle.transpose(x, [1, 0, 2]),
    "pool_time": lambda x: F.max_pool1d(x, 2, 2),
    "average_time": lambda x: F.avg_pool1d(x, 3, 1, 1),
    "linear_resize": lambda x: F.interpolate(x, scale_factor=2, mode="linear", data_format="NCW"),
    "pad_time": lambda x: F.pad(x, [1, 1], data_format="NCL"),
    "frames": lambda x: paddle.stack([x[..., :-1], x[..., 1:]], -1),
}


def _attention(w: Weights, x: Any) -> Any:
    size = last(x)
    q, k, v = (paddle.matmul(x, w(name, size, size)) for name in "qkv")
    scores = paddle.matmul(q * size**-0.5, k, transpose_y=True)
    return paddle.matmul(F.softmax(scores, -1), v)


def _heads_attention(w: Weights, x: Any) -> Any:
    _rank(x, 3)
    size = last(x)
    _even(x, -1)
    packed = F.linear(x, w("weight", size, 3 * size), w("bias", 3 * size))
    packed = paddle.transpose(paddle.reshape(packed, [0, 0, 3, 2, size // 2]), [2, 0, 3, 1, 4])
    scores = paddle.matmul(packed[0], packed[1], transpose_y=True) * 0.5
    result = paddle.matmul(F.softmax(scores, -1), packed[2])
    result = paddle.reshape(paddle.transpose(result, [0, 2, 1, 3]), [0, 0, size])
    return F.linear(result, w("out", size, size), w("out_bias", size))


def _dot_product(w: Weights, x: Any) -> Any:
    _rank(x, 3)
    size = last(x)
    x = paddle.reshape(F.linear(x, w("weight", size, 2 * size)), [0, 0, 2, size])
    return paddle.reshape(F.scaled_dot_product_attention(x, x, x), [0, 0, 2 * size])


def _gated(w: Weights, x: Any) -> Any:
    size = last(x)
    gate, up = (paddle.matmul(x, w(name, size, 6)) for name in ("gate", "up"))
    return paddle.matmul(F.silu(gate) * up, w("down", 6, size))


def _recurrent(w: Weights, x: Any) -> Any:
    """One step of a GRU, by hand, along the second axis."""
    _rank(x, 3)
    size = last(x)
    state = paddle.zeros_like(x[:, 0])
    gate, new = w("gate", 2 * size, size), w("new", 2 * size, size)
    for step in range(min(int(x.shape[1]), 3)):
        both = paddle.concat([x[:, step], state], -1)
        share = F.sigmoid(paddle.matmul(both, gate))
        state = share * state + (1.0 - share) * paddle.tanh(paddle.matmul(both, new))
    return state


def _excited(w: Weights, x: Any) -> Any:
    count = channels(x)
    small = F.adaptive_avg_pool2d(x, 1)
    small = F.relu(F.conv2d(small, w("squeeze", 2, count, 1, 1), w("squeeze_bias", 2)))
    small = F.conv2d(small, w("excite", count, 2, 1, 1), w("excite_bias", count))
    return x * F.hardsigmoid(small)


def _excited_by_rows(w: Weights, x: Any) -> Any:
    count = channels(x)
    small = paddle.flatten(F.adaptive_avg_pool2d(x, 1), 1)
    small = F.sigmoid(F.linear(small, w("weight", count, count), w("bias", count)))
    return x * paddle.unsqueeze(small, [2, 3])


def _embedding(w: Weights, x: Any) -> Any:
    return F.embedding(paddle.argmax(x, -1), w("table", last(x), 4))


def _with_token(w: Weights, x: Any) -> Any:
    """A learnt row before those of each, as transformers of images have it."""
    _rank(x, 3)
    token = paddle.expand(w("token", 1, 1, last(x)), [paddle.shape(x)[0], 1, last(x)])
    return paddle.concat([token, x], 1)


def _looped(w: Weights, x: Any) -> Any:
    """Reads the value within a loop."""

    def step(count: Any, state: Any) -> Any:
        return [count + 1, state * 0.5 + x]

    count = paddle.zeros([1], "int64")
    state = paddle.zeros_like(x)
    return paddle.static.nn.while_loop(lambda count, state: count < 2, step, [count, state])[1]


def _loop_state(w: Weights, x: Any) -> Any:
    """Changes the value within a loop: a copy of it, since eager loops overwrite what they get."""

    def step(count: Any, state: Any) -> Any:
        return [count + 1, paddle.tanh(state) + 0.1]

    start = [paddle.zeros([1], "int64"), paddle.assign(x)]
    return paddle.static.nn.while_loop(lambda count, state: count < 2, step, start)[1]


def _branched(w: Weights, x: Any) -> Any:
    return paddle.static.nn.cond(paddle.mean(x) > 0.0, lambda: x * 2.0, lambda: F.relu(x) + 0.1)


def _dropped(w: Weights, x: Any) -> Any:
    return F.dropout(x, 0.3, training=False)


def _downscaled(w: Weights, x: Any) -> Any:
    return F.dropout(x, 0.3, training=False, mode="downscale_in_infer")


def _residual_convolution(w: Weights, x: Any) -> Any:
    return convolution(3, filters=channels(x))(w, x) + x


def _after_convolution(w: Weights, x: Any) -> Any:
    return x + F.relu(convolution(1, filters=channels(x))(w, x))


def _normalised_convolution(w: Weights, x: Any) -> Any:
    x = F.conv2d(x, w("weight", 4, channels(x), 3, 3), padding=1)
    mean, spread = w("mean", 4), paddle.abs(w("spread", 4)) + 0.5
    return F.batch_norm(x, mean, spread, w("scale", 4), w("shift", 4))


def _modulated(w: Weights, x: Any) -> Any:
    """By filters that are computed."""
    weight = w("weight", 4, channels(x), 1, 1)
    return F.conv2d(x, weight * paddle.rsqrt(weight.pow(2).sum([1, 2, 3], keepdim=True) + 1e-5))


def _squared_differences(w: Weights, x: Any) -> Any:
    """As factorisation machines do."""
    table = w("table", last(x), 4)
    square = paddle.square(paddle.matmul(x, table))
    return 0.5 * (square - paddle.matmul(paddle.square(x), paddle.square(table)))


def _dense_by_rows(w: Weights, x: Any) -> Any:
    """A fully connected layer as it was written before matmul took more axes than two."""
    size = last(x)
    weight = paddle.reshape(w("weight", size, 2, 3), [size, 6])
    rows = paddle.matmul(paddle.reshape(x, [-1, size]), weight)
    return paddle.reshape(rows, [-1, *x.shape[1:-1], 6]) + w("bias", 6)


def _twice_connected(w: Weights, x: Any) -> Any:
    for name in ("first", "second", "third"):
        x = F.relu(F.linear(x, w(name, last(x), last(x)), w(f"{name}_bias", last(x))))
    return x


def _to(kind: str) -> Step:
    """From here on everything is of that dtype, parameters as well."""

    def step(w: Weights, x: Any) -> Any:
        w.kind = kind
        return paddle.cast(x if kind == "float64" else x * 4.0, kind)

    return step


def _branches(count: int, *, bias: bool = True, active: str = "", start: bool = False) -> Step:
    """Convolutions side by side, joined."""

    def step(w: Weights, x: Any) -> Any:
        made = []
        for n in range(count):
            size = 1 + 2 * (n % 2)
            weight = w(f"weight{n}", 3, channels(x), size, size)
            one = F.conv2d(x, weight, w(f"bias{n}", 3) if bias else None, padding=size // 2)
            made.append(getattr(F, active)(one) if active else one)
        return paddle.concat([x, *made] if start else made, 1)

    return step


_WITH_WEIGHTS: dict[str, Step] = {
    "branches": _branches(2),
    "branches_bare": _branches(2, bias=False),
    "branches_three": _branches(3),
    "branches_active": _branches(2, active="relu"),
    "branches_with_start": _branches(2, start=True),
    "to_double": _to("float64"),
    "to_long": _to("int64"),
    "attention": _attention,
    "heads_attention": _heads_attention,
    "dot_product": _dot_product,
    "gated": _gated,
    "recurrent": _recurrent,
    "excited": _excited,
    "excited_by_rows": _excited_by_rows,
    "embedding": _embedding,
    "looped": _looped,
    "loop_state": _loop_state,
    "branched": _branched,
    "dropped": _dropped,
    "downscaled": _downscaled,
    "vectors": lambda w, x: x * paddle.matmul(w("first", 4), paddle.abs(w("second", 4))),
    "residual_conv": _residual_convolution,
    "after_conv": _after_convolution,
    "conv_bn": _normalised_convolution,
    "modulated": _modulated,
    "squared_differences": _squared_differences,
    "connected": _twice_connected,
    "matmul_turned": lambda w, x: paddle.matmul(x, w("weight", 5, last(x)), transpose_y=True),
    "weight_first": lambda w, x: paddle.matmul(w("weight", 3, int(x.shape[-2])), x),
    "linear_wide": lambda w, x: F.linear(x, w("weight", last(x), 16), w("bias", 16)),
    "linear_bare": lambda w, x: F.linear(x, w("weight", last(x), last(x))),
    "linear_relu": lambda w, x: F.relu(F.linear(x, w("weight", last(x), 6), w("bias", 6))),
    "linear_residual": lambda w, x: x + F.linear(x, w("a", last(x), last(x)), w("b", last(x))),
    "strided": lambda w, x: F.conv2d(x, w("weight", 4, channels(x), 3, 3), w("bias", 4), 2, 1),
    "dilated": lambda w, x: F.conv2d(x, w("weight", 4, channels(x), 3, 3), padding=2, dilation=2),
    "same": lambda w, x: F.conv2d(x, w("weight", 4, channels(x), 2, 3), padding="SAME"),
    "lopsided": lambda w, x: F.conv2d(
        x, w("weight", 4, channels(x), 3, 3), w("bias", 4), padding=[1, 0, 2, 1]
    ),
    "grouped": lambda w, x: F.conv2d(
        x, w("weight", channels(x), _even(x, 1) // 2, 3, 3), w("bias", channels(x)), 1, 1, groups=2
    ),
    "transposed_bare": lambda w, x: F.conv2d_transpose(
        x, w("weight", channels(x), 4, 3, 3), stride=2, padding=1, output_padding=1
    ),
    "transposed_depthwise": lambda w, x: F.conv2d_transpose(
        x, w("weight", channels(x), 1, 2, 2), stride=2, groups=channels(x)
    ),
    "conv_time": lambda w, x: F.conv1d(
        x, w("weight", 4, int(x.shape[1]), 3), w("bias", 4), padding=1
    ),
    "affine": lambda w, x: x * w("scale", last(x)) + w("shift", last(x)),
    "affine_channels": lambda w, x: (
        x * w("scale", 1, channels(x), 1, 1) + w("shift", 1, channels(x), 1, 1)
    ),
    "gamma_residual": lambda w, x: w.start * 0.5 + w("gamma", last(x)) * x,
    "norm_plain": lambda w, x: F.layer_norm(x, [last(x)]),
    "norm_of_two": lambda w, x: F.layer_norm(
        x, [*x.shape[-2:]], w("weight", *x.shape[-2:]), w("bias", *x.shape[-2:])
    ),
    "rms_norm": lambda w, x: (
        x * paddle.rsqrt(paddle.mean(x * x, -1, keepdim=True) + 1e-6) * w("gain", last(x))
    ),
    "group_norm_affine": lambda w, x: F.group_norm(
        x, 2 if channels(x) % 2 == 0 else 1, 1e-5, w("weight", channels(x)), w("bias", channels(x))
    ),
    "instance_affine": lambda w, x: F.instance_norm(
        x, weight=w("weight", channels(x)), bias=w("bias", channels(x))
    ),
    "prelu_one": lambda w, x: F.prelu(x, w("slope", 1)),
    "by_temperature": lambda w, x: x * w("temperature", 1),
    "by_channel": lambda w, x: paddle.multiply(x, w("channel", channels(x), 1, 1)),
    "plus_first": lambda w, x: x + w.start[:1],
    "first_plus": lambda w, x: w.start[:1] + x,
    "plus_own_first": lambda w, x: x + x[:1],
    "times_own_first": lambda w, x: x[:1] * x,
    "dense_by_rows": _dense_by_rows,
    "minus_row": lambda w, x: x - w("row", last(x)),
    "row_minus": lambda w, x: w("row", last(x)) - x,
    "over_row": lambda w, x: x / (paddle.abs(w("row", last(x))) + 0.5),
    "row_first": lambda w, x: w("row", last(x)) + x,
    "token": _with_token,
    "positions": lambda w, x: x + w("positions", 1, *x.shape[1:]),
    "bilinear_form": lambda w, x: paddle.matmul(
        paddle.matmul(x, w("form", last(x), last(x))), x, transpose_y=True
    ),
    "distance": lambda w, x: (
        x.pow(2).sum(-1, keepdim=True)
        - 2.0 * paddle.matmul(x, w("codes", last(x), 5))
        + w("codes", last(x), 5).pow(2).sum(0)
    ),
}


STEPS: dict[str, Step] = {
    **_WITH_WEIGHTS,
    **{
        name: of_any(compute)
        for table in (_ACTIVATIONS, _BY_HAND, _ARITHMETIC, _SHAPING, _REDUCTIONS)
        for name, compute in table.items()
    },
    **{name: of_image(compute) for name, compute in _OF_IMAGES.items()},
    **{name: _ranked(compute, 3) for name, compute in _OF_RANK_3.items()},
}
