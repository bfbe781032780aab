"""A prefix, any one file, or a directory leads to the files of one model."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from fixtures.index import fixture

from compatload.artifact.locate import locate
from compatload.artifact.model import Format
from compatload.errors import (
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
    UnsupportedFormatError,
    UsageError,
)

LEGACY = fixture("2.6.2/classifier").folder
PIR = fixture("3.3.1/classifier").folder
COMBINED = fixture("2.6.2/directory_combined").folder
LOOSE = fixture("2.6.2/directory_loose").folder


def place(source: Path, folder: Path, **names: str) -> Path:
    """Copy files of a fixture under other names: ``place(PIR, here, json="inference.json")``."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, name in names.items():
        (original,) = (p for p in source.iterdir() if p.name.endswith(f"l.{ending}"))
        shutil.copy(original, folder / name)
    return folder


@pytest.fixture
def both(tmp_path: Path) -> Path:
    place(LEGACY, tmp_path, pdmodel="m.pdmodel", pdiparams="m.pdiparams")
    place(PIR, tmp_path, json="m.json")
    return tmp_path


def test_a_prefix_leads_to_its_files(tmp_path: Path) -> None:
    place(LEGACY, tmp_path, pdmodel="m.pdmodel", pdiparams="m.pdiparams")
    shutil.copy(LEGACY / "model.pdiparams.info", tmp_path / "m.pdiparams.info")
    (tmp_path / "m.meta").write_bytes(b"")
    (candidate,) = locate(str(tmp_path / "m"))
    prefix = str(tmp_path / "m")
    assert candidate.format is Format.LEGACY
    assert candidate.files.program == f"{prefix}.pdmodel"
    assert candidate.files.parameters == (f"{prefix}.pdiparams",)
    assert candidate.files.info == f"{prefix}.pdiparams.info"
    assert candidate.files.meta == f"{prefix}.meta"
    assert candidate.files.prefix == prefix


@pytest.mark.parametrize("suffix", [".pdmodel", ".pdiparams", ".pdiparams.info"])
def test_any_one_file_leads_to_the_model(suffix: str) -> None:
    (candidate,) = locate(str(LEGACY / f"model{suffix}"))
    assert candidate.files.program == str(LEGACY / "model.pdmodel")


@pytest.mark.parametrize("name", ["__model__", "__params__"])
def test_any_one_file_of_a_1x_directory_leads_to_the_model(name: str) -> None:
    (candidate,) = locate(str(COMBINED / name))
    assert candidate.files.program == str(COMBINED / "__model__")
    assert candidate.files.parameters == (str(COMBINED / "__params__"),)


