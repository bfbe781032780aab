"""Programs of other people, whose weights are drawn."""

from __future__ import annotations

import random
from pathlib import Path

from compatload import inspect_artifact
from compatload.artifact.model import TensorSpec
from compatload.artifact.program_desc import decode
from matrix.artifacts import FIXTURES
from matrix.wild import main, sized, weights

CLASSIFIER = FIXTURES / "2.6.2/classifier"


def test_drawn_weights_are_what_the_program_asks_for(tmp_path: Path) -> None:
    data = (CLASSIFIER / "model.pdmodel").read_bytes()
    decoded = decode(data)
    drawn = b"".join(weights(decoded.program, decoded.parameters, random.Random(1)))
    (tmp_path / "model.pdmodel").write_bytes(data)
    (tmp_path / "model.pdiparams").write_bytes(drawn)
    made = inspect_artifact(tmp_path / "model").parameters
    told = inspect_artifact(CLASSIFIER / "model").parameters
    assert [(one.name, one.shape, one.offset) for one in made] == [
        (one.name, one.shape, one.offset) for one in told
    ]


def test_sizes_that_are_free() -> None:
    assert sized(TensorSpec("x", "float32", (-1, -1, -1, 48)), 2, 64) == [2, 3, 64, 48]
    assert sized(TensorSpec("x", "int64", (-1, -1)), 2, 64) == [2, 8]


def test_a_folder_without_a_program_is_told(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--loader", "3.3.1"]) == 2
