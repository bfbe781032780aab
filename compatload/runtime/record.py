"""What is known of a machine as JSON, so that one recorded elsewhere can be planned for.

Reading is strict: an unknown field, a missing one or a wrong type is an error, because a plan
made from half-understood facts would be wrong without a sign of it. How a field is read follows
from the annotation that its class has for it.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable
from typing import Any, TypeVar

from compatload.errors import UsageError

SCHEMA = 1
# A recorded runtime has a few hundred feature names at most; anything larger is no runtime.
MAXIMUM_BYTES = 1 << 20

_ACTION = "Record the runtime again with `compatload env --json` on that machine."
_SCALARS = {
    "str": (str, "is not a string"),
    "int": (int, "is not a whole number"),
    "bool": (bool, "is neither true nor false"),
}
_T = TypeVar("_T")


def plain(value: Any) -> Any:
    """Dicts, lists, strings, numbers, booleans, None; sets are sorted."""
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {field.name: plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def parsed(text: str | bytes) -> object:
    """The data in a JSON text that is no larger than a runtime; raises UsageError."""
    if len(text) > MAXIMUM_BYTES:
        raise _unusable(f"the text has {len(text)} characters, more than any runtime")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(f"it is not JSON ({error})") from error


def of_this_schema(data: object) -> dict[str, object]:
    """The fields of a record, without its schema; raises UsageError for one of another."""
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
    return {key: data[key] for key in data if key != "schema"}


def require_one_of(where: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises UsageError for any other value."""
    if value not in choices:
        raise _unusable(f"{where} is {value!r}, not one of {', '.join(choices)}")


def built(kind: type[_T], value: object, where: str) -> _T:
    """A dataclass from the dict that ``plain`` made of it; raises UsageError."""
    if not isinstance(value, dict):
        raise _unusable(f"{where} is not an object")
    fields: dict[str, dataclasses.Field[Any]] = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(str(key) for key in value if key not in fields)
    if unknown:
        raise _unusable(f"{where} has unknown fields: {', '.join(unknown)}")
    missing = [name for name in fields if name not in value and _is_required(fields[name])]
    if missing:
        raise _unusable(f"{where} lacks {', '.join(missing)}")
    home = vars(sys.modules[kind.__module__])
    return kind(
        **{name: _read(fields[name].type, value[name], f"{where}.{name}", home) for name in value}
    )


def all_built(kind: type[_T], values: object, where: str) -> tuple[_T, ...]:
    """A dataclass from every dict in a list; raises UsageError."""
    return tuple(built(kind, item, place) for item, place in _items(values, where))


def _read(form: Any, value: object, where: str, home: dict[str, Any]) -> Any:
    """A value for a field with the annotation ``form``, a name in it being one of ``home``."""
    form, optional, _ = form.partition(" | None")
    if value is None and optional:
        return None
    if form in _SCALARS:
        kind, complaint = _SCALARS[form]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise _unusable(f"{where} {complaint}")
        return value
    several, inside, of = form.removesuffix("]").removesuffix(", ...").partition("[")
    if not inside:
        return built(home[form], value, where)
    items = (_read(of, item, place, home) for item, place in _items(value, where))
    return {"tuple": tuple, "frozenset": frozenset}[several](items)


def _items(value: object, where: str) -> Iterable[tuple[object, str]]:
    if not isinstance(value, list):
        raise _unusable(f"{where} is not a list")
    return [(item, f"{where}[{number}]") for number, item in enumerate(value)]


def _unusable(reason: str) -> UsageError:
    return UsageError(f"this is no recorded runtime: {reason}", action=_ACTION)


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
