"""Tiny computer-vision and generative models, in the many styles of published Paddle code."""

import math

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle import ParamAttr
from paddle.nn.initializer import Assign, Constant, KaimingNormal, Normal, TruncatedNormal, Uniform
from paddle.static import InputSpec
from paddle.vision import ops as vops

MODELS = {}


def lively(layer):
    """Constant parameters and batch-norm statistics get real values, as after a training."""
    rng = np.random.default_rng(99)
    for _, p in layer.named_parameters():
        v = p.numpy()
        if v.size and np.ptp(v) == 0:
            p.set_value((v + 0.15 * rng.standard_normal(v.shape)).astype(v.dtype))
    for name, b in layer.named_buffers():
        if name.endswith("_mean"):
            b.set_value((0.2 * rng.standard_normal(b.shape)).astype("float32"))
        elif name.endswith("_variance"):
            b.set_value(rng.uniform(0.5, 1.6, b.shape).astype("float32"))
    return layer


def model(f):
    def make():
        paddle.seed(7)
        layer, spec, inputs = f()
        return lively(layer), spec, inputs

    MODELS[f.__name__] = make
    return make


def arr(n, *s):
    return np.random.default_rng(n).standard_normal(s).astype("float32")


def uni(n, *s):
    return np.random.default_rng(n).random(s).astype("float32")


def u8(n, *s):
    return np.random.default_rng(n).integers(0, 256, s).astype("uint8")


def ints(n, hi, *s):
    return np.random.default_rng(n).integers(0, hi, s).astype("int64")


def rois(n, k, w, h):
    r = np.random.default_rng(n)
    x1, y1 = r.uniform(0, w * 0.6, k), r.uniform(0, h * 0.6, k)
    return np.stack(
        [x1, y1, x1 + r.uniform(2, w * 0.4, k), y1 + r.uniform(2, h * 0.4, k)], 1
    ).astype("float32")


def S(shape, dtype="float32", name="x"):
    return InputSpec(shape, dtype, name)


class ConvBNLayer(nn.Layer):
    def __init__(self, cin, cout, k=3, stride=1, groups=1, act="relu", dilation=1):
        super().__init__()
        self.conv = nn.Conv2D(
            cin,
            cout,
            k,
            stride,
            padding=(k - 1) // 2 * dilation,
            dilation=dilation,
            groups=groups,
            weight_attr=ParamAttr(initializer=KaimingNormal()),
            bias_attr=False,
        )
        self.bn = nn.BatchNorm2D(cout)
        self.act = act

    def forward(self, x):
        x = self.bn(self.conv(x))
        if self.act is not None:
            x = getattr(F, self.act)(x)
        return x


# ------------------------------------------------------------------ backbones
class LayerNormCF(nn.Layer):
    def __init__(self, dim, data_format="channels_last", eps=1e-6):
        super().__init__()
        self.weight = self.create_parameter([dim], default_initializer=Constant(1.0))
        self.bias = self.create_parameter([dim], is_bias=True)
        self.data_format, self.eps, self.shape_ = data_format, eps, [dim]

    def forward(self, x):
        if self.data_format == "channels_last":
            return F.layer_norm(x, self.shape_, self.weight, self.bias, self.eps)
        u = x.mean(1, keepdim=True)
        s = (x - u).pow(2).mean(1, keepdim=True)
        x = (x - u) / paddle.sqrt(s + self.eps)
        return self.weight[:, None, None] * x + self.bias[:, None, None]


class ConvNeXtBlock(nn.Layer):
    def __init__(self, dim, scale=1e-1):
        super().__init__()
        self.dwconv = nn.Conv2D(dim, dim, 7, padding=3, groups=dim)
        self.norm = LayerNormCF(dim)
        self.pwconv1, self.act, self.pwconv2 = (
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
        )
        self.gamma = (
            self.create_parameter([dim], default_initializer=Constant(scale)) if scale > 0 else None
        )

    def forward(self, x):
        inp = x
        x = self.dwconv(x).transpose([0, 2, 3, 1])
        x = self.pwconv2(self.act(self.pwconv1(self.norm(x))))
        if self.gamma is not None:
            x = self.gamma * x
        return inp + x.transpose([0, 3, 1, 2])


class ConvNeXt(nn.Layer):
    def __init__(self):
        super().__init__()
        self.downsample_layers = nn.LayerList(
            [
                nn.Sequential(nn.Conv2D(3, 12, 4, 4), LayerNormCF(12, "channels_first")),
                nn.Sequential(LayerNormCF(12, "channels_first"), nn.Conv2D(12, 20, 2, 2)),
            ]
        )
        self.stages = nn.LayerList(
            [nn.Sequential(ConvNeXtBlock(12), ConvNeXtBlock(12, 0)), ConvNeXtBlock(20)]
        )
        self.norm, self.head = nn.LayerNorm(20, epsilon=1e-6), nn.Linear(20, 7)

    def forward(self, x):
        feats = []
        for down, stage in zip(self.downsample_layers, self.stages):
            x = stage(down(x))
            feats.append(x)
        return self.head(self.norm(x.mean([-2, -1]))), feats[0], feats[-1]


@model
def convnext_layer_scale():
    return ConvNeXt(), [S([None, 3, None, None])], [[arr(1, 2, 3, 32, 40)], [arr(2, 1, 3, 48, 32)]]


