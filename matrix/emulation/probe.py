"""One question to one Paddle, in a process of its own, because the process may die of it.

    probe.py RESULT runtime MODEL
    probe.py RESULT import
    probe.py RESULT load MODEL API LOADER OUTPUTS [--disable RULE]
    probe.py --serve JOB SECONDS

RESULT is written again at every stage, so that a crash leaves behind how far it came. The last
form forks for each entry of JOB/jobs.json and imports Paddle once for all of them, which takes
most of the time under emulation; how each ended stands in JOB/<number>.ending.json.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

Inputs = dict[str, Any]


class Record:
    """The result file: fields so far, and the stage that was entered last."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._fields: dict[str, object] = {}

    def stage(self, name: str) -> None:
        self.note(stage=name)

    def note(self, **fields: object) -> None:
        self._fields.update(fields)
        self._path.write_text(json.dumps(self._fields), "utf-8")


def main(arguments: list[str]) -> None:
    record = Record(arguments[0])
    started = time.perf_counter()
    try:
        _TASKS[arguments[1]](record, *arguments[2:])
        record.stage("done")
    except Exception as error:  # whatever Paddle raises is the result
        record.note(
            error=type(error).__name__,
            bases=[base.__name__ for base in type(error).__mro__[1:-1]],
            message=str(error)[:2000],
            rule=getattr(error, "rule", None),
        )
    finally:
        record.note(seconds=round(time.perf_counter() - started, 2))


def tell_runtime(record: Record, model: str) -> None:
    """detect_runtime, and what is planned for ``model`` here; Paddle stays out."""
    record.stage("detect")
    from compatload import detect_runtime, inspect_artifact, plan_load

    began = time.perf_counter()
    runtime = detect_runtime()
    record.note(
        runtime=runtime.to_dict(),
        described=runtime.describe(),
        milliseconds=round(1000 * (time.perf_counter() - began), 1),
    )
    artifact = inspect_artifact(model)
    plans = {}
    for api in ("layer", "program", "predictor"):
        plan = plan_load(artifact, runtime, api)
        refusal = plan.refusal
        plans[api] = {
            "refusal": [refusal.rule, refusal.error] if refusal else None,
            "steps": [[step.strategy.value, *step.rules] for step in plan.steps],
        }
    record.note(plans=plans, imported="paddle" in sys.modules)


def import_paddle(record: Record) -> None:
    record.stage("import")
    import paddle

    record.note(version=paddle.__version__)


def load(record: Record, model: str, api: str, loader: str, outputs: str, *options: str) -> None:
    """Load, run on the stored inputs, and keep the outputs."""
    record.stage("start")
    import numpy as np

    inputs = _inputs(Path(model))
    prefix = str(Path(model) / "model")
    disabled = options[1::2]
    if loader == "paddle":
        record.stage("import")
        import paddle  # noqa: F401
    elif api == "program":
        # The caller of this API makes an executor first, so here it is the plan that must speak
        # before paddle is imported.
        refused = _refusal(prefix, api, disabled)
        if refused:
            record.note(error=refused.error, message=refused.problem, rule=refused.rule)
            return
    record.stage("load")
    loaded, run = _LOADERS[api](prefix, loader, disabled)
    if loader != "paddle":
        from compatload import load_report

        report = load_report(loaded)
        if report:
            record.note(strategy=report.step.strategy.value, rules=list(report.rules))
    record.stage("run")
    np.savez(outputs, *run(inputs))


def _refusal(prefix: str, api: str, disabled: tuple[str, ...]) -> Any:
    from compatload import detect_runtime, inspect_artifact, plan_load

    plan = plan_load(inspect_artifact(prefix), detect_runtime(), api, disabled_rules=disabled)
    return plan.refusal


