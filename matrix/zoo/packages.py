"""Other projects' networks, built from their wheels without installing what those depend on.

A network's code imports far more than it uses: readers of images, trackers of experiments,
model hubs. Those are stood in for while the code is imported, by modules whose every name is a
class that accepts anything and does nothing.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VARIABLE = "COMPATLOAD_MATRIX_PACKAGES"

# What the four projects import beside Paddle and NumPy, and no network of the zoo calls.
UNUSED = frozenset(
    """
    aistudio_sdk colorama colorlog cv2 datasets dill easydict faiss fastapi filelock gast
    huggingface_hub imgaug jieba jinja2 lap matplotlib motmetrics mpl_toolkits multiprocess numba
    onnx packaging paddle2onnx paddlefsl pandas pip pkg_resources prettytable pycocotools pydantic
    regex requests rich safetensors scipy sentencepiece seqeval shapely skimage sklearn
    terminaltables tiktoken tokenizers tool_helpers tqdm ujson uvicorn visualdl xmltodict yaml
    """.split()  # noqa: SIM905 (a table of names)
)


class _Members(type):
    """Gives stand-in classes every attribute: ``pydantic.Extra.forbid`` is read as one is made."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()


class _Anything(metaclass=_Members):
    """Stands for any class or function of a module that is not there."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **options: Any) -> _Anything:
        return self

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()


class _Module(types.ModuleType):
    __path__: list[str] = []  # so that submodules can be imported too  # noqa: RUF012

    def __getattr__(self, name: str) -> type[_Anything]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Members(name, (_Anything,), {})


class _Finder:
    """Finds stand-ins; comes last, so that what is installed is used."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in UNUSED:
            return None
        return importlib.machinery.ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


@contextmanager
def project(name: str) -> Iterator[None]:
    """Import that package's modules from where ``packages.install`` put them.

    Raises:
        ModuleNotFoundError: it was not installed.
    """
    home = os.environ.get(VARIABLE)
    if not home or not (Path(home) / name).is_dir():
        raise ModuleNotFoundError(f"{name} is not installed for the zoo")
    finder = _Finder()
    # PaddleClas keeps its modules one level down, and they import each other as ``ppcls``.
    places = [home, str(Path(home) / "paddleclas")]
    sys.meta_path.append(finder)
    sys.path[:0] = places
    try:
        yield
    finally:
        for place in places:
            sys.path.remove(place)
        sys.meta_path.remove(finder)
