"""What a cell does inside a real Paddle: load a saved network, run it, compare.

Each caller and API is one function from a saved folder to a function that runs a feed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from matrix.cells import WITH, Result, is_remedy
from matrix.comparison import difference

Run = Callable[[str, Mapping[str, np.ndarray]], list[Any]]  # (method, feed) → leaves
Plan = tuple[tuple[str, ...], tuple[str, ...]]  # steps and rules


@dataclass(frozen=True)
class Saved:
    """A saved network's folder and its ``case.json``."""

    folder: Path
    record: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Saved:
        return cls(folder, json.loads((folder / "case.json").read_text(encoding="utf-8")))

    @classmethod
    def plain(cls, folder: Path, inputs: Sequence[str]) -> Saved:
        """A layer's ``forward`` with inputs of those names, saved as ``model``; no case tells."""
        kind = "pir" if (folder / "model.json").exists() else "legacy"
        forward = {"inputs": [{"name": name} for name in inputs]}
        return cls(folder, {"prefix": "model", "format": kind, "methods": {"forward": forward}})

    @property
    def path(self) -> str:
        """What a loader is given: a prefix, or the folder where the layout has none."""
        prefix = str(self.record["prefix"])
        return str(self.folder / prefix) if prefix else str(self.folder)

    @property
    def file_names(self) -> dict[str, str]:
        """The names that Paddle's loaders must be told for a layout without a prefix."""
        files = self.record.get("files", {})
        return {k: v for k, v in files.items() if v is not None}

    @property
    def files(self) -> list[str]:
        """Program and combined weights, for a predictor's Config; the folder if loose."""
        if not self.record["prefix"]:
            names = self.file_names
            if "params_filename" not in names:
                return [str(self.folder)]
            return [
                str(self.folder / n) for n in (names["model_filename"], names["params_filename"])
            ]
        suffix = ".json" if self.record["format"] == "pir" else ".pdmodel"
        weights = self.path + ".pdiparams"
        return [self.path + suffix, weights if Path(weights).exists() else ""]

    def input_names(self, method: str) -> list[str]:
        return [one["name"] for one in self.record["methods"][method]["inputs"]]


def load_jit(saved: Saved, caller: str, options: Mapping[str, Any]) -> tuple[Any, Run]:
    import paddle

    from matrix.saving import leaves_of

    if caller == "paddle":
        layer = paddle.jit.load(saved.path, **saved.file_names)
    else:
        from compatload import safe_load

        layer = safe_load(saved.path, **options)
    layer.eval()

    def run(method: str, feed: Mapping[str, np.ndarray]) -> list[Any]:
        values = [paddle.to_tensor(feed[name]) for name in saved.input_names(method)]
        return [leaf.numpy() for leaf in leaves_of(getattr(layer, method)(*values))]

    return layer, run


def load_static(saved: Saved, caller: str, options: Mapping[str, Any]) -> tuple[Any, Run]:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    if caller == "paddle":
        names: dict[str, str | None] = dict(saved.file_names)
        if names:
            names.setdefault("params_filename", None)  # loose variables: Paddle wants it said
        loaded = paddle.static.load_inference_model(saved.path, executor, **names)
    else:
        from compatload import safe_load_inference_model

        loaded = safe_load_inference_model(saved.path, executor, **options)
    program, feeds, fetches = loaded

    def run(method: str, feed: Mapping[str, np.ndarray]) -> list[Any]:
        given = {name: feed[name] for name in feeds}
        # Paddle makes no arrays of tensors with a level of detail by itself.
        found = executor.run(program, feed=given, fetch_list=fetches, return_numpy=False)
        return [np.asarray(one) for one in found]

    return loaded, run


def load_predictor(saved: Saved, caller: str, options: Mapping[str, Any]) -> tuple[Any, Run]:
    from paddle import inference

    given = dict(options)
    named = given.pop("config", "")
    config = inference.Config(*saved.files) if named or caller == "paddle" else None
    if named and not is_remedy(named):
        from matrix.named_configs import NAMED

        NAMED[named].apply(config)
    if caller == "paddle":
        predictor = inference.create_predictor(config)
    else:
        from compatload import safe_create_predictor
        from matrix.forced import forced

        with forced(named) if is_remedy(named) else nullcontext():
            predictor = safe_create_predictor(config or saved.path, **given)
    return predictor, running(predictor)


def load_clone(saved: Saved, caller: str, options: Mapping[str, Any]) -> tuple[Any, Run]:
    predictor, _ = load_predictor(saved, caller, options)
    return predictor, running(predictor.clone())


def load_served(saved: Saved, caller: str, options: Mapping[str, Any]) -> tuple[Any, Run]:
    """``inference_only=True``; Paddle's own users would take a predictor."""
    if caller == "paddle":
        return load_predictor(saved, caller, options)
    import paddle

    from compatload import safe_load
    from matrix.saving import leaves_of

    layer = safe_load(saved.path, inference_only=True, **options)

    def run(method: str, feed: Mapping[str, np.ndarray]) -> list[Any]:
        values = [paddle.to_tensor(feed[name]) for name in saved.input_names(method)]
        return [np.asarray(leaf) for leaf in leaves_of(layer(*values))]

    return layer, run


