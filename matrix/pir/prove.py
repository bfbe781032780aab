"""Proves PIR conversion on real releases: every saver's zoo, in every release, in three APIs.

    python matrix/pir/prove.py ENVIRONMENTS WORK [--savers 3.3.1 …] [--loaders 3.0.0 …] [--before]

``ENVIRONMENTS/<release>/bin/python`` are interpreters with that Paddle. Each saver writes the
zoo once; each file is converted for each loader and loaded there. ``--before`` loads the files as
they are, for comparison. What was done already under ``WORK`` is not done again. Results lie in
``WORK/results/<before|after>-<saver>-<loader>.json``; ``--table`` prints the counts that
``RESULTS.md`` holds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from compatload.errors import ConversionError  # noqa: E402
from compatload.programs.pir_versions import convert_pir_bytes  # noqa: E402
from compatload.releases import PIR_VERSIONS  # noqa: E402
from matrix.releases import REPRESENTATIVES  # noqa: E402

LOADERS = [release for releases in PIR_VERSIONS.values() for release in releases]
SAVERS = [release for release in REPRESENTATIVES if release in LOADERS]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "GLOG_minloglevel": "2"}


def run(python: Path, *arguments: object) -> None:
    command = [str(python), "-W", "ignore", *map(str, arguments)]
    subprocess.run(command, env=ENVIRONMENT, check=True, timeout=1800, stderr=subprocess.DEVNULL)


def convert(source: Path, target: Path, release: str) -> dict[str, list[str]]:
    """Converted copies of the models in ``source``; obstacles of those that cannot be."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    refused: dict[str, list[str]] = {}
    for program in sorted(source.glob("*.json")):
        try:
            data, _ = convert_pir_bytes(program.read_bytes(), release)
        except ConversionError as error:
            refused[program.stem] = ["refused", "; ".join(error.obstacles)]
            continue
        (target / program.name).write_bytes(data)
        for suffix in (".pdiparams", ".npz"):
            beside = program.with_suffix(suffix)
            if beside.exists():
                os.link(beside, target / beside.name)
    return refused


def prove(
    environments: Path,
    work: Path,
    saver: str,
    loader: str,
    *,
    before: bool = False,
    names: Sequence[str] = (),
) -> dict[str, dict[str, list[str]]]:
    """What each model of ``saver`` does in ``loader``: outcome and cause by API."""
    results = work / "results" / f"{'before' if before else 'after'}-{saver}-{loader}.json"
    if results.exists():
        return dict(json.loads(results.read_text()))
    results.parent.mkdir(parents=True, exist_ok=True)
    saved = work / "saved" / saver
    if not saved.exists():
        run(environments / saver / "bin" / "python", HERE / "save_zoo.py", saved, *names)
    folder, refused = saved, {}
    if not before:
        folder = work / f"converted-{saver}-{loader}"
        refused = convert(saved, folder, loader)
    partial = results.with_suffix(".part")
    run(environments / loader / "bin" / "python", HERE / "load_zoo.py", folder, partial)
    found = json.loads(partial.read_text())
    found.update(
        {name: dict.fromkeys(("jit", "program", "predictor"), why) for name, why in refused.items()}
    )
    results.write_text(json.dumps(found, indent=1))
    partial.unlink()
    if not before:
        shutil.rmtree(folder)
    return dict(found)


def table(work: Path) -> None:
    """Markdown: how many models load and agree in all three APIs, as they are and converted."""
    print("| saved by | loaded by | models | Paddle alone | crashes of it | converted | refused |")
    print("|---|---|---|---|---|---|---|")
    for saver in SAVERS:
        for loader in LOADERS:
            files = [
                work / "results" / f"{kind}-{saver}-{loader}.json" for kind in ("before", "after")
            ]
            before, after = (json.loads(f.read_text()) if f.exists() else {} for f in files)
            if not after:
                continue
            alone = f"{agreeing(before)} | {outcomes(before, 'crash')}"
            converted = f"{agreeing(after)} | {outcomes(after, 'refused')}"
            print(f"| {saver} | {loader} | {len(after)} | {alone} | {converted} |")


def agreeing(found: dict[str, dict[str, list[str]]]) -> str:
    if not found:
        return "not run"
    return str(sum(all(o == "ok" for o, _ in apis.values()) for apis in found.values()))


def outcomes(found: dict[str, dict[str, list[str]]], outcome: str) -> str:
    """Models that have this outcome through some API."""
    if not found:
        return "not run"
    return str(sum(any(o == outcome for o, _ in apis.values()) for apis in found.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("environments", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--savers", nargs="*", default=SAVERS)
    parser.add_argument("--loaders", nargs="*", default=LOADERS)
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if not options.table:
        for saver in options.savers:
            for loader in options.loaders:
                prove(options.environments, options.work, saver, loader, before=options.before)
    table(options.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
