"""What Paddle's translator leaves undone in a PIR program made from a legacy one.

Its result, written to JSON, has ``feed`` operators where ``paddle.jit.load`` expects ``data``, in
the order in which the translator met them, and parameters without the attributes that
``paddle.jit.save`` writes. This module finishes the JSON, so that all three loaders of Paddle read
it as if ``paddle.jit.save`` had written it. Pure Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compatload.errors import ConversionError
from compatload.frozen import frozen
from compatload.programs.pir_attributes import with_wide_number
from compatload.programs.pir_graph import attribute, blocks_in, flags, takes_gradient

_PARAMETER, _FEED, _DATA, _FETCH = "p", "1.feed", "1.data", "1.fetch"
_FULL = "1.full"

# Element type as values carry it → as the ``dtype`` attribute of ``data`` spells it.
_DATA_TYPES = {
    "0.t_bool": "bool",
    "0.t_f16": "float16",
    "0.t_bf16": "bfloat16",
    "0.t_f32": "float32",
    "0.t_f64": "float64",
    "0.t_i8": "int8",
    "0.t_ui8": "uint8",
    "0.t_i16": "int16",
    "0.t_i32": "int32",
    "0.t_i64": "int64",
    "0.t_c64": "complex64",
    "0.t_c128": "complex128",
    "0.t_f8e4m3fn": "float8_e4m3fn",
    "0.t_f8e5m2": "float8_e5m2",
}

# VarType.Type number of a legacy variable's elements → element type of a value.
_ELEMENT_TYPES = {
    0: "0.t_bool",
    1: "0.t_i16",
    2: "0.t_i32",
    3: "0.t_i64",
    4: "0.t_f16",
    5: "0.t_f32",
    6: "0.t_f64",
    20: "0.t_ui8",
    21: "0.t_i8",
    22: "0.t_bf16",
    23: "0.t_c64",
    24: "0.t_c128",
    32: "0.t_f8e4m3fn",
    33: "0.t_f8e5m2",
}

# Operators that update operands in place: those are statistics, no trainable parameters.
_STATISTICS = {"1.batch_norm_": (1, 2), "1.batch_norm": (1, 2), "1.sync_batch_norm_": (1, 2)}


@frozen
class StoredType:
    """A persistable variable of the legacy program: VarType.Type number and dimensions."""

    data_type: int
    dims: tuple[int, ...]


def finish(
    program: dict[str, Any],
    stored: Mapping[str, StoredType],
    trainable: Mapping[str, bool] | None = None,
) -> dict[str, Any]:
    """Complete the JSON object of a translated program in place, and return it.

    Args:
        stored: what the weights file holds, by name. The translator drops what no operator reads;
            it is declared again, so that the file fits as it is.
        trainable: for parameters by name, whether they take gradients, as ``.pdiparams.info``
            tells; others are judged by element type and use.

    Raises ConversionError for an input that is no tensor.
    """
    block = program["program"]["regions"][0]["blocks"][0]
    operators = block["ops"]
    parameters = [one for one in operators if one["#"] == _PARAMETER]
    feeds = [one for one in operators if one["#"] == _FEED]
    fetches = [one for one in operators if one["#"] == _FETCH]
    others = [one for one in operators if one["#"] not in (_PARAMETER, _FEED, _FETCH)]
    feeds.sort(key=_column)
    fetches.sort(key=_column)
    parameters += _unread(program, stored, {str(one["A"][3]) for one in parameters})
    parameters.sort(key=lambda one: str(one["A"][3]))
    statistics = _statistics(operators)
    for parameter in parameters:
        _complete_parameter(parameter, trainable or {}, statistics)
    for number, fetch in enumerate(fetches):
        _complete_fetch(fetch, number)
    block["ops"] = [*parameters, *(_data(feed) for feed in feeds), *others, *fetches]
    for around in blocks_in(program["program"]["regions"]):
        for one in around["ops"]:
            if one["#"] == _FULL:
                one["A"] = with_wide_number(one["A"])
    return program


def spell_nan(program: bytes) -> bytes:
    """Paddle writes ``NaN`` where its reader wants ``NAN`` (3.0.0 to 3.3.1)."""
    # No string of JSON holds a quotation mark without a backslash before it.
    return program.replace(b'"VD":"NaN"', b'"VD":"NAN"')


def _unread(
    program: dict[str, Any], stored: Mapping[str, StoredType], known: set[str]
) -> list[dict[str, Any]]:
    """Parameters for what is stored and not among those ``known``."""
    unread = sorted(stored.keys() - known)
    first = _last_value(program) + 1 if unread else 0
    parameters: list[dict[str, Any]] = []
    for number, name in enumerate(unread, first):
        tensor = stored[name]
        details = [{"#": _ELEMENT_TYPES[tensor.data_type]}, list(tensor.dims), "NCHW", [], 0]
        value = {"%": number, "TT": {"#": "0.t_dtensor", "D": details}}
        parameters.append(
            {"#": _PARAMETER, "A": [0, 1, 1, name], "DA": [], "O": value, "OA": [], "QA": []}
        )
    return parameters


def _last_value(program: dict[str, Any]) -> int:
    return max((one["%"] for one in _objects(program) if isinstance(one.get("%"), int)), default=0)


def _objects(program: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every JSON object inside, without recursion."""
    pending: list[Any] = [program]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            yield one
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)


