"""CL156: a model with channels last leaves others of its thread as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compatload.artifact.model import Format
from compatload.programs.layouts import kept
from tests.releases import run_in, saved_by

SCRIPT = Path(__file__).with_name("kept_layouts.py")
PAIRS = [("2.6.2", "2.6.2"), ("2.6.2", "3.3.1"), ("3.3.1", "3.3.1"), ("3.3.1", "2.6.2")]
# Loops of PIR programs are run with a layout of their own, but for predictors.
LEFT_BEHIND = {"last layer", "last program", "last predictor", "by_one_axis predictor"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layouts")


def told(errand: str, saver: str, loader: str, folder: Path) -> Any:
    place = saved_by(saver, folder, SCRIPT, "save")
    return json.loads(run_in(loader, SCRIPT, errand, str(place)).splitlines()[-1])


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_paddle_itself_reads_others_wrongly_behind_them(release: str, folder: Path) -> None:
    found = told("own", release, release, folder)
    assert {tuple(one[:2]) for one in found.values()} == {("right", "right")}
    assert {way for way, one in found.items() if "right" not in one[2:]} >= LEFT_BEHIND


@pytest.mark.parametrize(("saver", "loader"), PAIRS)
def test_others_stay_right(saver: str, loader: str, folder: Path) -> None:
    found = told("safe", saver, loader, folder)
    assert len(found) == 9
    assert {tuple(one) for one in found.values()} == {("right",) * 4}


def test_what_names_no_layout_or_channels_first_stays_as_it_is(folder: Path) -> None:
    for saver, form, file in (
        ("2.6.2", Format.LEGACY, "model.pdmodel"),
        ("3.3.1", Format.PIR, "model.json"),
    ):
        place = saved_by(saver, folder, SCRIPT, "save")
        plain = (place / "beside" / file).read_bytes()
        assert kept(plain, form, saver) is plain
        for name in ("last", "in_loop", "by_one_axis"):
            data = (place / name / file).read_bytes()
            once = kept(data, form, saver)
            assert once != data
            assert kept(once, form, saver) is once