class GRN(nn.Layer):
    def __init__(self, dim):
        super().__init__()
        self.gamma = self.create_parameter([1, 1, 1, dim], default_initializer=Constant(0.0))
        self.beta = self.create_parameter([1, 1, 1, dim], default_initializer=Constant(0.0))

    def forward(self, x):
        gx = paddle.norm(x, p="fro", axis=[1, 2], keepdim=True)
        nx = gx / (gx.mean(axis=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


class ConvNeXtV2FPN(nn.Layer):
    def __init__(self, d=16):
        super().__init__()
        self.stem = nn.Conv2D(3, d, 4, stride=4)
        self.dw = nn.Conv2D(d, d, 7, padding="SAME", groups=d, bias_attr=False)
        self.ln = nn.LayerNorm(d)
        self.fc1, self.grn, self.fc2 = nn.Linear(d, 3 * d), GRN(3 * d), nn.Linear(3 * d, d)
        self.bias_after = self.create_parameter([d, 1, 1], is_bias=True)
        self.out = nn.Conv2D(d, 5, 1)

    def forward(self, x):
        h = self.stem(x)
        y = self.dw(h)
        y = paddle.transpose(y, perm=(0, 2, 3, 1))
        y = self.fc2(self.grn(F.gelu(self.fc1(self.ln(y)), approximate=True)))
        y = paddle.transpose(y, [0, 3, 1, 2]) + self.bias_after
        h = h + y
        up = F.interpolate(
            self.out(h), size=paddle.shape(x)[2:], mode="bilinear", align_corners=False
        )
        out = {"logits": up, "peak": h.max(axis=[2, 3])}
        return tuple(out.values())


@model
def convnext_v2_grn_seg():
    return (
        ConvNeXtV2FPN(),
        [S([None, 3, None, None])],
        [[arr(3, 2, 3, 33, 42)], [arr(4, 1, 3, 56, 29)]],
    )


def window_partition(x, window_size):
    B, H, W, C = x.shape
    x = x.reshape([B, H // window_size, window_size, W // window_size, window_size, C])
    windows = x.transpose([0, 1, 3, 2, 4, 5]).reshape([-1, window_size, window_size, C])
    return windows


def window_reverse(windows, window_size, H, W, C):
    x = windows.reshape([-1, H // window_size, W // window_size, window_size, window_size, C])
    return x.transpose([0, 1, 3, 2, 4, 5]).reshape([-1, H, W, C])


class WindowAttention(nn.Layer):
    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.dim, self.ws, self.num_heads = dim, window_size, num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.relative_position_bias_table = self.create_parameter(
            [(2 * window_size - 1) ** 2, num_heads], default_initializer=TruncatedNormal(std=0.2)
        )
        coords = paddle.stack(
            paddle.meshgrid([paddle.arange(window_size), paddle.arange(window_size)])
        )
        flat = paddle.flatten(coords, 1)
        rel = (flat.unsqueeze(2) - flat.unsqueeze(1)).transpose([1, 2, 0])
        rel[:, :, 0] += window_size - 1
        rel[:, :, 1] += window_size - 1
        rel[:, :, 0] *= 2 * window_size - 1
        self.register_buffer("relative_position_index", rel.sum(-1))
        self.qkv, self.proj, self.softmax = (
            nn.Linear(dim, dim * 3),
            nn.Linear(dim, dim),
            nn.Softmax(axis=-1),
        )

    def forward(self, x, mask=None):
        B_, N, C = x.shape
        qkv = (
            self.qkv(x)
            .reshape([-1, N, 3, self.num_heads, C // self.num_heads])
            .transpose([2, 0, 3, 1, 4])
        )
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = paddle.mm(q * self.scale, k.transpose([0, 1, 3, 2]))
        index = self.relative_position_index.reshape([-1])
        bias = paddle.index_select(self.relative_position_bias_table, index)
        bias = bias.reshape([self.ws * self.ws, self.ws * self.ws, -1]).transpose([2, 0, 1])
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.reshape([-1, nW, self.num_heads, N, N]) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.reshape([-1, self.num_heads, N, N])
        attn = self.softmax(attn)
        return self.proj(paddle.mm(attn, v).transpose([0, 2, 1, 3]).reshape([-1, N, C]))


class SwinBlocks(nn.Layer):
    def __init__(self, dim=16, ws=4, heads=2):
        super().__init__()
        self.ws, self.shift = ws, ws // 2
        self.embed = nn.Conv2D(3, dim, 2, 2)
        self.norm = nn.LayerList([nn.LayerNorm(dim) for _ in range(4)])
        self.attn = nn.LayerList([WindowAttention(dim, ws, heads) for _ in range(2)])
        self.mlp = nn.LayerList(
            [nn.Sequential(nn.Linear(dim, 32), nn.GELU(), nn.Linear(32, dim)) for _ in range(2)]
        )
        self.reduction, self.rnorm = (
            nn.Linear(4 * dim, 2 * dim, bias_attr=False),
            nn.LayerNorm(4 * dim),
        )

    def forward(self, x):
        x = self.embed(x)
        _, C, H, W = x.shape
        ws, shift = self.ws, self.shift
        x = x.flatten(2).transpose([0, 2, 1])
        Hp, Wp = (H + ws - 1) // ws * ws, (W + ws - 1) // ws * ws
        img_mask = paddle.zeros([1, Hp, Wp, 1], dtype="float32")
        h_slices = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
        w_slices = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
        cnt = 0
        for h in h_slices:
            for w in w_slices:
                img_mask[:, h, w, :] = cnt
                cnt += 1
        mask_windows = window_partition(img_mask, ws).reshape([-1, ws * ws])
        attn_mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
        attn_mask = paddle.where(
            attn_mask != 0, paddle.full_like(attn_mask, -100.0), paddle.zeros_like(attn_mask)
        )
        for i in range(2):
            shortcut = x
            y = self.norm[2 * i](x).reshape([-1, H, W, C])
            y = F.pad(
                y.transpose([0, 3, 1, 2]),
                paddle.concat(
                    [
                        paddle.zeros([1], "int32"),
                        paddle.reshape(paddle.to_tensor(Wp - W, dtype="int32"), [1]),
                        paddle.zeros([1], "int32"),
                        paddle.reshape(paddle.to_tensor(Hp - H, dtype="int32"), [1]),
                    ]
                ),
            ).transpose([0, 2, 3, 1])
            if i % 2 == 1:
                y = paddle.roll(y, shifts=(-shift, -shift), axis=(1, 2))
            win = window_partition(y, ws).reshape([-1, ws * ws, C])
            win = self.attn[i](win, attn_mask if i % 2 == 1 else None)
            y = window_reverse(win.reshape([-1, ws, ws, C]), ws, Hp, Wp, C)
            if i % 2 == 1:
                y = paddle.roll(y, shifts=(shift, shift), axis=(1, 2))
            y = y[:, :H, :W, :]
            x = shortcut + y.reshape([-1, H * W, C])
            x = x + self.mlp[i](self.norm[2 * i + 1](x))
        x = x.reshape([-1, H, W, C])
        H2, W2 = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
        x = x[:, :H2, :W2]
        x = paddle.concat(
            [x[:, 0::2, 0::2, :], x[:, 1::2, 0::2, :], x[:, 0::2, 1::2, :], x[:, 1::2, 1::2, :]], -1
        )
        return self.reduction(self.rnorm(x.reshape([paddle.shape(x)[0], -1, 4 * C])))


@model
def swin_dynamic_pad_roll_mask():
    return (
        SwinBlocks(),
        [S([None, 3, None, None])],
        [[arr(5, 2, 3, 20, 26)], [arr(6, 1, 3, 30, 24)]],
    )


class SwinV2Attention(nn.Layer):
    """Fixed size, cosine attention, log-spaced continuous position bias, q/v bias but none for k."""

    def __init__(self, dim=24, ws=4, heads=3):
        super().__init__()
        self.ws, self.heads, self.dim = ws, heads, dim
        self.patch = nn.Conv2D(3, dim, 4, 4)
        self.logit_scale = self.create_parameter(
            [heads, 1, 1], default_initializer=Constant(math.log(10))
        )
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, heads, bias_attr=False)
        )
        r = paddle.arange(-(ws - 1), ws, dtype="float32")
        table = paddle.stack(paddle.meshgrid(r, r)).transpose([1, 2, 0]).unsqueeze(0) / (ws - 1) * 8
        table = paddle.sign(table) * paddle.log2(paddle.abs(table) + 1.0) / np.log2(8)
        self.register_buffer("relative_coords_table", table)
        c = np.stack(np.meshgrid(np.arange(ws), np.arange(ws), indexing="ij")).reshape(2, -1)
        rel = (c[:, :, None] - c[:, None, :]).transpose(1, 2, 0) + ws - 1
        self.register_buffer(
            "relative_position_index", paddle.to_tensor(rel[..., 0] * (2 * ws - 1) + rel[..., 1])
        )
        self.qkv = nn.Linear(dim, 3 * dim, bias_attr=False)
        self.q_bias = self.create_parameter([dim], is_bias=True)
        self.v_bias = self.create_parameter([dim], is_bias=True)
        self.proj, self.norm = nn.Linear(dim, dim), nn.LayerNorm(dim)

    def forward(self, x):
        x = self.patch(x)
        B, C, H, W = paddle.shape(x)[0], self.dim, 8, 8
        ws = self.ws
        x = (
            x.reshape([B, C, H // ws, ws, W // ws, ws])
            .transpose([0, 2, 4, 3, 5, 1])
            .reshape([-1, ws * ws, C])
        )
        N = x.shape[1]
        qkv_bias = paddle.concat((self.q_bias, paddle.zeros_like(self.v_bias), self.v_bias))
        qkv = (
            F.linear(x, self.qkv.weight, qkv_bias)
            .reshape([0, N, 3, self.heads, -1])
            .transpose((2, 0, 3, 1, 4))
        )
        q, k, v = qkv.unbind(0)
        attn = F.normalize(q, axis=-1) @ F.normalize(k, axis=-1).transpose([0, 1, 3, 2])
        attn = attn * paddle.clip(self.logit_scale, max=math.log(1.0 / 0.01)).exp()
        bias = self.cpb_mlp(self.relative_coords_table).reshape([-1, self.heads])
        bias = (
            bias[self.relative_position_index.reshape([-1])]
            .reshape([N, N, -1])
            .transpose([2, 0, 1])
        )
        attn = F.softmax(attn + 16 * F.sigmoid(bias).unsqueeze(0), axis=-1)
        y = self.proj((attn @ v).transpose([0, 2, 1, 3]).reshape([-1, N, C]))
        x = x + self.norm(y)
        x = x.reshape([-1, 2, 2, ws, ws, C]).transpose([0, 1, 3, 2, 4, 5]).reshape([B, H * W, C])
        return x, attn.mean(1)


@model
def swin_v2_cosine_cpb():
    return (
        SwinV2Attention(),
        [S([None, 3, 32, 32])],
        [[arr(7, 1, 3, 32, 32)], [arr(8, 3, 3, 32, 32)]],
    )


class MaxViT(nn.Layer):
    def __init__(self, d=16, p=4):
        super().__init__()
        self.p, self.h = p, 2
        self.stem = nn.Sequential(nn.Conv2D(3, d, 3, 2, 1), nn.BatchNorm2D(d), nn.GELU())
        self.expand = nn.Sequential(nn.Conv2D(d, 2 * d, 1), nn.BatchNorm2D(2 * d), nn.Silu())
        self.dw = nn.Sequential(
            nn.Conv2D(2 * d, 2 * d, 3, 1, 1, groups=2 * d), nn.BatchNorm2D(2 * d), nn.Silu()
        )
        self.se = nn.Sequential(
            nn.AdaptiveAvgPool2D(1),
            nn.Conv2D(2 * d, 4, 1),
            nn.Silu(),
            nn.Conv2D(4, 2 * d, 1),
            nn.Sigmoid(),
        )
        self.project = nn.Conv2D(2 * d, d, 1)
        self.qkv = nn.LayerList([nn.Linear(d, 3 * d) for _ in range(2)])
        self.o = nn.LayerList([nn.Linear(d, d) for _ in range(2)])
        self.ln = nn.LayerList([nn.LayerNorm(d) for _ in range(2)])
        self.bias = self.create_parameter(
            [2, self.h, p * p, p * p], default_initializer=Normal(0, 0.3)
        )

    def attend(self, t, i):
        d = t.shape[-1]
        q, k, v = paddle.split(self.qkv[i](self.ln[i](t)), 3, axis=-1)
        q, k, v = [u.reshape([0, 0, 0, self.h, d // self.h]) for u in (q, k, v)]
        a = paddle.einsum("bwihd,bwjhd->bwhij", q, k) * (d // self.h) ** -0.5 + self.bias[i]
        o = paddle.einsum("bwhij,bwjhd->bwihd", F.softmax(a), v)
        return t + self.o[i](o.flatten(3))

    def forward(self, x):
        x = self.stem(x)
        y = self.dw(self.expand(x))
        x = x + self.project(y * self.se(y))
        b, c, h, w = x.shape
        p = self.p
        t = (
            x.reshape([b, c, h // p, p, w // p, p])
            .transpose([0, 2, 4, 3, 5, 1])
            .flatten(3, 4)
            .flatten(1, 2)
        )
        t = self.attend(t, 0)
        x = (
            t.reshape([b, h // p, w // p, p, p, c])
            .transpose([0, 5, 1, 3, 2, 4])
            .reshape([b, c, h, w])
        )
        t = (
            x.reshape([b, c, p, h // p, p, w // p])
            .transpose([0, 3, 5, 2, 4, 1])
            .flatten(3, 4)
            .flatten(1, 2)
        )
        t = self.attend(t, 1)
        x = (
            t.reshape([b, h // p, w // p, p, p, c])
            .transpose([0, 5, 3, 1, 4, 2])
            .reshape([b, c, h, w])
        )
        return x


@model
def maxvit_block_and_grid():
    return MaxViT(), [S([None, 3, None, None])], [[arr(9, 1, 3, 16, 24)], [arr(10, 2, 3, 24, 32)]]


class MobileViTBlock(nn.Layer):
    def __init__(self, c=8, d=16, patch=2):
        super().__init__()
        self.ph = self.pw = patch
        self.local_rep = nn.Sequential(
            ConvBNLayer(c, c, 3, act="silu"), nn.Conv2D(c, d, 1, bias_attr=False)
        )
        self.global_rep = nn.LayerList(
            [
                nn.TransformerEncoderLayer(
                    d, 2, 24, dropout=0.0, activation="silu", normalize_before=True
                )
                for _ in range(2)
            ]
        )
        self.norm = nn.LayerNorm(d)
        self.proj, self.fusion = (
            ConvBNLayer(d, c, 1, act="silu"),
            ConvBNLayer(2 * c, c, 3, act="silu"),
        )

    def unfolding(self, x):
        B, C, H, W = x.shape
        new_h = (H + self.ph - 1) // self.ph * self.ph
        new_w = (W + self.pw - 1) // self.pw * self.pw
        interpolate = False
        if new_h != H or new_w != W:
            x = F.interpolate(x, size=[new_h, new_w], mode="bilinear", align_corners=False)
            interpolate = True
        nh, nw = new_h // self.ph, new_w // self.pw
        x = x.reshape([B * C * nh, self.ph, nw, self.pw]).transpose([0, 2, 1, 3])
        x = x.reshape([B, C, nh * nw, self.ph * self.pw]).transpose([0, 3, 2, 1])
        x = x.reshape([B * self.ph * self.pw, nh * nw, C])
        return x, B, C, nh, nw

    def forward(self, x):
        res = x
        fm = self.local_rep(x)
        H, W = paddle.shape(x)[2], paddle.shape(x)[3]
        t, B, C, nh, nw = self.unfolding(fm)
        for layer in self.global_rep:
            t = layer(t)
        t = self.norm(t)
        t = t.reshape([B, self.ph * self.pw, nh * nw, C]).transpose([0, 3, 2, 1])
        t = t.reshape([B * C * nh, nw, self.ph, self.pw]).transpose([0, 2, 1, 3])
        fm = t.reshape([B, C, nh * self.ph, nw * self.pw])
        fm = F.interpolate(fm, size=[H, W], mode="bilinear", align_corners=False)
        return self.fusion(paddle.concat([res, self.proj(fm)], axis=1))


@model
def mobilevit_unfold_if_resize():
    return (
        MobileViTBlock(),
        [S([None, 8, None, None])],
        [[arr(11, 2, 8, 6, 8)], [arr(12, 1, 8, 7, 9)]],
    )


class HRNetFuse(nn.Layer):
    def __init__(self, ch=(6, 10, 14)):
        super().__init__()
        self.stem = ConvBNLayer(3, ch[0], 3, 2)
        self.down = nn.LayerList([ConvBNLayer(ch[i], ch[i + 1], 3, 2) for i in range(2)])
        self.fuse = nn.LayerList()
        for i in range(3):
            row = nn.LayerList()
            for j in range(3):
                if j > i:
                    row.append(ConvBNLayer(ch[j], ch[i], 1, act=None))
                elif j == i:
                    row.append(nn.Identity())
                else:
                    seq = []
                    for k in range(i - j):
                        last = k == i - j - 1
                        seq.append(
                            ConvBNLayer(
                                ch[j], ch[i] if last else ch[j], 3, 2, act=None if last else "relu"
                            )
                        )
                    row.append(nn.Sequential(*seq))
            self.fuse.append(row)
        self.cls = nn.Conv2D(sum(ch), 4, 1)

    def forward(self, x):
        xs = [self.stem(x)]
        for d in self.down:
            xs.append(d(xs[-1]))
        outs = []
        for i, row in enumerate(self.fuse):
            y = 0
            for j, f in enumerate(row):
                t = f(xs[j])
                if j > i:
                    t = F.interpolate(t, paddle.shape(xs[i])[-2:], mode="nearest")
                y = y + t
            outs.append(F.relu(y))
        h, w = paddle.shape(outs[0])[2], paddle.shape(outs[0])[3]
        ups = [outs[0]] + [
            F.interpolate(o, size=[h, w], mode="bilinear", align_corners=True) for o in outs[1:]
        ]
        return self.cls(paddle.concat(ups, 1)), outs[2]


@model
def hrnet_fusion_size_from_shape():
    return (
        HRNetFuse(),
        [S([None, 3, None, None])],
        [[arr(13, 1, 3, 27, 38)], [arr(14, 2, 3, 40, 31)]],
    )


class GhostShuffle(nn.Layer):
    def __init__(self, cin=3, oup=9):
        super().__init__()
        self.oup = oup
        init = math.ceil(oup / 2)
        self.primary = ConvBNLayer(cin, init, 1)
        self.cheap = ConvBNLayer(init, init, 3, groups=init)
        self.short_conv = nn.Sequential(
            nn.Conv2D(cin, oup, 1, bias_attr=False),
            nn.BatchNorm2D(oup),
            nn.Conv2D(oup, oup, (1, 5), padding=(0, 2), groups=oup, bias_attr=False),
            nn.BatchNorm2D(oup),
            nn.Conv2D(oup, oup, (5, 1), padding=(2, 0), groups=oup, bias_attr=False),
            nn.BatchNorm2D(oup),
        )
        self.cw = nn.Conv2D(oup, 12, 1)

    def channel_shuffle(self, x, groups):
        batch_size, num_channels, height, width = x.shape[0:4]
        x = paddle.reshape(x, [batch_size, groups, num_channels // groups, height, width])
        x = paddle.transpose(x, perm=[0, 2, 1, 3, 4])
        return paddle.reshape(x, [batch_size, num_channels, height, width])

    def forward(self, x):
        res = self.short_conv(F.avg_pool2d(x, kernel_size=2, stride=2))
        x1 = self.primary(x)
        out = paddle.concat([x1, self.cheap(x1)], axis=1)[:, : self.oup, :, :]
        out = out * F.interpolate(F.sigmoid(res), size=out.shape[-2:], mode="nearest")
        out = self.channel_shuffle(self.cw(out), 3)
        a, b = paddle.chunk(out, 2, axis=1)
        return F.hardswish(a) + F.hardsigmoid(b) * F.relu6(a), res


@model
def ghostnet_v2_dfc_shuffle():
    return (
        GhostShuffle(),
        [S([None, 3, None, None])],
        [[arr(15, 2, 3, 14, 18)], [arr(16, 1, 3, 17, 21)]],
    )


class EffNetSame(nn.Layer):
    """TensorFlow-style same padding computed from the run-time size."""

    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([16, 3, 3, 3], default_initializer=Normal(0, 0.2))
        self.dw = self.create_parameter([16, 1, 5, 5], default_initializer=Normal(0, 0.2))
        self.bn = nn.BatchNorm2D(16, momentum=0.99, epsilon=1e-3)
        self.bn2 = nn.BatchNorm(16, act="swish")
        self.reduce, self.expand = nn.Conv2D(16, 4, 1), nn.Conv2D(4, 16, 1)

    def same_conv(self, x, w, stride, groups=1):
        k = w.shape[-1]
        ih, iw = paddle.shape(x)[2], paddle.shape(x)[3]
        oh, ow = (ih + stride - 1) // stride, (iw + stride - 1) // stride
        ph = paddle.clip((oh - 1) * stride + k - ih, min=0)
        pw = paddle.clip((ow - 1) * stride + k - iw, min=0)
        pad = (
            paddle.stack([pw // 2, pw - pw // 2, ph // 2, ph - ph // 2])
            .reshape([4])
            .astype("int32")
        )
        return F.conv2d(F.pad(x, pad), w, stride=stride, groups=groups)

    def forward(self, x):
        x = F.swish(self.bn(self.same_conv(x, self.w, 2)))
        x = self.bn2(self.same_conv(x, self.dw, 2, 16))
        s = F.adaptive_avg_pool2d(x, 1)
        s = self.expand(F.swish(self.reduce(s)))
        return F.sigmoid(s) * x


@model
def efficientnet_same_padding_computed():
    return (
        EffNetSame(),
        [S([None, 3, None, None])],
        [[arr(17, 2, 3, 15, 22)], [arr(18, 1, 3, 28, 21)]],
    )


class PoolFormerBlock(nn.Layer):
    def __init__(self, d=12):
        super().__init__()
        self.embed = nn.Conv2D(3, d, 7, 4, 2)
        self.norm1, self.norm2 = nn.GroupNorm(1, d), nn.GroupNorm(1, d)
        self.pool = nn.AvgPool2D(3, 1, 1, exclusive=True)
        self.fc1, self.fc2 = nn.Conv2D(d, 4 * d, 1), nn.Conv2D(4 * d, d, 1)
        self.ls1 = self.create_parameter([d], default_initializer=Constant(1e-1))
        self.ls2 = self.create_parameter([d], default_initializer=Constant(1e-1))
        self.res_scale = self.create_parameter([1], default_initializer=Constant(1.0))

    def forward(self, x):
        x = self.embed(x)
        y = self.norm1(x)
        x = x * self.res_scale + self.ls1.unsqueeze(-1).unsqueeze(-1) * (self.pool(y) - y)
        x = x + self.ls2[None, :, None, None] * self.fc2(F.gelu(self.fc1(self.norm2(x))))
        return paddle.mean(x, axis=(2, 3)), x


@model
def poolformer_groupnorm_scales():
    return (
        PoolFormerBlock(),
        [S([None, 3, None, None])],
        [[arr(19, 1, 3, 24, 32)], [arr(20, 2, 3, 41, 27)]],
    )


class PVTv2(nn.Layer):
    def __init__(self, d=16, heads=2, sr=2, linear=True):
        super().__init__()
        self.d, self.heads = d, heads
        self.proj = nn.Conv2D(3, d, kernel_size=7, stride=4, padding=3)
        self.n0, self.n1, self.n2, self.nk = (nn.LayerNorm(d) for _ in range(4))
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.sr = nn.Conv2D(d, d, sr, sr)
        self.pool = nn.AdaptiveAvgPool2D(3)
        self.sr2 = nn.Conv2D(d, d, 1)
        self.fc1, self.dw, self.fc2 = (
            nn.Linear(d, 3 * d),
            nn.Conv2D(3 * d, 3 * d, 3, 1, 1, groups=3 * d),
            nn.Linear(3 * d, d),
        )

    def forward(self, x):
        x = self.proj(x)
        B, C, H, W = paddle.shape(x)
        x = self.n0(x.flatten(2).transpose([0, 2, 1]))
        y = self.n1(x)
        N = paddle.shape(y)[1]
        q = self.q(y).reshape([B, N, self.heads, self.d // self.heads]).transpose([0, 2, 1, 3])
        y_ = y.transpose([0, 2, 1]).reshape([B, self.d, H, W])
        a = self.sr(y_).reshape([B, self.d, -1]).transpose([0, 2, 1])
        b = self.sr2(self.pool(y_)).reshape([B, self.d, -1]).transpose([0, 2, 1])
        y_ = F.gelu(self.nk(paddle.concat([a, b], axis=1)))
        kv = (
            self.kv(y_)
            .reshape([B, -1, 2, self.heads, self.d // self.heads])
            .transpose([2, 0, 3, 1, 4])
        )
        att = F.softmax(
            (q @ kv[0].transpose([0, 1, 3, 2])) / math.sqrt(self.d // self.heads), axis=-1
        )
        x = x + self.o((att @ kv[1]).transpose([0, 2, 1, 3]).reshape([B, N, self.d]))
        z = self.fc1(self.n2(x))
        z = (
            self.dw(z.transpose([0, 2, 1]).reshape([B, 3 * self.d, H, W]))
            .flatten(2)
            .transpose([0, 2, 1])
        )
        return (x + self.fc2(F.gelu(z))).reshape([B, H, W, -1]).transpose([0, 3, 1, 2])


@model
def pvt_v2_linear_sra():
    return PVTv2(), [S([None, 3, None, None])], [[arr(21, 2, 3, 32, 24)], [arr(22, 1, 3, 37, 45)]]


class FocalModulation(nn.Layer):
    def __init__(self, d=16, level=3):
        super().__init__()
        self.d, self.level = d, level
        self.stem = nn.Conv2D(3, d, 2, 2)
        self.f = nn.Linear(d, 2 * d + level + 1)
        self.layers = nn.LayerList(
            [
                nn.Sequential(
                    nn.Conv2D(d, d, 2 * k + 3, padding=k + 1, groups=d, bias_attr=False), nn.GELU()
                )
                for k in range(level)
            ]
        )
        self.h, self.proj, self.ln = nn.Conv2D(d, d, 1), nn.Linear(d, d), nn.LayerNorm(d)

    def forward(self, x):
        x = self.stem(x).transpose([0, 2, 3, 1])
        z = self.f(x).transpose([0, 3, 1, 2])
        q, ctx, gates = paddle.split(z, [self.d, self.d, self.level + 1], axis=1)
        ctx_all = 0
        for l in range(self.level):
            ctx = self.layers[l](ctx)
            ctx_all = ctx_all + ctx * gates[:, l : l + 1]
        ctx_global = F.gelu(ctx.mean(2, keepdim=True).mean(3, keepdim=True))
        ctx_all = ctx_all + ctx_global * gates[:, self.level :]
        mod = self.h(ctx_all / (self.level + 1))
        out = self.proj((q * mod).transpose([0, 2, 3, 1]))
        return self.ln(out) + x, mod


@model
def focalnet_gated_contexts():
    return (
        FocalModulation(),
        [S([None, 3, None, None])],
        [[arr(23, 2, 3, 12, 16)], [arr(24, 1, 3, 18, 14)]],
    )


class DCNv3Core(nn.Layer):
    def __init__(self, c=12, group=3, k=3):
        super().__init__()
        self.c, self.g, self.k = c, group, k
        self.inp, self.outp = nn.Linear(c, c), nn.Linear(c, c)
        self.dw = nn.Sequential(nn.Conv2D(c, c, 3, 1, 1, groups=c), nn.BatchNorm2D(c), nn.GELU())
        self.offset, self.mask = nn.Linear(c, group * k * k * 2), nn.Linear(c, group * k * k)
        ky, kx = np.meshgrid(np.arange(k) - k // 2, np.arange(k) - k // 2, indexing="ij")
        self.register_buffer(
            "base", paddle.to_tensor(np.stack([kx, ky], -1).reshape(-1).astype("float32"))
        )

    def forward(self, x):
        N, H, W, C = x.shape[0], x.shape[1], x.shape[2], self.c
        P = self.k * self.k
        v = self.inp(x)
        y = self.dw(x.transpose([0, 3, 1, 2])).transpose([0, 2, 3, 1])
        off = self.offset(y)
        mask = F.softmax(self.mask(y).reshape([N, H, W, self.g, P]), -1)
        ref_y, ref_x = paddle.meshgrid(
            paddle.arange(H, dtype="float32") + 0.5, paddle.arange(W, dtype="float32") + 0.5
        )
        ref = paddle.stack([ref_x, ref_y], -1).reshape([1, H, W, 1, 1, 2])
        loc = ref + (self.base.tile([self.g]) + off).reshape([N, H, W, self.g, P, 2])
        size = (
            paddle.stack([paddle.to_tensor(W), paddle.to_tensor(H)])
            .astype("float32")
            .reshape([1, 1, 1, 1, 1, 2])
        )
        grid = 2 * loc / size - 1
        v = (
            v.reshape([N, H * W, self.g, C // self.g])
            .transpose([0, 2, 3, 1])
            .reshape([N * self.g, C // self.g, H, W])
        )
        grid = grid.reshape([N, H * W, self.g, P, 2]).transpose([0, 2, 1, 3, 4]).flatten(0, 1)
        s = F.grid_sample(v, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        m = (
            mask.reshape([N, H * W, self.g, P])
            .transpose([0, 2, 1, 3])
            .reshape([N * self.g, 1, H * W, P])
        )
        o = (s * m).sum(-1).reshape([N, C, H * W]).transpose([0, 2, 1]).reshape([N, H, W, C])
        return self.outp(o)


@model
def internimage_dcnv3_grid_sample():
    return (
        DCNv3Core(),
        [S([None, None, None, 12])],
        [[arr(25, 1, 5, 7, 12)], [arr(26, 2, 8, 6, 12)]],
    )


class VANRes2(nn.Layer):
    def __init__(self, w=6):
        super().__init__()
        d = 4 * w
        self.conv1 = ConvBNLayer(3, d, 1)
        self.convs = nn.LayerList(
            [nn.Conv2D(w, w, 3, padding=1, bias_attr=False) for _ in range(3)]
        )
        self.bns = nn.LayerList([nn.BatchNorm2D(w) for _ in range(3)])
        self.proj_1, self.proj_2 = nn.Conv2D(d, d, 1), nn.Conv2D(d, d, 1)
        self.conv0 = nn.Conv2D(d, d, 5, padding=2, groups=d)
        self.conv_spatial = nn.Conv2D(d, d, 7, stride=1, padding=9, groups=d, dilation=3)
        self.layer_scale = self.create_parameter([d], default_initializer=Constant(0.01))
        self.w = w

    def forward(self, x):
        x = self.conv1(x)
        spx = paddle.split(x, 4, axis=1)
        out = []
        sp = None
        for i in range(3):
            sp = spx[i] if i == 0 else sp + spx[i]
            sp = F.relu(self.bns[i](self.convs[i](sp)))
            out.append(sp)
        out.append(spx[3])
        x = paddle.concat(out, axis=1)
        u = F.gelu(self.proj_1(x))
        a = self.conv_spatial(self.conv0(u))
        x = x + self.layer_scale.reshape([-1, 1, 1]) * (self.proj_2(u * a) + x)
        return x, a.argmax(axis=1)


@model
def van_lka_res2net_split():
    return VANRes2(), [S([None, 3, None, None])], [[arr(27, 1, 3, 9, 12)], [arr(28, 2, 3, 13, 10)]]


class CBAMSK(nn.Layer):
    def __init__(self, d=12):
        super().__init__()
        self.stem = nn.Conv2D(3, d, 3, 1, 1)
        self.branches = nn.LayerList(
            [ConvBNLayer(d, d, 3, groups=3, dilation=i + 1) for i in range(2)]
        )
        self.fc, self.fcs = nn.Linear(d, 8), nn.LayerList([nn.Linear(8, d) for _ in range(2)])
        self.mlp = nn.Sequential(
            nn.Conv2D(d, 4, 1, bias_attr=False), nn.ReLU(), nn.Conv2D(4, d, 1, bias_attr=False)
        )
        self.sp = nn.Conv2D(2, 1, 7, padding=3, bias_attr=False)

    def forward(self, x):
        x = self.stem(x)
        feats = paddle.stack([b(x) for b in self.branches], axis=1)
        z = self.fc(feats.sum(1).mean([2, 3]))
        att = F.softmax(paddle.stack([f(z) for f in self.fcs], axis=1), axis=1)
        x = (feats * att.unsqueeze(-1).unsqueeze(-1)).sum(axis=1) + x
        ca = F.sigmoid(
            self.mlp(F.adaptive_avg_pool2d(x, 1)) + self.mlp(F.adaptive_max_pool2d(x, 1))
        )
        x = x * ca
        sa = paddle.concat(
            [paddle.mean(x, axis=1, keepdim=True), paddle.max(x, axis=1, keepdim=True)], axis=1
        )
        sa = F.sigmoid(self.sp(sa))
        return x * sa, ca.squeeze([2, 3]), sa > 0.5


@model
def cbam_selective_kernel():
    return CBAMSK(), [S([None, 3, None, None])], [[arr(29, 2, 3, 10, 11)], [arr(30, 3, 3, 8, 15)]]


class Involution(nn.Layer):
    def __init__(self, c=12, k=5, stride=2, gc=4):
        super().__init__()
        self.c, self.k, self.stride, self.gc, self.groups = c, k, stride, gc, c // gc
        self.stem = nn.Conv2D(3, c, 1)
        self.conv1 = nn.Sequential(
            ("conv", nn.Conv2D(c, 4, 1, bias_attr=False)),
            ("bn", nn.BatchNorm2D(4)),
            ("activate", nn.ReLU()),
        )
        self.conv2 = nn.Conv2D(4, k * k * self.groups, 1)
        self.avgpool = nn.AvgPool2D(stride, stride)

    def forward(self, x):
        x = self.stem(x)
        weight = self.conv2(self.conv1(self.avgpool(x)))
        b, c, h, w = paddle.shape(weight)
        weight = weight.reshape((b, self.groups, self.k**2, h, w)).unsqueeze(2)
        out = F.unfold(x, self.k, strides=self.stride, paddings=(self.k - 1) // 2, dilations=1)
        out = out.reshape((b, self.groups, self.gc, self.k**2, h, w))
        return (weight * out).sum(axis=3).reshape((b, self.c, h, w))


@model
def involution_unfold():
    return (
        Involution(),
        [S([None, 3, None, None])],
        [[arr(31, 1, 3, 10, 12)], [arr(32, 2, 3, 14, 8)]],
    )


class BoTNetAttn(nn.Layer):
    """Relative position logits by the pad-and-reshape trick."""

    def __init__(self, c=16, heads=2, size=6):
        super().__init__()
        self.heads, self.d, self.s = heads, c // heads, size
        self.qkv = nn.Conv2D(c, 3 * c, 1, bias_attr=False)
        self.rel_h = self.create_parameter(
            [2 * size - 1, self.d], default_initializer=Normal(0, self.d**-0.5)
        )
        self.rel_w = self.create_parameter(
            [2 * size - 1, self.d], default_initializer=Normal(0, self.d**-0.5)
        )

    @staticmethod
    def rel_to_abs(x):
        b, h, l = x.shape[0], x.shape[1], x.shape[2]
        x = paddle.concat([x, paddle.zeros([b, h, l, 1])], axis=3)
        flat = x.reshape([b, h, l * 2 * l])
        flat = paddle.concat([flat, paddle.zeros([b, h, l - 1])], axis=2)
        return flat.reshape([b, h, l + 1, 2 * l - 1])[:, :, :l, (l - 1) :]

    def relative_1d(self, q, rel):
        b, heads, h, w, _ = q.shape
        logits = paddle.einsum("bhxyd,rd->bhxyr", q, rel).reshape([b, heads * h, w, 2 * self.s - 1])
        logits = self.rel_to_abs(logits).reshape([b, heads, h, 1, w, w])
        return logits.expand([-1, -1, -1, self.s, -1, -1])

    def forward(self, x):
        b = x.shape[0]
        s = self.s
        qkv = self.qkv(x).reshape([b, 3, self.heads, self.d, s * s])
        q, k, v = (t.squeeze(1) for t in qkv.split(3, axis=1))
        q = q.transpose([0, 1, 3, 2]) * self.d**-0.5
        logits = q @ k
        qq = q.reshape([b, self.heads, s, s, self.d])
        rw = (
            self.relative_1d(qq, self.rel_w)
            .transpose([0, 1, 2, 4, 3, 5])
            .reshape([b, self.heads, s * s, s * s])
        )
        rh = (
            self.relative_1d(qq.transpose([0, 1, 3, 2, 4]), self.rel_h)
            .transpose([0, 1, 4, 2, 5, 3])
            .reshape([b, self.heads, s * s, s * s])
        )
        att = F.softmax(logits + rw + rh, axis=-1)
        o = (att @ v.transpose([0, 1, 3, 2])).transpose([0, 1, 3, 2]).reshape([b, -1, s, s])
        return F.relu(o + x)


@model
def botnet_relative_logits():
    return BoTNetAttn(), [S([None, 16, 6, 6])], [[arr(33, 1, 16, 6, 6)], [arr(34, 3, 16, 6, 6)]]


class CSWinXCiT(nn.Layer):
    def __init__(self, d=16, sp=2):
        super().__init__()
        self.d, self.sp, self.heads = d, sp, 2
        self.qkv, self.lepe = (
            nn.Linear(d, 3 * d),
            nn.LayerList([nn.Conv2D(d // 2, d // 2, 3, 1, 1, groups=d // 2) for _ in range(2)]),
        )
        self.proj = nn.Linear(d, d)
        self.temp = self.create_parameter([self.heads, 1, 1], default_initializer=Constant(1.0))
        self.xqkv = nn.Linear(d, 3 * d, bias_attr=False)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def stripes(self, t, H, W, hs, ws):
        B, C = t.shape[0], t.shape[-1]
        t = t.reshape([B, H // hs, hs, W // ws, ws, C]).transpose([0, 1, 3, 2, 4, 5])
        return t.reshape([-1, hs * ws, C])

    def forward(self, x):
        B, H, W, C = x.shape
        qkv = self.qkv(self.n1(x))
        outs = []
        for i in range(2):
            hs, ws = (H, self.sp) if i == 0 else (self.sp, W)
            lo, hi = i * C // 2, (i + 1) * C // 2
            q, k, v = qkv[..., lo:hi], qkv[..., C + lo : C + hi], qkv[..., 2 * C + lo : 2 * C + hi]
            rpe = self.lepe[i](v.transpose([0, 3, 1, 2])).transpose([0, 2, 3, 1])
            q, k, vv = (
                self.stripes(q, H, W, hs, ws),
                self.stripes(k, H, W, hs, ws),
                self.stripes(v, H, W, hs, ws),
            )
            a = F.softmax(paddle.matmul(q, k, transpose_y=True) * (C // 2) ** -0.5, axis=-1)
            o = (
                paddle.matmul(a, vv)
                .reshape([B, H // hs, W // ws, hs, ws, C // 2])
                .transpose([0, 1, 3, 2, 4, 5])
                .reshape([B, H, W, C // 2])
            )
            outs.append(o + rpe)
        x = x + self.proj(paddle.concat(outs, -1))
        t = x.flatten(1, 2)
        qkv = (
            self.xqkv(self.n2(t))
            .reshape([B, H * W, 3, self.heads, C // self.heads])
            .transpose([2, 0, 3, 4, 1])
        )
        q, k, v = F.normalize(qkv[0], axis=-1), F.normalize(qkv[1], axis=-1), qkv[2]
        a = F.softmax(q @ k.transpose([0, 1, 3, 2]) * self.temp, -1)
        t = t + (a @ v).transpose([0, 3, 1, 2]).reshape([B, H * W, C])
        return t.reshape([B, H, W, C])


@model
def cswin_stripes_then_xcit():
    return (
        CSWinXCiT(),
        [S([None, None, None, 16])],
        [[arr(35, 1, 6, 8, 16)], [arr(36, 2, 4, 10, 16)]],
    )


class DeiTDistilled(nn.Layer):
    """Position table resized by bicubic interpolation to the run-time grid."""

    def __init__(self, d=24, grid=4):
        super().__init__()
        self.d, self.grid = d, grid
        self.patch_embed = nn.Conv2D(3, d, 8, 8)
        self.pos_embed = self.create_parameter(
            [1, grid * grid + 2, d], default_initializer=TruncatedNormal(std=0.5)
        )
        self.cls_token = self.create_parameter(
            [1, 1, d], default_initializer=TruncatedNormal(std=0.5)
        )
        self.dist_token = self.create_parameter(
            [1, 1, d], default_initializer=TruncatedNormal(std=0.5)
        )
        self.blocks = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(
                d, 3, 48, dropout=0.0, activation="gelu", normalize_before=True
            ),
            2,
            nn.LayerNorm(d),
        )
        self.head, self.head_dist = nn.Linear(d, 5), nn.Linear(d, 5)

    def resize_pos_embed(self, h, w):
        tok, grid = self.pos_embed[:, :2], self.pos_embed[:, 2:]
        grid = grid.reshape([1, self.grid, self.grid, self.d]).transpose([0, 3, 1, 2])
        grid = F.interpolate(grid, size=(h, w), mode="bicubic", align_corners=False)
        return paddle.concat([tok, grid.flatten(2).transpose([0, 2, 1])], axis=1)

    def forward(self, x):
        B = paddle.shape(x)[0]
        x = self.patch_embed(x)
        h, w = x.shape[2], x.shape[3]
        x = x.flatten(2).transpose((0, 2, 1))
        cls = self.cls_token.expand((B, -1, -1))
        dist = self.dist_token.expand((B, -1, -1))
        x = paddle.concat((cls, dist, x), axis=1) + self.resize_pos_embed(h, w)
        x = self.blocks(x)
        return (self.head(x[:, 0]) + self.head_dist(x[:, 1])) / 2, x[:, 2:].mean(1)


@model
def deit_bicubic_position_table():
    return (
        DeiTDistilled(),
        [S([None, 3, None, None])],
        [[arr(37, 2, 3, 32, 32)], [arr(38, 1, 3, 40, 24)]],
    )


class MAE(nn.Layer):
    def __init__(self, d=16, p=4):
        super().__init__()
        self.p, self.d = p, d
        self.embed, self.enc, self.dec = (
            nn.Linear(p * p * 3, d),
            nn.Linear(d, d),
            nn.Linear(d, p * p * 3),
        )
        self.mask_token = self.create_parameter([1, 1, d], default_initializer=Normal(std=0.3))

    def patchify(self, imgs):
        n, c, H, W = imgs.shape
        h, w = H // self.p, W // self.p
        x = imgs.reshape([n, 3, h, self.p, w, self.p])
        return paddle.einsum("nchpwq->nhwpqc", x).reshape([n, h * w, self.p**2 * 3])

    def forward(self, imgs, noise):
        target = self.patchify(imgs)
        x = self.embed(target)
        N, L, D = x.shape
        len_keep = (L + 3) // 4
        ids_shuffle = paddle.argsort(noise, axis=1)
        ids_restore = paddle.argsort(ids_shuffle, axis=1)
        ids_keep = ids_shuffle[:, :len_keep]
        x_masked = paddle.take_along_axis(x, ids_keep.unsqueeze(-1).tile([1, 1, D]), axis=1)
        mask = paddle.ones([N, L])
        mask[:, :len_keep] = 0
        mask = paddle.take_along_axis(mask, ids_restore, axis=1)
        latent = F.gelu(self.enc(x_masked))
        mask_tokens = self.mask_token.tile([N, L - len_keep, 1])
        full = paddle.concat([latent, mask_tokens], axis=1)
        full = paddle.take_along_axis(full, ids_restore.unsqueeze(-1).expand([N, L, D]), axis=1)
        pred = self.dec(full)
        mean, var = target.mean(-1, keepdim=True), target.var(-1, keepdim=True)
        loss = ((pred - (target - mean) / (var + 1e-6) ** 0.5) ** 2).mean(-1)
        return (loss * mask).sum() / mask.sum(), pred, mask, ids_restore


@model
def mae_shuffle_restore():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), uni(n + 1, b, h * w // 16)]
    return (
        MAE(),
        [S([None, 3, None, None], name="imgs"), S([None, None], name="noise")],
        [mk(39, 2, 16, 12), mk(41, 1, 20, 16)],
    )


class ToMe(nn.Layer):
    def __init__(self, d=12, r=3):
        super().__init__()
        self.r, self.k, self.v = r, nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, size):
        metric = F.normalize(self.k(x), axis=-1)
        x = x + self.v(x)
        a, b = metric[:, ::2, :], metric[:, 1::2, :]
        scores = a @ b.transpose([0, 2, 1])
        scores[:, 0, :] = -1e4
        node_max, node_idx = scores.max(axis=-1), scores.argmax(axis=-1)
        edge = node_max.argsort(axis=-1, descending=True).unsqueeze(-1)
        r = self.r
        unm_idx, src_idx = edge[:, r:, :].sort(axis=1), edge[:, :r, :]
        dst_idx = paddle.take_along_axis(node_idx.unsqueeze(-1), src_idx, axis=1)

        def merge(t):
            n, _, c = t.shape
            src, dst = t[:, ::2, :], t[:, 1::2, :]
            unm = paddle.take_along_axis(src, unm_idx.expand([n, -1, c]), axis=1)
            s = paddle.take_along_axis(src, src_idx.expand([n, -1, c]), axis=1)
            hot = (dst_idx == paddle.arange(paddle.shape(dst)[1]).reshape([1, 1, -1])).astype(
                t.dtype
            )
            dst = dst + paddle.matmul(hot, s, transpose_x=True)
            return paddle.concat([unm, dst], axis=1)

        x = merge(x * size)
        size = merge(size)
        return x / size, size, unm_idx.squeeze(-1)


@model
def tome_token_merging():
    mk = lambda n, b, t: [arr(n, b, t, 12), (1 + ints(n, 3, b, t, 1)).astype("float32")]
    return (
        ToMe(),
        [S([None, None, 12]), S([None, None, 1], name="size")],
        [mk(43, 2, 12), mk(44, 1, 17)],
    )


class RepVGGMobileOne(nn.Layer):
    def __init__(self, c=8):
        super().__init__()
        self.stem = nn.Conv2D(3, c, 3, padding=[1, 1], stride=[2, 1])
        self.rbr_dense = nn.Sequential(
            nn.Conv2D(c, c, 3, padding=1, bias_attr=False, groups=2), nn.BatchNorm2D(c)
        )
        self.rbr_1x1 = nn.Sequential(
            nn.Conv2D(c, c, 1, bias_attr=False, groups=2), nn.BatchNorm2D(c)
        )
        self.rbr_identity = nn.BatchNorm2D(c)
        self.rbr_scale = nn.ParameterList(
            [
                self.create_parameter([1, c, 1, 1], default_initializer=Constant(0.5))
                for _ in range(2)
            ]
        )
        self.nonlinearity = nn.PReLU(c)
        self.ese = nn.Conv2D(c, c, 1)

    def fused(self):
        """The re-parametrised kernel, made in the graph from the branches."""
        w1, w3 = self.rbr_1x1[0].weight, self.rbr_dense[0].weight
        k = 0
        bias = 0
        for w, bn in ((w3, self.rbr_dense[1]), (F.pad(w1, [1, 1, 1, 1]), self.rbr_1x1[1])):
            t = bn.weight / paddle.sqrt(bn._variance + bn._epsilon)
            k = k + w * t.reshape([-1, 1, 1, 1])
            bias = bias + bn.bias - bn._mean * t
        return k, bias

    def forward(self, x):
        x = self.stem(x)
        y = self.rbr_dense(x) + self.rbr_1x1(x) + self.rbr_identity(x)
        k, b = self.fused()
        z = F.conv2d(x, k, b, padding=1, groups=2) + self.rbr_identity(x)
        y = self.nonlinearity(y) * self.rbr_scale[0] - F.leaky_relu(z, 0.1) * self.rbr_scale[1]
        return y * F.hardsigmoid(self.ese(y.mean((2, 3), keepdim=True))), paddle.all(
            paddle.abs(y) < 100.0
        )


@model
def repvgg_fused_in_graph():
    return (
        RepVGGMobileOne(),
        [S([None, 3, None, None])],
        [[arr(45, 2, 3, 9, 8)], [arr(46, 1, 3, 12, 11)]],
    )


class CoAtRel(nn.Layer):
    """Relative bias table cut by run-time height and width."""

    def __init__(self, d=16, maxs=8, heads=4):
        super().__init__()
        self.m, self.h, self.d = maxs, heads, d
        self.table = self.create_parameter(
            [2 * maxs - 1, 2 * maxs - 1, heads], default_initializer=Normal(0, 0.5)
        )
        self.qkv, self.o = nn.Conv2D(d, 3 * d, 1), nn.Conv2D(d, d, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        yy = paddle.arange(h)
        xx = paddle.arange(w)
        dy = yy.unsqueeze(1) - yy.unsqueeze(0) + self.m - 1
        dx = xx[:, None] - xx[None, :] + self.m - 1
        iy = dy.reshape([h, 1, h, 1]).expand([h, w, h, w])
        ix = dx.reshape([1, w, 1, w]).expand([h, w, h, w])
        bias = (
            paddle.gather_nd(self.table, paddle.stack([iy, ix], axis=-1))
            .reshape([h * w, h * w, self.h])
            .transpose([2, 0, 1])
        )
        q, k, v = self.qkv(x).reshape([b, 3 * self.h, self.d // self.h, h * w]).chunk(3, axis=1)
        a = F.softmax(
            paddle.matmul(q, k, transpose_x=True) * (self.d // self.h) ** -0.5 + bias, axis=-1
        )
        y = paddle.matmul(v, a, transpose_y=True).reshape([b, c, h, w])
        return x + self.o(y), bias


@model
def coatnet_bias_gather_nd():
    return CoAtRel(), [S([None, 16, None, None])], [[arr(47, 2, 16, 4, 5)], [arr(48, 1, 16, 6, 3)]]


# ------------------------------------------------------------------ detection
class YOLOv3Head(nn.Layer):
    """The yolo_box operator per level, as in PaddleDetection."""

    def __init__(self, nc=4):
        super().__init__()
        self.nc = nc
        self.anchors = [[10, 13, 16, 30], [30, 61, 62, 45]]
        self.c1, self.c2 = (
            ConvBNLayer(3, 8, 3, 2, act="leaky_relu"),
            ConvBNLayer(8, 12, 3, 2, act="leaky_relu"),
        )
        self.lat = nn.Conv2D(12, 8, 1)
        self.out1, self.out2 = nn.Conv2D(16, 2 * (5 + nc), 1), nn.Conv2D(12, 2 * (5 + nc), 1)

    def forward(self, image, im_shape, scale_factor):
        c1 = self.c1(image)
        c2 = self.c2(c1)
        route = F.interpolate(self.lat(c2), scale_factor=2.0)
        heads = [self.out2(c2), self.out1(paddle.concat([route, c1], axis=1))]
        origin = paddle.cast(im_shape / scale_factor, "int32")
        boxes_list, scores_list = [], []
        for i, head in enumerate(heads):
            b, s = vops.yolo_box(
                head, origin, self.anchors[i], self.nc, 0.25, 4 // (i + 1), True, scale_x_y=1.05
            )
            boxes_list.append(b)
            scores_list.append(paddle.transpose(s, perm=[0, 2, 1]))
        bboxes = paddle.concat(boxes_list, axis=1)
        scores = paddle.concat(scores_list, axis=2)
        return bboxes, scores, (scores > 0.3).astype("int32").sum(-1)


@model
def yolov3_yolo_box_levels():
    mk = lambda n, b, h, w: [
        arr(n, b, 3, h, w),
        np.tile(np.array([[h, w]], "float32"), (b, 1)),
        uni(n + 1, b, 2) * 0.5 + 0.5,
    ]
    return (
        YOLOv3Head(),
        [
            S([None, 3, None, None], name="image"),
            S([None, 2], name="im_shape"),
            S([None, 2], name="scale_factor"),
        ],
        [mk(101, 1, 16, 24), mk(103, 2, 24, 20)],
    )


class YOLOv5Detect(nn.Layer):
    def __init__(
        self, nc=3, anchors=((10, 13, 16, 30, 33, 23), (30, 61, 62, 45, 59, 119)), ch=(8, 12)
    ):
        super().__init__()
        self.nc, self.no, self.nl, self.na = nc, nc + 5, len(anchors), len(anchors[0]) // 2
        a = paddle.to_tensor(anchors, dtype="float32").reshape([self.nl, -1, 2])
        self.register_buffer("anchors", a / paddle.to_tensor([8.0, 16.0]).reshape([-1, 1, 1]))
        self.stride = [8.0, 16.0]
        self.stem = nn.Sequential(
            nn.Conv2D(3, 8, 6, 4, 2), nn.Silu(), nn.Conv2D(8, ch[0], 3, 2, 1), nn.Silu()
        )
        self.p4 = nn.Conv2D(ch[0], ch[1], 3, 2, 1)
        self.m = nn.LayerList([nn.Conv2D(x, self.no * self.na, 1) for x in ch])

    def _make_grid(self, nx, ny, i):
        yv, xv = paddle.meshgrid([paddle.arange(ny), paddle.arange(nx)])
        grid = paddle.stack((xv, yv), 2).expand([1, self.na, ny, nx, 2]).astype("float32")
        anchor_grid = (
            (self.anchors[i].clone() * self.stride[i])
            .reshape((1, self.na, 1, 1, 2))
            .expand((1, self.na, ny, nx, 2))
        )
        return grid, anchor_grid

    def forward(self, x):
        p3 = self.stem(x)
        x = [p3, F.silu(self.p4(p3))]
        z = []
        for i in range(self.nl):
            x[i] = self.m[i](x[i])
            bs, _, ny, nx = paddle.shape(x[i])
            x[i] = x[i].reshape([bs, self.na, self.no, ny, nx]).transpose([0, 1, 3, 4, 2])
            grid, anchor_grid = self._make_grid(nx, ny, i)
            y = F.sigmoid(x[i])
            y[..., 0:2] = (y[..., 0:2] * 2.0 - 0.5 + grid) * self.stride[i]
            y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * anchor_grid
            z.append(y.reshape([bs, -1, self.no]))
        return paddle.concat(z, 1), x[0], x[1]


@model
def yolov5_inplace_grid_decode():
    return (
        YOLOv5Detect(),
        [S([None, 3, None, None], name="images")],
        [[arr(105, 1, 3, 32, 48)], [arr(106, 2, 3, 64, 32)]],
    )


class ImplicitA(nn.Layer):
    def __init__(self, ch, mean=0.0, std=0.2):
        super().__init__()
        self.implicit = self.create_parameter([1, ch, 1, 1], default_initializer=Normal(mean, std))

    def forward(self, x, mul=False):
        return self.implicit * x if mul else self.implicit + x


class YOLOv7(nn.Layer):
    """ELAN, SPPCSPC, MP-conv and implicit knowledge; the boxes go out as xyxy by a constant matrix."""

    def __init__(self, c=8, no=7, na=2):
        super().__init__()
        self.no, self.na = no, na
        self.stem = ConvBNLayer(3, c, 3, 2, act="silu")
        self.elan = nn.LayerList(
            [
                ConvBNLayer(c, c, 1, act="silu"),
                ConvBNLayer(c, c, 1, act="silu"),
                ConvBNLayer(c, c, 3, act="silu"),
                ConvBNLayer(c, c, 3, act="silu"),
            ]
        )
        self.cat = ConvBNLayer(4 * c, 2 * c, 1, act="silu")
        self.mp1, self.mp2 = (
            ConvBNLayer(2 * c, c, 1, act="silu"),
            ConvBNLayer(2 * c, c, 3, 2, act="silu"),
        )
        self.spp = nn.LayerList([nn.MaxPool2D(k, 1, k // 2) for k in (3, 5, 7)])
        self.cv = ConvBNLayer(8 * c, 2 * c, 1, act="silu")
        self.ia, self.im, self.det = (
            ImplicitA(2 * c),
            ImplicitA(no * na, 1.0, 0.1),
            nn.Conv2D(2 * c, no * na, 1),
        )
        self.anchor = [[12.0, 16.0], [19.0, 36.0]]

    def forward(self, x):
        x = self.stem(x)
        x1 = self.elan[0](x)
        x2 = self.elan[1](x)
        x3 = self.elan[2](x2)
        x4 = self.elan[3](x3)
        x = self.cat(paddle.concat([x4, x3, x2, x1], 1))
        mp = self.mp1(F.max_pool2d(x, 2, 2, ceil_mode=True))
        x = paddle.concat([mp, self.mp2(x)], 1)
        x = self.cv(paddle.concat([x] + [m(x) for m in self.spp], 1))
        t = self.im(self.det(self.ia(x)), mul=True)
        h, w = t.shape[-2:]
        t = F.sigmoid(t.reshape([-1, self.na, self.no, h, w]).transpose([0, 1, 3, 4, 2]))
        gy, gx = paddle.meshgrid(paddle.arange(h, dtype=t.dtype), paddle.arange(w, dtype=t.dtype))
        grid = paddle.stack([gx, gy], axis=-1)[None, None]
        xy, wh, conf = t.split((2, 2, self.no - 4), axis=4)
        xy = (xy * 2 - 0.5 + grid) * 4.0
        wh = (wh * 2).pow(2) * paddle.to_tensor(self.anchor).reshape([1, -1, 1, 1, 2])
        pred = paddle.concat((xy, wh), axis=-1).flatten(1, 3)
        convert = paddle.to_tensor(
            [[1, 0, 1, 0], [0, 1, 0, 1], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]], dtype="float32"
        )
        conf = conf.flatten(1, 3)
        score = conf[..., 0:1] * conf[..., 1:]
        return pred @ convert, score.max(-1), score.argmax(-1, dtype="int32")


@model
def yolov7_implicit_convert_matrix():
    return (
        YOLOv7(),
        [S([None, 3, None, None])],
        [[arr(107, 1, 3, 22, 30)], [arr(108, 2, 3, 32, 25)]],
    )


class DFL(nn.Layer):
    def __init__(self, c1=8):
        super().__init__()
        self.conv = nn.Conv2D(c1, 1, 1, bias_attr=False)
        self.conv.weight.set_value(np.arange(c1, dtype="float32").reshape(1, c1, 1, 1))
        self.conv.weight.stop_gradient = True
        self.c1 = c1

    def forward(self, x):
        b, c, a = x.shape
        return self.conv(
            F.softmax(x.reshape([b, 4, self.c1, a]).transpose([0, 2, 1, 3]), 1)
        ).reshape([b, 4, a])


def make_anchors(feats, strides, grid_cell_offset=0.5):
    anchor_points, stride_tensor = [], []
    for i, stride in enumerate(strides):
        _, _, h, w = feats[i].shape
        sx = paddle.arange(end=w, dtype="float32") + grid_cell_offset
        sy = paddle.arange(end=h, dtype="float32") + grid_cell_offset
        sy, sx = paddle.meshgrid(sy, sx)
        anchor_points.append(paddle.stack((sx, sy), -1).reshape([-1, 2]))
        stride_tensor.append(paddle.full((h * w, 1), stride, dtype="float32"))
    return paddle.concat(anchor_points), paddle.concat(stride_tensor)


def dist2bbox(distance, anchor_points, xywh=True, dim=-1):
    lt, rb = paddle.split(distance, 2, dim)
    x1y1, x2y2 = anchor_points - lt, anchor_points + rb
    if xywh:
        return paddle.concat(((x1y1 + x2y2) / 2, x2y2 - x1y1), dim)
    return paddle.concat((x1y1, x2y2), dim)


class C2f(nn.Layer):
    def __init__(self, c, n=2):
        super().__init__()
        self.c, self.cv1, self.cv2 = (
            c // 2,
            ConvBNLayer(c, c, 1, act="silu"),
            ConvBNLayer((2 + n) * (c // 2), c, 1, act="silu"),
        )
        self.m = nn.LayerList([ConvBNLayer(c // 2, c // 2, 3, act="silu") for _ in range(n)])

    def forward(self, x):
        y = list(self.cv1(x).chunk(2, 1))
        y.extend(m(y[-1]) for m in self.m)
        return self.cv2(paddle.concat(y, 1))


class YOLOv8(nn.Layer):
    def __init__(self, nc=5, reg_max=8, c=8):
        super().__init__()
        self.nc, self.reg_max, self.no = nc, reg_max, nc + 4 * reg_max
        self.stem, self.c2f = ConvBNLayer(3, c, 3, 2, act="silu"), C2f(c)
        self.down = ConvBNLayer(c, c, 3, 2, act="silu")
        self.cv2 = nn.LayerList(
            [
                nn.Sequential(ConvBNLayer(c, c, 3, act="silu"), nn.Conv2D(c, 4 * reg_max, 1))
                for _ in range(2)
            ]
        )
        self.cv3 = nn.LayerList(
            [nn.Sequential(ConvBNLayer(c, c, 3, act="silu"), nn.Conv2D(c, nc, 1)) for _ in range(2)]
        )
        self.dfl = DFL(reg_max)

    def forward(self, x):
        p1 = self.c2f(self.stem(x))
        x = [p1, self.down(p1)]
        for i in range(2):
            x[i] = paddle.concat((self.cv2[i](x[i]), self.cv3[i](x[i])), 1)
        anchors, strides = (t.transpose([1, 0]) for t in make_anchors(x, [2, 4]))
        x_cat = paddle.concat([xi.reshape([paddle.shape(xi)[0], self.no, -1]) for xi in x], 2)
        box, cls = x_cat.split((self.reg_max * 4, self.nc), 1)
        dbox = dist2bbox(self.dfl(box), anchors.unsqueeze(0), xywh=True, dim=1) * strides
        return paddle.concat((dbox, F.sigmoid(cls)), 1), x[1]


@model
def yolov8_dfl_anchors_c2f():
    return (
        YOLOv8(),
        [S([None, 3, None, None], name="images")],
        [[arr(109, 2, 3, 16, 20)], [arr(110, 1, 3, 26, 18)]],
    )


class YOLOv10Post(nn.Layer):
    def __init__(self, nc=4, max_det=12, c=10):
        super().__init__()
        self.nc, self.max_det = nc, max_det
        self.backbone = nn.Sequential(
            nn.Conv2D(3, c, 3, 2, 1), nn.Silu(), nn.Conv2D(c, c, 3, 1, 1, groups=c), nn.Silu()
        )
        self.psa_qkv, self.pe, self.proj = (
            nn.Conv2D(c, 2 * c, 1),
            nn.Conv2D(c, c, 3, 1, 1, groups=c),
            nn.Conv2D(c, c, 1),
        )
        self.box, self.cls = nn.Conv2D(c, 4, 1), nn.Conv2D(c, nc, 1)

    def forward(self, x):
        x = self.backbone(x)
        B, C, H, W = x.shape
        N = H * W
        q, k, v = self.psa_qkv(x).reshape([B, 1, -1, N]).split([C // 2, C // 2, C], axis=2)
        att = F.softmax((q.transpose([0, 1, 3, 2]) @ k) * (C // 2) ** -0.5, axis=-1)
        x = x + self.proj(
            (v @ att.transpose([0, 1, 3, 2])).reshape([B, C, H, W])
            + self.pe(v.reshape([B, C, H, W]))
        )
        d = F.softplus(self.box(x)).flatten(2).transpose([0, 2, 1])
        pts, strides = make_anchors([x], [2])
        boxes = dist2bbox(d, pts, xywh=False) * strides
        scores = F.sigmoid(self.cls(x)).flatten(2).transpose([0, 2, 1])
        max_scores = paddle.max(scores, axis=-1)
        max_scores, index = paddle.topk(max_scores, self.max_det, axis=-1)
        index = index.unsqueeze(-1)
        boxes = paddle.take_along_axis(boxes, index.tile([1, 1, 4]), axis=1)
        scores = paddle.take_along_axis(
            scores, paddle.tile(index, repeat_times=[1, 1, self.nc]), axis=1
        )
        scores, index = paddle.topk(scores.flatten(1), self.max_det, axis=-1)
        labels = index % self.nc
        index = index // self.nc
        boxes = boxes[paddle.arange(B).unsqueeze(-1), index]
        return boxes, scores, labels


@model
def yolov10_nms_free_topk():
    return (
        YOLOv10Post(),
        [S([None, 3, None, None])],
        [[arr(111, 1, 3, 12, 14)], [arr(112, 2, 3, 16, 11)]],
    )


class YOLOX(nn.Layer):
    """Focus slicing, decoupled head, grids cached in lists, boxes scaled back by the letterbox ratio."""

    def __init__(self, nc=3, c=8):
        super().__init__()
        self.nc, self.strides = nc, [2, 4]
        self.focus = ConvBNLayer(12, c, 3, act="silu")
        self.down = ConvBNLayer(c, c, 3, 2, act="silu")
        self.cls_preds = nn.LayerList([nn.Conv2D(c, nc, 1) for _ in range(2)])
        self.reg_preds = nn.LayerList([nn.Conv2D(c, 4, 1) for _ in range(2)])
        self.obj_preds = nn.LayerList([nn.Conv2D(c, 1, 1) for _ in range(2)])

    def forward(self, x, ratio):
        x = paddle.concat(
            (x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]), axis=1
        )
        f = self.focus(x)
        feats = (f, self.down(f))
        outputs, hw = [], []
        for k, ft in enumerate(feats):
            out = paddle.concat(
                [
                    self.reg_preds[k](ft),
                    F.sigmoid(self.obj_preds[k](ft)),
                    F.sigmoid(self.cls_preds[k](ft)),
                ],
                1,
            )
            hw.append(out.shape[-2:])
            outputs.append(out.flatten(start_axis=2))
        outputs = paddle.concat(outputs, axis=2).transpose((0, 2, 1))
        grids, strides = [], []
        for (hsize, wsize), stride in zip(hw, self.strides):
            yv, xv = paddle.meshgrid([paddle.arange(hsize), paddle.arange(wsize)])
            grid = paddle.stack((xv, yv), 2).reshape((1, -1, 2))
            grids.append(grid)
            shape = grid.shape[:2]
            strides.append(paddle.full((*shape, 1), stride))
        grids = paddle.concat(grids, axis=1).astype(outputs.dtype)
        strides = paddle.concat(strides, axis=1).astype(outputs.dtype)
        outputs[..., :2] = (outputs[..., :2] + grids) * strides
        outputs[..., 2:4] = paddle.exp(outputs[..., 2:4]) * strides
        box = paddle.zeros_like(outputs[:, :, :4])
        box[:, :, 0] = outputs[:, :, 0] - outputs[:, :, 2] / 2
        box[:, :, 1] = outputs[:, :, 1] - outputs[:, :, 3] / 2
        box[:, :, 2] = outputs[:, :, 0] + outputs[:, :, 2] / 2
        box[:, :, 3] = outputs[:, :, 1] + outputs[:, :, 3] / 2
        box = box / ratio.reshape([-1, 1, 1])
        return box, outputs[:, :, 4:5] * outputs[:, :, 5:]


@model
def yolox_focus_decode_rescale():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), uni(n + 1, b) + 0.5]
    return (
        YOLOX(),
        [S([None, 3, None, None], name="images"), S([None], name="ratio")],
        [mk(113, 2, 16, 24), mk(115, 1, 24, 20)],
    )


def sincos_2d(w, h, dim, temperature=10000.0):
    gw, gh = (
        paddle.meshgrid(
            paddle.arange(int(w), dtype="float32"), paddle.arange(int(h), dtype="float32")
        )
        if isinstance(w, int)
        else paddle.meshgrid(paddle.arange(w).astype("float32"), paddle.arange(h).astype("float32"))
    )
    pos_dim = dim // 4
    omega = 1.0 / (temperature ** (paddle.arange(pos_dim, dtype="float32") / pos_dim))
    out_w = gw.flatten()[..., None] @ omega[None]
    out_h = gh.flatten()[..., None] @ omega[None]
    return paddle.concat(
        [paddle.sin(out_w), paddle.cos(out_w), paddle.sin(out_h), paddle.cos(out_h)], axis=1
    )[None, :, :]


def deformable_attention_core_func(
    value, value_spatial_shapes, sampling_locations, attention_weights
):
    bs, _, n_head, c = value.shape
    _, Len_q, _, n_levels, n_points, _ = sampling_locations.shape
    split_shape = [h * w for h, w in value_spatial_shapes]
    value_list = value.split(split_shape, axis=1)
    sampling_grids = 2 * sampling_locations - 1
    sampling_value_list = []
    for level, (h, w) in enumerate(value_spatial_shapes):
        value_l_ = value_list[level].flatten(2).transpose([0, 2, 1]).reshape([bs * n_head, c, h, w])
        grid_l_ = sampling_grids[:, :, :, level].transpose([0, 2, 1, 3, 4]).flatten(0, 1)
        sampling_value_list.append(
            F.grid_sample(
                value_l_, grid_l_, mode="bilinear", padding_mode="zeros", align_corners=False
            )
        )
    attention_weights = attention_weights.transpose([0, 2, 1, 3, 4]).reshape(
        [bs * n_head, 1, Len_q, n_levels * n_points]
    )
    output = (
        (paddle.stack(sampling_value_list, axis=-2).flatten(-2) * attention_weights)
        .sum(-1)
        .reshape([bs, n_head * c, Len_q])
    )
    return output.transpose([0, 2, 1])


class RTDETR(nn.Layer):
    def __init__(self, d=16, nq=6, nc=4, heads=2, points=2):
        super().__init__()
        self.d, self.nq, self.heads, self.points, self.levels = d, nq, heads, points, 2
        self.stem = nn.LayerList(
            [ConvBNLayer(3, d, 3, 2, act="silu"), ConvBNLayer(d, d, 3, 2, act="silu")]
        )
        self.aifi = nn.TransformerEncoderLayer(d, heads, 32, dropout=0.0, activation="gelu")
        self.enc_output = nn.Sequential(nn.Linear(d, d), nn.LayerNorm(d))
        self.enc_score, self.enc_bbox = (
            nn.Linear(d, nc),
            nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 4)),
        )
        self.so, self.aw = nn.Linear(d, heads * 2 * points * 2), nn.Linear(d, heads * 2 * points)
        self.vp, self.op = nn.Linear(d, d), nn.Linear(d, d)
        self.qpos = nn.Sequential(nn.Linear(4, d), nn.ReLU(), nn.Linear(d, d))
        self.sa, self.ln = (
            nn.MultiHeadAttention(d, heads),
            nn.LayerList([nn.LayerNorm(d) for _ in range(2)]),
        )
        self.score, self.bbox = nn.Linear(d, nc), nn.Linear(d, 4)

    def forward(self, x):
        a = self.stem[0](x)
        b = self.stem[1](a)
        bs, _, h, w = b.shape
        s = b.flatten(2).transpose([0, 2, 1])
        s = self.aifi(s + sincos_2d(h, w, self.d)).transpose([0, 2, 1]).reshape([-1, self.d, h, w])
        feats, shapes, anchors = (
            [a + F.interpolate(s, size=paddle.shape(a)[2:], mode="nearest"), s],
            [],
            [],
        )
        for lvl, f in enumerate(feats):
            _, _, h, w = f.shape
            shapes.append([h, w])
            gy, gx = paddle.meshgrid(
                paddle.arange(end=h, dtype="float32"), paddle.arange(end=w, dtype="float32")
            )
            grid_xy = (paddle.stack([gx, gy], axis=-1).unsqueeze(0) + 0.5) / paddle.stack(
                [paddle.to_tensor(w), paddle.to_tensor(h)]
            ).astype("float32")
            wh = paddle.ones_like(grid_xy) * 0.05 * (2.0**lvl)
            anchors.append(paddle.concat([grid_xy, wh], -1).reshape([-1, h * w, 4]))
        memory = paddle.concat([f.flatten(2).transpose([0, 2, 1]) for f in feats], axis=1)
        anchors = paddle.concat(anchors, axis=1)
        valid = ((anchors > 0.01) * (anchors < 0.99)).all(-1, keepdim=True)
        anchors = paddle.where(
            valid, paddle.log(anchors / (1 - anchors)), paddle.full_like(anchors, 1e4)
        )
        out_mem = self.enc_output(paddle.where(valid, memory, paddle.to_tensor(0.0)))
        cls = self.enc_score(out_mem)
        coord = self.enc_bbox(out_mem) + anchors
        _, topk_ind = paddle.topk(cls.max(-1), self.nq, axis=1)
        batch_ind = (
            paddle.arange(end=paddle.shape(x)[0], dtype=topk_ind.dtype)
            .unsqueeze(-1)
            .tile([1, self.nq])
        )
        ind = paddle.stack([batch_ind, topk_ind], axis=-1)
        ref_unact = paddle.gather_nd(coord, ind)
        tgt = paddle.gather_nd(out_mem, ind)
        ref = F.sigmoid(ref_unact)
        pos = self.qpos(ref)
        tgt = self.ln[0](tgt + self.sa(tgt + pos, tgt + pos, tgt))
        q = tgt + pos
        off = self.so(q).reshape([-1, self.nq, self.heads, self.levels, self.points, 2])
        wts = F.softmax(
            self.aw(q).reshape([-1, self.nq, self.heads, self.levels * self.points])
        ).reshape([-1, self.nq, self.heads, self.levels, self.points])
        r = ref.unsqueeze(2)
        loc = r[:, :, :, None, None, :2] + off / self.points * r[:, :, :, None, None, 2:] * 0.5
        value = self.vp(memory).reshape([bs, -1, self.heads, self.d // self.heads])
        tgt = self.ln[1](tgt + self.op(deformable_attention_core_func(value, shapes, loc, wts)))
        return F.sigmoid(self.bbox(tgt) + ref_unact), F.sigmoid(self.score(tgt)), topk_ind


@model
def rtdetr_query_selection_deformable():
    return (
        RTDETR(),
        [S([None, 3, None, None], name="image")],
        [[arr(117, 2, 3, 16, 20)], [arr(118, 1, 3, 22, 18)]],
    )


class DETR(nn.Layer):
    """Sine position from the padding mask by cumsum; box_cxcywh_to_xyxy; scaled to the targets' sizes."""

    def __init__(self, d=16, nq=5, nc=4):
        super().__init__()
        self.d = d
        self.backbone = nn.Sequential(nn.Conv2D(3, 12, 5, 4, 2), nn.ReLU())
        self.input_proj = nn.Conv2D(12, d, 1)
        self.query_embed = nn.Embedding(nq, d)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 2, 24, 0.0), 1)
        self.dec = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(d, 2, 24, 0.0), 1, nn.LayerNorm(d)
        )
        self.class_embed, self.bbox_embed = (
            nn.Linear(d, nc + 1),
            nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 4)),
        )

    def position(self, mask):
        not_mask = mask.astype("float32")
        y_embed = not_mask.cumsum(1)
        x_embed = not_mask.cumsum(2)
        eps, scale = 1e-6, 2 * math.pi
        y_embed = y_embed / (y_embed[:, -1:, :] + eps) * scale
        x_embed = x_embed / (x_embed[:, :, -1:] + eps) * scale
        half = self.d // 2
        dim_t = 10000 ** (2 * (paddle.arange(half) // 2).astype("float32") / half)
        pos_x, pos_y = x_embed.unsqueeze(-1) / dim_t, y_embed.unsqueeze(-1) / dim_t
        pos_x = paddle.stack(
            (pos_x[:, :, :, 0::2].sin(), pos_x[:, :, :, 1::2].cos()), axis=4
        ).flatten(3)
        pos_y = paddle.stack(
            (pos_y[:, :, :, 0::2].sin(), pos_y[:, :, :, 1::2].cos()), axis=4
        ).flatten(3)
        return paddle.concat((pos_y, pos_x), axis=3).transpose([0, 3, 1, 2])

    def forward(self, image, pad_mask, target_sizes):
        src = self.input_proj(self.backbone(image))
        b = paddle.shape(src)[0]
        m = F.interpolate(
            pad_mask.unsqueeze(1).astype("float32"), size=paddle.shape(src)[-2:], mode="nearest"
        ).squeeze(1)
        pos = self.position(m > 0.5).flatten(2).transpose([0, 2, 1])
        attn_mask = ((m.flatten(1) - 1) * 1e9).unsqueeze([1, 2])
        memory = self.enc(src.flatten(2).transpose([0, 2, 1]) + pos, attn_mask)
        q = self.query_embed.weight.unsqueeze(0).tile([b, 1, 1])
        hs = self.dec(q, memory + pos, memory_mask=attn_mask)
        prob = F.softmax(self.class_embed(hs), -1)
        scores, labels = prob[..., :-1].max(-1), prob[..., :-1].argmax(-1)
        x_c, y_c, w, h = F.sigmoid(self.bbox_embed(hs)).unbind(-1)
        boxes = paddle.stack([x_c - 0.5 * w, y_c - 0.5 * h, x_c + 0.5 * w, y_c + 0.5 * h], axis=-1)
        img_h, img_w = target_sizes.unbind(1)
        scale = paddle.stack([img_w, img_h, img_w, img_h], axis=1).astype("float32")
        return boxes * scale[:, None, :], scores, labels


@model
def detr_mask_cumsum_position():
    def mk(n, b, h, w):
        m = np.ones((b, h, w), "bool")
        m[0, :, w - 4 :] = False
        return [arr(n, b, 3, h, w), m, ints(n, 300, b, 2) + 100]

    return (
        DETR(),
        [
            S([None, 3, None, None], name="image"),
            S([None, None, None], "bool", "pad_mask"),
            S([None, 2], "int64", "target_sizes"),
        ],
        [mk(119, 2, 20, 24), mk(120, 1, 24, 32)],
    )


class CenterNet(nn.Layer):
    def __init__(self, nc=3, k=6, c=12):
        super().__init__()
        self.k, self.nc = k, nc
        self.stem = ConvBNLayer(3, c, 3, 2)
        self.up = nn.Conv2DTranspose(c, c, 4, 2, 1, groups=c, bias_attr=False)
        self.hm, self.wh, self.reg = (
            nn.Conv2D(c, nc, 3, 1, 1),
            nn.Conv2D(c, 2, 1),
            nn.Conv2D(c, 2, 1),
        )

    def _gather(self, feat, ind):
        n = feat.shape[1]
        feat = feat.transpose([0, 2, 3, 1]).reshape([0, -1, n])
        return paddle.take_along_axis(feat, ind.unsqueeze(2).expand([-1, -1, n]), 1)

    def forward(self, x):
        x = self.up(self.stem(x))
        heat = F.sigmoid(self.hm(x))
        hmax = F.max_pool2d(heat, 3, stride=1, padding=1)
        keep = (hmax == heat).astype("float32")
        heat = heat * keep
        batch, cat, height, width = heat.shape
        topk_scores, topk_inds = paddle.topk(heat.reshape([batch, cat, -1]), self.k)
        topk_inds = topk_inds % (height * width)
        topk_ys = (topk_inds // width).astype("float32")
        topk_xs = (topk_inds % width).astype("float32")
        score, ind = paddle.topk(topk_scores.reshape([batch, -1]), self.k)
        clses = (ind / self.k).astype("int32")
        pick = lambda t: paddle.take_along_axis(t.reshape([batch, -1]), ind, axis=1)
        topk_inds, ys, xs = pick(topk_inds), pick(topk_ys), pick(topk_xs)
        reg, wh = (
            self._gather(self.reg(x), topk_inds),
            self._gather(F.relu(self.wh(x)) + 1, topk_inds),
        )
        xs = xs.reshape([-1, self.k, 1]) + reg[:, :, 0:1]
        ys = ys.reshape([-1, self.k, 1]) + reg[:, :, 1:2]
        bboxes = paddle.concat(
            [
                xs - wh[..., 0:1] / 2,
                ys - wh[..., 1:2] / 2,
                xs + wh[..., 0:1] / 2,
                ys + wh[..., 1:2] / 2,
            ],
            axis=2,
        )
        dets = paddle.concat(
            [bboxes, score.unsqueeze(-1), clses.unsqueeze(-1).astype("float32")], axis=2
        )
        return dets, heat, clses


@model
def centernet_peaks_topk_gather():
    return (
        CenterNet(),
        [S([None, 3, None, None])],
        [[arr(121, 1, 3, 12, 16)], [arr(122, 2, 3, 18, 14)]],
    )


class FCOS(nn.Layer):
    def __init__(self, nc=3, c=12):
        super().__init__()
        self.nc, self.strides = nc, [2, 4]
        self.c3, self.c4 = nn.Conv2D(3, c, 3, 2, 1), nn.Conv2D(c, c, 3, 2, 1)
        self.tower = nn.Sequential(nn.Conv2D(c, c, 3, 1, 1), nn.GroupNorm(4, c), nn.ReLU())
        self.cls, self.reg, self.ctr = (
            nn.Conv2D(c, nc, 3, 1, 1),
            nn.Conv2D(c, 4, 3, 1, 1),
            nn.Conv2D(c, 1, 3, 1, 1),
        )
        self.scales = nn.ParameterList(
            [self.create_parameter([1], default_initializer=Constant(1.0)) for _ in range(2)]
        )

    def locations(self, feat, stride):
        hw = paddle.shape(feat)[-2:]
        shift_x = paddle.arange(0, hw[1] * stride, stride)
        shift_y = paddle.arange(0, hw[0] * stride, stride)
        shift_x, shift_y = paddle.unsqueeze(shift_x, 0), paddle.unsqueeze(shift_y, 1)
        shift_x, shift_y = (
            paddle.expand(shift_x, [hw[0], hw[1]]),
            paddle.expand(shift_y, [hw[0], hw[1]]),
        )
        loc = paddle.stack([paddle.reshape(shift_x, [-1]), paddle.reshape(shift_y, [-1])], axis=-1)
        return paddle.cast(loc, "float32") + stride // 2

    def forward(self, x, im_shape):
        p3 = F.relu(self.c3(x))
        feats = [p3, F.relu(self.c4(p3))]
        boxes, scores = [], []
        for i, f in enumerate(feats):
            t = self.tower(f)
            reg = F.relu(self.reg(t) * self.scales[i]) * self.strides[i]
            s = paddle.sqrt(F.sigmoid(self.cls(t)) * F.sigmoid(self.ctr(t)))
            loc = self.locations(f, self.strides[i])
            reg = reg.flatten(2).transpose([0, 2, 1])
            boxes.append(paddle.concat([loc - reg[:, :, :2], loc + reg[:, :, 2:]], -1))
            scores.append(s.reshape([0, self.nc, -1]))
        boxes = paddle.concat(boxes, 1)
        hw = im_shape.unsqueeze(1)
        x1 = paddle.minimum(paddle.clip(boxes[..., 0::2], min=0.0), hw[..., 1:2])
        y1 = paddle.minimum(paddle.clip(boxes[..., 1::2], min=0.0), hw[..., 0:1])
        boxes = paddle.stack([x1[..., 0], y1[..., 0], x1[..., 1], y1[..., 1]], -1)
        return boxes, paddle.concat(scores, axis=-1)


@model
def fcos_centerness_scales():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), np.tile(np.array([[h, w]], "float32"), (b, 1))]
    return (
        FCOS(),
        [S([None, 3, None, None]), S([None, 2], name="im_shape")],
        [mk(123, 2, 12, 14), mk(124, 1, 15, 20)],
    )


class RetinaNMS(nn.Layer):
    """One image; anchors by broadcasting, deltas decoded, multi-class NMS of paddle.vision."""

    def __init__(self, nc=3, c=10, na=3):
        super().__init__()
        self.nc, self.na = nc, na
        self.f = nn.Conv2D(3, c, 3, 4, 1)
        self.cls, self.box = nn.Conv2D(c, na * nc, 3, 1, 1), nn.Conv2D(c, na * 4, 3, 1, 1)
        r = np.array([0.5, 1.0, 2.0])
        w = 8 * np.sqrt(1 / r)
        h = w * r
        self.register_buffer(
            "base", paddle.to_tensor(np.stack([-w / 2, -h / 2, w / 2, h / 2], 1).astype("float32"))
        )

    def forward(self, x):
        f = F.relu(self.f(x))
        H, W = paddle.shape(f)[2], paddle.shape(f)[3]
        sx, sy = paddle.arange(W) * 4, paddle.arange(H) * 4
        sy, sx = paddle.meshgrid(sy, sx)
        shifts = paddle.stack(
            [sx.flatten(), sy.flatten(), sx.flatten(), sy.flatten()], axis=-1
        ).astype("float32")
        anchors = (shifts.reshape([-1, 1, 4]) + self.base.reshape([1, -1, 4])).reshape([-1, 4])
        score = F.sigmoid(self.cls(f).transpose([0, 2, 3, 1]).reshape([-1, self.nc]))
        d = self.box(f).transpose([0, 2, 3, 1]).reshape([-1, 4]) * paddle.to_tensor(
            [0.1, 0.1, 0.2, 0.2]
        )
        ws, hs = anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]
        cx, cy = anchors[:, 0] + 0.5 * ws, anchors[:, 1] + 0.5 * hs
        px, py = d[:, 0] * ws + cx, d[:, 1] * hs + cy
        pw, ph = (
            paddle.exp(paddle.clip(d[:, 2], max=math.log(1000.0 / 16))) * ws,
            paddle.exp(paddle.clip(d[:, 3], max=math.log(1000.0 / 16))) * hs,
        )
        boxes = paddle.stack([px - 0.5 * pw, py - 0.5 * ph, px + 0.5 * pw, py + 0.5 * ph], axis=-1)
        s, lab = score.max(-1), score.argmax(-1)
        keep = vops.nms(boxes + lab.unsqueeze(-1).astype("float32") * 1000.0, 0.3, s)
        boxes = paddle.gather(boxes, keep)
        return boxes, s[keep], paddle.index_select(lab, keep), keep


@model
def retinanet_anchors_nms():
    return (
        RetinaNMS(),
        [S([1, 3, None, None], name="image")],
        [[arr(125, 1, 3, 24, 32)], [arr(126, 1, 3, 37, 29)]],
    )


class FasterRCNNHead(nn.Layer):
    def __init__(self, c=8, nc=3, out=4):
        super().__init__()
        self.nc, self.out = nc, out
        self.backbone = nn.Conv2D(3, c, 3, 4, 1)
        self.fc6, self.fc7 = nn.Linear(c * out * out, 24), nn.Linear(24, 24)
        self.cls_score, self.bbox_pred = nn.Linear(24, nc + 1), nn.Linear(24, nc * 4)
        self.mask_up, self.mask_out = nn.Conv2DTranspose(c, c, 2, 2), nn.Conv2D(c, nc, 1)

    def forward(self, image, rois, rois_num):
        feat = F.relu(self.backbone(image))
        r = vops.roi_align(
            feat, rois, rois_num, self.out, spatial_scale=1 / 4.0, sampling_ratio=2, aligned=True
        )
        x = F.relu(self.fc7(F.relu(self.fc6(paddle.flatten(r, start_axis=1)))))
        prob = F.softmax(self.cls_score(x), axis=-1)
        deltas = self.bbox_pred(x).reshape([-1, self.nc, 4])
        label = paddle.argmax(prob[:, :-1], axis=1)
        idx = paddle.stack([paddle.arange(paddle.shape(rois)[0]), label], axis=1)
        d = paddle.gather_nd(deltas, idx)
        wh = rois[:, 2:] - rois[:, :2]
        ctr = (rois[:, 2:] + rois[:, :2]) / 2 + d[:, :2] * wh / 10.0
        half = paddle.exp(d[:, 2:] / 5.0) * wh / 2
        m = F.sigmoid(self.mask_out(F.relu(self.mask_up(r))))
        m = paddle.gather_nd(m, idx)
        return paddle.concat([ctr - half, ctr + half], 1), prob, label, (m >= 0.5)


@model
def faster_mask_rcnn_roi_align():
    mk = lambda n, h, w, nums: [
        arr(n, len(nums), 3, h, w),
        rois(n + 1, sum(nums), w, h),
        np.array(nums, "int32"),
    ]
    return (
        FasterRCNNHead(),
        [
            S([None, 3, None, None], name="image"),
            S([None, 4], name="rois"),
            S([None], "int32", "rois_num"),
        ],
        [mk(127, 24, 32, [3]), mk(129, 32, 40, [2, 4])],
    )


class FPNRoI(nn.Layer):
    """Rois dealt to levels by log2 of their area; a masked sum in place of a loop over levels."""

    def __init__(self, c=6):
        super().__init__()
        self.c2, self.c3, self.c4 = (
            nn.Conv2D(3, c, 3, 2, 1),
            nn.Conv2D(c, c, 3, 2, 1),
            nn.Conv2D(c, c, 3, 2, 1),
        )
        self.lat = nn.LayerList([nn.Conv2D(c, c, 1) for _ in range(3)])
        self.out = nn.LayerList([nn.Conv2D(c, c, 3, 1, 1) for _ in range(3)])

    def forward(self, x, boxes, boxes_num):
        c2 = F.relu(self.c2(x))
        c3 = F.relu(self.c3(c2))
        c4 = F.relu(self.c4(c3))
        lats = [l(c) for l, c in zip(self.lat, [c2, c3, c4])]
        for i in range(2, 0, -1):
            lats[i - 1] = lats[i - 1] + F.interpolate(lats[i], size=paddle.shape(lats[i - 1])[2:])
        ps = [o(l) for o, l in zip(self.out, lats)]
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        lvl = paddle.floor(1 + paddle.log2(paddle.sqrt(area) / 8.0 + 1e-8))
        lvl = paddle.clip(lvl, 0, 2).astype("int64")
        res = []
        for i in range(3):
            r = vops.roi_align(
                ps[i], boxes, boxes_num, (3, 2), spatial_scale=1.0 / 2 ** (i + 1), aligned=False
            )
            res.append(r * (lvl == i).astype(r.dtype).reshape([-1, 1, 1, 1]))
        pooled = paddle.add_n(res)
        rp = vops.roi_pool(ps[0], boxes, boxes_num, 2, 0.5)
        return pooled, lvl, paddle.bincount(lvl, minlength=3), rp.sum(1)


@model
def fpn_level_assignment_roi():
    mk = lambda n, h, w, nums: [
        arr(n, len(nums), 3, h, w),
        rois(n + 1, sum(nums), w, h),
        np.array(nums, "int32"),
    ]
    return (
        FPNRoI(),
        [S([None, 3, None, None]), S([None, 4], name="boxes"), S([None], "int32", "boxes_num")],
        [mk(131, 24, 28, [4, 1]), mk(133, 40, 44, [5])],
    )


class SSDPriorBox(nn.Layer):
    def __init__(self, nc=3, c=8):
        super().__init__()
        self.nc = nc
        self.f1, self.f2 = nn.Conv2D(3, c, 3, 4, 1), nn.Conv2D(c, c, 3, 2, 1)
        self.norm_scale = self.create_parameter([c], default_initializer=Constant(20.0))
        self.loc = nn.LayerList([nn.Conv2D(c, 4 * 4, 3, 1, 1) for _ in range(2)])
        self.conf = nn.LayerList([nn.Conv2D(c, 4 * nc, 3, 1, 1) for _ in range(2)])

    def forward(self, image):
        a = F.relu(self.f1(image))
        b = F.relu(self.f2(a))
        a = F.normalize(a, axis=1) * self.norm_scale.unsqueeze([0, 2, 3])
        locs, confs, priors = [], [], []
        for i, f in enumerate((a, b)):
            box, var = vops.prior_box(
                f,
                image,
                min_sizes=[4.0 * (i + 1)],
                max_sizes=[8.0 * (i + 1)],
                aspect_ratios=[1.0, 2.0],
                flip=True,
                clip=True,
                steps=[0.0, 0.0],
                offset=0.5,
            )
            priors.append(box.reshape([-1, 4]))
            locs.append(self.loc[i](f).transpose([0, 2, 3, 1]).reshape([0, -1, 4]))
            confs.append(self.conf[i](f).transpose([0, 2, 3, 1]).reshape([0, -1, self.nc]))
        priors, loc = paddle.concat(priors), paddle.concat(locs, axis=1)
        out = vops.box_coder(
            priors,
            [0.1, 0.1, 0.2, 0.2],
            loc,
            code_type="decode_center_size",
            box_normalized=True,
            axis=0,
        )
        return out, F.softmax(paddle.concat(confs, 1), -1), priors


@model
def ssd_prior_box_coder():
    return (
        SSDPriorBox(),
        [S([None, 3, None, None], name="image")],
        [[arr(135, 1, 3, 24, 24)], [arr(136, 2, 3, 32, 20)]],
    )


class SOLOv2(nn.Layer):
    """CoordConv, dynamic kernels, points NMS and matrix NMS by hand, masks as bool."""

    def __init__(self, c=8, nc=3, grid=4, k=5):
        super().__init__()
        self.c, self.nc, self.grid, self.k = c, nc, grid, k
        self.stem = nn.Conv2D(3, c, 3, 2, 1)
        self.kernel, self.cate, self.mask = (
            nn.Conv2D(c + 2, c, 3, 1, 1),
            nn.Conv2D(c, nc, 3, 1, 1),
            nn.Conv2D(c + 2, c, 1),
        )

    def coords(self, feat):
        xr = paddle.linspace(-1, 1, paddle.shape(feat)[-1], dtype="float32")
        yr = paddle.linspace(-1, 1, paddle.shape(feat)[-2], dtype="float32")
        y, x = paddle.meshgrid([yr, xr])
        x, y = x.unsqueeze([0, 1]), y.unsqueeze([0, 1])
        b = paddle.shape(feat)[0]
        x = paddle.expand(x, shape=[b, 1, -1, -1])
        y = paddle.expand(y, shape=[b, 1, -1, -1])
        return paddle.concat([feat, x, y], axis=1)

    def forward(self, image):
        f = F.relu(self.stem(image))
        fc = self.coords(f)
        g = F.interpolate(fc, size=[self.grid, self.grid], mode="bilinear", align_corners=False)
        kern = self.kernel(g)
        cate = F.sigmoid(self.cate(g[:, :-2]))
        local = F.max_pool2d(cate, kernel_size=2, stride=1, padding=1)[:, :, :-1, :-1]
        cate = cate * (local == cate).astype(cate.dtype)
        score, idx = paddle.topk(cate[0].flatten(), self.k)
        label, cell = idx // (self.grid**2), idx % (self.grid**2)
        kern = paddle.gather(kern[0].flatten(1).transpose([1, 0]), cell).reshape([-1, self.c, 1, 1])
        seg = F.sigmoid(F.conv2d(self.mask(fc), kern)).squeeze(0)
        masks = seg > 0.5
        fm = masks.astype("float32").flatten(1)
        sums = fm.sum(1)
        score = score * (seg.flatten(1) * fm).sum(1) / paddle.clip(sums, min=1.0)
        inter = fm @ fm.transpose([1, 0])
        sx = paddle.expand(sums, [self.k, self.k])
        iou = paddle.triu(inter / (sx + sx.transpose([1, 0]) - inter + 1e-6), diagonal=1)
        same = paddle.triu((label.unsqueeze(0) == label.unsqueeze(1)).astype("float32"), diagonal=1)
        comp = paddle.max(iou * same, axis=0)
        comp = paddle.expand(comp, shape=[self.k, self.k]).transpose([1, 0])
        decay = paddle.min(
            paddle.exp(-2.0 * (iou * same) ** 2) / paddle.exp(-2.0 * comp**2), axis=0
        )
        return score * decay, label, seg, masks


@model
def solov2_matrix_nms_coordconv():
    return (
        SOLOv2(),
        [S([1, 3, None, None], name="image")],
        [[arr(137, 1, 3, 14, 18)], [arr(138, 1, 3, 21, 16)]],
    )


class YOLACT(nn.Layer):
    """Prototypes times coefficients, cropped to the boxes; fast NMS by an upper-triangular IoU."""

    def __init__(self, c=8, p=6):
        super().__init__()
        self.proto_net = nn.Sequential(
            nn.Conv2D(3, c, 3, 1, 1),
            nn.ReLU(),
            nn.Upsample(scale_factor=2, mode="bilinear"),
            nn.Conv2D(c, p, 1),
            nn.ReLU(),
        )
        self.coef = nn.Linear(9, p)

    def forward(self, x, boxes, feats):
        proto = self.proto_net(x).squeeze(0).transpose([1, 2, 0])
        coef = paddle.tanh(self.coef(feats))
        scores = feats.mean(-1)
        order = paddle.argsort(scores, descending=True)
        boxes, coef, scores = boxes[order], coef[order], scores[order]
        lt = paddle.maximum(boxes[:, None, :2], boxes[None, :, :2])
        rb = paddle.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        wh = (rb - lt).clip(min=0)
        inter = wh[..., 0] * wh[..., 1]
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        iou = inter / (area[:, None] + area[None] - inter)
        keep = iou.triu(diagonal=1).max(axis=0) <= 0.3
        boxes, coef = paddle.gather(boxes, paddle.nonzero(keep).squeeze(-1)), coef[keep]
        masks = F.sigmoid(paddle.matmul(proto, coef, transpose_y=True))
        h, w, n = masks.shape
        rows = paddle.arange(w, dtype="float32").reshape([1, -1, 1]).expand([h, w, n])
        cols = paddle.arange(h, dtype="float32").reshape([-1, 1, 1]).expand([h, w, n])
        x1, y1, x2, y2 = [t.reshape([1, 1, -1]) for t in boxes.unbind(1)]
        crop = (rows >= x1).logical_and(rows < x2) & (cols >= y1) & (cols < y2)
        return masks * crop.astype("float32"), boxes, iou, keep


@model
def yolact_fast_nms_crop():
    mk = lambda n, k, h, w: [arr(n, 1, 3, h, w), rois(n + 1, k, 2 * w, 2 * h), arr(n + 2, k, 9)]
    return (
        YOLACT(),
        [S([1, 3, None, None]), S([None, 4], name="boxes"), S([None, 9], name="feats")],
        [mk(139, 6, 8, 9), mk(142, 9, 11, 7)],
    )


class CondInst(nn.Layer):
    """Per-instance three-layer mask heads by grouped convolution with parsed parameters."""

    def __init__(self, c=6, ch=4):
        super().__init__()
        self.c, self.ch = c, ch
        self.mask_branch = ConvBNLayer(3, c, 3, 2)
        self.weight_nums = [(c + 2) * ch, ch * ch, ch]
        self.bias_nums = [ch, ch, 1]
        self.controller = nn.Linear(10, sum(self.weight_nums) + sum(self.bias_nums))

    def forward(self, x, inst_feat, centers):
        f = self.mask_branch(x)
        params = self.controller(inst_feat)
        n = paddle.shape(params)[0]
        H, W = f.shape[2], f.shape[3]
        sy, sx = paddle.meshgrid(paddle.arange(H), paddle.arange(W))
        loc = paddle.stack([sx.flatten(), sy.flatten()], axis=0).astype("float32") * 2 + 1
        rel = (centers.unsqueeze(-1) - loc.unsqueeze(0)) / 8.0
        inp = paddle.concat([rel, f.flatten(2).expand([n, self.c, H * W])], axis=1).reshape(
            [1, -1, H, W]
        )
        splits = paddle.split(params, self.weight_nums + self.bias_nums, axis=1)
        ws, bs = splits[:3], splits[3:]
        for l in range(3):
            cout = self.ch if l < 2 else 1
            w = ws[l].reshape([n, cout, -1, 1])
            # grouped 1x1 convolution written as a batched product, since groups would be n
            inp = paddle.bmm(w.squeeze(-1), inp.reshape([n, -1, H * W])) + bs[l].reshape(
                [n, cout, 1]
            )
            if l < 2:
                inp = F.relu(inp)
        logits = inp.reshape([n, 1, H, W])
        factor = 2
        t = F.pad(logits, pad=(0, 1, 0, 1), mode="replicate")
        t = F.interpolate(
            t, size=[factor * H + 1, factor * W + 1], mode="bilinear", align_corners=True
        )
        t = F.pad(t, pad=[factor // 2, 0, factor // 2, 0], mode="replicate")[
            :, :, : factor * H, : factor * W
        ]
        return F.sigmoid(t), params


@model
def condinst_dynamic_heads_aligned_upsample():
    mk = lambda n, k, h, w: [arr(n, 1, 3, h, w), arr(n + 1, k, 10), uni(n + 2, k, 2) * h]
    return (
        CondInst(),
        [S([1, 3, None, None]), S([None, 10], name="inst"), S([None, 2], name="centers")],
        [mk(145, 3, 12, 16), mk(148, 5, 18, 14)],
    )


class PicoDetPost(nn.Layer):
    """GFL integral with a project buffer, no-NMS path with where and nonzero."""

    def __init__(self, nc=3, reg_max=7, c=12):
        super().__init__()
        self.nc, self.reg_max = nc, reg_max
        self.register_buffer("project", paddle.linspace(0, reg_max, reg_max + 1))
        self.dw, self.pw = nn.Conv2D(3, 3, 5, 2, 2, groups=3), nn.Conv2D(3, c, 1)
        self.head = nn.Conv2D(c, nc + 4 * (reg_max + 1), 1)
        self.cls_align = nn.Sequential(nn.Conv2D(c, 4, 1), nn.Conv2D(4, 1, 5, padding=2))

    def forward(self, x):
        f = F.hardswish(self.pw(self.dw(x)))
        out = self.head(f)
        cls_logit, reg = paddle.split(out, [self.nc, 4 * (self.reg_max + 1)], axis=1)
        prob = F.sigmoid(self.cls_align(f))
        score = (F.sigmoid(cls_logit) * prob + 1e-8).sqrt()
        b = score.shape[0]
        l = score.shape[2] * score.shape[3]
        score = score.reshape([b, self.nc, l])
        reg = reg.transpose([0, 2, 3, 1]).reshape([b, l, 4, self.reg_max + 1])
        dist = F.linear(F.softmax(reg, axis=-1), self.project.unsqueeze(-1)).squeeze(-1) * 2
        ww = paddle.shape(f)[3]
        idx = paddle.arange(l)
        ctr = paddle.stack([idx % ww, idx // ww], -1).astype("float32") * 2 + 1.0
        boxes = paddle.concat([ctr - dist[..., :2], ctr + dist[..., 2:]], axis=-1)
        best = score.max(axis=1)
        where = paddle.nonzero(best > 0.52)
        picked = paddle.gather_nd(boxes, where)
        return boxes, score, where, picked


@model
def picodet_gfl_integral_nonzero():
    return (
        PicoDetPost(),
        [S([None, 3, None, None], name="image")],
        [[arr(151, 1, 3, 12, 16)], [arr(152, 2, 3, 15, 13)]],
    )


class BlazeFaceNMS(nn.Layer):
    """Greedy NMS written as a loop over a tensor with in-place suppression."""

    def __init__(self, c=8):
        super().__init__()
        self.conv = nn.Conv2D(3, c, 5, 4, 2)
        self.blaze = nn.LayerList(
            [
                nn.Sequential(nn.Conv2D(c, c, 5, 1, 2, groups=c), nn.Conv2D(c, c, 1))
                for _ in range(2)
            ]
        )
        self.reg, self.cls = nn.Conv2D(c, 2 * 6, 1), nn.Conv2D(c, 2, 1)

    def forward(self, x):
        f = F.relu(self.conv(x))
        for b in self.blaze:
            f = F.relu(b(f) + f)
        raw = self.reg(f).transpose([0, 2, 3, 1]).reshape([-1, 6])
        score = F.sigmoid(self.cls(f).transpose([0, 2, 3, 1]).reshape([-1]).clip(-100.0, 100.0))
        w = paddle.shape(f)[3]
        n = paddle.shape(raw)[0]
        cell = paddle.arange(n) // 2
        cx = (cell % w).astype("float32") * 4 + raw[:, 0] + 2
        cy = (cell // w).astype("float32") * 4 + raw[:, 1] + 2
        half = F.softplus(raw[:, 2:4]) * 3 + 1
        boxes = paddle.stack(
            [cx - half[:, 0], cy - half[:, 1], cx + half[:, 0], cy + half[:, 1]], 1
        )
        order = paddle.argsort(score, descending=True)
        boxes = paddle.gather(boxes, order, axis=0)
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        alive = paddle.ones([n], dtype="float32")
        i = paddle.zeros([1], dtype="int64")
        while i < n:
            cur = paddle.gather(boxes, i)
            xx1, yy1 = (
                paddle.maximum(boxes[:, 0], cur[:, 0]),
                paddle.maximum(boxes[:, 1], cur[:, 1]),
            )
            xx2, yy2 = (
                paddle.minimum(boxes[:, 2], cur[:, 2]),
                paddle.minimum(boxes[:, 3], cur[:, 3]),
            )
            inter = F.relu(xx2 - xx1) * F.relu(yy2 - yy1)
            ca = (cur[:, 2] - cur[:, 0]) * (cur[:, 3] - cur[:, 1])
            iou = inter / (area + ca - inter)
            later = paddle.arange(n) > i
            drop = paddle.logical_and(iou > 0.3, later).astype("float32") * paddle.gather(alive, i)
            alive = alive * (1 - drop)
            i = i + 1
        return boxes, score, alive.sum().astype("int64"), alive.astype("bool")


@model
def blazeface_while_loop_nms():
    return (
        BlazeFaceNMS(),
        [S([1, 3, None, None])],
        [[arr(153, 1, 3, 16, 20)], [arr(154, 1, 3, 25, 19)]],
    )


class MaskPaste(nn.Layer):
    """Instance masks pasted in the image by grid_sample, boxes from the refined masks."""

    def __init__(self, c=6, m=7):
        super().__init__()
        self.m = m
        self.up = nn.Sequential(
            nn.Conv2D(c, c, 3, padding=1),
            nn.ReLU(),
            nn.Conv2DTranspose(c, c, 2, 2),
            nn.ReLU(),
            nn.Conv2D(c, 2, 1),
        )

    def forward(self, roi_feat, labels, boxes, im_hw):
        mask = F.sigmoid(self.up(roi_feat))
        n = paddle.shape(mask)[0]
        ind = paddle.concat(
            [paddle.arange(n, dtype="int64").unsqueeze(1), labels.unsqueeze(1)], axis=1
        )
        mask = paddle.gather_nd(mask, ind).unsqueeze(1)
        img_h, img_w = im_hw[0], im_hw[1]
        x0, y0, x1, y1 = paddle.split(boxes, 4, axis=1)
        img_y = paddle.arange(0, img_h, dtype="int64").astype("float32") + 0.5
        img_x = paddle.arange(0, img_w, dtype="int64").astype("float32") + 0.5
        img_y = (img_y - y0) / (y1 - y0) * 2 - 1
        img_x = (img_x - x0) / (x1 - x0) * 2 - 1
        h, w = paddle.shape(img_y)[1], paddle.shape(img_x)[1]
        gx = img_x.unsqueeze(1).expand([n, h, w])
        gy = img_y.unsqueeze(2).expand([n, h, w])
        pasted = F.grid_sample(mask, paddle.stack([gx, gy], axis=3), align_corners=False)[:, 0]
        binary = (pasted >= 0.5).astype("uint8")
        any_x = binary.astype("int32").max(1)
        any_y = binary.astype("int32").max(2)
        left, top = any_x.argmax(-1), any_y.argmax(-1)
        right = w - 1 - any_x.flip(-1).argmax(-1)
        return pasted, binary, left, top, right


@model
def mask_rcnn_paste_masks():
    mk = lambda n, k, h, w: [
        arr(n, k, 6, 7, 7),
        ints(n + 1, 2, k),
        rois(n + 2, k, w, h),
        np.array([h, w], "int64"),
    ]
    return (
        MaskPaste(),
        [
            S([None, 6, 7, 7], name="roi_feat"),
            S([None], "int64", "labels"),
            S([None, 4], name="boxes"),
            S([2], "int64", "im_hw"),
        ],
        [mk(155, 3, 18, 22), mk(158, 2, 25, 17)],
    )


class SAMDecoder(nn.Layer):
    def __init__(self, d=16, nmask=3, grid=6):
        super().__init__()
        self.d, self.nmask, self.grid = d, nmask, grid
        self.register_buffer(
            "gauss",
            paddle.to_tensor(
                np.random.default_rng(5).standard_normal((2, d // 2)).astype("float32")
            ),
        )
        self.point_embeddings = nn.LayerList([nn.Embedding(1, d) for _ in range(4)])
        self.not_a_point, self.no_mask = nn.Embedding(1, d), nn.Embedding(1, d)
        self.iou_token, self.mask_tokens = nn.Embedding(1, d), nn.Embedding(nmask, d)
        self.t2i, self.i2t, self.self_attn = (
            nn.MultiHeadAttention(d, 2),
            nn.MultiHeadAttention(d, 2),
            nn.MultiHeadAttention(d, 2),
        )
        self.n1, self.n2, self.n3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.up = nn.Sequential(
            nn.Conv2DTranspose(d, d // 2, 2, 2),
            nn.GroupNorm(1, d // 2),
            nn.GELU(),
            nn.Conv2DTranspose(d // 2, d // 4, 2, 2),
            nn.GELU(),
        )
        self.hyper = nn.LayerList(
            [nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d // 4)) for _ in range(nmask)]
        )
        self.iou_head = nn.Linear(d, nmask)

    def pe(self, coords):
        coords = 2 * np.pi * ((2 * coords - 1) @ self.gauss)
        return paddle.concat([paddle.sin(coords), paddle.cos(coords)], axis=-1)

    def dense_pe(self):
        g = paddle.ones([self.grid, self.grid])
        y, x = (g.cumsum(axis=0) - 0.5) / self.grid, (g.cumsum(axis=1) - 0.5) / self.grid
        return self.pe(paddle.stack([x, y], axis=-1)).transpose([2, 0, 1]).unsqueeze(0)

    def forward(self, embedding, points, labels, orig_size):
        b = points.shape[0]
        pts = paddle.concat([points + 0.5, paddle.zeros([b, 1, 2])], axis=1)
        lab = paddle.concat([labels, -paddle.ones([b, 1], dtype=labels.dtype)], axis=1).unsqueeze(
            -1
        )
        e = self.pe(pts / 24.0)
        e = paddle.where(lab == -1, paddle.zeros_like(e) + self.not_a_point.weight, e)
        for i in range(4):
            e = e + self.point_embeddings[i].weight * (lab == i).astype("float32")
        tokens = paddle.concat([self.iou_token.weight, self.mask_tokens.weight], axis=0)
        tokens = tokens.unsqueeze(0).expand([b, -1, -1])
        q = paddle.concat([tokens, e], axis=1)
        src = paddle.repeat_interleave(embedding, b, axis=0) + self.no_mask.weight.reshape(
            [1, -1, 1, 1]
        )
        pos = self.dense_pe().flatten(2).transpose([0, 2, 1])
        keys = src.flatten(2).transpose([0, 2, 1])
        q = self.n1(q + self.self_attn(q))
        q = self.n2(q + self.t2i(q + 0.0, keys + pos, keys))
        keys = self.n3(keys + self.i2t(keys + pos, q, q))
        iou_tok, mask_tok = q[:, 0, :], q[:, 1 : 1 + self.nmask, :]
        up = self.up(keys.transpose([0, 2, 1]).reshape([b, self.d, self.grid, self.grid]))
        hyper = paddle.stack([self.hyper[i](mask_tok[:, i, :]) for i in range(self.nmask)], axis=1)
        masks = (hyper @ up.flatten(2)).reshape([b, -1, 4 * self.grid, 4 * self.grid])
        iou = self.iou_head(iou_tok)
        best = paddle.argmax(
            iou
            + (labels.sum(1, keepdim=True) * paddle.arange(self.nmask)).astype("float32") * 0.01,
            axis=-1,
        )
        low = masks[paddle.arange(b), best].unsqueeze(1)
        full = F.interpolate(low, size=orig_size, mode="bilinear", align_corners=False)
        return iou, low, best, full > 0.0


@model
def sam_prompt_mask_decoder():
    mk = lambda n, b, k, hw: [
        arr(n, 1, 16, 6, 6),
        uni(n + 1, b, k, 2) * 24,
        ints(n + 2, 4, b, k),
        np.array(hw, "int32"),
    ]
    return (
        SAMDecoder(),
        [
            S([1, 16, 6, 6], name="embedding"),
            S([None, None, 2], name="points"),
            S([None, None], "int64", "labels"),
            S([2], "int32", "orig_size"),
        ],
        [mk(161, 1, 2, (17, 23)), mk(164, 3, 4, (30, 26))],
    )


class Mask2Former(nn.Layer):
    """Masked cross-attention whose mask comes from the former prediction; semantic inference by einsum."""

    def __init__(self, d=12, nq=5, nc=3):
        super().__init__()
        self.d, self.nq, self.heads = d, nq, 2
        self.feat, self.mask_feat = nn.Conv2D(3, d, 3, 4, 1), nn.Conv2D(3, d, 3, 2, 1)
        self.query_feat, self.query_embed = nn.Embedding(nq, d), nn.Embedding(nq, d)
        self.q, self.kv, self.o = (
            nn.LayerList([nn.Linear(d, d) for _ in range(2)]),
            nn.LayerList([nn.Linear(d, 2 * d) for _ in range(2)]),
            nn.Linear(d, d),
        )
        self.ln, self.cls, self.mlp = (
            nn.LayerNorm(d),
            nn.Linear(d, nc + 1),
            nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d)),
        )

    def predict(self, out, mask_features, size):
        out = self.ln(out)
        masks = paddle.einsum("bqc,bchw->bqhw", self.mlp(out), mask_features)
        att = F.interpolate(masks, size=size, mode="bilinear", align_corners=False)
        att = F.sigmoid(att).flatten(2).unsqueeze(1).tile([1, self.heads, 1, 1]) < 0.5
        att = att & ~(att.all(-1, keepdim=True))
        return self.cls(out), masks, att

    def forward(self, x):
        f, mf = F.relu(self.feat(x)), self.mask_feat(x)
        b = paddle.shape(x)[0]
        size = paddle.shape(f)[2:]
        out = self.query_feat.weight.unsqueeze(0).expand([b, self.nq, self.d])
        src = f.flatten(2).transpose([0, 2, 1])
        outputs = []
        logits, masks, att = self.predict(out, mf, size)
        outputs.append(masks)
        for i in range(2):
            q = (
                self.q[i](out + self.query_embed.weight)
                .reshape([b, -1, self.heads, self.d // self.heads])
                .transpose([0, 2, 1, 3])
            )
            k, v = (
                self.kv[i](src)
                .reshape([b, -1, 2, self.heads, self.d // self.heads])
                .transpose([2, 0, 3, 1, 4])
                .unbind()
            )
            w = q @ k.transpose([0, 1, 3, 2]) / math.sqrt(self.d // self.heads)
            w = paddle.where(att, paddle.full_like(w, -1e9), w)
            y = (F.softmax(w, -1) @ v).transpose([0, 2, 1, 3]).flatten(2)
            out = out + self.o(y)
            logits, masks, att = self.predict(out, mf, size)
            outputs.append(masks)
        sem = paddle.einsum("bqc,bqhw->bchw", F.softmax(logits, -1)[..., :-1], F.sigmoid(masks))
        return sem, sem.argmax(1).astype("int32"), outputs[0], att


@model
def mask2former_masked_attention():
    return (
        Mask2Former(),
        [S([None, 3, None, None])],
        [[arr(167, 2, 3, 16, 20)], [arr(168, 1, 3, 22, 18)]],
    )


class HeatmapPose(nn.Layer):
    """The arg-max with a quarter offset, then scaled by centre and scale as COCO top-down."""

    def __init__(self, k=4, c=8):
        super().__init__()
        self.k = k
        self.body = nn.Sequential(
            nn.Conv2D(3, c, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2DTranspose(c, c, 4, 2, 1),
            nn.BatchNorm2D(c),
            nn.ReLU(),
            nn.Conv2D(c, k, 1),
        )

    def forward(self, x, center, scale):
        hm = self.body(x)
        hm = 0.5 * (
            hm + self.body(x.flip([3])).flip(3).index_select(paddle.to_tensor([1, 0, 3, 2]), axis=1)
        )
        b, _, h, w = paddle.shape(hm)
        flat = hm.reshape([b, self.k, -1])
        maxval, idx = flat.max(axis=2, keepdim=True), flat.argmax(axis=2)
        px, py = idx % w.astype("int64"), idx // w.astype("int64")
        padded = F.pad(hm, [1, 1, 1, 1], mode="replicate")
        bi = paddle.arange(b).astype("int64").reshape([-1, 1]).expand([b, self.k])
        ki = paddle.arange(self.k).reshape([1, -1]).expand([b, self.k])

        def at(dy, dx):
            return paddle.gather_nd(
                padded, paddle.stack([bi, ki, py + 1 + dy, px + 1 + dx], axis=-1)
            )

        dx, dy = paddle.sign(at(0, 1) - at(0, -1)) * 0.25, paddle.sign(at(1, 0) - at(-1, 0)) * 0.25
        coords = paddle.stack([px.astype("float32") + dx, py.astype("float32") + dy], -1)
        coords = paddle.where(maxval > 0.0, coords, -paddle.ones_like(coords))
        size = paddle.stack([w, h]).astype("float32").reshape([1, 1, 2])
        out = coords / size * scale.unsqueeze(1) + (center - scale * 0.5).unsqueeze(1)
        return paddle.concat([out, maxval], axis=2), idx


@model
def pose_heatmap_quarter_offset():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), uni(n + 1, b, 2) * 100, uni(n + 2, b, 2) * 50 + 20]
    return (
        HeatmapPose(),
        [
            S([None, 3, None, None], name="image"),
            S([None, 2], name="center"),
            S([None, 2], name="scale"),
        ],
        [mk(171, 2, 12, 10), mk(174, 1, 16, 20)],
    )


class SimCCPAF(nn.Layer):
    """SimCC one-dimensional classification and, for the limbs, part-affinity line integrals."""

    def __init__(self, k=4, limbs=((0, 1), (1, 2), (2, 3)), c=8, samples=5):
        super().__init__()
        self.k, self.limbs, self.n = k, limbs, samples
        self.f = ConvBNLayer(3, c, 3, 2, act="gelu")
        self.kp, self.paf = nn.Conv2D(c, k, 1), nn.Conv2D(c, 2 * len(limbs), 1)
        self.gate = nn.Linear(1, 1)

    def forward(self, x):
        f = self.f(x)
        h = self.kp(f)
        sx, sy = F.softmax(h.max(2) * 3, -1), F.softmax(h.max(3) * 3, -1)
        xs = (sx * paddle.arange(paddle.shape(h)[3]).astype("float32")).sum(-1)
        ys = (sy * paddle.arange(paddle.shape(h)[2]).astype("float32")).sum(-1)
        kp = paddle.stack([xs, ys], axis=-1)
        paf = self.paf(f)
        H, W = h.shape[2], h.shape[3]
        t = paddle.linspace(0, 1, self.n).reshape([1, self.n, 1])
        scores = []
        for i, (a, b) in enumerate(self.limbs):
            pa, pb = kp[:, a : a + 1], kp[:, b : b + 1]
            line = pa * (1 - t) + pb * t
            norm = paddle.stack(
                [2 * line[..., 0] / (W - 1) - 1, 2 * line[..., 1] / (H - 1) - 1], axis=-1
            )
            v = F.grid_sample(
                paf[:, 2 * i : 2 * i + 2],
                norm.unsqueeze(1),
                mode="bilinear",
                padding_mode="border",
                align_corners=True,
            )
            unit = F.normalize(pb - pa, axis=-1)
            scores.append((v.squeeze(2).transpose([0, 2, 1]) * unit).sum(-1).mean(-1))
        scores = paddle.stack(scores, 1)
        return (
            kp,
            scores,
            F.sigmoid(self.gate(scores.unsqueeze(-1))).squeeze(-1),
            paddle.argsort(scores, axis=1),
        )


@model
def pose_simcc_paf_integral():
    return (
        SimCCPAF(),
        [S([None, 3, None, None])],
        [[arr(177, 2, 3, 14, 16)], [arr(178, 1, 3, 20, 13)]],
    )


class Tracker(nn.Layer):
    """SiamRPN up-channel correlation (grouped convolution by the template), a cosine window, the best box by argmax."""

    def __init__(self, c=6, na=2):
        super().__init__()
        self.c, self.na = c, na
        self.backbone = nn.Sequential(nn.Conv2D(3, c, 3, 2), nn.BatchNorm2D(c), nn.ReLU())
        self.r1_cls, self.r1_loc = nn.Conv2D(c, c, 3), nn.Conv2D(c, c, 3)
        self.cls, self.loc = nn.Conv2D(c, 2 * na, 1), nn.Conv2D(c, 4 * na, 1)

    def xcorr_depthwise(self, x, kernel):
        batch, channel = kernel.shape[0], kernel.shape[1]
        kh, kw = kernel.shape[2], kernel.shape[3]
        x = x.reshape([1, batch * channel, x.shape[2], x.shape[3]])
        kernel = kernel.reshape([batch * channel, 1, kh, kw])
        out = F.conv2d(x, kernel, groups=batch * channel)
        return out.reshape([batch, channel, out.shape[2], out.shape[3]])

    def forward(self, template, search):
        z, x = self.backbone(template), self.backbone(search)
        cls = self.cls(self.xcorr_depthwise(self.r1_cls(x), self.r1_cls(z)))
        loc = self.loc(self.xcorr_depthwise(self.r1_loc(x), self.r1_loc(z)))
        h, w = paddle.shape(cls)[2], paddle.shape(cls)[3]
        ramp = lambda m: (
            0.5
            - 0.5
            * paddle.cos(
                2 * math.pi * (paddle.arange(m).astype("float32") + 1) / (m + 1).astype("float32")
            )
        )
        window = paddle.outer(ramp(h), ramp(w)).flatten().tile([self.na])
        score = F.softmax(cls.reshape([2, 2, -1]), axis=1)[:, 1]
        pscore = score * 0.7 + window * 0.3
        best = pscore.argmax(1)
        delta = loc.reshape([2, 4, -1])
        box = paddle.take_along_axis(
            delta, best.reshape([-1, 1, 1]).tile([1, 4, 1]), axis=2
        ).squeeze(-1)
        return box, best, pscore


@model
def siamrpn_correlation_window():
    mk = lambda n, h, w: [arr(n, 2, 3, 15, 15), arr(n + 1, 2, 3, h, w)]
    return (
        Tracker(),
        [S([2, 3, 15, 15], name="template"), S([2, 3, None, None], name="search")],
        [mk(181, 27, 25), mk(183, 23, 33)],
    )


class DeepSORTCost(nn.Layer):
    """Appearance distance, IoU gate, a Kalman step by small matrices, greedy column by column matching."""

    def __init__(self, d=8):
        super().__init__()
        self.embed = nn.Linear(12, d)
        self.bnneck = nn.BatchNorm1D(d)
        F_ = np.eye(8, dtype="float32")
        F_[:4, 4:] = np.eye(4)
        self.register_buffer("motion", paddle.to_tensor(F_))

    def forward(self, track_feat, track_state, det_feat, det_box):
        mean = paddle.mm(track_state, self.motion.t())
        a, b = (
            F.normalize(self.bnneck(self.embed(track_feat)), axis=1),
            F.normalize(self.bnneck(self.embed(det_feat)), axis=1),
        )
        cost = 1.0 - paddle.matmul(a, b, transpose_y=True)
        tb, db = mean[:, :4].unsqueeze(1), det_box.unsqueeze(0)
        tl, br = paddle.maximum(tb[..., :2], db[..., :2]), paddle.minimum(tb[..., 2:4], db[..., 2:])
        inter = paddle.prod(paddle.clip(br - tl, min=0.0), axis=-1)
        union = (
            paddle.prod(tb[..., 2:4] - tb[..., :2], -1)
            + paddle.prod(db[..., 2:] - db[..., :2], -1)
            - inter
        )
        iou = inter / (union + 1e-6)
        cost = paddle.where(iou < 0.01, cost + 10.0, cost)
        m = paddle.full([paddle.shape(cost)[0]], -1, dtype="int64")
        work = cost.clone()
        steps = paddle.minimum(paddle.shape(cost)[0], paddle.shape(cost)[1])
        cols = paddle.shape(cost)[1].astype("int64")
        for _ in range(steps):
            flat = work.flatten().argmin()
            r, c = flat // cols, flat % cols
            m = paddle.where(paddle.arange(paddle.shape(cost)[0]) == r, c, m)
            work = work + 1e3 * (paddle.arange(paddle.shape(cost)[0]) == r).astype(
                "float32"
            ).unsqueeze(1)
            work = work + 1e3 * (paddle.arange(cols) == c).astype("float32").unsqueeze(0)
        return cost, iou, m


@model
def deepsort_gate_greedy_matching():
    def mk(n, t, d):
        st = np.concatenate([rois(n, t, 30, 30), arr(n + 1, t, 4)], 1)
        return [arr(n + 2, t, 12), st, arr(n + 3, d, 12), rois(n + 4, d, 30, 30)]

    return (
        DeepSORTCost(),
        [
            S([None, 12], name="tf"),
            S([None, 8], name="ts"),
            S([None, 12], name="df"),
            S([None, 4], name="db"),
        ],
        [mk(185, 4, 3), mk(190, 3, 6)],
    )


class LaneUFLD(nn.Layer):
    """Row-wise classification, expectation over softmax, invalid lanes masked in place."""

    def __init__(self, grid=10, rows=6, lanes=3):
        super().__init__()
        self.g, self.r, self.l = grid, rows, lanes
        self.conv = nn.Sequential(ConvBNLayer(3, 8, 3, 2), nn.Conv2D(8, 4, 1))
        self.pool = nn.AdaptiveAvgPool2D((3, 4))
        self.cls = nn.Sequential(
            nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, (grid + 1) * rows * lanes)
        )

    def forward(self, x):
        f = self.pool(self.conv(x)).reshape([-1, 48])
        out = self.cls(f).reshape([-1, self.g + 1, self.r, self.l])
        out = out[:, :, ::-1, :] * 4
        prob = F.softmax(out[:, :-1], axis=1)
        idx = (paddle.arange(self.g) + 1).reshape([1, -1, 1, 1]).astype(prob.dtype)
        loc = paddle.sum(prob * idx, axis=1)
        hard = paddle.argmax(out, axis=1)
        loc[hard == self.g] = 0
        valid = (loc != 0).astype("int32").sum(axis=1) > 2
        xs = loc * x.shape[3] / self.g
        return xs, hard, valid


@model
def lane_row_anchor_expectation():
    return (
        LaneUFLD(),
        [S([None, 3, None, None])],
        [[arr(195, 2, 3, 14, 20)], [arr(196, 3, 3, 18, 26)]],
    )


# ------------------------------------------------------------------ segmentation and matting
class ASPPDecoder(nn.Layer):
    """DeepLabV3+: separable ASPP with an image pool, low-level feature, the size taken in three ways."""

    def __init__(self, c=8, nc=4):
        super().__init__()
        self.low, self.high = ConvBNLayer(3, c, 3, 2), ConvBNLayer(c, 2 * c, 3, 2)
        self.blocks = nn.LayerList()
        for r in (1, 2, 3):
            if r == 1:
                self.blocks.append(ConvBNLayer(2 * c, c, 1))
            else:
                self.blocks.append(
                    nn.Sequential(
                        nn.Conv2D(
                            2 * c, 2 * c, 3, padding=r, dilation=r, groups=2 * c, bias_attr=False
                        ),
                        ConvBNLayer(2 * c, c, 1),
                    )
                )
        self.global_avg_pool = nn.Sequential(
            nn.AdaptiveAvgPool2D(output_size=(1, 1)), ConvBNLayer(2 * c, c, 1)
        )
        self.fuse, self.low_proj = ConvBNLayer(4 * c, c, 1), ConvBNLayer(c, 4, 1)
        self.conv, self.cls = ConvBNLayer(c + 4, c, 3), nn.Conv2D(c, nc, 1)

    def forward(self, x):
        low = self.low(x)
        high = self.high(low)
        interpolate_shape = paddle.shape(high)[2:]
        outs = []
        for block in self.blocks:
            y = block(high)
            y = F.interpolate(y, interpolate_shape, mode="bilinear", align_corners=False)
            outs.append(y)
        img_avg = self.global_avg_pool(high)
        outs.append(F.interpolate(img_avg, interpolate_shape, mode="bilinear", align_corners=False))
        y = self.fuse(paddle.concat(outs, axis=1))
        y = F.interpolate(y, size=low.shape[2:], mode="bilinear", align_corners=True)
        y = self.cls(self.conv(paddle.concat([y, self.low_proj(low)], axis=1)))
        logit_list = [
            F.interpolate(
                y, [paddle.shape(x)[2], paddle.shape(x)[3]], mode="bilinear", align_corners=False
            )
        ]
        return [
            paddle.argmax(l, axis=1, keepdim=True, dtype="int32") for l in logit_list
        ] + logit_list


@model
def deeplab_aspp_three_sizes():
    return (
        ASPPDecoder(),
        [S([None, 3, None, None])],
        [[arr(201, 1, 3, 21, 30)], [arr(202, 2, 3, 33, 26)]],
    )


class PSPSTDC(nn.Layer):
    """Pyramid pooling with bins 1,2,3,6, bicubic and area resizes, an auxiliary detail map by a Laplacian kernel."""

    def __init__(self, c=8):
        super().__init__()
        self.stem = ConvBNLayer(3, c, 3, 2)
        self.stages = nn.LayerList(
            [nn.Sequential(nn.AdaptiveAvgPool2D(b), ConvBNLayer(c, 2, 1)) for b in (1, 2, 3, 6)]
        )
        self.out = nn.Conv2D(c + 8, 3, 3, padding=1)
        lap = np.array([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], "float32")
        self.laplacian = paddle.to_tensor(lap.reshape(1, 1, 3, 3))
        self.fuse_kernel = self.create_parameter(
            [1, 3, 1, 1],
            default_initializer=Assign(np.array([0.6, 0.3, 0.1], "float32").reshape(1, 3, 1, 1)),
        )

    def forward(self, x):
        f = self.stem(x)
        cat = [f]
        for s in self.stages:
            y = s(f)
            cat.append(
                F.interpolate(
                    y, paddle.shape(f)[2:], mode="bilinear", align_corners=True, align_mode=1
                )
            )
        logit = self.out(paddle.concat(cat[::-1], axis=1))
        seg = F.interpolate(logit, scale_factor=2, mode="bicubic", align_corners=True)
        lab = (seg.argmax(1, keepdim=True)).astype("float32")
        pyr = []
        for s in (1, 2, 4):
            b = F.conv2d(lab, self.laplacian, stride=s, padding=1).clip(min=0)
            b = (b > 0.1).astype("float32")
            if s != 1:
                b = F.interpolate(b, paddle.shape(lab)[2:], mode="nearest")
            pyr.append(b)
        detail = F.conv2d(paddle.concat(pyr, axis=1), self.fuse_kernel)
        return seg, detail, F.interpolate(logit, size=(5, 7), mode="area")


@model
def pspnet_stdc_detail_laplacian():
    return (
        PSPSTDC(),
        [S([None, 3, None, None])],
        [[arr(203, 2, 3, 20, 24)], [arr(204, 1, 3, 31, 27)]],
    )


class UNetPadDiff(nn.Layer):
    """Odd sizes: max-unpool for the last stage, the others padded by the difference of the sizes."""

    def __init__(self, c=6):
        super().__init__()
        self.inc, self.d1, self.d2 = (
            ConvBNLayer(3, c, 3),
            ConvBNLayer(c, c, 3),
            ConvBNLayer(c, c, 3),
        )
        self.up = nn.Conv2DTranspose(c, c, 2, 2)
        self.u1, self.u2, self.gate = (
            ConvBNLayer(2 * c, c, 3),
            ConvBNLayer(2 * c, c, 3),
            nn.Conv2D(c, 1, 1),
        )

    def cat(self, x1, x2):
        diffY = paddle.shape(x2)[2] - paddle.shape(x1)[2]
        diffX = paddle.shape(x2)[3] - paddle.shape(x1)[3]
        pads = [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2]
        x1 = F.pad(x1, paddle.stack([p.astype("int32") for p in pads]).reshape([4]))
        return paddle.concat([x2, x1], axis=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.d1(F.max_pool2d(x1, 2))
        x3 = self.d2(F.max_pool2d(x2, 2))
        y = self.u1(self.cat(self.up(x3), x2))
        y = self.u2(self.cat(self.up(y), x1))
        att = F.sigmoid(self.gate(x1 + y))
        return y * att + x1 * (1 - att), (att > 0.5).astype("uint8")


@model
def unet_pad_by_size_difference():
    return (
        UNetPadDiff(),
        [S([None, 3, None, None])],
        [[arr(205, 1, 3, 21, 18)], [arr(206, 2, 3, 27, 31)]],
    )


class U2NetRSU(nn.Layer):
    def __init__(self, mid=4, out=6, depth=4):
        super().__init__()
        self.convin = ConvBNLayer(3, out, 3)
        self.enc = nn.LayerList([ConvBNLayer(out if i == 0 else mid, mid, 3) for i in range(depth)])
        self.bottom = ConvBNLayer(mid, mid, 3, dilation=2)
        self.dec = nn.LayerList(
            [ConvBNLayer(2 * mid, out if i == 0 else mid, 3) for i in range(depth)]
        )
        self.side = nn.LayerList(
            [nn.Conv2D(mid if i else out, 1, 3, padding=1) for i in range(depth)]
        )
        self.outconv = nn.Conv2D(depth, 1, 1)

    def forward(self, x):
        hin = self.convin(x)
        feats, h = [], hin
        for i, e in enumerate(self.enc):
            if i > 0:
                h = F.max_pool2d(h, 2, stride=2, ceil_mode=True)
            h = e(h)
            feats.append(h)
        d = self.bottom(h)
        sides = []
        for i in reversed(range(len(self.enc))):
            d = self.dec[i](paddle.concat((d, feats[i]), 1))
            if i == 0:
                d = d + hin
            s = self.side[i](d)
            sides.insert(0, F.upsample(s, size=hin.shape[2:], mode="bilinear"))
            if i > 0:
                d = F.upsample(d, size=feats[i - 1].shape[2:], mode="bilinear")
        d0 = self.outconv(paddle.concat(sides, 1))
        pred = F.sigmoid(d0)
        ma, mi = paddle.max(pred), paddle.min(pred)
        return ((pred - mi) / (ma - mi)).squeeze(1), F.sigmoid(sides[-1])


@model
def u2net_rsu_normpred():
    return (
        U2NetRSU(),
        [S([None, 3, None, None])],
        [[arr(207, 1, 3, 19, 22)], [arr(208, 2, 3, 26, 17)]],
    )


class SegFormerHead(nn.Layer):
    def __init__(self, dims=(6, 10, 14), e=12, nc=4):
        super().__init__()
        self.nc = nc
        self.stems = nn.LayerList(
            [nn.Conv2D(3 if i == 0 else dims[i - 1], d, 3, 2, 1) for i, d in enumerate(dims)]
        )
        self.linear = nn.LayerList([nn.Linear(d, e) for d in dims])
        self.fuse = nn.Sequential(nn.Conv2D(3 * e, e, 1, bias_attr=False), nn.BatchNorm2D(e))
        self.post_scale = self.create_parameter([1, e, 1, 1], default_initializer=Constant(1.0))
        self.pred = nn.Conv2D(e, nc, 1)

    def forward(self, x):
        size = x.shape[2:]
        feats = []
        for s in self.stems:
            x = F.gelu(s(x))
            feats.append(x)
        c1_shape = paddle.shape(feats[0])
        outs = []
        for i, f in enumerate(feats):
            _c = self.linear[i](f.flatten(2).transpose([0, 2, 1]))
            fs = paddle.shape(f)
            _c = _c.transpose([0, 2, 1]).reshape([0, 12, fs[2], fs[3]])
            outs.append(F.interpolate(_c, size=c1_shape[2:], mode="bilinear", align_corners=False))
        y = F.relu(self.fuse(paddle.concat(outs[::-1], axis=1)) * self.post_scale + 0.1)
        logit = F.interpolate(self.pred(y), size=size, mode="bilinear", align_corners=False)
        prob = F.softmax(logit, axis=1).transpose([0, 2, 3, 1])
        area = F.one_hot(prob.argmax(-1), self.nc).sum([1, 2]) / (size[0] * size[1])
        return logit, area


@model
def segformer_mlp_head_areas():
    return (
        SegFormerHead(),
        [S([None, 3, None, None])],
        [[arr(209, 2, 3, 24, 20)], [arr(210, 1, 3, 29, 35)]],
    )


class OCRNetHead(nn.Layer):
    def __init__(self, c=10, nc=3):
        super().__init__()
        self.c, self.nc, self.key = c, nc, 6
        self.f = ConvBNLayer(3, c, 3, 2)
        self.aux = nn.Conv2D(c, nc, 1)
        self.fp, self.fo, self.fd = ConvBNLayer(c, 6, 1), ConvBNLayer(c, 6, 1), ConvBNLayer(c, 6, 1)
        self.fu, self.out = ConvBNLayer(6, c, 1), nn.Conv2D(2 * c, nc, 1)
        self.mu = self.create_parameter([1, c, 4], default_initializer=Normal(0, 0.5))

    def forward(self, x):
        pixels = self.f(x)
        soft = self.aux(pixels)
        n, k, h, w = paddle.shape(soft)
        prob = F.softmax(paddle.reshape(soft, [0, self.nc, -1]), axis=2)
        px = paddle.reshape(pixels, [0, self.c, -1]).transpose([0, 2, 1])
        region = paddle.bmm(prob, px).transpose([0, 2, 1]).unsqueeze(-1)
        q = self.fp(pixels).reshape([0, 6, -1]).transpose([0, 2, 1])
        key = self.fo(region).reshape([0, 6, -1])
        val = self.fd(region).reshape([0, 6, -1]).transpose([0, 2, 1])
        sim = F.softmax(paddle.bmm(q, key) * (self.key**-0.5), axis=-1)
        ctx = paddle.bmm(sim, val).transpose([0, 2, 1]).reshape([0, self.key, h, w])
        # EMANet's expectation-maximisation over the same pixels, three rounds
        flat = px.transpose([0, 2, 1])
        mu = paddle.tile(self.mu, [n, 1, 1])
        for _ in range(3):
            z = F.softmax(paddle.bmm(flat.transpose([0, 2, 1]), mu), axis=2)
            z_ = z / (1e-6 + z.sum(axis=1, keepdim=True))
            mu = paddle.bmm(flat, z_)
            mu = mu / (1e-6 + paddle.norm(mu, axis=1, keepdim=True))
        em = F.relu(mu.matmul(z.transpose([0, 2, 1])).reshape([-1, self.c, h, w]))
        y = self.out(paddle.concat([self.fu(ctx), pixels + em], axis=1))
        return y, soft, mu


@model
def ocrnet_object_context_em():
    return (
        OCRNetHead(),
        [S([None, 3, None, None])],
        [[arr(211, 1, 3, 14, 18)], [arr(212, 2, 3, 17, 13)]],
    )


class CCNetDANet(nn.Layer):
    """Criss-cross attention with the diagonal masked by -inf; dual attention with learnt gammas."""

    def __init__(self, c=8):
        super().__init__()
        self.c = c
        self.stem = nn.Conv2D(3, c, 3, 2, 1)
        self.q, self.k, self.v = nn.Conv2D(c, 4, 1), nn.Conv2D(c, 4, 1), nn.Conv2D(c, c, 1)
        self.gamma = self.create_parameter([1], default_initializer=Constant(0.3))
        self.gamma2 = self.create_parameter([1], default_initializer=Constant(0.3))

    def criss_cross(self, x):
        b, _, h, w = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        qh = q.transpose([0, 3, 2, 1]).reshape([b * w, h, -1])
        qw = q.transpose([0, 2, 3, 1]).reshape([b * h, w, -1])
        kh, kw = (
            k.transpose([0, 3, 1, 2]).reshape([b * w, -1, h]),
            k.transpose([0, 2, 1, 3]).reshape([b * h, -1, w]),
        )
        vh, vw = (
            v.transpose([0, 3, 1, 2]).reshape([b * w, -1, h]),
            v.transpose([0, 2, 1, 3]).reshape([b * h, -1, w]),
        )
        inf = paddle.diag(paddle.tile(paddle.to_tensor([-1e9]), [h]))
        eh = (paddle.bmm(qh, kh).reshape([b, w, h, h]) + inf).transpose([0, 2, 1, 3])
        ew = paddle.bmm(qw, kw).reshape([b, h, w, w])
        att = F.softmax(paddle.concat([eh, ew], axis=3), axis=3)
        ah = att[:, :, :, 0:h].transpose([0, 2, 1, 3]).reshape([b * w, h, h])
        aw = att[:, :, :, h:].reshape([b * h, w, w])
        oh = paddle.bmm(vh, ah.transpose([0, 2, 1])).reshape([b, w, -1, h]).transpose([0, 2, 3, 1])
        ow = paddle.bmm(vw, aw.transpose([0, 2, 1])).reshape([b, h, -1, w]).transpose([0, 2, 1, 3])
        return self.gamma * (oh + ow) + x

    def channel(self, x):
        f = x.flatten(2)
        sim = paddle.bmm(f, f.transpose([0, 2, 1]))
        sim = paddle.max(sim, axis=-1, keepdim=True).expand_as(sim) - sim
        return self.gamma2 * paddle.bmm(F.softmax(sim), f).reshape(paddle.shape(x)) + x

    def forward(self, x):
        x = self.stem(x)
        y = x
        for _ in range(2):
            y = self.criss_cross(y)
        return y, self.channel(x)


@model
def ccnet_criss_cross_danet():
    return (
        CCNetDANet(),
        [S([None, 3, None, None])],
        [[arr(213, 2, 3, 10, 12)], [arr(214, 1, 3, 14, 9)]],
    )


class PointRend(nn.Layer):
    """The most uncertain points of an upsampled coarse map re-predicted and scattered back."""

    def __init__(self, c=6, nc=3):
        super().__init__()
        self.nc, self.c = nc, c
        self.f, self.coarse, self.fc = (
            nn.Conv2D(3, c, 3, 1, 1),
            nn.Conv2D(c, nc, 3, 2, 1),
            nn.Conv1D(c + nc, nc, 1),
        )

    def point_sample(self, inp, coords):
        out = F.grid_sample(inp, (2.0 * coords - 1.0).unsqueeze(2), align_corners=False)
        return out.squeeze(3)

    def forward(self, x):
        f = F.relu(self.f(x))
        logit = F.interpolate(
            self.coarse(f), scale_factor=2.0, mode="bilinear", align_corners=False
        )
        n, _, h, w = logit.shape
        top2 = paddle.topk(logit, 2, axis=1)[0]
        unc = (top2[:, 1] - top2[:, 0]).reshape([n, -1])
        num = h * w // 4
        idx = paddle.topk(unc, num, axis=1)[1]
        px = ((idx % w).astype("float32") + 0.5) / paddle.to_tensor(w).astype("float32")
        py = ((idx // w).astype("float32") + 0.5) / paddle.to_tensor(h).astype("float32")
        coords = paddle.stack([px, py], axis=2)
        feat = paddle.concat(
            [self.point_sample(f, coords), self.point_sample(logit, coords)], axis=1
        )
        point = self.fc(feat)
        flat = logit.transpose([0, 2, 3, 1]).reshape([-1, self.nc])
        base = (paddle.arange(n).unsqueeze(1) * (h * w) + idx).flatten()
        flat = paddle.scatter(
            flat, base, point.transpose([0, 2, 1]).reshape([-1, self.nc]), overwrite=True
        )
        return flat.reshape([n, h, w, self.nc]).transpose([0, 3, 1, 2]), coords, idx


@model
def pointrend_scatter_points():
    return (
        PointRend(),
        [S([None, 3, None, None])],
        [[arr(215, 1, 3, 12, 10)], [arr(216, 2, 3, 16, 14)]],
    )


class MattingFBA(nn.Layer):
    """Trimap clicks, a guided filter at low size applied at high size, alpha blended over a colour."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2D(6, 8, 3, padding=1), nn.ELU(), nn.Conv2D(8, 4, 3, padding=1)
        )
        self.box = nn.AvgPool2D(5, 1, 2, exclusive=False)
        self.bg = self.create_parameter([3], default_initializer=Uniform(0, 1))

    def guided(self, x, y, eps=1e-2):
        one = paddle.ones_like(x[:, :1])
        n = self.box(one)
        mx, my = self.box(x) / n, self.box(y) / n
        cov, var = self.box(x * y) / n - mx * my, self.box(x * x) / n - mx * mx
        a = cov / (var + eps)
        return a, my - a * mx

    def forward(self, img, trimap):
        t = F.one_hot(trimap, num_classes=3).transpose([0, 3, 1, 2])
        big = paddle.concat([img, t], 1)
        small = F.interpolate(big, scale_factor=0.5, mode="bilinear", align_corners=False)
        out = self.net(small)
        g = small[:, :3].mean(1, keepdim=True)
        a, b = self.guided(g, out[:, :1])
        a, b = (
            F.interpolate(a, paddle.shape(img)[2:], mode="bilinear"),
            F.interpolate(b, paddle.shape(img)[2:], mode="bilinear"),
        )
        alpha = paddle.clip(a * img.mean(1, keepdim=True) + b, 0, 1)
        alpha = paddle.where(trimap.unsqueeze(1) == 0, paddle.zeros_like(alpha), alpha)
        alpha = paddle.where(trimap.unsqueeze(1) == 2, paddle.ones_like(alpha), alpha)
        comp = img * alpha + (1 - alpha) * self.bg.reshape([1, 3, 1, 1])
        return (
            (comp.clip(0, 1) * 255).round().astype("uint8"),
            alpha,
            (trimap == 1).astype("int64").sum(axis=[1, 2]),
        )


@model
def matting_guided_filter_trimap():
    mk = lambda n, b, h, w: [uni(n, b, 3, h, w), ints(n + 1, 3, b, h, w)]
    return (
        MattingFBA(),
        [S([None, 3, None, None], name="img"), S([None, None, None], "int64", "trimap")],
        [mk(217, 1, 14, 18), mk(219, 2, 20, 16)],
    )


# ------------------------------------------------------------------ text in pictures
class DBNet(nn.Layer):
    """Probability and threshold maps, a step function, binary boxes of the rows and columns with text."""

    def __init__(self, c=8, k=50):
        super().__init__()
        self.k = k
        self.c2, self.c3 = (
            ConvBNLayer(3, c, 3, 4, act="hardswish"),
            ConvBNLayer(c, c, 3, 2, act="hardswish"),
        )
        self.in2, self.in3, self.p = (
            nn.Conv2D(c, c, 1, bias_attr=False),
            nn.Conv2D(c, c, 1, bias_attr=False),
            nn.LayerList([nn.Conv2D(c, c // 2, 3, padding=1, bias_attr=False) for _ in range(2)]),
        )
        self.heads = nn.LayerList(
            [
                nn.Sequential(
                    nn.Conv2D(c, c // 4, 3, padding=1, bias_attr=False),
                    nn.BatchNorm(c // 4, act="relu"),
                    nn.Conv2DTranspose(c // 4, c // 4, 2, 2),
                    nn.BatchNorm(c // 4, act="relu"),
                    nn.Conv2DTranspose(c // 4, 1, 2, 2),
                )
                for _ in range(2)
            ]
        )

    def step_function(self, x, y):
        return paddle.reciprocal(1 + paddle.exp(-self.k * (x - y)))

    def forward(self, x):
        c2 = self.c2(x)
        c3 = self.c3(c2)
        in3 = self.in3(c3)
        out2 = self.in2(c2) + F.upsample(in3, scale_factor=2, mode="nearest", align_mode=1)
        fuse = paddle.concat(
            [
                F.upsample(self.p[0](in3), scale_factor=2, mode="nearest", align_mode=1),
                self.p[1](out2),
            ],
            axis=1,
        )
        shrink, thr = F.sigmoid(self.heads[0](fuse)), F.sigmoid(self.heads[1](fuse))
        binary = self.step_function(shrink, thr)
        maps = paddle.concat([shrink, thr, binary], axis=1)
        rows = (shrink[:, 0] > 0.5).any(axis=2)
        out = {"maps": maps, "first": rows.astype("int64").argmax(1), "seg": shrink > 0.5}
        return tuple(out[k] for k in ("maps", "first", "seg"))


@model
def dbnet_step_function_maps():
    return DBNet(), [S([None, 3, None, None])], [[arr(221, 1, 3, 32, 40)], [arr(222, 2, 3, 40, 24)]]


class SVTR(nn.Layer):
    """Local mixing with a fixed mask, sub-sampling of the height, CTC arg-max with repeats and blanks removed."""

    def __init__(self, d=16, nc=9, H=8, W=20, local=(3, 5)):
        super().__init__()
        self.d, self.HW, self.heads = d, (H // 2, W // 2), 2
        self.embed = nn.Sequential(nn.Conv2D(3, d, 3, 2, 1), nn.BatchNorm2D(d), nn.GELU())
        h, w = self.HW
        hk, wk = local
        m = np.ones((h * w, h + hk - 1, w + wk - 1), "float32")
        for i in range(h):
            for j in range(w):
                m[i * w + j, i : i + hk, j : j + wk] = 0
        m = m[:, hk // 2 : h + hk // 2, wk // 2 : w + wk // 2].reshape(h * w, -1)
        self.mask = paddle.where(
            paddle.to_tensor(m) < 1, paddle.to_tensor(0.0), paddle.to_tensor(float("-inf"))
        ).unsqueeze([0, 1])
        self.pos = self.create_parameter(
            [1, h * w, d], default_initializer=TruncatedNormal(std=0.5)
        )
        self.qkv, self.proj = (
            nn.LayerList([nn.Linear(d, 3 * d) for _ in range(2)]),
            nn.LayerList([nn.Linear(d, d) for _ in range(2)]),
        )
        self.norm, self.sub, self.sub_norm = (
            nn.LayerList([nn.LayerNorm(d, epsilon=1e-6) for _ in range(2)]),
            nn.Conv2D(d, d, 3, (2, 1), 1),
            nn.LayerNorm(d),
        )
        self.fc = nn.Linear(d, nc)

    def mix(self, x, i, mask=None):
        N = x.shape[1]
        qkv = (
            self.qkv[i](x)
            .reshape((0, -1, 3, self.heads, self.d // self.heads))
            .transpose((2, 0, 3, 1, 4))
        )
        q, k, v = qkv[0] * (self.d // self.heads) ** -0.5, qkv[1], qkv[2]
        attn = q.matmul(k.transpose((0, 1, 3, 2)))
        if mask is not None:
            attn += mask
        x2 = F.softmax(attn, axis=-1).matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, self.d))
        return self.norm[i](x + self.proj[i](x2))

    def forward(self, x):
        x = self.embed(x).flatten(2).transpose([0, 2, 1]) + self.pos
        x = self.mix(x, 0, self.mask)
        x = self.sub(x.transpose([0, 2, 1]).reshape([0, self.d, self.HW[0], self.HW[1]]))
        x = self.sub_norm(x.flatten(2).transpose([0, 2, 1]))
        x = self.mix(x, 1)
        x = x.reshape([-1, self.HW[0] // 2, self.HW[1], self.d]).mean(1)
        prob = F.softmax(self.fc(x) * 3, axis=2)
        score, ids = prob.max(axis=2), prob.argmax(axis=2)
        prev = paddle.concat([paddle.full_like(ids[:, :1], -1), ids[:, :-1]], axis=1)
        keep = paddle.logical_and(ids != prev, ids != 0)
        conf = (score * keep.astype("float32")).sum(1) / paddle.maximum(
            keep.astype("float32").sum(1), paddle.to_tensor(1.0)
        )
        return prob, ids, conf, keep


@model
def svtr_local_mixing_ctc():
    return SVTR(), [S([None, 3, 8, 20])], [[arr(223, 1, 3, 8, 20)], [arr(224, 3, 3, 8, 20)]]


class CRNN(nn.Layer):
    def __init__(self, c=12, hid=10, nc=11):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2D(1, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(8, c, 3, padding=1),
            nn.BatchNorm2D(c),
            nn.ReLU(),
            nn.MaxPool2D((2, 1), (2, 1)),
        )
        self.pool = nn.AvgPool2D(kernel_size=(4, 1))
        self.lstm = nn.LSTM(c, hid, direction="bidirectional", num_layers=2)
        self.gru = nn.GRU(2 * hid, hid)
        self.fc = nn.Linear(hid, nc)

    def forward(self, x, lens):
        x = self.pool(self.conv(x))
        assert x.shape[2] == 1
        x = x.squeeze(axis=2).transpose([0, 2, 1])
        x, (h, c) = self.lstm(x, sequence_length=lens)
        x, _ = self.gru(x)
        logit = self.fc(x)
        mask = F.sequence_mask(lens, maxlen=paddle.shape(logit)[1], dtype="float32")
        out = F.log_softmax(logit, axis=-1) * mask.unsqueeze(-1)
        return out, h[-1], out.argmax(-1, dtype="int32")


@model
def crnn_bilstm_lengths():
    mk = lambda n, h, w, lens: [arr(n, len(lens), 1, h, w), np.array(lens, "int64")]
    return (
        CRNN(),
        [S([None, 1, 16, None]), S([None], "int64", "lens")],
        [mk(225, 16, 20, [10, 6]), mk(226, 16, 28, [9, 14, 3])],
    )


class TPSSTN(nn.Layer):
    """Thin-plate-spline rectification: RBF matrices in the graph, a dynamic output width."""

    def __init__(self, F_=6):
        super().__init__()
        self.n = F_
        self.loc = nn.Sequential(nn.Conv2D(3, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2D((2, 3)))
        top = np.stack([np.linspace(-0.9, 0.9, F_ // 2), np.full(F_ // 2, -0.8)], 1)
        ctrl = np.concatenate([top, top * [1, -1]]).astype("float32")
        self.fc = nn.Linear(
            48,
            F_ * 2,
            weight_attr=ParamAttr(initializer=Normal(0, 0.05)),
            bias_attr=ParamAttr(initializer=Assign(ctrl.reshape(-1))),
        )
        C = ctrl
        d = np.linalg.norm(C[:, None] - C[None], axis=2) + np.eye(F_)
        hat = d**2 * np.log(d)
        delta = np.concatenate(
            [
                np.concatenate([np.ones((F_, 1)), C, hat], 1),
                np.concatenate([np.zeros((2, 3)), C.T], 1),
                np.concatenate([np.zeros((1, 3)), np.ones((1, F_))], 1),
            ],
            0,
        )
        self.register_buffer(
            "inv_delta_C", paddle.to_tensor(np.linalg.inv(delta).astype("float32"))
        )
        self.register_buffer("C", paddle.to_tensor(C))

    def forward(self, x):
        h, w = paddle.shape(x)[2], paddle.shape(x)[3]
        cp = self.fc(self.loc(x).flatten(1)).reshape([-1, self.n, 2])
        gx = (paddle.arange(w).astype("float32") * 2 + 1 - w.astype("float32")) / w.astype(
            "float32"
        )
        gy = (paddle.arange(h).astype("float32") * 2 + 1 - h.astype("float32")) / h.astype(
            "float32"
        )
        P = paddle.stack(paddle.meshgrid(gx, gy), axis=2).transpose([1, 0, 2]).reshape([-1, 2])
        n = P.shape[0]
        diff = paddle.tile(P.unsqueeze(1), (1, self.n, 1)) - self.C.unsqueeze(0)
        r = paddle.norm(diff, p=2, axis=2)
        rbf = paddle.multiply(paddle.square(r), paddle.log(r + 1e-6))
        P_hat = paddle.concat([paddle.ones((n, 1), dtype="float32"), P, rbf], axis=1)
        zeros = paddle.zeros([paddle.shape(x)[0], 3, 2])
        T = paddle.matmul(self.inv_delta_C, paddle.concat([cp, zeros], axis=1))
        grid = paddle.matmul(P_hat, T).reshape([-1, h, w, 2])
        return F.grid_sample(x, grid, padding_mode="border", align_corners=True), cp


@model
def tps_spatial_transformer():
    return (
        TPSSTN(),
        [S([None, 3, None, None])],
        [[arr(227, 2, 3, 10, 24)], [arr(228, 1, 3, 12, 31)]],
    )


class AttnOCR(nn.Layer):
    """ASTER-like greedy decoding: a GRU cell, one-hot of the former character, list appends, an early-stop flag."""

    def __init__(self, c=10, hid=12, nc=7, T=5):
        super().__init__()
        self.nc, self.T, self.hid = nc, T, hid
        self.conv = nn.Conv2D(3, c, (6, 3), padding=(0, 1), stride=(6, 2))
        self.i2h, self.h2h, self.score = (
            nn.Linear(c, hid, bias_attr=False),
            nn.Linear(hid, hid),
            nn.Linear(hid, 1, bias_attr=False),
        )
        self.cell, self.gen = nn.GRUCell(c + nc, hid), nn.Linear(hid, nc)

    def forward(self, x):
        f = F.relu(self.conv(x)).squeeze(2).transpose([0, 2, 1])
        b = paddle.shape(f)[0]
        hidden = paddle.zeros((b, self.hid))
        targets = paddle.zeros([b], dtype="int64")
        done = paddle.zeros([b], dtype="bool")
        proj = self.i2h(f)
        probs, alphas = [], []
        for i in range(self.T):
            onehot = F.one_hot(targets, self.nc)
            e = self.score(paddle.tanh(proj + self.h2h(hidden).unsqueeze(1)))
            alpha = F.softmax(e, axis=1).transpose([0, 2, 1])
            ctx = paddle.squeeze(paddle.mm(alpha, f), axis=1)
            out, hidden = self.cell(paddle.concat([ctx, onehot], 1), hidden)
            p = F.softmax(self.gen(out) * 4, axis=1)
            targets = p.argmax(axis=1)
            targets = paddle.where(done, paddle.ones_like(targets), targets)
            done = paddle.logical_or(done, targets == 1)
            probs.append(p)
            alphas.append(alpha.squeeze(1))
        return paddle.stack(probs, axis=1), paddle.stack(alphas, axis=1), targets, done


@model
def aster_attention_greedy_loop():
    return AttnOCR(), [S([None, 3, 6, None])], [[arr(229, 2, 3, 6, 14)], [arr(230, 3, 3, 6, 19)]]


class EASTGeometry(nn.Layer):
    """Rotated boxes from distances and an angle: 2x2 rotations by einsum, the corners in a list."""

    def __init__(self, c=8):
        super().__init__()
        self.f, self.score, self.geo = (
            ConvBNLayer(3, c, 3, 4),
            nn.Conv2D(c, 1, 1),
            nn.Conv2D(c, 5, 1),
        )

    def forward(self, x):
        f = self.f(x)
        s = F.sigmoid(self.score(f))
        g = self.geo(f)
        d = F.sigmoid(g[:, :4]) * 32
        theta = (F.sigmoid(g[:, 4]) - 0.5) * math.pi / 2
        b, h, w = theta.shape
        ys, xs = paddle.meshgrid(
            paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32")
        )
        origin = paddle.stack([xs, ys], -1) * 4.0
        cos, sin = paddle.cos(theta), paddle.sin(theta)
        R = paddle.stack([paddle.stack([cos, -sin], -1), paddle.stack([sin, cos], -1)], axis=-2)
        t, r, bt, l = paddle.unstack(d, axis=1)
        pts = [(-l, -t), (r, -t), (r, bt), (-l, bt)]
        quad = paddle.stack([paddle.stack(p, axis=-1) for p in pts], axis=3)
        quad = paddle.einsum("bhwij,bhwkj->bhwki", R, quad) + origin.unsqueeze([0, 3])
        nxt = paddle.roll(quad, -1, axis=3)
        area = 0.5 * (quad[..., 0] * nxt[..., 1] - nxt[..., 0] * quad[..., 1]).sum(-1).abs()
        sel = paddle.nonzero(s.squeeze(1) > 0.5)
        return quad.reshape([b, h * w, 8]), area, sel


@model
def east_rotated_quads():
    return (
        EASTGeometry(),
        [S([None, 3, None, None])],
        [[arr(231, 1, 3, 20, 24)], [arr(232, 2, 3, 28, 16)]],
    )


# ------------------------------------------------------------------ restoration
class EDSRShift(nn.Layer):
    def __init__(self, c=12, scale=3):
        super().__init__()
        self.scale = scale
        self.register_buffer(
            "mean", paddle.to_tensor([0.4488, 0.4371, 0.4040]).reshape([1, 3, 1, 1])
        )
        self.head = nn.Conv2D(3, c, 3, padding=1)
        self.body = nn.LayerList(
            [
                nn.Sequential(
                    nn.Conv2D(c, c, 3, padding=1), nn.ReLU(), nn.Conv2D(c, c, 3, padding=1)
                )
                for _ in range(2)
            ]
        )
        self.ca = nn.Sequential(
            nn.AdaptiveAvgPool2D(1), nn.Conv2D(c, 3, 1), nn.ReLU(), nn.Conv2D(3, c, 1), nn.Sigmoid()
        )
        self.tail = nn.Conv2D(c, 3 * scale * scale, 3, padding=1)

    def forward(self, x):
        inp = x.astype("float32").divide(paddle.to_tensor(255.0)) - self.mean
        b, c, h, w = paddle.shape(inp)
        ph, pw = ((4 - h % 4) % 4).astype("int32"), ((4 - w % 4) % 4).astype("int32")
        inp = F.pad(
            inp,
            paddle.stack([paddle.zeros_like(pw), pw, paddle.zeros_like(ph), ph]),
            mode="reflect",
        )
        y = self.head(inp)
        res = y
        for blk in self.body:
            t = blk(res)
            res = t * self.ca(t) * 0.1 + res
        y = F.pixel_shuffle(self.tail(res + y), self.scale)
        base = F.interpolate(
            inp, scale_factor=float(self.scale), mode="bicubic", align_corners=False
        )
        y = (y + base + self.mean)[:, :, : h * self.scale, : w * self.scale]
        return paddle.clip(y * 255.0 + 0.5, 0.0, 255.0).astype("uint8"), y


@model
def edsr_uint8_reflect_pad_crop():
    return (
        EDSRShift(),
        [S([None, 3, None, None], "uint8", "lr")],
        [[u8(233, 1, 3, 9, 10)], [u8(234, 2, 3, 8, 13)]],
    )


class NAFNet(nn.Layer):
    def __init__(self, c=8, padder=4):
        super().__init__()
        self.padder = padder
        self.intro, self.ending = nn.Conv2D(3, c, 3, padding=1), nn.Conv2D(c, 3, 3, padding=1)
        self.down, self.up = (
            nn.Conv2D(c, 2 * c, 2, 2),
            nn.Sequential(nn.Conv2D(2 * c, 4 * c, 1, bias_attr=False), nn.PixelShuffle(2)),
        )
        self.blocks = nn.LayerList()
        for d in (c, 2 * c, c):
            blk = nn.LayerList(
                [
                    nn.Conv2D(d, 2 * d, 1),
                    nn.Conv2D(2 * d, 2 * d, 3, padding=1, groups=2 * d),
                    nn.Conv2D(d, d, 1),
                    nn.Conv2D(d, d, 1),
                    nn.Conv2D(d, 2 * d, 1),
                    nn.Conv2D(d, d, 1),
                ]
            )
            blk.n1, blk.n2 = LayerNormCF(d, "channels_first"), LayerNormCF(d, "channels_first")
            blk.beta = blk.create_parameter([1, d, 1, 1], default_initializer=Constant(0.0))
            blk.gamma = blk.create_parameter([1, d, 1, 1], default_initializer=Constant(0.0))
            self.blocks.append(blk)

    @staticmethod
    def gate(x):
        x1, x2 = x.chunk(2, axis=1)
        return x1 * x2

    def block(self, m, inp):
        x = self.gate(m[1](m[0](m.n1(inp))))
        x = x * m[2](F.adaptive_avg_pool2d(x, 1))
        y = inp + m[3](x) * m.beta
        return y + m[5](self.gate(m[4](m.n2(y)))) * m.gamma

    def check_image_size(self, x):
        h, w = paddle.shape(x)[2], paddle.shape(x)[3]
        mod_pad_h = (self.padder - h % self.padder) % self.padder
        mod_pad_w = (self.padder - w % self.padder) % self.padder
        pads = paddle.concat(
            [
                paddle.zeros([1], "int32"),
                mod_pad_w.astype("int32").reshape([1]),
                paddle.zeros([1], "int32"),
                mod_pad_h.astype("int32").reshape([1]),
            ]
        )
        return F.pad(x, pads, mode="constant", value=0.0)

    def forward(self, inp):
        H, W = inp.shape[2], inp.shape[3]
        inp = self.check_image_size(inp)
        x = self.block(self.blocks[0], self.intro(inp))
        skip = x
        x = self.block(self.blocks[1], self.down(x))
        x = self.block(self.blocks[2], self.up(x) + skip)
        return (self.ending(x) + inp)[:, :, :H, :W]


@model
def nafnet_simple_gate():
    return (
        NAFNet(),
        [S([None, 3, None, None], name="inp")],
        [[arr(235, 2, 3, 10, 13)], [arr(236, 1, 3, 15, 8)]],
    )


class Restormer(nn.Layer):
    def __init__(self, c=12, heads=3):
        super().__init__()
        self.heads = heads
        self.patch = nn.Conv2D(12, c, 3, padding=1, bias_attr=False)
        self.ln1, self.ln2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.temperature = self.create_parameter([heads, 1, 1], default_initializer=Constant(1.0))
        self.qkv, self.dw, self.po = (
            nn.Conv2D(c, 3 * c, 1, bias_attr=False),
            nn.Conv2D(3 * c, 3 * c, 3, padding=1, groups=3 * c, bias_attr=False),
            nn.Conv2D(c, c, 1),
        )
        self.pi, self.dw2, self.po2 = (
            nn.Conv2D(c, 4 * c, 1),
            nn.Conv2D(4 * c, 4 * c, 3, padding=1, groups=4 * c),
            nn.Conv2D(2 * c, c, 1),
        )
        self.out = nn.Conv2D(c, 12, 3, padding=1)

    def norm(self, x, ln):
        h, w = x.shape[-2:]
        y = ln(x.reshape([0, 0, -1]).transpose([0, 2, 1]))
        return y.transpose([0, 2, 1]).reshape([0, 12, h, w])

    def forward(self, img):
        b, c, h, w = img.shape
        x = F.unfold(img, kernel_sizes=2, strides=2).reshape([b, c * 4, h // 2, w // 2])
        x = self.patch(x)
        b, c, h, w = x.shape
        q, k, v = self.dw(self.qkv(self.norm(x, self.ln1))).chunk(3, axis=1)
        q, k, v = (t.reshape([b, self.heads, c // self.heads, h * w]) for t in (q, k, v))
        q, k = F.normalize(q, axis=-1), F.normalize(k, axis=-1)
        attn = (q @ k.transpose([0, 1, 3, 2])) * self.temperature
        x = x + self.po((F.softmax(attn, axis=-1) @ v).reshape([b, c, h, w]))
        x1, x2 = self.dw2(self.pi(self.norm(x, self.ln2))).chunk(2, axis=1)
        x = x + self.po2(F.gelu(x1) * x2)
        return F.pixel_shuffle(self.out(x), 2) + img, attn


@model
def restormer_transposed_attention():
    return (
        Restormer(),
        [S([None, 3, None, None], name="img")],
        [[arr(237, 1, 3, 12, 16)], [arr(238, 2, 3, 18, 10)]],
    )


class LIIF(nn.Layer):
    """Arbitrary-scale super-resolution: four neighbours, nearest grid_sample, areas swapped, an MLP."""

    def __init__(self, c=4):
        super().__init__()
        self.enc = nn.Conv2D(3, c, 3, padding=1)
        self.mlp = nn.Sequential(nn.Linear(c * 9 + 4, 24), nn.ReLU(), nn.Linear(24, 3))
        self.c = c

    def forward(self, x, coord, cell):
        feat = self.enc(x)
        b, _, h, w = feat.shape
        feat = F.unfold(feat, 3, paddings=1).reshape([b, self.c * 9, h, w])
        fh, fw = paddle.to_tensor(h).astype("float32"), paddle.to_tensor(w).astype("float32")
        rx, ry = 1 / fh, 1 / fw
        gy, gx = paddle.meshgrid(
            (paddle.arange(h).astype("float32") * 2 + 1) / fh - 1,
            (paddle.arange(w).astype("float32") * 2 + 1) / fw - 1,
        )
        feat_coord = paddle.stack([gy, gx], axis=0).unsqueeze(0).tile([b, 1, 1, 1])
        preds, areas = [], []
        for vx in [-1, 1]:
            for vy in [-1, 1]:
                c_ = coord.clone()
                c_[:, :, 0] += vx * rx + 1e-6
                c_[:, :, 1] += vy * ry + 1e-6
                c_ = paddle.clip(c_, -1 + 1e-6, 1 - 1e-6)
                grid = c_.flip(-1).unsqueeze(1)
                qf = F.grid_sample(feat, grid, mode="nearest", align_corners=False)[
                    :, :, 0, :
                ].transpose([0, 2, 1])
                qc = F.grid_sample(feat_coord, grid, mode="nearest", align_corners=False)[
                    :, :, 0, :
                ].transpose([0, 2, 1])
                rel = (coord - qc) * paddle.stack([fh, fw])
                rel_cell = cell * paddle.stack([fh, fw])
                preds.append(self.mlp(paddle.concat([qf, rel, rel_cell], axis=-1)))
                areas.append((rel[:, :, 0] * rel[:, :, 1]).abs() + 1e-9)
        tot = paddle.stack(areas).sum(axis=0)
        areas[0], areas[3] = areas[3], areas[0]
        areas[1], areas[2] = areas[2], areas[1]
        ret = 0
        for p, a in zip(preds, areas):
            ret = ret + p * (a / tot).unsqueeze(-1)
        return ret + F.grid_sample(
            x,
            coord.flip(-1).unsqueeze(1),
            mode="bilinear",
            padding_mode="border",
            align_corners=False,
        )[:, :, 0].transpose([0, 2, 1])


@model
def liif_local_ensemble():
    mk = lambda n, b, h, w, q: [
        arr(n, b, 3, h, w),
        (uni(n + 1, b, q, 2) * 1.9 - 0.95).astype("float32"),
        np.full((b, q, 2), 0.11, "float32"),
    ]
    return (
        LIIF(),
        [
            S([None, 3, None, None]),
            S([None, None, 2], name="coord"),
            S([None, None, 2], name="cell"),
        ],
        [mk(239, 1, 6, 7, 11), mk(242, 2, 8, 5, 17)],
    )


class BasicVSR(nn.Layer):
    """Backward and forward propagation over a clip with flow warping; five-dimensional input."""

    def __init__(self, c=6):
        super().__init__()
        self.c = c
        self.flow = nn.Conv2D(6, 2, 3, padding=1)
        self.back, self.forw = nn.Conv2D(c + 3, c, 3, padding=1), nn.Conv2D(c + 3, c, 3, padding=1)
        self.fusion, self.up = nn.Conv2D(2 * c, c, 1), nn.Conv2D(c, 12, 3, padding=1)

    def warp(self, x, flow):
        n, _, h, w = x.shape
        gy, gx = paddle.meshgrid(paddle.arange(0, h), paddle.arange(0, w))
        grid = paddle.stack((gx, gy), axis=2).astype("float32")
        grid.stop_gradient = True
        g = grid + flow.transpose([0, 2, 3, 1])
        gx_ = 2.0 * g[:, :, :, 0] / (w - 1) - 1.0
        gy_ = 2.0 * g[:, :, :, 1] / (h - 1) - 1.0
        return F.grid_sample(
            x,
            paddle.stack((gx_, gy_), axis=3),
            mode="bilinear",
            padding_mode="border",
            align_corners=True,
        )

    def forward(self, lrs):
        n, t, c, h, w = lrs.shape
        l1 = lrs[:, :-1].reshape([-1, 3, h, w])
        l2 = lrs[:, 1:, :, :, :].reshape([-1, 3, h, w])
        fb = self.flow(paddle.concat([l1, l2], 1)).reshape([-1, 3, 2, h, w])
        ff = self.flow(paddle.concat([l2, l1], 1)).reshape([-1, 3, 2, h, w])
        outputs = []
        prop = paddle.zeros([n, self.c, h, w])
        for i in range(3, -1, -1):
            if i < 3:
                prop = self.warp(prop, fb[:, i])
            prop = F.leaky_relu(self.back(paddle.concat([lrs[:, i], prop], 1)), 0.1)
            outputs.append(prop)
        outputs = outputs[::-1]
        prop = paddle.zeros_like(prop)
        for i in range(4):
            cur = lrs[:, i, :, :, :]
            if i > 0:
                prop = self.warp(prop, ff[:, i - 1, :, :, :])
            prop = F.leaky_relu(self.forw(paddle.concat([cur, prop], axis=1)), 0.1)
            y = F.leaky_relu(
                self.fusion(paddle.concat([outputs[i], prop], axis=1)), negative_slope=0.1
            )
            outputs[i] = F.pixel_shuffle(self.up(y), 2) + F.interpolate(
                cur, scale_factor=2, mode="bilinear"
            )
        return paddle.stack(outputs, axis=1), ff


@model
def basicvsr_flow_warp_loop():
    return (
        BasicVSR(),
        [S([None, 4, 3, None, None], name="lrs")],
        [[arr(245, 1, 4, 3, 8, 9)], [arr(246, 2, 4, 3, 7, 10)]],
    )


class CameraISP(nn.Layer):
    """Bayer RGGB to RGB: black level, white balance, bilinear demosaic, colour matrix, gamma by a table."""

    def __init__(self):
        super().__init__()
        self.wb = self.create_parameter(
            [4], default_initializer=Assign(np.array([1.9, 1.0, 1.0, 1.6], "float32"))
        )
        self.ccm = self.create_parameter(
            [3, 3], default_initializer=Assign((np.eye(3) * 1.4 - 0.13).astype("float32"))
        )
        g = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]], "float32") / 4
        rb = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], "float32") / 4
        self.register_buffer("k", paddle.to_tensor(np.stack([rb, g, rb])[:, None]))
        self.register_buffer(
            "lut", paddle.to_tensor((np.linspace(0, 1, 256) ** (1 / 2.2)).astype("float32"))
        )

    def forward(self, raw, black, white):
        x = raw.astype("float32")
        x = (x - black) / (white - black)
        x = paddle.clip(x, 0.0, 1.0)
        h, w = x.shape[1], x.shape[2]
        x = x[:, : h // 2 * 2, : w // 2 * 2]
        planes = paddle.zeros([x.shape[0], 3, x.shape[1], x.shape[2]], dtype="float32")
        planes[:, 0, 0::2, 0::2] = x[:, 0::2, 0::2] * self.wb[0]
        planes[:, 1, 0::2, 1::2] = x[:, 0::2, 1::2] * self.wb[1]
        planes[:, 1, 1::2, 0::2] = x[:, 1::2, 0::2] * self.wb[2]
        planes[:, 2, 1::2, 1::2] = x[:, 1::2, 1::2] * self.wb[3]
        rgb = F.conv2d(planes, self.k, padding=1, groups=3)
        rgb = paddle.einsum("ij,bjhw->bihw", self.ccm, rgb).clip(0, 1)
        idx = paddle.floor(rgb * 255).astype("int64")
        out = paddle.gather(self.lut, idx.flatten()).reshape(idx.shape)
        y = (out * paddle.to_tensor([0.299, 0.587, 0.114]).reshape([1, 3, 1, 1])).sum(1)
        gray_world = out.mean(axis=[2, 3])
        return (
            (out * 255).round().transpose([0, 2, 3, 1]).astype("uint8"),
            y,
            gray_world / gray_world[:, 1:2],
        )


@model
def camera_isp_bayer_lut():
    r = lambda n, b, h, w: [
        np.random.default_rng(n).integers(0, 4096, (b, h, w)).astype("int32"),
        np.array([200.0], "float32"),
        np.array([4000.0], "float32"),
    ]
    return (
        CameraISP(),
        [S([None, None, None], "int32", "raw"), S([1], name="black"), S([1], name="white")],
        [r(247, 1, 10, 13), r(248, 2, 8, 12)],
    )


class HDRNetSlice(nn.Layer):
    """A bilateral grid sliced by five-dimensional grid_sample, affine colour per pixel."""

    def __init__(self, g=4):
        super().__init__()
        self.g = g
        self.low = nn.Sequential(
            nn.Conv2D(3, 8, 3, 2, 1),
            nn.Mish(),
            nn.AdaptiveAvgPool2D((5, 6)),
            nn.Conv2D(8, 12 * g, 1),
        )
        self.guide = nn.Conv2D(3, 1, 1)

    def forward(self, x):
        b = paddle.shape(x)[0]
        small = F.interpolate(x, size=[16, 16], mode="bilinear")
        grid = self.low(small).reshape([b, 12, self.g, 5, 6])
        guide = F.sigmoid(self.guide(x))
        h, w = x.shape[2], x.shape[3]
        yy, xx = paddle.meshgrid(paddle.linspace(-1, 1, h), paddle.linspace(-1, 1, w))
        xx = xx.unsqueeze([0, -1]).tile([b, 1, 1, 1])
        yy = yy.unsqueeze([0, -1]).tile([b, 1, 1, 1])
        gd = guide.transpose([0, 2, 3, 1]) * 2 - 1
        loc = paddle.concat([xx, yy, gd], axis=3).unsqueeze(1)
        co = F.grid_sample(grid, loc, align_corners=True, padding_mode="border").squeeze(2)
        co = co.reshape([b, 3, 4, h, w])
        hom = paddle.concat([x, paddle.ones_like(x[:, :1])], axis=1).unsqueeze(1)
        return (co * hom).sum(2) + x, guide


@model
def hdrnet_bilateral_grid_5d():
    return (
        HDRNetSlice(),
        [S([None, 3, None, None])],
        [[arr(249, 1, 3, 11, 14)], [arr(250, 2, 3, 16, 9)]],
    )


class JPEGBlocks(nn.Layer):
    """8x8 DCT of unfolded blocks, learnt quantisation, zig-zag order, and back by fold."""

    def __init__(self):
        super().__init__()
        k = np.arange(8)
        D = np.cos((2 * k[None] + 1) * k[:, None] * np.pi / 16) * np.where(
            k[:, None] == 0, np.sqrt(1 / 8), 0.5
        )
        self.register_buffer("D", paddle.to_tensor(D.astype("float32")))
        self.q = self.create_parameter([8, 8], default_initializer=Uniform(6.0, 14.0))
        zz = sorted(
            range(64), key=lambda i: (i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8)
        )
        self.register_buffer("zz", paddle.to_tensor(np.array(zz, "int64")))

    def forward(self, img):
        x = img.astype("float32") - 128.0
        b, h, w = x.shape[0], x.shape[1], x.shape[2]
        blocks = F.unfold(x.unsqueeze(1), 8, strides=8).transpose([0, 2, 1]).reshape([b, -1, 8, 8])
        coef = paddle.matmul(paddle.matmul(self.D, blocks), self.D.t())
        quant = paddle.round(coef / self.q + 1e-4)
        scan = paddle.index_select(quant.flatten(2), self.zz, axis=-1).astype("int32")
        nz = (scan != 0).astype("int32").sum(-1)
        rec = self.D.t() @ (quant * self.q) @ self.D
        out = rec.reshape([b, h // 8, w // 8, 8, 8]).transpose([0, 1, 3, 2, 4]).reshape([b, h, w])
        out = (out + 128).clip(0, 255)
        mse = ((out - img.astype("float32")) ** 2).mean([1, 2])
        return scan, nz, 10 * paddle.log10(255.0**2 / mse), out


@model
def jpeg_dct_quantise_zigzag():
    return (
        JPEGBlocks(),
        [S([None, None, None], "uint8", "img")],
        [[u8(251, 1, 16, 24)], [u8(252, 2, 32, 16)]],
    )


# ------------------------------------------------------------------ generative models
def timestep_embedding(timesteps, dim, max_period=10000, flip_sin_to_cos=False):
    half = dim // 2
    freqs = paddle.exp(
        -math.log(max_period) * paddle.arange(start=0, end=half, dtype="float32") / half
    )
    args = timesteps[:, None].astype("float32") * freqs[None]
    emb = paddle.concat([paddle.cos(args), paddle.sin(args)], axis=-1)
    if flip_sin_to_cos:
        emb = paddle.concat([emb[:, half:], emb[:, :half]], axis=-1)
    if dim % 2:
        emb = paddle.concat([emb, paddle.zeros_like(emb[:, :1])], axis=-1)
    return emb


class ResBlockTime(nn.Layer):
    def __init__(self, cin, cout, temb, scale_shift=False):
        super().__init__()
        self.scale_shift = scale_shift
        self.norm1, self.conv1 = (
            nn.GroupNorm(4, cin, epsilon=1e-5),
            nn.Conv2D(cin, cout, 3, padding=1),
        )
        self.emb = nn.Linear(temb, 2 * cout if scale_shift else cout)
        self.norm2, self.conv2 = nn.GroupNorm(4, cout), nn.Conv2D(cout, cout, 3, padding=1)
        self.skip = nn.Conv2D(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        e = self.emb(F.silu(emb)).astype(h.dtype)
        while len(e.shape) < len(h.shape):
            e = e[..., None]
        if self.scale_shift:
            scale, shift = paddle.chunk(e, 2, axis=1)
            h = self.norm2(h) * (1 + scale) + shift
        else:
            h = self.norm2(h + e)
        return (self.skip(x) + self.conv2(F.silu(h))) / math.sqrt(2.0)


class DiffusionUNet(nn.Layer):
    """Spatial transformer with text context, sizes of the skips restored, classifier-free guidance by chunk."""

    def __init__(self, c=8, ctx=10):
        super().__init__()
        self.c = c
        self.time = nn.Sequential(nn.Linear(c + 1, 4 * c), nn.Silu(), nn.Linear(4 * c, 4 * c))
        self.inp = nn.Conv2D(3, c, 3, padding=1)
        self.r1, self.r2, self.r3 = (
            ResBlockTime(c, c, 4 * c),
            ResBlockTime(c, 2 * c, 4 * c, True),
            ResBlockTime(3 * c, c, 4 * c),
        )
        self.down = nn.Conv2D(c, c, 3, 2)
        self.gn, self.to_q, self.to_kv, self.to_out = (
            nn.GroupNorm(4, 2 * c),
            nn.Linear(2 * c, 2 * c, bias_attr=False),
            nn.Linear(ctx, 4 * c, bias_attr=False),
            nn.Linear(2 * c, 2 * c),
        )
        self.geglu, self.ff = nn.Linear(2 * c, 8 * c), nn.Linear(4 * c, 2 * c)
        self.out = nn.Sequential(nn.GroupNorm(4, c), nn.Silu(), nn.Conv2D(c, 3, 3, padding=1))

    def attn(self, x, context):
        b, c, h, w = x.shape
        t = self.gn(x).transpose([0, 2, 3, 1]).reshape([b, h * w, c])
        q = self.to_q(t).reshape([0, 0, 2, c // 2])
        k, v = self.to_kv(context).reshape([0, 0, 4, c // 2]).split(2, axis=2)
        sim = paddle.einsum("bihd,bjhd->bhij", q, k) * (c // 2) ** -0.5
        t = t + self.to_out(paddle.einsum("bhij,bjhd->bihd", F.softmax(sim, axis=-1), v).flatten(2))
        a, g = self.geglu(t).chunk(2, axis=-1)
        t = t + self.ff(a * F.gelu(g))
        return x + t.reshape([b, h, w, c]).transpose([0, 3, 1, 2])

    def forward(self, sample, timestep, context, guidance):
        sample = paddle.concat([sample] * 2)
        t = paddle.expand(timestep, [paddle.shape(sample)[0]])
        emb = self.time(timestep_embedding(t, self.c + 1, flip_sin_to_cos=True))
        h0 = self.r1(self.inp(sample), emb)
        h = self.down(F.pad(h0, (0, 1, 0, 1), mode="constant", value=0))
        h = self.attn(self.r2(h, emb), context)
        h = F.interpolate(h, size=paddle.shape(h0)[2:], mode="nearest")
        h = self.r3(paddle.concat([h, h0], axis=1), emb)
        uncond, text = self.out(h).chunk(2)
        return uncond + guidance * (text - uncond)


@model
def diffusion_unet_cross_attention_cfg():
    mk = lambda n, b, h, w, l, t: [
        arr(n, b, 3, h, w),
        np.array([t], "int64"),
        arr(n + 1, 2 * b, l, 10),
        np.array([3.5], "float32"),
    ]
    return (
        DiffusionUNet(),
        [
            S([None, 3, None, None], name="sample"),
            S([1], "int64", "timestep"),
            S([None, None, 10], name="context"),
            S([1], name="guidance"),
        ],
        [mk(301, 1, 8, 10, 4, 17), mk(303, 2, 9, 7, 6, 803)],
    )


class DDIMLoop(nn.Layer):
    """The whole sampler in the graph: the loop runs over a tensor of timesteps."""

    def __init__(self, c=8, T=50):
        super().__init__()
        betas = np.linspace(1e-4**0.5, 0.02**0.5, T) ** 2
        self.register_buffer(
            "alphas_cumprod", paddle.to_tensor(np.cumprod(1 - betas).astype("float32"))
        )
        self.c1, self.c2 = nn.Conv2D(3, c, 3, padding=1), nn.Conv2D(c, 3, 3, padding=1)
        self.t = nn.Linear(c, c)
        self.c = c

    def eps(self, x, t):
        e = self.t(timestep_embedding(t.reshape([1]), self.c))
        return self.c2(F.silu(self.c1(x) + e.unsqueeze(-1).unsqueeze(-1)))

    def forward(self, x, timesteps):
        n = paddle.shape(timesteps)[0]
        prevs = paddle.concat([timesteps[1:], timesteps[-1:]])
        for i in range(n):
            t = timesteps[i]
            a = paddle.gather(self.alphas_cumprod, t.reshape([1]))
            prev = prevs[i]
            a_prev = paddle.gather(self.alphas_cumprod, prev.reshape([1]))
            e = self.eps(x, t)
            x0 = paddle.clip((x - paddle.sqrt(1 - a) * e) / paddle.sqrt(a), -2.0, 2.0)
            x = paddle.sqrt(a_prev) * x0 + paddle.sqrt(1 - a_prev) * e
        return (x / 2 + 0.5).clip(0, 1), n


@model
def ddim_loop_over_timesteps():
    mk = lambda n, b, h, w, ts: [arr(n, b, 3, h, w), np.array(ts, "int64")]
    return (
        DDIMLoop(),
        [S([None, 3, None, None]), S([None], "int64", "timesteps")],
        [mk(305, 1, 6, 7, [45, 30, 15, 0]), mk(306, 2, 8, 5, [40, 33, 26, 19, 12, 5])],
    )


class DiT(nn.Layer):
    """adaLN-zero blocks, label embedding with a null class, unpatchify by einsum."""

    def __init__(self, d=16, p=2, nc=5):
        super().__init__()
        self.d, self.p = d, p
        self.x_embed, self.t_embed, self.y_embed = (
            nn.Conv2D(4, d, p, p),
            nn.Sequential(nn.Linear(12, d), nn.Silu(), nn.Linear(d, d)),
            nn.Embedding(nc + 1, d),
        )
        self.ada = nn.LayerList([nn.Linear(d, 6 * d) for _ in range(2)])
        self.norm = nn.LayerNorm(d, weight_attr=False, bias_attr=False, epsilon=1e-6)
        self.attn = nn.LayerList([nn.MultiHeadAttention(d, 2) for _ in range(2)])
        self.mlp = nn.LayerList(
            [
                nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(approximate=True), nn.Linear(2 * d, d))
                for _ in range(2)
            ]
        )
        self.final_ada, self.final = nn.Linear(d, 2 * d), nn.Linear(d, p * p * 8)

    @staticmethod
    def modulate(x, shift, scale):
        return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)

    def forward(self, x, t, y):
        x = self.x_embed(x)
        h, w = x.shape[2], x.shape[3]
        x = x.flatten(2).transpose([0, 2, 1]) + sincos_2d(h, w, self.d)
        c = self.t_embed(timestep_embedding(t, 12)) + self.y_embed(y)
        for ada, attn, mlp in zip(self.ada, self.attn, self.mlp):
            sa, ca, ga, sm, cm, gm = ada(F.silu(c)).chunk(6, axis=1)
            x = x + ga.unsqueeze(1) * attn(self.modulate(self.norm(x), sa, ca))
            x = x + gm[:, None] * mlp(self.modulate(self.norm(x), sm, cm))
        shift, scale = self.final_ada(F.silu(c)).chunk(2, axis=-1)
        x = self.final(self.modulate(self.norm(x), shift, scale))
        x = x.reshape([-1, h, w, self.p, self.p, 8])
        x = paddle.einsum("nhwpqc->nchpwq", x).reshape([-1, 8, h * self.p, w * self.p])
        eps, var = paddle.split(x, 2, axis=1)
        return eps, F.sigmoid(var)


@model
def dit_adaln_unpatchify():
    mk = lambda n, b, h, w: [arr(n, b, 4, h, w), ints(n + 1, 1000, b), ints(n + 2, 6, b)]
    return (
        DiT(),
        [S([None, 4, None, None]), S([None], "int64", "t"), S([None], "int64", "y")],
        [mk(307, 2, 6, 8), mk(310, 1, 8, 4)],
    )


def upfirdn2d(x, kernel, up=1, down=1, pad=(0, 0)):
    b, c, h, w = x.shape
    out = x.reshape([-1, c, h, 1, w, 1])
    out = (
        F.pad(out.reshape([-1, 1, w, 1]), [0, up - 1, 0, 0]).reshape([-1, c, h, 1, w * up])
        if up > 1
        else out.reshape([-1, c, h, 1, w])
    )
    if up > 1:
        out = paddle.concat([out] + [paddle.zeros_like(out)] * (up - 1), axis=3)
    out = out.reshape([-1, c, h * up, w * up])
    out = F.pad(out, [pad[0], pad[1], pad[0], pad[1]])
    k = paddle.flip(kernel, [0, 1]).unsqueeze([0, 1]).tile([c, 1, 1, 1])
    return F.conv2d(out, k, groups=c)[:, :, ::down, ::down]


class StyleGAN2(nn.Layer):
    """Pixel-norm mapping, modulated and demodulated convolution in a grouped call, noise inputs, ToRGB skips with blur."""

    def __init__(self, z=12, c=8):
        super().__init__()
        self.c = c
        self.mapping = nn.LayerList([nn.Linear(z, z) for _ in range(2)])
        self.const = self.create_parameter([1, c, 4, 4], default_initializer=Normal())
        self.weights = nn.ParameterList(
            [self.create_parameter([1, c, c, 3, 3], default_initializer=Normal()) for _ in range(2)]
        )
        self.rgbw = self.create_parameter([1, 3, c, 1, 1], default_initializer=Normal())
        self.mods = nn.LayerList(
            [nn.Linear(z, c, bias_attr=ParamAttr(initializer=Constant(1.0))) for _ in range(3)]
        )
        self.noise_w = nn.ParameterList(
            [self.create_parameter([1], default_initializer=Constant(0.1)) for _ in range(2)]
        )
        self.bias = nn.ParameterList(
            [self.create_parameter([1, c, 1, 1], is_bias=True) for _ in range(2)]
        )
        k = np.outer([1, 3, 3, 1], [1, 3, 3, 1]).astype("float32")
        self.register_buffer("kernel", paddle.to_tensor(k / k.sum() * 4))
        self.register_buffer("w_mean", paddle.to_tensor(arr(4, 1, z) * 0.1))

    def modconv(self, x, style, weight, demodulate=True):
        batch = paddle.shape(x)[0]
        cout, cin, k = weight.shape[1], weight.shape[2], weight.shape[3]
        scale = 1 / math.sqrt(cin * k * k)
        w = scale * weight * style.reshape([batch, 1, cin, 1, 1])
        if demodulate:
            demod = paddle.rsqrt(w.pow(2).sum([2, 3, 4]) + 1e-8)
            w = w * demod.reshape([batch, cout, 1, 1, 1])
        # batch is free: every sample's kernel applied through unfold instead of groups=batch
        h, wd = paddle.shape(x)[2], paddle.shape(x)[3]
        cols = F.unfold(x, k, paddings=k // 2)
        return paddle.bmm(w.reshape([batch, cout, cin * k * k]), cols).reshape([batch, cout, h, wd])

    def forward(self, z, psi, noise):
        w = z * paddle.rsqrt(paddle.mean(z * z, axis=1, keepdim=True) + 1e-8)
        for m in self.mapping:
            w = F.leaky_relu(m(w), 0.2) * math.sqrt(2)
        w = self.w_mean + psi * (w - self.w_mean)
        x = self.const.tile([paddle.shape(z)[0], 1, 1, 1])
        rgb = None
        for i in range(2):
            if i > 0:
                x = upfirdn2d(x, self.kernel, up=2, pad=(2, 1))
            x = self.modconv(x, self.mods[i](w), self.weights[i])
            n = F.interpolate(noise, size=paddle.shape(x)[2:], mode="nearest")
            x = F.leaky_relu(x + self.noise_w[i] * n + self.bias[i], 0.2) * 2**0.5
            y = self.modconv(x, self.mods[2](w), self.rgbw, demodulate=False)
            rgb = y if rgb is None else y + upfirdn2d(rgb, self.kernel, up=2, pad=(2, 1))
        return rgb, w


@model
def stylegan2_modulated_conv_blur():
    mk = lambda n, b, k: [arr(n, b, 12), np.array([0.7], "float32"), arr(n + 1, b, 1, k, k)]
    return (
        StyleGAN2(),
        [S([None, 12], name="z"), S([1], name="psi"), S([None, 1, None, None], name="noise")],
        [mk(313, 1, 8), mk(315, 3, 16)],
    )


class VQVAE(nn.Layer):
    def __init__(self, d=8, k=20):
        super().__init__()
        self.d, self.k = d, k
        self.enc = nn.Sequential(nn.Conv2D(3, d, 4, 2, 1), nn.ReLU(), nn.Conv2D(d, d, 4, 2, 1))
        self.codebook = nn.Embedding(k, d, weight_attr=ParamAttr(initializer=Normal(0, 0.6)))
        self.dec = nn.Sequential(
            nn.Conv2DTranspose(d, d, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2DTranspose(d, 3, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, x):
        z_e = self.enc(x)
        z = z_e.transpose([0, 2, 3, 1])
        flat = z.reshape([-1, self.d])
        e = self.codebook.weight
        dist = (
            paddle.sum(flat**2, axis=1, keepdim=True)
            + paddle.sum(e**2, axis=1)
            - 2 * paddle.matmul(flat, e.t())
        )
        idx = paddle.argmin(dist, axis=1)
        onehot = paddle.zeros([paddle.shape(idx)[0], self.k])
        onehot = paddle.put_along_axis(
            onehot, idx.unsqueeze(1), paddle.ones_like(onehot[:, :1]), axis=1, broadcast=False
        )
        q = paddle.matmul(onehot, e).reshape(paddle.shape(z))
        q2 = self.codebook(idx).reshape(z.shape)
        commit = F.mse_loss(q.detach(), z) * 0.25 + F.mse_loss(q, z.detach())
        q = z + (q - z).detach()
        avg = onehot.mean(0)
        perplexity = paddle.exp(-paddle.sum(avg * paddle.log(avg + 1e-10)))
        b, h, w = z.shape[0], z.shape[1], z.shape[2]
        return (
            self.dec(q.transpose([0, 3, 1, 2])),
            idx.reshape([b, h, w]),
            commit,
            perplexity,
            paddle.equal_all(q2 * 0, q * 0),
        )


@model
def vqvae_codebook_perplexity():
    return VQVAE(), [S([None, 3, None, None])], [[arr(317, 2, 3, 12, 16)], [arr(318, 1, 3, 20, 8)]]


class SNGAN(nn.Layer):
    """Spectral norms as hooks and as a layer, a projection discriminator, self-attention with pooled keys, minibatch deviation."""

    def __init__(self, c=8, nc=4):
        super().__init__()
        sn = nn.utils.spectral_norm
        self.c1, self.c2, self.cs = (
            sn(nn.Conv2D(3, c, 3, padding=1)),
            sn(nn.Conv2D(c, c, 3, padding=1)),
            sn(nn.Conv2D(3, c, 1)),
        )
        self.theta, self.phi, self.g, self.o = (
            nn.Conv2D(c, 2, 1),
            nn.Conv2D(c, 2, 1),
            nn.Conv2D(c, 4, 1),
            nn.Conv2D(4, c, 1),
        )
        self.gamma = self.create_parameter([1], default_initializer=Constant(0.5))
        self.wn = nn.utils.weight_norm(nn.Conv2D(c + 1, 2 * c, 3, 2, 1))
        self.fc, self.embed = sn(nn.Linear(2 * c, 1)), nn.Embedding(nc, 2 * c)

    def forward(self, x, label):
        h = self.c2(F.relu(self.c1(F.relu(x))))
        h = F.avg_pool2d(h, 2) + self.cs(F.avg_pool2d(x, 2))
        b, c = h.shape[:2]
        hh, ww = h.shape[2:]
        f = self.theta(h).reshape([b, 2, -1])
        k = F.max_pool2d(self.phi(h), 2).reshape([b, 2, -1])
        v = F.max_pool2d(self.g(h), 2).reshape([b, 4, -1])
        att = F.softmax(paddle.bmm(f.transpose([0, 2, 1]), k), axis=-1)
        h = h + self.gamma * self.o(paddle.bmm(v, att.transpose([0, 2, 1])).reshape([b, 4, hh, ww]))
        std = paddle.sqrt(paddle.var(h, axis=0, unbiased=False) + 1e-8).mean()
        h = paddle.concat([h, std.reshape([1, 1, 1, 1]).expand([b, 1, hh, ww])], axis=1)
        h = F.leaky_relu(self.wn(h), 0.2).sum([2, 3])
        out = self.fc(h) + paddle.sum(self.embed(label) * h, axis=1, keepdim=True)
        return out, std


@model
def sngan_projection_self_attention():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), ints(n + 1, 4, b)]
    return (
        SNGAN(),
        [S([None, 3, None, None]), S([None], "int64", "label")],
        [mk(319, 2, 12, 16), mk(321, 3, 16, 8)],
    )


class StyleTransfer(nn.Layer):
    """CycleGAN generator with reflection pads; AdaIN from a second image; SPADE from a label map; Gram matrices out."""

    def __init__(self, c=8, nc=4):
        super().__init__()
        self.nc = nc
        self.enc = nn.Sequential(
            nn.Pad2D([3, 3, 3, 3], mode="reflect"),
            nn.Conv2D(3, c, 7),
            nn.InstanceNorm2D(c),
            nn.ReLU(),
            nn.Conv2D(c, c, 3, 2, 1),
        )
        self.res = nn.Sequential(
            nn.Pad2D(1, mode="reflect"),
            nn.Conv2D(c, c, 3),
            nn.InstanceNorm2D(c, weight_attr=False, bias_attr=False),
            nn.ReLU(),
        )
        self.shared, self.gam, self.bet = (
            nn.Conv2D(nc, 6, 3, padding=1),
            nn.Conv2D(6, c, 3, padding=1),
            nn.Conv2D(6, c, 3, padding=1),
        )
        self.up = nn.Sequential(
            nn.Conv2DTranspose(c, c, 3, 2, 1, output_padding=1),
            nn.ReLU(),
            nn.Pad2D([2, 2, 2, 2], mode="replicate"),
            nn.Conv2D(c, 3, 5),
            nn.Tanh(),
        )

    def stats(self, f, eps=1e-5):
        n, c = f.shape[:2]
        v = paddle.var(f.reshape([n, c, -1]), axis=2) + eps
        return f.reshape([n, c, -1]).mean(2).reshape([n, c, 1, 1]), v.sqrt().reshape([n, c, 1, 1])

    def forward(self, content, style, seg):
        f, s = self.enc(content), self.enc(style)
        f = f + self.res(f)
        (cm, cs), (sm, ss) = self.stats(f), self.stats(s)
        t = (f - cm.expand(f.shape)) / cs.expand_as(f) * ss + sm
        onehot = F.one_hot(seg, self.nc).transpose([0, 3, 1, 2])
        act = F.relu(self.shared(F.interpolate(onehot, size=t.shape[2:], mode="nearest")))
        t = F.instance_norm(t) * (1 + self.gam(act)) + self.bet(act)
        b, c, h, w = paddle.shape(t)
        g = t.reshape([b, c, h * w])
        gram = paddle.bmm(g, g.transpose([0, 2, 1])) / (c * h * w).astype("float32")
        return self.up(t), gram


@model
def cyclegan_adain_spade_gram():
    mk = lambda n, b, h, w, h2, w2: [
        arr(n, b, 3, h, w),
        arr(n + 1, b, 3, h2, w2),
        ints(n + 2, 4, b, h, w),
    ]
    return (
        StyleTransfer(),
        [
            S([None, 3, None, None], name="content"),
            S([None, 3, None, None], name="style"),
            S([None, None, None], "int64", "seg"),
        ],
        [mk(323, 1, 12, 16, 10, 10), mk(326, 2, 16, 10, 8, 14)],
    )


class NeRF(nn.Layer):
    """Rays from a pose, samples along them, positional encodings, alpha compositing, importance samples by searchsorted."""

    def __init__(self, L=3, d=20, n=6):
        super().__init__()
        self.L, self.n = L, n
        self.register_buffer("freq", 2.0 ** paddle.arange(L).astype("float32") * math.pi)
        cin = 3 + 6 * L
        self.l1, self.l2, self.sig, self.rgb1, self.rgb2 = (
            nn.Linear(cin, d),
            nn.Linear(d + cin, d),
            nn.Linear(d, 1),
            nn.Linear(d + 3, d),
            nn.Linear(d, 3),
        )

    def encode(self, x):
        y = x.unsqueeze(-1) * self.freq
        return paddle.concat([x, paddle.sin(y).flatten(-2), paddle.cos(y).flatten(-2)], axis=-1)

    def forward(self, hw, focal, c2w, u):
        H, W = hw[0], hw[1]
        j, i = paddle.meshgrid(
            paddle.arange(0, H, 1, dtype="int32").astype("float32"),
            paddle.arange(0, W, 1, dtype="int32").astype("float32"),
        )
        dirs = paddle.stack(
            [
                (i - W.astype("float32") * 0.5) / focal,
                -(j - H.astype("float32") * 0.5) / focal,
                -paddle.ones_like(i),
            ],
            -1,
        ).reshape([-1, 3])
        rays_d = paddle.sum(dirs.unsqueeze(-2) * c2w[:3, :3], -1)
        rays_o = paddle.expand(c2w[:3, -1].unsqueeze(0), [paddle.shape(rays_d)[0], 3])
        t = paddle.linspace(1.0, 3.0, self.n)
        pts = rays_o[:, None, :] + rays_d[:, None, :] * t[None, :, None]
        e = self.encode(pts)
        h = F.relu(self.l1(e))
        h = F.relu(self.l2(paddle.concat([h, e], -1)))
        sigma = F.softplus(self.sig(h) * 5).squeeze(-1)
        view = F.normalize(rays_d, axis=-1).unsqueeze(1).expand_as(pts)
        rgb = F.sigmoid(self.rgb2(F.relu(self.rgb1(paddle.concat([h, view], axis=-1)))))
        delta = paddle.concat([t[1:] - t[:-1], paddle.full([1], 1e10)])
        delta = delta * paddle.norm(rays_d, axis=-1, keepdim=True)
        alpha = 1.0 - paddle.exp(-sigma * delta)
        trans = paddle.cumprod(
            paddle.concat([paddle.ones_like(alpha[:, :1]), 1.0 - alpha + 1e-10], -1), dim=-1
        )[:, :-1]
        w = alpha * trans
        color = (w[..., None] * rgb).sum(-2)
        depth = (w * t).sum(-1)
        acc = w.sum(-1, keepdim=True)
        color = color + (1.0 - acc)
        wm = w[:, 1:-1] + 1e-5
        pdf = wm / wm.sum(-1, keepdim=True)
        cdf = paddle.concat([paddle.zeros_like(pdf[:, :1]), paddle.cumsum(pdf, -1)], -1)
        uu = paddle.tile(u.unsqueeze(0), [paddle.shape(cdf)[0], 1])
        rows = paddle.arange(paddle.shape(cdf)[0]).unsqueeze(1)
        inds = paddle.searchsorted(
            (cdf + 2.0 * rows.astype("float32")).flatten(),
            (uu + 2.0 * rows.astype("float32")).flatten(),
            right=True,
        )
        inds = inds.reshape(paddle.shape(uu)) - rows * (self.n - 1)
        below, above = paddle.clip(inds - 1, min=0), paddle.clip(inds, max=self.n - 2)
        mids = 0.5 * (t[1:] + t[:-1])
        c0, c1 = paddle.take_along_axis(cdf, below, 1), paddle.take_along_axis(cdf, above, 1)
        b0, b1 = paddle.gather(mids, below.flatten()).reshape(paddle.shape(below)), mids[above]
        denom = paddle.where(c1 - c0 < 1e-5, paddle.ones_like(c0), c1 - c0)
        fine = b0 + (uu - c0) / denom * (b1 - b0)
        both = paddle.sort(
            paddle.concat([t.unsqueeze(0).expand([paddle.shape(fine)[0], self.n]), fine], -1),
            axis=-1,
        )
        return color.reshape([H, W, 3]), depth.reshape([H, W]), both


@model
def nerf_render_importance_samples():
    def mk(n, h, w, k):
        q = np.linalg.qr(np.random.default_rng(n).standard_normal((3, 3)))[0]
        return [
            np.array([h, w], "int32"),
            np.array([5.0], "float32"),
            np.concatenate([q, [[0.1], [0.2], [0.5]]], 1).astype("float32"),
            np.linspace(0.05, 0.93, k).astype("float32"),
        ]

    return (
        NeRF(),
        [S([2], "int32", "hw"), S([1], name="focal"), S([3, 4], name="c2w"), S([None], name="u")],
        [mk(329, 4, 5, 5), mk(330, 6, 3, 8)],
    )


class HashGrid(nn.Layer):
    """Instant-NGP: integer hash of the voxel corners by xor and modulus, trilinear weights, spherical harmonics."""

    def __init__(self, levels=3, T=64, Fd=2):
        super().__init__()
        self.T, self.levels, self.Fd = T, levels, Fd
        self.table = nn.LayerList([nn.Embedding(T, Fd) for _ in range(levels)])
        off = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], "int64")
        self.register_buffer("off", paddle.to_tensor(off[None]))
        self.primes = [1, 2654435761 % 100003, 805459861 % 100019]
        self.net = nn.Linear(levels * Fd + 9, 4)

    def sh(self, d):
        x, y, z = d[..., 0], d[..., 1], d[..., 2]
        out = [
            0.28209479 * paddle.ones_like(x),
            -0.48860251 * y,
            0.48860251 * z,
            -0.48860251 * x,
            1.09254843 * x * y,
            -1.09254843 * y * z,
            0.31539157 * (2.0 * z * z - x * x - y * y),
            -1.09254843 * x * z,
            0.54627421 * (x * x - y * y),
        ]
        return paddle.stack(out, axis=-1)

    def forward(self, x, d, box_min, box_max):
        inside = ((x >= box_min) & (x <= box_max)).all(axis=-1)
        x = paddle.maximum(paddle.minimum(x, box_max), box_min)
        feats = []
        for i, emb in enumerate(self.table):
            res = 4 * 2**i
            p = (x - box_min) / (box_max - box_min) * res
            lo = paddle.floor(p).astype("int64")
            fr = p - lo.astype("float32")
            corners = lo.unsqueeze(1) + self.off
            hsh = corners[..., 0] * self.primes[0]
            for k in (1, 2):
                hsh = paddle.bitwise_xor(hsh, corners[..., k] * self.primes[k])
            idx = paddle.mod(hsh, paddle.full_like(hsh, self.T))
            e = emb(idx)
            o = self.off.astype("float32")
            w = paddle.prod(
                o * fr.unsqueeze(1) + (1 - o) * (1 - fr.unsqueeze(1)), axis=-1, keepdim=True
            )
            feats.append((e * w).sum(axis=1))
        h = self.net(paddle.concat(feats + [self.sh(F.normalize(d, axis=-1))], -1))
        sigma = paddle.exp(paddle.clip(h[:, :1], -5, 5)) * inside.unsqueeze(-1).astype("float32")
        return sigma, F.sigmoid(h[:, 1:]), idx, inside


@model
def ngp_hash_grid_harmonics():
    mk = lambda n, k: [
        uni(n, k, 3) * 2.4 - 0.2,
        arr(n + 1, k, 3),
        np.array([0.0, 0.0, 0.0], "float32"),
        np.array([2.0, 2.0, 2.0], "float32"),
    ]
    return (
        HashGrid(),
        [S([None, 3]), S([None, 3], name="d"), S([3], name="box_min"), S([3], name="box_max")],
        [mk(331, 9), mk(333, 14)],
    )


# ------------------------------------------------------------------ flow, stereo, matching, three dimensions
class RAFT(nn.Layer):
    """All-pairs correlation, a pyramid, look-ups by grid_sample, ConvGRU rounds, convex upsampling."""

    def __init__(self, c=8, r=1, levels=2, iters=2):
        super().__init__()
        self.c, self.r, self.levels, self.iters = c, r, levels, iters
        self.fnet, self.cnet = (
            nn.Sequential(nn.Conv2D(3, c, 3, 4, 1), nn.InstanceNorm2D(c)),
            nn.Conv2D(3, 2 * c, 3, 4, 1),
        )
        n = levels * (2 * r + 1) ** 2
        self.motion = nn.Conv2D(n + 2, c - 2, 1)
        self.z, self.rr, self.q = (nn.Conv2D(3 * c, c, 3, padding=1) for _ in range(3))
        self.head, self.mask = nn.Conv2D(c, 2, 3, padding=1), nn.Conv2D(c, 9 * 16, 1)

    def sampler(self, img, coords):
        H, W = paddle.shape(img)[2], paddle.shape(img)[3]
        xg, yg = coords.split([1, 1], axis=-1)
        xg = 2 * xg / (W - 1).astype("float32") - 1
        yg = 2 * yg / (H - 1).astype("float32") - 1
        return F.grid_sample(img, paddle.concat([xg, yg], axis=-1), align_corners=True)

    def forward(self, im1, im2):
        f1, f2 = self.fnet(im1), self.fnet(im2)
        b, d, h, w = f1.shape
        corr = paddle.matmul(
            f1.reshape([b, d, h * w]).transpose([0, 2, 1]), f2.reshape([b, d, h * w])
        ) / math.sqrt(self.c)
        corr = corr.reshape([b * h * w, 1, h, w])
        pyramid = [corr]
        for _ in range(self.levels - 1):
            corr = F.avg_pool2d(corr, 2, stride=2)
            pyramid.append(corr)
        net, inp = paddle.split(self.cnet(im1), 2, axis=1)
        net, inp = paddle.tanh(net), F.relu(inp)
        gy, gx = paddle.meshgrid(paddle.arange(h), paddle.arange(w))
        coords0 = paddle.stack([gx, gy], axis=0).astype("float32").unsqueeze(0).expand([b, 2, h, w])
        coords1 = coords0.clone()
        dr = paddle.linspace(-self.r, self.r, 2 * self.r + 1)
        delta = paddle.stack(paddle.meshgrid(dr, dr), axis=-1).unsqueeze(0)
        flow_up = None
        for itr in range(self.iters):
            coords1 = coords1.detach()
            out = []
            for i in range(self.levels):
                cen = coords1.transpose([0, 2, 3, 1]).reshape([b * h * w, 1, 1, 2]) / 2**i
                out.append(self.sampler(pyramid[i], cen + delta).reshape([b, h, w, -1]))
            cf = paddle.concat(out, axis=-1).transpose([0, 3, 1, 2])
            flow = coords1 - coords0
            n = self.levels * (2 * self.r + 1) ** 2
            cf = cf.reshape([b, n, h, w])
            m = F.relu(self.motion(paddle.concat([cf, flow], 1)))
            x = paddle.concat([inp, m, flow], axis=1)
            hx = paddle.concat([net, x], axis=1)
            z, r = F.sigmoid(self.z(hx)), F.sigmoid(self.rr(hx))
            q = paddle.tanh(self.q(paddle.concat([r * net, x], axis=1)))
            net = (1 - z) * net + z * q
            coords1 = coords1 + self.head(net)
        flow = coords1 - coords0
        mask = F.softmax(self.mask(net).reshape([b, 1, 9, 4, 4, h, w]) * 0.25, axis=2)
        up = F.unfold(4 * flow, [3, 3], paddings=1).reshape([b, 2, 9, 1, 1, h, w])
        up = (mask * up).sum(axis=2).transpose([0, 1, 4, 2, 5, 3]).reshape([b, 2, 4 * h, 4 * w])
        return flow, up


@model
def raft_allpairs_lookup_convex():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), arr(n + 1, b, 3, h, w)]
    return (
        RAFT(),
        [S([None, 3, None, None], name="im1"), S([None, 3, None, None], name="im2")],
        [mk(335, 1, 16, 20), mk(337, 2, 24, 16)],
    )


class PWCCost(nn.Layer):
    """The correlation by shifting a padded map (list of slices), the flow decoder, a forward-backward check."""

    def __init__(self, c=6, md=2):
        super().__init__()
        self.md, self.f = md, nn.Conv2D(3, c, 3, 2, 1)
        self.dec = nn.Conv2D((2 * md + 1) ** 2 + c, 2, 3, padding=1)

    def cost(self, a, b):
        h, w = paddle.shape(a)[2], paddle.shape(a)[3]
        p = F.pad(b, [self.md] * 4)
        vols = []
        for i in range(2 * self.md + 1):
            for j in range(2 * self.md + 1):
                vols.append(paddle.mean(a * p[:, :, i : i + h, j : j + w], axis=1, keepdim=True))
        return F.leaky_relu(paddle.concat(vols, axis=1), 0.1)

    def flow(self, a, b):
        return self.dec(paddle.concat([self.cost(a, b), a], axis=1))

    def forward(self, im1, im2):
        a, b = self.f(im1), self.f(im2)
        fw, bw = self.flow(a, b), self.flow(b, a)
        n, _, h, w = paddle.shape(fw)
        gy, gx = paddle.meshgrid(paddle.linspace(-1, 1, h), paddle.linspace(-1, 1, w))
        grid = (
            paddle.stack([gx, gy], axis=-1)
            .unsqueeze(0)
            .broadcast_to(paddle.shape(fw.transpose([0, 2, 3, 1])))
        )
        step = paddle.stack(
            [
                fw[:, 0] * 2.0 / (w - 1).astype("float32"),
                fw[:, 1] * 2.0 / (h - 1).astype("float32"),
            ],
            axis=-1,
        )
        back = F.grid_sample(bw, grid + step, align_corners=True)
        diff = paddle.norm(fw + back, p=2, axis=1)
        mag = paddle.norm(fw, p=2, axis=1)
        big = F.interpolate(fw, scale_factor=[2.0, 2.0], mode="bilinear", align_corners=True) * 2.0
        return big, diff, diff > 0.2 * mag + 0.05


@model
def pwcnet_correlation_consistency():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), arr(n + 1, b, 3, h, w)]
    return (
        PWCCost(),
        [S([None, 3, None, None], name="im1"), S([None, 3, None, None], name="im2")],
        [mk(339, 2, 12, 14), mk(341, 1, 16, 22)],
    )


class PSMStereo(nn.Layer):
    """Cost volume written slice by slice in place, three-dimensional hourglass, trilinear resize, soft arg-min."""

    def __init__(self, c=4, D=4):
        super().__init__()
        self.D, self.c = D, c
        self.f = nn.Conv2D(3, c, 3, 2, 1)
        self.c3a = nn.Sequential(
            nn.Conv3D(2 * c, c, 3, padding=1, bias_attr=False), nn.BatchNorm3D(c), nn.ReLU()
        )
        self.c3b, self.up3, self.cls = (
            nn.Conv3D(c, c, 3, stride=2, padding=1),
            nn.Conv3DTranspose(c, c, 3, stride=2, padding=1, output_padding=1),
            nn.Conv3D(c, 1, 3, padding=1),
        )

    def forward(self, left, right):
        l, r = self.f(left), self.f(right)
        b, c, h, w = l.shape
        cost = paddle.zeros([b, 2 * self.c, self.D, h, w])
        for i in range(self.D):
            if i > 0:
                cost[:, : self.c, i, :, i:] = l[:, :, :, i:]
                cost[:, self.c :, i, :, i:] = r[:, :, :, :-i]
            else:
                cost[:, : self.c, i] = l
                cost[:, self.c :, i] = r
        x = self.c3a(cost)
        y = self.up3(F.relu(self.c3b(x)))
        y = y[:, :, :, :h, :w] + x
        vol = F.interpolate(
            self.cls(y),
            size=[2 * self.D, 2 * h, 2 * w],
            mode="trilinear",
            align_corners=False,
            data_format="NCDHW",
        ).squeeze(1)
        p = F.softmax(vol * -1, axis=1)
        disp = (p * paddle.arange(2 * self.D, dtype="float32").reshape([1, -1, 1, 1])).sum(1)
        conf, best = p.max(1), p.argmax(1)
        return disp, conf, best


@model
def psmnet_cost_volume_soft_argmin():
    mk = lambda n, b, h, w: [arr(n, b, 3, h, w), arr(n + 1, b, 3, h, w)]
    return (
        PSMStereo(),
        [S([None, 3, None, None], name="left"), S([None, 3, None, None], name="right")],
        [mk(343, 1, 10, 16), mk(345, 2, 14, 20)],
    )


class MVSHomography(nn.Layer):
    """Plane sweep: inverse matrices, homographies over depth hypotheses, the variance of the warped features."""

    def __init__(self, c=4):
        super().__init__()
        self.f, self.reg = nn.Conv2D(3, c, 3, padding=1), nn.Conv3D(c, 1, 3, padding=1)
        self.c = c

    def forward(self, imgs, projs, depths):
        b, v = imgs.shape[0], 3
        h, w = imgs.shape[3], imgs.shape[4]
        feats = self.f(imgs.flatten(0, 1)).reshape([b, v, self.c, h, w])
        ref_inv = paddle.linalg.inv(projs[:, 0])
        nd = paddle.shape(depths)[1]
        y, x = paddle.meshgrid(paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32"))
        xyz = paddle.stack([x.flatten(), y.flatten(), paddle.ones_like(x).flatten()]).unsqueeze(0)
        s, s2 = feats[:, 0].unsqueeze(2), feats[:, 0].unsqueeze(2) ** 2
        for i in range(1, v):
            P = paddle.matmul(projs[:, i], ref_inv)
            rot, trans = P[:, :3, :3], P[:, :3, 3:4]
            pts = paddle.matmul(rot, xyz.tile([b, 1, 1])).unsqueeze(2) * depths.unsqueeze(
                [1, 3]
            ) + trans.unsqueeze(3)
            z = pts[:, 2]
            z = paddle.where(z.abs() < 1e-4, paddle.full_like(z, 1e-4), z)
            gx = pts[:, 0] / z / ((w - 1) / 2) - 1
            gy = pts[:, 1] / z / ((h - 1) / 2) - 1
            grid = paddle.stack((gx, gy), axis=3).reshape([b, nd * h, w, 2])
            wf = F.grid_sample(
                feats[:, i], grid, mode="bilinear", padding_mode="zeros", align_corners=True
            ).reshape([b, self.c, nd, h, w])
            s, s2 = s + wf, s2 + wf**2
        var = s2 / v - (s / v) ** 2
        prob = F.softmax(self.reg(var).squeeze(1), axis=1)
        depth = paddle.sum(prob * depths[:, :, None, None], axis=1)
        pad = F.pad(prob.unsqueeze(1), [0, 0, 0, 0, 1, 2], data_format="NCDHW")
        sum4 = 4 * F.avg_pool3d(pad, (4, 1, 1), stride=1, padding=0).squeeze(1)
        idx = (
            (prob * paddle.arange(nd).astype("float32").reshape([1, -1, 1, 1]))
            .sum(1, keepdim=True)
            .astype("int64")
        )
        return depth, paddle.take_along_axis(sum4, idx, axis=1).squeeze(1)


@model
def mvsnet_plane_sweep_inverse():
    def mk(n, b, h, w, d):
        r = np.random.default_rng(n)
        P = np.tile(np.eye(4, dtype="float32"), (b, 3, 1, 1))
        P[:, :, :3, :3] += r.normal(0, 0.03, (b, 3, 3, 3))
        P[:, :, :3, 3] = r.normal(0, 0.5, (b, 3, 3))
        return [
            arr(n, b, 3, 3, h, w),
            P.astype("float32"),
            np.sort(r.uniform(1, 4, (b, d)), 1).astype("float32"),
        ]

    return (
        MVSHomography(),
        [
            S([None, 3, 3, None, None], name="imgs"),
            S([None, 3, 4, 4], name="projs"),
            S([None, None], name="depths"),
        ],
        [mk(347, 1, 7, 8, 4), mk(348, 2, 6, 9, 6)],
    )


class SuperPointLoFTR(nn.Layer):
    """Cell softmax to a full heat map, NMS by pooling, descriptors sampled, dual-softmax mutual nearest matches."""

    def __init__(self, c=10, k=9):
        super().__init__()
        self.k = k
        self.body, self.semi, self.desc = (
            nn.Sequential(nn.Conv2D(1, c, 3, 2, 1), nn.ReLU(), nn.Conv2D(c, c, 3, 2, 1), nn.ReLU()),
            nn.Conv2D(c, 17, 1),
            nn.Conv2D(c, c, 1),
        )

    def detect(self, x):
        f = self.body(x)
        p = F.softmax(self.semi(f) * 3, axis=1)[:, :-1]
        b, _, h, w = p.shape
        heat = (
            p.transpose([0, 2, 3, 1])
            .reshape([b, h, w, 4, 4])
            .transpose([0, 1, 3, 2, 4])
            .reshape([b, h * 4, w * 4])
        )
        nms = paddle.where(
            heat == F.max_pool2d(heat.unsqueeze(1), 3, 1, 1).squeeze(1),
            heat,
            paddle.zeros_like(heat),
        )
        s, i = paddle.topk(nms.flatten(1), self.k)
        W4, H4 = w * 4, h * 4
        xy = paddle.stack([i % W4, i // W4], axis=-1).astype("float32")
        lim = paddle.stack([paddle.to_tensor(W4), paddle.to_tensor(H4)]).astype("float32")
        d = F.normalize(self.desc(f), p=2, axis=1)
        d = F.grid_sample(d, ((xy + 0.5) / lim * 2 - 1).unsqueeze(1), align_corners=False).squeeze(
            2
        )
        return xy, s, F.normalize(d, axis=1)

    def forward(self, a, b):
        xa, sa, da = self.detect(a)
        xb, sb, db = self.detect(b)
        sim = paddle.einsum("bdn,bdm->bnm", da, db) / 0.1
        conf = F.softmax(sim, 1) * F.softmax(sim, 2)
        mask = conf > 0.02
        mask = (
            mask
            * (conf == conf.max(axis=2, keepdim=True))
            * (conf == conf.max(axis=1, keepdim=True))
        )
        valid = mask.astype("int32").max(axis=2)
        j = mask.astype("int32").argmax(axis=2)
        bi = paddle.nonzero(valid)
        pa = paddle.gather_nd(xa, bi)
        return conf, valid, paddle.where(valid > 0, j, paddle.full_like(j, -1)), pa, sb


@model
def superpoint_dual_softmax_matches():
    mk = lambda n, b, h, w: [arr(n, b, 1, h, w), arr(n + 1, b, 1, h, w)]
    return (
        SuperPointLoFTR(),
        [S([None, 1, None, None], name="a"), S([None, 1, None, None], name="b")],
        [mk(351, 1, 16, 20), mk(353, 2, 24, 16)],
    )


class PillarsBEV(nn.Layer):
    """PointPillars: decorated points, masked max, scatter on the canvas; the canvas then through a small neck."""

    def __init__(self, c=8, ny=6, nx=8):
        super().__init__()
        self.c, self.ny, self.nx = c, ny, nx
        self.linear, self.bn = (
            nn.Linear(9, c, bias_attr=False),
            nn.BatchNorm1D(c, momentum=0.99, epsilon=1e-3, data_format="NLC"),
        )
        self.conv = nn.Conv2D(c, c, 3, padding=1)

    def forward(self, voxels, num_points, coors, batch_size):
        mean = voxels[:, :, :3].sum(axis=1, keepdim=True) / num_points.astype("float32").reshape(
            [-1, 1, 1]
        )
        f_cluster = voxels[:, :, :3] - mean
        f_center = paddle.zeros_like(voxels[:, :, :2])
        f_center[:, :, 0] = voxels[:, :, 0] - (
            coors[:, 3].astype("float32").unsqueeze(1) * 0.5 + 0.25
        )
        f_center[:, :, 1] = voxels[:, :, 1] - (
            coors[:, 2].astype("float32").unsqueeze(1) * 0.5 + 0.25
        )
        feats = paddle.concat([voxels, f_cluster, f_center], axis=-1)
        m = paddle.arange(paddle.shape(voxels)[1]).unsqueeze(0) < num_points.unsqueeze(1)
        feats = feats * m.unsqueeze(-1).astype("float32")
        x = F.relu(self.bn(self.linear(feats)))
        x = paddle.where(m.unsqueeze(-1).astype("int32") > 0, x, paddle.full_like(x, -1e4)).max(
            axis=1
        )
        n = batch_size[0]
        idx = coors[:, 0] * (self.ny * self.nx) + coors[:, 2] * self.nx + coors[:, 3]
        canvas = paddle.zeros([n * self.ny * self.nx, self.c], dtype="float32")
        canvas = paddle.scatter(canvas, idx, x, overwrite=True)
        hits = paddle.scatter_nd_add(
            paddle.zeros([n * self.ny * self.nx]), idx.unsqueeze(-1), num_points.astype("float32")
        )
        canvas = canvas.reshape([-1, self.ny, self.nx, self.c]).transpose([0, 3, 1, 2])
        return F.relu(self.conv(canvas)) + canvas, hits.reshape([n, self.ny, self.nx])


@model
def pointpillars_scatter_canvas():
    def mk(n, m, p, b):
        r = np.random.default_rng(n)
        cells = r.permutation(b * 48)[:m]
        co = np.stack([cells // 48, 0 * cells, cells % 48 // 8, cells % 8], 1).astype("int64")
        return [
            arr(n, m, p, 4),
            r.integers(1, p + 1, m).astype("int64"),
            co,
            np.array([b], "int64"),
        ]

    return (
        PillarsBEV(),
        [
            S([None, None, 4], name="voxels"),
            S([None], "int64", "num"),
            S([None, 4], "int64", "coors"),
            S([1], "int64", "bs"),
        ],
        [mk(355, 10, 4, 1), mk(356, 21, 6, 2)],
    )


class LiftSplat(nn.Layer):
    """LSS: depth distribution times context, the frustum to ego, voxel pooling by sort and cumsum differences."""

    def __init__(self, D=4, C=6, X=5, Y=4):
        super().__init__()
        self.D, self.C, self.X, self.Y = D, C, X, Y
        self.net = nn.Conv2D(3, D + C, 3, 2, 1)

    def forward(self, img, rot, trans):
        f = self.net(img)
        n, _, h, w = f.shape
        depth = F.softmax(f[:, : self.D], axis=1)
        vol = depth.unsqueeze(1) * f[:, self.D :].unsqueeze(2)
        d = (
            paddle.arange(1, self.D + 1, dtype="float32")
            .reshape([self.D, 1, 1])
            .expand([self.D, h, w])
        )
        xs = paddle.linspace(-1, 1, w, dtype="float32").reshape([1, 1, -1]).expand([self.D, h, w])
        ys = paddle.linspace(-1, 1, h, dtype="float32").reshape([1, -1, 1]).expand([self.D, h, w])
        fr = paddle.stack((xs * d, ys * d, d), -1)
        pts = paddle.matmul(rot.reshape([n, 1, 1, 1, 3, 3]), fr.unsqueeze([0, -1])).squeeze(
            -1
        ) + trans.reshape([n, 1, 1, 1, 3])
        vx = paddle.floor(pts[..., 0] + self.X / 2.0).astype("int64")
        vy = paddle.floor(pts[..., 2]).astype("int64")
        feat = vol.transpose([0, 2, 3, 4, 1]).reshape([-1, self.C])
        vx, vy = vx.flatten(), vy.flatten()
        keep = paddle.logical_and(
            paddle.logical_and(vx >= 0, vx < self.X), paddle.logical_and(vy >= 0, vy < self.Y)
        )
        sel = paddle.nonzero(keep).flatten()
        feat, rank = paddle.gather(feat, sel), paddle.gather(vy * self.X + vx, sel)
        order = (rank * 100000 + paddle.arange(paddle.shape(rank)[0])).argsort()
        feat, rank = feat[order], rank[order]
        cs = feat.cumsum(0)
        last = paddle.ones_like(rank)
        last[:-1] = (rank[1:] != rank[:-1]).astype("int64")
        pos = paddle.nonzero(last).squeeze(-1)
        cs, rk = paddle.gather(cs, pos), paddle.gather(rank, pos)
        cs = paddle.concat([cs[:1], cs[1:] - cs[:-1]], axis=0)
        bev = paddle.scatter(paddle.zeros([self.X * self.Y, self.C]), rk, cs)
        return bev.reshape([1, self.Y, self.X, self.C]).transpose([0, 3, 1, 2]), rk, depth


@model
def lift_splat_cumsum_pool():
    def mk(n, b, h, w):
        r = np.random.default_rng(n)
        R = np.tile(np.eye(3), (b, 1, 1)) + r.normal(0, 0.1, (b, 3, 3))
        return [arr(n, b, 3, h, w), R.astype("float32"), r.normal(0, 0.3, (b, 3)).astype("float32")]

    return (
        LiftSplat(),
        [
            S([None, 3, None, None], name="img"),
            S([None, 3, 3], name="rot"),
            S([None, 3], name="trans"),
        ],
        [mk(357, 2, 6, 10), mk(358, 3, 8, 12)],
    )


class VideoTSM(nn.Layer):
    """Temporal shift by slices and by the operator, (2+1)D convolution, SlowFast sampling by index_select, segment consensus."""

    def __init__(self, c=8, T=4, nc=5):
        super().__init__()
        self.T, self.c = T, c
        self.stem, self.conv = nn.Conv2D(3, c, 3, 2, 1), nn.Conv2D(c, c, 3, padding=1)
        self.sp, self.tm = (
            nn.Conv3D(3, 6, (1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1), bias_attr=False),
            nn.Conv3D(6, c, (3, 1, 1), padding=(1, 0, 0), bias_attr=False),
        )
        self.bn3 = nn.BatchNorm3D(c)
        self.fc = nn.Linear(3 * c, nc)

    def shift(self, x, fold_div=4):
        b, t, c, h, w = x.shape
        fold = c // fold_div
        out = paddle.zeros_like(x)
        out[:, :-1, :fold] = x[:, 1:, :fold]
        out[:, 1:, fold : 2 * fold] = x[:, :-1, fold : 2 * fold]
        out[:, :, 2 * fold :] = x[:, :, 2 * fold :]
        return out

    def forward(self, clip):
        n = clip.shape[0]
        h, w = clip.shape[3], clip.shape[4]
        f = F.relu(self.stem(clip.reshape([-1, 3, h, w])))
        a = F.temporal_shift(f, self.T, 0.25)
        g = f.reshape([-1, self.T, self.c, f.shape[2], f.shape[3]])
        b = self.shift(g)
        y = self.conv(a).reshape(g.shape) + b
        idx = paddle.linspace(0, self.T - 1, 2).astype("int64")
        slow = paddle.index_select(clip, idx, axis=1).transpose([0, 2, 1, 3, 4])
        s = F.relu(self.bn3(self.tm(self.sp(slow))))
        feat = paddle.concat(
            [
                y.mean([3, 4]).mean(1),
                F.adaptive_avg_pool3d(s, 1).flatten(1),
                F.adaptive_max_pool3d(s, 1).squeeze([2, 3, 4]),
            ],
            axis=1,
        )
        return F.softmax(self.fc(feat)), y.max(axis=[1, 2])


@model
def video_temporal_shift_slowfast():
    return (
        VideoTSM(),
        [S([None, 4, 3, None, None], name="clip")],
        [[arr(359, 1, 4, 3, 8, 10)], [arr(360, 2, 4, 3, 12, 9)]],
    )


class DeformConvHead(nn.Layer):
    """DCNv2 of paddle.vision, offsets shared as RepPoints: the min-max of the points is the box."""

    def __init__(self, c=8, k=3):
        super().__init__()
        self.k = k
        self.f = nn.Conv2D(3, c, 3, 2, 1)
        self.offset = nn.Conv2D(
            c, 3 * k * k, 3, padding=1, weight_attr=ParamAttr(initializer=Normal(0, 0.2))
        )
        self.dcn = vops.DeformConv2D(c, c, k, padding=1, groups=2)
        self.w2 = self.create_parameter([c, c, k, k], default_initializer=Normal(0, 0.1))
        self.norm = nn.GroupNorm(2, c)

    def forward(self, x):
        f = F.relu(self.f(x))
        o = self.offset(f)
        off, mask = o[:, : 2 * self.k**2], F.sigmoid(o[:, 2 * self.k**2 :])
        y = F.relu(self.norm(self.dcn(f, off, mask)))
        z = vops.deform_conv2d(y, off * 0.5, self.w2, padding=1)
        b, _, h, w = paddle.shape(f)
        pts = off.reshape([b, self.k * self.k, 2, h, w])
        lo, hi = pts.min(axis=1), pts.max(axis=1)
        ys, xs = paddle.meshgrid(paddle.arange(h), paddle.arange(w))
        ctr = paddle.stack([ys, xs]).astype("float32").unsqueeze(0)
        box = paddle.concat([(lo + ctr).flip(1), (hi + ctr).flip(1)], axis=1) * 2
        return z + y, box


@model
def deform_conv_reppoints():
    return (
        DeformConvHead(),
        [S([None, 3, None, None])],
        [[arr(361, 1, 3, 10, 12)], [arr(362, 2, 3, 13, 9)]],
    )


# ------------------------------------------------------------------ pictures in, pictures out
class LetterboxClassifier(nn.Layer):
    """uint8 NHWC in; resized by the smaller ratio, padded with 114 to a square, normalised, classified."""

    def __init__(self, size=24, nc=6):
        super().__init__()
        self.size = size
        self.register_buffer(
            "mean", paddle.to_tensor([123.675, 116.28, 103.53]).reshape([1, 3, 1, 1])
        )
        self.register_buffer("std", paddle.to_tensor([58.395, 57.12, 57.375]).reshape([1, 3, 1, 1]))
        self.net = nn.Sequential(
            ConvBNLayer(3, 8, 3, 2),
            ConvBNLayer(8, 8, 3, 2),
            nn.AdaptiveAvgPool2D(1),
            nn.Flatten(),
            nn.Linear(8, nc),
        )

    def forward(self, image):
        x = image.astype("float32").transpose([0, 3, 1, 2])
        x = paddle.index_select(x, paddle.to_tensor([2, 1, 0]), axis=1)
        hw = paddle.shape(x)[2:].astype("float32")
        r = self.size / paddle.max(hw)
        new = paddle.floor(hw * r + 0.5).astype("int32")
        x = F.interpolate(x, size=new, mode="bilinear", align_corners=False)
        dh, dw = self.size - paddle.shape(x)[2], self.size - paddle.shape(x)[3]
        top, left = dh // 2, dw // 2
        pad = paddle.stack([left, dw - left, top, dh - top]).reshape([4]).astype("int32")
        x = F.pad(x, pad, mode="constant", value=114.0)
        x = (x - self.mean) / self.std
        x = x.reshape([-1, 3, self.size, self.size])
        logits = self.net(x)
        prob, cls = paddle.topk(F.softmax(logits), k=3, axis=-1)
        return prob, cls.astype("int32"), r.reshape([1]), pad


@model
def letterbox_uint8_classifier():
    return (
        LetterboxClassifier(),
        [S([None, None, None, 3], "uint8", "image")],
        [[u8(363, 1, 17, 30, 3)], [u8(364, 2, 40, 26, 3)]],
    )


class CropFlipTTA(nn.Layer):
    """A crop with tensors as bounds, an `if` on the aspect, ten-crop augmentation, scores averaged."""

    def __init__(self, crop=8, nc=4):
        super().__init__()
        self.crop = crop
        self.net = nn.Sequential(
            nn.Conv2D(3, 8, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2D(8, nc, 3),
            nn.AdaptiveMaxPool2D(1),
            nn.Flatten(),
        )

    def forward(self, x, box):
        x1, y1, x2, y2 = box[0], box[1], box[2], box[3]
        x = x[:, :, y1:y2, x1:x2]
        h, w = paddle.shape(x)[2], paddle.shape(x)[3]
        if h > w:
            x = x.transpose([0, 1, 3, 2])
            turned = paddle.ones([1], dtype="int32")
        else:
            x = x * 1.0
            turned = paddle.zeros([1], dtype="int32")
        h, w = paddle.shape(x)[2], paddle.shape(x)[3]
        c = self.crop
        top, left = (h - c) // 2, (w - c) // 2
        crops = [
            x[:, :, :c, :c],
            x[:, :, :c, w - c :],
            x[:, :, h - c :, :c],
            x[:, :, -c:, -c:],
            paddle.slice(x, [2, 3], [top, left], [top + c, left + c]),
        ]
        crops = crops + [paddle.flip(t, axis=[3]) for t in crops]
        stack = paddle.stack([t.reshape([-1, 3, c, c]) for t in crops], axis=1)
        p = F.softmax(self.net(stack.reshape([-1, 3, c, c])), axis=-1).reshape([-1, 10, 4])
        return p.mean(1), p.std(1), turned


@model
def crop_by_tensors_ten_crops():
    mk = lambda n, b, h, w, bx: [arr(n, b, 3, h, w), np.array(bx, "int32")]
    return (
        CropFlipTTA(),
        [S([None, 3, None, None]), S([4], "int32", "box")],
        [mk(365, 1, 16, 20, [2, 3, 17, 13]), mk(366, 2, 24, 18, [4, 1, 14, 23])],
    )


class EdgeHistogram(nn.Layer):
    """Sobel, non-maximum suppression by quantised angle, thresholds by quantile, a HOG-like histogram by one-hot."""

    def __init__(self, bins=6):
        super().__init__()
        self.bins = bins
        g = np.exp(-(np.arange(-2, 3) ** 2) / 2.0)
        g = np.outer(g, g) / g.sum() ** 2
        self.register_buffer("gauss", paddle.to_tensor(g.reshape(1, 1, 5, 5).astype("float32")))
        sx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], "float32")
        self.register_buffer("sobel", paddle.to_tensor(np.stack([sx, sx.T])[:, None]))
        self.fc = nn.Linear(bins * 4, 3)

    def forward(self, img):
        gray = (
            paddle.matmul(img.astype("float32"), paddle.to_tensor([0.299, 0.587, 0.114])).unsqueeze(
                1
            )
            / 255.0
        )
        blur = F.conv2d(F.pad(gray, [2, 2, 2, 2], mode="replicate"), self.gauss)
        g = F.conv2d(blur, self.sobel, padding=1)
        gx, gy = g[:, 0], g[:, 1]
        mag = paddle.sqrt(gx * gx + gy * gy + 1e-8)
        ang = paddle.atan2(gy, gx)
        ang = paddle.where(ang < 0, ang + math.pi, ang)
        sector = paddle.floor(ang / math.pi * 4 + 0.5).astype("int64") % 4
        p = F.pad(mag.unsqueeze(1), [1, 1, 1, 1]).squeeze(1)
        h, w = mag.shape[1], mag.shape[2]
        n1 = paddle.stack(
            [
                p[:, 1 : h + 1, 2 : w + 2],
                p[:, 2 : h + 2, 2 : w + 2],
                p[:, 2 : h + 2, 1 : w + 1],
                p[:, 2 : h + 2, 0:w],
            ],
            axis=-1,
        )
        n2 = paddle.stack(
            [p[:, 1 : h + 1, 0:w], p[:, 0:h, 0:w], p[:, 0:h, 1 : w + 1], p[:, 0:h, 2 : w + 2]],
            axis=-1,
        )
        pick = lambda t: paddle.take_along_axis(t, sector.unsqueeze(-1), axis=-1).squeeze(-1)
        thin = paddle.logical_and(mag >= pick(n1), mag >= pick(n2))
        mean = mag.mean([1, 2], keepdim=True)
        strong, weak = mag > 1.4 * mean, mag > 0.7 * mean
        near = F.max_pool2d((strong & thin).astype("float32").unsqueeze(1), 3, 1, 1).squeeze(1) > 0
        edges = thin & (strong | (weak & near))
        bin_ = paddle.clip(paddle.floor(ang / math.pi * self.bins), 0, self.bins - 1).astype(
            "int64"
        )
        votes = F.one_hot(bin_, self.bins) * mag.unsqueeze(-1)
        hist = F.adaptive_avg_pool2d(votes.transpose([0, 3, 1, 2]), [2, 2]).flatten(1)
        hist = hist / paddle.sqrt((hist**2).sum(-1, keepdim=True) + 1e-6)
        return hist, self.fc(hist), sector, edges


@model
def canny_edges_hog_histogram():
    return (
        EdgeHistogram(),
        [S([None, None, None, 3], "uint8", "img")],
        [[u8(367, 1, 12, 14, 3)], [u8(368, 2, 15, 11, 3)]],
    )


class CLAHE(nn.Layer):
    """Histogram equalisation per picture by one-hot and cumsum, HSV and back by where, sharpening mask."""

    def __init__(self):
        super().__init__()
        self.amount = self.create_parameter([1], default_initializer=Constant(0.6))
        self.gain = self.create_parameter([3, 1, 1], default_initializer=Constant(1.0))

    def forward(self, img):
        x = img.astype("float32") / 255.0
        r, g, b = x[:, 0], x[:, 1], x[:, 2]
        v, mn = x.max(1), x.min(1)
        d = v - mn
        s = paddle.where(v > 0, d / (v + 1e-8), paddle.zeros_like(v))
        safe = paddle.where(d == 0, paddle.ones_like(d), d)
        hue = paddle.where(
            v == r, (g - b) / safe, paddle.where(v == g, 2 + (b - r) / safe, 4 + (r - g) / safe)
        )
        hue = paddle.remainder(hue, paddle.full_like(hue, 6.0))
        level = paddle.clip((v * 31.5).astype("int64"), 0, 31)
        n = paddle.shape(v)[0]
        hist = F.one_hot(level.reshape([n, -1]), 32).sum(1)
        limit = hist.mean(1, keepdim=True) * 2
        clipped = paddle.minimum(hist, limit)
        clipped = clipped + (hist - clipped).sum(1, keepdim=True) / 32
        cdf = paddle.cumsum(clipped, axis=1)
        cdf = (cdf - cdf[:, :1]) / (cdf[:, -1:] - cdf[:, :1])
        flat = level.flatten(1)
        v2 = paddle.take_along_axis(cdf, flat, axis=1).reshape(paddle.shape(v))
        out = []
        for k in (5.0, 3.0, 1.0):
            t = paddle.remainder(k + hue, paddle.full_like(hue, 6.0))
            out.append(v2 - v2 * s * paddle.clip(paddle.minimum(t, 4.0 - t), 0.0, 1.0))
        y = paddle.stack(out, axis=1) * self.gain
        soft = F.avg_pool2d(y, 3, 1, 1, exclusive=True)
        y = (y + self.amount * (y - soft)).clip(0.0, 1.0)
        return (y * 255).astype("int32"), hist, hue


@model
def histogram_equalise_hsv_sharpen():
    return (
        CLAHE(),
        [S([None, 3, None, None], "uint8", "img")],
        [[u8(369, 1, 3, 9, 11)], [u8(370, 2, 3, 12, 8)]],
    )


class CLIPZeroShot(nn.Layer):
    """Image and text towers; end-of-text by arg-max; similarity with a learnt logit scale; top labels for a free number of prompts."""

    def __init__(self, d=16, vocab=30):
        super().__init__()
        self.d = d
        self.conv1 = nn.Conv2D(3, d, 4, 4, bias_attr=False)
        self.class_embedding = self.create_parameter([d], default_initializer=Normal(0, 0.3))
        self.ln_pre, self.ln_post, self.ln_final = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.vis = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d, 2, 2 * d, 0.0, activation="gelu", normalize_before=True),
            1,
        )
        self.txt = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d, 2, 2 * d, 0.0, activation="gelu", normalize_before=True),
            1,
        )
        self.tok, self.pos = (
            nn.Embedding(vocab, d),
            self.create_parameter([12, d], default_initializer=Normal(0, 0.3)),
        )
        self.vproj, self.tproj = (
            self.create_parameter([d, 8], default_initializer=Normal(0, 0.3)),
            self.create_parameter([d, 8], default_initializer=Normal(0, 0.3)),
        )
        self.logit_scale = self.create_parameter(
            [1], default_initializer=Constant(math.log(1 / 0.07))
        )

    def encode_image(self, x):
        x = self.conv1(x)
        x = x.reshape([x.shape[0], self.d, -1]).transpose([0, 2, 1])
        cls = self.class_embedding + paddle.zeros([x.shape[0], 1, self.d], dtype=x.dtype)
        x = self.ln_pre(paddle.concat([cls, x], axis=1))
        return self.ln_post(self.vis(x)[:, 0, :]) @ self.vproj

    def encode_text(self, text):
        L = text.shape[1]
        x = self.tok(text) + self.pos[:L]
        mask = paddle.triu(paddle.full([L, L], -1e4), diagonal=1).unsqueeze([0, 1])
        x = self.ln_final(self.txt(x, mask))
        eot = text.argmax(axis=-1)
        x = x[paddle.arange(x.shape[0]), eot]
        return x @ self.tproj

    def forward(self, image, text):
        i, t = self.encode_image(image), self.encode_text(text)
        i = i / i.norm(axis=-1, keepdim=True)
        t = t / t.norm(axis=-1, keepdim=True)
        logits = self.logit_scale.exp() * i @ t.t()
        p = F.softmax(logits, axis=-1)
        vals, idx = p.topk(2)
        return logits, logits.t(), vals, idx


@model
def clip_zero_shot_eot_argmax():
    def mk(n, b, h, w, k, l):
        t = ints(n, 28, k, l)
        t[np.arange(k), np.arange(k) % (l - 2) + 2] = 29
        return [arr(n + 1, b, 3, h, w), t]

    return (
        CLIPZeroShot(),
        [S([None, 3, None, None], name="image"), S([None, None], "int64", "text")],
        [mk(371, 2, 12, 16, 3, 6), mk(373, 1, 16, 16, 5, 9)],
    )


class VAEFilm(nn.Layer):
    """A convolutional VAE with the noise as an input, FiLM by a class, KL and ELBO out, a list of layers by index."""

    def __init__(self, z=6, nc=4, c=8):
        super().__init__()
        self.z, self.c = z, c
        self.enc = nn.LayerDict({"a": nn.Conv2D(1, c, 3, 2, 1), "b": nn.Conv2D(c, c, 3, 2, 1)})
        self.mu, self.logvar = nn.Conv2D(c, z, 1), nn.Conv2D(c, z, 1)
        self.film = nn.Embedding(nc, 4 * c)
        self.dec = nn.LayerList(
            [
                nn.Conv2D(z, c, 3, padding=1),
                nn.Conv2D(c, c, 3, padding=1),
                nn.Conv2D(c, 1, 3, padding=1),
            ]
        )

    def forward(self, x, noise, label):
        h = x
        for k in ("a", "b"):
            h = F.celu(self.enc[k](h))
        mu, logvar = self.mu(h), paddle.clip(self.logvar(h), -6.0, 4.0)
        eps = noise[:, :, : paddle.shape(mu)[2], : paddle.shape(mu)[3]]
        y = mu + paddle.exp(0.5 * logvar) * eps
        gb = paddle.unflatten(self.film(label), 1, [2, 2, self.c])
        for i, d in enumerate(self.dec[:-1]):
            y = d(y)
            g, b = gb[:, i, 0], gb[:, i, 1]
            y = F.selu(y * (1 + g.unsqueeze([2, 3])) + b.unsqueeze(axis=[2, 3]))
            y = F.interpolate(y, scale_factor=(2, 2), mode="nearest" if i == 0 else "bilinear")
        rec = self.dec[-1](y)[:, :, : x.shape[2], : x.shape[3]]
        kl = -0.5 * paddle.sum(1 + logvar - mu.square() - logvar.exp(), axis=[1, 2, 3])
        bce = F.binary_cross_entropy_with_logits(rec, x, reduction="none").sum([1, 2, 3])
        return F.sigmoid(rec), kl, -(bce + kl), y


@model
def vae_film_noise_input_elbo():
    mk = lambda n, b, h, w: [uni(n, b, 1, h, w), arr(n + 1, b, 6, 8, 8), ints(n + 2, 4, b)]
    return (
        VAEFilm(),
        [
            S([None, 1, None, None]),
            S([None, 6, None, None], name="noise"),
            S([None], "int64", "label"),
        ],
        [mk(375, 1, 10, 13), mk(378, 2, 16, 12)],
    )
