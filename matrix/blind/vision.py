"""Industrial computer vision: 100 small but nasty models."""

import math

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec
from paddle.vision import ops

MODELS = {}


def model(fn):
    def make():
        paddle.seed(7)
        return fn()

    MODELS[fn.__name__] = make
    return fn


def S(name, shape, dtype="float32"):
    return InputSpec(shape, dtype, name)


def N(n, *shape, dtype="float32"):
    return np.random.default_rng(n).standard_normal(shape).astype(dtype)


def U(n, *shape, lo=0.0, hi=1.0, dtype="float32"):
    return np.random.default_rng(n).uniform(lo, hi, shape).astype(dtype)


def I(n, *shape, lo=0, hi=255, dtype="int64"):
    return np.random.default_rng(n).integers(lo, hi, shape).astype(dtype)


def B(n, k, size=32.0):
    g = np.random.default_rng(n)
    xy = g.uniform(0, size * 0.6, (k, 2))
    wh = g.uniform(size * 0.1, size * 0.4, (k, 2))
    return np.concatenate([xy, xy + wh], 1).astype("float32")


class CBA(nn.Layer):
    def __init__(self, i, o, k=3, s=1, g=1, d=1, act="relu"):
        super().__init__()
        self.conv = nn.Conv2D(
            i, o, k, stride=s, padding=(k // 2) * d, groups=g, dilation=d, bias_attr=False
        )
        self.bn = nn.BatchNorm2D(o)
        self.act = act

    def forward(self, x):
        x = self.bn(self.conv(x))
        if self.act is not None:
            x = getattr(F, self.act)(x)
        return x


IMG = lambda c=3: [S("image", [None, c, None, None])]


def two(c=3, a=(1, 24, 32), b=(2, 40, 28)):
    return [[N(1, a[0], c, a[1], a[2])], [N(2, b[0], c, b[1], b[2])]]


# ---------------------------------------------------------------- detection
def iou_matrix(a, b):
    lt = paddle.maximum(a[:, None, :2], b[None, :, :2])
    rb = paddle.minimum(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clip(min=0)
    inter = wh[..., 0] * wh[..., 1]
    aa = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    ab = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return inter / (aa.unsqueeze(1) + ab.unsqueeze(0) - inter + 1e-9)


@model
def det_matrix_nms():
    class M(nn.Layer):
        def forward(self, boxes, scores):
            order = paddle.argsort(scores, descending=True)
            b = paddle.gather(boxes, order)
            s = paddle.gather(scores, order)
            iou = paddle.triu(iou_matrix(b, b), diagonal=1)
            comp = iou.max(axis=0)
            decay = paddle.exp(-(iou**2 - comp.unsqueeze(1) ** 2) / 0.5).min(axis=0)
            s = s * decay
            keep = paddle.nonzero(s > 0.3).flatten()
            return (
                paddle.gather(b, keep),
                paddle.gather(s, keep),
                paddle.gather(order, keep).astype("int32"),
            )

    return (
        M(),
        [S("boxes", [None, 4]), S("scores", [None])],
        [[B(1, 9), U(2, 9)], [B(3, 17), U(4, 17)]],
    )


@model
def det_greedy_nms_while():
    class M(nn.Layer):
        def forward(self, boxes, scores):
            n = paddle.shape(boxes)[0]
            order = paddle.argsort(scores, descending=True)
            b = paddle.index_select(boxes, order)
            iou = iou_matrix(b, b)
            keep = paddle.ones_like(scores)
            i = paddle.zeros([1], dtype="int32")
            idx = paddle.arange(n, dtype="int32")
            while i < n:
                row = paddle.gather(iou, i).squeeze(0)
                alive = paddle.gather(keep, i)
                kill = ((row > 0.4) & (idx > i)).astype("float32") * alive
                keep = keep * (1.0 - kill)
                i = i + 1
            picked = paddle.masked_select(order, keep > 0.5)
            return paddle.gather(boxes, picked), picked

    return (
        M(),
        [S("boxes", [None, 4]), S("scores", [None])],
        [[B(5, 8), U(6, 8)], [B(7, 20), U(8, 20)]],
    )


@model
def det_vision_nms_categories():
    class M(nn.Layer):
        def forward(self, boxes, logits):
            prob = F.softmax(logits, -1)
            score = prob.max(-1)
            cls = prob.argmax(-1)
            off = cls.astype("float32").unsqueeze(-1) * 100.0
            keep = ops.nms(boxes + off, 0.3, score)
            out = paddle.concat(
                [
                    paddle.gather(cls, keep).astype("float32").unsqueeze(1),
                    paddle.gather(score, keep).unsqueeze(1),
                    paddle.gather(boxes, keep),
                ],
                axis=1,
            )
            return out, paddle.shape(keep)[0]

    return (
        M(),
        [S("boxes", [None, 4]), S("logits", [None, 5])],
        [[B(1, 12), N(2, 12, 5)], [B(3, 21), N(4, 21, 5)]],
    )


@model
def det_yolo_box_head():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2)
            self.c1 = CBA(8, 16, s=2, act="leaky_relu")
            self.head = nn.Conv2D(16, 2 * (5 + 3), 1)

        def forward(self, image, im_size):
            y = self.head(self.c1(self.stem(image)))
            boxes, scores = ops.yolo_box(
                y,
                im_size,
                anchors=[10, 13, 16, 30],
                class_num=3,
                conf_thresh=0.01,
                downsample_ratio=4,
                clip_bbox=True,
                scale_x_y=1.05,
            )
            best, which = paddle.topk(scores.max(-1), 5, axis=1)
            b = paddle.take_along_axis(boxes, which.unsqueeze(-1).tile([1, 1, 4]), 1)
            return b, best, which

    return (
        M(),
        IMG() + [S("im_size", [None, 2], "int32")],
        [
            [N(1, 1, 3, 32, 32), np.array([[64, 48]], "int32")],
            [N(2, 2, 3, 48, 32), np.array([[96, 80], [50, 60]], "int32")],
        ],
    )


@model
def det_yolov5_grid_decode():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.LayerList(
                [
                    CBA(3, 8, s=2, act="silu"),
                    CBA(8, 16, s=2, act="silu"),
                    CBA(16, 16, s=2, act="silu"),
                ]
            )
            self.h = nn.LayerList([nn.Conv2D(16, 3 * 7, 1), nn.Conv2D(16, 3 * 7, 1)])
            self.register_buffer(
                "anchors",
                paddle.to_tensor(
                    np.array(
                        [[[4, 5], [8, 10], [13, 9]], [[16, 20], [30, 12], [25, 33]]], "float32"
                    )
                ),
            )

        def forward(self, image):
            outs = []
            x = self.c[1](self.c[0](image))
            feats = [x, self.c[2](x)]
            for i in range(2):
                y = self.h[i](feats[i])
                n, _, h, w = y.shape
                y = y.reshape([n, 3, 7, h, w]).transpose([0, 1, 3, 4, 2])
                gy, gx = paddle.meshgrid(paddle.arange(h), paddle.arange(w))
                grid = paddle.stack([gx, gy], -1).astype("float32").reshape([1, 1, h, w, 2])
                p = F.sigmoid(y)
                xy = (p[..., 0:2] * 2 - 0.5 + grid) * (4 * 2**i)
                wh = (p[..., 2:4] * 2) ** 2 * self.anchors[i].reshape([1, 3, 1, 1, 2])
                outs.append(paddle.concat([xy, wh, p[..., 4:]], -1).reshape([n, -1, 7]))
            return paddle.concat(outs, 1)

    return M(), IMG(), two(a=(1, 32, 40), b=(2, 24, 48))


@model
def det_fcos_ltrb():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(CBA(3, 8, s=2), CBA(8, 16, s=2))
            self.gn = nn.GroupNorm(4, 16)
            self.cls = nn.Conv2D(16, 4, 3, padding=1)
            self.reg = nn.Conv2D(16, 4, 3, padding=1)
            self.ctr = nn.Conv2D(16, 1, 3, padding=1)
            self.scale = self.create_parameter(
                [1], default_initializer=nn.initializer.Constant(1.2)
            )

        def forward(self, image):
            f = F.relu(self.gn(self.body(image)))
            hw = paddle.shape(f)[2:]
            ys = paddle.arange(0, hw[0], dtype="float32") * 4 + 2
            xs = paddle.arange(0, hw[1], dtype="float32") * 4 + 2
            yy, xx = paddle.meshgrid(ys, xs)
            pts = paddle.stack([xx.flatten(), yy.flatten()], axis=-1)
            ltrb = paddle.exp(self.reg(f) * self.scale).flatten(2).transpose([0, 2, 1])
            boxes = paddle.concat([pts - ltrb[..., :2], pts + ltrb[..., 2:]], -1)
            sc = (
                paddle.sqrt(F.sigmoid(self.cls(f)) * F.sigmoid(self.ctr(f)))
                .flatten(2)
                .transpose([0, 2, 1])
            )
            return boxes, sc, sc.argmax(-1, dtype="int32")

    return M(), IMG(), two(a=(1, 33, 30), b=(3, 24, 47))


@model
def det_picodet_dfl():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.dw = nn.Conv2D(3, 12, 5, stride=4, padding=2)
            self.pw = CBA(12, 24, 1, act="hardswish")
            self.head = nn.Conv2D(24, 4 * 8 + 5, 1)
            self.register_buffer("project", paddle.linspace(0, 7, 8))

        def forward(self, image, scale_factor):
            f = self.head(self.pw(self.dw(image)))
            b, _, h, w = f.shape
            l = h * w
            cls, reg = paddle.split(f, [5, 32], axis=1)
            reg = reg.reshape([-1, 4, 8, l]).transpose([0, 3, 1, 2])
            d = F.softmax(reg, -1).matmul(self.project)
            yy, xx = paddle.meshgrid([paddle.arange(h), paddle.arange(w)])
            c = paddle.stack([xx, yy], -1).cast("float32").reshape([1, -1, 2]) + 0.5
            box = paddle.concat([c - d[:, :, :2], c + d[:, :, 2:]], -1) * 4.0
            sy, sx = paddle.split(scale_factor, 2, axis=-1)
            div = paddle.concat([sx, sy, sx, sy], -1).unsqueeze(1)
            return box / div, F.sigmoid(cls.reshape([b, 5, l]))

    return (
        M(),
        IMG() + [S("scale_factor", [None, 2])],
        [
            [N(1, 1, 3, 32, 24), U(2, 1, 2, lo=0.5, hi=2)],
            [N(3, 2, 3, 20, 44), U(4, 2, 2, lo=0.5, hi=2)],
        ],
    )


@model
def det_ssd_prior_boxes():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), nn.MaxPool2D(2, ceil_mode=True), CBA(8, 16))
            self.loc = nn.Conv2D(16, 4 * 4, 3, padding=1)
            self.conf = nn.Conv2D(16, 4 * 3, 3, padding=1)

        def forward(self, image):
            f = self.c(image)
            prior, var = ops.prior_box(
                f,
                image,
                min_sizes=[6.0],
                max_sizes=[12.0],
                aspect_ratios=[2.0],
                flip=True,
                clip=True,
                variance=[0.1, 0.1, 0.2, 0.2],
            )
            p = prior.reshape([-1, 4])
            loc = self.loc(f).transpose([0, 2, 3, 1]).reshape([0, -1, 4])
            conf = F.softmax(self.conf(f).transpose([0, 2, 3, 1]).reshape([0, -1, 3]))
            wh = p[:, 2:] - p[:, :2]
            ctr = (p[:, 2:] + p[:, :2]) * 0.5
            c = loc[..., :2] * 0.1 * wh + ctr
            s = paddle.exp(loc[..., 2:] * 0.2) * wh
            return paddle.concat([c - s / 2, c + s / 2], -1), conf, var.reshape([-1, 4])

    return M(), IMG(), two(a=(1, 30, 30), b=(2, 26, 38))


@model
def det_box_coder_ssd():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(6, 4)

        def forward(self, prior, feat):
            d = paddle.tanh(self.fc(feat))
            dec = ops.box_coder(
                prior,
                [0.1, 0.1, 0.2, 0.2],
                d.unsqueeze(0),
                code_type="decode_center_size",
                box_normalized=False,
                axis=0,
            )
            dec = dec.squeeze(0)
            area = (dec[:, 2] - dec[:, 0]).clip(0) * (dec[:, 3] - dec[:, 1]).clip(0)
            big = paddle.where(area > area.mean())[0].flatten()
            return dec, paddle.gather(dec, big)

    return (
        M(),
        [S("prior", [None, 4]), S("feat", [None, 6])],
        [[B(1, 6), N(2, 6, 6)], [B(3, 11), N(4, 11, 6)]],
    )


@model
def det_mask_rcnn_roi_align():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.up = nn.Conv2DTranspose(8, 8, 2, stride=2)
            self.mask = nn.Conv2D(8, 3, 1)
            self.fc = nn.Linear(8 * 25, 3)

        def forward(self, image, boxes, boxes_num):
            f = self.c(image)
            r = ops.roi_align(
                f, boxes, boxes_num, 5, spatial_scale=0.5, sampling_ratio=2, aligned=True
            )
            logit = self.fc(r.flatten(1))
            cls = logit.argmax(1)
            m = F.sigmoid(self.mask(F.relu(self.up(r))))
            n = paddle.shape(m)[0]
            sel = paddle.stack([paddle.arange(n, dtype="int64"), cls], 1)
            m = paddle.gather_nd(m, sel)
            return logit, cls, (m > 0.5).astype("uint8"), m

    return (
        M(),
        IMG() + [S("boxes", [None, 4]), S("boxes_num", [None], "int32")],
        [
            [N(1, 1, 3, 32, 32), B(2, 4), np.array([4], "int32")],
            [N(3, 2, 3, 40, 36), B(4, 7), np.array([3, 4], "int32")],
        ],
    )


@model
def det_roi_pool_psroi():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 18, s=2)
            self.ps = ops.PSRoIPool(3, 0.5)

        def forward(self, image, boxes, boxes_num):
            f = self.c(image)
            a = ops.roi_pool(f, boxes, boxes_num, output_size=(2, 3), spatial_scale=0.5)
            b = self.ps(f, boxes, boxes_num)
            return paddle.concat([a.mean([2, 3]), b.flatten(1)], axis=1), F.softmax(
                b.mean([2, 3]), 1
            )

    return (
        M(),
        IMG() + [S("boxes", [None, 4]), S("boxes_num", [None], "int32")],
        [
            [N(1, 1, 3, 32, 32), B(2, 3), np.array([3], "int32")],
            [N(3, 2, 3, 36, 40), B(4, 6), np.array([2, 4], "int32")],
        ],
    )


@model
def det_fpn_distribute():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c1 = CBA(3, 8, s=2)
            self.c2 = CBA(8, 8, s=2)

        def forward(self, image, rois):
            p2 = self.c1(image)
            p3 = self.c2(p2)
            num = paddle.shape(rois)[0:1].astype("int32")
            multi, restore, nums = ops.distribute_fpn_proposals(rois, 2, 3, 3, 10, rois_num=num)
            feats = []
            for i, f in enumerate([p2, p3]):
                feats.append(
                    ops.roi_align(f, multi[i], nums[i], 3, spatial_scale=0.5 / 2**i, aligned=False)
                )
            out = paddle.gather(paddle.concat(feats, 0), restore.flatten())
            return out, restore

    return (
        M(),
        [S("image", [1, 3, None, None]), S("rois", [None, 4])],
        [[N(1, 1, 3, 32, 32), B(2, 7)], [N(3, 1, 3, 40, 48), B(4, 12)]],
    )


@model
def det_deform_conv_v2():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.off = nn.Conv2D(4, 27, 3, padding=1)
            self.dcn = ops.DeformConv2D(4, 8, 3, padding=1, deformable_groups=1)
            self.stem = nn.Conv2D(3, 4, 3, stride=2, padding=1)
            self.out = nn.Conv2D(8, 2, 1)

        def forward(self, image):
            x = F.relu(self.stem(image))
            o = self.off(x)
            offset, mask = o[:, :18], F.sigmoid(o[:, 18:])
            y = self.dcn(x, offset, mask)
            up = F.interpolate(
                self.out(y), size=paddle.shape(image)[2:], mode="bilinear", align_corners=True
            )
            return up, paddle.argmax(up, 1, keepdim=True)

    return M(), IMG(), two(a=(1, 16, 20), b=(2, 22, 18))


