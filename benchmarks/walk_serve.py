"""Load every model of a migrated tree, ask it what it was asked where it was saved, and compare.

    python serve.py fleet ready

By Paddle's own ``paddle.jit.load``, and by a ``ModelHandle``, as a service has it.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import paddle

import compatload


def answers(ask, saved) -> bool:
    """Whether the first set of inputs gives the outputs that were saved with it."""
    first = [name for name in saved.files if name.startswith("0/forward/")]
    asked = [paddle.to_tensor(saved[name]) for name in first if "/in/" in name]
    wanted = [saved[name] for name in first if "/out/" in name]
    given = ask(*asked)
    given = given if isinstance(given, (list, tuple)) else [given]
    return len(given) == len(wanted) and all(
        np.allclose(np.asarray(a, b.dtype), b, rtol=1e-3, atol=1e-4, equal_nan=True)
        for a, b in zip(given, wanted)
    )


def tried(load, path, saved) -> str:
    try:
        return "right" if answers(load(path), saved) else "other numbers"
    except Exception as error:
        return type(error).__name__


def served(path):
    return compatload.ModelHandle(path)


def main() -> None:
    before, after = map(Path, sys.argv[1:])
    for name, folder, load in (
        ("fleet, paddle.jit.load", before, paddle.jit.load),
        ("ready, paddle.jit.load", after, paddle.jit.load),
        ("ready, compatload.ModelHandle", after, served),
    ):
        counts: Counter = Counter()
        for io in sorted(before.glob("*/*/io.npz")):
            model = folder / io.parent.relative_to(before)
            if not any((model / f"model.{end}").exists() for end in ("json", "pdmodel")):
                counts["not there"] += 1
                continue
            with np.load(io) as saved:
                counts[tried(load, str(model / "model"), saved)] += 1
        print(name, dict(counts), flush=True)


if __name__ == "__main__":
    main()
