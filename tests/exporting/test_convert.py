"""``convert``: what it writes without Paddle, what it refuses, and what it leaves behind."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from compatload import Conversion, convert, inspect_artifact
from compatload.errors import (
    ArtifactNotFoundError,
    ConversionError,
    DamagedArtifactError,
    PaddleNotFoundError,
    UsageError,
)
from tests.crowd import Crowd
from tests.fixtures.index import fixture, fixtures

ROOT = Path(__file__).resolve().parents[2]
METHODS = ROOT / "tests" / "artifact" / "data" / "methods"
PIR = [one.identity for one in fixtures() if one.format == "pir"]
LEGACY = [one.identity for one in fixtures() if one.format == "legacy"]
# The module; its name in the package is taken by the function.
MODULE = importlib.import_module("compatload.exporting.convert")


def content(directory: Path) -> dict[str, tuple[str, int, int]]:
    """Name → hash, time of change and number of links of every file."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            status = path.stat()
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(directory))] = (digest, status.st_mtime_ns, status.st_nlink)
    return found


@pytest.mark.parametrize("to", ["legacy", "pir-v1", "paddle==3.3.0"])
@pytest.mark.parametrize("identity", PIR)
def test_every_pir_fixture(identity: str, to: str, tmp_path: Path) -> None:
    source = fixture(identity)
    before = content(source.folder)
    done = convert(source.path, tmp_path / "new" / "m", to=to, verify=False)
    assert content(source.folder) == before
    assert_same_interface(inspect_artifact(source.path), inspect_artifact(tmp_path / "new" / "m"))
    assert sorted(done.files) == sorted(str(path) for path in (tmp_path / "new").iterdir())
    assert done.verification.structure
    assert (done.verification.asked, done.verification.outcome) == (False, "not run")


@pytest.mark.parametrize("identity", LEGACY)
def test_every_legacy_fixture_for_2_6(identity: str, tmp_path: Path) -> None:
    source = fixture(identity)
    convert(source.path, tmp_path / "m", to="paddle==2.6.2", verify=False)
    result = inspect_artifact(tmp_path / "m")
    assert_same_interface(inspect_artifact(source.path), result)
    assert result.files.parameters_combined
    # Idempotent: what was written needs no more repair.
    again = convert(tmp_path / "m", tmp_path / "again" / "m", to="paddle==2.6.2", verify=False)
    assert again.changes == ()


def assert_same_interface(one, other) -> None:
    assert [spec.name for spec in one.inputs] == [spec.name for spec in other.inputs]
    assert [spec.name for spec in one.outputs] == [spec.name for spec in other.outputs]
    held = {p.name: (p.dtype, p.shape) for p in other.parameters}
    held.pop("compatload_unused_0", None)
    assert {p.name: (p.dtype, p.shape) for p in one.parameters} == held
    assert one.methods.keys() == other.methods.keys()


@pytest.mark.parametrize("layout", ["apart", "combined"])
@pytest.mark.parametrize("to", ["legacy", "pir-v1"])
def test_further_methods(layout: str, to: str, tmp_path: Path) -> None:
    source = METHODS / "3.3.1" / layout / "m"
    convert(source, tmp_path / "n", to=to, verify=False)
    result = inspect_artifact(tmp_path / "n")
    assert_same_interface(inspect_artifact(source), result)
    for name, method in inspect_artifact(source).method_artifacts.items():
        assert_same_interface(replace(method), result.method_artifacts[name])


def test_the_record_is_plain_data(tmp_path: Path) -> None:
    done = convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="pir-v1", verify=False)
    assert isinstance(done, Conversion)
    told = json.loads(json.dumps(done.to_dict()))
    assert told["release"] == "3.0.0"
    assert told["source_format"] == told["target_format"] == "pir"
    assert {"operator": "", "what": "PIR version 4 becomes 1", "count": 1} in told["changes"]
    assert any(change["operator"] == "pd_op.pool2d" for change in told["changes"])
    assert "numbers not compared: verify=False" in done.explain()


def test_without_paddle_the_record_says_that_nothing_ran(tmp_path: Path) -> None:
    done = convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="pir-v1")
    assert done.verification.outcome == "not run"
    assert "no Paddle at hand" in done.verification.reason


def test_a_program_without_parameters_gets_one_for_3_0(tmp_path: Path) -> None:
    source = fixture("3.3.1/no_parameters").path
    convert(source, tmp_path / "a", to="pir-v1", verify=False)
    assert [p.name for p in inspect_artifact(tmp_path / "a").parameters] == ["compatload_unused_0"]
    convert(source, tmp_path / "b", to="pir-v2", verify=False)
    assert inspect_artifact(tmp_path / "b").parameters == ()


# --- where it goes -------------------------------------------------------------------------


