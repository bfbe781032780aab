"""Which operators of a program make and which read each value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compatload.artifact.model import Operator

# Slots of an operator's first and second operand, in PIR programs and in legacy ones.
FIRST = ("0", "X", "Input")
SECOND = ("1", "Y")
# Attributes of PIR operators that tell where the source had them and whether training changes them.
_NOT_COMPUTED_BY = frozenset({"struct_name", "stop_gradient", "persistable"})


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

    def is_read_after(self, operator: Operator, slots: Sequence[str]) -> bool:
        """Whether anything reads the first value in these slots after the operator: what stands
        later, in another block, or the operator itself, in a block that may run once more."""
        value = operand(operator, slots)
        maker = self.makes(value)
        if maker is None:
            return False
        return maker.block != operator.block or any(
            other.block != operator.block or other.index > operator.index
            for other in self.readers.get(value or "", ())
        )

    def are_alike(self, one: str, other: str) -> bool:
        """Whether the same operators compute both values from the same ones."""
        waiting, seen = [(one, other)], {(one, other)}
        while waiting:
            pair = waiting.pop()
            if pair[0] == pair[1]:
                continue
            first, second = (self.makers.get(value) for value in pair)
            if first is None or second is None or not _are_twins(first, second, pair):
                return False
            read = set(zip(_operands(first), _operands(second))) - seen
            seen |= read
            waiting += read
        return True


def _are_twins(one: Operator, other: Operator, results: tuple[str, str]) -> bool:
    """Whether two operators do the same, and yield these values in the same place."""
    if one.name != other.name or one.sub_blocks or other.sub_blocks:
        return False
    shapes = [[(slot, len(values)) for slot, values in o.inputs.items()] for o in (one, other)]
    places = [
        [(slot, values.index(value)) for slot, values in o.outputs.items() if value in values]
        for o, value in zip((one, other), results)
    ]
    return (
        shapes[0] == shapes[1] and places[0] == places[1] and _attributes(one) == _attributes(other)
    )


def _operands(operator: Operator) -> list[str]:
    return [value for values in operator.inputs.values() for value in values]


def _attributes(operator: Operator) -> dict[str, object]:
    return {k: v for k, v in operator.attributes.items() if k not in _NOT_COMPUTED_BY}


def operand(operator: Operator, slots: Sequence[str]) -> str | None:
    """The first value in one of these slots."""
    return next((operator.inputs[slot][0] for slot in slots if operator.inputs.get(slot)), None)
