"""``safe_create_predictor``, for ``paddle.inference.create_predictor``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from compatload.artifact.model import MEMORY, Artifact, Format
from compatload.collection import collection_paused
from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.loading.execution import import_paddle
from compatload.loading.pipeline import Judged, Material, load
from compatload.loading.primitives import PRIMITIVES
from compatload.loading.request import Request
from compatload.loading.staging import (
    held_weights,
    opens,
    require_unchanged,
    staged,
    unchanged,
)
from compatload.plan import Api, Plan, PredictorOptions, Step
from compatload.runtime.model import Runtime

# Paddle's own example value; the pool grows beyond it on demand.
_GPU_MEMORY_POOL_MB = 100


@collection_paused()
def safe_create_predictor(
    path_or_config: Any,
    *,
    device: str | None = None,
    threads: int | None = None,
    trusted: Collection[str] = (),
    trusted_operators: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    preflight: bool | None = None,
) -> Any:
    """Create an inference predictor, whichever Paddle saved the model.

    Args:
        path_or_config: prefix, any one file of the model, or its directory; or a ready
            ``paddle.inference.Config``, as for ``paddle.inference.create_predictor``. A Config is
            copied, never changed; what it asks for is kept unless a rule says that it goes wrong.
        device: Paddle's own strings, or ``"auto"``. None: the CPU for a path, and for a Config
            what it says.
        threads: of the CPU math library; None leaves Paddle's own choice.
        trusted, trusted_operators, disabled_rules: as for ``safe_load``.
        preflight: try it in a child process first, and compare; the verdict is kept. None: where
            the installed release was not measured. What is in memory cannot be tried.

    Returns a ``paddle.inference.Predictor``. Raises what ``safe_load`` raises.
    """
    started = time.perf_counter()
    wanted, found = Wanted(None, device, threads), None
    is_path = isinstance(path_or_config, (str, os.PathLike))
    if not is_path:
        wanted = Wanted(path_or_config, device, threads)
        found = _artifact_of(path_or_config, trusted)
        device = device or _device_of(path_or_config)
    request = Request(
        path_or_config if is_path else MEMORY,
        Api.PREDICTOR,
        device,
        trusted=trusted,
        disabled_rules=tuple(disabled_rules),
        trusted_operators=trusted_operators,
    )
    judge = partial(_judged, request, wanted, preflight)
    return load(request, partial(_make, wanted), started, found=found, judge=judge)


def _judged(
    request: Request,
    wanted: Wanted,
    preflight: bool | None,
    artifact: Artifact,
    plan: Plan,
    runtime: Runtime,
) -> Judged:
    judged = wanted.judged(artifact, plan, runtime)
    needed = plan.inferred_from is not None if preflight is None else preflight
    if not (needed and plan.steps):
        return judged
    if artifact.path == MEMORY:
        return replace(judged, notes=("not tried in a child process: it is in memory",))
    # A load on a measured release, or one that is known, does not need it.
    from compatload.serving.preflight import tried

    return tried(request, wanted.threads, preflight, artifact, judged.plan, runtime)


def _make(wanted: Wanted, material: Material, step: Step) -> tuple[Any, tuple[str, ...]]:
    (predictor,) = create(material, step, wanted)
    return predictor, material.prepared.repairs


@frozen
class Wanted:
    """What the caller asked for, apart from the model.

    ``configure`` is told of the Config before the rules are.
    """

    config: Any | None
    device: str | None
    threads: int | None
    configure: Callable[[Any], None] | None = None

    @property
    def device_given(self) -> bool:
        return self.device is not None

    def judged(self, artifact: Artifact, plan: Plan, runtime: Runtime) -> Judged:
        """The plan, without the steps by which a Config without oneDNN or passes saves nothing."""
        config = self.config
        if config is not None and not (config.mkldnn_enabled() and config.ir_optim()):
            plan = replace(plan, steps=plan.needed)
        return Judged(plan)


def _device_of(config: Any) -> str:
    if config.use_gpu():
        return f"gpu:{config.gpu_device_id()}"
    if config.use_xpu():
        return f"xpu:{config.xpu_device_id()}"
    return "cpu"


def _artifact_of(config: Any, trusted: Collection[str]) -> Artifact:
    if not hasattr(config, "prog_file"):
        raise UsageError(
            f"safe_create_predictor() takes a path or a Config, not {type(config).__name__}",
            action="Pass the model's path, or a paddle.inference.Config.",
        )
    from compatload.artifact.inspection import inspect_bytes, inspect_whole

    if config.model_from_memory():
        return inspect_bytes(_buffer(config.prog_file), _buffer(config.params_file))
    program, params = config.prog_file(), config.params_file()
    if not program:
        return inspect_whole(config.model_dir(), trusted=trusted)
    if not os.path.exists(program):
        # Config("dir", "model") names the format of its own release, whatever lies there.
        return inspect_whole(os.path.splitext(program)[0], trusted=trusted)
    directory = os.path.dirname(program) or "."
    return inspect_whole(
        directory,
        program=os.path.basename(program),
        params=os.path.relpath(params, directory) if params else None,
        trusted=trusted,
    )


def _buffer(read: Callable[[], str]) -> bytes:
    """The bytes of a memory buffer, which Paddle's binding insists on decoding as UTF-8."""
    try:
        return read().encode()
    except UnicodeDecodeError as error:
        return error.object


