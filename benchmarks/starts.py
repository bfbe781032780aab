"""From the start of a process to its first answer: Paddle's own predictor beside compatload's.

    python -m benchmarks.starts [--release 3.3.1] [--models resnet50,mobilenet_v3] [--starts 5]
                                [--workers 8] [--output FILE]

Every start is a fresh interpreter. ``cold``: an empty cache; ``recalled``: the second load of the
same files; ``folded``: recalled after ``compatload fold``, as from the next start on that follows a
slow one. Shown are the least processor seconds of
the call that loads, of that and the first answer, and the least seconds for both (``import paddle``
is before: the same for all); then the same for several workers that start at once, the slowest
of them. The machine's load stands beside it, since others lengthen all but processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.inference import SAVED, SIZES, WORKER, places, write
from matrix.environments import home
from tests.releases import python_of

LARGE = {"bert": "1x128x768"}
WAYS = ("own", "inference_only", "predictor")
ROOT = str(Path(__file__).resolve().parents[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", default="3.3.1")
    parser.add_argument("--models", default="resnet50,mobilenet_v3")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    models = saved(options.release)
    lines = []
    for name in options.models.split(","):
        path, size = models[name]
        with tempfile.TemporaryDirectory() as folder:
            line = {
                "release": options.release,
                "model": name,
                "starts": measured(options, path, size, Path(folder)),
                "load of the machine": os.getloadavg(),
            }
        lines.append(line)
        show(line)
        write(options.output, lines)
    return 0


def saved(release: str) -> dict[str, tuple[str, str]]:
    """The models of benchmarks.inference, those in PIR as this very release saves them."""
    models = places(release)
    folder = home() / "benchmark-models" / release
    if not all((folder / name).is_dir() for name in SAVED):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([python_of(release), str(WORKER), "save", str(folder)], check=True)
    if not (folder / "bert").is_dir():
        subprocess.run(
            [python_of(release), str(WORKER), "save_large", str(folder / "bert")], check=True
        )
    own = {name: (str(folder / name / "model"), size) for name, size in {**SAVED, **LARGE}.items()}
    return {**{name: models[name] for name in SIZES}, **own}


def measured(options, path: str, size: str, folder: Path) -> dict[str, object]:
    """Figures by way and state of the cache; turn and turn about."""
    python, warm, folded = python_of(options.release), folder / "warm", folder / "folded"
    found: dict[str, list[list[float]]] = {}

    def start(way: str, state: str, cache: Path) -> None:
        found.setdefault(f"{way}, {state}", []).append(one(python, way, path, size, cache))

    for way in WAYS[1:]:
        one(python, way, path, size, warm)
    said = subprocess.run(
        [python, "-m", "compatload", "fold", path],
        env=environment(folded),
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    kept = " folded, " in said
    for way in WAYS[1:] if kept else ():
        one(python, way, path, size, folded)
    for number in range(options.starts):
        start("own", "", folder / "unused")
        for way in WAYS[1:]:
            start(way, "cold", folder / f"cold-{way}-{number}")
            start(way, "recalled", warm)
            if kept:
                start(way, "folded", folded)
    result: dict[str, object] = {
        way: [min(column) for column in zip(*figures)] for way, figures in found.items()
    }
    if options.workers:
        states = [("own", warm), ("inference_only", warm)]
        states += [("inference_only", folded)] if kept else []
        for way, cache in states:
            told = f"{options.workers} at once: {way}{', folded' if cache == folded else ''}"
            result[told] = together(options.workers, python, way, path, size, cache)
    return {**result, "said": said.strip().splitlines()[-1:]}


def environment(cache: Path) -> dict[str, str]:
    quiet = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    told = {"COMPATLOAD_CACHE": str(cache), "OMP_NUM_THREADS": "1", "PYTHONPATH": ROOT}
    return {**quiet, **told}


def begun(python: str, way: str, path: str, size: str, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [python, str(WORKER), "answer", way, path, size],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(cache),
    )


def one(python: str, *rest) -> list[float]:
    return finished(begun(python, *rest))


def finished(process: subprocess.Popen[str]) -> list[float]:
    said = process.communicate()[0].strip().splitlines()
    return list(json.loads(said[-1]))


def together(workers: int, *rest) -> list[float]:
    """The slowest of several that start at once."""
    started = [begun(*rest) for _ in range(workers)]
    return [max(column) for column in zip(*map(finished, started))]


def show(line: dict) -> None:
    print(f"{line['release']} {line['model']}, load {line['load of the machine'][0]:.1f}")
    for way, figures in line["starts"].items():
        if way == "said":
            continue
        worked, answered, wall = figures
        own = line["starts"]["own, "][0]
        print(
            f"  {way:34} load {worked:6.3f} s of processor time ({worked / own:4.2f} of Paddle's "
            f"own), first answer {answered:6.3f}, in all {wall:6.3f} s",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
