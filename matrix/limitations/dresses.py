"""Layers that meet limitations in many dresses: what export does to them, and what is told of it.

    python matrix/limitations/dresses.py --envs ENVS [--again]    measure, then write the table
    python matrix/limitations/dresses.py                          the table alone

Every class of ``dresses/*.py`` is converted, saved and loaded by 2.6.2, 3.0.0 and 3.3.1, each in a
process of its own (child.py), and compared with the dynamic graph. What ``compatload check`` says
of a file with that layer and its export stands beside it. Layers in ``before_*`` were written
before the rules that they led to, the ones in ``after_*`` afterwards.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LAYERS = HERE / "dresses"
RESULTS = HERE.parent / "results" / "dresses.json"
DOCUMENT = ROOT / "docs" / "limitation-dresses.md"
RELEASES = ("2.6.2", "3.0.0", "3.3.1")
sys.path[:0] = [str(ROOT), str(HERE)]

from run import measure  # noqa: E402 - needs the path above

from compatload.checking.finding import Skipped  # noqa: E402
from compatload.checking.sources import check_source  # noqa: E402
from compatload.checking.target import parse_target  # noqa: E402

_EXPORT = "paddle.jit.save({name}(), 'model', input_spec=[{spec}])\n"


def layers() -> Iterator[tuple[str, ast.ClassDef, str]]:
    """Module, class, and a file with what stands above the classes, the class, and its export."""
    for path in sorted(LAYERS.glob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        spec = next(_specification(n) for n in tree.body if _specification(n))
        kinds = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.bases]
        for kind in kinds:
            others = [n for n in tree.body if n not in kinds]
            parts = [_segment(text, n) for n in (*others, kind)]
            if "import paddle" not in parts:
                parts.insert(0, "import paddle")
            yield (
                path.stem,
                kind,
                "\n".join(parts) + "\n" + _EXPORT.format(name=kind.name, spec=spec),
            )


def _segment(text: str, node: ast.stmt) -> str:
    """The lines of a statement, with its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _specification(node: ast.stmt) -> str:
    if not isinstance(node, ast.Assign) or getattr(node.targets[0], "id", "") != "SPEC":
        return ""
    return ", ".join(
        f"paddle.static.InputSpec({shape}, {dtype!r})"
        for shape, dtype in ast.literal_eval(node.value)
    )


def told(text: str, release: str) -> list[str]:
    """The limitations that the check names, beyond notes."""
    findings = check_source("layer.py", text.encode(), parse_target(release))
    if isinstance(findings, Skipped):
        raise SystemExit(f"{findings.reason}:\n{text}")
    return sorted({f.rule for f in findings if f.rule[2] == "4" and f.severity.value != "note"})


def measured(envs: Path | None, again: bool) -> dict[str, dict[str, dict[str, str]]]:
    """Layer → release → what became of it; what is missing is run if there are environments."""
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() and not again else {}
    names = [f"{module}.{kind.name}" for module, kind, _ in layers()]
    outcomes = {name: known.get(name, {}) for name in names}
    for release in RELEASES if envs else ():
        missing = [name for name in names if release not in outcomes[name]]
        cells: list[dict[str, object]] = [
            {
                "row": name.partition(".")[0],
                "form": name.partition(".")[2],
                "full_graph": True,
                "stage": "export",
            }
            for name in missing
        ]
        _, *answers = measure(envs / release / "bin" / "python", cells, LAYERS) or [{}]
        for name, answer in zip(missing, answers):
            outcomes[name][release] = {k: answer[k] for k in ("outcome", "detail") if k in answer}
        RESULTS.write_text(json.dumps(outcomes, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return outcomes


def table(outcomes: dict[str, dict[str, dict[str, str]]]) -> str:
    lines = []
    counts: dict[tuple[str, str], Counter[str]] = {}
    for module, kind, text in layers():
        half = module.partition("_")[0]
        cells = []
        for release in RELEASES:
            happens = outcomes[f"{module}.{kind.name}"][release]["outcome"]
            rules = told(text, release)
            verdict = {(1, 1): "hit", (1, 0): "**missed**", (0, 1): "**false alarm**"}.get(
                (int(happens != "ok"), int(bool(rules))), ""
            )
            counts.setdefault((half, release), Counter())[verdict.strip("*") or "silent"] += 1
            cells.append(" ".join([happens, *rules, verdict]).strip())
        lines.append(f"| {module} {kind.name} | {' | '.join(cells)} |")
    head = [
        "# Limitations in many dresses",
        "",
        "Generated by `python matrix/limitations/dresses.py` from `matrix/results/dresses.json`.",
        "",
        *(__doc__ or "").strip().splitlines()[5:],
        "",
        "A layer that fails, dies, hangs or is wrong is a **hit** if the check names a limitation "
        "in it as a warning or an error, else it is **missed**. A layer that is right and is "
        "warned of is a **false alarm**.",
        "",
        "The second half was first checked with the rules as the first half had left them: of what "
        "fails or is wrong, 17 of 29, 25 of 41 and 24 of 40 were told on 2.6.2, 3.0.0 and 3.3.1, "
        "with 2, 1 and 1 false alarms. What was missed then led to rows 35 to 37 and to more "
        "dresses of the rows before; the table below is with those.",
        "",
        "| half | release | hits | missed | silent and right | false alarms |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for (half, release), found in counts.items():
        numbers = (found[n] for n in ("hit", "missed", "silent", "false alarm"))
        head.append(f"| {half} | {release} | {' | '.join(map(str, numbers))} |")
    head += ["", f"| layer | {' | '.join(RELEASES)} |", "|---|---|---|---|"]
    return "\n".join([*head, *lines]) + "\n"


def shares(outcomes: dict[str, dict[str, dict[str, str]]], release: str) -> tuple[float, float]:
    """Of what fails or is wrong, how much is told; of what is right, how much is warned of."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for module, kind, text in layers():
        fails = outcomes[f"{module}.{kind.name}"][release]["outcome"] != "ok"
        counts[fails, bool(told(text, release))] += 1
    failing = counts[True, True] + counts[True, False]
    right = counts[False, True] + counts[False, False]
    return counts[True, True] / failing, counts[False, True] / right


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--envs", type=Path, help="folder of virtual environments")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    options = parser.parse_args()
    DOCUMENT.write_text(table(measured(options.envs, options.again)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
