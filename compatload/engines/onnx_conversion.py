"""A child process in which paddle2onnx writes one program as ONNX."""

from __future__ import annotations

import importlib.util
import os
from glob import escape, glob
from types import ModuleType

_EXTENSION = "paddle2onnx_cpp2py_export"
# What its LayerNormalization is from; onnxruntime has it since 1.14.
_OPSET = 17


def main(program: str, weights: str, target: str) -> None:
    """Write ``target`` from the paths of a legacy program and its combined weights ("": none)."""
    upgrade, verbose, checked, experimental, optimised, half = True, False, False, True, True, False
    data = _extension().export(
        *(program, weights, _OPSET, upgrade, verbose, checked, experimental, optimised),
        *({}, "onnxruntime", "", "", half),
    )
    with open(target, "wb") as file:
        file.write(data)
    # What it leaves behind may crash when the interpreter takes it apart.
    os._exit(0)


def _extension() -> ModuleType:
    """paddle2onnx's native part. Its package imports Paddle, which the native part does not need
    and which may not be there."""
    package = importlib.util.find_spec("paddle2onnx")
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        for file in glob(f"{escape(folder)}/{_EXTENSION}.*"):
            spec = importlib.util.spec_from_file_location(_EXTENSION, file)
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError("paddle2onnx has no native part")
