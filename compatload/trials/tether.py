"""The first code of every child process: it ties the child to the life of its parent.

    python tether.py ROOT MODULE:FUNCTION [ARGUMENT ...]

The process that the parent started only guards: it forks the one that calls the function, ends as
that one ended, and kills the whole process group (grandchildren, too) when its own parent is gone.
It notices by the end of its standard input, a pipe that the parent holds open, and on Linux by a
signal as well. A guard is never inside of native code, as the other one is when it matters.
Without fork (Windows) the function is called at once, and such a child outlives its parent.

Run as a script, so that nothing but this is imported before the guard stands.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_PR_SET_PDEATHSIG = 1


def main() -> int:
    root, target, *arguments = sys.argv[1:]
    if sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]  # this folder's modules would stand in front of everybody else's
    sys.path.insert(0, root)
    if hasattr(os, "fork"):
        _without_core_dumps()
        guard = os.getpid()
        worker = os.fork()
        if worker:
            _guard(worker)
        die_with(guard)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
    import importlib

    module, _, name = target.partition(":")
    sys.argv = [target, *arguments]
    status = getattr(importlib.import_module(module), name)(*arguments)
    return status if isinstance(status, int) else 0


def die_with(parent: int, number: int = 0) -> None:
    """Get ``number`` (SIGKILL unless given) when ``parent`` dies; Linux only, elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes
    except ImportError:  # a Python built without it; the guard's pipe is there still
        return
    number = number or signal.SIGKILL
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:  # it died before the signal was asked for
        os.kill(os.getpid(), number)


def _guard(worker: int) -> None:
    """Wait for the worker and end as it ended; never returns."""
    signal.signal(signal.SIGTERM, lambda *_: _end_group())
    threading.Thread(target=_end_with_input, daemon=True).start()
    # An interpreter that is a wrapper may stand between: then this parent is the wrapper.
    die_with(os.getppid(), signal.SIGTERM)
    _, status = os.waitpid(worker, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _end_with_input() -> None:
    try:
        while os.read(0, 4096):
            pass
    finally:
        _end_group()


def _end_group() -> None:
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _without_core_dumps() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
