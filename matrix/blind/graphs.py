"""Graphs, sets, pointers, spans, retrieval, trees and awkward control flow."""

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


def ids(n, *shape, lo=0, hi=20):
    return np.random.default_rng(n).integers(lo, hi, shape).astype("int64")


class GCN(nn.Layer):
    """Degree-normalised GCN with self loops by send_u_recv, then GraphSAGE by send_ue_recv."""

    def __init__(self, d=6, h=8):
        super().__init__()
        self.l1, self.l2 = nn.Linear(d, h, bias_attr=False), nn.Linear(2 * h, 4)
        self.edge = nn.Linear(3, h)

    def forward(self, x, src, dst, edge_feat):
        n = paddle.shape(x)[0]
        loop = paddle.arange(n).astype("int64")
        s, d = paddle.concat([src, loop]), paddle.concat([dst, loop])
        deg = paddle.geometric.send_u_recv(paddle.ones([n, 1]), s, d, "sum")
        norm = deg.pow(-0.5)
        h = self.l1(x) * norm
        h = F.relu(paddle.geometric.send_u_recv(h, s, d, reduce_op="sum") * norm)
        m = paddle.geometric.send_ue_recv(
            h, self.edge(edge_feat), src, dst, message_op="add", reduce_op="max"
        )
        h = F.normalize(paddle.concat([h, m], axis=-1), axis=1)
        link = paddle.geometric.send_uv(h, h, src, dst, message_op="mul").sum(-1)
        return self.l2(h), F.sigmoid(link), deg.squeeze(-1)


def graph(n, nodes, edges, d=6, sort=False):
    rng = np.random.default_rng(n)
    dst = rng.integers(0, nodes, edges)
    dst[:nodes] = np.arange(nodes)
    dst = np.sort(dst) if sort else dst
    return [arr(n, nodes, d), rng.integers(0, nodes, edges).astype("int64"), dst.astype("int64")]


I1 = lambda name: InputSpec([None], "int64", name)


@model
def gcn_sage_geometric():
    spec = [
        InputSpec([None, 6], "float32", "x"),
        I1("src"),
        I1("dst"),
        InputSpec([None, 3], "float32", "e"),
    ]
    return GCN(), spec, [graph(1, 5, 12) + [arr(3, 12, 3)], graph(2, 9, 20) + [arr(4, 20, 3)]]


class GAT(nn.Layer):
    """Edge softmax with segment ops (edges sorted by target)."""

    def __init__(self, d=6, heads=2, h=4):
        super().__init__()
        self.heads, self.h = heads, h
        self.fc = nn.Linear(d, heads * h)
        self.a_src = self.create_parameter([heads, h], default_initializer=nn.initializer.Normal())
        self.a_dst = self.create_parameter([heads, h], default_initializer=nn.initializer.Normal())

    def forward(self, x, src, dst):
        f = self.fc(x).reshape([-1, self.heads, self.h])
        es, ed = (f * self.a_src).sum(-1), (f * self.a_dst).sum(-1)
        e = F.leaky_relu(paddle.gather(es, src) + paddle.gather(ed, dst), negative_slope=0.2)
        mx = paddle.geometric.segment_max(e, dst)
        e = paddle.exp(e - paddle.gather(mx, dst))
        den = paddle.geometric.segment_sum(e, dst)
        alpha = e / paddle.gather(den, dst)
        msg = (paddle.gather(f, src, axis=0) * alpha.unsqueeze(-1)).reshape(
            [paddle.shape(src)[0], -1]
        )
        out = paddle.geometric.segment_sum(msg, dst)
        mean = paddle.geometric.segment_mean(paddle.gather(x, src), dst)
        return F.elu(out), alpha, mean, paddle.geometric.segment_min(alpha, dst)


@model
def gat_segment_softmax():
    return (
        GAT(),
        [InputSpec([None, 6], "float32", "x"), I1("src"), I1("dst")],
        [graph(1, 4, 9, sort=True), graph(2, 7, 19, sort=True)],
    )


