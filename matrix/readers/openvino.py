"""Reads converted models with OpenVINO. Its environment has ``openvino`` and no Paddle.

PYTHONPATH=. envs/openvino/bin/python -m matrix.readers.openvino FOLDER RESULTS [NAME …]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import openvino

from matrix.readers.comparison import Model, main


def read(model: Model) -> Any:
    """A function from a feed to outputs, at full precision (the CPU plugin may use less)."""
    core = openvino.Core()
    precise = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(model.program), "CPU", precise)

    def run(feed: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        answers = compiled(dict(feed))
        return [answers[output] for output in compiled.outputs]

    return run


if __name__ == "__main__":
    sys.exit(main("openvino", openvino.__version__, read, Path(sys.argv[1]), Path(sys.argv[2]),
                  sys.argv[3:]))  # fmt: skip
