"""Recurrences, scans, decoding loops, CTC, CRF, length regulators, custom cells."""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.static import InputSpec as Spec

MODELS = {}


def model(f):
    def make():
        paddle.seed(7)
        return f()

    MODELS[f.__name__] = make
    return make


def arr(n, *shape):
    return np.random.default_rng(n).standard_normal(shape).astype("float32")


def ids(n, *shape, lo=0, hi=20):
    return np.random.default_rng(n).integers(lo, hi, shape).astype("int64")


class Mamba(nn.Layer):
    def __init__(self, d=12, inner=16, state=4, rank=3, kernel=4):
        super().__init__()
        self.inner, self.state, self.rank = inner, state, rank
        self.in_proj = nn.Linear(d, 2 * inner, bias_attr=False)
        self.conv1d = nn.Conv1D(inner, inner, kernel, groups=inner, padding=kernel - 1)
        self.x_proj = nn.Linear(inner, rank + 2 * state, bias_attr=False)
        self.dt_proj = nn.Linear(rank, inner)
        a = np.tile(np.log(np.arange(1, state + 1, dtype="float32")), (inner, 1))
        self.A_log = self.create_parameter(
            [inner, state], default_initializer=nn.initializer.Assign(a)
        )
        self.D = self.create_parameter([inner], default_initializer=nn.initializer.Constant(1.0))
        self.out_proj = nn.Linear(inner, d, bias_attr=False)

    def forward(self, x):
        b, l, _ = x.shape
        x, z = self.in_proj(x).chunk(2, axis=-1)
        x = self.conv1d(x.transpose([0, 2, 1]))[:, :, :l].transpose([0, 2, 1])
        x = F.silu(x)
        delta, B, C = paddle.split(self.x_proj(x), [self.rank, self.state, self.state], axis=-1)
        delta = F.softplus(self.dt_proj(delta))
        A = -paddle.exp(self.A_log)
        dA = paddle.exp(paddle.einsum("bld,dn->bldn", delta, A))
        dBu = paddle.einsum("bld,bln,bld->bldn", delta, B, x)
        h = paddle.zeros([b, self.inner, self.state])
        ys = []
        for i in range(l):
            h = dA[:, i] * h + dBu[:, i]
            ys.append(paddle.einsum("bdn,bn->bd", h, C[:, i, :]))
        y = paddle.stack(ys, axis=1) + x * self.D
        return self.out_proj(y * F.silu(z))


@model
def mamba_selective_scan():
    return (
        Mamba(),
        [Spec([None, None, 12], "float32", "x")],
        [[arr(1, 2, 5, 12)], [arr(2, 1, 9, 12)]],
    )


class RWKV(nn.Layer):
    def __init__(self, d=16):
        super().__init__()
        self.mix_k = self.create_parameter(
            [1, 1, d], default_initializer=nn.initializer.Uniform(0, 1)
        )
        self.mix_v = self.create_parameter(
            [1, 1, d], default_initializer=nn.initializer.Uniform(0, 1)
        )
        self.decay = self.create_parameter([d], default_initializer=nn.initializer.Normal())
        self.first = self.create_parameter([d], default_initializer=nn.initializer.Normal())
        self.key, self.value, self.recept = (nn.Linear(d, d, bias_attr=False) for _ in range(3))
        self.output = nn.Linear(d, d, bias_attr=False)

    def forward(self, x):
        xx = paddle.concat([paddle.zeros_like(x[:, :1]), x[:, :-1]], axis=1)
        k = self.key(x * self.mix_k + xx * (1 - self.mix_k))
        v = self.value(x * self.mix_v + xx * (1 - self.mix_v))
        r = F.sigmoid(self.recept(x))
        aa, bb = paddle.zeros_like(k[:, 0]), paddle.zeros_like(k[:, 0])
        pp = paddle.full_like(aa, -1e38)
        w = -paddle.exp(self.decay)
        t = paddle.zeros([1], dtype="int64")
        T = paddle.shape(x)[1].astype("int64")
        res = paddle.zeros_like(x).transpose([1, 0, 2])
        while t < T:
            kk = paddle.gather(k, t, axis=1).squeeze(1)
            vv = paddle.gather(v, t, axis=1).squeeze(1)
            ww = self.first + kk
            p = paddle.maximum(pp, ww)
            e1, e2 = paddle.exp(pp - p), paddle.exp(ww - p)
            y = (e1 * aa + e2 * vv) / (e1 * bb + e2)
            res = paddle.scatter(res, t, y.unsqueeze(0), overwrite=True)
            ww = w + pp
            p = paddle.maximum(ww, kk)
            e1, e2 = paddle.exp(ww - p), paddle.exp(kk - p)
            aa, bb, pp = e1 * aa + e2 * vv, e1 * bb + e2, p
            t = t + 1
        return self.output(r * res.transpose([1, 0, 2])), paddle.stack([aa, bb, pp])