LAYOUTS = {
    "PaddleX 3": (PIR, {"json": "inference.json", "pdiparams": "inference.pdiparams"}),
    "PaddleOCR 2": (LEGACY, {"pdmodel": "inference.pdmodel", "pdiparams": "inference.pdiparams"}),
    "PaddleDetection": (LEGACY, {"pdmodel": "model.pdmodel", "pdiparams": "model.pdiparams"}),
    "PaddleDetection 3": (PIR, {"json": "model.json", "pdiparams": "model.pdiparams"}),
    "model and params": (LEGACY, {"pdmodel": "model", "pdiparams": "params"}),
    "model and weights": (LEGACY, {"pdmodel": "model", "pdiparams": "weights"}),
    "__model__ and __params__": (LEGACY, {"pdmodel": "__model__", "pdiparams": "__params__"}),
    "PaddleX 1": (LEGACY, {"pdmodel": "__model__", "pdiparams": "__params__"}),
    "any name": (LEGACY, {"pdmodel": "net.pdmodel", "pdiparams": "net.pdiparams"}),
}
DESCRIPTIONS = {
    "PaddleX 3": "inference.yml",
    "PaddleOCR 2": "inference.yml",
    "PaddleDetection": "infer_cfg.yml",
    "PaddleDetection 3": "infer_cfg.yml",
    "PaddleX 1": "model.yml",
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_directories_of_every_layout(layout: str, tmp_path: Path) -> None:
    source, names = LAYOUTS[layout]
    place(source, tmp_path, **names)
    paths = [tmp_path]
    if layout in DESCRIPTIONS:
        (tmp_path / DESCRIPTIONS[layout]).write_text("mode: paddle\n")
        (tmp_path / "config.json").write_text('{"settings": 1}')
        paths.append(tmp_path / DESCRIPTIONS[layout])
    program, params = names.values()
    for path in paths:
        (candidate,) = locate(str(path))
        assert candidate.files.program == str(tmp_path / program)
        assert candidate.files.parameters == (str(tmp_path / params),)


def test_a_directory_with_a_description_prefers_what_it_describes(tmp_path: Path) -> None:
    place(PIR, tmp_path, json="inference.json", pdiparams="inference.pdiparams")
    place(PIR, tmp_path / ".", json="backup.json")
    with pytest.raises(ArtifactNotFoundError, match=r"several models: .*backup, inference"):
        locate(str(tmp_path))
    (tmp_path / "inference.yml").write_text("")
    assert locate(str(tmp_path))[0].files.program.endswith("inference.json")


def test_loose_variables(tmp_path: Path) -> None:
    (candidate,) = locate(str(LOOSE))
    assert not candidate.files.parameters_combined
    assert candidate.files.parameters == ()


def test_both_formats_are_candidates(both: Path) -> None:
    first, second = locate(str(both / "m"))
    assert (first.format, second.format) == (Format.PIR, Format.LEGACY)
    assert first.files.others == (str(both / "m.pdmodel"),)
    assert "side by side" in first.notes[0]
    assert locate(str(both / "m"), prefer="legacy")[0].format is Format.LEGACY
    assert locate(str(both))[0].format is Format.PIR


def test_a_file_given_by_name_is_the_choice(both: Path) -> None:
    (candidate,) = locate(str(both / "m.pdmodel"))
    assert candidate.format is Format.LEGACY
    (candidate,) = locate(str(both / "m.pdmodel"), prefer="pir")  # as a load on 3.x asks
    assert candidate.format is Format.LEGACY


def test_what_another_release_left_is_not_the_choice(both: Path) -> None:
    def saved(seconds: dict[str, float]) -> str:
        for suffix, second in seconds.items():
            os.utime(both / f"m.{suffix}", (1e9 + second, 1e9 + second))
        first, _ = locate(str(both / "m"))
        return f"{first.format.value}, {first.notes[0].partition(' was chosen')[2]}"

    left = f": {both / 'm.json'} is older than it and than the weights"
    assert saved({"json": 0, "pdmodel": 60, "pdiparams": 61}) == f"legacy, {left}"
    assert saved({"json": 60, "pdmodel": 0, "pdiparams": 61}) == "pir, "
    assert saved({"json": 60, "pdmodel": 0, "pdiparams": 1}) == "pir, "  # converted later
    assert saved({"json": 0, "pdmodel": 60, "pdiparams": 1}) == "pir, "
    assert saved({"json": 0, "pdmodel": 1, "pdiparams": 1.5}) == "pir, "


def test_settings_beside_a_legacy_program_are_no_candidate(tmp_path: Path) -> None:
    place(LEGACY, tmp_path, pdmodel="m.pdmodel", pdiparams="m.pdiparams")
    (tmp_path / "m.json").write_text('{"labels": []}')
    (candidate,) = locate(str(tmp_path / "m"))
    assert candidate.format is Format.LEGACY


def test_the_mark_of_pir_may_stand_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"program":"%s","magic":"pir"}' % ("x" * 10_000))
    assert locate(str(tmp_path / "m"))[0].format is Format.PIR


def test_extra_methods(tmp_path: Path) -> None:
    source = fixture("3.3.1/two_methods").folder
    shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.labels.json").write_text('{"labels": []}')
    (tmp_path / "model.not-a-name.json").write_bytes((source / "model.json").read_bytes())
    (candidate,) = locate(str(tmp_path / "model"))
    assert [name for name, _ in candidate.methods] == ["project"]
    assert candidate.methods[0][1].parameters == (str(tmp_path / "model.project.pdiparams"),)
    assert len(locate(str(tmp_path))) == 1


def test_a_broken_method_is_not_overlooked(tmp_path: Path) -> None:
    shutil.copytree(fixture("3.3.1/two_methods").folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.project.json").write_bytes(b"")
    (candidate,) = locate(str(tmp_path / "model"))
    assert [name for name, _ in candidate.methods] == ["project"]


def test_methods_that_2_6_chains_are_named_by_their_last_part(tmp_path: Path) -> None:
    """2.6.2 writes a third method as ``m.second.third`` (its name is never reset)."""
    for name in ("m", "m.second", "m.second.third"):
        place(LEGACY, tmp_path, pdmodel=f"{name}.pdmodel", pdiparams=f"{name}.pdiparams")
    (candidate,) = locate(str(tmp_path / "m"))
    assert [name for name, _ in candidate.methods] == ["second", "third"]
    assert len(locate(str(tmp_path))) == 1


def test_names_of_its_own(tmp_path: Path) -> None:
    place(LEGACY, tmp_path, pdmodel="program.bin", pdiparams="values.bin")
    (candidate,) = locate(str(tmp_path), program="program.bin", params="values.bin")
    assert candidate.format is Format.LEGACY
    assert candidate.files.parameters == (str(tmp_path / "values.bin"),)


def test_a_name_of_the_other_format_leads_to_what_was_saved_anew(tmp_path: Path) -> None:
    place(PIR, tmp_path, json="m.json", pdiparams="m.pdiparams")
    (found,) = locate(str(tmp_path), program="m.pdmodel", params="m.pdiparams")
    assert found.files.program == str(tmp_path / "m.json")
    assert found.format is Format.PIR
    assert found.notes == (
        f"{tmp_path / 'm.pdmodel'} is not there; {tmp_path / 'm.json'} was chosen",
    )


def test_settings_of_that_name_are_no_program_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArtifactNotFoundError, match=r"m\.pdmodel"):
        locate(str(tmp_path), program="m.pdmodel")


