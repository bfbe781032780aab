"""Recommenders, long time-series forecasters, speech models and state-space recurrences."""

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


def arr(n, *shape):
    return np.random.default_rng(n).standard_normal(shape).astype("float32")


def ids(n, *shape, lo=0, hi=30):
    return np.random.default_rng(n).integers(lo, hi, shape).astype("int64")


class DeepFM(nn.Layer):
    def __init__(self, n=30, fields=5, dense=3, d=4):
        super().__init__()
        self.d, self.fields, self.dense = d, fields, dense
        self.first = nn.Embedding(
            n,
            1,
            padding_idx=0,
            weight_attr=paddle.ParamAttr(initializer=nn.initializer.TruncatedNormal(std=0.5)),
        )
        self.second = nn.Embedding(n, d, sparse=True)
        self.dw1 = self.create_parameter([dense], default_initializer=nn.initializer.Normal())
        self.dw2 = self.create_parameter([1, dense, d], default_initializer=nn.initializer.Normal())
        self.layers_ = []
        sizes = [(fields + dense) * d, 16, 8]
        for i in range(2):
            lin = nn.Linear(sizes[i], sizes[i + 1])
            self.add_sublayer("linear_%d" % i, lin)
            self.layers_.append(lin)
            act = nn.ReLU()
            self.add_sublayer("act_%d" % i, act)
            self.layers_.append(act)
        self.out = nn.Linear(8, 1)
        self.bias = paddle.create_parameter(
            shape=[1], dtype="float32", default_initializer=nn.initializer.Constant(0.1)
        )

    def forward(self, c1, c2, c3, c4, c5, dense):
        sparse = paddle.concat([c1, c2, c3, c4, c5], axis=1)
        y1 = paddle.sum(self.first(sparse), 1) + paddle.sum(
            paddle.multiply(dense, self.dw1), 1, keepdim=True
        )
        d2 = paddle.multiply(paddle.unsqueeze(dense, axis=2), self.dw2)
        feat = paddle.concat([self.second(sparse), d2], 1)
        sum_sq = paddle.square(paddle.sum(feat, 1))
        sq_sum = paddle.sum(paddle.square(feat), 1)
        y2 = 0.5 * paddle.sum(sum_sq - sq_sum, 1, keepdim=True)
        y = paddle.reshape(feat, shape=[-1, (self.fields + self.dense) * self.d])
        for l in self.layers_:
            y = l(y)
        pred = F.sigmoid(y1 + y2 + self.out(y) + self.bias)
        return paddle.concat([1 - pred, pred], axis=-1)


@model
def deepfm_six_inputs():
    mk = lambda n, b: [ids(n + i, b, 1) for i in range(5)] + [arr(n + 9, b, 3)]
    spec = [InputSpec([None, 1], "int64", f"C{i}") for i in range(5)] + [
        InputSpec([None, 3], "float32", "dense")
    ]
    return DeepFM(), spec, [mk(1, 2), mk(20, 5)]


class DCNv2(nn.Layer):
    """Low-rank cross network with experts, in parallel with a deep part."""

    def __init__(self, d=12, rank=3, experts=2, layers=2):
        super().__init__()
        mk = lambda *s: self.create_parameter(
            list(s), default_initializer=nn.initializer.XavierNormal()
        )
        self.U = nn.ParameterList([mk(experts, d, rank) for _ in range(layers)])
        self.V = nn.ParameterList([mk(experts, d, rank) for _ in range(layers)])
        self.C = nn.ParameterList([mk(experts, rank, rank) for _ in range(layers)])
        self.bias = nn.ParameterList([mk(d, 1) for _ in range(layers)])
        self.gating = nn.LayerList([nn.Linear(d, 1, bias_attr=False) for _ in range(experts)])
        self.deep = nn.Sequential(
            nn.Linear(d, 10), nn.BatchNorm1D(10), nn.PReLU(10), nn.Linear(10, 6)
        )
        self.w = mk(d, 1)

    def forward(self, x):
        x0 = x.unsqueeze(2)
        xl = x0
        for i in range(len(self.U)):
            outs, gates = [], []
            for e in range(self.U[i].shape[0]):
                gates.append(self.gating[e](xl.squeeze(2)))
                v = paddle.tanh(paddle.matmul(self.V[i][e].t(), xl))
                v = paddle.tanh(paddle.matmul(self.C[i][e], v))
                uv = paddle.matmul(self.U[i][e], v) + self.bias[i]
                outs.append((x0 * uv).squeeze(2))
            g = F.softmax(paddle.stack(gates, 1), axis=1)
            xl = paddle.matmul(paddle.stack(outs, 2), g) + xl
        cross1 = x * paddle.matmul(x, self.w) + x
        return paddle.concat([xl.squeeze(2), self.deep(x), cross1], -1)


