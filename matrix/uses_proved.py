"""Every claim of compatload/checking/data/uses.json asked again of three releases.

    python -m matrix.uses_proved ENVIRONMENTS [--raw FILE]

What 2.6.2, 3.0.0 and 3.3.1 answer now, with both kinds of program, is held against what the table
says of them; and where a use fails for which the check knows what to write instead, that is tried
in the same release. Told in ``docs/uses.md``, with every claim. ``--raw`` keeps the answers, and
goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from compatload.checking.source_rules.uses_table import INSTEAD, Uses, uses
from matrix.program_uses import ROOT, ask, table

PAGE = ROOT / "docs/uses.md"
RELEASES = ("2.6.2", "3.0.0", "3.3.1")
# What is to be written instead → the use of matrix.program_uses that tries it.
TRIED_BY = {
    "Ask the block": "instead: program.global_block()",
    "Go through the operators": "instead: op.results()",
    "Read op.attrs()": "instead: op.attrs()",
    "Load the files with": "Executor.run(fetch_list=variables)",
    "Leave out for_test": "instead: program.clone()",
    "Write str(program)": "instead: str(program)",
    "Write program.global_block().all_parameters()": "instead: block.all_parameters()",
    "Keep it with paddle.static.save_inference_model": "static.save_inference_model()",
    "Give the program itself": "instead: exe.run(program)",
    "Read op.name()": "instead: op.name()",
    "Take the values themselves: op.operands_source()": "instead: op.operands_source()",
    "Take the values themselves: op.results()": "instead: op.results()",
    "Give the variables themselves": "Executor.run(fetch_list=variables)",
    "Write value.get_defining_op()": "instead: value.get_defining_op()",
    "Write the bytes to files": "Predictor.run()",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("environments", type=Path)
    parser.add_argument("--raw", type=Path)
    asked = parser.parse_args()
    answers = answered(asked.environments, asked.raw)
    now = json.loads(table(answers))
    again = Uses(tuple(now["columns"]), {use: tuple(told) for use, told in now["uses"].items()})
    lines = list(page(uses(), again, answers))
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(*lines[8:16], sep="\n")
    return 0


def answered(environments: Path, raw: Path | None) -> dict[str, Any]:
    """Column → what the release answers; columns that ``raw`` has are not asked again."""
    answers: dict[str, Any] = json.loads(raw.read_text("utf-8")) if raw and raw.exists() else {}
    for release in RELEASES:
        for mode in ("legacy", "pir") if release >= "3" else ("legacy",):
            if f"{release} {mode}" in answers:
                continue
            told = ask(environments / release / "bin" / "python", mode)
            answers[f"{release} {mode}"] = told[release]
            if raw:
                raw.write_text(json.dumps(answers), "utf-8")
    return answers


def page(known: Uses, again: Uses, answers: Mapping[str, Any]) -> Iterator[str]:
    claims = list(_claims(known, again, answers))
    advice = list(_advice(known, answers))
    yield from _HEAD
    yield from ("| | asked | as the table says | otherwise |", "|---|---:|---:|---:|")
    for column in again.columns:
        own = [as_said for _, at, _, as_said in claims if at == column]
        yield f"| {column} | {len(own)} | {own.count(True)} | {own.count(False)} |"
    went = sum(goes for _, _, _, goes in advice)
    yield from ("", f"What to write instead: {len(advice)} times tried, {went} times it goes.", "")
    for use, column, said, _ in (claim for claim in claims if not claim[3]):
        yield f"- {use}, {column}: the table says {said!r}, now it is otherwise."
    yield from ("## Claims", "", "| use | " + " | ".join(again.columns) + " |")
    yield "|---|" + "---|" * len(again.columns)
    for use in known.answers:
        cells = (cell(known.answer(use, column)) for column in again.columns)
        yield f"| `{use}` | " + " | ".join(cells) + " |"
    yield from ("", "## Instead", "", "| use that fails | on | instead | tried by | goes |")
    yield "|---|---|---|---|---|"
    for use, column, tried, goes in advice:
        answer = "yes" if goes else "NO"
        yield f"| `{use}` | {column} | {INSTEAD[use]} | `{tried}` | {answer} |"


def _claims(
    known: Uses, again: Uses, answers: Mapping[str, Any]
) -> Iterator[tuple[str, str, str, bool]]:
    """(use, column, what the table says, whether the release says the same)."""
    for use in known.answers:
        for column in again.columns:
            said = known.answer(use, column) or ""
            now = again.answer(use, column)
            if now is None:  # these three agree: the new table leaves such rows out
                now = _plain(use, answers[column])
            yield use, column, said, said == now


def _plain(use: str, answer: Mapping[str, Any]) -> str:
    kind, _, name = use.rpartition(".")
    if use in answer["uses"]:
        told = answer["uses"][use]
        failure = told.get("fails", "") if isinstance(told, dict) else ""
        return "-" if told == "-" or "has no attribute" in failure else failure
    return "" if name in answer["names"].get(kind, ()) else "-"


def _advice(known: Uses, answers: Mapping[str, Any]) -> Iterator[tuple[str, str, str, bool]]:
    for use, text in INSTEAD.items():
        tried = _tried_by(use, text)
        key = use.replace("paddle.static.", "static.") if use.endswith("()") else use
        for column, answer in answers.items():
            if known.failure(key, column) is not None:
                told = answer["uses"].get(tried, {"fails": "never asked"})
                yield use, column, tried, not (isinstance(told, dict) and "fails" in told)


def _tried_by(use: str, text: str) -> str:
    if text.startswith("Write the mkldnn name"):
        name = use.replace("onednn", "mkldnn")
        return name
    return next(tried for begin, tried in TRIED_BY.items() if text.startswith(begin))


def cell(answer: str | None) -> str:
    if not answer:
        return "goes"
    if answer == "-":
        return "not there"
    return answer.removeprefix("=").replace("|", "\\|")[:80]


_HEAD = (
    "# Uses of programs, layers, predictors and their Config",
    "",
    "Written by `python -m matrix.uses_proved`. The check's rules CL311 to CL314 read",
    "`compatload/checking/data/uses.json`, made by asking every measured release; here every claim",
    "of it was asked again of 2.6.2, 3.0.0 and 3.3.1, each use in a process of its own, with PIR",
    "programs and with legacy ones (FLAGS_enable_pir_api=0).",
    "",
)

if __name__ == "__main__":
    raise SystemExit(main())