def test_a_legacy_program_stands_in_for_one_of_pir(both: Path) -> None:
    (both / "m.json").unlink()
    (found,) = locate(str(both), program="m.json")
    assert found.format is Format.LEGACY


def test_a_directory_of_that_name_does_not_hide_the_prefix(tmp_path: Path) -> None:
    place(PIR, tmp_path, json="m.json", pdiparams="m.pdiparams")
    (tmp_path / "m").mkdir()
    assert locate(str(tmp_path / "m"))[0].files.program == str(tmp_path / "m.json")


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place(PIR, tmp_path, json="m.json", pdiparams="m.pdiparams")
    monkeypatch.chdir(tmp_path)
    for path in ("m", "m.json", ".", "./m"):
        assert os.path.basename(locate(path)[0].files.program) == "m.json"


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_missing_format_points_to_the_other(tmp_path: Path) -> None:
    place(LEGACY, tmp_path, pdmodel="m.pdmodel", pdiparams="m.pdiparams")
    with pytest.raises(ArtifactNotFoundError, match="does not exist") as caught:
        locate(str(tmp_path / "m.json"))
    assert repr(str(tmp_path / "m")) in caught.value.action


@pytest.mark.parametrize("suffix", [".pdparams", ".pdopt"])
def test_a_prefix_of_state_files_says_what_they_are(suffix: str, tmp_path: Path) -> None:
    write(tmp_path / f"m{suffix}", b"\x80\x04}.")
    with pytest.raises(UnsupportedFormatError, match="pickle"):
        locate(str(tmp_path / "m"))


def test_missing_paths_are_not_found(tmp_path: Path) -> None:
    for path in (tmp_path / "m", tmp_path / "absent" / "m", tmp_path / "m.json"):
        with pytest.raises(ArtifactNotFoundError, match="no model at"):
            locate(str(path))
    with pytest.raises(ArtifactNotFoundError):
        locate("")


def test_weights_without_a_program(tmp_path: Path) -> None:
    place(PIR, tmp_path, pdiparams="m.pdiparams")
    for path in (tmp_path / "m", tmp_path / "m.pdiparams"):
        with pytest.raises(ArtifactNotFoundError, match="no program beside it"):
            locate(str(path))
    with pytest.raises(UnsupportedFormatError, match="weights in Paddle's combined format"):
        locate(str(tmp_path))


def test_a_directory_without_a_model(tmp_path: Path) -> None:
    write(tmp_path / "readme.txt", b"hello")
    with pytest.raises(ArtifactNotFoundError, match="holds no Paddle model"):
        locate(str(tmp_path))


def test_a_directory_of_something_else_says_what(tmp_path: Path) -> None:
    write(tmp_path / "m.nb", b"\x02\x00v2.12\x00" + bytes(20))
    with pytest.raises(UnsupportedFormatError, match="Paddle-Lite"):
        locate(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "error", "text"),
    [
        ("m.pdparams", b"\x80\x02}q\x00.", UnsupportedFormatError, "pickle"),
        ("m.nb", b"\x02\x00v2.12\x00" + bytes(20), UnsupportedFormatError, "Paddle-Lite"),
        ("__model__.encrypted", b"\x91\x17", UnsupportedFormatError, "encrypted"),
        ("m.onnx", b"\x08\x07\x12\x07pytorch", UnsupportedFormatError, "ONNX"),
        ("config.json", b'{"a":1}', UnsupportedFormatError, "JSON document"),
        ("m.pdmodel", b"", DamagedArtifactError, "empty"),
        ("m.json", b"", DamagedArtifactError, "empty"),
        ("m.pdmodel", b"<html>", DamagedArtifactError, "web page"),
        ("m.json", b"version https://git-lfs.github.com/spec/v1", DamagedArtifactError, "LFS"),
        ("m.pdmodel", b"\x00\x01\x02", DamagedArtifactError, "no known format"),
    ],
)
def test_other_files_are_named(
    name: str, data: bytes, error: type[Exception], text: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=text):
        locate(str(write(tmp_path / name, data)))


def test_a_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.json")
    with pytest.raises(UnsafeArtifactError):
        locate(str(tmp_path / "m"))
    with pytest.raises((UnsafeArtifactError, ArtifactNotFoundError)):
        locate(str(tmp_path))


def test_preferences_are_checked() -> None:
    with pytest.raises(UsageError, match="prefer"):
        locate(str(PIR / "model"), prefer="json")
