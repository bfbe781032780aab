"""Hard models of many operators each, from Paddle's public API, for loading elsewhere."""

import math
import re

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.static import InputSpec

MODELS = {}


def _array(rng, dtype, shape, kind, sizes):
    """Feed values: kind is '', pos, unit, distinct, or <N, len<N, sorted<N (integers)."""
    if "<" in kind:
        how, top = kind.split("<")
        top = sizes.get(top) if top in sizes else int(top)
        low = 1 if how == "len" else 0
        value = rng.randint(low, max(top + low, low + 1), shape)
        return np.asarray(np.sort(value) if how == "sorted" else value).astype(dtype)
    if dtype == "bool":
        return np.asarray(rng.rand(*shape) > 0.4)
    if kind == "distinct":
        count = int(np.prod(shape))
        return ((rng.permutation(count).reshape(shape) - count / 2) * 0.37).astype(dtype)
    if dtype.startswith("complex"):
        return np.asarray(rng.randn(*shape) + 1j * rng.randn(*shape)).astype(dtype)
    if dtype.startswith(("int", "uint")):
        return np.asarray(rng.randint(0 if dtype[0] == "u" else -9, 10, shape)).astype(dtype)
    value = {
        "pos": lambda: rng.rand(*shape) * 2 + 0.1,
        "unit": lambda: rng.rand(*shape) * 0.9 + 0.05,
        "": lambda: rng.randn(*shape),
    }[kind]()
    return np.asarray(value).astype(dtype)


def model(*specs, **sizes):
    """Register a layer class: specs such as 'float32 n 3 pos', sizes such as n=(5, 1)."""

    def register(cls):
        def build():
            rng = np.random.RandomState(sum(map(ord, cls.__name__)))
            names = cls.forward.__code__.co_varnames[1 : 1 + len(specs)]
            parsed, feeds = [], [[], []]
            for text in specs:
                words = text.split()
                kind = words.pop() if re.match(".*<|pos$|unit$|distinct$", words[-1]) else ""
                parsed.append((words[0], words[1:], kind))
            for turn in (0, 1):
                now = {k: v[turn] for k, v in sizes.items()}
                for dtype, dims, kind in parsed:
                    shape = [now[d] if d in now else int(d) for d in dims]
                    feeds[turn].append(_array(rng, dtype, shape, kind, now))
            layer = cls()
            layer.eval()
            inputs = [
                InputSpec([None if d in sizes else int(d) for d in dims], dtype, name)
                for (dtype, dims, _), name in zip(parsed, names)
            ]
            return layer, inputs, feeds

        MODELS[cls.__name__] = build
        return cls

    return register


@model("float32 n m", n=(5, 1), m=(7, 33))
class RunningExtremes(nn.Layer):
    def forward(self, x):
        lse = paddle.logcumsumexp(x, axis=1)
        top, where = paddle.cummax(x, axis=-1, dtype="int32")
        low, at = paddle.cummin(x, axis=0)
        gap = paddle.frac(top - low) * paddle.heaviside(lse, paddle.full([1], 0.5))
        flat = paddle.logcumsumexp(x)
        back = paddle.take_along_axis(x, where.astype("int64"), 1)
        return gap, paddle.equal_all(back, top), at.astype("float32").mean(axis=-1), flat[-1]


@model("float32 n m distinct", n=(5, 3), m=(7, 17))
class OrderStatistics(nn.Layer):
    def forward(self, x):
        value, index = paddle.kthvalue(x, k=3, axis=1, keepdim=True)
        often, _ = paddle.mode(paddle.floor(x / 2), axis=-1)
        holes = paddle.where(x > 1.5, paddle.log(x * 0 - 1), x)
        middle = paddle.nanmedian(holes, axis=1, keepdim=True)
        parts = paddle.quantile(x, [0.1, 0.5, 0.9], axis=1)
        inner = paddle.nanquantile(holes, 0.25, axis=0)
        mean = paddle.nanmean(holes, axis=[0, -1])
        total = paddle.nansum(holes, axis=-1, keepdim=True, dtype="float64")
        return value + middle, index, often, parts, inner, mean, total


@model("float32 n 6 unit", n=(3, 17))
class SpecialFunctions(nn.Layer):
    def forward(self, x):
        a = paddle.digamma(x + 0.5) + paddle.lgamma(x * 3)
        b = paddle.erfinv(x * 1.6 - 0.8) - paddle.i0(x) / paddle.i0e(x)
        c = paddle.i1(x) * paddle.i1e(x) + paddle.logit(x, eps=0.1)
        d = paddle.polygamma(x + 1, 2)
        e = paddle.rad2deg(paddle.atan2(a, b)) + paddle.deg2rad(c * 10)
        f = paddle.stanh(d, scale_a=0.5, scale_b=1.2) * paddle.log1p(x).expm1()
        return {"e": e, "f": f, "g": paddle.trunc(a * 4).sign(), "b": b.acosh().nan_to_num(0.25)}


@model("float32 n 6", "float32 6 pos", n=(4, 1))
class Integrals(nn.Layer):
    def forward(self, y, step):
        x = paddle.cumsum(step)
        whole = paddle.trapezoid(y, x, axis=1)
        part = paddle.cumulative_trapezoid(y, dx=0.5, axis=-1)
        basis = paddle.vander(x, 3, increasing=True)
        fit = paddle.linalg.pinv(basis).matmul(y.t())
        slope = paddle.diff(y, n=1, axis=1, prepend=y[:, :1] * 2)
        return whole, part.sum(-1, keepdim=True) + slope, paddle.matmul(basis, fit).T - y


@model("float32 12", "float32 n 4 6", n=(3, 1))
class StridedViews(nn.Layer):
    def forward(self, x, y):
        win = paddle.stack([y[:, :, 0:3], y[:, :, 2:5]], axis=2)
        over = paddle.slice(x * 2, [0], [1], [-2]).reshape([3, 3])
        bits = paddle.reshape(x + 0, [3, 4])
        rows = paddle.crop(y, shape=[-1, 2, 3], offsets=[0, 1, 2])
        diag = paddle.diagonal_scatter(bits, paddle.ones([3]) * 7, offset=1)
        same = paddle.reshape(x - 1, diag.shape)
        return win.sum(-1), over.mm(same[:3]), rows, paddle.diagonal(diag, 1) + same.trace()


@model("float32 n 5", "int64 3 <5", n=(4, 1))
class IndexWriters(nn.Layer):
    def forward(self, x, i):
        a = paddle.index_add(x, i, 1, paddle.ones([x.shape[0], 3]) * 0.5)
        b = paddle.index_fill(a, i[:2], 1, -3.0)
        c = paddle.index_put(b, (paddle.zeros([1], "int64"), i[2:]), paddle.full([1], 9.0), True)
        d = paddle.where(c < 0, paddle.arange(100, 105).astype("float32"), c)
        e = paddle.masked_fill(d, paddle.logical_and(d > 100, d < 103), paddle.to_tensor(0.125))
        f = paddle.index_select(e, i, axis=-1) - paddle.index_sample(e, i.expand([x.shape[0], 3]))
        return e, f, paddle.nonzero(d > 99.5).shape[0] + x


@model("float32 n 6", "int64 n 3 <6", n=(3, 7))
class PutReduce(nn.Layer):
    def forward(self, x, i):
        ones = paddle.full_like(i, 2).astype(x.dtype)
        a = paddle.put_along_axis(x, i, ones * 2.25, 1)
        b = paddle.put_along_axis(x, i, ones, 1, reduce="add")
        c = paddle.put_along_axis(x, i, ones, -1, "mul")
        d = paddle.put_along_axis(x, i, ones, 1, "amax", include_self=False)
        e = paddle.put_along_axis(x, i, ones * 0.1, 1, "amin", True)
        f = paddle.put_along_axis(x, i, ones * 3, 1, "mean", False)
        return paddle.stack([a, b, c], axis=1), paddle.add_n([d, e, f])


