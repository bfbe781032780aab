"""Reads converted models with paddle2onnx 1.3.1 and runs them with ONNX Runtime.

    PYTHONPATH=. envs/paddle2onnx/bin/python -m matrix.readers.paddle2onnx FOLDER RESULTS [NAME …]

paddle2onnx imports Paddle, and parses programs on its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import paddle2onnx

from matrix.readers.comparison import Model, main

OPSET = 16


def read(model: Model) -> Any:
    """A function from a feed to outputs."""
    data = paddle2onnx.export(model.program, model.weights, opset_version=OPSET, verbose=False)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])

    def run(feed: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        return session.run(None, dict(feed))

    return run


if __name__ == "__main__":
    told = f"{version('paddle2onnx')} with onnxruntime {version('onnxruntime')}"
    sys.exit(main("paddle2onnx", told, read, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
