"""A zoo of hard small models: language, speech, recommendation, time series, graphs, science."""

import functools
import math

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec

MODELS = {}
SIZES = dict(
    B=(2, 3),
    T=(6, 9),
    S=(5, 8),
    P=(3, 5),
    N=(6, 9),
    E=(11, 18),
    L=(24, 40),
    W=(1600, 2400),
    K=(4, 6),
)


class In:
    def __init__(self, name, dims, dtype, draw):
        self.name, self.dims, self.dtype, self.draw = name, dims.split(), dtype, draw

    def spec(self):
        return InputSpec(
            [int(d) if d.isdigit() else None for d in self.dims], self.dtype, self.name
        )

    def array(self, rng, sizes):
        shape = tuple(int(d) if d.isdigit() else sizes[d] for d in self.dims)
        return np.asarray(self.draw(rng, shape, sizes)).astype(self.dtype)


def f(name, dims, dtype="float32", scale=1.0):
    return In(name, dims, dtype, lambda rng, shape, sizes: rng.standard_normal(shape) * scale)


def u(name, dims, lo=0.0, hi=1.0, dtype="float32"):
    return In(name, dims, dtype, lambda rng, shape, sizes: rng.uniform(lo, hi, shape))


def n(name, dims, hi, dtype="int64", lo=0):
    return In(
        name,
        dims,
        dtype,
        lambda rng, shape, sizes: rng.integers(lo, sizes[hi] if isinstance(hi, str) else hi, shape),
    )


def m(name, dims, dtype="bool", p=0.7):
    def draw(rng, shape, sizes):
        a = rng.uniform(size=shape) < p
        if a.ndim > 1:
            a[..., 0] = True
        return a

    return In(name, dims, dtype, draw)


def lens(name, dims, of, dtype="int64"):
    def draw(rng, shape, sizes):
        a = rng.integers(2, sizes[of] + 1, shape)
        a[0] = sizes[of]
        return a

    return In(name, dims, dtype, draw)


def model(*ins):
    def add(cls):
        def make():
            paddle.seed(7)
            layer = cls()
            feeds = []
            for k in range(2):
                rng = np.random.default_rng(k + 1)
                sizes = {d: v[k] for d, v in SIZES.items()}
                feeds.append([i.array(rng, sizes) for i in ins])
            return layer, [i.spec() for i in ins], feeds

        MODELS[cls.__name__] = make
        return cls

    return add


# ------------------------------------------------------------------ attention


@model(n("ids", "B T", 60))
class CausalTril(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(60, 32)
        self.pos = nn.Embedding(64, 32)
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)
        self.norm = nn.LayerNorm(32)

    def forward(self, ids):
        t = paddle.shape(ids)[1]
        x = self.emb(ids) + self.pos(paddle.arange(t))
        h = self.norm(x)
        q, k, v = self.qkv(h).reshape([0, 0, 3, 4, 8]).transpose([2, 0, 3, 1, 4]).unbind(0)
        s = paddle.matmul(q, k, transpose_y=True) * 8**-0.5
        mask = paddle.tril(paddle.ones([t, t], dtype="int32"))
        s = paddle.where(mask.astype("bool"), s, paddle.full([], -1e9, dtype="float32"))
        a = F.softmax(s, axis=-1)
        x = x + self.out(paddle.matmul(a, v).transpose([0, 2, 1, 3]).flatten(2))
        return paddle.matmul(x, self.emb.weight, transpose_y=True), a


@model(n("ids", "B T", 50, "int32"), m("pad", "B T", "int64"))
class AlibiAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 32)
        self.q, self.k, self.v, self.o = [nn.Linear(32, 32, bias_attr=False) for _ in range(4)]
        slopes = np.array([2.0 ** (-8 * (i + 1) / 4) for i in range(4)], "float32")
        self.register_buffer("slopes", paddle.to_tensor(slopes))

    def forward(self, ids, pad):
        x = self.emb(ids)
        b, t = x.shape[0], x.shape[1]
        heads = lambda y: y.reshape([b, t, 4, 8]).transpose([0, 2, 1, 3])
        q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
        pos = paddle.arange(t, dtype="float32")
        dist = pos.unsqueeze(0) - pos.unsqueeze(1)
        bias = self.slopes.reshape([1, 4, 1, 1]) * dist
        s = paddle.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(8) + bias
        causal = dist <= 0
        keep = paddle.logical_and(causal, pad.astype("bool").unsqueeze([1, 2]))
        s = paddle.where(keep, s, paddle.full_like(s, -1e4))
        y = paddle.einsum("bhij,bhjd->bhid", F.softmax(s), v)
        return self.o(y.transpose([0, 2, 1, 3]).reshape([b, t, 32]))


@model(f("x", "B T 32"))
class RopeCached(nn.Layer):
    def __init__(self):
        super().__init__()
        inv = 1.0 / 10000 ** (paddle.arange(0, 8, 2, dtype="float32") / 8)
        fr = paddle.outer(paddle.arange(128, dtype="float32"), inv)
        emb = paddle.concat([fr, fr], axis=-1)
        self.register_buffer("cos", emb.cos(), persistable=False)
        self.register_buffer("sin", emb.sin(), persistable=False)
        self.qkv = nn.Linear(32, 96)

    @staticmethod
    def rotate(x):
        a, b = x.chunk(2, axis=-1)
        return paddle.concat([-b, a], axis=-1)

    def forward(self, x):
        t = x.shape[1]
        cos, sin = self.cos[:t].unsqueeze([0, 2]), self.sin[:t].unsqueeze([0, 2])
        q, k, v = paddle.split(self.qkv(x).reshape([0, 0, 12, 8]), 3, axis=2)
        q = q * cos + self.rotate(q) * sin
        k = k * cos + self.rotate(k) * sin
        mask = paddle.triu(paddle.full([t, t], -1e9), 1).unsqueeze([0, 1])
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).flatten(2) + x


