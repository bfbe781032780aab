"""Speed and memory of converting PIR programs, on one made of a real one many times over.

python matrix/pir/benchmark.py [MEGABYTES]
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from compatload.programs.pir_versions import convert_pir_bytes  # noqa: E402

SAVED = ROOT / "tests" / "programs" / "pir_programs" / "3.3.1.json.gz"


def repeated(names: list[str], size: int) -> bytes:
    """One program with the operators of the named ones, over and over, up to ``size`` bytes."""
    texts = json.loads(gzip.decompress(SAVED.read_bytes()))
    programs = [json.loads(texts[name]) for name in names]
    block = programs[0]["program"]["regions"][0]["blocks"][0]
    part = [
        item
        for program in programs
        for item in program["program"]["regions"][0]["blocks"][0]["ops"]
    ]
    length = len(json.dumps(part, separators=(",", ":")))
    block["ops"] = [item for _ in range(size // length + 1) for item in copy.deepcopy(part)]
    return json.dumps(programs[0], separators=(",", ":")).encode()


def speed(work: Callable[[], Any], size: int) -> tuple[float, float]:
    """Megabytes per second by the clock and by the processor's time, best of three."""
    clock, processor = [], []
    for _ in range(3):
        start = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return size / 1e6 / min(clock), size / 1e6 / min(processor)


_ALONE = """
import sys
from compatload.programs.pir_versions import convert_pir_bytes
from compatload.errors import DamagedArtifactError
try:
    convert_pir_bytes(open(sys.argv[1], "rb").read(), "3.0.0")
except DamagedArtifactError:
    pass
# Not ru_maxrss: a child inherits its parent's.
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def peak_memory(data: bytes) -> float:
    """Megabytes that a process needs which does nothing but convert this."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(data)
        file.flush()
        command = [sys.executable, "-c", _ALONE, file.name]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, check=True, capture_output=True, env=environment)
    return float(done.stdout) / 1e3


def main(size: int) -> None:
    kinds = {
        "attributes only": ["transformer_layer", "lstm", "bilinear", "max_pool2d_ceil"],
        "with operators that 3.0 lacks": ["transformer_layer", "median", "masked_fill_broadcast"],
    }
    for kind, names in kinds.items():
        data = repeated(names, size)
        for target in ("3.0.0", "3.3.1"):
            clock, processor = speed(lambda: convert_pir_bytes(data, target), len(data))  # noqa: B023
            print(f"{kind}: 3.3.1 → {target}: {clock:.0f} MB/s ({processor:.0f} of processor time)")
    indented = json.dumps(json.loads(data), indent=1).encode()
    clock, processor = speed(lambda: convert_pir_bytes(indented, "3.0.0"), len(indented))
    print(f"indented, so parsed as a whole: {clock:.0f} MB/s ({processor:.0f} of processor time)")
    for kind, text in (("as Paddle writes it", data), ("indented", indented)):
        peak = peak_memory(text) - peak_memory(b"{}")
        print(f"memory for {len(text) / 1e6:.0f} MB of JSON, {kind}: {peak:.0f} MB")


if __name__ == "__main__":
    main(int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 20_000_000)
