"""Small but hard Paddle models: public API in argument forms that people rarely test."""

import math

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec

MODELS = {}


class Draw:
    """Short names for what the inputs need."""

    def __init__(self, seed):
        self.g = np.random.default_rng(seed)

    def f(self, *shape, dtype="float32"):
        return self.g.standard_normal(shape).astype(dtype)

    def u(self, lo, hi, *shape, dtype="float32"):
        return self.g.uniform(lo, hi, shape).astype(dtype)

    def i(self, lo, hi, *shape, dtype="int64"):
        return self.g.integers(lo, hi, shape).astype(dtype)

    def b(self, *shape):
        return self.g.random(shape) < 0.5

    def perm(self, n, dtype="int64"):
        return self.g.permutation(n).astype(dtype)


def zoo(specs, feed, *sizes):
    """Enters a layer class: specs are (name, shape[, dtype]); feed draws the inputs of one size."""

    def enter(cls):
        def make():
            paddle.seed(7)
            layer = cls()
            spec = [InputSpec(s[1], s[2] if len(s) > 2 else "float32", s[0]) for s in specs]
            return layer, spec, [feed(Draw(n + 1), *size) for n, size in enumerate(sizes)]

        MODELS[cls.__name__] = make
        return cls

    return enter


def weights(layer, *shape, scale=1.0, dtype="float32"):
    """A parameter with uniform values."""
    return layer.create_parameter(
        list(shape), dtype=dtype, default_initializer=nn.initializer.Uniform(-scale, scale)
    )


# ---------------------------------------------------------------- shapes as lists, tensors, mixes


