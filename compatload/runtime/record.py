"""Runtimes as JSON, so that a machine recorded elsewhere can be planned for.

Reading is strict: an unknown field, a missing one or a wrong type is an error, because a plan
made from half-understood facts would be wrong without a sign of it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from compatload.errors import UsageError
from compatload.runtime.model import Cpu, Device, Fact, IrMode, PaddleBuild, Runtime

SCHEMA = 1
# A recorded runtime has a few hundred feature names at most; anything larger is no runtime.
MAXIMUM_BYTES = 1 << 20

_ACTION = "Record the runtime again with `compatload env --json` on that machine."
_FLAVOURS = ("cpu", "cuda", "rocm", "xpu", "custom")
_SOURCES = ("default", "environment", "imported")


def runtime_to_dict(runtime: Runtime) -> dict[str, object]:
    """Plain data: dicts, lists, strings, numbers, booleans, None; features sorted."""
    told = {"schema": SCHEMA, **_plain(runtime)}
    if not runtime.measured:
        del told["measured"]  # so that an earlier compatload reads it
    return told


def runtime_to_json(runtime: Runtime) -> str:
    return json.dumps(runtime_to_dict(runtime), indent=2, ensure_ascii=False)


def runtime_from_json(text: str | bytes) -> Runtime:
    if len(text) > MAXIMUM_BYTES:
        raise _unusable(f"the text has {len(text)} characters, more than any runtime")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(f"it is not JSON ({error})") from error
    return runtime_from_dict(data)


def runtime_from_dict(data: object) -> Runtime:
    if not isinstance(data, dict):
        raise _unusable(f"it is a {type(data).__name__}, not an object")
    schema = data.get("schema")
    if isinstance(schema, bool) or not isinstance(schema, int):
        raise _unusable("it has no schema number")
    if schema != SCHEMA:
        raise UsageError(
            f"the recorded runtime has schema {schema}; this compatload reads {SCHEMA}",
            action="Record it again with the same release of compatload on both machines.",
        )
    runtime = _built(Runtime, {key: data[key] for key in data if key != "schema"}, "runtime")
    assert isinstance(runtime, Runtime)  # noqa: S101  (for the type checker)
    _check_choice("ir_mode.source", runtime.ir_mode.source, _SOURCES)
    if runtime.paddle is not None:
        _check_choice("paddle.flavour", runtime.paddle.flavour, _FLAVOURS)
    return runtime


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {field.name: _plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _unusable(reason: str) -> UsageError:
    return UsageError(f"this is no recorded runtime: {reason}", action=_ACTION)


def _check_choice(where: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise _unusable(f"{where} is {value!r}, not one of {', '.join(choices)}")


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _unusable(f"{where} is not a string")
    return value


def _whole(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _unusable(f"{where} is not a whole number")
    return value


def _truth(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise _unusable(f"{where} is neither true nor false")
    return value


def _items(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _unusable(f"{where} is not a list")
    return value


_Reader = Callable[[object, str], object]


def _optional(reader: _Reader) -> _Reader:
    return lambda value, where: None if value is None else reader(value, where)


def _texts(value: object, where: str) -> tuple[str, ...]:
    return tuple(_text(item, f"{where}[{n}]") for n, item in enumerate(_items(value, where)))


def _record(kind: type) -> _Reader:
    return lambda value, where: _built(kind, value, where)


# How each field is read; a test holds this against the dataclasses.
_READERS: dict[type, dict[str, _Reader]] = {
    Cpu: {
        "architecture": _text,
        "vendor": _optional(_text),
        "family": _optional(_whole),
        "model": _optional(_whole),
        "name": _optional(_text),
        "features": lambda value, where: frozenset(_texts(value, where)),
        "hypervisor": _optional(_text),
    },
    PaddleBuild: {
        "version": _text,
        "distribution": _text,
        "flavour": _text,
        "toolkit": _optional(_text),
        "commit": _optional(_text),
        "location": _optional(_text),
        "custom_devices": _texts,
    },
    IrMode: {"pir": _truth, "source": _text},
    Device: {"kind": _text, "index": _whole, "name": _optional(_text)},
    Fact: {"rule": _text, "device": _text, "present": _truth},
    Runtime: {
        "paddle": _optional(_record(PaddleBuild)),
        "ir_mode": _record(IrMode),
        "cpu": _record(Cpu),
        "devices": lambda value, where: tuple(
            _built(Device, item, f"{where}[{n}]") for n, item in enumerate(_items(value, where))
        ),
        "python": _text,
        "numpy": _optional(_text),
        "platform": _text,
        "imported": _truth,
        "zlib_late": _truth,
        "notes": _texts,
        "origin": _optional(_text),
        "measured": lambda value, where: facts_from(value, where),
    },
}


def facts_from(value: object, where: str = "measured") -> tuple[Fact, ...]:
    """The facts in a list of their objects; raises UsageError for anything else."""
    items = enumerate(_items(value, where))
    return tuple(_built(Fact, item, f"{where}[{number}]") for number, item in items)


def _built(kind: type, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise _unusable(f"{where} is not an object")
    readers = _READERS[kind]
    unknown = sorted(str(key) for key in value if key not in readers)
    if unknown:
        raise _unusable(f"{where} has unknown fields: {', '.join(unknown)}")
    required = [field.name for field in dataclasses.fields(kind) if _is_required(field)]
    missing = [name for name in required if name not in value]
    if missing:
        raise _unusable(f"{where} lacks {', '.join(missing)}")
    return kind(**{name: readers[name](item, f"{where}.{name}") for name, item in value.items()})


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
