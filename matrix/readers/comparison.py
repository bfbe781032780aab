"""What both readers do: run a converted model on its stored inputs and compare. No Paddle needed.

Each model has a child process of its own. An answer is an outcome (``ok``, ``wrong``, ``error``,
``crash``), the largest difference relative to an output's scale, and a cause.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

METHOD = "forward"
SECONDS = 120
# Two other implementations of every kernel: more of a difference than between releases of Paddle.
TOLERANCE = 1e-4
Run = Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]


@dataclass(frozen=True)
class Model:
    """The paths of a converted model."""

    program: str
    weights: str


def difference(actual: list[np.ndarray], expected: list[np.ndarray]) -> tuple[float, str]:
    """Largest difference relative to an output's scale, and why it is infinite where it is.

    The widths of integers may differ: ONNX and OpenVINO have their own.
    """
    if len(actual) != len(expected):
        return float("inf"), f"{len(actual)} outputs, not {len(expected)}"
    largest = 0.0
    for number, (got, want) in enumerate(zip(actual, expected)):
        if got.shape != want.shape:
            return float("inf"), f"output {number}: shape {got.shape}, not {want.shape}"
        if want.dtype.kind != "f":
            if not np.array_equal(got, want):
                return float("inf"), f"output {number}: {want.dtype} differs"
            continue
        scale = float(np.abs(want).max(initial=0.0)) or 1.0
        worst = float(np.abs(got.astype("float64") - want).max(initial=0.0)) / scale
        largest = max(largest, worst)
    return largest, ""


def judge(folder: Path, read: Callable[[Model], Run]) -> list[Any]:
    record = json.loads((folder / "case.json").read_text())
    with np.load(folder / "io.npz", allow_pickle=False) as stored:
        arrays = dict(stored)
    prefix = folder / record["prefix"]
    weights = f"{prefix}.pdiparams"
    method = record["methods"][METHOD]
    largest = 0.0
    try:
        run = read(Model(f"{prefix}.pdmodel", weights if os.path.exists(weights) else ""))
        for number in range(record["sets"]):
            where = f"{number}/{METHOD}"
            feed = {one["name"]: arrays[f"{where}/in/{one['name']}"] for one in method["inputs"]}
            expected = [arrays[f"{where}/out/{leaf}"] for leaf in range(method["outputs"])]
            found, cause = difference(run(feed), expected)
            if cause:
                return ["wrong", None, cause]
            largest = max(largest, found)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return ["error", None, f"{type(error).__name__}: {lines[-1] if lines else ''}"[:300]]
    return ["ok" if largest <= TOLERANCE else "wrong", float(f"{largest:.2g}"), ""]


def in_child(folder: Path, read: Callable[[Model], Run], log: Path) -> list[Any]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        signal.alarm(SECONDS)
        os.write(writer, json.dumps(judge(folder, read)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if told:
        return list(json.loads(told))
    cause = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "it exits"
    printed = [line for line in log.read_text(errors="replace").splitlines() if "ERROR" in line]
    return ["crash", None, " ".join([cause, *printed[:2]])[:300]]


def main(
    name: str,
    version: str,
    read: Callable[[Model], Run],
    folder: Path,
    results: Path,
    names: list[str],
) -> int:
    """Reads every converted model of a folder, and adds the answers to a JSON file."""
    kept = json.loads(results.read_text()) if results.exists() else {}
    kept.update(reader=name, version=version)
    answers: dict[str, list[Any]] = kept.setdefault("answers", {})
    log = results.with_suffix(".log")
    for model in names or sorted(path.parent.name for path in folder.glob("*/case.json")):
        if model in answers and not names:
            continue
        answers[model] = in_child(folder / model, read, log)
        results.write_text(json.dumps(kept, indent=1, sort_keys=True))
        print(model, answers[model], flush=True)
    print(name, version, dict(Counter(answer[0] for answer in answers.values())))
    return 0