def _attribute(operator: Mapping[str, Any], name: str) -> Any:
    return next((one["AT"]["D"] for one in operator["A"] if one["N"] == name), None)


def _column(operator: Mapping[str, Any]) -> int:
    return int(_attribute(operator, "col") or 0)


def _data(feed: Mapping[str, Any]) -> dict[str, Any]:
    """The ``data`` operator that stands for a ``feed``; its place is undefined, as saved."""
    name = str(_attribute(feed, "name"))
    (value,) = feed["O"]
    tag: str = value["TT"]["#"]
    details: list[Any] = value["TT"].get("D") or []
    data_type = _DATA_TYPES.get(details[0]["#"]) if tag == "0.t_dtensor" else None
    if data_type is None:
        raise ConversionError(
            f"The input {name!r} is no dense tensor of a type that a PIR input can have ({tag}).",
            action="Export the model again with tensors as inputs.",
        )
    return {
        "#": _DATA,
        "A": [
            attribute("name", "0.a_str", name),
            attribute("shape", "1.a_intarray", list(details[1])),
            attribute("dtype", "1.a_dtype", data_type),
            attribute("place", "1.a_place", [0, 0, ""]),
        ],
        "I": [],
        "O": [value],
        "OA": [flags("stop_gradient", False)],
    }


def _statistics(operators: list[dict[str, Any]]) -> frozenset[int]:
    return frozenset(
        operator["I"][position]["%"]
        for operator in operators
        for position in _STATISTICS.get(operator["#"], ())
        if position < len(operator["I"])
    )


def _complete_parameter(
    parameter: dict[str, Any], trainable: Mapping[str, bool], statistics: frozenset[int]
) -> None:
    """Flags as jit.save writes them: [distributed, optimised, clipped, name], and
    [persistable, stop_gradient, trainable]."""
    name = str(parameter["A"][3])
    value = parameter["O"]
    learns = trainable.get(name)
    if learns is None:
        learns = takes_gradient(value["TT"]) and value["%"] not in statistics
    parameter["A"] = [0, 1, 1, name]
    parameter["OA"] = [1, int(not learns), int(learns)]


def _complete_fetch(fetch: dict[str, Any], number: int) -> None:
    fetch["A"] = [
        attribute("name", "0.a_str", f"fetch_name_{number}"),
        attribute("col", "0.a_i32", number),
    ]
    fetch["OA"] = [flags("persistable", True), flags("stop_gradient", False)]
