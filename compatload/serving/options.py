"""How a predictor is set up for a service: threads, and what else the caller may ask for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen

_QUOTA = "/sys/fs/cgroup/cpu.max"
_LONGEST_ENVIRONMENT = 4 << 20
_PRECISIONS = ("fp32", "fp16", "int8")
ENGINES = ("paddle", "openvino", "onnxruntime", "auto")


@frozen
class InferenceOptions:
    """What a caller of ``safe_load(inference_only=True)`` may say.

    Args:
        threads: of the CPU math library, for each predictor; None: the processors that this
            process may use, divided by ``pool_size`` (``OMP_NUM_THREADS``, where the process was
            started with it, is followed).
        pool_size: predictors, and so calls that run at once. They share their weights. On 3.3.x
            Paddle holds Python's lock while a predictor runs: there, use processes instead.
        acquire_timeout: seconds that a call waits for a free predictor; None: for ever.
        tensorrt: ``"fp32"``, ``"fp16"`` or ``"int8"`` for TensorRT on a GPU; None leaves it out.
        gpu_memory_mb: what a GPU predictor reserves at first; None leaves Paddle's usual 100.
        preflight: load and run in a child process first, and compare. None: where the release was
            not measured. It is done without being asked for, too, where a rule that was switched
            off says that the model crashes or errs.
        sample_inputs: arrays for that run, in the order of the inputs or by name; None: made from
            the signature.
        shapes: of inputs by name, where every call has the same; a call with others is an error
            then. OpenVINO compiles for them, which takes up to a fifth off each call, and inputs
            that are made for a first run have them.
        preflight_timeout: seconds after which a load and run of it counts as hanging (the start of
            the child not counted).
        engine: what runs the model: ``"paddle"``; ``"openvino"`` or ``"onnxruntime"``, on the CPU,
            once a child process found that it computes what Paddle's plain executor does (kept for
            this machine); ``"auto"``: the fastest of them that is right here, as measured once.
    """

    threads: int | None = None
    pool_size: int = 1
    acquire_timeout: float | None = 30.0
    tensorrt: str | None = None
    gpu_memory_mb: int | None = None
    preflight: bool | None = None
    sample_inputs: Sequence[Any] | Mapping[str, Any] | None = None
    shapes: Mapping[str, Sequence[int]] | None = None
    preflight_timeout: float = 120.0
    engine: str = "paddle"

    def __post_init__(self) -> None:
        for name in ("threads", "pool_size", "gpu_memory_mb"):
            value = getattr(self, name)
            if value is not None and (
                not isinstance(value, int) or isinstance(value, bool) or value < 1
            ):
                raise UsageError(
                    f"{name} is {value!r}", action=f"Give a whole number from 1 for {name}."
                )
        if self.tensorrt is not None and self.tensorrt not in _PRECISIONS:
            raise UsageError(
                f"tensorrt is {self.tensorrt!r}", action=f"Use one of {', '.join(_PRECISIONS)}."
            )

        seconds = self.acquire_timeout
        if seconds is not None and (not isinstance(seconds, (int, float)) or not seconds >= 0):
            raise UsageError(
                f"acquire_timeout is {seconds!r}", action="Give seconds, or None to wait for ever."
            )
        if self.engine not in ENGINES:
            raise UsageError(
                f"engine is {self.engine!r}", action=f"Use one of {', '.join(ENGINES)}."
            )

    @property
    def math_threads(self) -> int:
        """Threads of each predictor."""
        return self.threads or max(1, available_processors() // self.pool_size)


def split_options(configs: Mapping[str, Any]) -> tuple[InferenceOptions, dict[str, Any]]:
    """The options among the keywords of ``safe_load``, and the other keywords."""
    names = {field.name for field in fields(InferenceOptions)}
    chosen = {name: value for name, value in configs.items() if name in names}
    return InferenceOptions(**chosen), {k: v for k, v in configs.items() if k not in names}


def available_processors() -> int:
    """How many threads are worth having: what the user said, else what the system grants."""
    asked = _asked_for()
    if asked is not None:
        return asked
    affinity = getattr(os, "sched_getaffinity", None)
    present = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(present, _quota() or present))


def _asked_for() -> int | None:
    """``OMP_NUM_THREADS`` as this process was started with it.

    ``import paddle`` sets it to 1 where nobody has (2.6.2 to 3.3.1), so that what is in the
    environment by now says nothing.
    """
    try:
        with open("/proc/self/environ", "rb") as file:
            started_with = file.read(_LONGEST_ENVIRONMENT).split(b"\0")
    except OSError:
        return None
    name = b"OMP_NUM_THREADS="
    said = next((item[len(name) :] for item in started_with if item.startswith(name)), b"")
    first = said.partition(b",")[0]
    return int(first) if first.isdigit() and int(first) else None


def _quota() -> int | None:
    """Processors that the control group of a container grants, rounded up."""
    try:
        with open(_QUOTA, encoding="ascii") as file:
            limit, period = file.read(64).split()
        return -(-int(limit) // int(period))
    except (OSError, ValueError, ZeroDivisionError):  # no such file, or "max": no limit
        return None
