"""How a Python script is started on a CPU: natively, in qemu-user, or under a real kernel."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matrix.emulation.cpus import CpuRow

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROBE = HERE / "probe.py"

# A preset core type forces OpenBLAS kernels that an older CPU may not have.
_UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")
_SET = {
    "PYTHONPATH": str(ROOT),
    "OMP_NUM_THREADS": "1",
    # libiomp5 asks for CPU affinity, which ends qemu-user when MKL starts a second thread.
    "KMP_AFFINITY": "disabled",
}


@dataclass(frozen=True)
class Ending:
    """How a process ended. ``signal`` is its name where one killed it, under emulation too."""

    code: int
    signal: str | None
    timed_out: bool
    stderr: str

    @classmethod
    def of(cls, code: int, stderr: str, timed_out: bool = False) -> Ending:
        # A shell reports a signal as 128 + n, and so does qemu-user where it cannot die by it.
        number = -code if code < 0 else code - 128
        name = None
        if code < 0 or 128 < code < 128 + 65:
            name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return cls(code, None if timed_out else name, timed_out, stderr)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What a probe runs under: no Paddle flag of the caller's, one thread."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _UNSET and not name.startswith("FLAGS_")
    }
    return {**kept, **_SET, **extra}


def command(row: CpuRow, python: Path, arguments: Sequence[str]) -> list[str]:
    """The command line that runs ``python`` on the row's CPU."""
    if row.model is None:
        return [str(python), *arguments]
    emulator = os.environ.get("QEMU_USER", "qemu-x86_64")
    # argv[0] tells the interpreter which virtual environment it belongs to.
    return [emulator, "-cpu", row.model, "-0", str(python), str(python.resolve()), *arguments]


def start_server(
    row: CpuRow, python: Path, job: Path, seconds: float, kernel: Path | None
) -> subprocess.Popen[bytes]:
    """A process that answers ``job/jobs.json``; under a real kernel it sees ``job`` as ``inside``.

    ``seconds`` is the limit for one question.
    """
    if kernel is None:
        words = command(row, python, [str(PROBE), "--serve", str(job), str(seconds)])
        settings = environment({})
    else:
        words = [str(HERE / "boot.sh"), str(kernel), str(row.model), str(job), "86400"]
        settings = dict(os.environ)
        (job / "probes.sh").write_text(guest_script(python, seconds))
    with (job / "server.err").open("wb") as errors:
        return subprocess.Popen(
            words,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=settings,
            start_new_session=True,
        )


def inside(job: Path, kernel: Path | None) -> Path:
    """What the server calls its job folder."""
    return job if kernel is None else Path("/run/job")


def read_ending(job: Path, number: int) -> Ending | None:
    """How the question of that number ended; None if it has not."""
    said = read_result(job / f"{number}.ending.json")
    code, timed_out = said.get("code"), said.get("timed_out")
    if not isinstance(code, int):
        return None
    errors = job / f"{number}.err"
    return Ending.of(code, _text(errors.read_bytes()) if errors.exists() else "", bool(timed_out))


def guest_script(python: Path, seconds: float) -> str:
    """What the guest runs: the server, in the environment that all probes have."""
    settings = [f"export {name}={shlex.quote(value)}" for name, value in _SET.items()]
    server = shlex.join([str(python), str(PROBE), "--serve", "/run/job", str(seconds)])
    return "\n".join(
        [
            *settings,
            f"unset {' '.join(_UNSET)}",
            f"cd {shlex.quote(str(ROOT))}",
            f"{server} >/dev/null 2>/run/job/server.err",
            "",
        ]
    )


def read_result(path: Path) -> dict[str, object]:
    """What a probe wrote before it ended, however it ended; {} if it wrote nothing."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _text(raw: bytes) -> str:
    lines = raw.decode("utf-8", "replace").splitlines()
    return "\n".join(line for line in lines if "TCG doesn't support" not in line)
