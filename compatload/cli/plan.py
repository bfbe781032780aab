"""Tell how a model would be loaded here, or in a Paddle that is not installed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from compatload.artifact.inspection import inspect_whole
from compatload.cli.shared_options import add_trusted_operators
from compatload.errors import UsageError
from compatload.plan import Api
from compatload.planning import plan_load
from compatload.runtime.detection import runtime_for
from compatload.runtime.model import Runtime
from compatload.runtime.predictor_config import PredictorConfig
from compatload.store.measured import runtime_here

EXIT_CODES = "exit codes: 0 it loads, 1 it is refused, 2 usage, 3 no model there"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="prefix, any one file of a model, or its directory")
    parser.add_argument(
        "--api", choices=[api.value for api in Api], default=Api.LAYER.value, help="which loader"
    )
    parser.add_argument("--device", help="cpu, gpu:0, auto …")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--target", help="a release that is not installed: paddle==3.3.1")
    place.add_argument("--runtime", help="a record made by `compatload env --json` elsewhere")
    parser.add_argument("--config", help="what the predictor's Config asks for, as JSON")
    parser.add_argument("--cpu", help="with --target: a CPU by name, such as hygon-dhyana")
    add_trusted_operators(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    artifact = inspect_whole(arguments.path)
    runtime = _runtime(arguments)
    plan = plan_load(
        artifact,
        runtime,
        arguments.api,
        device=arguments.device,
        trusted_operators=arguments.trusted_operators,
        config=_config(arguments),
    )
    print(json.dumps(plan.to_dict(), indent=2) if arguments.json else plan.explain())
    return 1 if plan.refusal else 0


def _runtime(arguments: argparse.Namespace) -> Runtime:
    if arguments.target:
        return runtime_for(arguments.target, arguments.device or "cpu", arguments.cpu)
    if arguments.cpu:
        raise UsageError("--cpu without --target", action="Name the release, too.")
    if not arguments.runtime:
        return runtime_here()
    return Runtime.from_json(_text(arguments.runtime, "made by `compatload env --json`"))


def _config(arguments: argparse.Namespace) -> PredictorConfig | None:
    if not arguments.config:
        return None
    if arguments.api != Api.PREDICTOR.value:
        raise UsageError(
            f"--config with --api {arguments.api}", action="Pass --api predictor, too."
        )
    return PredictorConfig.from_json(_text(arguments.config, 'such as {"schema": 1}'))


def _text(path: str, kind: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", action=f"Give a file {kind}."
        ) from error
