"""Hard small Paddle models: tensor programming that is hard to serialise and to run again exactly."""

import re

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec

MODELS = {}
SIZES = {
    "N": (3, 5),
    "L": (6, 9),
    "H": (8, 10),
    "W": (7, 12),
    "M": (4, 2),
    "K": (2, 4),
    "Z": (0, 3),
    "O": (1, 4),
}
_ITEM = re.compile(r"(\S+?):(\w+)\[([^\]]*)\](?:<(-?\d+)(?:>(-?\d+))?)?$")


def reg(text, *args, **sizes):
    """'x:float32[N,8] i:int64[N]<5>-2' : names of dims are free, integers in [-2, 5)."""

    def deco(cls):
        def make():
            paddle.seed(7)
            specs, feeds = [], [[], []]
            table = dict(SIZES, **sizes)
            for k, item in enumerate(text.split()):
                name, dtype, dims, hi, lo = _ITEM.match(item).groups()
                dims = [d for d in dims.split(",") if d]
                specs.append(
                    InputSpec([int(d) if d.isdigit() else None for d in dims], dtype, name)
                )
                for which in (0, 1):
                    rng = np.random.default_rng(100 * k + 10 * which + len(cls.__name__))
                    shape = [int(d) if d.isdigit() else table[d][which] for d in dims]
                    if dtype == "bool":
                        a = rng.random(shape) < 0.5
                    elif dtype.startswith(("int", "uint")):
                        a = rng.integers(int(lo or 0), int(hi or 9), shape)
                    elif dtype.startswith("complex"):
                        a = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
                    else:
                        a = rng.standard_normal(shape)
                    feeds[which].append(np.asarray(a).astype(dtype))
            return cls(*args), specs, feeds

        MODELS[cls.__name__] = make
        return cls

    return deco


# ---------------------------------------------------------------- item assignment


@reg("x:float32[N,8] y:float32[N]")
class SetIntsAndSlices(nn.Layer):
    def forward(self, x, y):
        x = x * 1.0
        x[0] = 1.5
        x[-1, 2:5] = y[0]
        x[:, 0] = y
        x[:, -1] = x[:, 0] * 2
        x[1:, 3:7:2] = -x[1:, 4:6]
        return x, x.sum(axis=0)


@reg("x:float32[N,L,4]")
class SetNegativeSteps(nn.Layer):
    def forward(self, x):
        y = paddle.zeros_like(x)
        y[::-1] = x
        y[:, ::-2, 1] = 3
        y[..., ::-1] = y + 0.25
        y[-2::-1, 0] = x[1:, -1]
        return y, y[:, ::-1, ::-2]


@reg("x:float32[N,L,4]")
class SetEllipsisNone(nn.Layer):
    def forward(self, x):
        y = x + 0
        y[..., 1] = paddle.arange(x.shape[1], dtype="float32")
        y[0, ..., -1] = 7
        y[..., 2:] = paddle.to_tensor([-1.0, -2.0])
        z = y[:, None, ..., None, 0]
        z = z[None]
        return z, y[..., None, :][0]


@reg("x:float32[N,6] m:bool[N,6]")
class SetBooleanMasks(nn.Layer):
    def forward(self, x, m):
        y = x.clone()
        y[m] = 0.5
        y[y > 1] = -1
        row = m.any(axis=1)
        y[row] = y[row] * 2 + 1
        y[~m] = y[~m] - 3
        return y, y[m], y[row]


@reg("x:float32[N,6,4] i:int64[K]<3>-3 j:int64[K]<6>-6")
class SetIntegerTensors(nn.Layer):
    def forward(self, x, i, j):
        y = x * 2
        y[i] = y[i] + 100
        y[i, j] = paddle.ones([4]) * 5
        y[:, j] = 0.125
        y[i, :, 1] = -9
        return y, y[i, j], y[:, j, 0], y[i][:, j]


@reg("x:float32[N,5,4] i:int64[K]<3")
class SetMixedAdvancedBasic(nn.Layer):
    def forward(self, x, i):
        y = x + 1
        y[i, 1:3, -1] = -4.0
        y[i, :, 2:] = y[i, :, :2]
        y[1:, [0, 3]] = 0.75
        y[0, [1, 2], 1:3] = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        y[..., [0, -1]] = y[..., [-1, 0]]
        return y, y[i, 1:3, -1]


@reg("x:float32[N,5]")
class SetListValues(nn.Layer):
    def forward(self, x):
        y = paddle.zeros([x.shape[0], 5])
        y[0] = np.array([1, 2, 3, 4, 5], dtype="float32")
        y[1, 1:4] = paddle.to_tensor([9.0, 8.0, 7.0])
        y[-1] = x.mean(axis=0)
        y[:, 2] = float(3)
        y[:, 3] = True
        return y + x


@reg("x:float32[N,6]")
class SetInForLoop(nn.Layer):
    def forward(self, x):
        out = paddle.zeros_like(x)
        for i in range(x.shape[0]):
            out[i] = x[i] * (i + 1)
            if i > 0:
                out[i, 0] = out[i - 1, 0] + 1
        return out


@reg("x:float32[N,6]")
class SetInTensorWhile(nn.Layer):
    def forward(self, x):
        n = paddle.shape(x)[0]
        acc = paddle.zeros([6])
        out = x * 0
        i = paddle.zeros([], dtype="int32")
        while i < n:
            acc = acc * 0.5 + x[i]
            out[i] = acc
            i = i + 1
        return out, acc, i


@reg("x:float32[N,6] t:float32[]")
class SetInBranches(nn.Layer):
    def forward(self, x, t):
        y = x * 1
        if t > 0:
            y[:, 0] = 0
            y[0] = y[0] + t
        elif t > -1:
            y[-1] = 2
        else:
            y[:, ::2] = -t
        y[:, 1] = t
        return y, t


@reg("x:float32[N,6]")
class SetTwiceAlias(nn.Layer):
    def forward(self, x):
        a = x + 0
        b = a
        a[0] = 1
        c = b * 2
        b[:, 0] = 2
        d = a * 2
        a[a > 1.5] = 0
        return a, b + 1, c, d


@reg("x:float32[N,4]")
class SetOnInput(nn.Layer):
    def forward(self, x):
        before = x.sum()
        x[0] = 0
        x[:, 1] += 3
        x[1:] *= 2
        x[..., -1] -= x[..., 0]
        return x, before, x.sum()


@reg("x:float32[N,4]")
class SetOnParameterCopyAndBuffer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([4, 4])
        self.register_buffer("table", paddle.arange(16, dtype="float32").reshape([4, 4]))

    def forward(self, x):
        w = self.w + 0
        w[0] = 1
        w[:, -1] = self.table[2]
        t = self.table.clone()
        t[::2, 1::2] = w[::2, 1::2]
        t[t == 3] = -3
        return x @ w, x @ t, self.table, self.w


