"""What is read from the files, against what the imported Paddle says of itself.

Runs with every interpreter in the folder ``COMPATLOAD_ENVIRONMENTS`` (``<release>/bin/python``),
or with this one if it has Paddle.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

COMPARE = """
import json, sys
from compatload.runtime.detection import detect_runtime
before = detect_runtime()
assert "paddle" not in sys.modules and "numpy" not in sys.modules
import numpy, paddle
after = detect_runtime()
compiled = {"cuda": paddle.is_compiled_with_cuda(), "rocm": paddle.is_compiled_with_rocm(),
            "xpu": paddle.is_compiled_with_xpu()}
print(json.dumps({
    "before": before.to_dict(), "after": after.to_dict(), "compiled": compiled,
    "version": paddle.__version__, "commit": paddle.__git_commit__, "numpy": numpy.__version__,
    "pir": paddle.base.framework.use_pir_api(),
}))
"""


def _interpreters() -> list[str]:
    folder = os.environ.get("COMPATLOAD_ENVIRONMENTS")
    if folder:
        found = sorted(Path(folder).glob("[0-9]*/bin/python"))
        assert found, f"COMPATLOAD_ENVIRONMENTS={folder} holds no <release>/bin/python"
        return [str(path) for path in found]
    return [sys.executable] if importlib.util.find_spec("paddle") else []


@pytest.mark.skipif(not _interpreters(), reason="no Paddle at hand")
@pytest.mark.parametrize("flag", [None, "0", "False", "1", "on", "garbage"])
@pytest.mark.parametrize("python", _interpreters() or [""])
def test_files_and_import_agree(python: str, flag: str | None) -> None:
    environment = {name: text for name, text in os.environ.items() if not name.startswith("FLAGS_")}
    environment.update(PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1")
    if flag is not None:
        environment["FLAGS_enable_pir_api"] = flag
    done = subprocess.run(
        [python, "-c", COMPARE],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    before, after = said["before"], said["after"]
    assert before["paddle"]["version"] == said["version"]
    assert before["paddle"]["commit"] == said["commit"]
    assert before["numpy"] == said["numpy"]
    flavour = next((name for name, on in said["compiled"].items() if on), "cpu")
    assert before["paddle"]["flavour"] == flavour
    source = "default" if flag is None else "environment"
    assert before["ir_mode"] == {"pir": said["pir"], "source": source}
    assert after["ir_mode"] == {"pir": said["pir"], "source": "imported"}
    differences = {name for name in before if before[name] != after[name]}
    assert differences == {"ir_mode", "imported"}
