"""Run by a release's interpreter: what `check` says of models for this release, and what is so.

    promised_loads.py IDENTITY_OR_FOLDER…

A folder is one of the zoo's, which holds what a fixture does. Prints one JSON object:
identity → what broke a promise, in words; nothing where all were kept.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
warnings.simplefilter("ignore")

import paddle  # noqa: E402
from fixtures.index import Fixture, agrees, fixture  # noqa: E402

from compatload import safe_load  # noqa: E402
from compatload.artifact.inspection import inspect_whole  # noqa: E402
from compatload.checking.finding import ModelVerdict, Way  # noqa: E402
from compatload.checking.judgement import judge  # noqa: E402
from compatload.checking.run_child import _LOADERS  # noqa: E402
from compatload.checking.target import parse_target  # noqa: E402
from compatload.errors import CompatLoadError  # noqa: E402
from compatload.trials.layers import run  # noqa: E402


def broken(one: Fixture) -> list[str]:
    artifact = inspect_whole(str(one.path))
    verdict, _ = judge(artifact, parse_target(paddle.__version__), str(one.path))
    told = []
    for loader in verdict.loaders:
        problem = _loaded(one, artifact, loader.api)
        promised = verdict.way is not Way.NONE and bool(loader.steps)
        if promised and problem:
            told.append(f"{loader.api}: {verdict.way.value}, but {problem}")
        if not promised and not problem:
            told.append(f"{loader.api}: {verdict.way.value}, but it loads")
    return told + _methods(one, verdict)


def _loaded(one: Fixture, artifact, api: str) -> str:
    names = [spec.name for spec in artifact.inputs]
    try:
        load = _LOADERS[api](artifact, str(one.path), "compatload", ())
        for number in one.sets:
            inputs = one.inputs(number)
            if not agrees(load({name: inputs[name] for name in names}), one.outputs(number), 1e-4):
                return f"gives other numbers for set {number}"
    except (CompatLoadError, RuntimeError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        paddle.disable_static()
    return ""


def _methods(one: Fixture, verdict: ModelVerdict) -> list[str]:
    """The judgement of a model is that of all its methods."""
    if verdict.way is Way.NONE:
        return []
    layer = safe_load(str(one.path)) if len(one.methods) > 1 else None
    return [
        f"{method}: other numbers"
        for method in one.methods
        if method != "forward"
        for number in one.sets
        if not agrees(_called(layer, one, method, number), one.outputs(number, method), 1e-4)
    ]


def _called(layer, one: Fixture, method: str, number: int):
    inputs = one.inputs(number, method)
    return run(getattr(layer, method), [inputs[name] for name in one.input_names(method)])


def _of_zoo(folder: str) -> Fixture | None:
    case = Path(folder, "case.json")
    return Fixture(case.parent, json.loads(case.read_text("utf-8"))) if case.exists() else None


def main() -> None:
    told = {}
    for identity in sys.argv[1:]:
        told[identity] = broken(_of_zoo(identity) or fixture(identity))
        print(identity, told[identity], file=sys.stderr, flush=True)
    print("\n" + json.dumps(told))


if __name__ == "__main__":
    main()
