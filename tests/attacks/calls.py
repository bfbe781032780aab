"""Every way in which a model is loaded, and then run. Used inside a Paddle.

``CALLS[name](path)`` loads, and returns what runs the model once when it is called, or None where
there is nothing to run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compatload.errors import UnsafeArtifactError

# The rule under which ``check`` tells of an unsafe model.
_UNSAFE = "CL004"
Run = Callable[[], object]
Arrays = Mapping[str, Any]
_TRIED_FIRST = {"preflight": True, "preflight_timeout": 10.0}


def _layer(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    import paddle

    import compatload

    layer = compatload.safe_load(path)
    return lambda: layer(*map(paddle.to_tensor, stored.values()))


def _inference_only(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    import compatload

    layer = compatload.safe_load(path, inference_only=True, threads=1, **options)
    return lambda: layer(*_matched(layer.input_names, stored))


def _preflight(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    return _inference_only(path, stored, _TRIED_FIRST)


def _handle(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    import compatload

    handle = compatload.ModelHandle(path, threads=1, **options)
    return lambda: handle(*stored.values())


def _program(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    import paddle

    import compatload

    executor = paddle.static.Executor(paddle.CPUPlace())
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        program, names, fetches = compatload.safe_load_inference_model(path, executor)

    def run() -> object:
        feed = dict(zip(names, _matched(names, stored)))
        paddle.enable_static()
        try:
            with paddle.static.scope_guard(scope):
                return executor.run(program, feed=feed, fetch_list=fetches)
        finally:
            paddle.disable_static()

    return run


def _predictor(path: str, stored: Arrays, options: Mapping[str, Any]) -> Run:
    import compatload

    predictor = compatload.safe_create_predictor(path, threads=1)

    def run() -> object:
        names = predictor.get_input_names()
        for name, array in zip(names, _matched(names, stored)):
            predictor.get_input_handle(name).copy_from_cpu(array)
        predictor.run()
        outputs = predictor.get_output_names()
        return [predictor.get_output_handle(name).copy_to_cpu() for name in outputs]

    return run


def _memory(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    import paddle

    import compatload

    files = compatload.inspect_artifact(path).files
    executor = paddle.static.Executor(paddle.CPUPlace())
    compatload.safe_load_inference_model(
        None,
        executor,
        model_filename=Path(files.program).read_bytes(),
        params_filename=Path(files.parameters[0]).read_bytes(),
    )


def _config(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    import paddle

    import compatload

    files = compatload.inspect_artifact(path).files
    config = paddle.inference.Config(files.program, files.parameters[0])
    compatload.safe_create_predictor(config)


def _run_command(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    """``compatload run`` of a program that loads with Paddle's own function."""
    code = f"import paddle; paddle.jit.load({path!r})"
    _command("run", "-c", code)


def _check_run(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    _command("check", "--run", "--no-progress", str(Path(path).parent))


def _command(*arguments: str) -> None:
    """A command of compatload; what it refuses is raised here, by the name that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "compatload", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    told = done.stdout + done.stderr
    if "UnsafeArtifactError" in told or _UNSAFE in told:
        raise UnsafeArtifactError(told[-300:])
    if done.returncode < 0:
        raise RuntimeError(f"{arguments[0]} died by signal {-done.returncode}")


def _convert(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    import compatload

    legacy = compatload.inspect_artifact(path).format.value == "legacy"
    with tempfile.TemporaryDirectory() as folder:
        # To the same format where only a Paddle of its own could translate, which is another call.
        for to in ("legacy",) if legacy else ("legacy", "pir-v1"):
            compatload.convert(path, Path(folder, to), to=to, verify=False)


def _check(path: str, stored: Arrays, options: Mapping[str, Any]) -> None:
    from compatload.checking.check import check

    report = check([path if Path(path).exists() else str(Path(path).parent)])
    unsafe = [finding for finding in report.findings if finding.rule == _UNSAFE]
    if unsafe:
        raise UnsafeArtifactError(unsafe[0].message)


def _matched(names: Sequence[str], stored: Arrays) -> list[Any]:
    """The stored arrays by name, else by position; ones for what is asked beyond them."""
    import numpy

    values = list(stored.values())
    return [
        stored[name]
        if name in stored
        else values[place]
        if place < len(values)
        else numpy.ones((1, 4), "float32")
        for place, name in enumerate(names)
    ]


_CALLS: dict[str, Callable[[str, Arrays, Mapping[str, Any]], Run | None]] = {
    "layer": _layer,
    "program": _program,
    "predictor": _predictor,
    "inference_only": _inference_only,
    "handle": _handle,
    "convert": _convert,
    "check": _check,
    "memory": _memory,
    "config": _config,
    "preflight": _preflight,
    "run": _run_command,
    "check --run": _check_run,
}


def load(call: str, path: str, stored: Arrays, *, preflight: bool = False) -> Run | None:
    """Load as ``call`` does; what runs the model on the stored arrays."""
    options = _TRIED_FIRST if preflight else {}
    return _CALLS[call](path, stored, options)
