"""``migrate``: what it writes, what it leaves, what it does again, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compatload import inspect_artifact
from compatload.cli import main
from compatload.errors import ArtifactNotFoundError, UsageError
from compatload.migration.migrate import migrate
from compatload.migration.report import MigrationReport, ModelMigration
from tests.releases import run_in

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
OLD = "paddle==2.6.2"


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


def outcomes(report: MigrationReport) -> dict[str, str]:
    return {model.path: model.outcome for model in report.models}


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Models of three savers, with what a service has beside them, and one that is cut short."""
    source = tmp_path / "fleet"
    for name in ("2.6.2/classifier", "2.6.2/directory_loose", "3.3.1/lstm", "3.0.0/two_methods"):
        shutil.copytree(FIXTURES / name, source / name)
    shutil.copytree(FIXTURES / "2.6.2/embedding", source / "broken")
    program = source / "broken/model.pdmodel"
    program.write_bytes(program.read_bytes()[:300])
    (source / "labels.txt").write_text("cat\ndog\n")
    (source / "3.3.1/lstm/inference.yml").write_text("Global: {}\n")
    (source / "3.3.1/lstm/config.json").write_text("{}")
    return source


def test_a_mixed_tree(fleet: Path, tmp_path: Path) -> None:
    before, target = content(fleet), tmp_path / "out"
    report = migrate(fleet, target, to=OLD, verify=False)
    assert content(fleet) == before
    assert outcomes(report) == {
        "2.6.2/classifier/model": "copied",
        "2.6.2/directory_loose/__model__": "copied",
        "3.0.0/two_methods/model": "converted",
        "3.3.1/lstm/model": "converted",
        "broken/model": "failed",
    }
    assert report.exit_code == 1
    made = content(target)
    for name in ("labels.txt", "3.3.1/lstm/inference.yml", "3.3.1/lstm/config.json"):
        assert made[name] == before[name]
    for name in before:  # copied models whole, as they are; nothing of what failed
        if name.startswith("2.6.2/"):
            assert made[name] == before[name]
    assert not any(name.startswith("broken/model") for name in made)
    assert sorted(p.name for p in (target / "3.3.1/lstm").glob("model.*")) == [
        "model.pdiparams",
        "model.pdiparams.info",
        "model.pdmodel",
    ]
    assert inspect_artifact(target / "3.0.0/two_methods").methods
    failed = report.models[-1]
    assert "damaged" in failed.problem
    assert failed.action
    told = json.loads(json.dumps(report.to_dict()))
    assert [ModelMigration.from_dict(one) for one in told["models"]] == list(report.models)


