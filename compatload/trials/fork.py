"""Something done in a fork, because it may kill the process."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import traceback
import warnings
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
    process = _fork()
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
    try:
        while not (ended := os.waitpid(process, os.WNOHANG))[0]:
            if time.monotonic() > until and not late:
                late = True
                os.kill(process, signal.SIGKILL)
            time.sleep(_POLL)
    except BaseException:  # interrupted: nobody waits for it any more
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise
    finally:
        output.close()
    return End(None if late else _status(ended[1]), output.text())


def _fork() -> int:
    """Python from 3.12 on warns of every fork of a process that has threads, as Paddle's has. What
    acts in it uses none of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _status(waited: int) -> int:
    return -os.WTERMSIG(waited) if os.WIFSIGNALED(waited) else os.WEXITSTATUS(waited)


def dies_of(act: Callable[[], object], timeout: float = LIMIT_S) -> str | None:
    """The signal that kills a fork of this process when it acts, or None; SIGALRM if time is up.

    An exception is no death: it comes again when the caller acts itself. Where the system has no
    fork (Windows), or the process has used a GPU, which no fork may touch, nothing is tried.
    """

    def plainly() -> None:
        for caught in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS):
            signal.signal(caught, signal.SIG_DFL)
        act()

    if not can_fork():
        logger.warning("what may crash is not tried first: this process cannot be forked")
        return None
    status = end_of(plainly, timeout).status
    if status is None:
        return signal.SIGALRM.name
    return signal_name(-status) if status < 0 else None


def _uses_accelerator() -> bool:
    import paddle

    return not str(paddle.device.get_device()).startswith("cpu")