def test_targets(tmp_path: Path) -> None:
    source = fixture("3.3.1/embedding").path
    assert convert(source, tmp_path, to="legacy", verify=False).target == str(tmp_path / "model")
    done = convert(source, f"{tmp_path}/new/", to="legacy", verify=False)
    assert done.target == str(tmp_path / "new" / "model")
    done = convert(source, tmp_path / "x.pdmodel", to="legacy", verify=False)
    assert done.target == str(tmp_path / "x")
    loose = fixture("2.6.2/directory_loose").path
    done = convert(loose, tmp_path / "loose" / "", to="legacy", verify=False)
    assert done.target in (str(tmp_path / "loose"), str(tmp_path / "loose" / "model"))


@pytest.mark.parametrize("to", ["", "pir-v5", "pir-vx", "onnx", "paddle==1.8", "paddle>=3", "pir"])
def test_what_is_no_target(to: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        convert(fixture("3.3.1/embedding").path, tmp_path / "m", to=to)
    assert list(tmp_path.iterdir()) == []


def test_a_translation_needs_a_paddle(tmp_path: Path) -> None:
    with pytest.raises(PaddleNotFoundError, match="interpreters="):
        convert(fixture("2.6.2/classifier").path, tmp_path / "m", to="pir-v1")
    assert list(tmp_path.iterdir()) == []


def test_beside_the_source(tmp_path: Path) -> None:
    """The weights are the same file for both formats; it is left as it is."""
    shutil.copytree(fixture("3.3.1/classifier").folder, tmp_path / "m")
    before = content(tmp_path / "m")
    convert(tmp_path / "m" / "model", tmp_path / "m" / "model", to="legacy", verify=False)
    after = content(tmp_path / "m")
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {"model.pdmodel", "model.pdiparams.info"}


def test_what_is_there_is_never_replaced(tmp_path: Path) -> None:
    convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="legacy", verify=False)
    before = content(tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        convert(fixture("3.3.1/detector").path, tmp_path / "m", to="legacy", verify=False)
    assert content(tmp_path) == before
    # The same conversion again finds its own result.
    convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="legacy", verify=False)
    assert content(tmp_path) == before


def test_methods_of_another_model_are_not_adopted(tmp_path: Path) -> None:
    (tmp_path / "m.other.json").write_text("{}")
    with pytest.raises(UsageError, match="take it for a part"):
        convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="pir-v1", verify=False)
    assert [path.name for path in tmp_path.iterdir()] == ["m.other.json"]


def test_the_result_shares_nothing_with_the_source(tmp_path: Path) -> None:
    source = fixture("3.3.1/classifier")
    convert(source.path, tmp_path / "m", to="pir-v1", verify=False)
    with (tmp_path / "m.pdiparams").open("rb+") as weights:
        weights.write(bytes(64))
    assert content(source.folder)["model.pdiparams"][2] == 1
    inspect_artifact(source.path)


# --- what stands in the way ----------------------------------------------------------------


MINE = ("my_own_op",)


def unknown_operators(source: Path, target: Path) -> None:
    """A copy whose first two operators of some kind are ones that nobody knows."""
    program = json.loads(source.with_suffix(".json").read_text())
    operators = program["program"]["regions"][0]["blocks"][0]["ops"]
    for number in (-3, -2):
        operators[number]["#"] = "3.my_own_op"
    target.with_suffix(".json").write_text(json.dumps(program, separators=(",", ":")))
    shutil.copy(source.with_suffix(".pdiparams"), target.with_suffix(".pdiparams"))


@pytest.mark.parametrize("to", ["legacy", "pir-v1"])
def test_every_obstacle_is_told_with_its_place(to: str, tmp_path: Path) -> None:
    unknown_operators(fixture("3.3.1/classifier").path, tmp_path / "source")
    with pytest.raises(ConversionError) as caught:
        convert(tmp_path / "source", tmp_path / "new" / "m", to=to, trusted_operators=MINE)
    places = [one for one in caught.value.obstacles if "my_own_op" in one]
    assert len(places) == 2
    assert all("operator " in one for one in places)
    assert not (tmp_path / "new").exists()


def test_obstacles_of_all_methods_are_told_at_once(tmp_path: Path) -> None:
    shutil.copytree(METHODS / "3.3.1" / "apart", tmp_path / "m")
    for name in ("m", "m.second"):
        path = tmp_path / "m" / f"{name}.json"
        program = json.loads(path.read_text())
        program["program"]["regions"][0]["blocks"][0]["ops"][-2]["#"] = "3.my_own_op"
        path.write_text(json.dumps(program))
    with pytest.raises(ConversionError) as caught:
        convert(tmp_path / "m" / "m", tmp_path / "n", to="pir-v1", trusted_operators=MINE)
    assert {one.split(":")[0] for one in caught.value.obstacles} == {"forward", "second"}


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFoundError):
        convert(tmp_path / "nothing", tmp_path / "m", to="legacy")


