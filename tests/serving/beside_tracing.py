"""Runs inside a real Paddle with FLAGS_enable_pir_api=0: what handles do where a load would switch.

    python beside_tracing.py PIR_MODEL

Prints one JSON object.
"""

import json
import sys
import threading
import warnings

import numpy as np
import paddle

import compatload
from compatload.errors import IncompatibleError, ModeSwitchWarning


def tracing(stop, failures, traced):
    """Trace one function after the other, as another part of a service might."""
    while not stop.is_set():
        try:
            layer = paddle.nn.Linear(4, 4)
            made = paddle.jit.to_static(
                layer, input_spec=[paddle.static.InputSpec([None, 4])], full_graph=True
            )
            made(paddle.ones([2, 4]))
            traced.append(1)
        except Exception as error:
            failures.append(repr(error)[:300])
            return


def main(path):
    said = {}
    try:
        compatload.ModelHandle(path, load=compatload.safe_load)
        said["layer"] = "loaded"
    except IncompatibleError as error:
        said["layer"] = str(error)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compatload.safe_load(path)
    said["warned"] = [one.category.__name__ for one in caught if one.category is ModeSwitchWarning]
    stop, failures, traced = threading.Event(), [], []
    tracer = threading.Thread(target=tracing, args=(stop, failures, traced))
    tracer.start()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with compatload.ModelHandle(path) as model:
            inputs = np.zeros((1, 3, 16, 16), "float32")
            first = model(inputs).numpy()
            reloaded = [model.reload() for _ in range(20)]
            said["same"] = bool(np.array_equal(first, model(inputs).numpy()))
            said["reloads"] = sum(reloaded)
    stop.set()
    tracer.join()
    said["switched"] = any(one.category is ModeSwitchWarning for one in caught)
    said["failures"], said["traced"] = failures, len(traced)
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
