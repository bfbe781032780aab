"""Backbones of PaddleClas, PP-LCNet, PP-HGNetV2, ViT and Swin among them."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from matrix.families.registry import Models
from matrix.zoo.packages import project

MODELS = Models()
# By the size of image that each takes.
_NAMES = {
    64: """PPLCNet_x0_25 PPLCNetV2_small PPHGNet_tiny PPHGNetV2_B0 PPHGNetV2_B4 ESNet_x0_25
        HRNet_W18_C MobileNetV3_small_x0_35 MobileNetV4_conv_small ResNet18_vd VGG11 ConvNeXt_tiny
        CSPDarkNet53 DarkNet53 DenseNet121 DLA34 DPN68 EfficientNetB0 EfficientNetV2_S FasterNet_T0
        GhostNet_x0_5 HarDNet39_ds MicroNet_M0 MobileNetV2_x0_25 MobileNeXt_x0_35
        MobileViT_XXS MobileViTV3_XXS RedNet26 RegNetX_200MF RepVGG_A0
        Res2Net50_26w_4s ResNeSt50_fast_1s1x64d ResNet50_vc ResNeXt50_32x4d ReXNet_1_0
        SE_ResNet18_vd SE_ResNeXt50_32x4d ShuffleNetV2_x0_25 SqueezeNet1_1 StarNet_S1 TinyNet_E
        VAN_B0 Xception41 Xception41_deeplab PeleeNet""",
    128: "InceptionV3 InceptionV4 MobileViTV2_x0_5",
    224: """MixNet_S DSNet_tiny
        SwinTransformer_tiny_patch4_window7_224 ViT_small_patch16_224 DeiT_tiny_patch16_224
        DeiT_tiny_distilled_patch16_224 CSWinTransformer_tiny_224 CvT_13_224 GoogLeNet LeViT_128S
        NextViT_small_224 PVT_V2_B0 TNT_small pcpvt_small alt_gvt_small UniFormer_small AlexNet
        cae_base_patch16_224 CLIP_vit_base_patch16_224""",
    256: "SwinTransformerV2_tiny_patch4_window8_256",
}


def _classifier(name: str) -> Any:
    with project("paddleclas"):
        import_module("ppcls.utils.logger").init_logger()  # some backbones warn
        return getattr(import_module("ppcls.arch.backbone"), name)()


for _size, _listed in _NAMES.items():
    for _name in _listed.split():
        MODELS.image("PaddleClas", _name, partial(_classifier, _name), _size)
