"""A saved model is run in a process of its own first, where it may end that.

No fork can run it: the threads of Paddle's executor are not there, and it waits for ever.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from compatload.exporting.verification import Samples
from compatload.trials.children import run, signal_name
from compatload.trials.layers import run as run_layer

_RUN = "compatload.exporting.run_alone:main"
_LIMIT = 120.0
_NUMBERS = "inputs.npz"


def dies_running(staged: str, samples: Samples, places: Sequence[int]) -> str | None:
    """The signal that ends a process that runs it on those samples, or None."""
    import numpy

    rounds = (*samples.rounds, *samples.edges)
    arrays = {
        f"{number}_{place:03}": tried.inputs[index]
        for number, tried in enumerate(rounds)
        for place, index in enumerate(places)
    }
    with tempfile.TemporaryDirectory(prefix="compatload-") as name:
        numpy.savez(Path(name, _NUMBERS), **arrays)
        end = run(
            *(_RUN, os.path.abspath(staged)),
            options=("-W", "ignore"),
            directory=name,
            timeout=_LIMIT,
        )
    return signal_name(-end.status) if end.status is not None and end.status < 0 else None


def main(staged: str) -> None:
    """The child: an error of the model is none of its business."""
    import numpy
    import paddle

    loaded = paddle.jit.load(staged)
    rounds: dict[str, list[object]] = {}
    with numpy.load(_NUMBERS) as numbers:
        for key in sorted(numbers):
            rounds.setdefault(key.split("_")[0], []).append(numbers[key])
    for arrays in rounds.values():
        try:
            run_layer(loaded, arrays)
        except Exception:  # noqa: S112 - it comes again where the numbers are compared
            continue
