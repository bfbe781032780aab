"""Errors carry what they are about, survive pickling, and end with one thing to do."""

from __future__ import annotations

import pickle

import pytest

import compatload
from compatload import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.CompatLoadError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_survives_pickling(kind: type[errors.CompatLoadError]) -> None:
    error = kind("broken", action="Mend it.", artifact="m", runtime="r", rule="CL101")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_ends_with_the_action(kind: type[errors.CompatLoadError]) -> None:
    assert str(kind("broken", action="Mend it.", rule="CL101")) == "[CL101] broken\nMend it."
    assert str(kind("broken")) == "broken"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_is_public_and_in_the_tree(kind: type[errors.CompatLoadError]) -> None:
    assert getattr(compatload, kind.__name__) is kind or kind is errors.ArtifactError
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__


def test_lists_attempts_and_obstacles() -> None:
    load = errors.LoadError("no way", attempts=[("native", "a"), ("convert", "b")], action="Ask.")
    assert str(load).splitlines() == ["no way", "  1. native: a", "  2. convert: b", "Ask."]
    conversion = errors.ConversionError("no", obstacles=["op x"], action="Ask.")
    assert str(conversion).splitlines() == ["no", "  - op x", "Ask."]
    assert pickle.loads(pickle.dumps(conversion)).obstacles == ("op x",)


def test_is_the_builtin_that_paddle_raises() -> None:
    assert issubclass(errors.ArtifactNotFoundError, (ValueError, FileNotFoundError))
    assert issubclass(errors.LoadError, RuntimeError)
    assert issubclass(errors.PaddleNotFoundError, ImportError)
