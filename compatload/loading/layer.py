"""``safe_load``, for ``paddle.jit.load``."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

from compatload.artifact.model import Format
from compatload.collection import collection_paused
from compatload.loading.configs import file_names
from compatload.loading.execution import import_paddle
from compatload.loading.modes import device_scope, dynamic_mode, legacy_mode, pir_mode
from compatload.loading.pipeline import Material, load
from compatload.loading.request import Request
from compatload.loading.staging import staged
from compatload.plan import Api, Step, Strategy


@collection_paused()
def safe_load(
    path: str | os.PathLike[str],
    *,
    device: str | None = None,
    trusted: Collection[str] = (),
    trusted_operators: Collection[str] = (),
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
        trusted_operators: exact names of operators that no release knows (a custom library's, which
            has to be loaded before), or that do more than compute, to let in all the same.
        disabled_rules: ids of rules to leave out, to see what happens without them.
        inference_only: return an ``InferenceLayer``: the same calls, by a pool of predictors, for
            many threads at once and several times faster on a CPU; it can only infer.
        verify: of a model with a record (``safe_save``): True compares the hash of every file, and
            runs the recorded sample; None the program's hash and all sizes; False nothing.
        configs: ``model_filename`` and ``params_filename``, as Paddle has them; with
            ``inference_only`` also the fields of ``compatload.serving.options.InferenceOptions``
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
    options = None
    if inference_only:
        from compatload.serving.options import split_options

        options, configs = split_options(configs)
    program, params = file_names("safe_load", configs)
    request = Request(
        *(path, Api.LAYER, device, program, params),
        *(trusted, tuple(disabled_rules), trusted_operators, verify),
    )
    if options is None:
        return load(request, partial(make_layer, request), started)
    from compatload.serving.load import load_for_inference

    return load_for_inference(request, options, started)


def make_layer(request: Request, material: Material, step: Step) -> tuple[Any, tuple[str, ...]]:
    """Paddle's layer of prepared programs, and the rules by which those were rewritten."""
    paddle = import_paddle()
    prepared = material.prepared
    with ExitStack() as scopes:
        prefix = scopes.enter_context(
            staged(material.artifact, prepared, trusted=tuple(request.trusted))
        )
        scopes.enter_context(dynamic_mode(paddle))
        device = material.plan.device if request.device else None
        scopes.enter_context(device_scope(paddle, device))
        if step.strategy is Strategy.LEGACY_MODE:
            scopes.enter_context(legacy_mode(paddle))
        elif prepared.format is Format.PIR and not material.runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        return paddle.jit.load(prefix), prepared.repairs