class GINVirtual(nn.Layer):
    """GIN with scatter_nd_add messages, a virtual node and graph readout by batch id."""

    def __init__(self, d=6):
        super().__init__()
        self.eps = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.2))
        self.mlps = nn.LayerList(
            [
                nn.Sequential(nn.Linear(d, 10), nn.BatchNorm1D(10), nn.ReLU(), nn.Linear(10, d))
                for _ in range(2)
            ]
        )
        self.virtual = nn.Embedding(1, d)

    def forward(self, x, edge_index, batch):
        n_graphs = batch.max() + 1
        v = self.virtual(paddle.zeros([n_graphs], dtype="int64"))
        for mlp in self.mlps:
            x = x + paddle.index_select(v, batch)
            msg = F.relu(paddle.index_select(x, edge_index[0], axis=0))
            agg = paddle.scatter_nd_add(paddle.zeros_like(x), edge_index[1].unsqueeze(-1), msg)
            x = mlp((1 + self.eps) * x + agg)
            v = v + paddle.scatter(paddle.zeros_like(v), batch, x, overwrite=False)
        onehot = F.one_hot(batch, n_graphs).t()
        count = onehot.sum(1, keepdim=True)
        return paddle.matmul(onehot, x) / count, v, count.astype("int32")


@model
def gin_virtual_node_scatter():
    def mk(n, nodes, edges, g):
        x, s, d = graph(n, nodes, edges)
        return [x, np.stack([s, d]), np.sort(np.arange(nodes) % g).astype("int64")]

    return (
        GINVirtual(),
        [
            InputSpec([None, 6], "float32", "x"),
            InputSpec([2, None], "int64", "edge_index"),
            I1("batch"),
        ],
        [mk(1, 6, 10, 2), mk(2, 11, 25, 3)],
    )


class ISAB(nn.Layer):
    def __init__(self, d=12, h=3, inducing=4):
        super().__init__()
        self.h = h
        self.I = self.create_parameter(
            [1, inducing, d], default_initializer=nn.initializer.XavierUniform()
        )
        self.S = self.create_parameter(
            [1, 2, d], default_initializer=nn.initializer.XavierUniform()
        )
        self.mab = nn.LayerList(
            [nn.LayerList([nn.Linear(d, d) for _ in range(4)]) for _ in range(3)]
        )

    def mha(self, fs, Q, K, mask=None):
        q, k, v = fs[0](Q), fs[1](K), fs[2](K)
        q_ = paddle.concat(q.split(self.h, axis=2), axis=0)
        k_ = paddle.concat(k.split(self.h, axis=2), axis=0)
        v_ = paddle.concat(v.split(self.h, axis=2), axis=0)
        s = paddle.bmm(q_, k_.transpose([0, 2, 1])) / 12**0.5
        if mask is not None:
            s = s + paddle.tile(mask.unsqueeze(1), [self.h, 1, 1])
        o = q_ + paddle.bmm(F.softmax(s, 2), v_)
        o = o.reshape([self.h, -1, q.shape[1], 4]).transpose([1, 2, 0, 3]).flatten(2)
        return o + F.relu(fs[3](o))

    def forward(self, x, valid):
        mask = (valid.astype("float32") - 1.0) * 1e9
        B = x.shape[0]
        H = self.mha(self.mab[0], self.I.tile([B, 1, 1]), x, mask)
        y = self.mha(self.mab[1], x, H)
        y = y * valid.unsqueeze(-1).astype(y.dtype)
        p = self.mha(self.mab[2], self.S.expand([B, -1, -1]), y, mask)
        return p, y.sum(-1).kthvalue(2, axis=1)[0]


@model
def set_transformer_isab_pma():
    def mk(n, b, s):
        v = np.ones((b, s), bool)
        v[0, -2:] = False
        return [arr(n, b, s, 12), v]

    return (
        ISAB(),
        [InputSpec([None, None, 12], "float32", "x"), InputSpec([None, None], "bool", "valid")],
        [mk(1, 2, 5), mk(2, 3, 9)],
    )


