"""Keeps the readers' answers and writes ``RESULTS.md`` from them.

python -m matrix.readers.report [RESULTS.json …]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.readers.comparison import TOLERANCE

RESULTS = Path(__file__).resolve().parents[1] / "results/readers"
TARGET = Path(__file__).with_name("RESULTS.md")
HEAD = f"""# Converted programs, read by others

Models saved by Paddle 3.3.1 as PIR (`matrix/families`), converted to legacy programs by compatload
(`python -m matrix.families.convert SAVED CONVERTED legacy`), then read by programs that parse
legacy programs on their own and read no PIR. Outputs are compared with those of Paddle 3.3.1's
eager layer, relative to each output's scale; up to {TOLERANCE:g} counts as equal, integers must be.

    envs/openvino/bin/python -m matrix.readers.openvino CONVERTED openvino.json
    envs/paddle2onnx/bin/python -m matrix.readers.paddle2onnx CONVERTED paddle2onnx.json
    python -m matrix.readers.report openvino.json paddle2onnx.json

Written by the last of these. Paddle 2.6.2 gives the stored outputs from all of the same files
(`matrix/families/RESULTS.md`). Where a reader does not, the control at the end gives it the model
as Paddle 2.6.2 saves it itself: what fails there in the same way is the reader's own limit. All
that fail do so, or lack an operator that one of those in the control lacks (`unbind`, GRU), but for
FasterRCNN, whose `distribute_fpn_proposals` neither of the readers has.
"""


def read() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob("[!c]*.json"))]


def control() -> list[dict[str, Any]]:
    """Answers for files that Paddle 2.6.2 saved itself."""
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob("control-*.json"))]


def lines(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield HEAD
    yield "| reader | models | equal | largest difference | wrong | error | crash |"
    yield "|---" * 7 + "|"
    for record in records:
        answers = record["answers"].values()
        told = Counter(answer[0] for answer in answers)
        largest = max((answer[1] for answer in answers if answer[0] == "ok"), default=0.0)
        rest = " | ".join(str(told[outcome]) for outcome in ("wrong", "error", "crash"))
        reader = f"{record['reader']} {record['version']}"
        yield f"| {reader} | {len(answers)} | {told['ok']} | {largest:.1e} | {rest} |"
    yield ""
    yield from table(records)
    if files := control():
        yield ""
        yield "## Control: saved by Paddle 2.6.2 itself, nothing converted"
        yield ""
        yield from table(files)


def table(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every model's answer by reader."""
    yield f"| model | {' | '.join(record['reader'] for record in records)} |"
    yield "|---" * (len(records) + 1) + "|"
    for model in sorted({model for record in records for model in record["answers"]}):
        cells = (cell(record["answers"].get(model)) for record in records)
        yield f"| {model} | {' | '.join(cells)} |"


def cell(answer: Sequence[Any] | None) -> str:
    if answer is None:
        return "not run"
    outcome, difference, cause = answer
    if outcome == "ok":
        return f"{difference:.1e}"
    return f"{outcome}: {cause or difference}".replace("|", "/")


def page() -> str:
    return "\n".join(lines(read())) + "\n"


def keep(given: Path) -> None:
    record = json.loads(given.read_text())
    RESULTS.mkdir(parents=True, exist_ok=True)
    prefix = "control-" if given.stem.startswith("control") else ""
    (RESULTS / f"{prefix}{record['reader']}.json").write_text(
        json.dumps(record, indent=0, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    for _given in sys.argv[1:]:
        keep(Path(_given))
    TARGET.write_text(page(), encoding="utf-8")