@zoo(
    [("tokens", [None, None, 12]), ("heads_of", [None, 4])],
    lambda g, n, t, m: [g.f(n, t, 12), g.f(m, 4)],
    (2, 3, 5),
    (4, 1, 2),
)
class SplitHeadsByNeighbourShape(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qk = nn.Linear(12, 24)

    def forward(self, tokens, heads_of):
        heads = paddle.shape(heads_of)[1]
        both = paddle.reshape(self.qk(tokens), [0, -1, 2, heads, 3])
        q, k = both.transpose([2, 0, 3, 1, 4]).unbind(0)
        score = paddle.matmul(q, k, transpose_y=True) * (3**-0.5) + heads_of.mean(0).unsqueeze(
            [0, -1, -2]
        )
        merged = paddle.matmul(F.softmax(score, -1), q).transpose([0, 2, 1, 3])
        return merged.reshape([paddle.shape(tokens)[0], paddle.shape(tokens)[1], -1]), score.sum(
            [-1, -2]
        )


@zoo(
    [("flat", [None, 6]), ("ref", [None, None, None])],
    lambda g, n: [g.f(n, 6), g.f(n, 2, 3)],
    (4,),
    (1,),
)
class ReshapeToWholeShapeOfOther(nn.Layer):
    def forward(self, flat, ref):
        like = paddle.reshape(flat, paddle.shape(ref)) * ref
        size = paddle.shape(ref)
        turned = paddle.reshape(like, paddle.stack([size[2], size[0] * size[1]]))
        back = turned.t().reshape(paddle.concat([size[1:], size[:1]]))
        return back, like.flatten(1, -1), turned.reshape([-1])


@zoo([("wave", [None, None])], lambda g, n, t: [g.f(n, 2 * t)], (3, 4), (1, 7))
class HaarByComputedShape(nn.Layer):
    def forward(self, wave):
        size = paddle.shape(wave).astype("int32")
        half = size // paddle.to_tensor([1, 2], dtype="int32")
        pairs = wave.reshape(paddle.concat([half, paddle.full([1], 2, "int32")]))
        low = pairs.sum(-1) * (0.5**0.5)
        high = (pairs[..., 0] - pairs[..., 1]) * (0.5**0.5)
        out = paddle.concat([low, high], axis=paddle.full([], 1, "int32"))
        return out.reshape(size), paddle.linalg.norm(out, axis=-1) / paddle.linalg.norm(
            wave, axis=-1
        )


@zoo(
    [("x", [None, 5]), ("k", [], "int64")],
    lambda g, n, k: [g.f(n, 5), np.array(k, "int64")],
    (3, 2),
    (6, 4),
)
class FilledByTensors(nn.Layer):
    def forward(self, x, k):
        top = paddle.full([paddle.shape(x)[0], k], x.max())
        like = paddle.full_like(x, x.min(), dtype="float32")
        zero = paddle.zeros(paddle.shape(x), "int16") + paddle.full([1, 5], 3, "int16")
        one = paddle.ones([k, 1, k], dtype="float64") * x.mean().astype("float64")
        return (
            top.cumsum(1),
            like - x,
            zero,
            one.sum(axis=[0, 2]).astype("float32"),
            paddle.full([], True, "bool"),
        )


@zoo([("x", [None, None, 4])], lambda g, n, t: [g.f(n, t, 4)], (2, 3), (5, 1))
class ExpandsAndTiles(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bias = weights(self, 1, 1, 4)
        self.cls = weights(self, 4)

    def forward(self, x):
        n, t = paddle.shape(x)[0], paddle.shape(x)[1]
        cls = paddle.expand(self.cls, [n, 1, -1])
        bias = paddle.expand(
            self.bias, paddle.concat([paddle.shape(x)[:2], paddle.shape(self.cls)])
        )
        seq = paddle.concat([cls, x + bias], axis=-2)
        tiled = paddle.tile(self.cls, [t, 2])
        whole = paddle.tile(x.mean(-1), repeat_times=paddle.stack([t, n]))
        spread = paddle.broadcast_to(x.sum(), paddle.shape(x)) - x
        return seq, tiled, whole, paddle.expand_as(self.cls, x) * spread


@zoo(
    [("start", [], "float32"), ("count", [1], "int32"), ("x", [None, None])],
    lambda g, s, c, n, t: [np.array(s, "float32"), np.array([c], "int32"), g.f(n, t)],
    (0.5, 4, 2, 5),
    (-1.0, 9, 3, 3),
)
class RampsOfTensors(nn.Layer):
    def forward(self, start, count, x):
        t = paddle.shape(x)[1]
        steps = paddle.arange(0, t, 1, dtype="float32")
        down = paddle.arange(t - 1, -1, -1).astype("float32")
        line = paddle.linspace(start, start + 3.0, count)
        logs = paddle.logspace(start - 1.0, start, count, base=2.0)
        pos = (x * steps).sum(-1, keepdim=True) - x * down
        return pos, paddle.outer(line, logs), paddle.arange(count[0] * 2, dtype="int64") % 3


@zoo([("v", [None]), ("m", [None, None])], lambda g, n, t: [g.f(n), g.f(n, t)], (4, 3), (2, 6))
class DiagonalsEverywhere(nn.Layer):
    def forward(self, v, m):
        d = paddle.diag(v, offset=-1, padding_value=0.25)
        e = paddle.diag_embed(m, offset=1, dim1=0, dim2=-1)
        low = paddle.tril(m, diagonal=-1) + paddle.triu(m, diagonal=2)
        rows, cols = paddle.tril_indices(2, 2, -1).unbind(0)
        picked = m[rows, cols]
        return (
            d,
            e,
            paddle.diagonal(e, offset=1, axis1=0, axis2=-1),
            low,
            paddle.trace(e, -1, axis1=-1, axis2=0),
            picked,
        )


@zoo([("x", [None, 1, None, 1, 5])], lambda g, n, t: [g.f(n, 1, t, 1, 5)], (2, 3), (4, 2))
class SqueezedByTensorAxes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(5)

    def forward(self, x):
        a = self.norm(x.squeeze([1, -2]))
        b = paddle.unsqueeze(a, axis=[0, -1, 2])
        c = paddle.unsqueeze(a, axis=paddle.to_tensor([1, 2], dtype="int32"))
        d = paddle.squeeze(b, axis=[0, 1, 2])
        e = x.squeeze(axis=-2).squeeze(1) - a
        return (
            b.mean(axis=1),
            c * 2,
            d.squeeze(-1),
            e,
            x.flatten(1, 3),
            x.flatten(start_axis=-3, stop_axis=-2),
        )


@zoo(
    [("x", [None, None, 10]), ("cut", [1], "int32")],
    lambda g, n, t, c: [g.f(n, t, 10), np.array([c], "int32")],
    (2, 4, 1),
    (3, 6, 4),
)
class SplitsOfManySections(nn.Layer):
    def forward(self, x, cut):
        a, b, c = paddle.split(x, [2, -1, 3], axis=-1)
        d, e = paddle.split(x, 2, axis=paddle.full([], 2, "int64"))
        f, g, h = paddle.chunk(x[:, :, 1:], 3, axis=-1)
        last = paddle.unstack(x.transpose([2, 0, 1])[:3], axis=0)
        joined = paddle.concat((c, a, b), axis=paddle.to_tensor([2], dtype="int32"))
        head = x[:, :cut]
        tail = x[:, cut:]
        return (
            joined,
            d * e - f.sum() + (g * h).mean(),
            last[0] - last[2],
            paddle.concat([tail, head], 1),
        )


@zoo(
    [("img", [None, 3, None, None]), ("off", [2], "int32")],
    lambda g, n, h, w, a, b: [g.f(n, 3, h, w), np.array([a, b], "int32")],
    (2, 6, 5, 1, 0),
    (1, 7, 9, 3, 2),
)
class CropWithTensorOffsets(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(2, 4, 3, padding=1)

    def forward(self, img, off):
        part = paddle.crop(img, shape=[-1, 2, 3, 4], offsets=[0, 1, off[0], off[1]])
        h = F.leaky_relu(self.conv(part), negative_slope=0.3)
        edge = paddle.crop(h, shape=[-1, 4, 2, 2], offsets=[0, 0, 1, 1])
        small = paddle.slice(img, axes=[1, 2], starts=[-2, off[0]], ends=[10000, off[0] + 3])
        return edge, small.mean([-1, -2]) - edge.amax([2, 3])[:, :2]


@zoo(
    [("x", [None, None, 6]), ("lo", [], "int64"), ("hi", [1], "int64")],
    lambda g, n, t, lo, hi: [g.f(n, t, 6), np.array(lo, "int64"), np.array([hi], "int64")],
    (2, 5, 1, 4),
    (3, 9, -4, -1),
)
class StridedByTensorBounds(nn.Layer):
    def forward(self, x, lo, hi):
        a = paddle.slice(x, [1], [lo], [hi])
        b = paddle.slice(x, axes=[-1, 1], starts=[1, 0], ends=[-1, hi])
        c = paddle.strided_slice(x, axes=[1, 2], starts=[-1, 5], ends=[-100, 0], strides=[-2, -3])
        d = paddle.strided_slice(x, [2], [paddle.full([], 0, "int32")], [6], [2])
        return a.logsumexp(axis=[1]), b.prod(-1), c, (d * d.flip(-1)).cumsum(-2)


@zoo([("board", [None, None, 4])], lambda g, h, w: [g.f(h, w, 4)], (3, 5), (6, 2))
class RollsAndTurns(nn.Layer):
    def forward(self, board):
        a = paddle.roll(board, shifts=[1, -2], axis=[0, -2])
        b = paddle.roll(board, 3)
        c = paddle.rot90(board, k=-1, axes=[1, 0])
        d = paddle.rot90(c, k=3, axes=[-2, -1])
        e = board.flip([-1, 0]) + board.flip(1)
        f = paddle.moveaxis(board, [0, -1], [-1, 0])
        return a - b, c, d, e, f, f.transpose([2, 0, 1])


@zoo(
    [("seq", [None, 3]), ("times", [None], "int64")],
    lambda g, n: [g.f(n, 3), g.i(1, 4, n)],
    (3,),
    (5,),
)
class LengthRegulator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.dur = nn.Linear(3, 1)

    def forward(self, seq, times):
        long = paddle.repeat_interleave(seq, times, axis=0)
        ends = times.cumsum()
        ids = paddle.searchsorted(ends, paddle.arange(paddle.shape(long)[0]), right=True)
        wide = paddle.repeat_interleave(seq, 2, axis=1)
        flat = paddle.repeat_interleave(times, repeats=2)
        return long * paddle.gather(self.dur(seq), ids), wide, flat, ids, ends[-1]


@zoo(
    [("h", [], "int32"), ("feat", [None, 2, None])],
    lambda g, h, n, t: [np.array(h, "int32"), g.f(n, 2, t)],
    (3, 2, 4),
    (5, 1, 2),
)
class MeshOfTensors(nn.Layer):
    def forward(self, h, feat):
        ys = paddle.arange(0, h, dtype="float32") / h.astype("float32")
        xs = paddle.arange(paddle.shape(feat)[2]).astype("float32")
        yy, xx = paddle.meshgrid(ys, xs)
        grid = paddle.stack([xx, yy], axis=-1)
        a, b, c = paddle.broadcast_tensors([feat[:1, :1], xs, (xs * ys.unsqueeze(-1)).unsqueeze(0)])
        centre = (grid - grid.mean([0, 1], keepdim=True)).reshape([-1, 2])
        return a + b * c, paddle.matmul(centre, feat[0]), paddle.meshgrid([ys, xs, ys])[2].sum(1)


@zoo([("sig", [None, None])], lambda g, n, t: [g.f(n, t)], (2, 11), (3, 20))
class SlidingWindowsByFrames(nn.Layer):
    def __init__(self):
        super().__init__()
        self.taps = weights(self, 5)

    def forward(self, sig):
        win = paddle.stack(
            [sig[:, 0:-4:3], sig[:, 1:-3:3], sig[:, 2:-2:3], sig[:, 3:-1:3], sig[:, 4::3]], axis=-1
        )
        fir = paddle.matmul(win, self.taps)
        folded = paddle.unflatten(self.taps * 2.0, 0, [1, -1])
        box = paddle.signal.frame(self.taps + 1.0, 3, 1, axis=-1)
        return (
            fir,
            folded * win[:, 0],
            paddle.mv(win[:, -1, :3], box[0]),
            win.std(-1, unbiased=False),
        )


@zoo([("x", [None, 8]), ("y", [None, 4, 2])], lambda g, n: [g.f(n, 8), g.f(n, 4, 2)], (3,), (1,))
class UnflattenWithTensors(nn.Layer):
    def forward(self, x, y):
        a = paddle.unflatten(x, -1, [paddle.shape(y)[1], 2])
        b = paddle.unflatten(x, 1, paddle.shape(y)[1:])
        c = nn.Unflatten(1, (2, 4))(x)
        p, q, r = paddle.atleast_3d(x[0, 0], x[0], y)
        count = paddle.numel(y).astype("float32")
        return (a + b) * y, c.max(axis=[1, 2]), p + q, r / count, paddle.rank(y), paddle.is_empty(x)


@zoo(
    [("boxes", [None, 4]), ("score", [None]), ("limit", [], "float32")],
    lambda g, n, t: [g.f(n, 4), g.u(0, 1, n), np.array(t, "float32")],
    (5, 2.0),
    (7, 0.5),
)
class NoDetectionsLeft(nn.Layer):
    def forward(self, boxes, score, limit):
        keep = paddle.nonzero(score > limit)
        kept = paddle.masked_select(score, score > limit)
        many = paddle.concat([boxes[:, 0], kept * 2.0, -kept], axis=0)
        nothing = paddle.masked_select(boxes, boxes > 1e9)
        return (
            many,
            keep,
            kept,
            nothing,
            paddle.shape(keep).astype("int64"),
            F.pad(many.unsqueeze([0, 0]), [1, 0], data_format="NCL"),
        )


@zoo([("x", [None, None, None, None])], lambda g, *s: [g.f(*s)], (2, 3, 4, 2), (1, 2, 2, 5))
class EveryAxisFree(nn.Layer):
    def forward(self, x):
        n, c, h, w = x.shape
        a = x.reshape([n, c, h * w]).transpose([0, 2, 1])
        b = paddle.reshape(a, (n * h, w, c))
        cov = paddle.bmm(a, a.transpose([0, 2, 1])) / float(3)
        c2 = x.reshape([-1, c * h, 1, w]).squeeze(2) * (w - 1)
        return (
            b.max(axis=-1, keepdim=True),
            cov.trace(0, -1, -2),
            c2.mean(1),
            paddle.eye(3, 2) + x[:1, :1, :1, :1].squeeze([0, 1]),
        )


# ---------------------------------------------------------------- broadcasts around linear, conv, norm, embedding


@zoo(
    [("x", [None, 6]), ("wide", [None, 1, 6])],
    lambda g, n, m: [g.f(n, 6), g.f(m, 1, 6)],
    (3, 2),
    (5, 4),
)
class LinearMinusMoreAxes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.out = nn.Linear(6, 2, bias_attr=False)

    def forward(self, x, wide):
        d = self.fc(x) - wide
        e = wide / (1.5 + F.sigmoid(self.fc(x)))
        return self.out(F.gelu(d, approximate=True)) + self.out.weight.mean(0), e.sum(axis=[0, -1])


@zoo(
    [("x", [None, 8]), ("row_scale", [None, 1]), ("s", [], "float32")],
    lambda g, n, s: [g.f(n, 8), g.u(0.5, 2, n, 1), np.array(s, "float32")],
    (2, 1.5),
    (4, -0.25),
)
class ManyScalesInARow(nn.Layer):
    def __init__(self):
        super().__init__()
        self.col = weights(self, 8)
        self.scalar = weights(self, 1)
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 4)

    def forward(self, x, row_scale, s):
        h = self.a(x * self.col) * self.scalar * s * self.col
        h = self.b(row_scale * h * 0.5) * row_scale
        return s / (2.5 + F.softsign(h)), (h * s + s) * 3 - 1


@zoo([("x", [None, None, 8])], lambda g, n, t: [g.f(n, t, 8)], (2, 3), (1, 6))
class ResidualUsedTwice(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(8, epsilon=1e-3)
        self.ln2 = nn.LayerNorm(8, weight_attr=False, bias_attr=False)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)
        self.gamma = weights(self, 8, scale=0.1)

    def forward(self, x):
        r = x + self.down(F.silu(self.up(self.ln1(x)))) * self.gamma
        s = r + self.down(F.mish(self.up(self.ln2(r)))) + x
        return s + x + r, self.ln1(s) - self.ln2(s) * x[:, :1]


@zoo(
    [("img", [None, 3, None, None]), ("shift", [None, 1, 1, 1])],
    lambda g, n, h, w: [g.f(n, 3, h, w), g.f(n, 1, 1, 1)],
    (2, 6, 5),
    (1, 8, 9),
)
class ConvBetweenBroadcasts(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 5, 3, padding="SAME", bias_attr=False)
        self.same = nn.Conv2D(5, 5, 1)
        self.pc = weights(self, 1, 5, 1, 1)
        self.flat = weights(self, 5, 1, 1)

    def forward(self, img, shift):
        h = self.conv(img - shift) * self.pc + self.flat
        h = F.softplus(h, beta=2, threshold=3) + shift
        g = 2 / (3 + F.elu(self.same(h), alpha=0.4))
        col = img.mean([1, 2], keepdim=True)
        return h * g + col, (h - h.mean([2, 3], keepdim=True)) / h.std([2, 3], keepdim=True).clip(
            min=1e-3
        )


@zoo([("img", [None, None, None, 4])], lambda g, n, h, w: [g.f(n, h, w, 4)], (2, 5, 4), (1, 3, 8))
class ChannelsLastActivations(nn.Layer):
    def __init__(self):
        super().__init__()
        self.dw = nn.Conv2D(4, 4, 3, padding=1, groups=4, data_format="NHWC")
        self.pw = nn.Conv2D(4, 6, 1, data_format="NHWC", bias_attr=False)
        self.bn = nn.BatchNorm2D(6, data_format="NHWC")
        self.act = nn.PReLU(6, init=0.1, data_format="NHWC")
        self.k = weights(self, 6)

    def forward(self, img):
        h = F.leaky_relu(self.dw(img), negative_slope=-0.2) + img
        h = self.act(self.bn(self.pw(h)) * self.k)
        h = F.thresholded_relu(h, threshold=0.2) - F.hardtanh(h, min=-0.3, max=0.1)
        return F.maxout(h, groups=2, axis=-1), F.avg_pool2d(
            h, 2, stride=1, padding="VALID", data_format="NHWC"
        )


@zoo(
    [("x", [None, None, 6]), ("y", [None, None, 6]), ("mask", [None, None], "bool")],
    lambda g, n, t, s: [g.f(n, t, 6), g.f(n, s, 6), g.b(n, s)],
    (2, 3, 4),
    (1, 5, 2),
)
class BoolMaskedAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(6, 6, bias_attr=False)
        self.kv = nn.Linear(6, 12)
        self.temp = weights(self, 1)

    def forward(self, x, y, mask):
        k, v = self.kv(y).chunk(2, -1)
        s = paddle.matmul(self.q(x), k, transpose_y=True) / math.sqrt(6) * self.temp.exp()
        s = paddle.where(mask.unsqueeze(1), s, paddle.full([], -1e4, "float32"))
        p = F.softmax(s, axis=-1) * mask.unsqueeze(1).astype("float32")
        o = paddle.matmul(p, v)
        return x + o, s.argmax(-1), F.log_softmax(self.q(o + x), axis=0)


@zoo(
    [("ids", [None, None], "int64"), ("types", [None], "int32")],
    lambda g, n, t: [g.i(0, 11, n, t), g.i(0, 3, t, dtype="int32")],
    (2, 4),
    (5, 3),
)
class EmbeddingsAddedEachWay(nn.Layer):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(11, 6, padding_idx=-1)
        self.kind = nn.Embedding(3, 6)
        self.fc = nn.Linear(6, 6)
        self.pos = weights(self, 16, 6)

    def forward(self, ids, types):
        t = ids.shape[1]
        e = self.word(ids) * math.sqrt(6) + self.kind(types) + self.pos[:t].unsqueeze(0)
        logits = paddle.matmul(self.fc(e) - self.kind(types), self.word.weight, transpose_y=True)
        back = F.linear(e, self.word.weight.t(), self.word.weight.sum(-1))
        return logits, back, e / (self.fc(e).abs() + 1), self.word(types) * 0.5


@zoo([("img", [None, 2, None, None])], lambda g, n, h, w: [g.f(n, 2, h, w)], (3, 4, 7), (1, 6, 5))
class EveryActivationAfterConv(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convs = nn.LayerList([nn.Conv2D(2, 3, (1, 3), padding=(0, 1)) for _ in range(10)])
        self.slopes = weights(self, 3)

    def forward(self, img):
        c = self.convs
        a = F.celu(c[0](img), alpha=0.7) + F.selu(c[1](img), scale=1.2, alpha=1.4)
        b = F.hardsigmoid(c[2](img), slope=0.25, offset=0.4) * F.hardswish(c[3](img))
        d = F.relu6(c[4](img) * 8) - F.swish(c[5](img))
        e = F.prelu(c[6](img), self.slopes) + F.tanhshrink(c[7](img))
        f = F.hardshrink(c[8](img), threshold=0.1) + F.softshrink(c[9](img), threshold=0.2)
        return a * b, d + e, f, paddle.stanh(a, scale_a=0.5, scale_b=1.1)


@zoo([("x", [None, 5])], lambda g, n: [3 * g.f(n, 5)], (4,), (7,))
class EveryActivationAfterLinear(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fcs = nn.LayerDict({str(k): nn.Linear(5, 5) for k in range(9)})
        self.last = nn.Linear(5, 6)

    def forward(self, x):
        h = F.elu(self.fcs["0"](x), alpha=2.0)
        h = h + F.softplus(self.fcs["1"](h), beta=0.5, threshold=2)
        h = F.gelu(self.fcs["2"](h)) - F.log_sigmoid(self.fcs["3"](h))
        h = F.hardtanh(self.fcs["4"](h), min=-2, max=0.5) * F.thresholded_relu(
            self.fcs["5"](h), threshold=-0.5
        )
        h = F.leaky_relu(self.fcs["6"](h), negative_slope=1.5) / (2 + F.softsign(self.fcs["7"](h)))
        h = F.mish(self.fcs["8"](h)) + F.hardswish(h)
        return (
            F.glu(self.last(h), axis=-1),
            F.prelu(self.last(h), paddle.full([1], 0.3)),
            F.log_softmax(h, axis=-2),
        )


@zoo([("v", [None, 4]), ("w", [4])], lambda g, n: [g.f(n, 4), g.f(4)], (3,), (6,))
class LinearOfAVector(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.one = nn.Linear(4, 1)

    def forward(self, v, w):
        a = F.linear(w.unsqueeze(0), self.fc.weight, self.fc.bias).squeeze(0)
        b = self.fc(v) + a
        c = 1 - self.one(v) * a
        return (
            b,
            7 / (c * c + 1),
            paddle.matmul(w, self.fc.weight) + paddle.dot(w, w),
            2 ** self.one(v).squeeze(-1),
        )


@zoo(
    [("x", [None, 2, None, 6]), ("bias", [2, 1, 1]), ("per", [None, 1, 1, 1])],
    lambda g, n, t: [g.f(n, 2, t, 6), g.f(2, 1, 1), g.f(n, 1, 1, 1)],
    (2, 3),
    (3, 1),
)
class LinearOnFourAxes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.ln = nn.LayerNorm([6])

    def forward(self, x, bias, per):
        a = self.fc(x + bias) + bias
        b = per - self.fc(x) * per
        c = bias * self.fc(a * per) / (1 + per * per)
        return (
            self.ln(a + b) * bias,
            c.transpose([3, 1, 0, 2]),
            paddle.minimum(a, per) + paddle.maximum(bias, b),
        )


@zoo(
    [("a", [None, 3, None, None]), ("b", [None, 3, 1, None])],
    lambda g, n, h, w: [g.f(n, 3, h, w), g.f(n, 3, 1, w)],
    (2, 4, 5),
    (1, 7, 6),
)
class SharedConvTwoNorms(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3, padding=1, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(4)
        self.bn2 = nn.BatchNorm2D(4, epsilon=1e-3, momentum=0.5)
        with paddle.no_grad():
            self.bn1._mean.set_value(paddle.to_tensor(np.array([0.1, -0.2, 0.3, 0.0], "float32")))
            self.bn2._variance.set_value(
                paddle.to_tensor(np.array([0.5, 2.0, 1.5, 0.1], "float32"))
            )

    def forward(self, a, b):
        raw = self.conv(a)
        x = F.relu(self.bn1(raw) + self.bn2(self.conv(b)))
        y = self.bn2(raw + self.conv(a * 0.5))
        return x, y - raw, self.bn1(x)


@zoo([("x", [None, 6, None, None])], lambda g, n, h, w: [g.f(n, 6, h, w)], (2, 5, 4), (1, 3, 3))
class SqueezeExcite(nn.Layer):
    def __init__(self):
        super().__init__()
        self.dw = nn.Conv2D(6, 6, 3, padding=1, groups=6)
        self.fc1 = nn.Conv2D(6, 2, 1)
        self.fc2 = nn.Conv2D(2, 6, 1)
        self.lin = nn.Linear(6, 6)

    def forward(self, x):
        h = F.hardswish(self.dw(x))
        s = F.hardsigmoid(
            self.fc2(F.relu(self.fc1(F.adaptive_avg_pool2d(h, 1)))), slope=0.2, offset=0.5
        )
        t = self.lin(h.mean([-2, -1])).unsqueeze([2, 3])
        p = x.mean(axis=1, keepdim=True)
        return h * s + x, x - t * h, (s * t).squeeze([2, 3]) * 4, F.sigmoid(p) * h


@zoo(
    [("x", [None, None, 4]), ("y", [1, None, 4])],
    lambda g, n, t: [g.f(n, t, 4), g.f(1, t, 4)],
    (3, 2),
    (2, 5),
)
class BatchedMatmulParameters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 1, 4, 3)
        self.wt = weights(self, 3, 4)
        self.b = weights(self, 1, 1, 3)
        self.pair = nn.Bilinear(4, 4, 2)

    def forward(self, x, y):
        a = paddle.matmul(x, self.w) + self.b
        c = paddle.matmul(y, self.wt, transpose_y=True) - self.b * 2
        d = paddle.matmul(x, y, transpose_x=True)
        e = self.pair(x[:, 0], x[:, -1])
        return (
            a * c,
            d + self.w.sum(-1, keepdim=True),
            e,
            paddle.matmul(self.wt, x, transpose_y=True) / 2,
        )


@zoo([("x", [None, 6, None])], lambda g, n, t: [g.f(n, 6, t)], (2, 5), (4, 3))
class NormsOfEveryKindScaled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gn = nn.GroupNorm(3, 6, epsilon=1e-2)
        self.inorm = nn.InstanceNorm1D(6, weight_attr=False, bias_attr=False)
        self.bn = nn.BatchNorm1D(6)
        self.ln = nn.LayerNorm(6)

    def forward(self, x):
        a = self.gn(x) * x.mean(axis=[1, 2], keepdim=True)
        b = self.inorm(x) + x[:, :, :1]
        c = self.bn(x + a) - self.bn(b)
        d = self.ln(x.transpose([0, 2, 1]) * 3) * c.transpose([0, 2, 1])
        return a, b, F.normalize(c, p=3, axis=-2), d + self.ln(c.mean(-1)).unsqueeze(1)


@zoo(
    [("x", [None, 4]), ("gain", [1], "int32"), ("flag", [None, 1], "bool")],
    lambda g, n, k: [g.f(n, 4), np.array([k], "int32"), g.b(n, 1)],
    (3, 2),
    (5, -3),
)
class LinearTimesOtherDtypes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("table", paddle.to_tensor(np.array([3, -1, 0, 2], "int64")))

    def forward(self, x, gain, flag):
        h = self.fc(x) * gain.astype("float32")
        h = h * flag.astype(h.dtype) + self.table.astype("float32")
        d = self.fc(x).astype("float64") / (gain.astype("float64") + 0.5)
        return (
            h,
            d,
            paddle.cast(h, "int32") * gain - self.table.astype("int32"),
            paddle.logical_and(flag, h > 0),
        )


@zoo([("x", [None, 3, None])], lambda g, n, t: [g.f(n, 3, t)], (2, 8), (1, 11))
class Conv1DBetweenEverything(nn.Layer):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1D(3, 4, 3, padding=2, dilation=2, padding_mode="reflect")
        self.c2 = nn.Conv1D(4, 4, 5, padding=[4, 0], groups=2)
        self.c3 = nn.Conv1D(
            4, 3, 1, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.25))
        )
        self.a = weights(self, 4, 1)

    def forward(self, x):
        h = self.a * self.c1(x) + x.sum(1, keepdim=True)
        g = paddle.tanh(self.c2(h)) * F.sigmoid(self.c2(-h))
        out = self.c3(g) + x
        return out, self.a / (self.c2(h).exp() + 1), out.amax(-1) - x.amin(-1)


@zoo([("x", [None, 4]), ("ctx", [None, 3, 4])], lambda g, n: [g.f(n, 4), g.f(n, 3, 4)], (2,), (5,))
class TwoLinearsSameInputFused(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(4, 6)
        self.k = nn.Linear(4, 6)
        self.film = nn.Linear(4, 8)

    def forward(self, x, ctx):
        q, k = self.q(x), self.k(x)
        scale, bias = paddle.split(self.film(x).unsqueeze(1), 2, axis=-1)
        m = ctx * (1 + scale) + bias
        kk = self.k(m)
        return (
            q * k - q,
            (q.unsqueeze(-2) * kk).sum(-1),
            self.q(m) + k.unsqueeze(1),
            q.matmul(k, False, True),
        )


@zoo([("x", [None, 5])], lambda g, n: [g.f(n, 5)], (3,), (6,))
class WeightNormedAndSpectral(nn.Layer):
    def __init__(self):
        super().__init__()
        self.wn = nn.utils.weight_norm(nn.Linear(5, 4), dim=1)
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = self.wn(x)
        u, s, vt = paddle.linalg.svd(self.fc.weight)
        w = self.fc.weight / s[0]
        return (
            F.linear(h, w, self.fc.bias) * s,
            h + F.linear(h, self.fc.weight * self.fc.weight.sign()),
            paddle.trace(w),
        )


# ---------------------------------------------------------------- dtypes and arithmetic


@zoo(
    [("a", [None, 3], "int64"), ("b", [3], "int64"), ("k", [None, 1], "int32")],
    lambda g, n: [
        g.i(-20, 20, n, 3),
        g.g.choice([-3, -2, 2, 5], 3).astype("int64"),
        g.i(-9, 9, n, 1, dtype="int32"),
    ],
    (3,),
    (6,),
)
class DivisionsOfNegatives(nn.Layer):
    def forward(self, a, b, k):
        m = paddle.mod(a, b) + (a % 7) - paddle.remainder(-a, b)
        q = paddle.floor_divide(a.abs(), b.abs()) + (k.abs() // 4).astype("int64")
        f = a.astype("float32") % -2.5 + paddle.floor_mod(
            b.astype("float32"), paddle.full([1], 1.5)
        )
        t = paddle.trunc(a.astype("float64") / b.astype("float64")) * b.astype("float64")
        return m, q, f, a.astype("float64") - t, a / b, k % 5 + 1


@zoo(
    [("px", [None, None], "uint8"), ("key", [], "uint8"), ("s", [None, 1], "int16")],
    lambda g, n, t: [
        g.i(0, 256, n, t, dtype="uint8"),
        np.array(g.i(0, 256), "uint8"),
        g.i(-300, 300, n, 1, dtype="int16"),
    ],
    (2, 5),
    (3, 1),
)
class BytesMixedBitwise(nn.Layer):
    def forward(self, px, key, s):
        x = paddle.bitwise_xor(px, key)
        low = x & paddle.full([1], 15, "uint8")
        high = px.astype("int32") // 16 | paddle.bitwise_not(s).astype("int32")
        neg = ~s ^ paddle.full_like(s, 255)
        bits = (
            px.astype("int32").unsqueeze(-1)
            // paddle.to_tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype="int32")
        ) % 2
        return (
            x,
            low,
            high,
            neg,
            bits.astype("int8"),
            (bits * bits.flip(-1)).sum(-1),
            (px > key) ^ (s < 0),
        )


@zoo(
    [("x", [None, 6]), ("h", [None, 6], "float16")],
    lambda g, n: [g.f(n, 6), g.f(n, 6, dtype="float16")],
    (2,),
    (5,),
)
class HalvesInside(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x, h):
        a = paddle.stack(x.astype("float16").split(2, -1), axis=1).reshape([-1, 6])
        b = paddle.cast(self.fc(x), "bfloat16")
        c = (b.astype("float32") - h.astype("float32")).astype("float16")
        d = paddle.concat([a, c], axis=-1).reshape([-1, 3, 4]).transpose([1, 0, 2])
        return (
            a,
            b.astype("float32"),
            F.relu(self.fc(c.astype("float32"))),
            d,
            (b * b).sum(-1).astype("float32"),
            (c > a).astype("int8"),
        )


@zoo(
    [("x", [None, None, 2]), ("phase", [None])],
    lambda g, n, t: [g.f(n, t, 2), g.f(t)],
    (2, 3),
    (3, 6),
)
class ComplexRotation(nn.Layer):
    def forward(self, x, phase):
        z = paddle.as_complex(x)
        r = paddle.complex(paddle.cos(phase), paddle.sin(phase))
        y = z * r + paddle.conj(z)
        g = paddle.matmul(y, paddle.conj(y), transpose_y=True)
        return (
            paddle.as_real(y),
            g,
            paddle.angle(y),
            paddle.abs(g),
            paddle.real(z) - paddle.imag(r),
            (y * 2.0).sum(-1),
        )


@zoo(
    [("freq", [None], "int64"), ("q", [None, None, 4])],
    lambda g, n, t: [np.arange(t), g.f(n, t, 4)],
    (2, 3),
    (1, 5),
)
class RotaryByComplex(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer(
            "theta",
            1.0 / (10000.0 ** (paddle.arange(0, 4, 2).astype("float32") / 4)),
            persistable=False,
        )
        self.wq = nn.Linear(4, 4)

    def forward(self, freq, q):
        ang = paddle.outer(freq.astype("float32"), self.theta)
        rot = paddle.polar(paddle.ones_like(ang), ang)
        q2 = paddle.as_complex(self.wq(q).reshape([0, 0, 2, 2])) * rot
        out = paddle.as_real(q2).flatten(2)
        return out, out - q, paddle.is_complex(q2) * out.sum(0)


@zoo(
    [("x", [None])],
    lambda g, n: [
        np.concatenate(
            [
                np.array(
                    [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -0.0, 0.49999997, 1e10, -1e-10], "float32"
                ),
                g.f(n),
            ]
        )
    ],
    (2,),
    (5,),
)
class RoundingOfHalves(nn.Layer):
    def forward(self, x):
        r = paddle.round(x)
        back = x.round() * 2 - paddle.floor(x + 0.5)
        pieces = paddle.stack(
            [x.ceil(), x.trunc(), paddle.frac(x), x.sign(), paddle.sgn(x)], axis=-1
        )
        return (
            r,
            back,
            pieces,
            1.0 / paddle.where(x == 0, x, paddle.full_like(x, 4.0)),
            r.clip(-9, 9).astype("int32"),
        )


@zoo(
    [("x", [None, 4]), ("y", [4])],
    lambda g, n: [
        np.where(
            g.u(0, 1, n, 4) < 0.3,
            np.float32("nan"),
            np.where(g.u(0, 1, n, 4) < 0.2, np.float32("inf"), g.f(n, 4)),
        ),
        np.array([np.nan, -np.inf, 0.0, 1.0], "float32"),
    ],
    (4,),
    (7,),
)
class NotNumbers(nn.Layer):
    def forward(self, x, y):
        a = paddle.nan_to_num(x, nan=-1.0, posinf=7.0, neginf=None)
        b = paddle.fmax(x, y) + paddle.fmin(y, a)
        c = paddle.nansum(paddle.where(paddle.isinf(x), y, x), axis=-1, keepdim=True)
        d = paddle.nanmean(paddle.where(x > 1e9, a, x), axis=[0, 1])
        e = paddle.maximum(a, paddle.nan_to_num(y))
        return (
            a,
            b,
            c,
            d,
            e,
            paddle.isnan(x).sum(0),
            paddle.isclose(x, y.expand_as(x), equal_nan=True),
            paddle.isfinite(x).all(-1),
            x == x,
        )


@zoo([("x", [None, 3])], lambda g, n: [g.u(0.1, 3, n, 3)], (3,), (5,))
class SpecialFunctions(nn.Layer):
    def forward(self, x):
        a = paddle.lgamma(x) + paddle.digamma(x + 1) - paddle.polygamma(x, 1)
        b = paddle.i0e(x) * paddle.i1(x) - paddle.i0(x) / paddle.i1e(x)
        p = x / 3.2
        c = paddle.erfinv(p * 2 - 1) + paddle.erf(x) + paddle.logit(p, eps=0.2)
        d = paddle.multigammaln(x + 2, 3)
        e = paddle.log1p(x * 1e-8) * 1e8 + paddle.expm1(-x * 1e-7) * 1e7
        f = paddle.logaddexp(x * 100, -x) + paddle.log2(x) - paddle.log10(x)
        return a, b, c, d, e, f, x.rsqrt() + x.reciprocal()


@zoo(
    [("x", [None, 3]), ("y", [3]), ("k", [None, 1], "int64")],
    lambda g, n: [g.f(n, 3), g.f(3), g.i(-4, 30, n, 1)],
    (3,),
    (5,),
)
class TwoPlaceOddities(nn.Layer):
    def forward(self, x, y, k):
        a = paddle.atan2(x, y.expand_as(x)) + paddle.hypot(x, y)
        b = paddle.heaviside(x.round(), y) - paddle.heaviside(paddle.zeros_like(x), y)
        m = paddle.frac(x * 3)
        c = paddle.ldexp(m, k.astype("int32")) - paddle.ldexp(
            k, paddle.to_tensor([2, -1, 0], dtype="int32")
        )
        d = paddle.gcd(paddle.to_tensor([12, 18, -8]), paddle.full([1], 6, "int64")) * k
        f = paddle.nextafter(x.astype("float64"), y.expand_as(x).astype("float64")) - x.astype(
            "float64"
        )
        return (
            a,
            b,
            m,
            c,
            d,
            paddle.lerp(x, y.expand_as(x), 0.3),
            paddle.lerp(x, y.expand_as(x), y.abs().expand_as(x)),
            f > 0,
        )


@zoo(
    [("q", [None, 4], "int8"), ("ok", [None, 4], "bool"), ("x", [None, 4])],
    lambda g, n: [g.i(-100, 100, n, 4, dtype="int8"), g.b(n, 4), g.f(n, 4)],
    (3,),
    (6,),
)
class ReductionsWithDtypes(nn.Layer):
    def forward(self, q, ok, x):
        a = paddle.sum(q.astype("int32"), axis=-1, dtype="float32")
        b = paddle.sum(ok, axis=[-1, 0])
        c = paddle.prod(x, axis=-2, keepdim=True, dtype="float64")
        d = paddle.cumsum(ok.astype("int32"), axis=-1, dtype="int64")
        e = paddle.mean(ok.astype("float32"), axis=0) * x - q.astype("float32") / 127
        f = x.cumprod(dim=-1, dtype="float64")
        return (
            a,
            b,
            c,
            d,
            e,
            f,
            paddle.count_nonzero(q.astype("int32"), axis=[0, -1], keepdim=True),
            ok.astype("int64").sum(dtype="int32"),
        )


@zoo(
    [("n", [None, 3], "int64"), ("flag", [None, 1], "bool"), ("x", [None, 3])],
    lambda g, k: [g.i(-5, 6, k, 3), g.b(k, 1), g.u(0.5, 2, k, 3)],
    (3,),
    (5,),
)
class ScalarsOnEitherSide(nn.Layer):
    def forward(self, n, flag, x):
        a = n * 2 - 3
        b = 3 - n + 1.5
        c = n / 2 + 1 / (n * n + 1)
        d = 2**x + x**2 - x // 0.75 + x % 0.3
        e = True * x + (1 - flag.astype("float32"))
        f = -(n**2) + n.abs() * (n > 0).astype("int64")
        return a, b, c, d, e, f, x.pow(-0.5) * n.astype("float32"), n != 3, n >= 0


@zoo(
    [("x", [None, 3]), ("lo", [1]), ("hi", [], "float32")],
    lambda g, n, a, b: [2 * g.f(n, 3), np.array([a], "float32"), np.array(b, "float32")],
    (3, -0.5, 0.75),
    (6, -3.0, 0.1),
)
class ClipsOfEveryBound(nn.Layer):
    def forward(self, x, lo, hi):
        a = paddle.clip(x, lo, hi)
        b = x.clip(max=0.25) + paddle.clip(x, min=-0.75)
        c = (x * 10).astype("int32").clip(-7, 11)
        d = paddle.scale(x, scale=2.0, bias=1.0, bias_after_scale=False)
        e = paddle.scale(x, lo, 0.5)
        f = paddle.addmm(paddle.eye(3), x.t(), x, beta=0.5, alpha=-2.0)
        return (
            a,
            b,
            c,
            d - e,
            f,
            paddle.add_n([x, a, b]),
            paddle.multiplex([x, a, b], (c[:, :1] % 3).astype("int32")),
        )


@zoo(
    [("a", [None, None], "int32"), ("b", [None, None], "float32")],
    lambda g, n, t: [g.i(-1, 2, n, t, dtype="int32"), np.round(g.f(n, t))],
    (2, 4),
    (3, 3),
)
class LogicOfNumbers(nn.Layer):
    def forward(self, a, b):
        p = paddle.logical_or(a.astype("bool"), paddle.logical_not(b.astype("bool")))
        q = paddle.logical_xor(a > 0, b > 0) & p
        same = paddle.equal(a.astype("float32"), b)
        n = paddle.any(q, axis=-1, keepdim=True).astype("int32") + a
        w = paddle.where(same, b + 2.0, b)
        return (
            n,
            w,
            p.astype("float32") @ q.astype("float32").t(),
            paddle.all(p, axis=[0]),
            q,
            paddle.equal_all(a, a * 1),
            paddle.allclose(b, b + 1e-9),
            same,
        )


@zoo(
    [("img", [None, None, None, 3], "uint8")],
    lambda g, n, h, w: [g.i(0, 256, n, h, w, 3, dtype="uint8")],
    (2, 6, 8),
    (1, 9, 5),
)
class RawImageClassifier(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer(
            "mean", paddle.to_tensor([123.675, 116.28, 103.53]).reshape([1, 3, 1, 1])
        )
        self.register_buffer("std", paddle.to_tensor([58.395, 57.12, 57.375]).reshape([1, 3, 1, 1]))
        self.conv = nn.Conv2D(3, 4, 3, stride=2)
        self.fc = nn.Linear(4, 5)

    def forward(self, img):
        x = img.astype("float32").transpose([0, 3, 1, 2]).flip(1)
        h = F.relu6(self.conv((x - self.mean) / self.std))
        p = F.softmax(self.fc(h.mean(axis=(2, 3))))
        return (
            p,
            p.argmax(-1, keepdim=True, dtype="int32"),
            (p * 255).astype("uint8"),
            img[:, ::2, ::2].astype("int32"),
        )


@zoo([("x", [None, 8])], lambda g, n: [g.f(n, 8)], (3,), (5,))
class FakeQuantLinear(nn.Layer):
    def __init__(self):
        super().__init__()
        w = np.random.default_rng(5).integers(-128, 128, (8, 4)).astype("int8")
        self.register_buffer("w8", paddle.to_tensor(w))
        self.register_buffer("ws", paddle.to_tensor(np.linspace(0.001, 0.01, 4).astype("float32")))
        self.register_buffer("zero", paddle.to_tensor(3, dtype="int32"))

    def forward(self, x):
        s = x.abs().max(axis=-1, keepdim=True) / 127.0
        q = paddle.clip(paddle.round(x / s), -128, 127).astype("int8")
        acc = paddle.matmul(q.astype("float32"), self.w8.astype("float32"))
        deq = (q.astype("int32") - self.zero).astype("float32") * s
        return (
            acc * s * self.ws,
            q,
            deq,
            (self.w8.astype("int32").sum(0) * self.zero).astype("int64"),
        )


@zoo(
    [("x", [None, 4], "float64"), ("y", [None, 4])],
    lambda g, n: [g.f(n, 4, dtype="float64"), g.f(n, 4)],
    (3,),
    (2,),
)
class DoublePrecisionNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.ln = nn.LayerNorm(3)
        self.fc.to(dtype="float64")
        self.tail = nn.Linear(3, 2)

    def forward(self, x, y):
        h = F.elu(self.fc(x + y.astype("float64")), alpha=0.3)
        z = self.ln(h.astype("float32"))
        return (
            h,
            self.tail(z) * h.sum().astype("float32"),
            F.softmax(z, dtype="float64"),
            paddle.logsumexp(h, -1) + math.pi,
        )


@zoo(
    [("idx", [None], "int32"), ("x", [None, 3])],
    lambda g, n: [g.i(0, 4, n, dtype="int32"), g.f(n, 3)],
    (3,),
    (6,),
)
class IntegerParametersAndBuffers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.step = self.create_parameter(
            [1], dtype="int64", default_initializer=nn.initializer.Constant(3)
        )
        self.step.stop_gradient = True
        self.register_buffer(
            "lut",
            paddle.to_tensor(np.array([[1, 0, -2], [5, 5, 5], [0, 9, 1], [-7, 2, 3]], "int32")),
        )
        self.register_buffer("seen", paddle.to_tensor([True, False, True]))
        self.w = weights(self, 3)

    def forward(self, idx, x):
        rows = paddle.gather(self.lut, idx)
        mix = rows.astype("float32") * x * self.w
        n = rows.astype("int64") * self.step % 4
        return (
            mix,
            n,
            self.step,
            self.lut * 1,
            paddle.where(self.seen, mix, -mix),
            paddle.logical_and(self.seen, rows > 0),
        )


@zoo(
    [("x", [None])],
    lambda g, n: [
        np.concatenate(
            [np.array([0.0, -0.0, 1e30, -1e30, 3e-39, 1e-30, 88.0, -104.0], "float32"), g.f(n)]
        )
    ],
    (1,),
    (4,),
)
class HugeAndTiny(nn.Layer):
    def forward(self, x):
        a = F.softmax(x * 10) + F.sigmoid(x * 100)
        b = F.softplus(x, beta=1, threshold=20) - F.silu(x.clip(-50, 50))
        c = paddle.logsumexp(x, axis=0) - x.max()
        d = paddle.tanh(x) + F.log_sigmoid(x.clip(min=-1e4)) + paddle.asinh(x.clip(-1e4, 1e4))
        return (
            a,
            b,
            c,
            d,
            paddle.exp(x),
            x * 1e10,
            F.gelu(x.clip(-100, 100)),
            paddle.sqrt(x.abs()),
            x / x.abs(),
        )


@zoo(
    [("x", [None, 3]), ("n", [None], "int64")],
    lambda g, k: [g.u(0.2, 2, k, 3), g.i(1, 5, k)],
    (3,),
    (4,),
)
class MethodChainsOnClones(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, n):
        h = self.fc(x) + 0.0
        h = h.tanh()
        h = h.add(x).multiply(x).subtract(paddle.ones([3]))
        y = x.clone()
        y = y.exp().scale(0.5, 1.0).clip(0.1, 3.0)
        m = n.clone().unsqueeze(-1).expand([-1, 3])
        y = y.pow(2).reciprocal().divide(m.astype("float32"))
        return h, y, m.floor_divide(paddle.full([1], 2, "int64")), y.neg().erf().add(h).ceil()


@zoo([("x", [None, 3, None])], lambda g, n, t: [g.f(n, 3, t)], (2, 4), (1, 5))
class TrigonometryAndAngles(nn.Layer):
    def forward(self, x):
        u = x.tanh() * 0.95
        a = u.asin() + u.acos() - u.atanh() + (1 + x.abs()).acosh()
        b = paddle.deg2rad(x * 90).sin() * paddle.rad2deg(x).cos()
        c = x.tan().atan() - x.sinh() / x.cosh()
        d = paddle.diff(x, axis=-2, prepend=x[:, :1] * 0.5, append=x[:, :2])
        return (
            a,
            b,
            c,
            d,
            paddle.square(a) - x.erf(),
            paddle.deg2rad(paddle.to_tensor([180, 90, -45], dtype="int64")),
        )


# ---------------------------------------------------------------- convolutions, pools, pads, vision


@zoo([("x", [None, 4, None, None])], lambda g, n, h, w: [g.f(n, 4, h, w)], (2, 7, 6), (1, 10, 9))
class LopsidedPaddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2D(4, 4, 3, stride=2, padding="SAME", dilation=1)
        self.b = nn.Conv2D(4, 6, (2, 3), padding=[[0, 0], [0, 0], [1, 2], [0, 1]], groups=2)
        self.c = nn.Conv2D(4, 2, 3, padding=[2, 0, 1, 1], dilation=(2, 1), padding_mode="zeros")
        self.d = nn.Conv2D(4, 3, 3, padding=1, padding_mode="circular")

    def forward(self, x):
        return (
            F.relu(self.a(x)),
            self.b(x) - 1,
            self.c(x) * self.c(x),
            self.d(x).max(axis=[2, 3]),
            F.conv2d(x, self.a.weight[:, :1], groups=4, padding="VALID"),
        )


@zoo([("x", [None, None, 3])], lambda g, n, t: [g.f(n, t, 3)], (2, 9), (3, 6))
class SequenceConvLast(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1D(3, 6, 3, padding=1, groups=3, data_format="NLC")
        self.b = nn.Conv1D(6, 4, 2, stride=2, data_format="NLC", padding="SAME")
        self.t = nn.Conv1DTranspose(
            4, 3, 3, stride=2, padding=1, output_padding=1, data_format="NLC"
        )

    def forward(self, x):
        h = F.gelu(self.a(x)) * 0.5
        g = self.b(h)
        up = self.t(g)
        causal = F.conv1d(
            F.pad(x, [2, 0], data_format="NLC"), self.a.weight, groups=3, data_format="NLC"
        )
        return up, causal + h.mean(1, keepdim=True), g.flip([1])


@zoo([("z", [None, 4, None, None])], lambda g, n, h, w: [g.f(n, 4, h, w)], (2, 3, 4), (1, 5, 2))
class TransposedWithSizes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, groups=2, output_padding=[1, 0])
        self.b = nn.Conv2DTranspose(
            4, 2, (4, 3), stride=(2, 1), padding=[1, 0, 1, 1], dilation=1, bias_attr=False
        )
        self.w = weights(self, 4, 1, 3, 3)

    def forward(self, z):
        h = F.leaky_relu(self.a(z), 0.2)
        odd = self.b(z) + 0.5
        n = F.conv2d_transpose(z, self.w, stride=2, padding=1, dilation=1, groups=4)
        m = F.conv2d_transpose(z, self.w, None, 2, "SAME", groups=4)
        return h, odd, n * n, m.sum([1])


@zoo([("z", [None, 2, 3, 4])], lambda g, n: [g.f(n, 2, 3, 4)], (2,), (3,))
class TransposedToOutputSize(nn.Layer):
    def __init__(self):
        super().__init__()
        self.up = nn.Conv2DTranspose(2, 3, 3, stride=3)
        self.w3 = weights(self, 2, 2, 3)

    def forward(self, z):
        a = self.up(z, output_size=[10, 13])
        b = F.conv2d_transpose(z, self.up.weight, stride=3, output_size=(11, 14))
        c = F.conv1d_transpose(z.flatten(2), self.w3, stride=2, output_size=26)
        return a.mean(1), b - 1, c


@zoo(
    [("v", [None, None, None, None, 4])],
    lambda g, n, d, h, w: [g.f(n, d, h, w, 4)],
    (1, 4, 5, 3),
    (2, 3, 4, 6),
)
class VolumesLast(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3D(4, 6, (1, 3, 3), padding=(0, 1, 1), groups=2, data_format="NDHWC")
        self.act = nn.PReLU(1, 0.4, data_format="NDHWC")
        self.bn = nn.BatchNorm3D(6, data_format="NDHWC")

    def forward(self, v):
        h = self.act(self.bn(self.conv(v)))
        p = F.avg_pool3d(h, [2, 3, 2], stride=1, padding=1, exclusive=False, data_format="NDHWC")
        q = F.pad(h, [1, 0, 0, 2, 1, 1], mode="replicate", data_format="NDHWC")
        m = F.max_pool3d(v.transpose([0, 4, 1, 2, 3]), (1, 2, 2), stride=(1, 2, 1), ceil_mode=True)
        return p, q.sum([1, 2, 3]), m, F.adaptive_avg_pool3d(h, [1, 3, 2], data_format="NDHWC")


@zoo(
    [("x", [1, 3, None, None]), ("code", [1, 5])],
    lambda g, h, w: [g.f(1, 3, h, w), g.f(1, 5)],
    (5, 4),
    (3, 8),
)
class KernelsFromALinear(nn.Layer):
    def __init__(self):
        super().__init__()
        self.make = nn.Linear(5, 2 * 3 * 9)
        self.bias = nn.Linear(5, 2)

    def forward(self, x, code):
        w = paddle.tanh(self.make(code)).reshape([2, 3, 3, 3])
        y = F.conv2d(x, w, self.bias(code).squeeze(0), padding=1)
        depth = F.conv2d(
            x, w.mean(0, keepdim=True).transpose([1, 0, 2, 3]), padding=[1, 1], groups=3
        )
        back = F.conv2d_transpose(y, w, padding=1)
        return y, depth * back, F.linear(code, self.make.weight[:, ::9])


@zoo([("x", [None, 2, 6, 8])], lambda g, n: [g.f(n, 2, 6, 8)], (2,), (3,))
class PoolAndUnpool(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(2, 2, 3, padding=1)

    def forward(self, x):
        p, where = F.max_pool2d(x, kernel_size=2, stride=2, return_mask=True)
        h = F.relu(self.conv(p)) + p
        u = F.max_unpool2d(h, where, kernel_size=2, stride=2, output_size=[6, 8])
        q, m = F.max_pool1d(x.flatten(2), 4, stride=3, return_mask=True)
        a, k = F.adaptive_max_pool2d(x, [3, 4], return_mask=True)
        return u - x, where, q, m.astype("int64") % 5, F.max_unpool2d(a, k, (2, 2)), k


@zoo([("x", [None, 3, None, None])], lambda g, n, h, w: [g.f(n, 3, h, w)], (2, 7, 8), (1, 5, 11))
class PoolsWithOddArguments(nn.Layer):
    def forward(self, x):
        a = F.avg_pool2d(x, [3, 2], stride=[2, 3], padding=1, ceil_mode=True, exclusive=False)
        b = F.avg_pool2d(
            x, 2, stride=None, padding=[0, 1, 1, 0], exclusive=True, divisor_override=3
        )
        c = F.max_pool2d(x, (3, 3), stride=2, padding="SAME")
        d = F.max_pool2d(x.transpose([0, 2, 3, 1]), 2, 2, ceil_mode=True, data_format="NHWC")
        e = F.avg_pool1d(x.mean(-1), 3, stride=1, padding=[1], exclusive=False, ceil_mode=False)
        return a, b, c, d, e, F.avg_pool2d(x, 3, 1, padding=[[0, 0], [0, 0], [1, 1], [0, 2]])


@zoo([("x", [None, 4, 6, None])], lambda g, n, w: [g.f(n, 4, 6, w)], (2, 7), (3, 4))
class AdaptivePoolsWithNone(nn.Layer):
    def __init__(self):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2D((None, 2))
        self.fc = nn.Linear(4 * 6, 3)

    def forward(self, x):
        a = self.one(x)
        b = F.adaptive_avg_pool2d(x.transpose([0, 2, 3, 1]), [2, 3], data_format="NHWC")
        c = F.adaptive_max_pool2d(x, [None, 1])
        d = F.adaptive_avg_pool1d(x.sum(-1), 5)
        e = F.adaptive_max_pool1d(x.max(2), 2)
        return a, c, d * 2, self.fc(b.flatten(1)), e


@zoo([("x", [None, 3, None, None])], lambda g, n, h, w: [g.f(n, 3, h, w)], (2, 5, 6), (1, 4, 8))
class PadsInEveryMode(nn.Layer):
    def forward(self, x):
        a = F.pad(x, [1, 2, 0, 3], mode="reflect")
        b = F.pad(x.transpose([0, 2, 3, 1]), [2, 1, 1, 0], mode="circular", data_format="NHWC")
        c = F.pad(x.sum(2), [3, 1], mode="replicate", data_format="NCL")
        d = F.pad(x, [0, 0, 1, 0, 0, 2, 1, 1], value=-1.5)
        e = F.zeropad2d(x, [0, 1, 2, 0]) + F.pad(x, paddle.to_tensor([1, 0, 0, 2], dtype="int32"))
        f = nn.Pad1D([2, 2], mode="reflect", data_format="NLC")(x.mean(1))
        return a, b, c, d, e, f


@zoo(
    [("x", [None, 2, None, None]), ("more", [4], "int32")],
    lambda g, n, h, w, m: [g.f(n, 2, h, w), np.array(m, "int32")],
    (2, 4, 5, [1, 0, 2, 1]),
    (1, 3, 6, [0, 3, 0, 0]),
)
class PadsByTensorAmounts(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(2, 3, 3)

    def forward(self, x, more):
        h, w = paddle.shape(x)[2], paddle.shape(x)[3]
        a = F.pad(x, more, mode="constant", value=0.5)
        fit = paddle.concat(
            [
                paddle.zeros([1], "int32"),
                ((8 - w) % 8).astype("int32").reshape([1]),
                paddle.zeros([1], "int32"),
                ((8 - h) % 8).astype("int32").reshape([1]),
            ]
        )
        b = self.conv(F.pad(x, fit))
        return a, b, b[:, :, :h, :w].mean(1)


@zoo(
    [("x", [None, 2, None, None]), ("size", [2], "int32")],
    lambda g, n, h, w, s: [g.f(n, 2, h, w), np.array(s, "int32")],
    (1, 4, 5, [7, 3]),
    (2, 3, 6, [2, 9]),
)
class InterpolatesManyWays(nn.Layer):
    def forward(self, x, size):
        a = F.interpolate(x, scale_factor=[2, 1.5], mode="bilinear", align_corners=True)
        b = F.interpolate(x, size=[size[0], size[1]], mode="nearest")
        c = F.interpolate(x, size=size, mode="bilinear", align_mode=1)
        d = F.interpolate(
            x.transpose([0, 2, 3, 1]), size=[6, 4], mode="bicubic", data_format="NHWC"
        )
        e = F.interpolate(
            x.mean(2), size=[9], mode="linear", align_corners=False, data_format="NCW"
        )
        f = F.upsample(x, size=paddle.shape(x)[2:].astype("int32") * 2, mode="nearest")
        return a, b, c, d, e, f


@zoo([("x", [None, 3, None, None])], lambda g, n, h, w: [g.f(n, 3, h, w)], (2, 4, 4), (1, 6, 8))
class PyramidFusion(nn.Layer):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2D(3, 4, 3, stride=2, padding=1)
        self.lat = nn.Conv2D(3, 4, 1)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)

    def forward(self, x):
        d = F.relu(self.down(x))
        lat = self.lat(x)
        u = F.interpolate(d, size=lat.shape[2:], mode="nearest")
        v = F.interpolate(
            d, size=paddle.shape(x)[-2:].astype("int32"), mode="bilinear", align_corners=True
        )
        g = F.adaptive_avg_pool2d(d, 1)
        return lat + u * v, self.up(d) - lat, F.interpolate(g, x.shape[-2:], mode="bilinear") + lat


@zoo(
    [("x", [None, 2, None, None]), ("angle", [None])],
    lambda g, n, h, w: [g.f(n, 2, h, w), g.f(n)],
    (2, 4, 5),
    (3, 6, 3),
)
class SpatialTransformer(nn.Layer):
    def forward(self, x, angle):
        c, s = paddle.cos(angle), paddle.sin(angle)
        zero = paddle.zeros_like(c)
        theta = paddle.stack(
            [paddle.stack([c, -s, zero], -1), paddle.stack([s, c, zero + 0.2], -1)], 1
        )
        grid = F.affine_grid(theta, paddle.shape(x).astype("int32"), align_corners=False)
        a = F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)
        b = F.grid_sample(x, grid * 1.3, mode="nearest", padding_mode="zeros")
        d = F.grid_sample(x, grid[:, :2] * 2.1, padding_mode="reflection", align_corners=True)
        return a, b.sum([2, 3]), d, F.affine_grid(theta[:1], [1, 2, 3, 2])


@zoo([("x", [None, 8, 4, 6])], lambda g, n: [g.f(n, 8, 4, 6)], (2,), (4,))
class ShufflesBothFormats(nn.Layer):
    def forward(self, x):
        a = F.pixel_shuffle(x, 2)
        b = F.pixel_shuffle(x.transpose([0, 2, 3, 1]), 2, data_format="NHWC")
        c = F.pixel_unshuffle(x, 2)
        d = F.channel_shuffle(x, 4) - F.channel_shuffle(
            x.transpose([0, 2, 3, 1]), 2, data_format="NHWC"
        ).transpose([0, 3, 1, 2])
        e = F.temporal_shift(x, seg_num=2, shift_ratio=0.125)
        return a, b, c.mean(1), d, e


@zoo([("x", [None, 2, 6, 7])], lambda g, n: [g.f(n, 2, 6, 7)], (2,), (1,))
class PatchesAndBack(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(12, 12)

    def forward(self, x):
        cols = F.unfold(x, [2, 3], strides=[2, 1], paddings=[0, 1, 0, 1], dilations=1)
        h = self.mix(cols.transpose([0, 2, 1])).transpose([0, 2, 1]) + cols
        y = F.fold(
            h, output_sizes=[6, 7], kernel_sizes=[2, 3], strides=[2, 1], paddings=[0, 1, 0, 1]
        )
        norm = F.fold(paddle.ones_like(h), [6, 7], [2, 3], [2, 1], [0, 1, 0, 1])
        return y / norm, cols.amax(axis=[1]), F.unfold(x, 3, dilations=2, strides=2)


@zoo(
    [("feat", [None, 8, None, None]), ("boxes", [None, 4]), ("num", [None], "int32")],
    lambda g, n, h, w, k: [
        g.f(n, 8, h, w),
        np.sort(g.u(0, 6, k * n, 2, 2), 1).reshape(-1, 4).astype("float32"),
        np.full(n, k, "int32"),
    ],
    (1, 6, 7, 3),
    (2, 8, 6, 2),
)
class RegionPools(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8 * 4, 5)

    def forward(self, feat, boxes, num):
        a = paddle.vision.ops.roi_align(
            feat, boxes, num, output_size=2, spatial_scale=0.5, sampling_ratio=2, aligned=False
        )
        b = paddle.vision.ops.roi_pool(feat, boxes, num, output_size=(1, 2), spatial_scale=1.0)
        c = paddle.vision.ops.RoIAlign((1, 3), spatial_scale=0.25)(feat, boxes * 2, num)
        cls = self.fc(a.flatten(1))
        return (
            F.softmax(cls),
            b,
            c,
            paddle.gather_nd(
                cls, paddle.stack([paddle.arange(boxes.shape[0]), cls.argmax(-1)], axis=-1)
            ),
        )


@zoo([("x", [None, 4, None, None])], lambda g, n, h, w: [g.f(n, 4, h, w)], (2, 5, 4), (1, 6, 7))
class DeformableBlock(nn.Layer):
    def __init__(self):
        super().__init__()
        self.offset = nn.Conv2D(4, 27, 3, padding=1)
        self.w = weights(self, 6, 2, 3, 3)
        self.b = weights(self, 6)

    def forward(self, x):
        o = self.offset(x)
        off, mask = paddle.split(o, [18, 9], axis=1)
        y = paddle.vision.ops.deform_conv2d(
            x, off, self.w, self.b, padding=1, groups=2, mask=F.sigmoid(mask) * 2
        )
        z = paddle.vision.ops.deform_conv2d(x, off * 0, self.w, padding=[1, 1], groups=2)
        return F.relu(y) + 0.1 * z, (z - F.conv2d(x, self.w, padding=1, groups=2)).abs().max()


@zoo(
    [("boxes", [None, 4]), ("scores", [None])],
    lambda g, n: [
        np.concatenate([g.u(0, 5, n, 2), g.u(5, 10, n, 2)], 1),
        g.perm(n).astype("float32") / n,
    ],
    (6,),
    (9,),
)
class GreedySuppression(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("stride", paddle.to_tensor([8.0, 8.0, 8.0, 8.0]))

    def forward(self, boxes, scores):
        keep = paddle.vision.ops.nms(boxes * self.stride, 0.4, scores)
        kept = paddle.index_select(boxes, keep, axis=0)
        wh = kept[:, 2:] - kept[:, :2]
        area = wh.prod(-1)
        order = paddle.argsort(area, descending=True)
        return (
            keep,
            kept[order],
            paddle.topk(scores[keep], 1)[0],
            area.max() / area,
            paddle.shape(keep).astype("int32"),
        )


@zoo(
    [("head", [None, 14, None, None]), ("size", [None, 2], "int32")],
    lambda g, n, h, w: [g.f(n, 14, h, w), g.i(40, 90, n, 2, dtype="int32")],
    (1, 3, 4),
    (2, 4, 2),
)
class YoloDecode(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(14, 14, 1)

    def forward(self, head, size):
        h = self.conv(head)
        b, s = paddle.vision.ops.yolo_box(
            h,
            size,
            anchors=[10, 13, 16, 30],
            class_num=2,
            conf_thresh=0.1,
            downsample_ratio=8,
            clip_bbox=False,
            scale_x_y=1.1,
        )
        best = s.max(axis=-1, keepdim=True)
        c = b * (best > 0.2).astype("float32")
        p = paddle.vision.ops.prior_box(
            h, paddle.zeros([1, 3, 32, 32]), min_sizes=[4.0], aspect_ratios=[2.0], clip=True
        )[0]
        return b, s, c.sum(1), p.reshape([-1, 4])


@zoo(
    [("prior", [None, 4]), ("target", [None, 4])],
    lambda g, n, m: [
        np.concatenate([g.u(0, 4, n, 2), g.u(5, 9, n, 2)], 1),
        np.concatenate([g.u(0, 4, m, 2), g.u(5, 9, m, 2)], 1),
    ],
    (4, 3),
    (2, 5),
)
class BoxArithmetic(nn.Layer):
    def forward(self, prior, target):
        enc = paddle.vision.ops.box_coder(
            prior,
            [0.1, 0.1, 0.2, 0.2],
            target,
            code_type="encode_center_size",
            box_normalized=False,
        )
        dec = paddle.vision.ops.box_coder(
            prior, [0.1, 0.1, 0.2, 0.2], enc, code_type="decode_center_size", axis=0
        )
        lt = paddle.maximum(prior[:, None, :2], target[None, :, :2])
        rb = paddle.minimum(prior.unsqueeze(1)[..., 2:], target[:, 2:])
        inter = (rb - lt).clip(min=0).prod(axis=-1)
        area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
        iou = inter / (area(prior)[:, None] + area(target) - inter)
        return enc, dec, iou, iou.argmax(0), iou.max(1) > 0.3


@zoo([("x", [None, 6, 4, 5])], lambda g, n: [g.f(n, 6, 4, 5)], (2,), (3,))
class FunctionalNorms(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", paddle.linspace(-0.3, 0.3, 6))
        self.register_buffer("var", paddle.linspace(0.5, 1.5, 6))
        self.gn = nn.GroupNorm(2, 6, data_format="NHWC", weight_attr=False)
        self.scale = weights(self, 6)

    def forward(self, x):
        a = F.batch_norm(
            x,
            self.mean,
            self.var,
            weight=self.scale,
            bias=self.mean * 2,
            training=False,
            epsilon=1e-4,
        )
        b = F.instance_norm(x, weight=self.var, bias=self.mean, eps=1e-3)
        c = F.local_response_norm(x, size=3, alpha=0.01, beta=0.5, k=2.0)
        last = x.transpose([0, 2, 3, 1])
        d = self.gn(last) + F.layer_norm(last, [6], weight=self.var, epsilon=1e-6)
        return a, b, c, d, F.local_response_norm(last, 3, data_format="NHWC")


# ---------------------------------------------------------------- gathering, scattering, indexing, assignment


@zoo(
    [("x", [None, None, 4]), ("i", [None], "int32"), ("one", [], "int64")],
    lambda g, n, t, k: [g.f(n, t, 4), g.i(0, t, k, dtype="int32"), np.array(g.i(0, n))],
    (2, 3, 5),
    (4, 6, 2),
)
class GathersOnAxes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, i, one):
        h = self.fc(x)
        a = paddle.gather(h, i, axis=paddle.to_tensor(1, dtype="int32"))
        b = paddle.index_select(x, i, axis=-2) - a
        c = paddle.gather(h, one.reshape([1]), axis=0).squeeze(0) + h[one]
        d = paddle.gather_nd(h, paddle.stack([one, one * 0]).unsqueeze(0))
        e = paddle.take(self.fc.weight, paddle.to_tensor([[0, 1], [5, 100000]]), mode="clip")
        f = paddle.take(self.fc.weight, paddle.to_tensor([[3, -30]]), mode="wrap")
        return a, b, c, d, e, f, paddle.index_sample(x[:, 0], (h[:, 0] > 0).astype("int64") * 3)


@zoo(
    [("x", [None, 5]), ("i", [None, 2], "int64"), ("v", [None, 2])],
    lambda g, n: [g.f(n, 5), np.stack([g.g.permutation(5)[:2] for _ in range(n)]), g.f(n, 2)],
    (3,),
    (6,),
)
class AlongAxisEveryReduce(nn.Layer):
    def forward(self, x, i, v):
        a = paddle.put_along_axis(x, i, v, axis=-1)
        b = paddle.put_along_axis(x, i, v, 1, reduce="add")
        c = paddle.put_along_axis(x, i, v, 1, reduce="multiply")
        d = paddle.put_along_axis(x, i, paddle.full_like(v, 0.5), axis=1, reduce="assign")
        e = paddle.take_along_axis(a, paddle.argsort(x, axis=-1), axis=-1)
        f = paddle.take_along_axis(x, i, 1)
        return (
            a - b,
            c,
            d,
            e,
            f.cumsum(-1),
            x.take_along_axis(paddle.argmax(x, -1, keepdim=True), axis=1),
        )


@zoo(
    [("x", [None, 5]), ("i", [None, 3], "int64"), ("v", [None, 3])],
    lambda g, n: [g.f(n, 5), g.i(0, 5, n, 3), g.f(n, 3)],
    (2,),
    (5,),
)
class AlongAxisRepeatedIndices(nn.Layer):
    def forward(self, x, i, v):
        a = paddle.put_along_axis(x, i, v, 1, reduce="add", include_self=True, broadcast=False)
        b = paddle.put_along_axis(x, i, v, 1, reduce="amax", include_self=False, broadcast=False)
        c = paddle.put_along_axis(x, i, v, 1, reduce="amin", include_self=True, broadcast=False)
        d = paddle.put_along_axis(x, i, v, -1, reduce="mean", include_self=True, broadcast=False)
        e = paddle.put_along_axis(x, i, v, 1, reduce="mul", include_self=False, broadcast=False)
        f = paddle.take_along_axis(x, i[:, :2], axis=1, broadcast=False)
        return a, b + c, d, e, f


@zoo(
    [("x", [None, 4]), ("i", [None], "int64"), ("u", [None, 4])],
    lambda g, n, k: [g.f(n, 4), g.i(0, n, k), g.f(k, 4)],
    (5, 3),
    (7, 9),
)
class ScatterFamily(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4, bias_attr=False)

    def forward(self, x, i, u):
        a = paddle.scatter(x, i, self.fc(u), overwrite=False)
        b = paddle.scatter_nd_add(x, i.unsqueeze(-1), u)
        c = paddle.scatter_nd_add(x, paddle.stack([i, i % 4], axis=1), u[:, 0])
        d = paddle.scatter_nd(i.unsqueeze(1), u, [16, 4])
        e = paddle.index_add(x, i, 0, u * 0.5)
        f = paddle.index_add(x.t(), i.astype("int32"), -1, u.t())
        return a, b, c, d[:5], e - x, f


@zoo(
    [("x", [None, 4, 3]), ("i", [3], "int64"), ("j", [3], "int64"), ("v", [1, 3])],
    lambda g, n: [g.f(n, 4, 3), g.i(0, n, 3), np.array([1, -1, 0]), g.f(1, 3)],
    (3,),
    (5,),
)
class IndexPutAndFill(nn.Layer):
    def forward(self, x, i, j, v):
        a = paddle.index_put(x, (i, j), v)
        b = paddle.index_put(x, [i], paddle.ones([1]), accumulate=True)
        c = paddle.index_put(x, (x > 0.5,), paddle.full([1], -2.0))
        d = paddle.index_fill(x, j, 1, -1)
        e = paddle.masked_fill(x, x < 0, paddle.full([], 9.0))
        f = x.masked_fill(x.sum(-1, keepdim=True) > 0, 0.25)
        return a, b, c, d * e, f - a


@zoo(
    [("x", [None, None, 3]), ("m", [None, None], "bool")],
    lambda g, n, t: [g.f(n, t, 3), g.b(n, t)],
    (2, 5),
    (4, 3),
)
class MaskedPacking(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, m):
        packed = x[m]
        h = self.fc(packed) + packed
        where = paddle.nonzero(m)
        back = paddle.scatter_nd_add(paddle.zeros_like(x), where, h)
        sel = paddle.masked_select(x, m.unsqueeze(-1).astype("int32").expand_as(x).astype("bool"))
        rows, cols = paddle.nonzero(paddle.logical_not(m), as_tuple=True)
        (flat,) = paddle.where(m.astype("int8").flatten() > 0)
        return (
            h,
            back,
            sel,
            rows.squeeze(-1) if rows.ndim > 1 else rows,
            (cols * 2).sum(),
            flat.reshape([-1]),
        )


@zoo([("x", [None, None, 6])], lambda g, n, t: [g.f(n, t, 6)], (3, 5), (4, 7))
class BackwardSlices(nn.Layer):
    def forward(self, x):
        a = x[::-1] + x[:, :, ::-1]
        b = x[:, ::-2, 1::2]
        c = x[-1:-3:-1, ..., -1]
        d = x[..., 4:0:-3]
        e = x[:-1, None, :, -2:] * x[1:, :, ::3].unsqueeze(1)
        f = x[-1, :, None][..., ::2]
        return a, b, c, d, e, f, x[(Ellipsis, 0)], x[:, -100:100, 5:]


@zoo(
    [("x", [None, None, 4]), ("lo", [], "int64"), ("hi", [1], "int32"), ("at", [None], "int64")],
    lambda g, n, t, lo, hi, k: [g.f(n, t, 4), np.array(lo), np.array([hi], "int32"), g.i(-t, t, k)],
    (2, 6, 1, 4, 3),
    (3, 8, 2, 7, 1),
)
class SlicesBoundedByTensors(nn.Layer):
    def forward(self, x, lo, hi, at):
        n = paddle.shape(x)[1]
        a = x[:, lo:hi]
        b = x[:, lo:]
        c = x[:, n - 1] - x[:, lo]
        d = x[:, : n - lo, 1:3]
        e = x[:, at % n]
        f = x[-1, lo:n:2]
        return a.sum(1), b, c, d, e, f, x[:, lo][..., None]


@zoo(
    [("x", [None, None, 4]), ("i", [None, 1], "int64"), ("j", [2], "int64")],
    lambda g, n, t, k: [g.f(n, t, 4), g.i(0, n, k, 1), g.i(0, 3, 2)],
    (2, 3, 3),
    (5, 4, 2),
)
class AdvancedIndexMixes(nn.Layer):
    def forward(self, x, i, j):
        a = x[i, j]
        b = x[:, j, 1:]
        c = x[[0, 1, 0], [1, 0, 2]]
        d = x[i.squeeze(-1)]
        e = x[:, :, [3, 0, 2]]
        f = x[:, 0:2, j]
        h = x[1:, :, j]
        return a, b, c, d, e, f, h - 1, x[0, j]


@zoo(
    [("x", [None, None, 4]), ("y", [None, 4]), ("i", [2], "int64")],
    lambda g, n, t: [g.f(n, t, 4), g.f(n, 4), g.g.permutation(n)[:2]],
    (3, 4),
    (5, 2),
)
class AssignThroughSlices(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, y, i):
        h = self.fc(x)
        h[:, 0] = y
        h[:, :, -1] = 0.5
        h[:, 1:, ::2] = h[:, 1:, ::2] * 2
        z = x + 0.0
        z[i] = 1.0
        z[..., 1:3] = y.unsqueeze(1)[..., :2]
        w = y * 1.0
        w[::-1, 0] = paddle.arange(paddle.shape(y)[0]).astype("float32")
        return h, z, w


@zoo(
    [("x", [None, 5]), ("k", [], "int64"), ("n", [None, 5], "int64")],
    lambda g, n, k: [g.f(n, 5), np.array(k), g.i(-3, 4, n, 5)],
    (3, 1),
    (4, 2),
)
class AssignThroughMasks(nn.Layer):
    def forward(self, x, k, n):
        a = x.clone()
        a[x < 0] = -1.0
        b = x * 1
        b[:, k] = 7
        b[k:] = b[k:] + x.sum()
        c = n.clone()
        c[n > 2] = 0
        c[:, -1] = c[:, -1] * 3
        d = paddle.zeros_like(x)
        d[:k, 1:4] = x[:k, 1:4]
        return a, b, c, d, (a > 0).astype("int32")


@zoo(
    [("q", [None, 6], "int64"), ("t", [None, None], "int32")],
    lambda g, n, k: [g.i(0, 6, n, 6), g.i(0, 5, n, k, dtype="int32")],
    (2, 3),
    (4, 1),
)
class OneHotsAndEmbeddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 6, 3)
        self.emb = nn.Embedding(6, 3, padding_idx=2)

    def forward(self, q, t):
        a = F.embedding(q, self.w, padding_idx=-2)
        b = self.emb(q) - F.embedding(t, self.w)[:, :1]
        c = F.one_hot(t, num_classes=5)
        d = F.label_smooth(c, epsilon=0.2, prior_dist=paddle.full([1, 5], 0.2))
        e = paddle.matmul(F.one_hot(q, 6), self.w)
        return (
            a,
            b,
            d,
            e - a,
            F.one_hot(q[0, 0], 7),
            paddle.shard_index(q.unsqueeze(-1), 6, 2, 1, ignore_value=-5),
        )


@zoo(
    [("len", [None], "int64"), ("x", [None, None, 3])],
    lambda g, n, t: [np.concatenate([[t], g.i(1, t + 1, n - 1)]).astype("int64"), g.f(n, t, 3)],
    (3, 4),
    (2, 7),
)
class MasksFromLengths(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, direction="bidirect")

    def forward(self, len, x):
        m = F.sequence_mask(len, maxlen=x.shape[1], dtype="float32")
        n = F.sequence_mask(len, dtype="int64")
        y, (h, c) = self.lstm(x, sequence_length=len)
        mean = (y * m.unsqueeze(-1)).sum(1) / len.unsqueeze(-1).astype("float32")
        last = paddle.take_along_axis(x, (len - 1).reshape([-1, 1, 1]).expand([-1, 1, 3]), axis=1)
        return mean, h, c[0], last.squeeze(1), n, paddle.where(m.astype("bool"), x[..., 0], -m)


@zoo([("sq", [None, 4, 4]), ("v", [None, 4])], lambda g, n: [g.f(n, 4, 4), g.f(n, 4)], (2,), (3,))
class ScattersIntoViews(nn.Layer):
    def forward(self, sq, v):
        a = paddle.diagonal_scatter(sq[0], v[0], offset=0)
        b = paddle.select_scatter(sq, v, axis=1, index=-1)
        c = paddle.diagonal_scatter(sq, v[:, 1:], offset=1, axis1=-2, axis2=-1)
        d = paddle.diag_embed(v, offset=-1)[:, :4, 1:]
        e = paddle.tril(sq) + paddle.tril(sq, -1).transpose([0, 2, 1])
        return a, b, c, d, e, paddle.diagonal(sq, offset=-1, axis1=1, axis2=2).prod(-1)


@zoo(
    [("ids", [None, None, 2], "int64"), ("par", [None, None, 2], "int64")],
    lambda g, t, n: [g.i(0, 9, t, n, 2), g.i(0, 2, t, n, 2)],
    (3, 2),
    (5, 1),
)
class BeamBacktrace(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 4)

    def forward(self, ids, par):
        full = F.gather_tree(ids, par)
        h = self.emb(full).mean(axis=0)
        score = h.sum(-1)
        best = score.argmax(-1)
        seq = paddle.take_along_axis(
            full, best.reshape([1, -1, 1]).expand([paddle.shape(full)[0], -1, 1]), axis=2
        )
        return full, score, seq.squeeze(-1), paddle.index_sample(score, best.unsqueeze(-1))


@zoo([("x", [None, 2, 3])], lambda g, n: [g.f(n, 2, 3)], (3,), (5,))
class NewAxesAndEllipses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.p = weights(self, 3)

    def forward(self, x):
        a = x[None, ..., None] * self.p[None, :, None]
        b = x[..., None, :] - x[:, :, :, None]
        c = x[:, [True, False]]
        d = x[paddle.to_tensor([[0, 1], [1, 2]]), 0]
        e = x[0:1, ..., 0:1] + self.p[..., None][1:]
        f = x[:, 1][:, paddle.to_tensor([True, False, True])]
        return a, b.abs().sum(-1), c, d, e, f, self.p[-1] * x[1, 1, 1]


@zoo([("x", [None, 6]), ("y", [None, 6])], lambda g, n: [g.f(n, 6), g.f(n, 6)], (4,), (3,))
class WherePicksBetweenKinds(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x, y):
        c = x > y
        a = paddle.where(c, self.fc(x), y * 0.5)
        b = paddle.where(c[:, :1], x, paddle.zeros([1]))
        d = paddle.where(c, paddle.arange(6), paddle.full([1, 6], -1, "int64"))
        e = paddle.where(self.fc.bias > 0, self.fc.bias, x)
        f = paddle.multiplex([x, y], c[:, :1].astype("int32"))
        return a, b, d, e, f, paddle.nonzero(c.any(0))


# ---------------------------------------------------------------- order, statistics, running sums, norms, distances


@zoo(
    [("x", [None, None, 5]), ("k", [1], "int32")],
    lambda g, n, t, k: [g.f(n, t, 5), np.array([k], "int32")],
    (2, 6, 2),
    (3, 9, 4),
)
class SortsAndTops(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 5)

    def forward(self, x, k):
        h = self.fc(x)
        a = paddle.sort(h, axis=-2, descending=True)
        i = paddle.argsort(h, axis=1)
        v, j = paddle.topk(h, k, axis=1, largest=False)
        w, l = h.topk(3, axis=-1, sorted=True)
        u, m = paddle.kthvalue(h, k=2, axis=-2)
        b = paddle.take_along_axis(x, i, axis=1)
        return a, i, v, j, w.sum(-1), l[..., ::-1], u.unsqueeze(1) - h, m, b


@zoo(
    [("x", [None, None], "int64"), ("y", [None, 4])],
    lambda g, n, t: [g.i(0, 4, n, t), g.f(n, 4)],
    (3, 7),
    (2, 5),
)
class ModesAndMedians(nn.Layer):
    def forward(self, x, y):
        a, i = paddle.mode(x.astype("float32"), axis=-1, keepdim=True)
        b = paddle.median(y, axis=-1, keepdim=True)
        c = paddle.median(y[:, :3], axis=1)
        d = paddle.nanquantile(paddle.where(y > 1, y * float("nan"), y), 0.5, axis=-1, keepdim=True)
        e, _ = paddle.kthvalue(x.astype("float64"), k=1, axis=0)
        return (
            a,
            b - y,
            c,
            d,
            e,
            y[:, ::2].median(axis=1),
            (x == a.astype("int64")).astype("int32").sum(-1),
        )


@zoo([("x", [None, 3, None])], lambda g, n, t: [g.f(n, 3, t)], (4, 5), (3, 6))
class QuantilesOfLists(nn.Layer):
    def forward(self, x):
        a = paddle.quantile(x, 0.25, axis=-1, keepdim=True)
        b = paddle.quantile(x, [0.1, 0.5, 0.9], axis=1)
        c = paddle.nanquantile(
            paddle.where(x > 1.5, paddle.full_like(x, float("nan")), x),
            q=0.6,
            axis=1,
            keepdim=False,
        )
        z = (x - b[1].unsqueeze(1)) / (b[2] - b[0]).unsqueeze(1)
        return a.astype("float32"), b, c, z.clip(-3, 3)


@zoo(
    [("edges", [None]), ("v", [None, None])],
    lambda g, k, n, t: [np.sort(g.f(k)), g.f(n, t)],
    (5, 2, 4),
    (3, 3, 6),
)
class BinsAndBuckets(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(8, 3)

    def forward(self, edges, v):
        i = paddle.bucketize(v, edges, right=True)
        j = paddle.searchsorted(edges, v, out_int32=True)
        rows = paddle.searchsorted(paddle.sort(v, -1), paddle.zeros_like(v[:, :1]), right=False)
        h = self.emb(i)
        return h, j, rows, (i - j.astype("int64")).sum(), h.mean([0, 1])


@zoo(
    [("x", [None], "int64"), ("m", [None, 2])],
    lambda g, n, k: [g.i(0, 4, n), np.round(g.f(k, 2))],
    (7, 6),
    (12, 3),
)
class UniqueEverything(nn.Layer):
    def forward(self, x, m):
        out, index, inverse, counts = paddle.unique(
            x, return_index=True, return_inverse=True, return_counts=True
        )
        freq = paddle.gather(counts, inverse).astype("float32")
        rows, inv = paddle.unique(m, return_inverse=True, axis=0)
        run, ri, rc = paddle.unique_consecutive(
            paddle.sort(x), return_inverse=True, return_counts=True
        )
        return out, index, counts, 1.0 / freq, rows, paddle.gather(rows, inv) - m, run, ri, rc


@zoo(
    [("x", [None], "int64"), ("w", [None]), ("y", [None, None])],
    lambda g, n, k, t: [g.i(0, 6, n), g.u(0, 1, n), g.f(k, t)],
    (6, 3, 4),
    (9, 2, 8),
)
class CountsAndHistograms(nn.Layer):
    def forward(self, x, w, y):
        a = paddle.bincount(x, minlength=9)
        b = paddle.bincount(x, weights=w, minlength=1)
        c = paddle.histogram(y, bins=5, min=-2, max=2)
        d = paddle.histogram(x, bins=3)
        p = a.astype("float32") / a.sum().astype("float32")
        return a, b.sum(), c, d, -(p * paddle.log(p + 1e-6)).sum(), (b / b.sum()).max()


@zoo([("x", [None, None, 4])], lambda g, n, t: [g.f(n, t, 4)], (2, 3), (3, 6))
class RunningEverything(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = self.fc(x)
        a = h.cumsum(-2) / paddle.arange(1, paddle.shape(x)[1] + 1, dtype="float32").unsqueeze(-1)
        b, i = paddle.cummax(h, axis=-1)
        c, j = paddle.cummin(h, axis=1, dtype="int32")
        d = paddle.logcumsumexp(h, axis=-2) + paddle.logcumsumexp(x)[-1]
        e = paddle.cumprod(h, dim=-3) + x.cumsum()[-1]
        return (
            a,
            b,
            i,
            c,
            j,
            d,
            e,
            h.astype("int32").cumsum(0, dtype="float64"),
            paddle.flip(paddle.cumsum(paddle.flip(x, [1]), 1), [1]),
        )


@zoo([("x", [None, 3, None])], lambda g, n, t: [g.f(n, 3, t)], (2, 4), (3, 5))
class NormsOfEveryP(nn.Layer):
    def forward(self, x):
        a = [
            x.norm(p=p, axis=-1, keepdim=True) for p in (0, 1, 2, 3.5, float("inf"), -float("inf"))
        ]
        b = paddle.linalg.norm(x, p="fro", axis=[-2, -1])
        c = paddle.norm(x)
        d = paddle.norm(x, p=2, axis=[0, 1], keepdim=True)
        e = paddle.linalg.norm(x, p=1, axis=1) + paddle.linalg.norm(
            x, p=float("inf"), axis=[1, 2], keepdim=True
        ).squeeze(-1)
        f = x / paddle.norm(x, p="fro", axis=(1, 2), keepdim=True).clip(min=1e-6)
        return paddle.concat(a, -1), b, c, d, e, f, paddle.dist(x, x * 0.5, p=float("inf"))


@zoo(
    [("a", [None, None, 3]), ("b", [None, None, 3])],
    lambda g, n, p, q: [g.f(n, p, 3), g.f(n, q, 3)],
    (2, 3, 4),
    (1, 5, 2),
)
class DistancesOfEveryP(nn.Layer):
    def __init__(self):
        super().__init__()
        self.proto = weights(self, 4, 3)
        self.pair = nn.PairwiseDistance(p=3, epsilon=1e-3, keepdim=True)

    def forward(self, a, b):
        d1 = paddle.cdist(a, b, p=1.0)
        d2 = paddle.cdist(a.reshape([-1, 3]), self.proto)
        d3 = paddle.cdist(a, b, p=float("inf"), compute_mode="donot_use_mm_for_euclid_dist")
        cos = F.cosine_similarity(a.unsqueeze(2), b.unsqueeze(1), axis=-1)
        e = self.pair(a[:, 0], b[:, 0])
        return (
            d1,
            d2,
            d3,
            cos,
            e,
            F.pairwise_distance(a[:, -1], b[:, 0], p=float("inf")),
            paddle.dist(a[:, :1], b, 1.5),
            d2.argmin(-1),
        )


@zoo([("x", [None, None, 4])], lambda g, n, t: [g.f(n, t, 4)], (2, 3), (4, 5))
class AxesAsListsTuplesNothing(nn.Layer):
    def forward(self, x):
        a = x.sum(axis=[]) + x.mean([])
        b = x.std(axis=[0, -1], unbiased=False, keepdim=True)
        c = paddle.var(x, axis=(1, 2))
        d = paddle.logsumexp(x, axis=[-1, 0]) - x.amax(axis=(0, 2))
        e = x.prod(axis=[1, -1], keepdim=True) + x.max(axis=[]) - x.min()
        f = x.mean(axis=(-1,), keepdim=True)
        return (
            a,
            x / b,
            c,
            d,
            e,
            f,
            paddle.amin(x, axis=[-2], keepdim=True),
            paddle.nansum(x, axis=[0, 1]),
            paddle.all(x > -9, axis=[0, 2], keepdim=True),
        )


@zoo(
    [("x", [None, None]), ("axis_is", [1], "int32")],
    lambda g, n, t: [g.f(n, t), np.array([1], "int32")],
    (3, 4),
    (2, 7),
)
class ReducedOverTensorAxes(nn.Layer):
    def forward(self, x, axis_is):
        ax = paddle.full([1], 1, "int32")
        a = paddle.cumsum(x, axis=-1)
        b = x.argmax(axis=0, dtype="int32")
        c = paddle.cumsum(x, axis=0)[-1]
        d = paddle.concat([x, a], axis=ax)
        e = paddle.split(d, [2, -1], axis=ax)[1]
        f = paddle.unsqueeze(x, axis=paddle.to_tensor([0, -1], dtype="int32"))
        return b, c + axis_is.astype("float32"), e, f, x.argmin(keepdim=True), x.argmax()


@zoo([("y", [None, 6]), ("t", [6])], lambda g, n: [g.f(n, 6), np.sort(g.f(6))], (2,), (5,))
class IntegralsAndDifferences(nn.Layer):
    def forward(self, y, t):
        a = paddle.trapezoid(y, t)
        b = paddle.trapezoid(y, dx=0.5, axis=-1)
        c = paddle.cumulative_trapezoid(y, dx=2.0)
        d = paddle.diff(y, n=1, axis=-1, append=y[:, :1])
        e = paddle.vander(t, n=3, increasing=True)
        f = paddle.combinations(t, r=2)
        coef = paddle.linalg.solve(e.t() @ e + paddle.eye(3), e.t() @ y.t())
        return a, b, c, d, f.prod(-1), coef


@zoo([("x", [None, 4, None])], lambda g, n, t: [g.f(n, 4, t)], (2, 6), (3, 5))
class RenormedAndNormalised(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        a = paddle.renorm(x, p=1.0, axis=-2, max_norm=1.5)
        b = F.normalize(x, p=1, axis=-1, epsilon=1e-3)
        c = F.normalize(self.fc(x.transpose([0, 2, 1])), axis=2)
        d = paddle.matmul(c, c, transpose_y=True)
        e = (x - x.mean([0, 2], keepdim=True)) / (
            x.var([0, 2], unbiased=False, keepdim=True) + 1e-3
        ).sqrt()
        return a, b, d, e, F.normalize(x.mean(-1), p=2.5, axis=0)


@zoo([("x", [3, None]), ("w", [None])], lambda g, n: [g.f(3, n), g.u(0.1, 1, n)], (6,), (9,))
class WeightedWhitening(nn.Layer):
    def forward(self, x, w):
        p = w / w.sum()
        centred = x - (x * p).sum(axis=[1], keepdim=True)
        cov = (centred * p) @ centred.t() / (1 - (p * p).sum())
        sd = paddle.diagonal(cov).sqrt()
        corr = cov / paddle.outer(sd, sd)
        white = paddle.linalg.inv(paddle.linalg.cholesky(cov + paddle.eye(3) * 0.1)) @ centred
        return (
            cov,
            corr.clip(-1, 1),
            white,
            paddle.triu(corr, 1).abs().max(),
            paddle.var(x, axis=-1, unbiased=False) - sd**2,
        )


@zoo(
    [("scores", [None, 7]), ("temp", [1])],
    lambda g, n, t: [g.f(n, 7), np.array([t], "float32")],
    (3, 0.5),
    (5, 2.0),
)
class NucleusFilter(nn.Layer):
    def forward(self, scores, temp):
        p = F.softmax(scores / temp, axis=-1)
        s = paddle.sort(p, axis=-1, descending=True)
        i = paddle.argsort(p, axis=-1, descending=True)
        cum = s.cumsum(-1)
        drop = paddle.concat(
            [paddle.zeros_like(cum[:, :1]).astype("bool"), cum[:, :-1] > 0.7], axis=-1
        )
        kept = paddle.where(drop, paddle.zeros_like(s), s)
        back = paddle.put_along_axis(paddle.zeros_like(p), i, kept, axis=-1)
        rank = paddle.argsort(i, axis=-1)
        return (
            back / back.sum(-1, keepdim=True),
            rank,
            (1 - drop.astype("int64")).sum(-1),
            paddle.index_sample(scores, scores.topk(2)[1]),
        )


# ---------------------------------------------------------------- linear algebra, spectra, graphs, losses


@zoo(
    [("a", [None, 3, 3]), ("b", [None, 3, 2])],
    lambda g, n: [g.f(n, 3, 3), g.f(n, 3, 2)],
    (2,),
    (4,),
)
class SolversOfEveryKind(nn.Layer):
    def forward(self, a, b):
        s = paddle.matmul(a, a, transpose_y=True) + 0.5 * paddle.eye(3)
        l = paddle.linalg.cholesky(s)
        u = paddle.linalg.cholesky(s, upper=True)
        x = paddle.linalg.cholesky_solve(b, l, upper=False)
        y = paddle.linalg.triangular_solve(u, b, upper=True, transpose=True)
        z = paddle.linalg.solve(s, b)
        w = paddle.linalg.triangular_solve(l, b, upper=False, unitriangular=True)
        return l, x - z, y, w, paddle.linalg.inv(s) @ b, paddle.linalg.det(s).log() * 2


@zoo([("m", [None, 4, 4], "float64")], lambda g, n: [g.f(n, 4, 4, dtype="float64")], (2,), (3,))
class DecompositionsRebuilt(nn.Layer):
    def forward(self, m):
        sym = (m + m.transpose([0, 2, 1])) / 2
        w, v = paddle.linalg.eigh(sym, UPLO="U")
        a = v @ paddle.diag_embed(w.exp()) @ v.transpose([0, 2, 1])
        u, s, vh = paddle.linalg.svd(m, full_matrices=False)
        q, r = paddle.linalg.qr(m)
        both = paddle.linalg.slogdet(m)
        return (
            a,
            (u * s.unsqueeze(-2)) @ vh,
            r.abs(),
            both[0] * both[1],
            s,
            q @ r - m,
            paddle.linalg.eigvalsh(sym),
        )


@zoo(
    [("m", [None, 3, 3]), ("v", [3])],
    lambda g, n: [g.f(n, 3, 3) + 3 * np.eye(3, dtype="float32"), g.f(3)],
    (2,),
    (4,),
)
class PowersAndPseudoInverses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 3, 5)

    def forward(self, m, v):
        a = (
            paddle.linalg.matrix_power(m, -2)
            + paddle.linalg.matrix_power(m, 0)
            - m.matrix_power(3) * 1e-2
        )
        b = paddle.linalg.pinv(self.w) @ m
        c = paddle.linalg.multi_dot([v, self.w, self.w.t(), v])
        d = paddle.mv(m[0], v) + paddle.inner(m, v)[-1]
        e = paddle.linalg.norm(m, axis=[1, 2])
        return a, b, c, d, e, paddle.inverse(m), paddle.linalg.matrix_rank(m, tol=0.1)


@zoo(
    [("x", [None, None, 4]), ("y", [None, None, 4]), ("z", [4, 3])],
    lambda g, n, s, t: [g.f(n, s, 4), g.f(n, t, 4), g.f(4, 3)],
    (2, 3, 5),
    (3, 2, 1),
)
class ContractionsByLetters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.core = weights(self, 4, 2, 4)

    def forward(self, x, y, z):
        a = paddle.einsum("bsd,btd->bst", x, y)
        b = paddle.einsum("...d,dk->...k", x, z)
        c = paddle.einsum("bsd,dke,bte->bkst", x, self.core, y)
        d = paddle.tensordot(x[0], z, axes=[[1], [0]]) - b
        e = paddle.einsum("bsd->ds", x) + paddle.einsum("dke,e->d", self.core, z[:, 0]).unsqueeze(
            -1
        )
        return (
            a,
            b,
            c,
            d,
            e,
            paddle.kron(z, paddle.ones([2, 1])),
            paddle.cross(x[..., :3], x[..., 1:], axis=-1),
        )


@zoo([("x", [None, 8])], lambda g, n: [g.f(n, 8)], (2,), (5,))
class SpectraAndBack(nn.Layer):
    def __init__(self):
        super().__init__()
        self.filt = weights(self, 5)

    def forward(self, x):
        s = paddle.fft.rfft(x, axis=-1, norm="ortho")
        y = paddle.fft.irfft(s * self.filt.astype("complex64"), n=8, norm="ortho")
        z = paddle.fft.fft(x, n=6, norm="forward")
        h = paddle.fft.fftshift(paddle.abs(z), axes=None)
        w = paddle.fft.ifft(paddle.fft.fft(x.astype("complex64")), axis=1)
        return (
            y,
            z,
            h,
            paddle.real(w) - x,
            paddle.fft.hfft(s, n=8),
            paddle.fft.ihfft(x).imag(),
            paddle.fft.rfftfreq(8) * 2,
        )


@zoo([("img", [None, 6, 8])], lambda g, n: [g.f(n, 6, 8)], (2,), (3,))
class FourierConvolution2D(nn.Layer):
    def __init__(self):
        super().__init__()
        self.k = weights(self, 3, 3)

    def forward(self, img):
        big = F.pad(self.k.unsqueeze([0, 0]), [0, 5, 0, 3]).squeeze([0, 1])
        y = paddle.fft.irfft2(paddle.fft.rfft2(img) * paddle.fft.rfft2(big), s=[6, 8])
        p = paddle.abs(paddle.fft.fft2(img, axes=(-2, -1), norm="ortho")) ** 2
        low = paddle.fft.ifftn(paddle.fft.fftn(img, s=[4, 4], axes=[1, 2]), axes=[1, 2])
        return (
            y,
            paddle.fft.fftshift(p, axes=(1, 2)),
            paddle.as_real(low),
            paddle.fft.ifftshift(img, axes=[1, 2]) - img.roll(3, 1),
        )


@zoo([("wave", [None, 32])], lambda g, n: [g.f(n, 32)], (2,), (3,))
class SpectrogramPipeline(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", paddle.to_tensor(np.hanning(8).astype("float32") + 0.1))
        self.mel = nn.Linear(5, 4, bias_attr=False)

    def forward(self, wave):
        w = F.pad(wave.unsqueeze(1), [4, 4], mode="reflect", data_format="NCL").squeeze(1)
        frames = paddle.signal.frame(
            w, frame_length=8, hop_length=4, axis=-1
        ) * self.window.unsqueeze(-1)
        s = paddle.fft.rfft(frames, axis=1)
        t = paddle.signal.stft(
            wave, n_fft=8, hop_length=4, center=True, pad_mode="constant", normalized=True
        )
        power = paddle.real(s) ** 2 + paddle.imag(s) ** 2
        mel = self.mel(power.transpose([0, 2, 1])).abs().clip(min=1e-5).log10() * 10
        back = paddle.signal.istft(t, n_fft=8, hop_length=4, normalized=True, length=30)
        f = paddle.signal.frame(wave, frame_length=8, hop_length=4, axis=-1)
        o = paddle.signal.overlap_add(f * self.window.unsqueeze(-1), hop_length=4)
        return mel, back - wave[:, :30], f.mean(-1), o, paddle.maximum(mel, mel.max() - 8.0)


@zoo(
    [("x", [None, 3]), ("src", [None], "int64"), ("dst", [None], "int64"), ("edge", [None, 1])],
    lambda g, n, e: [
        g.f(n, 3),
        g.i(0, n, e),
        np.concatenate([np.arange(n), g.i(0, n, e - n)]),
        g.f(e, 1),
    ],
    (4, 7),
    (3, 9),
)
class GraphMessages(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, src, dst, edge):
        h = F.relu(self.fc(x)) + x
        a = paddle.geometric.send_u_recv(h, src, dst, reduce_op="mean")
        b = paddle.geometric.send_ue_recv(h, edge, src, dst, message_op="mul", reduce_op="max")
        c = paddle.geometric.send_uv(h, x, src, dst, message_op="mul")
        att = F.softmax((c.sum(-1) + edge.squeeze(-1)), axis=0)
        d = paddle.geometric.send_ue_recv(
            x, att.unsqueeze(-1), src, dst, "mul", "sum", out_size=paddle.shape(x)[0]
        )
        return (
            a,
            b,
            c,
            d + a,
            paddle.geometric.send_u_recv(x, dst, src, "min", out_size=paddle.shape(x)[0]),
        )


@zoo(
    [("x", [None, 3]), ("seg", [None], "int64")],
    lambda g, n, k: [g.f(n, 3), np.sort(np.concatenate([np.arange(k), g.i(0, k, n - k)]))],
    (6, 3),
    (8, 5),
)
class SegmentPools(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 2)

    def forward(self, x, seg):
        s = paddle.geometric.segment_sum(x, seg)
        m = paddle.geometric.segment_mean(x, seg)
        e = paddle.exp(x - paddle.gather(paddle.geometric.segment_max(x, seg), seg))
        soft = e / paddle.gather(paddle.incubate.segment_sum(e, seg), seg)
        out = self.fc(paddle.concat([s, m], axis=-1))
        return out, soft, paddle.geometric.segment_min(x, seg).max(0), x - m[seg]


@zoo([("p", [None, 4]), ("t", [None, 4])], lambda g, n: [g.f(n, 4), g.f(n, 4)], (3,), (6,))
class RegressionLosses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, p, t):
        y = self.fc(p)
        a = F.smooth_l1_loss(y, t, reduction="none", delta=0.5)
        b = F.l1_loss(y, t, reduction="sum") + F.mse_loss(y, t[:, :1].expand_as(y))
        c = F.gaussian_nll_loss(y, t, F.softplus(p), full=True, reduction="none")
        d = F.poisson_nll_loss(
            F.softplus(y), t.abs(), log_input=False, full=False, epsilon=2.0, reduction="mean"
        )
        e = F.kl_div(F.log_softmax(y), F.softmax(t), reduction="batchmean")
        f = F.square_error_cost(y, t).sum(-1)
        return (
            a,
            b,
            c,
            d,
            e,
            f,
            F.log_loss(F.sigmoid(y[:, 1:2]), (t[:, :1] > 0).astype("float32"), epsilon=1e-3),
        )


@zoo(
    [("z", [None, 5]), ("label", [None], "int64"), ("soft", [None, 5])],
    lambda g, n: [g.f(n, 5), np.where(g.u(0, 1, n) < 0.3, 4, g.i(0, 4, n)), g.u(0, 1, n, 5)],
    (5,),
    (8,),
)
class ClassificationLosses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", paddle.to_tensor([0.5, 1.0, 2.0, 0.1, 3.0]))

    def forward(self, z, label, soft):
        a = F.cross_entropy(z, label, weight=self.w, ignore_index=4, reduction="none")
        b = F.cross_entropy(z, soft / soft.sum(-1, keepdim=True), soft_label=True, reduction="sum")
        c = F.cross_entropy(F.softmax(z), label.unsqueeze(-1), use_softmax=False, axis=-1)
        d = F.nll_loss(F.log_softmax(z), label, weight=self.w, reduction="sum")
        e, p = F.softmax_with_cross_entropy(z, label.unsqueeze(1), return_softmax=True)
        f = F.cross_entropy(z, label, label_smoothing=0.1)
        return a, b, c, d, e, p, f


@zoo(
    [("z", [None, 3, None]), ("y", [None, 3, None]), ("lab", [None, None], "int64")],
    lambda g, n, t: [g.f(n, 3, t), (g.u(0, 1, n, 3, t) < 0.4).astype("float32"), g.i(0, 3, n, t)],
    (2, 4),
    (3, 2),
)
class BinaryAndDenseLosses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.pos = weights(self, 3, 1)

    def forward(self, z, y, lab):
        a = F.binary_cross_entropy_with_logits(
            z, y, pos_weight=self.pos.abs() + 1, reduction="none"
        )
        b = F.binary_cross_entropy(F.sigmoid(z), y, reduction="sum")
        c = F.sigmoid_focal_loss(
            z, y, normalizer=y.sum().reshape([1]) + 1.0, alpha=0.3, gamma=1.5, reduction="sum"
        )
        d = F.cross_entropy(z, lab, axis=1, reduction="none")
        e = F.dice_loss(F.softmax(z.transpose([0, 2, 1])), lab.unsqueeze(-1))
        return (
            a,
            b,
            c,
            d,
            e,
            F.soft_margin_loss(z, 2 * y - 1),
            F.multi_label_soft_margin_loss(z.mean(-1), y[..., 0]),
        )


@zoo(
    [("a", [None, 4]), ("b", [None, 4]), ("s", [None], "float32"), ("k", [None], "int64")],
    lambda g, n: [g.f(n, 4), g.f(n, 4), np.where(g.b(n), 1, -1).astype("float32"), g.i(0, 4, n)],
    (3,),
    (5,),
)
class MetricLosses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Linear(4, 4)

    def forward(self, a, b, s, k):
        u, v = self.emb(a), self.emb(b)
        w = F.cosine_embedding_loss(u, v, s, margin=0.2, reduction="none")
        x = F.triplet_margin_loss(u, v, a - b, margin=0.7, p=1.5, swap=True, reduction="none")
        y = F.margin_ranking_loss(u[:, 0], v[:, 0], s, margin=0.1, reduction="sum")
        z = F.hinge_embedding_loss(u, s.unsqueeze(-1).expand([-1, 4]), margin=0.5, reduction="none")
        q = F.triplet_margin_with_distance_loss(
            u, v, b, distance_function=lambda p, r: (p - r).abs().max(-1), reduction="sum"
        )
        return (
            w,
            x,
            y,
            z,
            q,
            F.multi_margin_loss(u, k, p=2, margin=0.8),
            F.cosine_embedding_loss(u, b, s),
        )


@zoo(
    [("x", [None, 2, 5]), ("lab", [2, 3], "int32"), ("xl", [2], "int64"), ("ll", [2], "int64")],
    lambda g, t: [
        g.f(t, 2, 5),
        g.i(1, 5, 2, 3, dtype="int32"),
        np.array([t, t - 1]),
        np.array([3, 2]),
    ],
    (8,),
    (10,),
)
class SpeechLosses(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 5)

    def forward(self, x, lab, xl, ll):
        z = self.fc(x)
        a = F.ctc_loss(z, lab, xl, ll, blank=0, reduction="none")
        b = F.ctc_loss(F.log_softmax(x, -1), lab, xl, ll, reduction="sum", norm_by_times=False)
        best = z.argmax(-1)
        change = paddle.concat(
            [paddle.ones_like(best[:1]), (best[1:] != best[:-1]).astype("int64")], axis=0
        )
        return (
            a,
            b / 2,
            best * change * (best > 0).astype("int64"),
            paddle.mean(a / ll.astype("float32").reshape([-1, 1])),
        )


@zoo(
    [("x", [None, 6]), ("y", [None, 1], "int64")],
    lambda g, n: [g.f(n, 6), g.i(0, 5, n, 1)],
    (3,),
    (5,),
)
class TreeSoftmaxLoss(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hs = nn.HSigmoidLoss(6, 5)
        self.w = weights(self, 4, 6)

    def forward(self, x, y):
        a = self.hs(x, y)
        b = F.hsigmoid_loss(x * 2, y, 5, self.w)
        c = F.bilinear(
            x,
            x[:, ::-1].clone(),
            self.w.reshape([1, 4, 6])[:, :1].expand([2, 6, 6]),
            paddle.ones([1, 2]),
        )
        return a, b - a, c, F.label_smooth(F.one_hot(y.squeeze(-1), 5)) * a


@zoo(
    [("q", [None, None, 8]), ("k", [None, None, 8]), ("m", [None, 1, None, None], "bool")],
    lambda g, n, s, t: [g.f(n, s, 8), g.f(n, t, 8), g.b(n, 1, s, t)],
    (2, 3, 5),
    (1, 4, 2),
)
class MultiHeadWithBoolMask(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cross = nn.MultiHeadAttention(8, 2, kdim=8, vdim=8, need_weights=True)
        self.alone = nn.MultiHeadAttention(8, 4)

    def forward(self, q, k, m):
        a, w = self.cross(q, k, k, attn_mask=m)
        bias = paddle.triu(
            paddle.full([paddle.shape(q)[1], paddle.shape(q)[1]], float("-inf")), diagonal=1
        )
        b = self.alone(q + a, attn_mask=bias)
        static = self.cross.gen_cache(k, k, nn.MultiHeadAttention.StaticCache)
        c = self.cross(b, k, k, None, static)[0]
        return a, w, b, c - a, w.argmax(-1)


# ---------------------------------------------------------------- control flow on tensors


@zoo(
    [("x", [None, 4]), ("n", [], "int64")], lambda g, b, n: [g.f(b, 4), np.array(n)], (2, 3), (5, 0)
)
class WhileCarryingManyDtypes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(4, 4)

    def forward(self, x, n):
        i = paddle.zeros([], "int64")
        h = x * 1.0
        seen = paddle.zeros([4], dtype="float64")
        big = paddle.full([1], False, "bool")
        while i < n:
            h = F.tanh(self.cell(h)) + x
            seen = seen + h.sum(0).astype("float64")
            big = paddle.logical_or(big, (h.max() > 1.5).reshape([1]))
            i = i + 1
        return h, seen, i, big.astype("int32")


@zoo(
    [("x", [None, None, 3]), ("h0", [1, 5])],
    lambda g, n, t: [g.f(n, t, 3), g.f(1, 5)],
    (2, 4),
    (3, 6),
)
class ForOverTimeSteps(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)

    def forward(self, x, h0):
        h = paddle.expand(h0, [paddle.shape(x)[0], 5])
        total = paddle.zeros_like(h)
        for t in range(paddle.shape(x)[1]):
            y, h = self.cell(x[:, t], h)
            total = total + y * (paddle.zeros([]) + t + 1)
        return h, total


@zoo(
    [("x", [None, 4]), ("mode", [], "int32")],
    lambda g, n, m: [g.f(n, 4), np.array(m, "int32")],
    (2, 1),
    (3, 7),
)
class SwitchOfBranches(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fcs = nn.LayerList([nn.Linear(4, 3) for _ in range(3)])

    def forward(self, x, mode):
        def first():
            return self.fcs[0](x), paddle.shape(x)[0].astype("int64")

        def second():
            return F.relu(self.fcs[1](x)) * 2, paddle.full([], 11, "int64")

        def other():
            return -self.fcs[2](x), x.argmax().astype("int64")

        y, k = paddle.static.nn.switch_case(mode, branch_fns={0: first, 1: second}, default=other)
        return y + self.fcs[0].bias, k


@zoo(
    [("x", [None, 3]), ("lim", [1])],
    lambda g, n, l: [g.f(n, 3), np.array([l], "float32")],
    (3, -10.0),
    (5, 0.3),
)
class CaseOfPredicates(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, lim):
        m = x.mean()
        out = paddle.static.nn.case(
            [
                ((m > lim).all(), lambda: self.fc(x) + m),
                (x.max() > 10.0, lambda: x * lim),
                (m < 100.0, lambda: x - self.fc(-x)),
            ],
            default=lambda: paddle.zeros_like(x),
        )
        a, b = paddle.static.nn.cond(
            (lim > 0).all(),
            lambda: (x.cumsum(0), lim.astype("int32")),
            lambda: (x.flip(0), (lim * 2).astype("int32")),
        )
        return out, a * out, b


@zoo(
    [("x", [None]), ("goal", [], "float32")],
    lambda g, n, k: [g.u(0.5, 2, n), np.array(k, "float32")],
    (4, 20.0),
    (3, 0.1),
)
class WhileLoopFunction(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rate = weights(self, 1)

    def forward(self, x, goal):
        def go_on(i, s, v, done):
            return paddle.logical_and(s < goal, paddle.logical_not(done))

        def step(i, s, v, done):
            v = v * (1.3 + self.rate * 0.1)
            s = s + v.sum()
            return [i + 1, s, v, i > 20]

        i, s, v, done = paddle.static.nn.while_loop(
            go_on,
            step,
            [paddle.zeros([], "int32"), paddle.zeros([]), x * 1.0, paddle.full([], False, "bool")],
        )
        return i, s, v / s, done.astype("uint8")


@zoo([("x", [None, None])], lambda g, n, t: [g.f(n, t)], (3, 4), (6, 2))
class NestedIfInsideFor(nn.Layer):
    def __init__(self):
        super().__init__()
        self.k = weights(self, 1)

    def forward(self, x):
        pos = paddle.zeros([], "int32")
        acc = paddle.zeros([1])
        best = paddle.full([1], -1e9)
        for i in range(x.shape[0]):
            row = x[i]
            if row.sum() > 0:
                pos = pos + 1
                if row.max() > best:
                    best = row.max().reshape([1])
                acc = acc + row.mean() * self.k
            elif row.min() < -1:
                acc = acc * 0.5
        return pos, acc, best, x * acc


@zoo(
    [("x", [None, 3]), ("flag", [], "bool")],
    lambda g, n, f: [g.f(n, 3), np.array(f)],
    (3, True),
    (4, False),
)
class EarlyReturns(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 2)
        self.b = nn.Linear(3, 2)

    def forward(self, x, flag):
        if flag:
            return self.a(x), x.sum()
        y = self.b(x)
        if y.mean() > 100:
            return y * 2, y.sum()
        return y - 1, x.max()


@zoo(
    [("x", [None, 4]), ("stop", [1], "int64")],
    lambda g, n, s: [g.f(n, 4), np.array([s])],
    (5, 2),
    (6, 9),
)
class BreakAndContinue(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 4)

    def forward(self, x, stop):
        s = paddle.zeros([4])
        count = paddle.zeros([1], "int64")
        i = paddle.zeros([1], "int64")
        n = paddle.shape(x)[0].astype("int64")
        while i < n:
            r = x[i[0]]
            i = i + 1
            if r[0] < -0.5:
                continue
            if count >= stop:
                break
            s = s + r * self.w
            count = count + 1
        return s, count, i


@zoo([("x", [None, 2])], lambda g, n: [g.f(n, 2)], (3,), (5,))
class ListGrownInALoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        outs = []
        h = paddle.zeros([2])
        for i in range(paddle.shape(x)[0]):
            h = paddle.tanh(self.fc(x[i].unsqueeze(0)).squeeze(0) + h)
            outs.append(h)
        y = paddle.stack(outs, axis=0)
        return y, y.cumsum(0) - x


@zoo(
    [("x", [None, 3]), ("a", [1]), ("b", [1], "int64")],
    lambda g, n, a, b: [g.f(n, 3), np.array([a], "float32"), np.array([b])],
    (2, 0.5, 3),
    (4, -0.5, 8),
)
class BooleansOfTensors(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 3)

    def forward(self, x, a, b):
        if a > 0 and b < 5:
            y = x * self.w
        else:
            y = x / (1 + self.w.abs())
        if not (a > 0) or b % 2 == 0:
            z = y.astype("float64").sum(0)
        else:
            z = paddle.zeros([3], "float64")
        t = y.max() if b > 4 else y.min()
        return y, z, t


@zoo(
    [("x", [None, None, 2]), ("eps", [], "float32")],
    lambda g, n, t, e: [g.f(n, t, 2), np.array(e, "float32")],
    (2, 3, 0.01),
    (1, 5, 0.5),
)
class PowerIterationUntilSettled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.start = weights(self, 2, 1)

    def forward(self, x, eps):
        m = paddle.matmul(x, x, transpose_x=True).mean(0) + paddle.eye(2)
        v = self.start / self.start.norm()
        change = paddle.full([], 1.0)
        k = paddle.zeros([], "int64")
        while paddle.logical_and(change > eps, k < 15):
            w = m @ v
            w = w / paddle.norm(w, p=2)
            change = (w - v).abs().max()
            v = w
            k = k + 1
        return v, k, (v.t() @ m @ v).squeeze(), change <= eps


@zoo(
    [("first", [None], "int64"), ("steps", [1], "int32")],
    lambda g, n, s: [g.i(0, 7, n), np.array([s], "int32")],
    (2, 3),
    (3, 5),
)
class GreedyDecodingGrowingSequence(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 5)
        self.out = nn.Linear(5, 7)

    def forward(self, first, steps):
        seq = first.unsqueeze(-1)
        score = paddle.zeros([paddle.shape(first)[0], 1])
        i = paddle.zeros([1], "int32")

        def going(i, seq, score):
            return (i < steps).all()

        def grow(i, seq, score):
            h = self.emb(seq).mean(1) + self.emb(seq[:, -1])
            lp = F.log_softmax(self.out(h))
            nxt = lp.argmax(-1, keepdim=True)
            best = paddle.max(lp, axis=-1, keepdim=True)
            return [i + 1, paddle.concat([seq, nxt], axis=1), paddle.concat([score, best], axis=1)]

        seq.stop_gradient = True
        i, seq, score = paddle.static.nn.while_loop(going, grow, [i, seq, score])
        return seq, score.sum(-1), i


@zoo([("x", [None, 4])], lambda g, n: [g.f(n, 4)], (3,), (5,))
class IterateOverRowsAndPairs(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 2, 4)

    def forward(self, x):
        total = paddle.zeros([4])
        for k, row in enumerate(self.w):
            total = total + row * (k + 1)
        parts = [x * w for w in self.w]
        for p in parts:
            total = total + p.sum(0)
        cols = {}
        for name, c in zip("abcd", x.unbind(-1)):
            cols[name] = c * 2
        return total, paddle.stack([cols[c] for c in "dbca"], -1), parts[0] - parts[1]


@zoo(
    [("x", [None, 3]), ("deep", [], "int32")],
    lambda g, n, d: [g.f(n, 3), np.array(d, "int32")],
    (2, 2),
    (4, 5),
)
class CondNestedInCond(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("thresholds", paddle.to_tensor([1, 3], dtype="int32"))

    def forward(self, x, deep):
        cond = paddle.static.nn.cond

        def inner():
            return cond(
                deep > self.thresholds[1], lambda: self.fc(self.fc(x)), lambda: self.fc(x) * 0.5
            )

        y = cond(deep > self.thresholds[0], inner, lambda: x)
        z = cond(x.sum() > 1e6, lambda: [x, {"k": deep}], lambda: [y, {"k": deep * 2}])
        return y, z[0] - y, z[1]["k"]


@zoo([("v", [None], "int64")], lambda g, n: [g.perm(n)], (6,), (8,))
class BubblePassesOverIntegers(nn.Layer):
    def forward(self, v):
        n = paddle.shape(v)[0]
        a = v * 1
        swaps = paddle.zeros([], "int64")
        i = paddle.zeros([], "int32")
        while i < 3:
            left = a[:-1]
            right = a[1:]
            wrong = (left > right).astype("int64")
            swaps = swaps + wrong.sum()
            a = paddle.where(paddle.concat([wrong, wrong[:1] * 0]) > 0, paddle.roll(a, -1), a)
            i = i + 1
        return a, swaps, n.astype("int64")


@zoo(
    [("x", [None, 3]), ("n", [1], "int64")],
    lambda g, b, n: [g.f(b, 3), np.array([n])],
    (2, 2),
    (3, 4),
)
class LoopInsideLoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 3, 3, scale=0.5)

    def forward(self, x, n):
        h = x
        work = paddle.zeros([1], "int32")
        i = paddle.zeros([1], "int64")
        while i < n:
            j = paddle.zeros([1], "int64")
            while j <= i:
                h = h + F.softsign(h @ self.w) * 0.3
                work = work + 1
                j = j + 1
            if (i % 2 == 0).all():
                h = h - h.mean(-1, keepdim=True)
            i = i + 1
        return h, work, i.astype("float16").astype("float32")


# ---------------------------------------------------------------- outputs, names, sharing, structure


@zoo(
    [("x", [None, 3]), ("keep", [None], "int64")],
    lambda g, n: [g.f(n, 3), g.i(0, 9, n)],
    (2,),
    (4,),
)
class InputsHandedThrough(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("version", paddle.to_tensor([2, 6], dtype="int32"))

    def forward(self, x, keep):
        y = self.fc(x)
        return (
            y,
            x,
            keep,
            paddle.assign(y),
            self.fc.bias,
            self.version,
            paddle.to_tensor([1.5, -0.0, 3.0]),
            paddle.to_tensor([True, False]),
        )


@zoo(
    [("matmul_v2", [None, 4]), ("scale", [1]), ("relu", [None, 1], "int64")],
    lambda g, n: [g.f(n, 4), g.f(1), g.i(1, 4, n, 1)],
    (3,),
    (5,),
)
class InputsNamedLikeOperators(nn.Layer):
    def __init__(self):
        super().__init__()
        self.add = nn.Linear(4, 4)
        self.relu = nn.PReLU(4)

    def forward(self, matmul_v2, scale, relu):
        cast = self.relu(self.add(matmul_v2)) * scale
        concat = paddle.concat([cast, matmul_v2 / relu.astype("float32")], axis=-1)
        return concat, paddle.scale(cast, scale=3.0, bias=-1.0), relu % 2


@zoo(
    [("linear_9.w_0", [None, 4]), ("x.y/z:0", [4], "float32"), ("out", [], "int32")],
    lambda g, n: [g.f(n, 4), g.f(4), np.array(g.i(1, 5), "int32")],
    (3,),
    (2,),
)
class InputsNamedLikeParameters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear_9 = nn.Linear(
            4,
            4,
            weight_attr=paddle.ParamAttr(name="feed_me"),
            bias_attr=paddle.ParamAttr(name="fetch.b_0"),
        )
        self.w_0 = self.create_parameter([4], attr=paddle.ParamAttr(name="conv2d_99.w_0"))

    def forward(self, w, s, k):
        h = self.linear_9(w * s) + self.w_0
        return h, h * k.astype("float32"), F.linear(w, self.linear_9.weight, s)


class _Block(nn.Layer):
    def __init__(self, width, act):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.act = act

    def squash(self, x, gain=1.0):
        return self.act(self.fc(x)) * gain

    def forward(self, x, *others, gain=1.0):
        for o in others:
            x = x + o
        return self.squash(x, gain), x


@zoo([("x", [None, 6])], lambda g, n: [g.f(n, 6)], (2,), (5,))
class SharedBlocksAndMethods(nn.Layer):
    def __init__(self):
        super().__init__()
        self.block = _Block(6, nn.Softplus(beta=3, threshold=1))
        self.again = self.block
        self.seq = nn.Sequential(
            ("in", self.block.fc), ("act", nn.Hardtanh(-0.5, 0.75)), ("out", nn.Linear(6, 6))
        )
        self.tail = self.seq["out"]

    def features(self, x):
        y, skip = self.block(x, x * 0.5, gain=2.0)
        return self.seq(y), skip

    def head(self, f):
        return self.tail(f) - self.again.squash(f)

    def forward(self, x):
        f, skip = self.features(x)
        return self.head(f), f, {"skip": skip}["skip"].sum(-1)


@zoo([("ids", [None, None], "int64")], lambda g, n, t: [g.i(0, 9, n, t)], (2, 5), (3, 3))
class TiedLanguageModel(nn.Layer):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(9, 8)
        self.head = nn.Linear(8, 9, bias_attr=False)
        self.proj = nn.Linear(8, 8)
        self.block = nn.TransformerEncoderLayer(
            8, 2, 16, dropout=0.0, activation="gelu", normalize_before=True
        )

    def forward(self, ids):
        t = paddle.shape(ids)[1]
        x = self.wte(ids) + self.proj.weight[:t].unsqueeze(0)
        mask = (paddle.tril(paddle.ones([t, t])) - 1.0) * 1e4
        h = self.block(x, mask.unsqueeze([0, 1]))
        logits = paddle.matmul(h, self.wte.weight, transpose_y=True)
        return (
            logits,
            F.cross_entropy(logits[:, :-1].reshape([-1, 9]), ids[:, 1:].reshape([-1])),
            self.head(F.linear(h, self.proj.weight.t())),
        )


@zoo(
    [("x", [None, None, 3]), ("n", [None], "int32")],
    lambda g, b, t: [g.f(b, t, 3), np.concatenate([[t], g.i(1, t + 1, b - 1)]).astype("int32")],
    (2, 4),
    (3, 6),
)
class RecurrentsOfEveryKind(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 4, num_layers=2, time_major=False)
        self.rnn = nn.SimpleRNN(4, 3, activation="relu", direction="bidirectional")
        self.walk = nn.RNN(nn.LSTMCell(3, 2), is_reverse=True)
        self.two = nn.BiRNN(nn.GRUCell(3, 2), nn.GRUCell(3, 2))

    def forward(self, x, n):
        y, h = self.gru(x, sequence_length=n)
        z, _ = self.rnn(y)
        w, (a, c) = self.walk(x)
        u, (f, b) = self.two(x)
        return y, h[-1], z, w + c.unsqueeze(1), u.sum(-1), f - b


@zoo([("a", [None, 4]), ("b", [None, 4])], lambda g, n, m: [g.f(n, 4), g.f(m, 4)], (2, 3), (5, 1))
class ContainersOfParameters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ps = nn.ParameterList([weights(self, 4, 4) for _ in range(3)])
        self.heads = nn.LayerDict({"mean": nn.Linear(4, 2), "std": nn.Linear(4, 2)})
        self.ids = [2, 0, 1]

    def forward(self, a, b):
        h = a
        for i in self.ids:
            h = F.silu(h @ self.ps[i]) + a * (i + 1)
        mean, std = [self.heads[k](h) for k in ("mean", "std")]
        sim = (a.unsqueeze(1) * b).sum(-1) - paddle.outer(a.norm(axis=-1), b.norm(axis=-1))
        return mean, F.softplus(std) + 1e-3, sim, (self.ps[0] + self.ps[1] + self.ps[2]).sum(), h


@zoo(
    [("x", [None, 4]), ("n", [None, 4], "int64")],
    lambda g, k: [g.u(0.2, 2, k, 4), g.i(-5, 6, k, 4)],
    (3,),
    (2,),
)
class InplaceMethodsRebound(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, n):
        h = self.fc(x)
        h = h.tanh_()
        h = h.add_(x)
        h = h.clip_(-0.5, 1.5)
        h = F.elu_(h, 0.5)
        y = (x + 1.0).exp_().sqrt_().scale_(2.0, 0.5)
        y = y.reshape_([-1, 2, 2])
        y = y * 0.5
        y = y.subtract_(paddle.ones([1, 2, 1])).transpose([1, 0, 2])
        m = (n * 1).remainder_(paddle.full_like(n, 4))
        z = F.softmax_(h * 3, axis=-1).rsqrt_()
        return h, y.ceil(), m, z.reciprocal_().floor_()


@zoo([("x", [None, 6])], lambda g, n: [g.f(n, 6)], (2,), (4,))
class OnlyConstantsAndShapes(nn.Layer):
    def forward(self, x):
        n = paddle.shape(x)[0]
        eye = paddle.eye(3, dtype="int64")
        tri = paddle.triu(paddle.ones([3, 3], "int32"), 1)
        k = paddle.complex(paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[2.0, 0.5]]))
        row = paddle.arange(n * 2, dtype="int64").reshape([n, 2])
        return (
            eye,
            tri,
            k,
            row,
            paddle.numel(x),
            paddle.full([2], float("-inf")),
            paddle.to_tensor(math.e, dtype="float64"),
        )


@zoo([("x", [None, 1, None])], lambda g, n, t: [g.f(n, 1, t)], (2, 8), (3, 12))
class WaveNetWithGates(nn.Layer):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv1D(1, 4, 1)
        self.dil = nn.LayerList([nn.Conv1D(4, 8, 2, dilation=2**k) for k in range(3)])
        self.skip = nn.LayerList([nn.Conv1D(4, 4, 1) for _ in range(3)])
        self.end = nn.Conv1D(4, 5, 1, bias_attr=False)

    def forward(self, x):
        h = self.start(x)
        total = 0
        for k, (d, s) in enumerate(zip(self.dil, self.skip)):
            g = F.glu(d(F.pad(h, [2**k, 0], data_format="NCL")), axis=1)
            total = total + s(g)
            h = (h + g) * math.sqrt(0.5)
        logits = self.end(F.relu(total))
        mu = paddle.sign(x) * paddle.log1p(4 * x.abs().clip(max=1)) / math.log(5)
        return (
            logits,
            ((mu + 1) / 2 * 4 + 0.5).floor().astype("int64").squeeze(1),
            F.softmax(logits, 1)[:, :, -1],
        )


@zoo(
    [("img", [None, 3, None, None])],
    lambda g, n, h, w: [g.f(n, 3, 4 * h, 4 * w)],
    (1, 2, 3),
    (2, 1, 2),
)
class PatchTransformer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2D(3, 8, 4, stride=4)
        self.cls = weights(self, 1, 1, 8)
        self.pos = weights(self, 1, 8, 2, 2)
        self.enc = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, activation="relu"),
            2,
            norm=nn.LayerNorm(8),
        )

    def forward(self, img):
        f = self.patch(img)
        pos = F.interpolate(self.pos, size=f.shape[2:], mode="bilinear", align_corners=False)
        seq = (f + pos).flatten(2).transpose([0, 2, 1])
        seq = paddle.concat([self.cls.expand([f.shape[0], -1, -1]), seq], axis=1)
        h = self.enc(seq)
        grid = h[:, 1:].transpose([0, 2, 1]).reshape([0, 8, f.shape[2], f.shape[3]])
        return h[:, 0], F.pixel_shuffle(grid, 2), grid - f


@zoo(
    [("q", [None, None, 4]), ("src", [None, None, 4])],
    lambda g, n, s, t: [g.f(n, s, 4), g.f(n, t, 4)],
    (2, 3, 4),
    (1, 2, 6),
)
class EncoderDecoderWithMasks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, activation="gelu")

    def forward(self, q, src):
        pad = (src.abs().sum(-1) < 0.5).astype("float32").unsqueeze([1, 2]) * -1e9
        n = paddle.shape(q)[1]
        tri = paddle.triu(paddle.full([n, n], -1e9), 1)
        y = self.net(src, q, src_mask=pad, tgt_mask=tri, memory_mask=pad)
        return y, y[:, -1] * src.mean(1), y.topk(1)[1].squeeze(-1)


@zoo([("x", [None, 2]), ("t", [None])], lambda g, n: [g.f(n, 2), g.u(0, 1, n)], (3,), (6,))
class SinusoidsAndMixtureDensity(nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 + 6, 12), nn.CELU(0.5), nn.Linear(12, 3 * 5))
        self.register_buffer(
            "freq", 2.0 ** paddle.arange(3).astype("float32") * math.pi, persistable=True
        )

    def forward(self, x, t):
        arg = t[:, None] * self.freq
        h = paddle.concat([x, arg.sin(), arg.cos()], axis=-1)
        out = self.net(h).reshape([-1, 3, 5])
        logw, mu, ls = out[..., 0], out[..., 1:3], out[..., 3:].clip(-3, 3)
        logp = (
            -0.5 * (((x[:, None] - mu) / ls.exp()) ** 2).sum(-1)
            - ls.sum(-1)
            - math.log(2 * math.pi)
        )
        ll = paddle.logsumexp(F.log_softmax(logw, -1) + logp, axis=-1)
        best = F.one_hot(logw.argmax(-1), 3)
        return ll, (best.unsqueeze(-1) * mu).sum(1), paddle.exp(F.log_softmax(logw + logp, axis=1))


@zoo([("x", [None, 3, None, None])], lambda g, n, h, w: [g.f(n, 3, h, w)], (2, 6, 5), (1, 9, 8))
class MaxoutGramAndTotalVariation(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(
            3,
            6,
            3,
            padding=1,
            weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.1)),
            bias_attr=False,
        )
        self.out = nn.Softmax2D()
        self.mo = nn.Maxout(2)

    def forward(self, x):
        f = self.mo(self.conv(x) - 0.1 * x.repeat_interleave(2, axis=1))
        flat = f.flatten(2)
        size = (paddle.shape(x)[2] * paddle.shape(x)[3]).astype("float32")
        gram = flat @ flat.transpose([0, 2, 1]) / size
        tv = (x[:, :, 1:] - x[:, :, :-1]).abs().sum([1, 2, 3]) + (
            x[..., 1:] - x[..., :-1]
        ).abs().mean(axis=[1, 2, 3])
        blur = F.avg_pool2d(x, 3, stride=1, padding=1, exclusive=True)
        return gram, tv, self.out(f), F.softshrink(x - blur, 0.1) + F.hardshrink(blur, 0.0)


@zoo(
    [("x", [None, 4]), ("src", [None], "int32"), ("dst", [None], "int32")],
    lambda g, n, e: [g.f(n, 4), g.i(0, n, e, dtype="int32"), g.i(0, n, e, dtype="int32")],
    (3, 5),
    (4, 6),
)
class IncubateHelpers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = weights(self, 6, 4)
        self.b = weights(self, 6)
        self.drop = paddle.incubate.nn.FusedDropoutAdd(p=0.0)

    def forward(self, x, src, dst):
        h = paddle.incubate.nn.functional.fused_linear(x, self.w, transpose_weight=True) + self.b
        y = self.drop(h[:, :4], x * 2)
        m = paddle.incubate.graph_send_recv(
            y, src, dst, pool_type="mean", out_size=paddle.shape(x)[0]
        )
        ids = (paddle.arange(paddle.shape(x)[0]).astype("int32") // 2).astype("int32")
        s = paddle.incubate.segment_max(h, ids)
        return (
            y,
            m - x,
            s,
            paddle.incubate.identity_loss(h, reduction="mean"),
            paddle.incubate.segment_mean(m, ids),
        )


@zoo(
    [("scores", [None, 2, 4, 4]), ("deltas", [None, 8, 4, 4]), ("size", [None, 2])],
    lambda g, n: [g.u(0, 1, n, 2, 4, 4), 0.2 * g.f(n, 8, 4, 4), np.full((n, 2), 32, "float32")],
    (1,),
    (2,),
)
class ProposalsAndMatrixNms(nn.Layer):
    def __init__(self):
        super().__init__()
        y, x = np.meshgrid(np.arange(4), np.arange(4), indexing="ij")
        at = np.stack([x, y, x, y], -1)[:, :, None] * 8.0
        box = np.array([[-4, -4, 12, 12], [0, -8, 8, 16]], "float32")
        self.register_buffer("anchors", paddle.to_tensor((at + box).astype("float32")))
        self.register_buffer(
            "variances", paddle.ones([4, 4, 2, 4]) * paddle.to_tensor([0.1, 0.1, 0.2, 0.2])
        )

    def forward(self, scores, deltas, size):
        rois, probs, num = paddle.vision.ops.generate_proposals(
            scores,
            deltas,
            size,
            self.anchors,
            self.variances,
            pre_nms_top_n=12,
            post_nms_top_n=5,
            nms_thresh=0.6,
            return_rois_num=True,
        )
        levels, restore, counts = paddle.vision.ops.distribute_fpn_proposals(
            rois, 2, 4, 3, 12, rois_num=num
        )
        same = paddle.gather(paddle.concat(levels), restore.squeeze(-1))
        boxes = self.anchors.reshape([1, -1, 4]).expand([paddle.shape(scores)[0], -1, -1])
        cls = scores.transpose([0, 2, 3, 1]).reshape([0, 1, -1])
        out, index, kept = paddle.vision.ops.matrix_nms(
            boxes, cls, 0.3, 0.1, 20, 6, use_gaussian=True, background_label=-1, return_index=True
        )
        return same - rois, probs, num, out, index, kept, paddle.concat(counts).sum()
