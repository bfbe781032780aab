"""Programs from PyPI, as they are, under `compatload run`: the text that 2.6.2 reads."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from compatload.runtime.cpu import detect_cpu
from tests.interception.draw_page import LINES
from tests.loading.test_real_models import rapidocr
from tests.overlays import overlay, site_packages
from tests.releases import releases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 600
REFERENCE = "2.6.2"
# Where the CPU has no AVX-512, Paddle 2.6.2 dies of recognition models by itself (CL221).
REFERENCE_RUN = () if "avx512f" in detect_cpu().features else ("-m", "compatload", "run")
RAPIDOCR = (
    "rapidocr_paddle==1.4.5",
    "opencv-python-headless==4.10.0.84",
    "pyclipper==1.4.0",
    "shapely==2.1.2",
    "pillow==11.3.0",
    "PyYAML==6.0.3",
    "six==1.17.0",
    "tqdm==4.67.1",
)
PADDLEOCR = (
    "paddleocr==2.10.0",
    *RAPIDOCR[1:],
    # What paddleocr 2.10 and its augmentations import, releases of its time.
    "albucore==0.0.13",
    "albumentations==1.4.10",
    "imageio==2.37.0",
    "joblib==1.4.2",
    "lazy-loader==0.4",
    "lmdb==1.7.5",
    "networkx==3.4.2",
    "packaging==25.0",
    "pydantic==2.11.7",
    "pydantic-core==2.33.2",
    "annotated-types==0.7.0",
    "typing-extensions==4.14.1",
    "typing-inspection==0.4.1",
    "rapidfuzz==3.13.0",
    "requests==2.32.4",
    "urllib3==2.5.0",
    "charset-normalizer==3.4.2",
    "idna==3.10",
    "certifi==2025.7.14",
    "scikit-image==0.24.0",
    "scikit-learn==1.5.2",
    "scipy==1.13.1",
    "threadpoolctl==3.6.0",
    "tifffile==2024.8.30",
    "tomli==2.2.1",
)
# Where Paddle has the root logger show what is logged at INFO; 3.0.0 leaves it alone.
SHOWS_LOGS = "3.3.1"
# The scores of lines; another release sums in another order.
CLOSE = 1e-3
FONT = (
    "import sys; from PIL import ImageFont; font = ImageFont.load_default(20).path; font.seek(0); "
    "open(sys.argv[1], 'wb').write(font.read())"
)


def newer() -> list[str]:
    return [release for release in releases() if release != REFERENCE]


def python(interpreter: str, *arguments: str, cwd: Path) -> str:
    """Standard error of a program that succeeds."""
    done = subprocess.run(
        [interpreter, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr + done.stdout


@cache
def rapidocr_lines(release: str, how: Sequence[str], folder: Path) -> list[tuple[str, float]]:
    interpreter = overlay(release, RAPIDOCR)
    python(interpreter, str(HERE / "draw_page.py"), "page.png", cwd=folder)
    said = python(
        interpreter, *how, str(HERE / "read_page.py"), "page.png", "lines.json", cwd=folder
    )
    # One line a load: detector, classifier, recognition.
    assert said.count("loaded ") == (3 if how else 0)
    return [(text, score) for text, score in json.loads((folder / "lines.json").read_text())]


@pytest.mark.parametrize("release", newer())
def test_rapidocr_reads_what_it_read_under_2_6_2(
    release: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = rapidocr_lines(REFERENCE, REFERENCE_RUN, tmp_path_factory.mktemp("expected"))
    actual = rapidocr_lines(release, ("-m", "compatload", "run"), tmp_path_factory.mktemp("page"))
    assert [text for text, _ in actual] == [text for text, _ in expected]
    assert max(abs(a - b) for (_, a), (_, b) in zip(actual, expected)) < CLOSE
    # And it is the page that was drawn, give or take the spaces.
    drawn = "".join(text for text, _ in LINES).replace(" ", "")
    read = "".join(text for text, _ in actual).replace(" ", "")
    assert difflib.SequenceMatcher(None, drawn, read).ratio() > 0.95


@cache
def paddleocr_result(release: str, how: Sequence[str], folder: Path) -> str:
    interpreter = overlay(release, PADDLEOCR)
    package = site_packages(interpreter) / "paddleocr"
    python(interpreter, str(HERE / "draw_page.py"), "page.png", cwd=folder)
    python(interpreter, "-c", FONT, "font.ttf", cwd=folder)
    models = {
        "det": "ch_PP-OCRv4_det_infer",
        "rec": "ch_PP-OCRv4_rec_infer",
        "cls": "ch_ppocr_mobile_v2_cls_infer",
    }
    directories = [f"--{kind}_model_dir={rapidocr() / name}" for kind, name in models.items()]
    said = python(
        interpreter,
        *how,
        str(package / "tools" / "infer" / "predict_system.py"),
        "--image_dir=page.png",
        *directories,
        "--use_angle_cls=true",
        "--use_gpu=false",
        f"--rec_char_dict_path={package / 'ppocr' / 'utils' / 'ppocr_keys_v1.txt'}",
        "--draw_img_save_dir=result",
        "--vis_font_path=font.ttf",
        cwd=folder,
    )
    if release == SHOWS_LOGS:
        assert said.count("loaded ") == (3 if how else 0)
    return (folder / "result" / "system_results.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("release", newer())
def test_paddleocr_2_reads_what_it_read_under_2_6_2(
    release: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = paddleocr_result(REFERENCE, REFERENCE_RUN, tmp_path_factory.mktemp("expected"))
    actual = paddleocr_result(
        release, ("-m", "compatload", "run"), tmp_path_factory.mktemp("result")
    )
    assert actual == expected
    assert "Any saved model loads in the" in actual