class PointerNet(nn.Layer):
    """Greedy tour: a visited mask grows by one_hot of a tensor depth each step."""

    def __init__(self, d=8):
        super().__init__()
        self.embed, self.enc, self.dec = nn.Linear(2, d), nn.LSTM(d, d), nn.LSTMCell(d, d)
        self.w1, self.w2, self.v = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, 1, bias_attr=False),
        )
        self.start = self.create_parameter([1, d], default_initializer=nn.initializer.Normal())

    def forward(self, pts):
        B, N = pts.shape[0], pts.shape[1]
        e = self.embed(pts)
        mem, (h, c) = self.enc(e)
        h, c = h.squeeze(0), c.squeeze(0)
        x = self.start.expand([B, -1])
        visited = paddle.zeros([B, N])
        tour, length = [], paddle.zeros([B])
        prev = paddle.zeros([B, 2])
        rows = paddle.arange(B)
        for i in range(N):
            h, (h, c) = self.dec(x, (h, c))
            u = self.v(paddle.tanh(self.w1(mem) + self.w2(h).unsqueeze(1))).squeeze(-1)
            a = paddle.argmax(u - visited * 1e9, axis=1)
            visited = visited + F.one_hot(a, N)
            at = paddle.stack([rows.astype("int64"), a], axis=-1)
            x, p = paddle.gather_nd(e, at), paddle.gather_nd(pts, at)
            length = length + paddle.norm(p - prev, axis=-1)
            prev = p
            tour.append(a)
        return paddle.stack(tour, axis=1), length


@model
def pointer_network_tour():
    return (
        PointerNet(),
        [InputSpec([None, None, 2], "float32", "pts")],
        [[arr(1, 2, 4, 2)], [arr(2, 3, 7, 2)]],
    )


class SpanScorer(nn.Layer):
    """Coreference mention scorer: all spans up to a width by nonzero, prune to a share by topk."""

    def __init__(self, d=8, width=3):
        super().__init__()
        self.width = width
        self.emb, self.w_emb = nn.Embedding(20, d), nn.Embedding(width, 4)
        self.att, self.ffn = (
            nn.Linear(d, 1),
            nn.Sequential(nn.Linear(3 * d + 4, 10), nn.ReLU(), nn.Linear(10, 1)),
        )
        self.pair = nn.Linear(3 * d + 4, 3 * d + 4, bias_attr=False)

    def forward(self, words, ratio):
        x = self.emb(words)
        T = paddle.shape(words)[0]
        i = paddle.arange(T).astype("int64")
        ok = paddle.logical_and(
            i.unsqueeze(0) >= i.unsqueeze(1), i.unsqueeze(0) - i.unsqueeze(1) < self.width
        )
        spans = paddle.nonzero(ok)
        s, e = spans[:, 0], spans[:, 1]
        inside = paddle.logical_and(
            i.unsqueeze(0) >= s.unsqueeze(1), i.unsqueeze(0) <= e.unsqueeze(1)
        )
        a = self.att(x).squeeze(-1).unsqueeze(0)
        a = F.softmax(paddle.where(inside, a.expand_as(inside), paddle.full([1], -1e9)), axis=-1)
        rep = paddle.concat(
            [paddle.gather(x, s), paddle.gather(x, e), a @ x, self.w_emb(e - s)], axis=-1
        )
        score = self.ffn(rep).squeeze(-1)
        k = paddle.maximum((ratio * T.astype("float32")).floor(), paddle.ones([1])).astype("int32")
        top, idx = paddle.topk(score, k)
        idx = paddle.sort(idx)
        rep = rep[idx]
        pair = self.pair(rep) @ rep.t() + top.unsqueeze(0)
        pair = paddle.tril(pair, -1) + paddle.triu(paddle.full_like(pair, -1e4))
        best = paddle.concat([paddle.zeros_like(pair[:, :1]), pair], axis=1).argmax(axis=1)
        return spans[idx], score, best


@model
def coref_span_prune():
    mk = lambda n, t, r: [ids(n, t), np.array([r], "float32")]
    return (
        SpanScorer(),
        [I1("words"), InputSpec([1], "float32", "ratio")],
        [mk(1, 6, 0.5), mk(2, 13, 0.4)],
    )


