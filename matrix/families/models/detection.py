"""PaddleDetection's architectures as they are exported: image in, boxes after suppression out.

Configurations use the keys of PaddleDetection's own files; networks are thinned where they allow
it, and score thresholds lowered so that random weights choose boxes, too. Of its other
architectures (the R-CNNs, CenterNet, TTFNet, TOOD, Deformable DETR, DINO) the wheel's code is
older than tensors without dimensions and runs in no Paddle since 2.5; ``two_stage.py`` and
``rt_detr.py`` stand for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any

import paddle
from packaging.version import Version
from paddle import nn

from matrix.families.registry import Models
from matrix.network import Input
from matrix.zoo.packages import project

MODELS = Models()
CLASSES = 4


def nms(**changed: Any) -> dict[str, Any]:
    return {
        "name": "MultiClassNMS",
        "nms_top_k": 200,
        "keep_top_k": 20,
        "score_threshold": 0.001,
        "nms_threshold": 0.6,
        **changed,
    }


MATRIX_NMS = {
    "name": "MatrixNMS",
    "nms_top_k": -1,
    "keep_top_k": 20,
    "score_threshold": 0.001,
    "post_threshold": 0.001,
    "background_label": -1,
}
RESNET = {"depth": 18, "norm_type": "bn", "freeze_at": -1, "return_idx": [0, 1, 2, 3],
          "num_stages": 4}  # fmt: skip
YOLO = {
    "YOLOv3": {
        "backbone": "MobileNet", "neck": "YOLOv3FPN", "yolo_head": "YOLOv3Head",
        "post_process": "BBoxPostProcess",
    },
    "MobileNet": {"scale": 0.25, "feature_maps": [4, 6, 13]},
    "YOLOv3Head": {"loss": None},
    "BBoxPostProcess": {
        "decode": {"name": "YOLOBox", "conf_thresh": 0.005, "downsample_ratio": 32,
                   "clip_bbox": True},
        "nms": nms(),
    },
}  # fmt: skip
# Only training reads these; the kind of the first says how many classes there are.
NO_LOSSES = {"loss_class": "VarifocalLoss", "loss_dfl": None, "loss_bbox": None}
DENSE_HEAD = {"feat_in": 256, "feat_out": 256, "num_convs": 1, "norm_type": "gn"}
ANCHORLESS = {
    "ResNet": {**RESNET, "return_idx": [1, 2, 3]},
    "FPN": {"out_channel": 256, "spatial_scales": [0.125, 0.0625, 0.03125], "extra_stage": 2,
            "has_extra_convs": True, "use_c5": False},
}  # fmt: skip
DETR_PARTS: dict[str, Any] = {
    "ResNet": RESNET,
    "DETRTransformer": {
        "num_queries": 20, "position_embed_type": "sine", "num_encoder_layers": 1,
        "num_decoder_layers": 2, "dim_feedforward": 64, "nhead": 4, "hidden_dim": 64,
        "backbone_num_channels": 512,
    },
}  # fmt: skip
POST_DETR = {"DETRBBoxPostProcess": {"num_top_queries": 20}}

CONFIGURATIONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "PP-YOLOE": (
        "PPYOLOE",
        {
            "PPYOLOE": {
                "backbone": "CSPResNet", "neck": "CustomCSPPAN", "yolo_head": "PPYOLOEHead",
                "post_process": None, "ssod_loss": None,
            },
            "CSPResNet": {
                "layers": [1, 1, 1, 1], "channels": [16, 32, 64, 128, 256],
                "return_idx": [1, 2, 3], "use_large_stem": True,
            },
            "CustomCSPPAN": {
                "out_channels": [96, 48, 24], "stage_num": 1, "block_num": 1, "act": "swish",
                "spp": True,
            },
            "PPYOLOEHead": {
                "fpn_strides": [32, 16, 8], "static_assigner": None, "assigner": None,
                "nms": nms(),
            },
        },
    ),
    "PicoDet": (
        "PicoDet",
        {
            "PicoDet": {"backbone": "LCNet", "neck": "LCPAN", "head": "PicoHeadV2"},
            "LCNet": {"scale": 0.35, "feature_maps": [3, 4, 5]},
            "LCPAN": {"out_channels": 32, "use_depthwise": True, "num_features": 4},
            "PicoHeadV2": {
                "conv_feat": {
                    "name": "PicoFeat", "feat_in": 32, "feat_out": 32, "num_convs": 2,
                    "num_fpn_stride": 4, "norm_type": "bn", "share_cls_reg": True, "use_se": True,
                },
                "fpn_stride": [8, 16, 32, 64], "feat_in_chan": 32, "reg_max": 7,
                "cell_offset": 0.5, "eval_size": [96, 96], "nms": nms(),
                "static_assigner": None, "assigner": None, **NO_LOSSES,
            },
        },
    ),
    "PicoDet_V1": (
        "PicoDet",
        {
            "PicoDet": {"backbone": "ESNet", "neck": "CSPPAN", "head": "PicoHead"},
            "ESNet": {"scale": 0.75, "feature_maps": [4, 11, 14], "act": "hard_swish",
                      "channel_ratio": [0.875, 0.5, 0.5, 0.5, 0.625, 0.5, 0.625, 0.5, 0.5, 0.5,
                                        0.5, 0.5, 0.5]},
            "CSPPAN": {"out_channels": 32, "use_depthwise": True, "num_csp_blocks": 1,
                       "num_features": 4},
            "PicoHead": {
                "conv_feat": {
                    "name": "PicoFeat", "feat_in": 32, "feat_out": 32, "num_convs": 2,
                    "num_fpn_stride": 4, "norm_type": "bn", "share_cls_reg": True,
                },
                "fpn_stride": [8, 16, 32, 64], "feat_in_chan": 32, "reg_max": 7,
                "cell_offset": 0.5, "nms": nms(), "assigner": None, **NO_LOSSES,
            },
        },
    ),
    "YOLOv3": ("YOLOv3", YOLO),
    "PP-YOLO_matrix_nms": (
        "YOLOv3",
        {
            **YOLO,
            "YOLOv3": {**YOLO["YOLOv3"], "backbone": "ResNet", "neck": "PPYOLOFPN"},
            "ResNet": {"depth": 50, "variant": "d", "return_idx": [1, 2, 3], "dcn_v2_stages": [3],
                       "freeze_at": -1, "freeze_norm": False, "norm_decay": 0.0},
            "PPYOLOFPN": {"coord_conv": True, "drop_block": True, "block_size": 3,
                          "keep_prob": 0.9, "spp": True},
            "YOLOv3Head": {"loss": None, "iou_aware": True, "iou_aware_factor": 0.4},
            "BBoxPostProcess": {
                "decode": {"name": "YOLOBox", "conf_thresh": 0.005, "downsample_ratio": 32,
                           "clip_bbox": True, "scale_x_y": 1.05},
                "nms": MATRIX_NMS,
            },
        },
    ),
    "YOLOX": (
        "YOLOX",
        {
            "depth_mult": 0.33, "width_mult": 0.25, "act": "silu",
            "YOLOX": {"backbone": "CSPDarkNet", "neck": "YOLOCSPPAN", "head": "YOLOXHead"},
            "CSPDarkNet": {"arch": "X", "return_idx": [2, 3, 4], "depthwise": False},
            "YOLOCSPPAN": {"depthwise": False},
            "YOLOXHead": {"depthwise": False, "nms": nms(), "assigner": None},
        },
    ),
    "SSD": (
        "SSD",
        {
            "SSD": {"backbone": "MobileNet", "ssd_head": "SSDHead",
                    "post_process": "BBoxPostProcess"},
            "MobileNet": {
                "scale": 1.0, "with_extra_blocks": True, "feature_maps": [11, 13, 14, 15, 16, 17],
                "extra_block_filters": [[64, 128], [32, 64], [32, 64], [16, 32]],
            },
            "SSDHead": {
                "kernel_size": 1, "padding": 0, "loss": None,
                "anchor_generator": {
                    "steps": [0, 0, 0, 0, 0, 0],
                    "aspect_ratios": [[2.0], [2.0, 3.0], [2.0, 3.0], [2.0, 3.0], [2.0, 3.0],
                                      [2.0, 3.0]],
                    "min_ratio": 20, "max_ratio": 90, "base_size": 96,
                    "min_sizes": [20.0, 35.0, 50.0, 65.0, 80.0, 95.0],
                    "max_sizes": [[], 50.0, 65.0, 80.0, 95.0, 100.0],
                    "offset": 0.5, "flip": True, "min_max_aspect_ratios_order": False,
                },
            },
            "BBoxPostProcess": {"decode": {"name": "SSDBox"}, "nms": nms(nms_threshold=0.45)},
        },
    ),
    "FCOS": (
        "FCOS",
        {
            **ANCHORLESS,
            "FCOS": {"backbone": "ResNet", "neck": "FPN", "fcos_head": "FCOSHead"},
            "FCOSHead": {
                "fcos_feat": {"name": "FCOSFeat", **DENSE_HEAD}, "fcos_loss": None,
                "fpn_stride": [8, 16, 32, 64, 128], "nms": nms(),
            },
        },
    ),
    "FCOS_deformable": (
        "FCOS",
        {
            **ANCHORLESS,
            "FCOS": {"backbone": "ResNet", "neck": "FPN", "fcos_head": "FCOSHead"},
            "FCOSHead": {
                "fcos_feat": {"name": "FCOSFeat", **DENSE_HEAD, "use_dcn": True},
                "fcos_loss": None, "fpn_stride": [8, 16, 32, 64, 128], "nms": nms(),
            },
        },
    ),
    "RetinaNet": (
        "RetinaNet",
        {
            **ANCHORLESS,
            "RetinaNet": {"backbone": "ResNet", "neck": "FPN", "head": "RetinaHead"},
            "RetinaHead": {
                "conv_feat": {"name": "RetinaFeat", **DENSE_HEAD}, "bbox_assigner": None,
                "nms": nms(),
            },
        },
    ),
    "GFL": (
        "GFL",
        {
            **ANCHORLESS,
            "GFL": {"backbone": "ResNet", "neck": "FPN", "head": "GFLHead"},
            "GFLHead": {
                "conv_feat": {"name": "FCOSFeat", **DENSE_HEAD}, "feat_in_chan": 256,
                "fpn_stride": [8, 16, 32, 64, 128], "nms": nms(), **NO_LOSSES,
            },
        },
    ),
    "SOLOv2": (
        "SOLOv2",
        {
            "SOLOv2": {"backbone": "ResNet", "neck": "FPN", "solov2_head": "SOLOv2Head",
                       "mask_head": "SOLOv2MaskHead"},
            "ResNet": RESNET,
            "FPN": {"out_channel": 256},
            "SOLOv2Head": {
                "seg_feat_channels": 32, "stacked_convs": 1, "num_grids": [12, 10, 8, 6, 4],
                "kernel_out_channels": 32, "solov2_loss": None,
                "mask_nms": {"name": "MaskMatrixNMS", "pre_nms_top_n": 50, "post_nms_top_n": 10},
            },
            "SOLOv2MaskHead": {"mid_channels": 32, "out_channels": 32, "start_level": 0,
                               "end_level": 3},
        },
    ),
    "DETR": (
        "DETR",
        {
            **DETR_PARTS,
            **POST_DETR,
            "DETR": {"backbone": "ResNet", "transformer": "DETRTransformer",
                     "detr_head": "DETRHead", "post_process": "DETRBBoxPostProcess"},
            "ResNet": {**RESNET, "return_idx": [3]},
            "DETRHead": {"num_mlp_layers": 3, "loss": None},
        },
    ),
}  # fmt: skip
SHARED = {"num_classes": CLASSES, "norm_type": "bn", "use_gpu": False, "data_format": "NCHW",
          "trt": False, "exclude_nms": False}  # fmt: skip


class Exported(nn.Layer):
    """What ``tools/export_model.py`` exports: the image, its size and its scale as inputs."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> Any:
        inputs = {"image": image, "im_shape": im_shape, "scale_factor": scale_factor}
        return self.model(inputs)


