"""Runs in a release's Python: imports Paddle once, then forks a child for every command.

    python fork_server.py

A line of JSON comes in for each ({"command", "directory", "environment", "seconds", "files"}:
three, for input, output and errors), a line with the exit status goes out. Importing Paddle takes
two seconds on a slow core, which nearly every script of the tests would spend again.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import sys
import tempfile
import threading
import time
import traceback
import types
from importlib import import_module
from pkgutil import walk_packages

TIMED_OUT = 124
# What a load imports on its way, half a second's worth.
WARM = tuple(
    f"compatload.{name}"
    for name in (
        *("artifact", "exporting", "faults", "loading", "operators", "programs"),
        *("runtime", "serving", "store", "trials"),
    )
)


def run(asked: dict) -> int:
    """What ``python *command`` does, in this process; its exit status."""
    os.setpgid(0, 0)
    for place, path in enumerate(asked["files"]):
        how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if place else os.O_RDONLY
        descriptor = os.open(path, how)
        os.dup2(descriptor, place)
        os.close(descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process lives
    os.chdir(asked["directory"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    tempfile.tempdir = None
    status = 0
    try:
        execute(*asked["command"])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def execute(first: str, *rest: str) -> None:
    """A script, ``-m module`` or ``-c code``, with the arguments and the path that Python gives."""
    own = {"-m": os.getcwd(), "-c": ""}.get(first, os.path.dirname(first))
    more = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [own, *(one for one in more if one)]
    if first == "-m":
        sys.argv = ["-m", *rest[1:]]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), module.__dict__)
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


def ended(child: int, seconds: float) -> int:
    """The exit status of a child; it is killed, with what it started, when its time is over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMED_OUT


def warm() -> None:
    """Import what nearly every child needs; run nothing, so that no thread exists when forking."""
    # NumPy before Paddle: 2.6.2 brings a zlib that NumPy's own must not meet later.
    for name in ("numpy.random", "paddle", "paddle.inference"):
        import_module(name)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(1, root)
    for package in WARM:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module.name)
    import_module("compatload.drop_ins")
    sys.path.remove(root)  # a child finds compatload's other modules as it would by itself


def serve() -> None:
    warm()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    gc.collect()
    gc.freeze()  # what is there is not walked through again, and copied for it, by every child
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            os._exit(run(asked))
        print(ended(child, asked["seconds"]), file=answers, flush=True)


if __name__ == "__main__":
    serve()