class Retriever(nn.Layer):
    """Two encoders, cosine and late interaction (MaxSim), hard-negative loss and ranks."""

    def __init__(self, d=8):
        super().__init__()
        self.emb = nn.Embedding(20, d, padding_idx=0)
        self.proj = nn.Linear(d, d, bias_attr=False)
        self.logit_scale = self.create_parameter(
            [], default_initializer=nn.initializer.Constant(1.3)
        )

    def encode(self, t):
        m = (t != 0).unsqueeze(-1).astype("float32")
        tok = F.normalize(self.proj(self.emb(t)), p=2, axis=-1) * m
        pooled = tok.sum(1) / paddle.clip(m.sum(1), min=1e-9)
        return tok, pooled / paddle.linalg.norm(pooled, axis=-1, keepdim=True).clip(min=1e-8)

    def forward(self, query, docs):
        qt, q = self.encode(query)
        dt, d = self.encode(docs)
        sim = self.logit_scale.exp() * q @ d.t()
        n_q, n_d = query.shape[0], docs.shape[0]
        late = paddle.einsum("qid,njd->qnij", qt, dt).max(axis=-1).sum(axis=-1)
        labels = paddle.arange(n_q, dtype="int64")
        loss = F.cross_entropy(sim, labels)
        gold = paddle.diagonal(sim[:, :n_q]).unsqueeze(-1)
        rank = (sim > gold).astype("int64").sum(axis=1) + 1
        mrr = (1.0 / rank.astype("float32")).mean()
        order = paddle.argsort(late, axis=-1, descending=True)[:, : n_d // 2]
        return sim, late, loss, mrr, order


@model
def colbert_cosine_mrr():
    def mk(n, q, d, a, b):
        return [
            ids(n, q, a, lo=1),
            np.concatenate([ids(n + 1, d, b - 1, lo=1), np.zeros((d, 1), "int64")], 1),
        ]

    return (
        Retriever(),
        [InputSpec([None, None], "int64", "query"), InputSpec([None, None], "int64", "docs")],
        [mk(1, 2, 4, 3, 5), mk(3, 3, 6, 4, 8)],
    )


class TreeLSTM(nn.Layer):
    """Child-sum Tree-LSTM: nodes in topological order, children summed from a growing state matrix."""

    def __init__(self, d=6):
        super().__init__()
        self.emb = nn.Embedding(20, d)
        self.iou, self.fx = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.uiou, self.uf = nn.Linear(d, 3 * d, bias_attr=False), nn.Linear(d, d, bias_attr=False)

    def forward(self, tokens, adj):
        x = self.emb(tokens)
        n = tokens.shape[0]
        H = paddle.zeros_like(x)
        C = paddle.zeros_like(x)
        for t in range(n):
            kids = adj[t].unsqueeze(-1)
            hs = (H * kids).sum(axis=0, keepdim=True)
            xt = x[t].unsqueeze(0)
            i, o, u = paddle.split(self.iou(xt) + self.uiou(hs), 3, axis=1)
            f = F.sigmoid(self.fx(xt) + self.uf(H))
            c = F.sigmoid(i) * paddle.tanh(u) + (f * C * kids).sum(axis=0, keepdim=True)
            h = F.sigmoid(o) * paddle.tanh(c)
            at = paddle.full([1], t, dtype="int64")
            H = paddle.scatter(H, at, h)
            C = paddle.scatter(C, at, c)
        roots = adj.sum(axis=0) == 0
        return H, paddle.masked_select(
            C, roots.astype(C.dtype).unsqueeze(-1).expand_as(C) > 0
        ).reshape([-1, 6])


@model
def tree_lstm_child_sum():
    def mk(n, t):
        a = np.zeros((t, t), "float32")
        for i in range(t - 1):
            a[np.random.default_rng(n + i).integers(i + 1, t), i] = 1
        return [ids(n, t), a]

    return (
        TreeLSTM(),
        [I1("tokens"), InputSpec([None, None], "float32", "adj")],
        [mk(1, 5), mk(2, 9)],
    )


class RecursiveHalving(nn.Layer):
    """Binary reduction in log steps with a while loop: odd lengths carry a leftover node."""

    def __init__(self, d=6):
        super().__init__()
        self.merge = nn.Linear(2 * d, d)
        self.gate = nn.Linear(2 * d, 1)

    def forward(self, x):
        n = paddle.shape(x)[1]
        levels = paddle.zeros([1], dtype="int64")
        d = x.shape[2]
        while n > 1:
            half = n // 2
            left, right = x[:, 0 : half * 2 : 2], x[:, 1 : half * 2 : 2]
            pair = paddle.concat([left, right], axis=-1)
            g = F.sigmoid(self.gate(pair))
            y = paddle.tanh(self.merge(pair)) * g + (left + right) * (1 - g) / 2
            x = paddle.concat([y, x[:, half * 2 :]], axis=1)
            n = paddle.shape(x)[1]
            levels = levels + 1
        return x.reshape([-1, d]), levels


@model
def recursive_halving_tree():
    return (
        RecursiveHalving(),
        [InputSpec([None, None, 6], "float32", "x")],
        [[arr(1, 2, 5, 6)], [arr(2, 3, 12, 6)]],
    )


class MaskJuggler(nn.Layer):
    """BERT MLM head on masked positions only; masked_select, nonzero, gather_nd, scatter back, unique."""

    def __init__(self, d=8, vocab=20):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.transform, self.ln = nn.Linear(d, d), nn.LayerNorm(d)
        self.bias = self.create_parameter([vocab], is_bias=True)

    def forward(self, tokens):
        x = self.emb(tokens)
        x = x + paddle.mean(x, axis=1, keepdim=True)
        is_mask = paddle.equal(tokens, 3)
        where = paddle.nonzero(is_mask)
        picked = paddle.gather_nd(x, where)
        logits = self.ln(F.gelu(self.transform(picked))) @ self.emb.weight.t() + self.bias
        guess = logits.argmax(-1)
        filled = paddle.scatter_nd_add(
            paddle.where(is_mask, paddle.zeros_like(tokens), tokens), where, guess
        )
        conf = paddle.max(F.softmax(logits, axis=-1), axis=-1)
        share = paddle.numel(guess).astype("float32") / paddle.numel(tokens).astype("float32")
        odd = paddle.masked_select(filled, filled % 2 == 1)
        uniq, counts = paddle.unique(filled, return_counts=True)
        return filled, conf, share, odd, uniq, counts, paddle.any(is_mask)


@model
def mlm_masked_positions():
    def mk(n, b, t):
        x = ids(n, b, t, lo=4)
        x[:, 1] = 3
        x[0, 3] = 3
        return [x]

    return MaskJuggler(), [InputSpec([None, None], "int64", "tokens")], [mk(1, 2, 5), mk(2, 3, 9)]


class Router(nn.Layer):
    """Different code paths by 0-D tensors: long inputs pooled, short ones attended; early exit; elif chain."""

    def __init__(self, d=8):
        super().__init__()
        self.short, self.long, self.mid = (
            nn.Linear(d, d),
            nn.Conv1D(d, d, 3, stride=2),
            nn.GRU(d, d),
        )
        self.exits = nn.LayerList([nn.Linear(d, 3) for _ in range(2)])

    def forward(self, x, mode):
        n = paddle.shape(x)[1]
        if n > 8:
            h = self.long(x.transpose([0, 2, 1])).transpose([0, 2, 1]).mean(1)
            path = paddle.to_tensor(2)
        elif mode == 1:
            y, s = self.mid(x)
            h = y[:, -1] + s[0]
            path = paddle.to_tensor(1)
        else:
            a = F.softmax(paddle.bmm(x, x.transpose([0, 2, 1])), -1)
            h = self.short(paddle.bmm(a, x)).max(axis=1)
            path = paddle.to_tensor(0)
        if x.mean() > 0 and not (h.sum() > 1e4):
            h = h * 2
        logits = self.exits[0](h)
        ent = -(F.softmax(logits) * F.log_softmax(logits)).sum(-1).mean()
        if ent > 1.0:
            logits = self.exits[1](paddle.tanh(h))
        return logits, path, ent


@model
def router_if_elif_paths():
    s = InputSpec([], "int64", "mode")
    return (
        Router(),
        [InputSpec([None, None, 8], "float32", "x"), s],
        [[arr(1, 2, 5, 8), np.array(1)], [arr(2, 3, 11, 8), np.array(0)]],
    )


class EditDistance(nn.Layer):
    """Soft-DTW / Levenshtein table by nested loops over tensors, in-place cells."""

    def __init__(self, d=4):
        super().__init__()
        self.emb = nn.Embedding(20, d)
        self.gap = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.7))

    def forward(self, a, b):
        ea, eb = self.emb(a), self.emb(b)
        cost = 1 - F.cosine_similarity(ea.unsqueeze(1), eb.unsqueeze(0), axis=-1)
        n, m = a.shape[0], b.shape[0]
        row = paddle.arange(m + 1, dtype="float32") * self.gap
        for i in range(n):
            new = paddle.zeros_like(row)
            left = row[0:1] + self.gap
            new[0:1] = left
            for j in range(m):
                c3 = paddle.concat(
                    [
                        row[j : j + 1] + cost[i, j].reshape([1]),
                        row[j + 1 : j + 2] + self.gap,
                        left + self.gap,
                    ]
                )
                left = -paddle.logsumexp(-c3 * 5.0).reshape([1]) / 5.0
                new[j + 1 : j + 2] = left
            row = new
        return row, left.squeeze(), cost


