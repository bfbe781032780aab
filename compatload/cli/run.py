"""Run an unmodified program, with Paddle's own loaders replaced by the safe ones."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from compatload.errors import UsageError

_STARTUP = Path(__file__).resolve().parent.parent / "interception" / "startup"

EXIT_CODES = "exit codes: those of the program; 2 nothing to run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "compatload run [--] (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]"
    parser.description = (
        "Run a Python program as `python` would. In it, and in every Python that it starts with "
        "its environment, Paddle's loaders load any saved model. COMPATLOAD_TRUSTED_OPERATORS "
        "names operators to let in (my_relu,my_other), such as those of a custom library."
    )
    # Options belong to the program: with no character that marks one, argparse keeps off them.
    parser.prefix_chars = ""
    parser.set_defaults(show_help=parser.print_help)
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    program = list(arguments.program)
    if program[:1] in (["-h"], ["--help"]):
        arguments.show_help()
        return 0
    if program[:1] == ["--"]:
        del program[0]
    if not program:
        raise UsageError(
            "compatload run has nothing to run",
            action="Give a script (`compatload run script.py …`) or a module (`-m module …`).",
        )
    return _become([sys.executable, *program], environment(os.environ))


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """``present``, so that each Python that starts in it installs the safe loaders."""
    found = present.get("PYTHONPATH")
    paths = [str(_STARTUP), *(found.split(os.pathsep) if found else ())]
    # Python reads a PYTHONPATH of "a:" as a and the current directory: nothing empty is added.
    return {**present, "PYTHONPATH": os.pathsep.join(paths)}


def _become(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Turn into ``command``: signals and exit code need no handing through."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":  # exec there starts another process and ends this one
        return subprocess.run(command, env=dict(variables), check=False).returncode  # noqa: S603
    os.execve(command[0], list(command), dict(variables))  # noqa: S606 - what the user asked for
