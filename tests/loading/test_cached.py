"""Loads that convert: once a machine, and in any case, whatever becomes of the cache."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fixtures.index import fixture

from compatload import inspect_artifact, plan_load
from compatload.errors import ConversionError
from compatload.loading import cached
from compatload.loading.cached import prepare_cached
from compatload.plan import Api, Strategy
from compatload.runtime.detection import runtime_for
from compatload.store.cache import VARIABLE, ConversionCache
from tests.releases import releases, run_in

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("cached_loads.py")
MODEL = "3.3.1/two_methods"
# All that a conversion asks the installed Paddle for is which one it is.
PADDLE: Any = SimpleNamespace(__version__="2.6.2", version=SimpleNamespace(commit="x"))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The path of every artifact that is converted from now on."""
    made: list[str] = []
    original = cached.prepare

    def counting(artifact, *arguments):
        made.append(artifact.path)
        return original(artifact, *arguments)

    monkeypatch.setattr(cached, "prepare", counting)
    return made


def prepared(identity: str = MODEL):
    artifact = inspect_artifact(fixture(identity).path)
    step = plan_load(artifact, runtime_for("2.6.2"), Api.LAYER).steps[0]
    assert step.strategy is Strategy.CONVERT
    return prepare_cached(artifact, step, PADDLE, Api.LAYER)


def test_converted_once(conversions) -> None:
    first, second = prepared(), prepared()
    assert first == second
    assert first.programs.keys() == {"forward", "project"}
    assert first.infos["forward"]
    assert len(conversions) == 1


def test_another_program_is_another_entry(conversions, place) -> None:
    assert prepared() != prepared("3.3.1/classifier")
    assert len(conversions) == 2
    models = {entry.about["model"] for entry in ConversionCache().entries()}
    assert models == set(conversions)


def test_rules_that_are_switched_off_make_another_entry(conversions) -> None:
    artifact = inspect_artifact(fixture(MODEL).path)
    step = plan_load(artifact, runtime_for("2.6.2"), Api.LAYER).steps[0]
    for unrepaired in ((), ("CL110",)):
        prepare_cached(artifact, replace(step, unrepaired=unrepaired), PADDLE, Api.LAYER)
    assert len(conversions) == 2


def test_another_paddle_is_another_entry(conversions, monkeypatch) -> None:
    prepared()
    monkeypatch.setattr(PADDLE.version, "commit", "y")
    prepared()
    assert len(conversions) == 2


def test_another_state_of_the_converters_is_another_entry(conversions, monkeypatch) -> None:
    prepared()
    monkeypatch.setattr("compatload.loading.cached.code_stamp", lambda: "edited")
    prepared()
    assert len(conversions) == 2


def test_switched_off(conversions, monkeypatch, place) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    prepared()
    prepared()
    assert len(conversions) == 2
    assert not place.exists()


@pytest.mark.parametrize("damage", ["flip", "cut", "listing", "pickle", "gone"])
def test_a_damaged_entry_is_not_loaded(damage, conversions, place) -> None:
    first = prepared()
    (entry,) = (place / "entries").iterdir()
    program = entry / "programs-0"
    if damage == "flip":
        data = bytearray(program.read_bytes())
        data[100] ^= 1
        program.write_bytes(data)
    elif damage == "cut":
        program.write_bytes(program.read_bytes()[:-10])
    elif damage == "listing":
        (entry / "prepared.json").write_text("[]")
    elif damage == "pickle":
        (entry / "infos-0").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    else:
        shutil.rmtree(entry)
    assert prepared() == first
    assert len(conversions) == 2


@pytest.mark.parametrize("listing", ["[]", "{}", '{"programs": {"forward": "../../x"}}'])
def test_an_entry_with_another_listing_is_not_loaded(
    listing: str, conversions, monkeypatch, caplog
) -> None:
    """Whole by its manifest, and still not what this module writes."""
    original = cached.write

    def otherwise(directory: Path, programs: Any) -> None:
        original(directory, programs)
        (directory / "prepared.json").write_text(listing)

    monkeypatch.setattr(cached, "write", otherwise)
    first = prepared()
    with caplog.at_level(logging.WARNING, "compatload"):
        assert prepared() == first
    assert len(conversions) == 2
    assert "without the cache" in caplog.text