@model
def soft_edit_distance_nested():
    return EditDistance(), [I1("a"), I1("b")], [[ids(1, 3), ids(2, 4)], [ids(3, 5), ids(4, 6)]]


class InPlace(nn.Layer):
    """Decoder shift-right, label smoothing targets, set values by slices and masks, copy mechanism."""

    def __init__(self, d=8, vocab=20):
        super().__init__()
        self.vocab = vocab
        self.emb, self.rnn = nn.Embedding(vocab, d), nn.SimpleRNN(d, d)
        self.gen, self.pgen = nn.Linear(d, vocab), nn.Linear(d, 1)

    def forward(self, src, labels):
        shifted = paddle.zeros_like(labels)
        shifted[:, 1:] = labels[:, :-1].clone()
        shifted[:, 0] = 1
        shifted = paddle.where(shifted == -100, paddle.zeros_like(shifted), shifted)
        mem, h = self.rnn(self.emb(src))
        dec, _ = self.rnn(self.emb(shifted), h)
        att = F.softmax(paddle.matmul(dec, mem, transpose_y=True), axis=-1)
        g = F.sigmoid(self.pgen(dec))
        pv = g * F.softmax(self.gen(dec), axis=-1)
        copy = paddle.matmul((1 - g) * att, F.one_hot(src, self.vocab))
        p = pv + copy
        p[:, :, 0] = 0.0
        logp = paddle.log(p + 1e-9)
        ok = labels != -100
        safe = labels * ok.astype("int64")
        nll = -paddle.take_along_axis(logp, safe.unsqueeze(-1), axis=-1).squeeze(-1)
        nll = paddle.masked_select(nll, ok).mean()
        return p, nll, shifted, ok


