"""Runs inside a real Paddle: does what a campaign's cases say, and tells what came of each.

    python tests/attacks/worker.py < task.json

Paddle is imported once. Cases run in a forked child, many in one; when it dies or hangs, the case
that it was at is told so and the next child goes on behind it. One JSON object a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ.setdefault("COMPATLOAD_CACHE", "off")

from tests.attacks import bundled  # noqa: E402
from tests.attacks.cases import Attack, attack  # noqa: E402
from tests.attacks.crafted import Crafted, make  # noqa: E402
from tests.attacks.deaths import read_death  # noqa: E402
from tests.fixtures.index import fixture  # noqa: E402

CASE_SECONDS = 20
CASES_A_CHILD = 150  # a child is replaced before what it has loaded fills the machine
MEMORY = 5 << 30  # of one child; a larger allocation is an error in it


def attacks(task):
    """(number, attack) of each case of a task."""
    for path in task.get("deaths", ()):
        yield path, read_death(Path(path))
    for kind, operator, place in task.get("crafted", ()):
        entry = Crafted(kind, operator, place)
        case = make(entry, task["target"])
        for call in task["calls"]:
            yield entry.identity, Attack(task["release"], call, case)
    for number in task.get("numbers", ()):
        drawn = (task["seed"], number, task["releases"], task["calls"])
        yield number, attack(*drawn, bundle=bool(task.get("bundle")))


@cache
def stored(model):
    """The inputs that were stored with the sound model."""
    return bundled.inputs(model) if bundled.MARK in model else fixture(model).inputs(0)


def judge(one, folder, mark, preflight):
    """(outcome, detail) of a case; ``mark`` is called before the model is run."""
    from compatload import CompatLoadError
    from tests.attacks.calls import load

    path = str(one.case.write(folder))
    if one.call == "check" and not one.case.prefix:
        path = str(folder)
    arrays = stored(one.case.model)
    try:
        run = load(one.call, path, arrays, preflight=preflight)
    except CompatLoadError as error:
        return "refused", f"{type(error).__name__}: {error.problem}"
    except BaseException as error:
        return "undocumented", f"{type(error).__name__}: {error} at {place(error)}"
    if run is None:
        return "loaded", ""
    mark()
    try:
        run()
        run()
    except BaseException as error:
        return "run-error", type(error).__name__
    return "ran", ""


def place(error):
    """Where in compatload it was raised."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/compatload/" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"


def sockets():
    """The sockets that this process holds."""
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/self/fd/{descriptor}"))
    return {link for link in found if link.startswith("socket:")}


def run_child(cases, write, errors, folder, preflight):
    """Judge cases until done; each answer goes down the pipe before the next case begins."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(errors, 2)

    def say(**what):
        os.write(write, json.dumps(what).encode() + b"\n")

    for _, one in cases:
        os.ftruncate(errors, 0)
        os.lseek(errors, 0, os.SEEK_SET)
        place = Path(folder, str(len(os.listdir(folder))))
        before = sockets()
        outcome, detail = judge(one, place, lambda: say(running=True), preflight)
        if sockets() - before:
            outcome = "opened a socket"
        say(outcome=outcome, detail=detail.replace(str(place), "")[:300])
        shutil.rmtree(place, ignore_errors=True)


class Watched:
    """A forked child and what it has said."""

    def __init__(self, cases, preflight):
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        self.folder = tempfile.mkdtemp(prefix="compatload-campaign-")
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            try:
                run_child(cases, write, self.errors.fileno(), self.folder, preflight)
            finally:
                os._exit(0)
        os.close(write)
        self.pipe, self.buffer = read, b""

    def line(self, seconds):
        """What it says next; "" when it has ended, None when it says nothing for that long."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.pipe], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.pipe, 65536)
            if not data:
                return ""
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def end(self):
        """Its exit status and the end of what it wrote to stderr; its own children go too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.pipe)
        size = os.fstat(self.errors.fileno()).st_size
        self.errors.seek(0)
        said = self.errors.read(min(size, 1 << 20)).decode(errors="replace")
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status, said


def main():
    task = json.load(sys.stdin)
    import_everything()
    cases = list(attacks(task))
    # A preflight, and a command of the crafted corpus, start a Paddle of their own.
    seconds = CASE_SECONDS * (6 if task.get("preflight") or "crafted" in task else 1)
    size = 1 if task.get("apart") else CASES_A_CHILD
    while cases:
        batch = cases[:size]
        done = watch(batch, seconds, bool(task.get("preflight")))
        cases = cases[done:]


def watch(batch, seconds, preflight):
    """Run one child; how many cases are done with."""
    child = Watched(iter(batch), preflight)
    phase, started = "load", time.monotonic()
    for done, (number, one) in enumerate(batch):
        while True:
            line = child.line(seconds)
            if not line:
                status, said = child.end()
                ending = "hang" if line is None else "death"
                report(
                    number, one, f"{ending} at {phase}", told(status, said, line is None), started
                )
                return done + 1
            answer = json.loads(line)
            if "outcome" not in answer:
                phase = "run"
                continue
            report(number, one, answer["outcome"], answer["detail"], started)
            phase, started = "load", time.monotonic()
            break
    child.end()
    return len(batch)


def told(status, said, hung):
    """How a child ended: its signal, whether memory ran out, and the innermost native frames."""
    if hung:
        how = "no answer"
    elif os.WIFSIGNALED(status):
        how = signal.Signals(os.WTERMSIG(status)).name
    else:
        how = f"exit status {os.WEXITSTATUS(status)}"
    if "bad_alloc" in said or "Cannot allocate" in said:
        how += ", out of memory"
    frames = [line.strip() for line in said.splitlines() if line[:2].strip().isdigit()]
    words = [line for line in said.splitlines() if "what():" in line or "Error" in line]
    return " | ".join([how, *words[:2], *frames[-4:]])[:900]


def report(number, one, outcome, detail, started):
    line = {
        "number": number,
        "release": one.release,
        "call": one.call,
        "model": one.case.model,
        "what": one.case.what[:200],
        "cause": one.case.cause,
        "outcome": outcome,
        "detail": detail,
        "must_fail": one.case.must_fail,
        "seconds": round(time.monotonic() - started, 2),
    }
    print(json.dumps(line), flush=True)


def import_everything():
    """What every case needs, before the forks; nothing of it is run."""
    import numpy  # noqa: F401
    import paddle
    import paddle.inference  # noqa: F401

    import compatload
    from compatload.artifact import program_proto

    for name in compatload.__all__:
        getattr(compatload, name)
    program_proto.message("ProgramDesc")
    import compatload.loading.cached
    import compatload.planning
    import compatload.programs.pir_parameters
    import compatload.serving.load
    from compatload.operators.registry import legacy_operators, pir_operators

    for release in ("2.6.2", "3.3.1"):
        len(legacy_operators(release))
        len(pir_operators(release))


if __name__ == "__main__":
    main()
