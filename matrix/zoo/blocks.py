"""Small whole networks in the manner of those that people use."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

blocks = Family("blocks")
PHOTO = Input((None, 3, 16, 16))
ANY = Input((None, 3, None, None))
ANY_SHAPES = [[(1, 3, 16, 32)], [(2, 3, 32, 16)]]


def conv_bn(
    inputs: int, outputs: int, size: int = 3, stride: int = 1, groups: int = 1, act: Any = None
) -> Any:
    layers = [
        nn.Conv2D(inputs, outputs, size, stride, size // 2, groups=groups, bias_attr=False),
        nn.BatchNorm2D(outputs),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 8, act=nn.ReLU)
        self.first = conv_bn(8, 8, act=nn.ReLU)
        self.second = conv_bn(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        x = self.stem(x)
        x = F.relu(x + self.second(self.first(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class SqueezeExcite(nn.Layer):
    """The squeeze-and-excitation block of MobileNetV3 and PP-LCNet."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 8, stride=2, act=nn.Hardswish)
        self.depth = conv_bn(8, 8, 5, groups=8, act=nn.Hardswish)
        self.down = nn.Conv2D(8, 4, 1)
        self.up = nn.Conv2D(4, 8, 1)

    def forward(self, x: Any) -> Any:
        x = self.depth(self.stem(x))
        gate = F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))
        return x * F.hardsigmoid(self.up(gate), slope=0.2, offset=0.5)


class Pyramid(nn.Layer):
    """Text detection in the manner of DB: pyramid, upsampling, transposed convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.c1 = conv_bn(3, 8, stride=2, act=nn.ReLU)
        self.c2 = conv_bn(8, 8, stride=2, act=nn.ReLU)
        self.c3 = conv_bn(8, 8, stride=2, act=nn.ReLU)
        self.out = nn.Conv2D(16, 4, 3, padding=1)
        self.up = nn.Conv2DTranspose(4, 1, 2, stride=2)

    def forward(self, x: Any) -> Any:
        c1 = self.c1(x)
        c2 = self.c2(c1)
        c3 = self.c3(c2)
        p2 = c2 + F.upsample(c3, scale_factor=2, mode="nearest", align_mode=1)
        fused = paddle.concat([c1, F.upsample(p2, scale_factor=2, mode="nearest")], axis=1)
        return F.sigmoid(self.up(self.out(fused)))


class Recogniser(nn.Layer):
    """Text recognition in the manner of CRNN: convolution, sequence, classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 8, stride=2, act=nn.Hardswish)
        self.rnn = nn.LSTM(8, 6, direction="bidirect")
        self.head = nn.Linear(12, 7)

    def forward(self, x: Any) -> Any:
        y = F.max_pool2d(self.stem(x), [8, 1], [8, 1])
        y = y.squeeze(2).transpose([0, 2, 1])
        return F.softmax(self.head(self.rnn(y)[0]), axis=2)


class Yolo(nn.Layer):
    """A detection head: leaky_relu, spatial pyramid pooling, decoding."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2D(3, 8, 3, 2, 1)
        self.norm = nn.BatchNorm2D(8)
        self.mix = nn.Conv2D(24, 14, 1)

    def forward(self, x: Any) -> Any:
        y = F.leaky_relu(self.norm(self.stem(x)), 0.1)
        pooled = [F.max_pool2d(y, size, 1, size // 2) for size in (5, 9)]
        y = self.mix(paddle.concat([y, *pooled], axis=1))
        y = y.reshape([0, 2, 7, -1]).transpose([0, 3, 1, 2]).reshape([0, -1, 7])
        return F.sigmoid(y[..., :2]), paddle.exp(y[..., 2:4]), F.sigmoid(y[..., 4:])


class UNet(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.down = conv_bn(3, 8, act=nn.ReLU)
        self.deep = conv_bn(8, 8, act=nn.ReLU)
        self.up = conv_bn(16, 8, act=nn.ReLU)
        self.head = nn.Conv2D(8, 2, 1)

    def forward(self, x: Any) -> Any:
        first = self.down(x)
        deep = self.deep(F.max_pool2d(first, 2, 2))
        deep = F.interpolate(deep, paddle.shape(first)[2:], mode="bilinear", align_corners=True)
        return self.head(self.up(paddle.concat([first, deep], axis=1))).argmax(1)


class Atrous(nn.Layer):
    """Segmentation in the manner of DeepLab."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.LayerList([nn.Conv2D(3, 4, 3, padding=d, dilation=d) for d in (1, 2, 4)])
        self.image = nn.Conv2D(3, 4, 1)
        self.head = nn.Conv2D(16, 2, 1)

    def forward(self, x: Any) -> Any:
        pooled = self.image(F.adaptive_avg_pool2d(x, 1))
        pooled = F.interpolate(pooled, paddle.shape(x)[2:], mode="bilinear", align_corners=False)
        return self.head(paddle.concat([*[b(x) for b in self.branches], pooled], axis=1))


class Shuffle(nn.Layer):
    """Channel split and shuffle."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 8, act=nn.ReLU)
        self.branch = nn.Sequential(conv_bn(4, 4, 1, act=nn.ReLU), conv_bn(4, 4, groups=4))

    def forward(self, x: Any) -> Any:
        left, right = paddle.split(self.stem(x), 2, axis=1)
        y = paddle.concat([left, self.branch(right)], axis=1)
        n, c, h, w = paddle.shape(y)[0], 8, 16, 16
        return y.reshape([n, 2, c // 2, h, w]).transpose([0, 2, 1, 3, 4]).reshape([n, c, h, w])


class Rotation(nn.Layer):
    """Rotary positions over heads, in the manner of language models."""

    def __init__(self) -> None:
        super().__init__()
        self.qk = nn.Linear(8, 16)

    def forward(self, x: Any) -> Any:
        length = paddle.shape(x)[1]
        angles = paddle.outer(paddle.arange(length).astype("float32"), paddle.to_tensor([1.0, 0.1]))
        angles = paddle.concat([angles, angles], axis=-1).unsqueeze([0, 2])
        q, k = paddle.split(self.qk(x).reshape([0, 0, 4, 4]), 2, axis=2)

        def turned(t: Any) -> Any:
            half = paddle.concat([-t[..., 2:], t[..., :2]], axis=-1)
            return t * paddle.cos(angles) + half * paddle.sin(angles)

        return turned(q), turned(k)


class Sorted(nn.Layer):
    """The choice of the best boxes, as RT-DETR makes it."""

    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Linear(8, 3)
        self.boxes = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        scores = F.sigmoid(self.scores(x)).flatten(1)
        best, index = paddle.topk(scores, 2, axis=1)
        boxes = F.sigmoid(self.boxes(x))
        chosen = paddle.take_along_axis(boxes, (index // 3).unsqueeze(-1).tile([1, 1, 4]), 1)
        return {"scores": best, "labels": index % 3, "boxes": chosen}


blocks.layer("residual", Residual, PHOTO)
blocks.layer("squeeze_excite", SqueezeExcite, PHOTO)
blocks.layer("pyramid", Pyramid, ANY, shapes=ANY_SHAPES)
blocks.layer("recogniser", Recogniser, PHOTO)
blocks.layer("yolo", Yolo, PHOTO)
blocks.layer("unet", UNet, ANY, shapes=ANY_SHAPES)
blocks.layer("atrous", Atrous, ANY, shapes=ANY_SHAPES)
blocks.layer("shuffle", Shuffle, PHOTO)
blocks.layer("rotary", Rotation, Input((None, None, 8)))
blocks.layer("query_selection", Sorted, Input((None, None, 8)))
