"""Run by a release's interpreter: saves the layers of a grid, or loads them.

    python worker.py save GRID FOLDER
    python worker.py load FOLDER paddle|compatload

Each is loaded in a fork, which may die or hang. Prints a line of JSON for each: its name, and
``ok``, ``wrong``, ``error``, ``crash`` or ``hang``.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import paddle
from paddle.static import InputSpec

from matrix.sweep.grids import GRIDS, Grid, names, source

SECONDS = 20
TOLERANCE = 2e-3


def save(name: str, folder: Path) -> None:
    grid = GRIDS[name]
    code = folder / f"layers_of_{name}.py"
    code.write_text(source(grid))
    sys.path.insert(0, str(folder))
    module = importlib.import_module(code.stem)
    for one in names(grid):
        paddle.seed(0)
        layer = getattr(module, one)()
        layer.eval()
        rounds = list(inputs(grid))
        try:
            expected = [[part.numpy() for part in layer(paddle.to_tensor(x))] for x in rounds]
            prefix = folder / one / "model"
            paddle.jit.save(layer, str(prefix), [InputSpec(list(grid.shape), "float32", "x")])
        except Exception as error:  # nothing that this release computes
            print(json.dumps({"name": one, "unsaved": str(error)[-200:]}), flush=True)
            continue
        arrays = {f"x{number}": x for number, x in enumerate(rounds)}
        for number, parts in enumerate(expected):
            arrays.update({f"y{number}_{place}": part for place, part in enumerate(parts)})
        np.savez(folder / one / "numbers.npz", **arrays)


def inputs(grid: Grid) -> Iterator[Any]:
    draw = np.random.default_rng(0).standard_normal
    for sizes in grid.sizes:
        given = iter(sizes)
        shape = [next(given) if size is None else size for size in grid.shape]
        yield draw(shape).astype("float32")


def load(folder: Path, caller: str) -> None:
    for path in sorted(folder.glob("*/numbers.npz")):
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            status = 3
            try:
                status = 0 if is_right(path, caller) else 2
            except Exception:
                status = 3
            os._exit(status)
        ended = os.waitpid(child, 0)[1]
        outcome = {0: "ok", 2: "wrong", 3: "error"}.get(os.waitstatus_to_exitcode(ended), "crash")
        if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGALRM:
            outcome = "hang"
        print(json.dumps({"name": path.parent.name, "outcome": outcome}), flush=True)


def is_right(path: Path, caller: str) -> bool:
    from paddle.inference import Config, create_predictor

    if caller == "compatload":
        from compatload import safe_create_predictor as create_predictor
    program = next(path.parent.glob("model.pdmodel"), path.parent / "model.json")
    config = Config(str(program), str(path.parent / "model.pdiparams"))
    config.disable_glog_info()
    predictor = create_predictor(config)
    numbers = np.load(path)
    for number in range(sum(name.startswith("x") for name in numbers)):
        predictor.get_input_handle("x").copy_from_cpu(numbers[f"x{number}"])
        predictor.run()
        found = [
            predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()
        ]
        expected = [numbers[f"y{number}_{place}"] for place in range(len(found))]
        if not all(map(alike, found, expected)):
            return False
    return True


def alike(found: Any, expected: Any) -> bool:
    scale = max(1e-3, float(np.abs(expected).max(initial=0.0)))
    return found.shape == expected.shape and bool(
        np.allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)
    )


if __name__ == "__main__":
    what, first, second = sys.argv[1:4]
    if what == "save":
        save(first, Path(second))
    else:
        load(Path(first), second)