def test_a_hostile_pickle_in_an_entry_is_not_used(conversions, monkeypatch) -> None:
    original = cached.write

    def poisoned(directory: Path, programs: Any) -> None:
        original(directory, programs)
        (directory / "infos-0").write_bytes(b"cos\nsystem\n(S'true'\ntR.")

    monkeypatch.setattr(cached, "write", poisoned)
    first = prepared()
    assert prepared() == first
    assert len(conversions) == 2


def test_what_cannot_be_converted_is_told_as_ever(tmp_path, place) -> None:
    source = fixture("3.3.1/transformer")
    program = json.loads((source.folder / "model.json").read_text())
    program["program"]["regions"][0]["blocks"][0]["ops"][-2]["#"] = "3.my_own_op"
    (tmp_path / "m.json").write_text(json.dumps(program))
    shutil.copy(source.folder / "model.pdiparams", tmp_path / "m.pdiparams")
    artifact = inspect_artifact(tmp_path / "m")
    trusted = ("my_own_op",)
    runtime = runtime_for("2.6.2")
    step = plan_load(artifact, runtime, Api.LAYER, trusted_operators=trusted).steps[0]
    with pytest.raises(ConversionError, match="my_own_op"):
        prepare_cached(artifact, step, PADDLE, Api.LAYER)
    assert ConversionCache().entries() == ()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own; needs the right to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        command = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place)]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_full_and_read_only_disks(disk, monkeypatch, conversions, caplog) -> None:
    monkeypatch.setenv(VARIABLE, str(disk / "cache"))
    monkeypatch.setenv("TMPDIR", str(disk))
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    (disk / "ballast").write_bytes(bytes(60 << 10))
    with caplog.at_level(logging.WARNING, "compatload"):
        first = prepared()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert prepared() == first
    assert len(conversions) == 2
    assert caplog.text.count("converted in memory, without the cache") == 2


def test_a_place_that_vanishes(place, conversions) -> None:
    first = prepared()
    shutil.rmtree(place)
    assert prepared() == first
    place.parent.joinpath("file").write_text("no directory")
    os.environ[VARIABLE] = str(place.parent / "file")  # put back by the fixture
    assert prepared() == first
    assert len(conversions) == 3


CROWD = """
import sys
from types import SimpleNamespace
from compatload import inspect_artifact, plan_load
from compatload.loading import cached
from compatload.runtime.detection import runtime_for
paddle = SimpleNamespace(__version__="2.6.2", version=SimpleNamespace(commit="x"))
artifact = inspect_artifact(sys.argv[1])
step = plan_load(artifact, runtime_for("2.6.2"), "layer").steps[0]
original = cached.prepare
def counting(*arguments):
    print("converted")
    return original(*arguments)
cached.prepare = counting
print("ready", flush=True)
sys.stdin.readline()
print(len(cached.prepare_cached(artifact, step, paddle, "layer").programs["forward"]))
"""


def test_32_processes_convert_once() -> None:
    command = [sys.executable, "-c", CROWD, str(fixture(MODEL).path)]
    crowd = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(32)
    ]
    for one in crowd:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in crowd:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    told = [one.communicate(timeout=120)[0].split() for one in crowd]
    assert all(one.returncode == 0 for one in crowd)
    assert sum("converted" in lines for lines in told) == 1
    assert len({lines[-1] for lines in told}) == 1


@pytest.mark.parametrize("release", releases())
def test_in_real_releases(release: str, place: Path) -> None:
    """Cold, warm and damaged: the stored outputs each time, through each loader."""
    identity = MODEL if release == "2.6.2" else "2.6.2/transformer"
    told = json.loads(run_in(release, SCRIPT, identity, place, seconds=600).splitlines()[-1])
    # One conversion serves all loaders that want it; the damaged entry is made again once.
    assert told["conversions"] == 2
    assert told["worst"] <= fixture(identity).tolerance
