"""Run by a release's interpreter: saves the layers of a grid, or loads them.

    python worker.py save GRID FOLDER
    python worker.py load FOLDER paddle|compatload

Each is loaded in a fork, which may die or hang. Prints a line of JSON for each: its name, and
``ok``, ``wrong``, ``error``, ``crash`` or ``hang``.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import paddle
from paddle.static import InputSpec

from compatload.trials.fork import end_of
from matrix.calls import Saved, load_predictor
from matrix.comparison import agrees
from matrix.sweep.grids import GRIDS, Grid, names, source

SECONDS = 20
TOLERANCE = 2e-3


class WrongError(Exception):
    """Other numbers than the layer gave."""


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
        end = end_of(partial(require_right, path, caller), SECONDS)
        outcome = "hang" if end.status is None else "crash" if end.status < 0 else "ok"
        if end.status == 1:
            outcome = "wrong" if WrongError.__name__ in end.said else "error"
        print(json.dumps({"name": path.parent.name, "outcome": outcome}), flush=True)


def require_right(path: Path, caller: str) -> None:
    _, run = load_predictor(Saved.plain(path.parent, ["x"]), caller, {})
    numbers = np.load(path)
    for number in range(sum(name.startswith("x") for name in numbers)):
        found = run("forward", {"x": numbers[f"x{number}"]})
        expected = [numbers[f"y{number}_{place}"] for place in range(len(found))]
        if not agrees(found, expected, TOLERANCE):
            raise WrongError


if __name__ == "__main__":
    what, first, second = sys.argv[1:4]
    if what == "save":
        save(first, Path(second))
    else:
        load(Path(first), second)
