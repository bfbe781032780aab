"""RT-DETR, from its paper: no wheel holds it. PP-DocLayout's large model is one of these."""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (its usual name)

from matrix.families.models.detection import detection_inputs
from matrix.families.models.ocr import ConvNorm, HGNet
from matrix.families.registry import Models

MODELS = Models()


class DeformableAttention(nn.Layer):
    """Each query looks at a few points of each level, through ``grid_sample``."""

    def __init__(self, width: int, heads: int, levels: int, points: int) -> None:
        super().__init__()
        self.heads, self.levels, self.points, self.each = heads, levels, points, width // heads
        self.offsets = nn.Linear(width, heads * levels * points * 2)
        self.weights = nn.Linear(width, heads * levels * points)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, query: Any, boxes: Any, memory: Any, sizes: Any) -> Any:
        batch, count = query.shape[0], query.shape[1]
        value = self.value(memory).reshape([batch, -1, self.heads, self.each])
        shape = [batch, count, self.heads, self.levels, self.points, 2]
        offsets = self.offsets(query).reshape(shape)
        weights = self.weights(query).reshape([batch, count, self.heads, self.levels * self.points])
        weights = F.softmax(weights).reshape([batch, count, self.heads, self.levels, self.points])
        boxes = boxes.unsqueeze(2).unsqueeze(3).unsqueeze(4)
        places = boxes[..., :2] + offsets / self.points * boxes[..., 2:] * 0.5
        split = value.split([h * w for h, w in sizes], axis=1)
        sampled = []
        for level, (h, w) in enumerate(sizes):
            image = split[level].flatten(2).transpose([0, 2, 1])
            image = image.reshape([batch * self.heads, self.each, h, w])
            grid = (2 * places - 1)[:, :, :, level].transpose([0, 2, 1, 3, 4]).flatten(0, 1)
            sampled.append(
                F.grid_sample(image, grid, mode="bilinear", padding_mode="zeros",
                              align_corners=False)
            )  # fmt: skip
        weights = weights.transpose([0, 2, 1, 3, 4])
        weights = weights.reshape([batch * self.heads, 1, count, self.levels * self.points])
        total = (paddle.stack(sampled, axis=-2).flatten(-2) * weights).sum(-1)
        total = total.reshape([batch, self.heads * self.each, count]).transpose([0, 2, 1])
        return self.out(total)


