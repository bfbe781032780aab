"""Stored weights: where each tensor's bytes stand, and whether the program wants them.

A record is u32 0, u64 LoD levels (each u64 length and data), u32 0, i32 length, TensorDesc, raw
data. Records carry no names; the program gives the order. Only headers are read, so the cost does
not grow with the weights. A file that Paddle would read silently wrong (cut short, or of another
program) is refused here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from google.protobuf.message import DecodeError

from compatload.artifact.files import FileIdentity, open_regular
from compatload.artifact.model import Parameter, TensorSpec
from compatload.artifact.program_proto import DATA_TYPES, message
from compatload.artifact.signature import HEAD_BYTES, Kind, recognise
from compatload.errors import (
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
    WeightsMismatchError,
)

# One read covers the header of an ordinary tensor: 20 bytes and a TensorDesc of few dimensions.
_WINDOW = 256
_PREFIX = struct.Struct("<IQ")
_LEVEL = struct.Struct("<Q")
_SUFFIX = struct.Struct("<Ii")
_MAX_LEVELS = 64
_MAX_DESCRIPTION = 4096
_MAX_RANK = 64

_REFETCH = "Fetch or save the weights again."
_SAME_SAVE = "Give the weights that were saved together with this program."


class Source(Protocol):
    """Bytes that can be read at any offset: an open file, or memory."""

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int: ...

    def read_at(self, offset: int, length: int) -> bytes: ...


class MemorySource:
    """Weights that are in memory already."""

    path = "<memory>"

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


@dataclass(frozen=True)
class StoredTensor:
    """One record: data type, shape, and where its raw data stands."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"


class _BadRecordError(Exception):
    """There is no record at that offset; the argument says why."""


def read_record(source: Source, offset: int) -> StoredTensor:
    window = source.read_at(offset, _WINDOW)
    start = offset

    def take(position: int, length: int) -> bytes:
        nonlocal window, start
        if position - start + length > len(window):
            window, start = source.read_at(position, max(length, _WINDOW)), position
        piece = window[position - start : position - start + length]
        if len(piece) < length:
            raise _BadRecordError("the file ends inside a tensor's header")
        return piece

    version, levels = _PREFIX.unpack(take(offset, _PREFIX.size))
    if version != 0 or levels > _MAX_LEVELS:
        raise _BadRecordError("no tensor begins there")
    position = offset + _PREFIX.size
    for _ in range(levels):
        (length,) = _LEVEL.unpack(take(position, _LEVEL.size))
        position += _LEVEL.size + length
        if length % 8 or position > source.size:
            raise _BadRecordError("its level-of-detail data is longer than the file")
    version, length = _SUFFIX.unpack(take(position, _SUFFIX.size))
    if version != 0 or not 0 < length <= _MAX_DESCRIPTION:
        raise _BadRecordError("no tensor begins there")
    position += _SUFFIX.size
    dtype, itemsize, shape = _description(take(position, length))
    position += length
    nbytes = itemsize
    for size in shape:
        nbytes *= size
    return StoredTensor(dtype, shape, position, nbytes)


def _description(data: bytes) -> tuple[str, int, tuple[int, ...]]:
    description = message("TensorDesc")
    try:
        description.ParseFromString(data)
    except (DecodeError, ValueError) as error:
        raise _BadRecordError("its description is no TensorDesc") from error
    shape = tuple(description.dims)
    element = DATA_TYPES.get(description.data_type)
    if element is None:
        raise _BadRecordError(f"it has the unknown data type {description.data_type}")
    if len(shape) > _MAX_RANK or any(size < 0 for size in shape):
        raise _BadRecordError(f"it has the impossible shape {list(shape[:_MAX_RANK])}")
    return (*element, shape)


def match_combined(
    source: Source, expected: Sequence[TensorSpec], program: str
) -> tuple[Parameter, ...]:
    """The program's parameters with their places in one combined file.

    Raises:
        DamagedArtifactError: the file is cut short, altered, or something else altogether.
        WeightsMismatchError: it holds other tensors; the first that differs is named.
    """
    _require_weights(source, expected, program)
    found: list[Parameter] = []
    offset = 0
    for index, spec in enumerate(expected):
        if offset == source.size:
            raise _too_few(source, expected, index, program)
        place = f"tensor {index} ({spec.name!r}) of {source.path}, at byte {offset},"
        try:
            stored = read_record(source, offset)
        except _BadRecordError as error:
            raise DamagedArtifactError(
                f"{place} is damaged: {error}.", action=_REFETCH, artifact=source.path
            ) from error
        _require_match(stored, spec, source.path, program, index)
        offset = stored.offset + stored.nbytes
        if offset > source.size:
            raise DamagedArtifactError(
                f"{place} is cut short: {offset - source.size} of its {stored.nbytes} bytes are "
                f"missing.",
                action=_REFETCH,
                artifact=source.path,
            )
        found.append(
            Parameter(
                spec.name, stored.dtype, stored.shape, source.path, stored.offset, stored.nbytes
            )
        )
    if offset < source.size:
        raise _too_many(source, len(expected), offset, program)
    return tuple(found)


