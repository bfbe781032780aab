"""Paddle 2.6 with NumPy 2: zlib has to come first (CL503)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.index import fixture
from tests.overlays import overlay

ROOT = Path(__file__).resolve().parents[2]
NUMPY_2 = ("numpy==2.4.6",)
LOAD = """
import sys, warnings
import compatload
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    for make in (compatload.safe_load, compatload.safe_create_predictor):
        try:
            loaded = make(sys.argv[1])
        except compatload.NumpyUnsupportedError as error:
            print("refused", error.rule)
print("warned", [str(one.message) for one in caught if "NumPy" in str(one.message)])
"""
AND_USE = """
import numpy.random, zlib
print(loaded.get_input_names(), zlib.decompress(zlib.compress(b"used")).decode())
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [overlay("2.6.2", NUMPY_2), "-W", "ignore", "-c", script, fixture("2.6.2/lstm").path],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
            "COMPATLOAD_CACHE": "off",
        },
    )


def test_paddle_alone_dies_of_numpy_random() -> None:
    assert run("import paddle, numpy.random").returncode < 0


@pytest.mark.parametrize("before", ["", "import zlib, paddle", "import numpy, paddle"])
def test_it_works_where_zlib_comes_first_and_warns_once(before: str) -> None:
    done = run(f"{before}\n{LOAD}{AND_USE}")
    assert done.returncode == 0, done.stderr[-2000:]
    warned, used = done.stdout.splitlines()[-2:]
    assert warned.count("Paddle 2.6 with NumPy 2 [CL503]") == 1
    assert used.endswith("used")


def test_it_is_refused_where_paddle_came_first() -> None:
    done = run(f"import paddle\n{LOAD}")
    assert done.stdout.splitlines()[-3:] == ["refused CL503", "refused CL503", "warned []"]