@model
def det_deform_conv_v1_groups():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.off = nn.Conv2D(4, 2 * 2 * 9, 3, padding=2, dilation=2)
            self.w = self.create_parameter([6, 2, 3, 3])
            self.b = self.create_parameter([6], is_bias=True)

        def forward(self, x):
            y = ops.deform_conv2d(
                x,
                self.off(x) * 0.5,
                self.w,
                self.b,
                stride=1,
                padding=2,
                dilation=2,
                deformable_groups=2,
                groups=2,
            )
            y = F.instance_norm(y)
            return y, y.flatten(2).max(-1), y.flatten(2).argmin(-1)

    return M(), [S("x", [None, 4, None, None])], two(4, (1, 9, 11), (2, 12, 8))


def deform_attn(value, shapes, loc, w):
    # value [B, L, H, D], loc [B, Q, H, lvl, P, 2], w [B, Q, H, lvl, P]
    b, _, h, d = value.shape
    q, p = loc.shape[1], loc.shape[4]
    split = [s[0] * s[1] for s in shapes]
    vals = value.split(split, axis=1)
    grids = 2 * loc - 1
    outs = []
    for i, (hh, ww) in enumerate(shapes):
        v = vals[i].flatten(2).transpose([0, 2, 1]).reshape([b * h, d, hh, ww])
        g = grids[:, :, :, i].transpose([0, 2, 1, 3, 4]).flatten(0, 1)
        outs.append(F.grid_sample(v, g, mode="bilinear", padding_mode="zeros", align_corners=False))
    w = w.transpose([0, 2, 1, 3, 4]).reshape([b * h, 1, q, len(shapes) * p])
    out = (paddle.stack(outs, axis=-2).flatten(-2) * w).sum(-1).reshape([b, h * d, q])
    return out.transpose([0, 2, 1])


@model
def det_rtdetr_decoder():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.shapes = [(8, 6), (4, 3)]
            self.c1, self.c2 = CBA(3, 16, s=2, act="silu"), CBA(16, 16, s=2, act="silu")
            self.query = nn.Embedding(5, 16)
            self.off = nn.Linear(16, 2 * 2 * 3 * 2)
            self.aw = nn.Linear(16, 2 * 2 * 3)
            self.ref = nn.Linear(16, 4)
            self.attn = nn.MultiHeadAttention(16, 2)
            self.n1, self.n2 = nn.LayerNorm(16), nn.LayerNorm(16)
            self.score, self.bbox = nn.Linear(16, 3), nn.Linear(16, 4)

        def forward(self, image):
            a = self.c1(image)
            b = self.c2(a)
            mem = paddle.concat([t.flatten(2).transpose([0, 2, 1]) for t in (a, b)], 1)
            bs = paddle.shape(image)[0]
            tgt = self.query.weight.unsqueeze(0).tile([bs, 1, 1])
            ref = F.sigmoid(self.ref(tgt))
            for _ in range(2):
                tgt = self.n1(tgt + self.attn(tgt, tgt, tgt))
                off = self.off(tgt).reshape([bs, 5, 2, 2, 3, 2])
                w = F.softmax(self.aw(tgt).reshape([bs, 5, 2, 6])).reshape([bs, 5, 2, 2, 3])
                loc = (
                    ref[:, :, None, None, None, :2]
                    + off / 3 * ref[:, :, None, None, None, 2:] * 0.5
                )
                tgt = self.n2(tgt + deform_attn(mem.reshape([bs, -1, 2, 8]), self.shapes, loc, w))
                inv = paddle.log(ref.clip(1e-5, 1) / (1 - ref).clip(1e-5, 1))
                ref = F.sigmoid(self.bbox(tgt) + inv)
            prob = F.sigmoid(self.score(tgt))
            v, i = paddle.topk(prob.flatten(1), 4)
            lab = i % 3
            idx = i // 3
            box = paddle.take_along_axis(ref, idx.unsqueeze(-1).tile([1, 1, 4]), axis=1)
            return box, v, lab

    return M(), [S("image", [None, 3, 16, 12])], [[N(1, 1, 3, 16, 12)], [N(2, 3, 3, 16, 12)]]


@model
def det_centernet_peaks():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8))
            self.hm, self.wh, self.reg = nn.Conv2D(8, 3, 1), nn.Conv2D(8, 2, 1), nn.Conv2D(8, 2, 1)

        def forward(self, image):
            f = self.c(image)
            hm = F.sigmoid(self.hm(f))
            mx = F.max_pool2d(hm, 3, stride=1, padding=1)
            hm = hm * (mx == hm).astype(hm.dtype)
            n, c, h, w = paddle.shape(hm)
            score, ind = paddle.topk(hm.reshape([n, -1]), k=6)
            cls = ind // (h * w)
            ind = ind % (h * w)
            ys, xs = (ind // w).astype("float32"), (ind % w).astype("float32")
            pick = ind.unsqueeze(-1).expand([-1, -1, 2])
            wh = paddle.take_along_axis(
                self.wh(f).transpose([0, 2, 3, 1]).reshape([n, -1, 2]), pick, 1
            )
            rg = paddle.take_along_axis(
                self.reg(f).transpose([0, 2, 3, 1]).reshape([n, -1, 2]), pick, 1
            )
            xs, ys = xs + rg[..., 0], ys + rg[..., 1]
            return (
                paddle.stack(
                    [
                        xs - wh[..., 0] / 2,
                        ys - wh[..., 1] / 2,
                        xs + wh[..., 0] / 2,
                        ys + wh[..., 1] / 2,
                    ],
                    -1,
                ),
                score,
                cls,
            )

    return M(), IMG(), two(a=(1, 20, 24), b=(2, 28, 18))


@model
def det_soft_nms_loop():
    class M(nn.Layer):
        def forward(self, boxes, scores):
            b = boxes.astype("float32")
            s = scores.astype("float32")
            out_i, out_s = [], []
            for _ in range(4):
                k = paddle.argmax(s)
                sk = s[k]
                iou = iou_matrix(b[k].reshape([1, 4]), b).squeeze(0)
                out_i.append(k.reshape([1]))
                out_s.append(sk.reshape([1]))
                s = s * paddle.exp(-(iou**2) / 0.5)
                s = paddle.where(paddle.arange(s.shape[0]) == k, paddle.full_like(s, -1.0), s)
            return paddle.concat(out_i), paddle.concat(out_s)

    return (
        M(),
        [S("boxes", [None, 4], "float64"), S("scores", [None], "float64")],
        [
            [B(1, 6).astype("float64"), U(2, 6, dtype="float64")],
            [B(3, 13).astype("float64"), U(4, 13, dtype="float64")],
        ],
    )


@model
def det_generate_proposals():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.s, self.d = nn.Conv2D(8, 2, 1), nn.Conv2D(8, 8, 1)

        def forward(self, image, im_shape):
            f = self.c(image)
            h, w = f.shape[2], f.shape[3]
            base = paddle.to_tensor([[-4.0, -4.0, 4.0, 4.0], [-3.0, -6.0, 3.0, 6.0]])
            yy, xx = paddle.meshgrid(
                paddle.arange(h, dtype="float32") * 2, paddle.arange(w, dtype="float32") * 2
            )
            shift = paddle.stack([xx, yy, xx, yy], -1).unsqueeze(2)
            anchors = shift + base.reshape([1, 1, 2, 4])
            var = paddle.ones_like(anchors)
            rois, probs, num = ops.generate_proposals(
                F.sigmoid(self.s(f)),
                self.d(f) * 0.1,
                im_shape,
                anchors,
                var,
                pre_nms_top_n=60,
                post_nms_top_n=10,
                nms_thresh=0.6,
                min_size=1.0,
                return_rois_num=True,
            )
            return rois, probs, num

    return (
        M(),
        IMG() + [S("im_shape", [None, 2])],
        [
            [N(1, 1, 3, 16, 20), np.array([[16, 20]], "float32")],
            [N(2, 2, 3, 24, 18), np.array([[24, 18], [20, 18]], "float32")],
        ],
    )


@model
def det_rotated_boxes_corners():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 5)

        def forward(self, feat, corner):
            r = self.fc(feat)
            cx, cy, w, h, t = paddle.split(r, 5, axis=-1)
            w, h = F.softplus(w), F.elu(h) + 1.01
            t = paddle.tanh(t) * (math.pi / 2)
            cos, sin = paddle.cos(t), paddle.sin(t)
            rot = paddle.stack([paddle.concat([cos, -sin], -1), paddle.concat([sin, cos], -1)], -2)
            pts = (
                corner.unsqueeze(0).unsqueeze(0).astype("float32")
                * paddle.concat([w, h], -1).unsqueeze(-2)
                * 0.5
            )
            pts = paddle.einsum("bnij,bnkj->bnki", rot, pts) + paddle.concat(
                [cx, cy], -1
            ).unsqueeze(2)
            hbb = paddle.concat([pts.min(2), pts.max(2)], -1)
            nxt = paddle.roll(pts, -1, axis=2)
            area = (pts[..., 0] * nxt[..., 1] - pts[..., 1] * nxt[..., 0]).sum(-1).abs() / 2
            return pts.flatten(2), hbb, area, area > 0.5

    c = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], "int32")
    return (
        M(),
        [S("feat", [None, None, 8]), S("corner", [4, 2], "int32")],
        [[N(1, 1, 5, 8), c], [N(2, 3, 7, 8), c * 2]],
    )


@model
def det_atss_assign_giou():
    class M(nn.Layer):
        def forward(self, pred, gt):
            iou = iou_matrix(pred, gt)
            lt = paddle.minimum(pred[:, None, :2], gt[None, :, :2])
            rb = paddle.maximum(pred[:, None, 2:], gt[None, :, 2:])
            enc = paddle.prod(rb - lt, axis=-1)
            giou = iou - (enc - iou) / enc
            topv, topi = paddle.topk(iou, 3, axis=0)
            thr = topv.mean(0, keepdim=True) + topv.std(0, keepdim=True)
            mask = paddle.zeros_like(iou)
            onehot = F.one_hot(topi.transpose([1, 0]), pred.shape[0]).sum(1).transpose([1, 0])
            mask = paddle.logical_and(onehot > 0, iou >= thr)
            assigned = paddle.where(
                mask.any(1),
                (iou * mask.astype("float32")).argmax(1),
                paddle.full([pred.shape[0]], -1, "int64"),
            )
            return giou, mask, assigned

    return (
        M(),
        [S("pred", [None, 4]), S("gt", [None, 4])],
        [[B(1, 8), B(2, 3)], [B(3, 15), B(4, 5)]],
    )


@model
def det_multi_branch_conditional():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.small, self.large = (
                nn.Conv2D(8, 4, 3, padding=1),
                nn.Conv2D(8, 4, 3, padding=2, dilation=2),
            )

        def forward(self, image):
            f = self.c(image)
            if image.mean() > 0:
                y = self.small(f)
                tag = paddle.ones([1], "int32")
            else:
                y = self.large(f) * 2.0
                tag = paddle.zeros([1], "int32")
            if paddle.shape(image)[2] > paddle.shape(image)[3]:
                y = y.transpose([0, 1, 3, 2])
            return y, tag

    a = two()
    return M(), IMG(), [[np.abs(a[0][0])], [-np.abs(a[1][0])]]


@model
def det_solo_mask_matrix():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.feat = CBA(5, 8, s=2)
            self.kern = nn.Conv2D(8, 8, 3, padding=1)
            self.cate = nn.Conv2D(8, 3, 3, padding=1)

        def forward(self, image):
            hw = paddle.shape(image)[-2:]
            xr = paddle.linspace(-1, 1, hw[1], dtype="float32")
            yr = paddle.linspace(-1, 1, hw[0], dtype="float32")
            y, x = paddle.meshgrid([yr, xr])
            y = y.unsqueeze([0, 1]).expand([image.shape[0], 1, -1, -1])
            x = x.unsqueeze([0, 1]).expand([image.shape[0], 1, -1, -1])
            f = self.feat(paddle.concat([image, x, y], 1))
            grid = F.interpolate(f, size=[4, 4], mode="bilinear", align_corners=False, align_mode=0)
            k = self.kern(grid).flatten(2)
            cate = F.sigmoid(self.cate(grid)).flatten(2).transpose([0, 2, 1])
            masks = F.sigmoid(paddle.einsum("bck,bchw->bkhw", k, f))
            area = (masks > 0.5).astype("float32").sum([2, 3])
            maskness = (masks * (masks > 0.5).astype("float32")).sum([2, 3]) / (area + 1e-6)
            return masks, cate * maskness.unsqueeze(-1), area.astype("int32")

    return M(), IMG(), two()


@model
def det_padded_outputs_loop_batch():
    class M(nn.Layer):
        def forward(self, boxes, scores):
            n = paddle.shape(scores)[0]
            out = paddle.zeros([n, 5, 4])
            count = paddle.zeros([n], dtype="int64")
            for i in range(n):
                m = scores[i] > 0.5
                idx = paddle.nonzero(m).flatten()
                b = paddle.gather(boxes[i], idx)
                b = paddle.concat([b, paddle.full([5, 4], -1.0)], 0)[:5]
                out[i] = b
                count[i] = m.astype("int64").sum()
            return out, count

    f = lambda s, n, k: np.stack([B(s + j, k) for j in range(n)])
    return (
        M(),
        [S("boxes", [None, None, 4]), S("scores", [None, None])],
        [[f(1, 2, 6), U(9, 2, 6)], [f(5, 3, 9), U(10, 3, 9)]],
    )


@model
def det_scatter_votes_hough():
    class M(nn.Layer):
        def forward(self, pts, weight):
            th = paddle.arange(0, 8, dtype="float32") * (math.pi / 8)
            rho = pts[:, 0:1] * paddle.cos(th) + pts[:, 1:2] * paddle.sin(th)
            r = paddle.floor(rho / 4.0).astype("int64").clip(-8, 7) + 8
            t = paddle.arange(8, dtype="int64").unsqueeze(0).expand_as(r)
            ind = paddle.stack([t, r], -1)
            acc = paddle.scatter_nd_add(
                paddle.zeros([8, 16]), ind, weight.unsqueeze(1).expand_as(rho)
            )
            v, i = paddle.topk(acc.flatten(), 3)
            lines = paddle.stack([i // 16, i % 16 - 8], -1)
            return acc, v, lines

    return (
        M(),
        [S("pts", [None, 2]), S("weight", [None])],
        [[U(1, 10, 2, lo=-15, hi=15), U(2, 10)], [U(3, 23, 2, lo=-15, hi=15), U(4, 23)]],
    )


# ---------------------------------------------------------------- segmentation
@model
def seg_deeplab_aspp():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.low = CBA(3, 8, s=2)
            self.body = CBA(8, 16, s=2)
            self.aspp = nn.LayerList([CBA(16, 8, 1)] + [CBA(16, 8, 3, d=d) for d in (2, 4, 6)])
            self.pool = nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Conv2D(16, 8, 1), nn.ReLU())
            self.proj = CBA(40, 8, 1)
            self.skip = CBA(8, 4, 1)
            self.out = nn.Conv2D(12, 5, 3, padding=1)

        def forward(self, image):
            low = self.low(image)
            x = self.body(low)
            ys = [m(x) for m in self.aspp]
            ys.append(
                F.interpolate(
                    self.pool(x), paddle.shape(x)[2:], mode="bilinear", align_corners=False
                )
            )
            y = self.proj(paddle.concat(ys, axis=1))
            y = F.interpolate(y, paddle.shape(low)[2:], mode="bilinear", align_corners=False)
            y = self.out(paddle.concat([y, self.skip(low)], 1))
            y = F.interpolate(y, paddle.shape(image)[2:], mode="bilinear", align_corners=False)
            return paddle.argmax(y, axis=1, dtype="int32"), F.softmax(y, axis=1).max(axis=1)

    return M(), IMG(), two(a=(1, 32, 37), b=(2, 41, 28))


@model
def seg_pspnet_pyramid():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, d=2))
            self.stages = nn.LayerList(
                [
                    nn.Sequential(nn.AdaptiveAvgPool2D((k, k)), nn.Conv2D(8, 4, 1))
                    for k in (1, 2, 3, 6)
                ]
            )
            self.out = nn.Conv2D(24, 3, 1)

        def forward(self, image):
            x = self.c(image)
            h, w = paddle.shape(x)[2], paddle.shape(x)[3]
            cat = [x]
            for i, st in enumerate(self.stages):
                mode = "bilinear" if i % 2 == 0 else "bicubic"
                cat.append(F.interpolate(st(x), size=[h, w], mode=mode, align_corners=(i > 1)))
            y = self.out(paddle.concat(cat, 1))
            y = F.interpolate(y, scale_factor=2, mode="nearest")
            return y[:, :, : image.shape[2], : image.shape[3]]

    return M(), IMG(), two(a=(1, 24, 30), b=(2, 31, 26))


