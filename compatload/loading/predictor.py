"""Paddle's predictors of prepared programs."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Collection
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from compatload.artifact.model import MEMORY, Artifact, Format
from compatload.errors import ArtifactNotFoundError, DamagedArtifactError, UsageError
from compatload.frozen import frozen
from compatload.loading.execution import import_paddle
from compatload.loading.handed_predictors import handed_out
from compatload.loading.pipeline import Material
from compatload.loading.predictor_config import read_config
from compatload.loading.primitives import PRIMITIVES
from compatload.loading.staging import (
    held_weights,
    opens,
    require_unchanged,
    staged,
    unchanged,
)
from compatload.plan import PredictorOptions, Step

# Paddle's own example value; the pool grows beyond it on demand.
_GPU_MEMORY_POOL_MB = 100


def make_predictor(wanted: Wanted, material: Material, step: Step) -> tuple[Any, tuple[str, ...]]:
    """Paddle's predictor of prepared programs, and the rules by which those were rewritten."""
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


def configured_artifact(config: Any, trusted: Collection[str]) -> Artifact:
    """The artifact that a ``paddle.inference.Config`` names, or holds."""
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
    inspect = partial(inspect_whole, directory, program=os.path.basename(program), trusted=trusted)
    artifact = None
    if params and not os.path.exists(params):
        # Of a model without parameters 3.x writes no second file, and lets one be named.
        with suppress(ArtifactNotFoundError):
            artifact = inspect()
    if artifact is None or artifact.parameters:
        artifact = inspect(params=os.path.relpath(params, directory) if params else None)
    return replace(artifact, path=artifact.files.prefix)  # not the folder: others may lie in it


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
    computes nonsense where the weights are gone (3.1.1 to 3.3.1), or another model where that has
    taken the name: what may be ``cloned_later`` by a caller gets files that stay as long as it
    lives, the program as it was inspected.
    """
    paddle = import_paddle()
    artifact, prepared, device = material.artifact, material.prepared, material.plan.device
    if _is_read_in_place(artifact, wanted) and (
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
            return _with_clones(paddle, config, count, handed=cloned_later)
    weights = None
    if artifact.path == MEMORY and wanted.config is not None:
        weights = _buffer(wanted.config.params_file)
    if step.options.add_parameter:
        # It brings along the conversion of PIR to legacy programs, which no other load needs.
        from compatload.programs.pir_parameters import with_unused_parameter

        program, weights = with_unused_parameter(prepared.programs["forward"])
        prepared = replace(prepared, programs={**prepared.programs, "forward": program})
    with ExitStack() as scopes:
        prefix = scopes.enter_context(staged(artifact, prepared, weights=weights))
        combined = prefix + ".pdiparams"
        # Paddle takes an empty name for "this program has no parameters".
        parameters = combined if os.path.exists(combined) else ""
        config = _config(paddle, prefix + prepared.suffix, parameters, step, wanted, device)
        predictors = _with_clones(paddle, config, count, handed=cloned_later)
        if prepared.format is Format.PIR and cloned_later:
            require_unchanged(artifact)
            weakref.finalize(predictors[0], _let_go, scopes.pop_all())
        return predictors


def _let_go(files: ExitStack) -> None:
    # That somebody wrote to the model since then concerns nobody any more.
    with suppress(DamagedArtifactError):
        files.close()


def _with_clones(paddle: Any, config: Any, count: int, *, handed: bool) -> list[Any]:
    is_legacy = not config.prog_file().endswith(".json")
    with PRIMITIVES.cleared() if is_legacy else nullcontext():
        if is_legacy:
            PRIMITIVES.make_up(paddle.base.core)
        first = paddle.inference.create_predictor(config)
        if handed:
            handed_out(first, by_handles=is_legacy and not config.use_gpu())
        return [first, *(first.clone() for _ in range(count - 1))]


def _is_read_in_place(artifact: Artifact, wanted: Wanted) -> bool:
    """Whether Paddle gets the program's own path, beside which TensorRT has its cache."""
    files, config = artifact.files, wanted.config
    return (
        config is not None
        and config.tensorrt_engine_enabled()
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
        copy = inference.Config(config)
        if config.model_dir():  # beside it a file's parameters would be looked for one by one
            copy.set_model("")
        return copy
    copy, asked = inference.Config(), read_config(config)
    if config.use_gpu():
        copy.enable_use_gpu(config.memory_pool_init_size_mb(), config.gpu_device_id())
    elif config.use_xpu():
        copy.enable_xpu()
        copy.set_xpu_device_id(config.xpu_device_id())
    copy.set_cpu_math_library_num_threads(config.cpu_math_library_num_threads())
    copy.switch_ir_optim(asked.ir_optim)
    if not asked.onednn:
        copy.disable_mkldnn()
    if asked.onednn and asked.precision == "bfloat16":
        copy.enable_mkldnn_bfloat16()
    if asked.memory_optim:
        copy.enable_memory_optim()
    if asked.new_ir:
        copy.enable_new_ir(True)
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
    """Tell a Config what the plan asks for; what it leaves open stays as it is.

    Passes are left out at last: 2.6 makes its list of them anew as oneDNN is switched off.
    """
    if not options.onednn:
        config.disable_mkldnn()
    if options.onednn_operators is not None and config.mkldnn_enabled():
        config.set_mkldnn_op(set(options.onednn_operators))
    if not options.memory_optim:
        config.enable_memory_optim(False)
    if not options.new_ir:
        config.enable_new_ir(False)
    if not options.new_executor:
        config.enable_new_executor(False)
    if not options.ir_optim:
        config.switch_ir_optim(False)
    for name in options.delete_passes:
        config.delete_pass(name)
