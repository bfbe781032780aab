"""Where rules write to: the legacy blocks so far, and which variable holds which PIR value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from compatload.programs.pir_to_legacy import legacy
from compatload.programs.pir_to_legacy.graph import Operation, TensorType, Value

Names = tuple[str, ...]


class ObstacleError(Exception):
    """What stands in the way of converting one operation."""


class Emitter:
    """Collects legacy operators; every method that cannot do its work raises `ObstacleError`.

    Args:
        reserved: names that temporaries must not take (parameters, inputs, outputs).
        preferred: the name a value's variable should have, where that matters.
        pir_version: that of the file, where what an operator computes depends on it.
    """

    def __init__(
        self, reserved: Iterable[str], preferred: Mapping[Value, str], pir_version: int = 0
    ) -> None:
        self.blocks = [legacy.EmittedBlock(0, -1)]
        self.block = self.blocks[0]
        self.origin = ""
        self.pir_version = pir_version
        self._taken = set(reserved)
        self._preferred = preferred
        self._names: dict[Value, Names] = {}
        self._counts: Counter[str] = Counter()

    # Names ------------------------------------------------------------------------------------

    def bind(self, value: Value, names: Names) -> None:
        """Makes ``names`` the variables that hold ``value``."""
        self._names[value] = names

    def names(self, value: Value) -> Names:
        """The variables that hold ``value``: one, or one an element of a vector."""
        if value not in self._names:
            raise ObstacleError("it reads a value that has no legacy counterpart")
        return self._names[value]

    def name(self, value: Value) -> str:
        names = self.names(value)
        if len(names) != 1:
            raise ObstacleError(f"one tensor was expected, found a list of {len(names)}")
        return names[0]

    def operand(self, operation: Operation, index: int) -> str:
        """The variable of an operand that must be there."""
        value = operation.operand(index)
        if value is None:
            raise ObstacleError(f"operand {index} is missing")
        return self.name(value)

    def optional(self, operation: Operation, index: int) -> Names:
        """The variables of an operand; none where it is absent."""
        value = operation.operand(index)
        return () if value is None else self.names(value)

    def fresh(self, hint: str) -> str:
        """A name that nothing else has."""
        while True:
            name = f"{hint}_{self._counts[hint]}.tmp_0"
            self._counts[hint] += 1
            if name not in self._taken:
                self._taken.add(name)
                return name

    def temporary(self, type_: TensorType, hint: str) -> str:
        """Declares a new variable in the current block."""
        name = self.fresh(hint)
        self.block.declare(legacy.tensor_variable(name, type_))
        return name

    def define(self, value: Value, hint: str, type_: TensorType | None = None) -> Names:
        """Declares the variables of a result, or gives those that it is bound to already.

        ``type_`` is the type of a single tensor where PIR's own is not what the kernel gives.
        """
        if value in self._names:
            return self._names[value]
        wanted = self._preferred.get(value)
        if wanted is not None and self.block.parent == -1 and not value.is_vector:
            self.block.declare(legacy.tensor_variable(wanted, type_ or value.type))
            names: Names = (wanted,)
        else:
            types = value.types if type_ is None else (type_,)
            names = tuple(self.temporary(one, hint) for one in types)
        self.bind(value, names)
        return names

    # Operators --------------------------------------------------------------------------------

    def emit(
        self,
        type_: str,
        inputs: Mapping[str, Sequence[str] | str],
        outputs: Mapping[str, Sequence[str] | str],
        attributes: Mapping[str, Any] | None = None,
        *,
        disposable: bool = False,
    ) -> legacy.EmittedOperator:
        """Appends an operator to the current block."""
        operator, problems = legacy.make_operator(
            type_,
            {slot: _several(names) for slot, names in inputs.items()},
            {slot: _several(names) for slot, names in outputs.items()},
            attributes or {},
            self.origin,
        )
        if operator is None:
            raise ObstacleError("; ".join(problems))
        operator.disposable = disposable
        self.block.operators.append(operator)
        return operator

    def emit_new(
        self,
        type_: str,
        inputs: Mapping[str, Sequence[str] | str],
        slot: str,
        result: TensorType,
        attributes: Mapping[str, Any] | None = None,
    ) -> str:
        """Appends an operator with one new output and gives that output's name."""
        name = self.temporary(result, type_)
        self.emit(type_, inputs, {slot: name}, attributes)
        return name

    @contextmanager
    def inner_block(self) -> Iterator[legacy.EmittedBlock]:
        """A new block inside the current one, current while the context lasts."""
        outer = self.block
        self.block = legacy.EmittedBlock(len(self.blocks), outer.index)
        self.blocks.append(self.block)
        try:
            yield self.block
        finally:
            self.block = outer


def _several(names: Sequence[str] | str) -> Names:
    return (names,) if isinstance(names, str) else tuple(names)