@model
def seg_ocrnet_head():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.b = CBA(3, 16, s=4)
            self.aux = nn.Conv2D(16, 4, 1)
            self.q, self.k, self.v = nn.Conv2D(16, 8, 1), nn.Conv1D(16, 8, 1), nn.Conv1D(16, 8, 1)
            self.cls = nn.Conv2D(24, 4, 1)

        def forward(self, image):
            f = self.b(image)
            n, c, h, w = paddle.shape(f)
            aux = self.aux(f)
            p = F.softmax(aux.reshape([0, 0, -1]), axis=2)
            ctx = paddle.bmm(p, f.flatten(2).transpose([0, 2, 1])).transpose([0, 2, 1])
            q = self.q(f).flatten(2).transpose([0, 2, 1])
            sim = F.softmax(paddle.bmm(q, self.k(ctx)) * 8**-0.5, -1)
            o = (
                paddle.bmm(sim, self.v(ctx).transpose([0, 2, 1]))
                .transpose([0, 2, 1])
                .reshape([n, 8, h, w])
            )
            y = self.cls(paddle.concat([f, o], 1))
            hw = paddle.shape(image)[2:]
            return [F.interpolate(t, hw, mode="bilinear") for t in (y, aux)]

    return M(), IMG(), two()


@model
def seg_unet_odd_sizes():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.d1, self.d2, self.d3 = CBA(3, 8), CBA(8, 12), CBA(12, 16)
            self.u2 = nn.Conv2DTranspose(16, 12, 2, stride=2)
            self.u1 = nn.Conv2DTranspose(12, 8, 3, stride=2, padding=1, output_padding=1)
            self.c2, self.c1 = CBA(24, 12), CBA(16, 8)
            self.o = nn.Conv2D(8, 2, 1)

        def fit(self, x, ref):
            dh = paddle.shape(ref)[2] - paddle.shape(x)[2]
            dw = paddle.shape(ref)[3] - paddle.shape(x)[3]
            dh, dw = dh.astype("int32"), dw.astype("int32")
            half_h, half_w = (dh // 2).astype("int32"), (dw // 2).astype("int32")
            return F.pad(x, paddle.stack([half_w, dw - half_w, half_h, dh - half_h]).flatten())

        def forward(self, x):
            a = self.d1(x)
            b = self.d2(F.max_pool2d(a, 2))
            c = self.d3(F.max_pool2d(b, 2))
            y = self.c2(paddle.concat([b, self.fit(self.u2(c), b)], 1))
            y = self.c1(paddle.concat([a, self.fit(self.u1(y), a)], 1))
            y = self.o(y)
            return (F.sigmoid(y[:, 1] - y[:, 0]) * 255).astype("uint8"), y

    return M(), IMG(), two(a=(1, 23, 30), b=(2, 26, 21))


@model
def seg_segnet_unpool():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.e1, self.e2 = CBA(3, 8), CBA(8, 8)
            self.d2, self.d1 = CBA(8, 8), nn.Conv2D(8, 3, 3, padding=1)

        def forward(self, x):
            x, i1 = F.max_pool2d(self.e1(x), 2, stride=2, return_mask=True)
            y, i2 = F.max_pool2d(self.e2(x), 2, stride=2, return_mask=True)
            y = self.d2(F.max_unpool2d(y, i2, 2, stride=2))
            y = self.d1(F.max_unpool2d(y, i1, 2, stride=2))
            return y.argmax(1), i1

    return M(), [S("x", [None, 3, 16, 24])], [[N(1, 1, 3, 16, 24)], [N(2, 3, 3, 16, 24)]]


@model
def seg_unfold_fold_patch_smooth():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3 * 16, 3 * 16)

        def forward(self, x):
            u = F.unfold(x, 4, strides=2, paddings=1)
            mu = u.mean(1, keepdim=True)
            y = u + F.gelu(self.fc((u - mu).transpose([0, 2, 1]))).transpose([0, 2, 1])
            y = F.fold(y, [16, 20], 4, strides=2, paddings=1)
            c = F.fold(
                F.unfold(paddle.ones_like(x), 4, strides=2, paddings=1),
                [16, 20],
                4,
                strides=2,
                paddings=1,
            )
            return y / c, mu.squeeze(1).argsort(-1)

    return M(), [S("x", [None, 3, 16, 20])], [[N(1, 1, 3, 16, 20)], [N(2, 3, 3, 16, 20)]]


@model
def seg_pixel_shuffle_dup():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(12, 16, act="swish")
            self.o = nn.Conv2D(16, 4 * 4, 1)
            self.ps = nn.PixelShuffle(2)

        def forward(self, x):
            h, w = x.shape[2], x.shape[3]
            x = paddle.concat([x, x[:, :, -1:]], 2)
            x = paddle.concat([x, x[:, :, :, -1:]], 3)
            x = x[:, :, : (h + 1) // 2 * 2, : (w + 1) // 2 * 2]
            y = paddle.concat(
                [
                    x[:, :, 0::2, 0::2],
                    x[:, :, 0::2, 1::2],
                    x[:, :, 1::2, 0::2],
                    x[:, :, 1::2, 1::2],
                ],
                1,
            )
            y = self.ps(self.o(self.c(y)))[:, :, :h, :w]
            return F.log_softmax(y, 1), y.argmax(1).astype("uint8")

    return M(), IMG(), two(a=(1, 15, 22), b=(2, 18, 13))


@model
def seg_interp_all_modes():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv2D(3, 4, 3, padding=1)

        def forward(self, x):
            y = F.relu(self.c(x))
            a = F.interpolate(y, scale_factor=1.5, mode="nearest")
            b = F.interpolate(y, scale_factor=[2.0, 0.5], mode="bilinear", align_corners=True)
            c = F.interpolate(y, scale_factor=0.75, mode="bicubic", align_corners=False)
            d = F.interpolate(y, size=[7, 9], mode="area")
            e = F.interpolate(
                y, scale_factor=1.25, mode="bilinear", align_corners=False, align_mode=1
            )
            f = F.interpolate(y.flatten(2), scale_factor=2, mode="linear", data_format="NCW")
            return a, b, c, d, e, f

    return M(), IMG(), two(a=(1, 16, 12), b=(2, 20, 24))


@model
def seg_interp_3d_trilinear():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv3D(1, 4, 3, stride=2, padding=1)
            self.t = nn.Conv3DTranspose(
                4, 4, 3, stride=2, padding=1, output_padding=(1, 0, 1), groups=2
            )
            self.o = nn.Conv3D(4, 3, 1)

        def forward(self, v):
            x = F.leaky_relu(self.c(v), 0.1)
            y = F.interpolate(
                x,
                size=paddle.shape(v)[2:],
                mode="trilinear",
                align_corners=True,
                data_format="NCDHW",
            )
            z = F.interpolate(
                self.t(x), size=paddle.shape(v)[2:], mode="nearest", data_format="NCDHW"
            )
            o = self.o(y + z)
            return o.argmax(1), F.softmax(o, 1)[:, 1:].sum([2, 3, 4])

    return (
        M(),
        [S("v", [None, 1, None, None, None])],
        [[N(1, 1, 1, 8, 9, 10)], [N(2, 2, 1, 7, 12, 6)]],
    )


@model
def seg_nhwc_uint8_preproc():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv2D(3, 8, 3, stride=2, padding=1, data_format="NHWC")
            self.bn = nn.BatchNorm2D(8, data_format="NHWC")
            self.p = nn.AvgPool2D(3, 2, 1, exclusive=False, data_format="NHWC")
            self.o = nn.Conv2DTranspose(8, 2, 4, stride=4, data_format="NHWC")
            self.register_buffer("mean", paddle.to_tensor([0.485, 0.456, 0.406]))
            self.register_buffer("std", paddle.to_tensor([0.229, 0.224, 0.225]))

        def forward(self, image):
            x = (image.astype("float32") / 255.0 - self.mean) / self.std
            y = self.p(F.relu6(self.bn(self.c(x.flip(-1)))))
            y = self.o(y)
            y = F.interpolate(y, size=paddle.shape(x)[1:3], mode="bilinear", data_format="NHWC")
            m = y.argmax(-1, keepdim=True).astype("int32")
            return (m * image.astype("int32")).astype("uint8"), y

    return (
        M(),
        [S("image", [None, None, None, 3], "uint8")],
        [[I(1, 1, 24, 29, 3, dtype="uint8")], [I(2, 2, 30, 18, 3, dtype="uint8")]],
    )


@model
def seg_matting_trimap_morphology():
    class M(nn.Layer):
        def forward(self, alpha):
            fg = (alpha > 200).astype("float32")
            er = -F.max_pool2d(-fg, 3, stride=1, padding=1)
            di = F.max_pool2d((alpha > 50).astype("float32"), 5, stride=1, padding=2)
            grad = di - er
            tri = paddle.where(
                er > 0.5,
                paddle.full_like(er, 255.0),
                paddle.where(di < 0.5, paddle.zeros_like(er), paddle.full_like(er, 128.0)),
            )
            opened = F.max_pool2d(-F.max_pool2d(-fg, 3, 1, 1), 3, 1, 1)
            hist = paddle.histogram(tri.flatten(), bins=3, min=0, max=255)
            return tri.astype("uint8"), grad.sum([1, 2, 3]), hist, opened.astype("bool")

    return (
        M(),
        [S("alpha", [None, 1, None, None], "uint8")],
        [[I(1, 1, 1, 16, 20, dtype="uint8")], [I(2, 2, 1, 22, 15, dtype="uint8")]],
    )


@model
def seg_bisenet_gated_attention():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.det = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8))
            self.sem = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, s=2, g=8))
            self.ge = nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Conv2D(8, 8, 1), nn.Sigmoid())
            self.avg = nn.AvgPool2D(3, stride=2, padding=1)
            self.a, self.b = nn.Conv2D(8, 8, 3, padding=1, groups=8), nn.Conv2D(8, 4, 1)

        def forward(self, image):
            d, s = self.det(image), self.sem(image)
            s = s * self.ge(s)
            left = d * F.interpolate(F.sigmoid(self.a(s)), paddle.shape(d)[2:], mode="nearest")
            right = self.avg(d) * F.sigmoid(s)
            y = left + F.interpolate(right, left.shape[2:], mode="bilinear")
            y = F.interpolate(self.b(y), scale_factor=2.0, mode="bilinear", align_corners=False)
            v, i = y.topk(2, axis=1)
            return i[:, 0], v[:, 0] - v[:, 1]

    return M(), IMG(), two(a=(1, 24, 32), b=(2, 40, 28))


@model
def seg_criss_cross_attention():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 16, s=2)
            self.q, self.k, self.v = nn.Conv2D(16, 4, 1), nn.Conv2D(16, 4, 1), nn.Conv2D(16, 16, 1)
            self.gamma = self.create_parameter(
                [1], default_initializer=nn.initializer.Constant(0.5)
            )

        def forward(self, image):
            x = self.c(image)
            h = paddle.shape(x)[2]
            for _ in range(2):
                q, k, v = self.q(x), self.k(x), self.v(x)
                eh = paddle.einsum("bchw,bcgw->bhwg", q, k)
                ew = paddle.einsum("bchw,bchg->bhwg", q, k)
                inf = paddle.eye(h).unsqueeze(1).unsqueeze(0) * -1e9
                att = F.softmax(paddle.concat([eh + inf, ew], -1), -1)
                ah, aw = att[..., :h], att[..., h:]
                x = (
                    self.gamma
                    * (
                        paddle.einsum("bhwg,bcgw->bchw", ah, v)
                        + paddle.einsum("bhwg,bchg->bchw", aw, v)
                    )
                    + x
                )
            return x, x.mean(1).argmax(-1)

    return M(), IMG(), two(a=(1, 14, 18), b=(2, 20, 12))


@model
def seg_connected_components_loop():
    class M(nn.Layer):
        def forward(self, mask):
            n, h, w = paddle.shape(mask)
            fg = (mask > 0).astype("float32").unsqueeze(1)
            lab = paddle.arange(1, h * w + 1).astype("float32").reshape([1, 1, h, w]) * fg
            changed = paddle.ones([1], dtype="bool")
            step = paddle.zeros([1], dtype="int32")
            while changed:
                new = F.max_pool2d(lab, 3, stride=1, padding=1) * fg
                changed = paddle.any(new != lab).reshape([1])
                lab = new
                step = step + 1
            return lab.astype("int32").squeeze(1), step, paddle.unique(lab.astype("int32"))

    return (
        M(),
        [S("mask", [None, None, None], "int32")],
        [[I(1, 1, 8, 9, lo=0, hi=2, dtype="int32")], [I(2, 2, 11, 7, lo=0, hi=2, dtype="int32")]],
    )


