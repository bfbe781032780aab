"""Folders laid out as installers lay them out; the real wheels are read in test_detection."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from compatload.runtime.paddle_build import find_paddle, read_version_file, release


def install(
    site: Path,
    distribution: str | None = "paddlepaddle",
    wheel: str = "3.3.1",
    library: str = "base/libpaddle.so",
    **fields: str,
) -> Path:
    """One Paddle under ``site``, as far as it is looked at."""
    package = site / "paddle"
    for folder in ("version", "base", "fluid"):
        (package / folder).mkdir(parents=True, exist_ok=True)
    marker = site / "executed"
    (package / "__init__.py").write_text(f"open({str(marker)!r}, 'w')\n")
    (package / library).write_bytes(b"\x7fELF")
    constants = {"full_version": "3.3.1", "cuda_version": "False", "commit": "abc", **fields}
    lines = [f"{name} = {value!r}" for name, value in constants.items()]
    lines += [f"open({str(marker)!r}, 'w')", "def show():", "    print(full_version)"]
    (package / "version/__init__.py").write_text("\n".join(lines))
    if distribution:
        register(site, distribution, wheel)
    return package


def register(site: Path, distribution: str, wheel: str) -> None:
    info = site / f"{distribution.replace('-', '_')}-{wheel}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {wheel}\n\nName: another\n"
    )


def found(site: Path, **environment: str):  # type: ignore[no-untyped-def]
    search = find_paddle([str(site)], environment)
    assert not (site / "executed").exists()
    return search


@pytest.mark.parametrize(
    ("distribution", "fields", "flavour", "toolkit"),
    [
        ("paddlepaddle", {}, "cpu", None),
        ("paddlepaddle-gpu", {"cuda_version": "11.8"}, "cuda", "11.8"),
        ("paddlepaddle_gpu", {"cuda_version": "12.6"}, "cuda", "12.6"),
        ("paddlepaddle-rocm", {}, "rocm", None),
        ("paddlepaddle-dcu", {}, "rocm", None),
        ("paddlepaddle-dcu", {"hip_version": "5.7.31921"}, "rocm", "5.7.31921"),
        ("paddlepaddle-xpu", {"xpu_version": "20240115"}, "xpu", "20240115"),
        ("paddlepaddle-xpu", {"xpu_xre_version": "5.0.21.21"}, "xpu", "5.0.21.21"),
    ],
)
def test_flavours(
    tmp_path: Path, distribution: str, fields: dict[str, str], flavour: str, toolkit: str | None
) -> None:
    install(tmp_path, distribution, **fields)
    search = found(tmp_path)
    assert search.notes == ()
    build = search.build
    assert (build.flavour, build.toolkit) == (flavour, toolkit)
    assert build.distribution == distribution.replace("_", "-")
    assert (build.version, build.commit) == ("3.3.1", "abc")
    assert build.location == str(tmp_path / "paddle")


@pytest.mark.parametrize(
    ("in_file", "wheel", "expected"),
    [
        ("3.3.1", "3.3.1", "3.3.1"),
        ("2.6.2", "2.6.2.post120", "2.6.2"),
        ("2.6.2.post120", None, "2.6.2"),
        ("0.0.0", "0.0.0", "0.0.0"),
        ("0.0.0", "3.0.0.dev20250613", "3.0.0.dev20250613"),
        ("3.0.0", "3.0.0.dev20250613", "3.0.0.dev20250613"),
        ("3.0.0-rc1", "3.0.0rc1", "3.0.0rc1"),
        ("3.0.0", "3.0.0rc1", "3.0.0rc1"),
        ("3.0.0", "3.0.0b2", "3.0.0b2"),
        ("3.2.0", "3.3.0rc0", "3.2.0"),  # another wheel's registration: the files decide
        ("2.6.2+cu118", None, "2.6.2"),
        (None, "3.1.0", "3.1.0"),
        ("rubbish", None, "0.0.0"),
        (None, None, "0.0.0"),
    ],
)
def test_release(in_file: str | None, wheel: str | None, expected: str) -> None:
    assert release(in_file, wheel) == expected


def test_not_installed(tmp_path: Path) -> None:
    search = found(tmp_path)
    assert (search.build, search.notes) == (None, ())


def test_registered_but_gone(tmp_path: Path) -> None:
    register(tmp_path, "paddlepaddle", "3.3.1")
    search = found(tmp_path)
    assert search.build is None
    assert "its files are gone" in search.notes[0]


def test_native_library_missing(tmp_path: Path) -> None:
    (install(tmp_path) / "base/libpaddle.so").unlink()
    search = found(tmp_path)
    assert search.build is None
    assert "incomplete" in search.notes[0]


@pytest.mark.parametrize(
    "library", ["base/libpaddle.pyd", "fluid/libpaddle.so", "fluid/core_avx.so"]
)
def test_native_library_of_other_systems_and_releases(tmp_path: Path, library: str) -> None:
    install(tmp_path, library=library)
    assert found(tmp_path).build is not None


def test_left_over_folder(tmp_path: Path) -> None:
    (tmp_path / "paddle/base").mkdir(parents=True)  # what an interrupted uninstall leaves
    search = found(tmp_path)
    assert search.build is None
    assert "shadows or replaces" in search.notes[0]


def test_a_script_called_paddle(tmp_path: Path) -> None:
    (tmp_path / "paddle.py").write_text("raise SystemExit")
    search = found(tmp_path)
    assert search.build is None
    assert str(tmp_path / "paddle.py") in search.notes[0]


def test_another_project_called_paddle(tmp_path: Path) -> None:
    (tmp_path / "paddle").mkdir()
    (tmp_path / "paddle/__init__.py").write_text("")
    search = found(tmp_path)
    assert search.build is None
    assert "not PaddlePaddle" in search.notes[0]


def test_two_distributions_over_one_folder(tmp_path: Path) -> None:
    install(tmp_path, "paddlepaddle", "3.3.1", full_version="2.6.2", cuda_version="11.8")
    register(tmp_path, "paddlepaddle-gpu", "2.6.2.post118")
    search = found(tmp_path)
    assert (search.build.distribution, search.build.flavour) == ("paddlepaddle-gpu", "cuda")
    assert "several Paddles share one folder" in search.notes[0]


def test_same_release_twice_is_told_by_flavour(tmp_path: Path) -> None:
    install(tmp_path, "paddlepaddle", "3.3.1")  # the CPU wheel came last: its files stand
    register(tmp_path, "paddlepaddle-gpu", "3.3.1")
    assert found(tmp_path).build.distribution == "paddlepaddle"


def test_build_without_registration(tmp_path: Path) -> None:
    install(tmp_path, None, full_version="0.0.0")
    search = found(tmp_path)
    assert search.build.version == "0.0.0"
    assert "built or copied by hand" in search.notes[0]


def test_editable_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered in site-packages, with the package elsewhere on the path."""
    source, site = tmp_path / "build/python", tmp_path / "site"
    install(source, None, full_version="0.0.0")
    register(site, "paddlepaddle-gpu", "0.0.0")
    monkeypatch.setattr(sys, "path", [str(site), str(source)])
    monkeypatch.delitem(sys.modules, "paddle", raising=False)
    build = find_paddle(environment={}).build
    assert build is not None
    assert (build.distribution, build.location) == ("paddlepaddle-gpu", str(source / "paddle"))


