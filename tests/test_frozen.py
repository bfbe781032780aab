"""``frozen`` makes what ``dataclass(frozen=True)`` makes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, replace
from functools import cached_property

import pytest

from compatload.frozen import frozen


class Body:
    name: str
    parts: tuple[int, ...] = ()
    hidden: int = field(default=0, repr=False)
    uncompared: Mapping[str, int] = field(default_factory=dict, compare=False)

    @cached_property
    def total(self) -> int:
        return sum(self.parts)


@frozen
class Ours(Body):
    name: str
    parts: tuple[int, ...] = ()
    hidden: int = field(default=0, repr=False)
    uncompared: Mapping[str, int] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Theirs(Body):
    name: str
    parts: tuple[int, ...] = ()
    hidden: int = field(default=0, repr=False)
    uncompared: Mapping[str, int] = field(default_factory=dict, compare=False)


VALUES = [
    {"name": "a"},
    {"name": "a", "hidden": 1},
    {"name": "a", "uncompared": {"x": 1}},
    {"name": "b", "parts": (1, 2)},
]


@pytest.mark.parametrize("values", VALUES)
def test_it_shows_and_takes_apart(values: dict) -> None:
    ours, theirs = Ours(**values), Theirs(**values)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert asdict(ours) == asdict(theirs)
    assert astuple(ours) == astuple(theirs)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert Ours.__match_args__ == Theirs.__match_args__
    assert ours.total == theirs.total == ours.total


@pytest.mark.parametrize("first", VALUES)
@pytest.mark.parametrize("second", VALUES)
def test_it_compares_and_hashes(first: dict, second: dict) -> None:
    assert (Ours(**first) == Ours(**second)) == (Theirs(**first) == Theirs(**second))
    assert hash(Ours(**first)) == hash(Theirs(**first))


def test_another_class_is_another_value() -> None:
    @frozen
    class Other(Ours):
        pass

    assert Ours("a") != Other("a")
    assert Ours("a") != Theirs("a")


@pytest.mark.parametrize("decorate", [frozen, dataclass(frozen=True)])
def test_it_can_be_inherited_from(decorate) -> None:
    @decorate
    class More(Ours):
        further: int = 0

    made = More("a", further=2)
    assert made == More("a", further=2) != More("a")
    assert repr(made).endswith("More(name='a', parts=(), uncompared={}, further=2)")
    assert hash(made) == hash(More("a", further=2))
    with pytest.raises(FrozenInstanceError):
        made.further = 3


def test_it_is_frozen() -> None:
    made = Ours("a")
    for name in ("name", "hidden", "more"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(made, name, 1)
    with pytest.raises(FrozenInstanceError, match="name"):
        del made.name
    assert made == Ours("a")


@pytest.mark.parametrize("values", VALUES)
def test_copies_are_equal(values: dict) -> None:
    made = Ours(**values)
    for copied in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert copied == made
        assert copied.uncompared == made.uncompared
    assert replace(made, name="c") == Ours(**{**values, "name": "c"})


def test_a_cycle_is_shown() -> None:
    parts: list = []
    made = Ours("a", parts)
    parts.append(made)
    assert repr(made) == "Ours(name='a', parts=[...], uncompared={})"


def test_methods_of_the_class_are_kept() -> None:
    @frozen
    class Loose:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None

        def __repr__(self) -> str:
            return "loose"

    assert Loose("a") == Loose("b")
    assert repr(Loose("a")) == "loose"
    with pytest.raises(TypeError):
        hash(Loose("a"))