@model
def seg_pointrend_refine():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.o = nn.Conv2D(8, 3, 3, stride=2, padding=1)
            self.mlp = nn.Conv1D(11, 3, 1)

        def forward(self, image):
            f = self.c(image)
            p = F.interpolate(self.o(f), size=paddle.shape(image)[2:], mode="bilinear")
            top = p.topk(2, 1)[0]
            unc = -(top[:, 0] - top[:, 1]).flatten(1)
            n = p.shape[0]
            w = paddle.shape(p)[3]
            h = paddle.shape(p)[2]
            idx = unc.topk(8, 1)[1]
            px = ((idx % w).astype("float32") + 0.5) / w.astype("float32")
            py = ((idx // w).astype("float32") + 0.5) / h.astype("float32")
            grid = (paddle.stack([px, py], -1) * 2 - 1).unsqueeze(1)
            fine = F.grid_sample(f, grid, align_corners=False).squeeze(2)
            coarse = F.grid_sample(p, grid, align_corners=False, padding_mode="border").squeeze(2)
            new = self.mlp(paddle.concat([fine, coarse], 1))
            flat = p.flatten(2)
            out = paddle.put_along_axis(flat, idx.unsqueeze(1).expand([-1, 3, -1]), new, 2)
            return out.reshape(paddle.shape(p)), idx

    return M(), IMG(), two(a=(1, 16, 18), b=(2, 20, 14))


# ---------------------------------------------------------------- OCR
@model
def ocr_crnn_ctc_greedy():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(
                CBA(1, 8, s=(2, 1)), CBA(8, 16, s=(2, 2)), nn.MaxPool2D((2, 1), (2, 1))
            )
            self.rnn = nn.LSTM(32, 12, direction="bidirect")
            self.fc = nn.Linear(24, 11)

        def forward(self, image):
            x = self.c(image)
            b, c, h, w = x.shape
            x = x.reshape([b, c * h, w]).transpose([0, 2, 1])
            x, _ = self.rnn(x)
            p = F.softmax(self.fc(x), axis=2)
            ids, prob = p.argmax(2), p.max(2)
            prev = (
                F.pad(
                    ids[:, :-1].unsqueeze(1).astype("float32"),
                    [1, 0],
                    value=-1.0,
                    data_format="NCL",
                )
                .squeeze(1)
                .astype("int64")
            )
            keep = paddle.logical_and(ids != prev, ids != 0)
            score = (prob * keep.astype(prob.dtype)).sum(1) / keep.astype("float32").sum(1).clip(
                min=1
            )
            return ids, keep, score, p

    return M(), [S("image", [None, 1, 16, None])], [[N(1, 1, 1, 16, 24)], [N(2, 3, 1, 16, 37)]]


@model
def ocr_svtr_mixing():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pe = nn.Sequential(CBA(3, 8, s=2, act="gelu"), CBA(8, 16, s=2, act="gelu"))
            self.pos = self.create_parameter([1, 4 * 8, 16])
            self.n = nn.LayerList([nn.LayerNorm(16, epsilon=1e-6) for _ in range(4)])
            self.qkv = nn.Linear(16, 48)
            self.loc = nn.Conv2D(16, 16, (3, 5), padding=(1, 2), groups=4)
            self.mlp = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
            self.sub = nn.Conv2D(16, 24, 3, stride=(2, 1), padding=1)
            self.sn = nn.LayerNorm(24)
            self.fc = nn.Linear(24, 13)
            m = np.full([4 + 2, 8 + 4, 4, 8], -np.inf, "float32").reshape([6, 12, 32])
            hk = np.ones([32, 6, 12], "float32")
            for i in range(4):
                for j in range(8):
                    hk[i * 8 + j, i : i + 3, j : j + 5] = 0.0
            mk = hk[:, 1:5, 2:10].reshape(32, 32)
            self.register_buffer(
                "mask", paddle.to_tensor(np.where(mk < 1, 0.0, -1e9).astype("float32"))
            )

        def attn(self, x, mask=None):
            qkv = self.qkv(x).reshape((0, -1, 3, 2, 8)).transpose((2, 0, 3, 1, 4))
            q, k, v = qkv[0] * 8**-0.5, qkv[1], qkv[2]
            a = q.matmul(k.transpose((0, 1, 3, 2)))
            if mask is not None:
                a += mask
            return F.softmax(a, -1).matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, 16))

        def forward(self, image):
            x = self.pe(image).flatten(2).transpose([0, 2, 1]) + self.pos
            x = x + self.attn(self.n[0](x), self.mask)
            x = x + self.mlp(self.n[1](x))
            x = x + self.attn(self.n[2](x))
            m = x.transpose([0, 2, 1]).reshape([0, 16, 4, 8])
            x = self.sub(m + self.loc(m))
            x = (
                F.hardswish(self.sn(x.flatten(2).transpose([0, 2, 1])))
                .transpose([0, 2, 1])
                .reshape([0, 24, 2, 8])
            )
            x = F.adaptive_avg_pool2d(x, [1, None]).squeeze(2).transpose([0, 2, 1])
            return F.softmax(self.fc(x), 2)

    return M(), [S("image", [None, 3, 16, 32])], [[N(1, 1, 3, 16, 32)], [N(2, 3, 3, 16, 32)]]


@model
def ocr_tps_rectify():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            k, h, w = 8, 8, 20
            self.loc = nn.Sequential(
                CBA(1, 8, s=2), CBA(8, 8, s=2), nn.AdaptiveAvgPool2D(1), nn.Flatten()
            )
            self.fc = nn.Linear(8, 2 * k)
            cx = np.linspace(-1, 1, k // 2)
            C = np.concatenate(
                [np.stack([cx, -np.ones(k // 2)], 1), np.stack([cx, np.ones(k // 2)], 1)]
            )
            d = np.linalg.norm(C[:, None] - C[None], axis=2)
            np.fill_diagonal(d, 1)
            dC = np.concatenate(
                [
                    np.concatenate([np.ones((k, 1)), C, d**2 * np.log(d)], 1),
                    np.concatenate([np.zeros((2, 3)), C.T], 1),
                    np.concatenate([np.zeros((1, 3)), np.ones((1, k))], 1),
                ],
                0,
            )
            gx = (np.arange(-w, w, 2) + 1.0) / w
            gy = (np.arange(-h, h, 2) + 1.0) / h
            P = np.stack(np.meshgrid(gx, gy), 2).reshape(-1, 2)
            r = np.linalg.norm(P[:, None] - C[None], axis=2)
            Ph = np.concatenate([np.ones((len(P), 1)), P, r**2 * np.log(r + 1e-6)], 1)
            self.register_buffer("inv", paddle.to_tensor(np.linalg.inv(dC).astype("float32")))
            self.register_buffer("ph", paddle.to_tensor(Ph.astype("float32")))
            self.register_buffer("c0", paddle.to_tensor(C.astype("float32")))

        def forward(self, image):
            pts = self.fc(self.loc(image)).reshape([-1, 8, 2]) * 0.1 + self.c0
            z = paddle.zeros([paddle.shape(pts)[0], 3, 2])
            T = paddle.matmul(self.inv, paddle.concat([pts, z], 1))
            grid = paddle.matmul(self.ph, T).reshape([-1, 8, 20, 2])
            out = F.grid_sample(
                image, grid, mode="bilinear", padding_mode="border", align_corners=True
            )
            return out, pts

    return M(), IMG(1), two(1, (1, 16, 40), (3, 20, 33))


@model
def ocr_affine_stn():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), nn.AdaptiveMaxPool2D((2, 2)), nn.Flatten())
            self.fc = nn.Linear(32, 6)
            self.cls = nn.Linear(3 * 6 * 6, 4)

        def forward(self, image):
            th = self.fc(self.c(image)).reshape([-1, 2, 3]) * 0.1 + paddle.to_tensor(
                [[1.0, 0, 0], [0, 1, 0]]
            )
            size = paddle.concat(
                [paddle.shape(image)[:2].astype("int32"), paddle.full([2], 12, "int32")]
            )
            g = F.affine_grid(th, size, align_corners=False).reshape([-1, 12, 12, 2])
            a = F.grid_sample(
                image, g, mode="bilinear", padding_mode="reflection", align_corners=False
            )
            b = F.grid_sample(image, g, mode="nearest", padding_mode="zeros", align_corners=False)
            y = F.avg_pool2d(paddle.maximum(a, b), 2)
            return self.cls(y.flatten(1)), paddle.linalg.det(th[:, :, :2]), a

    return M(), IMG(), two(a=(1, 18, 20), b=(2, 15, 25))


@model
def ocr_attention_decoder_loop():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(1, 8, s=2), CBA(8, 12, s=(4, 1)))
            self.i2h, self.h2h, self.score = (
                nn.Linear(12, 10, bias_attr=False),
                nn.Linear(10, 10),
                nn.Linear(10, 1, bias_attr=False),
            )
            self.rnn = nn.GRUCell(12 + 9, 10)
            self.gen = nn.Linear(10, 9)

        def forward(self, image):
            x = self.c(image).mean(2).transpose([0, 2, 1])
            b = paddle.shape(x)[0]
            h = paddle.zeros([b, 10])
            tok = paddle.zeros([b], dtype="int32")
            proj = self.i2h(x)
            outs, alphas = [], []
            for i in range(6):
                e = self.score(paddle.tanh(proj + self.h2h(h).unsqueeze(1)))
                a = F.softmax(e, axis=1).transpose([0, 2, 1])
                ctx = paddle.mm(a, x).squeeze(1) if False else paddle.bmm(a, x).squeeze(1)
                inp = paddle.concat([ctx, F.one_hot(tok, 9)], 1)
                o, h = self.rnn(inp, h)
                p = self.gen(o)
                tok = p.argmax(1).astype("int32")
                outs.append(p)
                alphas.append(a)
            return F.softmax(paddle.stack(outs, 1), 2), paddle.concat(alphas, 1)

    return M(), [S("image", [None, 1, 16, None])], [[N(1, 1, 1, 16, 24)], [N(2, 3, 1, 16, 33)]]


@model
def ocr_while_early_exit():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(1, 8, s=2)
            self.emb = nn.Embedding(7, 8)
            self.cell = nn.LSTMCell(16, 8)
            self.out = nn.Linear(8, 7)

        def forward(self, image):
            f = self.c(image).mean([2, 3])
            b = paddle.shape(f)[0]
            tok = paddle.full([b], 1, dtype="int64")
            h, c = paddle.zeros([b, 8]), paddle.tanh(f)
            done = paddle.zeros([b], dtype="bool")
            ids = tok.unsqueeze(1)
            step = paddle.zeros([1], dtype="int64")
            while (step < 8) & paddle.logical_not(paddle.all(done)):
                y, (h, c) = self.cell(paddle.concat([self.emb(tok), f], -1), (h, c))
                tok = self.out(y).argmax(-1)
                tok = paddle.where(done, paddle.zeros_like(tok), tok)
                done = paddle.logical_or(done, tok == 2)
                ids = paddle.concat([ids, tok.unsqueeze(1)], axis=1)
                step = step + 1
            return ids, step, h

    return M(), IMG(1), two(1, (1, 12, 16), (4, 14, 20))


@model
def ocr_transformer_decoder_cache():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(1, 16, s=4)
            self.emb = nn.Embedding(10, 16)
            self.layer = nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, normalize_before=True)
            self.out = nn.Linear(16, 10)
            pe = np.zeros([8, 16], "float32")
            pe[:, 0::2] = np.sin(np.arange(8)[:, None] / 10000 ** (np.arange(0, 16, 2) / 16))
            pe[:, 1::2] = np.cos(np.arange(8)[:, None] / 10000 ** (np.arange(0, 16, 2) / 16))
            self.register_buffer("pe", paddle.to_tensor(pe), persistable=False)

        def forward(self, image):
            mem = self.c(image).flatten(2).transpose([0, 2, 1])
            b = paddle.shape(mem)[0]
            ids = paddle.full([b, 1], 1, "int64")
            probs = paddle.ones([b, 1])
            for t in range(5):
                x = self.emb(ids) * 4.0 + self.pe[: t + 1]
                mask = paddle.triu(paddle.full([t + 1, t + 1], -1e9), 1)
                y = self.layer(x, mem, tgt_mask=mask)
                p = F.softmax(self.out(y[:, -1]), -1)
                ids = paddle.concat([ids, p.argmax(-1, keepdim=True)], 1)
                probs = paddle.concat([probs, p.max(-1, keepdim=True)], 1)
            return ids, probs

    return M(), IMG(1), two(1, (1, 16, 24), (2, 20, 32))


@model
def ocr_db_head_postprocess():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, s=2, act="hardswish"))
            self.b = nn.Sequential(
                nn.Conv2D(8, 4, 3, padding=1, bias_attr=False),
                nn.BatchNorm(4, act="relu"),
                nn.Conv2DTranspose(4, 4, 2, 2),
                nn.BatchNorm(4, act="relu"),
                nn.Conv2DTranspose(4, 1, 2, 2),
            )
            self.t = nn.Sequential(
                nn.Conv2D(8, 4, 3, padding=1),
                nn.ReLU(),
                nn.Upsample(scale_factor=2, mode="nearest"),
                nn.Conv2D(4, 1, 3, padding=1),
                nn.UpsamplingBilinear2D(scale_factor=2),
            )

        def forward(self, image):
            f = self.c(image)
            s, t = F.sigmoid(self.b(f)), F.sigmoid(self.t(f))
            binm = paddle.reciprocal(1 + paddle.exp(-50.0 * (s - t)))
            mask = s[:, 0] > 0.5
            rows = mask.any(axis=2).astype("int32")
            cols = mask.any(axis=1).astype("int32")
            y0, y1 = rows.argmax(1), rows.shape[1] - 1 - rows.flip(1).argmax(1)
            x0, x1 = cols.argmax(1), cols.shape[1] - 1 - cols.flip(1).argmax(1)
            return (
                binm,
                paddle.stack([t.astype("int64") for t in [x0, y0, x1, y1]], 1),
                mask.astype("uint8"),
            )

    return M(), IMG(), two(a=(1, 24, 32), b=(2, 40, 28))


@model
def ocr_east_geometry_decode():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, s=2))
            self.s, self.g = nn.Conv2D(8, 1, 1), nn.Conv2D(8, 8, 1)

        def forward(self, image):
            f = self.c(image)
            s = F.sigmoid(self.s(f))
            g = (F.sigmoid(self.g(f)) - 0.5) * 2 * 800
            pos = paddle.nonzero(s[0, 0] > s[0, 0].mean())
            quad = paddle.gather_nd(g[0].transpose([1, 2, 0]), pos)
            xy = pos.flip([1]).astype("float32") * 4.0
            quad = paddle.tile(xy, [1, 4]) + quad
            sc = paddle.gather_nd(s[0, 0], pos)
            o = paddle.argsort(sc, descending=True)
            return (
                paddle.index_select(quad, o, axis=0),
                sc.sort(descending=True),
                pos.astype("int32"),
            )

    return M(), [S("image", [1, 3, None, None])], two(a=(1, 24, 32), b=(1, 40, 28))


@model
def ocr_mask_rle_lines():
    class M(nn.Layer):
        def forward(self, page):
            g = page.astype("float32") @ paddle.to_tensor([0.299, 0.587, 0.114])
            ink = (g < 100.0).astype("int32")
            prof = ink.sum(-1).astype("int32")
            on = (prof > prof.astype("float32").mean().astype("int32")).astype("int32")
            z = paddle.zeros([1], dtype="int32")
            d = paddle.concat([z, on.astype("int32"), z])
            diff = d[1:].astype("int64") - d[:-1].astype("int64")
            start = paddle.nonzero(diff == 1).flatten()
            stop = paddle.nonzero(diff == -1).flatten()
            cum = paddle.concat([z.astype("int64"), paddle.cumsum(prof).astype("int64")])
            mass = paddle.gather(cum, stop) - paddle.gather(cum, start)
            return paddle.stack([start, stop], 1), mass, on.astype("bool")

    return (
        M(),
        [S("page", [None, None, 3], "uint8")],
        [[I(1, 20, 16, 3, dtype="uint8")], [I(2, 31, 24, 3, dtype="uint8")]],
    )


@model
def ocr_parseq_two_way_fp16_casts():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pe = nn.Conv2D(3, 16, (4, 8), stride=(4, 8))
            self.q = self.create_parameter(
                [1, 5, 16], default_initializer=nn.initializer.TruncatedNormal(std=0.2)
            )
            self.k, self.v = nn.Linear(16, 16), nn.Linear(16, 16)
            self.o = nn.Linear(16, 9)

        def forward(self, image):
            x = self.pe(image).flatten(2).transpose([0, 2, 1])
            a = paddle.einsum("oqd,bkd->bqk", self.q, self.k(x)) / 4.0
            a = a.astype("bfloat16").astype("float32")
            y = F.softmax(a, -1) @ self.v(x)
            y = y.astype("float16").astype("float32")
            lo = self.o(y)
            ids = lo.argmax(-1)
            eos = paddle.cumsum((ids == 0).astype("int64"), axis=1)
            length = (eos == 0).astype("int64").sum(1)
            return paddle.where(eos > 0, paddle.zeros_like(ids), ids), length, lo.astype("float16")

    return M(), IMG(), two(a=(1, 16, 32), b=(2, 20, 48))