def running(predictor: Any) -> Run:
    """What a predictor makes of a feed."""

    def run(method: str, feed: Mapping[str, np.ndarray]) -> list[Any]:
        for name in predictor.get_input_names():
            value = np.ascontiguousarray(feed[name]).reshape(feed[name].shape)  # it has a rank of 1
            predictor.get_input_handle(name).copy_from_cpu(value)
        predictor.run()
        names = predictor.get_output_names()
        return [predictor.get_output_handle(name).copy_to_cpu() for name in names]

    return run


LOADERS = {
    "jit": load_jit,
    "static": load_static,
    "predictor": load_predictor,
    "clone": load_clone,
    "served": load_served,
}


def measure(
    folder: Path, api: str, caller: str, without: Sequence[str] = (), *, again: bool = False
) -> Result:
    """Load and run one saved network.

    Args:
        without: rules that compatload is to leave out.
        again: run it at one size twice, at each other, and at the first once more.
    """
    saved = Saved.read(folder)
    api, _, config = api.partition(WITH)
    options: dict[str, Any] = {"disabled_rules": tuple(without)} if without else {}
    if config:
        options["config"] = config
    with np.load(folder / "io.npz", allow_pickle=False) as io:
        arrays = dict(io)
    loaded: Any = None
    started = time.perf_counter()
    seconds: float | None = None
    largest = 0.0
    try:
        loaded, run = LOADERS[api](saved, caller, options)
        # Only a layer has further methods; Paddle's other two APIs know one program a file.
        for method in saved.record["methods"] if api == "jit" else ["forward"]:
            sets = range(saved.record["sets"])
            for number in (0, *sets, 0) if again else (*sets, *sets) if config else sets:
                names = saved.input_names(method)
                feed = {n: arrays[f"{number}/{method}/in/{n}"] for n in names}
                actual = run(method, feed)
                seconds = seconds or time.perf_counter() - started
                count = saved.record["methods"][method]["outputs"]
                expected = [arrays[f"{number}/{method}/out/{leaf}"] for leaf in range(count)]
                largest = max(largest, difference(actual, expected))
    except Exception as error:
        steps, rules = _plan(loaded, caller, error)
        return Result("error", steps=steps, rules=rules, error=error_line(error))
    outcome = "ok" if largest <= saved.record["tolerance"] else "wrong"
    shown = float(f"{largest:.3g}")
    steps, rules = _plan(loaded, caller, None)
    return Result(outcome, shown, round(seconds or 0.0, 4), steps, rules)


def _plan(loaded: Any, caller: str, error: Exception | None) -> Plan:
    """The steps and rules of compatload's plan; of the refusal where nothing was loaded."""
    if caller != "compatload":
        return (), ()
    if error is not None and loaded is None:
        rule = getattr(error, "rule", None)
        return (), ((str(rule),) if rule else ())
    from compatload import load_report

    report = load_report(loaded)
    if report is None:
        return (), ()
    failed = tuple(f"failed: {step}" for step, _ in report.attempts)
    return (*failed, report.step.strategy.value), tuple(report.rules)


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_SUMMARY = re.compile(r"\([A-Z]\w+\) |[A-Z]\w+Error: ")
_PLACE = re.compile(r"(/[\w.+-]+){3,}/")


def error_line(error: BaseException) -> str:
    """One line that names the cause, the same on every machine."""
    text = str(error)
    if "Error Message Summary:" in text:  # Paddle puts a native traceback first
        text = text.split("Error Message Summary:", 1)[1].lstrip("-\n ")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = lines[0] if lines else ""
    if told.endswith("code:"):  # it quotes code first
        told = next((line for line in lines if _SUMMARY.match(line)), lines[-1])
    first, *_ = (*getattr(error, "obstacles", ()), *_causes(error), "")
    return clean(f"{type(error).__name__}: {told} {first}".rstrip())


def _causes(error: BaseException) -> Iterator[str]:
    """Of a load of which every step failed, what each step failed with."""
    for _, cause in getattr(error, "attempts", ()):
        yield next(iter(str(cause).splitlines()), "")


def clean(line: str) -> str:
    """Without addresses and the folders of this machine, at most 300 characters."""
    return _PLACE.sub("…/", _ADDRESS.sub("0x…", line))[:300]


_FRAME = re.compile(r"^\d+\s+(\S.*)$", re.MULTILINE)


def crash_line(signal_name: str, output: str) -> str:
    """The signal, and the innermost frame of the native traceback that Paddle printed."""
    frames = (
        _FRAME.findall(output.rsplit("C++ Traceback", 1)[-1]) if "C++ Traceback" in output else []
    )
    return clean(f"{signal_name} in {frames[-1]}" if frames else signal_name)
