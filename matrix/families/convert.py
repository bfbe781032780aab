"""Converts saved networks with compatload's conversions. Needs no Paddle.

    PYTHONPATH=. python -m matrix.families.convert SOURCE TARGET legacy|RELEASE [NAME …]

``TARGET/<name>`` holds the converted program and weights beside the same ``case.json`` and
``io.npz``. Refused ones are told in ``TARGET/refused.json``, with every obstacle.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from compatload.artifact.inspection import inspect_artifact
from compatload.errors import CompatLoadError, ConversionError
from compatload.programs.pir_to_legacy.convert import pir_to_legacy
from compatload.programs.pir_versions import convert_pir_bytes
from matrix.families.legacy_files import write_legacy


def convert(source: Path, target: Path, to: str) -> None:
    """One network's folder to another one. Raises ConversionError."""
    record = json.loads((source / "case.json").read_text())
    prefix = record["prefix"]
    program = (source / f"{prefix}.json").read_bytes()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    weights = source / f"{prefix}.pdiparams"
    if to == "legacy":
        parameters = inspect_artifact(str(source / f"{prefix}.json")).parameters
        converted = pir_to_legacy(json.loads(program), parameters)
        write_legacy(converted, parameters, str(target), prefix)
        record["format"] = "legacy"
    else:
        (target / f"{prefix}.json").write_bytes(convert_pir_bytes(program, to)[0])
        if weights.exists():
            os.link(weights, target / weights.name)
    os.link(source / "io.npz", target / "io.npz")
    (target / "case.json").write_text(json.dumps(record, indent=1))


def main(source: Path, target: Path, to: str, names: list[str]) -> int:
    told = target / "refused.json"
    refused: dict[str, str] = json.loads(told.read_text()) if told.exists() else {}
    for name in names or sorted(path.parent.name for path in source.glob("*/case.json")):
        if not names and (target / name / "case.json").exists():
            continue
        refused.pop(name, None)
        try:
            convert(source / name, target / name, to)
        except CompatLoadError as error:
            shutil.rmtree(target / name, ignore_errors=True)
            obstacles = error.obstacles if isinstance(error, ConversionError) else (str(error),)
            refused[name] = "; ".join(obstacles)
            print(name, refused[name], flush=True)
    target.mkdir(parents=True, exist_ok=True)
    told.write_text(json.dumps(refused, indent=1, sort_keys=True))
    print(f"{to}: {len(list(target.glob('*/case.json')))} converted, {len(refused)} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
