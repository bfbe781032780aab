"""The x86 rows in words: one table a question, made from the result files alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.emulation.cpus import ROWS
from matrix.emulation.questions import APIS, IMPORT_RELEASES, LOAD_RELEASES, MODELS, probes

Row = Mapping[str, Any]
CALLERS = ("paddle", "compatload")


def read_rows(folder: Path) -> list[Row]:
    """Every row that was run, in the order of ``ROWS``, others (hardware of people) after."""
    rows = [json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")]
    order = {row.name: number for number, row in enumerate(ROWS)}
    return sorted(rows, key=lambda row: (order.get(row["row"], len(order)), row["row"]))


def report(rows: Sequence[Row]) -> str:
    """Markdown: imports, loads by caller, distances to numbers, what is said there."""
    unrun = [row.label for row in ROWS if row.name not in {one["row"] for one in rows}]
    parts = [
        "Does `import paddle` live?",
        table(["CPU", "run", *IMPORT_RELEASES], map(_imports, rows)),
        "Loads that work, of those asked (Paddle's own call → compatload):",
        table(
            ["CPU", *(f"{release} {api}" for release in LOAD_RELEASES for api in APIS)],
            map(_loads, rows),
        ),
        "Largest relative difference of a correct result to the outputs stored at saving:",
        table(["CPU", *LOAD_RELEASES], (_distances(row, "difference") for row in rows)),
        "And to the host's, where those were at hand:",
        table(
            ["CPU", *LOAD_RELEASES],
            # The host's distance to itself says nothing.
            (_distances(row, "difference_to_host") for row in rows if row["row"] != ROWS[0].name),
        ),
        "What `detect_runtime()` says, and with which rule compatload refuses before importing:",
        table(["CPU", "detected", *LOAD_RELEASES], map(_said, rows)),
    ]
    extra = [line for row in rows for line in _extra(row)]
    if extra:
        parts += ["With one thing changed:", "\n".join(extra)]
    if begun := [line for row in rows for line in _begun(row)]:
        parts += ["Begun and not finished:", "\n".join(begun)]
    if unrun:
        parts.append(f"Not run: {', '.join(unrun)}.")
    return "\n\n".join(parts) + "\n"


def _begun(row: Row) -> list[str]:
    """How many questions have an answer, where some have none."""
    known = next((one for one in ROWS if one.name == row["row"]), None)
    if known is None:
        return []
    asked = {probe.key for probe in probes(known, MODELS, LOAD_RELEASES)}
    answered = asked & {cell["key"] for cell in row["cells"]}
    if answered == asked:
        return []
    return [f"- {row['label']}: {len(answered)} of {len(asked)} questions"]


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cells(row: Row, **wanted: str) -> list[Mapping[str, Any]]:
    return [
        cell for cell in row["cells"] if all(cell[name] == value for name, value in wanted.items())
    ]


def _imports(row: Row) -> list[str]:
    found = {cell["release"]: cell for cell in _cells(row, task="import")}
    words = []
    for release in IMPORT_RELEASES:
        cell = found.get(release)
        if cell is None:
            words.append("–")
        else:
            words.append(
                "yes" if cell["outcome"] == "ok" else cell.get("signal") or cell["outcome"]
            )
    return [row["label"], row["kind"], *words]


def _loads(row: Row) -> list[str]:
    words = [row["label"]]
    for release in LOAD_RELEASES:
        for api in APIS:
            told = []
            for caller in CALLERS:
                cells = _cells(row, task="load", release=release, api=api, way=caller)
                counts = Counter(cell["outcome"] for cell in cells)
                worked, asked = counts.pop("ok", 0), len(cells)
                rest = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
                told.append(f"{worked}/{asked}" + (f" ({rest})" if rest else ""))
            words.append(" → ".join(told) if any(text != "0/0" for text in told) else "–")
    return words


def _distances(row: Row, kind: str) -> list[str]:
    words = [row["label"]]
    for release in LOAD_RELEASES:
        cells = _cells(row, task="load", release=release)
        numbers = [
            cell[kind]
            for cell in cells
            if cell["outcome"] == "ok" and isinstance(cell.get(kind), float)
        ]
        words.append(f"{max(numbers):.1e}" if numbers else "–")
    return words


def _said(row: Row) -> list[str]:
    found = {cell["release"]: cell for cell in _cells(row, task="runtime")}
    described = next((cell["described"] for cell in found.values() if "described" in cell), "–")
    cpu = described.partition(" on ")[2].partition(",")[0] or "–"
    words = []
    for release in LOAD_RELEASES:
        plans = found.get(release, {}).get("plans", {})
        refusals = {plan["refusal"][0] for plan in plans.values() if plan["refusal"]}
        words.append(", ".join(sorted(refusals)) or ("loads" if plans else "–"))
    return [row["label"], cpu, *words]


def _extra(row: Row) -> list[str]:
    ways = dict.fromkeys(cell["way"] for cell in _cells(row, task="load"))
    lines = []
    for way in ways:
        if way in CALLERS:
            continue
        counts = Counter(cell["outcome"] for cell in _cells(row, task="load", way=way))
        told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
        lines.append(f"- {row['label']}, {way}: {told}")
    return lines