@model(f("x", "B T 32"), n("start", "B", 12))
class RopeComputedInterleaved(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(32, 32)
        self.kv = nn.Linear(32, 16)

    def rope(self, x, pos):
        d = x.shape[-1]
        inv = paddle.pow(paddle.to_tensor(10000.0), -paddle.arange(0, d, 2).astype("float32") / d)
        ang = pos.astype("float32").unsqueeze(-1) * inv
        s, c = paddle.sin(ang).unsqueeze(2), paddle.cos(ang).unsqueeze(2)
        e, o = x[..., 0::2], x[..., 1::2]
        return paddle.stack([e * c - o * s, e * s + o * c], axis=-1).flatten(-2)

    def forward(self, x, start):
        t = paddle.shape(x)[1]
        pos = start.unsqueeze(1) + paddle.arange(t, dtype="int64").unsqueeze(0)
        q = self.rope(self.q(x).reshape([0, 0, 4, 8]), pos)
        k, v = paddle.split(self.kv(x), [8, 8], axis=-1)
        k = self.rope(k.unsqueeze(2), pos)
        # multi query: one key head for four query heads
        s = paddle.matmul(q.transpose([0, 2, 1, 3]), k.transpose([0, 2, 3, 1])) / 8**0.5
        s += paddle.triu(paddle.full([t, t], float("-inf")), 1)
        y = paddle.matmul(F.softmax(s, -1), v.unsqueeze(1))
        return y.transpose([0, 2, 1, 3]).reshape([0, 0, -1])


@model(f("x", "B T 48"))
class GroupedQuery(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(48, 48, bias_attr=False)
        self.k = nn.Linear(48, 16, bias_attr=False)
        self.v = nn.Linear(48, 16, bias_attr=False)
        self.g = self.create_parameter([48], default_initializer=nn.initializer.Constant(1.1))
        self.up, self.gate, self.down = nn.Linear(48, 96), nn.Linear(48, 96), nn.Linear(96, 48)

    def rms(self, x):
        h = x.astype("float32")
        return (h * paddle.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6)).astype(x.dtype) * self.g

    def forward(self, x):
        b, t, _ = x.shape
        h = self.rms(x)
        q = self.q(h).reshape([b, t, 6, 8])
        k = self.k(h).reshape([b, t, 2, 8])
        v = self.v(h).reshape([b, t, 2, 8])
        k = k.unsqueeze(3).expand([b, t, 2, 3, 8]).reshape([b, t, 6, 8])
        v = paddle.repeat_interleave(v, 3, axis=2)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + a.reshape([b, t, 48])
        h = self.rms(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@model(f("x", "B T 32"))
class SlidingWindow(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.sink = self.create_parameter([4])

    def forward(self, x):
        t = paddle.shape(x)[1]
        i = paddle.arange(t)
        d = i.unsqueeze(1) - i.unsqueeze(0)
        ok = (d >= 0) & (d < 4) | (i.unsqueeze(0) == 0)
        qkv = self.qkv(x).reshape([0, 0, 3, 4, 8]).transpose([2, 0, 3, 1, 4])
        q, k, v = qkv[0], qkv[1], qkv[2]
        s = paddle.matmul(q, k.transpose([0, 1, 3, 2])) / math.sqrt(8.0)
        s = (
            s.masked_fill(paddle.logical_not(ok), -1e30)
            if hasattr(s, "masked_fill")
            else paddle.where(ok, s, paddle.full_like(s, -1e30))
        )
        sink = self.sink.reshape([1, 4, 1, 1]) + paddle.zeros_like(s[:, :, :, :1])
        p = F.softmax(paddle.concat([s, sink], -1), -1)[..., :-1]
        return paddle.matmul(p, v).transpose([0, 2, 1, 3]).reshape([0, 0, 32]), ok.astype(
            "int32"
        ).sum(-1)


@model(f("x", "B T 32"), f("mem", "B S 24"), lens("mem_len", "B", "S"))
class CrossAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mha = nn.MultiHeadAttention(32, 4, kdim=24, vdim=24, need_weights=True)
        self.ln = nn.LayerNorm(32, epsilon=1e-6)

    def forward(self, x, mem, mem_len):
        s = mem.shape[1]
        ok = F.sequence_mask(mem_len, maxlen=s, dtype="bool")
        mask = (1.0 - ok.astype("float32")).unsqueeze([1, 2]) * -1e4
        y, w = self.mha(x, mem, mem, mask)
        return self.ln(x + y), w.mean(1), w.argmax(-1)


@model(f("x", "B 1 32"), f("past_k", "B 4 P 8"), f("past_v", "B 4 P 8"))
class KvCacheStep(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = [nn.Linear(32, 32) for _ in range(4)]

    def forward(self, x, past_k, past_v):
        p = past_k.shape[2]
        split = lambda y: y.reshape([0, 0, 4, 8]).transpose([0, 2, 1, 3])
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        freq = paddle.to_tensor([1.0, 0.1, 0.01, 0.001])
        ang = freq * p
        c, s = paddle.cos(ang), paddle.sin(ang)

        def rot(y):
            a, b = y[..., :4], y[..., 4:]
            return paddle.concat([a * c - b * s, b * c + a * s], -1)

        k = paddle.concat([past_k, rot(k)], axis=2)
        v = paddle.concat([past_v, v], axis=2)
        w = F.softmax(paddle.matmul(rot(q), k, False, True) / 8**0.5)
        y = paddle.matmul(w, v).transpose([0, 2, 1, 3]).reshape([0, 0, 32])
        return self.o(y), k, v


@model(f("x", "B 2 32"), f("cache", "2 B 16 4 8"), n("pos", "1", 12, "int32"))
class StaticCacheWrite(nn.Layer):
    """A cache of 16 slots written at a position that arrives at run time."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)

    def forward(self, x, cache, pos):
        q, k, v = self.qkv(x).reshape([0, 0, 3, 4, 8]).unbind(2)
        p = pos.astype("int64")
        idx = paddle.arange(2, dtype="int64") + p
        slot = F.one_hot(idx, 16).unsqueeze(0)  # 1 2 16
        taken = slot.sum(1).reshape([1, 16, 1, 1])
        kk = cache[0] * (1 - taken) + paddle.einsum(
            "bts,bthd->bshd", slot.expand([x.shape[0], 2, 16]), k
        )
        vv = cache[1] * (1 - taken) + paddle.einsum(
            "bts,bthd->bshd", slot.expand([x.shape[0], 2, 16]), v
        )
        vis = paddle.arange(16, dtype="int64").unsqueeze(0) <= idx.unsqueeze(1)
        s = paddle.einsum("bthd,bshd->bhts", q, kk) / math.sqrt(8)
        s = paddle.where(vis.unsqueeze([0, 1]), s, paddle.full_like(s, -1e9))
        y = paddle.einsum("bhts,bshd->bthd", F.softmax(s, -1), vv)
        return y.flatten(2), paddle.stack([kk, vv]), p + 2


@model(f("x", "B T 32"), f("k", "B 4 P 8"), f("v", "B 4 P 8"))
class MhaWithCache(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mha = nn.MultiHeadAttention(32, 4)

    def forward(self, x, k, v):
        p, t = k.shape[2], x.shape[1]
        cache = nn.MultiHeadAttention.Cache(k, v)
        mask = (
            paddle.triu(paddle.full([t, p + t], -1e9, "float32"), diagonal=p + 1)
            if isinstance(p, int)
            else paddle.where(
                paddle.arange(t).unsqueeze(1) + p >= paddle.arange(p + t).unsqueeze(0),
                paddle.zeros([t, p + t]),
                paddle.full([t, p + t], -1e9),
            )
        )
        y, c = self.mha(x, x, x, mask, cache)
        return y, c.k, c.v


@model(n("ids", "B T", 40), m("ok", "B T"))
class EncoderPreNorm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 32, padding_idx=0)
        layer = nn.TransformerEncoderLayer(
            32, 4, 48, dropout=0.0, activation="gelu", normalize_before=True
        )
        self.enc = nn.TransformerEncoder(layer, 2, nn.LayerNorm(32))
        self.pool = nn.Linear(32, 16)

    def forward(self, ids, ok):
        h = self.enc(self.emb(ids), ok.unsqueeze([1, 2]))
        w = ok.astype(h.dtype).unsqueeze(-1)
        mean = (h * w).sum(1) / w.sum(1).clip(min=1)
        mx = paddle.where(ok.unsqueeze(-1), h, paddle.full_like(h, -1e4)).max(axis=1)
        z = self.pool(mean + mx)
        return F.normalize(z, axis=-1), paddle.count_nonzero(ok, axis=1)


@model(n("src", "B S", 30), n("tgt", "B T", 30))
class Seq2SeqTransformer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 24)
        self.tr = nn.Transformer(24, 4, 1, 1, 48, 0.0)
        self.head = nn.Linear(24, 30)

    def forward(self, src, tgt):
        pe = self.pe(paddle.maximum(paddle.shape(src)[1], paddle.shape(tgt)[1]))
        s = self.emb(src) * 24**0.5 + pe[: paddle.shape(src)[1]]
        t = self.emb(tgt) * 24**0.5 + pe[: paddle.shape(tgt)[1]]
        smask = (src == 0).astype("float32").unsqueeze([1, 2]) * -1e9
        n = paddle.shape(tgt)[1]
        tmask = paddle.triu(paddle.ones([n, n]), 1) * -1e9
        h = self.tr(s, t, smask, tmask, smask)
        return F.log_softmax(self.head(h), axis=-1)

    def pe(self, n):
        p = paddle.arange(n, dtype="float32").unsqueeze(1)
        w = paddle.exp(paddle.arange(0, 24, 2, dtype="float32") * (-math.log(10000.0) / 24))
        return paddle.stack([paddle.sin(p * w), paddle.cos(p * w)], 2).reshape([-1, 24])


@model(f("mem", "B S 24"), n("first", "B 1", 30))
class DecoderIncremental(nn.Layer):
    """TransformerDecoder with gen_cache, four steps unrolled, greedy."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(24, 2, 48, dropout=0.0)
        self.dec = nn.TransformerDecoder(layer, 2)
        self.emb = nn.Embedding(30, 24)

    def forward(self, mem, first):
        cache = self.dec.gen_cache(mem)
        tok, out, score = first, [], 0.0
        for i in range(4):
            h = self.emb(tok) + math.sin(i)
            h, cache = self.dec(h, mem, None, None, cache)
            lp = F.log_softmax(paddle.matmul(h[:, -1], self.emb.weight, transpose_y=True), -1)
            best, tok = paddle.topk(lp, 1, axis=-1)
            score = score + best
            out.append(tok)
        return paddle.concat(out, 1), score.squeeze(-1), cache[0][0].k


@model(f("x", "B T 32"))
class RelativeShift(nn.Layer):
    """Transformer-XL relative positions by pad, reshape and slice."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.r = [nn.Linear(32, 32, bias_attr=False) for _ in range(4)]
        self.u = self.create_parameter([4, 8])
        self.w = self.create_parameter([4, 8])

    def forward(self, x):
        b, t = paddle.shape(x)[0], paddle.shape(x)[1]
        pos = paddle.arange(t - 1, -t, -1).astype("float32")
        inv = 1 / 10000 ** (paddle.arange(0, 32, 2).astype("float32") / 32)
        ang = pos.unsqueeze(1) * inv
        r = (
            self.r(paddle.concat([ang.sin(), ang.cos()], -1))
            .reshape([-1, 4, 8])
            .transpose([1, 0, 2])
        )
        q = self.q(x).reshape([0, 0, 4, 8])
        k = self.k(x).reshape([0, 0, 4, 8]).transpose([0, 2, 1, 3])
        v = self.v(x).reshape([0, 0, 4, 8]).transpose([0, 2, 1, 3])
        ac = paddle.matmul((q + self.u).transpose([0, 2, 1, 3]), k, transpose_y=True)
        bd = paddle.matmul((q + self.w).transpose([0, 2, 1, 3]), r, transpose_y=True)
        bd = F.pad(bd, [1, 0, 0, 0], data_format="NCHW")
        bd = bd.reshape([b, 4, 2 * t, t])[:, :, 1:].reshape([b, 4, t, 2 * t - 1])[:, :, :, :t]
        a = F.softmax((ac + bd) / 32**0.5, axis=-1)
        return paddle.matmul(a, v).transpose([0, 2, 1, 3]).flatten(2)


@model(f("x", "B T 16"))
class T5Buckets(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(16, 2)
        self.qkv = nn.Linear(16, 48, bias_attr=False)

    def bucket(self, rel, n=16, far=20):
        n //= 2
        ret = (rel > 0).astype("int64") * n
        d = paddle.abs(rel)
        exact = n // 2
        large = exact + (
            paddle.log(d.astype("float32") / exact + 1e-9) / math.log(far / exact) * (n - exact)
        ).astype("int64")
        large = paddle.minimum(large, paddle.full_like(large, n - 1))
        return ret + paddle.where(d < exact, d, large)

    def forward(self, x):
        t = x.shape[1]
        i = paddle.arange(t, dtype="int64")
        idx = self.bucket(i[None, :] - i[:, None])
        bias = self.bias(idx).transpose([2, 0, 1]).unsqueeze(0)
        q, k, v = self.qkv(x).reshape([0, 0, 3, 2, 8]).transpose([2, 0, 3, 1, 4]).unbind()
        s = paddle.matmul(q, k, transpose_y=True) + bias
        y = paddle.matmul(F.softmax(s.astype("float32"), -1).astype(s.dtype), v)
        return y.transpose([0, 2, 1, 3]).flatten(2), idx


@model(f("x", "B T 32"))
class LinearAttentionChunk(nn.Layer):
    """Causal linear attention through cumsum of outer products, elu + 1 features."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)

    def forward(self, x):
        q, k, v = [y.reshape([0, 0, 4, 8]) for y in paddle.chunk(self.qkv(x), 3, -1)]
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = paddle.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), axis=1)
        z = 1 / (q * paddle.cumsum(k, axis=1)).sum(-1).clip(1e-6)
        y = paddle.einsum("bthd,bthde->bthe", q, kv) * z.unsqueeze(-1)
        return y.flatten(2, 3)


# ------------------------------------------------------------------ decoding


@model(n("prompt", "B T", 40))
class GreedyWhileStop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 24)
        self.cell = nn.GRUCell(24, 24)
        self.head = nn.Linear(24, 40)

    def forward(self, prompt):
        h = self.emb(prompt).mean(1)
        tok = prompt[:, -1]
        done = tok < 0
        out = prompt
        i = paddle.zeros([], dtype="int64")
        while i < 8 and not paddle.all(done):
            y, h = self.cell(self.emb(tok), h)
            tok = self.head(y).argmax(-1)
            tok = paddle.where(done, paddle.zeros_like(tok), tok)
            done = paddle.logical_or(done, tok % 5 == 0)
            out = paddle.concat([out, tok.unsqueeze(1)], axis=1)
            i += 1
        return out, done, i


@model(f("logits", "B 50"), n("history", "B T", 50))
class RepetitionPenalty(nn.Layer):
    def __init__(self):
        super().__init__()
        self.temp = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.8))

    def forward(self, logits, history):
        s = paddle.take_along_axis(logits, history, axis=1)
        s = paddle.where(s < 0, s * 1.3, s / 1.3)
        x = paddle.put_along_axis(logits, history, s, axis=1)
        x = x / self.temp
        ban = F.one_hot(paddle.to_tensor([0, 3], dtype="int64"), 50).sum(0)
        x = x + ban * -1e4
        freq = F.one_hot(history, 50).sum(1)
        x = x - 0.1 * freq - 0.2 * (freq > 0).astype(x.dtype)
        return x, x.argmax(-1), F.softmax(x)


@model(f("logits", "B 40", scale=3.0), u("p", "B 1", 0.3, 0.9))
class TopPFilter(nn.Layer):
    def __init__(self):
        super().__init__()

    def forward(self, logits, p):
        probs = F.softmax(logits, -1)
        order = paddle.argsort(probs, axis=-1, descending=True)
        sp = paddle.take_along_axis(probs, order, axis=-1)
        cum = paddle.cumsum(sp, axis=-1)
        drop = (cum > p).astype("int64")
        drop = paddle.concat([paddle.zeros_like(drop[:, :1]), drop[:, :-1]], -1)
        drop = paddle.put_along_axis(paddle.zeros_like(drop), order, drop, 1)
        kept = paddle.where(drop.astype("bool"), paddle.zeros_like(probs), probs)
        kept = kept / kept.sum(-1, keepdim=True)
        ent = -(kept * paddle.log(kept + 1e-9)).sum(-1)
        return kept, (1 - drop).sum(-1), ent


@model(f("state", "B 3 16"), f("score", "B 3"), n("tok", "B 3", 20))
class BeamStep(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 16)
        self.lin = nn.Linear(16, 20)

    def forward(self, state, score, tok):
        b = state.shape[0]
        st = paddle.tanh(state + self.emb(tok))
        lp = F.log_softmax(self.lin(st), -1)
        fin = (tok == 1).unsqueeze(-1)
        only = paddle.where(paddle.arange(20) == 1, paddle.zeros([20]), paddle.full([20], -1e9))
        lp = paddle.where(fin, only.reshape([1, 1, 20]).expand_as(lp), lp)
        total = (score.unsqueeze(-1) + lp).reshape([b, 60])
        best, idx = paddle.topk(total, 3, axis=-1)
        parent, word = idx // 20, idx % 20
        rows = paddle.arange(b, dtype="int64").unsqueeze(1).expand([b, 3])
        st = paddle.gather_nd(st, paddle.stack([rows, parent], -1))
        return st, best, word, parent


@model(f("init", "B 16"))
class BeamGatherTree(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 16)
        self.cell = nn.SimpleRNNCell(16, 16)
        self.out = nn.Linear(16, 12)

    def forward(self, init):
        b = init.shape[0]
        h = paddle.tile(init.unsqueeze(1), [1, 3, 1])
        score = paddle.to_tensor([[0.0, -1e9, -1e9]]).expand([b, 3])
        tok = paddle.full([b, 3], 2, dtype="int64")
        words, parents = [], []
        for _ in range(4):
            y, h2 = self.cell(self.emb(tok).reshape([-1, 16]), h.reshape([-1, 16]))
            lp = F.log_softmax(self.out(y), -1).reshape([b, 3, 12])
            score, flat = paddle.topk((score.unsqueeze(2) + lp).flatten(1), 3)
            par, tok = (
                paddle.floor_divide(flat, paddle.full_like(flat, 12)),
                paddle.mod(flat, paddle.full_like(flat, 12)),
            )
            h = paddle.take_along_axis(
                h2.reshape([b, 3, 16]), par.unsqueeze(-1).expand([b, 3, 16]), axis=1
            )
            words.append(tok)
            parents.append(par)
        ids = F.gather_tree(paddle.stack(words), paddle.stack(parents))
        return ids.transpose([1, 2, 0]), score


