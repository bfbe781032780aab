"""Stands in one Paddle and tells what compatload hands to it, cell after cell.

Started as a script by ``matrix.handed``, with the checkout whose compatload is meant. Paddle's
three loaders and its Config are replaced before compatload sees them: they read what they are
given, note it, and load nothing. So it does not matter how compatload is built inside; of its own
names only ``load`` and ``_planned`` know any. Translations from legacy programs to PIR are Paddle's
own and do happen here, in this process; a death is the parent's to tell.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import pickle
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

SECONDS = 60  # a cell, after which SIGALRM ends the process
APIS = ("layer", "program", "predictor", "inference_only", "configured", "in_memory")
# What a Config tells of where files lie; their content is noted in any case.
_PLACES = ("set_model", "set_prog_file", "set_params_file")
_PLACES_TOLD = ("model_dir", "model_file", "params_file")


class NotLoadedError(Exception):
    """Raised in place of a load, so that compatload goes on to the next step of its plan."""


class Recorder:
    """What was handed over, in order. With ``refusing`` every load fails once it is noted."""

    def __init__(self, paddle: Any) -> None:
        self._paddle = paddle
        self.events: list[dict[str, Any]] = []
        self.refusing = False
        self.meanings: dict[str, Any] = {}  # of hashes that were not told yet
        self._told: set[str] = set()

    def install(self) -> None:
        """Take the place of Paddle's loaders and of its Config."""
        paddle = self._paddle
        paddle.jit.load = self._layer
        paddle.static.load_inference_model = self._program
        paddle.inference.Config = recording(paddle.inference.Config)
        paddle.inference.create_predictor = self._predictor

    def short(self, value: object) -> str:
        """A hash that stands for ``value``, whose meaning is told once."""
        text = json.dumps(value, sort_keys=True)
        name = hashed(text.encode())
        if name not in self._told:
            self._told.add(name)
            self.meanings[name] = value
        return name

    def _layer(self, path: str, **configs: Any) -> Any:
        return self._handed("jit.load", files_under(path), StandIn(), plain(configs))

    def _program(self, path: Any, executor: Any, **configs: Any) -> Any:
        files = {} if path is None else files_under(path)
        return self._handed("load_inference_model", files, [StandIn(), [], []], plain(configs))

    def _predictor(self, config: Any) -> Any:
        files = {}
        if not config.model_from_memory():
            program, weights = config.prog_file(), config.params_file()
            files["json" if program.endswith(".json") else "pdmodel"] = content(program)
            if weights:
                files["pdiparams"] = content(weights)
        return self._handed("create_predictor", files, StandIn(), state_of(config))

    def _handed(self, call: str, files: dict[str, str], loaded: Any, options: Any) -> Any:
        paddle = self._paddle
        framework = sys.modules["paddle.base.framework"]
        event = {
            "call": call,
            "files": files,
            "dynamic": paddle.in_dynamic_mode(),
            "pir": bool(getattr(framework, "use_pir_api", bool)()),
            "device": paddle.device.get_device(),
        }
        if options:
            event["options"] = self.short(options)
        self.events.append(event)
        if self.refusing:
            raise NotLoadedError("noted")
        return loaded


class StandIn:
    """What a loader returns here: enough of a layer or predictor to be wrapped."""

    def eval(self) -> None: ...

    def get_input_names(self) -> list[str]:
        return []

    get_output_names = get_input_names

    def clone(self) -> StandIn:
        return StandIn()

    def run(self) -> None: ...


def recording(kind: Any) -> Any:
    """A class of Configs that know what they were told: the calls that return nothing."""

    def wrapped(name: str) -> Any:
        original = getattr(kind, name)

        def call(self: Any, *args: Any, **named: Any) -> Any:
            result = original(self, *args, **named)
            if result is None and name not in _PLACES:
                self.__dict__.setdefault("told", []).append([name, plain(args), plain(named)])
            return result

        return call

    names = [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n))]
    methods = {n: wrapped(n) for n in names if not isinstance(getattr(kind, n), type)}
    return type(kind.__name__, (kind,), methods)


def state_of(config: Any) -> dict[str, Any]:
    """What a Config comes to, and what it was told, in whatever order."""
    rows = [[part.strip() for part in row.split("|")[1:-1]] for row in config.summary().split("\n")]
    told = {json.dumps(one, sort_keys=True) for one in getattr(config, "told", ())}
    return {
        "summary": [row for row in rows if row and row[0] not in _PLACES_TOLD],
        "passes": config.pass_builder().all_passes(),
        "told": sorted(told),
    }


def files_under(prefix: str) -> dict[str, str]:
    """Hashes of all files of a prefix: programs, weights and infos, by what follows it."""
    folder, name = os.path.split(os.fspath(prefix))
    return {
        found[len(name) + 1 :]: content(os.path.join(folder, found))
        for found in sorted(os.listdir(folder or "."))
        if found.startswith(name + ".")
    }


_contents: dict[tuple[int, ...], str] = {}  # of weights, which many cells share


