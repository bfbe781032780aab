"""Paddle's static program of prepared ones."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from compatload.artifact.model import Artifact, Format
from compatload.errors import UsageError
from compatload.loading.execution import import_paddle
from compatload.loading.modes import pir_mode, static_mode
from compatload.loading.pipeline import Material
from compatload.loading.staging import staged
from compatload.plan import Step


class InferenceModel(list[Any]):
    """The list ``[program, feed_target_names, fetch_targets]`` that Paddle's loader returns.

    A plain list in every respect; a class of its own so that ``load_report`` can find it again.
    """


def in_memory(program: object, params: object) -> tuple[Artifact, bytes]:
    """The artifact of the bytes that stand in place of file names, and its weights."""
    if not isinstance(program, bytes) or not isinstance(params, bytes):
        raise UsageError(
            "path_prefix is None, and model_filename and params_filename are not both bytes",
            action="Pass the bytes of program and weights, or a path.",
        )
    from compatload.artifact.inspection import inspect_bytes

    return inspect_bytes(program, params), params


def make_program(
    executor: Any, weights: bytes | None, material: Material, step: Step
) -> tuple[InferenceModel, tuple[str, ...]]:
    """Paddle's list of prepared programs, and the rules by which those were rewritten."""
    paddle = import_paddle()
    prepared = material.prepared
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(material.artifact, prepared, weights=weights))
        scopes.enter_context(static_mode(paddle))
        if prepared.format is Format.PIR and not material.runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        loaded = paddle.static.load_inference_model(prefix, executor)
        return InferenceModel(loaded), prepared.repairs
