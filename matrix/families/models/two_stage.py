"""A two-stage detector: proposals, a pyramid's levels, boxes and masks from regions.

PaddleDetection's own (Faster, Mask and Cascade R-CNN of the 2.6.0 wheel) join tensors without
dimensions, which no Paddle since 2.5 does; this one uses the same operators.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (its usual name)
from paddle.vision import ops

from matrix.families.models.detection import CLASSES, multiclass_nms
from matrix.families.registry import Models
from matrix.network import Input

MODELS = Models()
LEVELS = (4, 8, 16)
WIDTH = 16


def anchors_of(height: int, width: int, stride: int) -> Any:
    """Three boxes at each place of a level, as ``generate_proposals`` takes them."""
    rows, columns = paddle.meshgrid(
        (paddle.arange(height, dtype="float32") + 0.5) * stride,
        (paddle.arange(width, dtype="float32") + 0.5) * stride,
    )
    boxes = []
    for high, wide in ((4, 4), (3, 6), (6, 3)):
        half = paddle.to_tensor([wide * stride / 2.0, high * stride / 2.0])
        middle = paddle.stack([columns, rows], -1)
        boxes.append(paddle.concat([middle - half, middle + half], -1))
    return paddle.stack(boxes, 2)


class TwoStage(nn.Layer):
    """Faster R-CNN over three levels; with ``masks`` Mask R-CNN, with ``deformable`` DCNv2."""

    def __init__(self, size: int, masks: bool = False, deformable: bool = False) -> None:
        super().__init__()
        self.size, self.masks, self.deformable = size, masks, deformable
        widths = (3, 8, 8, 12, WIDTH)
        self.stages = nn.LayerList([
            nn.Sequential(nn.Conv2D(a, b, 3, 2, 1), nn.BatchNorm2D(b), nn.ReLU())
            for a, b in zip(widths, widths[1:])
        ])  # fmt: skip
        self.inner = nn.LayerList([nn.Conv2D(one, WIDTH, 1) for one in widths[2:]])
        self.offset = nn.Conv2D(WIDTH, 3 * 9, 3, padding=1)
        self.deform = ops.DeformConv2D(WIDTH, WIDTH, 3, padding=1)
        self.proposal = nn.Conv2D(WIDTH, WIDTH, 3, padding=1)
        self.objectness, self.shift = nn.Conv2D(WIDTH, 3, 1), nn.Conv2D(WIDTH, 12, 1)
        self.hidden = nn.Linear(WIDTH * 49, 32)
        self.score, self.delta = nn.Linear(32, CLASSES + 1), nn.Linear(32, 4)
        self.mask = nn.Sequential(
            nn.Conv2D(WIDTH, 8, 3, padding=1), nn.ReLU(),
            nn.Conv2DTranspose(8, 8, 2, 2), nn.ReLU(), nn.Conv2D(8, CLASSES, 1),
        )  # fmt: skip

    def levels(self, image: Any) -> Any:
        x, found = image, []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        sums = [inner(one) for inner, one in zip(self.inner, found[1:])]
        for level in (1, 0):
            sums[level] = sums[level] + F.interpolate(sums[level + 1], scale_factor=2.0)
        if self.deformable:
            moved = self.offset(sums[2])
            sums[2] = self.deform(sums[2], moved[:, :18], F.sigmoid(moved[:, 18:]))
        return sums

    def proposals(self, levels: Any, im_shape: Any) -> Any:
        boxes, scores = [], []
        for one, stride in zip(levels, LEVELS):
            x = F.relu(self.proposal(one))
            anchors = anchors_of(self.size // stride, self.size // stride, stride)
            found, score, _ = ops.generate_proposals(
                F.sigmoid(self.objectness(x)), self.shift(x), im_shape,
                anchors, paddle.ones_like(anchors), pre_nms_top_n=40, post_nms_top_n=8,
                nms_thresh=0.7, min_size=1.0, return_rois_num=True,
            )  # fmt: skip
            boxes.append(found)
            scores.append(score.flatten())
        every = paddle.concat(scores)
        _, best = paddle.topk(every, 12)
        return paddle.gather(paddle.concat(boxes), best)

    def regions(self, levels: Any, boxes: Any, size: int) -> Any:
        """A patch of ``size`` for each box, from the level that suits it, in the boxes' order."""
        count = paddle.shape(boxes)[0:1].astype("int32")
        split, restore, counts = ops.distribute_fpn_proposals(boxes, 2, 4, 3, 32, rois_num=count)
        patches = [
            ops.roi_align(level, part, number, size, 1.0 / stride, aligned=True)
            for level, part, number, stride in zip(levels, split, counts, LEVELS)
        ]
        return paddle.gather(paddle.concat(patches), restore.flatten())

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> Any:
        levels = self.levels(image)
        boxes = self.proposals(levels, im_shape)
        x = F.relu(self.hidden(self.regions(levels, boxes, 7).flatten(1)))
        scores = F.softmax(self.score(x))
        decoded = ops.box_coder(
            boxes, [0.1, 0.1, 0.2, 0.2], self.delta(x).unsqueeze(1) * 0.1,
            "decode_center_size", box_normalized=False, axis=1,
        )[:, 0]  # fmt: skip
        scale = scale_factor.flip(1).tile([1, 2])
        decoded = paddle.minimum(decoded.clip(min=0.0), im_shape.flip(1).tile([1, 2])) / scale
        found, number, _ = multiclass_nms(
            decoded.unsqueeze(0), scores.transpose([1, 0]).unsqueeze(0), score_threshold=0.01,
            nms_top_k=40, keep_top_k=10, nms_threshold=0.5, background_label=CLASSES,
        )  # fmt: skip
        if not self.masks:
            return found, number
        patches = self.regions(levels, found[:, 2:] * scale, 14)
        chosen = F.one_hot(found[:, 0].astype("int64"), CLASSES).unsqueeze(-1).unsqueeze(-1)
        return found, number, F.sigmoid((self.mask(patches) * chosen).sum(1))


_SIZE = 64
_inputs = {
    "image": Input((1, 3, _SIZE, _SIZE)),
    "im_shape": Input((1, 2), low=float(_SIZE), high=float(_SIZE)),
    "scale_factor": Input((1, 2), low=0.8, high=1.25),
}
for _name, _options in {
    "FasterRCNN_det": {},
    "FasterRCNN_deformable_det": {"deformable": True},
    "MaskRCNN_det": {"masks": True},
}.items():
    _runs = [[(1, 3, _SIZE, _SIZE), (1, 2), (1, 2)]]
    MODELS.add("two-stage", _name, partial(TwoStage, _SIZE, **_options), _inputs, _runs)
