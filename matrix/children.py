"""Processes that run a list of models until one of them kills it."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from collections.abc import Sequence

# What is left of a list is run in a process that may take so long.
SECONDS = 300


def ran(command: Sequence[str]) -> tuple[str, str]:
    """How a process ended, where not well, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        try:
            status = subprocess.run(
                command, stdout=output, stderr=subprocess.DEVNULL, timeout=SECONDS
            ).returncode
            ended = f"the process ended with {status}" if status else ""
        except subprocess.TimeoutExpired:
            ended = f"not done in {SECONDS} s"
        output.seek(0)
        return ended, output.read()


def prepared() -> None:
    """What such a process does first."""
    import paddle

    warnings.simplefilter("ignore")
    # It tells where the process died, which hangs where the heap is broken.
    paddle.disable_signal_handler()
