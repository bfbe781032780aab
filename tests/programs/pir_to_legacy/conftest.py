"""Tiny PIR programs, written down operator by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from compatload.artifact import program_proto

_TAGS = {bool: "0.a_bool", int: "0.a_i32", float: "0.a_f32", str: "0.a_str"}


def tensor(dims: Sequence[int], element: str = "f32") -> dict[str, Any]:
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{element}"}, list(dims), "NCHW", [], 0]}


def attribute(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {"#": "0.a_array", "D": [attribute(item) for item in value]}
    return {"#": _TAGS[type(value)], "D": value}


class Recipe:
    """Collects operators; values are numbered as they come."""

    def __init__(self, first: int = 1) -> None:
        self.ops: list[dict[str, Any]] = []
        self._next = first

    def add(
        self,
        name: str,
        operands: Sequence[int] = (),
        results: Sequence[dict[str, Any]] = (),
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Recipe] = (),
    ) -> Any:
        numbers = list(range(self._next, self._next + len(results)))
        self._next += len(results)
        op: dict[str, Any] = {
            "#": name,
            "A": [{"N": k, "AT": attribute(v)} for k, v in (attributes or {}).items()],
            "I": [{"%": number} for number in operands],
            "O": [{"%": n, "TT": kind} for n, kind in zip(numbers, results)],
            "OA": [],
        }
        if regions:
            op["regions"] = [region.region() for region in regions]
        self.ops.append(op)
        return numbers[0] if len(numbers) == 1 else numbers

    def data(self, name: str, dims: Sequence[int] = (-1, 4), element: str = "f32") -> int:
        return self.add("1.data", (), [tensor(dims, element)], {"name": name})  # type: ignore[no-any-return]

    def parameter(self, name: str, dims: Sequence[int], *, stored: bool = True) -> int:
        number, self._next = self._next, self._next + 1
        flags = [int(stored), 0, 1]
        result = {"%": number, "TT": tensor(dims)}
        self.ops.append({"#": "p", "A": [0, 1, 1, name], "OA": flags, "O": result})
        return number

    def full(self, number: float, element: str = "f32", dims: Sequence[int] = (1,)) -> int:
        attributes = {
            "shape": {"#": "1.a_intarray", "D": list(dims)},
            "value": {"#": "0.a_f64", "D": number},
        }
        return self.add("1.full", (), [tensor(dims, element)], attributes)  # type: ignore[no-any-return]

    def ints(self, *numbers: int) -> int:
        value = {"#": "0.a_array", "D": [{"#": "0.a_i64", "D": n} for n in numbers]}
        return self.add(  # type: ignore[no-any-return]
            "1.full_int_array", (), [tensor([len(numbers)], "i64")], {"value": value}
        )

    def fetch(self, value: int, name: str = "out", column: int = 0) -> None:
        self.add("1.fetch", [value], [tensor([-1])], {"name": name, "col": column})

    def inner(self) -> Recipe:
        """A region of this program; its values are numbered far away from the outer ones."""
        return Recipe(self._next + 1000 * (1 + len(self.ops)))

    def region(self) -> dict[str, Any]:
        return {"#": "region", "blocks": [{"#": "block", "args": [], "ops": self.ops}]}

    def program(self) -> dict[str, Any]:
        base = {"magic": "pir", "version": 4, "trainable": True}
        return {"base_code": base, "program": {"regions": [self.region()]}}


@pytest.fixture
def recipe() -> Recipe:
    return Recipe()


@pytest.fixture
def kinds() -> Any:
    return tensor


@pytest.fixture
def decode() -> Any:
    """Serialised ProgramDesc → the message."""

    def parse(data: bytes) -> Any:
        message = program_proto.message("ProgramDesc")
        message.ParseFromString(data)
        return message

    return parse


@pytest.fixture
def attributes() -> Any:
    """An operator's attributes as plain values."""
    names = {number: name for name, number in program_proto.ATTR_TYPES.items()}

    def read(operator: Any) -> dict[str, Any]:
        found = {}
        for item in operator.attrs:
            value = getattr(item, program_proto.ATTR_FIELDS[names[item.type]])
            found[item.name] = list(value) if hasattr(value, "extend") else value
        return found

    return read
