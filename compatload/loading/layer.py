"""Paddle's layer of prepared programs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from compatload.artifact.model import Format
from compatload.loading.buffers import as_saved
from compatload.loading.execution import import_paddle
from compatload.loading.forked import keep_usable_in_forks
from compatload.loading.modes import device_scope, dynamic_mode, legacy_mode, pir_mode
from compatload.loading.pipeline import Material
from compatload.loading.request import Request
from compatload.loading.sequences import guard, sequences_of
from compatload.loading.staging import staged
from compatload.plan import Step, Strategy


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
            # Few loads need it, and what it imports.
            from compatload.programs.legacy_to_pir import require_translatable

            for program in prepared.programs.values():
                require_translatable(program)
            scopes.enter_context(legacy_mode(paddle))
        elif prepared.format is Format.PIR and not material.runtime.ir_mode.pir:
            scopes.enter_context(pir_mode(paddle))
        layer = paddle.jit.load(prefix)
        keep_usable_in_forks(layer)
        artifact = material.artifact
        as_saved(layer, artifact.info)
        names = [spec.name for spec in artifact.inputs]
        guard(layer, names, sequences_of(material), artifact.path)
        return layer, prepared.repairs
