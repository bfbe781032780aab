"""``safe_load(verify=…)`` of what ``safe_save`` wrote, in every release, for every release."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("recorded_loads.py")


@cache
def saved(release: str, folder: Path) -> Path:
    folder.mkdir()
    run_in(release, SCRIPT, "save", str(folder))
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recorded")


@pytest.mark.parametrize("loader", releases())
@pytest.mark.parametrize("saver", releases())
def test_what_changed_since_the_model_was_saved_is_found(
    saver: str, loader: str, root: Path
) -> None:
    told = json.loads(
        run_in(loader, SCRIPT, "check", str(saved(saver, root / saver))).splitlines()[-1]
    )
    others = {change: ways.pop("others") for change, ways in told.items()}
    # The other two drop-ins take no ``verify``: they look at sizes and at the program, too.
    for change in ("weights_grown", "program_changed", "record_cut_short"):
        assert others[change] == ["DamagedArtifactError"] * 2, change
    assert others["sound"] == others["record_gone"] == others["weights_changed"] == []
    program = "model.pdmodel" if saver.startswith("2.") else "model.json"
    weights = "DamagedArtifactError: model.pdiparams"
    other = f"DamagedArtifactError: {program}"
    fine = {"whole": "same", "default": "same", "off": "same"}
    assert told["sound"] == fine
    # Bytes of the same number are other bytes to a hash alone.
    assert told["weights_changed"] == {"whole": weights, "default": "differs", "off": "differs"}
    assert told["weights_grown"]["whole"] == told["weights_grown"]["default"] == weights
    assert told["program_changed"] == {"whole": other, "default": other, "off": "same"}
    assert told["output_changed"] == {**fine, "whole": "LoadError: other numbers"}
    refused = "DamagedArtifactError: "
    assert told["record_cut_short"] == {"whole": refused, "default": refused, "off": "same"}
    assert told["record_gone"] == fine
