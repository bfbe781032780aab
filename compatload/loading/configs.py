"""What the drop-ins share: names of files that a caller gives, and which format is native."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compatload.errors import UsageError
from compatload.runtime.model import Runtime

_CONFIGS = ("model_filename", "params_filename")


def file_names(function: str, configs: Mapping[str, Any]) -> tuple[Any, Any]:
    """``model_filename`` and ``params_filename``; UsageError if there is any other."""
    unknown = sorted(set(configs) - set(_CONFIGS))
    if unknown:
        raise UsageError(
            f"{function}() does not know {', '.join(unknown)}", action=_instead(function, unknown)
        )
    program, params = (configs.get(name) for name in _CONFIGS)
    return program, params


def _instead(function: str, unknown: Sequence[str]) -> str:
    from difflib import get_close_matches

    from compatload.options import PoolOptions

    known = PoolOptions.__annotations__ if function == "safe_load" else dict.fromkeys(_CONFIGS)
    if known.keys() >= set(unknown):
        return f"Pass inference_only=True as well, for {', '.join(unknown)}."
    close = [match for name in unknown for match in get_close_matches(name, known, 1)]
    if close:
        return f"Pass {', '.join(close)}."
    return f"Pass {' or '.join(_CONFIGS)}, or neither, as for Paddle's own function."


def native_format(runtime: Runtime) -> str:
    """Which of two formats that lie side by side this runtime reads by itself."""
    return "pir" if runtime.ir_mode.pir else "legacy"
