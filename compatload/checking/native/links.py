"""How the operators of a program hang together, as far as it can be read from the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from compatload.artifact.model import Artifact, Operator
from compatload.rules.matching import bare_name

# Slots of an operator's first and second operand, in PIR programs and in legacy ones.
FIRST = ("0", "X", "Input")
SECOND = ("1", "Y")


class Links:
    """Who makes and who reads each value; feeds and fetches count."""

    def __init__(self, operators: Iterable[Operator]) -> None:
        self.makers: dict[str, Operator] = {}
        self.readers: dict[str, list[Operator]] = {}
        for operator in operators:
            for values in operator.outputs.values():
                self.makers.update((value, operator) for value in values)
            for values in operator.inputs.values():
                for value in values:
                    self.readers.setdefault(value, []).append(operator)

    def before(self, operator: Operator) -> Iterator[Operator]:
        for values in operator.inputs.values():
            yield from (self.makers[value] for value in values if value in self.makers)

    def after(self, operator: Operator) -> Iterator[Operator]:
        for values in operator.outputs.values():
            for value in values:
                yield from self.readers.get(value, ())


class Wiring(Links):
    """The same of an artifact's program, with the shapes and the stored values that it declares."""

    def __init__(self, artifact: Artifact) -> None:
        super().__init__(artifact.program.operators)
        self._artifact = artifact

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self._artifact.parameters)

    def shape(self, value: str | None) -> tuple[int, ...] | None:
        """Sizes of a value, -1 for those that only a run can tell."""
        spec = self._artifact.program.variables.get(value) if value else None
        return None if spec is None else spec.shape

    def dtype(self, value: str | None) -> str | None:
        spec = self._artifact.program.variables.get(value) if value else None
        return None if spec is None else spec.dtype

    def is_stored(self, value: str | None) -> bool:
        """Whether a value is a parameter of the file."""
        if value is None:
            return False
        maker = self.makers.get(value)
        return value in self._stored or (maker is not None and "parameter" in maker.name)

    def sole_reader(self, operator: Operator) -> Operator | None:
        """The one operator that reads what this one yields."""
        several = list(self.after(operator))
        return several[0] if len(several) == 1 else None

    def makes(self, value: str | None) -> Operator | None:
        return self.makers.get(value) if value else None

    def factor(self, operator: Operator) -> float | None:
        """The number that a ``scale`` multiplies by; None if it adds one too, or computes it."""
        if bare_name(operator) != "scale" or operator.attributes.get("bias", 0.0) != 0.0:
            return None
        if operator.inputs.get("ScaleTensor"):
            return None
        value = operator.attributes.get("scale")
        if value is None:  # PIR keeps it in an operator of its own
            maker = self.makes(operand(operator, SECOND))
            value = maker.attributes.get("value") if maker is not None else None
        return float(value) if isinstance(value, (int, float)) else None


def operand(operator: Operator, slots: Sequence[str]) -> str | None:
    """The first value in one of these slots."""
    return next((operator.inputs[slot][0] for slot in slots if operator.inputs.get(slot)), None)


def named(artifact: Artifact, names: frozenset[str]) -> tuple[Operator, ...]:
    """The program's operators of these types."""
    return tuple(one for one in artifact.program.operators if bare_name(one) in names)
