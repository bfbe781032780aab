"""``safe_load(path, inference_only=True)``: by which engine a path becomes a layer."""

from __future__ import annotations

import os
import time
from typing import Any

from compatload.loading.request import layer_request
from compatload.serving.layer import InferenceLayer
from compatload.serving.options import split_options
from compatload.serving.predictors import load_for_inference


def inference_layer(path: str | os.PathLike[str], **asked: Any) -> InferenceLayer:
    """``safe_load(path, inference_only=True, …)``, whose keywords and errors it has."""
    started = time.perf_counter()
    options, configs = split_options(asked)
    request = layer_request(path, **configs)
    if options.engine == "paddle":
        return load_for_inference(request, options, started)
    # Most loads are Paddle's own.
    from compatload.serving.engine import load_with_engine

    return load_with_engine(request, options, started)
