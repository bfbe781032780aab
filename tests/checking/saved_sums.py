"""Runs inside a real Paddle: saves layers that add a constant to an input, and some that do not.

    python saved_sums.py FOLDER

Prints one JSON object: by name, whether what ``paddle.jit.load`` reads back computes the same.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import paddle
from paddle.static import InputSpec

LAYERS = {
    "sum": lambda x: x + 0.5,
    "sum_and_product": lambda x: (x * 2, x + 0.5),
    "two_sums": lambda x: (x - 0.25, x + 0.5),
    "input_and_sum": lambda x: (x, x + 0.5),
    "input": lambda x: x,
    "unused_sum": lambda x: (x + 0.5, x)[1],
    "scaled": lambda x: paddle.scale(x, 2.0, 0.5),
    "sum_of_cosine": lambda x: paddle.cos(x) + 0.5,
    "sum_of_tensors": lambda x: x + paddle.full([1], 0.5),
}


class Layer(paddle.nn.Layer):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute

    def forward(self, x):
        return self.compute(x)


def main(folder):
    warnings.simplefilter("ignore")
    same = {}
    x = paddle.to_tensor(np.linspace(0.1, 0.8, 8, dtype="float32").reshape(2, 4))
    for name, compute in LAYERS.items():
        layer, path = Layer(compute), str(folder / name)
        layer.eval()
        paddle.jit.save(layer, path, input_spec=[InputSpec([None, 4], "float32", "x")])
        outputs = (paddle.utils.flatten(one(x)) for one in (paddle.jit.load(path), layer))
        same[name] = all(bool(paddle.allclose(a, b)) for a, b in zip(*outputs))
    print(json.dumps(same))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