@reg("x:float32[N,4]")
class SetOnBufferItself(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", paddle.zeros([6]))

    def forward(self, x):
        self.state[1] = 5
        self.state[2:4] = x.sum(axis=0)[:2]
        return x * self.state[1], self.state * 2


@reg("x:float32[N,3]")
class SetOnConstant(nn.Layer):
    def forward(self, x):
        c = paddle.to_tensor([[1, 2, 3], [4, 5, 6]]) * 1
        c[0, 1] = 50
        c[:, 2] = paddle.to_tensor([-7, 4])
        c[1, :2] = paddle.to_tensor([7, 8])
        e = paddle.eye(3)
        e[1, 1] = -0.5
        e[2] = 1e30
        return x @ c.astype("float32").t(), c, e


@reg("x:int64[N,5]<100>-100 y:float32[N,5]")
class SetAcrossDtypes(nn.Layer):
    def forward(self, x, y):
        a = x + 0
        a[0] = 7
        a[:, 1] = y[:, 1].astype("int64")
        b = y.astype("float64")
        b[:, 0] = 1
        b[1:, 2:] = x[1:, 2:].astype("float64") / 3
        m = x > 0
        m[:, 0] = True
        m[0] = paddle.logical_not(m[0])
        return a, b, m


@reg("x:float32[N,3,5,2] i:int32[K]<3")
class GetEveryKind(nn.Layer):
    def forward(self, x, i):
        return (
            x[0],
            x[-1, ..., 1],
            x[:, 1:2, ::2],
            x[:, :, -1:-4:-1],
            x[..., None, 0],
            x[i[0]],
            x[:, i],
            x[[0, 2]],
            x[[True, False, True] if False else [0, 1], :, [1, 3]],
            x[:, [2, 0], 1:, 0],
            x[i, i, i],
        )


@reg("x:float32[N,L] p:int64[]<3>1")
class GetByTensorBounds(nn.Layer):
    def forward(self, x, p):
        n = paddle.shape(x)[1]
        a = x[:, p:]
        b = x[:, : n - 2]
        c = x[:, n // 2 : n]
        d = x[p]
        e = x[:, -p:]
        return a, b, c, d, e, x[p - 1 : p + 1, ::2]


@reg("x:float32[N,6] m:bool[N]")
class GetBooleanEmpty(nn.Layer):
    def forward(self, x, m):
        none = x[paddle.zeros_like(m)]
        every = x[paddle.ones_like(m)]
        some = x[m]
        return none, every, some, none.sum(), paddle.concat([none, some, every], axis=0)


@reg("x:float32[N,4,4] i:int64[N,1]<4 j:int64[1,3]<4")
class GetBroadcastIndices(nn.Layer):
    def forward(self, x, i, j):
        n = paddle.arange(x.shape[0]).unsqueeze(-1)
        a = x[n, i, j]
        y = x * 1
        y[n, i, j] = a * 10
        return a, y, x[:, i, 0], x[0, i, j]


@reg("x:float32[N,6]")
class InplaceArithmetic(nn.Layer):
    def forward(self, x):
        y = x * 2
        y = y.add_(x)
        y = y.clip_(-1.5, 1.5)
        y = y.subtract_(paddle.to_tensor(0.25))
        y = y.scale_(2.0, 1.0)
        z = y.exp()
        z = z.exp_()
        z = z.sqrt_()
        z = z.tanh_()
        y = y.abs().rsqrt_()
        y = y.ceil_()
        return y, z, x + 0


@reg("x:float32[N,6]")
class InplaceShapes(nn.Layer):
    def forward(self, x):
        y = x + 1
        y = y.reshape_([-1, 2, 3])
        z = y * 1
        z = z.unsqueeze_([0, -1])
        v = z.squeeze(-1) + y
        v = v.squeeze_(0)
        u = v - 1
        u = u.flatten_(1, 2)
        return y * 2, z * 2, u * 2


@reg("x:float32[N,6] u:float32[2,6]")
class InplaceScatterFill(nn.Layer):
    def forward(self, x, u):
        y = x * 1
        y = y.scatter_(paddle.to_tensor([1, 0]), u)
        z = y + 0
        z = z.remainder_(paddle.to_tensor(0.7))
        w = paddle.concat([y, z], axis=0)
        w = w.lerp_(w * 2, 0.25)
        v = x.clone()
        v = v.index_add_(paddle.to_tensor([0, 2, 0]), 1, paddle.ones([x.shape[0], 3]))
        return y, z, w, v


@reg("x:float32[N,6] m:bool[N,6] i:int64[N,2]<6")
class InplaceMaskedPut(nn.Layer):
    def forward(self, x, m, i):
        y = x + 0
        y = y.masked_fill_(m, paddle.to_tensor(-7.0))
        z = x * 1
        z = z.put_along_axis_(i, paddle.full([1, 1], 3.0), 1)
        w = x * 3
        w = paddle.where(m, w, z)
        w = w.floor_()
        return y, z, w


@reg("x:float32[N,4]")
class InplaceOnInputAliased(nn.Layer):
    def forward(self, x):
        keep = x
        x = x.add_(paddle.ones([4]))
        y = keep.shape[1] * x
        x = x.multiply_(paddle.to_tensor(3.0))
        return x - 1, x + 0.5, y


@reg("x:float32[N,4] n:int32[]<5>3")
class InplaceInLoop(nn.Layer):
    def forward(self, x, n):
        y = x * 1
        s = paddle.zeros([1])
        for i in range(n):
            y = y + 1
            s = s + y.mean()
            y = y.clip_(-2.0, 4.0)
            if s > 6:
                y = y - s
        return y, s


@reg("x:float32[N,2,3]")
class SetWithNewAxisAndZeroSize(nn.Layer):
    def forward(self, x):
        y = x + 0
        y[:, None, 0] = x[:, None, 1]
        y[0:0] = 5
        y[1:1, :, 0] = 3
        y[:, :, 2:2] = 1
        z = y[:, 2:]
        return y, z, z.shape[1] + y[:, :1]


@reg("x:float32[N,4] k:int64[]<2")
class SetAtTensorScalar(nn.Layer):
    def forward(self, x, k):
        y = x * 1
        y[k] = 5.0
        y[:, k + 1] = x[:, k]
        y[k, k] += 2
        y[k:, -1] = 0
        y[k + 1, k : k + 2] = 11
        return y, y[k], y[k, k]


@reg("x:float32[N,4]")
class SetOnListOfTensors(nn.Layer):
    def forward(self, x):
        rows = [x[0], x[1] * 2, x[2] * 3]
        rows[1] = rows[1] + rows[0]
        rows[-1] = rows[-1] - 99
        state = {"a": rows[0], "b": [rows[1], rows[2]]}
        state["b"][0] = state["b"][0] - 1
        state["c"] = paddle.stack(rows)
        state["c"][:, 1] = state["a"].sum()
        return state["c"], state["b"][0], paddle.stack(rows + [state["a"]])


@reg("x:float32[N,8]")
class SetChainedGet(nn.Layer):
    def forward(self, x):
        y = x.reshape([-1, 2, 4])
        y[:, 0, 1:][:, 1].add(x[:, 0])
        z = y.transpose([2, 0, 1]) + 1
        z[0] = 0
        z[1:3, :, 1] = z[3:1:-1, :, 0]
        return y.flatten(1), z.transpose([1, 2, 0])


# ---------------------------------------------------------------- runtime shapes


@reg("x:float32[N,L,6]")
class ShapesReshapeExpand(nn.Layer):
    def forward(self, x):
        n, l = x.shape[0], x.shape[1]
        s = paddle.shape(x)
        a = x.reshape([n * l, 6])
        b = a.reshape([s[0], s[1] * 2, 3])
        c = x.mean(axis=1, keepdim=True).expand([n, l * 2, 6])
        d = paddle.full([n, 2, l], 0.5) @ x
        e = paddle.arange(n * l).reshape([n, l]).astype("float32")
        return a, b, c, d, e.unsqueeze(-1) * x, s


@reg("x:float32[N,3,H,W]")
class ShapesInterpolateAndPad(nn.Layer):
    def forward(self, x):
        h, w = x.shape[2], x.shape[3]
        a = F.interpolate(x, size=[h * 2 - 1, w // 2], mode="bilinear", align_corners=True)
        b = F.interpolate(x, scale_factor=1.5, mode="nearest")
        c = F.pad(x, [1, 2, 0, 3], mode="reflect")
        d = F.interpolate(a, size=[h, w], mode="bicubic") - x
        return a, b, c, d


@reg("x:float32[N,L]")
class ShapesRangesAndTile(nn.Layer):
    def forward(self, x):
        n = paddle.shape(x)[0]
        l = paddle.shape(x)[1]
        a = paddle.arange(0, l, 2)
        b = paddle.arange(l - 1, -1, -1)
        c = paddle.linspace(0, 1, l)
        d = paddle.tile(x, [1, 2])
        e = paddle.gather(x, b, axis=1) * c
        f = paddle.eye(4) * n.astype("float32")
        return a, b, c, d, e, f


@reg("x:float32[N,L] y:float32[N,M]", L=(6, 9))
class ShapesMasksFromLengths(nn.Layer):
    def forward(self, x, y):
        l = paddle.shape(x)[1]
        m = paddle.shape(y)[1]
        causal = paddle.tril(paddle.ones([l, l]))
        pos = paddle.arange(l).unsqueeze(0)
        keep = (pos < m).astype("float32")
        z = x * keep
        big = paddle.concat([z, y, paddle.zeros([x.shape[0], 1])], axis=-1)
        return (
            causal @ z.t(),
            big,
            paddle.where(causal > 0, paddle.zeros([1]), paddle.full([1], -1e9)),
        )


@reg("x:float32[N,L,8]")
class ShapesChunkWindow(nn.Layer):
    def forward(self, x):
        l = x.shape[1]
        w = 4
        p = (w - l % w) % w
        x = paddle.concat([x, paddle.zeros([x.shape[0], p, 8])], axis=1)
        y = x.reshape([x.shape[0], -1, w, 8])
        z = y.max(axis=2)
        return y, z, (y - z.unsqueeze(2)).reshape([0, -1, 8])[:, :l]


@reg("x:float32[N,2,H,W]")
class ShapesGridSample(nn.Layer):
    def forward(self, x):
        n, c, h, w = paddle.shape(x)
        ys = paddle.linspace(-1, 1, h)
        xs = paddle.linspace(-1, 1, w)
        gy, gx = paddle.meshgrid(ys, xs)
        grid = paddle.stack([gx, gy * 0.8 + 0.1], axis=-1).unsqueeze(0)
        grid = paddle.expand(grid, [n, h, w, 2])
        return F.grid_sample(x, grid, padding_mode="border", align_corners=True), grid


@reg("x:float32[N,L,4] y:float32[N,L,4]")
class ShapesSliceAssignRuntime(nn.Layer):
    def forward(self, x, y):
        l = paddle.shape(x)[1]
        out = paddle.zeros([x.shape[0], x.shape[1] * 2, 4])
        out[:, :l] = x
        out[:, l:] = y
        out[:, ::2] = out[:, 1::2]
        return out, out[:, l - 1 : l + 1]


@reg("x:float32[N,O,Z,3]")
class ShapesZeroAndOne(nn.Layer):
    def forward(self, x):
        a = paddle.concat([x, paddle.ones([x.shape[0], x.shape[1], 2, 3])], axis=2)
        b = x.transpose([2, 0, 1, 3])
        c = a.sum(axis=2)
        return a, b, c, x * 2 + 1, paddle.shape(x)


@reg("x:float32[N,L]")
class ShapesNumelRank(nn.Layer):
    def forward(self, x):
        k = paddle.numel(x)
        r = paddle.rank(x)
        m = x.sum() / k.astype("float32")
        flat = x.flatten()
        return m, k, r, flat[k - 1], flat[k // 2 :], paddle.zeros([k]) + flat


# ---------------------------------------------------------------- dtypes


@reg("a:int32[N,4]<9>-9 b:int64[N,4]<5>1 f:float32[N,4]")
class TypesMixed(nn.Layer):
    def forward(self, a, b, f):
        c = a.astype("int64") // b
        d = a.astype("int64") % b
        e = a / 4
        g = b.astype("float64") / 3 + f.astype("float64")
        h = f * 2 + a.astype(f.dtype) - True
        return c, d, e, g, h, f // 0.3, f % 0.7, -f % 1.1, 1 / (b + 1), 2**b


@reg("a:uint8[N,4]<255 b:int8[N,4]<127>-128 c:int16[N,4]<3000>-3000")
class TypesNarrowInts(nn.Layer):
    def forward(self, a, b, c):
        u = a.reshape([4, -1])
        v = b.unsqueeze(0).astype("float64") * 1.5
        w = c.astype("int32") * 30000
        y = paddle.stack([a.astype("int32"), b.astype("int32"), c.astype("int32")], axis=1)
        x = (w > 100) & (y[:, 1] < 50)
        return (
            u,
            v,
            w,
            y,
            a.astype("float32") / 255.0,
            b.astype("uint8"),
            c.astype("int8"),
            (w - y[:, 0]).astype("int16"),
            x,
        )


@reg("a:int64[N,4]<1000>-1000 b:int64[N,4]<50>1 m:bool[N,4]")
class TypesBitwise(nn.Layer):
    def forward(self, a, b, m):
        return (
            a & b,
            a | b,
            a ^ b,
            ~a,
            m.astype("int32") + 1,
            paddle.bitwise_and(a, paddle.full_like(a, 255)),
            (a << b.clip(max=8)) if hasattr(a, "__lshift__") else a * 3,
            m ^ (a > 0),
            ~m,
            m & (b > 3),
            paddle.logical_xor(m, a > 0),
        )


@reg("a:float16[N,4] b:float32[N,4]")
class TypesHalf(nn.Layer):
    def forward(self, a, b):
        c = a.astype("float32") * b
        d = c.astype("float16").astype("float32")
        e = b.astype("bfloat16").astype("float32")
        f = paddle.full([1], 65504.0, dtype="float16").astype("float32")
        g = paddle.concat([a, b.astype("float16")], axis=1)
        return (
            c,
            d,
            e,
            f,
            g,
            a.reshape([2, -1]),
            b + paddle.to_tensor([0.1], dtype="bfloat16").astype("float32"),
        )


@reg("a:complex64[N,4] b:float32[N,4]")
class TypesComplex(nn.Layer):
    def forward(self, a, b):
        c = a * a.conj()
        d = paddle.complex(b, b * 2)
        e = a @ d.transpose([1, 0])
        return (
            c,
            d + a,
            e,
            paddle.abs(a),
            paddle.angle(d),
            a.real() - b,
            paddle.as_real(a),
            (d / (a + 2)).imag(),
        )


@reg("r:float64[N,3] t:float64[N,3]")
class TypesComplex128(nn.Layer):
    def forward(self, r, t):
        z = paddle.polar(paddle.abs(r), t)
        w = paddle.as_complex(paddle.stack([r, t], axis=-1))
        return (
            z,
            w.astype("complex64"),
            z * w,
            z.conj() + paddle.ones([1], dtype="float64"),
            paddle.exp(t) * z,
            paddle.as_real(w - z).sum(axis=0),
        )


@reg("a:int64[N,3]<6>-6 f:float32[N,3]")
class TypesPowers(nn.Layer):
    def forward(self, a, f):
        return (
            a**2,
            a**3,
            f**2,
            f**3.0,
            paddle.abs(f) ** 0.5,
            paddle.pow(a, 2),
            2.0**f,
            f**-1,
            (a.astype("float32") ** 3) / 7,
            paddle.abs(f) ** a.astype("float32"),
            -(a**2),
            -(f**2),
        )


@reg("a:float32[N,3] b:float64[N,3] c:int32[N,3]")
class TypesComparisons(nn.Layer):
    def forward(self, a, b, c):
        d = a.astype("float64")
        return (
            (a > b.astype("float32")).astype("int64").sum(),
            a > 0,
            a >= 0.5,
            d == b,
            d != b,
            c == 3,
            c < 2,
            a.isnan(),
            paddle.isclose(a, b.astype("float32"), atol=0.5),
            paddle.equal_all(c, c + 0),
            paddle.allclose(d, b),
            (c > 1).all(),
            (c > 7).any(axis=0),
            a > 1,
        )


@reg("x:float32[N,4] b:bool[N,4]")
class TypesReduceBoolInt(nn.Layer):
    def forward(self, x, b):
        i = (x * 10).astype("int32")
        return (
            i.sum(),
            i.sum(axis=0, dtype="float64"),
            b.astype("int32").sum(axis=1),
            i.max(axis=1),
            i.prod(axis=0, dtype="int64"),
            x.mean(axis=[0, 1], keepdim=True),
            paddle.cumsum(i, axis=0),
            paddle.count_nonzero(x > 0, axis=1),
            i.argmax(axis=1, dtype="int32"),
            i.argmin(keepdim=True),
            x.cumprod(dim=1),
            b.all(axis=0),
        )


# ---------------------------------------------------------------- constants


@reg("x:float32[N,3]")
class ConstNanInf(nn.Layer):
    def forward(self, x):
        c = paddle.to_tensor([float("nan"), float("inf"), -float("inf")])
        y = x + c
        z = paddle.where(paddle.isfinite(y), y, paddle.zeros_like(y) - 5)
        m = paddle.full([3], float("-inf"))
        s = F.softmax(paddle.where(x > 0, x, m), axis=-1)
        return (
            y,
            z,
            s,
            paddle.nan_to_num(y, nan=1.0, posinf=2.0, neginf=-2.0),
            x.clip(max=0.5),
            paddle.isinf(y),
        )


@reg("x:int64[N,2]<3")
class ConstBigInts(nn.Layer):
    def forward(self, x):
        a = x + paddle.to_tensor([9007199254740993])
        b = paddle.full([2], 9223372036854775800, dtype="int64") + x
        c = paddle.to_tensor([-9223372036854775807, 4611686018427387905])
        d = (x + 1) * paddle.to_tensor(1000000007) * paddle.to_tensor([1000003])
        return (
            a,
            b,
            c - x,
            d,
            d % paddle.to_tensor([998244353]),
            paddle.to_tensor([2147483647, -2147483648], dtype="int32") + 0,
        )


@reg("x:float32[N,2] y:float64[N,2]")
class ConstTiny(nn.Layer):
    def forward(self, x, y):
        a = x * 1e-38 * 1e30
        b = y * paddle.full([2], 1e-300, dtype="float64")
        c = paddle.to_tensor(np.array([1e-45, 1.1754944e-38], dtype="float32"))
        d = paddle.to_tensor([0.1, 1 / 3], dtype="float64")
        return (
            a,
            b * paddle.full([1], 1e300, dtype="float64"),
            c * 1e38,
            y * d,
            x + 1.0000001,
            y + 3.141592653589793,
            paddle.full([2], 0.1, dtype="float64"),
        )


@reg("x:float32[N,3]")
class ConstNumpyAndLists(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = np.linspace(-1, 1, 9).reshape(3, 3).astype("float32")
        self.order = [2, 0, 1]
        self.scale = 0.3

    def forward(self, x):
        a = x @ paddle.to_tensor(self.table)
        b = paddle.gather(x, paddle.to_tensor(self.order), axis=1) * self.scale
        c = paddle.to_tensor([[1.0, 2], [3, 4]])
        d = paddle.assign(np.array([[True, False, True]]))
        e = paddle.to_tensor([])
        return a, b, c + x[0, 0], paddle.concat([e, x[:, 0]]), paddle.logical_and(d, x > 0)


@reg("x:float32[] y:float32[N]")
class ConstZeroDim(nn.Layer):
    def forward(self, x, y):
        a = paddle.to_tensor(2.5)
        b = paddle.to_tensor(7)
        c = x * a
        d = y.sum()
        e = paddle.stack([x, c, d])
        f = x.unsqueeze(0).expand([3])
        return (
            c,
            d,
            e,
            f,
            b + 0,
            x.reshape([1, 1]),
            paddle.full([], 3) + x,
            y[0] + 0,
            x.tile([2]),
            y.max() > x,
        )


# ---------------------------------------------------------------- control flow


@reg("x:float32[N,4] t:float32[1]")
class FlowNestedIf(nn.Layer):
    def forward(self, x, t):
        if t > 0.5:
            if x.sum() > 0:
                y = x
            else:
                y = -x
            k = paddle.to_tensor(1)
        elif t > -0.5:
            y = paddle.zeros_like(x)
            k = paddle.to_tensor(2)
        else:
            y = x * 3
            k = paddle.to_tensor(3)
            if paddle.shape(x)[0] > 4:
                y = y + 1
                k = k * 10
        return y, k


@reg("x:float32[N,4] n:int64[]<6>4")
class FlowWhileMixedDtypes(nn.Layer):
    def forward(self, x, n):
        i = paddle.zeros([], dtype="int64")
        s = paddle.zeros([4], dtype="float64")
        flag = paddle.to_tensor(True)
        h = paddle.ones([2], dtype="int32")
        while (i < n) and flag:
            s = s + x.sum(axis=0).astype("float64") * i.astype("float64")
            h = h * 2 + i.astype("int32")
            flag = s.abs().max() < 10
            i += 1
        return i, s, h, flag


@reg("x:float32[N,4] n:int32[]<6>3")
class FlowBreakContinue(nn.Layer):
    def forward(self, x, n):
        y = x * 0
        c = paddle.zeros([], dtype="int64")
        for i in range(n):
            if i == 1:
                continue
            y = y + x
            c = c + i
            if y.sum() > 5:
                break
            y = y * 1.5
        return y, c


@reg("x:float32[N,4] n:int32[]<1")
class FlowNoIterations(nn.Layer):
    def forward(self, x, n):
        y = x + 1
        k = paddle.zeros([1], dtype="int64")
        for i in range(n):
            y = y * 2
            k = k + 1
        j = n * 1
        while j > 0:
            y = y - 1
            j = j - 1
        return y, k, j


@reg("x:float32[N,4]")
class FlowEarlyReturn(nn.Layer):
    def forward(self, x):
        s = x.mean()
        if s > 0.1:
            return x * 2, s
        if s < -0.1:
            return -x, s + 1
        return x + 10, s * 0


@reg("x:float32[N,4] n:int64[]<4>2")
class FlowNestedLoops(nn.Layer):
    def forward(self, x, n):
        total = paddle.zeros([4])
        i = paddle.zeros([], dtype="int64")
        while i < n:
            j = i * 1
            while j < n:
                if (i + j) % 2 == 0:
                    total = total + x[0] * (j.astype("float32") + 1)
                else:
                    total = total - x[1]
                j = j + 1
            i = i + 1
        return total, i


@reg("x:float32[N,4]")
class FlowIterateTensor(nn.Layer):
    def forward(self, x):
        h = paddle.zeros([4])
        outs = []
        for row in x.transpose([1, 0]).unbind(0):
            h = h * 0.5 + row.sum()
            outs.append(h)
        for k, o in enumerate(outs):
            if k % 2:
                outs[k] = o * -1
        s = paddle.zeros([4])
        for r in x:
            s = s + r * r
        return paddle.stack(outs), s


@reg("x:float32[N,4]")
class FlowListAppendInTensorLoop(nn.Layer):
    def forward(self, x):
        outs = []
        h = x[0] * 0
        for i in range(paddle.shape(x)[0]):
            h = F.tanh(h + x[i])
            outs.append(h)
        y = paddle.stack(outs, axis=0)
        return y, h


@reg("x:float32[N,4] k:int32[1]<3")
class FlowStaticApi(nn.Layer):
    def forward(self, x, k):
        a = paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 3)
        b = paddle.static.nn.switch_case(
            k, {0: lambda: x + 1, 1: lambda: x * x}, default=lambda: paddle.zeros_like(x)
        )
        c = paddle.static.nn.case(
            [(x.max() > 2, lambda: x / 2), (x.min() < -1, lambda: -x)], default=lambda: x * 7
        )
        return a, b, c


@reg("x:float32[N,4] n:int64[1]<5>2")
class FlowStaticWhile(nn.Layer):
    def forward(self, x, n):
        i = paddle.zeros([1], dtype="int64")

        def test(i, a, b):
            return i < n

        def body(i, a, b):
            return [i + 1, a + b, b * 0.5]

        i, a, b = paddle.static.nn.while_loop(test, body, [i, x, x * 2])
        return i, a, b


@reg("x:float32[N,4] a:float32[N,4] b:float32[N,4] unused:float32[3]")
class FlowBranchOnlyInputs(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([4])
        self.v = self.create_parameter([4], default_initializer=nn.initializer.Constant(0.5))

    def forward(self, x, a, b, unused):
        if x.sum() > unused.sum() * 0:
            y = a
            w = self.w
        else:
            y = b * 2
            w = self.v
        return y + 0, w + x, x


@reg("x:float32[N,4]")
class FlowRecursionAndClosures(nn.Layer):
    def halve(self, x, depth):
        if depth == 0:
            return x
        l, r = self.halve(x * 0.5, depth - 1), self.halve(x + depth, depth - 1)
        return l - r * 0.25

    def forward(self, x):
        def scale(v, k=3):
            return v * k

        state = {"h": x, "steps": (scale(x), x + 1)}
        for name in ["p", "q"]:
            state[name] = state["h"] + scale(state["steps"][0], 2)
            state["h"] = self.halve(state[name], 3)
        return state["h"], state["p"], sum([state["q"], *state["steps"]])


@reg("x:float32[N,4] m:bool[1]")
class FlowTernaryAndBool(nn.Layer):
    def forward(self, x, m):
        y = x * 2 if m else x - 1
        z = y if (m and x.sum() > 0) else -y
        if not m or y.max() > 1:
            z = z + 100
        k = 0
        if m:
            k = 1
        assert x.shape[1] == 4
        return y, z, z * k


@reg("x:float32[N,4] n:int32[]<6>2")
class FlowLoopSliceConcat(nn.Layer):
    def forward(self, x, n):
        y = x[:, :1]
        i = paddle.zeros([], dtype="int32")
        while i < n:
            y = paddle.concat([y, y[:, -1:] * 2 + 1], axis=1)
            i = i + 1
        return y, paddle.shape(y)[1]


# ---------------------------------------------------------------- statistics, sorting, searching


@reg("x:float32[N,7]")
class StatSpread(nn.Layer):
    def forward(self, x):
        m = x.mean(axis=1, keepdim=True)
        return (
            x.std(axis=0),
            x.var(axis=1, unbiased=False),
            paddle.std(x),
            x.median(axis=1),
            paddle.quantile(x, 0.3, axis=1),
            paddle.quantile(x, [0.1, 0.9], axis=0),
            (x - m) / x.std(axis=1, keepdim=True),
            paddle.logsumexp(x, axis=[0, 1]),
            paddle.dist(x, m, p=3),
            x.norm(p=1, axis=1),
            x.norm(),
            paddle.norm(x, p=float(2), axis=[0, 1]),
        )


@reg("x:float32[N,7]")
class StatNan(nn.Layer):
    def forward(self, x):
        y = paddle.where(x > 1.0, paddle.log(-paddle.abs(x) - 1), x)
        return (
            paddle.nanmedian(y, axis=1),
            paddle.nanmean(y, axis=1),
            paddle.nansum(y),
            paddle.nanquantile(y, 0.5, axis=0),
            paddle.nan_to_num(y).sum(axis=0),
            paddle.isnan(y).astype("int32"),
            paddle.amax(x, axis=0),
            paddle.amin(x, axis=[0, 1]),
        )


@reg("x:float32[N,7] i:int64[L]<6")
class StatCounts(nn.Layer):
    def forward(self, x, i):
        h = paddle.histogram(x, bins=5, min=-2, max=2)
        b = paddle.bincount(i, minlength=8)
        v, k = paddle.kthvalue(x, 3, axis=1)
        mv, mi = paddle.mode(i.astype("float32").unsqueeze(0), axis=-1)
        return h, b, v, k, mv, F.one_hot(i, 6).sum(axis=0), b.astype("float32") / i.shape[0]


@reg("x:float32[4,9] y:float32[M,5]")
class StatCovariance(nn.Layer):
    def forward(self, x, y):
        c = paddle.linalg.cov(x)
        r = paddle.linalg.corrcoef(x)
        d = paddle.cdist(y, y + 1, p=2.0)
        n = paddle.renorm(y, 2.0, 0, 1.0)
        return c, r, d, n, paddle.trace(c), c - c.t()


@reg("x:float32[N,7] y:int64[N,7]<4")
class SortStableAndTopk(nn.Layer):
    def forward(self, x, y):
        s = paddle.sort(x, axis=1, descending=True)
        i = paddle.argsort(x, axis=0)
        v, k = paddle.topk(x, 3, axis=1, largest=False)
        v2, k2 = x.topk(2, axis=0)
        g = paddle.take_along_axis(x, i, axis=0)
        z = paddle.sort(y, axis=-1)
        r = paddle.argsort(i, axis=0)
        return s, i, v, k, v2, k2, g, z, r, paddle.take_along_axis(g, r, 0) - x


@reg("x:float32[N,7] q:float32[M]")
class SearchBuckets(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", paddle.to_tensor([-1.0, -0.3, 0.0, 0.6, 2.0]))
        self.emb = nn.Embedding(6, 3)

    def forward(self, x, q):
        b = paddle.bucketize(x, self.edges)
        s = paddle.searchsorted(
            paddle.sort(x, axis=1), q.unsqueeze(0).expand([x.shape[0], -1]), right=True
        )
        r = paddle.searchsorted(self.edges, q, out_int32=True)
        return b, s, r, self.emb(b).mean(axis=1)


@reg("x:int64[L]<5 y:float32[N,6]")
class SearchUniqueNonzero(nn.Layer):
    def forward(self, x, y):
        u, idx, inv, cnt = paddle.unique(
            x, return_index=True, return_inverse=True, return_counts=True
        )
        c, ci, cc = paddle.unique_consecutive(x, return_inverse=True, return_counts=True)
        n = paddle.nonzero(y > 0)
        w = paddle.where(y < -0.5)
        m = paddle.masked_select(y, y > 0)
        back = paddle.gather(u, inv)
        g = paddle.gather_nd(y, n)
        return u, idx, inv, cnt, c, ci, cc, n, w[0] + 0, w[1] + 0, m, back - x, g - m


@reg("x:float32[N,6] i:int64[N,3]<6 t:int64[M,2]<12")
class SearchTakes(nn.Layer):
    def forward(self, x, i, t):
        a = paddle.index_sample(x, i)
        b = paddle.take(x, t)
        c = paddle.take_along_axis(x, i[:1].expand_as(i), axis=1)
        d = paddle.index_select(x, i[0], axis=1)
        e = x.flatten()[t.flatten() % 5]
        f = paddle.gather(x.flatten(), (t - 3).clip(min=0).flatten())
        return (
            a,
            b,
            c,
            d,
            e,
            f,
            a.argmax(axis=1),
            paddle.multiplex([x, x * 2], paddle.zeros([x.shape[0], 1], "int32") + 1),
        )


# ---------------------------------------------------------------- linear algebra


def _spd(x):
    return x @ x.transpose([0, 2, 1]) + paddle.eye(4) * 2


@reg("x:float32[N,4,4] b:float32[N,4,2]")
class LinalgSolvers(nn.Layer):
    def forward(self, x, b):
        a = _spd(x)
        l = paddle.linalg.cholesky(a)
        s = paddle.linalg.solve(a, b)
        t = paddle.linalg.triangular_solve(l, b, upper=False)
        c = paddle.linalg.cholesky_solve(b, l, upper=False)
        i = paddle.linalg.inv(a)
        return l, s, t, c, i, paddle.linalg.det(a), i @ a, l.transpose([0, 2, 1])


@reg("x:float32[N,4,4]")
class LinalgDecompositions(nn.Layer):
    def forward(self, x):
        a = _spd(x)
        w, v = paddle.linalg.eigh(a)
        u, s, vh = paddle.linalg.svd(x)
        q, r = paddle.linalg.qr(x)
        back = (u * s.unsqueeze(1)) @ vh
        sl = paddle.linalg.slogdet(a)
        return (
            w,
            s,
            (v * w.unsqueeze(1)) @ v.transpose([0, 2, 1]),
            q @ r,
            back,
            sl,
            paddle.linalg.eigvalsh(a),
            r.abs(),
        )


@reg("x:float64[5,3] y:float64[5,2]")
class LinalgLeastSquares(nn.Layer):
    def forward(self, x, y):
        p = paddle.linalg.pinv(x)
        s = p @ y
        r = x @ s - y
        return (
            p,
            s,
            r.norm(),
            paddle.linalg.matrix_rank(x),
            paddle.linalg.matrix_power(x.t() @ x, 2),
            paddle.linalg.matrix_power(x.t() @ x, -1),
            paddle.linalg.cond(x),
        )


@reg("x:float32[N,L,4] y:float32[N,L,4]")
class LinalgEinsum(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([4, 2, 3])

    def forward(self, x, y):
        return (
            paddle.einsum("nld,nmd->nlm", x, y),
            paddle.einsum("...d,dhk->...hk", x, self.w),
            paddle.einsum("nld->dln", x),
            paddle.einsum("nld,nld->", x, y),
            paddle.einsum("bld,dhk,bmd->blhm", x, self.w, y),
            paddle.einsum("ijk->j", x),
            paddle.einsum("nld,nle->nde", x, y),
        )


@reg("x:float32[N,3] y:float32[M,3]")
class LinalgProducts(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([3, 5])

    def forward(self, x, y):
        k = paddle.kron(x, paddle.to_tensor([[1.0, -1.0]]))
        t = x @ paddle.tensordot(self.w, self.w, axes=[[1], [1]]) @ y.t()
        o = paddle.outer(x[0], y[:, 0])
        c = paddle.cross(x, x.flip(axis=1), axis=1)
        m = paddle.linalg.multi_dot([x, self.w, self.w.t(), y.t()])
        return (
            k,
            t,
            o,
            c,
            m,
            paddle.dot(x[0], y[0]),
            paddle.mv(x, y[1]),
            paddle.addmm(t, x, y.t(), beta=0.5, alpha=2.0),
            paddle.bmm(x.unsqueeze(0), self.w.unsqueeze(0)),
        )


@reg("x:float32[N,5] s:float32[N,4,6]")
class LinalgDiagonals(nn.Layer):
    def forward(self, x, s):
        a = paddle.diag(x[0], offset=1)
        b = paddle.diagflat(x[:, :2], offset=-1)
        c = (
            F.diag_embed(x, offset=-1, dim1=0, dim2=2)
            if hasattr(F, "diag_embed")
            else paddle.diag_embed(x, offset=-1, dim1=0, dim2=2)
        )
        d = paddle.diagonal(s, offset=1, axis1=1, axis2=2)
        e = paddle.trace(s, offset=-1, axis1=1, axis2=2)
        i = paddle.tril_indices(4, 4, -1)
        f = s[:, i[0], i[1]]
        j = paddle.triu_indices(4, 6, 2)
        return (
            a,
            b,
            c,
            d,
            e,
            f,
            i,
            j,
            paddle.tril(s, -1) + paddle.triu(s, 2),
            paddle.diag(x[1], padding_value=9),
        )


@reg("x:float32[N,8]")
class FftReal(nn.Layer):
    def forward(self, x):
        r = paddle.fft.rfft(x)
        y = paddle.fft.irfft(r * paddle.fft.rfftfreq(8).astype("complex64"))
        s = paddle.fft.fftshift(x, axes=1)
        u = paddle.fft.ifftshift(s, axes=1)
        return (
            r,
            y,
            s,
            u - x,
            paddle.abs(r),
            paddle.angle(r),
            paddle.fft.irfft(r, n=6),
            paddle.fft.rfft(x, n=5, norm="ortho"),
            paddle.fft.hfft(r),
        )


@reg("x:float32[N,4,6]")
class FftComplex2d(nn.Layer):
    def forward(self, x):
        z = paddle.fft.fft2(x.astype("complex64"))
        w = paddle.fft.ifft2(z)
        k = paddle.fft.rfft2(x)
        f = paddle.as_real(z)
        g = paddle.as_complex(f * 2)
        m = z @ z.transpose([0, 2, 1]).conj()
        return (
            z,
            w.real(),
            k,
            paddle.fft.irfft2(k),
            f,
            g.imag(),
            m,
            paddle.fft.fftn(x.astype("complex64"), axes=[0, 2]),
            paddle.fft.ihfft(x),
        )


# ---------------------------------------------------------------- rearranging


@reg("x:float32[N,4,6]")
class MoveFlips(nn.Layer):
    def forward(self, x):
        return (
            paddle.roll(x, [1, -2], axis=[1, 2]),
            paddle.roll(x, 3),
            paddle.rot90(x, k=-1, axes=[1, 2]),
            x.flip([0, 2]),
            paddle.moveaxis(x, [0, 1], [-1, 0]),
            x.flatten(1),
            x.flatten(0, 1),
            x.transpose([2, 1, 0]),
            x.unsqueeze([0, -1]).squeeze(0),
        )


@reg("x:float32[N,7,6]")
class MoveSplits(nn.Layer):
    def forward(self, x):
        a, b, c = paddle.split(x, [2, -1, 3], axis=1)
        d = paddle.chunk(x, 3, axis=2)
        u = x.unbind(axis=1)
        s = paddle.stack([u[6], u[0], u[3]], axis=-1)
        t = paddle.concat([c, a, b], axis=1)
        return a, b + 0, c, d[1] - d[2], s, t, paddle.add_n(list(u)), paddle.unstack(x, axis=2)[5]


@reg("x:float32[N,4] r:int64[4]<4")
class MoveRepeats(nn.Layer):
    def forward(self, x, r):
        a = paddle.repeat_interleave(x, r + 1, axis=1)
        b = paddle.repeat_interleave(x, 2, axis=0)
        c, d = paddle.broadcast_tensors([x.unsqueeze(1), x.unsqueeze(0)])
        e, f = paddle.meshgrid(x[:, 0], r.astype("float32"))
        g = paddle.crop(x, shape=[2, 2], offsets=[1, 1])
        h = paddle.strided_slice(x, axes=[0, 1], starts=[-1, 0], ends=[-100, 4], strides=[-1, 3])
        return (
            a,
            b,
            c - d,
            e,
            f,
            g,
            h,
            paddle.expand_as(x[:1], x),
            paddle.shard_index(r.unsqueeze(1), 8, 2, 0),
        )


@reg("x:float32[6,4] i:int64[N,1]<6 u:float32[N,4]")
class MoveScatters(nn.Layer):
    def forward(self, x, i, u):
        a = paddle.scatter_nd(i, u, [6, 4])
        b = paddle.scatter_nd_add(x, i, u)
        c = paddle.scatter(x, i.squeeze(1), u, overwrite=False)
        d = paddle.index_put(x, (i.squeeze(1), i.squeeze(1) % 4), u[:, 0], accumulate=True)
        e = paddle.index_add(x, i.squeeze(1), 0, u * 2)
        return (
            a,
            b,
            c,
            d,
            e,
            paddle.gather(b, i.squeeze(1)),
            paddle.index_fill(x, paddle.to_tensor([1, 3]), 1, -1)
            if hasattr(paddle, "index_fill")
            else x * 1,
        )


@reg("x:float32[N,6] i:int64[N,3]<6")
class MovePutAlongAxis(nn.Layer):
    def forward(self, x, i):
        v = paddle.take_along_axis(x, i, 1) * 2
        a = paddle.put_along_axis(x, i, paddle.ones_like(v) * 7, 1)
        b = paddle.put_along_axis(x, i, v, 1, reduce="add")
        c = paddle.put_along_axis(x, i, v, 1, reduce="multiply")
        d = paddle.put_along_axis(x, i[:, :1], v[:, :1] + 1, 1)
        return a, b, c, d


@reg("x:float32[N,6] i:int64[N,3]<6")
class MovePutAlongAxisMore(nn.Layer):
    def forward(self, x, i):
        v = paddle.take_along_axis(x, i, 1) * 2
        a = paddle.put_along_axis(x, i, v, 1, reduce="amax")
        b = paddle.put_along_axis(x, i, v, 1, reduce="amin", include_self=True)
        c = paddle.put_along_axis(x, i, v, 1, reduce="mean")
        return a, b, c


# ---------------------------------------------------------------- rounding, special functions


@reg("x:float32[N,5] y:float32[N,5]")
class SpecialRounding(nn.Layer):
    def forward(self, x, y):
        z = x * 10
        half = paddle.round(z) + 0.5
        return (
            paddle.round(half),
            paddle.trunc(z),
            paddle.frac(z),
            paddle.floor(-half),
            paddle.ceil(z),
            paddle.sign(x),
            paddle.heaviside(paddle.round(x), y),
            z.floor_divide(y),
            z.remainder(y),
            paddle.fmax(x, y),
            paddle.fmin(x, y),
            paddle.lerp(x, y, 0.3),
            paddle.stanh(x),
            paddle.logaddexp(x, y),
        )


@reg("x:float32[N,5] y:float64[N,5]")
class SpecialGamma(nn.Layer):
    def forward(self, x, y):
        p = paddle.abs(y) + 0.5
        u = paddle.tanh(x) * 0.9
        return (
            paddle.erfinv(u),
            paddle.lgamma(p),
            paddle.digamma(p),
            paddle.i0(x),
            paddle.i1e(y),
            paddle.polygamma(p, 2),
            paddle.logit(F.sigmoid(x), eps=1e-3),
            paddle.erf(y),
            paddle.expm1(x),
            paddle.log1p(p),
            paddle.atan2(x, x + 1),
            paddle.asinh(y),
            paddle.acosh(p + 1),
            paddle.rsqrt(p),
            paddle.multigammaln(p + 3, 2) if hasattr(paddle, "multigammaln") else p * 1,
        )


@reg("x:float32[N,5] y:float32[N,5]")
class SpecialBits(nn.Layer):
    def forward(self, x, y):
        m, e = paddle.frexp(x)
        return (
            paddle.nextafter(x, y),
            paddle.copysign(x, y),
            paddle.hypot(x, y),
            paddle.ldexp(m, e.astype("int32")),
            m + 0,
            paddle.deg2rad(x),
            paddle.rad2deg(y),
            paddle.clip(x, paddle.to_tensor(-0.5), paddle.to_tensor([0.5])),
            paddle.clip(x, min=0.1),
            x.clip(max=y.max()),
            paddle.diff(x, axis=1),
            paddle.trapezoid(y, dx=0.5),
            paddle.vander(x[0], 3),
        )


@reg("x:float32[N,5]")
class SpecialSafeWhere(nn.Layer):
    def forward(self, x):
        a = paddle.where(x == 0, paddle.ones_like(x), paddle.sin(x * 3.14159) / (x * 3.14159))
        b = paddle.logcumsumexp(x, axis=1)
        c, ci = paddle.cummax(x, axis=1)
        d, di = paddle.cummin(x, axis=0)
        e = paddle.nan_to_num(paddle.log(x), nan=0.0)
        f = 1.0 / paddle.zeros_like(x)
        return (
            a,
            b,
            c,
            ci,
            d,
            di,
            e,
            f,
            paddle.isfinite(f).astype("int64"),
            paddle.reciprocal(x),
            paddle.square(x) - x**2,
            x.sgn(),
        )


# ---------------------------------------------------------------- layers with odd settings


@reg("x:float32[N,4,H,W]")
class LayerConvPaddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2D(4, 6, 3, padding="SAME", groups=2)
        self.b = nn.Conv2D(6, 4, [3, 2], padding=[1, 0, 2, 1], dilation=[1, 2], bias_attr=False)
        self.c = nn.Conv2D(4, 3, 3, padding="valid", stride=2)
        self.d = nn.Conv2D(4, 8, 3, padding=1, groups=4, padding_mode="circular")
        self.e = nn.Conv2D(4, 2, 3, padding=[[0, 0], [0, 0], [2, 0], [0, 1]])

    def forward(self, x):
        y = self.b(self.a(x))
        return y, self.c(x), self.d(x), self.e(x), F.relu6(y)


@reg("x:float32[N,4,H,W]")
class LayerConvTranspose(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.b = nn.Conv2DTranspose(4, 2, 3, stride=2, padding=1)
        self.c = nn.Conv1DTranspose(4, 3, 4, stride=2, dilation=1)

    def forward(self, x):
        h, w = x.shape[2], x.shape[3]
        return self.a(x), self.b(x, output_size=[h * 2, w * 2]), self.c(x.mean(axis=3)), self.b(x)


@reg("x:float32[N,H,W,4] y:float32[N,4,6,L,5]", H=(8, 9))
class LayerConvLastAnd3d(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2D(4, 6, 3, padding=1, data_format="NHWC")
        self.n = nn.BatchNorm2D(6, data_format="NHWC")
        self.b = nn.Conv3D(4, 2, [1, 3, 3], padding=[0, 1, 1])
        self.c = nn.InstanceNorm3D(2)
        self.p = nn.AdaptiveAvgPool3D([2, None, 1])

    def forward(self, x, y):
        z = self.c(self.b(y))
        return (
            F.max_pool2d(self.n(self.a(x)), 2, data_format="NHWC"),
            z,
            F.adaptive_avg_pool3d(z, [2, 3, 1]),
        )


@reg("x:float32[N,3,8,W]", W=(8, 12))
class LayerPools(nn.Layer):
    def forward(self, x):
        a = F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=False)
        b = F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True)
        c = F.avg_pool2d(x, 2, divisor_override=3)
        d, m = F.max_pool2d(x, 2, stride=2, return_mask=True)
        u = F.upsample(d, scale_factor=2)
        e = F.adaptive_max_pool2d(x, [3, 2])
        f = F.avg_pool2d(x, [2, 3], padding="SAME")
        g = F.max_pool2d(x, 3, stride=1, padding=[0, 1, 1, 0])
        return (
            a,
            b,
            c,
            d,
            m,
            u,
            e,
            f,
            g,
            F.adaptive_avg_pool2d(x, [None, 4]),
            F.lp_pool2d(x, 2.0, 2) if hasattr(F, "lp_pool2d") else x * 1,
        )


@reg("x:float32[N,6,L]")
class LayerPools1d(nn.Layer):
    def __init__(self):
        super().__init__()
        self.n = nn.BatchNorm1D(6, weight_attr=False, bias_attr=False)
        self.i = nn.InstanceNorm1D(6, weight_attr=False, bias_attr=False)
        self.g = nn.GroupNorm(3, 6, weight_attr=False)
        self.lrn = nn.LayerNorm(6, weight_attr=False)

    def forward(self, x):
        y = self.n(x)
        a, m = F.max_pool1d(y, 2, return_mask=True)
        return (
            y,
            a,
            m,
            self.i(x),
            self.g(x),
            self.lrn(x.transpose([0, 2, 1])),
            F.avg_pool1d(x, 3, 1, 1, exclusive=False),
            F.adaptive_max_pool1d(x, 2),
            F.layer_norm(x.transpose([0, 2, 1]), [6]),
        )


@reg("x:float32[N,4,H,W]")
class LayerNormsOdd(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.BatchNorm2D(4, use_global_stats=True, momentum=0.5, epsilon=1e-3)
        self.b = nn.GroupNorm(2, 4, bias_attr=False)
        self.c = nn.LayerNorm([4], epsilon=1e-3, bias_attr=False)
        self.d = nn.SpectralNorm([4, 6], dim=1, power_iters=2)
        self.w = self.create_parameter([4, 6])
        self.a._mean.set_value(paddle.to_tensor([0.5, -0.5, 1.0, 0.0]))
        self.a._variance.set_value(paddle.to_tensor([0.5, 2.0, 1.0, 3.0]))

    def forward(self, x):
        y = self.a(x)
        z = F.batch_norm(x, self.a._mean, self.a._variance, training=False)
        v = F.instance_norm(x, eps=1e-3)
        return (
            y,
            z,
            self.b(y),
            self.c(x.transpose([0, 2, 3, 1])),
            v,
            F.normalize(x, p=1, axis=-1),
            self.w * 2,
        )


@reg("x:int64[N,L]<9 y:float32[N,L,6]")
class LayerEmbeddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 6, padding_idx=0)
        self.neg = nn.Embedding(9, 6, padding_idx=-1)
        self.out = nn.Linear(6, 9, bias_attr=False)

    def forward(self, x, y):
        a = self.e(x) + y
        b = self.neg(x)
        tied = a @ self.e.weight.t()
        c = F.embedding(x.astype("int32"), self.out.weight.t())
        return (
            a,
            b,
            tied,
            c,
            F.label_smooth(F.one_hot(x, 9)),
            (x == 0).astype("float32").unsqueeze(-1) * a,
        )


@reg("x:float32[N,6,H]")
class LayerActivations(nn.Layer):
    def __init__(self):
        super().__init__()
        self.p = nn.PReLU(6, init=0.1)
        self.q = nn.PReLU(1)
        self.m = nn.Maxout(2, axis=1)
        self.g = nn.GLU(axis=1)

    def forward(self, x):
        return (
            self.p(x),
            self.q(x),
            self.m(x.unsqueeze(-1)),
            self.g(x),
            F.softmax(x, axis=0),
            F.log_softmax(x, axis=1, dtype="float64"),
            F.hardtanh(x, -0.3, 0.4),
            F.celu(x, 0.7),
            F.softshrink(x, 0.2),
            F.tanhshrink(x),
            F.thresholded_relu(x, 0.8),
            F.hardswish(x),
            F.gelu(x, approximate=True),
            F.mish(x),
            F.leaky_relu(x, 0.2),
            F.softplus(x, 2.0, 1.0),
            F.log_sigmoid(x),
        )


@reg("x:float32[N,5] y:float32[N,5]")
class LayerSimilarity(nn.Layer):
    def __init__(self):
        super().__init__()
        self.b = nn.Bilinear(5, 5, 3)
        self.d = nn.PairwiseDistance(p=1.0, epsilon=1e-3, keepdim=True)
        self.c = nn.CosineSimilarity(axis=0)

    def forward(self, x, y):
        return (
            self.b(x, y),
            self.d(x, y),
            self.c(x, y),
            F.cosine_similarity(x.unsqueeze(1), y.unsqueeze(0), axis=2),
            F.normalize(x, axis=0),
            F.pairwise_distance(x, y, p=3),
        )


@reg("x:float32[N,5] y:float32[N,5] k:int64[N]<5")
class LayerLosses(nn.Layer):
    def forward(self, x, y, k):
        p = F.sigmoid(x)
        t = F.sigmoid(y)
        return (
            F.cross_entropy(x, k),
            F.cross_entropy(x, F.softmax(y), soft_label=True, reduction="none"),
            F.nll_loss(F.log_softmax(x), k, ignore_index=2),
            F.mse_loss(x, y, "sum"),
            F.smooth_l1_loss(x, y, delta=0.5),
            F.l1_loss(x, y, "none"),
            F.kl_div(F.log_softmax(x), F.softmax(y), "batchmean"),
            F.binary_cross_entropy(p, t),
            F.binary_cross_entropy_with_logits(x, t, pos_weight=paddle.ones([5]) * 2),
            F.hinge_embedding_loss(x, paddle.sign(y)),
            F.margin_ranking_loss(x, y, paddle.sign(x), margin=0.1),
            F.triplet_margin_loss(x, y, x + 1),
            F.cosine_embedding_loss(x, y, paddle.sign(x[:, 0])),
            F.soft_margin_loss(x, paddle.sign(y)),
            F.multi_label_soft_margin_loss(x, (y > 0).astype("float32")),
            F.sigmoid_focal_loss(x, (y > 0).astype("float32")),
            F.poisson_nll_loss(x, t),
            F.gaussian_nll_loss(x, y, p + 0.1),
            F.square_error_cost(x, y),
            F.log_loss(p[:, :1], t[:, :1]),
            F.dice_loss(F.softmax(x), k.unsqueeze(1)),
        )


@reg("x:float32[N,3,4,5,L] y:float32[N,3,H] z:float32[N,3,H,W]")
class LayerPads(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Pad1D([2, 1], mode="replicate")
        self.b = nn.Pad2D([1, 0, 2, 3], mode="constant", value=-1.5)
        self.c = nn.Pad3D([1, 1, 2, 0, 0, 1], mode="circular")
        self.d = nn.ZeroPad2D([0, 1, 2, 0])

    def forward(self, x, y, z):
        return (
            self.a(y),
            self.b(z),
            self.c(x),
            self.d(z),
            F.pad(z, [1, 1, 1, 1], mode="circular"),
            F.pad(y, [0, 0, 1, 0, 0, 2], value=3.0),
            F.pad(z, [1, 2], data_format="NCHW") if False else z * 2,
        )


@reg("x:float32[N,16,H,W]", H=(4, 6), W=(6, 8))
class LayerShuffles(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ps, self.pu, self.cs = nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.ChannelShuffle(4)
        self.un = nn.Unflatten(1, [2, -1])

    def forward(self, x):
        y = self.ps(x)
        a = self.pu(F.adaptive_avg_pool2d(x, [4, 6]))
        c = self.cs(x)
        u = F.unfold(x, [2, 3], strides=1, paddings=[1, 0, 1, 0])
        return y, a, c, u, self.un(x.mean(axis=[2, 3])), F.temporal_shift(x, 1, 0.25)


@reg("x:float32[N,18,20]")
class LayerFolds(nn.Layer):
    def __init__(self):
        super().__init__()
        self.f = nn.Fold(output_sizes=[5, 6], kernel_sizes=2)
        self.g = nn.Fold(output_sizes=[6, 7], kernel_sizes=[3, 3])

    def forward(self, x):
        a = self.f(x[:, :16])
        b = self.g(x)
        return (
            a,
            b,
            F.unfold(a, 2),
            F.upsample(a, scale_factor=2, mode="nearest"),
            F.affine_grid(x[:1, :2, :3], [1, 1, 4, 3]),
            F.sequence_mask(paddle.to_tensor([1, 3]), maxlen=4),
        )


@reg("x:float32[N,L,6] h:float32[2,N,5]")
class LayerRecurrentOdd(nn.Layer):
    def __init__(self):
        super().__init__()
        self.g = nn.GRU(6, 5, direction="bidirect")
        self.l = nn.LSTM(10, 4, num_layers=2, time_major=True)
        self.c = nn.SimpleRNNCell(4, 3, activation="relu")

    def forward(self, x, h):
        y, hn = self.g(x, h)
        z, (a, b) = self.l(y.transpose([1, 0, 2]))
        o, s = self.c(z[-1])
        return y, hn, z, a, b, o * 2


# ---------------------------------------------------------------- parameters, buffers, names


@reg("x:float32[N,4] i:int64[N]<3")
class ParamOddDtypes(nn.Layer):
    def __init__(self):
        super().__init__()
        c = nn.initializer.Assign
        self.d = self.create_parameter(
            [4], dtype="float64", default_initializer=c(np.linspace(0, 1, 4))
        )
        self.k = paddle.create_parameter(
            [3], dtype="int64", default_initializer=nn.initializer.Constant(5)
        )
        self.k.stop_gradient = True
        self.register_buffer("m", paddle.to_tensor([True, False, True, True]))
        self.register_buffer("t", paddle.to_tensor([1, 2, 300], dtype="int16"))
        self.register_buffer("s", paddle.to_tensor(0.5))

    def forward(self, x, i):
        y = x.astype("float64") * self.d
        return (
            y,
            paddle.gather(self.k, i),
            paddle.where(self.m, x, -x),
            self.t.astype("int32") + 1,
            x * self.s,
            self.k + 1,
        )


@reg("x:float32[N,4]")
class ParamShared(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.c = self.a
        self.list = nn.LayerList([self.a, self.b, nn.Sequential(self.c, nn.Tanh(), self.b)])
        self.d = nn.LayerDict({"x": nn.Linear(4, 2), "feed": self.a})
        self.ps = nn.ParameterList([self.a.bias, self.create_parameter([4])])

    def forward(self, x):
        for layer in self.list:
            x = layer(x) + self.ps[1]
        for _ in range(3):
            x = self.c(x)
        return (
            self.d["x"](x),
            self.d["feed"](x),
            x @ self.a.weight.t(),
            self.a.weight,
            self.ps[0] + 0,
        )


@reg("x:float32[N,4]")
class ParamCounterBuffer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([1], dtype="int64"))
        self.register_buffer("mean", paddle.zeros([4]), persistable=False)

    def forward(self, x):
        self.seen = self.seen * 0 + paddle.shape(x)[0].astype("int64")
        self.mean = x.mean(axis=0) * 0.1 + self.mean * 0
        return x - self.mean, self.seen + 1


@reg("x:float32[N,4]")
class OutputsOfEveryKind(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([4])
        self.register_buffer("b", paddle.to_tensor([[1, 2], [3, 4]]))

    def forward(self, x):
        y = x.reshape([2, -1])
        return (
            x,
            self.w,
            self.b,
            paddle.to_tensor([1.5, 2.5]),
            y,
            y.t(),
            x[0],
            paddle.full([2, 2], 7),
            x.detach(),
            paddle.zeros([0, 3]),
        )


@reg("feed:float32[N,4] fetch:float32[N,4] x@GRAD:float32[N,4] tmp_0:float32[4]")
class NamesLikePaddles(nn.Layer):
    def __init__(self):
        super().__init__()
        self.tmp_0 = nn.Linear(
            4,
            4,
            weight_attr=paddle.ParamAttr(name="linear_0.tmp_0"),
            bias_attr=paddle.ParamAttr(name="linear_0.w_0@GRAD"),
        )
        self.fetch = nn.Linear(4, 4, weight_attr=paddle.ParamAttr(name="fetch_0"), bias_attr=False)
        self.feed = self.create_parameter([4], attr=paddle.ParamAttr(name="feed_1"))

    def forward(self, a, b, c, d):
        y = self.tmp_0(a) + self.fetch(b) * self.feed
        return y, c * d, y - c


@reg("save_infer_model/scale_0.tmp_0:float32[N,4] größe_数据:float32[N,4] a.b.c:int64[N]<3")
class NamesUnicode(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gewicht_ß = self.create_parameter([4, 4], attr=paddle.ParamAttr(name="重み.0"))
        self.add_sublayer(
            "a b/c", nn.Linear(4, 3, weight_attr=paddle.ParamAttr(name="save_infer_model/scale_0"))
        )

    def forward(self, a, b, c):
        y = a @ self.gewicht_ß + b
        return self._sub_layers["a b/c"](y), F.one_hot(c, 3), y


@reg("x:float32[N,8]")
class LongChain(nn.Layer):
    def forward(self, x):
        y = x
        for i in range(200):
            if i % 4 == 0:
                y = y + 0.01 * i
            elif i % 4 == 1:
                y = paddle.tanh(y)
            elif i % 4 == 2:
                y = y * 1.1 - x
            else:
                y = paddle.roll(y, 1, axis=1)
        return y, y.sum()


@reg("x:float32[N,8]")
class WideConcat(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ls = nn.LayerList([nn.Linear(8, 1 + k % 3, bias_attr=bool(k % 2)) for k in range(50)])

    def forward(self, x):
        ys = [l(x) for l in self.ls]
        c = paddle.concat(ys, axis=1)
        s = paddle.stack([y[:, 0] for y in ys], axis=0)
        parts = paddle.split(c, [1 + k % 3 for k in range(50)], axis=1)
        return (
            c,
            s,
            paddle.concat(parts[::-1], axis=-1),
            paddle.add_n([p.mean(axis=1) for p in parts]),
        )


class _Nest(nn.Layer):
    def __init__(self, depth):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.inner = _Nest(depth - 1) if depth else None
        self.register_buffer("level", paddle.full([1], float(depth)))

    def forward(self, x):
        y = self.lin(x)
        if self.inner is not None:
            y = self.inner(F.tanh(y)) + x
        return y * (1 + 0.1 * self.level)


@reg("x:float32[N,4]", 12)
class DeepNesting(_Nest):
    pass


@reg("x:float32[N,L,8] mask:bool[N,L]")
class AttentionBySetItem(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.register_buffer("cache", paddle.zeros([1, 16, 8]))

    def forward(self, x, mask):
        n, l = paddle.shape(x)[0], paddle.shape(x)[1]
        q, k, v = self.qkv(x).chunk(3, axis=-1)
        cache = self.cache.expand([n, 16, 8]) + 0
        cache[:, :l] = k
        a = q @ cache.transpose([0, 2, 1]) / (8**0.5)
        keep = paddle.zeros([n, 16], dtype="bool")
        keep[:, :l] = mask
        keep[:, 0] = True
        a = paddle.where(keep.unsqueeze(1), a, paddle.full([], -1e9))
        y = F.softmax(a, axis=-1)[:, :, :l] @ v
        return y, cache, keep.astype("int32")


@reg("x:float32[N,6] n:int64[]<6>2")
class BeamWithState(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 6)
        self.out = nn.Linear(6, 7)

    def forward(self, x, n):
        ids = paddle.zeros([x.shape[0], 8], dtype="int64")
        score = paddle.zeros([x.shape[0]])
        h = x
        i = paddle.zeros([], dtype="int64")
        done = paddle.zeros([x.shape[0]], dtype="bool")
        while i < n:
            p = F.log_softmax(self.out(h))
            s, k = paddle.topk(p, 1)
            k = paddle.where(done, paddle.zeros_like(k[:, 0]), k[:, 0])
            ids[:, i] = k
            score = score + paddle.where(done, paddle.zeros_like(s[:, 0]), s[:, 0])
            done = paddle.logical_or(done, k == 3)
            h = F.tanh(h + self.emb(k))
            i = i + 1
        return ids, score, i, h


@reg("boxes:float32[N,4] scores:float32[N]", N=(6, 9))
class GreedySuppression(nn.Layer):
    def forward(self, boxes, scores):
        xy = boxes[:, :2]
        b = paddle.concat([xy, xy + paddle.abs(boxes[:, 2:]) + 0.5], axis=1)
        order = paddle.argsort(scores, descending=True)
        b = paddle.gather(b, order)
        lt = paddle.maximum(b[:, None, :2], b[None, :, :2])
        rb = paddle.minimum(b[:, None, 2:], b[None, :, 2:])
        inter = (rb - lt).clip(min=0).prod(axis=-1)
        area = (b[:, 2:] - b[:, :2]).prod(axis=-1)
        iou = inter / (area[:, None] + area[None] - inter)
        keep = paddle.ones([paddle.shape(b)[0]], dtype="float32")
        i = paddle.zeros([], dtype="int32")
        while i < paddle.shape(b)[0]:
            later = (paddle.arange(paddle.shape(b)[0], dtype="int32") > i).astype("float32")
            keep = keep * (1 - later * (iou[i] > 0.3).astype("float32") * keep[i])
            i = i + 1
        return iou, keep, paddle.masked_select(order, keep > 0.5), b[keep > 0.5]


@reg("x:int32[N,4]<40>-40 y:int32[N,4]<9>1")
class TypesGcdShift(nn.Layer):
    def forward(self, x, y):
        g = paddle.bitwise_xor(x, y)
        m = x * 2**3 - y // 4
        q = paddle.floor_divide(x, y)
        r = paddle.remainder(x, y)
        z = q * y + r - x
        z[0] = 5
        return (
            g,
            m,
            q,
            r,
            z,
            x * y,
            x / y,
            paddle.abs(-x),
            paddle.maximum(x, y),
            x.astype("bool").astype("int64") + True,
        )


@reg("x:float64[6,3] y:float64[6,2]")
class LinalgLstsqEig(nn.Layer):
    def forward(self, x, y):
        s = paddle.linalg.lstsq(x, y, driver="gels")[0]
        a = x.t() @ x
        lu, p = paddle.linalg.lu(a)
        w = paddle.linalg.eigvals(a)
        return (
            s,
            lu,
            p,
            paddle.sort(w.real()),
            paddle.linalg.matrix_norm(a)
            if hasattr(paddle.linalg, "matrix_norm") and False
            else a.norm(),
        )


@reg("x:float32[N,L,3]")
class SetThroughConcatStrided(nn.Layer):
    def forward(self, x):
        y = paddle.zeros([x.shape[0], x.shape[1] + 2, 3])
        y[:, 1:-1] = x
        y[:, 0] = y[:, -2]
        y[:, -1] = y[:, 1]
        k = F.unfold(y.unsqueeze(1), [3, 3]).transpose([0, 2, 1]) * 1
        k[..., 4] = -k[..., 4]
        k[:, :, 8] = 0.5
        return y * 2, k * 2, k.max(axis=-1)


@reg("x:float32[N,3] c:bool[]")
class FlowBranchesOfState(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([3, 3])
        self.register_buffer("one", paddle.ones([3]))

    def forward(self, x, c):
        d = {"y": x, "k": paddle.to_tensor(0)}
        if c:
            d["y"] = x @ self.w
            d["k"] = d["k"] + 1
        else:
            d["y"] = d["y"] + self.one
        z = d["y"]
        if paddle.logical_not(c):
            z[0] = self.one * 3
        i = paddle.to_tensor(3)
        while i > 0:
            z = z * 0.5
            i = i - 1 - d["k"]
        return z, d["k"], i


@reg("x:float32[N,1,O] y:float32[1,L,1]")
class ShapesBroadcastRuntime(nn.Layer):
    def forward(self, x, y):
        s = paddle.broadcast_shape([1, 4], [3, 1])
        a = x + y
        b = paddle.expand_as(y, a)
        c = paddle.zeros([x.shape[0], y.shape[1], x.shape[2]])
        c[:] = x
        c[:, 0] = c[:, 0] * 3
        d = a.reshape([-1, a.shape[1] * a.shape[2]])
        return (
            a,
            b,
            c,
            d,
            paddle.ones(s),
            x.squeeze(1),
            x.expand([-1, 2, -1]),
            paddle.broadcast_to(x, [x.shape[0], 5, x.shape[2]]),
        )


@reg("x:float32[N,4] i:int64[K]<3")
class SetByPythonHelpers(nn.Layer):
    def write(self, y, where, value):
        y[where] = value
        return y

    def forward(self, x, i):
        y = self.write(x + 0, i, paddle.full([4], 2.0))
        y = self.write(y, slice(None, None, 2), y[-1])
        y = self.write(y, (Ellipsis, 1), 0)
        y = self.write(y, (slice(1, None), [0, 3]), -1.0)
        for k, v in enumerate([0.1, 0.2]):
            y = self.write(y, k, v)
        return y, self.write(y * 2, y > 0, 1.0)
