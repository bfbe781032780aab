"""PP-OCR and SLANet: no wheel holds their networks, so these are built from their descriptions.

Written from the papers (PP-LCNet, SVTR, DB, SLANet) with Paddle's own layers; the backbones
that PaddleClas has (PP-HGNetV2, MobileNetV3) are taken from there.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (its usual name)

from matrix.families.registry import Models
from matrix.network import Input
from matrix.zoo.packages import project

MODELS = Models()


class ConvNorm(nn.Layer):
    """Convolution, batch norm, activation."""

    def __init__(self, source: int, target: int, size: Any = 1, stride: Any = 1, groups: int = 1,
                 act: Any = None) -> None:  # fmt: skip
        super().__init__()
        padding = [(s - 1) // 2 for s in size] if isinstance(size, tuple) else (size - 1) // 2
        self.conv = nn.Conv2D(source, target, size, stride, padding, groups=groups, bias_attr=False)
        self.norm = nn.BatchNorm2D(target)
        self.act = act() if act else nn.Identity()

    def forward(self, x: Any) -> Any:
        return self.act(self.norm(self.conv(x)))


class SqueezeExcite(nn.Layer):
    """Weights for channels, from their means."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.down, self.up = nn.Conv2D(width, width // 4, 1), nn.Conv2D(width // 4, width, 1)

    def forward(self, x: Any) -> Any:
        return x * F.hardsigmoid(self.up(F.relu(self.down(self.pool(x)))))


class Affine(nn.Layer):
    """A learnable scale and bias for the whole tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(1.1))
        self.bias = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.1))

    def forward(self, x: Any) -> Any:
        return self.scale * x + self.bias


class Reparameterised(nn.Layer):
    """Parallel convolutions and an identity, summed: PP-LCNetV3's layer as it is trained."""

    def __init__(self, source: int, target: int, size: int, stride: Any, groups: int) -> None:
        super().__init__()
        sizes = (size, size, 1) if size > 1 else (1, 1)
        self.branches = nn.LayerList(
            [ConvNorm(source, target, one, stride, groups) for one in sizes]
        )
        same = source == target and stride == 1
        self.identity = nn.BatchNorm2D(source) if same else None
        self.affine, self.last, self.act = Affine(), Affine(), nn.Hardswish()

    def forward(self, x: Any) -> Any:
        total = self.branches[0](x)
        for branch in self.branches[1:]:
            total = total + branch(x)
        if self.identity is not None:
            total = total + self.identity(x)
        return self.last(self.act(self.affine(total)))


class LCNet(nn.Layer):
    """PP-LCNet (``version`` 1) or PP-LCNetV3 (3), thinned; gives its four stages."""

    def __init__(self, version: int, recognises: bool = False) -> None:
        super().__init__()
        strides: list[Any] = [2, 2, 2, 2]
        if recognises:  # a line of text keeps its width
            strides = [2, (2, 1), (2, 1), (2, 1)]
        self.first = ConvNorm(3, 8, 3, 2 if not recognises else (2, 2), act=nn.Hardswish)
        widths = [8, 16, 24, 32, 48]
        self.widths = widths[1:]
        stages = []
        for number, stride in enumerate(strides):
            source, target = widths[number], widths[number + 1]
            size = 5 if number > 1 else 3
            stages.append(nn.Sequential(
                self._block(version, source, target, size, 1 if number == 0 else stride),
                *([SqueezeExcite(target)] if number == 3 else []),
                self._block(version, target, target, size, 1),
            ))  # fmt: skip
        self.stages = nn.LayerList(stages)

    def _block(self, version: int, source: int, target: int, size: int, stride: Any) -> Any:
        if version == 3:
            depth = Reparameterised(source, source, size, stride, source)
            return nn.Sequential(depth, Reparameterised(source, target, 1, 1, 1))
        depth = ConvNorm(source, source, size, stride, source, nn.Hardswish)
        return nn.Sequential(depth, ConvNorm(source, target, act=nn.Hardswish))

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        found = []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


class HGNet(nn.Layer):
    """The stages of PaddleClas's PP-HGNetV2."""

    widths = (64, 256, 512, 1024)

    def __init__(self) -> None:
        super().__init__()
        with project("paddleclas"):
            module = import_module("ppcls.arch.backbone.legendary_models.pp_hgnet_v2")
            whole = module.PPHGNetV2_B0()
        self.stem, self.stages = whole.stem, whole.stages

    def forward(self, x: Any) -> Any:
        x = self.stem(x)
        found = []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


