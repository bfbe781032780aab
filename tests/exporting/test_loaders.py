"""safe_save tries every loader of the releases that are to load a model, or predicts it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.exporting.test_safe_save import run
from tests.releases import python_of


def told_of(monkeypatch: pytest.MonkeyPatch, saver: str, name: str, *others: str) -> Any:
    pythons = os.pathsep.join(map(python_of, others))
    monkeypatch.setenv("COMPATLOAD_TEST_PYTHONS", pythons)
    return run(saver, name)[name]


def test_a_predictor_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = told_of(monkeypatch, "3.0.0", "enlarged", "3.3.1", "2.6.2")
    assert told["outcome"] == "saved", told
    loaders = {
        (release, loader): (tried, agrees) for release, loader, tried, agrees in told["loaders"]
    }
    for release in ("2.6.2", "3.0.0", "3.3.1"):
        for loader in ("layer", "program", "predictor"):
            fine = (release, loader) != ("3.3.1", "predictor")
            assert loaders[release, loader] == (True, fine)
    # Nobody has it here: it is said by what is known of it, which 3.3.1 shows to be true.
    assert loaders["3.3.0", "predictor"] == (False, False)
    assert loaders["3.2.2", "predictor"] == (False, True)
    tried, predicted = (next(w for w in told["warnings"] if r in w) for r in ("3.3.1", "3.3.0"))
    assert "create_predictor fails" in tried
    assert ", tried;" in tried
    assert "CL201" in predicted
    assert ", predicted;" in predicted


def test_what_hangs_on_rounding_is_tried_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = told_of(monkeypatch, "3.3.1", "tied", "3.3.1")
    assert told["outcome"] == "saved", told
    assert {tried for _, _, tried, _ in told["loaders"]} == {True}


def test_a_branch_of_2_6_is_written_for_3_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the saving Paddle cannot run in that format is run where it is at home."""
    told = told_of(monkeypatch, "2.6.2", "signed_for_3", "3.3.1")
    assert told["outcome"] == "saved", told
    own = [(loader, agrees) for release, loader, tried, agrees in told["loaders"] if tried]
    assert own == [("layer", True), ("program", True), ("predictor", True)]
