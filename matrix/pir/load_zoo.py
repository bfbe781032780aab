"""Loads saved models with the Paddle that runs it, through its three APIs, and compares numbers.

    envs/3.0.0/bin/python matrix/pir/load_zoo.py DIRECTORY RESULTS.json [NAME …]

``DIRECTORY`` holds ``NAME.json``, ``NAME.pdiparams`` (unless there are no parameters) and
``NAME.npz`` as ``save_zoo.py`` writes them. Each model is loaded in a child process of its own: a
crash is a result. An outcome is ``ok``, ``wrong``, ``error``, ``crash`` or
``hang``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import paddle

PATIENCE = 120  # seconds for one model; Paddle 3.0 was seen to hang where it should have crashed
TOLERANCE = 1e-5  # of the largest finite value of an output


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def through_jit(path: str, inputs: list[Any]) -> list[Any]:
    layer = paddle.jit.load(path)
    layer.eval()
    return [item.numpy() for item in leaves(layer(*map(paddle.to_tensor, inputs)))]


def through_program(path: str, inputs: list[Any]) -> list[Any]:
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, names, targets = paddle.static.load_inference_model(path, executor)
    return executor.run(program, feed=dict(zip(names, inputs)), fetch_list=targets)


def through_predictor(path: str, inputs: list[Any]) -> list[Any]:
    from paddle import inference

    weights = path + ".pdiparams"
    config = inference.Config(path + ".json", weights if os.path.exists(weights) else "")
    config.disable_glog_info()
    # What is proven is the conversion; oneDNN's own faults are the rules' business.
    config.disable_mkldnn()
    predictor = inference.create_predictor(config)
    for name, value in zip(predictor.get_input_names(), inputs):
        predictor.get_input_handle(name).copy_from_cpu(np.ascontiguousarray(value))
    predictor.run()
    return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]


APIS: dict[str, Callable[[str, list[Any]], list[Any]]] = {
    "jit": through_jit,
    "program": through_program,
    "predictor": through_predictor,
}


def difference(outputs: list[Any], expected: list[Any]) -> str | None:
    """What is wrong with the outputs, or None."""
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs where {len(expected)} were saved"
    for number, (got, want) in enumerate(zip(outputs, expected)):
        if got.shape != want.shape:
            return f"output {number}: shape {got.shape} where {want.shape} was saved"
        if not np.issubdtype(want.dtype, np.inexact):
            if not np.array_equal(got, want):
                return f"output {number}: differs"
            continue
        finite = np.isfinite(want)
        scale = float(np.abs(want[finite]).max(initial=0.0)) or 1.0
        if not np.allclose(got, want, rtol=0, atol=TOLERANCE * scale, equal_nan=True):
            with np.errstate(invalid="ignore"):
                worst = np.nanmax(np.abs(np.asarray(got, want.dtype) - want))
            return f"output {number}: off by {worst:.3g} at a scale of {scale:.3g}"
    return None


def judge(api: str, path: str, arrays: dict[str, Any]) -> list[str]:
    inputs = [arrays[f"in{n}"] for n in range(sum(key.startswith("in") for key in arrays))]
    expected = [arrays[f"out{n}"] for n in range(sum(key.startswith("out") for key in arrays))]
    try:
        wrong = difference(APIS[api](path, inputs), expected)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        told = [line for line in lines if "Error:" in line or "[Hint" in line] or lines[-1:]
        return ["error", " ".join(told)[:300] or type(error).__name__]
    return ["wrong", wrong] if wrong else ["ok", ""]


def read_lines(reader: int) -> tuple[list[bytes], bool]:
    """What the child wrote until its end, and whether that came in time."""
    written = b""
    end = time.monotonic() + PATIENCE
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            part = pipe.read(65536)
            if not part:
                return written.splitlines(), True
            written += part
    return written.splitlines(), False


def in_children(path: str, arrays: dict[str, Any]) -> dict[str, list[str]]:
    """What each API does; all in one child process, and after a crash in another one."""
    told: dict[str, list[str]] = {}
    while len(told) < len(APIS):
        left = [api for api in APIS if api not in told]
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Paddle prints a stack for every error
            for api in left:
                os.write(writer, json.dumps(judge(api, path, arrays)).encode() + b"\n")
            os._exit(0)
        os.close(writer)
        lines, in_time = read_lines(reader)
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        told.update(zip(left, map(json.loads, lines)))
        if len(lines) < len(left):
            outcome = ["crash", f"wait status {status}"] if in_time else ["hang", f"{PATIENCE} s"]
            told[left[len(lines)]] = outcome
    return told


def main(folder: Path, results: Path, names: list[str]) -> int:
    found: dict[str, dict[str, list[str]]] = {}
    for name in names or sorted(path.stem for path in folder.glob("*.npz")):
        if not (folder / f"{name}.json").exists():
            continue
        with np.load(folder / f"{name}.npz") as arrays:
            kept = dict(arrays)
        found[name] = in_children(str(folder / name), kept)
    results.write_text(json.dumps(found, indent=1))
    for api in APIS:
        print(paddle.__version__, api, dict(Counter(found[name][api][0] for name in found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
