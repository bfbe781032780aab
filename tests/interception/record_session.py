"""Record in a terminal how PaddleOCR 3.7.0 reads a page under Paddle 3.3.1, without and with.

    python -m tests.interception.record_session

writes ``docs/paddleocr.cast`` (asciinema's format, version 2) and the same text into the pages.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import DOCS
from tests.interception.test_paddleocr_3 import NEWEST, PACKAGES, ROOT, make_desk
from tests.overlays import overlay

CAST = DOCS / "paddleocr.cast"
PAGES = (DOCS / "how-to/paddleocr.md", DOCS / "zh/how-to/paddleocr.md")
START, END = "```console\n", "```\n"
PROMPT = "$ "
WIDTH, HEIGHT = 100, 40
COMMANDS = (
    'python -c "import paddle, paddleocr; print(paddle.__version__, paddleocr.__version__)"',
    'DET="--text_detection_model_name PP-OCRv4_mobile_det --text_detection_model_dir det"',
    'REC="--text_recognition_model_name PP-OCRv4_mobile_rec --text_recognition_model_dir rec"',
    'NOT="--use_doc_orientation_classify 0 --use_doc_unwarping 0 --use_textline_orientation 0"',
    "python -m paddleocr ocr -i page.png $DET $REC $NOT 2>&1 | grep Error",
    "compatload run -m paddleocr ocr -i page.png $DET $REC $NOT 2>&1 | grep -o 'rec_texts[^]]*]'",
)
# A shell that takes a command and says by a mark when it is ready for the next one.
READY = "\x1d"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = make_desk(Path(folder))
        for short, model in (("det", "PP-OCRv4_mobile_det"), ("rec", "PP-OCRv4_mobile_rec")):
            (desk / short).symlink_to(desk / "legacy" / model)
        write(list(recorded(desk)))


def recorded(desk: Path) -> Iterator[tuple[float, str]]:
    """When what stood on the terminal, in seconds from the start."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["bash", "--norc", "--noediting"],
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
        cwd=desk,
        env=environment(desk),
        text=True,
        bufsize=1,
    ) as shell:
        os.close(theirs)
        start = time.monotonic()
        assert shell.stdin is not None
        for command in COMMANDS:
            yield time.monotonic() - start, f"{PROMPT}{command}\r\n"
            shell.stdin.write(f"{command}\nprintf '{READY}'\n")
            said = ""
            while not said.endswith(READY):
                said = os.read(ours, 1 << 16).decode()
                if said != READY:
                    yield time.monotonic() - start, said.removesuffix(READY)
    os.close(ours)


def environment(desk: Path) -> dict[str, str]:
    commands = desk / "bin"
    commands.mkdir()
    python = overlay(NEWEST, PACKAGES)
    for name, first in (("python", ""), ("compatload", "-m compatload ")):
        shim = commands / name
        shim.write_text(f'#!/bin/sh\nexec {python} -W ignore {first}"$@"\n', encoding="utf-8")
        shim.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
        "PADDLE_PDX_CACHE_HOME": str(desk / "paddlex"),
        "GLOG_minloglevel": "3",
    }


def write(events: list[tuple[float, str]]) -> None:
    head = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": f"PaddleOCR on {NEWEST}"}
    lines = [head, *([round(when, 3), "o", said] for when, said in events)]
    CAST.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    for page in PAGES:
        before, _, after = page.read_text(encoding="utf-8").partition(START)
        page.write_text(before + START + text() + END + after.partition(END)[2], encoding="utf-8")


def text() -> str:
    """What stands on the terminal in the end."""
    _, *events = (json.loads(line) for line in CAST.read_text(encoding="utf-8").splitlines())
    return "".join(said for _, _, said in events).replace("\r", "")


if __name__ == "__main__":
    main()
