"""What is decoded later is as good as what was decoded at once."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle

import pytest

from compatload.artifact.deferred import DeferredMapping, DeferredOperator
from compatload.artifact.model import Operator
from compatload.collection import collection_paused


def details(asked: list[str]):
    def detail(name: str):
        asked.append(name)
        return {"inputs": {"X": ("x",)}, "attributes": {"axis": 1}}.get(name, {})

    return detail


def test_details_are_decoded_once_and_only_when_asked() -> None:
    asked: list[str] = []
    operator = DeferredOperator("add", 0, 3, (), details(asked))
    assert operator.position == "add (block 0, operator 3)"
    assert asked == []
    assert operator.attributes == {"axis": 1}
    assert operator.attributes == {"axis": 1}
    assert asked == ["attributes"]
    with pytest.raises(AttributeError):
        _ = operator.nothing


def test_it_equals_and_pickles_as_the_plain_operator() -> None:
    plain = Operator("add", {"X": ("x",)}, {}, {"axis": 1}, 0, 3)
    deferred = DeferredOperator("add", 0, 3, (), details([]))
    assert deferred == plain
    assert plain == deferred
    assert deferred != dataclasses.replace(plain, name="sub")
    assert deferred != "add"
    for again in (pickle.loads(pickle.dumps(deferred)), copy.deepcopy(deferred)):
        assert type(again) is Operator
        assert again == plain
    assert "axis" in repr(deferred)


def test_it_is_frozen() -> None:
    operator = DeferredOperator("add", 0, 3, (), details([]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        operator.name = "sub"


def test_a_mapping_is_built_once_and_pickles_as_a_dict() -> None:
    built: list[int] = []

    def build() -> dict[str, int]:
        built.append(1)
        return {"a": 1}

    mapping = DeferredMapping(build)
    assert built == []
    assert mapping == {"a": 1}
    assert (mapping["a"], len(mapping), list(mapping), repr(mapping)) == (1, 1, ["a"], "{'a': 1}")
    assert built == [1]
    assert pickle.loads(pickle.dumps(mapping)) == {"a": 1}
    assert type(pickle.loads(pickle.dumps(mapping))) is dict


def test_collection_is_left_as_it_was() -> None:
    assert gc.isenabled()
    with collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), collection_paused():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
