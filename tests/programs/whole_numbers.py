"""Runs inside a real Paddle: what releases do with integers in other ways.

python whole_numbers.py FOLDER          saves the layers, and what they computed
python whole_numbers.py FOLDER load     loads them; prints by name whether all is as it was
"""

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.static import InputSpec  # noqa: E402

import compatload  # noqa: E402

LAYERS = {
    "any": lambda x: paddle.cast(paddle.any(x, axis=1), "float32"),
    "all": lambda x: paddle.cast(paddle.all(x, axis=1), "float32"),
    "any_of_numbers": lambda x: paddle.cast(paddle.any(paddle.cast(x, "float32")), "int64"),
    "rounded": lambda x: paddle.round(x) + 1,
    "summed_in_32_bits": lambda x: paddle.sum(paddle.cast(x, "int32"), 1, dtype="int32"),
    "multiplied_in_32_bits": lambda x: paddle.prod(paddle.cast(x, "int32"), 1, dtype="int32"),
    "filled": lambda x: paddle.masked_fill(x, x > 0, 2**40 + 1),  # which float32 does not hold
    "filled_in_32_bits": lambda x: paddle.masked_fill(paddle.cast(x, "int32"), x > 0, 2**30 + 1),
    "numbers_summed_in_32_bits": lambda x: paddle.sum(paddle.cast(x, "float32"), 1, dtype="int32"),
}
# What each release alone runs at home: 3.x no truths of numbers, 2.6 no rounded integers.
OF_2, OF_3 = {"any", "all", "any_of_numbers"}, {"rounded", "filled", "filled_in_32_bits"}
X = np.array([[3, 0, -5], [0, 0, 0], [1, 7, 2]], dtype="int64")


class Layer(paddle.nn.Layer):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute

    def forward(self, x):
        return self.compute(x)


def save(folder):
    for name, compute in LAYERS.items():
        if name in (OF_3 if paddle.__version__.startswith("2.") else OF_2):
            continue
        wanted = compute(paddle.to_tensor(X)).numpy()
        spec = [InputSpec([None, 3], "int64", "x")]
        paddle.jit.save(Layer(compute), str(folder / name), input_spec=spec)
        np.save(folder / f"{name}.npy", wanted)


def load(folder):
    right = {}
    for wanted in sorted(folder.glob("*.npy")):
        path, ways = str(wanted.with_suffix("")), []
        for only in (False, True):
            layer = compatload.safe_load(path, inference_only=only)
            ways += [layer(paddle.to_tensor(X)).numpy() for _ in range(2)]
        stored = np.load(wanted)
        right[wanted.stem] = all(
            one.dtype == stored.dtype and np.array_equal(one, stored) for one in ways
        )
    print(json.dumps(right))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    (load if sys.argv[2:] else save)(Path(sys.argv[1]))
