"""Runs inside a real Paddle: gives damaged artifacts to a drop-in, and tells what came of each.

    python load_damaged.py API COUNT SEED [PART PARTS]

Prints one JSON object a line: ``number``, ``what``, ``outcome`` (refused, loaded, crash, hang,
undocumented) and ``detail``. Cases run in a forked child, many in one; when it dies, the case that
it was at is a crash and the next child goes on behind it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
sys.path[:0] = [str(ROOT), str(TESTS)]

from attacks.damage import damaged, read_model  # noqa: E402
from fixtures.index import fixtures  # noqa: E402

CASE_SECONDS = 60
NAMES = {"classifier", "detector", "while_loop", "if_else", "two_methods", "lstm"}
NAMES |= {"directory_loose", "directory_combined", "no_parameters"}
SAVERS = ("2.6.2", "3.0.0", "3.3.1")


def models():
    return [
        read_model(one.folder, str(one.record["prefix"]))
        for one in fixtures(saved_by=SAVERS)
        if one.name in NAMES
    ]


def load(api, prefix):
    import paddle

    import compatload

    if api == "layer":
        compatload.safe_load(prefix)
    elif api == "predictor":
        compatload.safe_create_predictor(prefix)
    else:
        executor = paddle.static.Executor(paddle.CPUPlace())
        compatload.safe_load_inference_model(prefix, executor)


def judge(api, case, folder):
    from compatload import CompatLoadError

    path = case.write(folder)
    try:
        load(api, str(path))
    except CompatLoadError as error:
        return "refused", type(error).__name__
    except BaseException as error:
        return "undocumented", f"{type(error).__name__}: {error}"[:300]
    return "loaded", "must fail" if case.must_fail else ""


def run_child(api, cases, write):
    """Judge cases until done; each answer goes down the pipe before the next case begins."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            signal.alarm(CASE_SECONDS)
            outcome, detail = judge(api, case, Path(folder, str(case.number)))
            line = json.dumps({"outcome": outcome, "detail": detail})
            os.write(write, line.encode() + b"\n")


def main(api, count, seed, part=0, parts=1):
    import paddle  # noqa: F401 - imported once, before the forks

    cases = [c for c in damaged(models(), count, seed) if c.number % parts == part]
    while cases:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            run_child(api, cases, write)
            os._exit(0)
        os.close(write)
        done = 0
        with os.fdopen(read) as pipe:
            for line in pipe:
                report(cases[done], **json.loads(line))
                done += 1
        _, status = os.waitpid(child, 0)
        if status and done < len(cases):
            hung = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            report(cases[done], "hang" if hung else "crash", f"exit status {status}")
            done += 1
        cases = cases[done:]


def report(case, outcome, detail):
    line = {"number": case.number, "model": case.model, "what": case.what}
    print(json.dumps({**line, "outcome": outcome, "detail": detail}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
