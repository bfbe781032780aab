"""``safe_load(path, inference_only=True)``: from a path to a layer backed by predictors."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from compatload.artifact.model import Artifact, TensorSpec
from compatload.errors import LoadError, UsageError
from compatload.inference.heap import keep_freed_memory
from compatload.inference.layer import InferenceLayer
from compatload.inference.options import InferenceOptions
from compatload.inference.pool import RunnerPool
from compatload.inference.runners import LayerRunner, PredictorRunner, Runner, leaves_inputs_alone
from compatload.loading.execution import carry_out, import_paddle
from compatload.loading.predictor import Wanted, create
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.recall import Memory, Recollection
from compatload.loading.report import logger
from compatload.loading.request import Request
from compatload.plan import Api, Plan, Step, Strategy
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Runtime

if TYPE_CHECKING:
    from compatload.isolation.verdict import Verdict

# Paddle's own example value, of which the pool grows on demand.
_GPU_MEMORY_MB = 100
_TENSORRT_WORKSPACE = 1 << 30


def load_for_inference(
    path: str | os.PathLike[str],
    options: InferenceOptions,
    *,
    device: str | None = None,
    program: Any = None,
    params: Any = None,
    trusted: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    verify: bool | None = None,
) -> InferenceLayer:
    """The model at ``path`` behind a pool of predictors. Raises what ``safe_load`` raises."""
    started = time.perf_counter()
    disabled = frozenset(disabled_rules)
    request = Request(
        path,
        Api.PREDICTOR,
        device,
        program,
        params,
        trusted,
        tuple(disabled),
        records=verify is not False,
        purpose="inference",
    )
    runtime = detect_runtime()
    memory = Memory(request, runtime) if _is_ordinary(options, disabled) else None
    if memory is not None:
        layer = memory.replay(partial(_again, options, request), started)
        if layer is not None:
            return layer
    artifact, plan = planned(request, runtime)
    _require_gpu(plan, options)
    record = None
    if artifact.files.record is not None and verify is not False:
        from compatload.exporting.recorded import require_recorded_files

        record = require_recorded_files(artifact, whole=bool(verify))
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    if plan.steps and (options.preflight or _is_dangerous(artifact, runtime, plan, disabled)):
        from compatload.isolation.preflight import Preflight

        names = {"path": os.fspath(path), "program": program, "params": params}
        verdict = Preflight(
            artifact, runtime, plan, options, tuple(trusted), disabled, **names
        ).verdict()
        plan, rejected, notes = _judged(plan, verdict), verdict.rejected, verdict.notes
    loading = Loading(artifact, plan, options, trusted, disabled)
    layer = carry_out(plan, artifact, loading.attempt, started, rejected=rejected, notes=notes)
    if record is not None and verify:
        from compatload.exporting.recorded import require_recorded_outputs

        require_recorded_outputs(layer, record, artifact.path)
    if memory is not None:
        memory.keep(layer, artifact, plan, loading.prepared, lend=loading.lend)
    return layer


def _is_ordinary(options: InferenceOptions, disabled: frozenset[str]) -> bool:
    """Whether nothing was asked for that has to be looked at anew each time."""
    return not (disabled or options.preflight or options.tensorrt or options.gpu_memory_mb)


def _again(
    options: InferenceOptions, request: Request, known: Recollection, step: Step
) -> tuple[InferenceLayer, tuple[str, ...]]:
    loading = Loading(known.artifact, known.plan, options, request.trusted, frozenset(), known)
    return loading.attempt(step)


def planned(request: Request, runtime: Runtime) -> tuple[Artifact, Plan]:
    """The artifact, and every way to serve it in this runtime, the fastest first."""
    # A load that is known needs neither, and they take a tenth of a second to import.
    from compatload.inference.steps import with_further_steps
    from compatload.planning import choose_device, plan_load

    artifact = request.inspect(runtime)
    # A layer goes to the accelerator where there is one; so does this.
    chosen = request.device or choose_device(runtime, None, Api.LAYER)[0]
    plan = plan_load(
        artifact, runtime, Api.PREDICTOR, device=chosen, disabled_rules=request.disabled_rules
    )
    return artifact, with_further_steps(plan)


def _is_dangerous(
    artifact: Artifact, runtime: Runtime, plan: Plan, disabled: frozenset[str]
) -> bool:
    if not disabled:  # nothing is tried for the plans that everybody has
        return False
    from compatload.isolation.preflight import is_dangerous

    return is_dangerous(artifact, runtime, plan.device, disabled)


def _judged(plan: Plan, verdict: Verdict) -> Plan:
    """``plan`` from the step on that was found good."""
    for title, cause in verdict.rejected:
        logger.warning("%s: %s is not used, in a child process: %s", plan.artifact, title, cause)
    if verdict.step is None:
        raise LoadError(
            f"{plan.artifact} crashes, hangs or errs in {plan.runtime} in every way:",
            attempts=verdict.rejected,
            action="Run `compatload plan` on it and report the output with this message.",
            artifact=plan.artifact,
            runtime=plan.runtime,
        )
    return replace(plan, steps=plan.steps[verdict.step :])


class Loading:
    """One load: what its steps have in common."""

    def __init__(
        self,
        artifact: Artifact,
        plan: Plan,
        options: InferenceOptions,
        trusted: Collection[str],
        disabled: frozenset[str],
        known: Recollection | None = None,
    ) -> None:
        self._artifact = artifact
        self._plan = plan
        self._options = options
        self._trusted = trusted
        self._disabled = disabled
        self._known = known
        self.lend = bool(known.more["lend"]) if known else leaves_inputs_alone(artifact.program)
        self.prepared: PreparedPrograms | None = None

    def attempt(self, step: Step) -> tuple[InferenceLayer, tuple[str, ...]]:
        """The layer that ``step`` leads to, and the rules by which operators were rewritten."""
        if step.strategy is Strategy.LAYER:
            runners, repairs = self._layers()
        else:
            runners, repairs = self._predictors(step)
        inputs = _inputs(self._artifact, runners[0].input_names)
        layer = InferenceLayer(
            RunnerPool(runners, name=self._artifact.path),
            inputs,
            tuple(spec.name for spec in self._artifact.outputs),
            path=self._artifact.path,
            place=self._plan.device,
            acquire_timeout=self._options.acquire_timeout,
        )
        return layer, repairs

    def _predictors(self, step: Step) -> tuple[list[Runner], tuple[str, ...]]:
        wanted = Wanted(None, self._plan.device, self._options.math_threads, self._configure)
        prepared = self._known.prepared if self._known else _prepared(self._artifact, step)
        self.prepared = prepared
        keep_freed_memory()
        predictors = create(
            *(self._artifact, prepared, step, wanted, self._plan.device),
            count=self._options.pool_size,
            cloned_later=False,
        )
        onednn = step.options.onednn and self._plan.device == "cpu"
        return [
            PredictorRunner(each, lend=self.lend, onednn=onednn) for each in predictors
        ], prepared.repairs

    def _layers(self) -> tuple[list[Runner], tuple[str, ...]]:
        from compatload.loading.layer import safe_load
        from compatload.loading.report import load_report

        names = tuple(spec.name for spec in self._artifact.inputs)
        layers = [
            safe_load(
                self._artifact.files.program,
                device=self._plan.device,
                trusted=self._trusted,
                disabled_rules=self._disabled,
            )
            for _ in range(self._options.pool_size)
        ]
        for layer in layers:
            layer.eval()
        report = load_report(layers[0])
        return [
            LayerRunner(layer, names, lend=self.lend) for layer in layers
        ], report.repairs if report else ()

    def _configure(self, config: Any) -> None:
        """What suits a service and what the caller asked for; the plan's rules come after it."""
        if not config.prog_file().endswith(".json"):
            # Of legacy programs alone (CL204): PP-OCRv4 recognition takes 24 ms instead of 34.
            config.enable_memory_optim()
        kind, _, index = self._plan.device.partition(":")
        if kind not in ("gpu", "dcu"):
            return
        config.enable_use_gpu(self._options.gpu_memory_mb or _GPU_MEMORY_MB, int(index or 0))
        if self._options.tensorrt is not None:
            from paddle.inference import PrecisionType

            precisions = {
                "fp32": PrecisionType.Float32,
                "fp16": PrecisionType.Half,
                "int8": PrecisionType.Int8,
            }
            config.enable_tensorrt_engine(
                workspace_size=_TENSORRT_WORKSPACE,
                precision_mode=precisions[self._options.tensorrt],
            )


def _prepared(artifact: Artifact, step: Step) -> PreparedPrograms:
    from compatload.loading.cached import prepare_cached

    return prepare_cached(artifact, step, import_paddle(), Api.PREDICTOR)


def _require_gpu(plan: Plan, options: InferenceOptions) -> None:
    asked = [name for name in ("tensorrt", "gpu_memory_mb") if getattr(options, name) is not None]
    if asked and plan.refusal is None and not plan.device.startswith(("gpu", "dcu")):
        raise UsageError(
            f"{' and '.join(asked)} cannot be had on {plan.device}",
            action="Leave it out, or pass device='gpu:0' where there is a GPU.",
        )


def _inputs(artifact: Artifact, names: tuple[str, ...]) -> tuple[TensorSpec, ...]:
    """The inputs in the order of the layer's arguments, named as the predictor names them."""
    specs = artifact.inputs
    if {spec.name for spec in specs} >= set(names):
        return specs
    # A conversion may have renamed them; it keeps their order.
    return tuple(TensorSpec(name, spec.dtype, spec.shape) for name, spec in zip(names, specs))
