"""How long the migration check takes over many Python files, and how much memory.

    python benchmarks/check.py CORPUS… [--files 10000] [--workers 2]

The corpora (folders with real Python files: unpacked wheels, a site-packages) are copied over and
over until there are enough files. Goal: 10,000 files in at most 10 s on two cores, memory flat.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from pathlib import Path

from compatload.checking.check import check
from compatload.checking.settings import Settings


def corpus(folders: list[Path], count: int, into: Path) -> tuple[int, int]:
    """``count`` files under ``into``, 500 a folder; how many are distinct, and all their bytes."""
    files = sorted(path for folder in folders for path in folder.rglob("*.py") if path.is_file())
    if not files:
        raise SystemExit(f"no Python files under {', '.join(map(str, folders))}")
    size = 0
    for number, path in zip(range(count), cycle(files)):
        folder = into / f"{number // 500:03}"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / f"{number:06}.py")
        size += path.stat().st_size
    return len(files), size


def peak_mib(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024  # Linux counts KiB


def cpu_seconds() -> float:
    """Of this process and the workers that have ended."""
    return sum(os.times()[:4])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        distinct, size = corpus(options.corpora, options.files, Path(folder))
        print(f"{options.files} files ({distinct} distinct), {size / 1e6:.1f} MB")
        for count in (options.files // 4, options.files):
            paths = [str(path) for path in sorted(Path(folder).iterdir())[: max(1, count // 500)]]
            began, before = time.perf_counter(), cpu_seconds()
            with ProcessPoolExecutor(options.workers) as executor:
                report = check(paths, target="3.3.1", settings=Settings(), executor=executor)
            took = time.perf_counter() - began
            print(
                f"{report.checked_total + len(report.skipped)} files: {took:.2f} s on "
                f"{options.workers} workers ({cpu_seconds() - before:.2f} s of CPU), "
                f"{report.counts}, skipped {len(report.skipped)}; "
                f"peak {peak_mib(resource.RUSAGE_SELF):.0f} MiB here, "
                f"{peak_mib(resource.RUSAGE_CHILDREN):.0f} MiB in a worker"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
