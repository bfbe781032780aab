"""Holds what ``compatload check`` predicts from a file alone against what Paddle did with it.

    python -m matrix.predictions              the committed results, of the widest run
    python -m matrix.predictions --journal    every finished cell of this machine's journal
    python -m matrix.predictions --check      say if docs/predictions.md is out of date

Writes ``docs/predictions.md``. Only cells of Paddle's own calls count. The saved networks must lie
where the matrix keeps them (``~/.cache/compatload-matrix``); nothing is run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Artifact
from compatload.checking.prediction import Outcome, Prediction, predict
from compatload.errors import CompatLoadError
from compatload.faults.texts import rule_texts
from compatload.plan import Api
from compatload.runtime.cpu import detect_cpu
from compatload.runtime.detection import runtime_for
from matrix.artifacts import FIXTURES, digest_of
from matrix.cells import Cell, Result
from matrix.environments import home
from matrix.machines import Machines, machines_of
from matrix.pool import ROOT
from matrix.report import latest
from matrix.results import RESULTS, read

DOCUMENT = ROOT / "docs/predictions.md"
APIS = {"jit": Api.LAYER, "static": Api.PROGRAM, "predictor": Api.PREDICTOR}
_OUTCOMES = tuple(outcome.value for outcome in Outcome)
# A process that hangs is one that never answers: as bad as one that dies, and as hard to tell.
_SEEN_AS = {"hang": "crash"}
_BY_DATA = "for some inputs"  # wrong, and ok for others
_PREDICTED = (*_OUTCOMES, _BY_DATA)
_EXAMPLES = 3
# Row of the emulated matrix → the CPU by name that a check is told.
_CPUS = {
    "epyc": "epyc",
    "haswell": "haswell",
    "host": "skylake-server",
    "hygon-dhyana": "hygon-dhyana",
    "nehalem": "nehalem",
    "sandy-bridge": "sandy-bridge",
    "zhaoxin-without-fma": "zhaoxin",
}
_EMULATED_APIS = {"jit": Api.LAYER, "static": Api.PROGRAM}


@dataclass(frozen=True)
class Compared:
    """A cell with what was predicted of it; ``seen`` is what really happened."""

    cell: Cell
    seen: str
    prediction: Prediction

    @property
    def predicted(self) -> str:
        return _BY_DATA if self.prediction.by_data else self.prediction.outcome.value

    @property
    def agrees(self) -> bool:
        return is_as_foretold(self.prediction, self.seen)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.predictions", description=__doc__)
    parser.add_argument("--journal", action="store_true", help="read the journal of this machine")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(arguments)
    machines = Machines(detect_cpu())
    compared = compare(of_journal(), machines) if asked.journal else committed()
    if not compared:
        print("no cells: run python -m matrix.run first, or give --journal", file=sys.stderr)
        return 2
    text = document(compared)
    if asked.check:
        return 0 if DOCUMENT.exists() and DOCUMENT.read_text(encoding="utf-8") == text else 1
    DOCUMENT.write_text(text, encoding="utf-8")
    print(text.split("## ")[1])
    return 0


def committed() -> list[Compared]:
    """The cells of Paddle's own calls in the widest committed run and in those of single faults."""
    folders = [RESULTS / latest(), *sorted((RESULTS / "extra").glob("faults*"))]
    found = [compare(own_calls(read(folder)), machines_of(folder)) for folder in folders]
    return [one for each in found for one in each]


def own_calls(cells: Mapping[Cell, Result]) -> dict[Cell, Result]:
    return {cell: one for cell, one in cells.items() if cell.caller == "paddle"}


def of_journal() -> dict[Cell, Result]:
    """Finished cells whose saved network is still the one that lies there."""
    found: dict[Cell, Result] = {}
    digests: dict[Path, str] = {}
    with (home() / "journal.jsonl").open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                raw = json.loads(line)
                identity, _, rest = str(raw["key"]).partition("@")
                cell, result = Cell.parse(identity), Result.from_dict(raw["result"])
            except (ValueError, KeyError, TypeError):
                continue  # a line that a kill cut short
            folder = place(cell)
            if folder not in digests:
                digests[folder] = digest_of(folder) if folder.is_dir() else ""
            if rest.startswith(digests[folder] + ".") and digests[folder]:
                found[cell] = result
    return own_calls(found)