# ---------------------------------------------------------------- backbones
class SE(nn.Layer):
    def __init__(self, c, r=4):
        super().__init__()
        self.a, self.b = nn.Conv2D(c, max(c // r, 1), 1), nn.Conv2D(max(c // r, 1), c, 1)

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        return x * F.hardsigmoid(self.b(F.relu(self.a(s))), slope=0.2, offset=0.5)


@model
def bb_mobilenetv3_block():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2, act="hardswish")
            self.exp, self.dw, self.se = (
                CBA(8, 24, 1, act="hardswish"),
                CBA(24, 24, 5, g=24, act="hardswish"),
                SE(24),
            )
            self.lin = CBA(24, 8, 1, act=None)
            self.last = nn.Conv2D(8, 32, 1)
            self.fc = nn.Linear(32, 6)

        def forward(self, image):
            x = self.stem(image)
            x = x + self.lin(self.se(self.dw(self.exp(x))))
            x = F.hardswish(self.last(F.adaptive_avg_pool2d(x, 1)))
            x = F.dropout(
                paddle.flatten(x, 1), 0.2, training=self.training, mode="downscale_in_infer"
            )
            return F.softmax(self.fc(x)), self.fc(x).topk(3)[1]

    return M(), IMG(), two()


@model
def bb_shufflenet_v2():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2)
            self.pool = nn.MaxPool2D(3, 2, 1)
            self.l = nn.Sequential(CBA(8, 8, g=8, s=2, act=None), CBA(8, 8, 1))
            self.r = nn.Sequential(CBA(8, 8, 1), CBA(8, 8, g=8, s=2, act=None), CBA(8, 8, 1))
            self.b = nn.Sequential(
                CBA(8, 8, 1), CBA(8, 8, g=8, act=None), CBA(8, 8, 1, act="swish")
            )
            self.fc = nn.Linear(16, 5)

        def shuffle(self, x, g):
            n, c, h, w = x.shape[0:4]
            x = paddle.reshape(x, [n, g, c // g, h, w])
            return paddle.reshape(paddle.transpose(x, [0, 2, 1, 3, 4]), [n, c, h, w])

        def forward(self, image):
            x = self.pool(self.stem(image))
            x = self.shuffle(paddle.concat([self.l(x), self.r(x)], 1), 2)
            a, b = paddle.split(x, num_or_sections=[8, 8], axis=1)
            x = self.shuffle(paddle.concat([a, self.b(b)], 1), 2)
            return self.fc(x.mean([2, 3])), F.channel_shuffle(x, 4)

    return M(), IMG(), two()


@model
def bb_repvgg_reparam():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2D(3, 8, 3, 2, 1)
            self.k3, self.k1 = nn.Conv2D(8, 8, 3, padding=1, groups=2), nn.Conv2D(8, 8, 1, groups=2)
            eye = np.zeros([8, 4, 3, 3], "float32")
            for i in range(8):
                eye[i, i % 4, 1, 1] = 1
            self.register_buffer("ident", paddle.to_tensor(eye))
            self.fc = nn.Linear(8, 4)

        def forward(self, image):
            x = F.relu(self.stem(image))
            w = self.k3.weight + F.pad(self.k1.weight, [1, 1, 1, 1]) + self.ident
            y = F.conv2d(x, w, self.k3.bias + self.k1.bias, padding="SAME", groups=2)
            ref = self.k3(x) + self.k1(x) + x
            err = (y - ref).abs().max()
            return self.fc(F.relu(y).mean((2, 3))), err < 1e-3

    return M(), IMG(), two()


@model
def bb_ghostnet():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2)
            self.p, self.c = CBA(8, 9, 1), CBA(9, 9, g=9)
            self.dw, self.se = CBA(17, 17, s=2, g=17, act=None), SE(17)
            self.fc = nn.Linear(
                17, 4, weight_attr=paddle.ParamAttr(initializer=nn.initializer.XavierUniform())
            )

        def forward(self, image):
            x = self.stem(image)
            a = self.p(x)
            x = paddle.concat([a, self.c(a)], 1)[:, :17, :, :]
            x = self.se(self.dw(x))
            y = F.adaptive_max_pool2d(x, (3, 2))
            return self.fc(y.transpose([0, 2, 3, 1])).logsumexp(-1), y.flatten(1).argsort(
                -1, descending=True
            )[:, :5]

    return M(), IMG(), two()


@model
def bb_convnext_grn():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2D(3, 16, 4, stride=4)
            self.dw = nn.Conv2D(16, 16, 7, padding=3, groups=16)
            self.n = nn.LayerNorm(16, epsilon=1e-6)
            self.a, self.b = nn.Linear(16, 64), nn.Linear(64, 16)
            self.g = self.create_parameter([16], default_initializer=nn.initializer.Constant(0.3))
            self.gamma = self.create_parameter(
                [1, 1, 1, 64], default_initializer=nn.initializer.Constant(0.5)
            )
            self.beta = self.create_parameter([1, 1, 1, 64], is_bias=True)
            self.head = nn.Linear(16, 5)

        def forward(self, image):
            x = self.stem(image)
            y = self.n(self.dw(x).transpose([0, 2, 3, 1]))
            y = F.gelu(self.a(y), approximate=True)
            gx = (
                paddle.norm(y, p=2, axis=[1, 2], keepdim=True)
                if False
                else (y**2).sum([1, 2], keepdim=True).sqrt()
            )
            y = self.gamma * (y * (gx / (gx.mean(-1, keepdim=True) + 1e-6))) + self.beta + y
            y = x + (self.g * self.b(y)).transpose([0, 3, 1, 2])
            f = self.n(y.mean([-2, -1]))
            return self.head(f), y

    return M(), IMG(), two()


@model
def bb_swin_shifted_windows():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.ws = 4
            self.pe = nn.Conv2D(3, 16, 2, stride=2)
            self.n1, self.n2 = nn.LayerNorm(16), nn.LayerNorm(16)
            self.qkv, self.proj = nn.Linear(16, 48), nn.Linear(16, 16)
            self.table = self.create_parameter(
                [49, 2], default_initializer=nn.initializer.TruncatedNormal(std=0.2)
            )
            c = np.stack(np.meshgrid(np.arange(4), np.arange(4), indexing="ij")).reshape(2, -1)
            r = (c[:, :, None] - c[:, None]).transpose(1, 2, 0) + 3
            self.register_buffer("index", paddle.to_tensor((r[..., 0] * 7 + r[..., 1]).reshape(-1)))
            self.red = nn.Linear(64, 24)

        def part(self, x):
            b, h, w, c = x.shape
            x = x.reshape([b, h // 4, 4, w // 4, 4, c])
            return x.transpose([0, 1, 3, 2, 4, 5]).reshape([-1, 16, c])

        def attn(self, x, mask):
            bw = x.shape[0]
            q, k, v = self.qkv(x).reshape([bw, 16, 3, 2, 8]).transpose([2, 0, 3, 1, 4]).unbind(0)
            a = (q * 8**-0.5) @ k.transpose([0, 1, 3, 2])
            bias = (
                paddle.index_select(self.table, self.index)
                .reshape([16, 16, 2])
                .transpose([2, 0, 1])
            )
            a = a + bias.unsqueeze(0)
            nw = mask.shape[0]
            a = (a.reshape([-1, nw, 2, 16, 16]) + mask.unsqueeze(1).unsqueeze(0)).reshape(
                [-1, 2, 16, 16]
            )
            return self.proj((F.softmax(a) @ v).transpose([0, 2, 1, 3]).reshape([bw, 16, 16]))

        def forward(self, image):
            x = self.pe(image).transpose([0, 2, 3, 1])
            h, w = paddle.shape(x)[1], paddle.shape(x)[2]
            x = F.pad(x.transpose([0, 3, 1, 2]), [0, 3, 0, 3]).transpose([0, 2, 3, 1])
            hp, wp = (h + 3) // 4 * 4, (w + 3) // 4 * 4
            x = x[:, :hp, :wp]
            y = paddle.roll(self.n1(x), shifts=(-2, -2), axis=(1, 2))
            ih = (paddle.arange(hp) >= hp - 4).astype("float32") + (
                paddle.arange(hp) >= hp - 2
            ).astype("float32")
            iw = (paddle.arange(wp) >= wp - 4).astype("float32") + (
                paddle.arange(wp) >= wp - 2
            ).astype("float32")
            reg = (ih.unsqueeze(1) * 3 + iw.unsqueeze(0)).unsqueeze(0).unsqueeze(-1)
            mw = self.part(reg).squeeze(-1)
            m = mw.unsqueeze(1) - mw.unsqueeze(2)
            m = paddle.where(m != 0, paddle.full_like(m, -100.0), paddle.zeros_like(m))
            y = self.attn(self.part(y), m)
            y = (
                y.reshape([-1, hp // 4, wp // 4, 4, 4, 16])
                .transpose([0, 1, 3, 2, 4, 5])
                .reshape([-1, hp, wp, 16])
            )
            x = x + paddle.roll(y, shifts=(2, 2), axis=(1, 2))
            x = self.n2(x)
            z = paddle.concat(
                [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1
            )
            return self.red(z), x[:, :h, :w]

    return M(), IMG(), two(a=(1, 22, 28), b=(2, 32, 18))


@model
def bb_vit_pos_interp():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pe = nn.Conv2D(3, 16, 8, stride=8)
            self.cls = self.create_parameter([1, 1, 16])
            self.pos = self.create_parameter([1, 17, 16])
            self.enc = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(
                    16, 2, 32, 0.1, activation="gelu", normalize_before=True
                ),
                2,
            )
            self.n, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

        def forward(self, image):
            x = self.pe(image)
            b, c, h, w = paddle.shape(x)
            p = self.pos[:, 1:].reshape([1, 4, 4, 16]).transpose([0, 3, 1, 2])
            p = F.interpolate(p, size=paddle.shape(x)[2:], mode="bicubic", align_corners=False)
            p = paddle.concat([self.pos[:, :1], p.flatten(2).transpose([0, 2, 1])], 1)
            x = (
                paddle.concat([self.cls.expand([b, -1, -1]), x.flatten(2).transpose([0, 2, 1])], 1)
                + p
            )
            x = self.n(self.enc(x))
            return self.head(x[:, 0]), x[:, 1:].transpose([0, 2, 1]).reshape([b, 16, h, w])

    return M(), IMG(), two(a=(1, 24, 40), b=(2, 32, 16))


@model
def bb_inception_asymmetric():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2D(3, 8, 3, stride=2, padding="VALID")
            self.b1 = nn.Conv2D(8, 4, 1)
            self.b2 = nn.Sequential(
                nn.Conv2D(8, 4, (1, 7), padding=(0, 3)), nn.Conv2D(4, 6, (7, 1), padding=[3, 0])
            )
            self.b3 = nn.Sequential(nn.Conv2D(8, 4, 5, padding=[1, 3, 2, 2]), nn.ReLU6())
            self.b4 = nn.AvgPool2D(3, stride=1, padding=1, exclusive=True)
            self.lrn = nn.LocalResponseNorm(5, alpha=1e-3, beta=0.75, k=2.0)
            self.fc = nn.Linear(22, 4)

        def forward(self, image):
            x = self.lrn(F.relu(self.stem(image)))
            y = paddle.concat([self.b1(x), self.b2(x), self.b3(x), self.b4(x)], axis=1)
            y = F.max_pool2d(y, 3, 2, ceil_mode=True)
            z = F.avg_pool2d(y, 2, 2, ceil_mode=True, divisor_override=3)
            return self.fc(y.max([2, 3])), z

    return M(), [S("image", [None, 3, 23, 28])], two(a=(1, 23, 28), b=(2, 23, 28))


@model
def bb_transposed_mix_1d_2d():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = nn.Conv2DTranspose(
                4,
                8,
                (3, 5),
                stride=(2, 3),
                padding=(1, 2),
                output_padding=(1, 2),
                groups=4,
                dilation=1,
            )
            self.b = nn.Conv2DTranspose(8, 4, 3, stride=1, padding=2, dilation=2, bias_attr=False)
            self.c = nn.Conv1DTranspose(4, 6, 4, stride=3, padding=1, output_padding=1, groups=2)
            self.d = nn.Conv1D(6, 3, 5, padding=4, dilation=2, padding_mode="circular")

        def forward(self, x):
            y = F.prelu(self.b(self.a(x)), paddle.to_tensor([0.2]))
            z = self.d(self.c(y.mean(2)))
            return y, F.glu(paddle.concat([z, z * 0.5], 1), 1), z.cumsum(-1)

    return M(), [S("x", [None, 4, None, None])], two(4, (1, 7, 9), (2, 10, 6))


@model
def bb_padding_modes_conv():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.ref = nn.Conv2D(3, 6, 3, padding=1, padding_mode="reflect")
            self.rep = nn.Conv2D(6, 6, 5, padding=2, padding_mode="replicate", groups=3)
            self.cir = nn.Conv2D(6, 4, 3, padding=2, dilation=(2, 1), padding_mode="circular")

        def forward(self, x):
            y = F.mish(self.cir(F.selu(self.rep(F.softsign(self.ref(x))))))
            z = F.pad(y, [1, 2, 3, 1], mode="constant", value=-0.5)
            z = F.pad(z, [1, 1, 2, 2], mode="reflect")
            return z, F.zeropad2d(y, [1, 0, 0, 2])

    return M(), IMG(), two(a=(1, 9, 12), b=(2, 14, 7))


@model
def bb_norms_everything():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.utils.weight_norm(nn.Conv2D(3, 8, 3, padding=1), dim=0)
            self.gn, self.inn = nn.GroupNorm(2, 8), nn.InstanceNorm2D(8)
            self.ln = nn.LayerNorm(8)
            self.lrn = nn.LocalResponseNorm(3)

        def forward(self, x):
            y = self.c(x)
            a, b = self.gn(y), self.inn(y)
            c = self.ln(y.transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2])
            d = self.lrn(y)
            e = F.normalize(y, p=2, axis=1)
            s = F.softmax(paddle.stack([t.mean([1, 2, 3]) for t in (a, b, c, d, e)], 1), 1)
            w = s.unsqueeze(-1).unsqueeze(-1).unsqueeze(-1)
            return (paddle.stack([a, b, c, d, e], 1) * w).sum(1), s

    return M(), [S("image", [None, 3, 8, 11])], two(a=(1, 8, 11), b=(3, 8, 11))


@model
def bb_spectral_norm_disc():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = nn.utils.spectral_norm(
                nn.Conv2D(3, 8, 4, stride=2, padding=1), n_power_iterations=2
            )
            self.b = nn.utils.spectral_norm(nn.Conv2D(8, 8, 3, padding=1))
            self.fc = nn.utils.spectral_norm(nn.Linear(8, 1), dim=1)

        def forward(self, x):
            y = F.leaky_relu(self.a(x), 0.2)
            y = F.leaky_relu(self.b(y), 0.2)
            return self.fc(y.sum([2, 3])), F.tanhshrink(y), F.sigmoid(y.mean([1])).round()

    return M(), IMG(), two()


@model
def bb_hrnet_fuse():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.s = CBA(3, 8, s=2)
            self.d = CBA(8, 16, s=2)
            self.b0, self.b1 = CBA(8, 8), CBA(16, 16)
            self.up, self.dn = (
                nn.Sequential(nn.Conv2D(16, 8, 1), nn.BatchNorm2D(8)),
                CBA(8, 16, s=2, act=None),
            )

        def forward(self, image):
            xs = [self.s(image)]
            xs.append(self.d(xs[0]))
            for _ in range(2):
                ys = [self.b0(xs[0]), self.b1(xs[1])]
                u = F.upsample(
                    self.up(ys[1]),
                    size=paddle.shape(ys[0])[-2:],
                    mode="bilinear",
                    align_corners=True,
                )
                xs = [F.relu(ys[0] + u), F.relu(ys[1] + self.dn(ys[0]))]
            return {"a": xs[0]}["a"], xs[1], paddle.shape(xs[1])

    return M(), IMG(), two(a=(1, 22, 29), b=(2, 26, 20))


@model
def bb_coord_cbam_attention():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 16, s=2)
            self.r = nn.Conv2D(16, 8, 1)
            self.h, self.w = nn.Conv2D(8, 16, 1), nn.Conv2D(8, 16, 1)
            self.mlp = nn.Sequential(nn.Linear(16, 4), nn.ReLU(), nn.Linear(4, 16))
            self.sp = nn.Conv2D(2, 1, 7, padding=3)

        def forward(self, image):
            x = self.c(image)
            h, w = paddle.shape(x)[2], paddle.shape(x)[3]
            ph = x.mean(axis=3, keepdim=True)
            pw = x.mean(axis=2, keepdim=True).transpose([0, 1, 3, 2])
            y = F.hardswish(self.r(paddle.concat([ph, pw], 2)))
            yh, yw = y[:, :, :h], y[:, :, h:]
            x = x * F.sigmoid(self.h(yh)) * F.sigmoid(self.w(yw.transpose([0, 1, 3, 2])))
            ca = F.sigmoid(self.mlp(x.mean([2, 3])) + self.mlp(x.max([2, 3])))
            x = x * ca.unsqueeze([2, 3])
            sa = F.sigmoid(
                self.sp(paddle.concat([x.mean(1, keepdim=True), x.max(1, keepdim=True)], 1))
            )
            return x * sa, ca.kthvalue(3, axis=1)[0]

    return M(), IMG(), two(a=(1, 18, 24), b=(2, 25, 14))


@model
def bb_mobilevit_fold():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 16, s=2, act="silu"), CBA(16, 16, s=2, act="silu"))
            self.t = nn.TransformerEncoderLayer(16, 4, 24, dropout=0.0, activation="relu")
            self.f = CBA(32, 16, act="silu")

        def forward(self, image):
            x = self.c(image)
            h, w = paddle.shape(x)[2], paddle.shape(x)[3]
            nh, nw = (h + 1) // 2, (w + 1) // 2
            y = F.interpolate(x, size=[nh * 2, nw * 2], mode="bilinear")
            y = (
                y.reshape([-1, 16, nh, 2, nw, 2])
                .transpose([0, 3, 5, 2, 4, 1])
                .reshape([-1, nh * nw, 16])
            )
            y = self.t(y)
            y = (
                y.reshape([-1, 2, 2, nh, nw, 16])
                .transpose([0, 5, 3, 1, 4, 2])
                .reshape([-1, 16, nh * 2, nw * 2])
            )
            y = F.interpolate(y, size=[h, w], mode="bilinear")
            return self.f(paddle.concat([x, y], 1))

    return M(), IMG(), two(a=(1, 20, 28), b=(2, 27, 16))


@model
def bb_dynamic_conv_experts():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2)
            self.route = nn.Linear(8, 3)
            self.w = self.create_parameter([3, 8 * 8 * 9])
            self.w.stop_gradient = True

        def forward(self, image):
            x = self.stem(image)
            r = F.softmax(self.route(x.mean([2, 3])) / 2.0)
            w = paddle.matmul(r, self.w).reshape([-1, 8, 8, 3, 3])
            outs = []
            for i in range(x.shape[0]):
                outs.append(F.conv2d(x[i : i + 1], w[i], padding=1))
            return paddle.concat(outs, 0), r.argmax(-1)

    return M(), IMG(), two(a=(1, 12, 16), b=(3, 14, 10))


