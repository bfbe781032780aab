"""Pooling, interpolation, padding, convolution and the vision operators."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import IMAGE, Family, convolution

VOLUME = Input((None, 2, 4, 6, 6))
LINE = Input((None, 3, 8))
ANY = Input((None, 3, None, None))
ANY_SHAPES = [[(1, 3, 6, 8)], [(2, 3, 9, 5)]]

pooling = Family("pooling")
for name, function in {
    "max_pool2d": lambda x: F.max_pool2d(x, 2, 2),
    "max_pool2d_padding": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max_pool2d_ceil": lambda x: F.max_pool2d(x, 4, 4, ceil_mode=True),
    "max_pool2d_same": lambda x: F.max_pool2d(x, 3, 2, padding="SAME"),
    "max_pool2d_mask": lambda x: F.max_pool2d(x, 2, 2, return_mask=True),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2, 2),
    "avg_pool2d_inclusive": lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False),
    "avg_pool2d_ceil": lambda x: F.avg_pool2d(x, 4, 4, ceil_mode=True),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, [3, 2]),
    "adaptive_avg_pool2d_one": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 3),
    "max_unpool2d": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, 2, return_mask=True), 2, 2),
}.items():
    pooling.op(name, function, IMAGE, before=convolution)
pooling.op("lp_pool2d", lambda x: F.lp_pool2d(x, 2, 2, 2), IMAGE, before=convolution, since="3.0")
pooling.op("max_pool1d", lambda x: F.max_pool1d(x, 2, 2), LINE)
pooling.op("avg_pool1d", lambda x: F.avg_pool1d(x, 2, 2), LINE)
pooling.op("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 4), LINE)
pooling.op("max_pool3d", lambda x: F.max_pool3d(x, 2, 2), VOLUME)
pooling.op("avg_pool3d", lambda x: F.avg_pool3d(x, 2, 2), VOLUME)
pooling.op("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 2), VOLUME)

interpolation = Family("interpolation")


def resize(**options: Any) -> Any:
    return lambda x: F.interpolate(x, **options)


for name, function in {
    "nearest_scale": resize(scale_factor=2, mode="nearest"),
    "nearest_fraction": resize(scale_factor=[1.5, 2.5], mode="nearest"),
    "nearest_size": resize(size=[9, 5], mode="nearest"),
    "bilinear_scale": resize(scale_factor=2, mode="bilinear"),
    "bilinear_down": resize(scale_factor=0.5, mode="bilinear"),
    "bilinear_size": resize(size=[9, 5], mode="bilinear"),
    "bilinear_aligned_size": resize(size=[9, 5], mode="bilinear", align_corners=True),
    "bilinear_aligned_scale": resize(scale_factor=2, mode="bilinear", align_corners=True),
    "bilinear_mode_one": resize(scale_factor=2, mode="bilinear", align_mode=1),
    "bicubic_scale": resize(scale_factor=2, mode="bicubic"),
    "bicubic_aligned": resize(size=[9, 5], mode="bicubic", align_corners=True),
    "area": resize(size=[3, 2], mode="area"),
}.items():
    interpolation.op(name, function, IMAGE, before=convolution)
for mode in ("nearest", "bilinear", "bicubic"):
    interpolation.op(
        f"{mode}_like",
        lambda x, mode=mode: F.interpolate(x, size=paddle.shape(x)[2:] * 2, mode=mode),
        ANY,
        shapes=ANY_SHAPES,
        before=convolution,
    )
    interpolation.op(f"{mode}_dynamic", resize(scale_factor=2, mode=mode), ANY, shapes=ANY_SHAPES)
interpolation.op("linear_size", resize(size=[5], mode="linear", data_format="NCW"), LINE)
interpolation.op("linear_scale", resize(scale_factor=2, mode="linear", data_format="NCW"), LINE)
volume = {"data_format": "NCDHW"}
interpolation.op("trilinear_scale", resize(scale_factor=2, mode="trilinear", **volume), VOLUME)
interpolation.op("trilinear_size", resize(size=[3, 5, 7], mode="trilinear", **volume), VOLUME)
interpolation.op("nearest_3d", resize(scale_factor=2, mode="nearest", **volume), VOLUME)
interpolation.op(
    "bilinear_last", resize(scale_factor=2, mode="bilinear", data_format="NHWC"), IMAGE
)
interpolation.op("upsample_layer", lambda x: nn.Upsample(scale_factor=2)(x), IMAGE)

padding = Family("padding")
for mode in ("constant", "reflect", "replicate", "circular"):
    padding.op(
        f"pad_{mode}",
        lambda x, mode=mode: F.pad(x, [1, 2, 0, 1], mode=mode, value=0.5),
        IMAGE,
        before=convolution,
    )
padding.op("pad_all_dimensions", lambda x: F.pad(x, [0, 0, 1, 0, 0, 2, 1, 1], value=1.5), IMAGE)
padding.op("pad_last", lambda x: F.pad(x, [1, 1, 2, 0], data_format="NHWC"), IMAGE)
padding.op("pad_line", lambda x: F.pad(x, [1, 2], mode="replicate", data_format="NCL"), LINE)
padding.op(
    "pad_volume", lambda x: F.pad(x, [1, 0, 1, 0, 0, 1], value=-1.0, data_format="NCDHW"), VOLUME
)
padding.op("zero_pad2d", lambda x: F.zeropad2d(x, [1, 0, 2, 1]), IMAGE)

convolving = Family("convolution")
for name, build, one in [
    ("conv2d", lambda: nn.Conv2D(3, 4, 3), IMAGE),
    ("conv2d_same", lambda: nn.Conv2D(3, 4, 3, stride=2, padding="SAME"), IMAGE),
    ("conv2d_dilated", lambda: nn.Conv2D(3, 4, 3, padding=2, dilation=2), IMAGE),
    ("conv2d_groups", lambda: nn.Conv2D(3, 6, 3, groups=3), IMAGE),
    ("conv2d_depthwise", lambda: nn.Conv2D(3, 3, 3, padding=1, groups=3), IMAGE),
    ("conv2d_uneven", lambda: nn.Conv2D(3, 4, (1, 5), padding=[0, 0, 2, 1]), IMAGE),
    ("conv2d_no_bias", lambda: nn.Conv2D(3, 4, 1, bias_attr=False), IMAGE),
    ("conv2d_last", lambda: nn.Conv2D(6, 4, 3, data_format="NHWC"), IMAGE),
    ("conv2d_transpose", lambda: nn.Conv2DTranspose(3, 4, 2, stride=2), IMAGE),
    (
        "conv2d_transpose_padding",
        lambda: nn.Conv2DTranspose(3, 4, 3, stride=2, padding=1, output_padding=1),
        IMAGE,
    ),
    ("conv2d_transpose_groups", lambda: nn.Conv2DTranspose(3, 3, 3, groups=3), IMAGE),
    ("conv1d", lambda: nn.Conv1D(3, 4, 3, padding=1), LINE),
    ("conv1d_transpose", lambda: nn.Conv1DTranspose(3, 4, 2, stride=2), LINE),
    ("conv3d", lambda: nn.Conv3D(2, 3, 3, padding=1), VOLUME),
    ("conv3d_transpose", lambda: nn.Conv3DTranspose(2, 3, 2, stride=2), VOLUME),
]:
    convolving.layer(name, build, one)

vision = Family("vision")
GRID = Input((None, 4, 4, 2), low=-1.1, high=1.1)
for mode, border, corners in [
    ("bilinear", "zeros", True),
    ("bilinear", "border", False),
    ("nearest", "reflection", False),
]:
    vision.op(
        f"grid_sample_{mode}_{border}",
        lambda x, y, m=mode, b=border, c=corners: F.grid_sample(x, y, m, b, c),
        IMAGE,
        GRID,
    )
vision.op("affine_grid", lambda x: F.affine_grid(x, [2, 3, 5, 4]), Input((2, 2, 3)))
vision.op("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), IMAGE, before=convolution)
vision.op("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), IMAGE)
vision.op("channel_shuffle", lambda x: F.channel_shuffle(x, 2), IMAGE, before=convolution)
vision.op("unfold", lambda x: F.unfold(x, 2, 2), IMAGE)
vision.op("fold", lambda x: F.fold(x, [4, 4], 2, 2), Input((2, 12, 4)))
vision.op("temporal_shift", lambda x: F.temporal_shift(x, 2, 0.25), Input((4, 4, 3, 3)))
BOXES = Input((4, 4), low=0.0, high=2.0)


vision.op(
    "yolo_box",
    lambda x, size: paddle.vision.ops.yolo_box(x, size, [10, 13, 16, 30], 2, 0.01, 8),
    Input((None, 14, 3, 3)),
    Input((None, 2), "int32", 20, 40),
)
vision.op(
    "prior_box",
    lambda x, image: paddle.vision.ops.prior_box(x, image, [4.0], [8.0], [1.0, 2.0], clip=True),
    Input((1, 3, 3, 3)),
    Input((1, 3, 24, 24)),
)
vision.op(
    "box_coder",
    lambda p, t: paddle.vision.ops.box_coder(
        p, [0.1, 0.1, 0.2, 0.2], t, "decode_center_size", False
    ),
    Input((5, 4), low=0.1, high=1.0),
    Input((3, 5, 4)),
)


def corners(boxes: Any) -> Any:
    """Boxes as two corners, from anything positive."""
    return paddle.concat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:] + 0.5], axis=1)


vision.op(
    "roi_align",
    lambda x, y: paddle.vision.ops.roi_align(x, corners(y), paddle.full([1], 4, "int32"), 2),
    Input((1, 3, 6, 6)),
    BOXES,
)
vision.op(
    "roi_pool",
    lambda x, y: paddle.vision.ops.roi_pool(x, corners(y), paddle.full([1], 4, "int32"), 2),
    Input((1, 3, 6, 6)),
    BOXES,
)
vision.op(
    "nms",
    lambda x, y: paddle.vision.ops.nms(corners(x), 0.3, y),
    Input((6, 4), low=0.0, high=2.0),
    Input((6,), low=0.0),
)
vision.op(
    "matrix_nms",
    lambda x, y: paddle.vision.ops.matrix_nms(x, y, 0.1, 0.05, 5, 4, background_label=-1)[0],
    Input((1, 6, 4), low=0.0, high=2.0),
    Input((1, 2, 6), low=0.0),
)
vision.op(
    "distribute_fpn_proposals",
    lambda x: paddle.vision.ops.distribute_fpn_proposals(
        corners(x * 40.0), 2, 4, 3, 32, rois_num=paddle.full([1], 6, "int32")
    )[0],
    Input((6, 4), low=0.0, high=2.0),
)


def by_level(boxes: Any) -> Any:
    """Boxes as they were, out of levels, and how many each level has: rows of another count, to
    which Paddle hands on the lengths of the boxes."""
    levels, back, counts = paddle.vision.ops.distribute_fpn_proposals(
        boxes, 2, 4, 3, 32, rois_num=paddle.shape(boxes)[:1].astype("int32")
    )
    return paddle.gather(paddle.concat(levels), back.squeeze(1)), paddle.concat(counts)


vision.op(
    "proposals_by_level",
    lambda x: by_level(corners(x * 40.0)),
    Input((None, 4), low=0.0, high=2.0),
)


# A size, which is int64 since 3.3: 2.6 takes int32 alone.
vision.op(
    "roi_align_counted",
    lambda x, y: paddle.vision.ops.roi_align(x, corners(y), paddle.shape(y)[:1], 2),
    Input((1, 3, 6, 6)),
    Input((None, 4), low=0.0, high=2.0),
    since="3.3",
)
vision.op(
    "proposals_counted",
    lambda x: paddle.vision.ops.distribute_fpn_proposals(
        corners(x * 40.0), 2, 4, 3, 32, rois_num=paddle.shape(x)[:1]
    )[0],
    Input((None, 4), low=0.0, high=2.0),
    since="3.3",
)


def deformable() -> Any:
    class Deformable(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.offset = nn.Conv2D(3, 18, 3, padding=1)
            self.conv = paddle.vision.ops.DeformConv2D(3, 4, 3, padding=1)

        def forward(self, x: Any) -> Any:
            return self.conv(x, self.offset(x) * 0.1)

    return Deformable()


vision.layer("deform_conv2d", deformable, IMAGE)