@model(n("ids", "B T", 30))
class StopTokenTrim(nn.Layer):
    """Everything after the first stop token becomes padding; lengths and a compact list come too."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 8)

    def forward(self, ids):
        stop = paddle.logical_or(ids == 2, ids > 26)
        after = paddle.cumsum(stop.astype("int64"), axis=1) - stop.astype("int64")
        keep = after == 0
        ids2 = paddle.where(keep, ids, paddle.full_like(ids, -1))
        length = keep.astype("int32").sum(axis=1)
        flat = paddle.masked_select(ids, keep)
        e = self.emb(paddle.clip(ids2, min=0)) * keep.unsqueeze(-1).astype("float32")
        return ids2, length, flat, e.sum(1)


@model(n("prompt", "T", 30), n("steps", "1", 7, lo=3))
class GenerateForRange(nn.Layer):
    """for over a tensor range, list append and stack."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.w = nn.Linear(16, 16)

    def forward(self, prompt, steps):
        h = self.emb(prompt).sum(0)
        outs = []
        for i in range(steps[0]):
            h = paddle.tanh(self.w(h)) + 0.1 * h
            outs.append(h)
        x = paddle.stack(outs)
        logits = paddle.matmul(x, self.emb.weight, transpose_y=True)
        return logits, logits.argmax(axis=-1)


