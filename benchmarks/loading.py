"""What compatload costs: import, inspection, and each drop-in beside Paddle's own call.

    ./develop bench

Every pair is measured in one run, turn and turn about; medians. Limits are those of the project's
issues; a figure over its limit is marked, and nothing here is a test.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from compatload import inspect_artifact
from compatload.artifact.pir_json import parse
from compatload.artifact.program_proto import message
from tests.fixtures.index import fixture
from tests.loading.test_real_models import rapidocr, vision
from tests.releases import python_of

ROUNDS = 15
PROGRAM_BYTES = 2_000_000
WEIGHTS_BYTES = 1 << 30


def main() -> int:
    show("import compatload", import_seconds(), 0.040)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("legacy", legacy_program), ("PIR", pir_program)):
            prefix = make(Path(folder, name))
            seconds = median(lambda path=prefix: inspect_artifact(path))
            show(f"inspect_artifact, {name} program of 2 MB", seconds, 0.005)
        real = str(rapidocr() / "ch_ppocr_mobile_v2_cls_infer" / "inference")
        seconds = median(lambda: inspect_artifact(real))
        show("inspect_artifact, PP-OCR classification as saved (1.6 MB)", seconds, 0.005)
        small, large = (weights(Path(folder, str(n)), n) for n in (1 << 20, WEIGHTS_BYTES))
        show("inspect_artifact, 1 MB of weights", median(lambda: inspect_artifact(small)))
        show("inspect_artifact, 1 GB of weights", median(lambda: inspect_artifact(large)))
    for release in ("2.6.2", "3.3.1"):
        pairs(release)
    return 0


def import_seconds() -> float:
    """Of a fresh interpreter with the import, over one without."""
    return interpreter("import compatload") - interpreter("pass")


def interpreter(code: str) -> float:
    command = [sys.executable, "-c", code]
    return median(lambda: subprocess.run(command, check=True))


def median(call: Callable[[], object]) -> float:
    call()
    measured = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        measured.append(time.perf_counter() - started)
    return statistics.median(measured)


def legacy_program(prefix: Path) -> str:
    """A saved program, its operators repeated until it has 2 MB."""
    source = fixture("2.6.2/transformer").folder
    program = message("ProgramDesc")
    program.ParseFromString((source / "model.pdmodel").read_bytes())
    block = program.blocks[0]
    middle = [op for op in block.ops if op.type not in ("feed", "fetch")]
    while program.ByteSize() < PROGRAM_BYTES:
        block.ops.extend(middle)
    Path(f"{prefix}.pdmodel").write_bytes(program.SerializeToString())
    shutil.copy(source / "model.pdiparams", f"{prefix}.pdiparams")
    return str(prefix)


def pir_program(prefix: Path) -> str:
    """The same for PIR; results of repeated operators get value ids of their own."""
    source = fixture("3.3.1/transformer").folder
    program = parse((source / "model.json").read_bytes())
    operators = program["program"]["regions"][0]["blocks"][0]["ops"]
    middle = [op for op in operators if op["#"] not in ("p", "1.data", "1.fetch")]
    fresh, size = 1_000_000, 0
    while size < PROGRAM_BYTES:
        for operator in middle:
            copy = json.loads(json.dumps(operator))
            for result in copy["O"]:
                fresh += 1
                result["%"] = fresh
            operators.append(copy)
            size += len(json.dumps(copy, separators=(",", ":")))
    text = json.dumps(program, separators=(",", ":"), sort_keys=True)
    Path(f"{prefix}.json").write_text(text)
    shutil.copy(source / "model.pdiparams", f"{prefix}.pdiparams")
    return str(prefix)


def weights(prefix: Path, size: int) -> str:
    """A model with one parameter of that many bytes, in a sparse file."""
    program = message("ProgramDesc")
    block = program.blocks.add(idx=0, parent_idx=-1)
    block.ops.add(type="scale").inputs.add(parameter="X", arguments=["w"])
    variable = block.vars.add(name="w", persistable=True)
    variable.type.type = 7
    variable.type.dense_tensor.tensor.data_type = 5
    variable.type.dense_tensor.tensor.dims.append(size // 4)
    program.version.version = 2006002
    Path(f"{prefix}.pdmodel").write_bytes(program.SerializeToString())
    described = variable.type.dense_tensor.tensor.SerializeToString()
    with open(f"{prefix}.pdiparams", "wb") as file:
        file.write(bytes(16) + len(described).to_bytes(4, "little") + described)
        file.truncate(file.tell() + size)
    return str(prefix)


def pairs(release: str) -> None:
    """Drop-ins beside Paddle's own calls, on artifacts that this release reads by itself."""
    models = [str(fixture(f"{release}/{name}").path) for name in ("classifier", "transformer")]
    if release == "2.6.2":
        models += [str(rapidocr() / "ch_PP-OCRv4_det_infer" / "inference")]
        models += [str(vision() / "resnet18" / "model")]
    script = Path(__file__).with_name("native_pairs.py")
    command = [python_of(release), str(script), str(ROUNDS), *models]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            pair = json.loads(line)
            name = "/".join(Path(pair["model"]).parts[-3:-1])
            show(f"{release} {pair['api']} {name}, paddle", pair["paddle"])
            limit = max(pair["paddle"] + 0.010, pair["paddle"] * 1.05)
            show(f"{release} {pair['api']} {name}, compatload", pair["compatload"], limit)
            show(f"{release} {pair['api']} {name}, never seen before", pair["anew"])


def show(what: str, seconds: float, limit: float | None = None) -> None:
    over = "" if limit is None or seconds <= limit else "  OVER"
    bound = "" if limit is None else f"  (at most {limit * 1000:.1f})"
    print(f"{what:70} {seconds * 1000:8.2f} ms{bound}{over}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
