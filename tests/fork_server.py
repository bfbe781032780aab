"""Runs in a release's Python: imports Paddle once, then forks a child for every script.

    python fork_server.py

A line of JSON comes in for each ({"script", "arguments", "directory", "environment", "seconds",
"files"}: two, for output and errors), a line with the exit status goes out. Importing Paddle takes
two seconds on a slow core, which nearly every script of the tests would spend again.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import sys
import threading
import time
import traceback

TIMED_OUT = 124


def run(asked: dict) -> int:
    """A script as ``python script arguments`` runs it, in this process; its exit status."""
    os.setpgid(0, 0)
    for place, path in enumerate(asked["files"], 1):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, place)
        os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.chdir(asked["directory"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    script = asked["script"]
    sys.argv = [script, *asked["arguments"]]
    sys.path[0] = os.path.dirname(script)
    status = 0
    try:
        runpy.run_path(script, run_name="__main__")
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


def serve() -> None:
    import paddle  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            os._exit(run(asked))
        print(ended(child, asked["seconds"]), file=answers, flush=True)


if __name__ == "__main__":
    serve()