@model
def dcn_mix_experts():
    return DCNv2(), [InputSpec([None, 12], "float32", "x")], [[arr(1, 3, 12)], [arr(2, 6, 12)]]


class DIN(nn.Layer):
    def __init__(self, items=30, cats=10, d=6):
        super().__init__()
        self.item, self.cat = nn.Embedding(items, d), nn.Embedding(cats, d)
        self.item_b = nn.Embedding(items, 1)
        self.att = nn.Sequential(nn.Linear(8 * d, 12), nn.Sigmoid(), nn.Linear(12, 1))
        self.fc = nn.Linear(4 * d, 1)
        self.alpha = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.25))

    def dice(self, x):
        p = F.sigmoid(
            (x - x.mean(-1, keepdim=True))
            / paddle.sqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-8)
        )
        return p * x + self.alpha * (1 - p) * x

    def forward(self, hist_item, hist_cat, target_item, target_cat, mask):
        hist = paddle.concat([self.item(hist_item), self.cat(hist_cat)], axis=2)
        target = paddle.concat([self.item(target_item), self.cat(target_cat)], axis=-1)
        q = paddle.expand(target.unsqueeze(1), shape=[-1, hist_item.shape[1], target.shape[-1]])
        c = paddle.concat([hist, q, hist - q, hist * q], axis=-1)
        w = self.att(c) + mask.unsqueeze(2)
        w = F.softmax((w.transpose(perm=[0, 2, 1])) * (hist.shape[-1] ** -0.5))
        user = paddle.matmul(w, hist).reshape([-1, hist.shape[-1]])
        h = paddle.concat([user, target], -1)
        return F.sigmoid(self.fc(self.dice(h)) + self.item_b(target_item)), w


@model
def din_attention_dice():
    def mk(n, b, t):
        m = np.zeros((b, t), "float32")
        m[0, -1] = -4294967295.0
        return [ids(n, b, t), ids(n + 1, b, t, hi=10), ids(n + 2, b), ids(n + 3, b, hi=10), m]

    i = "int64"
    return (
        DIN(),
        [
            InputSpec([None, None], i, "hi"),
            InputSpec([None, None], i, "hc"),
            InputSpec([None], i, "ti"),
            InputSpec([None], i, "tc"),
            InputSpec([None, None], "float32", "mask"),
        ],
        [mk(1, 2, 4), mk(7, 3, 8)],
    )