@model("float32 n 4", "float32 n 4", "int32 n 1 <2", "int64 2 5 <4", n=(5, 1))
class TakeMultiplex(nn.Layer):
    def forward(self, x, y, which, at):
        a = paddle.multiplex([x, y], which)
        b = paddle.take(a, at) + paddle.take(y, at // 2)
        c = paddle.rot90(a, k=-1, axes=[0, 1]).flip([0])
        d = paddle.roll(c, shifts=[1, -2], axis=[0, 1]).moveaxis(0, 1)
        e = paddle.repeat_interleave(d, paddle.to_tensor([1, 0, 2, 1]), axis=1)
        return b, paddle.rot90(b, 3), e, paddle.transpose(e, [1, 0]).flip(axis=-1) @ d


@model("float32 n 3 m", "float32 m 3 4", n=(2, 1), m=(5, 3))
class OddEinsums(nn.Layer):
    def forward(self, x, y):
        a = paddle.einsum("ijk,kjl->il", x, y)
        b = paddle.einsum("i...k,k...->i...", x, y[..., 0])
        c = x[:, :, 0] @ paddle.einsum("abc,bd->acd", y[:3], y[1, :, 1:])[:, 0]
        d = paddle.einsum("kjj->kj", y[:, :, 1:])
        e = paddle.einsum("ij,ij->", a[:, 1:], c)
        f = paddle.einsum("njm,njm,mjl->jl", x, x * 2, y)
        g = paddle.kron(a[:1], f[:2, ::2])
        h = paddle.outer(a.flatten(), d[0]).sum(0)
        return a[:, :3] - c, b.sum(), d, e, g, h, paddle.inner(f, a)


@model("float32 n 3", "float32 m 3", n=(5, 1), m=(2, 17))
class Distances(nn.Layer):
    def forward(self, x, y):
        a = paddle.cdist(x, y, p=1.5)
        b = paddle.cdist(x, y, p=2.0, compute_mode="donot_use_mm_for_euclid_dist")
        c = paddle.dist(x, paddle.zeros([3]), p=float("inf"))
        d = F.pairwise_distance(x, y[:1].expand_as(x), p=3, epsilon=1e-3, keepdim=True)
        e = F.cosine_similarity(x.unsqueeze(1), y.unsqueeze(0), axis=-1, eps=1e-4)
        r = paddle.renorm(x, p=1.0, axis=0, max_norm=1.5)
        return a.min(axis=1), b.argmin(axis=1, keepdim=True), c, d * r, e.amax(axis=[0, 1])


@model("int64 n <6", "float32 n", n=(9, 1))
class Counting(nn.Layer):
    def forward(self, i, w):
        h = paddle.histogram(w, bins=7, min=-2, max=2)
        b = paddle.bincount(i, minlength=8)
        c = paddle.bincount(i, weights=w.abs(), minlength=6)
        u, inv, n = paddle.unique_consecutive(i, return_inverse=True, return_counts=True)
        back = paddle.gather(u, inv)
        rep = paddle.repeat_interleave(u, n)
        return h, b, c, back - i, rep + i, paddle.unique(i % 2).shape[0] + h


@model("float32 n 1", "float32 m", n=(3, 1), m=(4, 5))
class GridsAndBlocks(nn.Layer):
    def forward(self, x, y):
        a, b = paddle.broadcast_tensors([x, y])
        g, h = paddle.meshgrid(x.flatten(), y)
        s = paddle.concat([a, b * g], 1) + paddle.tile(h, [1, 2])
        t = paddle.stack([a, b, g], axis=-1)
        v = paddle.concat([y.unsqueeze(0), a, h])
        z = paddle.atleast_3d(y).shape[1] * paddle.atleast_2d(y) + paddle.atleast_1d(x.sum())
        return s, t.transpose([2, 0, 1]), v, z, paddle.broadcast_shape([3, 1], [1, 4])[0] * z


@model("float32 n 12", n=(3, 1))
class SplitsEverywhere(nn.Layer):
    def forward(self, x):
        p, q, r = paddle.split(x, [2, 5, 5], axis=1)
        a, b = paddle.split(x, 2, axis=-1)
        t = paddle.unflatten(x, 1, [2, 2, 3])
        u = paddle.vsplit(t.transpose([1, 0, 2, 3]), 2)
        c = paddle.split(x, [3, -1, 4], axis=-1)[1]
        d = paddle.chunk(x, 4, axis=1)[-1]
        e = paddle.unstack(t, axis=1)
        f = paddle.unbind(t, axis=-1)[2]
        return [p @ q.t()[:2], r.sum(1), a - b, u[0] + u[1], c + d.mean(), e[0] - e[1], f]


@model("float32 n 5", "int32 n 5 <7", n=(3, 1))
class FloatBits(nn.Layer):
    def forward(self, x, k):
        a = paddle.logaddexp(x, -x)
        b = paddle.ldexp(x, k - 3)
        c = paddle.where(a > 1.5, b, -b.abs())
        d = paddle.nextafter(c, paddle.zeros_like(c)) - c
        f = paddle.hypot(x - x.trunc(), b) + paddle.isnan(x).astype("float32")
        g = paddle.floor_mod(b, x.abs() + 0.5) + paddle.remainder(x, paddle.to_tensor(0.75))
        return a, c, d == 0, f, g.round(), paddle.fmax(x, a).fmin(b)


@model("int32 3 4", "int32 3 4 <6")
class BitTricks(nn.Layer):
    def forward(self, x, s):
        a = (x * 2**s) | (x // (s + 1))
        twelve = paddle.full([1], 12, "int32")
        b = (x & twelve) ^ (~s)
        g = paddle.gcd(x, s + 1)
        m = paddle.lcm(x.abs() + 1, s + 1)
        c = paddle.bitwise_and(a, b) + paddle.bitwise_not(paddle.bitwise_or(x, s))
        u = x.astype("uint8") & twelve.astype("uint8")
        ok = (x > 0) ^ (s < 3)
        return a, b, g * m, c // 3, c % 5, u, paddle.bitwise_xor(ok, x < s), -x // 4


@model("float32 n 4", "float32 n 4", n=(3, 1))
class ComplexPlane(nn.Layer):
    def forward(self, r, t):
        z = paddle.polar(r.abs() + 0.1, t)
        two = paddle.complex(paddle.to_tensor(2.0), paddle.to_tensor(-1.0))
        w = paddle.complex(r, t) * two
        q = (z * w.conj()) / (w + two)
        pair = paddle.as_real(q)
        back = paddle.as_complex(pair * 0.5)
        s = paddle.sgn(back) + paddle.exp(q * two)
        a = paddle.angle(s) + s.abs()
        m = z * w - q
        return a, pair.flip(-1), m.real() - m.imag(), s, paddle.sum(q, 1)


@model("complex64 n 3", "float64 n 3", n=(4, 1))
class ComplexInput(nn.Layer):
    def forward(self, z, x):
        w = z.astype("complex128") + x
        a = paddle.add(w, w * w)
        b = w[:, 0] * w[:, 1:].sum(axis=1)
        c = paddle.stack([z, z.conj()], 1).reshape([-1, 6])
        d = paddle.concat([w.real(), w.imag(), x], axis=1)
        e = paddle.where(x > 0, z.abs(), z.angle())
        return a.abs(), b, c.imag(), d.pow(2).sum(axis=1).sqrt(), e, z.sin().real(), -z


@model("float32 2 4 3")
class MatrixZoo(nn.Layer):
    def forward(self, x):
        s = paddle.matmul(x, x, transpose_x=True) + paddle.eye(3) * 2
        low = paddle.linalg.cholesky(s, upper=False)
        y = paddle.linalg.cholesky_solve(x.transpose([0, 2, 1]), low)
        t = paddle.linalg.triangular_solve(s, y, upper=True, transpose=True, unitriangular=False)
        d = paddle.linalg.det(s).log()
        p = paddle.linalg.matrix_power(s, -2)
        q = paddle.linalg.matrix_power(s / 4, 3)
        return y, t, d, p.sum(axis=[1, 2]), q, paddle.linalg.inv(s) @ s


@model("float32 n 5 3", n=(1, 3))
class FactorInvariants(nn.Layer):
    def forward(self, x):
        q, r = paddle.linalg.qr(x, mode="reduced")
        u, s, vh = paddle.linalg.svd(x, full_matrices=False)
        rec = paddle.matmul(u * s.unsqueeze(1), vh) - x
        g = x.transpose([0, 2, 1]) @ x
        w, v = paddle.linalg.eigh(g, UPLO="U")
        e = v @ paddle.diag_embed(w) @ v.transpose([0, 2, 1]) - g
        p = paddle.linalg.pinv(x, rcond=1e-6)
        k = (s > 1e-4).sum(axis=-1)
        return (
            q @ r,
            s,
            rec,
            w - paddle.linalg.eigvalsh(g),
            e,
            p,
            k.astype("float32") + paddle.linalg.cond(g, p="fro"),
        )


@model("float64 9 4", "float64 4")
class Covariances(nn.Layer):
    def forward(self, x, w):
        c = paddle.linalg.cov(x, rowvar=False, ddof=True)
        k = paddle.linalg.corrcoef(x, rowvar=False)
        s = paddle.linalg.solve(c + paddle.eye(4, dtype="float64"), w)
        n = paddle.linalg.norm(x, p="fro", axis=[0, 1])
        m = paddle.linalg.norm(x, p=float("-inf"), axis=1, keepdim=True)
        o = paddle.linalg.multi_dot([x, c, w.unsqueeze(1)])
        return s, k.trace(), n, m, o, paddle.linalg.norm(w, p=0) + paddle.mv(c, w).max()


@model("float32 n 4 4", n=(1, 3))
class LuAndReflectors(nn.Layer):
    def forward(self, x):
        a = x + paddle.eye(4) * 3
        lu, piv = paddle.linalg.lu(a)
        p, low, up = paddle.linalg.lu_unpack(lu, piv)
        back = paddle.bmm(p, paddle.bmm(low, up)) - a
        tau = paddle.full([x.shape[0], 4], 0.3) * paddle.tanh(x[:, 0])
        h = paddle.linalg.householder_product(x[0] * 0.2, tau[0]) + a
        t = paddle.triu(h, 1) + paddle.tril(a, -1)
        return back, piv, h, t, paddle.trace(t, offset=1, axis1=1, axis2=2), low.diagonal(0, 1, 2)


@model("float32 n 12", n=(2, 1))
class FourierMix(nn.Layer):
    def forward(self, x):
        a = paddle.fft.rfft(x, n=12, axis=-1, norm="ortho")
        b = paddle.fft.irfft(a, n=11)
        c = paddle.fft.fft2(x, norm="forward")
        d = paddle.roll(a, 3, axis=1)
        e = paddle.fft.ifft(c, axis=0) + paddle.conj(d).sum()
        f = paddle.fft.hfft(a, n=9)
        g = paddle.fft.ihfft(x, norm="backward")
        k = paddle.fft.fftfreq(12, d=0.5).unsqueeze(0) * 2
        return b, d.abs(), e.real() + e.imag(), f, g.abs(), k, paddle.fft.rfftfreq(7)


@model("float32 2 96", "float32 n 40", n=(3, 1))
class SpectralGate(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", paddle.to_tensor(np.hanning(16).astype("float32") + 0.1))

    def forward(self, x, other):
        s = paddle.signal.stft(x, 16, 4, center=True, pad_mode="reflect", normalized=True)
        power = s.abs()
        keep = (power > power.mean(axis=[1, 2], keepdim=True)).astype("float32")
        y = paddle.signal.istft(s * keep, 16, 4, normalized=True, length=48)
        f = paddle.signal.frame(other, 16, 3, axis=-1) * self.window.unsqueeze(-1)
        o = paddle.signal.overlap_add(f * 0.5, 3, axis=-1)
        return y, o, paddle.log1p(power).mean(axis=1), keep.sum()


@model("float32 n 3", n=(0, 5))
class EmptyBatch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        y = F.gelu(self.fc(x), approximate=True)
        z = paddle.concat([y, x], axis=1)
        s = z.sum(axis=0)
        t = paddle.where(z > 0, z, z * 0.1)
        n = paddle.full([x.shape[0], 2], 3, dtype="int64")
        g = paddle.nonzero(z > 0)
        return t.transpose([1, 0]), s, n, paddle.numel(x), paddle.cumsum(z, 0), g.shape[1] * s


@model("float32 n 6", n=(3, 17))
class ScalarPromotions(nn.Layer):
    def forward(self, x):
        i = paddle.floor(x).astype("int32")
        a = i * 2.5
        b = 3 - i
        c = i / 2
        d = (i.abs() + 1) // 2
        e = x**2 + 2**x
        f = i.astype("int64") ** 2
        g = (x.astype("float16") * 3 + 1).astype("float32")
        h = x.astype("bfloat16") / 2
        k = (i > 0).astype(x.dtype) * x + (not False) * x
        return a, b, c, d, e, f, g, h.astype("float32"), k, -(1 - x) % 0.7


@model("int8 n 5", "uint8 n 5", "bool n 5", n=(4, 1))
class SmallIntegers(nn.Layer):
    def forward(self, a, b, m):
        c = a.astype("int32") * b.astype("int32")
        d = paddle.where(m, c, -c)
        e = paddle.clip(d, -20, 25).astype("int8")
        f = m.astype("int64").cumsum(axis=1)
        g = paddle.any(m, axis=0, keepdim=True) & paddle.all(m, axis=1, keepdim=True)
        h = paddle.sum(m, axis=-1)
        return e, f.max(), g, h, paddle.maximum(c, d).min(axis=0), b.astype("float16") * 0.5


@model("float32 n 3 4", n=(5, 1))
class ReductionAxes(nn.Layer):
    def forward(self, x):
        a = x.sum(axis=[-1, 0], keepdim=True)
        b = x.max(axis=[1, -1]) + x.min(axis=(0, 2)).sum()
        c = paddle.logsumexp(x, axis=[0, 1])
        d = paddle.argmax(x, dtype="int32")
        e = paddle.argmin(x, axis=-2, keepdim=True)
        f = paddle.std(x, axis=[1, 2], unbiased=False) + paddle.var(x, [-1, -2], False)
        g = paddle.prod(x, axis=[0, -1], keepdim=True) + paddle.amin(x, axis=-1, keepdim=True)
        h = paddle.count_nonzero(x > 0, axis=[0, 2])
        k = paddle.median(x, axis=1)
        return a, b, c, d, e, f, g, h, k, paddle.mean(x, axis=-2).std()


@model("float32 n m distinct", n=(3, 1), m=(5, 9))
class SortSearch(nn.Layer):
    def forward(self, x):
        s = paddle.sort(x, axis=0, descending=True)
        i = paddle.argsort(x, axis=-1, descending=True)
        v, k = paddle.topk(x, 3, axis=-1, largest=False, sorted=True)
        edges = paddle.sort(v.flatten())
        b = paddle.bucketize(x, edges, right=True)
        c = paddle.searchsorted(paddle.sort(x), v, out_int32=True)
        t = paddle.topk(x.flatten(), paddle.to_tensor(2))[0]
        d = paddle.take_along_axis(x, i, -1) - paddle.flip(paddle.sort(x, -1), [1])
        return s, i, k, b, c, t, d, paddle.argsort(s.flatten())


@model("float32 n m", n=(4, 1), m=(3, 7))
class ShapeArithmetic(nn.Layer):
    def forward(self, x):
        n, m = x.shape
        a = paddle.arange(n * m, dtype="float32").reshape([n, m])
        b = paddle.linspace(0, 1, m) + paddle.zeros([n, 1])
        c = paddle.full([m, n], 0.5).t() * (x.shape[0] + 1) / x.shape[-1]
        d = paddle.expand(x.unsqueeze(0), [2, n, m]).reshape([2 * n, -1])
        e = paddle.ones([n * 2, m]) - d
        f = paddle.tile(x[0], [n])[: n * m - 1]
        return a + b, c * x, e, f.sum(), paddle.logspace(0, 2, 5, base=2.0), x.reshape([m, -1])


@model("float32 n m", n=(5, 8), m=(6, 11))
class FancyIndexing(nn.Layer):
    def forward(self, x):
        a = x[::-1, 1:-1:2]
        b = x[paddle.to_tensor([0, 2, 1]), 1:4]
        c = x[..., None, -2:]
        d = x[x > 0]
        e = x[:, [0, 3, 1]]
        f = x[None, :, paddle.to_tensor([1, 2])][0, ::2]
        g = x[paddle.to_tensor([[0, 1], [2, 3]]), paddle.to_tensor([1, 5])]
        h = x[-1][-3:][::-2]
        return a, b, c, d, e, f, g, h, x[1, 2], x[4:1:-1, -1:0:-2]


@model("float32 n 6", n=(5, 3))
class SliceAssignments(nn.Layer):
    def forward(self, x):
        y = x + 0
        y[:, 1] = 3.0
        y[::2, -2:] = x[::2, :2] * 2
        y[1] = y[0] + 1
        z = y.clone()
        z[z < 0] = 0.5
        z[paddle.to_tensor([0, 2])] = z[paddle.to_tensor([1, 1])] - 4
        z[..., 0] += 1
        w = paddle.zeros([3, x.shape[0], 6])
        w[1:] = z
        w[0, :, None, 3] = x[:, :1]
        w[:, -1, ::-2] = paddle.to_tensor([1.0, 2.0, 3.0])
        return y, z, w


@model("float32 n 5", n=(3, 6))
class InplaceChain(nn.Layer):
    def forward(self, x):
        y = x * 1
        y = y.add_(paddle.ones([5])).scale(0.5, bias=1.0).clip(-1, 1.2)
        y = (y * 1).exp_().subtract(x.tanh()).sqrt()
        z = paddle.full_like(y, 2.5)
        z = z.index_put_(
            (paddle.to_tensor([0, 1]), paddle.to_tensor([4, 2])), paddle.to_tensor([1.0, 2.0])
        )
        z = z.multiply(y).reciprocal().round()
        t = paddle.assign(y.transpose([1, 0]).reshape([-1]).unsqueeze(0)).tanh_()
        return y, z, t, paddle.nn.functional.relu_(x - 0.2)


@model("float32 4 6")
class NewestMath(nn.Layer):
    def forward(self, x):
        a = paddle.copysign(x, paddle.signbit(x - 0.3).astype("float32") - 0.5)
        b = paddle.sinc(x) + paddle.gammaln(x.abs() + 1)
        c = paddle.gammainc(x.abs() + 0.5, a.abs()) - paddle.gammaincc(x.abs(), b.abs())
        d = paddle.masked_scatter(c, c < 0, paddle.arange(100, 200).astype("float32"))
        e = paddle.isin(paddle.floor(x[0]), paddle.to_tensor([-1.0, 0.0]), invert=True)
        f = paddle.isposinf(1 / paddle.nn.functional.relu(x)) | paddle.isneginf(x)
        g = paddle.slice_scatter(x, paddle.zeros([x.shape[0], 2]), [1], [1], [5], [2])
        return a, b, c, d, e, f, paddle.reduce_as(g, x[0]), paddle.negative(g)


@model("float32 n 8", "int32 n 8 <5", n=(3, 1))
class NewestShapes(nn.Layer):
    def forward(self, x, s):
        p, q, r = paddle.tensor_split(x, [2, 7], axis=1)
        a, b = paddle.hsplit(x, 2)
        c = paddle.hstack([a, r]) + paddle.column_stack([b, r])
        d = paddle.vstack([a, b])
        e = paddle.bitwise_left_shift(s, s % 3) + paddle.bitwise_right_shift(s * 8, s, False)
        f = paddle.block_diag([x[:1, :3].reshape([1, 3]), q[:1].reshape([5, 1])])
        g = paddle.cartesian_prod([x[0, :3], x[0, 5:]])
        h = paddle.combinations(x[0, :5], 3, True)
        return c, d, e, f, g, h, paddle.linalg.vector_norm(p, 3.0, axis=1), paddle.dstack([a, b])


class Swish(nn.Layer):
    """A gate used by several models below."""

    def __init__(self, width, slope=1.5):
        super().__init__()
        self.gate = nn.Linear(width, width)
        self.slope = slope

    def forward(self, x):
        return x * F.sigmoid(self.gate(x) * self.slope)


@model("float32 n 8", n=(3, 17))
class ActivationParade(nn.Layer):
    def forward(self, x):
        a = F.celu(x, alpha=0.7) + F.elu(x, 0.3) + F.selu(x, 1.1, 1.5)
        b = F.hardshrink(x, 0.4) + F.softshrink(x, 0.2) + F.tanhshrink(x)
        c = F.hardtanh(x, -0.6, 0.9) * F.hardsigmoid(x, 0.2, 0.45) + F.hardswish(x)
        d = F.leaky_relu(x, 0.2) + F.thresholded_relu(x, 0.5) + F.relu6(x * 4)
        e = F.softplus(x, beta=2.0, threshold=3.0) + F.softsign(x) + F.mish(x) + F.swish(x)
        f = F.maxout(x.reshape([-1, 8, 1, 1]), groups=2, axis=1).flatten(1) + F.glu(x, axis=1)
        g = F.log_softmax(x, axis=0) + F.softmax(x, axis=-1, dtype="float64").astype("float32")
        h = F.log_sigmoid(x) + F.silu(x)
        return a, b + c, d, e, f, g, h, F.gelu(x)


@model("float32 n 6 5", "float32 n 6 5", n=(4, 1))
class LossesOne(nn.Layer):
    def forward(self, x, y):
        p, q = F.sigmoid(x), F.sigmoid(y)
        hot = (y > 0).astype("float32")
        a = F.smooth_l1_loss(x, y, delta=0.6, reduction="none")
        b = F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction="mean")
        c = F.binary_cross_entropy(p, q, weight=q + 0.5, reduction="sum")
        d = F.binary_cross_entropy_with_logits(x, hot, pos_weight=paddle.full([5], 2.0))
        e = F.sigmoid_focal_loss(x, hot, normalizer=paddle.to_tensor([3.0]), alpha=0.3, gamma=1.5)
        f = F.log_loss(p.reshape([-1, 1]), hot.reshape([-1, 1]), epsilon=1e-3)
        g = F.square_error_cost(x, y).mean() + F.l1_loss(x, y, "sum") + F.mse_loss(x, y)
        h = F.margin_ranking_loss(x, y, paddle.sign(x - 2 * y), margin=0.2)
        return a, b, c, d, e, f.mean(), g, h, F.dice_loss(p, (y[..., :1] > 0).astype("int64"))


@model("float32 n 5", "float32 n 5", "int64 n <5", n=(6, 1))
class LossesTwo(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([5], default_initializer=nn.initializer.Uniform(0.5, 2))

    def forward(self, x, y, t):
        a = F.cross_entropy(x, t, weight=self.weight, ignore_index=2, reduction="none")
        b = F.cross_entropy(x, F.softmax(y), soft_label=True, label_smoothing=0.1)
        c, soft = F.softmax_with_cross_entropy(x, t.unsqueeze(1), return_softmax=True)
        d = F.nll_loss(F.log_softmax(x), t, weight=self.weight, reduction="sum")
        sign = F.one_hot(t, 5)[:, 0] * 2 - 1
        e = F.cosine_embedding_loss(x, y, sign.astype("int64"), margin=0.1)
        f = F.hinge_embedding_loss(x, paddle.sign(y), margin=0.8)
        g = F.triplet_margin_loss(x, y, y.flip(0), margin=0.5, p=1.0, swap=True)
        h = F.soft_margin_loss(x, paddle.sign(y)) + F.multi_label_soft_margin_loss(
            x, F.one_hot(t, 5)
        )
        i = F.multi_margin_loss(x, t, p=2, margin=0.7, reduction="none")
        j = F.poisson_nll_loss(x, y.abs(), log_input=True, full=True, epsilon=1e-6)
        k = F.gaussian_nll_loss(x, y, y.abs() + 0.1, full=True)
        return a, b, c, soft, d, e, f, g, h, i, j, k, F.label_smooth(F.one_hot(t, 5), epsilon=0.2)


@model("float32 9 n 6", "int32 n 3 <5", "int64 n len<6", "float32 n 8", n=(2, 1))
class SequenceLosses(nn.Layer):
    def forward(self, x, label, size, y):
        label = label + 1
        length = paddle.full([x.shape[1]], 9, dtype="int64")
        lens = paddle.minimum(size, paddle.full([1], 3, "int64"))
        a = F.ctc_loss(F.log_softmax(x, -1), label, length, lens, blank=0, reduction="none")
        b = paddle.logaddexp(a, a.mean())
        m = F.sequence_mask(size, maxlen=9, dtype="float32").t().unsqueeze(-1)
        c = (x * m).sum(axis=0) / size.unsqueeze(1).astype("float32")
        d = F.triplet_margin_with_distance_loss(y, y + 1, y.flip(1), margin=2.0, swap=True)
        return a, b, c, d, m.mean() - F.softmax(c, axis=0).max()


@model("float32 n 4 h w", n=(2, 1), h=(7, 10), w=(9, 5))
class PoolOddities(nn.Layer):
    def forward(self, x):
        a = F.max_pool2d(x, [3, 2], stride=2, padding=[1, 0], ceil_mode=True)
        b = F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, exclusive=False)
        c = F.avg_pool2d(x, 3, 2, [0, 1], exclusive=True, divisor_override=5)
        d = F.avg_pool2d(x.transpose([0, 2, 3, 1]), 2, padding="SAME", data_format="NHWC")
        e, i = F.max_pool2d(x[:, :, -4:, -4:], 2, 2, return_mask=True)
        f = F.max_unpool2d(e.reshape([-1, 4, 2, 2]), i.reshape([-1, 4, 2, 2]), 2, 2)
        g = F.adaptive_avg_pool2d(x, [3, 2]) + F.adaptive_max_pool2d(x, [3, 2])
        h = F.max_pool2d(x, 3, padding="VALID").mean([2, 3]) + F.avg_pool2d(x, 5, 1, 2).sum([2, 3])
        return a, b, c, d, e, f, g, h, i


@model("float32 n 4 24", "float32 n 2 4 6 7", n=(2, 1))
class PoolsOtherRanks(nn.Layer):
    def forward(self, x, v):
        a, i = F.max_pool1d(x, 4, 3, 1, return_mask=True, ceil_mode=True)
        b = F.avg_pool1d(x, 5, 2, 2, exclusive=False, ceil_mode=True)
        c, j = F.max_pool1d(x, 2, 2, return_mask=True)
        d = F.max_unpool1d(c, j, 2, 2) - x
        e = F.adaptive_avg_pool1d(x, 5) * F.adaptive_max_pool1d(x, 5)
        f, k = F.max_pool3d(v, 2, 2, 0, return_mask=True)
        g = F.avg_pool3d(v, [2, 3, 2], 2, [0, 1, 1], ceil_mode=False, exclusive=True)
        h = F.adaptive_avg_pool3d(v, [2, 3, None]) + F.max_pool3d(v, 3, 1, 1).mean()
        m = F.adaptive_max_pool3d(v, 2)
        n = F.avg_pool3d(v.transpose([0, 2, 3, 4, 1]), 2, data_format="NDHWC")
        return a, i, b, d, e, f, k, g, h, m, n


@model("float32 n 3 h w", n=(1, 2), h=(5, 8), w=(7, 4))
class ResizeModes(nn.Layer):
    def forward(self, x):
        a = F.interpolate(x, [6, 9], mode="bilinear", align_corners=True)
        b = F.interpolate(x, scale_factor=1.5, mode="bilinear", align_mode=1)
        c = F.interpolate(x, [7, 3], mode="bicubic", align_corners=False)
        d = F.interpolate(x, scale_factor=[2, 0.5], mode="nearest")
        e = F.interpolate(x, size=[4, 4], mode="area")
        size = paddle.shape(x)[2:] * 2
        f = F.upsample(x, size, mode="bilinear", align_corners=False, align_mode=0)
        g = F.interpolate(x.transpose([0, 2, 3, 1]), [3, 5], mode="nearest", data_format="NHWC")
        h = F.interpolate(x.flatten(2), [11], mode="linear", align_corners=True, data_format="NCW")
        return a, b, c, d, e, f, g, h


@model("float32 n 2 3 4 5", "float32 n 4 h w", n=(1, 2), h=(4, 5), w=(6, 3))
class ResizeMore(nn.Layer):
    def __init__(self):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bicubic", align_corners=True)
        self.near = nn.UpsamplingNearest2D(scale_factor=3)
        self.bil = nn.UpsamplingBilinear2D(size=[5, 5])

    def forward(self, v, x):
        a = F.interpolate(
            v, [4, 3, 6], mode="trilinear", align_corners=False, align_mode=1, data_format="NCDHW"
        )
        b = F.interpolate(v, scale_factor=2, mode="nearest", data_format="NCDHW")
        c = self.up(x) - self.up(x).mean([2, 3], keepdim=True)
        d = self.bil(x) + self.bil(self.near(x))
        e = F.pixel_shuffle(x, 2) * 0.5
        f = F.pixel_unshuffle(F.interpolate(x, [6, 4]), 2)
        g = F.channel_shuffle(f, 4).amax(axis=(2, 3)) - F.channel_shuffle(x, 2).sum()
        return a, b.sum([1, 2]), c, d, e, f, g


@model("float32 n 3 h w", n=(2, 1), h=(5, 4), w=(4, 6))
class PadModes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.zero = nn.ZeroPad2D([1, 0, 2, 1])
        self.edge = nn.Pad2D([2, 1, 1, 2], mode="replicate")
        self.line = nn.Pad1D([1, 2], mode="reflect")

    def forward(self, x):
        a = F.pad(x, [1, 2, 0, 1], mode="constant", value=-0.5)
        b = F.pad(x, [2, 1, 1, 2], mode="reflect")
        c = F.pad(x, [1, 1, 3, 0], mode="circular")
        d = self.edge(x) + self.zero(F.pad(x, [1, 1, 0, 0]))[:, :, :, :1]
        e = F.pad(x, [0, 0, 1, 0, 0, 0, 2, 1], value=3.0)
        f = self.line(x.flatten(2)) - F.zeropad2d(x, [0, 1, 1, 1]).mean()
        g = F.pad(x.transpose([0, 2, 3, 1]), [1, 0, 0, 2], mode="reflect", data_format="NHWC")
        h = F.pad(x.unsqueeze(2), [1, 1, 0, 2, 1, 0], mode="replicate", data_format="NCDHW")
        return a, b, c, d, e, f, g, h


@model("float32 n 6 l", n=(2, 1), l=(17, 9))
class Conv1dVariety(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1D(6, 4, 3, padding=2, dilation=2, groups=2, padding_mode="circular")
        self.b = nn.Conv1D(6, 6, 4, stride=2, padding="SAME", groups=6, bias_attr=False)
        self.c = nn.Conv1DTranspose(4, 6, 5, stride=3, padding=1, output_padding=2, groups=2)
        self.d = nn.Conv1D(6, 3, 3, data_format="NLC", padding=1)
        self.e = nn.Conv1DTranspose(3, 2, 3, dilation=2, data_format="NLC")

    def forward(self, x):
        a = F.relu(self.a(x))
        b = self.b(x)
        c = self.c(a)
        d = self.d(x.transpose([0, 2, 1]))
        e = self.e(d)
        k = F.conv1d(x, x[:1, :, :3] * 0.1, padding=[1, 2]) if len(x.shape) == 3 else x
        return a, b, c, d, e, k


@model("float32 n 4 h w", n=(1, 3), h=(9, 6), w=(8, 11))
class Conv2dVariety(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2D(4, 8, [3, 2], 2, padding=[1, 0, 2, 1], groups=4, dilation=[1, 2])
        self.b = nn.Conv2D(4, 6, 3, padding=2, padding_mode="reflect", dilation=2, groups=2)
        self.c = nn.Conv2DTranspose(8, 4, [3, 4], stride=[2, 3], padding=1, output_padding=[1, 2])
        self.d = nn.Conv2D(4, 4, 3, padding="VALID", groups=4, data_format="NHWC")
        self.e = nn.Conv2DTranspose(4, 6, 3, stride=2, padding="SAME", groups=2)

    def forward(self, x):
        a = self.a(x)
        b = self.b(x)
        c = self.c(a)
        d = self.d(x.transpose([0, 2, 3, 1]))
        e = self.e(x)
        w = paddle.to_tensor(np.arange(24).reshape(4, 6, 1, 1).astype("float32") * 0.05)
        f = F.conv2d(e, w, stride=[1, 2], padding="SAME")
        g = (
            F.conv2d_transpose(f, self.b.weight[:4, :, :2, :2], stride=2, output_size=[20, 24])
            if f.ndim == 5
            else f.std()
        )
        return a, b, c, d, e, f, g


@model("float32 n 3 5 6 7", n=(1, 2))
class Conv3dVariety(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv3D(3, 6, [3, 1, 2], stride=[2, 1, 1], padding=1, groups=3)
        self.b = nn.Conv3DTranspose(6, 4, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.c = nn.Conv3D(4, 2, 3, padding="SAME", dilation=2, data_format="NDHWC")
        self.n = nn.InstanceNorm3D(6, epsilon=1e-2)
        self.m = nn.BatchNorm3D(4, data_format="NDHWC", epsilon=1e-3)

    def forward(self, x):
        a = self.n(self.a(x))
        b = self.b(F.elu(a, 0.5)).transpose([0, 2, 3, 4, 1])
        c = self.c(self.m(b))
        return a.mean(axis=[2, 4]), b.amin([1, -2]), c[:, ::2, -1], c.flatten(1, 3).max(1)


@model("float32 n 8", "float32 n 8 l", "float32 n 6 6 8", n=(3, 2), l=(5, 4))
class NormFamily(nn.Layer):
    def __init__(self):
        super().__init__()
        self.b1 = nn.BatchNorm1D(8, momentum=0.7, epsilon=1e-3, use_global_stats=True)
        self.bl = nn.BatchNorm1D(8, data_format="NLC")
        self.b2 = nn.BatchNorm2D(8, data_format="NHWC", weight_attr=False, bias_attr=False)
        self.i1 = nn.InstanceNorm1D(8, weight_attr=False, bias_attr=False)
        self.g = nn.GroupNorm(4, 8, epsilon=1e-3, data_format="NHWC")
        self.l2 = nn.LayerNorm([6, 8], epsilon=1e-4, bias_attr=False)
        self.lr = nn.LocalResponseNorm(3, alpha=0.1, beta=0.6, k=1.2, data_format="NHWC")
        for k, layer in enumerate([self.b1, self.bl, self.b2]):
            layer._mean.set_value(paddle.linspace(-1, 1, 8) * (k + 1) * 0.3)
            layer._variance.set_value(paddle.linspace(0.5, 2, 8))

    def forward(self, x, s, v):
        a = self.b1(x) + self.bl(s.transpose([0, 2, 1])).mean(1)
        b = self.g(self.b2(v))
        c = self.l2(v) - self.lr(v)
        d = self.i1(s)
        e = (
            F.normalize(s, p=3, axis=1, epsilon=1e-4) + F.layer_norm(s, s.shape[2:])
            if s.shape[2] == 4096
            else F.normalize(s, p=1.5, axis=2)
        )
        f = F.local_response_norm(v, 5, beta=0.5, data_format="NCHW")
        rms = v * paddle.rsqrt(v.square().mean(-1, keepdim=True) + 1e-5)
        return a, b, c, d, e, f, rms


@model("float32 n 4 6 6", n=(2, 1))
class WrappedWeights(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = nn.utils.weight_norm(nn.Conv2D(4, 5, 3, padding=1), dim=1)
        self.s = nn.utils.spectral_norm(nn.Linear(6, 6), n_power_iterations=3)
        self.s.eval()
        self.pre = nn.PReLU(5, init=0.3)
        self.list = nn.ParameterList(
            [
                self.create_parameter([5, 6], default_initializer=nn.initializer.Constant(0.1 * k))
                for k in range(3)
            ]
        )
        self.named = nn.LayerDict({"one": Swish(6), "two": nn.Linear(6, 6, bias_attr=False)})
        self.norm = nn.SpectralNorm([6, 6], dim=0, power_iters=2)
        self.hook = self.w.register_forward_post_hook(lambda layer, i, o: o * 2 + i[0].mean())

    def forward(self, x):
        y = self.pre(self.w(x))
        for k, p in enumerate(self.list):
            y = y + (p.unsqueeze(1) if k % 2 else p.unsqueeze(-1)) * k
        for key in self.named.keys():
            y = self.named[key](y)
        z = paddle.matmul(y, self.norm(self.named["two"].weight))
        return y, z.logsumexp([1, 2]), F.prelu(z, paddle.full([1], 0.4)).diagonal(1, 2, 3)


@model("float32 n 3 5 6", "float32 n 2 3", "float32 n 4 4 2", n=(2, 1))
class SpatialSampling(nn.Layer):
    def forward(self, x, theta, grid):
        size = paddle.concat(
            [paddle.shape(x)[:2].astype("int32"), paddle.to_tensor([4, 7], "int32")]
        )
        g = F.affine_grid(theta * 0.4, size, align_corners=False)
        a = F.grid_sample(x, g, mode="bilinear", padding_mode="border", align_corners=False)
        b = F.grid_sample(x, paddle.tanh(grid) * 1.3, "nearest", "zeros", True)
        c = F.grid_sample(x, grid * 1.5, padding_mode="reflection", align_corners=False)
        d = F.grid_sample(x, grid, "bilinear", "reflection", align_corners=True)
        e = paddle.flip(F.affine_grid(theta, size - 1), axis=[1, 2])[:, -2:]
        return a, b.sum(axis=1), c - d, e.prod(axis=-1)


@model("float32 2 4 8 6")
class FoldUnfold(nn.Layer):
    def forward(self, x):
        a = F.unfold(x, [3, 2], strides=[2, 1], paddings=[1, 0, 2, 1], dilations=1)
        b = F.unfold(x, 2, 2)
        c = F.fold(b * 1.5, [8, 6], 2, 2)
        d = F.fold(F.unfold(x, 3, 1, 1), [8, 6], 3, 1, 1)
        e = F.temporal_shift(paddle.concat([x, x * 2]), seg_num=2, shift_ratio=0.25)
        f = F.temporal_shift(
            paddle.concat([x, -x]).transpose([0, 2, 3, 1]), 2, 0.3, data_format="NHWC"
        )
        w = paddle.ones([1, 1, 8, 6])
        count = F.fold(F.unfold(w, 3, 1, 1), [8, 6], 3, 1, 1)
        return a, c - x, d / count, e, f.mean([1, 2]), b.norm(p=2, axis=1)


@model("int64 n t <11", "int64 n t <11", n=(2, 1), t=(5, 7))
class EmbeddingTricks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Embedding(11, 6, padding_idx=-2)
        self.bi = nn.Bilinear(6, 6, 4)
        self.cos = nn.CosineSimilarity(axis=-1, eps=1e-6)
        self.dist = nn.PairwiseDistance(p=1.0, keepdim=True)

    def forward(self, i, j):
        a = self.a(i) + F.embedding(j, self.a.weight * 2, padding_idx=3)
        b = F.one_hot(i, 12).sum(axis=1).argmax(-1)
        c = self.bi(a.mean(1), a[:, 0])
        d = self.cos(a[:, 1:], a[:, :-1])
        e = self.dist(a[:, 0], a[:, -1])
        mask = F.sequence_mask(paddle.count_nonzero(i > 4, axis=1), maxlen=i.shape[1])
        f = paddle.gather_nd(a, paddle.nonzero(mask)).sum(0)
        return a, b, c, d, e, f, paddle.flatten(mask), paddle.scatter(c, b[:1] * 0, c[:1] * 0)


@model("float32 n t 2 8", "float32 n s 2 8", n=(2, 1), t=(3, 5), s=(4, 1))
class AttentionByHand(nn.Layer):
    def forward(self, q, k):
        a = F.softmax(q.flatten(2) @ k.flatten(2).transpose([0, 2, 1]), axis=1)
        bias = paddle.triu(paddle.full([q.shape[1], k.shape[1]], -1e4), 1)
        b = bias[None, None].exp() + q.amax([1, 2, 3], keepdim=True)
        score = paddle.einsum("bthd,bshd->bhts", q, k) / math.sqrt(8) + bias
        c = paddle.matmul(F.softmax(score), k.transpose([0, 2, 1, 3]))
        half = paddle.arange(0, 4).astype("float32")
        angle = paddle.outer(paddle.arange(q.shape[1]).astype("float32"), 10 ** (-half / 4))
        cos, sin = angle.cos()[:, None], angle.sin()[:, None]
        r = paddle.concat(
            [q[..., :4] * cos - q[..., 4:] * sin, q[..., 4:] * cos + q[..., :4] * sin], -1
        )
        return a, b, c.flatten(2), r, score.argmax(-1)


@model("int64 6 n 3 <9", "int64 6 n 3 <3", "float32 n 6", n=(2, 1))
class BeamBacktrace(nn.Layer):
    def forward(self, ids, parents, x):
        full = F.gather_tree(ids, parents)
        best = full[:, :, 0].transpose([1, 0])
        ends = (best == 2).astype("int64")
        length = paddle.where(
            ends.astype("bool").any(1), ends.argmax(1), paddle.full([x.shape[0]], 6, "int64")
        )
        mask = F.sequence_mask(length, 6, "float32")
        score = (x * mask).sum(-1) / ((5 + length.astype("float32")) / 6) ** 0.6
        return full, best, length, score, paddle.unique_consecutive(best[0])


@model("float32 n t 5", "int64 n len<t", "float32 4 n 6", "float32 4 n 6", n=(3, 1), t=(7, 5))
class BiLstmStates(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 6, num_layers=2, direction="bidirect", dropout=0.3)
        self.gru = nn.GRU(12, 4, direction="bidirectional", time_major=True)
        self.simple = nn.SimpleRNN(8, 3, activation="relu")

    def forward(self, x, size, h, c):
        y, (h1, c1) = self.rnn(x, (h, c * 0.5), size)
        z, g = self.gru(y.transpose([1, 0, 2]))
        w, s = self.simple(z.transpose([1, 0, 2]), None, size)
        mask = F.sequence_mask(size, x.shape[1], dtype=x.dtype).unsqueeze(-1)
        return (
            (y * mask).sum(1),
            h1[-1] - h1[0],
            c1.max(axis=0),
            g.flatten(),
            w[:, -1],
            s.squeeze(0),
        )


@model("float32 n t 4", "int64 n len<t", n=(2, 1), t=(5, 3))
class CellsAndWrappers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.RNN(nn.GRUCell(4, 5), is_reverse=True)
        self.b = nn.BiRNN(nn.LSTMCell(5, 3), nn.LSTMCell(5, 3))
        self.c = nn.RNN(nn.SimpleRNNCell(6, 4, activation="tanh"))
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x, size):
        y, last = self.a(x, None, size)
        z, (f, b) = self.b(y)
        w, _ = self.c(z)
        state = (paddle.zeros([x.shape[0], 4]), paddle.ones([x.shape[0], 4]))
        for k in range(3):
            out, state = self.cell(w[:, k] if k < 2 else out, state)
        return last, f[0] + b[1], w.mean(axis=1), out, state[1]


class ProjCell(nn.RNNCellBase):
    """A cell of ours with a projection and a skipping gate, with get_initial_states."""

    def __init__(self, size, hidden):
        super().__init__()
        self.i = nn.Linear(size, hidden)
        self.h = nn.Linear(hidden, hidden, bias_attr=False)
        self.hidden = hidden

    @property
    def state_shape(self):
        return (self.hidden,)

    def forward(self, inputs, states=None):
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        gate = F.sigmoid(self.i(inputs) + self.h(states))
        new = gate * states + (1 - gate) * paddle.tanh(self.i(inputs))
        return new * 2, new


@model("float32 n t 4", n=(2, 1), t=(4, 7))
class OwnCellRnn(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = ProjCell(4, 5)
        self.rnn = nn.RNN(ProjCell(5, 4))

    def forward(self, x):
        h = self.cell.get_initial_states(x[:, 0], [5], "float32", 0.1)
        ys = []
        for k in range(x.shape[1]):
            y, h = self.cell(x[:, k], h)
            ys.append(y + k)
        seq = paddle.stack(ys, axis=1)
        z, last = self.rnn(seq[:, :3], paddle.full([x.shape[0], 4], 0.2))
        return seq, z, last, seq.cumsum(1)[:, -1]


@model("float32 n s 8", "float32 n t 8", n=(2, 1), s=(5, 3), t=(4, 6))
class EncoderDecoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(8, 2, 1, 2, 16, 0.1, activation="gelu", normalize_before=True)
        self.post = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 4, 12, 0.0, "relu", weight_attr=None), 2, nn.LayerNorm(8)
        )

    def forward(self, x, y):
        t = paddle.shape(y)[1]
        mask = paddle.triu(paddle.ones([t, t]) * -1e9, diagonal=1)
        keep = (x.sum(-1) > -20).astype("float32")
        bias = ((1 - keep) * -1e4).unsqueeze([1, 2])
        out = self.net(x, y, src_mask=bias, tgt_mask=mask, memory_mask=bias)
        hid = self.post(out, mask.unsqueeze(0))
        return out, hid, F.linear(hid[:, -1], self.post.layers[0].linear1.weight)


@model("float32 n 3 8", "float32 n s 8", n=(2, 1), s=(5, 2))
class CachedAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.att = nn.MultiHeadAttention(8, 2, kdim=8, vdim=8, need_weights=False)
        self.seen = nn.MultiHeadAttention(8, 4, need_weights=True)

    def forward(self, x, memory):
        cache = self.att.gen_cache(x)
        fixed = self.att.gen_cache(memory, memory, nn.MultiHeadAttention.StaticCache)
        outs = []
        for k in range(3):
            y, cache = self.att(x[:, k : k + 1], None, None, None, cache)
            z, _ = self.att(y, memory, memory, None, fixed)
            outs.append(y + z)
        seq = paddle.concat(outs, 1)
        w, weights = self.seen(seq, memory, memory)
        return seq, cache.k.shape[2] * w, weights.sum(1), cache.v[:, 0, -1]


@model("float32 n s 8", "float32 n 1 8", n=(2, 1), s=(3, 6))
class CachedDecoder(nn.Layer):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, normalize_before=False)
        self.dec = nn.TransformerDecoder(layer, 2)
        self.out = nn.Linear(8, 5)
        self.emb = nn.Embedding(5, 8)

    def forward(self, memory, start):
        cache = self.dec.gen_cache(memory)
        x, picked = start, []
        for _ in range(4):
            y, cache = self.dec(x, memory, None, None, cache)
            logits = self.out(y[:, -1])
            ids = logits.argmax(axis=-1)
            picked.append(ids)
            x = self.emb(ids).unsqueeze(1) + y * 0.1
        return paddle.stack(picked, 1), logits, x


@model("float32 m 4", "int64 e <m", "int64 e <m", "float32 e 4", m=(5, 9), e=(7, 17))
class GraphMessages(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, src, dst, edge):
        a = paddle.geometric.send_u_recv(x, src, dst, reduce_op="mean")
        b = paddle.geometric.send_u_recv(self.lin(x), src, dst, "max", out_size=10)
        c = paddle.geometric.send_ue_recv(x, edge, src, dst, "mul", "sum")
        d = paddle.geometric.send_ue_recv(x, edge[:, :1], src, dst, "sub", "min")
        e = paddle.geometric.send_uv(x, c[: x.shape[0]], src, dst, message_op="add")
        score = F.leaky_relu((e * edge).sum(-1), 0.2)
        top = paddle.full([x.shape[0]], -1e9).scatter_(dst, score)
        soft = paddle.exp(score - paddle.gather(top, dst))
        norm = paddle.zeros([x.shape[0]]).index_add(dst, 0, soft)
        return a, b, c, d, soft / paddle.gather(norm, dst).clip(1e-6), e.norm()


@model("float32 n 3", "int64 n sorted<4", n=(9, 5))
class SegmentPools(nn.Layer):
    def forward(self, x, s):
        s = s - s[0]
        a = paddle.geometric.segment_sum(x, s)
        b = paddle.geometric.segment_mean(x * x, s)
        c = paddle.geometric.segment_max(x, s) - paddle.geometric.segment_min(x, s)
        n = paddle.bincount(s)[: a.shape[0]].astype("float32").unsqueeze(-1)
        var = b - (a / n.clip(min=1)) ** 2
        d = paddle.gather(a, s) - x
        return a, var, c, d, paddle.scatter_nd_add(a, s[:2].unsqueeze(1), x[:2])


@model("float32 n 4 12 12", "float32 4", n=(2, 1))
class RoiFamily(nn.Layer):
    def __init__(self):
        super().__init__()
        self.def_conv = paddle.vision.ops.DeformConv2D(4, 6, 3, padding=1, groups=2)
        self.offset = nn.Conv2D(4, 18, 3, padding=1)

    def forward(self, x, shift):
        base = paddle.to_tensor(
            [[0.0, 0.0, 6.0, 7.0], [2.0, 1.0, 9.0, 10.0], [3.0, 3.0, 5.0, 11.0]]
        )
        boxes = paddle.clip(base + paddle.tanh(shift), 0.0, 11.0)
        num = paddle.to_tensor([3], dtype="int32")
        one = x[:1]
        a = paddle.vision.ops.roi_align(one, boxes, num, (3, 2), 0.5, sampling_ratio=2)
        b = paddle.vision.ops.roi_align(one, boxes, num, 2, aligned=False)
        c = paddle.vision.ops.roi_pool(one, boxes, num, output_size=3, spatial_scale=0.8)
        d = paddle.vision.ops.psroi_pool(paddle.concat([one, x[-1:]], 1), boxes, num, 2, 1.0)
        off = self.offset(x) * 0.3
        e = self.def_conv(x, off, F.sigmoid(off[:, :9]))
        f = self.def_conv(x, paddle.roll(off, 1, 1))
        return a, b, c.amax([2, 3]), d, e, f.mean(axis=[0, 1])


@model("float32 17 4 pos", "float32 17 unit", "int64 17 <3")
class NmsFamily(nn.Layer):
    def forward(self, box, score, kind):
        corner = paddle.concat([box[:, :2] * 5, box[:, :2] * 5 + box[:, 2:] * 4 + 1], axis=1)
        a = paddle.vision.ops.nms(corner, 0.4)
        b = paddle.vision.ops.nms(corner, 0.3, score, kind, [0, 1, 2], top_k=6)
        picked = paddle.index_select(corner, b)
        area = (picked[:, 2] - picked[:, 0]) * (picked[:, 3] - picked[:, 1])
        order = paddle.argsort(area, descending=True)
        both = paddle.stack([score, 1 - score, score * 0.5]).unsqueeze(0)
        out, index, count = paddle.vision.ops.matrix_nms(
            corner.unsqueeze(0),
            both,
            0.2,
            0.1,
            12,
            8,
            use_gaussian=True,
            gaussian_sigma=1.5,
            background_label=-1,
            return_index=True,
            normalized=False,
        )
        return a, b, order, out[:, 1:], index.flatten(), count, area.max()


@model("float32 n 21 h w", "int32 n 2 len<90", n=(2, 1), h=(4, 3), w=(3, 5))
class YoloHead(nn.Layer):
    def __init__(self):
        super().__init__()
        self.neck = nn.Conv2D(21, 21, 1)

    def forward(self, x, size):
        y = self.neck(x)
        boxes, scores = paddle.vision.ops.yolo_box(
            y, size + 32, [10, 13, 16, 30, 33, 23], 2, 0.01, 32, clip_bbox=False, scale_x_y=1.1
        )
        best = scores.max(axis=-1)
        value, at = paddle.topk(best, 4, axis=1)
        near = paddle.take_along_axis(boxes, at.unsqueeze(-1).expand([x.shape[0], 4, 4]), 1)
        return near, value, F.one_hot(scores.argmax(-1), 2).sum(1)


@model("float32 n 3 6 5", "float32 1 4 24 24", n=(1, 2))
class AnchorsAndCoder(nn.Layer):
    def forward(self, f, image):
        prior, var = paddle.vision.ops.prior_box(
            f,
            image,
            min_sizes=[4.0, 8.0],
            max_sizes=[6.0, 12.0],
            aspect_ratios=[1.5],
            flip=True,
            clip=True,
            steps=[4.0, 0.0],
            offset=0.4,
            min_max_aspect_ratios_order=True,
        )
        flat, v = prior.reshape([-1, 4]), var.reshape([-1, 4])
        code = paddle.vision.ops.box_coder(
            flat, [0.1, 0.1, 0.2, 0.2], flat[:7], code_type="encode_center_size"
        )
        delta = paddle.tanh(f.flatten()[:4]) * 0.1
        target = delta.expand([3, flat.shape[0], 4])
        dec = paddle.vision.ops.box_coder(flat, v, target, "decode_center_size", False, axis=0)
        return prior, code[:, :9], dec.mean(axis=1), (var - v[0]).abs().sum()


@model("float32 1 3 6 5 unit", "float32 1 12 6 5")
class ProposalPyramid(nn.Layer):
    def forward(self, score, delta):
        size = paddle.to_tensor([[48.0, 40.0]])
        ys = paddle.arange(6).astype("float32") * 8
        xs = paddle.arange(5).astype("float32") * 8
        gy, gx = paddle.meshgrid(ys, xs)
        center = paddle.stack([gx, gy, gx, gy], axis=-1).unsqueeze(2)
        half = paddle.to_tensor(
            [[-4.0, -4.0, 4.0, 4.0], [-8.0, -4.0, 8.0, 4.0], [-16.0, -16.0, 16.0, 16.0]]
        )
        anchors = center + half
        var = paddle.full_like(anchors, 0.5)
        rois, prob, num = paddle.vision.ops.generate_proposals(
            score,
            delta * 0.2,
            size,
            anchors,
            var,
            pre_nms_top_n=40,
            post_nms_top_n=9,
            nms_thresh=0.6,
            min_size=2.0,
            eta=0.9,
            pixel_offset=True,
            return_rois_num=True,
        )
        levels, back, counts = paddle.vision.ops.distribute_fpn_proposals(
            rois, 2, 4, 3, 16, pixel_offset=True, rois_num=num
        )
        joined = paddle.gather(paddle.concat(levels), back.squeeze(1))
        return rois, prob, num, joined - rois, paddle.concat(counts)


@model("float32 n m", n=(3, 5), m=(4, 7))
class LoopsOverSizes(nn.Layer):
    def forward(self, x):
        total = paddle.zeros([])
        rows = []
        for k, row in enumerate(x):
            total = total + row.max() * (k + 1)
            rows.append(row.flip([0]) - total)
        best = x[0]
        for i in range(1, x.shape[0]):
            if x[i].sum() > best.sum():
                best = x[i]
            else:
                best = best * 0.9
        count = paddle.zeros([1], "int64")
        while count < x.shape[1] and total < 50.0:
            total = total * 1.5 + 1
            count += 1
        return paddle.stack(rows), best, total, count


@model("float32 n", n=(7, 1))
class BreakContinue(nn.Layer):
    def forward(self, x):
        seen, skipped = paddle.zeros([1]), paddle.zeros([1], "int32")
        i = 0
        while i < x.shape[0]:
            v = x[i]
            i += 1
            if v < 0:
                skipped = skipped + 1
                continue
            seen = seen + v
            if seen > 1.5:
                break
        last = paddle.to_tensor(i) if isinstance(i, int) else i
        j = paddle.zeros([1])
        while j < 3:
            if seen * (j + 1) > 4:
                seen = seen - 10
                break
            seen = seen + j
            j += 1
        return seen, skipped, last.astype("int64") + 0


@model("float32 n 4", n=(3, 1))
class EarlyReturns(nn.Layer):
    def pick(self, x, k):
        if k == 0:
            return x * 2
        if x.mean() > 0:
            return self.deep(x, 3)
        return x - k

    def deep(self, x, n):
        if n == 0:
            return x
        return self.deep(paddle.tanh(x) + n, n - 1) * 0.5

    def forward(self, x):
        a = self.pick(x, 0)
        b = self.pick(x, 1)
        c = self.pick(-x, 2)
        if not (a.sum() > b.sum()) or c.min() > 0:
            if paddle.any(x > 1.0) and x.shape[0] > 1:
                return a, b + c
            else:
                return a - 1, b - c
        else:
            return a + 1, b * c


@model("float32 n 3", "float32 n 3", n=(4, 1))
class ZippedContainers(nn.Layer):
    def forward(self, x, y):
        bag = {"a": x, "b": y, "c": paddle.maximum(x, y)}
        bag["d"] = bag["a"] @ bag["b"].t()
        out = []
        for (name, left), right in zip(sorted(bag.items()), [x, y, x * y]):
            out.append(left + right if name != "b" else left - right)
        out.append(out.pop(0) * 2)
        first, *rest = out
        acc = paddle.add_n(rest)
        pairs = [(p.sum(), q.max()) for p, q in zip(x.unbind(1), paddle.unstack(y, axis=1))]
        s = sum(p * q for p, q in pairs)
        bag.pop("d")
        return {"first": first, "acc": acc, "s": s, "all": paddle.concat(list(bag.values()), 1)}


@model("float32 n 6", "float32", n=(3, 1))
class ZeroDims(nn.Layer):
    def forward(self, x, s):
        a = s * 2 + x.sum()
        b = paddle.stack([s, a, x.min(), x[0, 0]])
        c = paddle.where(s > 0, a, -a)
        d = b.reshape([2, 2]).expand([3, 2, 2]) * s
        e = paddle.full([], 3.0) ** s.clip(-1, 1)
        f = s.unsqueeze(0).tile([4]).cumsum(0)
        g = paddle.scatter(f, paddle.to_tensor(1), e * 0 + 5)
        h = paddle.argmax(b) + paddle.argsort(f).sum()
        k = paddle.quantile(x, 0.3) + paddle.median(x[0])
        return a, c, d, e, g, h, k, F.softmax(b, 0), s.ndim + s.reshape([1, 1])


@model("float32 n 5", n=(4, 1))
class HalfPrecision(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([5, 4], "float32")

    def forward(self, x):
        h = x.astype("float16")
        a = F.relu((h * 2 + 0.5).astype("float32").clip(-1, 1)).astype("float16")
        b = paddle.concat([a, h], axis=0).reshape([-1, 5])
        c = paddle.where(b > 0, b.astype("float32"), (b * 0.1).astype("float32")) @ self.w
        d = x.astype("bfloat16") + 1
        e = (d * d).astype("float32").sum(-1)
        f = h.astype("float64").std() + a.astype("float64").mean(axis=0)
        g = paddle.cast(h > 0, "int16") * 3
        return (
            a,
            c,
            e,
            f,
            g.astype("int32"),
            h.astype("float64").max(axis=1),
            paddle.flip(b.astype("float32"), [0]),
        )


@model("int64 n m", "float64 n m", n=(3, 1), m=(4, 7))
class IntegerWorkshop(nn.Layer):
    def forward(self, i, x):
        a = paddle.cumprod(i % 3 + 1, dim=1)
        b = paddle.floor_divide(i, paddle.full([1], 2, "int64")) * (i != 0).astype("int64")
        c = paddle.max(i, axis=[0, 1]) - paddle.min(i)
        d = paddle.sort(i, axis=-1, descending=True)[:, :3]
        e = paddle.tril(i, -1) + paddle.triu(i, 2)
        f = i / 4 + x
        g = paddle.mod(i, paddle.to_tensor(5)) - paddle.sign(i.astype("float32")).astype("int64")
        h = paddle.bitwise_and(i, paddle.full_like(i, 7)) | 1 * i
        k = (x * 3).astype("int32").abs().sum(axis=0, dtype="int64")
        return a, b, c, d, e, f, g, h, k, paddle.diagflat(i[0, :3], offset=-1)


@model("float32 n 4 m", "int64 2 <3", n=(3, 5), m=(6, 9))
class MixedIndexing(nn.Layer):
    def forward(self, x, i):
        a = x[:, i, 1:3]
        b = x[i, 1, :]
        c = x[i][:, paddle.to_tensor([3, 0])]
        d = x[:, i, i + 1]
        e = x[0][:, i]
        f = x[:, :, None, ::3].squeeze(2)
        mask = paddle.to_tensor([True, False, True, True])
        g = x[:, mask]
        h = x[:, 1][x[:, 1] > 0.3]
        k = x[paddle.to_tensor(1), :, -1]
        y = x * 1
        y[:, i] = -1.0
        y[i, 2, 0] = paddle.to_tensor([5.0, 6.0])
        y[..., -1] = y[..., 0] * 2
        return a, b, c, d, e, f, g, h, k, y


@model("float32 n 6", n=(4, 7))
class MaskedAssignments(nn.Layer):
    def forward(self, x):
        y = x.clone()
        y[y > y.mean()] = 0
        z = x * 2
        z[paddle.isfinite(z) & (z < -0.5)] += 10
        rows = x.sum(axis=1) > 0
        w = x - 1
        w[rows] = w[rows] * 0.5
        v = paddle.where(rows.unsqueeze(1), w, z)
        v[-1, ::2] = paddle.arange(3).astype("float32")
        v[1:3, 1:3] = paddle.eye(2)
        u = paddle.zeros_like(x, dtype="int64")
        u[:, 2:4] = 7
        u[0] = paddle.arange(6)
        return y, z, w, v, u, v[v > 5].sum()


@model("float32 n 5", n=(3, 9))
class SetitemInLoop(nn.Layer):
    def forward(self, x):
        out = paddle.zeros([x.shape[0], 5])
        tri = paddle.zeros([5, 5], dtype="float32")
        for k in range(5):
            out[:, k] = x[:, 4 - k] * k
            tri[k, : k + 1] = paddle.cos(x[0, : k + 1])
        i = paddle.zeros([1], "int64")
        n = paddle.full([1], x.shape[0], "int64")
        best = paddle.full([1], -1e6)
        while i < n:
            row = paddle.index_select(x, i, axis=0)
            best = paddle.maximum(best, row.max().reshape([1]))
            i = i + 1
        return out, tri @ tri.t(), best, i.astype("float32") + out.norm()


@model("float32 n 7 pos", n=(2, 5))
class NewtonWithWhile(nn.Layer):
    def step(self, y, x):
        return 0.5 * (y + x / y)

    def forward(self, x):
        y = paddle.ones_like(x)
        err = paddle.full([1], 100.0)
        k = paddle.zeros([1], "int32")
        while paddle.logical_and(err > 1e-4, k < 30).all():
            new = self.step(y, x)
            err = (new - y).abs().max().reshape([1])
            y = new
            k += 1
        low, high = paddle.zeros_like(x), x + 1
        for _ in range(12):
            mid = (low + high) / 2
            over = mid * mid * mid > x
            high = paddle.where(over, mid, high)
            low = paddle.where(over, low, mid)
        return y, k > 2, low, y**2 - x


@model("int64 n <40", n=(5, 1))
class CollatzAndSieve(nn.Layer):
    def forward(self, i):
        n = i.sum() + 3
        steps = paddle.zeros([], "int64")
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        sieve = paddle.ones([50], dtype="int32")
        sieve[:2] = 0
        for p in range(2, 8):
            sieve[p * p :: p] = 0
        fib = [paddle.to_tensor(1), paddle.to_tensor(1)]
        while len(fib) < 9:
            fib.append(fib[-1] + fib[-2])
        hit = paddle.gather(sieve, i)
        return steps, sieve, paddle.stack(fib), hit, (hit > 0).any() or n > 5


@model("float32 n 5", "bool n", "int32", n=(4, 1))
class NestedDecisions(nn.Layer):
    def forward(self, x, keep, k):
        if keep.all():
            y = x * 2
        elif paddle.logical_and(keep.any(), k <= 100):
            y = x[keep].sum(axis=0, keepdim=True) + x
        else:
            y = x - 1
        if k > 3:
            if y.max() > 1:
                z = y / y.max()
            else:
                z = y.exp()
        else:
            z = -y
        w = z if k % 2 == 0 else z + 1
        chain = k > 0 and k <= 7
        v = w.mean() if x.shape[0] > 2 else w.sum()
        return z, w, chain, v, (y * 1.25 if keep[0] else x + 1).max()


@model("float32 n 4", n=(3, 1))
class Closures(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scales = [0.5, 1.5, -1.0]
        self.register_buffer("one", paddle.ones([4]))
        self.register_buffer("down", paddle.to_tensor([4.0, 3.0, 2.0, 1.0]))
        self.table = {"up": self.one, "down": self.down}

    def forward(self, x):
        def shift(v, by=0.1, *more, **named):
            return v + by + sum(more) * named.get("times", 1)

        def twice(f):
            return lambda v: f(f(v))

        a = twice(lambda v: shift(v, 0.2, 1, 2, times=3))(x)
        parts = [x * s for s in self.scales if s > 0]
        b = {k: (x * v).sum(-1) for k, v in self.table.items()}
        c = paddle.concat([*parts, a], axis=-1)
        d = [t.max() for t in parts]
        pick = max(len(parts), 1)
        e = c[:, ::pick] + (1 if isinstance(x, str) else 2)
        a = a * self.one
        assert x.shape[1] == 4, "four columns"
        return a, b, c, d, e, a * 2 if f"{pick}" == "2" else a - 1


@model("float32 n 8", n=(4, 1))
class DynamicExits(nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = nn.LayerList([Swish(8, 1 + 0.5 * k) for k in range(4)])
        self.heads = nn.LayerList([nn.Linear(8, 3) for _ in range(4)])
        self.register_buffer("limit", paddle.to_tensor(0.45), persistable=True)

    def forward(self, x):
        used = paddle.zeros([1])
        logits = self.heads[0](x) * 0
        done = paddle.zeros([1], dtype="bool")
        for k, (block, head) in enumerate(zip(self.blocks, self.heads)):
            if not done:
                x = block(x) + x
                logits = head(x)
                used = used + 1
                done = (F.softmax(logits, -1).max(-1).mean() > self.limit).reshape([1])
        prob, label = paddle.topk(F.softmax(logits), 1)
        return prob.squeeze(-1), label, used, x.abs().amax()


@model("int64 n t <9", "float32 n 6", n=(2, 1), t=(4, 3))
class GreedyDecoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 6)
        self.cell = nn.GRUCell(6, 6)
        self.out = nn.Linear(6, 9)

    def forward(self, ids, h):
        for k in range(ids.shape[1]):
            y, h = self.cell(self.emb(ids[:, k]), h)
        word = ids[:, -1]
        words = paddle.zeros([ids.shape[0], 6], "int64")
        step = paddle.zeros([1], "int64")
        while step < 6:
            y, h = self.cell(self.emb(word), h)
            word = paddle.argmax(self.out(y), axis=-1)
            words = paddle.where(paddle.arange(6) == step, word.unsqueeze(1), words)
            step += 1
            if (word == 0).all():
                break
        return words, F.log_softmax(self.out(h)), step.astype("float32") * h.sum()


@model("float32 1 6", n=(1, 1))
class BeamSearchLoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 6)
        self.cell = nn.LSTMCell(6, 6)
        self.out = nn.Linear(6, 7)

    def forward(self, start):
        beams = 3
        h = start.tile([beams, 1])
        c = paddle.zeros_like(h)
        score = paddle.to_tensor([[0.0], [-1e4], [-1e4]])
        word = paddle.full([beams], 1, dtype="int64")
        ids, parents = [], []
        for step in range(5):
            y, (h, c) = self.cell(self.emb(word), (h, c))
            total = score + F.log_softmax(self.out(y * 3) - step * 0.1, axis=-1)
            score, flat = paddle.topk(total.reshape([1, -1]), beams)
            parent = (flat // 7).squeeze(0)
            word = (flat % 7).squeeze(0)
            h, c = paddle.gather(h, parent), paddle.gather(c, parent)
            score = score.reshape([beams, 1])
            ids.append(word.unsqueeze(0))
            parents.append(parent.unsqueeze(0))
        return F.gather_tree(paddle.stack(ids), paddle.stack(parents)), score


@model("float32 n m", "float32 n k", n=(3, 1), m=(4, 6), k=(5, 2))
class DynamicTimeWarp(nn.Layer):
    def forward(self, x, y):
        cost = (x.unsqueeze(2) - y.unsqueeze(1)).abs()
        n, m, k = cost.shape
        prev = paddle.cumsum(cost[:, 0], axis=-1)
        i = paddle.ones([1], "int32")
        while i < m:
            row = paddle.gather(cost, i, axis=1).squeeze(1)
            best = prev + row
            left = paddle.concat([paddle.full([n, 1], 1e6), best[:, :-1]], axis=1)
            prev = paddle.minimum(best, left + row)
            i += 1
        soft = -paddle.logsumexp(-cost.flatten(1) / 0.5, axis=1, keepdim=True) * 0.5
        return (
            prev,
            soft,
            paddle.argmin(cost.reshape([n, -1]), axis=1),
            cost.transpose([2, 0, 1]).max(),
        )


@model("float32 n 3", "float32 m 3", n=(6, 4), m=(3, 5))
class KMeansRounds(nn.Layer):
    def forward(self, x, c):
        count = paddle.zeros([c.shape[0]])
        for _ in range(3):
            near = paddle.cdist(x, c).argmin(axis=1)
            hot = paddle.cast(near.unsqueeze(1) == paddle.arange(c.shape[0]), "float32")
            count = hot.sum(axis=0)
            mean = hot.t() @ x / paddle.clip(count, min=1.0).unsqueeze(-1)
            c = paddle.where(count.unsqueeze(-1) > 0, mean, c)
        far = (x - c[near]).square()
        spread = paddle.scatter_nd_add(paddle.zeros_like(c), near.unsqueeze(-1), far)
        return c, near, count, spread, paddle.bincount(near)


@model("float32 4 4", "float32 4", n=(1, 1))
class PowerIteration(nn.Layer):
    def forward(self, a, b):
        s = a @ a.t() + paddle.diag(paddle.arange(1, 5).astype("float32") * 3)
        v = b / b.norm()
        old = paddle.zeros([])
        k = paddle.zeros([], "int64")
        value = v @ s @ v
        while (value - old).abs() > 1e-3 and k < 60:
            v = paddle.mv(s, v)
            v = v / paddle.linalg.norm(v)
            old = value
            value = paddle.dot(v, paddle.mv(s, v))
            k += 1
        x = paddle.zeros([4])
        r = b - s @ x
        p = r
        for _ in range(4):
            ap = s @ p
            alpha = r.dot(r) / p.dot(ap).clip(min=1e-8)
            x = x + alpha * p
            new = r - alpha * ap
            p = new + new.dot(new) / r.dot(r).clip(min=1e-8) * p
            r = new
        return value, x.unsqueeze(-1), paddle.linalg.eigvalsh(s)[-1] - value, k.ndim + x.sum()


@model("float32 n 3 h w", n=(1, 2), h=(8, 9), w=(10, 7))
class ClassicFilters(nn.Layer):
    def __init__(self):
        super().__init__()
        sobel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], "float32")
        self.register_buffer("kernel", paddle.to_tensor(np.stack([sobel, sobel.T])[:, None]))

    def forward(self, x):
        gray = (x * paddle.to_tensor([0.299, 0.587, 0.114]).reshape([1, 3, 1, 1])).sum(
            1, keepdim=True
        )
        edge = F.conv2d(F.pad(gray, [1, 1, 1, 1], mode="replicate"), self.kernel)
        mag, ang = paddle.hypot(edge[:, :1], edge[:, 1:]), paddle.atan2(edge[:, :1], edge[:, 1:])
        bins = paddle.floor((ang + math.pi) / (2 * math.pi + 1e-6) * 8).astype("int64").squeeze(1)
        hog = (F.one_hot(bins, 8) * mag.transpose([0, 2, 3, 1])).sum([1, 2])
        local = F.unfold(gray, 3, paddings=1)
        med = paddle.median(local, axis=1).reshape([-1, 1, x.shape[2], x.shape[3]])
        open_ = F.max_pool2d(-F.max_pool2d(-gray, 3, 1, 1), 3, 1, 1)
        integral = gray.cumsum(2).cumsum(3)
        box = (
            integral[:, :, 3:, 3:]
            - integral[:, :, :-3, 3:]
            - integral[:, :, 3:, :-3]
            + integral[:, :, :-3, :-3]
        )
        return hog, med, open_, box / 9, ang.cos().mean()


@model("float32 n m", n=(2, 1), m=(16, 25))
class MelFeatures(nn.Layer):
    def __init__(self):
        super().__init__()
        t = np.arange(9)
        bank = np.maximum(0, 1 - np.abs(t[:, None] / 2 - np.arange(5)[None])).astype("float32")
        self.bank = self.create_parameter([9, 5], default_initializer=nn.initializer.Assign(bank))
        k = np.arange(5)
        self.dct = paddle.to_tensor(np.cos(np.pi * (k[:, None] + 0.5) * k / 5).astype("float32"))

    def forward(self, x):
        y = x - 0.97 * F.pad(x[:, :-1], [0, 0, 1, 0])
        frames = F.unfold(y[:, None, None], [1, 16], strides=3)
        spec = paddle.fft.rfft(frames.transpose([0, 2, 1]), axis=-1)
        power = spec.real().square() + spec.imag().square()
        mel = paddle.log10(paddle.clip(power @ self.bank, min=1e-4)) * 10
        mel = paddle.maximum(mel, mel.amax(axis=[1, 2], keepdim=True) - 8.0)
        cep = paddle.matmul(mel, self.dct)
        lift = 1 + 11 * paddle.sin(paddle.arange(5).astype("float32") * math.pi / 22)
        return cep * lift, mel.mean(1), (y[:, 1:] * y[:, :-1] < 0).astype("float32").mean(-1)


@model("float32 n t 6", n=(2, 1), t=(8, 5))
class ChunkedScan(nn.Layer):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(6, 12)
        self.conv = nn.Conv1D(6, 6, 3, groups=6, padding=2)
        self.decay = self.create_parameter([6], default_initializer=nn.initializer.Uniform(-1, 1))

    def forward(self, x):
        u, gate = self.proj(x).chunk(2, axis=-1)
        u = self.conv(u.transpose([0, 2, 1]))[:, :, : x.shape[1]].transpose([0, 2, 1])
        a = F.sigmoid(self.decay + 1)
        logs = paddle.cumsum(paddle.log(a).expand_as(u), axis=1)
        closed = paddle.exp(logs) * paddle.cumsum(u * paddle.exp(-logs), axis=1)
        state = paddle.zeros([x.shape[0], 6])
        ys = []
        for t in range(x.shape[1]):
            state = state * a + u[:, t]
            ys.append(state)
        y = paddle.stack(ys, 1)
        return y * F.silu(gate), closed - y, state


@model("float32 n 5 8", n=(3, 1))
class SparseExperts(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias_attr=False)
        self.w = self.create_parameter([4, 8, 6])
        self.b = self.create_parameter([4, 6], is_bias=True)

    def forward(self, x):
        flat = x.reshape([-1, 8])
        weight, which = paddle.topk(F.softmax(self.gate(flat)), 2, axis=-1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = paddle.zeros([flat.shape[0], 6])
        for e in range(4):
            mine = (which == e).astype("float32") * weight
            share = mine.sum(-1, keepdim=True)
            rows = paddle.nonzero(share.squeeze(-1) > 0).flatten()
            part = F.gelu(paddle.addmm(self.b[e], paddle.gather(flat, rows), self.w[e], alpha=0.5))
            out = paddle.scatter(
                out, rows, paddle.gather(out, rows) + part * paddle.gather(share, rows)
            )
        dense = paddle.einsum("nd,edf,ne->nf", flat, self.w, F.softmax(self.gate(flat)))
        load = paddle.bincount(which.flatten(), minlength=4)
        return out.reshape([-1, 5, 6]), dense, load, weight


@model("float32 n 2 16", n=(2, 1))
class WindowedAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(2, 6)
        self.bias = self.create_parameter([7, 1])
        index = np.arange(4)[:, None] - np.arange(4)[None] + 3
        self.register_buffer("index", paddle.to_tensor(index.reshape(-1)))

    def forward(self, x):
        y = paddle.roll(x, -2, axis=2).transpose([0, 2, 1])
        win = y.reshape([-1, 4, 4, 2])
        q, k, v = self.qkv(win).split(3, axis=-1)
        bias = paddle.index_select(self.bias, self.index).reshape([4, 4])
        zone = paddle.concat([paddle.zeros([14]), paddle.ones([2])]).reshape([4, 4])
        same = zone.unsqueeze(1) != zone.unsqueeze(2)
        mask = paddle.where(same, paddle.full([4, 4, 4], -100.0), paddle.zeros([4, 4, 4]))
        score = q @ k.transpose([0, 1, 3, 2]) / 2**0.5 + bias + mask
        out = (F.softmax(score, axis=-1) @ v).reshape([-1, 16, 2])
        return paddle.roll(out, 2, axis=1).moveaxis(-1, 1), score.amax(-1), mask.sum()


@model("float32 n 6 unit", "float32 n 6", n=(3, 17))
class DistributionMath(nn.Layer):
    def forward(self, p, x):
        ent = -(p * paddle.log(p) + (1 - p) * paddle.log1p(-p))
        normal = 0.5 * (1 + paddle.erf(x / math.sqrt(2)))
        back = math.sqrt(2) * paddle.erfinv(2 * normal.clip(0.01, 0.99) - 1)
        beta = paddle.lgamma(p + 1) + paddle.lgamma(2 - p) - paddle.lgamma(paddle.to_tensor(3.0))
        gamma = paddle.pow(p, 2.5) * paddle.exp(-p - paddle.lgamma(p + 1.5))
        student = -1.75 * paddle.log1p(x.square() / 2.5)
        mixture = paddle.logsumexp(paddle.stack([student, -x.abs(), beta]), axis=0)
        cdf = paddle.cumsum(F.softmax(x, -1), -1)
        at = paddle.searchsorted(cdf, p[:, :2] * 0.99)
        trig = paddle.asin(p) + paddle.acos(p) + paddle.atanh(p * 0.9) + paddle.asinh(x)
        return ent, back, gamma, mixture, at, trig, paddle.tan(p) - paddle.sinh(x) / paddle.cosh(x)


@model("float32 n 7", "float32 7", n=(4, 1))
class BroadcastRules(nn.Layer):
    def forward(self, x, y):
        a = x.unsqueeze([0, 2]) * y.reshape([1, 7, 1])
        b = paddle.zeros([3, x.shape[0], 7]) + y - x
        c = paddle.expand_as(y.unsqueeze(0), x) @ x.t()
        d = paddle.add_n([x, x, y + 0 * x]).squeeze()
        e = x.expand([2, -1, -1]).flatten(0, 1).unique(axis=0).shape[1] * y
        f = paddle.lerp(x, y, 0.3) + paddle.lerp(x, y, F.sigmoid(x))
        g = paddle.addmm(x[:, :1], x, paddle.diag(y), beta=2.0, alpha=-1.0)
        h = paddle.allclose(x + y, y + x) & paddle.isclose(x, x).all()
        return a, b, c, d.sum(), e, f, g, h, paddle.equal(x, x.flip(0)).astype("int32").sum(1)


@model("float32 n m", n=(3, 0), m=(4, 6))
class MaybeEmptyRows(nn.Layer):
    def forward(self, x):
        a = paddle.concat([x, paddle.ones([1, x.shape[1]])])
        b = x[x > 100.0]
        c = paddle.nonzero(x > 100).astype("float32").sum(0)
        d = a.max(axis=0) + paddle.numel(b).astype("float32")
        e = paddle.zeros([0, 3]).sum(axis=0, keepdim=True) + c.sum()
        f = paddle.full([x.shape[0] * 2], 1.5).cumsum(0)
        g = x.shape[0] if x.shape[0] > 1 else -1
        h = paddle.where(a > 0, a, -a).prod(axis=1)
        return a * 2, b, c, d, e, f, g * h, x.t().reshape([-1]), paddle.numel(b) + 1


@model("float32 n 33", n=(1, 17))
class WideStatistics(nn.Layer):
    def forward(self, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        z = (x - mean) / std
        skew = z.pow(3).mean(-1)
        kurt = (z**4).mean(axis=-1) - 3
        mad = (x - x.median(axis=-1, keepdim=True)).abs().median(-1)
        iqr = paddle.quantile(x, 0.75, axis=1) - paddle.quantile(x, 0.25, axis=-1)
        trim = paddle.sort(x, axis=-1)[:, 3:-3].mean(-1)
        auto = (z[:, 1:] * z[:, :-1]).mean(-1)
        rank = paddle.argsort(paddle.argsort(x)).astype("float32")
        spear = F.cosine_similarity(rank - rank.mean(-1, keepdim=True), z, axis=-1)
        hist = paddle.histogram(z.clip(-3, 3), bins=9, min=-3, max=3)
        win = paddle.clip(x, paddle.quantile(x, 0.1), paddle.quantile(x, 0.9))
        return skew, kurt, mad, iqr, trim, auto, spear, hist, win


@model("float32 n 3", "float32 n 3", n=(5, 1))
class Rotations3d(nn.Layer):
    def forward(self, v, x):
        angle = v.norm(axis=-1, keepdim=True) + 1e-6
        k = v / angle
        zero = paddle.zeros([v.shape[0]])
        skew = paddle.stack(
            [zero, -k[:, 2], k[:, 1], k[:, 2], zero, -k[:, 0], -k[:, 1], k[:, 0], zero], axis=-1
        ).reshape([-1, 3, 3])
        a = angle.unsqueeze(-1)
        r = paddle.eye(3) + a.sin() * skew + (1 - a.cos()) * (skew @ skew)
        y = paddle.bmm(r, x.unsqueeze(-1)).squeeze(-1)
        rod = (
            x * a[..., 0].cos()
            + paddle.cross(k, x, axis=1) * a[..., 0].sin()
            + k * (k * x).sum(-1, keepdim=True) * (1 - a[..., 0].cos())
        )
        tr = paddle.diagonal(r, axis1=1, axis2=2).sum(-1)
        q = paddle.concat([(a[..., 0] / 2).cos(), k * (a[..., 0] / 2).sin()], -1)
        return (
            y - rod,
            y,
            tr,
            q * paddle.sign(q[:, :1]),
            paddle.linalg.det(r),
            paddle.einsum("nij,nkj->nik", r, r),
        )


@model("int64 n <27", "int64 3 n <2", n=(5, 1))
class BooleanCircuit(nn.Layer):
    def forward(self, i, b):
        digits = paddle.stack([i // 9, i // 3 % 3, i % 3], axis=1)
        bits = b.astype("bool")
        full = paddle.logical_xor(paddle.logical_xor(bits[0], bits[1]), bits[2])
        carry = (bits[0] & bits[1]) | (bits[2] & (bits[0] ^ bits[1]))
        table = paddle.to_tensor([[True, False], [False, True]])
        look = table[b[0], b[1]]
        maj = b.sum(axis=0) >= 2
        gray = paddle.bitwise_xor(i, i // 2)
        parity = paddle.zeros_like(i)
        for k in range(5):
            parity = parity ^ ((i // 2**k) % 2)
        weights = paddle.to_tensor([9, 3, 1], dtype="int64")
        same = (digits * weights).sum(-1).equal_all(i)
        return digits, full, carry, look, maj.equal(carry).all(), gray, parity, same, ~maj


@model("float32 n 4 6", n=(2, 1))
class AxisJuggling(nn.Layer):
    def forward(self, x):
        a = paddle.moveaxis(x, [0, 2], [2, 0])
        b = x.unsqueeze([1, -1]).squeeze(1)
        c = paddle.flatten(x, 1, 2).reshape([0, 3, 8])
        d = paddle.stack(paddle.unbind(x, 1)[::-1], axis=-1)
        e = paddle.rot90(x, 2, [1, 2]) - x.flip([1, 2])
        f = x.reshape([-1, 2, 2, 3, 2]).transpose([0, 1, 3, 2, 4]).reshape([-1, 6, 2, 2])
        g = paddle.chunk(f, 3, axis=1)[1].sum([-1, -2])
        h = paddle.roll(x, [1, -1, 2], [0, 1, 2]) + paddle.roll(x, 5)
        k = x.T if x.ndim == 2 else x.transpose([2, 0, 1])
        m = paddle.as_complex(x.reshape([-1, 4, 3, 2])).abs()
        n = paddle.diag_embed(x[:, 0], offset=1, dim1=0, dim2=2)
        return a, b, c, d, e, f, g, h, k, m, n


@model("float32 n 5", n=(3, 1))
class CumulativeZoo(nn.Layer):
    def forward(self, x):
        a = paddle.cumsum(x, dtype="float64")
        b = paddle.cumprod(x, dim=-1)
        c, i = paddle.cummax(x.flatten(), dtype="int64")
        d, j = paddle.cummin(x, axis=1, dtype="int32")
        e = paddle.logcumsumexp(x, axis=0, dtype="float64")
        f = paddle.flip(paddle.cumsum(paddle.flip(x, [1]), 1), [1])
        g = paddle.diff(x, n=2, axis=-1, append=x[:, :2])
        h = paddle.trapezoid(x, dx=0.2) + paddle.cumulative_trapezoid(x, axis=1)[:, -1]
        k = paddle.lerp(f, b, paddle.to_tensor(0.25))
        m = paddle.cumsum((x > 0).astype("int32"), axis=0)
        return a, b, c, i, d, j, e, g, h, k, m


@model("float32 2 3", "float32 3 n", n=(4, 1))
class LinalgMore(nn.Layer):
    def forward(self, a, b):
        c = paddle.linalg.multi_dot([a, b, b.t(), a.t()]) + paddle.eye(2)
        d = paddle.linalg.solve(c, a)
        e = paddle.inverse(c) @ c
        q, r = paddle.linalg.qr(a.t())
        f = (paddle.linalg.eigvalsh(c) > 0.1).sum().astype("float32") + r.abs().trace()
        g = paddle.linalg.norm(b, p=1, axis=0) + paddle.linalg.norm(b, p=2, axis=0)
        h = paddle.linalg.cond(c) * paddle.linalg.norm(c, "fro")
        s = paddle.linalg.svd(a)[1]
        u = paddle.linalg.cholesky(c, upper=True)
        v = paddle.linalg.triangular_solve(u, a[:, :2])
        w = paddle.linalg.pinv(c, hermitian=True) - paddle.inverse(c)
        x = paddle.bmm(c[None], d[None]).squeeze(0) + a
        return d, e, f, g, h, s, u.t() @ u, v, w, x, (q @ q.t()).trace()


@model("complex64 n 4", n=(3, 1))
class SignalProcessing(nn.Layer):
    def forward(self, z):
        a = paddle.fft.fftn(z, s=[4], axes=[1], norm="ortho")
        b = paddle.fft.ifftn(a, axes=[-1], norm="ortho") - z
        c = paddle.fft.hfft2(paddle.stack([z, z], 1), s=[2, 6], axes=[1, 2])
        d = paddle.fft.rfft2(z.real().unsqueeze(1), axes=(1, 2))
        e = paddle.fft.irfftn(d, s=[4], axes=[2])
        f = paddle.multiply(a, z.conj()).sum(axis=1)
        g = paddle.angle(z) * 180 / math.pi
        phase = paddle.complex(paddle.cos(g), paddle.sin(g))
        h = paddle.as_real(phase * z).reshape([-1, 8])
        k = (z.abs() > 1).astype("float32") * z.real() - paddle.sgn(z).imag()
        return a, b.abs() < 1e-4, c, d, e, f, h, k, paddle.isnan(z.real()).any()


@model("float32 n 3 t", n=(2, 1), t=(12, 21))
class WaveNetBlock(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convs = nn.LayerList([nn.Conv1D(3, 6, 2, dilation=2**k) for k in range(3)])
        self.res = nn.LayerDict({f"r{k}": nn.Conv1D(3, 3, 1) for k in range(3)})
        self.norm = nn.InstanceNorm1D(3)
        self.quant = paddle.to_tensor(np.linspace(-1, 1, 17).astype("float32"))

    def forward(self, x):
        skips = 0
        for k, conv in enumerate(self.convs):
            y = conv(F.pad(x, [2**k, 0], data_format="NCL"))
            a, b = paddle.split(y, 2, axis=1)
            y = paddle.tanh(a) * F.sigmoid(b)
            skips = skips + y
            x = x + self.res[f"r{k}"](y)
        mu = paddle.sign(x) * paddle.log1p(255 * x.tanh().abs()) / math.log(256)
        code = paddle.bucketize(mu, self.quant, out_int32=True)
        up = F.interpolate(skips, scale_factor=2, mode="linear", data_format="NCW")
        return self.norm(x), code, up, F.avg_pool1d(skips, 3, 1, 1).max(-1)


@model("float32 n 4 h w", n=(1, 2), h=(8, 12), w=(12, 8))
class TinyUnet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2D(4, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.Hardswish())
        self.mid = nn.Sequential(
            ("dw", nn.Conv2D(8, 8, 3, padding=2, dilation=2, groups=8)),
            ("bn", nn.BatchNorm2D(8)),
            ("act", nn.LeakyReLU(0.2)),
        )
        self.up = nn.Conv2DTranspose(8, 4, 2, stride=2)
        self.se = nn.Sequential(
            nn.AdaptiveAvgPool2D(1),
            nn.Conv2D(8, 2, 1),
            nn.ReLU6(),
            nn.Conv2D(2, 8, 1),
            nn.Hardsigmoid(),
        )
        self.shuffle = nn.PixelShuffle(2)
        self.attn = nn.Softmax2D()

    def forward(self, x):
        a = self.down(x)
        b = self.mid(a)
        b = b * self.se(b) + a
        c = self.up(b)
        d = paddle.concat([c[:, :, : x.shape[2]], x], axis=1)
        e = self.shuffle(b)
        f = self.attn(d)
        heat = f.flatten(2)
        at = heat.argmax(-1)
        ys, xs = at // x.shape[3], at % x.shape[3]
        return d, e, f.sum(1), paddle.stack([xs, ys], -1), heat.max(-1)


@model("float32 n 6", "float32 n 6", n=(4, 1))
class LossLayers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.losses = nn.LayerDict(
            {
                "huber": nn.SmoothL1Loss(reduction="sum", delta=0.4),
                "kl": nn.KLDivLoss("sum"),
                "bce": nn.BCEWithLogitsLoss(pos_weight=paddle.full([6], 1.7)),
                "l1": nn.L1Loss("none"),
                "margin": nn.MarginRankingLoss(0.3, "sum"),
                "cos": nn.CosineEmbeddingLoss(0.2),
                "hinge": nn.HingeEmbeddingLoss(0.5),
                "triplet": nn.TripletMarginLoss(0.7, 3, swap=True),
                "soft": nn.SoftMarginLoss("none"),
                "poisson": nn.PoissonNLLLoss(False, epsilon=0.1),
            }
        )
        self.hs = nn.HSigmoidLoss(6, 5)

    def forward(self, x, y):
        s = paddle.sign(y)
        out = {
            "huber": self.losses["huber"](x, y),
            "kl": self.losses["kl"](F.log_softmax(x), F.softmax(y)),
            "bce": self.losses["bce"](x, F.sigmoid(y)),
            "l1": self.losses["l1"](x, y),
            "margin": self.losses["margin"](x, y, s),
            "cos": self.losses["cos"](x, y, s[:, 0].sign()),
            "hinge": self.losses["hinge"](x, s),
            "soft": self.losses["soft"](x, s),
            "triplet": self.losses["triplet"](x, y, -x),
            "poisson": self.losses["poisson"](x.exp(), y),
        }
        out["hs"] = self.hs(x, paddle.argmax(y[:, :5], axis=1, keepdim=True))
        return out


@model("float32 n 8", "int64 n 1 <5", n=(3, 1))
class ArcFaceHead(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([8, 5])
        self.centers = self.create_parameter([5, 8])

    def forward(self, x, t):
        cos = F.normalize(x, axis=1) @ F.normalize(self.w, axis=0)
        a = F.sigmoid_focal_loss(cos, F.one_hot(t.squeeze(-1), 5), reduction="none")
        theta = paddle.acos(cos.clip(-1 + 1e-5, 1 - 1e-5))
        hot = F.one_hot(t.squeeze(-1), 5)
        logits = paddle.where(hot > 0, paddle.cos(theta + 0.3) - 0.1, cos) * 16
        b = F.cross_entropy(logits, t, reduction="none")
        near = paddle.gather(self.centers, t.squeeze(-1))
        center = 0.5 * (x - near).square().sum(-1)
        one, scale = paddle.index_sample(cos, t), x.norm(axis=-1, keepdim=True)
        return (
            a,
            b,
            center,
            one * scale,
            paddle.take_along_axis(logits, t, axis=1).std(unbiased=False),
        )


@model("float32 n 4", "float32 n 4", n=(5, 9))
class BoxGeometry(nn.Layer):
    def iou(self, a, b, kind="iou", eps=1e-6):
        a, b = a.unsqueeze(1), b.unsqueeze(0)
        low, high = paddle.maximum(a[..., :2], b[..., :2]), paddle.minimum(a[..., 2:], b[..., 2:])
        inter = (high - low).clip(min=0).prod(-1)
        area = (a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1) - inter
        iou = inter / (area + eps)
        if kind == "iou":
            return iou
        outer = paddle.maximum(a[..., 2:], b[..., 2:]) - paddle.minimum(a[..., :2], b[..., :2])
        if kind == "giou":
            return iou - (outer.prod(-1) - area) / outer.prod(-1)
        gap = ((a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2).square().sum(-1)
        return iou - gap / outer.square().sum(-1)

    def forward(self, a, b):
        a = paddle.concat([a[:, :2], a[:, :2] + F.softplus(a[:, 2:])], -1)
        b = paddle.concat([b[:, :2], b[:, :2] + F.softplus(b[:, 2:])], axis=-1)
        self_iou = paddle.triu(self.iou(a, a), 1)
        decay = paddle.exp(-(self_iou**2) / 0.5).min(axis=0)
        g = self.iou(a, b, "giou")
        match = paddle.argmax(g, 1)
        forced = paddle.argmax(g, axis=0)
        match = paddle.scatter_nd_add(match, forced.unsqueeze(-1) * 0, forced * 0)
        return g, self.iou(a, b, kind="diou"), decay, match, paddle.gather(b, match) - a


@model("float32 n t 3", "int64 n len<t", n=(3, 1), t=(6, 8))
class MaskedPooling(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q = self.create_parameter([1, 3, 1])
        self.mix = nn.Linear(12, 4)

    def forward(self, x, size):
        steps = paddle.arange(x.shape[1]).unsqueeze(0)
        mask = (steps < size.unsqueeze(1)).unsqueeze(-1)
        m = mask.astype(x.dtype)
        mean = (x * m).sum(1) / m.sum(1)
        top = paddle.where(mask, x, paddle.full_like(x, -1e9)).max(axis=1)
        at = (size - 1).clip(min=0).reshape([-1, 1, 1]).expand([-1, 1, 3])
        last = paddle.take_along_axis(x, at, axis=1).squeeze(1)
        score = paddle.matmul(x, self.q).masked_fill(paddle.logical_not(mask), -1e9)
        att = (F.softmax(score, axis=1) * x).sum(1)
        back = paddle.concat([mean, top, last, att], axis=-1)
        rev = (size.unsqueeze(1) - 1 - steps).clip(0)
        flipped = paddle.take_along_axis(x, rev.unsqueeze(-1).expand_as(x), 1) * m
        return self.mix(back), flipped, att, paddle.nonzero(mask)[:, 1].max()


@model("float32 n 2", n=(6, 1))
class NeuralOde(nn.Layer):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
        self.steps = 4

    def slope(self, t, y):
        return self.f(y) * paddle.exp(-t) + paddle.matmul(
            y, paddle.to_tensor([[0.0, -1.0], [1.0, 0.0]])
        )

    def forward(self, y):
        t, dt = paddle.zeros([1]), 1.0 / self.steps
        path = [y]
        for _ in range(self.steps):
            a = self.slope(t, y)
            b = self.slope(t + dt / 2, y + a * dt / 2)
            c = self.slope(t + dt / 2, y + b * dt / 2)
            d = self.slope(t + dt, y + c * dt)
            y = y + dt / 6 * (a + 2 * b + 2 * c + d)
            t = t + dt
            path.append(y)
        h = paddle.full([1], 0.5)
        z = y * 1
        while h > 0.05 and paddle.abs(z).max() < 5.0:
            full, half = z + h * self.slope(t, z), z + h / 2 * self.slope(t, z)
            gap = (full - half - h / 2 * self.slope(t + h / 2, half)).abs().max()
            if gap > 0.05:
                h = h * 0.5
            else:
                z = full
                h = h * 0.8
        return paddle.stack(path, axis=1), z, h


@model("float32 m 5", "int64 2 e <m", m=(6, 4), e=(11, 7))
class GraphAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(5, 8, bias_attr=False)
        self.a = self.create_parameter([2, 2, 4])

    def forward(self, x, edges):
        loop = paddle.arange(x.shape[0], dtype="int64")
        src, dst = paddle.concat([edges, paddle.stack([loop, loop])], axis=1)
        h = self.w(x).reshape([-1, 2, 4])
        left, right = (h * self.a[0]).sum(-1), (h * self.a[1]).sum(-1)
        score = F.leaky_relu(paddle.gather(left, src) + paddle.gather(right, dst), 0.1)
        order = paddle.argsort(dst)
        src, dst, score = src[order], dst[order], paddle.gather(score, order)
        top = paddle.geometric.segment_max(score, dst)
        e = paddle.exp(score - paddle.gather(top, dst))
        alpha = e / paddle.gather(paddle.geometric.segment_sum(e, dst), dst)
        out = paddle.geometric.segment_sum(alpha.unsqueeze(-1) * h[src], dst)
        degree = paddle.scatter_nd_add(loop * 1.0, dst.unsqueeze(-1), alpha.sum(-1))
        return out.flatten(1), alpha.sum(), degree, top


@model("float32 n 4", "float32 m 4", n=(5, 2), m=(3, 9))
class SinkhornMatch(nn.Layer):
    def forward(self, x, y):
        cost = (x.unsqueeze(1) - y).square().sum(-1)
        u, v = paddle.zeros([x.shape[0]]), paddle.zeros([y.shape[0]])
        eps = 0.5
        la = -paddle.log(paddle.to_tensor(float(1))) - paddle.full([x.shape[0]], 1.0) * 1.1
        for _ in range(5):
            u = eps * (la - paddle.logsumexp((v.unsqueeze(0) - cost) / eps, axis=1))
            v = eps * (-paddle.logsumexp((u.unsqueeze(1) - cost) / eps, axis=0))
        plan = paddle.exp((u.unsqueeze(1) + v.unsqueeze(0) - cost) / eps)
        left = paddle.full([y.shape[0]], False, dtype="bool")
        picked = []
        for row in plan:
            j = paddle.argmax(paddle.where(left, paddle.full_like(row, -1.0), row))
            left = left | (paddle.arange(y.shape[0]) == j)
            picked.append(j)
        return plan, (plan * cost).sum(), paddle.stack(picked), left.astype("int32").sum()


@model("float32 n 4 6 6", n=(2, 1))
class LayoutShuffle(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm2D(6, data_format="NHWC")
        self.conv = nn.Conv2D(4, 6, 3, 2, 1, data_format="NHWC", bias_attr=False)
        self.up = nn.Conv2DTranspose(6, 4, 4, 2, 1, data_format="NHWC", groups=2)
        self.pool = nn.MaxPool2D(2, 2, return_mask=True)
        self.unpool = nn.MaxUnPool2D(2, 2)
        self.avg = nn.AvgPool2D(3, 1, 1, exclusive=False, data_format="NHWC")
        self.drop = nn.Sequential(nn.Dropout(0.4), nn.Dropout2D(0.3), nn.AlphaDropout(0.2))

    def forward(self, x):
        last = x.transpose([0, 2, 3, 1])
        a = self.bn(F.relu6(self.conv(last)))
        b = self.up(a) + self.avg(last)
        c, index = self.pool(b.transpose([0, 3, 1, 2]))
        d = self.unpool(c, index)
        e = F.interpolate(
            a, scale_factor=2, mode="bilinear", align_corners=True, data_format="NHWC"
        )
        f = F.adaptive_avg_pool2d(e, 2, data_format="NHWC").flatten(1)
        g = F.dropout(d, 0.5, axis=1, training=False, mode="downscale_in_infer") + self.drop(d)
        return a, b, c, index, g, f, F.pixel_unshuffle(b, 2, data_format="NHWC").mean([1, 2])


@model("float32 n c 5", n=(2, 1), c=(3, 7))
class FreeChannels(nn.Layer):
    def forward(self, x):
        n, c, t = x.shape
        gram = paddle.bmm(x, x.transpose([0, 2, 1])) / t
        eye = paddle.eye(7)[:c, :c] if isinstance(c, int) else paddle.diag(paddle.ones([c]))
        w = F.softmax(gram - 1e3 * eye.unsqueeze(0), axis=-1)
        y = paddle.matmul(w, x) + x
        flat = y.reshape([n * c, t])
        z = paddle.concat([flat, flat[:1] * 0], axis=0)[1:].reshape([n, c, t])
        order = paddle.argsort(y.norm(axis=-1), axis=-1, descending=True)
        s = paddle.take_along_axis(y, order.unsqueeze(-1).expand([n, c, t]), axis=1)
        k = paddle.full([1], c, dtype="float32").sqrt() * n
        return y, z - x, order, s, k, gram.diagonal(axis1=1, axis2=2).sum(-1)


@model("uint8 n h w 3", n=(1, 2), h=(6, 9), w=(8, 5))
class ImagePreprocess(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", paddle.to_tensor([0.485, 0.456, 0.406]))
        self.register_buffer("std", paddle.to_tensor([0.229, 0.224, 0.225]))

    def forward(self, image):
        x = image.astype("float32") * 25 / 255.0
        y = ((x - self.mean) / self.std).transpose([0, 3, 1, 2])
        h, w = paddle.shape(y)[2], paddle.shape(y)[3]
        side = paddle.maximum(h, w)
        z = F.interpolate(y, size=[10, 12], mode="bicubic")
        flip = paddle.concat([z, z.flip([3])], axis=0)
        crop = flip[:, :, 1:-1, 2:-2]
        gray = (crop * self.std.reshape([1, 3, 1, 1])).sum(axis=1, keepdim=True)
        low, high = gray.amin([2, 3], keepdim=True), gray.amax([2, 3], keepdim=True)
        norm = ((gray - low) / (high - low + 1e-6) * 255).round().astype("uint8")
        hist = paddle.bincount(norm.flatten().astype("int64") // 32, minlength=9)
        bgr = image[..., ::-1]
        return crop, norm, hist, bgr, side.astype("int64") * 2, paddle.cast(bgr > 5, "uint8")


@model("float32 n 4", "int64 k <n", n=(6, 9), k=(3, 7))
class ScatterFamily(nn.Layer):
    def forward(self, x, i):
        k = i.shape[0]
        upd = paddle.ones([k, 4]) * paddle.arange(4).astype("float32")
        a = paddle.scatter(x, i, upd, overwrite=False)
        b = paddle.scatter_nd_add(x, paddle.stack([i, i * 0 + 1], axis=1), paddle.ones([k]))
        c = paddle.scatter_nd(i.unsqueeze(-1), upd, [9, 4])
        d = paddle.index_add(x, i, 0, upd * -0.5)
        e = paddle.index_put(x, (i, i % 4), paddle.full([k], 2.0), accumulate=True)
        f = paddle.gather_nd(x, paddle.stack([i, i % 3], -1))
        g = paddle.put_along_axis(
            x,
            (i % 4).reshape([1, -1])[:, :2].expand([x.shape[0], 2]),
            paddle.to_tensor([[9.0]]).expand([x.shape[0], 2]),
            axis=1,
        )
        h = paddle.shard_index(i.unsqueeze(-1), 10, 2, 0)
        return a, b, c, d, e, f, g, h, paddle.masked_select(x, x > f.mean()).std()


@model("float32 n 5", "float32 n 5", n=(4, 1))
class ComparisonLogic(nn.Layer):
    def forward(self, x, y):
        a = paddle.logical_or(x > y, paddle.less_equal(x, paddle.zeros([1])))
        b = paddle.where(a, x, y) * paddle.not_equal(x.round(), y.round()).astype("float32")
        c = paddle.all(a | (y >= 0), axis=1) ^ paddle.any(x < -1, axis=-1)
        d = paddle.isclose(x, x + 1e-9, rtol=1e-3) & ~paddle.isinf(x / 1e-3)
        e = paddle.greater_equal(x.sum(), y.sum()) == paddle.less_than(y.sum(), x.sum())
        f = (x > 0).astype("int32") - (y > 0).astype("int32") * 2
        g = paddle.maximum(f.astype("float32"), x) / paddle.minimum(y, paddle.full([], -0.5))
        h = paddle.nonzero(a, as_tuple=True)
        m = paddle.where(f == -2)[0]
        return a, b, c, d.sum(), e, f, g, h[0] - h[1], m, paddle.is_empty(x[x > 50])


@model("float32 n 3", n=(4, 1))
class DecoratedBlocks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(
            *[
                nn.Sequential(nn.Linear(3, 3), act)
                for act in (
                    nn.ELU(0.5),
                    nn.CELU(2.0),
                    nn.GELU(True),
                    nn.Hardtanh(-0.5, 0.7),
                    nn.LogSigmoid(),
                    nn.Softplus(3.0, 5.0),
                    nn.Swish(),
                    nn.ThresholdedReLU(0.2),
                    nn.Tanhshrink(),
                    nn.Mish(),
                )
            ]
        )
        self.count = 0
        for block in self.blocks:
            block.register_forward_pre_hook(lambda layer, i: (i[0] * 1.5 + 0.1,))
            block[0].register_forward_post_hook(lambda layer, i, o: o + i[0])
        self.add_sublayer("tail", nn.Flatten(0, 1))
        self.add_parameter(
            "scale",
            paddle.create_parameter(
                [1], "float32", default_initializer=(nn.initializer.Constant(0.7))
            ),
        )

    def forward(self, x):
        seen = []
        for name, block in self.blocks.named_children():
            x = block(x)
            if int(name) % 3 == 0:
                seen.append(x.mean(axis=-1))
        y = self.tail(x * self.scale)
        total = sum(p.sum() for p in self.blocks[0].parameters())
        return paddle.stack(seen, axis=1), y, total, nn.Identity()(x)[:, -1]


@model("float32 n t 4", "int64 n t <5", "int64 n len<t", n=(2, 1), t=(6, 4))
class CrfViterbi(nn.Layer):
    def __init__(self):
        super().__init__()
        self.trans = self.create_parameter([6, 6], default_initializer=nn.initializer.Normal())
        self.emit = nn.Linear(4, 6)

    def forward(self, x, tags, size):
        e = self.emit(x)
        alpha, back = e[:, 0], []
        best = e[:, 0]
        for k in range(1, 4):
            alpha = paddle.logsumexp(alpha.unsqueeze(2) + self.trans, axis=1) + e[:, k]
            cand = best.unsqueeze(2) + self.trans
            back.append(cand.argmax(axis=1))
            best = cand.max(axis=1) + e[:, k]
        tag = best.argmax(-1, keepdim=True)
        path = [tag]
        for b in reversed(back):
            tag = paddle.take_along_axis(b, tag, axis=1)
            path.insert(0, tag)
        gold = paddle.index_sample(e[:, 0], tags[:, :1]).squeeze(-1)
        pair = paddle.gather_nd(self.trans, paddle.stack([tags[:, :-1], tags[:, 1:]], axis=-1))
        score, decoded = paddle.text.viterbi_decode(e, self.trans, size, False)
        return alpha.logsumexp(1) - gold, paddle.concat(path, 1), pair.sum(-1), score, decoded


@model("float32 n 2 h w", n=(1, 2), h=(6, 5), w=(7, 9))
class OpticalWarp(nn.Layer):
    def __init__(self):
        super().__init__()
        self.flow = nn.Conv2D(2, 2, 3, padding=1, padding_mode="replicate")

    def forward(self, x):
        n, _, h, w = paddle.shape(x)
        flow = paddle.tanh(self.flow(x))
        ys = paddle.linspace(-1, 1, h).reshape([-1, 1]).expand([h, w])
        xs = paddle.linspace(-1, 1, w).reshape([1, -1]).expand([h, w])
        grid = paddle.stack([xs, ys], axis=-1).unsqueeze(0) + flow.transpose([0, 2, 3, 1]) * 0.3
        warp = F.grid_sample(x, grid, align_corners=True, padding_mode="border")
        dx, dy = flow[:, :, :, 1:] - flow[:, :, :, :-1], flow[:, :, 1:] - flow[:, :, :-1]
        smooth = paddle.sqrt(dx.square() + 1e-3).mean([1, 2, 3]) + dy.abs().amax([1, 2, 3])
        ssim = F.avg_pool2d(x * warp, 3) - F.avg_pool2d(x, 3) * F.avg_pool2d(warp, 3)
        corr = paddle.stack([(x * paddle.roll(warp, k, 3)).sum(1) for k in (-1, 0, 1)], 1)
        return warp, smooth, ssim, corr.argmax(1), F.softmax(corr, 1)[:, 1].mean([-1, -2])


@model("int64 n <8", n=(5, 2))
class FloatLoops(nn.Layer):
    def forward(self, i):
        total = paddle.zeros([], "float64")
        for v in i:
            total = total + v.astype("float64") / 2
        acc = paddle.zeros([1])
        k = paddle.zeros([1], "int64")
        limit = i.max().reshape([1]) + 2
        while k < limit:
            j = paddle.zeros([1], "int64")
            while j < k:
                if (j + k) % 2 == 0:
                    acc = acc + 1.5
                else:
                    acc = acc - 0.25
                j = j + 1
            k = k + 1
        tri = paddle.tril_indices(4, 4, -1)
        up = paddle.triu_indices(3, 5, 1)
        m = paddle.zeros([4, 4], "int64")
        m[tri[0], tri[1]] = paddle.arange(6)
        return total, acc, k, m, up.sum(1), paddle.full([2, 2], 3) * i.sum() // 2


@model("float32 n 6", n=(3, 1))
class QuantizeByHand(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([6, 4], default_initializer=nn.initializer.Normal(0, 0.3))

    def forward(self, x):
        s = x.abs().max(axis=-1, keepdim=True) / 127 + 1e-6
        q = paddle.clip(paddle.round(x / s), -127, 127).astype("int8")
        ws = paddle.max(paddle.abs(self.w), axis=0) / 127
        wq = paddle.round(self.w / ws).clip(-128, 127).astype("int8")
        y = paddle.matmul(q.astype("float32"), wq.astype("float32")) * s * ws
        low = (q.astype("int32") + 128) % 16
        high = (q.astype("int32") + 128) // 16
        packed = (low * 16 + high).astype("uint8")
        un = (packed.astype("int32") % 16 * 16 + packed.astype("int32") // 16) - 128
        err = (y - x @ self.w).abs().max()
        exp = paddle.floor(paddle.log2(x.abs() + 1e-3))
        mx = paddle.ldexp(paddle.round(x / 2**exp * 8) / 8, exp.astype("int32"))
        return q, packed, un - q.astype("int32"), err < 0.2, mx, exp.astype("int64")


@model("float32 n 5", n=(6, 1))
class MixedOutputs(nn.Layer):
    def helper(self, x, *, scale=2, flag=True, names=("p", "q")):
        if flag:
            x = x * scale
        return {k: x.exp() * (len(k) * i + 1) for i, k in enumerate(names)}

    def forward(self, x):
        a = self.helper(x)
        b = self.helper(a["q"], scale=-1.5, names=["u"])
        c = self.helper(x, flag=False, names=tuple("xyz"))
        a.update({f"b_{k}": v.sum(-1) for k, v in b.items()})
        listed = [v for k, v in c.items() if k != "y"]
        n = len(a) + len(listed)
        s = slice(None, None, -1)
        ell = x[..., slice(1, 4, 2)]
        return {
            "dict": a,
            "list": [listed[0][s] if x.ndim == 3 else listed[0], (listed[1], ell)],
            "n": x.mean() * n,
        }


@model("float32 n 4", "float32 4 4", n=(3, 1))
class ControlledDynamics(nn.Layer):
    def forward(self, x, a):
        a = a / (a.norm() + 1)
        expm = paddle.eye(4)
        term = paddle.eye(4)
        for k in range(1, 9):
            term = term @ a / k
            expm = expm + term
        b = paddle.linalg.inv(paddle.eye(4) * 2 - a) @ (paddle.eye(4) * 2 + a)
        p = paddle.eye(4)
        for _ in range(6):
            gain = paddle.linalg.solve(p + paddle.eye(4), p @ a)
            p = paddle.eye(4) + a.t() @ p @ a - a.t() @ p @ gain
        sylv = (
            paddle.kron(paddle.eye(4), a) - paddle.kron(a.t(), paddle.eye(4)) * 2 + paddle.eye(16)
        )
        w = paddle.linalg.solve(sylv, paddle.flatten(p).unsqueeze(1)).reshape([4, 4])
        y = x
        for t in range(4):
            y = y @ expm.t() + (-1) ** t * x
        return expm, b.trace(), p, w, y, paddle.einsum("ni,ij,nj->n", x, p, x)


@model("float64 n 3", n=(5, 2))
class DoubleModel(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([3, 4], dtype="float64")
        self.bn = nn.BatchNorm1D(4)
        self.to(dtype="float64")
        self.register_buffer("t", paddle.to_tensor([1, 2, 3, 4], dtype="int64"))

    def forward(self, x):
        y = F.linear(x, self.w)
        z = (y - y.mean(0)) / y.std(0, unbiased=False).clip(1e-3)
        a = F.softmax(z, axis=-1).astype("float32") + 1
        b = paddle.logaddexp(z, y) if z.dtype == paddle.float64 else z
        c = paddle.pow(self.t.astype("float64"), 0.5) * paddle.erf(y)
        d = paddle.cumsum(self.t) - paddle.prod(self.t)
        e = F.pad(y.unsqueeze(1), [1, 2], value=0.25, data_format="NCL")
        f = F.conv1d(e, paddle.ones([1, 1, 3], "float64"), padding=1)
        g = F.smooth_l1_loss(y, z) + F.mse_loss(z, c) * paddle.to_tensor(2.0, "float64")
        return z, a, b, c, d, f, g, F.gelu(y) + F.hardswish(y.astype("float32")).astype("float64")


@model("float32 n 12", n=(2, 1))
class Hypernetwork(nn.Layer):
    def __init__(self):
        super().__init__()
        self.make = nn.Linear(12, 3 * 4 + 3)
        self.kernel = nn.Linear(12, 2 * 9)

    def forward(self, x):
        code = self.make(x)
        w, b = code.split([12, 3], axis=-1)
        y = paddle.bmm(w.reshape([-1, 3, 4]), x.reshape([-1, 4, 3])) + b.unsqueeze(-1)
        image = x.reshape([1, -1, 3, 4])
        kernels = self.kernel(x).reshape([-1, 2, 3, 3])
        kernels = F.normalize(kernels.flatten(2), axis=-1).reshape([-1, 2, 3, 3])
        cols = F.unfold(image.transpose([1, 0, 2, 3]), 3, 1, 1)
        z = paddle.einsum("nok,nkl->nol", kernels.flatten(2), cols).reshape([-1, 2, 3, 4])
        demod = paddle.rsqrt((kernels**2).sum(axis=[2, 3], keepdim=True) + 1e-8)
        style = paddle.tanh(code[:, :2]).reshape([-1, 2, 1, 1])
        mean, var = z.mean([2, 3], keepdim=True), z.var([2, 3], keepdim=True)
        ada = (z - mean) * paddle.rsqrt(var + 1e-4) * (1 + style) + style.flip(1)
        return y, z * demod, ada, F.instance_norm(z, eps=1e-3)


@model("float32 n 3 4", "float32", "int64", n=(2, 5))
class ScalarInputs(nn.Layer):
    def forward(self, x, alpha, k):
        a = x * alpha + k
        b = paddle.full([2, 3], 1.0) * alpha
        c = paddle.where(alpha > 0, x, -x)
        d = x ** (alpha.abs() * 0 + 2)
        e = paddle.roll(x, 1, 0) if k % 2 == 1 else x.flip(0)
        f = paddle.minimum(paddle.maximum(x, -alpha.abs()), alpha.abs() + 0.1)
        g = paddle.linspace(alpha, alpha + 1, 5)
        h = paddle.arange(0, k.abs() + 3, 2)
        m = F.one_hot(k.abs() % 4, 4) @ x[0].t()
        n = paddle.scale(x, scale=alpha, bias=0.5, bias_after_scale=False, act=None)
        o = x[:, k.abs() % 3]
        return a, b, c, d, e, f, g, h, m, n, o, paddle.topk(x[0, 0], 2)[0] + alpha


@model("float32 n 3 8 8", n=(2, 1))
class PatchMixer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2D(3, 6, 2, 2)
        self.cls = self.create_parameter([1, 1, 6])
        self.pos = self.create_parameter(
            [1, 17, 6], default_initializer=nn.initializer.Normal(0, 0.1)
        )
        self.qkv = nn.Linear(6, 18)
        self.norm = nn.LayerList([nn.LayerNorm(6, epsilon=1e-6), nn.LayerNorm([17, 6])])
        self.token = nn.Linear(17, 17)

    def forward(self, x):
        y = self.embed(x).flatten(2).transpose([0, 2, 1])
        y = paddle.concat([self.cls.expand([x.shape[0], -1, -1]), y], axis=1) + self.pos
        qkv = self.qkv(self.norm[0](y)).reshape([0, 17, 3, 2, 3]).transpose([2, 0, 3, 1, 4])
        q, k, v = qkv.unbind(0)
        att = F.softmax(q @ k.transpose([0, 1, 3, 2]) * 3**-0.5, axis=-1)
        y = y + (att @ v).transpose([0, 2, 1, 3]).flatten(2)
        y = y + F.gelu(self.token(self.norm[1](y).transpose([0, 2, 1]))).transpose([0, 2, 1])
        roll = paddle.eye(17)
        for k in range(2):
            roll = (att.mean(axis=1) * 0.5 + paddle.eye(17) * 0.5) @ roll
        keep = paddle.topk(roll[:, 0, 1:], 5)[1]
        sel = paddle.take_along_axis(y[:, 1:], keep.sort(-1).unsqueeze(-1).tile([1, 1, 6]), 1)
        return y[:, 0], roll[:, 0], sel, y[:, 1:].reshape([-1, 4, 4, 6]).amax([1, 2])


@model("float32 n m 3", n=(1, 2), m=(16, 21))
class PointCloud(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Conv2D(6, 8, 1), nn.BatchNorm(8, act="relu"), nn.Conv2D(8, 5, 1)
        )

    def forward(self, x):
        n, m = x.shape[0], x.shape[1]
        far = paddle.zeros([n], "int64")
        dist = paddle.full([n, m], 1e6)
        picked = []
        for _ in range(4):
            picked.append(far)
            center = paddle.take_along_axis(x, far.reshape([-1, 1, 1]).expand([n, 1, 3]), axis=1)
            dist = paddle.minimum(dist, (x - center).square().sum(-1))
            far = dist.argmax(-1)
        idx = paddle.stack(picked, axis=1)
        seeds = paddle.take_along_axis(x, idx.unsqueeze(-1).expand([n, 4, 3]), axis=1)
        d = paddle.cdist(seeds, x)
        near, knn = paddle.topk(d, 3, axis=-1, largest=False)
        batch = paddle.arange(n).reshape([-1, 1, 1]).expand([n, 4, 3])
        group = paddle.gather_nd(x, paddle.stack([batch, knn], axis=-1))
        feat = paddle.concat([group - seeds.unsqueeze(2), group], axis=-1).transpose([0, 3, 1, 2])
        y = self.mlp(feat).max(axis=-1)
        w = 1 / (near + 1e-3)
        w = w / w.sum(-1, keepdim=True)
        return idx, near, y, (group * w.unsqueeze(-1)).sum(2), (d < 1.0).astype("int64").sum(-1)


@model("float32 n 6", "float32 n 6", n=(5, 3))
class ContrastiveBatch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(6, 6)
        self.register_buffer(
            "queue",
            F.normalize(
                paddle.to_tensor(np.sin(np.arange(42)).reshape(6, 7).astype("float32")), axis=0
            ),
        )

    def forward(self, x, y):
        q = F.normalize(self.proj(x), axis=-1)
        k = F.normalize(self.proj(y), axis=-1)
        logits = paddle.concat([(q * k).sum(-1, keepdim=True), q @ self.queue], axis=1) / 0.2
        moco = F.cross_entropy(logits, paddle.zeros([x.shape[0]], "int64"))
        both = paddle.concat([q, k])
        sim = both @ both.t() / 0.5
        n = x.shape[0]
        sim = sim - paddle.diag(paddle.full([2 * n], 1e9))
        target = paddle.concat([paddle.arange(n, 2 * n), paddle.arange(0, n)])
        simclr = F.cross_entropy(sim, target, reduction="none")
        c = (q - q.mean(0)).t() @ (k - k.mean(axis=0)) / n
        off = c - paddle.diag(paddle.diagonal(c))
        barlow = (1 - c.diagonal()).square().sum() + 0.01 * off.flatten().square().sum()
        bank = paddle.concat([k.t(), self.queue], axis=1)[:, :7]
        uni = paddle.exp(-2 * paddle.cdist(q, q).square()).mean().log()
        return moco, simclr, barlow, bank, uni, sim.argmax(-1) == target


@model("float32 n t 8", n=(1, 2), t=(7, 10))
class RelativePositions(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qk = nn.Linear(8, 16)
        self.rel = nn.Embedding(9, 2)
        self.slopes = paddle.to_tensor([0.5, 0.25])

    def forward(self, x):
        t = x.shape[1]
        q, k = self.qk(x).reshape([0, 0, 2, 8]).transpose([0, 2, 1, 3]).chunk(2, axis=-1)
        pos = paddle.arange(t)
        gap = pos.unsqueeze(0) - pos.unsqueeze(1)
        clipped = gap.clip(-4, 4) + 4
        bias = self.rel(clipped).transpose([2, 0, 1])
        alibi = -gap.abs().astype("float32") * self.slopes.reshape([2, 1, 1])
        small = gap.abs() < 3
        big = 3 + (paddle.log(gap.abs().astype("float32").clip(1) / 3) * 2).astype("int64")
        bucket = paddle.where(small, gap.abs(), big).clip(max=7)
        score = q @ k.transpose([0, 1, 3, 2]) / 4**0.5 + bias + alibi
        causal = gap <= 0
        local = paddle.logical_and(causal, gap > -5)
        att = F.softmax(paddle.where(local, score, paddle.full_like(score, -1e9)), -1)
        wave = pos.astype("float32").unsqueeze(1) / paddle.pow(
            paddle.to_tensor(100.0), paddle.arange(0, 8, 2).astype("float32") / 8
        )
        table = paddle.stack([wave.sin(), wave.cos()], axis=-1).flatten(1)
        return att, bucket, table, paddle.einsum("bhts,bsd->bthd", att, x + table).sum(2)


@model("int64 n t <6", n=(2, 1), t=(9, 4))
class TokenStatistics(nn.Layer):
    def forward(self, ids):
        n, t = ids.shape
        hot = F.one_hot(ids, num_classes=6)
        tf = hot.sum(1) / t
        df = (hot.max(axis=1) > 0).astype("float32").sum(0)
        idf = paddle.log((1 + n) / (1 + df)) + 1
        tfidf = F.normalize(tf * idf, p=2, axis=-1)
        gram = ids[:, :-1] * 6 + ids[:, 1:]
        counts = paddle.bincount(gram.flatten(), minlength=36).reshape([6, 6]).astype("float32")
        trans = (counts + 0.1) / (counts + 0.1).sum(axis=1, keepdim=True)
        nll = -paddle.gather(trans.log().flatten(), gram.flatten()).reshape(gram.shape)
        same = ids.unsqueeze(1) == ids.unsqueeze(2)
        first = paddle.tril(same.astype("int64"), -1).sum(-1) == 0
        stat = paddle.linalg.matrix_power(trans, 16)[0]
        ends = (
            F.pad(ids, [1, 1], value=5)
            if ids.ndim == 3
            else paddle.concat(
                [paddle.full([n, 1], 5, "int64"), ids, paddle.full([n, 1], 5, "int64")], axis=1
            )
        )
        rev = paddle.flip(ends, axis=[-1])
        pal = (rev == ends).all(axis=1)
        return tfidf, nll.mean(-1), first, stat, rev, pal, paddle.unique_consecutive(ids[0])


@model("float32 n 3", "bool n 3", "int32", n=(3, 1))
class StateMachine(nn.Layer):
    def advance(self, state, x, flag):
        if flag.any():
            if state == 0:
                return state + 1, x + 1
            else:
                return state * 2, x * 0.5
        else:
            return state - 1, -x

    def forward(self, x, m, start):
        state, acc = start % 3, x
        seen = paddle.zeros([4], "float32")
        for k in range(4):
            state, acc = self.advance(state, acc, m[:, k % 3])
            seen[k] = acc.sum()
            if state > 3:
                state = state - 3
            elif state < 0:
                state = state + 2
        k = paddle.zeros([1], "int32")
        while not (state == 0).all() and k < 5:
            state = state - paddle.sign(state.astype("float32")).astype("int32")
            k = k + 1
        return state * 2, acc * 1, seen, k


@model("float32 n 2 2 6 5", n=(1, 2))
class VolumeMix(nn.Layer):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool3D(2, 2, padding=0, ceil_mode=True)
        self.ada = nn.AdaptiveMaxPool3D((1, 2, 3))
        self.up = nn.Upsample(size=[3, 4, 6], mode="trilinear", data_format="NCDHW")
        self.bn = nn.BatchNorm3D(2)
        self.pad = nn.Pad3D([1, 0, 1, 1, 0, 1], mode="reflect")
        self.un = nn.Conv3DTranspose(2, 2, [1, 3, 2], [1, 2, 2], groups=2, bias_attr=False)
        self.drop = nn.Dropout3D(0.5)

    def forward(self, x):
        a = self.pool(x)
        b = self.ada(x) - self.ada(-x)
        c = self.up(self.bn(x))
        d = self.pad(x)
        e = self.drop(self.un(a))
        g = F.affine_grid(
            paddle.eye(3, 4).unsqueeze(0).tile([x.shape[0], 1, 1]) * 0.8,
            paddle.concat(
                [paddle.shape(x)[:2].astype("int32"), paddle.to_tensor([2, 3, 4], "int32")]
            ),
            True,
        )
        f = F.grid_sample(x, g, padding_mode="zeros")
        h = paddle.einsum("ncdhw,nmdhw->ncm", x, x)
        return a, b, c.std([2, 3, 4]), d, e, f, h, x.diagonal(0, 1, 2).sum(1)


@model("float32 n 7", n=(4, 3))
class RankingMetrics(nn.Layer):
    def forward(self, x):
        label = (x.roll(2, 1) > 0).astype("float32")
        order = paddle.argsort(x, axis=-1, descending=True)
        gain = paddle.take_along_axis(label, order, axis=-1)
        disc = 1 / paddle.log2(paddle.arange(2, 9).astype("float32"))
        ideal = paddle.sort(label, axis=-1, descending=True)
        ndcg = (gain * disc).sum(-1) / (ideal * disc).sum(-1).clip(1e-3)
        hits = gain.cumsum(-1)
        prec = hits / paddle.arange(1, 8).astype("float32")
        ap = (prec * gain).sum(1) / gain.sum(1).clip(min=1)
        mrr = 1 / (paddle.argmax(gain, -1) + 1).astype("float32")
        diff = x.unsqueeze(2) - x.unsqueeze(1)
        auc = ((diff > 0).astype("float32") * label.unsqueeze(2) * (1 - label).unsqueeze(1)).sum(
            [1, 2]
        )
        pairs = label.sum(1) * (1 - label).sum(1)
        soft = F.sigmoid(diff * 3).sum(-1)
        acc = paddle.metric.accuracy(F.softmax(x), order[:, 1:2], k=2)
        kend = paddle.sign(diff[:-1] * diff[1:]).mean([1, 2])
        return ndcg, ap, mrr, auc / pairs.clip(min=1.0), soft, acc, kend, paddle.kthvalue(x, 3)[1]


@model("float32 1 n", n=(24, 13))
class WaveletLadder(nn.Layer):
    def forward(self, x):
        low = paddle.to_tensor([0.48296, 0.83652, 0.22414, -0.12941])
        high = low.flip([0]) * paddle.to_tensor([1.0, -1.0, 1.0, -1.0])
        bank = paddle.stack([low, high]).unsqueeze(1)
        y, details = x.unsqueeze(1), []
        for _ in range(2):
            z = F.conv1d(F.pad(y, [1, 2], mode="circular", data_format="NCL"), bank, stride=2)
            details.append(F.softshrink(z[:, 1:], 0.1))
            y = z[:, :1]
        up = F.conv1d_transpose(paddle.concat([y, details[-1]], 1), bank, stride=2)
        haar = F.unfold(x.unsqueeze([1, 2]), [1, 2], [1, 2])
        s, d = haar.sum(1) / 2**0.5, (haar[:, 0] - haar[:, 1]) / math.sqrt(2)
        hadamard = paddle.ones([1, 1])
        for _ in range(3):
            hadamard = paddle.kron(hadamard, paddle.to_tensor([[1.0, 1.0], [1.0, -1.0]]))
        w = x[:, :8] @ hadamard / 8
        bits = paddle.arange(8)
        gray = paddle.bitwise_xor(bits, bits // 2)
        return up, details[0], s, d, paddle.index_select(w, gray, 1), gray


@model("float32 n 4", n=(6, 1))
class Polynomials(nn.Layer):
    def horner(self, c, x, k=0):
        if k == len(c) - 1:
            return paddle.full_like(x, c[k])
        return c[k] + x * self.horner(c, x, k + 1)

    def forward(self, x):
        x = paddle.tanh(x)
        a = self.horner([1.0, -2.0, 0.5, 3], x)
        cheb = [paddle.ones_like(x), x]
        legendre = [paddle.ones_like(x), x]
        for k in range(2, 6):
            cheb.append(2 * x * cheb[-1] - cheb[-2])
            legendre.append(((2 * k - 1) * x * legendre[-1] - (k - 1) * legendre[-2]) / k)
        b = paddle.stack(cheb, axis=-1)
        c = paddle.add_n(legendre) - paddle.cos(5 * paddle.acos(x))
        d = (
            sum((-1) ** k * x ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(5))
            - x.sin()
        )
        e = paddle.to_tensor([math.comb(4, k) for k in range(5)], dtype="float32")
        t = (x.unsqueeze(-1) + 1) / 2
        p = paddle.arange(5).astype("float32")
        f = (e * t**p * (1 - t) ** (4 - p)).sum(-1)
        conv = F.conv1d(
            F.pad(x.unsqueeze(1), [2, 2], data_format="NCL"), e[1:4].flip(0)[None, None]
        )
        return a, b, c, d < 1e-4, f, conv, [q.mean() for q in legendre[::2]]


@model("float32 n 5", "complex64 5", n=(3, 1))
class ComplexSystem(nn.Layer):
    def forward(self, x, z):
        a = z.unsqueeze(1) * paddle.conj(z)
        b = paddle.complex(x, paddle.zeros_like(x))
        c = paddle.matmul(b, a)
        d = paddle.as_real(c).sum(-1)
        e = paddle.diag_embed(x).astype("complex64") + a.unsqueeze(0)
        f = e[:, 0, 0] * e[:, 1, -1]
        g = paddle.concat([paddle.real(c), paddle.imag(c)], axis=-1)
        h = paddle.abs(paddle.fft.fft(z)) ** 2
        k = paddle.fft.ifft(paddle.fft.fft(b) * paddle.fft.fft(z)).abs()
        m = paddle.exp(paddle.complex(paddle.zeros([5]), paddle.arange(5).astype("float32")))
        n = paddle.stack([m.real(), m.imag()]) @ x.t()
        p = paddle.where((paddle.angle(z) > 0), z.abs(), -z.abs())
        return (
            d,
            f,
            g,
            h,
            k,
            n,
            p,
            paddle.reciprocal(paddle.real(a).diagonal() + 1),
            z.expand([2, 5]),
        )


@model("float32 n m", "int32 2 <3", n=(6, 4), m=(7, 9))
class TensorShapes(nn.Layer):
    def forward(self, x, k):
        shape = paddle.shape(x)
        a = paddle.full(shape, 2.5, dtype="float64").astype("float32") + x
        b = paddle.strided_slice(x, axes=[0, 1], starts=[-1, 1], ends=[0, 6], strides=[-2, 2])
        c = paddle.slice(x, [0, 1], [k[0], 1], [k[0] + 2, 4])
        d = paddle.crop(x, shape=[2, 3], offsets=[1, 2])
        e = paddle.reshape(x, paddle.stack([shape[1] * 1, shape[0]]))
        f = paddle.expand(
            x.unsqueeze(0), paddle.concat([paddle.to_tensor([2], shape.dtype), shape])
        )
        g = paddle.ones([x.shape[0], 2]) * 1.5
        h = paddle.tile(x[:1, :2], k + 1)
        i = paddle.arange(shape[1]).astype("float32") / shape[0].astype("float32")
        j = x[k[0] : k[0] + 2, : k[1] + 1]
        r = paddle.rank(x) + shape.prod().astype("int32")
        return a, b, c, d, e, f, g, h, i, j, r, x[:, shape[1] - 1]


@model("float32 n 4", "int32 1", n=(3, 1))
class StaticControl(nn.Layer):
    def forward(self, x, k):
        a = paddle.static.nn.cond(x.mean() > 0, lambda: x * 2, lambda: x - 3)
        i, acc = paddle.zeros([1], "int64"), paddle.zeros([4])
        i, acc = paddle.static.nn.while_loop(
            lambda i, acc: (i < 4).all(), lambda i, acc: [i + 1, acc + x.sum(0) * 0.5], [i, acc]
        )
        b = paddle.static.nn.case(
            [(x.max() > 5, lambda: x + 1), (x.min() < 0, lambda: x.abs())], default=lambda: x.exp()
        )
        c = paddle.static.nn.switch_case(
            (k.abs() % 3).astype("int32"),
            {
                0: lambda: paddle.full([2], 1.0),
                1: lambda: paddle.full([2], 2.0),
                2: lambda: x.flatten()[:2] * 1,
            },
            default=lambda: paddle.zeros([2]),
        )
        d = i.astype("float32") ** 2.5
        return a, acc, b, c, d


@model("float32 n 6 4", "int32 n 2 <3", n=(2, 1))
class TransducerLoss(nn.Layer):
    def __init__(self):
        super().__init__()
        self.pred = nn.Embedding(4, 4)
        self.join = nn.Linear(4, 4)

    def forward(self, x, label):
        label = label + 1
        p = self.pred(paddle.concat([label[:, :1] * 0, label], 1).astype("int64"))
        z = self.join(paddle.tanh(x.unsqueeze(2) + p.unsqueeze(1)))
        n = x.shape[0]
        loss = F.rnnt_loss(
            z,
            label,
            paddle.full([n], 6, "int32"),
            paddle.full([n], 2, "int32"),
            blank=0,
            fastemit_lambda=0.0,
            reduction="none",
        )
        lp = F.log_softmax(z, axis=-1)
        blank = lp[..., 0]
        emit = paddle.take_along_axis(
            lp[:, :, :2], label.astype("int64")[:, None, :, None].expand([n, 6, 2, 1]), 3
        ).squeeze(-1)
        alpha = paddle.zeros([n, 1])
        for u in range(2):
            alpha = alpha + emit[:, 0, u : u + 1]
        return loss, blank.sum([1, 2]), emit, alpha.flatten(), lp.argmax(-1)[:, :, 0]


@model("float32 n 8 9 9", n=(2, 1))
class NewestNn(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lp = nn.LPPool2D(2, 3, stride=2)
        self.lp1 = nn.LPPool1D(3.0, 2, 2, ceil_mode=True)

    def forward(self, x):
        a = self.lp(x.abs())
        b = F.lp_pool1d(x.flatten(2).abs(), 3.0, 4, 3, ceil_mode=False)
        c = F.fractional_max_pool2d(x, [4, 5], random_u=0.3)
        d = F.group_norm(x, 4, epsilon=1e-3)
        e = x.mean([2, 3])
        out = self.lp1(e.unsqueeze(1).abs()).squeeze(1)
        loss = F.multi_label_soft_margin_loss(e, (out > 0.3).astype("float32").tile([1, 2]))
        f = F.multi_margin_loss(e, e.argmax(1), margin=0.5, reduction="none")
        g = F.scaled_dot_product_attention(
            x, x * 2, x, is_causal=True
        ) + F.scaled_dot_product_attention(x, x, x, attn_mask=paddle.eye(8)[None, None])
        h = F.log_sigmoid(e)
        return (
            a,
            b,
            c,
            d,
            out,
            loss,
            f,
            g,
            h,
            F.pdist(e[:1].expand([3, 8]) * paddle.to_tensor([[1.0], [2.0], [3.0]])),
        )


@model("float32 n 3 5", n=(4, 1))
class ContextAndGenerators(nn.Layer):
    scale = 1.25

    @staticmethod
    def center(x):
        return x - x.mean(axis=-1, keepdim=True)

    @property
    def half(self):
        return self.scale / 2

    def pieces(self, x):
        return [piece.squeeze(1) for piece in x.split(x.shape[1], axis=1)]

    @paddle.no_grad()
    def frozen(self, x):
        return F.softmax(x * self.half)

    def forward(self, x, power: int = 2):
        with paddle.no_grad():
            c = self.center(x)
        a, *more = self.pieces(c)
        b = [self.frozen(m) for m in more]
        total = 0
        for i, (m, w) in enumerate(zip(more, b), 1):
            total += (m * w).sum(-1) / i**power
        keys = {k: v for k, v in zip("ab", b) if v is not None}
        try_ = keys.get("z", keys["a"])
        small, large = (a, c) if a.ndim < c.ndim else (c, a)
        joined = large @ small.unsqueeze(-1)
        flag = isinstance(total, int) or len(b) != 2
        out = joined.squeeze(-1) if not flag else joined
        return out, total, try_, paddle.stack([*b, a], axis=1), c.detach().tanh() * self.scale


@model("float32 n 2 9", n=(2, 1))
class SudokuLikePropagation(nn.Layer):
    def forward(self, x):
        grid = F.softmax(x.reshape([-1, 2, 3, 3]), axis=-1)
        out = grid
        for step in range(2):
            row = out.sum(3, keepdim=True)
            col = out.sum(2, keepdim=True)
            out = out / (row + col - out + 1e-3)
            if out.max() > 0.9:
                out = out * 0.8
        near = F.pad(out, [1, 1, 1, 1], value=-1.0)
        total = paddle.zeros_like(out)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy == 0 and dx == 0:
                    continue
                total = total + near[:, :, 1 + dy : 4 + dy, 1 + dx : 4 + dx]
        alive = (out > out.mean()).astype("int32")
        count = (
            F.conv2d(
                F.pad(alive.astype("float32"), [1] * 4, mode="circular").reshape([-1, 1, 5, 5]),
                paddle.ones([1, 1, 3, 3]),
            )
            .reshape(alive.shape)
            .astype("int32")
            - alive
        )
        born = (count == 3) | ((alive == 1) & (count == 2))
        perm = paddle.to_tensor([2, 0, 1])
        return (
            out * 1.5,
            total,
            born,
            out[:, :, perm].index_select(perm, axis=3),
            paddle.triu(out, 1).sum([2, 3]),
        )


@model("int64 n <50", "float32 n", n=(11, 1))
class HashingTricks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = self.create_parameter([16, 3])

    def forward(self, i, w):
        h = (i * 26544 + 12345) % 65521
        a = h % 16
        sign = ((h // 16) % 2 * 2 - 1).astype("float32")
        bag = paddle.zeros([16]).index_add(a, 0, w * sign)
        emb = F.embedding(a, self.table) * sign.unsqueeze(-1)
        digits = paddle.stack([(i // 10**k) % 10 for k in range(3)], axis=1)
        luhn = digits.sum(1) + (digits[:, 1] > 4).astype("int64")
        uniq = paddle.unique(paddle.sort(a))
        member = (a.unsqueeze(1) == paddle.to_tensor([3, 5, 7, 11])).any(axis=-1)
        big = paddle.full([1], 2**40, "int64") + i
        f64 = big.astype("float64") / 3
        bits = (i.unsqueeze(1) // (2 ** paddle.arange(6))) % 2
        pop = bits.sum(-1)
        back = (bits * 2 ** paddle.arange(6)).sum(axis=1) == i
        return a, bag, emb, luhn, uniq.shape[0] + i, member, big, f64, pop, back.all()


@model("float32 n 3 6", "float32 n 3 6", n=(2, 1))
class FusedResiduals(nn.Layer):
    def __init__(self):
        super().__init__()
        self.alpha = nn.ParameterList([self.create_parameter([6]) for _ in range(2)])
        self.bi = nn.Bilinear(6, 6, 2, bias_attr=False)
        self.unfold = nn.Unfold([2, 2])
        self.shuffle = nn.ChannelShuffle(3)
        self.flat = nn.Flatten(1, 2)
        self.register_buffer("steps", paddle.arange(6, dtype="float32"), persistable=False)

    def forward(self, x, y):
        a = F.tanh(self.alpha[0] * x) + F.sigmoid(self.alpha[1]) * y
        b = self.bi(x[:, 0], y[:, -1])
        c = self.unfold(a.unsqueeze(1)).reshape([-1, 2, 2, 10]).amin([1, 2])
        d = self.shuffle(a.reshape([-1, 6, 3, 1])).squeeze(-1)
        e = paddle.linalg.norm(self.flat(x), p=float("inf"), axis=1)
        f = x + (y - x).detach() * F.relu(self.steps - 2.5).clip(max=1)
        g = paddle.concat([p.flatten() for p in self.alpha.parameters()]).norm()
        h = (
            F.normalize(a, axis=[1, 2])
            if a.ndim == 4
            else a / a.square().sum([1, 2], keepdim=True).sqrt()
        )
        return a, b, c, d, e, f, g, h


@model("float32 n m", n=(1, 5), m=(9, 6))
class EventDetection(nn.Layer):
    def forward(self, x):
        smooth = F.avg_pool1d(x.unsqueeze(1), 3, 1, 1, exclusive=True).squeeze(1)
        up = paddle.logical_and(smooth[:, 1:-1] > smooth[:, :-2], smooth[:, 1:-1] >= smooth[:, 2:])
        peaks = F.pad(up.astype("float32").unsqueeze(1), [1, 1], data_format="NCL").squeeze(1)
        where = paddle.nonzero(peaks)
        gate = paddle.cummax(paddle.where(peaks > 0, smooth, paddle.full_like(smooth, -9.0)), 1)[0]
        run = paddle.zeros([x.shape[0]])
        runs = []
        for col in paddle.unstack(x.T[:6].reshape([6, -1]), axis=0):
            run = paddle.where(col > 0, run + 1, paddle.zeros_like(run))
            runs.append(run)
        ema = x[:, 0]
        t = paddle.ones([1], "int64")
        while t < x.shape[1]:
            ema = 0.7 * ema + 0.3 * paddle.index_select(x, t, axis=1).squeeze(1)
            t = t + 1
        delta = paddle.diff(F.relu(x), axis=1)
        burst = paddle.bucketize(delta, paddle.to_tensor([-0.5, 0.0, 0.5]), right=False)
        return peaks, where, gate, paddle.stack(runs, 1).max(axis=1), ema, burst, t


@model("float32 n 4 5", n=(3, 1))
class UnbatchedMath(nn.Layer):
    def forward(self, x):
        s = []
        for m in x:
            g = m @ m.t() + paddle.eye(4) * 0.5
            c = paddle.linalg.cholesky(g)
            s.append(2 * c.diagonal().log().sum() - paddle.linalg.slogdet(g)[1])
        gram = paddle.einsum("bij,bkj->bik", x, x) + paddle.eye(4)
        w = paddle.linalg.eigvalsh(gram)
        y = paddle.linalg.triangular_solve(paddle.linalg.cholesky(gram), x, upper=False)
        mahal = y.square().sum([1, 2])
        k = paddle.exp(
            -0.5 * (x.unsqueeze(1) - x.unsqueeze(2).transpose([0, 2, 1, 3])).abs().mean(-1)
        )
        rank = (paddle.linalg.svd(x, full_matrices=False)[1] > 1e-3).sum(-1)
        p = x @ paddle.linalg.pinv(x) - paddle.eye(4)
        z = paddle.lerp(x, x.flip(1), paddle.full([], 0.3)).nanmean(axis=(0, 2))
        return paddle.stack(s), w, mahal, k, rank, p, z, paddle.dist(x, x * 1.1, 2)


@model("float32 n 9", "float32 9", n=(3, 1))
class SelectiveUpdates(nn.Layer):
    def forward(self, x, w):
        y = x.reshape([-1, 3, 3]) + 0
        y[:, 1, 1] = w[0]
        y[:, 0, 1:] = y[:, 1:, 0]
        y[:, ::-1, 2] += 1.0
        z = paddle.where(paddle.eye(3).astype("bool"), paddle.zeros([3, 3]), w.reshape([3, 3]))
        z = z.index_fill(paddle.to_tensor([1]), 0, 2.0)
        z[z == 2.0] = w[-1]
        t = y @ z
        t[t.amax([1, 2]) < 0] = 0.0
        t[0, 0] = paddle.to_tensor([7.0, 8.0, 9.0])
        u = paddle.flatten(t).clone()
        u[-3:] = u[:3].flip(0)
        u[1::4] *= -1
        v = paddle.zeros([2, 9], "bool")
        v[0] = w > 0
        v[1, ::2] = True
        return y, z, t, u, v, paddle.masked_select(w.expand([2, 9]), v)
