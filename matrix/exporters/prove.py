"""Runs every exporter in the releases that save, and keeps what it came to.

    python -m matrix.exporters.prove ENVIRONMENTS WORK --detection SOURCES --detection-needs FOLDER
        --language-needs FOLDER [--only NAME] [--saver RELEASE]

Answers are kept in ``matrix/results/exporters.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "matrix" / "results" / "exporters.json"
SAVERS = ("3.0.0", "3.3.1")
LOADERS = ("2.6.2", "3.0.0", "3.3.1")
DETECTION = {
    "rtdetr": "rtdetr/rtdetr_r18vd_6x_coco",
    "rtdetrv2": "rtdetrv2/rtdetrv2_r18vd_120e_coco",
}
NAMES = (*DETECTION, "qwen2")
SECONDS = 1800


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environments", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--detection", type=Path, required=True)
    parser.add_argument("--detection-needs", type=Path, required=True)
    parser.add_argument("--language-needs", type=Path, required=True)
    parser.add_argument("--only", choices=NAMES, action="append")
    parser.add_argument("--saver", choices=SAVERS, action="append")
    asked = parser.parse_args()
    for name in asked.only or NAMES:
        for saver in asked.saver or SAVERS:
            keep(name, saver, told(name, saver, asked))


def told(name: str, saver: str, asked: argparse.Namespace) -> dict[str, object]:
    def python(release: str) -> str:
        return str(asked.environments.resolve() / release / "bin" / "python")

    folder = asked.work.resolve() / saver / name
    folder.mkdir(parents=True, exist_ok=True)
    if name in DETECTION:
        module, what = "detection", DETECTION[name]
        paths = [asked.detection_needs.resolve(), asked.detection.resolve(), ROOT]
        place = asked.detection
    else:
        module, what, paths, place = (
            "language",
            name,
            [asked.language_needs.resolve(), ROOT],
            folder,
        )
    others = [python(release) for release in LOADERS if release != saver]
    command = [python(saver), "-W", "ignore", "-m"]
    done = subprocess.run(
        [*command, f"matrix.exporters.{module}", what, str(folder / "model"), *others],
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"outcome": f"exit {done.returncode}", "told": (done.stdout + done.stderr)[-2000:]}
    answer: dict[str, object] = json.loads(lines[-1])
    return answer


def keep(name: str, saver: str, answer: dict[str, object]) -> None:
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    known.setdefault(name, {})[saver] = answer
    RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(name, saver, answer["outcome"], flush=True)


if __name__ == "__main__":
    main()
