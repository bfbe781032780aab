"""Which operators of a program make and which read each value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compatload.artifact.model import Operator

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

    def after(self, operator: Operator, slot: str | None = None) -> Iterator[Operator]:
        """What reads its results, or those in one slot, once for each reading."""
        several = operator.outputs.values() if slot is None else (operator.outputs.get(slot, ()),)
        for values in several:
            for value in values:
                yield from self.readers.get(value, ())

    def sole_reader(self, operator: Operator, slot: str | None = None) -> Operator | None:
        """The one operator that reads what this one yields, or yields in that slot."""
        several = list(self.after(operator, slot))
        return several[0] if len(several) == 1 else None

    def makes(self, value: str | None) -> Operator | None:
        return self.makers.get(value) if value else None


def operand(operator: Operator, slots: Sequence[str]) -> str | None:
    """The first value in one of these slots."""
    return next((operator.inputs[slot][0] for slot in slots if operator.inputs.get(slot)), None)