@model
def copynet_shift_inplace():
    def mk(n, b, s, t):
        l = ids(n + 1, b, t, lo=2)
        l[0, -1] = -100
        return [ids(n, b, s, lo=1), l]

    return (
        InPlace(),
        [InputSpec([None, None], "int64", "src"), InputSpec([None, None], "int64", "labels")],
        [mk(1, 2, 5, 4), mk(3, 3, 7, 8)],
    )


class Capsule(nn.Layer):
    """MIND multi-interest routing plus slot attention, Sinkhorn and label-aware pick of a capsule."""

    def __init__(self, d=6, k=3):
        super().__init__()
        self.k = k
        self.item = nn.Embedding(20, d)
        self.S = self.create_parameter([d, d], default_initializer=nn.initializer.XavierNormal())
        self.register_buffer("b0", paddle.to_tensor(arr(11, 1, k, 1)))
        self.gru = nn.GRUCell(d, d)

    def squash(self, z):
        n = z.square().sum(-1, keepdim=True)
        return n / (1 + n) / paddle.sqrt(n + 1e-9) * z

    def forward(self, hist, lens, target):
        L = hist.shape[1]
        u = self.item(hist) @ self.S
        m = (paddle.arange(L)[None] < lens[:, None]).unsqueeze(1)
        b = paddle.tile(self.b0, [hist.shape[0], 1, L])
        for it in range(3):
            w = F.softmax(paddle.where(m, b, paddle.full_like(b, -(2.0**16))), axis=1) * m.astype(
                "float32"
            )
            caps = self.squash(paddle.bmm(w, u))
            if it < 2:
                b = b + paddle.bmm(caps, u.transpose([0, 2, 1]))
        upd, _ = self.gru(paddle.bmm(w, u).reshape([-1, 6]), caps.reshape([-1, 6]))
        caps = upd.reshape([-1, self.k, 6])
        sc = paddle.bmm(caps, self.item(target).unsqueeze(-1)).squeeze(-1)
        hot = F.one_hot(sc.argmax(-1), self.k)
        pick = (caps * hot.unsqueeze(-1)).sum(1)
        P = paddle.bmm(caps, u.transpose([0, 2, 1]))
        for _ in range(4):
            P = P - paddle.logsumexp(P, axis=-1, keepdim=True)
            P = P - P.logsumexp(axis=1, keepdim=True)
        return pick, P.exp(), sc.argmax(-1).astype("int8")


