"""Every command and every piece of Python in README and pages is run, or the page says why not.

A page's shell blocks run one after the other in a folder of its own, which has what the pages talk
of: ``model/``, ``models/``, ``src/``, ``script.py``, ``archive.tar.gz``. A Paddle runs where one is
needed; the rest runs in this Python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.docs.pages import ROOT, Block, blocks
from tests.fixtures.index import fixture
from tests.releases import done_in, python_of

RELEASE = "3.3.1"
# Models of these pages are those of the newest release; of the others, of 2.6.2.
NEWEST = ("README.md", "docs/how-to/convert.md")
RUNNABLE = ("sh", "python", "dockerfile")
SCRIPT = "import paddle\n\nlayer = paddle.jit.load('model/inference')\n"
SHIM = """#!/bin/sh
python={paddle}
case "$*" in *--run*) ;; check\\ *|rule*) python={own} ;; esac
exec "$python" -W ignore -m compatload "$@"
"""
SECONDS = 120


def shown(language: str) -> list[Block]:
    return [one for one in blocks() if one.language == language and not one.not_run]


def prepared(folder: Path, page: str) -> Path:
    """A folder with what the commands of a page name."""
    model = fixture(f"{RELEASE if page in NEWEST else '2.6.2'}/classifier").folder
    (folder / "model").mkdir(parents=True)
    for file in model.glob("model.*"):
        shutil.copy(file, folder / "model" / file.name.replace("model.", "inference.", 1))
    (folder / "src").mkdir()
    for script in ("script.py", "src/load.py"):
        (folder / script).write_text(SCRIPT)
    shutil.copytree(folder / "model", folder / "models/tags")
    with tarfile.open(folder / "archive.tar.gz", "w:gz") as archive:
        archive.add(folder / "model", "model")
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a shell needs to find ``compatload``."""
    place = tmp_path_factory.mktemp("bin")
    shim = place / "compatload"
    shim.write_text(SHIM.format(paddle=python_of(RELEASE), own=sys.executable))
    shim.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{place}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COMPATLOAD_CACHE": str(tmp_path_factory.mktemp("cache")),
        "OMP_NUM_THREADS": "1",
        "GLOG_minloglevel": "3",
    }


PAGES = sorted({one.page for one in shown("sh")})


@pytest.mark.parametrize("page", PAGES)
def test_commands(page: str, tmp_path: Path, environment: dict[str, str]) -> None:
    folder = prepared(tmp_path / "work", page)
    for block in shown("sh"):
        for line in block.code.splitlines() if block.page == page else ():
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
            # A check that finds something ends with 1.
            fine = (0, 1) if line.startswith("compatload check") else (0,)
            assert done.returncode in fine, f"{line}\n{(done.stdout + done.stderr)[-2000:]}"
            assert "Traceback" not in done.stderr, f"{line}\n{done.stderr[-2000:]}"


def test_python(tmp_path: Path, environment: dict[str, str]) -> None:
    wanted = shown("python")
    asked = [
        [str(prepared(tmp_path / str(number), one.page)), one.code]
        for number, one in enumerate(wanted)
    ]
    image = next(iter(fixture("2.6.2/classifier").inputs(0).values()))
    np.save(tmp_path / "image.npy", image)
    script = Path(__file__).with_name("run_blocks.py")
    done = done_in(
        *(RELEASE, script, tmp_path / "image.npy"),
        seconds=SECONDS,
        environment=environment,
        given=json.dumps(asked),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout)
    failed = {one.id: said for one, said in zip(wanted, answers, strict=True) if said}
    assert not failed, "\n\n".join(f"{name}\n{said}" for name, said in failed.items())


def test_what_is_not_run_says_why() -> None:
    left_out = [one for one in blocks() if one.not_run]
    assert all(len(one.not_run) > 10 for one in left_out)
    run = [one for one in blocks() if one.language in RUNNABLE and not one.not_run]
    assert len(run) > len(left_out)
    assert not [one.id for one in run if one.language == "dockerfile"]