def test_again_does_nothing_and_what_changed_is_done_anew(fleet: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    migrate(fleet, target, to=OLD, verify=False)
    made = content(target)
    times = {path: path.stat().st_mtime_ns for path in target.rglob("model.*")}
    again = migrate(fleet, target, to=OLD, verify=False)
    assert content(target) == made
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert [model.path for model in again.models if not model.resumed] == ["broken/model"]
    assert again.written == 0

    shutil.copytree(FIXTURES / "2.6.2/embedding", fleet / "broken", dirs_exist_ok=True)
    shutil.rmtree(fleet / "3.3.1/lstm")  # another model under the same name, of another format
    shutil.copytree(FIXTURES / "2.6.2/lstm", fleet / "3.3.1/lstm")
    (fleet / "labels.txt").write_text("cow\n")
    (target / "2.6.2/classifier/model.pdiparams").write_bytes(b"damage")
    third = migrate(fleet, target, to=OLD, verify=False)
    assert [model.path for model in third.models if not model.resumed] == [
        "2.6.2/classifier/model",
        "3.3.1/lstm/model",
        "broken/model",
    ]
    assert third.exit_code == 0
    assert (target / "labels.txt").read_text() == "cow\n"
    fresh = tmp_path / "fresh"
    migrate(fleet, fresh, to=OLD, verify=False)
    kept = {name: one for name, one in content(target).items() if name in content(fresh)}
    assert {n: o for n, o in kept.items() if not n.startswith(".")} == {
        n: o for n, o in content(fresh).items() if not n.startswith(".")
    }


def test_settings_under_a_name_that_a_conversion_wants(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "3.3.1/lstm", tmp_path / "in")
    shutil.move(tmp_path / "in/model.json", tmp_path / "in/m.json")
    shutil.move(tmp_path / "in/model.pdiparams", tmp_path / "in/m.pdiparams")
    (tmp_path / "in/m.pdiparams.info").mkdir()  # no file: it is in nobody's way
    report = migrate(tmp_path / "in", tmp_path / "out", to=OLD, verify=False)
    assert outcomes(report) == {"m": "converted"}
    for name in ("2.6.2/classifier", "3.3.1/classifier"):
        shutil.copytree(FIXTURES / name, tmp_path / "both", dirs_exist_ok=True)
    report = migrate(tmp_path / "both", tmp_path / "both-out", to=OLD, verify=False)
    assert outcomes(report) == {"model": "copied"}
    assert content(tmp_path / "both") == {
        name: one for name, one in content(tmp_path / "both-out").items() if name[0] != "."
    }


def test_dry_run_writes_nothing(fleet: Path, tmp_path: Path) -> None:
    report = migrate(fleet, tmp_path / "out", to=OLD, dry_run=True)
    assert report.counts == {"failed": 1, "to be converted": 2, "to be copied": 2}
    assert not (tmp_path / "out").exists()


def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    source, target, outside = tmp_path / "in", tmp_path / "out", tmp_path / "outside"
    shutil.copytree(FIXTURES / "2.6.2/classifier", source / "linked")
    shutil.copytree(FIXTURES / "2.6.2/lstm", source / "good")
    outside.mkdir()
    shutil.move(source / "linked/model.pdiparams", outside / "secret")
    (source / "linked/model.pdiparams").symlink_to(outside / "secret")
    (source / "passwords").symlink_to("/etc/passwd")
    (source / "away").symlink_to(outside)
    (source / "good/alias.txt").symlink_to("case.json")
    (source / "loop").symlink_to(".")
    report = migrate(source, target, to=OLD, verify=False)
    assert outcomes(report) == {"good/model": "copied", "linked/model": "failed"}
    assert report.exit_code == 1
    assert {os.path.basename(entry.path) for entry in report.skipped if entry.unsafe} == {
        "passwords",
        "model.pdiparams",
    }
    assert not (target / "passwords").exists()
    assert not (target / "away").exists()
    assert not (target / "good/alias.txt").is_symlink()

    # A link in the target that leads out of it is not followed either.
    shutil.rmtree(target / "good")
    (target / "good").symlink_to(outside)
    report = migrate(source, target, to=OLD, verify=False)
    assert outcomes(report)["good/model"] == "failed"
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_deep_trees_end(tmp_path: Path) -> None:
    deep = tmp_path / "in"
    deep.mkdir()
    place = os.open(deep, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    shutil.copytree(FIXTURES / "2.6.2/lstm", deep / "good")
    report = migrate(deep, tmp_path / "out", to=OLD, verify=False)
    assert outcomes(report) == {"good/model": "copied"}
    assert ["folders deep" in entry.reason for entry in report.skipped] == [True]


def test_targets_and_sources_that_make_no_sense(fleet: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").touch()
    for source, target, to in (
        (fleet, tmp_path / "taken", OLD),
        (fleet, fleet / "inside", OLD),
        (fleet, tmp_path, OLD),
        (fleet, tmp_path / "out", "torch==2"),
        (fleet, tmp_path / "out", "legacy"),
        ([fleet, fleet], tmp_path / "out", OLD),
        ([], tmp_path / "out", OLD),
    ):
        with pytest.raises(UsageError):
            migrate(source, target, to=to, verify=False)
    with pytest.raises(ArtifactNotFoundError):
        migrate(fleet / "nothing", tmp_path / "out", to=OLD)
    assert not (tmp_path / "out").exists()
    migrate(fleet / "3.3.1", tmp_path / "out", to=OLD, verify=False)
    with pytest.raises(UsageError, match=r"migrated to paddle==2\.6\.2, not"):
        migrate(fleet / "3.3.1", tmp_path / "out", to="paddle==3.3.1", verify=False)


def test_several_sources_have_folders_of_their_own(fleet: Path, tmp_path: Path) -> None:
    sources = [fleet / "2.6.2", fleet / "3.3.1"]
    report = migrate(sources, tmp_path / "out", to=OLD, verify=False)
    assert sorted(outcomes(report)) == [
        "2.6.2/classifier/model",
        "2.6.2/directory_loose/__model__",
        "3.3.1/lstm/model",
    ]
    assert report.exit_code == 0


def test_bare_names_of_the_folder_that_one_stands_in(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = migrate("fleet", "ready", to=OLD, verify=False)
    assert len(report.models) == 5
    monkeypatch.chdir(fleet)
    migrate(".", "../again", to=OLD, verify=False)
    made, again = content(tmp_path / "ready"), content(tmp_path / "again")
    assert {k: v for k, v in made.items() if ".compatload" not in k} == {
        k: v
        for k, v in again.items()
        if ".compatload" not in k  # which names the sources
    }


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_killed_at_any_moment_it_comes_to_the_same(fleet: Path, tmp_path: Path) -> None:
    for name in ("gru", "round"):
        shutil.copytree(FIXTURES / "3.3.1" / name, fleet / "more" / name)
    whole, target = tmp_path / "whole", tmp_path / "killed"
    began = time.monotonic()
    assert _run(fleet, whole).wait() == 1
    took = time.monotonic() - began
    chance = random.Random(5)
    for _ in range(3):
        process = _run(fleet, target)
        time.sleep(chance.uniform(0.3, 1.0) * took)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert _run(fleet, target).wait() == 1
    assert content(target) == content(whole)


def _run(source: Path, target: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "compatload", "migrate", str(source), str(target)]
    return subprocess.Popen(
        [*command, "--to", OLD, "--no-verify", "--jobs", "2", "--quiet"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )


def test_the_verb(fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "out")
    common = ("migrate", "--to", OLD, "--no-verify", "--jobs", "1")
    assert main([*common, str(fleet), target]) == 1
    said = capsys.readouterr().out
    assert "3.3.1/lstm/model: converted: pir, loads after a conversion (CL103) → legacy" in said
    assert "5 models for paddle 2.6.2: 2 converted, 2 copied, 1 failed" in said
    assert main([*common, str(fleet / "3.3.1"), f"{target}2", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"converted": 1}
    page = tmp_path / "page.html"
    assert main([*common, str(fleet), target, "--format", "html", "--output", str(page)]) == 1
    assert "broken/model" in page.read_text("utf-8")
    assert "4 of them done before" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main([*common, str(tmp_path / "empty"), f"{target}3"]) == 3
    assert main([*common, str(tmp_path / "nothing"), f"{target}3"]) == 3
    assert main([*common, "--jobs", "0", str(fleet), f"{target}3"]) == 2


def test_verified_by_a_real_paddle(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "2.6.2/classifier", tmp_path / "in/classifier")
    asked = (tmp_path / "in", tmp_path / "out", "--to", "paddle==3.3.1", "--jobs", "1")
    said = run_in("3.3.1", "-m", "compatload", "migrate", *asked, "--format", "json")
    (model,) = json.loads(said)["models"]
    assert (model["outcome"], model["verification"]) == ("converted", "agrees")
    assert model["paddle"] == ["3.3.1", "3.3.1"]
    assert model["difference"] <= 1e-5
    assert inspect_artifact(tmp_path / "out/classifier").format.value == "pir"
