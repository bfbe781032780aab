"""Load a model saved by Paddle 2.6.2 in the Paddle that is installed, and compare its output."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from compatload.artifact.inspection import inspect_whole
from compatload.cli.inspect import describe
from compatload.drop_ins import safe_load
from compatload.errors import LoadError
from compatload.plan import Api
from compatload.planning import plan_load
from compatload.runtime.detection import detect_runtime
from compatload.trials.children import run as run_child

_MODEL = Path(__file__).resolve().parent.parent / "demo" / "model"
_TOLERANCE = 1e-5
_OWN_CALL = "compatload.cli.demo:load_alone"
_OWN_CALL_SECONDS = 300

EXIT_CODES = "exit codes: 0 loaded, 1 it does not load here, 2 usage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the plan as JSON, nothing else")


def run(arguments: argparse.Namespace) -> int:
    artifact = inspect_whole(_MODEL)
    plan = plan_load(artifact, detect_runtime(), Api.LAYER)
    if arguments.json:
        print(json.dumps(plan.to_dict(), indent=2))
        return 0 if plan.refusal is None else 1
    print(f"The model\n\n{describe(artifact)}\n")
    if plan.refusal is None:
        print(f"paddle.jit.load\n\n  {_own_call()}\n")
    print(f"compatload's plan\n\n{plan.explain()}\n")
    difference = _largest_difference()
    print("safe_load\n")
    print(f"  largest difference from what Paddle 2.6.2 computed: {difference:.2g}")
    if difference > _TOLERANCE:
        raise LoadError(
            f"the demo model computes other numbers here (difference {difference:.2g})",
            action="Report this with the output of `compatload env`.",
        )
    return 0


def _own_call() -> str:
    """What Paddle's own call says, in a process of its own: Paddle may crash."""
    end = run_child(_OWN_CALL, str(_MODEL), timeout=_OWN_CALL_SECONDS)
    return "loads it" if end.status == 0 else end.last_line or f"dies ({end.how})"


def load_alone(path: str) -> None:
    """Paddle's own call, in a child process."""
    import paddle

    paddle.jit.load(path)


def _largest_difference() -> float:
    layer = safe_load(_MODEL)
    import numpy
    import paddle

    layer.eval()
    worst = 0.0
    with numpy.load(_MODEL.parent / "io.npz", allow_pickle=False) as stored:
        for name in stored.files:
            number, method, direction, _ = name.split("/")
            if direction != "in" or method != "forward":
                continue
            output = layer(paddle.to_tensor(stored[name])).numpy()
            expected = stored[f"{number}/forward/out/0"]
            worst = max(worst, float(numpy.abs(output - expected).max()))
    return worst