class DLRM(nn.Layer):
    def __init__(self, d=6, tables=4):
        super().__init__()
        self.embs = nn.LayerList([nn.Embedding(30, d) for _ in range(tables)])
        self.bot = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, d), nn.ReLU())
        n = tables + 1
        self.top = nn.Sequential(
            ("fc1", nn.Linear(d + n * (n - 1) // 2, 8)),
            ("relu", nn.ReLU()),
            ("fc2", nn.Linear(8, 1)),
        )
        li, lj = np.tril_indices(n, -1)
        self.register_buffer("flat", paddle.to_tensor((li * n + lj).astype("int64")))

    def forward(self, dense, sparse, weights):
        x = self.bot(paddle.log(dense.abs() + 1))
        es = [x]
        for k, e in enumerate(self.embs):
            bag = e(sparse[:, k])
            es.append((bag * weights[:, k].unsqueeze(-1)).sum(axis=1))
        t = paddle.stack(es, axis=1)
        z = paddle.bmm(t, paddle.transpose(t, [0, 2, 1]))
        z = paddle.gather(z.flatten(start_axis=1), self.flat, axis=1)
        return self.top(paddle.concat([x, z], axis=1)).squeeze(-1)


@model
def dlrm_embedding_bags():
    mk = lambda n, b, k: [arr(n, b, 5), ids(n + 1, b, 4, k), arr(n + 2, b, 4, k)]
    return (
        DLRM(),
        [
            InputSpec([None, 5], "float32", "dense"),
            InputSpec([None, 4, None], "int64", "sparse"),
            InputSpec([None, 4, None], "float32", "w"),
        ],
        [mk(1, 2, 3), mk(5, 4, 6)],
    )


class ProbSparse(nn.Layer):
    """Informer attention: the u queries with the largest sparsity; the others take the mean; then distil."""

    def __init__(self, d=16, h=2):
        super().__init__()
        self.h = h
        self.value_embed = nn.Conv1D(4, d, 3, padding=1, padding_mode="circular", data_format="NCL")
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.down = nn.Conv1D(d, d, 3, padding=2, padding_mode="circular")
        self.norm, self.act = nn.BatchNorm1D(d), nn.ELU()
        self.pool = nn.MaxPool1D(kernel_size=3, stride=2, padding=1)

    def forward(self, x):
        x = self.value_embed(x.transpose([0, 2, 1])).transpose([0, 2, 1])
        B, L, D = x.shape
        H, E = self.h, D // self.h
        q = self.q(x).reshape([B, L, H, -1]).transpose([0, 2, 1, 3])
        k = self.k(x).reshape([B, L, H, -1]).transpose([0, 2, 1, 3])
        v = self.v(x).reshape([B, L, H, -1]).transpose([0, 2, 1, 3])
        s = paddle.matmul(q, k, transpose_y=True)
        M = s.max(-1) - s.sum(-1) / 10.0
        top = M.topk(3, sorted=False)[1]
        top = paddle.sort(top, axis=-1)
        qr = paddle.take_along_axis(q, top.unsqueeze(-1).expand([B, H, 3, E]), axis=2)
        upd = F.softmax(paddle.matmul(qr, k, transpose_y=True) / math.sqrt(E), axis=-1) @ v
        ctx = v.mean(axis=2, keepdim=True).expand([B, H, L, E])
        ctx = paddle.put_along_axis(ctx, top.unsqueeze(-1).expand([B, H, 3, E]), upd, 2)
        x = x + self.o(ctx.transpose([0, 2, 1, 3]).reshape([B, L, -1]))
        return self.pool(self.act(self.norm(self.down(x.transpose([0, 2, 1]))))).transpose(
            [0, 2, 1]
        ), top


@model
def informer_probsparse_distil():
    return (
        ProbSparse(),
        [InputSpec([None, None, 4], "float32", "x")],
        [[arr(1, 2, 8, 4)], [arr(2, 1, 13, 4)]],
    )


class AutoCorrelation(nn.Layer):
    def __init__(self, d=8, kernel=5):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.kernel = kernel
        self.avg = nn.AvgPool1D(kernel, stride=1)

    def decomp(self, x):
        n = (self.kernel - 1) // 2
        front = x[:, 0:1, :].tile([1, n, 1])
        end = x[:, -1:, :].tile([1, n, 1])
        p = paddle.concat([front, x, end], axis=1)
        trend = self.avg(p.transpose([0, 2, 1])).transpose([0, 2, 1])
        return x - trend, trend

    def forward(self, x):
        q, k, v = (f(x).transpose([0, 2, 1]) for f in (self.q, self.k, self.v))
        L = x.shape[1]
        qf, kf = paddle.fft.rfft(q, axis=-1), paddle.fft.rfft(k, axis=-1)
        corr = paddle.fft.irfft(qf * paddle.conj(kf), axis=-1)
        mean = corr.mean(axis=1)
        weights, delay = paddle.topk(mean, 2, axis=-1)
        w = F.softmax(weights, axis=-1)
        init = paddle.arange(L).unsqueeze([0, 1]).expand_as(v)
        vv = paddle.concat([v, v], axis=-1)
        agg = paddle.zeros_like(v)
        for i in range(2):
            idx = init + delay[:, i].reshape([-1, 1, 1])
            agg = agg + paddle.take_along_axis(vv, idx, axis=-1) * w[:, i].reshape([-1, 1, 1])
        season, trend = self.decomp(x + agg.transpose([0, 2, 1]))
        return season, trend, delay


@model
def autoformer_fft_delays():
    return (
        AutoCorrelation(),
        [InputSpec([None, None, 8], "float32", "x")],
        [[arr(1, 2, 8, 8)], [arr(2, 3, 14, 8)]],
    )


class FourierBlock(nn.Layer):
    """FEDformer frequency mixing, FNet mixing, TimesNet periods and a shifted-window roll."""

    def __init__(self, d=8, modes=3):
        super().__init__()
        self.modes = modes
        self.wr = self.create_parameter(
            [d, d, modes], default_initializer=nn.initializer.Uniform(-0.3, 0.3)
        )
        self.wi = self.create_parameter(
            [d, d, modes], default_initializer=nn.initializer.Uniform(-0.3, 0.3)
        )
        self.ln = nn.LayerNorm(d)

    def forward(self, x):
        xt = x.transpose([0, 2, 1])
        ft = paddle.fft.rfft(xt, norm="ortho")
        low = ft[:, :, : self.modes]
        mul = lambda a, w: (a.unsqueeze(2) * w).sum(axis=1)
        re = mul(low.real(), self.wr) - mul(low.imag(), self.wi)
        im = mul(low.real(), self.wi) + mul(low.imag(), self.wr)
        rest = paddle.zeros_like(ft.real())[:, :, self.modes :]
        full = paddle.complex(paddle.concat([re, rest], -1), paddle.concat([im, rest], -1))
        y = paddle.fft.irfft(full, norm="ortho").transpose([0, 2, 1])
        fnet = paddle.fft.fft(paddle.fft.fft(x, axis=-1), axis=-2).real()
        amp = paddle.abs(ft).mean(axis=[0, 1])
        period = paddle.argmax(amp[1:]) + 1
        y = self.ln(y + 0.1 * fnet)
        rolled = paddle.roll(y, shifts=-2, axis=1) + paddle.roll(y, [1, 3], axis=[1, 2])
        return rolled, period, amp


@model
def fedformer_fourier_roll():
    return (
        FourierBlock(),
        [InputSpec([None, None, 8], "float32", "x")],
        [[arr(1, 2, 8, 8)], [arr(2, 1, 16, 8)]],
    )


class NBeats(nn.Layer):
    def __init__(self, back=12, fore=4):
        super().__init__()
        self.fore = fore
        t = np.arange(back + fore, dtype="float32") / (back + fore)
        trend = np.stack([t**i for i in range(3)])
        seas = np.concatenate(
            [
                [np.cos(2 * np.pi * i * t) for i in range(2)],
                [np.sin(2 * np.pi * i * t) for i in range(1, 3)],
            ]
        ).astype("float32")
        self.register_buffer("trend", paddle.to_tensor(trend))
        self.register_buffer("seas", paddle.to_tensor(seas))
        self.blocks = nn.LayerList()
        for n in (3, 4, 16):
            self.blocks.append(
                nn.LayerDict(
                    {
                        "fc": nn.Sequential(nn.Linear(back, 10), nn.ReLU()),
                        "theta": nn.Linear(10, 2 * n if n < 16 else n),
                    }
                )
            )
        self.revin = self.create_parameter([2], default_initializer=nn.initializer.Constant(0.9))

    def forward(self, x):
        mu = paddle.mean(x, axis=1, keepdim=True).detach()
        sd = paddle.std(x, axis=1, keepdim=True).detach() + 1e-5
        x = (x - mu) / sd * self.revin[0] + self.revin[1]
        residuals = x.flip(axis=[1])
        forecast = x[:, -1:]
        parts, basis = [], [self.trend, self.seas]
        for i, block in enumerate(self.blocks):
            th = block["theta"](block["fc"](residuals))
            if i < 2:
                b, f = th.chunk(2, axis=-1)
                bc = paddle.einsum("bp,pt->bt", b, basis[i][:, : -self.fore])
                fc = paddle.einsum("bp,pt->bt", f, basis[i][:, -self.fore :])
            else:
                bc, fc = th[:, : -self.fore], th[:, -self.fore :]
            residuals = residuals - bc
            forecast = forecast + fc
            parts.append(fc)
        return (
            (forecast - self.revin[1]) / self.revin[0] * sd + mu,
            paddle.stack(parts, axis=-1),
            residuals,
        )


@model
def nbeats_trend_season_revin():
    return NBeats(), [InputSpec([None, 12], "float32", "x")], [[arr(1, 2, 12)], [arr(2, 5, 12)]]


class Chomp1d(nn.Layer):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, x):
        return x[:, :, : -self.n]


class TCN(nn.Layer):
    def __init__(self, chans=(3, 8, 8, 8)):
        super().__init__()
        self.blocks, self.skips = nn.LayerList(), nn.LayerList()
        for i in range(3):
            d = 2**i
            conv1 = nn.utils.weight_norm(
                nn.Conv1D(chans[i], chans[i + 1], 3, padding=2 * d, dilation=d)
            )
            conv2 = nn.utils.weight_norm(
                nn.Conv1D(chans[i + 1], chans[i + 1], 3, padding=2 * d, dilation=d), dim=0
            )
            self.blocks.append(
                nn.Sequential(
                    conv1,
                    Chomp1d(2 * d),
                    nn.LeakyReLU(0.1),
                    nn.Dropout(0.2),
                    conv2,
                    Chomp1d(2 * d),
                    nn.ReLU(),
                )
            )
            self.skips.append(
                nn.Conv1D(chans[i], chans[i + 1], 1) if chans[i] != chans[i + 1] else nn.Identity()
            )
        self.gate = nn.Conv1D(8, 16, 1)
        self.quantiles = nn.Linear(8, 3)

    def forward(self, x, horizon):
        for block, skip in zip(self.blocks, self.skips):
            x = F.relu(block(x) + skip(x))
        x = F.glu(self.gate(x), axis=1)
        q = self.quantiles(x.transpose([0, 2, 1]))
        q = q[:, -horizon:]
        lo = q[..., :1]
        steps = F.softplus(q[..., 1:])
        mono = paddle.concat([lo, lo + paddle.cumsum(steps, axis=-1)], axis=-1)
        width = mono[..., 2] - mono[..., 0]
        return mono, width.mean(), mono[..., 1].argsort(axis=1, descending=True)


@model
def tcn_weight_norm_quantiles():
    mk = lambda n, b, t, h: [arr(n, b, 3, t), np.array([h], "int64")]
    return (
        TCN(),
        [InputSpec([None, 3, None], "float32", "x"), InputSpec([1], "int64", "horizon")],
        [mk(1, 2, 9, 3), mk(2, 1, 17, 5)],
    )


class Conformer(nn.Layer):
    def __init__(self, d=16, h=2):
        super().__init__()
        self.h, self.dk = h, d // h
        self.sub = nn.Sequential(nn.Conv2D(1, 4, 3, 2), nn.ReLU(), nn.Conv2D(4, 4, 3, 2), nn.ReLU())
        self.lin = nn.Linear(4 * 3, d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.pos = nn.Linear(d, d, bias_attr=False)
        self.u = self.create_parameter(
            [h, self.dk], default_initializer=nn.initializer.XavierUniform()
        )
        self.w = self.create_parameter(
            [h, self.dk], default_initializer=nn.initializer.XavierUniform()
        )
        self.pw1, self.dw, self.pw2 = (
            nn.Conv1D(d, 2 * d, 1),
            nn.Conv1D(d, d, 5, padding=2, groups=d),
            nn.Conv1D(d, d, 1),
        )
        self.bn, self.n1, self.n2 = nn.BatchNorm1D(d), nn.LayerNorm(d), nn.LayerNorm(d)

    def rel_shift(self, x):
        t, n = paddle.shape(x)[2], x.shape[3]
        x = paddle.concat([paddle.zeros_like(x[:, :, :, :1]), x], axis=-1)
        x = x.reshape([-1, self.h, n + 1, t])
        return x[:, :, 1:].reshape([0, 0, t, n])[:, :, :, : n // 2 + 1]

    def forward(self, x, x_lens):
        x = self.sub(x.unsqueeze(1))
        b, c, t, f = paddle.shape(x)
        x = self.lin(x.transpose([0, 2, 1, 3]).reshape([b, t, 12]))
        lens = ((x_lens - 1) // 2 - 1) // 2
        mask = paddle.arange(x.shape[1]).unsqueeze(0) >= lens.unsqueeze(-1)
        p = paddle.arange(t - 1, -t, -1).astype("float32").unsqueeze(1)
        div = paddle.exp(paddle.arange(0, 16, 2, dtype="float32") * -(math.log(10000.0) / 16))
        pe = (
            paddle.stack([paddle.sin(p * div), paddle.cos(p * div)], axis=-1)
            .flatten(1)
            .unsqueeze(0)
        )
        y = self.n1(x)
        q = self.q(y).reshape([b, -1, self.h, self.dk])
        k = self.k(y).reshape([b, -1, self.h, self.dk]).transpose([0, 2, 3, 1])
        v = self.v(y).reshape([b, -1, self.h, self.dk]).transpose([0, 2, 1, 3])
        r = self.pos(pe).reshape([1, -1, self.h, self.dk]).transpose([0, 2, 3, 1])
        ac = (q + self.u).transpose([0, 2, 1, 3]) @ k
        bd = self.rel_shift((q + self.w).transpose([0, 2, 1, 3]) @ r)
        s = (ac + bd) / math.sqrt(self.dk)
        m = mask.unsqueeze([1, 2])
        s = paddle.where(m, paddle.to_tensor(-1e4), s)
        a = paddle.where(m, paddle.to_tensor(0.0), F.softmax(s, -1))
        x = x + self.o((a @ v).transpose([0, 2, 1, 3]).reshape([b, -1, 16]))
        z = self.n2(x).transpose([0, 2, 1]) * (~mask).astype("float32").unsqueeze(1)
        z = self.pw2(F.silu(self.bn(self.dw(F.glu(self.pw1(z), axis=1)))))
        return x + z.transpose([0, 2, 1]), lens


@model
def conformer_rel_shift():
    spec = [InputSpec([None, None, 16], "float32", "x"), InputSpec([None], "int64", "x_lens")]
    return (
        Conformer(),
        spec,
        [[arr(1, 2, 23, 16), np.array([23, 16])], [arr(2, 3, 41, 16), np.array([30, 41, 24])]],
    )


class Tacotron(nn.Layer):
    """Location-sensitive attention decoder; stops when the stop token fires."""

    def __init__(self, d=8, mel=5):
        super().__init__()
        self.emb = nn.Embedding(30, d)
        self.prenet = nn.Linear(mel, d)
        self.rnn = nn.LSTMCell(2 * d, d)
        self.wq, self.wm, self.ws = (
            nn.Linear(d, 6, bias_attr=False),
            nn.Linear(d, 6, bias_attr=False),
            nn.Linear(6, 1),
        )
        self.loc, self.locw = (
            nn.Conv1D(2, 4, 3, padding=1, bias_attr=False),
            nn.Linear(4, 6, bias_attr=False),
        )
        self.frame, self.stop = (
            nn.Linear(2 * d, mel),
            nn.Linear(2 * d, 1, weight_attr=nn.initializer.Normal(std=3.0)),
        )

    def forward(self, text):
        mem = self.emb(text)
        B, T = text.shape[0], text.shape[1]
        pm = self.wm(mem)
        h, c, ctx = paddle.zeros([B, 8]), paddle.zeros([B, 8]), paddle.zeros([B, 8])
        w, cum = paddle.zeros([B, T]), paddle.zeros([B, T])
        y = paddle.zeros([B, 5])
        mels = paddle.zeros([B, 1, 5])
        i = paddle.full([1], 0, "int32")
        stop = paddle.zeros([1])
        while i < 8 and stop < 0.7:
            h, (h, c) = self.rnn(paddle.concat([F.relu(self.prenet(y)), ctx], -1), (h, c))
            loc = self.locw(self.loc(paddle.stack([w, cum], axis=1)).transpose([0, 2, 1]))
            e = self.ws(paddle.tanh(self.wq(h).unsqueeze(1) + pm + loc)).squeeze(-1)
            w = F.softmax(e, axis=-1)
            cum = cum + w
            ctx = paddle.bmm(w.unsqueeze(1), mem).squeeze(1)
            hc = paddle.concat([h, ctx], axis=-1)
            y = self.frame(hc)
            mels = paddle.concat([mels, y.unsqueeze(1)], axis=1)
            stop = F.sigmoid(self.stop(hc)).mean().reshape([1])
            i += 1
        return mels[:, 1:], cum, i


@model
def tacotron_location_attention():
    return Tacotron(), [InputSpec([None, None], "int64", "text")], [[ids(1, 1, 5)], [ids(4, 2, 9)]]


class Kalman(nn.Layer):
    def __init__(self, n=3, m=2):
        super().__init__()
        self.F_ = self.create_parameter(
            [n, n], default_initializer=nn.initializer.Uniform(-0.4, 0.4)
        )
        self.H = self.create_parameter([m, n], default_initializer=nn.initializer.Uniform(-1, 1))
        self.logq = self.create_parameter([n], default_initializer=nn.initializer.Constant(-1.0))
        self.logr = self.create_parameter([m], default_initializer=nn.initializer.Constant(-2.0))

    def forward(self, z, dt):
        B, T = paddle.shape(z)[0], z.shape[1]
        I = paddle.eye(3)
        A = I + self.F_ * dt
        Q, R = paddle.diag(self.logq.exp()), paddle.diag(self.logr.exp())
        x = paddle.zeros([B, 3, 1])
        P = I.unsqueeze(0).expand([B, 3, 3])
        means, nll = [], paddle.zeros([B])
        for t in range(T):
            x = A @ x
            P = A @ P @ A.t() + Q
            r = z[:, t].unsqueeze(-1) - self.H @ x
            S = self.H @ P @ self.H.t() + R
            Si = paddle.linalg.inv(S)
            K = P @ self.H.t() @ Si
            x = x + K @ r
            P = (I - K @ self.H) @ P
            quad = (r.transpose([0, 2, 1]) @ Si @ r).flatten()
            nll = nll + 0.5 * (quad + paddle.log(paddle.linalg.det(S)))
            means.append(x.squeeze(-1))
        return paddle.stack(means, axis=1), P, nll


@model
def kalman_filter_nll():
    mk = lambda n, b, t, dt: [arr(n, b, t, 2), np.array(dt, "float32")]
    return (
        Kalman(),
        [InputSpec([None, None, 2], "float32", "z"), InputSpec([], "float32", "dt")],
        [mk(1, 2, 4, 0.5), mk(2, 3, 7, 0.1)],
    )


class MelFrontEnd(nn.Layer):
    def __init__(self, n_fft=32, hop=8, mels=6):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer(
            "window", paddle.audio.functional.get_window("hann", n_fft, dtype="float32")
        )
        self.register_buffer(
            "fb", paddle.audio.functional.compute_fbank_matrix(sr=8000, n_fft=n_fft, n_mels=mels)
        )
        self.register_buffer(
            "dct",
            paddle.to_tensor(paddle.audio.functional.create_dct(n_mfcc=4, n_mels=mels).numpy()),
        )
        self.gru = nn.GRU(6, 5)

    def forward(self, wav):
        wav = wav - wav.mean(axis=-1, keepdim=True)
        pre = paddle.concat([wav[:, :1], wav[:, 1:] - 0.97 * wav[:, :-1]], axis=1)
        pre = F.pad(
            pre.unsqueeze(1), [self.n_fft // 2, self.n_fft // 2], mode="reflect", data_format="NCL"
        ).squeeze(1)
        frames = paddle.signal.frame(pre, self.n_fft, self.hop) * self.window.unsqueeze(-1)
        spec = paddle.fft.rfft(frames, axis=1)
        power = paddle.abs(spec) ** 2
        mel = paddle.matmul(self.fb, power)
        db = 10.0 * paddle.log10(paddle.clip(mel, min=1e-5))
        db = paddle.maximum(db, db.max() - 80.0)
        mfcc = paddle.matmul(db.transpose([0, 2, 1]), self.dct).transpose([0, 2, 1])
        delta = (mfcc[:, :, 2:] - mfcc[:, :, :-2]) / 2
        db = (db - db.mean(axis=(1, 2), keepdim=True)) / (db.std(axis=(1, 2), keepdim=True) + 1e-5)
        _, h = self.gru(db.transpose([0, 2, 1]))
        return db, F.pad(delta, [1, 1], mode="replicate", data_format="NCL"), h.squeeze(0)


@model
def mel_stft_mfcc_gru():
    return (
        MelFrontEnd(),
        [InputSpec([None, None], "float32", "wav")],
        [[arr(1, 2, 120)], [arr(2, 1, 203)]],
    )


class TwoTowerSAS(nn.Layer):
    """SASRec next-item with MMoE heads and seen-item removal."""

    def __init__(self, items=30, d=12):
        super().__init__()
        self.item, self.pos = nn.Embedding(items + 1, d, padding_idx=0), nn.Embedding(30, d)
        self.attn, self.ln = nn.MultiHeadAttention(d, 2), nn.LayerNorm(d)
        self.experts = self.create_parameter(
            [d, 6, 3], default_initializer=nn.initializer.KaimingUniform()
        )
        self.gates = nn.LayerList([nn.Linear(d, 3, bias_attr=False) for _ in range(2)])
        self.towers = nn.LayerList([nn.Linear(6, 1) for _ in range(2)])

    def forward(self, seq, k):
        L = seq.shape[1]
        pad = seq == 0
        x = self.item(seq) * (12**0.5) + self.pos(paddle.arange(L - 1, -1, -1)).unsqueeze(0)
        x = x * (1 - pad.astype("float32")).unsqueeze(-1)
        tri = paddle.tril(paddle.ones([L, L], dtype="bool"))
        x = self.ln(x + self.attn(x, x, x, attn_mask=tri.unsqueeze([0, 1])))
        user = x[:, -1]
        scores = paddle.matmul(user, self.item.weight, transpose_y=True)
        seen = F.one_hot(seq, 31).sum(1) > 0
        scores = paddle.where(seen, paddle.full_like(scores, -np.inf), scores)
        top, idx = paddle.topk(scores, k=k)
        e = F.relu(paddle.tensordot(user, self.experts, axes=1))
        outs = []
        for g, t in zip(self.gates, self.towers):
            w = F.softmax(g(user), -1).unsqueeze(1)
            outs.append(F.sigmoid(t((e * w).sum(-1))))
        return top, idx, paddle.concat(outs, axis=1).prod(axis=1)


@model
def sasrec_mmoe_topk_tensor():
    def mk(n, b, t, k):
        s = ids(n, b, t, lo=1, hi=31)
        s[0, :2] = 0
        return [s, np.array([k], "int32")]

    return (
        TwoTowerSAS(),
        [InputSpec([None, None], "int64", "seq"), InputSpec([1], "int32", "k")],
        [mk(1, 2, 5, 3), mk(2, 3, 9, 6)],
    )


class XDeepFM(nn.Layer):
    """CIN, SENET re-weighting, bilinear pairs by combinations, and AutoInt attention on fields."""

    def __init__(self, fields=4, d=5):
        super().__init__()
        self.emb = nn.Embedding(30 * fields, d)
        self.register_buffer("offsets", paddle.arange(0, 30 * fields, 30).unsqueeze(0))
        self.cin = nn.LayerList([nn.Conv1D(fields * fields, 6, 1), nn.Conv1D(3 * fields, 6, 1)])
        self.senet = nn.Sequential(nn.Linear(fields, 2), nn.ReLU(), nn.Linear(2, fields), nn.ReLU())
        self.bilinear = self.create_parameter(
            [d, d], default_initializer=nn.initializer.Orthogonal()
        )
        self.pairs = [(i, j) for i in range(fields) for j in range(i + 1, fields)]
        self.W = nn.Bilinear(d, d, 2)

    def forward(self, x, clicked):
        e = self.emb(x + self.offsets)
        h, outs = e, []
        for i, conv in enumerate(self.cin):
            z = paddle.einsum("bhd,bmd->bhmd", h, e)
            z = F.relu(conv(z.flatten(1, 2)))
            if i == 0:
                h, direct = z.split(2, axis=1)
            else:
                direct = z
            outs.append(direct.sum(-1))
        a = self.senet(e.mean(axis=-1))
        v = e * a.unsqueeze(-1)
        for i, j in self.pairs:
            outs.append((paddle.matmul(v[:, i], self.bilinear) * v[:, j]).sum(-1, keepdim=True))
        att = F.softmax(paddle.bmm(v, v.transpose([0, 2, 1])), axis=-1)
        outs.append(paddle.matmul(att, v).reshape([paddle.shape(x)[0], -1]))
        outs.append(self.W(v[:, 0], v[:, 1]))
        logit = paddle.concat(outs, axis=1).mean(1)
        loss = F.binary_cross_entropy_with_logits(
            logit, clicked.astype(logit.dtype), reduction="none"
        )
        return F.sigmoid(logit), loss


@model
def xdeepfm_cin_senet():
    mk = lambda n, b: [ids(n, b, 4), ids(n + 1, b, hi=2)]
    return (
        XDeepFM(),
        [InputSpec([None, 4], "int64", "x"), InputSpec([None], "int64", "clicked")],
        [mk(1, 3), mk(3, 5)],
    )
