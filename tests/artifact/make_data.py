"""Write ``data/state/<release>/`` and ``data/methods/<release>/`` with the Paddle that runs this.

Usage: ``python make_data.py FOLDER`` once for each release.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle

_INPUT = [paddle.static.InputSpec([None, 4], "float32", "x")]


class Methods(paddle.nn.Layer):
    """Three exported methods; two share their parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.first = paddle.nn.Linear(4, 2)
        self.other = paddle.nn.Linear(4, 3)

    @paddle.jit.to_static(input_spec=_INPUT, full_graph=True)
    def forward(self, x):
        return self.first(x)

    @paddle.jit.to_static(input_spec=_INPUT, full_graph=True)
    def second(self, x):
        return self.other(x)

    @paddle.jit.to_static(input_spec=_INPUT, full_graph=True)
    def third(self, x):
        return self.first(x) + 1


def main(folder: Path) -> None:
    paddle.seed(0)
    save_states(folder / "state" / paddle.__version__)
    for name, combine in (("apart", False), ("combined", True)):
        path = folder / "methods" / paddle.__version__ / name / "m"
        paddle.jit.save(Methods(), str(path), combine_params=combine)
    save_dense_tensors(folder / "state" / paddle.__version__)


def save_states(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
    schedule = paddle.optimizer.lr.StepDecay(0.1, 3)
    optimizer = paddle.optimizer.Adam(schedule, parameters=layer.parameters())
    layer(paddle.ones([2, 2])).sum().backward()
    optimizer.step()
    paddle.save(layer.state_dict(), str(folder / "layer.pdparams"))
    paddle.save(layer.state_dict(), str(folder / "protocol2.pdparams"), protocol=2)
    paddle.save(optimizer.state_dict(), str(folder / "optimizer.pdopt"))
    paddle.save(paddle.ones([2]), str(folder / "tensor.pdtensor"))
    nested = {
        "tensor": paddle.ones([2]),
        "list": [paddle.zeros([1]), 3, "s", None],
        "bfloat16": paddle.ones([2], "bfloat16"),
        "array": np.ones(3),
        "scalar": np.float32(3),
    }
    paddle.save(nested, str(folder / "nested.pdparams"))


def save_dense_tensors(folder: Path) -> None:
    """A static program's own tensors, which Paddle writes as ``eval('data', {'data': …})``."""
    paddle.enable_static()
    program, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, start):
        paddle.static.nn.fc(paddle.static.data("x", [-1, 2]), 2)
        paddle.static.Executor(paddle.CPUPlace()).run(start)
        state = program.state_dict()
    name = min(state)
    for protocol in (2, 4):
        paddle.save(state[name], str(folder / f"dense{protocol}.pdtensor"), protocol=protocol)
    paddle.save(state, str(folder / "static.pdparams"))


if __name__ == "__main__":
    # 2.6.2 repeats a relative folder for every further method.
    main(Path(sys.argv[1]).resolve())
