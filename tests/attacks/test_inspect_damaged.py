"""Whatever a file has suffered, inspection ends in an artifact or in a documented error."""

from __future__ import annotations

import json
import pickle
import time
from pathlib import Path

import pytest
from attacks.damage import Case, Model, damaged, read_model
from fixtures.index import fixtures

from compatload.artifact.inspection import inspect_artifact
from compatload.errors import ArtifactError

CASES = 2400
SEED = 20
# Generous: a machine that is busy with other things is no defect; a quadratic decoder is.
MOST_SECONDS = 5.0


def _models() -> list[Model]:
    wanted = {"classifier", "detector", "while_loop", "if_else", "two_methods", "lstm"}
    wanted |= {"directory_loose", "directory_combined", "no_parameters"}
    return [
        read_model(fixture.folder, str(fixture.record["prefix"]))
        for fixture in fixtures(saved_by=("2.6.2", "3.0.0", "3.3.1"))
        if fixture.name in wanted
    ]


@pytest.mark.parametrize("part", range(8))
def test_damaged_artifacts_end_in_documented_errors(part: int, tmp_path: Path) -> None:
    accepted, refused, slow = 0, 0, []
    for case in damaged(_models(), range(part, CASES, 8), SEED):
        started = time.perf_counter()
        error = _inspect(case, tmp_path / str(case.number))
        if time.perf_counter() - started > MOST_SECONDS:
            slow.append(case.what)
        if error is None:
            accepted += 1
            assert not case.must_fail, f"case {case.number}, {case.model}: {case.what}"
        else:
            refused += 1
    assert not slow
    assert refused > 150
    assert accepted > 0  # a flipped bit in raw data is nobody's to notice


def test_there_are_enough_cases_and_they_are_the_same_every_time() -> None:
    models = _models()
    first = [(case.number, case.what) for case in damaged(models, range(CASES), SEED)]
    assert len(first) >= 2000
    # Whatever came before it.
    again = [(case.number, case.what) for case in damaged(models, reversed(range(CASES)), SEED)]
    assert first == again[::-1]


def _inspect(case: Case, folder: Path) -> ArtifactError | None:
    path = case.write(folder)
    try:
        artifact = inspect_artifact(path)
    except ArtifactError as error:
        _check_wording(error, case)
        return error
    # What was put off must not fail afterwards.
    for operator in artifact.program.operators:
        assert operator.inputs is not None
        assert operator.outputs is not None
        assert operator.attributes is not None
    assert artifact.program.variables is not None
    json.dumps(artifact.to_dict())
    return None


def _check_wording(error: ArtifactError, case: Case) -> None:
    assert error.problem, case.what
    assert error.action, case.what
    assert len(str(error).splitlines()) == 2, str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
