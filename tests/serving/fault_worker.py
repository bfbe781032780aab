"""Runs inside a real Paddle: loads a model under conditions that a disk or a machine may have.

    python fault_worker.py < orders

One order a line, as JSON: ``fixture``; ``cache`` (its place); ``user`` (a number, to load as
somebody else); ``clock`` (seconds it is wrong by); ``kill_after`` (seconds, to be killed at that
moment). Each is carried out in a forked child; one JSON object a line comes back with ``outcome``
(right, wrong, error, killed), ``detail`` and ``log``, the lines of compatload's logger.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import filelock  # noqa: E402, F401  (before somebody else loads, who may not read it)
from fixtures.index import difference, fixture  # noqa: E402


def load(order):
    one = fixture(order["fixture"])
    inputs, expected = one.inputs(0), one.outputs(0)
    if "user" in order:
        # What lies in somebody's home (Python, Paddle) cannot be read by others: use it all before.
        os.environ["COMPATLOAD_CACHE"] = "off"
        answer(one, inputs)
        os.setgid(order["user"])
        os.setuid(order["user"])
    os.environ["COMPATLOAD_CACHE"] = order["cache"]
    if "clock" in order:
        true = time.time
        time.time = lambda: true() + order["clock"]
    worst = difference(answer(one, inputs), expected)
    return {"outcome": "right" if worst <= one.tolerance else "wrong", "detail": str(worst)}


def answer(one, inputs):
    import paddle

    import compatload

    layer = compatload.safe_load(str(one.path))
    layer.eval()
    outputs = layer(*[paddle.to_tensor(value) for value in inputs.values()])
    leaves = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [leaf.numpy() for leaf in leaves]


def in_child(order):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        lines = []
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: lines.append(record.getMessage())
        logging.getLogger("compatload").addHandler(handler)
        try:
            said = load(order)
        except BaseException as error:
            said = {"outcome": "error", "detail": f"{type(error).__name__}: {error}"}
        with os.fdopen(write, "w") as pipe:
            json.dump({**said, "log": lines}, pipe)
        # As a process ends: what was registered to be tidied up is.
        import atexit

        atexit._run_exitfuncs()
        os._exit(0)
    os.close(write)
    if "kill_after" in order:
        time.sleep(order["kill_after"])
        os.kill(child, signal.SIGKILL)  # not yet waited for, so it is this child and no other
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"outcome": "killed", "detail": "", "log": []}


def main():
    import paddle  # noqa: F401 - imported once, before the forks

    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(in_child(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
