"""What a call of ``inference_only`` costs beside its predictor: microseconds of processor time.

    PYTHONPATH=. python -m benchmarks.overhead MODEL 2x4x7x8 [SECONDS]

Run by the Python of a Paddle, on a model that takes next to nothing (a fixture of the tests): one
Config of Paddle's, once by hand and once behind the layer, in turns of 50 calls.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import paddle
from paddle import inference

import compatload
from benchmarks.inference_worker import by_predictor, own_config

CALLS = 50


def main(path: str, size: str, seconds: float = 10.0) -> None:
    array = np.random.RandomState(0).rand(*map(int, size.split("x"))).astype("float32")
    config = own_config(path, 1)
    config.enable_mkldnn()
    if config.prog_file().endswith(".pdmodel"):
        config.enable_memory_optim()
    layer = compatload.safe_load(path, inference_only=True, threads=1)
    calls: dict[str, Callable[[], object]] = {
        "by hand": by_predictor(inference.create_predictor(config), array),
        "a Tensor": partial(layer, paddle.to_tensor(array)),
        "an array": partial(layer, array),
    }
    least = {name: turn(call) for name, call in calls.items()}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            least[name] = min(least[name], turn(call))
    for name, worked in least.items():
        print(f"{paddle.__version__} {name:9} {worked:6.1f}, {worked - least['by hand']:+5.1f}")


def turn(call: Callable[[], object]) -> float:
    """Microseconds of processor time, of all threads, for one call of a turn."""
    started = time.process_time()
    for _ in range(CALLS):
        call()
    return (time.process_time() - started) / CALLS * 1e6


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
