"""The formats of an export that the installed Paddle cannot write, beside the one that it can.

All programs of one prefix share its weights file: every format keeps tensors in the order of
their sorted names.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, Format
from compatload.conversion.legacy_to_pir import legacy_to_pir
from compatload.conversion.pir_to_legacy import info_of, pir_to_legacy
from compatload.conversion.pir_versions import convert_pir_bytes
from compatload.errors import CompatLoadError, ExportError, PaddleNotFoundError

PROGRAMS = {"pir": ".json", "legacy": ".pdmodel"}
_INFO = ".pdiparams.info"
_WEIGHTS = ".pdiparams"
_OLDEST_PIR = "3.0.0"  # what every later release reads as well

# (prefix of what was saved, "legacy" or "paddle==3.0.0") → the program file that was written
Converter = Callable[[str, str], str]


def converter_with(interpreter: str | None) -> Converter:
    """Compatload's own converter; ``interpreter`` is a Python with the Paddle that translates a
    legacy program to PIR, which 2.6 itself cannot do."""

    def convert(prefix: str, to: str) -> str:
        return write_beside(prefix, to, interpreter)

    return convert


def write_beside(prefix: str, to: str, interpreter: str | None = None) -> str:
    """Write the program of ``prefix``, and of its further methods, in another format beside it.

    ``"legacy"`` makes ``.pdmodel`` with its ``.pdiparams.info``; ``"paddle==3.0.0"`` makes the
    ``.json`` that this release and all newer ones read, in place of one that only newer ones do.

    Raises:
        ExportError: it cannot be expressed there; every obstacle is listed.
    """
    suffix = PROGRAMS["legacy"] if to == "legacy" else PROGRAMS["pir"]
    try:
        artifact = _saved(prefix)
        parts = {"forward": artifact, **artifact.method_artifacts}
        if to == "legacy":
            _write_legacy(prefix, parts)
        else:
            release = to.partition("==")[2] or _OLDEST_PIR
            for part in parts.values():
                data = _as_pir(part, release, interpreter)
                Path(part.files.prefix + suffix).write_bytes(data)
    except PaddleNotFoundError as error:
        raise ExportError(
            f"Nothing here translates a legacy program to PIR: {error.problem}.",
            action="Pass interpreter= with the path of a Python that has Paddle 3.x.",
            artifact=prefix,
        ) from error
    except CompatLoadError as error:
        raise ExportError(
            f"The saved model cannot be written for {to}: {error.problem}"
            + "".join(f"\n  - {one}" for one in getattr(error, "obstacles", ())),
            action=_action(to, interpreter),
            artifact=prefix,
            rule=error.rule,
        ) from error
    return prefix + suffix


def _action(to: str, interpreter: str | None) -> str:
    if to != "legacy" and interpreter is None and _native_is_legacy():
        return "Pass interpreter= with the path of a Python that has Paddle 3.x."
    return "Leave that format out, or export the model without these operators."


def _native_is_legacy() -> bool:
    import paddle

    return not hasattr(paddle.pir, "translate_to_pir") or str(paddle.__version__).startswith("2.")


def _saved(prefix: str) -> Artifact:
    """What Paddle has just written: its own format, whatever stands beside it by now."""
    legacy = prefix + PROGRAMS["legacy"]
    pir = prefix + PROGRAMS["pir"]
    return inspect_whole(pir if os.path.exists(pir) else legacy)


def _write_legacy(prefix: str, parts: Mapping[str, Artifact]) -> None:
    converted = {
        name: pir_to_legacy(pir_json.parse(part.program_bytes, part.path), part.parameters)
        for name, part in parts.items()
    }
    for name, part in parts.items():
        Path(part.files.prefix + PROGRAMS["legacy"]).write_bytes(converted[name].program)
    info = info_of(converted.values())
    if info:
        Path(prefix + _INFO).write_bytes(info)


def _as_pir(part: Artifact, release: str, interpreter: str | None) -> bytes:
    data = part.program_bytes
    if part.format is not Format.PIR:
        trainable = {
            name: bool(entry["trainable"])
            for name, entry in (part.info or {}).items()
            if isinstance(entry, Mapping) and "trainable" in entry
        }
        data = legacy_to_pir(data, trainable=trainable, interpreter=interpreter).data
    return convert_pir_bytes(data, release)[0]


@contextmanager
def alone(program: str) -> Iterator[str]:
    """A prefix under which one program file stands with its weights and no other format, for the
    scope: a loader takes what its Paddle prefers where several stand side by side."""
    place = Path(program)
    suffix = place.suffix
    with tempfile.TemporaryDirectory(prefix=".compatload-", dir=place.parent) as folder:
        for file in place.parent.iterdir():
            if file.is_file() and file.name.endswith((suffix, _WEIGHTS, _INFO)):
                _link(file, Path(folder, file.name))
        yield str(Path(folder, place.stem))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)


def load_converted(prefix: str) -> Any:
    """The layer that this Paddle makes of a program in another format."""
    from compatload.loading.layer import safe_load

    return safe_load(prefix)
