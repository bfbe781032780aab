"""A Paddle that is installed and cannot be imported: the real one, with another NumPy."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.index import fixture
from tests.releases import python_of

ROOT = Path(__file__).resolve().parents[2]
LOAD = "import sys, compatload; compatload.safe_load(sys.argv[1])"
MODEL = str(fixture("3.0.0/classifier").path)
NUMPY = {
    'import ctypes; ctypes.CDLL("libnothere.so.9")': "Install the system's library libnothere.so.9",
    "": "pip install --force-reinstall numpy",
    "import not_installed": "pip install not_installed",
}


def python(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(site), str(ROOT)))
    return subprocess.run(
        [python_of("3.3.1"), "-W", "ignore", *arguments],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "COMPATLOAD_CACHE": "off"},
    )


@pytest.mark.parametrize(("numpy", "advice"), NUMPY.items(), ids=("library", "numpy", "package"))
def test_the_cause_and_what_to_do_are_told(numpy: str, advice: str, tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy/__init__.py").write_text(numpy)
    told = python(tmp_path, "-c", LOAD, MODEL).stderr.strip().splitlines()[-2:]
    assert "PaddleNotFoundError: paddle is installed but cannot be imported" in told[0]
    assert advice in told[1]


def test_a_selftest_tells_it_once(tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy/__init__.py").write_text("import os; os.kill(os.getpid(), 4)")
    done = python(tmp_path, "-m", "compatload", "selftest")
    assert done.returncode == 1
    assert "paddle is installed but cannot be imported: killed by SIGILL" in done.stderr
