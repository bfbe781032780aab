"""Any saved PaddlePaddle model loads in the Paddle that is installed.

Importing this module imports neither paddle nor numpy: every name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compatload.artifact.inspection import inspect_artifact
    from compatload.artifact.model import Artifact
    from compatload.checking.check import check
    from compatload.errors import (
        ArtifactError,
        ArtifactNotFoundError,
        CompatLoadError,
        CompatLoadWarning,
        ConversionError,
        CpuUnsupportedError,
        DamagedArtifactError,
        DeviceUnavailableError,
        ExportError,
        FallbackWarning,
        IncompatibleError,
        LoadError,
        ModeSwitchWarning,
        NumpyUnsupportedError,
        PaddleNotFoundError,
        PoolBusyError,
        PoolClosedError,
        RuntimeUnsuitableError,
        UnsafeArtifactError,
        UnsupportedFormatError,
        UnsupportedOperatorError,
        UsageError,
        WeightsMismatchError,
    )
    from compatload.exporting.conversion import Conversion
    from compatload.exporting.convert import convert
    from compatload.exporting.safe_save import safe_save
    from compatload.interception import install, uninstall
    from compatload.loading.layer import safe_load
    from compatload.loading.predictor import safe_create_predictor
    from compatload.loading.program import safe_load_inference_model
    from compatload.loading.report import LoadReport, load_report
    from compatload.metrics import enable_metrics
    from compatload.plan import Plan
    from compatload.planning import plan_load
    from compatload.runtime.detection import detect_runtime
    from compatload.runtime.model import Runtime
    from compatload.runtime.predictor_config import PredictorConfig
    from compatload.serving.handle import ModelHandle

__version__ = "0.1.0"

_HOMES = {
    "Artifact": "compatload.artifact.model",
    "ArtifactError": "compatload.errors",
    "ArtifactNotFoundError": "compatload.errors",
    "CompatLoadError": "compatload.errors",
    "CompatLoadWarning": "compatload.errors",
    "Conversion": "compatload.exporting.conversion",
    "ConversionError": "compatload.errors",
    "CpuUnsupportedError": "compatload.errors",
    "DamagedArtifactError": "compatload.errors",
    "DeviceUnavailableError": "compatload.errors",
    "ExportError": "compatload.errors",
    "FallbackWarning": "compatload.errors",
    "IncompatibleError": "compatload.errors",
    "LoadError": "compatload.errors",
    "ModeSwitchWarning": "compatload.errors",
    "NumpyUnsupportedError": "compatload.errors",
    "PaddleNotFoundError": "compatload.errors",
    "PoolBusyError": "compatload.errors",
    "PoolClosedError": "compatload.errors",
    "RuntimeUnsuitableError": "compatload.errors",
    "UnsafeArtifactError": "compatload.errors",
    "UnsupportedFormatError": "compatload.errors",
    "UnsupportedOperatorError": "compatload.errors",
    "UsageError": "compatload.errors",
    "WeightsMismatchError": "compatload.errors",
    "LoadReport": "compatload.loading.report",
    "ModelHandle": "compatload.serving.handle",
    "Plan": "compatload.plan",
    "PredictorConfig": "compatload.runtime.predictor_config",
    "Runtime": "compatload.runtime.model",
    "check": "compatload.checking.check",
    "convert": "compatload.exporting.convert",
    "detect_runtime": "compatload.runtime.detection",
    "enable_metrics": "compatload.metrics",
    "inspect_artifact": "compatload.artifact.inspection",
    "install": "compatload.interception",
    "load_report": "compatload.loading.report",
    "plan_load": "compatload.planning",
    "safe_create_predictor": "compatload.loading.predictor",
    "safe_load": "compatload.loading.layer",
    "safe_load_inference_model": "compatload.loading.program",
    "safe_save": "compatload.exporting.safe_save",
    "uninstall": "compatload.interception",
}

__all__ = [
    "Artifact",
    "ArtifactError",
    "ArtifactNotFoundError",
    "CompatLoadError",
    "CompatLoadWarning",
    "Conversion",
    "ConversionError",
    "CpuUnsupportedError",
    "DamagedArtifactError",
    "DeviceUnavailableError",
    "ExportError",
    "FallbackWarning",
    "IncompatibleError",
    "LoadError",
    "LoadReport",
    "ModeSwitchWarning",
    "ModelHandle",
    "NumpyUnsupportedError",
    "PaddleNotFoundError",
    "Plan",
    "PoolBusyError",
    "PoolClosedError",
    "PredictorConfig",
    "Runtime",
    "RuntimeUnsuitableError",
    "UnsafeArtifactError",
    "UnsupportedFormatError",
    "UnsupportedOperatorError",
    "UsageError",
    "WeightsMismatchError",
    "__version__",
    "check",
    "convert",
    "detect_runtime",
    "enable_metrics",
    "inspect_artifact",
    "install",
    "load_report",
    "plan_load",
    "safe_create_predictor",
    "safe_load",
    "safe_load_inference_model",
    "safe_save",
    "uninstall",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'compatload' has no attribute {name!r}")
    from importlib import import_module

    from compatload.collection import collection_paused

    with collection_paused():
        value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
