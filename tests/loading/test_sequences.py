"""Inputs that are sequences (LoD): the numbers of 2.6.2 by every API, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.errors import UsageError
from compatload.faults.cl150_sequences import SequenceInput, sequence_inputs
from compatload.loading.sequences import require_lengths
from tests.releases import done_in, releases, run_in, saved_by

SCRIPT = Path(__file__).with_name("sequences.py")
WAYS = ("program", "predictor", "layer", "pool", "tensors")
# What each model needs: inputs by name, with the levels that the file declares and whether an
# operator cannot do without.
NEEDED = {
    "tagger": {"words": (1, True)},
    "rank": {"words": (1, True), "entity": (1, False)},
    "pools": {"words": (1, True)},
    "convolution": {"words": (1, True)},
    "expansion": {"words": (1, True)},
    "lookahead": {"rows": (1, False)},
    "numbered": {},
    "fixed": {},
    "aligned": {"labels": (1, True)},
    "levels": {"words": (2, True), "others": (2, True)},
    "image": {},
    "padded": {},
    "unused": {"rows": (1, False)},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_by("2.6.2", tmp_path_factory.mktemp("sequences"), SCRIPT, "save")


@pytest.mark.parametrize("release", releases())
def test_every_api_computes_what_2_6_computes_of_other_lengths_each_time(
    release: str, models: Path
) -> None:
    said = json.loads(run_in(release, SCRIPT, "run", models, seconds=900).splitlines()[-1])
    assert said.keys() == {f"{name} {way}" for name in NEEDED for way in WAYS}
    assert {key: one for key, one in said.items() if isinstance(one, str) or one > 1e-5} == {}


@pytest.mark.parametrize("release", releases())
def test_layers_refuse_what_has_no_lengths_or_others(release: str, models: Path) -> None:
    said = json.loads(run_in(release, SCRIPT, "refused", models, "tagger").splitlines()[-1])
    for array, tensor, short, deep in said.values():
        assert array == tensor
        assert "input words of" in array
        assert "is a sequence of 1 level, and came without lengths" in array
        assert "create_lod_tensor(rows, [[5, 7]]" in array
        assert "lengths that are not those of 12 rows" in short
        assert "came with lengths on 2" in deep
    said = json.loads(run_in(release, SCRIPT, "refused", models, "unused").splitlines()[-1])
    for array, tensor, short, _ in said.values():
        assert array == tensor == ""  # it declares sequences, and computes without
        assert "lengths that are not those of 12 rows" in short


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_trials_make_up_lengths(release: str, models: Path) -> None:
    # Without them Paddle's kernels follow a null pointer: each child died or failed.
    names = ("tagger", "rank", "aligned", "levels")
    off = {"COMPATLOAD_CACHE": "off"}
    said = run_in(release, SCRIPT, "tried", models, *names, environment=off, seconds=900)
    told = json.loads(said.splitlines()[-1])
    assert told == {name: {"timed": True, "right": 3} for name in names}


@pytest.mark.parametrize(
    ("release", "calls"),
    [
        ("2.6.2", "paddle.jit.load and paddle.static.load_inference_model fail"),
        ("3.3.1", "paddle.inference.create_predictor kills"),
    ],
)
def test_a_lone_load_of_a_gru_without_its_gates_is_told(
    release: str, calls: str, models: Path
) -> None:
    done = done_in(release, "-m", "compatload", "check", "--run", models / "tagger.pdmodel")
    assert f" CL110: {calls}" in done.stdout
    assert "CL008" not in done.stdout


def test_what_a_model_needs_is_told_by_its_operators(models: Path) -> None:
    found = {name: sequence_inputs(inspect_artifact(models / name)) for name in NEEDED}
    assert found == {
        name: {one: SequenceInput(*told) for one, told in inputs.items()}
        for name, inputs in NEEDED.items()
    }


@pytest.mark.parametrize(
    "lod", [[[0, 5]], [[0, 5, 13]], [[1, 12]], [[0, 7, 5, 12]], [[0]], [[]], [[0, 3], [0, 5, 12]]]
)
def test_lengths_of_another_tensor_are_refused(lod: list[list[int]]) -> None:
    with pytest.raises(UsageError) as refused:
        require_lengths(lod, 12, SequenceInput(len(lod), True), "x", "model")
    assert refused.value.rule == "CL150"


@pytest.mark.parametrize("lod", [[[0, 5, 12]], [[0, 0, 12]], [[0, 2, 2], [0, 5, 12]]])
def test_sequences_may_be_empty(lod: list[list[int]]) -> None:
    require_lengths(lod, 12, SequenceInput(len(lod), True), "x", "model")
