"""What a user's type checker makes of calls: none of these lines is an error but those that say so.

Read by ``test_typing.py``, never run.
"""

from __future__ import annotations

from typing import Any

from compatload import (
    Api,
    CheckReport,
    HandleStatus,
    InferenceLayer,
    InferenceOptions,
    ModelHandle,
    Step,
    check,
    safe_load,
)


def serve(path: str, fast: bool) -> InferenceLayer:
    layer: InferenceLayer = safe_load(path, inference_only=True, pool_size=2, threads=1)
    plain = safe_load(path, model_filename="model.pdmodel", verify=True)
    plain.eval()
    either: Any = safe_load(path, inference_only=fast, acquire_timeout=None)
    either(1)
    status: HandleStatus = ModelHandle(path, pool_size=2, watch=5.0).status()
    report: CheckReport = check([path])
    print(status, report, Api.LAYER, InferenceOptions(threads=2))
    return layer


def steps(first: Step) -> str:
    return first.reason


def misspelt(path: str) -> None:
    safe_load(path, inference_only=True, pool_sizes=2)  # error
    safe_load(path, pool_size=2)  # error
    safe_load(path, model_file_name="model.pdmodel")  # error
    ModelHandle(path, treads=2)  # error
