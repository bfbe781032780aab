"""Any saved PaddlePaddle model loads in the Paddle that is installed.

Importing this module imports neither paddle nor numpy: every name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compatload._version import __version__

if TYPE_CHECKING:
    from compatload.artifact.inspection import inspect_artifact as inspect_artifact
    from compatload.artifact.model import Artifact as Artifact
    from compatload.checking.check import check as check
    from compatload.checking.finding import CheckReport as CheckReport
    from compatload.drop_ins import safe_create_predictor as safe_create_predictor
    from compatload.drop_ins import safe_load as safe_load
    from compatload.drop_ins import safe_load_inference_model as safe_load_inference_model
    from compatload.errors import ArtifactError as ArtifactError
    from compatload.errors import ArtifactNotFoundError as ArtifactNotFoundError
    from compatload.errors import CompatLoadError as CompatLoadError
    from compatload.errors import CompatLoadWarning as CompatLoadWarning
    from compatload.errors import ConversionError as ConversionError
    from compatload.errors import CpuUnsupportedError as CpuUnsupportedError
    from compatload.errors import DamagedArtifactError as DamagedArtifactError
    from compatload.errors import DeviceUnavailableError as DeviceUnavailableError
    from compatload.errors import EngineNotFoundError as EngineNotFoundError
    from compatload.errors import ExportError as ExportError
    from compatload.errors import FallbackWarning as FallbackWarning
    from compatload.errors import IncompatibleError as IncompatibleError
    from compatload.errors import LoadError as LoadError
    from compatload.errors import ModeSwitchWarning as ModeSwitchWarning
    from compatload.errors import NumpyUnsupportedError as NumpyUnsupportedError
    from compatload.errors import PaddleNotFoundError as PaddleNotFoundError
    from compatload.errors import PoolBusyError as PoolBusyError
    from compatload.errors import PoolClosedError as PoolClosedError
    from compatload.errors import RuntimeUnsuitableError as RuntimeUnsuitableError
    from compatload.errors import UnsafeArtifactError as UnsafeArtifactError
    from compatload.errors import UnsupportedFormatError as UnsupportedFormatError
    from compatload.errors import UnsupportedOperatorError as UnsupportedOperatorError
    from compatload.errors import UsageError as UsageError
    from compatload.errors import WeightsMismatchError as WeightsMismatchError
    from compatload.exporting.conversion import Conversion as Conversion
    from compatload.exporting.convert import convert as convert
    from compatload.exporting.safe_save import safe_save as safe_save
    from compatload.interception import install as install
    from compatload.interception import uninstall as uninstall
    from compatload.loading.report import LoadReport as LoadReport
    from compatload.loading.report import load_report as load_report
    from compatload.metrics import enable_metrics as enable_metrics
    from compatload.migration.migrate import migrate as migrate
    from compatload.migration.report import MigrationReport as MigrationReport
    from compatload.plan import Api as Api
    from compatload.plan import Plan as Plan
    from compatload.plan import Step as Step
    from compatload.planning import plan_load as plan_load
    from compatload.runtime.detection import detect_runtime as detect_runtime
    from compatload.runtime.model import Runtime as Runtime
    from compatload.runtime.predictor_config import PredictorConfig as PredictorConfig
    from compatload.serving.handle import HandleStatus as HandleStatus
    from compatload.serving.handle import ModelHandle as ModelHandle
    from compatload.serving.layer import InferenceLayer as InferenceLayer
    from compatload.serving.options import InferenceOptions as InferenceOptions


_HOMES = {
    "Api": "compatload.plan",
    "Artifact": "compatload.artifact.model",
    "ArtifactError": "compatload.errors",
    "ArtifactNotFoundError": "compatload.errors",
    "CheckReport": "compatload.checking.finding",
    "CompatLoadError": "compatload.errors",
    "CompatLoadWarning": "compatload.errors",
    "Conversion": "compatload.exporting.conversion",
    "ConversionError": "compatload.errors",
    "CpuUnsupportedError": "compatload.errors",
    "DamagedArtifactError": "compatload.errors",
    "DeviceUnavailableError": "compatload.errors",
    "EngineNotFoundError": "compatload.errors",
    "ExportError": "compatload.errors",
    "FallbackWarning": "compatload.errors",
    "HandleStatus": "compatload.serving.handle",
    "IncompatibleError": "compatload.errors",
    "InferenceLayer": "compatload.serving.layer",
    "InferenceOptions": "compatload.serving.options",
    "LoadError": "compatload.errors",
    "LoadReport": "compatload.loading.report",
    "MigrationReport": "compatload.migration.report",
    "ModeSwitchWarning": "compatload.errors",
    "ModelHandle": "compatload.serving.handle",
    "NumpyUnsupportedError": "compatload.errors",
    "PaddleNotFoundError": "compatload.errors",
    "Plan": "compatload.plan",
    "PoolBusyError": "compatload.errors",
    "PoolClosedError": "compatload.errors",
    "PredictorConfig": "compatload.runtime.predictor_config",
    "Runtime": "compatload.runtime.model",
    "RuntimeUnsuitableError": "compatload.errors",
    "Step": "compatload.plan",
    "UnsafeArtifactError": "compatload.errors",
    "UnsupportedFormatError": "compatload.errors",
    "UnsupportedOperatorError": "compatload.errors",
    "UsageError": "compatload.errors",
    "WeightsMismatchError": "compatload.errors",
    "check": "compatload.checking.check",
    "convert": "compatload.exporting.convert",
    "detect_runtime": "compatload.runtime.detection",
    "enable_metrics": "compatload.metrics",
    "inspect_artifact": "compatload.artifact.inspection",
    "install": "compatload.interception",
    "load_report": "compatload.loading.report",
    "migrate": "compatload.migration.migrate",
    "plan_load": "compatload.planning",
    "safe_create_predictor": "compatload.drop_ins",
    "safe_load": "compatload.drop_ins",
    "safe_load_inference_model": "compatload.drop_ins",
    "safe_save": "compatload.exporting.safe_save",
    "uninstall": "compatload.interception",
}

__all__ = ["__version__", *_HOMES]


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
