"""Damage to the headers of stored weights and to the pickle beside them."""

from __future__ import annotations

import json
import pickle
import random
import struct
from typing import Any

from compatload.artifact import program_desc
from compatload.artifact.program_proto import message
from tests.attacks.fields import INTEGERS

_HEAD = struct.Struct("<IQIi")


def damage_weights(data: bytes, chance: random.Random) -> tuple[str, str, bytes] | None:
    """(what, cause, bytes) with the header of one tensor changed; None if no header was found."""
    starts = _records(data)
    if not starts:
        return None
    start, length = chance.choice(starts)
    version, levels, second, _ = _HEAD.unpack_from(data, start)
    body = start + _HEAD.size
    description = message("TensorDesc")
    description.ParseFromString(data[body : body + length])
    rest = data[body + length :]
    way = chance.randrange(8)
    if way == 0:
        number = chance.choice((1, 2, 2**32 - 1))
        head = _HEAD.pack(number, levels, second, length)
        what, made = "version", data[:start] + head + data[body:]
    elif way == 1:
        number = chance.choice((1, 2, 64, 2**32, 2**63, 2**64 - 1))
        extra = chance.choice((b"", struct.pack("<Q", 2**62), struct.pack("<QQ", 8, 3)))
        head = struct.pack("<IQ", version, number) + extra + data[start + 12 :]
        what, made = "levels", data[:start] + head
    elif way == 2:
        number = chance.choice((-1, 0, 1, length - 1, length + 1, 2**31 - 1, -(2**31)))
        head = _HEAD.pack(version, levels, second, number)
        what, made = "length of description", data[:start] + head + data[body:]
    elif way == 3:
        description.data_type = number = chance.choice((*range(33), 99, -1))
        what, made = "dtype", data[:start] + _packed(description) + rest
    else:
        what, number = _dims(description, chance)
        made = data[:start] + _packed(description) + rest
    index = starts.index((start, length))
    return f"tensor {index}: {what} → {number}", f"weights {what}", made


def damage_both(
    program: bytes, weights: bytes, chance: random.Random
) -> tuple[str, str, bytes, bytes] | None:
    """(what, cause, program, weights) that say the same new dimensions of the same parameters."""
    starts = _records(weights)
    if not starts:
        return None
    shapes = []
    for start, length in starts:
        description = message("TensorDesc")
        description.ParseFromString(weights[start + _HEAD.size : start + _HEAD.size + length])
        shapes.append(list(description.dims))
    old = chance.choice(shapes)
    description = message("TensorDesc")
    description.dims.extend(old)
    _, new = _dims(description, chance)
    made, end = b"", 0
    for (start, length), shape in zip(starts, shapes):
        body = start + _HEAD.size
        description = message("TensorDesc")
        description.ParseFromString(weights[body : body + length])
        if shape == old:
            del description.dims[:]
            description.dims.extend(new)
        made += weights[end:start] + _packed(description)
        end = body + length
    changed = (_json_dims if program[:1] == b"{" else _legacy_dims)(program, old, new)
    return f"{old} → {new} in program and weights", "dims of both", changed, made + weights[end:]


def _json_dims(program: bytes, old: list[int], new: list[int]) -> bytes:
    document = json.loads(program)
    for operator in document["program"]["regions"][0]["blocks"][0]["ops"]:
        if operator["#"] == "p" and operator["O"]["TT"]["D"][1] == old:
            operator["O"]["TT"]["D"][1] = new
    return json.dumps(document, separators=(",", ":")).encode()


def _legacy_dims(program: bytes, old: list[int], new: list[int]) -> bytes:
    description = program_desc.parse(program)
    for variable in description.blocks[0].vars:
        tensor = variable.type.dense_tensor.tensor
        if variable.persistable and list(tensor.dims) == old:
            del tensor.dims[:]
            tensor.dims.extend(new)
    return bytes(description.SerializePartialToString())


def _dims(description: Any, chance: random.Random) -> tuple[str, list[int]]:
    """Other dimensions, some of which have the same number of elements."""
    dims = list(description.dims)
    way = chance.randrange(6)
    place = chance.randrange(len(dims)) if dims else 0
    if way == 0 or not dims:
        new = [1, *dims]
    elif way == 1:
        new = dims[::-1]
    elif way == 2:
        new = [-size for size in dims]
    elif way == 3:
        new = [2**32, 2**32, *dims]
    else:
        new = [*dims[:place], chance.choice(INTEGERS), *dims[place + 1 :]]
        new = [max(-(2**63), min(2**63 - 1, size)) for size in new]
    del description.dims[:]
    description.dims.extend(new)
    return "dims", new


def _packed(description: Any) -> bytes:
    data = description.SerializePartialToString()
    return _HEAD.pack(0, 0, 0, len(data)) + bytes(data)


def _records(data: bytes) -> list[tuple[int, int]]:
    """Where the records of sound weights begin, with the lengths of their descriptions."""
    from compatload.artifact.params import BadRecordError, MemorySource, read_record

    found, position = [], 0
    while position + _HEAD.size <= len(data):
        try:
            record = read_record(MemorySource(data), position)
        except BadRecordError:
            break
        length = _HEAD.unpack_from(data, position)[3]
        found.append((position, length))
        position = record.offset + record.nbytes
    return found


def damage_info(data: bytes, chance: random.Random) -> tuple[str, str, bytes] | None:
    """(what, cause, bytes) of a pickle that says something else of the parameters."""
    told = pickle.loads(data)  # of a committed fixture
    if not isinstance(told, dict) or not told:
        return None
    name = chance.choice(sorted(told))
    way = chance.randrange(7)
    if way == 0:
        del told[name]
        what = "entry dropped"
    elif way == 1:
        told[chance.choice(("", "x", "../x", "a" * 5000, "\0"))] = told.pop(name)
        what = "entry renamed"
    elif way == 2:
        told[name] = chance.choice((None, 0, [], "x", {"structured_name": None}))
        what = "entry replaced"
    elif way == 3 and isinstance(told[name], dict):
        key = chance.choice(sorted(told[name]))
        told[name][key] = chance.choice((None, "", "x" * 5000, 2**80, [[]], b"\xff", float("nan")))
        what = f"{key} replaced"
    elif way == 4 and isinstance(told[name], dict):
        told = {each: dict(told[name]) for each in told}
        what = "the same name for all"
    elif way == 5:
        return "a pickle that calls", "info calls", b"cposix\nsystem\n(S'true'\ntR."
    else:
        data = pickle.dumps(told, protocol=chance.choice((0, 1, 2, 3, 4)))
        place = chance.randrange(len(data))
        changed = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
        return f"pickle byte {place}", "info byte", changed
    return f"{name}: {what}", f"info {what}", pickle.dumps(told, protocol=2)
