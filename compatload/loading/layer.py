"""``safe_load``, for ``paddle.jit.load``."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from typing import Any

from compatload.artifact.model import Artifact, Format
from compatload.collection import collection_paused
from compatload.loading.configs import file_names
from compatload.loading.execution import carry_out, import_paddle
from compatload.loading.modes import device_scope, dynamic_mode, legacy_mode, pir_mode
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.recall import Memory, Recollection
from compatload.loading.request import Request
from compatload.loading.staging import staged
from compatload.plan import Api, Plan, Step, Strategy
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Runtime


@collection_paused()
def safe_load(
    path: str | os.PathLike[str],
    *,
    device: str | None = None,
    trusted: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    inference_only: bool = False,
    verify: bool | None = None,
    **configs: Any,
) -> Any:
    """Load a saved model as a layer, whichever Paddle saved it and whichever is installed.

    Takes what ``paddle.jit.load`` takes and returns what it returns: a layer that can be called,
    trained, put on ``eval()``, and asked for its ``state_dict()`` and further methods.

    Args:
        path: prefix (``"dir/model"``), any one file of the model, or its directory.
        device: where parameters are put: Paddle's own strings, or ``"auto"`` for the accelerator
            if the build and the machine both have one. None leaves Paddle's current device.
        trusted: exact names of globals that the model's pickle may ask for; none by default.
        disabled_rules: ids of rules to leave out, to see what happens without them.
        inference_only: return an ``InferenceLayer``: the same calls, by a pool of predictors, for
            many threads at once and several times faster on a CPU; it can only infer.
        verify: of a model with a record (``safe_save``): True compares the hash of every file, and
            runs the recorded sample; None the program's hash and all sizes; False nothing.
        configs: ``model_filename`` and ``params_filename``, as Paddle has them; with
            ``inference_only`` also the fields of ``compatload.inference.options.InferenceOptions``
            (``threads``, ``pool_size``, ``acquire_timeout``, ``preflight`` …).

    Raises:
        ArtifactNotFoundError, DamagedArtifactError, WeightsMismatchError, UnsafeArtifactError,
        UnsupportedFormatError: what is on disk cannot be used.
        PaddleNotFoundError, CpuUnsupportedError, NumpyUnsupportedError, DeviceUnavailableError:
            this machine or installation cannot do it; found before paddle is imported.
        IncompatibleError: the two do not go together without more work.
        LoadError: every step of the plan failed; it lists them.

    Flags, IR mode, static or dynamic mode, device and environment are as before when it returns,
    also by an error. If a step switches PIR, other threads see that while it lasts; Python's
    collector of cycles pauses for all of them until it returns. With ``inference_only`` glibc keeps
    up to 62 MB of freed memory for the process from then on.
    """
    started = time.perf_counter()
    if inference_only:
        from compatload.inference.load import load_for_inference
        from compatload.inference.options import split_options

        options, configs = split_options(configs)
        program, params = file_names("safe_load", configs)
        return load_for_inference(
            path,
            options,
            device=device,
            program=program,
            params=params,
            trusted=trusted,
            disabled_rules=disabled_rules,
            verify=verify,
        )
    program, params = file_names("safe_load", configs)
    runtime = detect_runtime()
    request = Request(
        path,
        Api.LAYER,
        device,
        program,
        params,
        trusted,
        tuple(disabled_rules),
        records=verify is not False,
    )
    memory = Memory(request, runtime)

    def again(known: Recollection, step: Step) -> tuple[Any, tuple[str, ...]]:
        return _load(known.artifact, known.prepared, step, runtime, known.plan, request)

    layer = memory.replay(again, started)
    return _load_anew(request, runtime, memory, verify, started) if layer is None else layer


def _load_anew(
    request: Request, runtime: Runtime, memory: Memory, verify: bool | None, started: float
) -> Any:
    # A load that is known needs neither, and they take a tenth of a second to import.
    from compatload.loading.cached import prepare_cached
    from compatload.planning import plan_load

    artifact = request.inspect(runtime)
    record = None
    if artifact.files.record is not None and request.records:
        from compatload.exporting.recorded import require_recorded_files

        record = require_recorded_files(artifact, whole=bool(verify))
    plan = plan_load(
        artifact,
        runtime,
        Api.LAYER,
        device=request.device,
        disabled_rules=request.disabled_rules,
    )
    prepared: PreparedPrograms | None = None

    def attempt(step: Step) -> tuple[Any, tuple[str, ...]]:
        nonlocal prepared
        prepared = prepare_cached(artifact, step, import_paddle(), Api.LAYER)
        return _load(artifact, prepared, step, runtime, plan, request)

    layer = carry_out(plan, artifact, attempt, started)
    if record is not None and verify:
        from compatload.exporting.recorded import require_recorded_outputs

        require_recorded_outputs(layer, record, artifact.path)
    memory.keep(layer, artifact, plan, prepared)
    return layer


def _load(
    artifact: Artifact,
    prepared: PreparedPrograms,
    step: Step,
    runtime: Runtime,
    plan: Plan,
    request: Request,
) -> tuple[Any, tuple[str, ...]]:
    paddle = import_paddle()
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(artifact, prepared, trusted=tuple(request.trusted)))
        scopes.enter_context(dynamic_mode(paddle))
        scopes.enter_context(device_scope(paddle, plan.device if request.device else None))
        if step.strategy is Strategy.LEGACY_MODE:
            scopes.enter_context(legacy_mode(paddle))
        elif prepared.format is Format.PIR and not runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        return paddle.jit.load(prefix), prepared.repairs