class Pyramid(nn.Layer):
    """Top-down sums with squeeze and excitation, joined at the finest size."""

    def __init__(self, widths: Any, width: int, large: bool) -> None:
        super().__init__()
        size = 9 if large else 3
        self.inner = nn.LayerList([nn.Conv2D(one, width, 1, bias_attr=False) for one in widths])
        self.outer = nn.LayerList(
            [nn.Conv2D(width, width // 4, size, padding=size // 2, bias_attr=False)
             for _ in widths]
        )  # fmt: skip
        self.weigh = nn.LayerList([SqueezeExcite(width // 4) for _ in widths])

    def forward(self, found: Any) -> Any:
        sums = [inner(one) for inner, one in zip(self.inner, found)]
        for level in (2, 1, 0):
            sums[level] = sums[level] + F.upsample(sums[level + 1], scale_factor=2, mode="nearest")
        joined = []
        for level in (3, 2, 1, 0):
            one = self.outer[level](sums[level])
            one = one + self.weigh[level](one)
            if level:
                one = F.upsample(one, scale_factor=2**level, mode="nearest")
            joined.append(one)
        return paddle.concat(joined, 1)


class TextDetector(nn.Layer):
    """DB: a map of where text is."""

    def __init__(self, backbone: Any, large: bool) -> None:
        super().__init__()
        self.backbone = backbone()
        self.neck = Pyramid(self.backbone.widths, 32, large)
        self.head = nn.Sequential(
            ConvNorm(32, 8, 3, act=nn.ReLU),
            nn.Conv2DTranspose(8, 8, 2, 2), nn.BatchNorm2D(8), nn.ReLU(),
            nn.Conv2DTranspose(8, 1, 2, 2),
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        return F.sigmoid(self.head(self.neck(self.backbone(x))))


class Mixer(nn.Layer):
    """SVTR's global mixing: attention and a perceptron, each behind a norm."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.norms = nn.LayerList([nn.LayerNorm(width, epsilon=1e-6) for _ in range(2)])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.thin = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Any) -> Any:
        width = x.shape[-1]
        qkv = self.qkv(self.norms[0](x)).reshape((0, -1, 3, self.heads, width // self.heads))
        q, k, v = qkv.transpose((2, 0, 3, 1, 4)).unbind(0)
        weights = F.softmax((q * self.scale).matmul(k.transpose((0, 1, 3, 2))), -1)
        mixed = weights.matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, width))
        x = x + self.out(mixed)
        return x + self.thin(F.swish(self.wide(self.norms[1](x))))


class Recogniser(nn.Layer):
    """A backbone, SVTR's neck and a CTC head."""

    def __init__(self, backbone: Any, rows: int = 3, classes: int = 40) -> None:
        super().__init__()
        self.backbone, self.rows = backbone(), rows
        width = self.backbone.widths[-1]
        self.before = nn.Sequential(
            ConvNorm(width, width // 8, (1, 3), act=nn.Swish),
            ConvNorm(width // 8, 32, act=nn.Swish),
        )
        self.mixers, self.norm = nn.Sequential(Mixer(32), Mixer(32)), nn.LayerNorm(32, 1e-6)
        self.after = ConvNorm(32, width, act=nn.Swish)
        self.joined = ConvNorm(2 * width, 24, (1, 3), act=nn.Swish)
        self.classify = nn.Linear(24, classes)

    def forward(self, x: Any) -> Any:
        x = self.backbone(x)[-1]
        x = F.avg_pool2d(x, [self.rows, 2])
        z = self.before(x)
        _, width, height, length = z.shape
        z = z.flatten(2).transpose([0, 2, 1])
        z = self.norm(self.mixers(z))
        z = z.reshape([0, height, length, width]).transpose([0, 3, 1, 2])
        z = self.joined(paddle.concat([x, self.after(z)], 1))
        z = z.squeeze(2).transpose([0, 2, 1])
        return F.softmax(self.classify(z), -1)


class SequenceRecogniser(nn.Layer):
    """CRNN, as PP-OCR before v3: bidirectional LSTM between backbone and CTC head."""

    def __init__(self, classes: int = 40) -> None:
        super().__init__()
        self.backbone = LCNet(1, recognises=True)
        self.lstm = nn.LSTM(self.backbone.widths[-1], 16, direction="bidirectional", num_layers=2)
        self.classify = nn.Linear(32, classes)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(self.backbone(x)[-1], (3, 1))
        x, _ = self.lstm(x.squeeze(2).transpose([0, 2, 1]))
        return F.softmax(self.classify(x), 2)


def orientation() -> Any:
    """The classifier of text lines' direction."""
    with project("paddleclas"):
        import_module("ppcls.utils.logger").init_logger()
        backbone = import_module("ppcls.arch.backbone").MobileNetV3_small_x0_35(class_num=2)
    return nn.Sequential(backbone, nn.Softmax())


class Table(nn.Layer):
    """SLANet: writes a table's structure, token by token, with a box for each."""

    def __init__(self, tokens: int = 12, steps: int = 6) -> None:
        super().__init__()
        self.tokens, self.steps, self.hidden = tokens, steps, 24
        self.backbone, self.neck = LCNet(1), Pyramid(LCNet(1).widths, 32, False)
        self.cell = nn.GRUCell(32 + tokens, self.hidden)
        self.image, self.state = nn.Linear(32, self.hidden, bias_attr=False), nn.Linear(24, 24)
        self.score = nn.Linear(24, 1, bias_attr=False)
        self.structure = nn.Sequential(nn.Linear(24, 24), nn.Linear(24, tokens))
        self.box = nn.Sequential(nn.Linear(24, 24), nn.Linear(24, 8))

    def forward(self, x: Any) -> Any:
        features = self.neck(self.backbone(x))
        features = F.max_pool2d(features, 2).flatten(2).transpose([0, 2, 1])
        batch = features.shape[0]
        hidden = paddle.zeros((batch, self.hidden))
        token = paddle.zeros([batch], dtype="int32")
        words = paddle.zeros((batch, self.steps, self.tokens))
        boxes = paddle.zeros((batch, self.steps, 8))
        step = paddle.to_tensor([0], dtype="int64")
        while step < self.steps:
            seen = paddle.tanh(self.image(features) + self.state(hidden).unsqueeze(1))
            weights = F.softmax(self.score(seen), 1).transpose([0, 2, 1])
            context = weights.matmul(features).squeeze(1)
            given = paddle.concat([context, F.one_hot(token, self.tokens)], 1)
            _, hidden = self.cell(given, hidden)
            word = self.structure(hidden)
            token = word.argmax(1).astype("int32")
            place = F.one_hot(step, self.steps).transpose([1, 0]).unsqueeze(0)
            words = words + place * word.unsqueeze(1)
            boxes = boxes + place * F.sigmoid(self.box(hidden)).unsqueeze(1)
            step = step + 1
        return boxes, F.softmax(words, -1)


def settled(build: Any, shape: tuple[int, ...]) -> Any:
    """Batch norms with the statistics of an input, as training leaves them.

    Without these, deep stacks of PP-LCNetV3 amplify rounding, and differences say nothing.
    """
    model = build()
    model.eval()
    norms = [one for one in model.sublayers() if isinstance(one, nn.BatchNorm2D)]
    for norm in norms:
        norm.training, norm._momentum = True, 0.0
    with paddle.no_grad():
        model(paddle.uniform(shape))
    for norm in norms:
        norm.training, norm._momentum = False, 0.9
    return model


_PHOTO = {"x": Input((None, 3, None, None))}
_PHOTO_RUNS = [[(1, 3, 64, 96)], [(2, 3, 96, 64)]]
_LINE = {"x": Input((None, 3, 48, None))}
_LINE_RUNS = [[(1, 3, 48, 160)], [(2, 3, 48, 320)]]
for _name, _backbone, _large in (
    ("PP-OCRv3_mobile", partial(LCNet, 1), False),
    ("PP-OCRv4_mobile", partial(LCNet, 3), False),
    ("PP-OCRv5_mobile", partial(LCNet, 3), True),
    ("PP-OCRv5_server", HGNet, True),
):
    _build = partial(settled, partial(TextDetector, _backbone, _large), (2, 3, 96, 96))
    MODELS.add("PP-OCR", f"{_name}_det", _build, _PHOTO, _PHOTO_RUNS)
for _name, _version in (("PP-OCRv3_mobile", 1), ("PP-OCRv5_mobile", 3)):
    _build = partial(Recogniser, partial(LCNet, _version, True))
    _build = partial(settled, _build, (2, 3, 48, 160))
    MODELS.add("PP-OCR", f"{_name}_rec", _build, _LINE, _LINE_RUNS)
MODELS.add("PP-OCR", "PP-OCRv5_server_rec", partial(Recogniser, HGNet, 2), _LINE, _LINE_RUNS)
MODELS.add("PP-OCR", "PP-OCRv2_mobile_rec", SequenceRecogniser, _LINE, _LINE_RUNS)
MODELS.add("PP-OCR", "PP-OCR_cls", orientation, {"x": Input((None, 3, 48, 192))},
           [[(1, 3, 48, 192)], [(3, 3, 48, 192)]])  # fmt: skip
MODELS.add("SLANet", "SLANet", Table, {"x": Input((None, 3, 64, 64))},
           [[(1, 3, 64, 64)], [(2, 3, 64, 64)]])  # fmt: skip
