"""The three functions that stand in for Paddle's loaders: arguments, and nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Union, overload

from compatload.artifact.model import MEMORY
from compatload.errors import UsageError
from compatload.loading.configs import file_names
from compatload.loading.layer import make_layer
from compatload.loading.pipeline import load
from compatload.loading.predictor import Wanted, configured_artifact, make_predictor
from compatload.loading.predictor_config import read_config
from compatload.loading.program import InferenceModel, in_memory, make_program
from compatload.loading.request import Request, layer_request, rule_ids
from compatload.loading.sequences import kept
from compatload.plan import Api
from compatload.serving.first_run import judged
from compatload.serving.slow_starts import looked_at

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from compatload.options import LoadOptions, PoolOptions
    from compatload.serving.layer import InferenceLayer

_Path = Union[str, "os.PathLike[str]"]


@overload
def safe_load(
    path: _Path,
    *,
    inference_only: Literal[False] = False,
    verify: bool | None = None,
    **asked: Unpack[LoadOptions],
) -> Any: ...
@overload
def safe_load(
    path: _Path,
    *,
    inference_only: Literal[True],
    verify: bool | None = None,
    **asked: Unpack[PoolOptions],
) -> InferenceLayer: ...
@overload
def safe_load(
    path: _Path,
    *,
    inference_only: bool,
    verify: bool | None = None,
    **asked: Unpack[PoolOptions],
) -> Any: ...
def safe_load(
    path: _Path,
    *,
    device: str | None = None,
    trusted: Collection[str] = (),
    trusted_operators: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    inference_only: bool = False,
    verify: bool | None = None,
    **configs: Any,
) -> Any:
    """Load a saved model as a layer, whichever Paddle saved it and whichever is installed.

    Takes what ``paddle.jit.load`` takes and returns what it returns: a layer that can be called,
    trained, put on ``eval()``, and asked for its ``state_dict()`` and further methods.

    Args:
        path: prefix (``"dir/model"``), any one file of the model, or its directory.
        device: where parameters are put: Paddle's own strings, or ``"auto"`` for the accelerator
            if the build and the machine both have one. None leaves Paddle's current device.
        trusted: exact names of globals that the model's pickle may ask for; none by default.
        trusted_operators: exact names of operators that no release knows (a custom library's, which
            has to be loaded before), or that do more than compute, to let in all the same.
        disabled_rules: ids of rules to leave out, to see what happens without them.
        inference_only: return an ``InferenceLayer``: the same calls, by a pool of predictors, for
            many threads at once and several times faster on a CPU; it can only infer.
        verify: of a model with a record (``safe_save``): True compares the hash of every file, and
            runs the recorded sample; None the program's hash and all sizes; False nothing.
        configs: ``model_filename`` and ``params_filename``, as Paddle has them; with
            ``inference_only`` also the fields of ``compatload.serving.options.InferenceOptions``
            (``threads``, ``pool_size``, ``acquire_timeout``, ``preflight`` …).

    Raises:
        ArtifactError: what is on disk cannot be used; its subclasses say why.
        RuntimeUnsuitableError: this machine or installation cannot do it; found before paddle is
            imported.
        IncompatibleError: the two do not go together without more work.
        LoadError: every step of the plan failed; it lists them.

    Flags, IR mode, static or dynamic mode, device and environment are as before when it returns,
    also by an error. If a step switches PIR, other threads see that while it lasts; Python's
    collector of cycles pauses for all of them until it returns. With ``inference_only`` glibc keeps
    up to 62 MB of freed memory for the process from then on, and a slow load is followed, ten
    seconds later, by a child process of the lowest priority that lets the next start be faster
    (``COMPATLOAD_FOLDING=off``: by none).
    """
    started = time.perf_counter()
    asked = {
        "device": device,
        "trusted": trusted,
        "trusted_operators": trusted_operators,
        "disabled_rules": disabled_rules,
        "verify": verify,
        **configs,
    }
    if not inference_only:
        request = layer_request(path, **asked)
        return load(request, partial(make_layer, request), started, more=kept)
    # A program that loads plain layers needs no pools, which take a while to import.
    from compatload.serving.load import inference_layer

    return inference_layer(path, **asked)


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
    if not hasattr(executor, "run"):
        raise UsageError(
            f"safe_load_inference_model() takes an executor, not {executor!r:.60}.",
            action="Pass paddle.static.Executor(paddle.CPUPlace()).",
        )
    program, params = file_names("safe_load_inference_model", kwargs)
    request = Request(
        MEMORY if path_prefix is None else path_prefix,
        Api.PROGRAM,
        program=program,
        params=params,
        trusted=trusted,
        disabled_rules=rule_ids(disabled_rules),
        trusted_operators=trusted_operators,
    )
    found, weights = (None, None) if path_prefix is not None else in_memory(program, params)
    return load(request, partial(make_program, executor, weights), started, found=found)


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
            the installed release was not measured. What is in memory is not tried.

    Returns a ``paddle.inference.Predictor``. Its clones live without it, and ``run([x])`` of a
    legacy program gives what the handles of its outputs do; for that ``clone`` and ``run`` of
    Paddle's class are wrapped in the whole process, and leave other predictors as they were. Raises
    what ``safe_load`` raises. A slow load of a path is followed by a child process, as there.
    """
    started = time.perf_counter()
    wanted, found, asked = Wanted(None, device, threads), None, None
    is_path = isinstance(path_or_config, (str, os.PathLike))
    if not is_path:
        wanted = Wanted(path_or_config, device, threads)
        found = configured_artifact(path_or_config, trusted)
        asked = read_config(path_or_config)
    request = Request(
        path_or_config if is_path else MEMORY,
        Api.PREDICTOR,
        device,
        trusted=trusted,
        disabled_rules=rule_ids(disabled_rules),
        trusted_operators=trusted_operators,
        anew=preflight is not None,
        config=asked,
    )
    judge = partial(judged, request, threads, preflight)
    worked = time.thread_time()
    made = load(request, partial(make_predictor, wanted), started, found=found, judge=judge)
    return looked_at(request, made, worked)