class Unsized(Exported):
    """A detector that does not look at ``im_shape``; Paddle exports no input that is not read."""

    def forward(self, image: Any, scale_factor: Any) -> Any:
        return self.model({"image": image, "im_shape": None, "scale_factor": scale_factor})


# What does not look at ``im_shape``.
UNSIZED = ("PP-YOLOE", "PicoDet", "PicoDet_V1", "YOLOX", "FCOS", "FCOS_deformable", "GFL")


def multiclass_nms(
    bboxes: Any,
    scores: Any,
    *,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
    return_index: bool = False,
    return_rois_num: bool = True,
    rois_num: Any = None,
    **_: Any,
) -> tuple[Any, Any, Any]:
    """PaddleDetection's function of this name, for PIR."""
    found, index, count = paddle._C_ops.multiclass_nms3(
        bboxes,
        scores,
        rois_num,
        score_threshold,
        nms_top_k,
        keep_top_k,
        nms_threshold,
        normalized,
        nms_eta,
        background_label,
    )
    return found, count if return_rois_num else None, index if return_index else None


def replace_operators(operators: Any) -> None:
    """The package is older than PIR, and builds programs of the old kind by hand."""
    if Version(paddle.__version__).major < 3:
        return
    operators.multiclass_nms = multiclass_nms
    ready = paddle.vision.ops
    operators.matrix_nms, operators.prior_box = ready.matrix_nms, ready.prior_box
    operators.box_coder = ready.box_coder
    operators.generate_proposals = ready.generate_proposals
    operators.distribute_fpn_proposals = ready.distribute_fpn_proposals


