"""Measure what a fleet of models costs; figures go to benchmarks/results/fleet.json.

    python -m benchmarks.fleet kills                 migrate, killed at ten moments
    python -m benchmarks.fleet check | migrate       peak memory at 500 … 5,000 models
    python -m benchmarks.fleet processes | dask | ray       5,000 models on two workers
    python -m benchmarks.fleet bucket                300 models from s3:// to s3:// (moto)
    python -m benchmarks.fleet zoo FOLDER            only make the 300 mixed models

Models are those of the matrix (``./develop matrix`` makes them) and of tests/fixtures. Dask, Ray,
s3fs and moto[server] are needed where they are named.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.fleet import kills, memory, zoo

WHAT = ("kills", *memory.COMMANDS, "processes", "dask", "ray", "bucket", "zoo")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--models", type=int)
    asked = parser.parse_args()
    if asked.what == "kills":
        kills.measure(asked.models or 300)
    elif asked.what in memory.COMMANDS:
        memory.measure(asked.what, (asked.models,) if asked.models else memory.NUMBERS)
    elif asked.what in ("processes", "dask", "ray"):
        from benchmarks.fleet import clusters

        clusters.measure(asked.what, asked.models or 5000)
    elif asked.what == "bucket":
        from benchmarks.fleet import bucket

        bucket.measure(asked.models or 300)
    elif asked.what == "zoo":
        for path, damage in zoo.mixed(asked.folder, asked.models or 300).items():
            print(f"{path}: {damage}")


if __name__ == "__main__":
    main()
