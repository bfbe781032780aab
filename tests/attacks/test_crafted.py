"""What reaches outside is refused by every entry, in every release, and nothing happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.attacks.campaign import tried
from tests.attacks.crafted import PLACES, Crafted, corpus, outside
from tests.releases import releases

ENTRIES = ("layer", "program", "predictor", "inference_only", "preflight")
ENTRIES += ("handle", "convert", "check")
# These are given one program, and know of no other method.
OF_ONE_PROGRAM = ("memory", "config")
# Each of these imports a Paddle anew.
COMMANDS = ("check --run", "run")
# One that writes, one that reads, one that calls Python or speaks to others, in each format.
FEW = (
    *(Crafted("legacy", name, "top") for name in ("save", "load_combine", "py_func", "send_v2")),
    Crafted("legacy", "save_combine", "sub-block"),
    Crafted("legacy", "read_file", "method"),
    Crafted("pir", "pd_op.save_combine", "top"),
    Crafted("pir", "pd_op.load_combine", "sub-block"),
    Crafted("pir", "pd_op.read_file", "method"),
)
# Names that no release has.
UNKNOWN = (
    *(Crafted("legacy", "relu66", place) for place in PLACES),
    *(Crafted("pir", "pd_op.relu66", place) for place in PLACES),
    Crafted("pir", "builtin.a_array", "top"),
    Crafted("pir", "custom_op.my_relu", "top"),
)


@pytest.mark.parametrize("release", releases())
def test_every_operator_that_reaches_outside_is_refused(release: str, tmp_path: Path) -> None:
    assert _wrong(release, list(corpus()), ("layer",), "UnsafeArtifactError", tmp_path) == []


@pytest.mark.parametrize("release", releases())
def test_every_entry_refuses(release: str, tmp_path: Path) -> None:
    assert _wrong(release, list(FEW), ENTRIES, "UnsafeArtifactError", tmp_path) == []
    alone = [one for one in FEW if one.place != "method"]
    assert _wrong(release, alone, OF_ONE_PROGRAM, "UnsafeArtifactError", tmp_path) == []


@pytest.mark.parametrize("release", releases())
def test_every_command_refuses(release: str, tmp_path: Path) -> None:
    writing = [one for one in FEW if one.operator in ("save", "pd_op.save_combine")]
    assert _wrong(release, writing, COMMANDS, "UnsafeArtifactError", tmp_path) == []


@pytest.mark.parametrize("release", releases())
def test_names_that_nobody_knows_are_refused(release: str, tmp_path: Path) -> None:
    calls = ("layer", "program", "predictor", "inference_only")
    assert _wrong(release, list(UNKNOWN), calls, "UnsupportedOperatorError", tmp_path) == []


def test_the_corpus_has_every_operator_three_times() -> None:
    names = outside()
    assert len(list(corpus())) == 3 * sum(map(len, names.values()))
    assert {"save", "save_combine", "load_combine", "read_file", "py_func"} <= set(names["legacy"])
    assert {"pd_op.save_combine", "pd_op.load_combine", "pd_op.read_file"} <= set(names["pir"])


def _wrong(
    release: str, entries: list[Crafted], calls: tuple[str, ...], error: str, folder: Path
) -> list[str]:
    """What was not refused with that error; "written" if a file came of any of them."""
    target = folder / "target"
    target.mkdir(exist_ok=True)
    task = {
        "crafted": [(one.format, one.operator, one.place) for one in entries],
        "release": release,
        "calls": calls,
        "target": str(target),
    }
    lines = tried(release, task)
    assert len(lines) == len(entries) * len(calls), json.dumps(lines[-3:])
    wrong = [
        f"{line['number']} {line['call']}: {line['outcome']} {line['detail'][:120]}"
        for line in lines
        if line["outcome"] != "refused" or not line["detail"].startswith(error)
    ]
    return [*wrong, *(f"written: {path.name}" for path in target.iterdir())]
