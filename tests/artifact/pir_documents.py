"""Small PIR documents to take apart, built as Paddle's writer lays them out."""

from __future__ import annotations

import json
from typing import Any


def tensor(dtype: str = "f32", shape: tuple[int, ...] = (2,)) -> dict[str, Any]:
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{dtype}"}, list(shape), "NCHW", [], 0]}


def attribute(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"AT": {"#": kind, "D": value}, "N": name}


def operator(
    name: str,
    inputs: tuple[int, ...] = (),
    outputs: tuple[int, ...] = (),
    attributes: tuple[dict[str, Any], ...] = (),
    **more: Any,
) -> dict[str, Any]:
    flags = [{"#": "0.a_bool", "D": True} for _ in outputs]
    return {
        "#": name,
        "A": list(attributes),
        "I": [{"%": value} for value in inputs],
        "O": [{"%": value, "TT": tensor()} for value in outputs],
        "OA": [attribute("stop_gradient", "0.a_array", flags)] if outputs else [],
        **more,
    }


def data(value: int, name: str = "x") -> dict[str, Any]:
    return operator("1.data", (), (value,), (attribute("name", "0.a_str", name),))


def fetch(source: int, value: int, column: int = 0) -> dict[str, Any]:
    attributes = (attribute("name", "0.a_str", "y"), attribute("col", "0.a_i32", column))
    return operator("1.fetch", (source,), (value,), attributes)


def parameter(value: int, name: str, flags: tuple[int, ...] = (1, 0, 1)) -> dict[str, Any]:
    return {
        "#": "p",
        "A": [0, 1, 1, name],
        "DA": [],
        "O": {"%": value, "TT": tensor()},
        "OA": list(flags),
        "QA": [],
    }


def block(*operators: dict[str, Any], args: tuple[int, ...] = ()) -> dict[str, Any]:
    return {
        "#": "block_0",
        "args": [{"#": value, "TT": tensor()} for value in args],
        "ops": list(operators),
    }


def region(*operators: dict[str, Any], args: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"#": "region_0", "blocks": [block(*operators, args=args)]}


def document(*operators: dict[str, Any], version: Any = 4, **base: Any) -> dict[str, Any]:
    return {
        "base_code": {"magic": "pir", "trainable": True, "version": version, **base},
        "program": {"regions": [region(*operators)]},
    }


def encode(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def nested(depth: int) -> dict[str, Any]:
    """An ``if`` in an ``if`` …"""
    inner = operator("2.yield")
    for _ in range(depth):
        regions = [region(inner, operator("2.yield")), region(operator("2.yield"))]
        inner = operator("1.if", (1,), (), regions=regions)
    return document(data(1), inner)
