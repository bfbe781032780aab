"""What the fuzzer once found stays mended."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.attacks.fuzz import FINDINGS, READERS, SLOW_SECONDS
from tests.attacks.readers import READERS as FUNCTIONS
from tests.attacks.readers import read
from tests.fixtures.index import HERE as FIXTURES

FOUND = sorted(path for path in FINDINGS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", FOUND, ids=[f"{p.parent.name}-{p.name}" for p in FOUND])
def test_what_was_found_ends_in_a_documented_error(path: Path) -> None:
    started = time.perf_counter()
    read(path.parent.name, path.read_bytes())
    assert time.perf_counter() - started < SLOW_SECONDS


def test_the_fuzzer_knows_every_reader() -> None:
    assert tuple(FUNCTIONS) == READERS


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        ("legacy_program", "2.6.2/classifier/model.pdmodel"),
        ("pir_program", "3.3.1/classifier/model.json"),
        ("legacy_weights", "2.6.2/classifier/model.pdiparams"),
        ("pir_weights", "3.3.1/classifier/model.pdiparams"),
        ("info_pickle", "2.6.2/classifier/model.pdiparams.info"),
    ],
)
def test_sound_bytes_are_accepted_and_others_are_not(reader: str, name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    assert read(reader, data)
    assert not read(reader, data[: len(data) // 2])
    assert not read(reader, b"\x00" * 64)
