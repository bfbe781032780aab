"""What can be told of a large program before its operators are decoded.

Format, release, version and parameters, which is all that the weights are checked against; the
rest is decoded, and checked as a small program is at once, on the first look at it. An outline is
only taken of bytes in the very layout that Paddle writes, and what it told has to be what decoding
finds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact import pir_json, program_desc
from compatload.artifact.deferred import DeferredProgram
from compatload.artifact.model import DecodedProgram, Format, Program
from compatload.collection import collection_paused
from compatload.errors import DamagedArtifactError

# Decoding fewer bytes takes less than five milliseconds.
_SMALLEST = 64 * 1024

_PIR_OPERATORS = b'"ops":['
_PIR_END = b"]}]}]}}"
_PIR_PARAMETER = b'{"#":"p"'
_PIR_DATA = b'{"#":"1.data"'
_PIR_OUTPUTS = (b'{"#":"1.fetch"', b'{"#":"0.shadow_output"')
# The type of an operator (field 3, five bytes long) that gives a result to the caller.
_LEGACY_FETCH = b"\x1a\x05fetch"


def decode(data: bytes, kind: Format, path: str) -> DecodedProgram:
    """The whole program.

    Raises:
        DamagedArtifactError: it is none, or it contradicts itself.
    """
    if kind is Format.PIR:
        return pir_json.decode(data, path)
    return program_desc.decode(data, path, text=kind is Format.LEGACY_TEXT)


def outline(data: bytes, kind: Format, path: str) -> DecodedProgram:
    """The program, whose operators, inputs and outputs are decoded on first use if it is large.

    Raises:
        DamagedArtifactError: it is none; what the first look at its operators raises, too.
    """
    told = _outline(data, kind, path) if len(data) > _SMALLEST else None
    if told is None:
        return decode(data, kind, path)

    def rest() -> Program:
        whole = decode(data, kind, path)
        if replace(whole, program=told.program) != told:
            raise DamagedArtifactError(
                f"{path} is damaged: what it says of itself differs from what it holds.",
                action="Fetch or save the model again.",
                artifact=path,
            )
        return whole.program

    return replace(told, program=DeferredProgram(rest))


def _outline(data: bytes, kind: Format, path: str) -> DecodedProgram | None:
    """None where only decoding it all can tell."""
    with collection_paused():
        try:
            if kind is Format.PIR:
                return _of_pir(data, path)
            return _of_legacy(data, path) if kind is Format.LEGACY else None
        except (DamagedArtifactError, ValueError, RecursionError):
            return None  # decoding says what is wrong


def _of_legacy(data: bytes, path: str) -> DecodedProgram | None:
    if data.rfind(_LEGACY_FETCH) < 0:
        return None
    return program_desc.outline(data, path)


def _of_pir(data: bytes, path: str) -> DecodedProgram | None:
    start = data.find(_PIR_OPERATORS) + len(_PIR_OPERATORS)
    has_outputs = any(data.rfind(mark) >= 0 for mark in _PIR_OUTPUTS)
    if start < len(_PIR_OPERATORS) or not has_outputs or not data.endswith(_PIR_END):
        return None
    if pir_json.has_too_many_nodes(data):
        return None
    header = pir_json.parse(data[:start] + _PIR_END, path)
    stored = [*_objects(data, start, _PIR_PARAMETER), *_objects(data, start, _PIR_DATA)]
    return pir_json.outline(header, stored, path)


def _objects(data: bytes, start: int, mark: bytes) -> Iterator[object]:
    """The objects of the document from ``start`` on that begin with ``mark``."""
    decoder = json.JSONDecoder()
    position = data.find(mark, start)
    while position >= 0:
        # An operator of this kind is a few hundred bytes long.
        length = 1024
        while True:
            piece = data[position : position + length].decode("utf-8", "ignore")
            try:
                found, _ = decoder.raw_decode(piece)
                break
            except ValueError:
                if position + length >= len(data):
                    raise
                length *= 4
        yield found
        position = data.find(mark, position + len(mark))
