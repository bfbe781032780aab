"""A layer that uses none of its parameters, saved and loaded; run in Paddle 2.6.

python unused_parameters.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


class Doubled(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)

    def forward(self, x):
        return x + x


def main(prefix):
    from compatload import safe_load

    spec = paddle.static.InputSpec([None, 4], "float32", "x")
    paddle.jit.save(Doubled(), prefix, input_spec=[spec])
    try:
        paddle.jit.load(prefix)
    except ValueError as error:
        print("paddle:", error)
    for rows in (1, 3):
        values = np.linspace(-1, 1, 4 * rows, dtype="float32").reshape(rows, 4)
        for asked in ({}, {"inference_only": True}):
            found = safe_load(prefix, **asked)(paddle.to_tensor(values))
            np.testing.assert_array_equal(found.numpy(), 2 * values)
    print("ok")


main(f"{sys.argv[1]}/model")
