"""Forks of a process that has imported Paddle do what ``python`` does."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.releases import ROOT, done_in, releases, run_in

RELEASE = releases()[0]
TELLING = """
import json, os, sys
print(json.dumps([sys.argv, sys.path[0], os.getcwd(), os.environ.get("TOLD"), sys.stdin.read()]))
"""


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("how", ["script", "-c", "-m"])
def test_a_command_gets_what_python_gives_it(how: str, anew: bool, tmp_path: Path) -> None:
    (tmp_path / "telling.py").write_text(TELLING)
    script = str(tmp_path / "telling.py")
    command, name, path = {
        "script": ((script,), script, str(tmp_path)),
        "-c": (("-c", TELLING), "-c", ""),
        "-m": (("-m", "telling"), script, str(ROOT)),
    }[how]
    around = {"TOLD": "this", "PYTHONPATH": str(tmp_path)}
    said = run_in(RELEASE, *command, "a b", 3, anew=anew, environment=around, given="words")
    assert json.loads(said) == [[name, "a b", "3"], path, str(ROOT), "this", "words"]


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize(
    ("code", "status", "complains"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no')", 1, "no"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
        ("import os; os.write(2, b'native'); os._exit(9)", 9, "native"),
    ],
)
def test_it_ends_as_it_does(code: str, status: int, complains: str, anew: bool) -> None:
    done = done_in(RELEASE, "-c", f"print('said', flush=True); {code}", anew=anew)
    assert (done.returncode, done.stdout) == (status, "said\n")
    assert complains in done.stderr
    with pytest.raises(AssertionError, match="said"):
        run_in(RELEASE, "-c", f"print('said', flush=True); {code}", anew=anew)


def test_one_that_takes_too_long_is_killed() -> None:
    assert done_in(RELEASE, "-c", "import time; time.sleep(60)", seconds=0.2).returncode == 124
    assert run_in(RELEASE, "-c", "print('the next one runs')") == "the next one runs\n"


def test_flags_of_paddle_come_too_late_for_a_fork() -> None:
    with pytest.raises(AssertionError, match="too late"):
        run_in(RELEASE, "-c", "", environment={"FLAGS_enable_pir_api": "0"})


def test_nothing_is_left_of_the_one_before() -> None:
    run_in(RELEASE, "-c", "import os, paddle; os.environ['LEFT'] = paddle.left = 'here'")
    code = "import os, paddle; print(hasattr(paddle, 'left'), 'LEFT' in os.environ)"
    assert run_in(RELEASE, "-c", code) == "False False\n"
