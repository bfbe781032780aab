"""Run by a release's interpreter: saves the limitation programs and small models with safe_save.

Prints one JSON object: name → what happened.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(ROOT),
    str(ROOT / "matrix" / "limitations" / "cases"),
    str(Path(__file__).parent),
]
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import paddle  # noqa: E402 - after the paths
from calls import CALLS  # noqa: E402
from models import MODELS  # noqa: E402
from paddle.static import InputSpec  # noqa: E402

from compatload.artifact.record import changed_files, read_record  # noqa: E402
from compatload.errors import ExportError, UnsafeArtifactError  # noqa: E402
from compatload.exporting.safe_save import safe_save  # noqa: E402
from compatload.trials.fork import LIMIT_S, end_of  # noqa: E402


def state(layer) -> dict[str, object]:
    """Everything that safe_save must leave as it was."""
    flags = ["FLAGS_check_nan_inf", "FLAGS_use_mkldnn"]
    if "FLAGS_enable_pir_api" in os.environ:
        flags.append("FLAGS_enable_pir_api")
    return {
        "flags": repr(paddle.get_flags(flags)),
        "dynamic": paddle.in_dynamic_mode(),
        "main": id(paddle.static.default_main_program()),
        "device": paddle.device.get_device(),
        "layer": state_of(layer) if hasattr(layer, "sublayers") else None,
        "environment": dict(os.environ),
    }


def state_of(layer) -> tuple[object, ...]:
    modes = [part.training for part in layer.sublayers(include_self=True)]
    buffers = [
        (name, id(b), b.numpy().tobytes()) for name, b in layer._buffers.items() if b is not None
    ]
    return modes, "forward" in layer.__dict__, len(layer._forward_post_hooks), buffers


def saved(layer, spec, samples=None, **options) -> dict[str, object]:
    before = state(layer)
    paddle.seed(7)
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "model"))
        try:
            record = safe_save(layer, prefix, spec, sample_inputs=samples, **options)
            told = {
                "outcome": "saved",
                "difference": record.difference,
                "remedies": list(record.remedies),
                "warnings": list(record.warnings),
                "loaders": [
                    (one.release, one.loader, one.tried, one.agrees) for one in record.loaders
                ],
                "untried": list(record.untried),
                "inputs": [entry["name"] for entry in record.inputs],
                "read": read_record(prefix + ".compatload") == record,
                "changed": changed_files(record, folder),
            }
        except UnsafeArtifactError as error:
            told = {"outcome": "UnsafeArtifactError", "rule": error.rule, "text": str(error)}
        except ExportError as error:
            told = {"outcome": "ExportError", "rule": error.rule, "text": str(error)}
        told["files"] = sorted(os.listdir(folder))
    after = state(layer)
    told["touched"] = [name for name, value in before.items() if after[name] != value]
    drawn = paddle.rand([4]).numpy().tolist() if paddle.in_dynamic_mode() else None
    paddle.seed(7)
    if drawn is not None and drawn != paddle.rand([4]).numpy().tolist():
        told["touched"].append("random")
    return told


def limitation(row: str, form: str) -> dict[str, object]:
    case = importlib.import_module(row)
    spec = [InputSpec(shape, dtype) for shape, dtype in case.SPEC]
    return saved(getattr(case, form)(), spec)


def exported(name: str) -> dict[str, object]:
    row, _, form = name.partition(":")
    return limitation(row, form) if form else (MODELS | CALLS)[name](saved)


def main() -> None:
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(sys.argv[1:]):
            place = Path(folder, str(number))

            def export(name: str = name, place: Path = place) -> None:
                place.write_text(json.dumps(exported(name)), encoding="utf-8")

            end = end_of(export, LIMIT_S)
            if end.status is not None and end.status < 0:
                end = end_of(export, LIMIT_S)  # now and then 3.3.1 dies of a trace (SIGSEGV)
            if end.status != 0:
                sys.exit(f"{name} was not exported: {end}")
            results[name] = json.loads(place.read_text(encoding="utf-8"))
    sys.stdout.flush()
    print("\n" + json.dumps(results))


if __name__ == "__main__":
    main()
