"""Runs inside a real Paddle: a predictor runs beside threads that only delete clones of it.

    python beside_deletion.py WHO LEGACY_FIXTURE SECONDS

WHO is ``paddle``, whose clones end with the thread that deletes them, or ``compatload``, which is
given them. Prints ``ok RUNS DELETED``; Paddle's own end in SIGSEGV.
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

from compatload.loading.disposal import DISPOSAL  # noqa: E402
from compatload.loading.primitives import PRIMITIVES  # noqa: E402

WHO, FIXTURE, SECONDS = sys.argv[1], index.fixture(sys.argv[2]), float(sys.argv[3])
INPUTS = list(FIXTURE.inputs(0).values())
config = paddle.inference.Config(f"{FIXTURE.path}.pdmodel", f"{FIXTURE.path}.pdiparams")
config.disable_glog_info()
config.enable_mkldnn()
config.set_cpu_math_library_num_threads(1)
running = paddle.inference.create_predictor(config)
end = time.monotonic() + SECONDS
runs = deleted = 0


def run():
    for name, value in zip(running.get_input_names(), INPUTS):
        running.get_input_handle(name).copy_from_cpu(value)
    with PRIMITIVES.used():
        running.run()
    return [running.get_output_handle(name).copy_to_cpu() for name in running.get_output_names()]


def delete(owned):
    if WHO == "paddle":
        owned.clear()
        return
    gone = threading.Event()
    DISPOSAL.let_go(owned, gone.set, ended=threading.current_thread())


def keep_deleting():
    global deleted
    while time.monotonic() < end:
        with PRIMITIVES.cleared():
            clones = [running.clone() for _ in range(20)]
        while clones:
            thread = threading.Thread(target=delete, args=([clones.pop()],))
            thread.start()
            thread.join()
            deleted += 1
            time.sleep(0.0007)


thread = threading.Thread(target=keep_deleting)
thread.start()
while time.monotonic() < end:
    assert index.difference(run(), FIXTURE.outputs(0)) <= FIXTURE.tolerance
    runs += 1
    time.sleep(0.0001)
thread.join()
print("ok", runs, deleted, flush=True)
os._exit(0)
