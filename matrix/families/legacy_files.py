"""Writes a converted program and its weights where Paddle's loaders look for them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from compatload.artifact.files import open_regular
from compatload.artifact.model import Parameter
from compatload.artifact.params import record_header
from compatload.errors import DamagedArtifactError, WeightsMismatchError
from compatload.programs.pir_to_legacy.convert import ConvertedProgram

_CHUNK = 1 << 20  # bytes copied at a time: weights are never held in memory


def write_legacy(
    converted: ConvertedProgram,
    parameters: Sequence[Parameter],
    directory: str,
    name: str,
    *,
    info: bytes | None = None,
) -> tuple[str, ...]:
    """Writes ``name.pdmodel``, ``name.pdiparams`` and ``name.pdiparams.info`` into ``directory``.

    The program comes last: whoever finds it finds everything. A file that could not be completed
    is removed. A program without parameters is one file only.

    Args:
        parameters: where the source keeps each tensor (``file``, ``offset`` and ``nbytes`` set).
        info: what to write as ``.pdiparams.info`` where the model has several methods
            (`info_of` all of them, beside ``forward``; ``b""`` to write none beside the others).

    Returns:
        The paths written.

    Raises:
        WeightsMismatchError: a tensor that the program needs is not among ``parameters``.
        DamagedArtifactError: the source's weights end early.
    """
    stem = Path(directory) / name
    written = []
    if converted.parameter_order:
        weights = stem.with_name(f"{name}.pdiparams")
        with _complete(weights) as target:
            _write_weights(target, converted.parameter_order, parameters)
        written.append(weights)
    described = converted.info if info is None else info
    if described:
        beside = stem.with_name(f"{name}.pdiparams.info")
        with _complete(beside) as target:
            target.write(described)
        written.append(beside)
    program = stem.with_name(f"{name}.pdmodel")
    with _complete(program) as target:
        target.write(converted.program)
    return tuple(str(path) for path in (*written, program))


@contextmanager
def _complete(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes its name only once it is whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _write_weights(target: BinaryIO, order: Sequence[str], parameters: Sequence[Parameter]) -> None:
    known: Mapping[str, Parameter] = {parameter.name: parameter for parameter in parameters}
    for name in order:
        parameter = known.get(name)
        if parameter is None or parameter.file is None:
            raise WeightsMismatchError(
                f"The weights hold no tensor {name}.",
                action="Give the weights file that was saved together with this program.",
            )
        target.write(record_header(parameter))
        _copy(parameter, target)


def _copy(parameter: Parameter, target: BinaryIO) -> None:
    remaining = parameter.nbytes or 0
    if parameter.file is None:
        return
    offset = parameter.offset or 0
    with open_regular(parameter.file) as source:
        while remaining:
            chunk = source.read_at(offset, min(_CHUNK, remaining))
            if not chunk:
                raise DamagedArtifactError(
                    f"The weights end inside the tensor {parameter.name}.",
                    action="Copy the weights file again.",
                    artifact=parameter.file,
                )
            target.write(chunk)
            offset += len(chunk)
            remaining -= len(chunk)
