"""Checks packages of the registry, tries a sample of each rule's findings, and tells of both.

    pip download --no-deps -d PACKAGES -r matrix/findings/registry.txt
    python -m matrix.findings.registry PACKAGES --python 3.3.1=PYTHON --python 2.6.2=PYTHON

Nothing is installed. Each ``PYTHON`` has that Paddle and what compatload needs. The sample is
drawn by a hash of a finding's place: all errors, 20 warnings of a rule, 5 notes of one. What was
tried and how it came out stands in ``matrix/results/registry_findings.json``, and in
``docs/registry-findings.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import tarfile
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compatload.checking.check import check, relative_to
from compatload.checking.settings import Settings
from matrix.pool import ROOT
from matrix.progress import say

PINS = Path(__file__).with_name("registry.txt")
RESULTS = ROOT / "matrix/results/registry_findings.json"
DOCUMENT = ROOT / "docs/registry-findings.md"
_MOST = {"error": 10_000, "warning": 20, "note": 5}
_SHOWN = 5  # of a rule's errors, on the page; all of them are in the results
Tried = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.findings.registry", description=__doc__)
    parser.add_argument("packages", type=Path)
    parser.add_argument("--python", action="append", default=[], metavar="RELEASE=PATH")
    asked = parser.parse_args(arguments)
    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="compatload-") as folder:
        sources = Path(folder)
        unpack_all(asked.packages, sources)
        for one in asked.python:
            release, python = one.split("=", 1)
            told[release] = of_release(release, python, sources)
            RESULTS.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", "utf-8")
    DOCUMENT.write_text("\n".join(page(told)) + "\n", encoding="utf-8")
    return 0


def unpack_all(packages: Path, folder: Path) -> None:
    """The Python files of the pinned packages that lie in a folder, each in one of its own."""
    pinned = {pin.partition("==")[0].lower() for pin in PINS.read_text("utf-8").split()}
    for package in sorted(packages.iterdir()):
        name = name_of(package)
        if name.rpartition("-")[0].lower().replace("_", "-") in pinned:
            unpack(package, folder / name)


def name_of(package: Path) -> str:
    if package.suffix == ".whl":
        return "-".join(package.name.split("-")[:2])
    return package.name.removesuffix(".tar.gz").removesuffix(".zip")


def unpack(package: Path, folder: Path) -> None:
    """The Python files of a wheel or an sdist, and nothing else of it."""
    if package.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(package) as wheel:
            read = {name: wheel.read(name) for name in wheel.namelist() if name.endswith(".py")}
    else:
        with tarfile.open(package) as archive:
            members = [m for m in archive if m.isfile() and m.name.endswith(".py")]
            read = {m.name.partition("/")[2]: archive.extractfile(m).read() for m in members}  # type: ignore[union-attr]
    for name, data in read.items():
        place = folder / name
        if folder.resolve() in place.resolve().parents:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


def of_release(release: str, python: str, sources: Path) -> dict[str, Any]:
    report = relative_to(check([sources], target=release, settings=Settings()), sources)
    found = [one for one in report.findings if one.line is not None]
    by_rule: dict[str, list[Tried]] = defaultdict(list)
    for finding in found:
        by_rule[finding.rule].append(finding.to_dict())
    sample = [
        one
        for rule in sorted(by_rule)
        for one in sorted(by_rule[rule], key=drawn)[: _MOST[str(by_rule[rule][0]["severity"])]]
    ]
    say(f"{release}: {len(sample)} of {len(found)} findings are tried")
    outcomes = [json.loads(line) for line in run(python, sources, sample)]
    counts = {rule: len(several) for rule, several in sorted(by_rule.items())}
    kept = ("rule", "severity", "path", "line", "column", "message", "true", "happened")
    return {
        "summary": report.summary,
        "found": counts,
        "tried": [{key: one[key] for key in kept} for one in outcomes],
    }


def drawn(finding: Tried) -> str:
    place = f"{finding['rule']} {finding['path']}:{finding['line']}:{finding['column']}"
    return hashlib.sha256(place.encode()).hexdigest()


def run(python: str, sources: Path, sample: list[Tried]) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment.pop("FLAGS_enable_pir_api", None)
    done = subprocess.run(
        [python, "-W", "ignore", "-m", "matrix.findings.tried", str(sources)],
        input="\n".join(json.dumps(one) for one in sample),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout.splitlines()


def page(told: dict[str, Any]) -> Iterator[str]:
    pins = PINS.read_text("utf-8").split()
    yield from _HEAD
    yield f"{len(pins)} packages: {', '.join(pins)}."
    for release, of in sorted(told.items(), reverse=True):
        yield from ("", f"## For paddle {release}", "", of["summary"].replace("; ", ": ") + ".", "")
        yield "| severity | found | tried | true | not true | not run |"
        yield "|---|---:|---:|---:|---:|---:|"
        for severity in ("error", "warning", "note"):
            tried = [one for one in of["tried"] if one["severity"] == severity]
            rules = {one["rule"] for one in tried}
            found = sum(count for rule, count in of["found"].items() if rule in rules)
            yield f"| {severity} | {found} | {_counted(tried)} |"
        yield from ("", "| rule | found | tried | true | not true | not run |")
        yield "|---|---:|---:|---:|---:|---:|"
        for rule, count in of["found"].items():
            tried = [one for one in of["tried"] if one["rule"] == rule]
            yield f"| {rule} | {count} | {_counted(tried)} |"
        yield from ("", "| where | rule | true | what happened |", "|---|---|---|---|")
        shown: Counter[str] = Counter()
        for one in of["tried"]:
            shown[one["rule"]] += 1
            if one["severity"] == "error" and shown[one["rule"]] > _SHOWN and one["true"]:
                continue
            answer = {True: "yes", False: "NO", None: "not run"}[one["true"]]
            said = one["happened"].replace("|", "\\|").replace("`", "'")
            yield f"| `{one['path']}:{one['line']}` | {one['rule']} | {answer} | {said} |"


def _counted(tried: list[Tried]) -> str:
    answers = Counter(one["true"] for one in tried)
    return f"{len(tried)} | {answers[True]} | {answers[False]} | {answers[None]}"


_HEAD = (
    "# Findings in packages of the registry",
    "",
    "`compatload check` over packages of PyPI that work with Paddle and that issue 21 does not",
    "name, and a sample of each rule's findings tried in the Paddle that they are said of. Made by",
    "`python -m matrix.findings.registry` (its text says what it needs and how the sample is",
    "drawn); `matrix/findings/tried.py` has the programs. Errors are tried by the statement or the",
    "expression itself, on objects that this Paddle makes; warnings by the function that they",
    "stand in, called on a model that this Paddle saved. Of a rule's true errors five are shown;",
    "all are in `matrix/results/registry_findings.json`.",
    "",
)


if __name__ == "__main__":
    raise SystemExit(main())
