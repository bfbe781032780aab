"""Runs inside a real Paddle: one thread runs a predictor while another creates predictors.

    python beside_creation.py WHO LEGACY_FIXTURE SECONDS

WHO is ``paddle`` or ``compatload``, or ``handle`` for a ModelHandle of Paddle's predictors. Prints
``ok RUNS CREATED``; Paddle's own two threads end in SIGSEGV where a run does not hold the GIL.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import paddle  # noqa: E402

WHO, FIXTURE, SECONDS = sys.argv[1], index.fixture(sys.argv[2]), float(sys.argv[3])
INPUTS = list(FIXTURE.inputs(0).values())


def predictor():
    config = paddle.inference.Config(f"{FIXTURE.path}.pdmodel", f"{FIXTURE.path}.pdiparams")
    config.disable_glog_info()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(1)
    return paddle.inference.create_predictor(config)


def run_predictor(made):
    for name, value in zip(made.get_input_names(), INPUTS):
        made.get_input_handle(name).copy_from_cpu(value)
    made.run()
    return [made.get_output_handle(name).copy_to_cpu() for name in made.get_output_names()]


def paddles_own():
    made = predictor()
    return (lambda: run_predictor(made)), predictor


def ours():
    import compatload

    def load():
        return compatload.safe_load(FIXTURE.path, inference_only=True, threads=1)

    layer = load()

    def run():
        found = layer(*INPUTS)
        found = found if isinstance(found, (list, tuple)) else [found]
        return [output.numpy() for output in found]

    return run, lambda: load().close()


def handles():
    import compatload

    handle = compatload.ModelHandle(FIXTURE.path, load=compatload.safe_create_predictor)

    def run():
        with handle.use() as made:
            return run_predictor(made)

    return run, lambda: compatload.safe_create_predictor(FIXTURE.path)


run, create = {"paddle": paddles_own, "compatload": ours, "handle": handles}[WHO]()
end = time.monotonic() + SECONDS
created = runs = 0


def keep_creating():
    global created
    while time.monotonic() < end:
        create()
        created += 1


thread = threading.Thread(target=keep_creating)
thread.start()
while time.monotonic() < end:
    assert index.difference(run(), FIXTURE.outputs(0)) <= FIXTURE.tolerance
    runs += 1
thread.join()
print("ok", runs, created, flush=True)
os._exit(0)