def detector(name: str) -> Any:
    """A detector of four classes."""
    architecture, configuration = CONFIGURATIONS[name]
    with project("ppdet"):
        workspace = import_module("ppdet.core.workspace")
        replace_operators(import_module("ppdet.modeling").ops)
        workspace.merge_config(deepcopy({**SHARED, **configuration}))
        model = workspace.create(architecture)
        return Unsized(model) if name in UNSIZED else Exported(model)


def detection_inputs(size: int) -> tuple[dict[str, Input], list[list[tuple[int, ...]]]]:
    """The three inputs of an exported detector, and the shapes of one run.

    Sizes as they are written for one photo: ``im_shape`` is what the image was scaled to.
    """
    inputs = {
        "image": Input((None, 3, size, size)),
        "im_shape": Input((None, 2), low=float(size), high=float(size)),
        "scale_factor": Input((None, 2), low=0.8, high=1.25),
    }
    return inputs, [[(1, 3, size, size), (1, 2), (1, 2)]]


for _name in CONFIGURATIONS:
    _size = 128 if _name == "SOLOv2" else 96
    _inputs, _runs = detection_inputs(_size)
    if _name in UNSIZED:
        del _inputs["im_shape"]
        _runs = [[one[0], one[2]] for one in _runs]
    MODELS.add("PaddleDetection", f"{_name}_det", partial(detector, _name), _inputs, _runs)
