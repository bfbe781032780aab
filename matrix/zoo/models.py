"""Whole networks with seeded random weights: Paddle's own, and those of other projects' code.

They keep their own initialisers, which deep networks need to stay in range, so their weights
differ between releases. They are large: not every release saves them, and a full run has those of
the oldest, the first and the newest alone (``matrix.pairs`` has all).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.packages import project
from matrix.zoo.registry import Family

SAVERS = ("2.6.2", "3.0.0", "3.1.1", "3.2.2", "3.3.0", "3.3.1")
# Fifty layers of fp32 in another order of summation; the outputs are of the order of one.
DEEP = 1e-4
# Those of GhostNet reach ten thousand, and some of them are near zero.
TOLERANCES = {"GhostNet_x0_5": 1e-3}


def add(family: Family, name: str, build: Callable[[], Any], *inputs: Input, sizes: Any) -> None:
    family.layer(
        name,
        build,
        *inputs,
        shapes=sizes,
        tolerance=TOLERANCES.get(name, DEEP),
        seeded=False,
        savers=SAVERS,
        tier="full",
    )


def photo(size: int) -> tuple[Input, list[list[tuple[int, ...]]]]:
    """An image input of unknown batch size, and the sets of shapes it is run at."""
    return Input((None, 3, size, size)), [[(1, 3, size, size)], [(2, 3, size, size)]]


vision_models = Family("vision models")
for name, size in {
    "resnet18": 64,
    "resnet50": 64,
    "mobilenet_v1": 64,
    "mobilenet_v2": 64,
    "mobilenet_v3_small": 64,
    "mobilenet_v3_large": 64,
    "densenet121": 64,
    "shufflenet_v2_x1_0": 64,
    "squeezenet1_1": 64,
    "googlenet": 224,
    "inception_v3": 128,
    "vgg11": 64,
    "alexnet": 224,
    "resnext50_32x4d": 64,
    "wide_resnet50_2": 64,
}.items():
    one, sizes = photo(size)
    add(
        vision_models,
        name,
        partial(getattr(paddle.vision.models, name), num_classes=10),
        one,
        sizes=sizes,
    )


def classifier(module: str, name: str) -> Any:
    """A classifier of ten classes."""
    with project("paddleclas"):
        return getattr(import_module(f"ppcls.arch.backbone.{module}"), name)(class_num=10)


classification = Family("PaddleClas")
LEGENDARY, OTHERS = "legendary_models", "model_zoo"
for module, name, size in [
    (f"{LEGENDARY}.pp_lcnet", "PPLCNet_x0_25", 64),
    (f"{LEGENDARY}.pp_lcnet_v2", "PPLCNetV2_small", 64),
    (f"{LEGENDARY}.pp_hgnet", "PPHGNet_tiny", 64),
    (f"{LEGENDARY}.pp_hgnet_v2", "PPHGNetV2_B0", 64),
    (f"{LEGENDARY}.swin_transformer", "SwinTransformer_tiny_patch4_window7_224", 64),
    (f"{OTHERS}.ghostnet", "GhostNet_x0_5", 64),
    (f"{OTHERS}.efficientnet", "EfficientNetB0_small", 64),
    (f"{OTHERS}.levit", "LeViT_128S", 224),
    (f"{OTHERS}.pvt_v2", "PVT_V2_B0", 64),
    (f"{OTHERS}.mobilevit", "MobileViT_XXS", 64),
    (f"{OTHERS}.starnet", "StarNet_S1", 64),
    (f"{OTHERS}.distilled_vision_transformer", "DeiT_tiny_patch16_224", 224),
    (f"{OTHERS}.repvgg", "RepVGG_A0", 64),
    (f"{OTHERS}.fasternet", "FasterNet_T0", 64),
    (f"{OTHERS}.regnet", "RegNetX_200MF", 64),
    (f"{OTHERS}.mixnet", "MixNet_S", 224),
    (f"{OTHERS}.svtrnet", "SVTR_tiny", 64),
    (f"{OTHERS}.peleenet", "PeleeNet", 64),
]:
    one, sizes = photo(size)
    build = partial(classifier, module, name)
    add(classification, name.split("_patch")[0], build, one, sizes=sizes)

segmentation = Family("PaddleSeg")


def segmenter(name: str) -> Any:
    """A segmentation network of three classes."""
    with project("paddleseg"):
        models = import_module("paddleseg.models")
        backbones = import_module("paddleseg.models.backbones")
        builders: dict[str, Callable[[], Any]] = {
            "UNet": lambda: models.UNet(num_classes=3),
            "BiSeNetV2": lambda: models.BiSeNetV2(num_classes=3),
            "PPLiteSeg": lambda: models.PPLiteSeg(num_classes=3, backbone=backbones.STDC1()),
            "DeepLabV3P": lambda: models.DeepLabV3P(
                num_classes=3, backbone=backbones.ResNet18_vd(output_stride=8)
            ),
            "SegFormer": lambda: models.SegFormer(
                num_classes=3, embedding_dim=64, backbone=backbones.MixVisionTransformer_B0()
            ),
            "PPHumanSegLite": lambda: models.PPHumanSegLite(num_classes=2),
        }
        return builders[name]()


for name in ("UNet", "BiSeNetV2", "PPLiteSeg", "DeepLabV3P", "SegFormer", "PPHumanSegLite"):
    one, sizes = photo(64)
    add(segmentation, name, partial(segmenter, name), one, sizes=sizes)

detection = Family("PaddleDetection")


class Detector(nn.Layer):
    """Backbone, neck and head; the head's raw maps, before boxes are chosen."""

    def __init__(self, backbone: Any, neck: Any, head: Any) -> None:
        super().__init__()
        self.backbone, self.neck, self.head = backbone, neck, head

    def forward(self, x: Any) -> Any:
        outputs = self.head(self.neck(self.backbone({"image": x})))
        return [one for one in outputs if one is not None]


