"""Tiny transformer-family models: LLaMA, Qwen, GPT-J, BLOOM, T5, DeBERTa, Mistral, MoE, BERT ..."""

import math

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec

MODELS = {}


def model(f):
    def make():
        paddle.seed(7)
        return f()

    MODELS[f.__name__] = make
    return make


def ids(n, *shape, hi=50):
    return np.random.default_rng(n).integers(0, hi, shape).astype("int64")


def arr(n, *shape):
    return np.random.default_rng(n).standard_normal(shape).astype("float32")


class RMSNorm(nn.Layer):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = self.create_parameter(
            [dim], default_initializer=nn.initializer.Uniform(0.5, 1.5)
        )
        self.eps = eps

    def forward(self, x):
        h = x.astype("float32")
        h = h * paddle.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * h.astype(x.dtype)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return paddle.concat([-x2, x1], axis=-1)


def repeat_kv(h, n):
    b, s, nkv, d = h.shape
    if n == 1:
        return h
    h = h.unsqueeze(-2).tile([1, 1, 1, n, 1])
    return h.reshape([b, s, nkv * n, d])


class Rotary(nn.Layer):
    def __init__(self, dim, max_len=64, base=10000.0):
        super().__init__()
        inv = 1.0 / (base ** (paddle.arange(0, dim, 2, dtype="float32") / dim))
        t = paddle.arange(max_len, dtype="float32")
        freqs = paddle.einsum("i,j->ij", t, inv)
        emb = paddle.concat([freqs, freqs], axis=-1)
        self.register_buffer("cos_cached", emb.cos()[None, :, None, :], persistable=False)
        self.register_buffer("sin_cached", emb.sin()[None, :, None, :], persistable=False)

    def forward(self, x, seq_len):
        return self.cos_cached[:, :seq_len, :, :], self.sin_cached[:, :seq_len, :, :]


