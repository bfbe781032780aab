"""What the drop-ins share: names of files that a caller gives, and which format is native."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.errors import UsageError
from compatload.runtime.model import Runtime

_CONFIGS = ("model_filename", "params_filename")


def file_names(function: str, configs: Mapping[str, Any]) -> tuple[Any, Any]:
    """``model_filename`` and ``params_filename``; UsageError if there is any other."""
    unknown = sorted(set(configs) - set(_CONFIGS))
    if unknown:
        raise UsageError(
            f"{function}() does not know {', '.join(unknown)}",
            action=f"Pass {' or '.join(_CONFIGS)}, or neither, as for Paddle's own function.",
        )
    program, params = (configs.get(name) for name in _CONFIGS)
    return program, params


def native_format(runtime: Runtime) -> str:
    """Which of two formats that lie side by side this runtime reads by itself."""
    return "pir" if runtime.ir_mode.pir else "legacy"
