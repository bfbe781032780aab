"""What a program declares of its values, beside who makes and who reads them."""

from __future__ import annotations

from functools import cached_property

from compatload.artifact.model import Artifact, Operator
from compatload.rules.links import SECOND, Links, operand
from compatload.rules.matching import bare_name


class Wiring(Links):
    """Links of an artifact's program, with the shapes and the stored values that it declares."""

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

    def is_computed_once(self, value: str) -> bool:
        """Whether a value depends on no input, so that a pass may put a number in its place."""
        waiting, seen = [value], {value}
        while waiting:
            maker = self.makes(waiting.pop())
            if maker is None:
                continue
            if bare_name(maker) in ("data", "feed"):
                return False
            read = {one for values in maker.inputs.values() for one in values} - seen
            seen |= read
            waiting += read
        return True

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


def named(artifact: Artifact, names: frozenset[str]) -> tuple[Operator, ...]:
    """The program's operators of these types."""
    return tuple(one for one in artifact.program.operators if bare_name(one) in names)
