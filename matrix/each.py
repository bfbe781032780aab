"""Every function of one tensor in every dtype, saved by one release and run by another.

    python -m matrix.each 3.3.1 2.6.2                  what is not right, a line each
    python -m matrix.each 2.6.2 3.3.1 --dtype int64 bool
    python -m matrix.each 2.6.2 3.3.1 --shape 2 3 4 4   of an image; without a number: of a number
    python -m matrix.each 2.6.2 3.0.0 --caller paddle  what Paddle alone gets wrong

What the generator draws by chance, here as a list: a dtype that an operator has no kernel for, or
a result of another one, shows in a minute. Each model runs as a layer and as a predictor (which
takes no complex numbers), twice, in one process until that dies. What Paddle itself does not run
in the release that saved it is counted apart. Exit status: 0 all right, 1 one is not, 2 misuse.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from matrix.calls import LOADERS, Saved, error_line
from matrix.cells import CALLERS
from matrix.children import AT_HOME, prepared, ran, ran_to_the_end, told
from matrix.comparison import difference
from matrix.environments import ensure
from matrix.versions import entries

DTYPES = ("float32", "float64", "int64", "int32", "bool", "uint8", "complex64")
TOLERANCE = 2e-5
ROWS = (3, 4)
_WAYS = {"layer": "jit", "predictor": "predictor"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.each", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    known = [one.id for one in entries()]
    parser.add_argument("saver", choices=known)
    parser.add_argument("loader", choices=known)
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=DTYPES)
    parser.add_argument("--shape", nargs="*", type=int, default=ROWS, metavar="SIZE")
    parser.add_argument("--caller", choices=CALLERS, default="compatload")
    asked = parser.parse_args(arguments)
    pythons = {one.id: one for one in entries() if one.id in (asked.saver, asked.loader)}
    with tempfile.TemporaryDirectory() as folder:
        home, loader = (ensure(pythons[one]).python for one in (asked.saver, asked.loader))
        sizes = ",".join(map(str, asked.shape))
        save_from = [home, "-m", __spec__.name, "save", folder, sizes]
        ran_to_the_end(lambda done: [*save_from, str(done), *asked.dtype])
        at_home = _outcomes(home, "paddle", Path(folder))
        runs = {name for name, outcome in at_home if outcome == "ok"}
        counts: Counter[str] = Counter()
        for name, outcome in _outcomes(loader, asked.caller, Path(folder)):
            if outcome == "ok":
                counts["ok"] += 1
            elif name not in runs and f"{name.rpartition(' ')[0]} layer" not in runs:
                counts[AT_HOME] += 1
            else:
                counts[outcome.split()[0].rstrip(":")] += 1
                print(f"{name}: {outcome}", flush=True)
    return told(counts)


def _outcomes(python: str, caller: str, folder: Path) -> Iterator[tuple[str, str]]:
    """What came of each model; one that kills the process costs a new one."""
    waiting = [path.parent.name for path in sorted(folder.glob("*/io.npz"))]
    while waiting:
        command = [python, "-m", __spec__.name, "load", caller, str(folder), *waiting]
        ended, output = ran(command)
        lines = [line.split("\t") for line in output.splitlines() if line.count("\t") == 1]
        yield from ((name, outcome) for name, outcome in lines)
        done = {name.rpartition(" ")[0] for name, _ in lines}
        left = [name for name in waiting if name not in done]
        if ended and left:
            yield left[0], f"dead: {ended}"
            left = left[1:]
        waiting = left


def save(folder: Path, shape: Sequence[int], done: int, dtypes: Sequence[str]) -> None:
    """Writes a line before each call, of which as many are passed over as were ``done``."""
    import paddle

    from matrix.zoo.calls import calls

    class Net(paddle.nn.Layer):
        def __init__(self, call: Any) -> None:
            super().__init__()
            self.call = call

        def forward(self, x):
            return self.call(x)

    own = prepared()
    known = calls(common=tuple(shape) == ROWS)
    for dtype, name in [*product(dtypes, known)][done:]:
        print(name, file=own, flush=True)
        x, spec = _numbers(dtype, shape), paddle.static.InputSpec(list(shape), dtype, "x")
        target = folder / f"{dtype} {name}"
        paddle.disable_static()  # a save that failed leaves it on
        # What this release does not know, or not save, is left out.
        with suppress(Exception):
            outputs = _arrays(known[name](paddle.to_tensor(x.copy())))
            paddle.jit.save(Net(known[name]), str(target / "model"), input_spec=[spec])
            stored = {str(number): one for number, one in enumerate(outputs)}
            np.savez(target / "io.npz", x=x, **stored)


def load(caller: str, folder: Path, names: Sequence[str]) -> None:
    own = prepared()
    for name in names:
        with np.load(folder / name / "io.npz") as io:
            x, *expected = (io[key] for key in io)
        saved = Saved.plain(folder / name, ["x"])
        for way, api in _WAYS.items():
            if way == "predictor" and any(one.dtype.kind == "c" for one in (x, *expected)):
                continue
            try:
                _, run = LOADERS[api](saved, caller, {})
                off = max(difference(run("forward", {"x": x}), expected) for _ in range(2))
                outcome = "ok" if off <= TOLERANCE else f"wrong by {off:.3g}"
            except Exception as error:
                outcome = f"error: {error_line(error)}"
            print(f"{name} {way}\t{outcome}", file=own, flush=True)


def _numbers(dtype: str, shape: Sequence[int]) -> np.ndarray:
    drawn = np.random.default_rng(0)
    if dtype == "bool":
        return drawn.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        return drawn.integers(0, 5, shape).astype(dtype)
    real = drawn.uniform(-1, 1, shape)
    turned = 1j * drawn.uniform(-1, 1, shape) if dtype.startswith("complex") else 0
    return np.asarray(real + turned).astype(dtype)


def _arrays(results: Any) -> list[np.ndarray]:
    many = results if isinstance(results, (list, tuple)) else [results]
    return [one.numpy() for one in many]


if __name__ == "__main__":
    if sys.argv[1:2] == ["save"]:
        sizes = [int(size) for size in sys.argv[3].split(",") if size]
        save(Path(sys.argv[2]), sizes, int(sys.argv[4]), sys.argv[5:])
    elif sys.argv[1:2] == ["load"]:
        load(sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
    else:
        sys.exit(main())
