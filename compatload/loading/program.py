"""``safe_load_inference_model``, for ``paddle.static.load_inference_model``."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

from compatload.artifact.model import MEMORY, Artifact, Format
from compatload.collection import collection_paused
from compatload.errors import UsageError
from compatload.loading.configs import file_names
from compatload.loading.execution import import_paddle
from compatload.loading.modes import pir_mode, static_mode
from compatload.loading.pipeline import Material, load
from compatload.loading.request import Request
from compatload.loading.staging import staged
from compatload.plan import Api, Step


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
    trusted_operators: Collection[str] = (),
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
        trusted, trusted_operators, disabled_rules: as for ``safe_load``.
        kwargs: ``model_filename`` and ``params_filename``, as Paddle has them.

    Raises what ``safe_load`` raises. Modes, flags and environment are put back as there.
    """
    started = time.perf_counter()
    program, params = file_names("safe_load_inference_model", kwargs)
    request = Request(
        MEMORY if path_prefix is None else path_prefix,
        Api.PROGRAM,
        program=program,
        params=params,
        trusted=trusted,
        disabled_rules=tuple(disabled_rules),
        trusted_operators=trusted_operators,
    )
    found, weights = (None, None) if path_prefix is not None else _from_memory(program, params)
    return load(request, partial(_make, executor, weights), started, found=found)


def _from_memory(program: object, params: object) -> tuple[Artifact, bytes]:
    if not isinstance(program, bytes) or not isinstance(params, bytes):
        raise UsageError(
            "path_prefix is None, and model_filename and params_filename are not both bytes",
            action="Pass the bytes of program and weights, or a path.",
        )
    from compatload.artifact.inspection import inspect_bytes

    return inspect_bytes(program, params), params


def _make(
    executor: Any, weights: bytes | None, material: Material, step: Step
) -> tuple[InferenceModel, tuple[str, ...]]:
    paddle = import_paddle()
    prepared = material.prepared
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(material.artifact, prepared, weights=weights))
        scopes.enter_context(static_mode(paddle))
        if prepared.format is Format.PIR and not material.runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        loaded = paddle.static.load_inference_model(prefix, executor)
        return InferenceModel(loaded), prepared.repairs
