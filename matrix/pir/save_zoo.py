"""Saves the single-operator zoo with the Paddle that runs it.

    envs/3.3.1/bin/python matrix/pir/save_zoo.py DIRECTORY [NAME …]

Writes ``NAME.json``, ``NAME.pdiparams`` and ``NAME.npz`` (inputs ``in0`` …, outputs of the eager
layer ``out0`` …). A model that this release cannot build is told and left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from operator_zoo import LAYERS, ZOO


class One(paddle.nn.Layer):
    """to_static wants a signature of its own for every number of inputs."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.body = body
        # 3.0's predictor refuses every program without weights, so each has a little one.
        self.weight = self.create_parameter([2])

    def forward(self, x0: Any) -> Any:
        return self.body(paddle, x0), self.weight * 2.0


class Two(One):
    def forward(self, x0: Any, x1: Any) -> Any:
        return self.body(paddle, x0, x1), self.weight * 2.0


class Three(One):
    def forward(self, x0: Any, x1: Any, x2: Any) -> Any:
        return self.body(paddle, x0, x1, x2), self.weight * 2.0


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def fill(layer: Any) -> None:
    generator = np.random.default_rng(3)
    for name, tensor in sorted(layer.state_dict().items()):
        low, high = (0.5, 1.5) if name.endswith("_variance") else (-0.5, 0.5)
        tensor.set_value(generator.uniform(low, high, tensor.shape).astype("float32"))


def save(folder: Path, name: str) -> None:
    if name in ZOO:
        forward, inputs = ZOO[name]
        layer: Any = (One, Two, Three)[len(inputs) - 1](forward)
    else:
        make, inputs = LAYERS[name]
        layer = make(paddle)
    fill(layer)
    layer.eval()
    tensors = [paddle.to_tensor(item) for item in inputs]
    expected = [item.numpy() for item in leaves(layer(*tensors))]
    first = [None] if name.endswith("_dynamic") else []
    specs = [
        paddle.static.InputSpec([*first, *item.shape[len(first) :]], str(item.dtype), f"x{n}")
        for n, item in enumerate(inputs)
    ]
    static = paddle.jit.to_static(layer, full_graph=True, input_spec=specs)
    paddle.jit.save(static, str(folder / name))
    arrays = {f"in{n}": item for n, item in enumerate(inputs)}
    arrays.update({f"out{n}": item for n, item in enumerate(expected)})
    np.savez(folder / f"{name}.npz", **arrays)


def main(folder: Path, names: list[str]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names or [*ZOO, *LAYERS]:
        try:
            save(folder, name)
        except Exception as error:
            failed += 1
            print(f"not saved: {name}: {str(error).strip().splitlines()[-1][:150]}", flush=True)
    print(f"{paddle.__version__}: {len(list(folder.glob('*.npz')))} saved, {failed} not")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