def yoloe() -> Any:
    """PP-YOLOE, thinned."""
    with project("ppdet"):
        modeling = import_module("ppdet.modeling")
        backbone = modeling.CSPResNet(
            layers=[1, 1, 1, 1],
            channels=[16, 32, 64, 128, 256],
            return_idx=[1, 2, 3],
            use_large_stem=True,
        )
        neck = modeling.CustomCSPPAN(
            in_channels=[64, 128, 256], out_channels=[96, 48, 24], stage_num=1, block_num=1,
            act="swish", spp=True,
        )  # fmt: skip
        head = modeling.PPYOLOEHead(
            in_channels=[96, 48, 24], num_classes=4, fpn_strides=[32, 16, 8],
            nms=modeling.layers.MultiClassNMS(), exclude_nms=True,
        )  # fmt: skip
        return Detector(backbone, neck, head)


def yolo() -> Any:
    """YOLOv3 with a MobileNet."""
    with project("ppdet"):
        modeling = import_module("ppdet.modeling")
        backbone = modeling.MobileNetV1(scale=0.25, feature_maps=[4, 6, 13])
        neck = modeling.YOLOv3FPN(in_channels=[64, 128, 256])
        head = modeling.YOLOv3Head(in_channels=[1024, 512, 256], num_classes=4)
        return Detector(backbone, neck, head)


for name, detector in {"PPYOLOE": yoloe, "YOLOv3": yolo}.items():
    one, sizes = photo(64)
    add(detection, name, detector, one, sizes=sizes)

language = Family("PaddleNLP")


def encoder(name: str) -> Any:
    """A language model of two thin layers."""
    with project("paddlenlp"):
        module = import_module(f"paddlenlp.transformers.{name.lower()}.modeling")
        config = import_module(f"paddlenlp.transformers.{name.lower()}.configuration")
        return getattr(module, f"{name}Model")(
            getattr(config, f"{name}Config")(
                vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=64, max_position_embeddings=64,
            )
        )  # fmt: skip


WORDS = Input((None, None), "int64", 1, 64)
for name in ("Bert", "Ernie"):
    add(language, name, partial(encoder, name), WORDS, sizes=[[(1, 8)], [(2, 12)]])
