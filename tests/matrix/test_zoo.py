"""What a saved network depends on: an edit of its file must have it saved again."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.artifacts import Artifact
from matrix.environments import ensure
from matrix.run import is_sample, parse, show_saved
from matrix.saved_zoo import drawn, networks
from matrix.versions import QUICK_SHARE, entries
from matrix.zoo import FAMILIES


def test_every_network_is_known_by_the_file_that_it_stands_in() -> None:
    entry = next(entry for entry in entries() if entry.id == "3.3.1")
    listing = networks({entry.id: ensure(entry)})
    assert {about["file"] for about in listing.values()} == {
        f"matrix/zoo/{family.replace('.', '/')}.py" for family in FAMILIES
    }
    assert listing["empty_slice"]["file"] == "matrix/zoo/faults/cl224.py"
    assert listing["resnet18"]["file"] == "matrix/zoo/models.py"


def test_a_quick_run_has_some_network_of_each_family() -> None:
    names = [f"{family}{number}" for family in "ab" for number in range(QUICK_SHARE + 1)]
    listing = {name: {"tier": "quick", "family": name[0]} for name in names}
    listing["c0"] = {"tier": "full", "family": "c"}
    kept = {"a0", f"a{QUICK_SHARE}", "b0", f"b{QUICK_SHARE}"}
    assert drawn(listing, ["quick"], QUICK_SHARE) == kept
    assert drawn(listing, ["quick", "full"], QUICK_SHARE) == kept | {"c0"}
    assert drawn(listing, ["quick"], 1) == set(names)


def test_only_a_run_of_nothing_in_particular_is_a_sample() -> None:
    assert is_sample(parse(["--quick"]))
    for asked in (["--full"], ["--only", "*/relu/*/*"], ["--rule", "CL201"], ["--into", "some"]):
        assert not is_sample(parse(asked))


def test_a_run_does_not_begin_every_cell_again(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(["--full", "--redo"])
    assert "--redo wants --only" in capsys.readouterr().err
    assert parse(["--full", "--redo", "--only", "*/relu/*"]).redo


def test_what_could_not_be_saved_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    saved = Artifact("3.3.1", "lstm", "recurrent", Path("lstm"), "0123456789ab")
    lost = Artifact("3.3.1", "Bert", "models", Path("Bert"), error="not saved: no package")
    assert show_saved([saved, lost]) == 0
    assert capsys.readouterr().out == "3.3.1/Bert  not saved: no package\n3.3.1: 1 saved\n"
    assert show_saved([lost]) == 2
