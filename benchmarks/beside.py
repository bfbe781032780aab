"""What a load costs beside another checkout of compatload: one run, turn and turn about.

    python -m benchmarks.beside /path/to/other [--release 3.3.1] [--processes 12] [MODEL ...]
    python -m benchmarks.beside /path/to/other --instructions [--release 3.3.1] [MODEL ...]

A machine that others use is slower now and then by more than what is looked for; two processes that
take turns are slower together. A process may be slower than its like by 5 % for as long as it lives
(where its memory came to lie), so there are many of them, which take turns two by two. Processor
time of the least of five loads; the median of a pair's turns; of these, median and quartiles.

``--instructions`` counts what the processor is told to do, in millions a load, where valgrind is
installed: other work on the machine and the place of memory change nothing, so that 1 % can be seen
in one run. It does not tell how long an instruction takes.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.releases import python_of

HERE = Path(__file__).resolve().parents[1]
FIXTURES = HERE / "tests" / "fixtures"
MODELS = ("classifier", "transformer", "detector")
# Turns of each pair of processes, the first of which only warm up.
_TURNS, _WARM = 10, 3
_LOADER = """
import gc, logging, os, sys, time
code, os.environ["COMPATLOAD_CACHE"] = sys.argv[1:]
sys.path.insert(0, code)
logging.disable(logging.INFO)
import compatload
out = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    gc.collect()
    gc.disable()
    compatload.safe_load(line.strip())
    least = 9.0
    for _ in range(5):
        started = time.process_time()
        layer = compatload.safe_load(line.strip())
        least = min(least, time.process_time() - started)
        del layer
    gc.enable()
    print(least, file=out, flush=True)
"""
# Models come as arguments; what is counted between a zeroing and a dump is five loads.
_COUNTED = """
import gc, logging, os, subprocess, sys
code, os.environ["COMPATLOAD_CACHE"], *models = sys.argv[1:]
sys.path.insert(0, code)
logging.disable(logging.INFO)
import compatload
for model in models:
    for _ in range(4):
        compatload.safe_load(model)
    gc.collect()
    gc.disable()
    subprocess.run(["callgrind_control", "--zero", str(os.getpid())], check=True, stdout=2)
    for _ in range(5):
        compatload.safe_load(model)
    subprocess.run(["callgrind_control", "--dump", str(os.getpid())], check=True, stdout=2)
    gc.enable()
os._exit(0)
"""
_SUM = re.compile(r"^summary: ([0-9]+)$", re.MULTILINE)


class Loader:
    """A process that loads with the compatload of one checkout."""

    def __init__(self, release: str, code: Path, cache: str) -> None:
        command = [str(python_of(release)), "-W", "ignore", "-c", _LOADER, str(code), cache]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def seconds(self, model: str) -> float:
        to, back = self._process.stdin, self._process.stdout
        if to is None or back is None:
            raise RuntimeError("the process has no pipes")
        print(model, file=to, flush=True)
        return float(back.readline())

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a checkout of compatload")
    parser.add_argument("--release", default="3.3.1", help="of Paddle")
    parser.add_argument("--processes", type=int, default=12, help="pairs of them")
    parser.add_argument("--instructions", action="store_true", help="counted, not timed")
    parser.add_argument("models", nargs="*", help="paths; otherwise three fixtures")
    asked = parser.parse_intermixed_args()
    saver = asked.release if (FIXTURES / asked.release).is_dir() else "3.3.1"
    models = asked.models or [str(FIXTURES / saver / name / "model") for name in MODELS]
    for how in ("anew", "recalled"):
        if asked.instructions:
            compare_instructions(asked, how, models)
            continue
        for model in models:
            compare(asked, how, model)
    return 0


def compare(asked: argparse.Namespace, how: str, model: str) -> None:
    measured = [pair(asked, how, model) for _ in range(asked.processes)]
    before, after, changes = (list(column) for column in zip(*measured))
    low, middle, high = statistics.quantiles(changes, n=4)
    print(
        f"{how:8} {'/'.join(Path(model).parts[-3:-1]):32} "
        f"{statistics.median(before) * 1e3:7.3f} ms -> {statistics.median(after) * 1e3:7.3f} ms, "
        f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})",
        flush=True,
    )


def compare_instructions(asked: argparse.Namespace, how: str, models: list[str]) -> None:
    codes = (asked.other.resolve(), HERE)
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda code: instructions(asked, code, how, models), codes)
    for model, old, new in zip(models, before, after):
        name = "/".join(Path(model).parts[-3:-1])
        change = f"{100 * (new / old - 1):+.1f} %"
        print(f"{how:8} {name:32} {old / 1e6:7.3f} M -> {new / 1e6:7.3f} M, {change}", flush=True)


def instructions(asked: argparse.Namespace, code: Path, how: str, models: list[str]) -> list[float]:
    """Those of a load of each model, in one process that loads nothing else."""
    with tempfile.TemporaryDirectory() as place:
        counts = Path(place, "counts")
        cache = "off" if how == "anew" else f"{place}/cache"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        command += [str(python_of(asked.release)), "-W", "ignore", "-c", _COUNTED]
        subprocess.run(
            [*command, str(code), cache, *models],
            check=True,
            capture_output=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        )
        dumps = [Path(f"{counts}.{number + 1}").read_text("ascii") for number in range(len(models))]
    return [int(_SUM.findall(dump)[0]) / 5 for dump in dumps]


def pair(asked: argparse.Namespace, how: str, model: str) -> tuple[float, float, float]:
    """Seconds of two processes, the other checkout's first, and the change in percent."""
    with tempfile.TemporaryDirectory() as place:
        caches = ["off", "off"] if how == "anew" else [f"{place}/other", f"{place}/here"]
        loaders = [
            Loader(asked.release, code, cache)
            for code, cache in zip((asked.other.resolve(), HERE), caches)
        ]
        try:
            seconds = [turns(loaders, model, number) for number in range(_TURNS)][_WARM:]
        finally:
            for loader in loaders:
                loader.end()
    before, after = (statistics.median(column) for column in zip(*seconds))
    return before, after, 100 * (statistics.median(new / old for old, new in seconds) - 1)


def turns(loaders: list[Loader], model: str, number: int) -> tuple[float, float]:
    """Seconds of the other checkout and of this one; who goes first changes."""
    order = (0, 1) if number % 2 else (1, 0)
    seconds = {which: loaders[which].seconds(model) for which in order}
    return seconds[0], seconds[1]


if __name__ == "__main__":
    raise SystemExit(main())
