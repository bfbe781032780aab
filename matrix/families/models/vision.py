"""``paddle.vision.models``."""

from __future__ import annotations

from functools import partial

import paddle

from matrix.families.registry import Models

MODELS = Models()
_SIZES = {
    "LeNet": 28,
    "alexnet": 224,
    "vgg11": 64,
    "resnet18": 64,
    "resnet50": 64,
    "resnext50_32x4d": 64,
    "wide_resnet50_2": 64,
    "mobilenet_v1": 64,
    "mobilenet_v2": 64,
    "mobilenet_v3_small": 64,
    "mobilenet_v3_large": 64,
    "densenet121": 64,
    "googlenet": 224,
    "inception_v3": 128,
    "shufflenet_v2_x0_5": 64,
    "shufflenet_v2_swish": 64,
    "squeezenet1_1": 64,
}
for _name, _size in _SIZES.items():
    _build = partial(getattr(paddle.vision.models, _name), num_classes=10)
    MODELS.image("vision.models", _name, _build, _size, 1 if _name == "LeNet" else 3)
