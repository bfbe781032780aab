"""Whether a single predictor is tried in a child process before it is made here."""

from __future__ import annotations

import os
from dataclasses import replace

from compatload.artifact.model import MEMORY, Artifact
from compatload.loading.pipeline import Judged
from compatload.loading.request import Request
from compatload.plan import Plan, Strategy
from compatload.runtime.model import Runtime


def judged(
    request: Request,
    threads: int | None,
    preflight: bool | None,
    artifact: Artifact,
    plan: Plan,
    runtime: Runtime,
) -> Judged:
    """The plan, followed by plainer ways and from the step on that was found good.

    ``preflight`` None means where nobody measured the release. What is in memory is not tried.

    Raises what ``Preflight.judged`` raises.
    """
    wanted = plan.inferred_from is not None if preflight is None else preflight
    if not (wanted and plan.steps):
        return Judged(plan)
    if artifact.path == MEMORY:
        return Judged(plan, notes=("not tried in a child process: it is in memory",))
    # Loads on measured releases, and those that are known, do not need them.
    from compatload.serving.options import InferenceOptions
    from compatload.serving.preflight import Preflight
    from compatload.serving.steps import with_further_steps

    steps = with_further_steps(plan).steps
    plan = replace(plan, steps=tuple(one for one in steps if one.strategy is not Strategy.LAYER))
    options = InferenceOptions(threads=threads, preflight=preflight)
    return Preflight(artifact, runtime, plan, options, _named(request, artifact)).judged()


def _named(request: Request, artifact: Artifact) -> Request:
    """The request by names of files, where a Config gave them."""
    if request.path != MEMORY:
        return request
    folder, program = os.path.split(artifact.files.program)
    weights = [os.path.relpath(one, folder or ".") for one in artifact.files.parameters]
    params = weights[0] if len(weights) == 1 else None
    return replace(request, path=folder or ".", program=program, params=params)