def place(cell: Cell) -> Path:
    """Where the saved network of a cell lies."""
    kind, _, name = cell.model.partition(":")
    if kind == "fixture" and name:
        return FIXTURES / cell.saver / name
    return home() / "artifacts" / cell.saver / cell.model


def is_as_foretold(prediction: Prediction, seen: str) -> bool:
    """Where data decide, either may be; and a look at the file has said so."""
    by_data = prediction.by_data is not None and seen == prediction.by_data.value
    return by_data or seen == prediction.outcome.value


def compare(cells: Mapping[Cell, Result], machines: Machines) -> list[Compared]:
    """Every cell that was run, in order, with its prediction for the CPU that it was run on."""
    compared = []
    for cell, result, artifact in at_hand(cells):
        runtime = runtime_for(f"paddle=={cell.loader}", cpu=machines.of(cell))
        prediction = predict(artifact, runtime, APIS[cell.api])
        seen = _SEEN_AS.get(result.outcome, result.outcome)
        compared.append(Compared(cell, seen, prediction))
    return compared


def at_hand(cells: Mapping[Cell, Result]) -> Iterator[tuple[Cell, Result, Artifact]]:
    """Every cell that was run and whose saved network is here, in order."""
    artifacts: dict[Path, Artifact | None] = {}
    for cell, result in sorted(cells.items()):
        if result.outcome == "not run" or "-" in cell.loader:
            continue  # GPU builds have rows of their own
        folder = place(cell)
        if folder not in artifacts:
            artifacts[folder] = inspected(folder)
        artifact = artifacts[folder]
        if artifact is not None:
            yield cell, result, artifact


def inspected(folder: Path) -> Artifact | None:
    """The saved network in a folder of the matrix, or None if it lies elsewhere."""
    try:
        prefix = json.loads((folder / "case.json").read_text(encoding="utf-8"))["prefix"]
        return inspect_artifact(folder / prefix if prefix else folder)
    except (OSError, CompatLoadError):
        return None


def spoilt(compared: Iterable[Compared]) -> set[tuple[str, str]]:
    """Networks that no loader of the very release that saved them gives the layer's numbers for:
    they were saved wrong, and no look at the file can tell what the layer was (but for CL118)."""
    own: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for one in compared:
        if one.cell.saver == one.cell.loader:
            own[one.cell.saver, one.cell.model].append(one)
    return {
        which
        for which, several in own.items()
        if len(several) == 3
        and all(one.seen == "wrong" for one in several)
        and all(one.prediction.outcome is not Outcome.WRONG for one in several)
    }


def document(compared: Sequence[Compared]) -> str:
    wrong_files = spoilt(compared)
    kept = [one for one in compared if (one.cell.saver, one.cell.model) not in wrong_files]
    left = [one for one in compared if (one.cell.saver, one.cell.model) in wrong_files]
    unforeseen = [one for one in kept if one.predicted == Outcome.OK.value]
    missed = [one for one in unforeseen if not one.agrees]
    good = [one for one in kept if one.seen == "ok"]
    alarms = [one for one in good if not one.agrees]
    others = [one for one in kept if not one.agrees and one not in missed and one not in alarms]
    return "\n".join(
        [
            "# What `check` predicts, and what Paddle does",
            "",
            "Every cell of the matrix in which Paddle's own call loads a saved network and runs",
            "it, beside what `compatload check` says of that file for that release and that CPU,",
            "without any Paddle. Made by `python -m matrix.predictions`. A hang counts as a crash.",
            "Most conditions were written down from these very cells: agreement here shows that",
            "the rules say what was measured, not how they do on networks that nobody has tried.",
            "`for some inputs`: right with some and wrong with others, such as those of which a",
            "network makes NaN, which is more than a file tells. Each cell was run with one kind.",
            "",
            "## Confusion table",
            "",
            f"{len(kept)} cells.",
            "",
            *_confusion(kept),
            "",
            f'- False "compatible" (predicted ok, was not): {len(missed)} of '
            f"{len(kept) - len(good)}.",
            f"- False alarms (was ok, predicted otherwise): {len(alarms)} of {len(good)} "
            f"({100 * len(alarms) / max(1, len(good)):.2f} %).",
            f"- Trouble foretold, of another kind: {len(others)}.",
            "",
            *_listed('False "compatible"', missed),
            *_listed("False alarms", alarms),
            *_listed("Another kind of trouble", others),
            *_listed(
                "Saved wrong: every loader of the saver's own release gives other numbers than "
                "the layer did; not counted above",
                left,
            ),
            "## By saver, loader and API",
            "",
            *_by_pair(kept),
            "",
            "## Other CPUs",
            "",
            "Fixtures in emulated processors (`matrix/results/x86`), loaded by Paddle's own calls.",
            "",
            *_by_cpu(),
            "",
            "## Rules, and cells that show them",
            "",
            *_by_rule(kept),
            "",
        ]
    )