@model
def bb_involution():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = CBA(3, 8, s=2)
            self.k = nn.Sequential(
                nn.Conv2D(8, 4, 1), nn.BatchNorm2D(4), nn.Hardtanh(), nn.Conv2D(4, 9 * 2, 1)
            )

        def forward(self, image):
            x = self.stem(image)
            n, _, h, w = x.shape
            k = self.k(x).reshape([-1, 2, 1, 9, h, w])
            u = F.unfold(x, [3, 3], [1, 1], [1, 1], [1, 1]).reshape([-1, 2, 4, 9, h, w])
            y = (k * u).sum(3).reshape([-1, 8, h, w])
            return y, paddle.logsumexp(y, axis=[1]), y.std(axis=[2, 3])

    return M(), IMG(), two(a=(1, 12, 16), b=(2, 15, 11))


@model
def bb_efficientnet_nhwc_same():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2D(3, 8, 3, stride=2, padding="SAME", data_format="NHWC")
            self.bn = nn.BatchNorm2D(8, data_format="NHWC", epsilon=1e-3, momentum=0.99)
            self.dw = nn.Conv2D(8, 8, 5, stride=2, padding="SAME", groups=8, data_format="NHWC")
            self.s1, self.s2 = nn.Linear(8, 2), nn.Linear(2, 8)
            self.fc = nn.Linear(8, 5)

        def forward(self, image):
            x = F.silu(self.bn(self.stem(image)))
            x = self.dw(x)
            s = F.sigmoid(self.s2(F.silu(self.s1(x.mean([1, 2], keepdim=True)))))
            x = x * s
            y = F.adaptive_avg_pool2d(x, (2, 2), data_format="NHWC")
            z = F.max_pool2d(x, 2, 1, padding="SAME", data_format="NHWC")
            return self.fc(y), z

    return M(), [S("image", [None, None, None, 3])], [[N(1, 1, 21, 26, 3)], [N(2, 2, 24, 19, 3)]]


@model
def bb_fp16_amp_mixed():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.fc = nn.Linear(8, 6)

        def forward(self, image):
            x = self.c(image.astype("float32"))
            h = x.astype("float16")
            g = (h.astype("float32") * 1.5).astype("bfloat16")
            v = g.astype("float32").mean([2, 3])
            y = self.fc(v)
            p = F.softmax(y, dtype="float64")
            return (
                y.astype("float16"),
                p,
                p.argmax(-1).astype("uint8"),
                y.astype("float64").exp().sum(-1),
            )

    return (
        M(),
        [S("image", [None, 3, None, None], "float16")],
        [[N(1, 1, 3, 16, 20).astype("float16")], [N(2, 2, 3, 22, 14).astype("float16")]],
    )


# ---------------------------------------------------------------- video
@model
def vid_tsm_shift():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = CBA(3, 8, s=2)
            self.d = CBA(8, 8)
            self.fc = nn.Linear(8, 5)

        def forward(self, clip):
            n, t, c, h, w = clip.shape
            x = self.c(clip.reshape([-1, 3, h, w]))
            x = F.temporal_shift(x, seg_num=4, shift_ratio=0.25)
            y = self.d(x)
            z = y.reshape([-1, 4, 8, y.shape[2], y.shape[3]])
            left = paddle.concat([z[:, 1:, :2], paddle.zeros_like(z[:, :1, :2])], axis=1)
            right = paddle.concat([paddle.zeros_like(z[:, :1, 2:4]), z[:, :-1, 2:4]], axis=1)
            z = paddle.concat([left, right, z[:, :, 4:]], 2)
            s = self.fc(z.mean([3, 4]))
            return s.mean(1), F.softmax(s, -1).max(1)

    return (
        M(),
        [S("clip", [None, 4, 3, None, None])],
        [[N(1, 1, 4, 3, 12, 16)], [N(2, 2, 4, 3, 18, 14)]],
    )


@model
def vid_c3d_r2plus1d():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.s = nn.Conv3D(3, 8, (1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))
            self.t = nn.Conv3D(8, 8, (3, 1, 1), padding=(2, 0, 0), dilation=(2, 1, 1), groups=4)
            self.bn = nn.BatchNorm3D(8)
            self.p = nn.MaxPool3D((1, 2, 2), ceil_mode=True)
            self.fc = nn.Linear(8, 4)

        def forward(self, clip):
            x = self.p(F.relu(self.bn(self.t(self.s(clip)))))
            y = x.mean([3, 4])
            z = F.adaptive_max_pool3d(x, (2, 2, 1))
            a = F.avg_pool3d(x, 2, 1, 0, ceil_mode=False)
            return self.fc(y.transpose([0, 2, 1])).argmax(-1), z, a

    return (
        M(),
        [S("clip", [None, 3, None, None, None])],
        [[N(1, 1, 3, 5, 14, 12)], [N(2, 2, 3, 8, 10, 16)]],
    )


@model
def vid_convlstm_unrolled():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.x = nn.Conv2D(2, 16, 3, padding=1)
            self.h = nn.Conv2D(4, 16, 3, padding=1, bias_attr=False)

        def forward(self, seq):
            b, t = paddle.shape(seq)[0], paddle.shape(seq)[1]
            hh, ww = paddle.shape(seq)[3], paddle.shape(seq)[4]
            h = paddle.zeros([b, 4, hh, ww])
            c = paddle.zeros([b, 4, hh, ww])
            outs = []
            for k in range(t):
                g = self.x(seq[:, k]) + self.h(h)
                i, f, o, u = paddle.chunk(g, 4, axis=1)
                c = F.sigmoid(f) * c + F.sigmoid(i) * paddle.tanh(u)
                h = F.sigmoid(o) * paddle.tanh(c)
                outs.append(h.mean([2, 3]))
            return paddle.stack(outs, 1), c

    return (
        M(),
        [S("seq", [None, None, 2, None, None])],
        [[N(1, 1, 3, 2, 6, 7)], [N(2, 2, 5, 2, 8, 5)]],
    )


@model
def vid_slowfast_lateral():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.slow, self.fast = (
                nn.Conv3D(3, 8, (1, 5, 5), stride=(1, 2, 2), padding=(0, 2, 2)),
                nn.Conv3D(3, 4, (5, 5, 5), stride=(1, 2, 2), padding=2),
            )
            self.lat = nn.Conv3D(4, 8, (5, 1, 1), stride=(4, 1, 1), padding=(2, 0, 0))
            self.fc = nn.Linear(20, 5)

        def forward(self, clip):
            t = clip.shape[2]
            idx = paddle.arange(0, t, 4)
            s = self.slow(paddle.index_select(clip, idx, axis=2))
            f = self.fast(clip)
            s = paddle.concat([s, self.lat(f)], 1)
            y = paddle.concat([s.mean([2, 3, 4]), f.amax([2, 3, 4])], 1)
            return self.fc(y), idx

    return (
        M(),
        [S("clip", [None, 3, None, None, None])],
        [[N(1, 1, 3, 8, 10, 12)], [N(2, 2, 3, 11, 14, 8)]],
    )


@model
def vid_frame_sampler_gather():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(12, 5)

        def forward(self, frames, length):
            x = frames.astype("float32").mean([2, 3]) / 127.5 - 1.0
            t = x.shape[1]
            pos = paddle.linspace(0.0, 1.0, 4).unsqueeze(0) * (
                length.astype("float32") - 1
            ).unsqueeze(1)
            idx = paddle.round(pos).astype("int64")
            b = paddle.arange(x.shape[0], dtype="int64").unsqueeze(1).expand([-1, 4])
            s = paddle.gather_nd(x, paddle.stack([b, idx], -1))
            mask = paddle.arange(t).unsqueeze(0) < length.unsqueeze(1)
            avg = (x * mask.unsqueeze(-1).astype("float32")).sum(1) / length.astype(
                "float32"
            ).unsqueeze(1)
            d = paddle.diff(x, axis=1).abs().sum(-1)
            return self.fc(s.flatten(1)), avg, idx, d, mask

    return (
        M(),
        [S("frames", [None, None, None, None, 3], "uint8"), S("length", [None], "int64")],
        [
            [I(1, 1, 5, 4, 6, 3, dtype="uint8"), np.array([4])],
            [I(2, 2, 8, 5, 4, 3, dtype="uint8"), np.array([8, 3])],
        ],
    )


# ---------------------------------------------------------------- pose, face
@model
def pose_heatmap_offsets():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, s=2))
            self.hm, self.off = nn.Conv2D(8, 5, 1), nn.Conv2D(8, 10, 1)

        def forward(self, image):
            f = self.c(image)
            hm = self.hm(f)
            n, k, h, w = paddle.shape(hm)
            flat = hm.reshape([n, 5, -1])
            idx = flat.argmax(-1)
            conf = F.sigmoid(flat.max(-1))
            off = self.off(f).reshape([n, 5, 2, -1])
            o = paddle.take_along_axis(
                off, idx.unsqueeze(-1).unsqueeze(-1).expand([-1, -1, 2, -1]), axis=3
            ).squeeze(3)
            x = (idx % w).astype("float32") + o[..., 0]
            y = paddle.floor_divide(idx, w.astype("int64")).astype("float32") + o[..., 1]
            kp = paddle.stack([x, y], -1) * 4.0
            return paddle.concat([kp, conf.unsqueeze(-1)], -1), idx, conf > 0.6

    return M(), IMG(), two()