class DecoderLayer(nn.Layer):
    """Attention among queries, attention to the image, a perceptron."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.self_attention = nn.MultiHeadAttention(width, 4)
        self.cross = DeformableAttention(width, 4, 3, 4)
        self.norms = nn.LayerList([nn.LayerNorm(width) for _ in range(3)])
        self.wide, self.thin = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Any, boxes: Any, memory: Any, sizes: Any, position: Any) -> Any:
        query = x + position
        x = self.norms[0](x + self.self_attention(query, query, x))
        x = self.norms[1](x + self.cross(x + position, boxes, memory, sizes))
        return self.norms[2](x + self.thin(F.relu(self.wide(x))))


def perceptron(*widths: int) -> Any:
    layers: list[Any] = []
    for source, target in zip(widths, widths[1:]):
        layers += [nn.Linear(source, target), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class RTDETR(nn.Layer):
    """RT-DETR with PP-HGNetV2, what PP-DocLayout's large model is; queries are the best places."""

    def __init__(self, size: int, classes: int = 5, queries: int = 12, width: int = 32) -> None:
        super().__init__()
        self.classes, self.queries, self.width = classes, queries, width
        self.backbone = HGNet()
        self.sizes = [(size // s, size // s) for s in (8, 16, 32)]
        self.project = nn.LayerList([ConvNorm(one, width) for one in HGNet.widths[1:]])
        self.encoder = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout=0.0, activation="gelu"
        )
        self.down = nn.LayerList([ConvNorm(2 * width, width, 3, act=nn.Silu) for _ in range(2)])
        self.up = nn.LayerList([ConvNorm(2 * width, width, 3, act=nn.Silu) for _ in range(2)])
        self.stride = nn.LayerList([ConvNorm(width, width, 3, 2, act=nn.Silu) for _ in range(2)])
        self.memory = nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width))
        self.first_score, self.first_box = nn.Linear(width, classes), perceptron(width, width, 4)
        self.position = perceptron(4, 2 * width, width)
        self.layers = nn.LayerList([DecoderLayer(width) for _ in range(2)])
        self.boxes = nn.LayerList([perceptron(width, width, 4) for _ in range(2)])
        self.scores = nn.Linear(width, classes)

    def embedded(self, height: int, width: int) -> Any:
        """Sines and cosines of each place's row and column."""
        rows, columns = paddle.meshgrid(
            paddle.arange(height, dtype="float32"), paddle.arange(width, dtype="float32")
        )
        steps = paddle.arange(self.width // 4, dtype="float32") / (self.width // 4)
        speeds = 1.0 / (10000.0**steps)
        row, column = (one.flatten().unsqueeze(-1) @ speeds.unsqueeze(0) for one in (rows, columns))
        return paddle.concat([row.sin(), row.cos(), column.sin(), column.cos()], 1).unsqueeze(0)

    def encoded(self, image: Any) -> Any:
        fine, middle, coarse = (p(x) for p, x in zip(self.project, self.backbone(image)[1:]))
        height, width = self.sizes[2]
        flat = coarse.flatten(2).transpose([0, 2, 1])
        flat = self.encoder(flat + self.embedded(height, width))
        coarse = flat.transpose([0, 2, 1]).reshape([-1, self.width, height, width])
        doubled = F.interpolate(coarse, scale_factor=2.0, mode="nearest")
        middle = self.down[0](paddle.concat([doubled, middle], 1))
        doubled = F.interpolate(middle, scale_factor=2.0, mode="nearest")
        fine = self.down[1](paddle.concat([doubled, fine], 1))
        middle = self.up[0](paddle.concat([self.stride[0](fine), middle], 1))
        coarse = self.up[1](paddle.concat([self.stride[1](middle), coarse], 1))
        return paddle.concat(
            [one.flatten(2).transpose([0, 2, 1]) for one in (fine, middle, coarse)], 1
        )

    def anchors(self) -> Any:
        """A box at each place, before the sigmoid."""
        found = []
        for level, (h, w) in enumerate(self.sizes):
            rows, columns = paddle.meshgrid(
                paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32")
            )
            middle = (paddle.stack([columns, rows], -1) + 0.5) / paddle.to_tensor([w, h], "float32")
            extent = paddle.ones_like(middle) * 0.05 * 2.0**level
            found.append(paddle.concat([middle, extent], -1).reshape([1, h * w, 4]))
        anchors = paddle.concat(found, 1)
        valid = ((anchors > 0.01) & (anchors < 0.99)).all(-1, keepdim=True)
        return paddle.where(valid, paddle.log(anchors / (1 - anchors)), paddle.full([1], 20.0))

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> Any:
        encoded = self.encoded(image)
        memory = self.memory(encoded)
        _, best = paddle.topk(self.first_score(memory).max(-1), self.queries, axis=1)
        batch = paddle.arange(paddle.shape(image)[0], dtype=best.dtype)
        index = paddle.stack([batch.unsqueeze(-1).tile([1, self.queries]), best], -1)
        boxes = F.sigmoid(paddle.gather_nd(self.first_box(memory) + self.anchors(), index))
        x = paddle.gather_nd(memory, index)
        for layer, refine in zip(self.layers, self.boxes):
            x = layer(x, boxes, encoded, self.sizes, self.position(boxes))
            clipped = boxes.clip(1e-5, 1 - 1e-5)
            boxes = F.sigmoid(refine(x) + paddle.log(clipped / (1 - clipped)))
        middle, extent = boxes.split(2, axis=-1)
        corners = paddle.concat([middle - 0.5 * extent, middle + 0.5 * extent], -1)
        corners = corners * (im_shape / scale_factor).flip(1).tile([1, 2]).unsqueeze(1)
        scores, chosen = paddle.topk(F.sigmoid(self.scores(x)).flatten(1), self.queries, axis=-1)
        labels, query = chosen % self.classes, chosen // self.classes
        index = paddle.stack([batch.unsqueeze(-1).tile([1, self.queries]), query], -1)
        corners = paddle.gather_nd(corners, index)
        found = paddle.concat(
            [labels.unsqueeze(-1).astype("float32"), scores.unsqueeze(-1), corners], -1
        )
        return found.reshape([-1, 6]), paddle.full_like(batch, self.queries).astype("int32")


_inputs, _runs = detection_inputs(96)
MODELS.add("RT-DETR", "RT-DETR", partial(RTDETR, 96), _inputs, _runs)
