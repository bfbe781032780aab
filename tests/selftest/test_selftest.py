"""``compatload selftest`` in real Paddles, on a few networks of its bundle."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import time
import zipfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compatload.errors import LoadError
from compatload.plan import Api
from compatload.releases import MEASURED
from compatload.runtime.model import Cpu, IrMode, PaddleBuild, Runtime
from compatload.selftest import running, trial
from compatload.selftest.bundle import OWN, read_bundle, unpack
from compatload.selftest.outcome import (
    DEFAULT,
    PADDLE,
    Cell,
    CellRun,
    cells_of,
    differences,
    elsewhere,
    facts,
    reference,
    to_repeat,
    witnesses,
)
from compatload.store.cache import VARIABLE
from matrix.named_configs import NAMED
from tests.fixtures.index import fixture
from tests.loading.test_unmeasured_release import FUSED, ROOT, sham_of, site  # noqa: F401  (a fixture)
from tests.releases import python_of, releases
from tests.small_disk import small_disk

SECONDS = 600
BUNDLE = read_bundle(OWN)
if TYPE_CHECKING:
    Popen = subprocess.Popen[bytes]
Select = Callable[[dict[str, Any]], bool]


def command(
    release: str, place: Path, *arguments: object, sham: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    path = [str(ROOT)] if sham is None else [str(sham), str(ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), VARIABLE: str(place)}
    return [
        python_of(release),
        "-W",
        "ignore",
        "-m",
        "compatload",
        *map(str, arguments),
    ], environment


def run(
    release: str, place: Path, *arguments: object, sham: Path | None = None
) -> subprocess.CompletedProcess[str]:
    words, environment = command(release, place, *arguments, sham=sham)
    return subprocess.run(
        words, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment
    )


def shows(rule: str, release: str = "3.3.1") -> Select:
    return lambda one: rule in one["known"].get(release, {}).get("predictor", ["", "", []])[2]


def smaller(
    target: Path, select: Select, files_of: str | None = None, configs: Sequence[str] = ()
) -> Path:
    """A bundle of the networks that are selected; with the files of another one, if named, and
    of other Configs."""
    with zipfile.ZipFile(OWN) as stored, zipfile.ZipFile(target, "w") as made:
        listing = json.loads(stored.read("bundle.json"))
        every = {f"{one['saved_by']}/{one['name']}": one for one in listing["networks"]}
        chosen = []
        for name, one in every.items():
            if not select(one):
                continue
            donor = f"{one['saved_by']}/{files_of}" if files_of else name
            about = {key: every[donor][key] for key in ("sets", "inputs", "outputs", "format")}
            chosen.append({**one, **about, "apis": ["predictor"]})
            for entry in stored.namelist():
                if entry.startswith(f"{donor}/"):
                    made.writestr(f"{name}/{entry.rpartition('/')[2]}", stored.read(entry))
        named = {name: NAMED[name].calls for name in configs} or listing["configs"]
        told = {**listing, "configs": named, "networks": chosen}
        made.writestr("bundle.json", json.dumps(told))
    assert chosen
    return target


@pytest.mark.parametrize("release", releases())
def test_one_network_agrees_with_the_matrix(release: str, tmp_path: Path) -> None:
    done = run(release, tmp_path, "selftest", "--network", "2.6.2/linear", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["complete"]
    assert told["compared_with"] == release
    found = of_record(told)
    assert len(found) == 8  # a layer, a program, a predictor in two Configs, by two callers
    assert differences(BUNDLE, found, release) == ()
    assert not (tmp_path / "selftest").exists()


def test_a_sham_release_is_planned_for_as_measured(site: Path, tmp_path: Path) -> None:  # noqa: F811
    cache = tmp_path / "cache"
    with_fault = smaller(tmp_path / "faulty.zip", shows("CL202"))
    done = run("3.3.1", cache, "selftest", "--bundle", with_fault, sham=site)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared with 3.3.1 (which stands for 3.4.0): 0 of" in done.stdout
    assert "faults that are here, and worked around: CL202" in done.stdout
    plan = ("plan", FUSED, "--api", "predictor")
    told = run("3.3.1", cache, *plan, sham=site).stdout
    assert "measured here by `compatload selftest`: CL202" in told
    assert "conv_activation_onednn_fuse_pass" in told
    # Of 3.3.1 itself, another build to it, nothing was measured.
    assert "measured here" not in run("3.3.1", cache, *plan).stdout

    sound = smaller(tmp_path / "sound.zip", shows("CL202"), files_of="softmax")
    done = run("3.3.1", cache, "selftest", "--bundle", sound, sham=site)
    assert "not here, and not worked around: CL202" in done.stdout
    told = run("3.3.1", cache, *plan, sham=site).stdout
    assert "measured here by `compatload selftest`: no CL202" in told
    assert "conv_activation_onednn_fuse_pass" not in told
    checked = run("3.3.1", cache, "check", FUSED + ".json", "--target", "3.4.0", sham=site).stdout
    assert "as measured here by `compatload selftest`" in checked


def test_a_fault_that_the_nearest_release_has_not_is_found(tmp_path: Path) -> None:
    """3.0.0 cannot run a program without parameters; 3.3.1, which stands for 3.4.0, can."""
    cache, sham = tmp_path / "cache", sham_of("3.0.0", tmp_path / "site")
    bundle = smaller(tmp_path / "b.zip", shows("CL210", "3.0.0"))
    done = run("3.0.0", cache, "selftest", "--bundle", bundle, sham=sham)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CL210" in done.stdout
    model = fixture("3.0.0/no_parameters").path
    told = run("3.0.0", cache, "plan", model, "--api", "predictor", sham=sham).stdout
    assert "CL210" in told


def test_passes_that_are_left_out_do_not_come_back(tmp_path: Path) -> None:
    """2.6 makes its list of passes anew for the new executor without oneDNN (CL236)."""
    bundle = smaller(
        tmp_path / "b.zip", shows("CL220", "2.6.2"), configs=("default", "paddlex-plain")
    )
    done = run("2.6.2", tmp_path, "selftest", "--bundle", bundle)
    assert done.returncode == 0, done.stdout + done.stderr
    found = of_record(record_in(tmp_path))
    plain = {c.caller: ran for c, ran in found.items() if c.config == "paddlex-plain"}
    assert plain[PADDLE].outcome != "ok"
    assert plain["compatload"].rules == ("CL220", "CL236")


def test_what_hangs_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    one = ("selftest", "--network", "2.6.2/linear", "--timeout", "0.001", "--output", record)
    done = run("3.3.1", tmp_path, *one)
    assert done.returncode == 1
    told = json.loads(record.read_text("utf-8"))
    assert told["complete"]
    assert {cell[4] for cell in told["cells"]} == {"hang"}
    assert told["facts"] == []


def test_a_kill_in_the_middle_leaves_a_record(tmp_path: Path) -> None:
    with started("3.3.1", tmp_path) as process:
        process.kill()
    assert not record_in(tmp_path)["complete"]
    done = run("3.3.1", tmp_path, "plan", FUSED, "--api", "predictor")
    assert done.returncode == 0, done.stderr


def started(release: str, place: Path, *arguments: object, **environment: str) -> Popen:
    """A selftest that has found something by both ways, and written it down."""
    words, around = command(release, place, "selftest", *arguments)
    process = subprocess.Popen(
        words, env={**around, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    until = time.monotonic() + 120
    while len({cell[3] for cell in record_in(place)["cells"]}) < 2:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.1)
    return process


def record_in(place: Path) -> dict[str, Any]:
    kept = list(place.glob("selftest/*/cpu.json"))
    return json.loads(kept[0].read_text("utf-8")) if kept else {"cells": []}


def of_record(record: dict[str, Any]) -> dict[Cell, CellRun]:
    return {
        Cell(one[0], Api(one[1]), one[2], one[3]): CellRun(one[4], one[6], tuple(one[5]))
        for one in record["cells"]
    }


def test_a_process_that_dies_takes_one_cell_with_it(tmp_path: Path) -> None:
    every = smaller(tmp_path / "b.zip", lambda one: one["name"] in ("linear", "lstm"))
    with started("3.3.1", tmp_path, "--bundle", every) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8")
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)
        assert process.wait(SECONDS) == 0
    record = record_in(tmp_path)
    assert record["complete"]
    found = of_record(record)
    # compatload's is tried again, and says what came of it at first.
    died = [ran for cell, ran in found.items() if cell.caller == PADDLE and ran.outcome == "crash"]
    assert len(died) <= 1
    died += [ran for ran in found.values() if ran.told.startswith("at first crash ")]
    assert 1 <= len(died) <= len(children.split())
    assert all("SIGKILL" in ran.told for ran in died)


def test_a_process_that_is_killed_at_its_start_takes_no_more(tmp_path: Path) -> None:
    """It was taken for a Paddle that cannot be imported."""
    every = smaller(tmp_path / "b.zip", lambda one: one["name"] == "linear")
    cells = cells_of(read_bundle(every))
    folder = tmp_path / "unpacked"
    folder.mkdir()
    unpack(every, folder)
    worker = running._Worker(folder, cells[:1], read_bundle(every), "0")
    results = {cells[1]: CellRun("ok")}
    worker.go_on(results, "cpu", 30.0)
    assert worker._child is not None
    os.kill(worker._child._process.pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while not worker.go_on(results, "cpu", 30.0):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert results[cells[0]].outcome == "crash"
    assert "SIGKILL" in results[cells[0]].told


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "12m") as place:
        yield place


def test_a_disk_that_is_full_in_the_middle_leaves_a_record(disk: Path) -> None:
    with started("3.3.1", disk, TMPDIR=str(disk)) as process:
        with suppress(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))
        assert process.wait(SECONDS) == 2
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert "the selftest could not go on: " in said
    assert "No space left on device" in said
    record = record_in(disk)
    assert not record["complete"]
    # What could not be written was not taken for what Paddle does.
    assert differences(BUNDLE, of_record(record), "3.3.1") == ()
    planned = run("3.3.1", disk, "plan", FUSED, "--api", "predictor")
    assert planned.returncode == 0, planned.stderr


def test_a_full_disk_is_told_of_whatever_failed_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object) -> Any:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise LoadError("m does not load:\nwhat failed", action="Report this.") from full

    monkeypatch.setitem(trial._LOADERS, Api.LAYER, load)
    said = trial._answer({"api": "layer"}, {"device": "cpu"})
    assert said["told"] == "No space left on device"


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    lost = tmp_path / "no folder" / "record.json"
    done = run("3.3.1", tmp_path, "selftest", "--network", "2.6.2/linear", "--output", lost)
    assert done.returncode == 2
    assert "all 4 are right" in done.stdout
    assert "the record could not be written" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--device", "gpu"), "is not available"),
        (("--bundle", __file__), "is no bundle of networks"),
        (("--network", "none"), "no network none"),
        (("--timeout", "0"), "--timeout 0"),
    ],
)
def test_misuse(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = run("3.3.1", tmp_path, "selftest", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_record_tells_nothing(tmp_path: Path) -> None:
    run("3.3.1", tmp_path, "selftest", "--bundle", smaller(tmp_path / "b.zip", shows("CL202")))
    (kept,) = tmp_path.glob("selftest/*/cpu.json")
    for text in ("{", "[]", '{"schema": 1}', '{"schema": 9}', "[" * 100_000):
        kept.write_text(text, "utf-8")
        done = run("3.3.1", tmp_path, "plan", FUSED, "--api", "predictor")
        assert done.returncode == 0, done.stderr
        assert "measured here" not in done.stdout


def as_known(release: str) -> dict[Cell, CellRun]:
    """Results as a release had them, as far as it is known."""
    networks = {one.id: one for one in BUNDLE.networks}
    found = {}
    for cell in cells_of(BUNDLE):
        known = networks[cell.network].known.get(release, {}).get(cell.api.value)
        if known is not None and cell.config == DEFAULT:
            alone = cell.caller == PADDLE
            found[cell] = CellRun(known.alone if alone else known.own, "", known.shows, times=2)
    return found


@pytest.mark.parametrize("release", [one for one in MEASURED if one >= "2.6.2"])
def test_of_a_release_as_it_was_measured_no_fault_is_gone(release: str) -> None:
    assert reference(BUNDLE, release) == release
    told = facts(BUNDLE, as_known(release), release, "cpu")
    assert told
    assert all(fact.present for fact in told)


SLICED = witnesses("CL221", BUNDLE, "2.6.2")


def without_fault(times: int) -> dict[Cell, CellRun]:
    """What was measured, but for Paddle being right wherever CL221 was seen."""
    return {**as_known("2.6.2"), **dict.fromkeys(SLICED, CellRun("ok", times=times))}


@pytest.mark.parametrize("features", [{"avx2"}, {"avx"}, {"avx2", "avx512f"}, set()])
def test_a_fault_of_other_cpus_is_neither_here_nor_gone(features: set[str]) -> None:
    cpu = Cpu("x86_64", "AuthenticAMD", 25, 1, features=frozenset(features))
    others = elsewhere(Runtime(PaddleBuild("2.6.2", "paddlepaddle"), IrMode(False, "default"), cpu))
    found = without_fault(times=2)
    told = [fact.rule for fact in facts(BUNDLE, found, "2.6.2", "cpu", others) if not fact.present]
    otherwise = [one.cell for one in differences(BUNDLE, found, "2.6.2", others)]
    concerned = features == {"avx2"}
    assert told == (["CL221"] if concerned else [])
    assert {*otherwise} == ({*SLICED} if concerned else set())


def test_a_fault_is_gone_when_it_was_not_seen_twice() -> None:
    once = without_fault(times=1)
    assert all(fact.present for fact in facts(BUNDLE, once, "2.6.2", "cpu"))
    assert {*to_repeat(BUNDLE, once, "2.6.2")} == {*SLICED}
    assert to_repeat(BUNDLE, once, "2.6.2", {"CL221"}) == ()
    twice = without_fault(times=2)
    assert to_repeat(BUNDLE, twice, "2.6.2") == ()
    assert [one.rule for one in facts(BUNDLE, twice, "2.6.2", "cpu") if not one.present] == [
        "CL221"
    ]


def test_every_fault_that_a_network_can_show_has_one() -> None:
    shown = {
        rule
        for network in BUNDLE.networks
        for apis in network.known.values()
        for known in apis.values()
        for rule in known.shows
    }
    assert len(shown) == 124
    assert OWN.stat().st_size < 3_000_000
    assert reference(BUNDLE, "3.4.0") == "3.3.1"
    assert reference(BUNDLE, "0.0.0") == "3.3.1"


def test_what_was_tried_again_is_written_down(tmp_path: Path) -> None:
    from compatload.cli.selftest import _Keeper
    from compatload.selftest.running import Report

    cpu = Cpu("x86_64", features=frozenset({"avx2"}))
    runtime = Runtime(PaddleBuild("2.6.2", "paddlepaddle"), IrMode(False, "default"), cpu)
    output = tmp_path / "record.json"
    keeper = _Keeper(Namespace(output=output, network=["2.6.2/linear"]))
    for times, gone in ((1, []), (2, ["CL221"])):
        found = without_fault(times)
        keeper.keep(Report(runtime, "cpu", BUNDLE, "2.6.2", tuple(found), found, 0.0))
        told = json.loads(output.read_text("utf-8"))["facts"]
        assert [fact["rule"] for fact in told if not fact["present"]] == gone