@model
def pose_quarter_shift_dark():
    class M(nn.Layer):
        def forward(self, hm):
            b, k, h, w = hm.shape
            g = (
                paddle.to_tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]).reshape(
                    [1, 1, 3, 3]
                )
                / 16.0
            )
            s = F.conv2d(hm.reshape([-1, 1, h, w]), g, padding=1).reshape([-1, k, h, w])
            s = paddle.log(s.clip(min=1e-10))
            p = F.pad(s, [1, 1, 1, 1], mode="replicate")
            dx = 0.5 * (p[:, :, 1:-1, 2:] - p[:, :, 1:-1, :-2])
            dy = 0.5 * (p[:, :, 2:, 1:-1] - p[:, :, :-2, 1:-1])
            m = hm.flatten(2).argmax(2, keepdim=True)
            gx = paddle.take_along_axis(dx.flatten(2), m, 2).squeeze(2)
            gy = paddle.take_along_axis(dy.flatten(2), m, 2).squeeze(2)
            px = (m.squeeze(2) % w).astype("float32") + paddle.sign(gx) * 0.25
            py = (m.squeeze(2) // w).astype("float32") + paddle.sign(gy) * 0.25
            return paddle.stack([px, py], 2), m.astype("int32")

    return M(), [S("hm", [None, 4, None, None])], [[U(1, 1, 4, 9, 7)], [U(2, 3, 4, 6, 10)]]


@model
def pose_integral_3d_softargmax():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv2D(3, 4 * 6, 3, stride=2, padding=1)
            self.register_buffer(
                "edges", paddle.to_tensor(np.array([[0, 1], [1, 2], [1, 3]], "int64"))
            )

        def forward(self, image):
            v = self.c(image)
            v = v.reshape([v.shape[0], 4, 6, v.shape[2], v.shape[3]])
            p = F.softmax(v.flatten(2), -1).reshape(paddle.shape(v))
            z = (p.sum([3, 4]) * paddle.arange(6, dtype="float32")).sum(-1)
            y = (p.sum([2, 4]) * paddle.arange(v.shape[3]).astype("float32")).sum(-1)
            x = (p.sum([2, 3]) * paddle.arange(v.shape[4]).astype("float32")).sum(-1)
            j = paddle.stack([x, y, z], -1)
            a = paddle.index_select(j, self.edges[:, 0], axis=1)
            b = paddle.index_select(j, self.edges[:, 1], axis=1)
            bone = b - a
            n = paddle.linalg.norm(bone, axis=-1)
            return (
                j,
                n,
                F.cosine_similarity(bone[:, :1], bone[:, 1:], axis=-1),
                paddle.cross(bone[:, 0], bone[:, 1], axis=-1),
            )

    return M(), IMG(), two(a=(1, 12, 16), b=(2, 18, 14))


@model
def face_arcface_logits():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(CBA(3, 8, s=2), CBA(8, 8, s=2, g=8))
            self.gdc = nn.Conv2D(8, 16, 4)
            self.w = self.create_parameter([16, 10])

        def forward(self, face, label):
            e = self.gdc(F.adaptive_avg_pool2d(self.c(face), 4)).flatten(1)
            e = F.normalize(e)
            w = F.normalize(self.w, axis=0)
            cos = paddle.matmul(e, w)
            sin = paddle.sqrt(1.0 - paddle.square(cos) + 1e-6)
            phi = cos * math.cos(0.5) - sin * math.sin(0.5)
            phi = paddle.where(
                cos > math.cos(math.pi - 0.5), phi, cos - math.sin(math.pi - 0.5) * 0.5
            )
            oh = F.one_hot(label, 10)
            out = (oh * phi + (1.0 - oh) * cos) * 30.0
            loss = F.cross_entropy(out, label, reduction="none")
            return e, out, loss, paddle.nn.functional.cosine_similarity(e, e.roll(1, 0))

    return (
        M(),
        [S("face", [None, 3, None, None]), S("label", [None], "int64")],
        [[N(1, 2, 3, 20, 24), np.array([3, 7])], [N(2, 3, 3, 32, 28), np.array([0, 9, 4])]],
    )


@model
def face_retina_landmarks_filter():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Sequential(
                CBA(3, 8, s=2, act="leaky_relu"), CBA(8, 8, s=2, act="leaky_relu")
            )
            self.k, self.b, self.l = nn.Conv2D(8, 2, 1), nn.Conv2D(8, 4, 1), nn.Conv2D(8, 10, 1)

        def forward(self, image):
            f = self.c(image)
            h, w = f.shape[2], f.shape[3]
            sc = F.softmax(self.k(f), 1)[0, 1].flatten()
            b = self.b(f)[0].transpose([1, 2, 0]).reshape([-1, 4])
            l = self.l(f)[0].transpose([1, 2, 0]).reshape([-1, 5, 2])
            yy, xx = paddle.meshgrid(
                paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32")
            )
            ctr = (paddle.stack([xx, yy], -1).reshape([-1, 2]) + 0.5) * 4
            box = paddle.concat([ctr + b[:, :2] * 0.1 * 8, 8 * paddle.exp(b[:, 2:] * 0.2)], 1)
            lm = ctr.unsqueeze(1) + l * 0.8
            keep = sc > sc.median()
            box, lm, s = box[keep], lm[keep], sc[keep]
            o = paddle.argsort(-s)[:5]
            return box[o], lm[o].reshape([-1, 10]), s[o], keep.astype("int64").sum()

    return M(), [S("image", [1, 3, None, None])], two(a=(1, 25, 33), b=(1, 40, 28))


@model
def face_align_similarity_svd():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer(
                "ref",
                paddle.to_tensor(
                    np.array(
                        [[-0.4, -0.3], [0.4, -0.3], [0, 0], [-0.3, 0.4], [0.3, 0.4]], "float32"
                    )
                ),
            )

        def forward(self, image, pts):
            p = pts.astype("float32")
            mp, mr = p.mean(1, keepdim=True), self.ref.mean(0, keepdim=True)
            q, r = p - mp, self.ref - mr
            den = (r**2).sum()
            a = (q * r).sum([1, 2]) / den
            b = (q[..., 1] * r[:, 0] - q[..., 0] * r[:, 1]).sum(1) / den
            rot = paddle.stack([paddle.stack([a, -b], -1), paddle.stack([b, a], -1)], 1)
            t = mp.transpose([0, 2, 1]) - paddle.bmm(
                rot, mr.transpose([1, 0]).unsqueeze(0).expand([pts.shape[0], -1, -1])
            )
            theta = paddle.concat([rot, t], 2)
            yy, xx = paddle.meshgrid(paddle.linspace(-1, 1, 10), paddle.linspace(-1, 1, 8))
            base = paddle.stack([xx.flatten(), yy.flatten(), paddle.ones([80])], 0)
            grid = paddle.matmul(theta, base).transpose([0, 2, 1]).reshape([-1, 10, 8, 2])
            return F.grid_sample(image, grid, align_corners=True), paddle.inverse(rot), theta

    return (
        M(),
        IMG() + [S("pts", [None, 5, 2], "float64")],
        [
            [N(1, 1, 3, 16, 18), U(2, 1, 5, 2, lo=-1, dtype="float64")],
            [N(3, 2, 3, 20, 14), U(4, 2, 5, 2, lo=-1, dtype="float64")],
        ],
    )


@model
def face_gallery_search_reid():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.bn = nn.BatchNorm1D(8)
            self.p = self.create_parameter([1], default_initializer=nn.initializer.Constant(3.0))

        def forward(self, fmap, gallery, ids):
            g = fmap.clip(min=1e-6).pow(self.p).mean([2, 3]).pow(1.0 / self.p)
            q = F.normalize(self.bn(g), axis=1)
            d = paddle.cdist(q, F.normalize(gallery, axis=1))
            near, idx = paddle.topk(d, 3, axis=1, largest=False)
            lab = paddle.gather(ids, idx.flatten()).reshape(paddle.shape(idx))
            mode = (lab[:, :, None] == lab[:, None, :]).astype("int32").sum(-1).argmax(1)
            vote = paddle.take_along_axis(lab, mode.unsqueeze(1), 1).squeeze(1)
            return vote, near, paddle.where(near[:, 0] < 1.0, vote, paddle.full_like(vote, -1))

    return (
        M(),
        [S("fmap", [None, 8, None, None]), S("gallery", [None, 8]), S("ids", [None], "int32")],
        [
            [U(1, 2, 8, 3, 4), N(2, 9, 8), I(3, 9, hi=4, dtype="int32")],
            [U(4, 3, 8, 5, 2), N(5, 14, 8), I(6, 14, hi=4, dtype="int32")],
        ],
    )


# ---------------------------------------------------------------- super-resolution, style, generation
@model
def sr_edsr_uint8_out():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.head, self.b1, self.b2 = (
                nn.Conv2D(3, 8, 3, padding=1),
                nn.Conv2D(8, 8, 3, padding=1),
                nn.Conv2D(8, 8, 3, padding=1),
            )
            self.tail = nn.Sequential(nn.Conv2D(8, 27, 3, padding=1), nn.PixelShuffle(3))

        def forward(self, image):
            x = image.astype("float32").transpose([0, 3, 1, 2]) / 255.0
            up = F.interpolate(x, scale_factor=3, mode="bicubic", align_corners=False)
            y = self.head(x - 0.5)
            y = y + self.b2(F.relu(self.b1(y))) * 0.1
            y = (self.tail(y) + up).clip(0.0, 1.0)
            lum = (y * paddle.to_tensor([0.257, 0.504, 0.098]).reshape([1, 3, 1, 1])).sum(
                1
            ) + 16 / 255.0
            return paddle.floor(y * 255.0).transpose([0, 2, 3, 1]).astype("uint8").astype(
                "int32"
            ) // 32, lum

    return (
        M(),
        [S("image", [None, None, None, 3], "uint8")],
        [[I(1, 1, 8, 11, 3, dtype="uint8")], [I(2, 2, 10, 6, 3, dtype="uint8")]],
    )


@model
def sr_liif_query():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.enc = CBA(3, 8)
            self.mlp = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3))

        def forward(self, image, coord):
            f = self.enc(image)
            rx, ry = 1.0 / image.shape[3], 1.0 / image.shape[2]
            preds, areas = [], []
            for vx in [-1, 1]:
                for vy in [-1, 1]:
                    c = paddle.stack([coord[..., 0] + vx * rx, coord[..., 1] + vy * ry], -1).clip(
                        -0.999, 0.999
                    )
                    q = (
                        F.grid_sample(f, c.unsqueeze(1), mode="nearest", align_corners=False)
                        .squeeze(2)
                        .transpose([0, 2, 1])
                    )
                    rel = coord - c
                    preds.append(self.mlp(paddle.concat([q, rel], -1)))
                    areas.append((rel[..., 0] * rel[..., 1]).abs() + 1e-6)
            tot = paddle.add_n(areas)
            out = paddle.zeros_like(preds[0])
            for i in range(4):
                out = out + preds[i] * (areas[3 - i] / tot).unsqueeze(-1)
            return out

    return (
        M(),
        IMG() + [S("coord", [None, None, 2])],
        [
            [N(1, 1, 3, 8, 9), U(2, 1, 12, 2, lo=-0.9, hi=0.9)],
            [N(3, 2, 3, 10, 7), U(4, 2, 17, 2, lo=-0.9, hi=0.9)],
        ],
    )


@model
def sr_esrgan_dense_upsample():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Conv2D(3, 8, 3, padding=1)
            self.ds = nn.LayerList([nn.Conv2D(8 + 4 * i, 4, 3, padding=1) for i in range(3)])
            self.j = nn.Conv2D(20, 8, 1)
            self.u, self.o = nn.Conv2D(8, 8, 3, padding=1), nn.Conv2D(8, 3, 3, padding=1)

        def forward(self, image):
            x = self.f(image)
            cat = x
            for d in self.ds:
                cat = paddle.concat([cat, F.leaky_relu(d(cat), 0.2)], 1)
            x = x + self.j(cat) * 0.2
            n, c, h, w = x.shape
            y = x.unsqueeze(3).unsqueeze(5).tile([1, 1, 1, 2, 1, 2]).reshape([n, c, h * 2, w * 2])
            z = paddle.repeat_interleave(paddle.repeat_interleave(x, 2, axis=2), 2, axis=3)
            y = self.o(F.leaky_relu(self.u(y), 0.2))
            mse = ((y[:, :, ::2, ::2] - image) ** 2).mean([1, 2, 3])
            return y, -10.0 * paddle.log10(mse + 1e-8), z.sum([2, 3])

    return M(), IMG(), two(a=(1, 8, 9), b=(2, 6, 11))


@model
def style_gram_adain():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.e = nn.Sequential(
                nn.Pad2D(1, mode="reflect"), nn.Conv2D(3, 8, 3, stride=2), nn.ReLU()
            )
            self.d = nn.Sequential(
                nn.Upsample(scale_factor=2, mode="nearest"),
                nn.Pad2D([1, 1, 1, 1], mode="reflect"),
                nn.Conv2D(8, 3, 3),
                nn.Tanh(),
            )

        def stat(self, f):
            f = f.flatten(2)
            return f.mean(-1).unsqueeze(-1).unsqueeze(-1), (f.var(-1) + 1e-5).sqrt().unsqueeze(
                -1
            ).unsqueeze(-1)

        def gram(self, f):
            n, c, h, w = f.shape
            v = f.reshape([n, c, h * w])
            return paddle.bmm(v, v.transpose([0, 2, 1])) / (c * h * w)

        def forward(self, content, style):
            a, b = self.e(content), self.e(style)
            (ma, sa), (mb, sb) = self.stat(a), self.stat(b)
            t = sb * (a - ma) / sa + mb
            t = 0.7 * t + 0.3 * a
            out = self.d(t)
            return out, self.gram(t), F.mse_loss(self.gram(t), self.gram(b))

    return (
        M(),
        [S("content", [None, 3, None, None]), S("style", [None, 3, None, None])],
        [[N(1, 1, 3, 12, 16), N(2, 1, 3, 10, 9)], [N(3, 2, 3, 15, 10), N(4, 2, 3, 14, 14)]],
    )


@model
def style_spade_modulated_conv():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter([8, 4, 3, 3])
            self.aff = nn.Linear(6, 4)
            self.inn = nn.InstanceNorm2D(8, weight_attr=False, bias_attr=False)
            self.gb = nn.Conv2D(5, 16, 3, padding=1)

        def forward(self, x, z, seg):
            b, c, h, w = paddle.shape(x)
            s = self.aff(z) + 1.0
            wt = self.w.unsqueeze(0) * s.reshape([-1, 1, 4, 1, 1])
            wt = wt * paddle.rsqrt((wt**2).sum([2, 3, 4], keepdim=True) + 1e-8)
            xs = x * s.unsqueeze(-1).unsqueeze(-1)
            y = F.conv2d(xs, self.w, padding=1) * paddle.rsqrt(
                ((self.w.unsqueeze(0) * s.reshape([-1, 1, 4, 1, 1])) ** 2).sum([2, 3, 4]) + 1e-8
            ).unsqueeze(-1).unsqueeze(-1)
            oh = F.one_hot(seg, 5).transpose([0, 3, 1, 2])
            oh = F.interpolate(oh, size=[h, w], mode="nearest")
            g, be = paddle.split(self.gb(oh), 2, axis=1)
            return F.leaky_relu(self.inn(y) * (1 + g) + be, 0.2), wt.flatten(1).norm(p=2, axis=1)

    return (
        M(),
        [S("x", [None, 4, None, None]), S("z", [None, 6]), S("seg", [None, None, None], "int64")],
        [
            [N(1, 1, 4, 8, 10), N(2, 1, 6), I(3, 1, 4, 5, hi=5)],
            [N(4, 2, 4, 12, 6), N(5, 2, 6), I(6, 2, 6, 3, hi=5)],
        ],
    )


@model
def gen_vqvae_codebook():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.e = nn.Conv2D(3, 6, 4, stride=2, padding=1)
            self.book = nn.Embedding(11, 6)
            self.d = nn.Conv2DTranspose(6, 3, 4, stride=2, padding=1)

        def forward(self, image):
            z = self.e(image).transpose([0, 2, 3, 1])
            f = z.reshape([-1, 6])
            d = (
                (f**2).sum(1, keepdim=True)
                + (self.book.weight**2).sum(1)
                - 2 * paddle.matmul(f, self.book.weight, transpose_y=True)
            )
            i = d.argmin(1)
            q = self.book(i).reshape(paddle.shape(z))
            count = paddle.bincount(i, minlength=11)
            p = F.one_hot(i, 11).mean(0)
            perp = paddle.exp(-(p * paddle.log(p + 1e-10)).sum())
            r = F.sigmoid(self.d((z + (q - z).detach()).transpose([0, 3, 1, 2])))
            return r, i.reshape(paddle.shape(z)[:3]), count, perp

    return M(), IMG(), two(a=(1, 12, 16), b=(2, 10, 14))


@model
def gen_diffusion_ddim_loop():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = nn.Conv2D(3, 8, 3, padding=1), nn.Conv2D(8, 3, 3, padding=1)
            self.t = nn.Linear(8, 8)
            ac = np.cumprod(1 - np.linspace(1e-3, 0.2, 10)).astype("float32")
            self.register_buffer("ac", paddle.to_tensor(ac))

        def temb(self, t):
            half = paddle.exp(-math.log(100.0) * paddle.arange(4, dtype="float32") / 4)
            a = t.astype("float32").unsqueeze(-1) * half
            return self.t(paddle.concat([paddle.sin(a), paddle.cos(a)], -1))

        def forward(self, noise, steps):
            x = noise
            i = steps.astype("int64").max().reshape([1])
            while i > 0:
                a = paddle.gather(self.ac, i)
                ap = paddle.gather(self.ac, i - 1)
                h = F.silu(self.c1(x) + self.temb(i).reshape([1, 8, 1, 1]))
                eps = self.c2(h)
                x0 = (x - paddle.sqrt(1 - a) * eps) / paddle.sqrt(a)
                x0 = x0.clip(-1, 1)
                x = paddle.sqrt(ap) * x0 + paddle.sqrt(1 - ap) * eps
                i = i - 1
            return x, ((x + 1) * 127.5).clip(0, 255).astype("int32")

    return (
        M(),
        [S("noise", [None, 3, None, None]), S("steps", [1], "int32")],
        [[N(1, 1, 3, 8, 6), np.array([3], "int32")], [N(2, 2, 3, 6, 9), np.array([6], "int32")]],
    )


# ---------------------------------------------------------------- flow, stereo
@model
def flow_pwc_correlation_warp():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = CBA(3, 8, s=2, act="leaky_relu")
            self.est = nn.Conv2D(25, 2, 3, padding=1)

        def warp(self, x, flow):
            b, _, h, w = x.shape
            yy, xx = paddle.meshgrid(
                paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32")
            )
            gx = 2.0 * (xx + flow[:, 0]) / (w - 1) - 1.0
            gy = 2.0 * (yy + flow[:, 1]) / (h - 1) - 1.0
            g = paddle.stack([gx, gy], -1)
            m = F.grid_sample(paddle.ones_like(x[:, :1]), g, align_corners=True)
            return F.grid_sample(x, g, align_corners=True) * (m > 0.99).astype("float32")

        def corr(self, a, b):
            p = F.pad(b, [2, 2, 2, 2])
            h, w = a.shape[2], a.shape[3]
            out = []
            for i in range(5):
                for j in range(5):
                    out.append((a * p[:, :, i : i + h, j : j + w]).mean(1, keepdim=True))
            return paddle.concat(out, 1)

        def forward(self, im1, im2):
            a, b = self.f(im1), self.f(im2)
            flow = self.est(F.leaky_relu(self.corr(a, b), 0.1))
            flow = flow + self.est(self.corr(a, self.warp(b, flow)))
            up = 2.0 * F.interpolate(
                flow, size=paddle.shape(im1)[2:], mode="bilinear", align_corners=True
            )
            mag = paddle.sqrt((up**2).sum(1))
            return up, paddle.atan2(up[:, 1], up[:, 0] + 1e-3), mag > mag.mean()

    return (
        M(),
        [S("im1", [None, 3, None, None]), S("im2", [None, 3, None, None])],
        [[N(1, 1, 3, 12, 16), N(2, 1, 3, 12, 16)], [N(3, 2, 3, 18, 10), N(4, 2, 3, 18, 10)]],
    )


