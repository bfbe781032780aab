"""Loads saved networks with the Paddle that runs it, through three loaders, and compares.

    PYTHONPATH=. envs/2.6.2/bin/python -m matrix.families.load FOLDER RESULTS CALLER [NAME …]

``CALLER`` says whose loaders: ``paddle`` or ``compatload``. Each network and
loader has a child process of its own, so that a crash is a result. An answer is an outcome (``ok``,
``wrong``, ``error``, ``crash``), the largest difference and a cause; a difference is
``|a − b|`` over the largest finite ``|b|`` of its output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

zlib.decompress(zlib.compress(b"x"))  # Paddle 2.6.2 aborts where zlib is first used after it

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import paddle  # noqa: E402

from matrix.calls import LOADERS, Run, Saved, error_line  # noqa: E402

SECONDS = 300
METHOD = "forward"
Answer = list[Any]  # outcome, difference, cause


def difference(actual: Sequence[Any], expected: Sequence[Any]) -> tuple[float, str]:
    """Largest difference relative to an output's scale; infinite, and why, for other kinds."""
    if len(actual) != len(expected):
        return float("inf"), f"{len(actual)} outputs, not {len(expected)}"
    largest = 0.0
    for number, (got, want) in enumerate(zip(actual, expected)):
        got = np.asarray(got)
        if (got.shape, got.dtype) != (want.shape, want.dtype):
            told = f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
            return float("inf"), f"output {number}: {told}"
        if want.dtype.kind != "f":
            if not np.array_equal(got, want):
                return float("inf"), f"output {number}: {want.dtype} differs"
            continue
        finite = np.isfinite(want)
        if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
            return float("inf"), f"output {number}: NaN or infinity elsewhere"
        if not finite.any():
            continue
        scale = float(np.abs(want[finite]).max()) or 1.0
        largest = max(largest, float(np.abs(got[finite] - want[finite]).max()) / scale)
    return largest, ""


def without_passes(saved: Saved) -> Run:
    """Paddle's predictor with its graph passes off: whether these are what differs."""
    from paddle import inference

    config = inference.Config(*saved.files)
    config.switch_ir_optim(False)
    predictor = inference.create_predictor(config)

    def run(method: str, feed: Mapping[str, np.ndarray]) -> list[Any]:
        for name in predictor.get_input_names():
            predictor.get_input_handle(name).copy_from_cpu(np.ascontiguousarray(feed[name]))
        predictor.run()
        names = predictor.get_output_names()
        return [predictor.get_output_handle(name).copy_to_cpu() for name in names]

    return run


def judge(folder: Path, api: str, caller: str) -> Answer:
    """Loads and runs one network; tells what the predictor's graph passes have to do with it."""
    saved = Saved.read(folder)
    try:
        answer = compared(saved, LOADERS[api](saved, caller, {})[1])
        if answer[0] == "wrong" and api == "predictor" and caller == "paddle":
            plain = compared(saved, without_passes(saved))
            told = f"{plain[0]} {plain[1]}" if plain[1] is not None else plain[2]
            answer[2] = f"{answer[2]} (Paddle's graph passes off: {told})".strip()
    except Exception as error:
        return ["error", None, error_line(error)]
    return answer


def compared(saved: Saved, run: Run) -> Answer:
    """What comes of every stored input."""
    with np.load(saved.folder / "io.npz", allow_pickle=False) as stored:
        arrays = dict(stored)
    largest = 0.0
    for number in range(saved.record["sets"]):
        where = f"{number}/{METHOD}"
        feed = {name: arrays[f"{where}/in/{name}"] for name in saved.input_names(METHOD)}
        count = saved.record["methods"][METHOD]["outputs"]
        expected = [arrays[f"{where}/out/{leaf}"] for leaf in range(count)]
        found, cause = difference(run(METHOD, feed), expected)
        if cause:
            return ["wrong", None, cause]
        largest = max(largest, found)
    shown = float(f"{largest:.2g}")
    return ["ok" if largest <= saved.record["tolerance"] else "wrong", shown, ""]


def in_child(folder: Path, api: str, caller: str, log: Path) -> Answer:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        signal.alarm(SECONDS)
        os.write(writer, json.dumps(judge(folder, api, caller)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if told:
        return list(json.loads(told))
    return ["crash", None, f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "exit"]


def by_size(folder: Path) -> list[str]:
    """The networks, those with small programs first."""
    programs = [*folder.glob("*/model.json"), *folder.glob("*/model.pdmodel")]
    return [path.parent.name for path in sorted(programs, key=lambda one: one.stat().st_size)]


def main(folder: Path, results: Path, caller: str, names: list[str]) -> int:
    kept = json.loads(results.read_text()) if results.exists() else {}
    log = results.with_suffix(".log")
    wanted = names or by_size(folder)
    for name in wanted:
        if name in kept and not names:
            continue
        kept[name] = {api: in_child(folder / name, api, caller, log) for api in LOADERS}
        partial = results.with_suffix(".part")
        partial.write_text(json.dumps(kept, indent=1, sort_keys=True))
        partial.replace(results)  # whoever reads meanwhile finds whole answers
        bad = {api: answer for api, answer in kept[name].items() if answer[0] != "ok"}
        print(name, bad or "ok", flush=True)
    for api in LOADERS:
        print(paddle.__version__, caller, api, dict(Counter(kept[n][api][0] for n in kept)))
    return 0


if __name__ == "__main__":
    _folder, _results, _caller, *_names = sys.argv[1:]
    sys.exit(main(Path(_folder), Path(_results), _caller, _names))
