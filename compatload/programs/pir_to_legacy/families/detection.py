"""Boxes, anchors, regions of interest and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, rule

_TOP_N = {"pre_nms_top_n": "pre_nms_topN", "post_nms_top_n": "post_nms_topN"}

RULES: Mapping[str, Conversion] = {
    "prior_box": rule("prior_box", "Input Image", "Boxes Variances"),
    "anchor_generator": rule("anchor_generator", "Input", "Anchors Variances"),
    "box_coder": rule("box_coder", "PriorBox PriorBoxVar TargetBox", "OutputBox"),
    "box_clip": rule("box_clip", "Input ImInfo", "Output"),
    "yolo_box": rule("yolo_box", "X ImgSize", "Boxes Scores"),
    "yolo_loss": rule("yolov3_loss", "X GTBox GTLabel GTScore", "Loss ObjectnessMask GTMatchMask"),
    "multiclass_nms3": rule("multiclass_nms3", "BBoxes Scores RoisNum", "Out Index NmsRoisNum"),
    "matrix_nms": rule("matrix_nms", "BBoxes Scores", "Out Index RoisNum"),
    "nms": rule("nms", "Boxes", "KeepBoxesIdxs", rename={"threshold": "iou_threshold"}),
    "roi_align": rule("roi_align", "X ROIs RoisNum"),
    "roi_pool": rule("roi_pool", "X ROIs RoisNum", "Out Argmax"),
    "psroi_pool": rule("psroi_pool", "X ROIs RoisNum"),
    "generate_proposals": rule(
        "generate_proposals_v2",
        "Scores BboxDeltas ImShape Anchors Variances",
        "RpnRois RpnRoiProbs RpnRoisNum",
        rename=_TOP_N,
    ),
    "distribute_fpn_proposals": rule(
        "distribute_fpn_proposals",
        "FpnRois RoisNum",
        "MultiFpnRois MultiLevelRoIsNum RestoreIndex",
    ),
    "collect_fpn_proposals": rule(
        "collect_fpn_proposals",
        "MultiLevelRois MultiLevelScores MultiLevelRoIsNum",
        "FpnRois RoisNum",
        rename={"post_nms_topn": "post_nms_topN"},
    ),
    "bipartite_match": rule("bipartite_match", "DistMat", "ColToRowMatchIndices ColToRowMatchDist"),
}
