"""``safe_load(path, inference_only=True, engine=…)``: models that Paddle need not run."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import inf

from compatload.artifact.model import Artifact
from compatload.artifact.record import Record
from compatload.engines.engine import EXACT_IN_FLOAT32, INSTEAD, Engine, EngineProgram
from compatload.engines.known import ENGINES, installed
from compatload.errors import EngineNotFoundError, IncompatibleError, UsageError
from compatload.frozen import frozen
from compatload.loading.execution import carry_out
from compatload.loading.pipeline import recorded
from compatload.loading.report import note
from compatload.loading.request import Request
from compatload.operators.admission import require_admissible
from compatload.plan import Api, Plan, Step, Strategy
from compatload.planning import choose_device
from compatload.runtime.model import Runtime
from compatload.serving.engine_requests import (
    BoundedRequest,
    compiled,
    kept_program,
    require_recorded,
)
from compatload.serving.engine_trial import EngineTrial
from compatload.serving.engine_verdict import EngineVerdict
from compatload.serving.layer import InferenceLayer
from compatload.serving.options import InferenceOptions
from compatload.serving.pool import RunnerPool
from compatload.serving.pooled import named_inputs
from compatload.serving.predictors import load_for_inference
from compatload.serving.shapes import renamed
from compatload.serving.values import ARRAYS, SharedTensors
from compatload.store.measured import runtime_here

# Refusals that say that Paddle itself cannot be had in this process.
_WITHOUT_PADDLE = ("PaddleNotFoundError", "CpuUnsupportedError", "NumpyUnsupportedError")
# Errors that say nothing of the model as such, which Paddle may well run.
_ABOUT_ENGINE = (EngineNotFoundError, IncompatibleError)

logger = logging.getLogger("compatload")


def load_with_engine(request: Request, options: InferenceOptions, started: float) -> InferenceLayer:
    """The model run by the engine that ``options`` name. Raises what ``safe_load`` raises, and
    EngineNotFoundError.

    ``request`` is one for a layer.
    """
    elsewhere = _elsewhere(request, options)
    engine = ENGINES.get(options.engine)
    if engine is None:
        if elsewhere:
            return _by_paddle(request, options, started, f"{elsewhere} was asked for")
        return _by_fastest(request, options, started)
    if elsewhere:
        raise UsageError(
            f"{elsewhere} cannot be had with engine={engine.name!r}, which runs on the CPU",
            action='Leave it out, or pass engine="paddle".',
        )
    candidate = EngineCandidate.found(engine, request, options)
    return candidate.load(started, candidate.judged())


def _by_fastest(request: Request, options: InferenceOptions, started: float) -> InferenceLayer:
    """Each engine that is installed is tried; the last that is right is timed beside the others."""
    right: dict[str, tuple[EngineCandidate, EngineVerdict]] = {}
    wrong: list[str] = []
    timing: EngineVerdict | None = None
    for engine in installed():
        try:
            candidate = EngineCandidate.found(engine, request, options)
            verdict = candidate.judged(tuple(right))
        except _ABOUT_ENGINE as error:
            wrong.append(error.problem)
            continue
        if verdict.compared and (verdict.whole or inf) <= EXACT_IN_FLOAT32:
            wrong.append(f"{engine.title} computes whole numbers above {verdict.whole:,} otherwise")
            continue
        right[engine.name] = candidate, verdict
        timing = verdict if verdict.milliseconds else timing
    if not right:
        names = " nor ".join(engine.title for engine in ENGINES.values())
        why = "; ".join(wrong) or f"neither {names} is installed here"
        return _by_paddle(request, options, started, why)
    fastest = next(iter(right)) if timing is None else timing.fastest()
    if timing is not None and fastest not in right:
        return _by_paddle(request, options, started, timing.told())
    candidate, verdict = right[str(fastest)]
    if timing is not None:
        verdict = replace(verdict, milliseconds=timing.milliseconds, shapes=timing.shapes)
    return candidate.load(started, verdict)


def _elsewhere(request: Request, options: InferenceOptions) -> str:
    """What of a request means another place than the CPU."""
    asked = [name for name in ("tensorrt", "gpu_memory_mb") if getattr(options, name) is not None]
    if request.device not in (None, "cpu", "auto"):
        asked.append(f"device={request.device!r}")
    elif request.device == "auto" or options.engine == "auto":
        device, _ = choose_device(runtime_here(), request.device, Api.LAYER)
        asked += [] if device == "cpu" else [device]
    return " and ".join(asked)


def _by_paddle(
    request: Request, options: InferenceOptions, started: float, why: str
) -> InferenceLayer:
    layer = load_for_inference(request, replace(options, engine="paddle"), started)
    note(layer, f"engine: paddle; {why}")
    return layer


@frozen
class EngineCandidate:
    """A model as an engine would run it; ``plan`` is how Paddle would."""

    engine: Engine
    request: Request
    options: InferenceOptions
    runtime: Runtime
    artifact: Artifact
    record: Record | None
    plan: Plan
    release: str
    program: EngineProgram

    @classmethod
    def found(cls, engine: Engine, request: Request, options: InferenceOptions) -> EngineCandidate:
        """Inspected, admitted and rewritten. Raises what each of those does."""
        release = engine.require_installed()
        runtime = runtime_here()
        artifact = request.inspect(runtime)
        require_admissible(artifact, request.trusted_operators)
        record = recorded(artifact, request)
        asked = replace(request, api=Api.PREDICTOR, pooled=True, device="cpu")
        program = kept_program(artifact, engine, release)
        plan = asked.plan(artifact, runtime)
        return cls(engine, asked, options, runtime, artifact, record, plan, release, program)

    def judged(self, rivals: tuple[str, ...] = ()) -> EngineVerdict:
        """Whether it computes what it should, as a child process found it once on this machine, and
        its times beside those of ``rivals``.

        Raises:
            IncompatibleError: it does not, or crashes.
        """
        verdict = EngineTrial(
            self.artifact,
            self.runtime,
            self.plan,
            self.options,
            self.request,
            self.program,
            self.engine,
            self.release,
            rivals,
        ).verdict()
        if verdict.problem:
            raise IncompatibleError(
                f"{self.engine.title} {self.release} does not run {self.artifact.path} as Paddle "
                f"does: {verdict.problem}",
                action=INSTEAD,
                artifact=self.artifact.path,
            )
        return verdict

    def load(self, started: float, verdict: EngineVerdict) -> InferenceLayer:
        """The layer, with a report. Raises LoadError where it was to be verified, and differs."""
        name, title = self.engine.name, self.engine.title
        if not verdict.compared:
            logger.warning("%s: %s serves, and %s", self.artifact.path, title, verdict.told())
        changes = (f"rewritten for {title}: {one}" for one in self.program.changes)
        notes = (f"engine: {name} {self.release}; {verdict.told()}", *changes)
        plan = Plan(
            artifact=self.artifact.path,
            format=self.artifact.format.value,
            saved_by=self.artifact.saved_by,
            runtime=f"{title} {self.release}",
            api=Api.PREDICTOR,
            device="cpu",
            steps=(
                Step(Strategy(self.engine.name), "engine= asked for it, or it is the fastest here"),
            ),
        )
        attempt = lambda _: (self.layer(verdict.whole), ())  # noqa: E731
        return carry_out(plan, self.artifact, attempt, started, notes=notes)

    def layer(self, whole: int | None = None) -> InferenceLayer:
        """The model compiled, whatever was found about it; ``whole`` is as of its verdict."""
        options = self.options
        requests = compiled(
            self.artifact,
            self.program,
            self.engine,
            options.math_threads,
            options.pool_size,
            options.shapes,
        )
        if self.record is not None and self.request.verify:
            require_recorded(
                requests[0], self.record, self.artifact.path, self.engine, options.shapes
            )
        if whole is not None:
            requests = [BoundedRequest(one, whole, self.engine.title) for one in requests]
        refusal = self.plan.refusal
        has_paddle = refusal is None or refusal.error not in _WITHOUT_PADDLE
        return InferenceLayer(
            RunnerPool(requests, name=self.artifact.path, own_threads=False),
            named_inputs(self.artifact, self.program.inputs),
            tuple(spec.name for spec in self.artifact.outputs),
            path=self.artifact.path,
            values=SharedTensors() if has_paddle else ARRAYS,
            acquire_timeout=options.acquire_timeout,
            shapes=renamed(self.artifact.inputs, self.program.inputs, options.shapes),
        )
