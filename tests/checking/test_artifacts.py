"""Saved models judged for a target: on disk, in archives, whole and broken."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from compatload.checking import check as checking
from compatload.checking.check import check
from compatload.checking.finding import CheckReport, ExitCode, ModelVerdict, Severity, Way
from compatload.checking.settings import Settings
from compatload.errors import UsageError

FIXTURES = Path(__file__).parents[1] / "fixtures"
METHODS = FIXTURES.parent / "artifact/data/methods"
LEGACY = FIXTURES / "2.6.2/classifier"
PIR = FIXTURES / "3.3.1/group_norm"


def judged(*paths: Path, target: str = "3.3.1", **options: Any) -> CheckReport:
    from compatload.checking.target import parse_target

    chosen = parse_target(target, **options)
    return check(paths, target=chosen, settings=Settings())


def only(report: CheckReport) -> ModelVerdict:
    (model,) = report.models
    return model


def outcomes(model: ModelVerdict) -> dict[str, str]:
    return {one.api: one.alone for one in model.loaders}


@pytest.mark.parametrize(
    ("path", "target", "way", "alone"),
    [
        (LEGACY, "2.6.2", Way.NATIVE, ("ok", "ok", "ok")),
        (LEGACY, "3.3.1", Way.COMPATLOAD, ("error", "error", "ok")),
        (PIR, "3.3.1", Way.NATIVE, ("ok", "ok", "ok")),
        (PIR, "3.0.0", Way.CONVERSION, ("error", "crash", "error")),
        (PIR, "2.6.2", Way.CONVERSION, ("error", "error", "crash")),
        (FIXTURES / "3.3.1/detector", "3.3.1", Way.COMPATLOAD, ("ok", "ok", "crash")),
        (FIXTURES / "2.6.2/negative_step", "3.0.0", Way.COMPATLOAD, ("error", "error", "wrong")),
        (FIXTURES / "2.6.2/directory_loose", "2.6.2", Way.NATIVE, ("ok", "ok", "ok")),
    ],
)
def test_how_a_model_loads(path: Path, target: str, way: Way, alone: tuple[str, ...]) -> None:
    report = judged(path, target=target)
    model = only(report)
    assert model.way is way
    assert tuple(outcomes(model).values()) == alone
    assert (report.exit_code == ExitCode.COMPATIBLE) == (way is Way.NATIVE)
    assert report.checked["artifact"] == 1


def test_findings_name_rule_operators_and_call() -> None:
    report = judged(FIXTURES / "3.3.1/detector")
    (finding,) = report.findings
    assert finding.rule == "CL202"
    assert finding.severity is Severity.ERROR
    assert "paddle.inference.create_predictor kills" in finding.message
    assert "pd_op.leaky_relu (block 0" in finding.message
    assert finding.action == "Load it with compatload.safe_create_predictor."


def test_a_cpu_that_cannot_run_the_target() -> None:
    report = judged(LEGACY, cpu="nehalem")
    assert only(report).way is Way.NONE
    assert set(outcomes(only(report)).values()) == {"crash"}
    assert {finding.rule for finding in report.findings} == {"CL501"}


@pytest.mark.parametrize("options", [{"cpu": "abacus"}, {"device": "loom"}])
def test_unknown_hardware_is_usage(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        judged(LEGACY, **options)


def test_an_unmeasured_release_is_judged_as_its_neighbour_and_says_so() -> None:
    report = judged(FIXTURES / "3.3.1/detector", target="3.9.0")
    assert "what holds for 3.3.1 is taken to hold" in report.target
    assert only(report).way is Way.COMPATLOAD


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda folder: (folder / "model.pdmodel").write_bytes(b""), "CL001"),
        (lambda folder: (folder / "model.pdiparams").unlink(), "CL002"),
        (
            lambda folder: shutil.copy(
                FIXTURES / "2.6.2/lstm/model.pdiparams", folder / "model.pdiparams"
            ),
            "CL003",
        ),
        (
            lambda folder: (folder / "model.pdiparams.info").write_bytes(b"cos\nsystem\n."),
            "CL004",
        ),
        (lambda folder: (folder / "model.pdmodel").write_bytes(b"PADDLE" + b"x" * 99), "CL005"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_broken_models(tmp_path: Path, change: object, rule: str, packed: bool) -> None:
    folder = tmp_path / "m"
    shutil.copytree(LEGACY, folder)
    change(folder)  # type: ignore[operator]
    report = judged(_tar(folder) if packed else folder)
    assert [finding.rule for finding in report.findings] == [rule]
    assert report.exit_code == ExitCode.INCOMPATIBLE


@pytest.mark.parametrize(
    "name",
    ["2.6.2/classifier", "2.6.2/two_methods", "2.6.2/directory_combined", "3.3.1/group_norm"],
)
def test_archives_give_what_folders_give(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / name, folder)
    on_disk = only(judged(folder, target="3.0.0"))
    for archive in (_tar(folder), _zip(folder)):
        packed = only(judged(archive, target="3.0.0"))
        assert "!" in packed.path
        assert packed.loaders == on_disk.loaders
        assert (packed.way, packed.saved_by) == (on_disk.way, on_disk.saved_by)


def test_weights_too_large_to_keep_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    shutil.copytree(LEGACY, folder)
    archive = _zip(folder)
    size = (folder / "model.pdmodel").stat().st_size
    weights = (folder / "model.pdiparams").stat().st_size
    monkeypatch.setattr(checking, "LARGEST_KEPT", min(size, weights))
    report = judged(archive)
    assert any("larger than" in entry.reason for entry in report.skipped)


def test_the_memory_for_an_archive_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "many.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(40):
            packed.writestr(f"{number}/model.pdiparams", bytes(1 << 20))
    monkeypatch.setattr(checking, "MOST_KEPT", 4 << 20)
    seen: list[int] = []
    keep = checking.all_checkers()[1]

    class Watching:
        kind, recognises, check, keeps = "w", keep.recognises, keep.check, keep.keeps

        def check_together(self, kept: dict[str, bytes | None], target: object) -> object:
            seen.append(sum(len(data) for data in kept.values() if data))
            return checking.Judgement()

    check([archive], target="3.3.1", settings=Settings(), checkers=(Watching(),))  # type: ignore[arg-type]
    assert seen
    assert seen[0] <= 4 << 20


def test_what_is_no_model_is_passed_over_or_told(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"a": 1}')
    (tmp_path / "model").write_bytes(b"no model at all")
    (tmp_path / "w.pdparams").write_bytes(b"\x80\x04")
    report = judged(tmp_path)
    assert report.exit_code == ExitCode.NOTHING_RECOGNISED
    assert report.passed_over == 2
    assert [entry.reason for entry in report.skipped] == ["weights without a program (.pdparams)"]


def test_methods_are_judged_with_their_model() -> None:
    assert len(judged(FIXTURES / "2.6.2/two_methods").models) == 1


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("saved", "name", "known", "unknown", "target"),
    [
        ("3.3.1", "m.third.json", b'"1.scale"', b'"1.scole"', "3.0.0"),
        ("3.3.1", "m.third.json", b'"1.scale"', b'"1.scole"', "2.6.2"),
        ("2.6.2", "m.second.third.pdmodel", b"\x1a\x05scale", b"\x1a\x05scole", "3.3.1"),
    ],
)
def test_every_method_is_judged(
    tmp_path: Path, saved: str, name: str, known: bytes, unknown: bytes, target: str, packed: bool
) -> None:
    folder = tmp_path / "m"
    shutil.copytree(METHODS / saved / "apart", folder)
    assert only(judged(folder, target=target)).way is not Way.NONE
    program = (folder / name).read_bytes()
    assert known in program
    (folder / name).write_bytes(program.replace(known, unknown, 1))
    place = _zip(folder) if packed else folder
    assert "CL009" in {one.rule for one in judged(place, target=target).findings}
    report = judged(place, target=target, trusted_operators=("scole", "pd_op.scole"))
    model = only(report)
    assert model.way is Way.NONE
    assert outcomes(model)["layer"] != "ok"
    (obstacle,) = model.obstacles
    assert obstacle.startswith("third: ")
    assert "scole" in obstacle
    (finding,) = [one for one in report.findings if one.rule == "CL007"]
    assert obstacle in finding.message


def test_a_nested_json_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text('{"magic":"pir","a":' + "[" * 200_000)
    report = judged(tmp_path)
    assert report.findings or report.skipped


def test_models_are_in_every_output() -> None:
    from compatload.checking.reporters import REPORTERS

    report = judged(LEGACY)
    for form in ("text", "markdown", "json"):
        assert "through compatload" in REPORTERS[form](report)
    (model,) = json.loads(REPORTERS["json"](report))["models"]
    assert model["loaders"][0] == {
        "api": "layer",
        "alone": "error",
        "rule": "CL101",
        "places": [],
        "steps": ["translate", "legacy-mode"],
        "rules": ["CL101"],
    }


def _tar(folder: Path) -> Path:
    path = folder.with_suffix(".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "m")
    return path


def _zip(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, f"m/{file.relative_to(folder)}")
    return path