def create(
    material: Material, step: Step, wanted: Wanted, *, count: int = 1, cloned_later: bool = True
) -> list[Any]:
    """``count`` predictors of the prepared program, as ``step`` says.

    They share their weights. A clone of a PIR predictor reads program and weights again, and
    computes nonsense where the weights are gone (3.1.1 to 3.3.1), so what may be ``cloned_later``
    by a caller gets the model's own paths.
    """
    paddle = import_paddle()
    artifact, prepared, device = material.artifact, material.prepared, material.plan.device
    if _is_read_in_place(artifact, wanted, cloned_later) and (
        prepared.programs["forward"] == artifact.program_bytes
    ):
        # Something else may still take a name between this look and Paddle's: what differs is an
        # error afterwards, and a FIFO stops the process.
        require_unchanged(artifact)
        with held_weights(artifact) as held, unchanged(artifact):
            weights_path = artifact.files.parameters[0]
            if artifact.format is not Format.PIR:
                weights_path = held[weights_path]
            config = _config(paddle, artifact.files.program, weights_path, step, wanted, device)
            return _with_clones(paddle, config, count)
    weights = None
    if artifact.path == MEMORY and wanted.config is not None:
        weights = _buffer(wanted.config.params_file)
    if step.options.add_parameter:
        # It brings along the conversion of PIR to legacy programs, which no other load needs.
        from compatload.programs.pir_parameters import with_unused_parameter

        program, weights = with_unused_parameter(prepared.programs["forward"])
        prepared = replace(prepared, programs={**prepared.programs, "forward": program})
    with staged(artifact, prepared, weights=weights) as prefix:
        combined = prefix + ".pdiparams"
        # Paddle takes an empty name for "this program has no parameters".
        parameters = combined if os.path.exists(combined) else ""
        config = _config(paddle, prefix + prepared.suffix, parameters, step, wanted, device)
        return _with_clones(paddle, config, count)


def _with_clones(paddle: Any, config: Any, count: int) -> list[Any]:
    with nullcontext() if config.prog_file().endswith(".json") else PRIMITIVES.cleared():
        first = paddle.inference.create_predictor(config)
        return [first, *(first.clone() for _ in range(count - 1))]


def _is_read_in_place(artifact: Artifact, wanted: Wanted, cloned_later: bool) -> bool:
    """Whether Paddle gets the program's own path: for a caller's clones, and TensorRT's cache."""
    files, config = artifact.files, wanted.config
    needs_place = (artifact.format is Format.PIR and cloned_later) or (
        config is not None and config.tensorrt_engine_enabled()
    )
    return (
        needs_place
        and artifact.path != MEMORY
        and bool(files.parameters)
        and files.parameters_combined
        and all(map(opens, (files.program, files.parameters[0])))
    )


def _config(
    paddle: Any,
    program: str,
    parameters: str,
    step: Step,
    wanted: Wanted,
    device: str,
) -> Any:
    inference = paddle.inference
    if wanted.config is None:
        config = inference.Config()
        config.disable_glog_info()
        _use_device(config, device)
    else:
        config = _copy_for_files(inference, wanted.config)
        if wanted.device_given:
            _use_device(config, device)
    config.set_prog_file(program)
    config.set_params_file(parameters)
    if wanted.threads is not None:
        config.set_cpu_math_library_num_threads(wanted.threads)
    if wanted.configure is not None:
        wanted.configure(config)
    apply_options(config, step.options)
    return config


def _copy_for_files(inference: Any, config: Any) -> Any:
    """A copy of ``config`` that takes files, with all of its settings that can be read.

    A Config that holds memory buffers would take file names for buffers, too, and the predictor
    would crash on them (SIGSEGV, 2.6.2 and 3.3.1); so its settings go into a new one.
    """
    if not config.model_from_memory():
        return inference.Config(config)
    copy = inference.Config()
    if config.use_gpu():
        copy.enable_use_gpu(config.memory_pool_init_size_mb(), config.gpu_device_id())
    elif config.use_xpu():
        copy.enable_xpu()
        copy.set_xpu_device_id(config.xpu_device_id())
    copy.set_cpu_math_library_num_threads(config.cpu_math_library_num_threads())
    copy.switch_ir_optim(config.ir_optim())
    if not config.mkldnn_enabled():
        copy.disable_mkldnn()
    if config.glog_info_disabled():
        copy.disable_glog_info()
    return copy


def _use_device(config: Any, device: str) -> None:
    kind, _, index = device.partition(":")
    number = int(index or 0)
    if kind == "cpu":
        config.disable_gpu()
    elif kind in ("gpu", "dcu"):
        config.enable_use_gpu(_GPU_MEMORY_POOL_MB, number)
    elif kind == "xpu":
        config.enable_xpu()
        config.set_xpu_device_id(number)
    else:
        config.enable_custom_device(kind, number)


def apply_options(config: Any, options: PredictorOptions) -> None:
    """Tell a Config what the plan asks for; what it leaves open stays as it is."""
    for name in options.delete_passes:
        config.delete_pass(name)
    if not options.onednn:
        config.disable_mkldnn()
    if options.onednn_operators is not None and config.mkldnn_enabled():
        config.set_mkldnn_op(set(options.onednn_operators))
    if not options.memory_optim:
        config.enable_memory_optim(False)
    if not options.ir_optim:
        config.switch_ir_optim(False)
