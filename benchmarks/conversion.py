"""What conversion costs: its speed, its memory, and a load from a warm cache.

    python -m benchmarks.conversion

Limits are those of the project's issues; a figure beyond its limit is marked, and nothing here is
a test. Loads are measured in one run beside Paddle's own loading of the same model in the format
that the release reads by itself, turn and turn about; medians of processor time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from compatload import convert
from compatload.programs.pir_versions import convert_pir_bytes
from matrix.pir.benchmark import repeated, speed
from tests.loading.test_real_models import rapidocr, vision
from tests.releases import python_of

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 9
JSON_BYTES = 20_000_000
WEIGHTS_BYTES = 1 << 30
_FASTEST, _MOST_BEYOND_WEIGHTS, _SLOWER = 20.0, 300 << 20, 1.10

_ALONE = """
import sys
from compatload import convert
convert(sys.argv[1], sys.argv[2], to=sys.argv[3], verify=False)
# Not ru_maxrss: a child inherits its parent's.
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def main() -> int:
    program = repeated(["transformer_layer", "lstm", "bilinear", "max_pool2d_ceil"], JSON_BYTES)
    clock, processor = speed(lambda: convert_pir_bytes(program, "3.0.0"), len(program))
    show("PIR 3.3.1 → 3.0.0, 20 MB of JSON", processor, "MB/s of processor time", least=_FASTEST)
    show("", clock, "MB/s by the clock")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory(folder)
        loads(folder)
    return 0


def memory(folder: Path) -> None:
    """Of a process that converts a model with 1 GB of weights."""
    from tests.exporting.test_convert import large_model

    large_model(folder / "large", WEIGHTS_BYTES)
    for to in ("legacy", "pir-v1"):
        command = [sys.executable, "-c", _ALONE, str(folder / "large"), str(folder / to), to]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        most = (WEIGHTS_BYTES + _MOST_BEYOND_WEIGHTS) / 1e6
        show(f"convert, 1 GB of weights, to {to}", int(done.stdout) * 1024 / 1e6, "MB", most=most)


def loads(folder: Path) -> None:
    """PIR of 3.3.1 from a warm cache on 3.0.0 and 2.6.2, beside what those read by themselves."""
    newest = python_of("3.3.1")
    originals = {
        "PP-OCRv4 det": rapidocr() / "ch_PP-OCRv4_det_infer" / "inference",
        "resnet18": vision() / "resnet18" / "model",
    }
    pairs: dict[str, list[str]] = {"2.6.2": [], "3.0.0": []}
    for name, legacy in originals.items():
        source, old = str(folder / name / "newest"), str(folder / name / "old")
        convert(legacy, source, to="paddle==3.3.1", verify=False, interpreters=[newest])
        convert(source, old, to="paddle==3.0.0", verify=False)
        pairs["2.6.2"] += [str(legacy), source]
        pairs["3.0.0"] += [old, source]
    script = Path(__file__).with_name("warm_cache.py")
    environment = {**os.environ, "COMPATLOAD_CACHE": str(folder / "cache")}
    for release, models in pairs.items():
        command = [python_of(release), "-W", "ignore", str(script), str(ROUNDS), *models]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                pair = json.loads(line)
                what = f"{release} {pair['api']} {Path(pair['model']).parent.name}"
                own = pair["paddle"] * 1000
                show(f"{what}, native", own, "ms")
                show(f"{what}, warm cache", pair["compatload"] * 1000, "ms", most=own * _SLOWER)


def show(
    what: str, figure: float, unit: str, least: float | None = None, most: float | None = None
) -> None:
    beyond = (least is not None and figure < least) or (most is not None and figure > most)
    limit = f"  (at least {least:.0f})" if least is not None else ""
    limit += f"  (at most {most:.1f})" if most is not None else ""
    print(f"{what:45} {figure:9.1f} {unit}{limit}{'  BEYOND' if beyond else ''}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
