"""Resizing of images and signals."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.conversion.pir_to_legacy.rules import Conversion, rule

_KINDS = ("linear", "bilinear", "trilinear", "bicubic", "nearest")

RULES: Mapping[str, Conversion] = {
    f"{kind}_interp": rule(
        f"{kind}_interp_v2", "X OutSize SizeTensor Scale", rename={"data_format": "data_layout"}
    )
    for kind in _KINDS
}
