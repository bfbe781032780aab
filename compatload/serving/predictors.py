"""A path becomes a layer that Paddle's predictors run."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from compatload.artifact.model import Artifact
from compatload.errors import UsageError
from compatload.loading.pipeline import Judged, load
from compatload.loading.request import Request
from compatload.plan import Api, Plan
from compatload.runtime.model import Runtime
from compatload.serving.layer import InferenceLayer
from compatload.serving.options import InferenceOptions
from compatload.serving.pooled import Pool, lending
from compatload.serving.slow_starts import looked_at


def load_for_inference(
    request: Request, options: InferenceOptions, started: float
) -> InferenceLayer:
    """The model behind a pool of predictors. Raises what ``safe_load`` raises.

    ``request`` is one for a layer; predictors are made in its place.
    """
    request = replace(
        request, api=Api.PREDICTOR, pooled=True, anew=not _is_ordinary(options, request)
    )
    worked = time.thread_time()
    layer = load(
        request,
        Pool(request, options).make,
        started,
        judge=partial(_judged, request, options),
        more=lending,
    )
    return looked_at(request, layer, worked)


def _is_ordinary(options: InferenceOptions, request: Request) -> bool:
    """Whether nothing was asked for that has to be looked at anew each time."""
    asked = options.tensorrt or options.gpu_memory_mb
    return not (request.disabled_rules or asked) and options.preflight is None


def _judged(
    request: Request, options: InferenceOptions, artifact: Artifact, plan: Plan, runtime: Runtime
) -> Judged:
    """Every way to serve the model in this runtime, the fastest first, after a preflight if one is
    wanted, or needed: nobody measured the release, or a rule that is switched off was made for
    this."""
    # A load that is known does not need it, and it takes a while to import.
    from compatload.serving.steps import with_further_steps

    plan = with_further_steps(plan, (*artifact.inputs, *artifact.outputs))
    _require_gpu(plan, options)
    if not plan.steps:
        return Judged(plan)
    unmeasured = plan.inferred_from is not None and options.preflight is None
    wanted = options.preflight or unmeasured
    if not (wanted or _is_dangerous(request, artifact, runtime, plan)):
        return Judged(plan)
    from compatload.serving.preflight import Preflight

    return Preflight(artifact, runtime, plan, options, request).judged()


def _is_dangerous(request: Request, artifact: Artifact, runtime: Runtime, plan: Plan) -> bool:
    if not request.disabled_rules:  # nothing is tried for the plans that everybody has
        return False
    from compatload.serving.preflight import is_dangerous

    return is_dangerous(artifact, runtime, plan.device, request.disabled_rules)


def _require_gpu(plan: Plan, options: InferenceOptions) -> None:
    asked = [name for name in ("tensorrt", "gpu_memory_mb") if getattr(options, name) is not None]
    if asked and plan.refusal is None and not plan.device.startswith(("gpu", "dcu")):
        raise UsageError(
            f"{' and '.join(asked)} cannot be had on {plan.device}",
            action="Leave it out, or pass device='gpu:0' where there is a GPU.",
        )
