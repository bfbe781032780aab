"""``safe_load(path, inference_only=True, engine=…)``: models that OpenVINO runs."""

from __future__ import annotations

import logging
from dataclasses import replace

from compatload.artifact.model import Artifact
from compatload.engines import openvino
from compatload.engines.program import EngineProgram, engine_program
from compatload.errors import CompatLoadError, IncompatibleError, UsageError
from compatload.loading.execution import carry_out
from compatload.loading.pipeline import recorded
from compatload.loading.report import note
from compatload.loading.request import Request
from compatload.operators.admission import require_admissible
from compatload.plan import Api, Plan, Step, Strategy
from compatload.runtime.model import Runtime
from compatload.serving.engine_requests import compiled
from compatload.serving.engine_trial import EngineTrial
from compatload.serving.engine_verdict import EngineVerdict
from compatload.serving.layer import InferenceLayer
from compatload.serving.load import load_for_inference, named_inputs
from compatload.serving.options import InferenceOptions
from compatload.serving.pool import RunnerPool
from compatload.serving.values import ARRAYS, SharedTensors
from compatload.store.measured import runtime_here

logger = logging.getLogger("compatload")

# Refusals that say that Paddle itself cannot be had in this process.
_WITHOUT_PADDLE = ("PaddleNotFoundError", "CpuUnsupportedError", "NumpyUnsupportedError")
# What a Paddle of any device but this does faster.
_DEVICES = (None, "auto", "cpu")


def load_with_engine(request: Request, options: InferenceOptions, started: float) -> InferenceLayer:
    """The model run by the engine that ``options`` name. Raises what ``safe_load`` raises, and
    EngineNotFoundError.

    ``request`` is one for a layer.
    """
    if options.engine == "openvino":
        return _by_openvino(request, options, started)
    try:
        candidate = _Candidate.found(request, options)
        verdict = candidate.judged()
    except CompatLoadError as error:
        if not _is_about_engine(error):
            raise
        return _by_paddle(request, options, started, f"engine: paddle, as {error.problem}")
    faster = verdict.faster()
    if faster == openvino.NAME:
        return candidate.load(started, verdict)
    return _by_paddle(request, options, started, f"engine: paddle; {verdict.told()}")


def _is_about_engine(error: CompatLoadError) -> bool:
    """Whether it says nothing of the model as such, which Paddle may well run."""
    from compatload.errors import EngineNotFoundError, LoadError

    return isinstance(error, (EngineNotFoundError, IncompatibleError, LoadError))


def _by_paddle(
    request: Request, options: InferenceOptions, started: float, why: str
) -> InferenceLayer:
    layer = load_for_inference(request, replace(options, engine="paddle"), started)
    note(layer, why)
    return layer


def _by_openvino(request: Request, options: InferenceOptions, started: float) -> InferenceLayer:
    candidate = _Candidate.found(request, options)
    return candidate.load(started, candidate.judged())


class _Candidate:
    """A model as OpenVINO would run it."""

    def __init__(
        self,
        request: Request,
        options: InferenceOptions,
        runtime: Runtime,
        artifact: Artifact,
        plan: Plan,
        release: str,
        program: EngineProgram,
    ) -> None:
        self.request, self.options, self.runtime = request, options, runtime
        self.artifact, self.plan, self.release, self.program = artifact, plan, release, program
        refusal = plan.refusal
        self.has_paddle = refusal is None or refusal.error not in _WITHOUT_PADDLE

    @classmethod
    def found(cls, request: Request, options: InferenceOptions) -> _Candidate:
        """Inspected, admitted and rewritten. Raises what each of those does."""
        _require_cpu(request, options)
        release = openvino.require_installed()
        runtime = runtime_here()
        artifact = request.inspect(runtime)
        require_admissible(artifact, request.trusted_operators)
        recorded(artifact, request)
        asked = replace(request, api=Api.PREDICTOR, pooled=True, device="cpu")
        program = prepared_program(artifact, release)
        plan = asked.plan(artifact, runtime)
        return cls(asked, options, runtime, artifact, plan, release, program)

    def judged(self) -> EngineVerdict:
        """Whether it computes what it should, as a child process found it once on this machine.

        Raises:
            IncompatibleError: it does not, or crashes.
        """
        trial = EngineTrial(
            self.artifact,
            self.runtime,
            self.plan,
            self.options,
            self.request,
            self.program,
            self.release,
        )
        verdict = trial.verdict()
        if verdict.problem:
            raise IncompatibleError(
                f"OpenVINO {self.release} does not run {self.artifact.path} as Paddle does: "
                f"{verdict.problem}",
                action=openvino.INSTEAD,
                artifact=self.artifact.path,
            )
        return verdict

    def load(self, started: float, verdict: EngineVerdict) -> InferenceLayer:
        """The layer, with a report."""
        changes = (f"rewritten for OpenVINO: {one}" for one in self.program.changes)
        notes = (f"engine: openvino {self.release}; {verdict.told()}", *changes)
        plan = Plan(
            artifact=self.artifact.path,
            format=self.artifact.format.value,
            saved_by=self.artifact.saved_by,
            runtime=f"OpenVINO {self.release}",
            api=Api.PREDICTOR,
            device="cpu",
            steps=(Step(Strategy.OPENVINO, "engine= asked for it, or it is the fastest here"),),
        )
        return carry_out(plan, self.artifact, self._made, started, notes=notes)

    def _made(self, _: Step) -> tuple[InferenceLayer, tuple[str, ...]]:
        options = self.options
        requests = compiled(self.artifact, self.program, options.math_threads, options.pool_size)
        layer = InferenceLayer(
            RunnerPool(requests, name=self.artifact.path),
            named_inputs(self.artifact, self.program.inputs),
            tuple(spec.name for spec in self.artifact.outputs),
            path=self.artifact.path,
            values=SharedTensors() if self.has_paddle else ARRAYS,
            acquire_timeout=options.acquire_timeout,
        )
        return layer, ()


def prepared_program(artifact: Artifact, release: str) -> EngineProgram:
    return engine_program(artifact, release)


def _require_cpu(request: Request, options: InferenceOptions) -> None:
    asked = [name for name in ("tensorrt", "gpu_memory_mb") if getattr(options, name) is not None]
    if asked or request.device not in _DEVICES:
        what = " and ".join(asked) or f"device={request.device!r}"
        raise UsageError(
            f"{what} cannot be had with engine={options.engine!r}, which runs on the CPU",
            action='Leave it out, or pass engine="paddle".',
        )
