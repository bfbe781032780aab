"""Trees with loops, dead ends and doors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compatload.checking import walk as walking
from compatload.checking.finding import Skipped
from compatload.checking.walk import walk


def split(paths: list[Path], **kwargs: object) -> tuple[list[str], dict[str, str]]:
    found, skipped = [], {}
    for entry in walk([str(path) for path in paths], **kwargs):  # type: ignore[arg-type]
        if isinstance(entry, Skipped):
            skipped[Path(entry.path).name] = entry.reason
        else:
            found.append(Path(entry).name)
    return found, skipped


def test_files_come_sorted_and_pruned_folders_do_not(tmp_path: Path) -> None:
    for name in ("b/y.py", "b/x.py", "a.py", ".git/hook.py", "__pycache__/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert split([tmp_path]) == (["a.py", "x.py", "y.py"], {})


def test_a_link_loop_ends(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").touch()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    found, skipped = split([tmp_path])
    assert found == ["a.py"]
    assert skipped["up"] == "a link back into the tree"
    assert "symbolic links" in skipped["self"]


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").touch()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "door").symlink_to(outside)
    assert split([tree]) == ([], {"door": "a link to a folder outside of the tree"})


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "blob").touch()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "model.py").symlink_to(tmp_path / "blob")
    assert split([tree]) == (["model.py"], {})


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    assert split([tmp_path]) == ([], {"pipe": "not a regular file", "dead": "a dangling link"})
    assert split([tmp_path / "pipe"]) == ([], {"pipe": "not a regular file"})
    assert split([tmp_path / "nothing"]) == ([], {"nothing": "no such file or directory"})


def test_a_name_that_no_system_takes_is_skipped() -> None:
    assert [entry.reason for entry in walk(["a\0b"]) if isinstance(entry, Skipped)] == [
        "embedded null byte"
    ]


def test_depth_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "DEEPEST", 2)
    (tmp_path / "1" / "2" / "3").mkdir(parents=True)
    (tmp_path / "1" / "2" / "3" / "deep.py").touch()
    assert split([tmp_path]) == ([], {"3": "more than 2 folders deep"})


def test_excluded_folders_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "a.py").touch()
    (tmp_path / "b.py").touch()
    assert split([tmp_path], exclude=lambda path: path.endswith("build")) == (["b.py"], {})


def test_the_same_folder_given_twice_is_entered_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    found, skipped = split([tmp_path, tmp_path])
    assert found == ["a.py"]
    assert list(skipped.values()) == ["a link back into the tree"]


def test_a_prefix_stands_for_the_programs_saved_under_it(tmp_path: Path) -> None:
    for name in ("net.json", "net.pdmodel", "net.pdiparams", "network.json"):
        (tmp_path / name).write_bytes(b"{}")
    prefix = str(tmp_path / "net")
    assert [*walk([prefix])] == [f"{prefix}.json", f"{prefix}.pdmodel"]
    (nothing,) = walk([str(tmp_path / "other")])
    assert isinstance(nothing, Skipped)
    assert isinstance(next(walk(["a\0b"])), Skipped)