def _layer(prefix: str, loader: str, disabled: tuple[str, ...]) -> tuple[Any, Any]:
    if loader == "paddle":
        import paddle

        layer = paddle.jit.load(prefix)
    else:
        from compatload import safe_load

        layer = safe_load(prefix, disabled_rules=disabled)
    layer.eval()

    def run(inputs: Inputs) -> list[Any]:
        import paddle

        results = layer(*(paddle.to_tensor(array) for array in inputs.values()))
        return [leaf.numpy() for leaf in paddle.utils.flatten(results)]

    return layer, run


def _program(prefix: str, loader: str, disabled: tuple[str, ...]) -> tuple[Any, Any]:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    if loader == "paddle":
        model = paddle.static.load_inference_model(prefix, executor)
    else:
        from compatload import safe_load_inference_model

        model = safe_load_inference_model(prefix, executor, disabled_rules=disabled)
    program, feeds, fetches = model

    def run(inputs: Inputs) -> list[Any]:
        feed = dict(zip(feeds, inputs.values()))
        return list(executor.run(program, feed=feed, fetch_list=fetches))

    return model, run


def _predictor(prefix: str, loader: str, disabled: tuple[str, ...]) -> tuple[Any, Any]:
    if loader == "paddle":
        import paddle

        suffix = ".pdmodel" if Path(prefix + ".pdmodel").exists() else ".json"
        config = paddle.inference.Config(prefix + suffix, prefix + ".pdiparams")
        config.disable_glog_info()
        predictor = paddle.inference.create_predictor(config)
    else:
        from compatload import safe_create_predictor

        predictor = safe_create_predictor(prefix, disabled_rules=disabled)

    def run(inputs: Inputs) -> list[Any]:
        for name, array in zip(predictor.get_input_names(), inputs.values()):
            predictor.get_input_handle(name).copy_from_cpu(array)
        predictor.run()
        handles = map(predictor.get_output_handle, predictor.get_output_names())
        return [handle.copy_to_cpu() for handle in handles]

    return predictor, run


def _inputs(model: Path) -> Inputs:
    """The first stored set of inputs, in the order in which the layer takes them."""
    import numpy as np

    case = json.loads((model / "case.json").read_text("utf-8"))
    names = [one["name"] for one in case["methods"]["forward"]["inputs"]]
    with np.load(model / "io.npz", allow_pickle=False) as stored:
        return {name: stored[f"0/forward/in/{name}"] for name in names}


def serve(job: Path, seconds: float) -> None:
    """Answer every question of the job, each in a forked process of its own.

    Questions marked ``fresh`` start without Paddle; for the others it is imported once, unless a
    question whether it can be was answered with no.
    """
    importable = True
    for number, one in enumerate(json.loads((job / "jobs.json").read_text("utf-8"))):
        if importable and not one["fresh"]:
            import paddle  # noqa: F401
        child = os.fork()
        if child == 0:
            _answer(one, job / f"{number}.err")
        said = _wait(child, seconds)
        if one["arguments"][1] == "import":
            importable = said["code"] == 0
        ending = job / f"{number}.ending.json"
        ending.with_suffix(".part").write_text(json.dumps(said), "utf-8")
        ending.with_suffix(".part").replace(ending)


def _answer(one: Any, errors: Path) -> None:
    try:
        os.environ.update(one["environment"])
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
        main(one["arguments"])
    finally:
        sys.stderr.flush()
        os._exit(0)


def _wait(child: int, seconds: float) -> dict[str, object]:
    """Exit code (negative: the signal) of a child, killed when its time is over."""
    end = time.monotonic() + seconds
    timed_out = False
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return {"code": code, "timed_out": timed_out}
        if time.monotonic() > end and not timed_out:
            timed_out = True
            os.kill(child, signal.SIGKILL)
        time.sleep(0.05)


_TASKS = {"runtime": tell_runtime, "import": import_paddle, "load": load}
_LOADERS = {"layer": _layer, "program": _program, "predictor": _predictor}

if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(Path(sys.argv[2]), float(sys.argv[3]))
    else:
        main(sys.argv[1:])
