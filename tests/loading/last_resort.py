"""Runs inside a real Paddle: a list that loses an element, which 2.6 saves and 3.x cannot read.

python last_resort.py save FOLDER
python last_resort.py load FOLDER        how a load as a layer, and one for inference, ends
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import paddle  # noqa: E402
from paddle import nn  # noqa: E402
from paddle.static import InputSpec  # noqa: E402


class Popping(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        rows = []
        for place in range(paddle.shape(x)[0]):
            rows.append(self.linear(x[place]))
        last = rows.pop()
        return last, rows[0]


def save(path):
    paddle.jit.save(Popping(), path, [InputSpec([None, 4], "float32", "x")])


def load(path):
    import compatload

    for inference_only in (False, True):
        try:
            layer = compatload.safe_load(path, inference_only=inference_only)
            print("outputs", len(layer(paddle.ones([3, 4]))))
        except compatload.LoadError as error:
            print("LoadError", "translate" in str(error), "legacy-mode" in str(error))


if __name__ == "__main__":
    {"save": save, "load": load}[sys.argv[1]](str(Path(sys.argv[2]) / "model"))