def test_first_on_the_path_wins(tmp_path: Path) -> None:
    install(tmp_path / "a", wheel="3.0.0", full_version="3.0.0")
    install(tmp_path / "b", wheel="2.6.2", full_version="2.6.2")
    search = find_paddle([str(tmp_path / "a"), str(tmp_path / "b")], {})
    assert search.build is not None
    assert (search.build.version, search.notes) == ("3.0.0", ())


def test_custom_device_plugins(tmp_path: Path) -> None:
    install(tmp_path)
    plugins = tmp_path / "paddle_custom_device"
    plugins.mkdir()
    for name in ("libpaddle-custom-npu.so", "libpaddle-iluvatar-gpu.so", "other.so", "__init__.py"):
        (plugins / name).write_text("")
    build = found(tmp_path).build
    assert (build.flavour, build.custom_devices) == ("custom", ("npu", "iluvatar_gpu"))
    assert found(tmp_path, CUSTOM_DEVICE_ROOT="").build.flavour == "cpu"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "libpaddle-custom-mlu.so").write_text("")
    moved = found(tmp_path, CUSTOM_DEVICE_ROOT=str(elsewhere)).build
    assert moved.custom_devices == ("mlu",)


@pytest.mark.parametrize(
    "content",
    [b"", b"def (", b"\0\0", b"(" * 100_000, b"full_version = __import__('os').system('id')"],
)
def test_broken_version_file(tmp_path: Path, content: bytes) -> None:
    package = install(tmp_path, wheel="3.2.2")
    (package / "version/__init__.py").write_bytes(content)
    search = found(tmp_path)
    assert search.build.version == "3.2.2"
    assert search.notes == ("version/__init__.py is missing or unreadable",)


def test_version_file_constants_only(tmp_path: Path) -> None:
    path = tmp_path / "version.py"
    path.write_text(
        textwrap.dedent(
            """
            import inspect
            full_version = '3.3.1'
            istagged = True
            hip_version = None
            compiled_cuda_archs = []
            hip = hip_version
            """
        )
    )
    expected = {"full_version": "3.3.1", "istagged": True, "hip_version": None}
    assert read_version_file(path) == expected
    assert read_version_file(tmp_path / "missing.py") == {}
