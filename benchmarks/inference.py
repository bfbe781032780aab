"""``inference_only=True`` beside Paddle's jit layer, predictors tuned by hand, and other engines.

    python -m benchmarks.inference [--releases 3.0.0,3.2.2,3.3.1] [--rounds 4] [--output FILE.json]

Everything of one line is measured in one process, turn and turn about. Shown are the median of the
processor time in the quietest turn with one thread, and the fastest call with two; the file has
both, and the median of the time. Whether something is within a few per cent is told by ``pairs``,
short turns of two ways against each other: the median of their ratios, with its quartiles.
Goals: 4 times (classification) to 7 times faster than the jit layer, at most 5 % slower than the
best predictor, as fast on 3.3.1 as on 3.2.2 where 3.3.1 has its bugs, and a first load at most
50 ms over Paddle's own; ``engine="auto"`` at most 3 % slower than the fastest engine.
The column onnxruntime is a session of its own, on the ONNX that ``engine="onnxruntime"`` runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from matrix.engines import python_with_engines
from matrix.environments import home
from tests.loading.test_real_models import rapidocr
from tests.releases import python_of

WORKER = Path(__file__).with_name("inference_worker.py")
SIZES = {
    "det": ("ch_PP-OCRv4_det_infer", "1x3x640x640"),
    "rec": ("ch_PP-OCRv4_rec_infer", "1x3x48x320"),
    "cls": ("ch_ppocr_mobile_v2_cls_infer", "1x3x48x192"),
}
SAVED = {
    "resnet50": "1x3x224x224",
    "mobilenet_v3": "1x3x224x224",
    "upsampling": "1x3x224x224",
    "lstm": "1x80x96",
    "transformer": "1x128x256",
}
SAVED_BY = {"3.3.1": "3.2.2"}  # so that both run the very same file
FASTER = {"cls": 4.0, "upsampling": 1.0, "lstm": 1.0, "transformer": 1.0}
MOST_SLOWER = {"auto": 0.03, "inference_only": 0.05}
LOADS = 8
ENGINES = ("openvino", "auto", "onnxruntime")
OWN_WAYS = ("jit layer", "inference_only", *ENGINES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--releases", default="3.0.0,3.2.2,3.3.1")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--models", default=",".join((*SIZES, *SAVED)))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    wanted = options.models.split(",")
    lines = []
    for release in options.releases.split(","):
        models = {name: place for name, place in places(release).items() if name in wanted}
        for threads in map(int, options.threads.split(",")):
            asked = [f"{name}={path}:{size}" for name, (path, size) in models.items()]
            for line in work(release, threads, "run", str(threads), str(options.rounds), *asked):
                lines.append({"release": release, **line})
                show(lines[-1])
                write(options.output, lines)
        for name in ("cls", "mobilenet_v3"):
            if name in models:
                lines.append({"release": release, **first_load(release, name, models[name][0])})
                show_load(lines[-1])
                write(options.output, lines)
    return 0


def write(output: Path | None, lines: list[dict]) -> None:
    """All lines so far: a run that is ended early has been worth something."""
    if output is not None:
        output.write_text(json.dumps(lines, indent=1) + "\n")


def places(release: str) -> dict[str, tuple[str, str]]:
    """Path and size of input of each model for that release."""
    found = {
        name: (str(rapidocr() / folder / "inference"), size)
        for name, (folder, size) in SIZES.items()
    }
    saved_by = SAVED_BY.get(release, release)
    folder = home() / "benchmark-models" / saved_by
    if not all((folder / name).is_dir() for name in SAVED):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([python_of(saved_by), str(WORKER), "save", str(folder)], check=True)
    return {**found, **{name: (str(folder / name / "model"), size) for name, size in SAVED.items()}}


def work(release: str, threads: int, *arguments: str) -> Iterator[dict]:
    """The JSON lines that the worker prints; the jit layer takes its threads from here."""
    # Compiled once, as what pip installs is.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        [python_with_engines(release), str(WORKER), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**environment, "OMP_NUM_THREADS": str(threads)},
    ) as process:
        for line in process.stdout or ():
            if line.startswith("{"):
                yield json.loads(line)
    if process.returncode:
        print(f"{release}: {' '.join(arguments)}: status {process.returncode}", file=sys.stderr)


def first_load(release: str, name: str, path: str) -> dict[str, object]:
    """Each in fresh interpreters, turn and turn about, the cache warm; the fastest counts."""
    taken: dict[str, list[float]] = {"own": [], "ours": []}
    list(work(release, 1, "load", "ours", path))  # the cache is warm after this
    for _ in range(LOADS):
        for who, seconds in taken.items():
            seconds += [line["seconds"] for line in work(release, 1, "load", who, path)]
    return {"model": name, "load_ms": {who: min(s) * 1000 for who, s in taken.items()}}


def show(line: dict) -> None:
    # Processor time where it means something: others on the machine disturb it least.
    column = 2 if line["threads"] == 1 else 0
    ms = {way: figures[column] for way, figures in line["ms"].items()}
    tuned = {way: value for way, value in ms.items() if way not in OWN_WAYS}
    best = min(tuned, key=tuned.__getitem__)
    ours, goal = ms["inference_only"], FASTER.get(line["model"], 7.0)
    faster = ms["jit layer"] / ours
    print(
        f"{line['release']} {line['model']:13} {line['threads']} threads: "
        f"jit {ms['jit layer']:8.2f} ms, ours {ours:7.2f}, best tuned {tuned[best]:7.2f} ({best}); "
        f"{faster:5.1f} times faster{'  BELOW' if faster < goal else ''}{_engines(ms, tuned[best])}"
        + "".join(_beside(way, *paired) for way, paired in line["pairs"].items()),
        flush=True,
    )


def _engines(ms: dict, tuned: float) -> str:
    """How many times faster than the best predictor each other engine is."""
    told = (f"{way} {ms[way]:.2f} ({tuned / ms[way]:.2f})" for way in ENGINES if way in ms)
    return "".join(f"; {one}" for one in told)


def _beside(way: str, rival: str, lower: float, median: float, upper: float) -> str:
    mark = "  SLOWER" if median > 1 + MOST_SLOWER[way] else ""
    span = f"{lower - 1:+.1%} to {upper - 1:+.1%}"
    return f"; {way} beside {rival} {median - 1:+.1%} ({span}){mark}"


def show_load(line: dict) -> None:
    own, ours = line["load_ms"]["own"], line["load_ms"]["ours"]
    mark = "  OVER" if ours - own > 50 else ""
    print(
        f"{line['release']} {line['model']:13} first load: Paddle {own:.0f} ms, ours {ours:.0f}, "
        f"{ours - own:+.0f}{mark}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
