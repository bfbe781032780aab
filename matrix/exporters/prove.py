"""Runs every exporter in the releases that save, and keeps what it came to.

    python -m matrix.exporters.prove ENVIRONMENTS WORK --detection SOURCES --detection-needs FOLDER
        --language-needs FOLDER [--only NAME] [--saver RELEASE]

Answers are kept in ``matrix/results/exporters.json``, and told in ``docs/exporters.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "exporters.md"
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
    if answer["outcome"] == "saved":
        answer["compatload"] = {
            release: loaded(python(release), folder / "model") for release in LOADERS
        }
    return answer


_LOADED = """
import sys
from compatload import safe_load
for asked in ({}, {"inference_only": True}):
    safe_load(sys.argv[1], verify=True, **asked)
"""


def loaded(python: str, prefix: Path) -> str:
    """What is wrong where compatload loads the model, as a layer and with a predictor, and compares
    it with what ``safe_save`` recorded; ``""`` where nothing is."""
    done = subprocess.run(
        [python, "-W", "ignore", "-c", _LOADED, str(prefix)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def keep(name: str, saver: str, answer: dict[str, object]) -> None:
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    known.setdefault(name, {})[saver] = answer
    RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(known), encoding="utf-8")
    print(name, saver, answer["outcome"], flush=True)


def page(known: dict[str, Any]) -> str:
    """The answers as a page: a row an exporter and a release that saved."""
    lines = [
        "# Exporters of others, through safe_save",
        "",
        "Written by `python -m matrix.exporters.prove` from `matrix/results/exporters.json`.",
        "PaddleDetection's sources (commit 666f597f; its wheels hold no RT-DETR) and paddlenlp",
        "3.0.0b4 from PyPI, neither of them changed, with random weights: RT-DETR and RT-DETRv2",
        "with the specification that their trainer makes (a dict in a list), images of 128 × 128;",
        "Qwen2 with batch and length free, on three sizes. Saved for `>=2.6.2`, and loaded",
        "by Paddle's own three loaders, a predictor in its default Config. A number is the largest",
        "difference from the eager layer, relative to the output's scale, over all samples.",
        "3.3.1's own predictor does not run the detectors (CL201). Behind `+` stands what becomes",
        "of the file in compatload there, as a layer and as a predictor, beside what was stored.",
        "",
        "| exporter | saved by | eager | " + " | ".join(f"in {one}" for one in LOADERS) + " |",
        "|---|---|---|" + "---|" * len(LOADERS),
    ]
    told = []
    for name, savers in sorted(known.items()):
        for saver, answer in sorted(savers.items()):
            cells = [_cell(answer, release) for release in LOADERS]
            eager = answer.get("difference")
            first = answer["outcome"] if eager is None else f"{eager:.1e}"
            lines.append(f"| {name} | {saver} | {first} | " + " | ".join(cells) + " |")
            said = (*answer.get("remedies", ()), *answer.get("untried", ()))
            told += [f"- {name}, {saver}: {_shortened(one)}" for one in said]
    return "\n".join([*lines, "", "## What was told", "", *told, ""])


def _cell(answer: dict[str, Any], release: str) -> str:
    own = [one for one in answer.get("loaders", ()) if one["release"] == release]
    told = ", ".join(
        f"{one['loader']} {one['difference']:.1e}" if one["agrees"] else f"{one['loader']} fails"
        for one in own
    )
    problem = answer.get("compatload", {}).get(release)
    return told if problem is None else f"{told} + {problem or 'both agree'}"


def _shortened(text: str) -> str:
    """Without the folders of the machine that it was run on."""
    return re.sub(r"/\S*/(?=(ppdet|paddlenlp)/)", "", text)


if __name__ == "__main__":
    main()