def content(path: str) -> str:
    """The hash of a file; of an info that is plain data, of that data."""
    about = os.stat(path)
    key = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
    if path.endswith(".pdiparams") and key in _contents:
        return _contents[key]
    data = Path(path).read_bytes()
    name = info_hash(data) if path.endswith(".info") else hashed(data)
    if path.endswith(".pdiparams") and os.path.islink(path):
        _contents[key] = name
    return name


class _Plain(pickle.Unpickler):
    """Reads plain data only. What compatload hands over passed its audit before."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def info_hash(data: bytes) -> str:
    """Paddle looks an info up by names; two saves of one network order it differently."""
    try:
        held = _Plain(io.BytesIO(data)).load()
        return hashed(json.dumps(held, sort_keys=True, default=repr).encode())
    except (pickle.UnpicklingError, EOFError, TypeError, ValueError):
        return hashed(data)


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:20]


def plain(value: Any) -> Any:
    """Arguments as JSON holds them; sets in order, bytes as hashes."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in sorted(value.items())}
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (bytes, bytearray)):
        return hashed(bytes(value))
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def load(paddle: Any, request: dict[str, Any]) -> Any:
    """What the public drop-in of compatload returns for a cell."""
    import compatload

    path, api = request["path"], request["api"]
    options: dict[str, Any] = {}
    if request["without"]:
        options["disabled_rules"] = tuple(request["without"])
    if api == "layer":
        return compatload.safe_load(path, **options)
    if api == "program":
        executor = paddle.static.Executor(paddle.CPUPlace())
        return compatload.safe_load_inference_model(path, executor, **options)
    if api == "predictor":
        return compatload.safe_create_predictor(path, **options)
    if api == "inference_only":  # else the threads are those of the machine
        return compatload.safe_load(path, inference_only=True, threads=2, **options)
    if api == "in_memory":
        program, weights = (Path(name).read_bytes() if name else b"" for name in request["files"])
        options.update(model_filename=program, params_filename=weights)
        executor = paddle.static.Executor(paddle.CPUPlace())
        return compatload.safe_load_inference_model(None, executor, **options)
    config = paddle.inference.Config(*request["files"])
    config.enable_memory_optim()
    config.set_cpu_math_library_num_threads(3)
    return compatload.safe_create_predictor(config, **options)


def _planned(recorder: Recorder, loaded: Any) -> dict[str, Any]:
    """The plan of a load, and what of it was done; texts that people read are left out."""
    import compatload

    report = compatload.load_report(loaded)
    if report is None:
        return {"error": "no report"}
    steps = []
    for step in report.plan.to_dict()["steps"]:
        told = {name: value for name, value in step.items() if value and name != "reason"}
        options = told.pop("options", {})
        steps.append({**told, "options": recorder.short(options)})
    return {
        "steps": steps,
        "took": report.step.title,
        "failed": [f"{title}: {cause.split(':')[0]}" for title, cause in report.attempts],
        "repairs": list(report.repairs),
        "recalled": report.recalled,
    }


def outcome(recorder: Recorder, paddle: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One load: its plan, or the error that it ended in. What was handed over is in ``events``."""
    recorder.events = []
    try:
        loaded = load(paddle, request)
    except Exception as error:
        said = {"error": type(error).__name__, "rule": getattr(error, "rule", None)}
        failed = getattr(error, "attempts", ())
        return {**said, "failed": [f"{title}: {cause.split(':')[0]}" for title, cause in failed]}
    told = _planned(recorder, loaded)
    if hasattr(loaded, "close"):
        loaded.close()
    return told


def answer(recorder: Recorder, paddle: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Everything about a cell.

    ``handed`` is what the load hands over that works at once, ``further`` what follows where Paddle
    fails. ``unsteady``: the same load has handed over something else a moment later. A cell that is
    to be ``recalled`` is loaded once before.
    """
    recorder.refusing = False
    if request["recalled"]:
        outcome(recorder, paddle, request)
    told = outcome(recorder, paddle, request)
    handed = recorder.events
    found = {"cell": request["cell"], "plan": told, "handed": handed, "further": []}
    if len(told.get("steps", ())) > 1 and not request["recalled"]:
        recorder.refusing = True
        outcome(recorder, paddle, request)
        found["further"] = recorder.events[len(handed) :]
        if recorder.events[: len(handed)] != handed:
            found["unsteady"] = True
    found["meanings"], recorder.meanings = recorder.meanings, {}
    return found


def main() -> None:
    sys.path[0] = sys.argv[1]  # the checkout that is meant, instead of this file's folder
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Paddle prints must not reach the answers
    warnings.simplefilter("ignore")
    logging.getLogger("compatload").addHandler(logging.NullHandler())
    logging.getLogger("compatload").propagate = False
    import paddle
    import paddle.inference

    recorder = Recorder(paddle)
    recorder.install()
    import compatload

    print(json.dumps({"compatload": compatload.__file__}), file=answers, flush=True)
    for line in sys.stdin:
        signal.alarm(SECONDS)
        print(json.dumps(answer(recorder, paddle, json.loads(line))), file=answers, flush=True)
        signal.alarm(0)
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
