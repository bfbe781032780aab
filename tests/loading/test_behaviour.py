"""What the drop-ins leave as it was and what they return can do, in real releases."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.releases import python_of, releases, run_in

SCRIPT = Path(__file__).with_name("behaviour.py")
CHECKS = re.findall(r"^def check_(\w+)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
CHECK_SECONDS = 300
# They set flags before paddle is imported, or look whether it is.
ANEW = ("paddle_not_imported", "flag_off", "flag_on")


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("release", releases())
def test_behaviour(release: str, check: str) -> None:
    assert run_in(release, SCRIPT, check, anew=check in ANEW).strip().endswith("ok")


FIRST = """
import paddle
import sys
sys.path.insert(0, sys.argv[1])
import compatload
compatload.safe_load(sys.argv[2])
compatload.safe_create_predictor(sys.argv[2])
print("ok")
"""


@pytest.mark.parametrize("release", releases())
def test_paddle_is_imported_before_anything_else(release: str) -> None:
    """zlib, first loaded after Paddle 2.6.2, aborts the process: nothing here may need it."""
    root = SCRIPT.parents[2]
    model = root / "tests" / "fixtures" / "2.6.2" / "classifier" / "model"
    result = subprocess.run(
        [python_of(release), "-c", FIRST, str(root), str(model)],
        capture_output=True,
        text=True,
        timeout=CHECK_SECONDS,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]
    assert result.stdout.strip().endswith("ok")
