"""Calls a second of several workers, by threads of one process and by processes, in turns.

    PYTHONPATH=. python -m benchmarks.throughput MODEL 1x3x224x224 [--workers 2] [--engine paddle]

Run by the Python of a Paddle. On 3.3 Paddle holds Python's lock while a predictor runs, so threads
serve no more than one of them would; a process has a lock of its own. Both ways have as many
predictors of one thread each. Where others use the machine, processes get a larger share of it:
the processor seconds that each call took, and what was got of the machine, stand beside.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import threading
import time
from typing import Any

import numpy as np

import compatload

TURNS = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("size")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", default="paddle", choices=("paddle", "openvino"))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    options = parser.parse_args()
    array = np.random.RandomState(0).rand(*map(int, options.size.split("x"))).astype("float32")
    layer = loaded(options.path, options.engine, options.workers)
    context = multiprocessing.get_context("spawn")
    asked = [context.Pipe() for _ in range(options.workers)]
    told = (options.path, options.engine, array)
    processes = [context.Process(target=serve, args=(end, *told)) for _, end in asked]
    for process in processes:
        process.start()
    connections = [mine for mine, _ in asked]
    for connection in connections:
        connection.recv()  # it is ready
    totals = {"threads": np.zeros(2), "processes": np.zeros(2)}
    for _ in range(TURNS):
        totals["threads"] += by_threads(layer, array, options.workers, options.seconds)
        totals["processes"] += by_processes(connections, options.seconds)
    for connection in connections:
        connection.send(0.0)
    whole = TURNS * options.seconds
    for way, (calls, worked) in totals.items():
        print(
            f"{options.engine} {way:9} {calls / whole:7.1f} calls a second, "
            f"{1000 * worked / calls:6.2f} ms of processor time each, "
            f"{worked / whole:.2f} processors got; load of the machine {os.getloadavg()[0]:.1f}"
        )
    return 0


def loaded(path: str, engine: str, pool_size: int) -> Any:
    return compatload.safe_load(
        path, inference_only=True, engine=engine, pool_size=pool_size, threads=1
    )


def by_threads(layer: Any, array: Any, workers: int, seconds: float) -> np.ndarray:
    """Calls, and seconds of processor time."""
    counts = [0] * workers
    worked = time.process_time()
    end = time.perf_counter() + seconds

    def call(number: int) -> None:
        counts[number] = calls_until(end, layer, array)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return np.array([sum(counts), time.process_time() - worked])


def by_processes(connections: list[Any], seconds: float) -> np.ndarray:
    for connection in connections:
        connection.send(seconds)
    return np.sum([connection.recv() for connection in connections], axis=0)


def serve(connection: Any, path: str, engine: str, array: Any) -> None:
    """A worker process: serves for as many seconds as it is told, until that is 0."""
    layer = loaded(path, engine, 1)
    layer(array)
    connection.send(True)
    while seconds := connection.recv():
        worked = time.process_time()
        calls = calls_until(time.perf_counter() + seconds, layer, array)
        connection.send((calls, time.process_time() - worked))


def calls_until(end: float, layer: Any, array: Any) -> int:
    calls = 0
    while time.perf_counter() < end:
        layer(array)
        calls += 1
    return calls


if __name__ == "__main__":
    sys.exit(main())
