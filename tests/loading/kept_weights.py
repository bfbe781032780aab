"""Predictors of a decoder, each deleted when the next one is there, behind those of a loop.

python kept_weights.py save FOLDER     by 2.6
python kept_weights.py load FOLDER     prints how many decoders gave other numbers
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle
from paddle import nn
from paddle.static import InputSpec

sys.path.insert(0, str(Path(__file__).parents[2]))
TIMES = 12


class Loop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        turn = paddle.zeros([], "int32")
        total = paddle.zeros_like(x)
        while paddle.logical_and(turn < 6, x.abs().max() > 0.05):
            x = paddle.tanh(self.linear(x))
            total = total + x
            if total.sum() > 3.0:  # noqa: SIM108 - a branch of the program
                total = total * 0.5
            else:
                total = total + 0.1
            turn = turn + 1
        return total, turn


class Decoder(nn.Layer):
    """One layer of attention behind keys and values of earlier calls."""

    def __init__(self):
        super().__init__()
        self.every = nn.Linear(16, 48)
        self.out = nn.Linear(16, 16)
        self.norm = nn.LayerNorm(16)

    def forward(self, x, keys, values):
        rows = paddle.shape(x)[0]
        every = self.every(self.norm(x)).reshape([0, 0, 3, 2, 8]).transpose([2, 0, 3, 1, 4])
        keys, values = paddle.concat([keys, every[1]], 2), paddle.concat([values, every[2]], 2)
        all_places, places = paddle.shape(keys)[2], paddle.shape(every[0])[2]
        seen = paddle.tril(paddle.ones([all_places, all_places], "bool"))[all_places - places :, :]
        scores = paddle.matmul(every[0], keys, transpose_y=True) * (8**-0.5)
        scores = paddle.where(seen.unsqueeze([0, 1]), scores, paddle.full_like(scores, -1e9))
        found = paddle.matmul(nn.functional.softmax(scores, -1), values)
        return x + self.out(found.transpose([0, 2, 1, 3]).reshape([rows, -1, 16])), keys, values


SPECS = {
    "loop": [InputSpec([None, 4], "float32", "x")],
    "decoder": [
        InputSpec([None, None, 16], "float32", "x"),
        InputSpec([None, 2, None, 8], "float32", "keys"),
        InputSpec([None, 2, None, 8], "float32", "values"),
    ],
}


def inputs(name):
    draw = np.random.default_rng(0).standard_normal
    for rows, places, before in ((1, 1, 3), (3, 2, 5), (5, 4, 1)):
        shapes = [(rows, 4)]
        if name == "decoder":
            shapes = [(rows, places, 16), (rows, 2, before, 8), (rows, 2, before, 8)]
        yield [draw(shape).astype("float32") for shape in shapes]


def save(folder):
    for name, kind in (("loop", Loop), ("decoder", Decoder)):
        paddle.seed(7)
        layer = kind()
        layer.eval()
        expected = [
            [one.numpy() for one in layer(*map(paddle.to_tensor, given))] for given in inputs(name)
        ]
        np.savez(f"{folder}/{name}.npz", *[one for outputs in expected for one in outputs])
        paddle.jit.save(layer, f"{folder}/{name}/model", SPECS[name])


def load(folder):
    from compatload import safe_create_predictor

    def predictor(name):
        config = paddle.inference.Config(
            f"{folder}/{name}/model.pdmodel", f"{folder}/{name}/model.pdiparams"
        )
        config.disable_glog_info()
        return safe_create_predictor(config)

    def is_right(one, name, times=1):
        right = True
        for _ in range(times):
            expected = iter(np.load(f"{folder}/{name}.npz").values())
            for given in inputs(name):
                for handle, array in zip(one.get_input_names(), given):
                    one.get_input_handle(handle).copy_from_cpu(array)
                one.run()
                for handle in one.get_output_names():
                    found = one.get_output_handle(handle).copy_to_cpu()
                    right &= bool(np.allclose(found, next(expected), atol=1e-3))
        return right

    wrong = 0
    loop = predictor("loop")
    for _ in range(TIMES):
        wrong += not is_right(loop, "loop", 100)
        one = predictor("decoder")
        wrong += not is_right(one, "decoder")
        del one
    print(wrong)


if __name__ == "__main__":
    {"save": save, "load": load}[sys.argv[1]](sys.argv[2])
