"""An artifact's program, laid out in a private directory and compiled by an engine."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.artifact.files import read_file
from compatload.artifact.model import Artifact, Format
from compatload.artifact.record import Record
from compatload.engines.engine import INSTEAD, Engine, EngineProgram, EngineRequest
from compatload.engines.program import engine_program
from compatload.errors import CompatLoadError, LoadError, UsageError
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.recorded import difference_from, sample_inputs
from compatload.loading.staging import staged
from compatload.serving.shapes import Shapes, renamed
from compatload.store.cache import OFF, VARIABLE, ConversionCache
from compatload.store.entry import code_stamp, content_key
from compatload.store.linking import identity

logger = logging.getLogger("compatload")

# Bytes of a program from which on an entry costs less than making it anew.
_SMALLEST = 32 << 10
_PROGRAM, _NAMES, _CONVERTED = "program", "names.json", "converted"
_LISTS = ("inputs", "outputs", "numbers", "changes")
_MAX_NAMES = 1 << 20


def compiled(
    artifact: Artifact,
    program: EngineProgram,
    engine: Engine,
    threads: int,
    count: int,
    shapes: Shapes | None = None,
) -> Sequence[EngineRequest]:
    """Requests of the program. Raises what the engine's ``requests`` and ``convert`` raise.

    ``shapes`` are by the names of the artifact's inputs.
    """
    return engine.requests(
        partial(laid_out, artifact, program, engine),
        program,
        threads=threads,
        count=count,
        shapes=renamed(artifact.inputs, program.inputs, shapes),
    )


class BoundedRequest:
    """A request that refuses whole numbers above those that its engine computes as Paddle does."""

    def __init__(self, request: EngineRequest, most: int, title: str) -> None:
        self.input_names = request.input_names
        self._request, self._most, self._title = request, most, title

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Raises UsageError, and what the request raises."""
        for name, value in inputs.items():
            if value.dtype.kind not in "iu" or not value.size:
                continue
            if value.max() > self._most or value.min() < -self._most:
                raise UsageError(
                    f"input {name} holds whole numbers above {self._most:,}, of which "
                    f"{self._title} computes others than Paddle",
                    action=INSTEAD,
                )
        return self._request.run(inputs)


@contextmanager
def laid_out(artifact: Artifact, program: EngineProgram, engine: Engine) -> Iterator[str]:
    """The path of what the engine reads; what it has to be converted to is kept for all processes
    of this user."""
    prepared = PreparedPrograms({"forward": program.data}, Format.LEGACY)
    alone = replace(artifact, methods={}, method_artifacts={})
    convert = engine.convert
    if convert is None:
        with staged(alone, prepared) as prefix:
            yield prefix + prepared.suffix
        return

    def make(directory: Path) -> None:
        with staged(alone, prepared) as prefix:
            convert(prefix + prepared.suffix, str(directory / _CONVERTED))

    if os.environ.get(VARIABLE) == OFF:
        with tempfile.TemporaryDirectory(prefix="compatload-") as name:
            make(Path(name))
            yield str(Path(name, _CONVERTED))
        return
    weights = [identity(Path(file)) for file in artifact.files.parameters]
    release = engine.require_installed()
    told = (__version__, code_stamp(), engine.name, release, repr(weights))
    key = content_key("converted for an engine", *told, program.data)
    about = {"model": artifact.path, "for": f"{engine.title} {release}"}
    yield str(ConversionCache().get_or_create(key, make, about=about) / _CONVERTED)


def kept_program(artifact: Artifact, engine: Engine, release: str) -> EngineProgram:
    """What ``engine_program`` returns; made once for all processes of this user."""
    if os.environ.get(VARIABLE) == OFF or len(artifact.program_bytes) < _SMALLEST:
        return engine_program(artifact, engine, release)
    stored = [(one.name, one.dtype, one.shape) for one in artifact.parameters]
    told = (__version__, code_stamp(), engine.name, release, artifact.format.value, repr(stored))
    key = content_key("program for an engine", *told, artifact.program_bytes)
    cache = ConversionCache()
    entry = cache.find(key)
    if entry is not None:
        try:
            return _read(entry)
        except (CompatLoadError, ValueError, KeyError, TypeError) as error:
            logger.debug("%s is not used: %s", entry, error)
    made = engine_program(artifact, engine, release)

    def write(directory: Path) -> None:
        (directory / _PROGRAM).write_bytes(made.data)
        names = {name: value for name, value in asdict(made).items() if name != "data"}
        (directory / _NAMES).write_text(json.dumps(names), encoding="utf-8")

    cache.keep(key, write, about={"model": artifact.path, "for": f"{engine.title} {release}"})
    return made


def _read(entry: Path) -> EngineProgram:
    names: Any = json.loads(read_file(str(entry / _NAMES), _MAX_NAMES)[0])
    listed = {name: tuple(map(str, names[name])) for name in _LISTS}
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
    request: EngineRequest, record: Record, path: str, engine: Engine, shapes: Shapes | None
) -> None:
    """Raises LoadError where a request computes something else than ``safe_save`` recorded."""
    inputs = recorded_inputs(record, shapes)
    if inputs is None:
        return
    problem = difference_from(record, request.run(dict(zip(request.input_names, inputs))))
    if problem:
        raise LoadError(
            f"{engine.title} computes other numbers of {path} than when it was saved: {problem}",
            action=INSTEAD,
            artifact=path,
        )