def _require_weights(source: Source, expected: Sequence[TensorSpec], program: str) -> None:
    if not expected or source.size == 0:
        return  # an empty file is judged by the count of tensors
    kind = recognise(source.read_at(0, HEAD_BYTES), source.path)
    if kind is Kind.PICKLE:
        raise DamagedArtifactError(
            f"{source.path} is a pickle (.pdparams or .pdopt), not the combined weights that "
            f"{program} wants.",
            action="Give the .pdiparams file that was saved together with the program.",
            artifact=source.path,
        )
    if kind not in (Kind.WEIGHTS, Kind.UNKNOWN):
        raise DamagedArtifactError(
            f"{source.path} is a {kind.value}, not the combined weights that {program} wants.",
            action=_SAME_SAVE,
            artifact=source.path,
        )


def _require_match(
    stored: StoredTensor, spec: TensorSpec, path: str, program: str, index: int
) -> None:
    wanted = spec.shape or ()
    same_shape = len(wanted) == len(stored.shape) and all(
        want in (-1, size) for want, size in zip(wanted, stored.shape)
    )
    if not same_shape or stored.dtype != spec.dtype:
        raise WeightsMismatchError(
            f"The weights in {path} belong to another program: {program} wants {spec.dtype} "
            f"{list(wanted)} for {spec.name!r}, tensor {index} of the file is {stored}.",
            action=_SAME_SAVE,
            artifact=path,
        )


def _too_few(
    source: Source, expected: Sequence[TensorSpec], index: int, program: str
) -> DamagedArtifactError | WeightsMismatchError:
    if source.size == 0:
        return DamagedArtifactError(
            f"{source.path} is empty; {program} wants {len(expected)} tensors.",
            action=_REFETCH,
            artifact=source.path,
        )
    return WeightsMismatchError(
        f"{source.path} ends after {index} tensors; {program} wants {len(expected)}, the first "
        f"missing one is {expected[index].name!r}.",
        action=_SAME_SAVE,
        artifact=source.path,
    )


def _too_many(
    source: Source, count: int, offset: int, program: str
) -> DamagedArtifactError | WeightsMismatchError:
    try:
        extra = read_record(source, offset)
    except _BadRecordError:
        return DamagedArtifactError(
            f"{source.path} goes on for {source.size - offset} bytes after its last tensor.",
            action=_REFETCH,
            artifact=source.path,
        )
    return WeightsMismatchError(
        f"{source.path} holds more than the {count} tensors that {program} wants; the first left "
        f"over is {extra}.",
        action=_SAME_SAVE,
        artifact=source.path,
    )


def match_file(
    path: str, expected: Sequence[TensorSpec], program: str
) -> tuple[tuple[Parameter, ...], FileIdentity]:
    """:func:`match_combined` for a file on disk, and the identity of what was read."""
    with open_regular(path) as file:
        return match_combined(file, expected, program), file.identity


def match_loose(
    directory: str, expected: Sequence[TensorSpec], program: str
) -> tuple[tuple[Parameter, ...], tuple[FileIdentity, ...]]:
    """Parameters stored one file each, named as the variable (Paddle 1.x).

    Raises:
        UnsafeArtifactError: a variable's name leads out of the directory.
        ArtifactNotFoundError, DamagedArtifactError, WeightsMismatchError: as above.
    """
    parameters: list[Parameter] = []
    identities: list[FileIdentity] = []
    for spec in expected:
        path = loose_path(directory, spec.name)
        if not os.path.lexists(path):
            raise ArtifactNotFoundError(
                f"The weights of {program} are incomplete: {spec.name!r} has no file in "
                f"{directory or '.'}.",
                action=_SAME_SAVE,
                artifact=path,
            )
        (parameter,), identity = match_file(path, (spec,), program)
        parameters.append(parameter)
        identities.append(identity)
    return tuple(parameters), tuple(identities)


def loose_path(directory: str, name: str) -> str:
    """Where a variable's own file stands; a name that leads out of the directory is refused."""
    parts = name.replace("\\", "/").split("/")
    if not name or "\0" in name or os.path.isabs(name) or ".." in parts or ":" in parts[0]:
        raise UnsafeArtifactError(
            f"The variable {name!r} would be read from outside of {directory or '.'}.",
            action="Do not load this model; its program was tampered with.",
            artifact=directory,
        )
    return os.path.join(directory, *parts)
