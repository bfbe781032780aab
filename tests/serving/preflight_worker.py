"""Runs inside a real Paddle: saves a small model, loads it for inference, prints what happened.

    python preflight_worker.py MODEL FOLDER OPTIONS

MODEL is the name of a class below, OPTIONS JSON for ``safe_load``. One JSON object is printed:
``step``, ``attempts``, ``notes``, ``difference`` from what the saved layer computed, ``searched``
(whether a child process was needed) and ``error``.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.nn import functional  # noqa: E402

import compatload  # noqa: E402


class Fused(paddle.nn.Layer):
    """CL202: a convolution and leaky_relu, which crash 3.3's predictor."""

    shape, free = (2, 3, 8, 8), (None, 3, None, None)

    def __init__(self) -> None:
        super().__init__()
        self.convolution = paddle.nn.Conv2D(3, 4, 3)

    def forward(self, x):
        return functional.leaky_relu(self.convolution(x))


class TwoActivations(paddle.nn.Layer):
    """CL209: NaN without an error in every predictor with oneDNN."""

    shape, free = (2, 8), (None, 8)

    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(8, 8)

    def forward(self, x):
        return paddle.sqrt(paddle.abs(self.linear(x)))


class Nearest(paddle.nn.Layer):
    """CL207 and CL208: other pixels without an error."""

    shape = free = (2, 3, 8, 8)

    def __init__(self) -> None:
        super().__init__()
        self.convolution = paddle.nn.Conv2D(3, 4, 3, padding=1)

    def forward(self, x):
        return functional.interpolate(self.convolution(x), size=[12, 12], mode="nearest")


class Padded(paddle.nn.Layer):
    """CL213: this padding hangs in oneDNN, 3.0.0 and 3.3.1."""

    shape = free = (2, 3, 4)

    def forward(self, x):
        return functional.pad(x, [1, 1, 1, 1, 1, 1], value=0.5) * 2


class Lookup(paddle.nn.Layer):
    """Ids, of which only some are valid."""

    shape, free = (2, 5), (None, None)

    def __init__(self) -> None:
        super().__init__()
        self.table = paddle.nn.Embedding(2, 4)

    def forward(self, x):
        return paddle.nn.functional.softmax(self.table(x))


class Picky(paddle.nn.Layer):
    """Takes one size that no made-up input has."""

    shape, free = (1, 77), (None, None)

    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(77, 2)

    def forward(self, x):
        return self.linear(x)


def main(name: str, folder: str, options: str) -> None:
    paddle.seed(2026)  # the same weights, and so the same model, in every process
    layer = globals()[name]()
    layer.eval()
    dtype = "int64" if name == "Lookup" else "float32"
    spec = paddle.static.InputSpec(list(layer.free), dtype, "x")
    path = str(Path(folder) / name)
    paddle.jit.save(layer, path, input_spec=[spec])
    inputs = np.random.RandomState(0).standard_normal(layer.shape)
    inputs = inputs.astype(dtype) if dtype == "float32" else (inputs > 0).astype(dtype)
    expected = layer(paddle.to_tensor(inputs)).numpy()
    asked = json.loads(options)
    if asked.pop("give_samples", False):
        asked["sample_inputs"] = [inputs]
    logged: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: logged.append(record.getMessage())
    logging.getLogger("compatload").addHandler(handler)
    logging.getLogger("compatload").setLevel(logging.INFO)
    told: dict[str, object] = {}
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            served = compatload.safe_load(path, inference_only=True, **asked)
        report = compatload.load_report(served)
        actual = served(paddle.to_tensor(inputs)).numpy()
        told["step"] = report.step.title
        told["attempts"] = report.attempts
        told["notes"] = report.notes
        told["difference"] = float(np.abs(actual - expected).max())
        told["warned"] = [
            each.category.__name__
            for each in warned
            if issubclass(each.category, compatload.CompatLoadWarning)
        ]
    except compatload.CompatLoadError as error:
        told["error"] = f"{type(error).__name__}: {error}"
    told["log"] = logged
    told["searched"] = any("first run in a child process" in line for line in logged)
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
