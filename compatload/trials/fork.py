"""Something done in a fork, because it may kill the process."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable

from compatload.trials.children import End, Output, signal_name
from compatload.trials.tether import die_with

logger = logging.getLogger("compatload")

LIMIT_S = 600
_POLL = 0.01


def can_fork() -> bool:
    """Whether the system has forks (Windows has none), and what Paddle computes on survives one:
    no accelerator does."""
    return hasattr(os, "fork") and not _uses_accelerator()


def end_of(act: Callable[[], object], timeout: float) -> End:
    """How a fork of this process ends that acts: status 1, and a traceback, for an exception.

    What it prints is not printed here, and nothing is done at its exit.
    """
    receive, send = os.pipe()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.dup2(send, 1)
            os.dup2(send, 2)
            die_with(parent)
            act()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    os.close(send)
    output = Output(os.fdopen(receive, "rb"))
    until = time.monotonic() + timeout
    late = False
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() > until and not late:
            late = True
            os.kill(process, signal.SIGKILL)
        time.sleep(_POLL)
    output.close()
    return End(None if late else _status(ended[1]), output.text())


def _status(waited: int) -> int:
    return -os.WTERMSIG(waited) if os.WIFSIGNALED(waited) else os.WEXITSTATUS(waited)


def dies_of(act: Callable[[], object]) -> str | None:
    """The signal that kills a fork of this process when it acts, or None.

    An exception is no death: it comes again when the caller acts itself. Where the system has no
    fork (Windows), or the process has used a GPU, which no fork may touch, nothing is tried.
    """
    if not can_fork():
        logger.warning("what may crash is not tried first: this process cannot be forked")
        return None
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            for caught in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS):
                signal.signal(caught, signal.SIG_DFL)
            signal.alarm(LIMIT_S)
            die_with(parent)
            act()
        except BaseException:  # noqa: S110 - the fork only tells whether it lived
            pass
        finally:
            os._exit(0)
    try:
        _, status = os.waitpid(process, 0)
    except BaseException:  # interrupted: nobody waits for it any more
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise
    return signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else None


def _uses_accelerator() -> bool:
    import paddle

    return not str(paddle.device.get_device()).startswith("cpu")
