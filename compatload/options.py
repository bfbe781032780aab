"""Keywords of ``safe_load`` as types, for those who check theirs: nothing imports this to run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict


class LoadOptions(TypedDict, total=False):
    """What any load of a layer takes."""

    device: str | None
    trusted: Collection[str]
    trusted_operators: Collection[str]
    disabled_rules: Iterable[str]
    model_filename: str | None
    params_filename: str | None


class PoolOptions(LoadOptions, total=False):
    """What one takes with ``inference_only``, too: the fields of ``InferenceOptions``."""

    threads: int | None
    pool_size: int
    acquire_timeout: float | None
    tensorrt: str | None
    gpu_memory_mb: int | None
    preflight: bool | None
    sample_inputs: Sequence[Any] | Mapping[str, Any] | None
    shapes: Mapping[str, Sequence[int]] | None
    preflight_timeout: float
    engine: Literal["paddle", "openvino", "onnxruntime", "auto"]
