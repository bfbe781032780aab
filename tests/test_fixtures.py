"""The committed fixtures are all there, complete, and compared as documented."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from fixtures.index import (
    EXPECTED,
    HERE,
    Fixture,
    agrees,
    difference,
    fixture,
    fixtures,
)


def test_every_release_has_as_many_fixtures_as_are_written_down() -> None:
    assert dict(Counter(one.saved_by for one in fixtures())) == EXPECTED


def test_all_together_stay_small() -> None:
    size = sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file())
    assert size < 6_000_000


@pytest.mark.parametrize("one", fixtures(), ids=lambda one: one.identity)
def test_each_fixture_is_complete(one: Fixture) -> None:
    for method in one.methods:
        for number in one.sets:
            assert len(one.inputs(number, method)) == len(one.input_names(method))
            outputs = one.outputs(number, method)
            assert outputs
            assert all(np.isfinite(leaf).all() for leaf in outputs)


def test_an_unknown_fixture_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="no/such"):
        fixture("no/such")


@pytest.mark.parametrize(
    ("actual", "expected", "result"),
    [
        ([1.0], [1.0], 0.0),
        ([100.0], [101.0], 1 / 101),
        ([0.5], [0.25], 0.25),
        ([[1.0]], [1.0], float("inf")),
        ([1], [1.0], float("inf")),
        ([2], [1], float("inf")),
        ([float("nan")], [float("nan")], 0.0),
        ([1.0], [float("nan")], float("inf")),
        ([float("-inf")], [float("inf")], float("inf")),
    ],
)
def test_difference(actual: object, expected: object, result: float) -> None:
    assert difference([np.array(actual)], [np.array(expected)]) == pytest.approx(result)


def test_a_missing_leaf_is_an_infinite_difference() -> None:
    assert not agrees([np.zeros(1)], [np.zeros(1), np.zeros(1)])
