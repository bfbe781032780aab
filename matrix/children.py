"""Processes that run a list of models until one of them kills it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TextIO

# A process that prints nothing more for so long is stopped.
SECONDS = 150
# What came of a model that Paddle itself does not run in the release that saved it.
AT_HOME = "not run by Paddle at home"
# What that release cannot save.
UNSAVED = "not saved"


def ran(command: Sequence[str]) -> tuple[str, str]:
    """How a process ended, where not well, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        with subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL) as process:
            ended = _end(process, output.fileno())
        output.seek(0)
        return ended, output.read()


def _end(process: subprocess.Popen[bytes], output: int) -> str:
    """How it ended, where not well; a process that falls silent is killed."""
    printed = -1
    while (now := os.fstat(output).st_size) != printed:
        printed = now
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(SECONDS)
            return f"the process ended with {status}" if status else ""
    process.kill()
    return f"nothing done in {SECONDS} s"


def ran_to_the_end(command_from: Callable[[int], Sequence[str]]) -> None:
    """Runs a process that prints a line before each model, until one is through: where Paddle dies
    of a model, the next process goes on behind it. ``command_from`` is told how many are done.

    RuntimeError where one dies without a line.
    """
    done, ended = 0, "not yet"
    while ended:
        command = command_from(done)
        ended, output = ran(command)
        done += len(output.splitlines())
        if ended and not output:
            raise RuntimeError(f"{' '.join(command)} does nothing: {ended}")


def told(outcomes: Counter[str]) -> int:
    """Prints the outcomes, and gives the exit status for them."""
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    return 0 if set(outcomes) <= {"ok", AT_HOME, UNSAVED} else 1


def prepared() -> TextIO:
    """What such a process does first; where it prints its lines, among which no model prints."""
    import paddle

    own = own_output()

    warnings.simplefilter("ignore")
    # It tells where the process died, which hangs where the heap is broken.
    paddle.disable_signal_handler()
    return own


def own_output() -> TextIO:
    """What was the process's output; whatever else prints goes where errors go."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own
