"""Environments with other engines than Paddle: alone, or beside a release of Paddle."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from packaging.version import Version

from matrix.environments import ensure
from matrix.versions import Entry, entries

RELEASE = "2026.4.1"
_ONNX = ("onnxruntime==1.32.0", "paddle2onnx==1.3.1")
_ALONE = Entry("engines", Version(RELEASE), "openvino", ("3.11", "3.12", "3.10"), _ONNX)


@cache
def python_with_engines(paddle: str | None = None) -> str:
    """The interpreter of an environment with OpenVINO, onnxruntime and that release of Paddle
    (None: without any), which is made if it is not there.

    Raises:
        EnvironmentUnavailableError: no interpreter, no wheel, no network, no space.
    """
    if paddle is None:
        return ensure(_ALONE).python
    entry = next(one for one in entries() if one.id == paddle)
    pins = (*entry.pins, f"openvino=={RELEASE}", *_ONNX)
    return ensure(replace(entry, id=f"{entry.id}-engines", pins=pins)).python
