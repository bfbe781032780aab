"""Writes ``RESULTS.md`` from the answers in ``matrix/results/families``.

python -m matrix.families.report
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "matrix/results/families"
TARGET = Path(__file__).with_name("RESULTS.md")
LOADERS = ("jit", "static", "predictor")
HEAD = """# Conversion of real model families

Written by `python -m matrix.families.report` from `matrix/results/families`; answers are made by
`python -m matrix.families.prove ENVIRONMENTS WORK` (CPU wheels, Linux, Python 3.11).

Networks with random weights, built from the wheels of PaddleClas 2.6.0, PaddleDetection 2.6.0,
PaddleSeg 2.8.0 and PaddleNLP 2.8.1, from `paddle.vision.models`, or from their papers where no
wheel has them (PP-OCR, SLANet, RT-DETR, two-stage detectors). The outputs to be met are those of
the eager layer when it was saved. A cell is the largest `|a − b|` relative to the scale of an
output; up to 1e-5 it counts as agreeing, integers must be equal. `converted`: files written by
compatload, loaded by Paddle's own loaders; `dropins`: files as they were saved, loaded by
compatload.
"""
NOTES = Path(__file__).with_name("NOTES.md")


def read() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*-*.json"))}


def counts(record: Mapping[str, Any]) -> Iterator[str]:
    """Cells of the table of counts."""
    answers = record["answers"]
    yield str(len(answers) + len(record["refused"]))
    yield str(len(record["refused"]))
    yield str(sum(all(answer[0] == "ok" for answer in apis.values()) for apis in answers.values()))
    for api in LOADERS:
        told = Counter(apis[api][0] for apis in answers.values())
        largest = max((apis[api][1] or 0.0 for apis in answers.values() if apis[api][0] == "ok"),
                      default=0.0)  # fmt: skip
        others = ", ".join(f"{n} {outcome}" for outcome, n in sorted(told.items()) if
                           outcome != "ok")  # fmt: skip
        yield f"{told['ok']} (≤ {largest:.1e}){'; ' + others if others else ''}"


def cell(answer: list[Any]) -> str:
    outcome, difference, _ = answer
    shown = "0" if difference == 0 else "" if difference is None else f"{difference:.0e}"
    return shown if outcome == "ok" else f"**{outcome}** {shown}".strip()


def page(records: Mapping[str, Mapping[str, Any]]) -> str:
    """The whole page."""
    head = "| route | models | refused | agree in all three | jit.load | static | predictor |"
    lines = [HEAD, head, "|---" * 7 + "|"]
    for name, record in records.items():
        saver, loader, how = name.split("-")
        lines.append(f"| {saver} → {loader}, {how} | {' | '.join(counts(record))} |")
    lines += ["", "## What does not agree", ""]
    lines += sorted(failures(records)) or ["Nothing."]
    if NOTES.exists():
        lines += ["", NOTES.read_text().strip()]
    lines += ["", "## Every model", "", f"Largest difference by {', '.join(LOADERS)}.", ""]
    lines += table(records)
    return "\n".join(lines) + "\n"


def failures(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name, record in records.items():
        route = " → ".join(name.split("-")[:2]) + f", {name.split('-')[2]}"
        for model, why in record["refused"].items():
            yield f"- {model} ({route}): refused: {why}"
        for model, apis in record["answers"].items():
            bad = {api: answer for api, answer in apis.items() if answer[0] != "ok"}
            told = "; ".join(
                " ".join([api, answer[0], *(f"{part}" for part in answer[1:] if part)])
                for api, answer in bad.items()
            )
            if bad:
                yield f"- {model} ({route}): {told}"


def table(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"| model | {' | '.join(records)} |"
    yield "|---" * (len(records) + 1) + "|"
    for model in sorted({model for record in records.values() for model in record["answers"]}):
        cells = []
        for record in records.values():
            apis = record["answers"].get(model)
            cells.append(" ".join(cell(apis[api]) for api in LOADERS) if apis else "")
        yield f"| {model} | {' | '.join(cells)} |"


def write() -> None:
    TARGET.write_text(page(read()), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.exit(0)