@model(
    f("draft", "T 20", scale=2.0), f("target", "T 20", scale=2.0), n("ids", "T", 20), u("coin", "T")
)
class SpeculativeAccept(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bias = self.create_parameter([20])

    def forward(self, draft, target, ids, coin):
        q = paddle.index_sample(F.softmax(draft + self.bias), ids.unsqueeze(1)).squeeze(1)
        p = paddle.index_sample(F.softmax(target), ids.unsqueeze(1)).squeeze(1)
        ok = (coin < paddle.minimum(p / q, paddle.ones_like(p))).astype("int64")
        run = paddle.cumprod(ok, dim=0)
        n = run.sum()
        resid = F.relu(F.softmax(target) - F.softmax(draft))
        resid = resid / resid.sum(-1, keepdim=True).clip(min=1e-9)
        last = paddle.minimum(
            n,
            paddle.full_like(n, ids.shape[0] - 1)
            if isinstance(ids.shape[0], int)
            else paddle.shape(ids)[0].astype("int64") - 1,
        )
        fix = paddle.index_select(resid, last.reshape([1]), axis=0).argmax(-1)
        return n, paddle.where(run > 0, ids, paddle.full_like(ids, -100)), fix


# ------------------------------------------------------------------ recurrent


@model(n("ids", "B T", 40), lens("length", "B", "T"))
class BiLstmLengths(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.rnn = nn.LSTM(16, 12, num_layers=2, direction="bidirect")
        self.att = nn.Linear(24, 1)

    def forward(self, ids, length):
        y, (h, c) = self.rnn(self.emb(ids), sequence_length=length)
        mask = F.sequence_mask(length, maxlen=paddle.shape(ids)[1], dtype="float32")
        a = self.att(y).squeeze(-1) + (mask - 1) * 1e9
        pooled = paddle.bmm(F.softmax(a, -1).unsqueeze(1), y).squeeze(1)
        return pooled, paddle.concat([h[-2], h[-1]], -1), c.mean(-1)


@model(f("x", "T B 10"), f("h0", "4 B 8"))
class GruTimeMajor(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(10, 8, num_layers=2, direction="bidirectional", time_major=True)
        self.bn = nn.BatchNorm1D(16)

    def forward(self, x, h0):
        y, h = self.rnn(x, paddle.tanh(h0))
        z = self.bn(y.transpose([1, 2, 0])).transpose([2, 0, 1])
        fwd, bwd = z[:, :, :8], paddle.flip(z[:, :, 8:], axis=[0])
        return fwd * F.sigmoid(bwd), h.reshape([2, 2, -1, 8])[-1].sum(0)


@model(f("x", "B T 10"), lens("length", "B", "T", "int32"))
class SimpleRnnStack(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.SimpleRNN(10, 12, activation="relu", num_layers=2)
        self.b = nn.SimpleRNN(12, 6)
        self.ln = nn.LayerNorm(12)

    def forward(self, x, length):
        y, h = self.a(x, None, length)
        z, h2 = self.b(self.ln(y) + y, paddle.max(h, axis=0)[:, :6].unsqueeze(0))
        idx = length.astype("int64") - 1
        last = paddle.take_along_axis(z, idx.reshape([-1, 1, 1]).expand([z.shape[0], 1, 6]), 1)
        return last.squeeze(1), h2[0], y.max(axis=1)


class _Mgu(nn.RNNCellBase):
    def __init__(self, i, h):
        super().__init__()
        self.h = h
        self.f = nn.Linear(i + h, h)
        self.c = nn.Linear(i + h, h)

    def forward(self, x, states=None):
        if states is None:
            states = self.get_initial_states(x, self.state_shape)
        g = F.sigmoid(self.f(paddle.concat([x, states], -1)))
        new = paddle.tanh(self.c(paddle.concat([x, g * states], -1)))
        h = (1 - g) * states + g * new
        return h, h

    @property
    def state_shape(self):
        return (self.h,)


@model(f("x", "B T 8"), lens("length", "B", "T"))
class CustomCellRnn(nn.Layer):
    """A cell of its own below RNNCellBase, run by nn.RNN."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(_Mgu(8, 10), is_reverse=True)
        self.out = nn.Linear(10, 3)

    def forward(self, x, length):
        y, h = self.rnn(x, sequence_length=length)
        return self.out(y).argmax(-1).astype("int32"), h


@model(f("x", "B T 8"))
class BiRnnCells(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.BiRNN(nn.SimpleRNNCell(8, 6), nn.GRUCell(8, 6))
        self.conv = nn.Conv1D(12, 6, 3, padding=1)

    def forward(self, x):
        y, (s1, s2) = self.rnn(x)
        z = F.glu(self.conv(y.transpose([0, 2, 1])), axis=1)
        return z, s1 * s2, y[:, -1, :6] - s1


@model(f("x", "B 6 8"))
class CellPythonLoop(nn.Layer):
    """Stacked LSTM cells in a Python loop with zoneout by constants, residuals and layer norm."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LayerList([nn.LSTMCell(8, 8) for _ in range(3)])
        self.norms = nn.LayerList([nn.LayerNorm(8) for _ in range(3)])

    def forward(self, x):
        b = x.shape[0]
        st = {k: (paddle.zeros([b, 8]), paddle.zeros([b, 8])) for k in range(3)}
        outs = []
        for t in range(6):
            h = x[:, t]
            for k, (cell, norm) in enumerate(zip(self.cells, self.norms)):
                y, (hh, cc) = cell(norm(h), st[k])
                st[k] = (0.9 * hh + 0.1 * st[k][0], cc)
                h = h + y
            outs.append(h)
        return paddle.stack(outs, axis=1), paddle.stack([st[k][1] for k in st], 0)


@model(f("x", "B T 8"), m("reset", "B T"))
class WhileCellReset(nn.Layer):
    """GRU cell over a free time axis in a tensor while; resets by a mask (as in reinforcement learning)."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 8)

    def forward(self, x, reset):
        t = paddle.shape(x)[1]
        h = paddle.zeros_like(x[:, 0])
        acc = paddle.zeros_like(h)
        i = paddle.zeros([], dtype="int32")
        while i < t:
            keep = 1.0 - paddle.index_select(reset.astype("float32"), i.reshape([1]), axis=1)
            xi = paddle.index_select(x, i.reshape([1]), axis=1).squeeze(1)
            y, h = self.cell(xi, h * keep)
            acc = paddle.maximum(acc, y)
            i = i + 1
        return h, acc


@model(f("x", "B T 10"), lens("length", "B", "T"))
class BiLstmCrf(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(10, 8, direction="bidirect")
        self.em = nn.Linear(16, 7)
        self.trans = self.create_parameter([7, 7])

    def forward(self, x, length):
        y, _ = self.rnn(x, None, length)
        scores, path = paddle.text.viterbi_decode(
            self.em(y), self.trans, length, include_bos_eos_tag=True
        )
        return scores, path


@model(f("x", "B T 10"))
class ViterbiByHand(nn.Layer):
    def __init__(self):
        super().__init__()
        self.em = nn.Linear(10, 5)
        self.trans = self.create_parameter([5, 5])
        self.start = self.create_parameter([5])

    def forward(self, x):
        e = self.em(x)
        alpha = e[:, 0] + self.start
        back = []
        for t in range(1, x.shape[1]):
            s = alpha.unsqueeze(2) + self.trans
            back.append(s.argmax(axis=1))
            alpha = s.max(axis=1) + e[:, t]
        return alpha.max(-1), alpha.argmax(-1), paddle.stack(back, 1)


@model(f("x", "B 6 5"), n("tags", "B 6", 5), m("mask", "B 6"))
class CrfNll(nn.Layer):
    def __init__(self):
        super().__init__()
        self.trans = self.create_parameter([5, 5])
        self.start = self.create_parameter([5])

    def forward(self, x, tags, mask):
        mk = mask.astype("float32")
        alpha = self.start + x[:, 0]
        gold = paddle.index_sample(alpha, tags[:, :1]).squeeze(1)
        for t in range(1, 6):
            nxt = paddle.logsumexp(alpha.unsqueeze(2) + self.trans.unsqueeze(0), axis=1) + x[:, t]
            keep = mask[:, t].unsqueeze(1)
            alpha = paddle.where(keep, nxt, alpha)
            tr = paddle.gather_nd(self.trans, paddle.stack([tags[:, t - 1], tags[:, t]], axis=1))
            em = paddle.take_along_axis(x[:, t], tags[:, t].unsqueeze(1), axis=1)[:, 0]
            gold = gold + (tr + em) * mk[:, t]
        z = paddle.logsumexp(alpha, axis=-1)
        return z - gold, z


@model(f("x", "B T 12"), n("labels", "B 3", 6, "int32", lo=1), lens("xl", "B", "T"))
class CtcForward(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(12, 6)

    def forward(self, x, labels, xl):
        lp = self.lin(x)
        ll = paddle.full_like(xl, 2)
        loss = F.ctc_loss(
            lp.transpose([1, 0, 2]),
            labels,
            paddle.maximum(xl, paddle.full_like(xl, 5)),
            ll,
            blank=0,
            reduction="none",
        )
        best = lp.argmax(-1)
        prev = paddle.concat([paddle.full_like(best[:, :1], -1), best[:, :-1]], 1)
        keep = (best != prev) & (best != 0)
        return loss, best * keep.astype("int64"), keep.astype("int32").sum(1)


@model(f("x", "T 9"))
class CtcCollapse(nn.Layer):
    """Greedy CTC for one utterance: unique_consecutive, then drop the blanks."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(9, 4)

    def forward(self, x):
        p = F.softmax(self.lin(x))
        conf, ids = p.max(-1), p.argmax(-1)
        runs, inv, count = paddle.unique_consecutive(ids, return_inverse=True, return_counts=True)
        text = paddle.masked_select(runs, runs != 0)
        pos = paddle.nonzero(runs != 0).flatten()
        return text, pos, count, paddle.prod(conf), inv


@model(f("x", "B 10"), n("y", "B", 6), u("w", "6", 0.5, 1.5))
class LossesInside(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(10, 6)

    def forward(self, x, y, w):
        z = self.lin(x)
        y2 = paddle.where(y == 5, paddle.full_like(y, -100), y)
        a = F.cross_entropy(z, y2, ignore_index=-100, reduction="mean")
        soft = F.label_smooth(F.one_hot(y, 6), epsilon=0.1)
        b = F.cross_entropy(z, soft, soft_label=True, reduction="none")
        c = F.cross_entropy(z, y, weight=w, reduction="sum")
        lp = F.log_softmax(z)
        kl = F.kl_div(lp, soft, reduction="none").sum(-1)
        foc = F.sigmoid_focal_loss(z, F.one_hot(y, 6), reduction="mean")
        return a, b.squeeze(-1), c, kl, foc


# ------------------------------------------------------------------ recommendation


@model(n("hist", "B T", 100, "int32"), m("ok", "B T", "float32"))
class BagOfWords(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(101, 16, padding_idx=100)
        self.fc = nn.Sequential(nn.Linear(48, 24), nn.PReLU(), nn.Linear(24, 1))

    def forward(self, hist, ok):
        ids = paddle.where(ok > 0, hist, paddle.full_like(hist, 100))
        e = self.emb(ids)
        n = ok.sum(1, keepdim=True).clip(min=1.0)
        s = e.sum(1)
        big = paddle.max(e + (ok.unsqueeze(-1) - 1) * 1e9, axis=1)
        return F.sigmoid(self.fc(paddle.concat([s / n, s / paddle.sqrt(n), big], -1))).squeeze(
            -1
        ), ids


@model(n("cat", "B 5", 1000), f("num", "B 4"))
class DeepFm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Embedding(250, 1)
        self.v = nn.Embedding(250, 8)
        self.register_buffer("off", paddle.arange(0, 250, 50, dtype="int64"))
        self.numv = self.create_parameter([4, 8])
        self.mlp = nn.Sequential(nn.Linear(72, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))

    def forward(self, cat, num):
        ids = cat % 50 + self.off
        v = paddle.concat([self.v(ids), num.unsqueeze(-1) * self.numv], axis=1)
        fm = 0.5 * (paddle.square(v.sum(1)) - paddle.square(v).sum(1)).sum(1, keepdim=True)
        y = self.w1(ids).sum(1) + fm + self.mlp(v.flatten(1))
        return F.sigmoid(y), ids


@model(n("cat", "B 3", 40), f("num", "B 6"))
class DeepCross(nn.Layer):
    def __init__(self):
        super().__init__()
        self.tables = nn.LayerList([nn.Embedding(40, d) for d in (4, 6, 8)])
        self.u = nn.ParameterList([self.create_parameter([24, 4]) for _ in range(2)])
        self.w = nn.ParameterList([self.create_parameter([4, 24]) for _ in range(2)])
        self.bn = nn.BatchNorm1D(6)
        self.out = nn.Linear(24, 1)

    def forward(self, cat, num):
        fs = [t(c.squeeze(1)) for t, c in zip(self.tables, paddle.split(cat, 3, axis=1))]
        x0 = paddle.concat(fs + [self.bn(paddle.log1p(num.abs()) * paddle.sign(num))], -1)
        x = x0
        for a, b in zip(self.u, self.w):
            x = x0 * paddle.matmul(paddle.matmul(x, a), b) + x
        return self.out(x).squeeze(-1), x.norm(axis=-1)


@model(n("item", "B", 60), n("hist", "B T", 60), lens("length", "B", "T"))
class DeepInterest(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(60, 8)
        self.att = nn.Sequential(nn.Linear(32, 16), nn.Sigmoid(), nn.Linear(16, 1))
        self.alpha = self.create_parameter([24])
        self.bn = nn.BatchNorm1D(24)
        self.out = nn.Linear(24, 2)

    def dice(self, x):
        p = F.sigmoid(self.bn(x))
        return p * x + (1 - p) * self.alpha * x

    def forward(self, item, hist, length):
        q, k = self.emb(item), self.emb(hist)
        qq = paddle.expand_as(q.unsqueeze(1), k)
        a = self.att(paddle.concat([qq, k, qq - k, qq * k], axis=-1)).squeeze(-1)
        mask = paddle.arange(hist.shape[1]).unsqueeze(0) < length.unsqueeze(1)
        a = F.softmax(paddle.where(mask, a, paddle.full_like(a, -(2.0**20))) / 8**0.5, -1)
        u = paddle.matmul(a.unsqueeze(1), k).squeeze(1)
        z = self.out(self.dice(paddle.concat([q, u, q * u], -1)))
        return F.softmax(z)[:, 1], a


@model(f("x", "B 16"))
class Mmoe(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ew = self.create_parameter([4, 16, 8])
        self.eb = self.create_parameter([4, 8], is_bias=True)
        self.gates = nn.LayerList([nn.Linear(16, 4) for _ in range(2)])
        self.towers = nn.LayerDict({"click": nn.Linear(8, 1), "buy": nn.Linear(8, 1)})

    def forward(self, x):
        e = F.relu(paddle.einsum("bi,kij->bkj", x, self.ew) + self.eb)
        res = {}
        for name, g in zip(["click", "buy"], self.gates):
            w = F.softmax(g(x), axis=1).unsqueeze(2)
            res[name] = F.sigmoid(self.towers[name]((e * w).sum(axis=1)))
        ctcvr = res["click"] * res["buy"]
        return res["click"], ctcvr, (ctcvr > 0.25).astype("int32")


@model(n("user", "B", 10**9), n("items", "K", 10**9))
class TwoTowerHash(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Embedding(97, 8), nn.Embedding(89, 8)
        self.t = nn.Linear(16, 8)

    def tower(self, i):
        h = (i * 31 + 7) % 97
        g = paddle.remainder(
            paddle.floor_divide(i, paddle.full_like(i, 97)), paddle.full_like(i, 89)
        )
        return F.normalize(self.t(paddle.concat([self.a(h), self.b(g)], -1)), p=2, axis=-1)

    def forward(self, user, items):
        s = paddle.matmul(self.tower(user), self.tower(items), transpose_y=True) / 0.07
        top, idx = paddle.topk(s, 3)
        best = paddle.gather(items, idx.flatten()).reshape(paddle.shape(idx))
        return top, best, F.softmax(s)


@model(n("seq", "B T", 50))
class SasRecSession(nn.Layer):
    """Session graph: unique items with inverse and counts, then scores over items of the session."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 12)

    def forward(self, seq):
        flat = seq.flatten()
        uniq, inv, cnt = paddle.unique(flat, return_inverse=True, return_counts=True)
        e = self.emb(uniq) * paddle.rsqrt(cnt.astype("float32")).unsqueeze(-1)
        h = paddle.gather(e, inv).reshape([seq.shape[0], seq.shape[1], 12])
        q = h.mean(1)
        s = paddle.matmul(q, e, transpose_y=True)
        return uniq, cnt, s, inv.reshape(paddle.shape(seq))


@model(f("x", "N 16"))
class MoeGatherScatter(nn.Layer):
    """Top-1 experts: nonzero, gather, expert, scatter back."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 3)
        self.experts = nn.LayerList(
            [nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16)) for _ in range(3)]
        )

    def forward(self, x):
        p = F.softmax(self.gate(x) * 4)
        w, e = p.max(-1, keepdim=True), p.argmax(-1)
        out = paddle.zeros_like(x)
        for k in range(3):
            idx = paddle.nonzero(e == k).squeeze(-1)
            y = self.experts[k](paddle.gather(x, idx)) * paddle.gather(w, idx)
            out = paddle.scatter(out, idx, y, overwrite=True)
        return out + x, F.one_hot(e, 3).mean(0)


@model(f("x", "B T 16"))
class MoeTop2Dense(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 4, bias_attr=False)
        self.w1 = self.create_parameter([4, 16, 24])
        self.w2 = self.create_parameter([4, 24, 16])

    def forward(self, x):
        z = x.reshape([-1, 16])
        w, i = paddle.topk(F.softmax(self.gate(z), -1), 2, axis=-1)
        w = w / w.sum(-1, keepdim=True)
        full = paddle.put_along_axis(paddle.zeros([z.shape[0], 4]), i, w, axis=1)
        h = F.silu(paddle.einsum("nd,edf->enf", z, self.w1))
        y = paddle.matmul(h, self.w2)
        y = (y * full.t().unsqueeze(-1)).sum(0)
        load = paddle.bincount(i.flatten(), minlength=4)
        return y.reshape(paddle.shape(x)), load


@model(f("x", "N 12"))
class MoeBucketCapacity(nn.Layer):
    """Capacity of four slots an expert, by cumulated positions; dropped tokens pass by."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(12, 3)
        self.w = self.create_parameter([3, 12, 12])

    def forward(self, x):
        e = self.gate(x).argmax(-1)
        oh = F.one_hot(e, 3)
        pos = ((paddle.cumsum(oh, axis=0) - 1) * oh).sum(-1).astype("int64")
        ok = pos < 4
        slot = paddle.where(ok, e * 4 + pos, paddle.full_like(e, 12))
        buf = paddle.scatter_nd_add(paddle.zeros([13, 12]), slot.unsqueeze(1), x)
        y = paddle.bmm(buf[:12].reshape([3, 4, 12]), self.w).reshape([12, 12])
        y = paddle.concat([y, paddle.zeros([1, 12])], 0)
        back = paddle.gather(y, slot, axis=0)
        return paddle.where(ok.unsqueeze(-1), back, x), ok


# ------------------------------------------------------------------ speech


@model(f("wav", "B W"))
class StftLogMag(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("win", paddle.to_tensor(np.hanning(128).astype("float32")))
        self.stft = functools.partial(
            paddle.signal.stft,
            n_fft=128,
            hop_length=64,
            window=self.win,
            center=True,
            pad_mode="reflect",
        )
        self.fc = nn.Linear(65, 12)

    def forward(self, wav):
        pre = paddle.concat([wav[:, :1], wav[:, 1:] - 0.97 * wav[:, :-1]], axis=1)
        z = self.stft(pre)
        mag = paddle.abs(z)
        lg = paddle.log(mag.square() + 1e-6).transpose([0, 2, 1])
        mu, sd = lg.mean(1, keepdim=True), lg.std(1, keepdim=True)
        return self.fc((lg - mu) / (sd + 1e-5)), paddle.angle(z).cos()


@model(f("wav", "B 1600", scale=0.3))
class SpectralMaskIstft(nn.Layer):
    """Enhancement: mask from the magnitudes, phase kept, back by istft."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(65, 16)
        self.mask = nn.Linear(16, 65)
        win = paddle.to_tensor(
            (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(128) / 128)).astype("float32")
        )
        self.register_buffer("win", win)
        self.stft = functools.partial(paddle.signal.stft, n_fft=128, hop_length=32, window=win)
        self.istft = functools.partial(
            paddle.signal.istft, n_fft=128, hop_length=32, window=win, length=1600
        )

    def forward(self, wav):
        z = self.stft(wav)
        h, _ = self.gru(z.abs().transpose([0, 2, 1]))
        k = F.sigmoid(self.mask(h)).transpose([0, 2, 1])
        y = paddle.complex(z.real() * k, z.imag() * k)
        out = self.istft(y)
        return out, k.mean([1, 2])


@model(f("wav", "B W", scale=0.2))
class MelFeatures(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mel = paddle.audio.features.LogMelSpectrogram(
            sr=8000, n_fft=256, hop_length=80, n_mels=20, f_min=50.0
        )
        self.conv = nn.Conv1D(20, 16, 5, stride=2, padding=2)

    def forward(self, wav):
        x = self.mel(wav)
        x = x - x.mean(axis=-1, keepdim=True)
        h = F.relu(self.conv(x))
        return paddle.concat([h.mean(-1), h.std(-1)], axis=-1), x


@model(f("wav", "B W", scale=0.2))
class MfccDeltas(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mfcc = paddle.audio.features.MFCC(
            sr=8000, n_mfcc=10, n_fft=256, hop_length=100, n_mels=24
        )
        k = np.array([-2, -1, 0, 1, 2], "float32") / 10
        self.register_buffer("k", paddle.to_tensor(np.tile(k, (10, 1, 1))))

    def delta(self, x):
        return F.conv1d(F.pad(x, [2, 2], mode="replicate", data_format="NCL"), self.k, groups=10)

    def forward(self, wav):
        c = self.mfcc(wav)
        d = self.delta(c)
        return paddle.concat([c, d, self.delta(d)], axis=1).transpose([0, 2, 1])


@model(f("wav", "B W", scale=0.2))
class FbankByConv(nn.Layer):
    """Short-time Fourier transform as a strided convolution with a DFT kernel, mel by matmul."""

    def __init__(self):
        super().__init__()
        t = np.arange(100)
        w = np.hamming(100)
        re = np.cos(2 * np.pi * np.outer(np.arange(51), t) / 100) * w
        im = -np.sin(2 * np.pi * np.outer(np.arange(51), t) / 100) * w
        self.register_buffer(
            "k", paddle.to_tensor(np.concatenate([re, im])[:, None].astype("float32"))
        )
        self.register_buffer(
            "fb", paddle.audio.functional.compute_fbank_matrix(8000, 100, n_mels=12)
        )
        self.cmvn = paddle.create_parameter([12, 1], "float32")

    def forward(self, wav):
        x = F.pad(wav.unsqueeze(1), [50, 50], mode="reflect", data_format="NCL")
        z = F.conv1d(x, self.k, stride=40)
        p = z[:, :51] ** 2 + z[:, 51:] ** 2
        y = paddle.log(paddle.clip(paddle.matmul(self.fb, p), min=1e-10)) + self.cmvn
        en = 10 * paddle.log10(p.sum(1) + 1e-8)
        return y, en > en.mean(-1, keepdim=True)


@model(f("x", "B T 16"), m("mask", "B T"))
class ConformerConv(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ln = nn.LayerNorm(16)
        self.p1 = nn.Conv1D(16, 32, 1)
        self.dw = nn.Conv1D(16, 16, 7, padding=3, groups=16)
        self.bn = nn.BatchNorm1D(16)
        self.p2 = nn.Conv1D(16, 16, 1)
        self.f1, self.f2 = nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x, mask):
        x = x + 0.5 * self.f2(F.swish(self.f1(x)))
        h = self.ln(x).transpose([0, 2, 1])
        h = paddle.where(mask.unsqueeze(1), h, paddle.zeros_like(h))
        h = F.glu(self.p1(h), axis=1)
        h = self.p2(F.swish(self.bn(self.dw(h))))
        return x + (h * mask.unsqueeze(1).astype("float32")).transpose([0, 2, 1])


@model(f("x", "B 4 16"), f("cache", "B 16 6"), f("kv", "B P 32"))
class ConformerStreamingChunk(nn.Layer):
    """A streaming block: attention over cached keys and values, causal conv with a cache."""

    def __init__(self):
        super().__init__()
        self.q, self.kv = nn.Linear(16, 16), nn.Linear(16, 32)
        self.dw = nn.Conv1D(16, 16, 7, groups=16)
        self.ln = nn.LayerNorm(16)

    def forward(self, x, cache, kv):
        kv = paddle.concat([kv, self.kv(x)], axis=1)
        k, v = paddle.split(kv, 2, axis=-1)
        a = F.softmax(paddle.bmm(self.q(x), k.transpose([0, 2, 1])) * 0.25, axis=-1)
        x = self.ln(x + paddle.bmm(a, v))
        c = paddle.concat([cache, x.transpose([0, 2, 1])], axis=2)
        y = x + F.hardswish(self.dw(c)).transpose([0, 2, 1])
        return y, c[:, :, -6:], kv[:, -8:]


@model(f("spec", "B 20 T"), u("rate", "1", 0.6, 1.6))
class TimeStretch(nn.Layer):
    """Linear resampling of frames at run-time rate by floor, gather and interpolation."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1D(20, 20, 3, padding="same", groups=4)

    def forward(self, spec, rate):
        t = spec.shape[2]
        pos = paddle.arange(t * 2).astype("float32") * rate
        pos = paddle.clip(pos, max=4.0)
        lo = paddle.floor(pos).astype("int64")
        fr = pos - lo.astype("float32")
        hi = paddle.clip(lo + 1, max=5)
        x = self.conv(spec)
        y = paddle.index_select(x, lo, 2) * (1 - fr) + paddle.index_select(x, hi, 2) * fr
        return y, lo


@model(n("ph", "B T", 20), u("dur", "B T", 0.2, 3.0))
class LengthRegulator(nn.Layer):
    """FastSpeech: durations to an alignment matrix by cumsum and comparison, length from the data."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 12)
        self.post = nn.Conv1D(12, 8, 3, padding=1)

    def forward(self, ph, dur):
        d = paddle.round(dur).astype("int64")
        end = paddle.cumsum(d, axis=1)
        total = end[:, -1]
        frames = paddle.arange(end.max(), dtype="int64")
        start = end - d
        a = (frames.reshape([1, -1, 1]) >= start.unsqueeze(1)) & (
            frames.reshape([1, -1, 1]) < end.unsqueeze(1)
        )
        a = a.astype("float32")
        h = paddle.matmul(a, self.emb(ph))
        return self.post(h.transpose([0, 2, 1])), total, a.argmax(-1)


@model(f("x", "B L 8"))
class SpeakerAttentiveStats(nn.Layer):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1D(8, 16, 3, dilation=2, padding=2)
        self.se1, self.se2 = nn.Linear(16, 4), nn.Linear(4, 16)
        self.a1, self.a2 = nn.Conv1D(48, 8, 1), nn.Conv1D(8, 16, 1)
        self.fc = nn.utils.weight_norm(nn.Linear(32, 10), dim=1)

    def forward(self, x):
        h = F.relu(self.c1(x.transpose([0, 2, 1])))
        h = h * F.sigmoid(self.se2(F.relu(self.se1(h.mean(-1))))).unsqueeze(-1)
        t = h.shape[-1]
        m = h.mean(-1, keepdim=True).expand([-1, -1, t])
        s = paddle.sqrt(h.var(-1, keepdim=True).clip(1e-6)).expand([-1, -1, t])
        w = F.softmax(self.a2(paddle.tanh(self.a1(paddle.concat([h, m, s], 1)))), -1)
        mu = (w * h).sum(-1)
        sd = paddle.sqrt(((w * h * h).sum(-1) - mu * mu).clip(min=1e-5))
        e = self.fc(paddle.concat([mu, sd], 1))
        return F.cosine_similarity(e.unsqueeze(1), e.unsqueeze(0), axis=-1)


@model(f("mel", "B 10 T"))
class VocoderUpsample(nn.Layer):
    def __init__(self):
        super().__init__()
        self.pre = nn.utils.weight_norm(nn.Conv1D(10, 16, 7, padding=3))
        self.up = nn.Conv1DTranspose(16, 8, 8, stride=4, padding=2)
        self.res = nn.LayerList([nn.Conv1D(8, 8, 3, dilation=d, padding=d) for d in (1, 3)])
        self.alpha = self.create_parameter(
            [1, 8, 1], default_initializer=nn.initializer.Constant(0.7)
        )
        self.post = nn.Conv1D(8, 1, 7)
        self.pad = nn.Pad1D(3, mode="reflect")

    def forward(self, mel):
        x = self.up(F.leaky_relu(self.pre(mel), 0.1))
        for c in self.res:
            y = x + paddle.sin(self.alpha * x) ** 2 / (self.alpha + 1e-9)
            x = x + c(y)
        y = paddle.tanh(self.post(self.pad(F.leaky_relu(x))))
        mu = paddle.sign(y) * paddle.log1p(255 * y.abs()) / math.log(256.0)
        return y.squeeze(1), ((mu + 1) / 2 * 255 + 0.5).astype("int32")


# ------------------------------------------------------------------ time series


@model(f("x", "B 24"))
class NBeats(nn.Layer):
    def __init__(self):
        super().__init__()
        t = np.arange(32) / 32
        tr = np.stack([t**i for i in range(3)])
        se = np.concatenate(
            [
                np.cos(2 * np.pi * np.outer(np.arange(1, 4), t)),
                np.sin(2 * np.pi * np.outer(np.arange(1, 4), t)),
            ]
        )
        self.register_buffer("trend", paddle.to_tensor(tr.astype("float32")))
        self.register_buffer("season", paddle.to_tensor(se.astype("float32")))
        self.blocks = nn.LayerList(
            [
                nn.Sequential(
                    nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, k)
                )
                for k in (6, 12)
            ]
        )

    def forward(self, x):
        res, parts = x, []
        for blk, basis in zip(self.blocks, (self.trend, self.season)):
            tb, tf = paddle.chunk(blk(res), 2, axis=-1)
            res = res - tb @ basis[:, :24]
            parts.append(tf @ basis[:, 24:])
        return paddle.add_n(parts), paddle.stack(parts, 1), res


@model(f("x", "B L 4"))
class TcnCausal(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convs = nn.LayerList(
            [
                nn.utils.weight_norm(nn.Conv1D(4 if i == 0 else 8, 8, 3, dilation=2**i))
                for i in range(3)
            ]
        )
        self.skip = nn.Conv1D(4, 8, 1)
        self.out = nn.Conv1D(8, 2, 1)

    def forward(self, x):
        h = x.transpose([0, 2, 1])
        for i, c in enumerate(self.convs):
            y = F.relu(c(F.pad(h, [2 * 2**i, 0], data_format="NCL")))
            h = F.relu(y + (self.skip(h) if i == 0 else h))
        z = self.out(h)
        mu, sigma = z[:, :1], F.softplus(z[:, 1:]) + 1e-4
        return paddle.concat([mu, mu - 1.64 * sigma, mu + 1.64 * sigma], 1), h[:, :, ::4]


@model(f("x", "B L 16"))
class ProbSparse(nn.Layer):
    """Informer: the queries with the largest spread attend, others take the mean."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        b, l = x.shape[0], x.shape[1]
        heads = lambda y: y.reshape([b, l, 2, 8]).transpose([0, 2, 1, 3])
        q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
        s = paddle.matmul(q, k[:, :, ::3], transpose_y=True)
        spread = s.max(-1) - s.mean(-1)
        _, top = paddle.topk(spread, 5, axis=-1, sorted=True)
        ix = top.unsqueeze(-1).expand([b, 2, 5, 8])
        qr = paddle.take_along_axis(q, ix, axis=2)
        y = paddle.matmul(F.softmax(paddle.matmul(qr, k, transpose_y=True) / 8**0.5), v)
        ctx = v.mean(axis=2, keepdim=True).expand([b, 2, l, 8])
        ctx = paddle.put_along_axis(ctx, ix, y, axis=2)
        return ctx.transpose([0, 2, 1, 3]).reshape([b, l, 16]), top


@model(f("x", "B L 8"))
class AutoCorrelation(nn.Layer):
    """Autoformer: correlation by fft, the top delays aggregated by rolled gathers."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        l = x.shape[1]
        q, k, v = [p(x).transpose([0, 2, 1]) for p in (self.q, self.k, self.v)]
        fq, fk = paddle.fft.rfft(q, axis=-1), paddle.fft.rfft(k, axis=-1)
        corr = paddle.fft.irfft(fq * paddle.conj(fk), axis=-1)
        mean = corr.mean(1)
        w, delay = paddle.topk(mean, 3, axis=-1)
        w = F.softmax(w, -1)
        vv = paddle.concat([v, v], -1)
        base = paddle.arange(l, dtype="int64").reshape([1, 1, -1])
        y = paddle.zeros_like(v)
        for i in range(3):
            idx = base + delay[:, i].reshape([-1, 1, 1])
            y = y + paddle.take_along_axis(vv, idx.expand([x.shape[0], 8, l]), axis=2) * w[
                :, i
            ].reshape([-1, 1, 1])
        return y.transpose([0, 2, 1]), delay


@model(f("x", "B L 3"))
class DLinearDecomp(nn.Layer):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool1D(5, stride=1, exclusive=False)
        self.a = nn.Conv1D(3, 3, 5, padding=2, groups=3)
        self.b = nn.Conv1D(3, 3, 3, padding=1, padding_mode="circular")

    def forward(self, x):
        front = paddle.tile(x[:, :1], [1, 2, 1])
        back = x[:, -1:].expand([-1, 2, -1])
        t = self.pool(paddle.concat([front, x, back], 1).transpose([0, 2, 1]))
        s = x.transpose([0, 2, 1]) - t
        y = self.a(t) + self.b(s)
        return y.transpose([0, 2, 1]), F.interpolate(
            y, size=[12], mode="linear", align_corners=True, data_format="NCW"
        )


@model(f("x", "B L 3"))
class RevInPatch(nn.Layer):
    """PatchTST: reversible normalization, patches by unfold with end padding, encoder, back."""

    def __init__(self):
        super().__init__()
        self.g = self.create_parameter([3], default_initializer=nn.initializer.Constant(1.2))
        self.b = self.create_parameter([3], is_bias=True)
        self.emb = nn.Linear(8, 16)
        self.enc = nn.TransformerEncoderLayer(16, 2, 24, dropout=0.0)
        self.head = nn.Linear(16, 6)

    def forward(self, x):
        mu = x.mean(axis=1, keepdim=True)
        sd = paddle.sqrt(paddle.var(x, axis=1, keepdim=True, unbiased=False) + 1e-5)
        z = (x - mu) / sd * self.g + self.b
        z = F.pad(z.transpose([0, 2, 1]), [0, 4], mode="replicate", data_format="NCL")
        p = paddle.stack(
            [
                z[:, :, 0::4][:, :, :6],
                z[:, :, 1::4][:, :, :6],
                z[:, :, 2::4][:, :, :6],
                z[:, :, 3::4][:, :, :6],
            ],
            -1,
        )
        p = paddle.concat([p[:, :, :-1], p[:, :, 1:]], -1)
        h = self.enc(self.emb(p).reshape([-1, 5, 16]))
        y = self.head(h.mean(1)).reshape([-1, 3, 6]).transpose([0, 2, 1])
        return (y - self.b) / (self.g + 1e-10) * sd + mu


@model(f("x", "B L 2"))
class TimesNetFold(nn.Layer):
    """Dominant period from the spectrum decides how a series is folded to two dimensions."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(2, 2, 3, padding=1)

    def forward(self, x):
        t = paddle.shape(x)[1]
        amp = paddle.fft.rfft(x, axis=1).abs().mean([0, 2])
        k = paddle.argmax(amp[1:]).astype("int32") + 1
        period = t // k
        extra = (period - t % period) % period
        z = paddle.concat([x, paddle.zeros([x.shape[0], extra, 2])], 1)
        z = z.transpose([0, 2, 1]).reshape([x.shape[0], 2, -1, period])
        y = F.gelu(self.conv(z)).flatten(2)[:, :, :t]
        return y.transpose([0, 2, 1]) + x, k, period


@model(f("x", "B T 3"))
class HoltWinters(nn.Layer):
    """Exponential smoothing with level, trend, in a for loop over a free length."""

    def __init__(self):
        super().__init__()
        self.a = self.create_parameter([3])
        self.b = self.create_parameter([3])

    def forward(self, x):
        a, b = F.sigmoid(self.a), F.sigmoid(self.b)
        level, trend = x[:, 0], x[:, 1] - x[:, 0]
        err = paddle.zeros_like(level)
        for i in range(1, x.shape[1]):
            pred = level + trend
            xi = x[:, i]
            new = a * xi + (1 - a) * pred
            trend = b * (new - level) + (1 - b) * trend
            level = new
            err = err + paddle.abs(xi - pred)
        h = paddle.arange(1, 5, dtype="float32").reshape([1, 4, 1])
        return level.unsqueeze(1) + h * trend.unsqueeze(1), err


@model(f("x", "B L"), f("y", "B T"))
class SoftDtw(nn.Layer):
    """Pairwise distances, then quantiles, median and kthvalue of the rows."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(1, 4)

    def forward(self, x, y):
        a, b = self.w(x.unsqueeze(-1)), self.w(y.unsqueeze(-1))
        d = paddle.sqrt(((a.unsqueeze(2) - b.unsqueeze(1)) ** 2).sum(-1) + 1e-8)
        lse = -paddle.logsumexp(-d / 0.1, axis=-1) * 0.1
        med = paddle.median(x, axis=1)
        k, ki = paddle.kthvalue(x, 3, axis=1)
        q = paddle.quantile(x, q=0.25, axis=1)
        lc = paddle.logcumsumexp(-d, axis=-1)
        return lse, med, k, ki, q, lc[:, :, -1], paddle.diff(x, axis=1)


# ------------------------------------------------------------------ graphs


@model(f("x", "N 8"), n("src", "E", "N"), n("dst", "E", "N"))
class GcnSendRecv(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, src, dst):
        k = x.shape[0]
        ones = paddle.ones_like(src).astype("float32")
        deg = paddle.scatter(paddle.zeros([k]), dst, ones, overwrite=False) + 1
        norm = paddle.rsqrt(deg).unsqueeze(-1)
        for i, lin in enumerate([self.a, self.b]):
            h = lin(x) * norm
            h = (paddle.geometric.send_u_recv(h, src, dst, reduce_op="sum", out_size=k) + h) * norm
            x = F.relu(h) if i == 0 else h
        return F.log_softmax(x, -1), deg


@model(f("x", "7 8"), f("e", "E 8"), n("src", "E", 7), n("dst", "E", 7))
class EdgeMessages(nn.Layer):
    def __init__(self):
        super().__init__()
        self.eps = self.create_parameter([1])
        self.mlp = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))

    def forward(self, x, e, src, dst):
        s = paddle.geometric.send_ue_recv(x, e, src, dst, message_op="add", reduce_op="sum")
        mx = paddle.geometric.send_u_recv(x, src, dst, reduce_op="max")
        h = self.mlp((1 + self.eps) * x[:1] + s[:1] * mx[:1])
        uv = paddle.geometric.send_uv(x, x, src, dst, message_op="mul")
        return h, s.sum(0), uv.sum(-1)


@model(f("x", "N 8"), n("src", "E", "N"), n("dst", "E", "N"))
class GatByHand(nn.Layer):
    """Softmax over the incoming edges by scattered sums of exponentials."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(8, 12, bias_attr=False)
        self.al, self.ar = self.create_parameter([1, 2, 6]), self.create_parameter([1, 2, 6])

    def forward(self, x, src, dst):
        h = self.w(x).reshape([-1, 2, 6])
        el, er = (h * self.al).sum(-1), (h * self.ar).sum(-1)
        s = F.leaky_relu(paddle.gather(el, src) + paddle.gather(er, dst), 0.2)
        s = paddle.exp(s - s.max())
        den = paddle.scatter_nd_add(paddle.full([x.shape[0], 2], 1e-9), dst.unsqueeze(1), s)
        a = s / paddle.index_select(den, dst)
        msg = paddle.gather(h, src) * a.unsqueeze(-1)
        out = paddle.index_add(paddle.zeros_like(h), dst, 0, msg)
        return F.elu(out.flatten(1)), a


@model(f("x", "N 8"), n("seg", "N", 3))
class SegmentPooling(nn.Layer):
    """Readout of a batch of graphs; segment ids sorted first."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(32, 4)
        self.score = nn.Linear(8, 1)

    def forward(self, x, seg):
        order = paddle.argsort(seg)
        x, g = paddle.index_select(x, order), paddle.sort(seg)
        x = x * F.sigmoid(self.score(x))
        parts = [
            paddle.geometric.segment_sum(x, g),
            paddle.geometric.segment_mean(x, g),
            paddle.geometric.segment_max(x, g),
            paddle.geometric.segment_min(x, g),
        ]
        return self.lin(paddle.concat(parts, -1)), g


@model(f("x", "N 6"), u("adj", "N N"))
class DenseGraphConv(nn.Layer):
    def __init__(self):
        super().__init__()
        self.th = nn.ParameterList([self.create_parameter([6, 6]) for _ in range(3)])

    def forward(self, x, adj):
        a = ((adj + adj.t()) > 1.0).astype("float32")
        n = paddle.shape(x)[0]
        a = a * (1 - paddle.diag(paddle.ones([n])))
        d = a.sum(-1)
        di = paddle.where(d > 0, d**-0.5, paddle.zeros_like(d))
        lap = -di.unsqueeze(1) * a * di.unsqueeze(0)
        t0, t1 = x, lap @ x
        out = t0 @ self.th[0] + t1 @ self.th[1] + (2 * lap @ t1 - t0) @ self.th[2]
        edges = paddle.nonzero(a)
        return paddle.tanh(out), edges, paddle.trace(lap @ lap), paddle.diagonal(a @ a)


@model(f("pos", "N 3"), f("h", "N 8"))
class EquivariantKnn(nn.Layer):
    """Neighbours by distance, messages, coordinate updates."""

    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(nn.Linear(17, 16), nn.Silu(), nn.Linear(16, 8))
        self.c = nn.Linear(8, 1, bias_attr=False)
        self.nd = nn.Linear(16, 8)

    def forward(self, pos, h):
        d2 = (
            paddle.cdist(pos, pos) ** 2
            if hasattr(paddle, "cdist")
            else ((pos[:, None] - pos[None]) ** 2).sum(-1)
        )
        val, idx = paddle.topk(d2, 4, axis=-1, largest=False)
        idx = idx[:, 1:]
        hj = paddle.gather(h, idx.reshape([-1])).reshape([-1, 3, 8])
        pj = paddle.gather(pos, idx.reshape([-1])).reshape([-1, 3, 3])
        rel = pos.unsqueeze(1) - pj
        m = self.e(paddle.concat([h.unsqueeze(1).expand_as(hj), hj, val[:, 1:].unsqueeze(-1)], -1))
        pos = pos + (rel / (rel.norm(axis=-1, keepdim=True) + 1) * self.c(m)).mean(1)
        return pos, h + self.nd(paddle.concat([h, m.sum(1)], -1)), idx.astype("int32")


# ------------------------------------------------------------------ science


@model(u("x", "N 1"), u("t", "N 1"))
class PinnFourier(nn.Layer):
    """Tanh network on random Fourier features; residual by central differences."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(3)
        self.register_buffer("bm", paddle.to_tensor(rng.standard_normal((2, 8)).astype("float32")))
        self.l = nn.LayerList([nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 1)])
        self.nu = 0.01 / math.pi

    def net(self, x, t):
        p = 2 * math.pi * paddle.matmul(paddle.concat([x, t], 1), self.bm)
        h = paddle.concat([paddle.cos(p), paddle.sin(p)], axis=1)
        for lin in self.l[:-1]:
            h = paddle.tanh(lin(h))
        return self.l[-1](h) * x * (1 - x)

    def forward(self, x, t):
        e = 0.05
        u0, up, um = self.net(x, t), self.net(x + e, t), self.net(x - e, t)
        ut = (self.net(x, t + e) - u0) / e
        ux, uxx = (up - um) / (2 * e), (up - 2 * u0 + um) / e**2
        return u0, ut + u0 * ux - self.nu * uxx


@model(f("x", "B 32 1"))
class FourierOperator(nn.Layer):
    """Spectral convolutions with complex weights kept as pairs of floats."""

    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(2, 8)
        self.wr = nn.ParameterList([self.create_parameter([8, 8, 5]) for _ in range(2)])
        self.wi = nn.ParameterList([self.create_parameter([8, 8, 5]) for _ in range(2)])
        self.k = nn.LayerList([nn.Conv1D(8, 8, 1) for _ in range(2)])
        self.proj = nn.Linear(8, 1)

    def forward(self, x):
        l = x.shape[1]
        grid = paddle.linspace(0, 1, l).reshape([1, -1, 1]).expand_as(x)
        h = self.lift(paddle.concat([x, grid], -1)).transpose([0, 2, 1])
        for wr, wi, k in zip(self.wr, self.wi, self.k):
            z = paddle.fft.rfft(h)[:, :, :5]
            re = paddle.einsum("bim,iom->bom", z.real(), wr) - paddle.einsum(
                "bim,iom->bom", z.imag(), wi
            )
            im = paddle.einsum("bim,iom->bom", z.real(), wi) + paddle.einsum(
                "bim,iom->bom", z.imag(), wr
            )
            rest = paddle.zeros([x.shape[0], 8, l // 2 + 1 - 5])
            y = paddle.complex(paddle.concat([re, rest], -1), paddle.concat([im, rest], -1))
            h = F.gelu(paddle.fft.irfft(y, n=l) + k(h))
        return self.proj(h.transpose([0, 2, 1]))


@model(f("x", "B 3 12 12"))
class Spectral2d(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([3, 4, 4, 3, 2])

    def forward(self, x):
        z = paddle.fft.rfft2(x)
        w = paddle.as_complex(self.w)
        y = (z[:, :, :4, :3].unsqueeze(2) * w).sum(1)
        y = paddle.as_real(y)
        y = F.pad(y.transpose([0, 1, 4, 2, 3]).flatten(1, 2), [0, 4, 0, 8])
        y = y.reshape([0, 4, 2, 12, 7])
        out = paddle.fft.irfft2(paddle.complex(y[:, :, 0], y[:, :, 1]), s=[12, 12])
        return out, paddle.fft.fftshift(z.abs(), axes=[-2])


@model(f("y", "B 4"), u("t", "1", 1.0, 2.0, "float32"))
class NeuralOdeRk4(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 16), nn.Linear(16, 4)

    def forward(self, y, t):
        def rhs(s, y):
            return self.b(paddle.tanh(self.a(paddle.concat([y, s.expand([y.shape[0], 1])], -1))))

        steps = 5
        h = t / steps
        traj = [y]
        for i in range(steps):
            s = h * i
            k1 = rhs(s, y)
            k2 = rhs(s + h / 2, y + h / 2 * k1)
            k3 = rhs(s + h / 2, y + h / 2 * k2)
            k4 = rhs(s + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            traj.append(y)
        return paddle.stack(traj, axis=1), y.norm(p=2, axis=-1)


@model(f("y", "B 2"), u("tol", "", 0.001, 0.01))
class AdaptiveStep(nn.Layer):
    """Step size control in a while loop with branches and nested retries."""

    def __init__(self):
        super().__init__()
        self.m = self.create_parameter([2, 2])

    def forward(self, y, tol):
        t = paddle.zeros([])
        h = paddle.full([], 0.3)
        n = paddle.zeros([], dtype="int32")
        while paddle.logical_and(t < 1.0, n < 40):
            k1 = paddle.tanh(y @ self.m)
            k2 = paddle.tanh((y + h * k1) @ self.m)
            err = (h * 0.5 * (k2 - k1)).abs().max()
            if err < tol:
                y = y + h * 0.5 * (k1 + k2)
                t = t + h
                h = paddle.minimum(h * 1.5, paddle.maximum(1.0 - t, paddle.full([], 1e-3)))
            else:
                h = h * 0.5
            n = n + 1
        return y, t, n


@model(f("z", "B T 2"))
class KalmanFilter(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer(
            "A", paddle.to_tensor([[1.0, 0, 0.1, 0], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1]])
        )
        self.register_buffer("H", paddle.to_tensor([[1.0, 0, 0, 0], [0, 1, 0, 0]]))
        self.q = self.create_parameter([4], default_initializer=nn.initializer.Constant(-2.0))

    def forward(self, z):
        b = z.shape[0]
        x, P = paddle.zeros([b, 4, 1]), paddle.eye(4).unsqueeze(0).expand([b, 4, 4])
        Q, R = paddle.diag(paddle.exp(self.q)), 0.2 * paddle.eye(2)
        nll = paddle.zeros([b])
        for i in range(z.shape[1]):
            x = paddle.matmul(self.A, x)
            P = self.A @ P @ self.A.t() + Q
            S = self.H @ P @ self.H.t() + R
            r = z[:, i].unsqueeze(-1) - paddle.matmul(self.H, x)
            Si = paddle.inverse(S)
            K = P @ self.H.t() @ Si
            nll = (
                nll
                + (r.transpose([0, 2, 1]) @ Si @ r).squeeze([1, 2])
                + paddle.log(paddle.linalg.det(S))
            )
            x = x + K @ r
            P = (paddle.eye(4) - K @ self.H) @ P
        return x.squeeze(-1), paddle.diagonal(P, axis1=-2, axis2=-1), nll


@model(u("xs", "N 2", dtype="float64"), f("ys", "N", "float64"), u("xq", "K 2", dtype="float64"))
class GaussianProcess(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ls = self.create_parameter(
            [2], dtype="float64", default_initializer=nn.initializer.Constant(0.4)
        )

    def kern(self, a, b):
        d = (a.unsqueeze(1) - b.unsqueeze(0)) / self.ls
        return paddle.exp(-0.5 * (d * d).sum(-1))

    def forward(self, xs, ys, xq):
        n = xs.shape[0]
        kxx = self.kern(xs, xs) + 0.05 * paddle.eye(n, dtype="float64")
        low = paddle.linalg.cholesky(kxx)
        al = paddle.linalg.cholesky_solve(ys.unsqueeze(-1), low, upper=False)
        kq = self.kern(xq, xs)
        mean = (kq @ al).squeeze(-1)
        v = paddle.linalg.triangular_solve(low, kq.t(), upper=False)
        var = 1.0 - (v * v).sum(0)
        lml = -0.5 * (ys * al.squeeze(-1)).sum() - paddle.log(paddle.diag(low)).sum()
        return mean, var, lml


@model(f("q", "B 4"), f("w", "B T 3", scale=0.5))
class QuaternionIntegrate(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bias = self.create_parameter([3])

    @staticmethod
    def mul(a, b):
        aw, ax, ay, az = paddle.unbind(a, -1)
        bw, bx, by, bz = paddle.unbind(b, -1)
        return paddle.stack(
            [
                aw * bw - ax * bx - ay * by - az * bz,
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
            ],
            -1,
        )

    def forward(self, q, w):
        q = F.normalize(q, axis=-1)
        w = w - self.bias
        th = w.norm(axis=-1, keepdim=True)
        dq = paddle.concat([paddle.cos(th / 2), paddle.sin(th / 2) * w / th.clip(min=1e-8)], -1)
        for i in range(w.shape[1]):
            q = self.mul(q, dq[:, i])
        r, x, y, z = [c.squeeze(-1) for c in paddle.split(q, 4, axis=-1)]
        roll = paddle.atan2(2 * (r * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = paddle.asin(paddle.clip(2 * (r * y - z * x), -1, 1))
        cr = paddle.cross(w[:, 0], w[:, 1], axis=-1)
        return q, paddle.stack([roll, pitch], 1) * (180 / math.pi), cr


@model(u("x", "N"), u("knots", "8"))
class SearchsortedInterp(nn.Layer):
    def __init__(self):
        super().__init__()
        self.y = self.create_parameter([8])

    def forward(self, x, knots):
        xp = paddle.sort(knots)
        i = paddle.searchsorted(xp, x, right=True)
        i = paddle.clip(i, 1, 7)
        x0, x1 = paddle.gather(xp, i - 1), paddle.gather(xp, i)
        y0, y1 = paddle.gather(self.y, i - 1), paddle.gather(self.y, i)
        w = ((x - x0) / (x1 - x0)).clip(0.0, 1.0)
        s = w * w * (3 - 2 * w)
        b = paddle.bucketize(x, xp)
        hist = paddle.histogram(x, bins=4, min=0, max=1)
        return paddle.lerp(y0, y1, s), b, hist


@model(f("a", "B 4 4"), f("b", "B 4 2"))
class LinearAlgebraMix(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([4, 4])

    def forward(self, a, b):
        s = a @ a.transpose([0, 2, 1]) + 0.5 * paddle.eye(4) + paddle.outer(self.w[0], self.w[0])
        x = paddle.linalg.solve(s, b)
        ev = paddle.linalg.eigvalsh(s)
        sign_log = paddle.linalg.slogdet(s)
        p = s / ev[:, -1].reshape([-1, 1, 1])
        p = p @ p @ p
        sv = paddle.linalg.svd(a)[1]
        pin = paddle.linalg.pinv(b)
        return x, ev, sign_log, p, sv, pin @ b


@model(f("pos", "N 3"), f("vel", "N 3"))
class LeapfrogParticles(nn.Layer):
    """Three steps of softened gravity in float64, energies out."""

    def __init__(self):
        super().__init__()
        self.g = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.5))

    def acc(self, p):
        d = p.unsqueeze(0) - p.unsqueeze(1)
        r2 = (d**2).sum(-1, keepdim=True) + 0.1
        return (d * r2**-1.5).sum(1) * self.g.astype("float64")

    def forward(self, pos, vel):
        p, v = pos.astype("float64"), vel.astype(paddle.float64)
        a = self.acc(p)
        for _ in range(3):
            v += 0.005 * a
            p = p + 0.01 * v
            a = self.acc(p)
            v += 0.005 * a
        return p, v, 0.5 * paddle.sum(v**2, dtype="float64"), p.astype("float16").astype("float32")


@model(f("x", "B 8"), f("c", "B 8"))
class SinkhornTransport(nn.Layer):
    def __init__(self):
        super().__init__()
        self.e = self.create_parameter([8, 6])

    def forward(self, x, c):
        cost = ((x @ self.e).unsqueeze(1) - (c @ self.e).unsqueeze(0)).abs().mean(-1)
        f_, g = paddle.zeros_like(cost[:, 0]), paddle.zeros_like(cost[0])
        it = 0
        err = paddle.full([1], 1e3)
        while (err > 1e-3) and it < 20:
            old = f_
            f_ = -0.3 * paddle.logsumexp((g.unsqueeze(0) - cost) / 0.3, axis=1)
            g = -0.3 * paddle.logsumexp((f_.unsqueeze(1) - cost) / 0.3, axis=0)
            err = (f_ - old).abs().max().reshape([1])
            it = it + 1
        plan = paddle.exp((f_.unsqueeze(1) + g.unsqueeze(0) - cost) / 0.3)
        return plan, (plan * cost).sum(), plan.argmax(axis=1, keepdim=True)


# ------------------------------------------------------------------ state space, adapters


@model(f("x", "B T 8"))
class SelectiveScan(nn.Layer):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(8, 24)
        self.conv = nn.Conv1D(12, 12, 4, groups=12, padding=3)
        self.xp = nn.Linear(12, 2 + 8)
        self.dt = nn.Linear(2, 12)
        a = np.log(np.tile(np.arange(1, 5, dtype="float32"), (12, 1)))
        self.alog = self.create_parameter([12, 4], default_initializer=nn.initializer.Assign(a))
        self.d = self.create_parameter([12], default_initializer=nn.initializer.Constant(1.0))
        self.out = nn.Linear(12, 8)

    def forward(self, x):
        t = x.shape[1]
        u_, z = self.inp(x).chunk(2, axis=-1)
        u_ = F.silu(self.conv(u_.transpose([0, 2, 1]))[:, :, :t]).transpose([0, 2, 1])
        dt, bm, cm = paddle.split(self.xp(u_), [2, 4, 4], axis=-1)
        dt = F.softplus(self.dt(dt))
        da = paddle.exp(dt.unsqueeze(-1) * -paddle.exp(self.alog))
        db = (dt * u_).unsqueeze(-1) * bm.unsqueeze(2)
        h = paddle.zeros([x.shape[0], 12, 4])
        ys = []
        for i in range(t):
            h = da[:, i] * h + db[:, i]
            ys.append((h * cm[:, i].unsqueeze(1)).sum(-1))
        y = paddle.stack(ys, axis=1) + u_ * self.d
        return self.out(y * F.silu(z)), h


@model(f("x", "B L 6"))
class S4dFft(nn.Layer):
    """Diagonal state space kernel made by exponentials, convolved by fft of twice the length."""

    def __init__(self):
        super().__init__()
        self.logdt = self.create_parameter(
            [6, 1], default_initializer=nn.initializer.Constant(-2.0)
        )
        self.im = self.create_parameter([6, 4])
        self.cr, self.ci = self.create_parameter([6, 4]), self.create_parameter([6, 4])
        self.d = self.create_parameter([6])

    def forward(self, x):
        l = paddle.shape(x)[1]
        pos = paddle.arange(l).astype("float32")
        dt = paddle.exp(self.logdt)
        decay = paddle.exp(-0.5 * dt.unsqueeze(-1) * pos)
        ph = (self.im * dt * 10).unsqueeze(-1) * pos
        k = 2 * (decay * (self.cr.unsqueeze(-1) * ph.cos() - self.ci.unsqueeze(-1) * ph.sin())).sum(
            1
        )
        u_ = x.transpose([0, 2, 1])
        pad = paddle.zeros_like(u_)
        uf = paddle.fft.rfft(paddle.concat([u_, pad], -1))
        kf = paddle.fft.rfft(paddle.concat([k, paddle.zeros_like(k)], -1))
        y = paddle.fft.irfft(uf * kf)[:, :, :l]
        return F.gelu(y + u_ * self.d.unsqueeze(-1), approximate=True).transpose([0, 2, 1])


@model(f("x", "B T 8"))
class RwkvTimeMix(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mix = self.create_parameter([3, 8], default_initializer=nn.initializer.Constant(0.4))
        self.w, self.u = self.create_parameter([8]), self.create_parameter([8])
        self.r, self.k, self.v = [nn.Linear(8, 8, bias_attr=False) for _ in range(3)]

    def forward(self, x):
        prev = paddle.concat([paddle.zeros_like(x[:, :1]), x[:, :-1]], 1)
        mr, mk, mv = paddle.unstack(self.mix)
        r = F.sigmoid(self.r(x * mr + prev * (1 - mr)))
        k = self.k(x * mk + prev * (1 - mk))
        v = self.v(x * mv + prev * (1 - mv))
        a = paddle.zeros_like(x[:, 0])
        b, p = paddle.zeros_like(a), paddle.full_like(a, -1e30)
        w = -paddle.exp(self.w)
        out = []
        for t in range(x.shape[1]):
            kt, vt = k[:, t], v[:, t]
            q = paddle.maximum(p, self.u + kt)
            e1, e2 = paddle.exp(p - q), paddle.exp(self.u + kt - q)
            out.append((e1 * a + e2 * vt) / (e1 * b + e2))
            q = paddle.maximum(p + w, kt)
            e1, e2 = paddle.exp(p + w - q), paddle.exp(kt - q)
            a, b, p = e1 * a + e2 * vt, e1 * b + e2, q
        return paddle.stack(out, 1) * r, p


@model(n("ids", "B T", 40))
class LoraTiedMixed(nn.Layer):
    """Low-rank adapters, tied head, RMSNorm with casts to float64 and back, soft cap of the logits."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.w = nn.Linear(16, 16)
        self.a = self.create_parameter([16, 2])
        self.b = self.create_parameter([2, 16], default_initializer=nn.initializer.Constant(0.02))
        self.gain = self.create_parameter([16], default_initializer=nn.initializer.Constant(0.0))

    def forward(self, ids):
        x = self.emb(ids) * paddle.to_tensor(16.0).sqrt()
        kind = x.dtype
        h = paddle.cast(x, "float64")
        h = h * paddle.rsqrt(paddle.mean(h * h, axis=-1, keepdim=True) + 1e-6)
        h = paddle.cast(h, kind) * (1.0 + self.gain)
        h = self.w(h) + (h @ self.a @ self.b) * (8 / 2)
        x = x + F.relu6(h) * F.mish(h)
        z = F.linear(x, self.emb.weight.t())
        z = 5.0 * paddle.tanh(z / 5.0)
        nll = F.cross_entropy(
            z[:, :-1].reshape([-1, 40]), ids[:, 1:].reshape([-1]), ignore_index=0, reduction="none"
        )
        return z, paddle.exp(nll.mean())


# ------------------------------------------------------------------ control flow and indexing


@model(f("x", "B T 8"), u("th", "1", -0.5, 0.5))
class EarlyReturnBranches(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, th):
        m_ = x.mean()
        if m_ > 10:
            return x * 0, m_
        y = self.a(x)
        if (y.mean() > th and not (x.max() < 0)) or m_ < -5:
            y = F.relu(y)
            k = y.sum()
        elif y.min() < -1:
            y = self.b(y)
            k = y.max()
        else:
            k = y.mean()
        z = y if k > 0 else -y
        return z, k


@model(f("x", "T 6"))
class BreakContinueScan(nn.Layer):
    """Pondering: a scan with continue, break, an inner while and a running budget."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(6, 6)
        self.halt = nn.Linear(6, 1)

    def forward(self, x):
        h = paddle.zeros([1, 6])
        used = paddle.zeros([1], dtype="int64")
        budget = paddle.zeros([1])
        n = paddle.shape(x)[0]
        i = paddle.zeros([1], dtype="int32")
        while i < n:
            row = paddle.gather(x, i, axis=0)
            i = i + 1
            if row.sum() < -1.5:
                continue
            j = paddle.zeros([1], dtype="int32")
            while j < 2:
                h = paddle.tanh(self.w(h + row))
                j = j + 1
            budget = budget + F.sigmoid(self.halt(h)).reshape([1])
            used = used + 1
            if budget > 2.0:
                break
        return h, used, budget


@model(f("x", "B T 6"), n("k", "1", 5, lo=2))
class NestedRangesDict(nn.Layer):
    """Nested tensor ranges and a state kept in a dict."""

    def __init__(self):
        super().__init__()
        self.f1, self.f2 = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x, k):
        st = {"h": x.mean(1), "c": paddle.zeros([x.shape[0], 6])}
        h, c = st["h"], st["c"]
        for i in range(k[0]):
            g = F.sigmoid(self.f1(h))
            for j in range(2):
                c = g * c + (1 - g) * paddle.tanh(self.f2(h + 0.1 * j))
            h = h + c
        st.update(h=h, c=c)
        return st["h"], st["c"]


@model(f("x", "B T 8"), m("mask", "B T"))
class SliceAssignments(nn.Layer):
    """Slices with steps, negative strides, boolean and advanced-index assignment, in-place updates."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(8, 8)

    def forward(self, x, mask):
        y = self.w(x)
        z = paddle.tanh(y)
        z.add_(x)
        z = z * 1.5
        z[:, ::2] = z[:, ::2] * 2.0
        z[:, 1, 3:6] = 0.5
        z[..., -1] = x[..., 0]
        z = paddle.where(mask.unsqueeze(-1), z, paddle.zeros_like(z))
        rows = paddle.to_tensor([0, 1])
        cols = paddle.to_tensor([2, 3])
        z[rows, cols] = paddle.ones([2, 8])
        return z, z[:, ::-1, 1::3], y[mask]


@model(f("x", "N 8"), n("idx", "4", 6), f("upd", "4 8"))
class ScatterZoo(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([8, 8])

    def forward(self, x, idx, upd):
        h = x @ self.w
        i = paddle.unique(idx)
        a = paddle.scatter(h, i, paddle.gather(upd, paddle.arange(i.shape[0])) * 2)
        b = paddle.scatter_nd(idx.unsqueeze(1), upd, [6, 8])
        c = paddle.index_put(h, (idx, paddle.full_like(idx, 2)), upd[:, 0], accumulate=True)
        d = paddle.put_along_axis(h, (idx.unsqueeze(1) % 6).expand([4, 8]), 1.5, axis=0)
        e = (
            paddle.index_fill(h, paddle.to_tensor([1, 3]), 0, -1.0)
            if hasattr(paddle, "index_fill")
            else h
        )
        return a, b, c, d, e


@model(f("x", "N 4"), f("s", "N"))
class NmsByWhile(nn.Layer):
    """Greedy suppression in a loop until no candidate is left; list of picks by tensor concat."""

    def __init__(self):
        super().__init__()
        self.scale = self.create_parameter([4], default_initializer=nn.initializer.Constant(1.0))

    def forward(self, x, s):
        x = F.normalize(x * self.scale, axis=-1)
        sim = x @ x.t()
        alive = paddle.ones_like(s)
        picks = paddle.full([1], -1, dtype="int64")
        while alive.sum() > 0:
            best = paddle.argmax(s + (alive - 1) * 1e9).reshape([1])
            picks = paddle.concat([picks, best])
            row = paddle.index_select(sim, best, axis=0).squeeze(0)
            alive = alive * (row < 0.4).astype("float32")
        keep = picks[1:]
        return keep, paddle.gather(s, keep), sim > 0.4


@model(f("x", "B T 8"))
class ClosuresHooks(nn.Layer):
    """Closures with captured tensors, kwargs dicts, enumerate/zip, comprehension, sorted keys."""

    def __init__(self):
        super().__init__()
        self.heads = nn.LayerDict({k: nn.Linear(8, w) for k, w in (("a", 3), ("b", 2), ("c", 4))})
        self.cfg = {"axis": -1, "keepdim": True}

    def forward(self, x):
        mean = x.mean(1)

        def make(scale):
            def inner(v, shift=0.0):
                return (v - mean.max(**self.cfg)) * scale + shift

            return inner

        fns = [make(2.0**-i) for i in range(3)]
        outs = {
            k: fn(self.heads[k](mean), shift=float(i))
            for i, (k, fn) in enumerate(zip(sorted(self.heads.keys()), fns))
        }
        total = sum(v.sum(**self.cfg) for v in outs.values())
        return [outs[k] / (1 + total.abs()) for k in ("c", "a", "b")] + [
            paddle.stack([v.argmax(-1) for v in outs.values()], 1)
        ]


@model(n("a", "B T", 9), n("b", "B S", 9))
class EditDistance(nn.Layer):
    """Dynamic programming over two free lengths, a row at a time, integers only."""

    def __init__(self):
        super().__init__()
        self.cost = self.create_parameter([1], default_initializer=nn.initializer.Constant(1.0))

    def forward(self, a, b):
        s = b.shape[1]
        cols = paddle.arange(s + 1).astype("float32").unsqueeze(0)
        row = cols.expand([a.shape[0], s + 1]) * self.cost
        for i in range(a.shape[1]):
            sub = row[:, :-1] + (a[:, i].unsqueeze(1) != b).astype("float32")
            dele = row + self.cost
            cand = paddle.concat([dele[:, :1], paddle.minimum(sub, dele[:, 1:])], axis=1)
            # insertion closed form: running minimum of cand - j
            run = (
                -paddle.cummax(-(cand - cols), axis=1)[0]
                if hasattr(paddle, "cummax")
                else cand - cols
            )
            row = run + cols
        d = row[:, -1]
        return d.astype("int64"), d / paddle.maximum(paddle.shape(a)[1], paddle.shape(b)[1]).astype(
            "float32"
        )


@model(f("x", "N 8"))
class MaskedKmeans(nn.Layer):
    """Lloyd steps with empty clusters guarded, one_hot sums, masked_select of the near points."""

    def __init__(self):
        super().__init__()
        self.c = self.create_parameter([3, 8])

    def forward(self, x):
        c = self.c
        for _ in range(3):
            d = (x * x).sum(-1, keepdim=True) - 2 * x @ c.t() + (c * c).sum(-1)
            a = d.argmin(axis=1)
            oh = F.one_hot(a, num_classes=3)
            cnt = oh.sum(0)
            new = paddle.matmul(oh, x, transpose_x=True) / paddle.clip(cnt, min=1.0).unsqueeze(1)
            c = paddle.where((cnt > 0).unsqueeze(1).tile([1, 8]), new, c)
        near = d.min(axis=1)
        return (
            c,
            a,
            paddle.masked_select(near, near < near.mean()),
            paddle.nonzero(a == 1, as_tuple=True)[0].flatten(),
        )


@model(n("tok", "B T", 256, "int32"))
class BytesBitOps(nn.Layer):
    """Bit planes of byte ids, parity, hashed n-grams, rolled windows, unflattened to a small table."""

    def __init__(self):
        super().__init__()
        self.tab = nn.Embedding(64, 8)
        self.fc = nn.Linear(16, 8)

    def forward(self, tok):
        sh = paddle.to_tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype="int32")
        bits = (
            paddle.bitwise_and(
                tok.unsqueeze(-1).expand([-1, -1, 8]), sh.expand([tok.shape[0], tok.shape[1], 8])
            )
            != 0
        )
        par = bits.astype("int32").sum(-1) % 2
        prev = paddle.roll(tok, shifts=1, axis=1)
        h = paddle.bitwise_xor(tok * 31, prev) % 64
        e = paddle.concat([self.tab(h.astype("int64")), bits.astype("float32")], -1)
        y = F.selu(self.fc(e))
        return y.cumprod(dim=1), paddle.any(bits, axis=1), paddle.all(bits, axis=[1, 2]), par


@model(f("q", "B T 16"), f("mem", "B S 16"), u("gate", "1"))
class MemoryTransformerGate(nn.Layer):
    """A gated memory read chosen by a tensor condition, entmax-like sparsemax by sort and cumsum."""

    def __init__(self):
        super().__init__()
        self.g = nn.Linear(32, 16)

    def sparsemax(self, z):
        s = paddle.sort(z, axis=-1, descending=True)
        k = paddle.arange(1, z.shape[-1] + 1).astype(z.dtype)
        cum = paddle.cumsum(s, -1)
        sup = (1 + k * s > cum).astype(z.dtype)
        n = sup.sum(-1, keepdim=True)
        tau = ((s * sup).sum(-1, keepdim=True) - 1) / n
        return F.relu(z - tau)

    def forward(self, q, mem, gate):
        z = paddle.matmul(q, mem, transpose_y=True) * 0.25
        if gate > 0.5:
            a = self.sparsemax(z)
        else:
            a = F.softmax(z, axis=-1)
        r = paddle.bmm(a, mem)
        g = F.sigmoid(self.g(paddle.concat([q, r], -1)))
        return g * q + (1 - g) * r, (a > 0).astype("int64").sum(-1)
