"""Saves the families' networks with the Paddle that runs it, each in a child process of its own.

    PYTHONPATH=. envs/3.3.1/bin/python -m matrix.families.save DIRECTORY [NAME …]

``DIRECTORY/<name>/`` is a saved network as ``matrix/saving.py`` describes it. The outputs that
are kept are those of the eager layer. What was saved already is not saved again.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

# Paddle 2.6.2 aborts the process where zlib is first used after it, and the packages use it.
zlib.decompress(zlib.compress(b"x"))

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from matrix.families.registry import networks  # noqa: E402
from matrix.network import Network  # noqa: E402
from matrix.packages import folder  # noqa: E402
from matrix.saving import save  # noqa: E402
from matrix.zoo.packages import VARIABLE  # noqa: E402

SECONDS = 300


def with_noise(layer: Any, generator: np.random.Generator) -> Any:
    """Gives what an initialiser left constant some noise, and statistics a spread."""
    for _, tensor in sorted(layer.state_dict().items()):
        values = tensor.numpy()
        if values.dtype != np.float32 or values.size < 2 or np.ptp(values) > 0:
            continue
        tensor.set_value((values + generator.uniform(-0.1, 0.1, values.shape)).astype("float32"))
    return layer


def save_one(network: Network, folder: Path) -> None:
    generator = np.random.default_rng(zlib.crc32(network.name.encode()))
    built = replace(network, layer=lambda: with_noise(network.layer(), generator))
    partial = folder.with_name(folder.name + ".part")
    save(built, partial, verify=False)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def in_child(network: Network, folder: Path, log: Path) -> str:
    """Empty, or why it could not be saved."""
    child = os.fork()
    if child == 0:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        signal.alarm(SECONDS)
        try:
            save_one(network, folder)
        except BaseException as error:
            sys.excepthook(*sys.exc_info())
            lines = [line for line in str(error).splitlines() if line.strip()]
            log.with_suffix(".reason").write_text(f"{type(error).__name__}: {lines[-1:]}"[:400])
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    reason = log.with_suffix(".reason")
    if status and reason.exists():
        return reason.read_text()
    return f"wait status {status}" if status else ""


def main(target: Path, names: list[str]) -> int:
    os.environ.setdefault(VARIABLE, str(folder()))
    (target / "logs").mkdir(parents=True, exist_ok=True)
    failed: dict[str, str] = {}
    everything = networks()
    for name in names or everything:
        if (target / name / "case.json").exists():
            continue
        reason = in_child(everything[name], target / name, target / "logs" / f"{name}.log")
        print(name, reason or "saved", flush=True)
        if reason:
            failed[name] = reason
    if not names:
        (target / "not_saved.json").write_text(json.dumps(failed, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
