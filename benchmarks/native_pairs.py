"""Runs inside a real Paddle: each drop-in beside Paddle's own call, turn and turn about.

Each drop-in twice: as it is, when an earlier load of the model is known (``loading.recall``), and
with ``COMPATLOAD_CACHE=off``, when each load is the first.

    python native_pairs.py ROUNDS PREFIX [PREFIX ...]

Prints one JSON object a line: ``model``, ``api``, median seconds of ``paddle``, ``compatload`` and
``anew``.
"""

from __future__ import annotations

import json
import logging
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "loading")]

from worker import loader  # noqa: E402


def calls(api, prefix):
    """Loads to compare, as functions without arguments, by what they are called."""
    import paddle

    own, safe = loader(api, "paddle"), loader(api, "compatload")
    if api == "program":
        # An executor keeps what it prepared for a path, which a second load of that path finds
        # there again: each load has one of its own, as in a process that starts.
        place = paddle.CPUPlace()
        return named(
            lambda: own(prefix, paddle.static.Executor(place)),
            lambda: safe(prefix, paddle.static.Executor(place)),
        )
    return named(lambda: own(prefix), lambda: safe(prefix))


def named(own, safe):
    def anew():
        place = os.environ.get("COMPATLOAD_CACHE")
        os.environ["COMPATLOAD_CACHE"] = "off"
        safe()
        os.environ.pop("COMPATLOAD_CACHE")
        if place is not None:
            os.environ["COMPATLOAD_CACHE"] = place

    return {"paddle": own, "compatload": safe, "anew": anew}


def main(rounds, prefixes):
    import paddle

    logging.disable(logging.INFO)
    for prefix in prefixes:
        for api in ("layer", "predictor", "program"):
            if api == "program":
                paddle.enable_static()
            loads = calls(api, prefix)
            seconds = {name: [] for name in loads}
            for turn in range(rounds + 2):
                for name, call in loads.items():
                    started = time.perf_counter()
                    call()
                    if turn >= 2:  # the first two warm up caches of all
                        seconds[name].append(time.perf_counter() - started)
            medians = {name: statistics.median(measured) for name, measured in seconds.items()}
            print(json.dumps({"model": prefix, "api": api, **medians}), flush=True)
        paddle.disable_static()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
