"""The zoo's harder networks: right again and again, at both sizes, in every way of loading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from releases import run_in

SCRIPT = Path(__file__).with_name("thrice.py")
PAIRS = [
    ("2.6.2", "2.6.2"),
    ("2.6.2", "3.0.0"),
    ("2.6.2", "3.3.1"),
    ("3.0.0", "3.0.0"),
    ("3.3.1", "2.6.2"),
    ("3.3.1", "3.0.0"),
    ("3.3.1", "3.3.1"),
]
KEPT_OUTPUTS = (
    *("put_into_zeros", "put_into_input", "put_twice_into_one", "put_and_cosine"),
    *("put_in_loop", "put_in_branch", "masked_assignment", "assigned_rows"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("thrice")


@pytest.mark.parametrize("names", [KEPT_OUTPUTS], ids=["kept_outputs"])
@pytest.mark.parametrize(("saver", "loader"), PAIRS)
def test_is_right_again_and_again(
    saver: str, loader: str, names: tuple[str, ...], folder: Path
) -> None:
    place = folder / saver
    missing = [name for name in names if not (place / name).exists()]
    failed = json.loads(run_in(saver, SCRIPT, "save", str(place), *missing).splitlines()[-1])
    assert failed == {}
    said = run_in(loader, SCRIPT, "load", str(place), *names, seconds=600)
    assert json.loads(said.splitlines()[-1]) == {}
