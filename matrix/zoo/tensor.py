"""Arithmetic, reductions, comparison, sorting, shapes and indexing."""

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import FLAGS, IDS, POSITIVE, ROWS, SEQUENCE, WIDE, Family, linear

CUBE = Input((None, 4, 6))
SMALL = Input((None, 6), low=-0.9, high=0.9)
NUMBERS = Input((None, 6), "int32", -9, 9)
COUNTS = Input((None, 6), "int64", 1, 9)

arithmetic = Family("arithmetic")
for name, function in {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "maximum": paddle.maximum,
    "minimum": paddle.minimum,
    "fmax": paddle.fmax,
    "atan2": paddle.atan2,
    "broadcast_add": lambda x, y: x.unsqueeze(1) + y.unsqueeze(2),
    "lerp": lambda x, y: paddle.lerp(x, y, 0.3),
    "add_n": lambda x, y: paddle.add_n([x, y, x]),
    "squared_error": F.mse_loss,
    "smooth_l1": F.smooth_l1_loss,
}.items():
    arithmetic.op(name, function, ROWS, ROWS, before=linear)
arithmetic.op("divide", lambda x, y: x / y, ROWS, POSITIVE, before=linear)
arithmetic.op("power", paddle.pow, POSITIVE, ROWS)
arithmetic.op("remainder", lambda x, y: x % y, WIDE, POSITIVE)
arithmetic.op("floor_divide", lambda x, y: x // y, NUMBERS, Input((None, 6), "int32", 1, 5))
arithmetic.op("integer_arithmetic", lambda x, y: x * y + x - 2, IDS, COUNTS)
for name, function in {
    "abs": paddle.abs,
    "exp": paddle.exp,
    "expm1": paddle.expm1,
    "sin": paddle.sin,
    "cos": paddle.cos,
    "tan": paddle.tan,
    "sinh": paddle.sinh,
    "cosh": paddle.cosh,
    "atan": paddle.atan,
    "erf": paddle.erf,
    "floor": paddle.floor,
    "ceil": paddle.ceil,
    "round": paddle.round,
    "trunc": paddle.trunc,
    "sign": paddle.sign,
    "square": paddle.square,
    "negate": paddle.neg,
    "clip": lambda x: paddle.clip(x, -0.5, 0.75),
    "scale": lambda x: paddle.scale(x, 2.5, 1.0, bias_after_scale=False),
    "power_scalar": lambda x: x**2 + 1.5,
    "stanh": paddle.stanh,
}.items():
    arithmetic.op(name, function, WIDE, before=linear)
for name in ("log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "digamma", "lgamma"):
    arithmetic.op(name, getattr(paddle, name), POSITIVE)
for name in ("asin", "acos", "atanh", "erfinv"):
    arithmetic.op(name, getattr(paddle, name), SMALL, tolerance=1e-4)
arithmetic.op("logit", lambda x: paddle.logit(x, 1e-3), Input((None, 6), low=0.01, high=0.99))
for kind in ("float64", "int32", "int64", "bool"):
    arithmetic.op(f"cast_{kind}", lambda x, kind=kind: paddle.cast(x, kind), WIDE)
arithmetic.op("cast_to_float", lambda x: paddle.cast(x, "float32") * 0.5, IDS)

reduction = Family("reduction")
for name, function in {
    "sum": lambda x: x.sum(-1),
    "sum_all": lambda x: x.sum(),
    "sum_keep": lambda x: x.sum([1, 2], keepdim=True),
    "mean": lambda x: x.mean(1),
    "mean_all": lambda x: x.mean(),
    "max": lambda x: x.max(-1),
    "min": lambda x: x.min([1, 2]),
    "amax": lambda x: paddle.amax(x, 1),
    "prod": lambda x: x.prod(-1),
    "logsumexp": lambda x: paddle.logsumexp(x, -1),
    "std": lambda x: x.std(-1),
    "variance": lambda x: x.var(1, unbiased=False),
    "norm_one": lambda x: paddle.norm(x, p=1, axis=-1),
    "norm_two": lambda x: paddle.norm(x, p=2, axis=1, keepdim=True),
    "norm_three": lambda x: paddle.norm(x, p=3, axis=-1),
    "norm_infinity": lambda x: paddle.norm(x, p=float("inf"), axis=-1),
    "norm_frobenius": lambda x: paddle.norm(x, p="fro", axis=[1, 2]),
    "median": lambda x: paddle.median(x, -1),
    "cumsum": lambda x: paddle.cumsum(x, 1),
    "cumprod": lambda x: paddle.cumprod(x, 1),
    "logcumsumexp": lambda x: paddle.logcumsumexp(x, -1),
    "cummax": lambda x: paddle.cummax(x, 1),
    "argmax": lambda x: x.argmax(-1),
    "argmax_keep": lambda x: x.argmax(1, keepdim=True),
    "argmin": lambda x: x.argmin(1),
    "argmax_int32": lambda x: paddle.argmax(x, -1, dtype="int32"),
    "count_nonzero": lambda x: paddle.count_nonzero(x > 0, axis=-1),
    "nanmean": lambda x: paddle.nanmean(x, 1),
    "quantile": lambda x: paddle.quantile(x, 0.3, axis=-1),
}.items():
    reduction.op(name, function, CUBE, before=linear)
reduction.op("all", lambda x: paddle.all(x, -1), FLAGS)
reduction.op("any", lambda x: paddle.any(x, 0, keepdim=True), FLAGS)
reduction.op("integer_sum", lambda x: x.sum(-1), IDS)

comparison = Family("comparison")
for name in (
    "equal",
    "not_equal",
    "less_than",
    "less_equal",
    "greater_than",
    "greater_equal",
    "bitwise_and",
    "bitwise_xor",
):
    comparison.op(name, getattr(paddle, name), IDS, COUNTS)
for name in ("logical_and", "logical_or", "logical_xor"):
    comparison.op(name, getattr(paddle, name), FLAGS, FLAGS)
comparison.op("logical_not", paddle.logical_not, FLAGS)
comparison.op("bitwise_not", paddle.bitwise_not, NUMBERS)
comparison.op("isnan", lambda x: paddle.isnan(paddle.log(x)), ROWS)
comparison.op("isinf", lambda x: paddle.isinf(x / (x * 0.0)), WIDE)
comparison.op("isfinite", lambda x: paddle.isfinite(paddle.sqrt(x)), WIDE)
comparison.op("isclose", lambda x, y: paddle.isclose(x, y, atol=0.5), ROWS, ROWS)
comparison.op("allclose", lambda x, y: paddle.allclose(x, y, atol=5.0), ROWS, ROWS)
comparison.op("equal_all", lambda x, y: paddle.equal_all(x, y), IDS, IDS)

sorting = Family("sorting")
for name, function in {
    "sort": lambda x: paddle.sort(x, -1),
    "sort_descending": lambda x: paddle.sort(x, 1, descending=True),
    "argsort": lambda x: paddle.argsort(x, -1),
    "topk": lambda x: paddle.topk(x, 3),
    "topk_smallest": lambda x: paddle.topk(x, 2, axis=1, largest=False),
    "kthvalue": lambda x: paddle.kthvalue(x, 2, -1),
    "kthvalue_keep": lambda x: paddle.kthvalue(x, 3, 1, keepdim=True),
}.items():
    sorting.op(name, function, CUBE, before=linear)
sorting.op("mode", lambda x: paddle.mode(x, -1)[0], Input((None, 6), "int64", 0, 3))
sorting.op("unique", lambda x: paddle.unique(x, return_counts=True), Input((9,), "int64", 0, 4))
sorting.op("unique_consecutive", paddle.unique_consecutive, Input((9,), "int64", 0, 2))
sorting.op(
    "searchsorted", lambda x, y: paddle.searchsorted(paddle.sort(x, -1), y), Input((8,)), ROWS
)
sorting.op("bucketize", lambda x: paddle.bucketize(x, paddle.arange(5, dtype="float32")), POSITIVE)

shaping = Family("shapes")
for name, function in {
    "reshape": lambda x: paddle.reshape(x, [-1, 8, 3]),
    "reshape_zero": lambda x: paddle.reshape(x, [0, 0, 2, 3]),
    "reshape_like": lambda x: paddle.reshape(x, [paddle.shape(x)[0], -1]),
    "flatten": lambda x: paddle.flatten(x, 1),
    "flatten_all": paddle.flatten,
    "squeeze": lambda x: paddle.squeeze(x[:, :1], 1),
    "unsqueeze": lambda x: paddle.unsqueeze(x, [0, 2]),
    "transpose": lambda x: paddle.transpose(x, [2, 0, 1]),
    "moveaxis": lambda x: paddle.moveaxis(x, 0, 2),
    "concat": lambda x: paddle.concat([x, x * 2.0, x[:, :1]], axis=1),
    "stack": lambda x: paddle.stack([x, x + 1.0], axis=1),
    "split": lambda x: paddle.split(x, 2, axis=1),
    "split_sections": lambda x: paddle.split(x, [1, 2, -1], axis=2),
    "chunk": lambda x: paddle.chunk(x, 3, axis=-1),
    "unbind": lambda x: paddle.unbind(x, axis=1),
    "unstack": lambda x: paddle.unstack(x, axis=1),
    "tile": lambda x: paddle.tile(x, [1, 2, 3]),
    "expand": lambda x: paddle.expand(x[:, :1], [-1, 5, 6]),
    "expand_as": lambda x: paddle.expand_as(x[:, :1], x),
    "broadcast_to": lambda x: paddle.broadcast_to(x[:1], [3, 4, 6]),
    "flip": lambda x: paddle.flip(x, [1, 2]),
    "roll": lambda x: paddle.roll(x, [1, -2], [1, 2]),
    "rot90": lambda x: paddle.rot90(x, 1, [1, 2]),
    "repeat_interleave": lambda x: paddle.repeat_interleave(x, 2, axis=1),
    "tril": lambda x: paddle.tril(x, -1),
    "triu": lambda x: paddle.triu(x, 1),
    "diagonal": lambda x: paddle.diagonal(x, 0, 1, 2),
    "diag_embed": lambda x: paddle.diag_embed(x[:, 0]),
    "crop": lambda x: paddle.crop(x, shape=[-1, 2, 3], offsets=[0, 1, 2]),
    "shape": lambda x: (paddle.shape(x), x * 2.0),
    "numel": lambda x: paddle.numel(x),
    "strided_slice": lambda x: paddle.strided_slice(x, [1, 2], [0, 1], [4, 6], [2, 3]),
    "slice_function": lambda x: paddle.slice(x, [1, 2], [1, -3], [3, 6]),
    "zeros_like": lambda x: paddle.zeros_like(x) + paddle.ones_like(x) * 3.0,
    "full_like": lambda x: paddle.full_like(x, 2.5),
    "arange": lambda x: x + paddle.arange(0, 6, 1, dtype="float32"),
    "arange_dynamic": lambda x: paddle.arange(paddle.shape(x)[0]),
    "linspace": lambda x: x * paddle.linspace(0.0, 1.0, 6),
    "linspace_by_size": lambda x: paddle.linspace(0.0, 1.0, paddle.shape(x)[0] + 1),
    "eye": lambda x: paddle.matmul(x, paddle.eye(6, 3)),
    "constant": lambda x: x + paddle.to_tensor([[0.5] * 6] * 4),
    "full_dynamic": lambda x: paddle.full([paddle.shape(x)[0], 2], 1.5) + x[:, 0, :2],
}.items():
    shaping.op(name, function, CUBE, before=linear)
shaping.op("meshgrid", lambda x, y: paddle.meshgrid(x, y), Input((4,)), Input((None,)))
shaping.op("diag", paddle.diag, Input((4,)))
shaping.op("tril_indices", lambda x: x + paddle.tril_indices(3, 3, 0).sum(), IDS)
shaping.op("sequence_mask", lambda x: F.sequence_mask(x, 9), Input((None,), "int64", 1, 9))
shaping.op("one_hot", lambda x: F.one_hot(x, 6), IDS)
shaping.op("label_smooth", lambda x: F.label_smooth(F.one_hot(x, 6)), IDS)
shaping.op("dynamic_everything", lambda x: paddle.transpose(x, [0, 2, 1]).flatten(1), SEQUENCE)

indexing = Family("indexing")
for name, function in {
    "negative_step": lambda x: x[:, ::-1],
    "negative_step_two": lambda x: x[:, 3:0:-2, ::-1],
    "stepped_slice": lambda x: x[:, ::2, 1:5:2],
    "ellipsis": lambda x: x[..., 1],
    "none_index": lambda x: x[:, None, 1:],
    "integer_index": lambda x: x[:, -1, 2],
    "list_index": lambda x: x[:, [0, 2, 1]],
    "mask_index": lambda x: x[x > 0.1],
    "nonzero": lambda x: paddle.nonzero(x > 0),
    "masked_select": lambda x: paddle.masked_select(x, x < 0.3),
    "masked_fill": lambda x: paddle.where(x > 0, x, paddle.full_like(x, -1.0)),
    "index_select": lambda x: paddle.index_select(x, paddle.to_tensor([2, 0]), axis=1),
    "gather": lambda x: paddle.gather(x, paddle.to_tensor([3, 1, 1]), axis=1),
    "gather_nd": lambda x: paddle.gather_nd(x, paddle.to_tensor([[0, 1], [0, 3]])),
    "take_along_axis": lambda x: paddle.take_along_axis(x, paddle.argsort(x, 1), 1),
    "scatter_nd_add": lambda x: paddle.scatter_nd_add(
        x[0], paddle.to_tensor([[1], [2]]), paddle.ones([2, 6])
    ),
    "scatter": lambda x: paddle.scatter(x[0], paddle.to_tensor([2, 1]), paddle.ones([2, 6])),
    "index_add": lambda x: paddle.index_add(x[0], paddle.to_tensor([0, 2]), 0, x[0, :2]),
}.items():
    indexing.op(name, function, CUBE, before=linear)
indexing.op("index_sample", paddle.index_sample, ROWS, IDS)
indexing.op(
    "put_along_axis", lambda x, y: paddle.put_along_axis(x, y[:, :1], x[:, 1:2], 1), ROWS, IDS
)
indexing.op("where", paddle.where, FLAGS, ROWS, ROWS)
indexing.op("multiplex", lambda x, y: paddle.multiplex([x, y], paddle.zeros([3, 1], "int32")),
            Input((3, 6)), Input((3, 6)))  # fmt: skip


class Assignment(paddle.nn.Layer):
    """A layer of its own: only converted code binds the name anew."""

    def forward(self, x: Any) -> Any:
        y = x * 1.0
        y[:, 1:3] = 0.5
        y[:, 0, 2] = y[:, 3, 3]
        return y


indexing.layer("slice_assignment", Assignment, CUBE)
