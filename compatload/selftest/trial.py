"""The process that tries networks: it imports Paddle once, and every cell runs in a fork of it.

Where nothing may be forked (Windows, an accelerator in use) it is given one cell only. A line of
JSON a cell is added to a file, so that what was found stays, whatever comes after it.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compatload.drop_ins import safe_create_predictor, safe_load, safe_load_inference_model
from compatload.loading.report import load_report
from compatload.plan import Api
from compatload.selftest.outcome import OK, PADDLE
from compatload.trials.children import signal_name
from compatload.trials.comparison import allowance, relative_difference
from compatload.trials.layers import predicted
from compatload.trials.layers import run as run_layer
from compatload.trials.tether import die_with

Run = Callable[[Mapping[str, Any]], "list[Any]"]
# The status of a process that a full disk has ended: of the cell that it was at nothing is known.
NO_ROOM = 74
_LONGEST = 300


def main(job: str) -> None:
    """Try the cells that the file ``job`` lists. Raises what the import of Paddle raises."""
    # NumPy before Paddle: 2.6.2 brings a zlib that NumPy's own must not meet later.
    import numpy  # noqa: F401
    import paddle  # noqa: F401
    from paddle import inference  # noqa: F401

    asked = json.loads(Path(job).read_text(encoding="utf-8"))
    act = _in_fork if asked["fork"] else _answer
    status = 0
    try:
        with open(asked["results"], "a", encoding="utf-8") as results:
            results.write("\n")  # the import has succeeded
            results.flush()
            for cell in asked["cells"]:
                results.write(json.dumps(_known(act(cell, asked))) + "\n")
                results.flush()
    except OSError as error:
        print(f"OSError: {error}", flush=True)
        status = NO_ROOM
    os._exit(status)  # what Paddle does at exit would be a second way to die


def _known(told: dict[str, Any]) -> dict[str, Any]:
    if told["outcome"] == _FULL:
        raise OSError(errno.ENOSPC, told["told"])
    return told


def _in_fork(cell: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    receive, send = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            die_with(parent)
            os.write(send, json.dumps(_answer(cell, asked)).encode())
        finally:
            os._exit(0)
    os.close(send)
    data, in_time = _read(receive, time.monotonic() + cell["timeout"])
    os.close(receive)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not in_time:
        return {"outcome": "hang", "told": f"no answer in {cell['timeout']:g} s"}
    if data:
        told: dict[str, Any] = json.loads(data)
        return told
    how = signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else "without an answer"
    return {"outcome": "crash", "told": how}


def _read(pipe: int, until: float) -> tuple[bytes, bool]:
    """What comes through it, and whether its end came in time."""
    parts: list[bytes] = []
    while (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            part = os.read(pipe, 1 << 16)
            if not part:
                return b"".join(parts), True
            parts.append(part)
    return b"", False


def _answer(cell: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    rules: tuple[str, ...] = ()
    try:
        loaded, run = _LOADERS[Api(cell["api"])](cell, asked["device"])
        rules = _rules(loaded)
        wrong = _wrong(cell, run)
    except Exception as error:
        if full := _full_disk(error):
            return {"outcome": _FULL, "told": os.strerror(full)}
        rule = getattr(error, "rule", None)
        told = f"{type(error).__name__}: {_cause(error)}"[:_LONGEST]
        return {"outcome": "error", "told": told, "rules": rules or ([rule] if rule else [])}
    return {"outcome": "wrong" if wrong else OK, "told": wrong, "rules": rules}


_FULL = "full disk"


def _full_disk(error: BaseException | None) -> int:
    """The number of the system's error behind ``error`` that says so, else 0."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return error.errno
        error = error.__cause__ or error.__context__
    return 0


def _cause(error: Exception) -> str:
    text = str(error).rpartition("Error Message Summary:")[2].lstrip("-\n ")
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _rules(loaded: Any) -> tuple[str, ...]:
    report = load_report(loaded)
    return () if report is None else tuple(report.rules)


def _wrong(cell: Mapping[str, Any], run: Run) -> str:
    """How the outputs differ from the stored ones; every set of inputs goes through twice."""
    import numpy

    with numpy.load(os.path.join(cell["folder"], "io.npz"), allow_pickle=False) as stored:
        arrays = dict(stored)
    for number in (*range(cell["sets"]), *range(cell["sets"])):
        given = {name: arrays[f"{number}/forward/in/{name}"] for name in cell["inputs"]}
        expected = [arrays[f"{number}/forward/out/{leaf}"] for leaf in range(cell["outputs"])]
        wrong = _difference(expected, [numpy.asarray(one) for one in run(given)])
        if wrong:
            return wrong
    return ""


def _difference(expected: Sequence[Any], found: Sequence[Any]) -> str:
    if len(expected) != len(found):
        return f"{len(found)} outputs, not {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, found)):
        off = relative_difference(one, other)
        if off is None or not off <= allowance(one):
            return f"output {number} is {'of another kind' if off is None else f'{off:.3g} off'}"
    return ""


def _layer(cell: Mapping[str, Any], device: str) -> tuple[Any, Run]:
    import paddle

    paddle.set_device(device)
    if cell["caller"] == PADDLE:
        layer = paddle.jit.load(cell["prefix"])
    else:
        layer = safe_load(cell["prefix"], device=device)
    layer.eval()
    return layer, lambda given: list(run_layer(layer, [given[name] for name in cell["inputs"]]))


def _program(cell: Mapping[str, Any], device: str) -> tuple[Any, Run]:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.set_device(device))
    if cell["caller"] == PADDLE:
        loaded = paddle.static.load_inference_model(cell["prefix"], executor)
    else:
        loaded = safe_load_inference_model(cell["prefix"], executor)
    program, feeds, targets = loaded

    def run(given: Mapping[str, Any]) -> list[Any]:
        feed = {name: given[name] for name in feeds}
        # Paddle makes no arrays of tensors with a level of detail by itself.
        return list(executor.run(program, feed=feed, fetch_list=targets, return_numpy=False))

    return loaded, run


def _predictor(cell: Mapping[str, Any], device: str) -> tuple[Any, Run]:
    from paddle import inference

    config = inference.Config(cell["program"], cell["weights"])
    for name, arguments in cell["calls"]:
        if hasattr(config, name):  # what a release does not know is left out, as programs do
            getattr(config, name)(*arguments)
    _use(config, device)
    if cell["caller"] == PADDLE:
        predictor = inference.create_predictor(config)
    else:
        # This process is the trial.
        predictor = safe_create_predictor(config, preflight=False)

    return predictor, lambda given: predicted(predictor, given)


_MEGABYTES = 256


def _use(config: Any, device: str) -> None:
    kind, _, number = device.partition(":")
    if kind == "gpu":
        config.enable_use_gpu(_MEGABYTES, int(number or 0))
    elif kind == "xpu":
        config.enable_xpu()
        config.set_xpu_device_id(int(number or 0))
    elif kind != "cpu":
        config.enable_custom_device(kind, int(number or 0))


_LOADERS = {Api.LAYER: _layer, Api.PROGRAM: _program, Api.PREDICTOR: _predictor}
