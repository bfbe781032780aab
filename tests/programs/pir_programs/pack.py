"""Packs saved single-operator programs, as real releases wrote them, into ``<release>.json.gz``.

    python tests/programs/pir_programs/pack.py DIRECTORY   # of <release>/NAME.json (save_zoo.py)

Each archive maps a model's name to the text of its ``.json`` file, byte for byte.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASES = ("3.0.0", "3.1.1", "3.2.2", "3.3.0", "3.3.1")
# Every operator that releases describe differently, and what surrounds them.
NAMES = (
    *("relu", "conv2d", "linear_layer", "layer_norm", "transformer_layer", "lstm", "slice"),
    *("set_item", "assign_value", "reshape_dynamic", "concat", "split", "cast", "clip_infinite"),
    *("leaky_relu_slope", "softplus_beta", "max_pool2d_ceil", "avg_pool2d", "pool_dynamic"),
    *("max_pool3d", "avg_pool3d", "lp_pool2d", "nearest", "bilinear", "bicubic", "linear"),
    *("trilinear", "area", "pad_constant", "pad_infinite", "pad_3d", "expand_as", "kthvalue"),
    *("repeat_interleave", "repeat_interleave_tensor", "logit", "group_norm", "slogdet"),
    *("full_nan", "full_infinite", "while", "if", "masked_fill", "masked_fill_broadcast"),
    *("masked_fill_dynamic", "median", "median_all", "median_integer", "divide_trunc"),
    *("divide_trunc_integer", "slogdet_pair", "fused_rms_norm", "antialias"),
)


def main(folder: Path) -> None:
    for release in RELEASES:
        texts = {
            name: path.read_text("utf-8")
            for name in NAMES
            if (path := folder / release / f"{name}.json").exists()
        }
        packed = gzip.compress(json.dumps(texts).encode(), mtime=0)
        (HERE / f"{release}.json.gz").write_bytes(packed)
        print(release, len(texts), "programs,", len(packed), "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
