"""Stored weights: where each tensor's bytes stand, and whether the program wants them.

A record is u32 0, u64 LoD levels (each u64 length and data), u32 0, i32 length, TensorDesc, raw
data. Records carry no names; the program gives the order. Only headers are read, so the cost does
not grow with the weights. A file that Paddle would read silently wrong (cut short, or of another
program) is refused here.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from compatload.artifact.files import FileIdentity, open_regular
from compatload.artifact.model import MOST_AXES, Parameter, TensorSpec
from compatload.artifact.program_proto import DATA_TYPES, message
from compatload.artifact.signature import HEAD_BYTES, Kind, recognise
from compatload.errors import (
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
    WeightsMismatchError,
)

_FREE = -1  # a size that only a run tells
# One read covers the header of an ordinary tensor: 20 bytes and a TensorDesc of few dimensions.
_WINDOW = 128
# Below this, one read of everything costs less than a read for every header.
_SMALL = 4 * 1024 * 1024
# Version, LoD levels (none), version and length of the description, as almost every tensor has.
_ORDINARY = struct.Struct("<IQIi")
_PREFIX = struct.Struct("<IQ")
_LEVEL = struct.Struct("<Q")
_SUFFIX = struct.Struct("<Ii")
_NUMBERS = {name: number for number, (name, _) in DATA_TYPES.items()}
_MAX_LEVELS = 64
_MAX_DESCRIPTION = 1024

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

    def __init__(self, data: bytes, path: str = "<memory>") -> None:
        self._data = data
        self.path = path
        self.size = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class StoredTensor(NamedTuple):
    """One record: data type, shape, and where its raw data stands."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"


class BadRecordError(Exception):
    """No record begins at that offset; the argument says why."""


def read_record(source: Source, offset: int) -> StoredTensor:
    """The tensor whose record begins at ``offset``; its raw data may reach past the end.

    Raises:
        BadRecordError: no record begins there.
    """
    window = source.read_at(offset, _WINDOW)
    if len(window) < _ORDINARY.size:
        raise BadRecordError("the file ends inside its header")
    version, levels, second_version, length = _ORDINARY.unpack_from(window)
    position = _ORDINARY.size
    if levels:
        length, position = _skip_levels(source, offset)
        second_version = 0
    if version or second_version or not 0 < length <= _MAX_DESCRIPTION:
        raise BadRecordError("no tensor begins there")
    description = window[position : position + length]
    if len(description) < length:
        description = source.read_at(offset + position, length)
    if len(description) < length:
        raise BadRecordError("the file ends inside its header")
    dtype, shape, nbytes = _describe(description)
    return StoredTensor(dtype, shape, offset + position + length, nbytes)


def _skip_levels(source: Source, offset: int) -> tuple[int, int]:
    """Length of the description after level-of-detail data, and its place in the record."""
    version, levels = _PREFIX.unpack(source.read_at(offset, _PREFIX.size))
    if version or levels > _MAX_LEVELS:
        raise BadRecordError("no tensor begins there")
    position = _PREFIX.size
    for _ in range(levels):
        raw = source.read_at(offset + position, _LEVEL.size)
        if len(raw) < _LEVEL.size:
            raise BadRecordError("the file ends inside its header")
        (length,) = _LEVEL.unpack(raw)
        position += _LEVEL.size + length
        if length % 8 or offset + position > source.size:
            raise BadRecordError("its level-of-detail data is longer than the file")
    raw = source.read_at(offset + position, _SUFFIX.size)
    if len(raw) < _SUFFIX.size:
        raise BadRecordError("the file ends inside its header")
    version, length = _SUFFIX.unpack(raw)
    if version:
        raise BadRecordError("no tensor begins there")
    return length, position + _SUFFIX.size


@lru_cache(maxsize=4096)
def _describe(description: bytes) -> tuple[str, tuple[int, ...], int]:
    """dtype, shape and length in bytes of a TensorDesc: field 1 the type, field 2 the sizes.

    Read by hand: it is two kinds of varints, the same shapes come again and again, and a PIR
    program needs no protobuf otherwise.
    """
    position = 0
    dtype: int | None = None
    shape: list[int] = []
    while position < len(description):
        tag, position = _varint(description, position)
        value, position = _varint(description, position)
        if tag == 0x08:
            dtype = value
        elif tag == 0x10:
            shape.append(value)
        elif tag == 0x12:  # packed, as a proto3 writer would
            end = position + value
            while position < end:
                size, position = _varint(description, position)
                shape.append(size)
            if position != end:
                raise BadRecordError("its description is no TensorDesc")
        else:
            raise BadRecordError("its description is no TensorDesc")
    element = DATA_TYPES.get(-1 if dtype is None else dtype)
    if element is None:
        raise BadRecordError(f"it has the unknown data type {dtype}")
    if len(shape) > MOST_AXES or any(size >= 2**63 for size in shape):
        raise BadRecordError(f"it has an impossible shape of {len(shape)} dimensions")
    return element[0], tuple(shape), element[1] * math.prod(shape)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for count, byte in enumerate(data[position : position + 10]):
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, position + count + 1
    raise BadRecordError("its description is no TensorDesc")


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
        try:
            stored = read_record(source, offset)
        except BadRecordError as error:
            raise DamagedArtifactError(
                f"Tensor {index} ({spec.name!r}) of {source.path}, at byte {offset}, is damaged: "
                f"{error}.",
                action=_REFETCH,
                artifact=source.path,
            ) from error
        _require_match(stored, spec, source.path, program, index)
        offset = stored.offset + stored.nbytes
        if offset > source.size:
            raise DamagedArtifactError(
                f"{source.path} is cut short: {offset - source.size} of the {stored.nbytes} bytes "
                f"of tensor {index} ({spec.name!r}) are missing.",
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
    # A layer that keeps what it computed (``self.last = x``) declares that with its free sizes.
    fits = len(wanted) == len(stored.shape) and all(
        size in (_FREE, there) for size, there in zip(wanted, stored.shape, strict=True)
    )
    if not fits or stored.dtype != spec.dtype:
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
    except BadRecordError:
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
        source: Source = file
        if file.size <= _SMALL:
            source = MemorySource(file.read_at(0, file.size), path)
        return match_combined(source, expected, program), file.identity


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


def record_header(parameter: Parameter) -> bytes:
    """What stands before a tensor's raw data in a file of combined weights."""
    described = message("TensorDesc")
    described.data_type = _NUMBERS[parameter.dtype]
    described.dims.extend(parameter.shape)
    data: bytes = described.SerializeToString()
    return _ORDINARY.pack(0, 0, 0, len(data)) + data