class LlamaBlock(nn.Layer):
    def __init__(self, d=32, h=4, kv=2):
        super().__init__()
        self.h, self.kv, self.hd = h, kv, d // h
        self.embed = nn.Embedding(50, d)
        self.q = nn.Linear(d, d, bias_attr=False)
        self.k = nn.Linear(d, kv * self.hd, bias_attr=False)
        self.v = nn.Linear(d, kv * self.hd, bias_attr=False)
        self.o = nn.Linear(d, d, bias_attr=False)
        self.rotary = Rotary(self.hd)
        self.n1, self.n2 = RMSNorm(d), RMSNorm(d)
        self.gate, self.up, self.down = (
            nn.Linear(d, 48, bias_attr=False),
            nn.Linear(d, 48, bias_attr=False),
            nn.Linear(48, d, bias_attr=False),
        )

    def forward(self, input_ids, position_ids):
        x = self.embed(input_ids)
        b, s = input_ids.shape
        y = self.n1(x)
        q = self.q(y).reshape([0, 0, self.h, self.hd])
        k = self.k(y).reshape([0, 0, self.kv, self.hd])
        v = self.v(y).reshape([0, 0, self.kv, self.hd])
        cos, sin = self.rotary(v, s)
        cos = cos.squeeze(axis=[0, 2])[position_ids].unsqueeze(2)
        sin = sin.squeeze(axis=[0, 2])[position_ids].unsqueeze(2)
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        k, v = repeat_kv(k, self.h // self.kv), repeat_kv(v, self.h // self.kv)
        q, k, v = [t.transpose([0, 2, 1, 3]) for t in (q, k, v)]
        w = paddle.matmul(q / math.sqrt(self.hd), k.transpose([0, 1, 3, 2]))
        mask = paddle.triu(paddle.full([s, s], float("-inf")), diagonal=1)
        w = F.softmax(w + mask.unsqueeze([0, 1]), axis=-1, dtype="float32").astype(q.dtype)
        a = paddle.matmul(w, v).transpose([0, 2, 1, 3]).reshape([b, s, -1])
        x = x + self.o(a)
        y = self.n2(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return paddle.matmul(x, self.embed.weight, transpose_y=True)


@model
def llama_gqa_rotate_half():
    mk = lambda n, b, s: [ids(n, b, s), np.tile(np.arange(s, dtype="int64"), (b, 1))]
    return (
        LlamaBlock(),
        [
            InputSpec([None, None], "int64", "input_ids"),
            InputSpec([None, None], "int64", "position_ids"),
        ],
        [mk(1, 2, 5), mk(2, 3, 9)],
    )


class QwenCache(nn.Layer):
    """Two blocks; the caches come in stacked and go out stacked."""

    def __init__(self, d=32, h=4, layers=2):
        super().__init__()
        self.h, self.hd = h, d // h
        self.wte = nn.Embedding(50, d)
        self.c_attn = nn.LayerList([nn.Linear(d, 3 * d) for _ in range(layers)])
        self.c_proj = nn.LayerList([nn.Linear(d, d, bias_attr=False) for _ in range(layers)])
        self.ln = nn.LayerList([RMSNorm(d) for _ in range(layers)])
        self.lm_head = nn.Linear(d, 50, bias_attr=False)
        self.inv_freq = 1.0 / (10000 ** (paddle.arange(0, self.hd, 2).astype("float32") / self.hd))

    def forward(self, input_ids, past_key_values):
        past = paddle.shape(past_key_values)[4]
        s = paddle.shape(input_ids)[1]
        pos = paddle.arange(past, past + s).astype("float32")
        ang = paddle.outer(pos, self.inv_freq)
        ang = paddle.concat((ang, ang), -1)
        cos, sin = paddle.cos(ang)[None, None], paddle.sin(ang)[None, None]
        q_pos = paddle.arange(past, past + s).unsqueeze(-1)
        k_pos = paddle.arange(past + s).unsqueeze(0)
        bias = paddle.where(k_pos <= q_pos, paddle.zeros([1]), paddle.full([1], -1e9))
        x = self.wte(input_ids)
        presents = []
        for i, (attn, proj) in enumerate(zip(self.c_attn, self.c_proj)):
            qkv = attn(self.ln[i](x))
            q, k, v = qkv.split(3, axis=-1)
            q, k, v = (
                t.reshape([paddle.shape(t)[0], -1, self.h, self.hd]).transpose([0, 2, 1, 3])
                for t in (q, k, v)
            )
            q = q * cos + rotate_half(q) * sin
            k = k * cos + rotate_half(k) * sin
            k = paddle.concat([past_key_values[i, 0], k], axis=2)
            v = paddle.concat([past_key_values[i, 1], v], axis=2)
            presents.append(paddle.stack([k, v]))
            w = F.softmax(q @ k.transpose([0, 1, 3, 2]) * self.hd**-0.5 + bias, -1)
            o = (w @ v).transpose([0, 2, 1, 3]).flatten(2)
            x = x + proj(o)
        logits = self.lm_head(x[:, -1:])
        return logits, paddle.argmax(logits, axis=-1), paddle.stack(presents)


@model
def qwen_stacked_cache():
    spec = [
        InputSpec([None, None], "int64", "input_ids"),
        InputSpec([2, 2, None, 4, None, 8], "float32", "past"),
    ]
    return (
        QwenCache(),
        spec,
        [[ids(1, 1, 1), arr(2, 2, 2, 1, 4, 6, 8)], [ids(3, 2, 4), arr(4, 2, 2, 2, 4, 0, 8)]],
    )


class GPTJ(nn.Layer):
    def __init__(self, d=32, h=4, rot=4):
        super().__init__()
        self.h, self.rot = h, rot
        self.ln = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias_attr=False)
        self.out = nn.Linear(d, d)
        self.fc = nn.Sequential(nn.Linear(d, 64), nn.GELU(approximate=True), nn.Linear(64, d))
        self.register_buffer(
            "bias", paddle.tril(paddle.ones([1, 1, 64, 64], dtype="int32")).astype("bool")
        )
        self.register_buffer("masked_bias", paddle.to_tensor(-1e9))

    def every_two(self, x):
        return paddle.stack([-x[:, :, :, 1::2], x[:, :, :, ::2]], axis=-1).flatten(-2)

    def rope(self, x):
        s = x.shape[1]
        inv = 1.0 / (10000 ** (np.arange(0, self.rot, 2) / self.rot))
        sinusoid = paddle.arange(s, dtype="float32").unsqueeze(1) * paddle.to_tensor(
            inv.astype("float32")
        )
        sin = paddle.repeat_interleave(paddle.sin(sinusoid), 2, axis=1)[None, :, None, :]
        cos = paddle.repeat_interleave(paddle.cos(sinusoid), 2, axis=1)[None, :, None, :]
        r, p = x[..., : self.rot], x[..., self.rot :]
        return paddle.concat([r * cos + self.every_two(r) * sin, p], axis=-1)

    def forward(self, hidden):
        y = self.ln(hidden)
        q, k, v = paddle.chunk(
            self.qkv(y).reshape([hidden.shape[0], hidden.shape[1], self.h, -1]), 3, axis=-1
        )
        q, k = self.rope(q), self.rope(k)
        w = paddle.einsum("bqhd,bkhd->bhqk", q, k) / float(v.shape[-1]) ** 0.5
        ql, kl = q.shape[1], k.shape[1]
        causal = self.bias[:, :, kl - ql : kl, :kl]
        w = paddle.where(causal, w, self.masked_bias)
        a = paddle.einsum("bhqk,bkhd->bqhd", F.softmax(w, axis=-1), v)
        return hidden + self.out(a.flatten(2, 3)) + self.fc(y)


@model
def gptj_interleaved_parallel():
    return (
        GPTJ(),
        [InputSpec([None, None, 32], "float32", "hidden")],
        [[arr(1, 2, 4, 32)], [arr(2, 1, 11, 32)]],
    )


class ComplexRope(nn.Layer):
    def __init__(self, d=24, h=3):
        super().__init__()
        self.h, self.hd = h, d // h
        self.wq, self.wk, self.wv, self.wo = [nn.Linear(d, d, bias_attr=False) for _ in range(4)]
        freqs = 1.0 / (
            10000.0 ** (paddle.arange(0, self.hd, 2)[: self.hd // 2].astype("float32") / self.hd)
        )
        self.angles = paddle.outer(paddle.arange(40, dtype="float32"), freqs)

    def apply(self, x, freqs_cis):
        xc = paddle.as_complex(x.reshape([*x.shape[:-1], -1, 2]))
        y = paddle.as_real(xc * freqs_cis)
        return y.flatten(3)

    def forward(self, x, start_pos):
        bsz, seqlen, _ = x.shape
        ang = self.angles[start_pos : start_pos + seqlen]
        cis = paddle.complex(paddle.cos(ang), paddle.sin(ang)).reshape([1, seqlen, 1, -1])
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = self.apply(xq.reshape([bsz, seqlen, self.h, self.hd]), cis)
        xk = self.apply(xk.reshape([bsz, seqlen, self.h, self.hd]), cis)
        xv = xv.reshape([bsz, seqlen, self.h, self.hd])
        mask = None
        if seqlen > 1:
            mask = paddle.full([1, 1, seqlen, seqlen], -1e9)
            mask = paddle.triu(mask, diagonal=1)
        else:
            mask = paddle.zeros([1, 1, 1, 1])
        scores = paddle.matmul(xq.transpose([0, 2, 1, 3]), xk.transpose([0, 2, 3, 1])) / math.sqrt(
            self.hd
        )
        out = paddle.matmul(F.softmax(scores + mask), xv.transpose([0, 2, 1, 3]))
        return self.wo(out.transpose([0, 2, 1, 3]).reshape([bsz, seqlen, -1]))


@model
def llama_complex_freqs_cis():
    spec = [InputSpec([None, None, 24], "float32", "x"), InputSpec([1], "int64", "start_pos")]
    return (
        ComplexRope(),
        spec,
        [[arr(1, 2, 6, 24), np.array([3], "int64")], [arr(2, 3, 1, 24), np.array([17], "int64")]],
    )


class BloomAlibi(nn.Layer):
    def __init__(self, d=24, h=6):
        super().__init__()
        self.h, self.hd = h, d // h
        self.emb = nn.Embedding(50, d, padding_idx=0)
        self.emb_ln = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.dense = nn.Linear(d, d)
        p2 = 2 ** math.floor(math.log2(h))
        base = 2 ** (-(2 ** -(math.log2(p2) - 3)))
        slopes = [base**i for i in range(1, p2 + 1)]
        extra = 2 ** (-(2 ** -(math.log2(2 * p2) - 3)))
        slopes += [extra**i for i in range(1, 1 + 2 * min(p2, h - p2), 2)]
        self.slopes = paddle.to_tensor(slopes, dtype="float32")

    def forward(self, input_ids, attention_mask):
        bsz, L = paddle.shape(input_ids)[0], paddle.shape(input_ids)[1]
        am = attention_mask.astype("int64")
        pos = ((am.cumsum(axis=-1) - 1) * am)[:, None, :]
        alibi = self.slopes[..., None] * pos.astype("float32")
        alibi = alibi.reshape([bsz * self.h, 1, L])
        fused = self.qkv(self.emb_ln(self.emb(input_ids))).reshape([bsz, L, self.h, 3, self.hd])
        q, k, v = fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]
        q = q.transpose([0, 2, 1, 3]).reshape([bsz * self.h, L, self.hd])
        k = k.transpose([0, 2, 3, 1]).reshape([bsz * self.h, self.hd, L])
        v = v.transpose([0, 2, 1, 3]).reshape([bsz * self.h, L, self.hd])
        s = alibi + paddle.bmm(q, k) * self.hd**-0.5
        causal = paddle.triu(paddle.ones([L, L], dtype="int64"), diagonal=1).astype("bool")
        masked = paddle.logical_or(causal[None, None], (attention_mask == 0)[:, None, None, :])
        s = s.reshape([bsz, self.h, L, L])
        s = paddle.where(masked, paddle.full_like(s, paddle.finfo(paddle.float32).min), s)
        p = F.softmax(s, axis=-1).reshape([-1, L, L])
        c = (
            paddle.bmm(p, v)
            .reshape([bsz, self.h, L, self.hd])
            .transpose([0, 2, 1, 3])
            .reshape([bsz, L, self.h * self.hd])
        )
        return self.dense(c) * attention_mask.unsqueeze(-1).astype("float32")


@model
def bloom_alibi_padded():
    def mk(n, b, s):
        m = np.ones((b, s), "int64")
        m[0, s - 2 :] = 0
        return [ids(n, b, s), m]

    return (
        BloomAlibi(),
        [
            InputSpec([None, None], "int64", "input_ids"),
            InputSpec([None, None], "int64", "attention_mask"),
        ],
        [mk(1, 2, 5), mk(2, 3, 8)],
    )


class T5Rel(nn.Layer):
    def __init__(self, d=32, h=4, buckets=16, maxd=20):
        super().__init__()
        self.h, self.buckets, self.maxd = h, buckets, maxd
        self.rel = nn.Embedding(buckets, h)
        self.shared = nn.Embedding(50, d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias_attr=False) for _ in range(4))
        self.ln, self.ln2 = RMSNorm(d), RMSNorm(d)
        self.wi0, self.wi1, self.wo = (
            nn.Linear(d, 40, bias_attr=False),
            nn.Linear(d, 40, bias_attr=False),
            nn.Linear(40, d, bias_attr=False),
        )

    def _bucket(self, rp):
        ret = 0
        nb = self.buckets // 2
        ret += (rp > 0).astype(paddle.int64) * nb
        n = paddle.abs(rp)
        max_exact = nb // 2
        is_small = n < max_exact
        large = max_exact + (
            paddle.log(n.astype("float32") / max_exact + 1e-6)
            / math.log(self.maxd / max_exact)
            * (nb - max_exact)
        ).astype("int64")
        large = paddle.minimum(large, paddle.full_like(large, nb - 1))
        return ret + paddle.where(is_small, n, large)

    def forward(self, input_ids, mask):
        x = self.shared(input_ids)
        L = input_ids.shape[1]
        ctx, mem = paddle.arange(L)[:, None], paddle.arange(L)[None, :]
        bias = self.rel(self._bucket(mem - ctx)).transpose([2, 0, 1]).unsqueeze(0)
        bias = bias + (1.0 - mask[:, None, None, :]) * -1e9
        shape = lambda t: t.reshape([0, -1, self.h, x.shape[-1] // self.h]).transpose([0, 2, 1, 3])
        y = self.ln(x)
        scores = paddle.matmul(shape(self.q(y)), shape(self.k(y)), transpose_y=True)
        scores += bias
        attn = F.softmax(scores.astype("float32"), axis=-1).astype(scores.dtype)
        x = x + self.o(
            paddle.matmul(attn, shape(self.v(y))).transpose([0, 2, 1, 3]).reshape([0, 0, -1])
        )
        y = self.ln2(x)
        x = x + self.wo(F.gelu(self.wi0(y), approximate=True) * self.wi1(y))
        return x, bias


@model
def t5_bucketed_bias():
    def mk(n, b, s):
        m = np.ones((b, s), "float32")
        m[-1, s - 1 :] = 0
        return [ids(n, b, s), m]

    return (
        T5Rel(),
        [InputSpec([None, None], "int64", "ids"), InputSpec([None, None], "float32", "mask")],
        [mk(1, 2, 7), mk(2, 1, 30)],
    )


class Disentangled(nn.Layer):
    def __init__(self, d=24, h=3, span=6):
        super().__init__()
        self.h, self.span = h, span
        self.rel = nn.Embedding(2 * span, d)
        self.qp, self.kp, self.vp = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.ln = nn.LayerNorm(d, epsilon=1e-7)

    def heads(self, x):
        x = x.reshape(list(x.shape[:-1]) + [self.h, -1])
        return x.transpose([0, 2, 1, 3]).reshape([-1, x.shape[1], x.shape[-1]])

    def forward(self, x):
        q, k, v = self.heads(self.qp(x)), self.heads(self.kp(x)), self.heads(self.vp(x))
        scale = 1.0 / math.sqrt(x.shape[-1] // self.h * 3)
        L = x.shape[1]
        rp = paddle.arange(L).unsqueeze(1) - paddle.arange(L).unsqueeze(0)
        r = self.ln(self.rel.weight).unsqueeze(0)
        pk, pq = self.heads(self.kp(r)), self.heads(self.qp(r))
        bh = paddle.shape(q)[0]
        reps = paddle.concat([(bh // self.h).reshape([1]), paddle.ones([2], dtype=bh.dtype)])
        pk, pq = pk.tile(reps), paddle.tile(pq, reps)
        idx = paddle.clip(rp + self.span, 0, 2 * self.span - 1)
        c2p = paddle.take_along_axis(
            paddle.bmm(q, pk.transpose([0, 2, 1])), idx.unsqueeze(0).expand([bh, -1, -1]), 2
        )
        idx2 = paddle.clip(-rp + self.span, 0, 2 * self.span - 1)
        p2c = paddle.take_along_axis(
            paddle.bmm(k, pq.transpose([0, 2, 1])), idx2.unsqueeze(0).expand([bh, -1, -1]), 2
        ).transpose([0, 2, 1])
        a = F.softmax((paddle.bmm(q, k.transpose([0, 2, 1])) + c2p + p2c) * scale, axis=-1)
        o = paddle.bmm(a, v).reshape([-1, self.h, L, v.shape[-1]]).transpose([0, 2, 1, 3])
        return o.reshape([0, 0, -1]) + x


@model
def deberta_disentangled():
    return (
        Disentangled(),
        [InputSpec([None, None, 24], "float32", "x")],
        [[arr(1, 2, 5, 24)], [arr(2, 3, 16, 24)]],
    )


class SlidingWindow(nn.Layer):
    """Mistral-like decoder step: rolling buffer cache trimmed to the window."""

    def __init__(self, d=16, window=4):
        super().__init__()
        self.window = window
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.sink = self.create_parameter([1, 1, d], default_initializer=nn.initializer.Normal())

    def forward(self, x, ck, cv):
        k, v = paddle.split(self.kv(x), 2, axis=-1)
        k, v = paddle.concat([ck, k], 1), paddle.concat([cv, v], 1)
        n, m = x.shape[1], k.shape[1]
        rows = paddle.arange(n).reshape([-1, 1]) + (m - n)
        cols = paddle.arange(m).reshape([1, -1])
        ok = paddle.logical_and(cols <= rows, rows - cols < self.window)
        s = paddle.matmul(self.q(x), k, transpose_y=True) * 0.25
        s = paddle.where(ok, s, paddle.to_tensor(float("-inf"), dtype=s.dtype))
        sink = paddle.sum(self.q(x) * self.sink, axis=-1, keepdim=True)
        p = F.softmax(paddle.concat([sink, s], -1), -1)[:, :, 1:]
        return self.o(p @ v), k[:, -self.window :], v[:, -self.window :]


@model
def mistral_sliding_window_sink():
    spec = [
        InputSpec([None, None, 16], "float32", "x"),
        InputSpec([None, None, 16], "float32", "ck"),
        InputSpec([None, None, 16], "float32", "cv"),
    ]
    return (
        SlidingWindow(),
        spec,
        [
            [arr(1, 2, 3, 16), arr(2, 2, 4, 16), arr(3, 2, 4, 16)],
            [arr(4, 1, 7, 16), arr(5, 1, 2, 16), arr(6, 1, 2, 16)],
        ],
    )


class OneHotMoE(nn.Layer):
    """GShard style: capacity, cumsum positions, dispatch and combine tensors by einsum."""

    def __init__(self, d=16, e=4, f=24):
        super().__init__()
        self.e = e
        self.gate = nn.Linear(d, e, bias_attr=False)
        self.w1 = self.create_parameter([e, d, f])
        self.w2 = self.create_parameter([e, f, d])

    def forward(self, x):
        b, s, d = x.shape
        t = x.reshape([-1, d])
        n = t.shape[0]
        cap = (n + 1) // 2
        probs = F.softmax(self.gate(t), axis=-1)
        g1, i1 = paddle.topk(probs, k=2, axis=-1)
        m1 = F.one_hot(i1[:, 0], self.e)
        m2 = F.one_hot(i1[:, 1], self.e)
        p1 = (paddle.cumsum(m1, axis=0) - 1) * m1
        p2 = (paddle.cumsum(m2, axis=0) - 1 + m1.sum(0, keepdim=True)) * m2
        m1 = m1 * (p1 < cap).astype("float32")
        m2 = m2 * (p2 < cap).astype("float32")
        g = paddle.stack([(probs * m1).sum(-1), (probs * m2).sum(-1)], 1)
        g = g / paddle.clip(g.sum(-1, keepdim=True), min=1e-9)
        slots = paddle.arange(cap).astype("float32")
        oh1 = (p1.sum(-1, keepdim=True) == slots).astype("float32")
        oh2 = (p2.sum(-1, keepdim=True) == slots).astype("float32")
        combine = g[:, 0:1, None] * m1.unsqueeze(-1) * oh1.unsqueeze(1) + g[
            :, 1:2, None
        ] * m2.unsqueeze(-1) * oh2.unsqueeze(1)
        xin = paddle.einsum("nec,nd->ecd", (combine > 0).astype(x.dtype), t)
        h = F.swish(paddle.bmm(xin, self.w1))
        y = paddle.einsum("nec,ecd->nd", combine, paddle.bmm(h, self.w2))
        aux = (probs.mean(0) * F.one_hot(i1[:, 0], self.e).mean(0)).sum() * self.e
        return y.reshape([b, s, d]), aux


@model
def moe_gshard_capacity():
    return (
        OneHotMoE(),
        [InputSpec([None, None, 16], "float32", "x")],
        [[arr(1, 2, 5, 16)], [arr(2, 3, 7, 16)]],
    )


class MixtralMoE(nn.Layer):
    """Loop over experts: nonzero, gather, index_add back."""

    def __init__(self, d=16, e=4):
        super().__init__()
        self.e = e
        self.router = nn.Linear(d, e, bias_attr=False)
        self.experts = nn.LayerList(
            [nn.Sequential(nn.Linear(d, 20), nn.Silu(), nn.Linear(20, d)) for _ in range(e)]
        )

    def forward(self, hidden):
        shape = paddle.shape(hidden)
        h = hidden.reshape([-1, 16])
        logits = self.router(h)
        w = F.softmax(logits, axis=1, dtype="float32")
        w, sel = paddle.topk(w, 2, axis=-1)
        w /= w.sum(axis=-1, keepdim=True)
        final = paddle.zeros_like(h)
        for e, expert in enumerate(self.experts):
            hit = paddle.nonzero(sel == e)
            tok = hit[:, 0]
            out = expert(paddle.gather(h, tok)) * paddle.gather_nd(w, hit).unsqueeze(-1)
            final = paddle.index_add(final, tok, 0, out)
        return final.reshape(shape), logits


@model
def moe_mixtral_index_add():
    return (
        MixtralMoE(),
        [InputSpec([None, None, 16], "float32", "hidden")],
        [[arr(1, 4, 6, 16)], [arr(2, 2, 21, 16)]],
    )


class BertEncoder(nn.Layer):
    def __init__(self, d=32):
        super().__init__()
        self.word, self.pos, self.typ = (
            nn.Embedding(50, d, padding_idx=0),
            nn.Embedding(40, d),
            nn.Embedding(2, d),
        )
        self.norm = nn.LayerNorm(d)
        layer = nn.TransformerEncoderLayer(
            d, 4, 48, dropout=0.1, activation="gelu", attn_dropout=0.1, act_dropout=0
        )
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pooler, self.cls = nn.Linear(d, d), nn.Linear(d, 3)
        self.dropout = nn.Dropout(0.1)

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        if attention_mask is None:
            attention_mask = paddle.unsqueeze(
                (input_ids == 0).astype(self.pooler.weight.dtype) * -1e4, axis=[1, 2]
            )
        ones = paddle.ones_like(input_ids, dtype="int64")
        position_ids = paddle.cumsum(ones, axis=-1) - ones
        position_ids.stop_gradient = True
        if token_type_ids is None:
            token_type_ids = paddle.zeros_like(input_ids, dtype="int64")
        x = self.word(input_ids) + self.pos(position_ids) + self.typ(token_type_ids)
        seq = self.encoder(self.dropout(self.norm(x)), attention_mask)
        pooled = F.tanh(self.pooler(seq[:, 0]))
        return seq, pooled, self.cls(self.dropout(pooled))


@model
def bert_transformer_encoder():
    mk = lambda n, b, s: [ids(n, b, s), ids(n + 9, b, s, hi=2)]
    return (
        BertEncoder(),
        [
            InputSpec([None, None], "int64", "input_ids"),
            InputSpec([None, None], "int64", "token_type_ids"),
        ],
        [mk(1, 2, 6), mk(2, 4, 13)],
    )


class CachedDecoder(nn.Layer):
    """One step of an nn.MultiHeadAttention decoder with growing and static caches."""

    def __init__(self, d=24):
        super().__init__()
        self.self_attn = nn.MultiHeadAttention(d, 3)
        self.cross_attn = nn.MultiHeadAttention(d, 3, kdim=20, vdim=20, need_weights=True)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, tgt, memory, k, v, mem_mask):
        cache = nn.MultiHeadAttention.Cache(k, v)
        static = self.cross_attn.gen_cache(memory, memory, nn.MultiHeadAttention.StaticCache)
        y, cache = self.self_attn(tgt, tgt, tgt, None, cache)
        x = self.n1(tgt + y)
        y, weights, _ = self.cross_attn(x, memory, memory, mem_mask.unsqueeze([1, 2]), static)
        return self.n2(x + y), weights.mean(axis=1), cache.k, cache.v


@model
def mha_caches_cross():
    def mk(n, b, t, m):
        mask = np.ones((b, m), bool)
        mask[0, -1] = False
        return [
            arr(n, b, 1, 24),
            arr(n + 1, b, m, 20),
            arr(n + 2, b, 3, t, 8),
            arr(n + 3, b, 3, t, 8),
            mask,
        ]

    f = "float32"
    spec = [
        InputSpec([None, None, 24], f, "tgt"),
        InputSpec([None, None, 20], f, "memory"),
        InputSpec([None, 3, None, 8], f, "k"),
        InputSpec([None, 3, None, 8], f, "v"),
        InputSpec([None, None], "bool", "mem_mask"),
    ]
    return CachedDecoder(), spec, [mk(1, 2, 4, 5), mk(8, 1, 7, 3)]


class AudioSpectrogramTransformer(nn.Layer):
    def __init__(self, d=24):
        super().__init__()
        self.proj = nn.Conv2D(1, d, 4, 3)
        init = nn.initializer.TruncatedNormal(std=0.5)
        self.cls_token = self.create_parameter([1, 1, d], default_initializer=init)
        self.dist_token = self.create_parameter([1, 1, d], default_initializer=init)
        self.pos = self.create_parameter([1, d, 4, 6], default_initializer=init)
        self.block = nn.TransformerEncoderLayer(d, 2, 32, normalize_before=True, activation="relu")
        self.head = nn.Linear(d, 5)

    def forward(self, fbank):
        x = self.proj(fbank.unsqueeze(1).transpose([0, 1, 3, 2]))
        x = x + F.interpolate(
            self.pos, size=paddle.shape(x)[2:], mode="bilinear", align_corners=False
        )
        x = x.flatten(2).transpose([0, 2, 1])
        cls = self.cls_token.expand([x.shape[0], -1, -1])
        dist = self.dist_token.expand([x.shape[0], -1, -1])
        x = self.block(paddle.concat((cls, dist, x), axis=1))
        return self.head((x[:, 0] + x[:, 1]) / 2)


@model
def ast_cls_dist_tokens():
    return (
        AudioSpectrogramTransformer(),
        [InputSpec([None, None, 16], "float32", "fbank")],
        [[arr(1, 2, 20, 16)], [arr(2, 1, 37, 16)]],
    )


class Int8Linear(nn.Layer):
    def __init__(self, i, o, group, seed):
        super().__init__()
        w = np.random.default_rng(seed).standard_normal((o, i)).astype("float32") * 0.2
        g = w.reshape(o, i // group, group)
        sc = np.abs(g).max(-1, keepdims=True) / 127
        self.group = group
        self.register_buffer(
            "qweight",
            paddle.to_tensor(np.clip(np.round(g / sc), -127, 127).astype("int8").reshape(o, i)),
        )
        self.register_buffer("scales", paddle.to_tensor(sc[..., 0].astype("float16")))

    def forward(self, x):
        o, i = self.qweight.shape
        w = self.qweight.astype("float32").reshape([o, -1, self.group]) * self.scales.astype(
            "float32"
        ).unsqueeze(-1)
        return F.linear(x, w.reshape([o, i]).t())


class Int8Mlp(nn.Layer):
    def __init__(self, d=32):
        super().__init__()
        self.up, self.down = Int8Linear(d, 64, 8, 1), Int8Linear(64, d, 16, 2)
        packed = np.random.default_rng(3).integers(0, 256, (d, 10)).astype("uint8")
        self.register_buffer("packed", paddle.to_tensor(packed))

    def forward(self, x):
        x = x + self.down(F.gelu(self.up(x)))
        p = self.packed.astype("int32")
        lo, hi = paddle.bitwise_and(p, paddle.full_like(p, 15)), p // 16
        w4 = paddle.stack([lo, hi], axis=-1).reshape([x.shape[-1], -1]).astype("float32") - 8.0
        amax = x.abs().max(axis=-1, keepdim=True)
        xq = paddle.round(x / (amax / 127.0)).clip(-128, 127).astype("int8")
        return (xq.astype("float32") @ (w4 * 0.1)) * (amax / 127.0), xq


@model
def weight_only_int8_int4():
    return (
        Int8Mlp(),
        [InputSpec([None, None, 32], "float32", "x")],
        [[arr(1, 2, 3, 32)], [arr(2, 1, 8, 32)]],
    )


class MixedCasts(nn.Layer):
    def __init__(self, d=16):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.scale = self.create_parameter(
            [d], dtype="float32", default_initializer=nn.initializer.Constant(0.3)
        )

    def forward(self, x, mask):
        h = self.fc(x.astype(paddle.float32))
        low = h.astype("bfloat16")
        resid = low.cast("float32") - h
        half = paddle.cast(h, "float16")
        gated = paddle.where(mask, half.astype(h.dtype), paddle.zeros_like(h)).astype("float16")
        pos = paddle.arange(h.shape[1], dtype="float32").unsqueeze(-1).astype("float16")
        y = self.norm(gated.astype(self.scale.dtype) + pos.astype(self.scale.dtype) * self.scale)
        big = y.astype("float64").cumsum(1)
        return half, resid, big.astype(x.dtype), y.argmax(-1).astype("int32")


@model
def fp16_bf16_casts():
    def mk(n, b, s):
        return [arr(n, b, s, 16).astype("float16"), arr(n + 1, b, s, 1) > -0.5]

    return (
        MixedCasts(),
        [InputSpec([None, None, 16], "float16", "x"), InputSpec([None, None, 1], "bool", "mask")],
        [mk(1, 2, 3), mk(3, 3, 6)],
    )