@model
def mind_capsule_sinkhorn():
    mk = lambda n, b, t: [ids(n, b, t), np.array([t, t - 2, t - 1][:b]), ids(n + 1, b)]
    return (
        Capsule(),
        [InputSpec([None, None], "int64", "hist"), I1("lens"), I1("target")],
        [mk(1, 2, 4), mk(3, 3, 8)],
    )


class Dependency(nn.Layer):
    """Biaffine parser with label smoothing of the diagonal, LightGCN layers by sparse-like matmul, cycles counted."""

    def __init__(self, d=8, rels=4):
        super().__init__()
        self.emb, self.tag = nn.Embedding(20, d), nn.Embedding(5, d)
        self.lstm = nn.LSTM(2 * d, d, direction="bidirect")
        self.head, self.dep = nn.Linear(2 * d, d), nn.Linear(2 * d, d)
        self.W = self.create_parameter(
            [d + 1, d], default_initializer=nn.initializer.Normal(std=0.5)
        )
        self.R = self.create_parameter(
            [rels, d + 1, d + 1], default_initializer=nn.initializer.Normal(std=0.5)
        )

    def forward(self, words, feats):
        x = paddle.concat([self.emb(words), self.tag(feats)], -1)
        y, _ = self.lstm(x)
        h, d = F.leaky_relu(self.head(y), 0.1), F.leaky_relu(self.dep(y), 0.1)
        one = paddle.ones_like(h[..., :1])
        h1, d1 = paddle.concat([h, one], -1), paddle.concat([d, one], -1)
        arc = d1 @ self.W @ h.transpose([0, 2, 1])
        L = words.shape[1]
        arc = arc - paddle.diag(paddle.full([L], 1e9))
        mask = words != 0
        arc = paddle.where(mask.unsqueeze(1), arc, paddle.full_like(arc, -1e9))
        heads = arc.argmax(axis=-1)
        rel = paddle.matmul(
            paddle.matmul(d1.unsqueeze(1), self.R), h1.unsqueeze(1), transpose_y=True
        )
        rel = rel.transpose([0, 2, 3, 1])
        idx = heads.unsqueeze(-1).unsqueeze(-1).expand([-1, -1, 1, 4])
        labels = paddle.take_along_axis(rel, idx, axis=2).squeeze(2).argmax(-1)
        hop = heads.clone()
        steps = paddle.zeros_like(heads)
        for hop_no in range(L):
            steps = steps + (hop != 0).astype("int64")
            hop = paddle.take_along_axis(heads, hop, axis=1)
        rooted = paddle.all(hop == 0, axis=1)
        return (
            paddle.where(mask, heads, paddle.full_like(heads, -1)),
            labels,
            steps.max(axis=1),
            rooted,
        )


@model
def biaffine_parser_heads():
    mk = lambda n, b, t: [ids(n, b, t, lo=1), ids(n + 1, b, t, hi=5)]
    return (
        Dependency(),
        [InputSpec([None, None], "int64", "words"), InputSpec([None, None], "int64", "feats")],
        [mk(1, 2, 4), mk(3, 3, 7)],
    )
