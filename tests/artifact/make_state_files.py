"""Write the state files under ``data/state/<release>/`` with the Paddle that runs this.

Usage: ``python make_state_files.py FOLDER`` once for each release.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle


def main(folder: Path) -> None:
    folder = folder / paddle.__version__
    folder.mkdir(parents=True, exist_ok=True)
    paddle.seed(0)
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
    save_dense_tensors(folder)


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
    main(Path(sys.argv[1]))