def test_a_source_that_changes_meanwhile(tmp_path: Path, monkeypatch) -> None:
    shutil.copytree(fixture("3.3.1/classifier").folder, tmp_path / "s")
    original = MODULE.convert_programs

    def touched(*arguments):
        converted = original(*arguments)
        with (tmp_path / "s" / "model.pdiparams").open("ab") as weights:
            weights.write(b"\0")
        return converted

    monkeypatch.setattr(MODULE, "convert_programs", touched)
    with pytest.raises(DamagedArtifactError, match="changed while"):
        convert(tmp_path / "s" / "model", tmp_path / "new" / "m", to="legacy", verify=False)
    assert not (tmp_path / "new").exists()


def test_a_result_that_is_not_what_the_source_is(tmp_path: Path, monkeypatch) -> None:
    """The structure check is no formality: a converter that renames an input is caught."""
    original = MODULE.convert_programs

    def renamed(*arguments):
        converted = original(*arguments)
        programs = {k: v.replace(b'"image"', b'"other"') for k, v in converted.programs.items()}
        return replace(converted, programs=programs)

    monkeypatch.setattr(MODULE, "convert_programs", renamed)
    with pytest.raises(ConversionError) as caught:
        convert(fixture("3.3.1/classifier").path, tmp_path / "m", to="pir-v1", verify=False)
    assert any("inputs are (other)" in one for one in caught.value.obstacles)
    assert list(tmp_path.iterdir()) == []


# --- what goes wrong with disks and processes ------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB of its own; needs the right to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        command = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(place)]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(disk: Path) -> None:
    (disk / "ballast").write_bytes(bytes(252 << 10))
    with pytest.raises(ConversionError, match="No space left"):
        convert(fixture("3.3.1/classifier").path, disk / "new" / "m", to="legacy", verify=False)
    assert [path.name for path in disk.iterdir()] == ["ballast"]
    (disk / "ballast").unlink()
    convert(fixture("3.3.1/classifier").path, disk / "new" / "m", to="legacy", verify=False)


def test_a_read_only_disk(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(ConversionError, match="Read-only"):
        convert(fixture("3.3.1/classifier").path, disk / "m", to="legacy", verify=False)


CONVERT = """
from compatload import convert
def act():
    convert({source!r}, {target!r}, to="legacy", verify=False)
"""


def test_100_conversions_killed_at_random_moments(tmp_path: Path) -> None:
    """Whoever finds a program finds a whole model, and the next conversion succeeds."""
    chance = random.Random(11)
    target = tmp_path / "new" / "m"
    source = fixture("3.3.1/detector").path
    killed = published = 0
    with Crowd(CONVERT.format(source=str(source), target=str(target))) as crowd:
        assert _published(target)
        longest = crowd.took(4)
        assert _published(target)
        for _ in range(25):
            killed += crowd.killed(4, after=chance.uniform(0.0, longest))
            published += _published(target)
    assert killed > 25
    assert published
    convert(source, target, to="legacy", verify=False)
    inspect_artifact(target)
    old = time.time() - 3600
    left = list(target.parent.glob(".m.converting-*"))
    for path in left:
        os.utime(path, (old, old))
    convert(fixture("3.3.1/detector").path, target, to="legacy", verify=False)
    assert list(target.parent.glob(".m.converting-*")) == []


def _published(target: Path) -> bool:
    """Whether there is a program, and so a whole model; it is taken away."""
    if not target.with_suffix(".pdmodel").exists():
        return False
    inspect_artifact(target)
    for path in target.parent.glob("m.*"):
        path.unlink()
    return True


MEASURE = """
import sys
from compatload import convert
convert(sys.argv[1], sys.argv[2], to=sys.argv[3], verify=False)
# Not ru_maxrss: a child inherits its parent's.
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells the peak")
@pytest.mark.parametrize("to", ["legacy", "pir-v1"])
def test_weights_do_not_pass_through_memory(to: str, tmp_path: Path) -> None:
    source = tmp_path / "s"
    large_model(source, 512 << 20)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(source), str(tmp_path / "m"), to],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) << 10 < 150 << 20
    assert (tmp_path / "m.pdiparams").stat().st_size > 512 << 20


def large_model(prefix: Path, size: int) -> None:
    """The embedding fixture with one more parameter, of ``size`` bytes, in a sparse file."""
    source = fixture("3.3.1/embedding")
    program = json.loads((source.folder / "model.json").read_text())
    operators = program["program"]["regions"][0]["blocks"][0]["ops"]
    first = json.loads(json.dumps(next(one for one in operators if one["#"] == "p")))
    first["A"][3] = "zzz"
    first["O"]["%"] = 999_999
    first["O"]["TT"]["D"][1] = [size // 4]
    operators.insert(0, first)
    prefix.with_suffix(".json").write_text(json.dumps(program, separators=(",", ":")))
    described = b"\x08\x05\x10" + varint(size // 4)
    with prefix.with_suffix(".pdiparams").open("wb") as file:
        file.write((source.folder / "model.pdiparams").read_bytes())
        file.write(bytes(16) + len(described).to_bytes(4, "little") + described)
        file.truncate(file.tell() + size)


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])
