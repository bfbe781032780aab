"""What a user does first, with the compatload that is installed: ``trial.py FIXTURES FOLDER``.

Where no Paddle is installed, only what needs none.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import compatload

PADDLE = find_spec("paddle") is not None
if PADDLE:
    import numpy as np
    import paddle

COMMAND = Path(sysconfig.get_path("scripts")) / "compatload"


def values(folder: Path, key: str) -> list[Any]:
    with np.load(folder / "io.npz") as io:
        return [io[name] for name in io if name.startswith(f"0/forward/{key}/")]


def largest(found: Any, folder: Path) -> float:
    return float(np.abs(found - values(folder, "out")[0]).max())


def by_layer(folder: Path) -> Any:
    layer = compatload.safe_load(str(folder / "model"))
    layer.eval()
    return layer(*map(paddle.to_tensor, values(folder, "in"))).numpy()


def by_predictor(folder: Path) -> Any:
    predictor = compatload.safe_create_predictor(str(folder / "model"))
    for name, value in zip(predictor.get_input_names(), values(folder, "in")):
        predictor.get_input_handle(name).copy_from_cpu(value)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def by_program(folder: Path) -> Any:
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feeds, fetches = compatload.safe_load_inference_model(str(folder / "model"), executor)
    found = executor.run(program, feed=dict(zip(feeds, values(folder, "in"))), fetch_list=fetches)
    paddle.disable_static()
    return found[0]


def commands(fixtures: Path, folder: Path) -> None:
    old, new = (str(fixtures / name / "classifier/model") for name in ("2.6.2", "3.3.1"))
    for line in (
        ["--version"],
        ["env"],
        ["rule", "CL101"],
        *([["demo"]] if PADDLE else []),
        ["inspect", old],
        ["plan", new, "--target", "paddle==2.6.2"],
        ["check", old + ".pdmodel", "--target", "paddle==3.3.1", "--no-progress"],
        ["convert", new, str(folder / "legacy"), "--to", "legacy"],
    ):
        done = subprocess.run([str(COMMAND), *line], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0 or line[0] == "check", (line, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, (line, done.stderr)


def loads(fixtures: Path) -> dict[str, object]:
    """The largest difference that any of the three loaders makes."""
    differences = {
        f"{release} {call.__name__}": largest(call(model), model)
        for release in ("2.6.2", "3.3.1")
        for model in [fixtures / release / "classifier"]
        for call in (by_layer, by_predictor, by_program)
    }
    assert max(differences.values()) < 1e-4, differences
    return {"paddle": paddle.__version__, "largest": max(differences.values())}


def main(fixtures: Path, folder: Path) -> None:
    found = loads(fixtures) if PADDLE else {"paddle": None}
    commands(fixtures, folder)
    told = {"python": platform.python_version(), "machine": platform.platform()}
    print(json.dumps({**told, **found, "compatload": compatload.__file__}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
