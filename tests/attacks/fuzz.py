"""Fuzz every reader with atheris: ``./develop fuzz --minutes 30``.

    python -m tests.attacks.fuzz [--minutes N] [--reader NAME ...] [--findings FOLDER]

Coverage guides it, seeds are the fixtures. The time is divided among the readers; each runs in a
process of its own, which is started again after a crash or a hang. What a reader may not do (end
in an undocumented exception, take too long) is kept once for each place in the code as
``FOLDER/<reader>/<hash>``, by default tests/attacks/findings, where a test replays it. Exit code 1
if anything was found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FINDINGS = HERE / "findings"
READERS = (
    "legacy_program",
    "pir_program",
    "legacy_weights",
    "pir_weights",
    "info_pickle",
    "state_pickle",
    "directory",
    "pir_as_legacy",
    "text_program",
)
LARGEST_INPUT = 16_384
SLOW_SECONDS = 10
MEMORY_MB = 3_000


def main(argv: list[str] | None = None) -> int:
    arguments = _arguments(argv)
    if arguments.child:
        _fuzz(arguments.child, Path(arguments.findings), Path(arguments.corpus), arguments.seconds)
        return 0
    before = set(_kept(arguments.findings))
    each = arguments.minutes * 60 / len(arguments.reader)
    for reader in arguments.reader:
        print(json.dumps({"reader": reader, **_campaign(reader, each, arguments)}), flush=True)
    found = sorted(set(_kept(arguments.findings)) - before)
    for path in found:
        print(f"found: {path}")
    return 1 if found else 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="in all")
    parser.add_argument("--reader", nargs="+", choices=READERS, default=READERS)
    parser.add_argument("--findings", default=str(FINDINGS))
    parser.add_argument("--child", choices=READERS, help=argparse.SUPPRESS)
    parser.add_argument("--corpus", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def _kept(findings: str) -> list[Path]:
    return [path for path in Path(findings).glob("*/*") if path.is_file()]


def _campaign(reader: str, seconds: float, arguments: argparse.Namespace) -> dict[str, object]:
    """Fuzz one reader for that long; how many inputs it was given and how many were kept."""
    end = time.monotonic() + seconds
    inputs, deaths = 0, 0
    with tempfile.TemporaryDirectory(prefix="compatload-fuzz-") as name:
        corpus = Path(name, "corpus")
        corpus.mkdir()
        seeds = _plant(reader, corpus)
        while (left := int(end - time.monotonic())) > 0:
            counted = Path(name, "count")
            counted.unlink(missing_ok=True)
            process = subprocess.run(
                [
                    *(sys.executable, "-m", "tests.attacks.fuzz", "--child", reader),
                    *("--findings", arguments.findings, "--corpus", str(corpus)),
                    *("--seconds", str(left)),
                ],
                cwd=ROOT,
                env={**os.environ, "COMPATLOAD_FUZZ_COUNT": str(counted)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
            inputs += int(counted.read_text()) if counted.exists() else 0
            if process.returncode and end - time.monotonic() > 1:
                deaths += 1
                if _keep_native(reader, Path(name), arguments.findings) == 0:
                    sys.stderr.buffer.write(process.stderr[-4000:])
                    raise SystemExit(f"{reader}: the fuzzer itself failed")
        grown = sum(1 for _ in corpus.iterdir()) - seeds
    return {"seconds": round(seconds), "inputs": inputs, "new coverage": grown, "deaths": deaths}


def _plant(reader: str, corpus: Path) -> int:
    """Seeds: files of the fixtures that this reader reads."""
    from compatload.artifact.program_desc import parse
    from tests.attacks.readers import NAMES
    from tests.fixtures.index import HERE as FIXTURES

    endings = {
        "legacy_program": ("pdmodel",),
        "text_program": ("pdmodel",),
        "pir_program": ("json",),
        "pir_as_legacy": ("json",),
        "legacy_weights": ("pdiparams",),
        "pir_weights": ("pdiparams",),
        "info_pickle": ("info",),
        "state_pickle": ("pdparams", "pdopt", "pdtensor"),
        "directory": ("pdmodel", "json", "pdiparams", "info", "meta"),
    }[reader]
    places = [FIXTURES, HERE.parent / "artifact" / "data", FINDINGS / reader]
    files = [path for place in places for path in sorted(place.rglob("*")) if path.is_file()]
    for path in files:
        wanted = path.name.endswith(endings) and path.name != "case.json"
        if not (wanted or path.parent == FINDINGS / reader):
            continue
        data = path.read_bytes()
        if reader == "directory" and path.parent != FINDINGS / reader:
            number = NAMES.index(path.name) if path.name in NAMES else 0
            data = bytes([number << 1]) + data
        if reader == "text_program" and path.name.endswith("pdmodel"):
            data = str(parse(data)).encode()
        if len(data) <= LARGEST_INPUT:
            (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return sum(1 for _ in corpus.iterdir())


def _keep_native(reader: str, folder: Path, findings: str) -> int:
    """What libFuzzer wrote when the process died, ran out of memory or hung."""
    found = [
        path for path in folder.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))
    ]
    for path in found:
        _keep(Path(findings), reader, path.read_bytes(), path.name.partition("-")[0])
        path.unlink()
    return len(found)


def _keep(findings: Path, reader: str, data: bytes, why: str) -> None:
    folder = findings / reader
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha1(data).hexdigest()[:16]
    (folder / name).write_bytes(data)
    print(f"{reader}: {name}: {why}", file=sys.stderr, flush=True)


def _fuzz(reader: str, findings: Path, corpus: Path, seconds: int) -> None:
    """The child: hand inputs to one reader until the time is over."""
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: run `pip install atheris`") from None
    with atheris.instrument_imports(include=["compatload"]):
        from tests.attacks import readers

    places: set[str] = set()
    counted = 0

    def one_input(data: bytes) -> None:
        nonlocal counted
        counted += 1
        started = time.monotonic()
        try:
            readers.read(reader, bytes(data))
        except Exception as error:  # exactly what is looked for
            place = _place(error)
            if place not in places:
                places.add(place)
                _keep(findings, reader, bytes(data), f"{type(error).__name__} at {place}: {error}")
        # The first inputs pay for what is loaded once, so a slow one is asked again.
        if "slow" not in places and time.monotonic() - started > SLOW_SECONDS / 2:
            started = time.monotonic()
            with contextlib.suppress(Exception):
                readers.read(reader, bytes(data))
            if time.monotonic() - started > SLOW_SECONDS / 2:
                places.add("slow")
                _keep(findings, reader, bytes(data), "slow")
        if counted % 100 == 0:
            Path(os.environ["COMPATLOAD_FUZZ_COUNT"]).write_text(str(counted))

    options = [
        f"-max_total_time={seconds}",
        f"-timeout={SLOW_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-max_len={LARGEST_INPUT}",
        f"-artifact_prefix={corpus.parent}/",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one_input)
    atheris.Fuzz()


def _place(error: BaseException) -> str:
    """Where in compatload it was raised: one finding for each place is enough."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "compatload" in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


if __name__ == "__main__":
    sys.exit(main())
