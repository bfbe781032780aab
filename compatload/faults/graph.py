"""A program as a graph: producers and users of values, alias sets, and values computed alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from compatload.artifact.model import LOOPS, Artifact, Format, Operator, TensorSpec
from compatload.faults.declared import PRESERVING, WITH_A_POINT
from compatload.operators.halves import HALVES
from compatload.operators.miscounted import MISCOUNTING
from compatload.operators.products import PRODUCTS

if TYPE_CHECKING:
    from compatload.faults.bounds import Bounds

_UNKNOWN = -1

# Slots of an operator's first and second operand, in PIR programs and in legacy ones.
FIRST = ("0", "X", "Input")
SECOND = ("1", "Y")
# Attributes of PIR operators that tell where the source had them and whether training changes them.
_NOT_COMPUTED_BY = frozenset({"struct_name", "stop_gradient", "persistable"})
_WHOLE = frozenset({"int32", "int64"})
_YIELD = frozenset({"yield"})
_LONGEST_WAY = 16  # from what two values have in common, as far as it is looked for

# A value, and one of its axes.
Place = tuple[str, int]


class Graph:
    """Who makes and who reads each value of an artifact's program; feeds and fetches count.

    Shapes are those that the program declares, with -1 for what only a run can tell. ``operators``
    are the program's own unless others are given (``faults.simplified``).
    """

    def __init__(self, artifact: Artifact, operators: Sequence[Operator] | None = None) -> None:
        self.artifact = artifact
        self.operators = artifact.program.operators if operators is None else tuple(operators)
        self.origins: dict[Place, Place] = {}  # as far as somebody asked (``faults.sizes``)
        self.bounds: dict[str, Bounds] = {}  # the same (``faults.bounds``)
        self.undefined: frozenset[int] | None = None  # the same (``faults.undefined``)
        self.caches: frozenset[str] | None = None  # the same (``faults.emptied``)
        self.emptied: frozenset[str] | None = None  # the same
        self.counted: dict[str, str] = {}  # what decides the rows of values (CL137)
        self.overwritten: frozenset[str] | None = None  # the same (CL605)
        self.raced: Mapping[str, list[Operator]] | None = None  # the same (CL626)
        self._last_uses: dict[tuple[str, frozenset[str]], Mapping[int, int]] = {}
        self._shared: dict[frozenset[str], Mapping[str, tuple[str, ...]]] = {}

    @cached_property
    def producers(self) -> dict[str, Operator]:
        return {value: one for one in self.operators for vs in one.outputs.values() for value in vs}

    @cached_property
    def users(self) -> dict[str, list[Operator]]:
        """What reads each value, once for each reading."""
        found: dict[str, list[Operator]] = {}
        for operator in self.operators:
            for values in operator.inputs.values():
                for value in values:
                    found.setdefault(value, []).append(operator)
        return found

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the operators of each type stand, by its bare name."""
        told: dict[str, list[int]] = {}
        for place, operator in enumerate(self.operators):
            told.setdefault(operator.name, []).append(place)
        places: dict[str, list[int]] = {}
        for name, several in told.items():
            places.setdefault(bare_type(name), []).extend(several)
        return places

    def has(self, names: frozenset[str]) -> bool:
        """Whether the program has an operator of one of these types."""
        return not names.isdisjoint(self._places)

    def named(self, names: frozenset[str]) -> tuple[Operator, ...]:
        """The program's operators of these types, in its order."""
        places = self._places
        found = (place for name in places if name in names for place in places[name])
        return tuple(self.operators[place] for place in sorted(found))

    def producer(self, value: str | None) -> Operator | None:
        return self.producers.get(value) if value else None

    def producers_of(self, operator: Operator) -> Iterator[Operator]:
        for values in operator.inputs.values():
            yield from (self.producers[value] for value in values if value in self.producers)

    def users_of(self, operator: Operator, slot: str | None = None) -> Iterator[Operator]:
        """What reads its results, or those in one slot, once for each reading."""
        several = operator.outputs.values() if slot is None else (operator.outputs.get(slot, ()),)
        for values in several:
            for value in values:
                yield from self.users.get(value, ())

    def sole_user(self, operator: Operator, slot: str | None = None) -> Operator | None:
        """The one operator that reads what this one yields, or yields in that slot."""
        several = list(self.users_of(operator, slot))
        return several[0] if len(several) == 1 else None

    def joined(self, concat: Operator) -> tuple[str, ...]:
        """What a concatenation joins, in order; a PIR program makes one value of them before."""
        values = concat.inputs.get("X") or concat.inputs.get("0", ())
        maker = self.producer(values[0]) if values else None
        if maker is not None and bare_name(maker) == "combine":
            return tuple(one for several in maker.inputs.values() for one in several)
        return tuple(values)

    def leads(
        self,
        operator: Operator,
        goal: Callable[[Operator], bool],
        through: Callable[[Operator], bool],
    ) -> bool:
        """Whether a result goes into a goal, at once or by a chain of such operators."""
        seen = {id(operator)}
        waiting = [operator]
        while waiting:
            for user in self.users_of(waiting.pop()):
                if goal(user):
                    return True
                if id(user) not in seen and through(user):
                    seen.add(id(user))
                    waiting.append(user)
        return False

    def comes_of(
        self,
        operator: Operator,
        makers: frozenset[str],
        through: Callable[[Operator], bool],
    ) -> bool:
        """Whether it reads a result of one of these, at once or by a chain of such operators."""
        return any(
            self.leads(one, lambda user: user is operator, through) for one in self.named(makers)
        )

    def _spec(self, value: str | None) -> TensorSpec | None:
        return self.artifact.program.variables.get(value) if value else None

    def shape(self, value: str | None) -> tuple[int, ...] | None:
        """As it is declared (-1: unknown); a size of none is unknown where Paddle miscounts."""
        sizes = self.declared(value)
        if sizes is None or 0 not in sizes or value not in self._miscounted:
            return sizes
        return tuple(size or _UNKNOWN for size in sizes)

    def sure_shape(self, value: str | None) -> tuple[int, ...] | None:
        """The same; sizes of 1 are unknown, too, where Paddle may have miscounted."""
        sizes = self.shape(value)
        if sizes is None or 1 not in sizes or value not in self._miscounted | self._stretched:
            return sizes
        return tuple(_UNKNOWN if size == 1 else size for size in sizes)

    def declared(self, value: str | None) -> tuple[int, ...] | None:
        """The shape that the program gives, right or not: what Paddle's passes go by."""
        spec = self._spec(value)
        return None if spec is None else spec.shape

    @cached_property
    def _miscounted(self) -> frozenset[str]:
        """What comes of an operator that counts with the size of an operand that is unknown."""
        return self._coming_of(
            one
            for one in self.named(MISCOUNTING)
            if any(_UNKNOWN in (self.declared(v) or ()) for vs in one.inputs.values() for v in vs)
        )

    @cached_property
    def _stretched(self) -> frozenset[str]:
        """What comes of a product that is declared without what stretches it."""
        return self._coming_of(one for one in self.named(PRODUCTS) if self.is_stretched(one))

    def _coming_of(self, operators: Iterable[Operator]) -> frozenset[str]:
        """The results of these operators, and of all that is computed from them."""
        first = {id(one) for one in operators}
        found: set[str] = set()
        for operator in self.operators if first else ():
            read = (value for values in operator.inputs.values() for value in values)
            if id(operator) in first or any(value in found for value in read):
                found.update(value for values in operator.outputs.values() for value in values)
        return frozenset(found)

    def is_stretched(self, product: Operator) -> bool:
        """Whether the operand of fewer axes stretches the other one's batch."""
        few, many = sorted(
            (self.declared(operand(product, slots)) or () for slots in (FIRST, SECOND)), key=len
        )
        pairs = zip(reversed(few[:-2]), reversed(many[:-2]))
        return len(few) < len(many) and any(one != 1 and other == 1 for one, other in pairs)

    def dtype(self, value: str | None) -> str | None:
        """The element type of a value: as it is declared, but for what 2.6 declares wrongly."""
        spec = self._spec(value)
        if spec is None or spec.dtype not in _WHOLE:
            return None if spec is None else spec.dtype
        return "float32" if value in self._with_a_point else spec.dtype

    @cached_property
    def halves(self) -> Mapping[str, str]:
        """Values of 16 bits, and their types: of most programs none."""
        told = ((name, spec.dtype) for name, spec in self.artifact.program.variables.items())
        return {name: kind for name, kind in told if kind in HALVES}

    @cached_property
    def _with_a_point(self) -> frozenset[str]:
        """What a legacy program declares as whole numbers and computes with a point (CL114)."""
        if self.artifact.format.family is Format.PIR or not self.has(WITH_A_POINT):
            return frozenset()
        found: set[str] = set()
        for operator in self.operators:
            source, result = PRESERVING.get(operator.name, ("", ""))
            given = operator.inputs.get(source, ())
            if operator.name in WITH_A_POINT:
                found.update(operator.outputs.get("Out", ()))
            elif any(value in found for value in given):
                found.update(operator.outputs.get(result, ()))
        return frozenset(found)

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self.artifact.parameters)

    def is_stored(self, value: str | None) -> bool:
        """Whether a value is a parameter of the file."""
        maker = self.producer(value)
        return value in self._stored or (maker is not None and "parameter" in maker.name)

    def is_computed_once(self, value: str) -> bool:
        """Whether a value depends on no input, so that a pass may put a number in its place: nor
        on the round of a loop, which nothing makes in PIR programs and the loop in legacy ones."""
        waiting, seen = [value], {value}
        while waiting:
            one = waiting.pop()
            maker = self.producer(one)
            if one in self._written_by_loops:
                return False
            if maker is None:
                if not self.is_stored(one):
                    return False
                continue
            if bare_name(maker) in ("data", "feed"):
                return False
            read = {one for values in maker.inputs.values() for one in values} - seen
            seen |= read
            waiting += read
        return True

    def yielded(self, flow: Operator) -> Iterator[str]:
        """What the blocks of a branch or a loop give back, in PIR programs."""
        for ending in self.named(_YIELD):
            if ending.block in flow.sub_blocks:
                for values in ending.inputs.values():
                    yield from values

    @cached_property
    def owners(self) -> Mapping[int, Operator]:
        """The branch or loop that each block is one of."""
        return owners_of_blocks(self.operators)

    @cached_property
    def _by_block(self) -> Mapping[int, list[Operator]]:
        blocks: dict[int, list[Operator]] = {}
        for one in self.operators:
            blocks.setdefault(one.block, []).append(one)
        return blocks

    def inside(self, flow: Operator) -> list[Operator]:
        """What stands in the blocks of a branch or a loop itself, in their order."""
        return [one for block in flow.sub_blocks for one in self._by_block.get(block, ())]

    @cached_property
    def carried(self) -> Mapping[str, tuple[str, str]]:
        """What each argument of a loop's block begins with, and what a round gives the next, in PIR
        programs. Their writer counts arguments as it comes to them: -1, -2 …"""
        found: dict[str, tuple[str, str]] = {}
        if not self.has(LOOPS):
            return found
        waiting = [*reversed(self._by_block.get(0, ()))]
        while waiting:
            one = waiting.pop()
            within = self.inside(one)
            if one.name in LOOPS and within:
                given, told = (
                    [value for values in flow.inputs.values() for value in values][1:]
                    for flow in (one, within[-1])
                )
                for pair in zip(given, told):
                    found[f"%-{len(found) + 1}"] = pair
            waiting += reversed(within)
        return found

    @cached_property
    def _written_by_loops(self) -> frozenset[str]:
        loops = self.named(LOOPS)
        return frozenset(value for one in loops for vs in one.outputs.values() for value in vs)

    def factor(self, operator: Operator) -> float | None:
        """The number that a ``scale`` multiplies by; None if it adds one too, or computes it."""
        if bare_name(operator) != "scale" or operator.attributes.get("bias", 0.0) != 0.0:
            return None
        if operator.inputs.get("ScaleTensor"):
            return None
        value = operator.attributes.get("scale")
        if value is None:  # PIR keeps it in an operator of its own
            maker = self.producer(operand(operator, SECOND))
            value = maker.attributes.get("value") if maker is not None else None
        return float(value) if isinstance(value, (int, float)) else None

    def alias_set(self, value: str, views: frozenset[str]) -> tuple[str, ...]:
        """The values that lie in one memory with this one, the computed one first.

        ``views`` are the operators that leave their first operand where it is.
        """
        if views not in self._shared:
            self._shared[views] = self._aliases(views)
        return self._shared[views].get(value, (value,))

    def _aliases(self, views: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
        """The values of each memory that has several, by each of them."""
        first: dict[str, str] = {}
        together: dict[str, list[str]] = {}
        for operator in self.named(views):
            source = operand(operator, FIRST)
            if source is None:
                continue
            computed = first.get(source, source)
            for values in operator.outputs.values():
                for value in values:
                    first[value] = computed
                    together.setdefault(computed, [computed]).append(value)
        return {value: tuple(group) for group in together.values() for value in group}

    def is_read_after(self, operator: Operator, value: str, views: frozenset[str]) -> bool:
        """Whether anything reads what lies in a value's memory after the operator: what stands
        later, in another block, or the operator itself, in a block that may run once more."""
        shared = self.alias_set(value, views)
        maker = self.producer(shared[0])
        if maker is None and shared[0] not in self.carried:
            return False
        known = shared[0], views
        if known not in self._last_uses:  # once for a memory, however many may overwrite it
            self._last_uses[known] = self.last_uses(shared)
        last = self._last_uses[known]
        if maker is not None and maker.block != operator.block:
            return self._is_read_around(operator, maker.block, last)
        return len(last) > 1 or last.get(operator.block, operator.index) > operator.index

    def _is_read_around(self, operator: Operator, block: int, last: Mapping[int, int]) -> bool:
        """Whether a value made in ``block`` is read after an operator in a branch below it: not by
        the other side, which does not run then. What stands in a loop runs once more."""
        owners = self.owners
        places, sides = {operator.block: operator.index}, set[int]()
        inner = operator.block
        while inner != block:
            owner = owners.get(inner)
            if owner is None or owner.name in LOOPS:
                return True
            sides |= {*owner.sub_blocks} - {inner}
            inner = owner.block
            places[inner] = owner.index
        return any(
            place > places[where] if where in places else sides.isdisjoint(flows(where, owners))
            for where, place in last.items()
        )

    def last_uses(self, values: Iterable[str]) -> dict[int, int]:
        """The blocks where one of the values is read, with the place of the last user there."""
        last: dict[int, int] = {}
        for value in values:
            for user in self.users.get(value, ()):
                last[user.block] = max(user.index, last.get(user.block, 0))
        return last

    @cached_property
    def output_twins(self) -> frozenset[str]:
        """The outputs that are computed like another one."""
        fetched = (operand(one, FIRST) for one in self.named(frozenset({"fetch"})))
        return self.alike(value for value in fetched if value is not None)

    def twins(self, value: str) -> tuple[str, ...]:
        """The other values that the same operators compute from the same values."""
        if not self._may_be_computed_again(value):
            return ()
        number = self._numbers.get(value)
        return tuple(one for one in self._numbered.get(number, ()) if one != value)

    def _may_be_computed_again(self, value: str) -> bool:
        """Whether the way up to a value, by first operands, begins twice: a quick look."""
        for _ in range(_LONGEST_WAY):
            maker = self.producers.get(value)
            above = operand(maker, FIRST) if maker is not None else None
            if maker is None or above is None:
                return False
            if sum(one.name == maker.name for one in self.users.get(above, ())) > 1:
                return True
            value = above
        return False

    @cached_property
    def _numbered(self) -> Mapping[int | str | None, list[str]]:
        together: dict[int | str | None, list[str]] = {}
        for value, number in self._numbers.items():
            together.setdefault(number, []).append(value)
        return together

    def alike(self, values: Iterable[str]) -> frozenset[str]:
        """Those that the same operators compute from the same values as another of them."""
        distinct = set(values)
        makers = Counter(self.producers[v].name for v in distinct if v in self.producers)
        if not any(count > 1 for count in makers.values()):
            return frozenset()
        numbers = {value: self._numbers.get(value, value) for value in distinct}
        same = Counter(numbers.values())
        return frozenset(value for value, number in numbers.items() if same[number] > 1)

    @cached_property
    def _numbers(self) -> dict[str, int | str]:
        return numbered(self.operators)


def numbered(operators: Iterable[Operator]) -> dict[str, int | str]:
    """A number for each value, the same for all that are alike: one walk, however many ask."""
    known: dict[tuple[object, ...], int] = {}
    numbers: dict[str, int | str] = {}
    for operator in operators:
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


def owners_of_blocks(operators: Iterable[Operator]) -> dict[int, Operator]:
    return {block: one for one in operators for block in one.sub_blocks}


def flows(block: int, owners: Mapping[int, Operator]) -> Iterator[int]:
    """The blocks of loops and branches that a block lies in, itself included."""
    while block in owners:
        yield block
        block = owners[block].block


def loops(block: int, owners: Mapping[int, Operator]) -> Iterator[int]:
    """Those of loops alone."""
    return (one for one in flows(block, owners) if owners[one].name in LOOPS)


def place_in_main_block(operator: Operator, owners: Mapping[int, Operator]) -> int:
    """Of the operator itself, or of the one of the main block that it lies in."""
    while operator.block:
        operator = owners[operator.block]
    return operator.index


def values_of(slots: Mapping[str, Iterable[str]]) -> frozenset[str]:
    return frozenset(value for values in slots.values() for value in values)


def operand(operator: Operator, slots: Sequence[str]) -> str | None:
    """The first value in one of these slots."""
    return next((operator.inputs[slot][0] for slot in slots if operator.inputs.get(slot)), None)


def result(operator: Operator) -> str | None:
    """The first value that it yields, in either format."""
    values = operator.outputs.get("Out") or operator.outputs.get("0") or ()
    return next(iter(values), None)


def takes_bfloat16(operator: Operator, graph: Graph) -> bool:
    """Whether its first operand is of bfloat16."""
    return graph.dtype(operand(operator, FIRST)) == "bfloat16"


def computes_in_halves(artifact: Artifact) -> bool:
    """Whether any value of the program is of 16 bits."""
    graph = Graph(artifact)
    return any(
        value in graph.halves
        for operator in graph.operators
        for values in operator.outputs.values()
        for value in values
    )


def bare_name(operator: Operator) -> str:
    """Type without PIR's dialect and in-place mark: ``pd_op.relu_`` is ``relu``."""
    return bare_type(operator.name)


def bare_type(name: str) -> str:
    return name.rpartition(".")[2].rstrip("_")
