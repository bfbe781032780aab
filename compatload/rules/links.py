"""Which operators of a program make and which read each value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from compatload.artifact.model import Operator

# Slots of an operator's first and second operand, in PIR programs and in legacy ones.
FIRST = ("0", "X", "Input")
SECOND = ("1", "Y")
# Attributes of PIR operators that tell where the source had them and whether training changes them.
_NOT_COMPUTED_BY = frozenset({"struct_name", "stop_gradient", "persistable"})


class Links:
    """Who makes and who reads each value; feeds and fetches count."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self._operators = operators
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

    def last_reads(self, values: Iterable[str]) -> dict[int, int]:
        """The blocks where one of the values is read, with the place of the last reader there."""
        last: dict[int, int] = {}
        for value in values:
            for reader in self.readers.get(value, ()):
                last[reader.block] = max(reader.index, last.get(reader.block, 0))
        return last

    def alike(self, values: Iterable[str]) -> frozenset[str]:
        """Those that the same operators compute from the same values as another of them."""
        distinct = set(values)
        makers = Counter(self.makers[value].name for value in distinct if value in self.makers)
        if not any(count > 1 for count in makers.values()):
            return frozenset()
        numbers = {value: self._numbers.get(value, value) for value in distinct}
        same = Counter(numbers.values())
        return frozenset(value for value, number in numbers.items() if same[number] > 1)

    @cached_property
    def _numbers(self) -> dict[str, int | str]:
        """A number for each value, the same for all that are alike: one walk, however many ask."""
        known: dict[tuple[object, ...], int] = {}
        numbers: dict[str, int | str] = {}
        for operator in self._operators:
            if operator.sub_blocks:
                continue
            read = tuple(
                (slot, tuple(numbers.get(value, value) for value in values))
                for slot, values in operator.inputs.items()
            )
            told = {k: v for k, v in operator.attributes.items() if k not in _NOT_COMPUTED_BY}
            done = (operator.name, read, repr(sorted(told.items())))
            for slot, values in operator.outputs.items():
                for place, value in enumerate(values):
                    numbers[value] = known.setdefault((done, slot, place), len(known))
        return numbers


def operand(operator: Operator, slots: Sequence[str]) -> str | None:
    """The first value in one of these slots."""
    return next((operator.inputs[slot][0] for slot in slots if operator.inputs.get(slot)), None)
