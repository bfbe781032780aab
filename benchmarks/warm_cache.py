"""Runs inside a real Paddle: a load from a warm cache beside Paddle's own of a native model.

    python warm_cache.py ROUNDS NATIVE SOURCE [NATIVE SOURCE ...]

NATIVE is a prefix that this Paddle reads by itself, SOURCE the same model in a format that it does
not read. Prints one JSON object a line: ``model``, ``api``, median seconds of ``paddle`` and
``compatload``, turn and turn about; of processor time, which other work leaves alone.
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


def main(rounds, models):
    import paddle

    logging.disable(logging.INFO)
    for native, source in zip(models[::2], models[1::2]):
        for api in ("layer", "predictor", "program"):
            if api == "program":
                paddle.enable_static()
            pair = (loader(api, "paddle"), native), (loader(api, "compatload"), source)
            seconds = ([], [])
            for turn in range(rounds + 2):
                for (load, path), measured in zip(pair, seconds):
                    # An executor keeps what it prepared for a path; each load has one of its own.
                    place = paddle.CPUPlace()
                    arguments = (paddle.static.Executor(place),) if api == "program" else ()
                    started = time.process_time()
                    load(path, *arguments)
                    if turn >= 2:  # the first converts
                        measured.append(time.process_time() - started)
            medians = [statistics.median(measured) for measured in seconds]
            line = {"model": source, "api": api, "paddle": medians[0], "compatload": medians[1]}
            print(json.dumps(line), flush=True)
        paddle.disable_static()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
