"""Predictors do in the hands of callers what Paddle's own do at home, and what those do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in, saved_by

SCRIPT = Path(__file__).with_name("handed_predictors.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("handed")


def saved(release: str, folder: Path) -> Path:
    return saved_by(release, folder, SCRIPT, "save")


@pytest.mark.parametrize("loader", releases())
@pytest.mark.parametrize("saver", releases())
def test_they_give_the_layers_numbers(saver: str, loader: str, folder: Path) -> None:
    said = run_in(loader, SCRIPT, "load", str(saved(saver, folder)))
    told = json.loads(said.splitlines()[-1])
    assert {name: far for name, far in told.items() if not far < 1e-5} == {}
    assert len(told) == 9


def test_it_is_paddles_class_that_changes_and_only_for_those(folder: Path) -> None:
    """A predictor of Paddle's own runs and is cloned as before."""
    code = (
        "import sys, paddle\n"
        "from compatload import safe_create_predictor\n"
        "prefix = sys.argv[1]\n"
        "kept = safe_create_predictor(prefix)\n"
        "config = paddle.inference.Config(prefix + sys.argv[2], prefix + '.pdiparams')\n"
        "own = paddle.inference.create_predictor(config)\n"
        "from compatload.loading import handed_predictors as handed\n"
        "assert type(own) is type(kept) is paddle.inference.Predictor\n"
        "assert kept in handed._handed and own not in handed._handed\n"
        "clone, other = kept.clone(), own.clone()\n"
        "assert clone in handed._handed and other not in handed._handed\n"
        "del kept, clone\n"
        "import gc; gc.collect()\n"
        "assert not len(handed._handed) and not len(handed._cloned_from)\n"
        "print('as before')\n"
    )
    release = releases()[-1]
    prefix = saved(release, folder) / "plain" / "model"
    suffix = ".json" if prefix.with_suffix(".json").exists() else ".pdmodel"
    assert "as before" in run_in(release, "-c", code, str(prefix), suffix, anew=True)