@model
def rwkv_wkv_while_scatter():
    return (
        RWKV(),
        [Spec([None, None, 16], "float32", "x")],
        [[arr(1, 2, 4, 16)], [arr(2, 3, 7, 16)]],
    )


class LinearAttention(nn.Layer):
    """Causal linear attention by cumsum of outer products; retention decay on top."""

    def __init__(self, d=16, h=2):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.norm = nn.GroupNorm(h, d)
        self.gamma = 1 - 2.0 ** (-5 - paddle.arange(h, dtype="float32"))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).reshape([B, T, 3, self.h, D // self.h]).unbind(axis=2)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = paddle.cumsum(paddle.einsum("bthd,bthe->bthde", k, v), axis=1)
        z = 1.0 / (paddle.einsum("bthd,bthd->bth", q, k.cumsum(1)) + 1e-6)
        lin = paddle.einsum("bthd,bthde,bth->bthe", q, kv, z)
        i = paddle.arange(T, dtype="float32")
        diff = i.unsqueeze(1) - i.unsqueeze(0)
        decay = paddle.where(
            diff >= 0, self.gamma.reshape([-1, 1, 1]) ** diff.clip(min=0), paddle.zeros([1])
        )
        ret = (paddle.einsum("bthd,bshd->bhts", q, k) * decay) @ v.transpose([0, 2, 1, 3])
        ret = self.norm(ret.transpose([0, 2, 1, 3]).reshape([B * T, D])).reshape([B, T, D])
        return lin.reshape([B, T, D]), ret


@model
def retnet_linear_cumsum():
    return (
        LinearAttention(),
        [Spec([None, None, 16], "float32", "x")],
        [[arr(1, 2, 5, 16)], [arr(2, 1, 12, 16)]],
    )


class GreedySeq2Seq(nn.Layer):
    """GRU encoder; greedy decoding until all rows gave EOS or max_len."""

    def __init__(self, vocab=12, d=16, bos=1, eos=2):
        super().__init__()
        self.bos, self.eos = bos, eos
        self.emb = nn.Embedding(vocab, d)
        self.enc = nn.GRU(d, d)
        self.cell = nn.GRUCell(d, d)
        self.out = nn.Linear(d, vocab, weight_attr=nn.initializer.Normal(std=1.0))

    def forward(self, src, max_len):
        _, h = self.enc(self.emb(src))
        h = h[-1]
        batch = paddle.shape(src)[0]
        tok = paddle.full([batch], self.bos, dtype="int64")
        seq = paddle.full([batch, 1], self.bos, dtype="int64")
        done = paddle.zeros([batch], dtype="bool")
        score = paddle.zeros([batch])
        step = paddle.to_tensor(0, dtype="int64")
        while step < max_len:
            _, h = self.cell(self.emb(tok), h)
            lp = F.log_softmax(self.out(h), axis=-1)
            best = lp.argmax(-1)
            tok = paddle.where(done, paddle.full_like(best, 0), best)
            score = score + paddle.where(done, paddle.zeros_like(score), lp.max(-1))
            seq = paddle.concat([seq, tok.unsqueeze(1)], axis=1)
            done = paddle.logical_or(done, tok == self.eos)
            step += 1
            if paddle.all(done):
                break
        return seq, score, step


@model
def gru_greedy_decode_break():
    spec = [Spec([None, None], "int64", "src"), Spec([], "int64", "max_len")]
    return (
        GreedySeq2Seq(),
        spec,
        [[ids(1, 2, 5, hi=12), np.array(6, "int64")], [ids(2, 3, 4, hi=12), np.array(11, "int64")]],
    )


class BeamSearch(nn.Layer):
    def __init__(self, vocab=9, d=12, beam=3):
        super().__init__()
        self.vocab, self.beam = vocab, beam
        self.emb = nn.Embedding(vocab, d)
        self.cell = nn.LSTMCell(d, d)
        self.fc = nn.Linear(d, vocab, weight_attr=nn.initializer.Normal(std=0.8))

    def forward(self, h0, steps):
        b, d = h0.shape
        h = h0.unsqueeze(1).expand([-1, self.beam, -1]).reshape([-1, d])
        c = paddle.zeros_like(h)
        init = paddle.to_tensor([0.0] + [-1e9] * (self.beam - 1))
        scores = init.unsqueeze(0).tile([b, 1])
        tok = paddle.ones([b * self.beam], dtype="int64")
        base = (paddle.arange(b) * self.beam).unsqueeze(-1)
        toks = paddle.zeros([b, self.beam, 1], dtype="int64")
        for _ in range(steps):
            _, (h, c) = self.cell(self.emb(tok), (h, c))
            lp = F.log_softmax(self.fc(h)).reshape([b, self.beam, self.vocab])
            total = (scores.unsqueeze(-1) + lp).reshape([b, -1])
            scores, idx = paddle.topk(total, self.beam)
            parent, nxt = idx // self.vocab, idx % self.vocab
            flat = (parent + base).reshape([-1])
            h, c = paddle.index_select(h, flat), paddle.index_select(c, flat)
            toks = paddle.index_select(toks.flatten(0, 1), flat).reshape([b, self.beam, -1])
            toks = paddle.concat([toks, nxt.unsqueeze(-1)], axis=-1)
            tok = nxt.flatten()
        return toks[:, :, 1:], scores


@model
def lstm_beam_search_topk():
    spec = [Spec([None, 12], "float32", "h0"), Spec([], "int64", "steps")]
    return (
        BeamSearch(),
        spec,
        [[arr(1, 2, 12), np.array(3, "int64")], [arr(2, 4, 12), np.array(5, "int64")]],
    )


class CTCGreedy(nn.Layer):
    """BiLSTM acoustic model, argmax, collapse repeats, drop blanks, pad with -1."""

    def __init__(self, feat=10, vocab=6, d=8):
        super().__init__()
        self.rnn = nn.LSTM(feat, d, direction="bidirect")
        self.fc = nn.Linear(2 * d, vocab, weight_attr=nn.initializer.Normal(std=2.0))

    def forward(self, x, lens):
        y, _ = self.rnn(x, sequence_length=lens)
        lp = F.log_softmax(self.fc(y), axis=2)
        best = lp.argmax(axis=2)
        T = best.shape[1]
        valid = paddle.arange(T).unsqueeze(0) < lens.unsqueeze(1)
        prev = paddle.concat([paddle.full_like(best[:, :1], -1), best[:, :-1]], axis=1)
        keep = (best != prev) & (best != 0) & valid
        key = paddle.where(
            keep, paddle.arange(T).unsqueeze(0).expand_as(best), paddle.full_like(best, T)
        )
        order = paddle.argsort(key, axis=1)
        out = paddle.take_along_axis(
            paddle.where(keep, best, paddle.full_like(best, -1)), order, axis=1
        )
        n = keep.astype("int64").sum(-1)
        return out[:, : n.max()], n, (lp.max(-1) * valid.astype("float32")).sum(1)


@model
def ctc_greedy_bilstm():
    mk = lambda n, b, t: [arr(n, b, t, 10), np.array([t, t - 2, t - 1][:b], "int64")]
    return (
        CTCGreedy(),
        [Spec([None, None, 10], "float32", "x"), Spec([None], "int64", "lens")],
        [mk(1, 2, 8), mk(2, 3, 14)],
    )


class FastSpeech(nn.Layer):
    def __init__(self, d=12):
        super().__init__()
        self.emb = nn.Embedding(20, d)
        self.dur = nn.Sequential(nn.Conv1D(d, d, 3, padding=1), nn.ReLU(), nn.Conv1D(d, 1, 1))
        self.pitch = nn.Conv1D(1, d, 3, padding=1)
        self.mel = nn.Linear(d, 8)

    def forward(self, text, alpha):
        x = self.emb(text)
        log_d = self.dur(x.transpose([0, 2, 1])).squeeze(1)
        d = paddle.clip(paddle.round((paddle.exp(log_d) - 0.2) * alpha), min=1).astype("int64")
        mel_lens = d.sum(-1)
        M = mel_lens.max()
        ends = paddle.cumsum(d, axis=1)
        pos = paddle.arange(M).unsqueeze([0, 2])
        starts = ends - d
        align = paddle.logical_and(pos >= starts.unsqueeze(1), pos < ends.unsqueeze(1)).astype(
            "float32"
        )
        frames = paddle.bmm(align, x)
        flat = paddle.repeat_interleave(x[0], d[0], axis=0)
        energy = frames.abs().sum(-1, keepdim=True).transpose([0, 2, 1])
        frames = frames + self.pitch(energy).transpose([0, 2, 1])
        return self.mel(frames), mel_lens, flat


@model
def fastspeech_length_regulator():
    spec = [Spec([None, None], "int64", "text"), Spec([1], "float32", "alpha")]
    return (
        FastSpeech(),
        spec,
        [[ids(1, 1, 5), np.array([2.0], "float32")], [ids(2, 3, 8), np.array([3.3], "float32")]],
    )


class StackedTimeMajor(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(
            6, 8, num_layers=2, direction="bidirectional", time_major=True, dropout=0.2
        )
        self.gru = nn.GRU(16, 8, num_layers=2, time_major=True)
        self.h0 = self.create_parameter([4, 1, 8], default_initializer=nn.initializer.Normal())
        self.attn = nn.Linear(8, 1)

    def forward(self, x, lengths):
        B = paddle.shape(x)[1]
        h0 = paddle.expand(self.h0, [4, B, 8])
        y, (h, c) = self.lstm(x, (h0, paddle.zeros([4, B, 8])), lengths)
        y, hg = self.gru(y, None, lengths)
        e = self.attn(y).squeeze(-1)
        mask = paddle.arange(y.shape[0]).unsqueeze(1) < lengths.unsqueeze(0)
        a = F.softmax(paddle.where(mask, e, paddle.full_like(e, -1e9)), axis=0)
        ctx = paddle.sum(a.unsqueeze(-1) * y, axis=0)
        last = paddle.concat([h[-2], h[-1], hg[-1]], axis=-1)
        return ctx, last, c.transpose([1, 0, 2]).flatten(1)


@model
def lstm_gru_time_major_lengths():
    spec = [Spec([None, None, 6], "float32", "x"), Spec([None], "int64", "lengths")]
    return (
        StackedTimeMajor(),
        spec,
        [[arr(1, 5, 2, 6), np.array([5, 3])], [arr(2, 9, 3, 6), np.array([4, 9, 7])]],
    )


class LayerNormLSTMCell(nn.RNNCellBase):
    def __init__(self, i, h):
        super().__init__()
        self.hidden_size = h
        self.ih, self.hh = (
            nn.Linear(i, 4 * h, bias_attr=False),
            nn.Linear(h, 4 * h, bias_attr=False),
        )
        self.ln, self.lnc = nn.LayerNorm(4 * h), nn.LayerNorm(h)

    def forward(self, inputs, states=None):
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        h, c = states
        i, f, g, o = paddle.chunk(self.ln(self.ih(inputs) + self.hh(h)), 4, axis=-1)
        c = F.sigmoid(f + 1.0) * c + F.sigmoid(i) * paddle.tanh(g)
        h = F.sigmoid(o) * paddle.tanh(self.lnc(c))
        return h, (h, c)

    @property
    def state_shape(self):
        return ((self.hidden_size,), (self.hidden_size,))


class CustomCellRNN(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(LayerNormLSTMCell(5, 6))
        self.back = nn.RNN(nn.SimpleRNNCell(6, 4, activation="relu"), is_reverse=True)
        self.bi = nn.BiRNN(nn.GRUCell(4, 3), nn.GRUCell(4, 3))

    def forward(self, x):
        y, (h, c) = self.rnn(x)
        y, s = self.back(y)
        y, (fw, bw) = self.bi(y)
        return y, paddle.concat([h, c, s, fw, bw], axis=1)


@model
def custom_layernorm_lstm_cell():
    return (
        CustomCellRNN(),
        [Spec([None, None, 5], "float32", "x")],
        [[arr(1, 2, 4, 5)], [arr(2, 3, 6, 5)]],
    )


class CRFTagger(nn.Layer):
    """Emission model with a hand-written Viterbi in lists and back-tracking."""

    def __init__(self, n=5):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.fc = nn.Linear(8, n, weight_attr=nn.initializer.Normal())
        self.trans = self.create_parameter([n, n], default_initializer=nn.initializer.Normal())
        self.start = self.create_parameter([n], default_initializer=nn.initializer.Normal())

    def forward(self, words):
        em = self.fc(self.emb(words))
        alpha = self.start + em[:, 0]
        logz = alpha.clone()
        L = words.shape[1]
        history = []
        for t in range(1, L):
            s = alpha.unsqueeze(2) + self.trans
            history.append(paddle.argmax(s, axis=1))
            alpha = paddle.max(s, axis=1) + em[:, t]
            logz = paddle.logsumexp(logz.unsqueeze(2) + self.trans, axis=1) + em[:, t]
        hist = paddle.stack(history, axis=0)
        best, tag = alpha.max(-1), alpha.argmax(-1)
        path = tag.unsqueeze(0)
        for i in range(L - 1):
            back = hist[L - 2 - i]
            tag = paddle.take_along_axis(back, tag.unsqueeze(-1), axis=1).squeeze(-1)
            path = paddle.concat([tag.unsqueeze(0), path], axis=0)
        return path.t(), best, best - paddle.logsumexp(logz, axis=-1)


@model
def crf_manual_viterbi():
    return CRFTagger(), [Spec([None, None], "int64", "words")], [[ids(1, 2, 5)], [ids(2, 3, 9)]]


class BiGruCrf(nn.Layer):
    def __init__(self, tags=6):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.gru = nn.GRU(8, 8, num_layers=2, direction="bidirect")
        self.fc = nn.Linear(16, tags, weight_attr=nn.initializer.Normal())
        trans = paddle.to_tensor(arr(5, tags, tags))
        self.decoder = paddle.text.ViterbiDecoder(trans, include_bos_eos_tag=True)

    def forward(self, tokens, lens):
        y, _ = self.gru(self.emb(tokens), sequence_length=lens)
        scores, path = self.decoder(self.fc(y), lens)
        return path, scores


@model
def lac_bigru_viterbi_decoder():
    mk = lambda n, b, t: [ids(n, b, t), np.array([t, t - 1, t - 3][:b], "int64")]
    return (
        BiGruCrf(),
        [Spec([None, None], "int64", "tokens"), Spec([None], "int64", "lens")],
        [mk(1, 2, 5), mk(2, 3, 8)],
    )


class PooledByLengths(nn.Layer):
    def __init__(self, d=10):
        super().__init__()
        self.emb = nn.Embedding(20, d, padding_idx=0)
        self.convs = nn.LayerList([nn.Conv2D(1, 4, (k, d), padding=(k - 1, 0)) for k in (1, 2, 3)])
        self.fc = nn.Linear(3 * d + 12, 2)

    def forward(self, text):
        mask = text != 0
        n = mask.astype("int64").sum(axis=1)
        x = self.emb(text)
        m = mask.astype("float32").unsqueeze(2)
        mean = (x * m).sum(1) / n.unsqueeze(-1).astype("float32").clip(min=1.0)
        mx = paddle.max(x - (1 - m) * 1e30, axis=1)
        rows = paddle.arange(paddle.shape(text)[0])
        last = paddle.gather_nd(
            x, paddle.stack([rows.astype("int64"), (n - 1).clip(min=0)], axis=1)
        )
        feats = [paddle.tanh(conv(x.unsqueeze(1))).squeeze(3) for conv in self.convs]
        pooled = [f.max(axis=2) for f in feats]
        return F.softmax(self.fc(paddle.concat([mean, mx, last] + pooled, axis=-1)))


@model
def textcnn_pool_by_lengths():
    def mk(n, b, t):
        x = ids(n, b, t, lo=1)
        x[0, 2:] = 0
        return [x]

    return PooledByLengths(), [Spec([None, None], "int64", "text")], [mk(1, 2, 5), mk(2, 3, 11)]


class ContinuousIntegrateFire(nn.Layer):
    """CIF: accumulates weights; emits when the sum passes one; conditions on a tensor inside the loop."""

    def __init__(self, d=6):
        super().__init__()
        self.alpha = nn.Linear(d, 1)
        self.out = nn.Linear(d, 4)

    def forward(self, x):
        a = F.sigmoid(self.alpha(x)).squeeze(-1)
        x, a = x[0], a[0]
        acc = paddle.zeros([1])
        state = paddle.zeros([1, x.shape[-1]])
        emitted = paddle.zeros([1, x.shape[-1]])
        for t in range(x.shape[0]):
            w = a[t].reshape([1])
            if acc + w >= 1.0:
                rest = 1.0 - acc
                emitted = paddle.concat([emitted, state + rest * x[t]], axis=0)
                acc = w - rest
                state = acc * x[t].unsqueeze(0)
            else:
                acc = acc + w
                state = state + w * x[t]
        if acc > 0.5:
            emitted = paddle.concat([emitted, state / acc])
        return self.out(emitted[1:]), acc


@model
def cif_fire_in_loop():
    return (
        ContinuousIntegrateFire(),
        [Spec([1, None, 6], "float32", "x")],
        [[arr(1, 1, 7, 6)], [arr(2, 1, 12, 6)]],
    )


class SRUStack(nn.Layer):
    """SRU and a QRNN pooled with dynamic lists; minGRU in log space by logcumsumexp."""

    def __init__(self, d=8):
        super().__init__()
        self.w = nn.Linear(d, 3 * d)
        self.q = nn.Conv1D(d, 3 * d, 2, data_format="NLC")
        self.mg = nn.Linear(d, 2 * d)

    def forward(self, x):
        xt, f, r = self.w(x).split([8, 8, 8], axis=-1)
        f, r = F.sigmoid(f), F.sigmoid(r)
        c = paddle.zeros_like(x[:, 0, :])
        hs = []
        for i in range(paddle.shape(x)[1]):
            c = f[:, i] * c + (1 - f[:, i]) * xt[:, i]
            hs.append(r[:, i] * F.relu(c) + (1 - r[:, i]) * x[:, i])
        h = paddle.stack(hs, 1)
        z, fg, o = self.q(paddle.concat([paddle.zeros_like(h[:, :1]), h], axis=1)).chunk(3, axis=2)
        s = paddle.zeros_like(c)
        for zz, ff in zip([z.mean(1), z.max(1)], [F.sigmoid(fg.mean(1)), F.sigmoid(fg.max(1))]):
            s = ff * s + (1 - ff) * paddle.tanh(zz)
        gate, hid = self.mg(h).chunk(2, -1)
        log_z, log_1z = -F.softplus(-gate), -F.softplus(gate)
        a_star = paddle.cumsum(log_1z, axis=1)
        lh = a_star + paddle.logcumsumexp(log_z - F.softplus(-hid) - a_star, axis=1)
        return h, s * F.sigmoid(o[:, -1]), paddle.exp(lh)


@model
def sru_qrnn_mingru():
    return (
        SRUStack(),
        [Spec([None, None, 8], "float32", "x")],
        [[arr(1, 2, 4, 8)], [arr(2, 1, 10, 8)]],
    )


class RNNTransducer(nn.Layer):
    """Greedy transducer: nested while over frames and symbols."""

    def __init__(self, d=8, vocab=5):
        super().__init__()
        self.enc = nn.LSTM(6, d)
        self.emb, self.pred = nn.Embedding(vocab, d), nn.LSTMCell(d, d)
        self.joint = nn.Linear(d, vocab, weight_attr=nn.initializer.Normal(std=1.5))

    def forward(self, feats):
        enc, _ = self.enc(feats)
        T = paddle.shape(enc)[1]
        hyp = paddle.zeros([1], dtype="int64")
        y, (h, c) = self.pred(self.emb(hyp))
        t = paddle.zeros([], dtype=T.dtype)
        total = paddle.zeros([])
        while t < T:
            frame = enc[:, t]
            n = paddle.zeros([], dtype="int64")
            go = paddle.ones([], dtype="bool")
            while paddle.logical_and(go, n < 2):
                lp = F.log_softmax(self.joint(paddle.tanh(frame + y)), axis=-1)
                k = lp.argmax(-1)
                total = total + lp.max()
                if k[0] == 0:
                    go = paddle.zeros([], dtype="bool")
                else:
                    hyp = paddle.concat([hyp, k])
                    y, (h, c) = self.pred(self.emb(k), (h, c))
                n = n + 1
            t = t + 1
        return hyp, total


@model
def rnnt_greedy_nested_while():
    return (
        RNNTransducer(),
        [Spec([1, None, 6], "float32", "feats")],
        [[arr(1, 1, 4, 6)], [arr(2, 1, 9, 6)]],
    )
