"""The zoo's harder networks: right again and again, at both sizes, in every way of loading.

``COMPATLOAD_TEST_RELEASES=all`` runs every network in every way (minutes); otherwise one network
of each kind, in the ways that its fault is of.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.releases import run_in

SCRIPT = Path(__file__).with_name("thrice.py")
PAIRS = [
    ("2.6.2", "2.6.2"),
    ("2.6.2", "3.3.1"),
    ("3.3.1", "2.6.2"),
    ("3.3.1", "3.0.0"),
    ("3.3.1", "3.3.1"),
]
# Networks of the zoo, by what they show.
NETWORKS = {
    "CL120": (
        *("put_into_zeros", "put_into_input", "put_twice_into_one", "put_and_cosine"),
        *("put_in_loop", "put_in_branch", "masked_assignment", "assigned_rows"),
    ),
    "CL240": (
        *("layer_doubled_and_tripled", "layer_doubled_and_divided", "layer_doubled_and_negated"),
        *("layer_relu_doubled_and_tripled", "layer_doubled_increased_tripled"),
    ),
    "CL121": ("nan_where_negative", "nan_in_branch"),
    "CL122": ("rounded_halves",),
    "CL123": ("nearest_by_1_3", "bilinear_by_0_7", "nearest_by_1_5"),
    "CL241": ("rnn_of_gru_cells", "reversed_rnn", "birnn"),
    "CL242": ("softplus_low_threshold", "softplus_half_beta"),
    "to 2.6": ("trained_for_few_bits", "messages_summed", "messages_of_both"),
}


# What stands for a kind, and the ways in which it was wrong.
SAMPLE = {
    "put_twice_into_one": ("predictor", "served"),
    "layer_doubled_and_tripled": ("predictor",),
    "nan_in_branch": ("layer",),
    "rounded_halves": ("layer", "predictor"),
    "bilinear_by_0_7": ("predictor",),
    "reversed_rnn": ("predictor",),
    "softplus_low_threshold": ("predictor",),
    "trained_for_few_bits": ("program",),
}
EVERY_WAY = ("layer", "program", "predictor", "served")
WHOLE = os.environ.get("COMPATLOAD_TEST_RELEASES") == "all"


def asked() -> dict[str, tuple[str, ...]]:
    if not WHOLE:
        return SAMPLE
    return {name: EVERY_WAY for several in NETWORKS.values() for name in several}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("thrice")


def test_every_kind_is_in_the_sample() -> None:
    kinds = {kind for name in SAMPLE for kind, several in NETWORKS.items() if name in several}
    assert kinds == {*NETWORKS}


@pytest.mark.parametrize(("saver", "loader"), PAIRS)
def test_is_right_again_and_again(saver: str, loader: str, folder: Path) -> None:
    networks = asked()
    place = folder / saver
    if not place.exists():
        failed = run_in(saver, SCRIPT, "save", str(place), *networks, seconds=600)
        assert json.loads(failed.splitlines()[-1]) == {}
    wanted = [f"{name}={','.join(ways)}" for name, ways in networks.items()]
    said = run_in(loader, SCRIPT, "load", str(place), *wanted, seconds=900)
    assert json.loads(said.splitlines()[-1]) == {}