def _confusion(compared: Iterable[Compared]) -> Iterator[str]:
    counts = Counter((one.seen, one.predicted) for one in compared)
    yield "| was \\ predicted | " + " | ".join(_PREDICTED) + " |"
    yield "|---|" + "---:|" * len(_PREDICTED)
    for seen in _OUTCOMES:
        yield f"| {seen} | " + " | ".join(str(counts[seen, one]) for one in _PREDICTED) + " |"


def _listed(title: str, compared: Sequence[Compared]) -> list[str]:
    if not compared:
        return []
    rows = [
        f"| `{one.cell.id}` | {one.seen} | {one.predicted} | {one.prediction.rule or '—'} |"
        for one in compared
    ]
    return [f"### {title}", "", "| cell | was | predicted | rule |", "|---|---|---|---|", *rows, ""]


def _by_pair(compared: Sequence[Compared]) -> Iterator[str]:
    yield "| saved by | loaded by | API | cells | ok | not ok | predicted right |"
    yield "|---|---|---|---:|---:|---:|---:|"
    groups: dict[tuple[str, str, str], list[Compared]] = defaultdict(list)
    for one in compared:
        groups[one.cell.saver, one.cell.loader, one.cell.api].append(one)
    for (saver, loader, api), group in sorted(groups.items()):
        good = sum(one.seen == "ok" for one in group)
        right = sum(one.agrees for one in group)
        counts = f"{len(group)} | {good} | {len(group) - good} | {right}"
        yield f"| {saver} | {loader} | {api} | {counts} |"


def _by_cpu() -> Iterator[str]:
    yield "| row | predicted as | cells | ok | not ok | predicted right |"
    yield "|---|---|---:|---:|---:|---:|"
    for path in sorted((RESULTS / "x86").glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        cpu = _CPUS.get(row["row"])
        if cpu is None:
            continue
        asked = [one for one in row["cells"] if one["way"] == "paddle" and one["model"]]
        agree = [(one["outcome"], _predicted_on(cpu, one)) for one in asked if one["api"]]
        good = sum(seen == "ok" for seen, _ in agree)
        right = sum(_SEEN_AS.get(seen, seen) == told for seen, told in agree)
        counts = f"{len(agree)} | {good} | {len(agree) - good} | {right}"
        yield f"| {row['label']} | {cpu} | {counts} |"


def _predicted_on(cpu: str, asked: Mapping[str, str]) -> str:
    artifact = inspected(FIXTURES / asked["model"])
    if artifact is None:
        return "—"
    api = _EMULATED_APIS.get(asked["api"]) or Api(asked["api"])
    runtime = runtime_for(f"paddle=={asked['release']}", "cpu", cpu)
    return predict(artifact, runtime, api).outcome.value


def _by_rule(compared: Sequence[Compared]) -> Iterator[str]:
    yield "| rule | what | predicted | cells | right | for example |"
    yield "|---|---|---|---:|---:|---|"
    groups: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for one in compared:
        if one.prediction.rule:
            groups[one.prediction.rule, one.predicted].append(one)
    for (rule, outcome), group in sorted(groups.items()):
        text = rule_texts().get(rule)
        right = [one for one in group if one.agrees]
        shown = ", ".join(f"`{one.cell.id}`" for one in right[:_EXAMPLES])
        yield (
            f"| {rule} | {text.title if text else ''} | {outcome} | {len(group)} | {len(right)} "
            f"| {shown} |"
        )


if __name__ == "__main__":
    sys.exit(main())
