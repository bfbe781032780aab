"""Other engines in Paddle's place: what alone_worker.py and beside_worker.py check."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from compatload.engines.known import ENGINES
from matrix.engines import python_with_engines
from matrix.environments import EnvironmentUnavailableError

HERE = Path(__file__).parent
# Where each works: a release of Paddle, or none.
WORKERS = {"alone_worker.py": None, "beside_worker.py": "3.3.1"}
CHECKS = [
    (worker, engine, check)
    for worker in WORKERS
    for engine in ENGINES
    for check in re.findall(r"^def (check_\w+)", (HERE / worker).read_text(), re.MULTILINE)
]
SECONDS = 600


@cache
def said(worker: str, engine: str) -> tuple[str, str]:
    try:
        python = python_with_engines(WORKERS[worker])
    except EnvironmentUnavailableError as error:
        pytest.skip(f"the engines cannot be installed here: {error}")
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [python, str(HERE / worker), folder, engine],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    return result.stdout, result.stderr


@pytest.mark.parametrize(("worker", "engine", "check"), CHECKS)
def test_in_a_process_of_its_own(worker: str, engine: str, check: str) -> None:
    told, errors = said(worker, engine)
    assert f"ok {check}\n" in told, told[-500:] + errors[-3000:]
