"""install() and uninstall() in real Paddles; `compatload run` as a program sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import compatload
from tests.fixtures.index import fixture
from tests.releases import releases, run_in

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 300
NAMES = {
    "paddle.jit.load",
    "paddle.jit.api.load",
    "paddle.static.load_inference_model",
    "paddle.static.io.load_inference_model",
    "paddle.inference.create_predictor",
    "paddle.base.core.create_predictor",
    "paddle.base.libpaddle.create_predictor",
}
POOLS = {
    "paddle.inference.PredictorPool",
    "paddle.base.core.PredictorPool",
    "paddle.base.libpaddle.PredictorPool",
}


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **more}


@cache
def installing(release: str, when: str) -> dict[str, object]:
    model = str(fixture("2.6.2/classifier").path)
    path = {"PYTHONPATH": str(ROOT)}
    said: dict[str, object] = json.loads(
        run_in(
            *(release, HERE / "installing.py", when, model),
            anew=when == "before",
            environment=path,
        ).splitlines()[-1]
    )
    return said


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("release", releases())
def test_all_three_loaders_are_safe_under_every_name(release: str, when: str) -> None:
    said = installing(release, when)
    assert set(said["safe"]) == NAMES | POOLS
    assert said["layer"]
    assert said["program"]
    assert said["predictor"]
    assert said["pool"]
    assert said["again"]


@pytest.mark.parametrize("release", releases())
def test_install_waits_for_paddle_and_leaves_no_trace_in_it(release: str) -> None:
    said = installing(release, "before")
    assert said["imports paddle"] is False
    assert said["trace"] is False


@pytest.mark.parametrize("release", releases())
def test_nothing_but_the_loaders_is_replaced(release: str) -> None:
    # 3.x has one more name for create_predictor.
    more = {"paddle.incubate.jit.inference_decorator.create_predictor"}
    assert set(installing(release, "after")["replaced"]) | more == NAMES | more


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("release", releases())
def test_uninstall_puts_everything_back(release: str, when: str) -> None:
    said = installing(release, when)
    assert said["finders"]
    assert said.get("left", []) == []
    assert said["kept reference is safe"] is False
    assert said["type"]


def test_install_is_cheap_and_imports_nothing() -> None:
    before = list(sys.meta_path)
    loaded = {name for name in ("paddle", "numpy") if name in sys.modules}
    compatload.install()
    try:
        assert {name for name in ("paddle", "numpy") if name in sys.modules} == loaded
        assert len(sys.meta_path) == len(before) + 1
    finally:
        compatload.uninstall()
    assert sys.meta_path == before


# What follows needs no Paddle: `run` is about the program that it starts.

SCRIPT = """
import json, os, sys
print(json.dumps({
    "argv": sys.argv, "path": sys.path, "name": __name__, "file": globals().get("__file__"),
    "installed": any(type(f).__name__ == "PaddleFinder" for f in sys.meta_path),
    "pid": os.getpid(), "site": sys.modules["sitecustomize"].__file__
        if "sitecustomize" in sys.modules else None,
}))
"""


def run(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "compatload", "run", *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=cwd,
        env=environment(**more),
        check=False,
    )


def said_by(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("separator", [(), ("--",)])
def test_a_script_runs_as_under_python(tmp_path: Path, separator: tuple[str, ...]) -> None:
    script = tmp_path / "deep" / "script.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    plain = subprocess.run(
        [sys.executable, str(script), "-v", "--json", "a b"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        check=True,
    )
    expected = json.loads(plain.stdout)
    said = said_by(run(*separator, str(script), "-v", "--json", "a b", cwd=tmp_path))
    assert said["installed"]
    assert not expected["installed"]
    for name in ("argv", "path", "name", "file"):
        assert said[name] == expected[name], name


def test_a_module_runs_as_under_python(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SCRIPT)
    said = said_by(run("-m", "program", "--help", cwd=tmp_path))
    assert said["installed"]
    assert said["argv"] == [str(tmp_path / "program.py"), "--help"]
    assert said["path"][0] == str(tmp_path)  # type: ignore[index]


def test_pythons_that_the_program_starts_are_safe_too(tmp_path: Path) -> None:
    inner = tmp_path / "inner.py"
    inner.write_text(SCRIPT)
    outer = tmp_path / "outer.py"
    outer.write_text("import subprocess, sys; subprocess.run([sys.executable, 'inner.py'])")
    assert said_by(run(str(outer), cwd=tmp_path))["installed"]
    assert not said_by(run(str(outer), cwd=tmp_path, COMPATLOAD_INSTALL="0"))["installed"]


def test_the_sitecustomize_that_was_there_runs_as_well(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys; sys.argv_was_here = True")
    code = SCRIPT + "\nassert sys.argv_was_here\n"
    (tmp_path / "script.py").write_text(code)
    paths = os.pathsep.join([str(ROOT), str(tmp_path / "site")])
    said = said_by(run("script.py", cwd=tmp_path, PYTHONPATH=paths))
    assert said["installed"]
    assert said["site"] == str(tmp_path / "site" / "sitecustomize.py")


def test_exit_codes_signals_and_errors_are_the_programs_own(tmp_path: Path) -> None:
    assert run("-c", "import sys; sys.exit(42)", cwd=tmp_path).returncode == 42
    killed = run("-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    failed = run("-c", "1 / 0", cwd=tmp_path)
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stderr
    assert "compatload" not in failed.stderr


def test_nothing_to_run_is_a_matter_of_usage(tmp_path: Path) -> None:
    for arguments in ((), ("--",)):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert "script.py" in done.stderr
    assert run("--help", cwd=tmp_path).stdout.startswith("usage: compatload run")
