"""``safe_load_inference_model``, for ``paddle.static.load_inference_model``."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from typing import Any

from compatload.artifact.model import Artifact, Format
from compatload.collection import collection_paused
from compatload.errors import UsageError
from compatload.loading.configs import file_names
from compatload.loading.execution import carry_out, import_paddle
from compatload.loading.modes import pir_mode, static_mode
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.recall import Memory, Recollection
from compatload.loading.request import Request
from compatload.loading.staging import staged
from compatload.plan import Api, Step
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
    disabled = tuple(disabled_rules)
    if path_prefix is None:
        return _load_from_memory(program, params, executor, runtime, disabled, started)
    request = Request(
        path_prefix,
        Api.PROGRAM,
        program=program,
        params=params,
        trusted=trusted,
        disabled_rules=disabled,
    )
    memory = Memory(request, runtime)

    def again(known: Recollection, step: Step) -> tuple[InferenceModel, tuple[str, ...]]:
        return _load(known.artifact, known.prepared, runtime, executor)

    loaded = memory.replay(again, started)
    return _load_anew(request, runtime, memory, executor, started) if loaded is None else loaded


def _load_anew(
    request: Request, runtime: Runtime, memory: Memory, executor: Any, started: float
) -> InferenceModel:
    # A load that is known needs neither, and they take a tenth of a second to import.
    from compatload.loading.cached import prepare_cached
    from compatload.planning import plan_load

    artifact = request.inspect(runtime)
    plan = plan_load(artifact, runtime, Api.PROGRAM, disabled_rules=request.disabled_rules)
    prepared: PreparedPrograms | None = None

    def attempt(step: Step) -> tuple[InferenceModel, tuple[str, ...]]:
        nonlocal prepared
        prepared = prepare_cached(artifact, step, import_paddle(), Api.PROGRAM)
        return _load(artifact, prepared, runtime, executor)

    loaded = carry_out(plan, artifact, attempt, started)
    memory.keep(loaded, artifact, plan, prepared)
    return loaded


def _load_from_memory(
    program: object,
    params: object,
    executor: Any,
    runtime: Runtime,
    disabled: tuple[str, ...],
    started: float,
) -> InferenceModel:
    from compatload.loading.cached import prepare_cached
    from compatload.planning import plan_load

    artifact, weights = _from_memory(program, params)
    plan = plan_load(artifact, runtime, Api.PROGRAM, disabled_rules=disabled)

    def attempt(step: Step) -> tuple[InferenceModel, tuple[str, ...]]:
        prepared = prepare_cached(artifact, step, import_paddle(), Api.PROGRAM)
        return _load(artifact, prepared, runtime, executor, weights)

    return carry_out(plan, artifact, attempt, started)


def _from_memory(program: object, params: object) -> tuple[Artifact, bytes]:
    if not isinstance(program, bytes) or not isinstance(params, bytes):
        raise UsageError(
            "path_prefix is None, and model_filename and params_filename are not both bytes",
            action="Pass the bytes of program and weights, or a path.",
        )
    from compatload.artifact.inspection import inspect_bytes

    return inspect_bytes(program, params), params


def _load(
    artifact: Artifact,
    prepared: PreparedPrograms,
    runtime: Runtime,
    executor: Any,
    weights: bytes | None = None,
) -> tuple[InferenceModel, tuple[str, ...]]:
    paddle = import_paddle()
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(artifact, prepared, weights=weights))
        scopes.enter_context(static_mode(paddle))
        if prepared.format is Format.PIR and not runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        loaded = paddle.static.load_inference_model(prefix, executor)
        return InferenceModel(loaded), prepared.repairs
