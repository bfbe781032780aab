"""``safe_load_inference_model``, for ``paddle.static.load_inference_model``."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from typing import Any

from compatload.artifact.deferred import collection_paused
from compatload.artifact.inspection import inspect_bytes, inspect_whole
from compatload.artifact.model import Artifact, Format
from compatload.errors import UsageError
from compatload.loading.cached import prepare_cached
from compatload.loading.configs import file_names, native_format
from compatload.loading.execution import carry_out, import_paddle
from compatload.loading.modes import pir_mode, static_mode
from compatload.loading.staging import staged
from compatload.planning import Step, plan_load
from compatload.rules.model import Api
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Runtime


class InferenceModel(list[Any]):
    """The list ``[program, feed_target_names, fetch_targets]`` that Paddle's loader returns.

    A plain list in every respect; a class of its own so that ``load_report`` can find it again.
    """


@collection_paused()
def safe_load_inference_model(
    path_prefix: str | os.PathLike[str] | None,
    executor: Any,
    *,
    trusted: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    **kwargs: Any,
) -> InferenceModel:
    """Load a saved model as a static program, whichever Paddle saved it.

    Takes what ``paddle.static.load_inference_model`` takes and returns what it returns:
    ``[program, feed_target_names, fetch_targets]``, to be run by ``executor``.

    Args:
        path_prefix: prefix, any one file of the model, or its directory; None if
            ``model_filename`` and ``params_filename`` hold the bytes themselves.
        executor: the ``paddle.static.Executor`` that will run the program; the weights go to its
            place and into the current global scope.
        kwargs: ``model_filename`` and ``params_filename``, as Paddle has them.

    Raises what ``safe_load`` raises. Modes, flags and environment are put back as there.
    """
    started = time.perf_counter()
    program, params = file_names("safe_load_inference_model", kwargs)
    runtime = detect_runtime()
    if path_prefix is None:
        artifact = _from_memory(program, params)
    else:
        artifact = inspect_whole(
            path_prefix,
            prefer=native_format(runtime),
            program=program,
            params=params,
            trusted=trusted,
        )
    plan = plan_load(artifact, runtime, Api.PROGRAM, disabled_rules=disabled_rules)
    weights = params if path_prefix is None else None

    def attempt(step: Step) -> tuple[InferenceModel, tuple[str, ...]]:
        return _load(artifact, step, runtime, executor, weights)

    return carry_out(plan, artifact, attempt, started)


def _from_memory(program: object, params: object) -> Artifact:
    if not isinstance(program, bytes) or not isinstance(params, bytes):
        raise UsageError(
            "path_prefix is None, and model_filename and params_filename are not both bytes",
            action="Pass the bytes of program and weights, or a path.",
        )
    return inspect_bytes(program, params)


def _load(
    artifact: Artifact, step: Step, runtime: Runtime, executor: Any, weights: bytes | None
) -> tuple[InferenceModel, tuple[str, ...]]:
    paddle = import_paddle()
    prepared = prepare_cached(artifact, step, paddle, Api.PROGRAM)
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(artifact, prepared, weights=weights))
        scopes.enter_context(static_mode(paddle))
        if prepared.format is Format.PIR and not runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        loaded = paddle.static.load_inference_model(prefix, executor)
        return InferenceModel(loaded), prepared.repairs
