"""Tell which Paddle, CPU and accelerators there are: what a bug report needs."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from compatload._version import __version__
from compatload.planning import describe
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Runtime

_PACKAGES = ("packaging", "filelock", "protobuf", "numpy", "libcst", "rich", "fsspec")
_VARIABLES = ("COMPATLOAD_", "FLAGS_", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")
EXIT_CODES = "exit codes: 0 told, 2 usage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="a record that `compatload plan --runtime` reads"
    )


def run(arguments: argparse.Namespace) -> int:
    runtime = detect_runtime()
    print(json.dumps(runtime.to_dict(), indent=2) if arguments.json else _text(runtime))
    return 0


def _text(runtime: Runtime) -> str:
    cpu, mode = runtime.cpu, runtime.ir_mode
    devices = ", ".join(f"{d.kind}:{d.index} {d.name or ''}".rstrip() for d in runtime.devices)
    instructions = [name for name in ("avx", "avx2", "fma", "avx512f") if name in cpu.features]
    lines = [
        f"compatload   {__version__}, with {', '.join(_installed())}",
        f"paddle       {describe(runtime)}",
        f"IR           {'PIR' if mode.pir else 'legacy'} ({mode.source})",
        f"python       {runtime.python}, numpy {runtime.numpy or 'none'}, {runtime.platform}",
        f"cpu          {cpu.vendor or '?'} {cpu.name or ''} "
        f"(family {cpu.family}, model {cpu.model}), {cpu.architecture}",
        f"instructions {' '.join(instructions) or 'none of AVX, AVX2, FMA, AVX-512'}",
        f"accelerators {devices or 'none'}",
    ]
    lines += [
        f"environment  {name}={os.environ[name]}" for name in sorted(os.environ) if _told(name)
    ]
    return "\n".join(lines + [f"note         {note}" for note in runtime.notes])


def _installed() -> Iterator[str]:
    """Of what compatload itself, its extras, and Paddle need, what is there."""
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def _told(variable: str) -> bool:
    """Whether it changes what compatload or Paddle do; nothing else of a user's is shown."""
    return variable.startswith(_VARIABLES)
