"""Runs inside a real Paddle: whole numbers raised to constants.

python whole_to_negative.py FOLDER   saves and loads; prints, by model: what came of it, and what
                                     comes of it without the rule: ok, a class, or "hang"
"""

import json
import logging
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402

import compatload  # noqa: E402
from tests.loading.younger_kernels import Applied  # noqa: E402

SECONDS = 4
MODELS = {
    "negative": ("int64", lambda x: paddle.pow(x, -2)),
    "negative_int32": ("int32", lambda x: paddle.pow(x, -1)),
    "cut_to_0": ("int64", lambda x: paddle.pow(x, -0.5)),
    "positive": ("int64", lambda x: paddle.pow(x, 2)),
    "by_tensor": ("int64", lambda x: paddle.pow(x, paddle.full([3], -2, "int64"))),
    "of_float": ("float32", lambda x: paddle.pow(x, -2)),
}


def told(prefix, dtype, **options):
    try:
        layer = compatload.safe_load(str(prefix), **options)
        layer(paddle.to_tensor(np.arange(1, 4).astype(dtype)))
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'rule', None)}"
    return "ok"


def without_rule(prefix, dtype):
    """In a fork, since it may not come back."""
    child = os.fork()
    if child == 0:
        os._exit(0 if told(prefix, dtype, disabled_rules=["CL148"]) == "ok" else 1)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "ok" if status == 0 else f"status {status}"
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hang"


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    place, found = Path(sys.argv[1]), {}
    for name, (dtype, function) in MODELS.items():
        prefix = place / name / "model"
        spec = [paddle.static.InputSpec([3], dtype, "x")]
        paddle.jit.save(Applied(function), str(prefix), input_spec=spec)
        found[name] = [prefix, dtype]
    # Forks come first: after a run of a layer in their parent they would hang for that.
    hanging = {name: without_rule(*one) for name, one in found.items()}
    found = {name: [told(*one), hanging[name]] for name, one in found.items()}
    print(json.dumps(found))
