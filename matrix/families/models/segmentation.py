"""PaddleSeg: UNet, DeepLab and others."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, Callable

from matrix.families.registry import Models
from matrix.zoo.packages import project

MODELS = Models()
# Builders from ``paddleseg.models`` and its backbones.
_BUILDERS: dict[str, Callable[[Any, Any], Any]] = {
    "UNet": lambda models, parts: models.UNet(num_classes=3),
    "UNetPlusPlus": lambda models, parts: models.UNetPlusPlus(num_classes=3, in_channels=3),
    "AttentionUNet": lambda models, parts: models.AttentionUNet(num_classes=3),
    "U2Netp": lambda models, parts: models.U2Netp(num_classes=3),
    "DeepLabV3": lambda models, parts: models.DeepLabV3(
        num_classes=3, backbone=parts.ResNet50_vd(output_stride=8)
    ),
    "DeepLabV3P": lambda models, parts: models.DeepLabV3P(
        num_classes=3, backbone=parts.ResNet18_vd(output_stride=8)
    ),
    "PSPNet": lambda models, parts: models.PSPNet(
        num_classes=3, backbone=parts.ResNet18_vd(output_stride=8)
    ),
    "FCN": lambda models, parts: models.FCN(num_classes=3, backbone=parts.HRNet_W18()),
    "OCRNet": lambda models, parts: models.OCRNet(num_classes=3, backbone=parts.HRNet_W18()),
    "BiSeNetV2": lambda models, parts: models.BiSeNetV2(num_classes=3),
    "DDRNet_23": lambda models, parts: models.DDRNet_23(num_classes=3),
    "PPLiteSeg": lambda models, parts: models.PPLiteSeg(num_classes=3, backbone=parts.STDC1()),
    "SegFormer": lambda models, parts: models.SegFormer(
        num_classes=3, embedding_dim=64, backbone=parts.MixVisionTransformer_B0()
    ),
    "PPHumanSegLite": lambda models, parts: models.PPHumanSegLite(num_classes=2),
    "MobileSeg": lambda models, parts: models.MobileSeg(
        num_classes=3, backbone=parts.MobileNetV3_large_x1_0()
    ),
}


def _segmenter(name: str) -> Any:
    with project("paddleseg"):
        models = import_module("paddleseg.models")
        backbones = import_module("paddleseg.models.backbones")
        return _BUILDERS[name](models, backbones)


for _name in _BUILDERS:
    MODELS.image("PaddleSeg", f"{_name}_seg", partial(_segmenter, _name), 64)
