"""Runs inside a real Paddle: each drop-in beside Paddle's own call, turn and turn about.

    python native_pairs.py ROUNDS PREFIX [PREFIX ...]

Prints one JSON object a line: ``model``, ``api``, median seconds of ``paddle`` and ``compatload``.
"""

from __future__ import annotations

import json
import logging
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "loading")]

from worker import loader  # noqa: E402


def calls(api, prefix):
    """The two loads to compare, as functions without arguments."""
    import paddle

    own, safe = loader(api, "paddle"), loader(api, "compatload")
    if api == "program":
        # An executor keeps what it prepared for a path, which a second load of that path finds
        # there again: each load has one of its own, as in a process that starts.
        place = paddle.CPUPlace()
        return (
            lambda: own(prefix, paddle.static.Executor(place)),
            lambda: safe(prefix, paddle.static.Executor(place)),
        )
    return lambda: own(prefix), lambda: safe(prefix)


def main(rounds, prefixes):
    import paddle

    logging.disable(logging.INFO)
    for prefix in prefixes:
        for api in ("layer", "predictor", "program"):
            if api == "program":
                paddle.enable_static()
            pair = calls(api, prefix)
            seconds = ([], [])
            for turn in range(rounds + 2):
                for call, measured in zip(pair, seconds):
                    started = time.perf_counter()
                    call()
                    if turn >= 2:  # the first two warm up caches of both
                        measured.append(time.perf_counter() - started)
            medians = [statistics.median(measured) for measured in seconds]
            line = {"model": prefix, "api": api, "paddle": medians[0], "compatload": medians[1]}
            print(json.dumps(line), flush=True)
        paddle.disable_static()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
