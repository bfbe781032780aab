"""Short forms for what operators are rewritten to: only operators that OpenVINO has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    new_operator,
    typed,
)
from compatload.programs.legacy_repairs.repair import Repair

FLOATS = (FLOAT32, 6)  # and float64
# A size known beforehand, or the name of a tensor of one element that holds it.
Size = Union[int, str]


class UnsuitableError(Exception):
    """Not enough is known of this operator to rewrite it; it is left alone."""


class Builder:
    """One operator, and those that take its place."""

    def __init__(self, program: LegacyProgram, block: Any, operator: Any) -> None:
        self.program, self.block, self.operator = program, block, operator
        self.emitted: list[Any] = []

    # What it was -------------------------------------------------------------------------------

    def given(self, slot: str = "X") -> str:
        """The one variable in an input slot."""
        found = arguments(self.operator.inputs, slot)
        if len(found) != 1:
            raise UnsuitableError(f"{len(found)} variables in {slot}")
        return found[0]

    def has(self, slot: str) -> bool:
        return bool(arguments(self.operator.inputs, slot))

    def attribute(self, name: str, default: Any = None) -> Any:
        if attribute_type(self.operator, name) in ("VAR", "VARS", "SCALAR", "SCALARS"):
            raise UnsuitableError(f"{name} is computed")
        return attribute(self.operator, name, default)

    def result(self, slot: str = "Out") -> str:
        (found,) = arguments(self.operator.outputs, slot) or ("",)
        if not found:
            raise UnsuitableError(f"no variable in {slot}")
        return found

    def type_of(self, name: str) -> int:
        found = self.program.data_type(self.block, name)
        if found is None:
            raise UnsuitableError(f"{name} is no tensor")
        return found

    def dims(self, name: str) -> tuple[int, ...]:
        found = self.program.shape(self.block, name)
        if found is None:
            raise UnsuitableError(f"{name} has no shape")
        return found

    def size(self, name: str, axis: int) -> int:
        """The size of an axis, which must be known."""
        found = self.dims(name)[axis]
        if found < 0:
            raise UnsuitableError(f"axis {axis} of {name} is free")
        return found

    def axis(self, name: str, axis: int) -> int:
        """``axis`` counted from the front."""
        rank = len(self.dims(name))
        if not -rank <= axis < rank:
            raise UnsuitableError(f"{name} has no axis {axis}")
        return axis % rank

    # What takes its place ----------------------------------------------------------------------

    def emit(
        self,
        kind: str,
        inputs: Mapping[str, str | Sequence[str]],
        data_type: int,
        dims: Sequence[int],
        slot: str = "Out",
        attributes: Mapping[str, Any] | None = None,
        into: str | None = None,
    ) -> str:
        """Emit an operator with one result, and name that."""
        name = into or self.program.add_tensor(self.block, self._stem(), data_type, dims)
        self._append(kind, inputs, {slot: [name]}, attributes or {})
        return name

    def emit_several(
        self,
        kind: str,
        inputs: Mapping[str, str | Sequence[str]],
        slot: str,
        tensors: Sequence[tuple[int, Sequence[int]]],
        attributes: Mapping[str, Any],
    ) -> list[str]:
        names = [self.program.add_tensor(self.block, self._stem(), *one) for one in tensors]
        self._append(kind, inputs, {slot: names}, attributes)
        return names

    def emit_pair(
        self,
        kind: str,
        inputs: Mapping[str, str | Sequence[str]],
        outputs: Mapping[str, tuple[int, Sequence[int]]],
        attributes: Mapping[str, Any],
    ) -> dict[str, str]:
        """Emit an operator with one result in each of several slots."""
        named = {
            slot: self.program.add_tensor(self.block, self._stem(), *one)
            for slot, one in outputs.items()
        }
        self._append(kind, inputs, {slot: [name] for slot, name in named.items()}, attributes)
        return named

    def deliver(self, made: Made, slot: str) -> None:
        """Give what was made the names that the operator's own results have."""
        found = {slot: made} if isinstance(made, str) else made
        for name, held in found.items():
            results = arguments(self.operator.outputs, name)
            sources = [held] if isinstance(held, str) else held
            if results and len(results) != len(sources):
                raise UnsuitableError(f"{len(results)} results in {name}")
            for source, result in zip(sources, results):
                self.emit("assign", {"X": source}, 0, (), into=result)

    def _append(
        self,
        kind: str,
        inputs: Mapping[str, str | Sequence[str]],
        outputs: Mapping[str, Sequence[str]],
        attributes: Mapping[str, Any],
    ) -> None:
        listed = {k: [v] if isinstance(v, str) else list(v) for k, v in inputs.items()}
        told = {name: typed(value) for name, value in attributes.items()}
        self.emitted.append(new_operator(kind, listed, outputs, told))

    def _stem(self) -> str:
        return f"{self.operator.type}.openvino"

    def same(self, kind: str, x: str, **attributes: Any) -> str:
        """An operator of one operand whose result has its type and shape."""
        return self.emit(kind, {"X": x}, self.type_of(x), self.dims(x), attributes=attributes)

    def binary(self, kind: str, x: str, y: str, axis: int = -1) -> str:
        dims = broadcast(self.dims(x), self.dims(y))
        return self.emit(kind, {"X": x, "Y": y}, self.type_of(x), dims, attributes={"axis": axis})

    def add(self, x: str, y: str) -> str:
        return self.binary("elementwise_add", x, y)

    def subtract(self, x: str, y: str) -> str:
        return self.binary("elementwise_sub", x, y)

    def multiply(self, x: str, y: str) -> str:
        return self.binary("elementwise_mul", x, y)

    def divide(self, x: str, y: str) -> str:
        return self.binary("elementwise_div", x, y)

    def compare(self, kind: str, x: str, y: str) -> str:
        dims = broadcast(self.dims(x), self.dims(y))
        return self.emit(kind, {"X": x, "Y": y}, BOOL, dims, attributes={"axis": -1})

    def number(self, value: float, like: str) -> str:
        """A constant of the type of ``like`` that broadcasts to it."""
        kind = self.type_of(like)
        if not self.dims(like):
            return self.filled(like, value)
        text = repr(float(value)) if kind in FLOATS else str(int(value))
        attributes: dict[str, Any] = {
            "shape": ("LONGS", [1]),
            "dtype": kind,
            "value": float(value),
            "str_value": text,
        }
        return self.emit("fill_constant", {}, kind, (1,), attributes=attributes)

    def filled(self, like: str, value: float) -> str:
        """A constant of type and shape of ``like``."""
        kind = self.type_of(like)
        told = {"value": float(value), "dtype": kind}
        return self.emit("fill_any_like", {"X": like}, kind, self.dims(like), attributes=told)

    def whole_numbers(self, values: Sequence[int], data_type: int = INT64) -> str:
        """A constant list of integers."""
        name, kind = ("int64_values", "LONGS") if data_type == INT64 else ("int32_values", "INTS")
        attributes = {"shape": [len(values)], "dtype": data_type, name: (kind, list(values))}
        return self.emit("assign_value", {}, data_type, (len(values),), attributes=attributes)

    def scale(self, x: str, factor: float, bias: float = 0.0) -> str:
        """x × factor + bias."""
        told = {"scale": float(factor), "bias": float(bias), "bias_after_scale": True}
        return self.same("scale", x, **told)

    def cast(self, x: str, data_type: int) -> str:
        told = {"in_dtype": self.type_of(x), "out_dtype": data_type}
        return self.emit("cast", {"X": x}, data_type, self.dims(x), attributes=told)

    def where(self, condition: str, x: str, y: str) -> str:
        """``x`` and ``y`` must be of one shape: OpenVINO wants that."""
        dims = broadcast(self.dims(condition), self.dims(x))
        named = {"Condition": condition, "X": x, "Y": y}
        return self.emit("where", named, self.type_of(x), dims)

    def reduce(self, kind: str, x: str, axes: Sequence[int], keep: bool) -> str:
        dims = self.dims(x)
        axes = [self.axis(x, one) for one in axes] or list(range(len(dims)))
        left = [
            1 if place in axes else size
            for place, size in enumerate(dims)
            if keep or place not in axes
        ]
        told = {"dim": list(axes), "keep_dim": keep, "reduce_all": False}
        return self.emit(f"reduce_{kind}", {"X": x}, self.type_of(x), left, attributes=told)

    def transpose(self, x: str, order: Sequence[int]) -> str:
        if list(order) == list(range(len(order))):
            return x
        dims = self.dims(x)
        turned = [dims[place] for place in order]
        return self.emit(
            "transpose2", {"X": x}, self.type_of(x), turned, attributes={"axis": list(order)}
        )

    def unsqueeze(self, x: str, axes: Sequence[int]) -> str:
        """``axes`` in ascending order, counted in the result."""
        dims = list(self.dims(x))
        for place in axes:
            dims.insert(place, 1)
        told = {"axes": list(axes)}
        return self.emit("unsqueeze2", {"X": x}, self.type_of(x), dims, attributes=told)

    def squeeze(self, x: str, axes: Sequence[int]) -> str:
        dims = [size for place, size in enumerate(self.dims(x)) if place not in axes]
        told = {"axes": list(axes)}
        return self.emit("squeeze2", {"X": x}, self.type_of(x), dims, attributes=told)

    def slice(self, x: str, axis: int, start: int, end: int) -> str:
        dims = list(self.dims(x))
        dims[axis] = end - start if 0 <= start <= end < 1 << 31 else -1
        told = {"axes": [axis], "starts": [start], "ends": [end], "decrease_axis": []}
        told["infer_flags"] = [1]
        return self.emit("slice", {"Input": x}, self.type_of(x), dims, attributes=told)

    def gather(self, x: str, places: Sequence[int], axis: int) -> str:
        dims = list(self.dims(x))
        dims[axis] = len(places)
        named = {"X": x, "Index": self.whole_numbers(places)}
        return self.emit("gather", named, self.type_of(x), dims, attributes={"axis": axis})

    def concat(self, parts: Sequence[str], axis: int) -> str:
        dims = list(self.dims(parts[0]))
        sizes = [self.dims(one)[axis] for one in parts]
        dims[axis] = sum(sizes) if min(sizes) >= 0 else -1
        told = {"axis": axis}
        return self.emit("concat", {"X": parts}, self.type_of(parts[0]), dims, attributes=told)

    def length(self, x: str, axis: int) -> Size:
        """The size of an axis: a number where it is known."""
        known = self.dims(x)[axis]
        if known >= 0:
            return known
        shape = self.emit("shape", {"Input": x}, INT32, (len(self.dims(x)),))
        return self.slice(shape, 0, axis, axis + 1)

    def times(self, size: Size, other: Size) -> Size:
        if isinstance(size, int) and isinstance(other, int):
            return size * other
        left, right = (self._as_tensor(one) for one in (size, other))
        return self.multiply(left, right)

    def by(self, size: Size, divisor: int) -> Size:
        if isinstance(size, int):
            return size // divisor
        return self.binary("elementwise_floordiv", size, self._as_tensor(divisor))

    def _as_tensor(self, size: Size) -> str:
        return size if isinstance(size, str) else self.whole_numbers([size], INT32)

    def reshape(self, x: str, sizes: Sequence[Size]) -> str:
        dims = [one if isinstance(one, int) else -1 for one in sizes]
        data_type = self.type_of(x)
        if sum(size < 0 for size in dims) <= 1:
            return self.emit("reshape2", {"X": x}, data_type, dims, attributes={"shape": dims})
        parts = [self._as_tensor(one) for one in sizes]
        shape = self.concat(parts, 0)
        return self.emit(
            "reshape2", {"X": x, "Shape": shape}, data_type, dims, attributes={"shape": dims}
        )


def broadcast(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """The shape of a result, as NumPy broadcasts; free where either decides and is free."""
    length = max(len(one), len(other))
    left = (1,) * (length - len(one)) + tuple(one)
    right = (1,) * (length - len(other)) + tuple(other)
    return tuple(b if a == 1 else a for a, b in zip(left, right))


# Names the variable that holds what the operator computes; or those of all outputs, by slot.
Made = Union[str, Mapping[str, Any]]
Form = Callable[[Builder], Made]


def rewrite(form: Form, slot: str = "Out") -> Repair:
    """A repair that puts ``form`` in the operator's place."""

    def repair(
        program: LegacyProgram, block: Any, operator: Any, position: str
    ) -> list[Any] | None:
        builder = Builder(program, block, operator)
        try:
            builder.deliver(form(builder), slot)
        except (UnsuitableError, LookupError, TypeError):
            return None  # the engine's facts refuse it
        program.record("engine", operator.type, position)
        return builder.emitted

    return repair
