"""Single-operator models: one line each, the same for every release.

``ZOO[name]`` is ``(forward, inputs)``; ``forward(p, x, …)`` gets the paddle module and the
inputs. ``LAYERS[name]`` is ``(make, inputs)``; ``make(p)`` gives a layer. A model whose name ends
in ``_dynamic`` is saved with its first dimension unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def f(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    seed = sum((i + 3) * n for i, n in enumerate(shape)) + 7
    return np.random.default_rng(seed).uniform(low, high, shape).astype("float32")


def i(*shape: int, low: int = 0, high: int = 5, dtype: str = "int64") -> Any:
    seed = sum((k + 3) * n for k, n in enumerate(shape)) + 11
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def b(*shape: int) -> Any:
    return i(*shape, high=2).astype("bool")


IMAGE = f(2, 3, 8, 8)
VOLUME = f(1, 2, 6, 6, 6)
MATRIX = f(3, 4)
SQUARE = f(2, 3, 3) + 4 * np.eye(3, dtype="float32")
POSITIVE = f(3, 4, low=0.2, high=3.0)
UNIT = f(3, 4, low=-0.9, high=0.9)


def _activation(name: str, *arguments: Any) -> Any:
    return lambda p, x: getattr(p.nn.functional, name)(x, *arguments)


def _unary(name: str, *arguments: Any) -> Any:
    return lambda p, x: getattr(p, name)(x, *arguments)


def _binary(name: str) -> Any:
    return lambda p, x, y: getattr(p, name)(x, y)


def _interpolate(**options: Any) -> Any:
    return lambda p, x: p.nn.functional.interpolate(x, **options)


def _pad(widths: list[int], **options: Any) -> Any:
    return lambda p, x: p.nn.functional.pad(x, widths, **options)


def _index_put(p: Any, x: Any) -> Any:
    y = x * 1.0
    y[:, 1] = 0.5
    return y


def _mask_put(p: Any, x: Any) -> Any:
    y = x * 1.0
    y[x > 0] = -1.0
    return y


def _tensor_put(p: Any, x: Any, index: Any) -> Any:
    y = x * 1.0
    y[index] = x[index] * 2.0
    return y


def _loop(p: Any, x: Any) -> Any:
    count = p.zeros([1], "int64")
    while count < 3:
        x = p.nn.functional.leaky_relu(x, 0.3) * 2.0
        count += 1
    return x


def _branch(p: Any, x: Any) -> Any:
    if x.sum() > 0:
        y = p.nn.functional.softplus(x, beta=2.0, threshold=10.0)
    else:
        y = p.nn.functional.leaky_relu(x, 0.25)
    return y


_F = {
    **{
        name: (_activation(name), [MATRIX])
        for name in (
            *("relu", "relu6", "sigmoid", "tanh", "gelu", "silu", "swish", "mish", "elu", "selu"),
            *("celu", "hardswish", "hardsigmoid", "hardtanh", "hardshrink", "softshrink"),
            *("softsign", "softplus", "tanhshrink", "thresholded_relu", "log_sigmoid"),
            *("leaky_relu", "softmax", "log_softmax"),
        )
    },
    "gelu_tanh": (lambda p, x: p.nn.functional.gelu(x, approximate=True), [MATRIX]),
    "leaky_relu_slope": (_activation("leaky_relu", 0.123), [MATRIX]),
    "softplus_beta": (_activation("softplus", 2.5, 12.0), [MATRIX]),
    "glu": (_activation("glu"), [MATRIX]),
    "maxout": (lambda p, x: p.nn.functional.maxout(x, 2), [f(2, 4, 3, 3)]),
    "normalize": (_activation("normalize"), [MATRIX]),
}
_POOLING = {
    "max_pool2d": (lambda p, x: p.nn.functional.max_pool2d(x, 2), [IMAGE]),
    "max_pool2d_ceil": (
        lambda p, x: p.nn.functional.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        [IMAGE],
    ),
    "max_pool2d_mask": (
        lambda p, x: p.nn.functional.max_pool2d(x, 2, return_mask=True),
        [IMAGE],
    ),
    "avg_pool2d": (lambda p, x: p.nn.functional.avg_pool2d(x, 3, 2, 1), [IMAGE]),
    "avg_pool2d_inclusive": (
        lambda p, x: p.nn.functional.avg_pool2d(x, 3, 2, 1, exclusive=False),
        [IMAGE],
    ),
    "adaptive_avg_pool2d": (lambda p, x: p.nn.functional.adaptive_avg_pool2d(x, 3), [IMAGE]),
    "adaptive_max_pool2d": (lambda p, x: p.nn.functional.adaptive_max_pool2d(x, 4), [IMAGE]),
    "global_avg_pool": (lambda p, x: p.nn.functional.adaptive_avg_pool2d(x, 1), [IMAGE]),
    "avg_pool1d": (lambda p, x: p.nn.functional.avg_pool1d(x, 2), [f(2, 3, 8)]),
    "max_pool1d": (lambda p, x: p.nn.functional.max_pool1d(x, 2), [f(2, 3, 8)]),
    "avg_pool3d": (lambda p, x: p.nn.functional.avg_pool3d(x, 2, 2), [VOLUME]),
    "max_pool3d": (lambda p, x: p.nn.functional.max_pool3d(x, 3, 2, 1), [VOLUME]),
    "lp_pool2d": (lambda p, x: p.nn.functional.lp_pool2d(x, 2.0, 2), [np.abs(IMAGE)]),
    "max_unpool2d": (
        lambda p, x: p.nn.functional.max_unpool2d(
            *p.nn.functional.max_pool2d(x, 2, return_mask=True), kernel_size=2
        ),
        [IMAGE],
    ),
}
_INTERPOLATION = {
    "nearest": (_interpolate(scale_factor=2, mode="nearest"), [IMAGE]),
    "nearest_size": (_interpolate(size=[5, 11], mode="nearest"), [IMAGE]),
    "bilinear": (_interpolate(scale_factor=[2.0, 1.5], mode="bilinear"), [IMAGE]),
    "bilinear_size": (_interpolate(size=[5, 11], mode="bilinear"), [IMAGE]),
    "bilinear_corners": (
        _interpolate(scale_factor=2, mode="bilinear", align_corners=True),
        [IMAGE],
    ),
    "bicubic": (_interpolate(scale_factor=2, mode="bicubic"), [IMAGE]),
    "linear": (_interpolate(scale_factor=2, mode="linear", data_format="NCW"), [f(2, 3, 8)]),
    "trilinear": (
        _interpolate(scale_factor=2, mode="trilinear", data_format="NCDHW"),
        [VOLUME],
    ),
    "area": (_interpolate(size=[4, 4], mode="area"), [IMAGE]),
    "upsample_fraction": (_interpolate(scale_factor=1.7, mode="nearest"), [IMAGE]),
}
_PADDING = {
    "pad_constant": (_pad([1, 2, 0, 1], value=0.3), [IMAGE]),
    "pad_infinite": (_pad([1, 2, 0, 1], value=float("-inf")), [IMAGE]),
    "pad_reflect": (_pad([1, 2, 1, 1], mode="reflect"), [IMAGE]),
    "pad_replicate": (_pad([1, 2, 1, 1], mode="replicate"), [IMAGE]),
    "pad_circular": (_pad([1, 2, 1, 1], mode="circular"), [IMAGE]),
    "pad_3d": (_pad([1, 1, 0, 2, 1, 0], value=1.5, data_format="NCDHW"), [VOLUME]),
    "pad_nd": (_pad([0, 0, 1, 2], value=0.7), [MATRIX]),
}
_REDUCTION = {
    **{
        name: (_unary(name, axis), [MATRIX])
        for name in ("sum", "mean", "max", "min", "prod", "logsumexp", "amax", "amin")
        for axis in (1,)
    },
    **{f"{name}_all": (_unary(name), [MATRIX]) for name in ("sum", "mean", "std", "var", "median")},
    "std": (_unary("std", 1), [MATRIX]),
    "var": (_unary("var", [0, 1], False, True), [MATRIX]),
    "median": (_unary("median", 1), [MATRIX]),
    "median_min": (lambda p, x: p.median(x, 1, mode="min"), [MATRIX]),
    "nanmedian": (_unary("nanmedian", 1), [MATRIX]),
    "nansum": (_unary("nansum", 1), [MATRIX]),
    "quantile": (lambda p, x: p.quantile(x, 0.3, 1), [MATRIX]),
    "all": (_unary("all", 1), [b(3, 4)]),
    "any": (_unary("any", 1), [b(3, 4)]),
    "norm_2": (lambda p, x: p.linalg.norm(x, 2, 1), [MATRIX]),
    "norm_p": (lambda p, x: p.linalg.norm(x, 3.5, 1), [MATRIX]),
    "norm_inf": (lambda p, x: p.linalg.norm(x, float("inf"), 1), [MATRIX]),
    "norm_fro": (lambda p, x: p.linalg.norm(x), [MATRIX]),
    "dist": (lambda p, x, y: p.dist(x, y, 3.0), [MATRIX, f(3, 4) * 0.5]),
    "cumsum": (_unary("cumsum", 1), [MATRIX]),
    "cumprod": (_unary("cumprod", 1), [MATRIX]),
    "cummax": (_unary("cummax", 1), [MATRIX]),
    "logcumsumexp": (_unary("logcumsumexp", 1), [MATRIX]),
    "count_nonzero": (_unary("count_nonzero", 1), [MATRIX]),
}
_ELEMENT = {
    **{
        name: (_unary(name), [MATRIX])
        for name in (
            *("abs", "ceil", "floor", "round", "sign", "exp", "expm1", "sin", "cos", "tan", "sinh"),
            *("cosh", "atan", "asinh", "square", "neg", "erf", "isnan", "isfinite", "trunc"),
            *("frac", "rad2deg", "stanh"),
        )
    },
    **{
        name: (_unary(name), [POSITIVE])
        for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "lgamma")
    },
    **{name: (_unary(name), [UNIT]) for name in ("asin", "acos", "atanh", "erfinv")},
    **{
        name: (_binary(name), [MATRIX, POSITIVE])
        for name in (
            *("add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin"),
            *("remainder", "atan2", "floor_divide", "greater_than", "less_equal", "equal"),
            *("not_equal", "isclose", "heaviside", "copysign", "hypot", "logaddexp"),
        )
    },
    "round_decimals": (lambda p, x: p.round(x, 1), [MATRIX]),
    "pow": (lambda p, x: p.pow(x, 2.5), [POSITIVE]),
    "pow_tensor": (_binary("pow"), [POSITIVE, f(3, 4)]),
    "clip": (lambda p, x: p.clip(x, -0.5, 1.0), [MATRIX]),
    "clip_infinite": (lambda p, x: p.clip(x, float("-inf"), 1.0), [MATRIX]),
    "scale": (lambda p, x: p.scale(x, 1.7, 0.3), [MATRIX]),
    "lerp": (lambda p, x, y: p.lerp(x, y, 0.3), [MATRIX, POSITIVE]),
    "logit": (lambda p, x: p.logit(x, 1e-3), [f(3, 4, low=0.0, high=1.0)]),
    "logical_and": (_binary("logical_and"), [b(3, 4), b(3, 4)[::-1].copy()]),
    "logical_not": (_unary("logical_not"), [b(3, 4)]),
    "bitwise_xor": (_binary("bitwise_xor"), [i(3, 4), i(3, 4)[::-1].copy()]),
    "integer_divide": (
        lambda p, x, y: x // y,
        [i(3, 4, low=-9, high=9), i(3, 4, low=1, high=4)],
    ),
    "divide_trunc": (
        lambda p, x, y: p.divide(x, y, rounding_mode="trunc"),
        [MATRIX, POSITIVE],
    ),
    "nan_to_num": (_unary("nan_to_num"), [MATRIX]),
    "cast": (lambda p, x: p.cast(x, "int32"), [MATRIX * 3]),
    "isin": (lambda p, x, y: p.isin(x, y), [i(3, 4), i(2)]),
    "full_nan": (lambda p, x: p.where(x > 0, x, p.full_like(x, float("nan"))), [MATRIX]),
    "full_infinite": (lambda p, x: p.where(x > 0, x, p.full_like(x, float("-inf"))), [MATRIX]),
}
_SHAPE = {
    "reshape": (lambda p, x: p.reshape(x, [-1, 2, 2]), [MATRIX]),
    "reshape_dynamic": (lambda p, x: p.reshape(x, [p.shape(x)[0], -1]), [IMAGE]),
    "transpose": (lambda p, x: p.transpose(x, [0, 2, 3, 1]), [IMAGE]),
    "flatten": (lambda p, x: p.flatten(x, 1), [IMAGE]),
    "squeeze": (lambda p, x: p.squeeze(x, 1), [f(3, 1, 4)]),
    "unsqueeze": (lambda p, x: p.unsqueeze(x, [0, 2]), [MATRIX]),
    "concat": (lambda p, x, y: p.concat([x, y], 1), [MATRIX, POSITIVE]),
    "stack": (lambda p, x, y: p.stack([x, y], 1), [MATRIX, POSITIVE]),
    "split": (lambda p, x: p.split(x, 2, 1), [MATRIX]),
    "split_sections": (lambda p, x: p.split(x, [1, -1], 1), [MATRIX]),
    "chunk": (lambda p, x: p.chunk(x, 2, 1), [MATRIX]),
    "unstack": (lambda p, x: p.unstack(x, 1), [MATRIX]),
    "unbind": (lambda p, x: p.unbind(x, 1), [MATRIX]),
    "expand": (lambda p, x: p.expand(x, [2, 3, 4]), [MATRIX]),
    "expand_as": (lambda p, x, y: p.expand_as(x, y), [f(1, 4), MATRIX]),
    "broadcast_to": (lambda p, x: p.broadcast_to(x, [2, 3, 4]), [MATRIX]),
    "tile": (lambda p, x: p.tile(x, [2, 1, 2]), [MATRIX]),
    "flip": (lambda p, x: p.flip(x, [1]), [MATRIX]),
    "roll": (lambda p, x: p.roll(x, 1, 1), [MATRIX]),
    "rot90": (lambda p, x: p.rot90(x), [MATRIX]),
    "shape": (lambda p, x: p.shape(x), [IMAGE]),
    "numel": (lambda p, x: p.numel(x), [IMAGE]),
    "tril": (lambda p, x: p.tril(x), [MATRIX]),
    "triu": (lambda p, x: p.triu(x, 1), [MATRIX]),
    "diag": (lambda p, x: p.diag(x), [f(4)]),
    "diagonal": (lambda p, x: p.diagonal(x), [MATRIX]),
    "unfold": (lambda p, x: p.nn.functional.unfold(x, 3, paddings=1), [IMAGE]),
    "fold": (lambda p, x: p.nn.functional.fold(x, [4, 4], 2, strides=2), [f(1, 12, 4)]),
    "pixel_shuffle": (lambda p, x: p.nn.functional.pixel_shuffle(x, 2), [f(1, 8, 3, 3)]),
    "pixel_unshuffle": (lambda p, x: p.nn.functional.pixel_unshuffle(x, 2), [IMAGE]),
    "channel_shuffle": (lambda p, x: p.nn.functional.channel_shuffle(x, 2), [f(1, 4, 3, 3)]),
    "repeat_interleave": (lambda p, x: p.repeat_interleave(x, 2, 1), [MATRIX]),
    "repeat_interleave_tensor": (
        lambda p, x, y: p.repeat_interleave(x, y, 1),
        [MATRIX, i(4, low=1, high=3)],
    ),
    "meshgrid": (lambda p, x, y: p.meshgrid(x, y), [f(3), f(4)]),
    "moveaxis": (lambda p, x: p.moveaxis(x, 1, 3), [IMAGE]),
}
_INDEX = {
    "slice": (lambda p, x: x[1:, :3], [MATRIX]),
    "strided_slice": (lambda p, x: x[:, ::2], [MATRIX]),
    "negative_step": (lambda p, x: x[:, ::-1], [MATRIX]),
    "get_item": (lambda p, x: x[1], [MATRIX]),
    "get_tensor": (lambda p, x, y: x[y], [MATRIX, i(2, high=3)]),
    "get_two_tensors": (lambda p, x, y, z: x[y, z], [MATRIX, i(2, high=3), i(2, high=4)]),
    "get_mask": (lambda p, x, y: x[y], [MATRIX, b(3, 4)]),
    "get_mixed": (lambda p, x, y: x[:, y], [MATRIX, i(2, high=4)]),
    "set_item": (_index_put, [MATRIX]),
    "set_mask": (_mask_put, [MATRIX]),
    "set_tensor": (_tensor_put, [MATRIX, i(2, high=3)]),
    "gather": (lambda p, x, y: p.gather(x, y, 1), [MATRIX, i(2, high=4)]),
    "gather_nd": (lambda p, x, y: p.gather_nd(x, y), [MATRIX, i(2, 2, high=3)]),
    "index_select": (lambda p, x, y: p.index_select(x, y, 1), [MATRIX, i(2, high=4)]),
    "index_sample": (lambda p, x, y: p.index_sample(x, y), [MATRIX, i(3, 2, high=4)]),
    "take_along_axis": (
        lambda p, x, y: p.take_along_axis(x, y, 1),
        [MATRIX, i(3, 2, high=4)],
    ),
    "put_along_axis": (
        lambda p, x, y: p.put_along_axis(x, y, 0.5, 1),
        [MATRIX, i(3, 1, high=4)],
    ),
    "scatter": (
        lambda p, x, y, z: p.scatter(x, y, z),
        [MATRIX, np.array([2, 0], "int64"), f(2, 4)],
    ),
    "scatter_nd_add": (
        lambda p, x, y, z: p.scatter_nd_add(x, y, z),
        [MATRIX, i(2, 1, high=3), f(2, 4)],
    ),
    "index_add": (
        lambda p, x, y, z: p.index_add(x, y, 0, z),
        [MATRIX, i(2, high=3), f(2, 4)],
    ),
    "index_fill": (lambda p, x, y: p.index_fill(x, y, 0, 0.5), [MATRIX, i(2, high=3)]),
    "masked_select": (lambda p, x, y: p.masked_select(x, y), [MATRIX, b(3, 4)]),
    "masked_fill": (lambda p, x, y: p.masked_fill(x, y, 0.5), [MATRIX, b(3, 4)]),
    "where": (lambda p, x, y: p.where(x > y, x, y), [MATRIX, POSITIVE]),
    "nonzero": (lambda p, x: p.nonzero(x), [b(3, 4)]),
    "one_hot": (lambda p, x: p.nn.functional.one_hot(x, 5), [i(4)]),
    "embedding_op": (
        lambda p, x: p.nn.functional.embedding(x, p.ones([5, 3]) * 0.5),
        [i(2, 3)],
    ),
    "multiplex": (
        lambda p, x, y, z: p.multiplex([x, y], z),
        [MATRIX, POSITIVE, i(3, 1, high=2, dtype="int32")],
    ),
    "shard_index": (lambda p, x: p.shard_index(x, 20, 2, 0), [i(3, 1, high=20)]),
    "arange": (lambda p, x: p.arange(0, 3, 0.5) + x.sum(), [MATRIX]),
    "arange_tensor": (
        lambda p, x: p.arange(0, p.shape(x)[0] * 3, 2).astype("float32") + x.sum(),
        [MATRIX],
    ),
    "linspace": (lambda p, x: p.linspace(0, 1, 5) + x.sum(), [MATRIX]),
    "eye": (lambda p, x: p.eye(3) + x, [SQUARE]),
    "zeros_like": (lambda p, x: p.zeros_like(x) + p.ones_like(x), [MATRIX]),
    "assign_value": (
        lambda p, x: x + p.assign(np.array([1.0, 2.0, 3.0, 4.0], "float32")),
        [MATRIX],
    ),
}
_SORTING = {
    "sort": (lambda p, x: p.sort(x, 1), [MATRIX]),
    "argsort": (lambda p, x: p.argsort(x, 1, descending=True), [MATRIX]),
    "topk": (lambda p, x: p.topk(x, 2, 1), [MATRIX]),
    "kthvalue": (lambda p, x: p.kthvalue(x, 2, 1), [MATRIX]),
    "mode": (lambda p, x: p.mode(x, 1), [MATRIX]),
    "argmax": (lambda p, x: p.argmax(x, 1), [MATRIX]),
    "argmin": (lambda p, x: p.argmin(x, 1, keepdim=True), [MATRIX]),
    "unique": (lambda p, x: p.unique(x, return_index=True), [i(6)]),
    "searchsorted": (lambda p, x, y: p.searchsorted(p.sort(x), y), [f(6), f(3)]),
    "bincount": (lambda p, x: p.bincount(x, minlength=6), [i(6)]),
    "histogram": (lambda p, x: p.histogram(x, 4, -2, 2), [MATRIX]),
    "max_index": (lambda p, x: (p.max(x, 1), p.argmax(x, 1)), [MATRIX]),
}
_LINEAR = {
    "matmul": (lambda p, x, y: p.matmul(x, y, transpose_y=True), [MATRIX, POSITIVE]),
    "bmm": (lambda p, x: p.bmm(x, x), [SQUARE]),
    "mv": (lambda p, x, y: p.mv(x, y), [MATRIX, f(4)]),
    "dot": (lambda p, x, y: p.dot(x, y), [f(4), f(4) * 2]),
    "addmm": (
        lambda p, x, y, z: p.addmm(x, y, z, beta=0.5, alpha=2.0),
        [f(3, 5), MATRIX, f(4, 5)],
    ),
    "outer": (lambda p, x, y: p.outer(x, y), [f(3), f(4)]),
    "kron": (lambda p, x, y: p.kron(x, y), [f(2, 2), f(2, 3)]),
    "cross": (lambda p, x, y: p.cross(x, y, axis=1), [f(4, 3), f(4, 3) * 0.3 + 1]),
    "einsum": (lambda p, x, y: p.einsum("ij,kj->ik", x, y), [MATRIX, POSITIVE]),
    "trace": (lambda p, x: p.trace(x), [MATRIX]),
    "det": (lambda p, x: p.linalg.det(x), [SQUARE]),
    "slogdet": (lambda p, x: p.linalg.slogdet(x), [SQUARE]),
    "inverse": (lambda p, x: p.linalg.inv(x), [SQUARE]),
    "cholesky": (
        lambda p, x: p.linalg.cholesky(p.matmul(x, x, transpose_y=True)),
        [SQUARE],
    ),
    "qr": (lambda p, x: p.linalg.qr(x)[1].abs(), [SQUARE]),
    "svd": (lambda p, x: p.linalg.svd(x)[1], [SQUARE]),
    "solve": (lambda p, x, y: p.linalg.solve(x, y), [SQUARE, f(2, 3, 1)]),
    "triangular_solve": (
        lambda p, x, y: p.linalg.triangular_solve(x, y),
        [SQUARE, f(2, 3, 1)],
    ),
    "eigvalsh": (lambda p, x: p.linalg.eigvalsh(x + x.transpose([0, 2, 1])), [SQUARE]),
    "matrix_power": (lambda p, x: p.linalg.matrix_power(x, 3), [SQUARE]),
    "lu": (lambda p, x: p.linalg.lu(x)[0], [SQUARE]),
    "pinv": (lambda p, x: p.linalg.pinv(x), [SQUARE]),
    "cosine_similarity": (
        lambda p, x, y: p.nn.functional.cosine_similarity(x, y, 1),
        [MATRIX, POSITIVE],
    ),
    "fft": (lambda p, x: p.abs(p.fft.rfft(x)), [MATRIX]),
    "complex": (lambda p, x: p.as_real(p.as_complex(x) * 2), [f(3, 2)]),
    "grid_sample": (
        lambda p, x, y: p.nn.functional.grid_sample(x, y),
        [IMAGE, f(2, 4, 4, 2, low=-1.0, high=1.0)],
    ),
    "affine_grid": (
        lambda p, x: p.nn.functional.affine_grid(x, [2, 3, 4, 4]),
        [f(2, 2, 3)],
    ),
    "label_smooth": (lambda p, x: p.nn.functional.label_smooth(x), [POSITIVE]),
    "cross_entropy": (
        lambda p, x, y: p.nn.functional.cross_entropy(x, y, reduction="none"),
        [MATRIX, i(3, high=4)],
    ),
    "attention": (
        lambda p, x: p.nn.functional.scaled_dot_product_attention(x, x, x),
        [f(1, 4, 2, 8)],
    ),
    "sequence_mask": (lambda p, x: p.nn.functional.sequence_mask(x, 5), [i(3, low=1)]),
    "temporal_shift": (
        lambda p, x: p.nn.functional.temporal_shift(x, 2, 0.25),
        [f(4, 4, 3, 3)],
    ),
    "local_response_norm": (
        lambda p, x: p.nn.functional.local_response_norm(x, 3),
        [IMAGE],
    ),
}
_RECENT = {
    "rms_norm": (lambda p, x: p.nn.functional.rms_norm(x, [4])[0], [MATRIX]),
    "rms_norm_weight": (
        lambda p, x, y: p.nn.functional.rms_norm(x, [3, 4], y, 1e-4)[0],
        [f(2, 3, 4), f(3, 4)],
    ),
    "fused_rms_norm": (
        lambda p, x, y: p.incubate.nn.functional.fused_rms_norm(x, y, None, 1e-6, 1)[0],
        [MATRIX, f(4)],
    ),
    "fused_rms_norm_ext": (
        lambda p, x, y: p.incubate.nn.functional.fused_rms_norm_ext(x, y)[0],
        [MATRIX, f(4)],
    ),
    "slogdet_pair": (lambda p, x: list(p.compat.slogdet(x)), [SQUARE]),
    "median_pair": (lambda p, x: list(p.compat.median(x, 1)), [MATRIX]),
    "max_pair": (lambda p, x: list(p.compat.max(x, 1)), [MATRIX]),
    "min_pair": (lambda p, x: list(p.compat.min(x, 1)), [MATRIX]),
    "antialias": (
        lambda p, x: p.nn.functional.interpolate(x, size=[4, 5], mode="bilinear", antialias=True),
        [IMAGE],
    ),
    "median_even": (lambda p, x: p.median(x, [0, 1][0], keepdim=True), [MATRIX]),
    "median_nan": (
        lambda p, x: p.median(x, 1),
        [np.where(MATRIX > 1.5, np.float32("nan"), MATRIX)],
    ),
    "median_integer": (lambda p, x: p.median(x, 1), [i(3, 5, high=50)]),
    "masked_fill_broadcast": (
        lambda p, x, y, z: p.masked_fill(x, y, z),
        [f(2, 3, 4), b(3, 1), f(1)],
    ),
    "masked_fill_dynamic": (
        lambda p, x, y, z: p.masked_fill(x, y, z),
        [f(2, 3, 4), b(1, 3, 1), f(2, 1, 1)],
    ),
    "median_dynamic": (lambda p, x: p.median(x), [f(3, 5)]),
    "median_infinite": (
        lambda p, x: p.median(x, -1),
        [np.where(MATRIX > 1.5, np.float32("inf"), MATRIX)],
    ),
    "trunc_divide_dynamic": (
        lambda p, x, y: p.divide(x, y, rounding_mode="trunc"),
        [f(2, 3, 1) * 7, f(1, 3, 4, low=0.5)],
    ),
    "slogdet_pair_dynamic": (lambda p, x: list(p.compat.slogdet(x)), [SQUARE]),
    "pool_dynamic": (lambda p, x: p.nn.functional.max_pool2d(x, 2), [IMAGE]),
    "masked_fill_integer": (lambda p, x, y: p.masked_fill(x, y, 7), [i(3, 4), b(3, 4)]),
    "divide_trunc_integer": (
        lambda p, x, y: p.divide(x, y, rounding_mode="trunc"),
        [i(3, 4, low=-9, high=9), i(4, low=1, high=4)],
    ),
    "divide_floor": (
        lambda p, x, y: p.divide(x, y, rounding_mode="floor"),
        [MATRIX, POSITIVE],
    ),
    "nansum_nan": (
        lambda p, x: p.nansum(x, 1),
        [np.where(MATRIX > 1.5, np.float32("nan"), MATRIX)],
    ),
    "depthwise_bias": (
        lambda p, x, y, z: p.nn.functional.conv2d(x, y, z, groups=3),
        [IMAGE, f(3, 1, 3, 3), f(3)],
    ),
    "linear_function": (
        lambda p, x, y, z: p.nn.functional.linear(x, y, z),
        [MATRIX, f(4, 5), f(5)],
    ),
}
_CONTROL = {
    "while": (_loop, [MATRIX]),
    "if": (_branch, [MATRIX]),
    "if_negative": (_branch, [-POSITIVE]),
}

ZOO = {
    **_F,
    **_POOLING,
    **_INTERPOLATION,
    **_PADDING,
    **_REDUCTION,
    **_ELEMENT,
    **_SHAPE,
    **_INDEX,
    **_SORTING,
    **_LINEAR,
    **_RECENT,
    **_CONTROL,
}

LAYERS = {
    "conv2d": (lambda p: p.nn.Conv2D(3, 4, 3, padding=1), [IMAGE]),
    "conv2d_same": (lambda p: p.nn.Conv2D(3, 4, 3, stride=2, padding="SAME"), [IMAGE]),
    "conv2d_depthwise": (lambda p: p.nn.Conv2D(3, 3, 3, groups=3), [IMAGE]),
    "conv1d": (lambda p: p.nn.Conv1D(3, 4, 3), [f(2, 3, 8)]),
    "conv3d": (lambda p: p.nn.Conv3D(2, 3, 3), [VOLUME]),
    "conv2d_transpose": (lambda p: p.nn.Conv2DTranspose(3, 4, 3, stride=2), [IMAGE]),
    "linear_layer": (lambda p: p.nn.Linear(4, 5), [MATRIX]),
    "bilinear_layer": (lambda p: p.nn.Bilinear(4, 4, 5), [MATRIX, POSITIVE]),
    "embedding": (lambda p: p.nn.Embedding(5, 4), [i(2, 3)]),
    "batch_norm": (lambda p: p.nn.BatchNorm2D(3), [IMAGE]),
    "layer_norm": (lambda p: p.nn.LayerNorm(4), [MATRIX]),
    "group_norm": (lambda p: p.nn.GroupNorm(3, 3), [IMAGE]),
    "instance_norm": (lambda p: p.nn.InstanceNorm2D(3), [IMAGE]),
    "spectral_norm": (lambda p: p.nn.SpectralNorm([4, 3], power_iters=1), [f(4, 3)]),
    "prelu": (lambda p: p.nn.PReLU(3, init=0.3), [IMAGE]),
    "dropout": (lambda p: p.nn.Dropout(0.5), [MATRIX]),
    "lstm": (lambda p: p.nn.LSTM(4, 5, direction="bidirect"), [f(2, 3, 4)]),
    "gru": (lambda p: p.nn.GRU(4, 5), [f(2, 3, 4)]),
    "simple_rnn": (lambda p: p.nn.SimpleRNN(4, 5), [f(2, 3, 4)]),
    "transformer_layer": (
        lambda p: p.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0),
        [f(2, 3, 8)],
    ),
    "upsample_layer": (lambda p: p.nn.Upsample(scale_factor=2, mode="bilinear"), [IMAGE]),
}
