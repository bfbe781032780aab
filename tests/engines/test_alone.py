"""OpenVINO without Paddle: what alone_worker.py checks."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from matrix.engines import python_with_openvino
from matrix.environments import EnvironmentUnavailableError

WORKER = Path(__file__).with_name("alone_worker.py")
CHECKS = re.findall(r"^def (check_\w+)", WORKER.read_text(), re.MULTILINE)
SECONDS = 600


@cache
def said() -> tuple[str, str]:
    try:
        python = python_with_openvino()
    except EnvironmentUnavailableError as error:
        pytest.skip(f"OpenVINO cannot be installed here: {error}")
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [python, str(WORKER), folder],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    return result.stdout, result.stderr


@pytest.mark.parametrize("check", CHECKS)
def test_without_paddle(check: str) -> None:
    told, errors = said()
    assert f"ok {check}\n" in told, told[-500:] + errors[-3000:]
