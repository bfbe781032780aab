from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from matrix.cells import Result
from matrix.journal import Journal

OK = Result("ok", 0.0, 0.25)
CRASH = Result("crash", error="SIGSEGV", confirmed=True)


def test_what_was_recorded_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "deep/journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", "code", OK)
        journal.add("b", "code", CRASH)
    with Journal(path) as journal:
        assert journal.get("a", "code") == OK
        assert journal.get("b", "code") == CRASH
        assert journal.get("c", "code") is None


def test_other_code_does_not_count_unless_any_does(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.add("a", "old", OK)
        assert journal.get("a", "new") is None
        assert journal.get("a", None) == OK


def test_the_last_record_counts(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", "code", CRASH)
        journal.add("a", "code", OK)
    with Journal(path) as journal:
        assert journal.get("a", "code") == OK


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_line_that_a_kill_cut_short_runs_again_and_swallows_nothing(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", "code", OK)
        journal.add("b", "code", OK)
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(path) as journal:
        assert journal.get("a", "code") == OK
        # Cut by one, only the line's end is gone; the record itself is whole.
        assert journal.get("b", "code") == (OK if cut == 1 else None)
        journal.add("c", "code", CRASH)
    with Journal(path) as journal:
        assert journal.get("c", "code") == CRASH


def test_a_killed_writer_loses_nothing_that_it_recorded(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from matrix.cells import Result\n"
        "from matrix.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for number in range(10**9):\n"
        "    journal.add(str(number), 'code', Result('ok', float(number)))\n"
        "    print(number, flush=True)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(25)]
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().split()
    writer.stdout.close()
    writer.wait()
    with Journal(path) as journal:
        for number in [*told, *map(int, rest)]:
            assert journal.get(str(number), "code") == Result("ok", float(number))


def test_a_full_disk_is_told_and_does_not_end_the_run(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal._stream.close()
        journal._stream = Path("/dev/full").open("a", encoding="utf-8")  # noqa: SIM115
        journal.add("a", "code", OK)
        assert journal.get("a", "code") == OK
        assert "space" in str(journal.unwritten)
