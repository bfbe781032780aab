"""Something done in a fork first, because it may kill the process."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable

from compatload.trials.children import signal_name
from compatload.trials.tether import die_with

logger = logging.getLogger("compatload")

LIMIT_S = 600


def dies_of(act: Callable[[], object]) -> str | None:
    """The signal that kills a fork of this process when it acts, or None.

    An exception is no death: it comes again when the caller acts itself. Where the system has no
    fork (Windows), or the process has used a GPU, which no fork may touch, nothing is tried.
    """
    if not hasattr(os, "fork") or _uses_accelerator():
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
