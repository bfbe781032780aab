"""Damaged artifacts by the thousand, loaded and run in real Paddles.

    python -m tests.attacks.campaign --count N --seed S [--releases 2.6.2,3.3.1] [--jobs 2]
        [--calls layer,program,…] [--preflight] [--first K] [--journal FILE] [--keep FOLDER]
    python -m tests.attacks.campaign --bundle …      the 340 networks of ``compatload selftest``,
        in place of the fixtures

Case K of a seed is always the same. Each is loaded, and run twice if it loads, in a child process
that is replaced when it dies. Every outcome goes to the journal, one JSON object a line; started
again with the same journal, it goes on where it was. A death or hang is tried again alone, in a
process of its own, and kept (--keep) once for each cause. Exit code 1 if anything died or hung at
load (with --preflight also at run), or raised what is not documented.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.attacks.cases import CALLS, PREFLIGHT, attack
from tests.attacks.deaths import keep_death
from tests.releases import python_of, run_in

WORKER = Path(__file__).with_name("worker.py")
CASES_A_WORKER = 600
SECONDS = 1200
# How a case ends, the good endings first; what is not documented, kills or hangs is bad at load.
OUTCOMES = ("refused", "loaded", "ran", "run-error", "undocumented")
OUTCOMES += ("death at load", "hang at load", "death at run", "hang at run")
BAD = ("undocumented", "death at load", "hang at load")
ENDINGS = tuple(name for name in OUTCOMES if name.startswith(("death", "hang")))

Line = dict[str, Any]


def main(argv: list[str] | None = None) -> int:
    asked = _arguments(argv)
    journal = Path(asked.journal)
    done = list(_read(journal))
    numbers = range(asked.first, asked.first + asked.count)
    known = {line["number"] for line in done}
    left = [number for number in numbers if number not in known]
    lines = done + _carried_out(asked, left, journal)
    lines, others = _alone(asked, lines)
    found = _confirmed(asked, [line for line in lines if line["outcome"] in ENDINGS])
    print(summary(lines))
    for line in others:
        print(f"only behind others in its process, alone {line['alone']}: {told(line)}")
    for line in found:
        print(f"{line['confirmed']}: {told(line)}")
    bad = ENDINGS + BAD if asked.preflight else BAD
    return 1 if any(line["outcome"] in bad for line in lines) else 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--releases", default="2.6.2,3.3.1", type=_list)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--calls", type=_list, help="by default all of them")
    parser.add_argument("--preflight", action="store_true", help="slow: smaller counts")
    parser.add_argument("--journal", help="by default /tmp/campaign-SEED.jsonl")
    parser.add_argument("--bundle", action="store_true", help="the networks of the selftest")
    parser.add_argument("--keep", help="folder for what died, such as tests/attacks/deaths")
    asked = parser.parse_args(argv)
    asked.calls = asked.calls or list(PREFLIGHT if asked.preflight else CALLS)
    if unknown := sorted(set(asked.calls) - set(CALLS)):
        parser.error(f"no such call: {', '.join(unknown)}")
    if asked.bundle and asked.keep:
        parser.error("what is kept is a change to a fixture")
    kind = ("-preflight" if asked.preflight else "") + ("-bundle" if asked.bundle else "")
    asked.journal = asked.journal or f"/tmp/campaign-{asked.seed}{kind}.jsonl"
    return asked


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _read(journal: Path) -> Iterator[Line]:
    if journal.exists():
        for text in journal.read_text(encoding="utf-8").splitlines():
            if text.endswith("}"):  # the last line may have been cut short
                yield json.loads(text)


def _carried_out(asked: argparse.Namespace, numbers: Sequence[int], journal: Path) -> list[Line]:
    """Give the numbers to workers; their lines, which the journal has as well."""
    tasks = []
    for place, release in enumerate(asked.releases):
        mine = [n for n in numbers if n % len(asked.releases) == place]
        tasks += [
            (release, mine[i : i + CASES_A_WORKER]) for i in range(0, len(mine), CASES_A_WORKER)
        ]
    tasks.sort(key=lambda task: task[1][0])
    lines: list[Line] = []
    lock = threading.Lock()
    started = time.monotonic()

    def work(task: tuple[str, list[int]]) -> None:
        for line in run_worker(task[0], _task(asked, task[1])):
            with lock, journal.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
                lines.append(line)
                if len(lines) % 1000 == 0:
                    speed = len(lines) / (time.monotonic() - started)
                    print(f"{len(lines)} of {len(numbers)}, {speed:.0f} a second", flush=True)

    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(work, tasks))
    return lines


def _task(asked: argparse.Namespace, numbers: Iterable[int]) -> dict[str, Any]:
    return {
        "numbers": list(numbers),
        "seed": asked.seed,
        "releases": asked.releases,
        "calls": asked.calls,
        "preflight": asked.preflight,
        "bundle": asked.bundle,
    }


def run_worker(release: str, task: dict[str, Any]) -> Iterator[Line]:
    """What a worker inside ``release`` says of each case of its task; RuntimeError if it fails."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "COMPATLOAD_CACHE": "off"}
    with subprocess.Popen(
        [python_of(release), str(WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(json.dumps(task).encode())
        process.stdin.close()
        errors: list[bytes] = []
        drain = threading.Thread(target=lambda: errors.extend(process.stderr))
        drain.start()
        for text in process.stdout:
            if text.startswith(b"{"):
                yield json.loads(text)
        drain.join()
    if process.returncode:
        raise RuntimeError(b"".join(errors)[-3000:].decode(errors="replace"))


def tried(release: str, task: dict[str, Any]) -> list[Line]:
    """As :func:`run_worker`, at once, by a process that has imported Paddle already."""
    said = run_in(release, WORKER, seconds=SECONDS, given=json.dumps(task))
    return [json.loads(text) for text in said.splitlines() if text.startswith("{")]


def _alone(asked: argparse.Namespace, lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The lines with those that ended at load as they end in a process of their own, and those
    that ended otherwise there: what ran before them in the process is what ended it, or the
    machine was too busy to answer in time."""
    judged, others = [], []
    for line in lines:
        if line["outcome"] in ("death at load", "hang at load"):
            (again,) = run_worker(line["release"], _task(asked, [line["number"]]))
            if again["outcome"] != line["outcome"]:
                others.append({**line, "alone": again["outcome"]})
                line = again
        judged.append(line)
    return judged, others


def _confirmed(asked: argparse.Namespace, ended: Sequence[Line]) -> list[Line]:
    """One line for each cause, tried again alone, with how it ended then; kept if asked for."""
    causes: dict[tuple[str, str], Line] = {}
    for line in sorted(ended, key=lambda line: (" & " in line["cause"], line["number"])):
        causes.setdefault((line["cause"], line["outcome"]), line)
    found = []

    def confirm(line: Line) -> None:
        (again,) = run_worker(line["release"], _task(asked, [line["number"]]))
        same = again["outcome"] == line["outcome"]
        found.append({**line, "confirmed": "alone too" if same else f"alone {again['outcome']}"})
        # A loop that goes on for ever computes; it cannot be told from one that takes its time.
        endless = line["outcome"] == "hang at run" and "while" in line["model"]
        if same and asked.keep and not endless:
            one = attack(asked.seed, line["number"], asked.releases, asked.calls)
            keep_death(Path(asked.keep), one, again)

    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(confirm, causes.values()))
    return sorted(found, key=lambda line: (line["outcome"], line["cause"]))


def told(line: Line) -> str:
    """One line for people."""
    where = f"{line['release']} {line['call']} {line['outcome']}"
    made = f"{line['cause']} ({line['model']} {line['what']})"
    return f"{line['number']} {where}: {made}: {line['detail']}"


def summary(lines: Sequence[Line]) -> str:
    """A table: releases and calls down, outcomes across."""
    counted = Counter((line["release"], line["call"], line["outcome"]) for line in lines)
    rows = sorted({key[:2] for key in counted})
    text = [f"{'':24}" + "".join(f"{name:>14}" for name in OUTCOMES)]
    for row in [*rows, ("all", "")]:
        cells = [
            sum(n for key, n in counted.items() if key[2] == name and row in (key[:2], ("all", "")))
            for name in OUTCOMES
        ]
        text.append(f"{' '.join(row):24}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(text)


if __name__ == "__main__":
    sys.exit(main())
