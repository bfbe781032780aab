"""An artifact's program, laid out in a private directory and compiled by OpenVINO."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.artifact.files import read_file
from compatload.artifact.model import Artifact, Format
from compatload.artifact.record import Record
from compatload.engines import openvino
from compatload.engines.program import EngineProgram, engine_program
from compatload.errors import CompatLoadError, LoadError
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.recorded import difference_from, sample_inputs
from compatload.loading.staging import staged
from compatload.serving.shapes import Shapes, renamed
from compatload.store.cache import OFF, VARIABLE, ConversionCache
from compatload.store.entry import code_stamp, content_key

logger = logging.getLogger("compatload")

# Bytes of a program from which on an entry costs less than making it anew.
_SMALLEST = 32 << 10
_PROGRAM, _NAMES = "program", "names.json"
_MAX_NAMES = 1 << 20


def compiled(
    artifact: Artifact,
    program: EngineProgram,
    threads: int,
    count: int,
    shapes: Shapes | None = None,
) -> list[openvino.InferRequest]:
    """Requests of the program. Raises what ``openvino.requests`` raises.

    ``shapes`` are by the names of the artifact's inputs.
    """
    prepared = PreparedPrograms({"forward": program.data}, Format.LEGACY)
    alone = replace(artifact, methods={}, method_artifacts={})
    with staged(alone, prepared) as prefix:
        return openvino.requests(
            prefix + prepared.suffix,
            program.inputs,
            program.outputs,
            threads=threads,
            count=count,
            shapes=renamed(artifact.inputs, program.inputs, shapes),
        )


def kept_program(artifact: Artifact, release: str) -> EngineProgram:
    """What ``engine_program`` returns; made once for all processes of this user."""
    if os.environ.get(VARIABLE) == OFF or len(artifact.program_bytes) < _SMALLEST:
        return engine_program(artifact, release)
    stored = [(one.name, one.dtype, one.shape) for one in artifact.parameters]
    told = (__version__, code_stamp(), release, artifact.format.value, repr(stored))
    key = content_key("program for an engine", *told, artifact.program_bytes)
    cache = ConversionCache()
    entry = cache.find(key)
    if entry is not None:
        try:
            return _read(entry)
        except (CompatLoadError, ValueError, KeyError, TypeError) as error:
            logger.debug("%s is not used: %s", entry, error)
    made = engine_program(artifact, release)

    def write(directory: Path) -> None:
        (directory / _PROGRAM).write_bytes(made.data)
        names = {name: value for name, value in asdict(made).items() if name != "data"}
        (directory / _NAMES).write_text(json.dumps(names), encoding="utf-8")

    cache.keep(key, write, about={"model": artifact.path, "for": f"OpenVINO {release}"})
    return made


def _read(entry: Path) -> EngineProgram:
    names: Any = json.loads(read_file(str(entry / _NAMES), _MAX_NAMES)[0])
    listed = {name: tuple(map(str, names[name])) for name in ("inputs", "outputs", "changes")}
    return EngineProgram(read_file(str(entry / _PROGRAM))[0], **listed)


def recorded_inputs(record: Record, shapes: Shapes | None) -> list[Any] | None:
    """Those that ``safe_save`` recorded, if every call may have their shapes."""
    inputs = sample_inputs(record)
    if inputs is None or not shapes:
        return inputs
    fit = all(
        tuple(shapes.get(str(spec["name"]), value.shape)) == value.shape
        for spec, value in zip(record.inputs, inputs)
    )
    return inputs if fit else None


def require_recorded(
    request: openvino.InferRequest, record: Record, path: str, shapes: Shapes | None
) -> None:
    """Raises LoadError where a request computes something else than ``safe_save`` recorded."""
    inputs = recorded_inputs(record, shapes)
    if inputs is None:
        return
    problem = difference_from(record, request.run(dict(zip(request.input_names, inputs))))
    if problem:
        raise LoadError(
            f"OpenVINO computes other numbers of {path} than when it was saved: {problem}",
            action=openvino.INSTEAD,
            artifact=path,
        )