@model
def flow_raft_allpairs_lookup():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Conv2D(3, 8, 4, stride=4)
            self.m = nn.Conv2D(2 * 9 + 2, 8, 3, padding=1)
            self.z, self.q = nn.Conv2D(16, 8, 3, padding=1), nn.Conv2D(16, 8, 3, padding=1)
            self.o = nn.Conv2D(8, 2, 3, padding=1)
            self.mask = nn.Conv2D(8, 9 * 4, 1)

        def forward(self, im1, im2):
            a, b = F.instance_norm(self.f(im1)), F.instance_norm(self.f(im2))
            n, c, h, w = a.shape
            vol = paddle.einsum("bchw,bcij->bhwij", a, b) / math.sqrt(8.0)
            vol = vol.reshape([n * h * w, 1, h, w])
            pyr = [vol, F.avg_pool2d(vol, 2, stride=2)]
            yy, xx = paddle.meshgrid(paddle.arange(h), paddle.arange(w))
            c0 = paddle.stack([xx, yy], -1).astype("float32").unsqueeze(0).expand([n, -1, -1, -1])
            d = paddle.arange(-1, 2).astype("float32")
            dy, dx = paddle.meshgrid(d, d)
            delta = paddle.stack([dx, dy], -1).unsqueeze(0)
            c1 = c0
            hid = paddle.tanh(a)
            for _ in range(2):
                feats = []
                for i in range(2):
                    ctr = c1.reshape([-1, 1, 1, 2]) / 2**i + delta
                    ww, hh = (
                        paddle.shape(pyr[i])[3].astype("float32"),
                        paddle.shape(pyr[i])[2].astype("float32"),
                    )
                    g = paddle.stack(
                        [2 * ctr[..., 0] / (ww - 1) - 1, 2 * ctr[..., 1] / (hh - 1) - 1], -1
                    )
                    feats.append(F.grid_sample(pyr[i], g, align_corners=True).reshape([n, h, w, 9]))
                x = paddle.concat(feats + [c1 - c0], -1).transpose([0, 3, 1, 2])
                x = F.relu(self.m(x))
                hx = paddle.concat([hid, x], 1)
                z = F.sigmoid(self.z(hx))
                hid = (1 - z) * hid + z * paddle.tanh(self.q(hx))
                c1 = c1 + self.o(hid).transpose([0, 2, 3, 1])
            flow = (c1 - c0).transpose([0, 3, 1, 2])
            m = F.softmax(self.mask(hid).reshape([n, 1, 9, 2, 2, h, w]), 2)
            u = F.unfold(2 * flow, [3, 3], paddings=1).reshape([n, 2, 9, 1, 1, h, w])
            up = (m * u).sum(2).transpose([0, 1, 4, 2, 5, 3]).reshape([n, 2, 2 * h, 2 * w])
            return up, flow

    return (
        M(),
        [S("im1", [None, 3, None, None]), S("im2", [None, 3, None, None])],
        [[N(1, 1, 3, 16, 20), N(2, 1, 3, 16, 20)], [N(3, 2, 3, 24, 16), N(4, 2, 3, 24, 16)]],
    )


@model
def stereo_cost_volume_softargmin():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = CBA(3, 4, s=2)
            self.c3 = nn.Conv3D(8, 1, 3, padding=1)

        def forward(self, left, right):
            a, b = self.f(left), self.f(right)
            w = a.shape[3]
            vol = []
            for d in range(4):
                if d > 0:
                    sh = F.pad(b[:, :, :, :-d], [d, 0, 0, 0])
                    mask = (paddle.arange(w) >= d).astype("float32")
                    vol.append(paddle.concat([a * mask, sh], 1))
                else:
                    vol.append(paddle.concat([a, b], 1))
            v = self.c3(paddle.stack(vol, 2)).squeeze(1)
            v = F.interpolate(
                v.unsqueeze(1),
                size=[8, left.shape[2], left.shape[3]],
                mode="trilinear",
                data_format="NCDHW",
            ).squeeze(1)
            p = F.softmax(-v, 1)
            disp = paddle.einsum("bdhw,d->bhw", p, paddle.arange(8, dtype="float32"))
            return disp, p.max(1), (paddle.round(disp) * 16).astype("int16").astype("int32")

    return (
        M(),
        [S("left", [None, 3, None, None]), S("right", [None, 3, None, None])],
        [[N(1, 1, 3, 10, 16), N(2, 1, 3, 10, 16)], [N(3, 2, 3, 8, 22), N(4, 2, 3, 8, 22)]],
    )


# ---------------------------------------------------------------- classic image processing
@model
def img_rgb_to_hsv_and_back():
    class M(nn.Layer):
        def forward(self, rgb):
            x = rgb.astype("float32") / 255.0
            r, g, b = x[..., 0], x[..., 1], x[..., 2]
            mx, mn = x.max(-1), x.min(-1)
            d = mx - mn
            h = paddle.zeros_like(mx)
            s = d / (mx + 1e-6)
            dd = paddle.where(d == 0, paddle.ones_like(d), d)
            h = (
                paddle.where(
                    mx == r,
                    paddle.mod((g - b) / dd, paddle.full_like(d, 6.0)),
                    paddle.where(mx == g, (b - r) / dd + 2.0, (r - g) / dd + 4.0),
                )
                / 6.0
            )
            i = paddle.floor(h * 6.0)
            f = h * 6.0 - i
            p, q, t = mx * (1 - s), mx * (1 - f * s), mx * (1 - (1 - f) * s)
            k = (i.astype("int32") % 6).unsqueeze(-1)
            table = paddle.stack(
                [
                    paddle.stack(c, -1)
                    for c in [
                        (mx, t, p),
                        (q, mx, p),
                        (p, mx, t),
                        (p, q, mx),
                        (t, p, mx),
                        (mx, p, q),
                    ]
                ],
                -2,
            )
            back = (F.one_hot(k.squeeze(-1).astype("int64"), 6).unsqueeze(-1) * table).sum(-2)
            return paddle.stack([h, s, mx], -1), back, paddle.round(back * 255).astype("uint8")

    return (
        M(),
        [S("rgb", [None, None, None, 3], "uint8")],
        [[I(1, 1, 5, 7, 3, dtype="uint8")], [I(2, 2, 8, 4, 3, dtype="uint8")]],
    )


@model
def img_hist_equalise():
    class M(nn.Layer):
        def forward(self, image):
            y = (image.astype("float32") * paddle.to_tensor([0.299, 0.587, 0.114])).sum(-1)
            q = paddle.round(y).astype("int64").clip(0, 255)
            hist = paddle.bincount(q.flatten(), minlength=256)
            cdf = paddle.cumsum(hist).astype("float32")
            lo = paddle.min(paddle.masked_select(cdf, cdf > 0))
            lut = paddle.round((cdf - lo) / (cdf[-1] - lo) * 255.0).clip(0, 255)
            eq = paddle.gather(lut, q.flatten()).reshape(paddle.shape(q))
            hh = paddle.histogram(eq, bins=16, min=0, max=255)
            return eq.astype("uint8"), hist, hh

    return (
        M(),
        [S("image", [None, None, 3], "uint8")],
        [[I(1, 9, 12, 3, dtype="uint8")], [I(2, 14, 7, 3, lo=40, hi=200, dtype="uint8")]],
    )


@model
def img_canny_hysteresis():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer(
                "k",
                paddle.to_tensor(
                    np.array(
                        [
                            [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
                            [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
                        ],
                        "float32",
                    )[:, None]
                ),
            )

        def forward(self, gray):
            x = F.pad(gray, [1, 1, 1, 1], mode="replicate")
            g = F.conv2d(x, self.k)
            mag = (
                paddle.hypot(g[:, :1], g[:, 1:])
                if hasattr(paddle, "hypot_")
                else paddle.sqrt(g[:, :1] ** 2 + g[:, 1:] ** 2)
            )
            horiz = g[:, :1].abs() >= g[:, 1:].abs()
            p = F.pad(mag, [1, 1, 1, 1])
            nx = paddle.maximum(p[:, :, 1:-1, :-2], p[:, :, 1:-1, 2:])
            ny = paddle.maximum(p[:, :, :-2, 1:-1], p[:, :, 2:, 1:-1])
            thin = paddle.where(mag >= paddle.where(horiz, nx, ny), mag, paddle.zeros_like(mag))
            weak = (thin > 1.0).astype("float32")
            edge = (thin > 3.0).astype("float32")
            n = paddle.zeros([1])
            while (edge.sum() - n).abs() > 0.5:
                n = edge.sum().reshape([1])
                edge = F.max_pool2d(edge, 3, stride=1, padding=1) * weak
            return edge.astype("uint8"), paddle.nonzero(edge[0, 0]), mag

    return M(), [S("gray", [None, 1, None, None])], [[N(1, 1, 1, 9, 11)], [N(2, 2, 1, 12, 8)]]


@model
def img_otsu_threshold():
    class M(nn.Layer):
        def forward(self, gray):
            h = paddle.histogram(gray.astype("float32").flatten(), bins=32, min=0, max=256).astype(
                "float64"
            )
            p = h / h.sum()
            w = paddle.cumsum(p)
            mu = paddle.cumsum(p * paddle.arange(32, dtype="float64"))
            mt = mu[-1]
            den = w * (1.0 - w)
            sb = paddle.where(
                den > 1e-9, (mt * w - mu) ** 2 / (den + 1e-12), paddle.zeros_like(den)
            )
            t = paddle.argmax(sb)
            thr = (t.astype("float32") + 1) * 8.0
            m = gray.astype("float32") >= thr
            if m.astype("float32").mean() > 0.5:
                m = paddle.logical_not(m)
            ys, xs = paddle.nonzero(m, as_tuple=True)
            c = paddle.stack([ys.astype("float32").mean(), xs.astype("float32").mean()])
            return m, thr, c, sb

    return (
        M(),
        [S("gray", [None, None], "uint8")],
        [[I(1, 9, 13, dtype="uint8")], [I(2, 14, 8, lo=90, dtype="uint8")]],
    )


@model
def img_inplace_slices_mosaic():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv2D(3, 4, 3, padding=1)

        def forward(self, image):
            y = self.c(image)
            h, w = y.shape[2], y.shape[3]
            y[:, 0, : h // 2] = 0.0
            y[:, 1:3, :, w // 2 :] = y[:, 1:3, :, w // 2 :] * 2 + 1
            y[:, 3, ::2, ::2] = -1.0
            bayer = paddle.zeros([image.shape[0], h, w])
            bayer[:, ::2, ::2] = image[:, 0, ::2, ::2]
            bayer[:, 1::2, 1::2] = image[:, 2, 1::2, 1::2]
            bayer[:, ::2, 1::2] = image[:, 1, ::2, 1::2]
            bayer[:, 1::2, ::2] = image[:, 1, 1::2, ::2]
            return y, bayer, y.flip([2, 3]).cummax(axis=-1)[0]

    return M(), IMG(), two(a=(1, 8, 9), b=(2, 7, 12))


@model
def img_fft_frequency_filter():
    class M(nn.Layer):
        def forward(self, gray):
            f = paddle.fft.fft2(gray)
            h, w = gray.shape[-2], gray.shape[-1]
            yy, xx = paddle.meshgrid(
                paddle.minimum(paddle.arange(h), h - paddle.arange(h)).astype("float32"),
                paddle.minimum(paddle.arange(w), w - paddle.arange(w)).astype("float32"),
            )
            m = paddle.exp(-(yy**2 + xx**2) / 8.0)
            g = paddle.fft.ifft2(f * m.astype("complex64"))
            return paddle.real(g), paddle.log1p(paddle.abs(f)), paddle.angle(f[..., 0, 0] + 0.5)

    return M(), [S("gray", [None, None, None])], [[N(1, 1, 8, 10)], [N(2, 2, 7, 9)]]


@model
def img_homography_float64():
    class M(nn.Layer):
        def forward(self, src, dst, image):
            x, y = src[:, 0:1], src[:, 1:2]
            u, v = dst[:, 0:1], dst[:, 1:2]
            o, z = paddle.ones_like(x), paddle.zeros_like(x)
            a = paddle.concat(
                [
                    paddle.concat([x, y, o, z, z, z, -u * x, -u * y], 1),
                    paddle.concat([z, z, z, x, y, o, -v * x, -v * y], 1),
                ],
                0,
            )
            p = paddle.linalg.solve(a, paddle.concat([u, v], 0))
            h = paddle.concat([p, paddle.ones([1, 1], "float64")], 0).reshape([3, 3])
            yy, xx = paddle.meshgrid(
                paddle.linspace(-1, 1, 7, dtype="float64"),
                paddle.linspace(-1, 1, 9, dtype="float64"),
            )
            q = paddle.stack([xx.flatten(), yy.flatten(), paddle.ones([63], "float64")], 0)
            r = h @ q
            g = (r[:2] / r[2:]).transpose([1, 0]).reshape([1, 7, 9, 2])
            g = g.tile([paddle.shape(image)[0], 1, 1, 1])
            return (
                F.grid_sample(image, g.astype("float32"), padding_mode="border"),
                h,
                paddle.linalg.det(h),
            )

    q = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], "float64")
    return (
        M(),
        [
            S("src", [4, 2], "float64"),
            S("dst", [4, 2], "float64"),
            S("image", [None, 3, None, None]),
        ],
        [
            [q, q + U(1, 4, 2, lo=-0.2, hi=0.2, dtype="float64"), N(2, 1, 3, 9, 8)],
            [q, q * 0.7 + U(3, 4, 2, lo=-0.2, hi=0.2, dtype="float64"), N(4, 2, 3, 6, 11)],
        ],
    )


@model
def img_tiled_inference_loop():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.c = nn.Conv2D(3, 2, 3, padding=1)

        def forward(self, image):
            n, _, h, w = paddle.shape(image)
            acc = paddle.zeros([n, h, 2, w]).transpose([1, 0, 2, 3])
            cnt = paddle.zeros([h])
            y = paddle.zeros([1], "int64")
            H = h.astype("int64")
            while y < H:
                y0 = paddle.minimum(y, (H - 8).clip(min=0).reshape([1]))
                rows = y0 + paddle.arange(8, dtype="int64")
                tile = self.c(paddle.index_select(image, rows, axis=2))
                acc = paddle.scatter_nd_add(acc, rows.unsqueeze(1), tile.transpose([2, 0, 1, 3]))
                cnt = paddle.index_add(cnt, rows, 0, paddle.ones([8]))
                y = y + 6
            out = (acc / cnt.reshape([-1, 1, 1, 1])).transpose([1, 2, 0, 3])
            return out, cnt.astype("int32"), out.argmax(1)

    return M(), IMG(), two(a=(1, 15, 9), b=(2, 22, 7))


@model
def img_keypoint_match_mutual():
    class M(nn.Layer):
        def __init__(self):
            super().__init__()
            self.d = nn.Sequential(CBA(1, 8, s=2), nn.Conv2D(8, 12, 3, padding=1))

        def forward(self, a, b):
            da = F.normalize(self.d(a), axis=1)[0].flatten(1).transpose([1, 0])
            db = F.normalize(self.d(b), axis=1)[0].flatten(1).transpose([1, 0])
            sim = da @ db.t()
            p = F.softmax(sim * 10, 0) * F.softmax(sim * 10, 1)
            ab, ba = sim.argmax(1), sim.argmax(0)
            ids = paddle.arange(sim.shape[0], dtype="int64")
            mutual = paddle.gather(ba, ab) == ids
            i = paddle.masked_select(ids, mutual)
            j = paddle.gather(ab, i)
            sc = paddle.gather_nd(p, paddle.stack([i, j], 1))
            return paddle.stack([i, j], 1), sc, p.sum(1)

    return (
        M(),
        [S("a", [1, 1, None, None]), S("b", [1, 1, None, None])],
        [[N(1, 1, 1, 8, 10), N(2, 1, 1, 9, 7)], [N(3, 1, 1, 12, 8), N(4, 1, 1, 8, 8)]],
    )
